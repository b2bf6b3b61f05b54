//! Where output goes: streams, and files that are there either whole or not at all.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::render::{self, Renderer};

/// The process's streams.
pub struct Streams<'a> {
    /// The standard input.
    pub stdin: &'a mut dyn Read,
    /// The standard output.
    pub out: &'a mut dyn Write,
    /// The standard error.
    pub err: &'a mut dyn Write,
    /// Whether `out` shows colours.
    pub out_color: bool,
    /// Whether `err` shows colours.
    pub err_color: bool,
    /// Whether `out` is looked at while it is written.
    pub out_is_terminal: bool,
    /// Whether `err` is looked at while it is written.
    pub err_is_terminal: bool,
    /// Whether somebody types what `stdin` reads.
    pub in_is_terminal: bool,
}

impl Streams<'_> {
    /// Tells the user why nothing was done.
    pub fn fail(&mut self, message: &str) -> io::Result<()> {
        let text = Renderer::new(self.err_color).failure(message);
        self.err.write_all(text.as_bytes())
    }
}

/// A stream whose reader may go away: what is written after that is lost, and nobody is bothered
/// with it.
///
/// What a terminal might obey does not reach one: text of the user's is made harmless where it is
/// put into messages, and what was forgotten there, or is written as it stands (a converted model,
/// JSON), is made harmless here.
pub struct Pipe<W> {
    inner: W,
    closed: bool,
    is_terminal: bool,
}

impl<W: Write> Pipe<W> {
    /// A pipe that is open.
    pub fn new(inner: W, is_terminal: bool) -> Pipe<W> {
        Pipe { inner, closed: false, is_terminal }
    }

    fn unless_closed<T>(&mut self, gone: T, f: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.closed {
            return Ok(gone);
        }
        match f(&mut self.inner) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(gone)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Colours are ours, so that escapes pass; all writers write whole characters.
        if self.is_terminal
            && let Ok(text) = std::str::from_utf8(bytes)
            && text.contains(render::is_obeyed)
        {
            let text = render::without_obeyed(text);
            return self.unless_closed(bytes.len(), |inner| inner.write_all(text.as_bytes()).map(|()| bytes.len()));
        }
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), W::flush)
    }
}

/// Why the operating system refused something, without its number for that.
pub fn reason(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Whether two paths name one file; `false` where one does not exist.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (a.canonicalize(), b.canonicalize()) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
            // Hard links have one node and many names.
            return (a.dev(), a.ino()) == (b.dev(), b.ino());
        }
    }
    a == b
}

/// Writes a file by way of a temporary one beside it, so that nobody ever sees half of it.
///
/// Returns whether another file was there.
///
/// # Errors
/// The file is untouched if this fails.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut draft = Draft::create(path)?;
    draft.write_all(bytes)?;
    draft.commit()
}

/// A file that is being written. It takes its place when it is whole, and leaves nothing behind
/// otherwise.
pub struct Draft {
    out: BufWriter<File>,
    /// Where it is, and where it will be; none for a terminal, a pipe, /dev/null: there is nothing
    /// to put something else in the place of.
    places: Option<(PathBuf, PathBuf)>,
    permissions: Option<Permissions>,
}

impl Draft {
    /// Starts a file.
    ///
    /// # Errors
    /// Those of the operating system; most reasons why a file can't be written show up here.
    pub fn create(path: &Path) -> io::Result<Draft> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        if existing.as_ref().is_some_and(|m| !m.is_file()) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Draft { out: BufWriter::new(file), places: None, permissions: None });
        }
        // Behind a symbolic link is the file that the user means.
        let target = if existing.is_some() { path.canonicalize()? } else { path.to_owned() };
        remove_leftovers(&target);
        let temporary = beside(&target)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        drafts().push(temporary.clone());
        let permissions = existing.map(|m| m.permissions());
        Ok(Draft { out: BufWriter::new(file), places: Some((temporary, target)), permissions })
    }

    /// Puts the file into its place. Returns whether another one was there.
    ///
    /// # Errors
    /// Whatever was there before is untouched then.
    pub fn commit(mut self) -> io::Result<bool> {
        self.out.flush()?;
        let Some((temporary, target)) = &self.places else { return Ok(false) };
        let replaces = self.permissions.is_some();
        self.out.get_ref().sync_all()?;
        if let Some(permissions) = self.permissions.take() {
            fs::set_permissions(temporary, permissions)?;
        }
        // Whoever ends the process meanwhile waits for this.
        let mut drafts = drafts();
        fs::rename(temporary, target)?;
        drafts.retain(|draft| draft != temporary);
        drop(drafts);
        self.places = None;
        Ok(replaces)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.places {
            let _ = fs::remove_file(temporary);
            drafts().retain(|draft| draft != temporary);
        }
    }
}

/// The temporary files that are being written.
fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that are being written, for a process that ends at once.
pub fn discard_drafts() {
    for draft in &*drafts() {
        let _ = fs::remove_file(draft);
    }
}

fn beside(target: &Path) -> io::Result<PathBuf> {
    let name =
        target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it is not the name of a file"))?;
    let mut temporary = prefix(name);
    temporary.push(format!("{}{SUFFIX}", std::process::id()));
    Ok(target.with_file_name(temporary))
}

/// How the name of a temporary file starts: `.NAME.merkhet-`; the number of the process that writes
/// it follows.
fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".merkhet-");
    prefix
}

const SUFFIX: &str = ".tmp";

/// Removes what runs that were killed have left of a file. What belongs to a process that runs
/// stays, and so does everything where nobody can say which processes run.
fn remove_leftovers(target: &Path) {
    let processes = Path::new("/proc");
    let (Some(name), Some(folder)) = (target.file_name(), target.parent()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !processes.join("self").exists() {
        return;
    }
    let prefix = prefix(name);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let rest = found.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let number = rest.and_then(|rest| std::str::from_utf8(rest.strip_suffix(SUFFIX.as_bytes())?).ok());
        let is_dead = |number: &str| {
            let digits = !number.is_empty() && number.len() <= 10 && number.bytes().all(|b| b.is_ascii_digit());
            digits && !processes.join(number).exists()
        };
        // A link of that name was not made here.
        if number.is_some_and(is_dead) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_error_but_a_full_disk_is() {
        let mut gone = Pipe::new(Broken(ErrorKind::BrokenPipe), false);
        assert!(gone.write_all(b"abc").is_ok());
        assert!(gone.flush().is_ok());
        let mut full = Pipe::new(Broken(ErrorKind::StorageFull), false);
        assert!(full.write_all(b"abc").is_err());
    }

    #[test]
    fn terminals_are_not_told_what_to_do() {
        let text = "a\u{9b}2J\u{85}b \u{202e}c\u{2066} \u{1b}[1m\u{e4}\n";
        let (mut seen, mut kept) = (Vec::new(), Vec::new());
        Pipe::new(&mut seen, true).write_all(text.as_bytes()).unwrap();
        Pipe::new(&mut kept, false).write_all(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(seen).unwrap(), "a\u{a4}2J\u{a4}b \u{fffd}c\u{fffd} \u{1b}[1m\u{e4}\n");
        assert_eq!(kept, text.as_bytes());
    }

    #[cfg(unix)]
    #[test]
    fn files_are_replaced_whole_and_leave_nothing_beside_them() {
        let folder = std::env::temp_dir().join(format!("merkhet-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.txt");
        assert!(!write_file(&file, b"one").unwrap());
        assert!(write_file(&file, b"two").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert!(write_file(&folder, b"x").is_err(), "a folder is no file");
        assert!(write_file(&folder.join("none/a.txt"), b"x").is_err());
        let mut draft = Draft::create(&file).unwrap();
        draft.write_all(b"three").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two", "nothing is seen before it is whole");
        drop(draft);
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // A killed run has left one; another belongs to a process that runs (this one's parent
        // does), others to nobody here.
        let parent = std::os::unix::process::parent_id();
        let kept = [
            format!(".a.txt.merkhet-{parent}.tmp"),
            ".a.txt.7.tmp".to_owned(),
            ".b.txt.merkhet-4294967295.tmp".to_owned(),
        ];
        for name in kept.iter().map(String::as_str).chain([".a.txt.merkhet-4294967295.tmp", ".a.txt.merkhet-.tmp"]) {
            fs::write(folder.join(name), b"half").unwrap();
        }
        write_file(&file, b"two").unwrap();
        assert!(!folder.join(".a.txt.merkhet-4294967295.tmp").exists() || !Path::new("/proc/self").exists());
        assert!(kept.iter().all(|name| folder.join(name).exists()) && folder.join(".a.txt.merkhet-.tmp").exists());
        assert!(same_file(&file, &folder.join(".").join("a.txt")));
        assert!(!same_file(&file, &folder.join("b.txt")));
        fs::remove_dir_all(&folder).unwrap();
    }
}
