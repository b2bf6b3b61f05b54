//! Output: streams, and files that are written completely or not at all.

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
    /// Whether `out` is a terminal.
    pub out_is_terminal: bool,
    /// Whether `err` is a terminal.
    pub err_is_terminal: bool,
    /// Whether `stdin` is a terminal.
    pub in_is_terminal: bool,
}

impl Streams<'_> {
    /// Prints an error message.
    pub fn fail(&mut self, message: &str) -> io::Result<()> {
        let text = Renderer::new(self.err_color).failure(message);
        self.err.write_all(text.as_bytes())
    }
}

/// A stream that ignores a closed pipe.
///
/// It also keeps control characters from a terminal. Text of the user is escaped where it is put
/// into messages; text that is written unchanged (a converted model, JSON) is escaped here.
pub struct Pipe<W> {
    inner: W,
    closed: bool,
    is_terminal: bool,
}

impl<W: Write> Pipe<W> {
    /// An open pipe.
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
        // Escapes pass, since they are merkhet's colours; all writers write whole characters.
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

/// The message of an operating system error, without its number.
pub fn reason(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Whether two paths name one file; `false` if one does not exist.
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

/// Writes a file through a temporary one beside it, so that it is never incomplete.
///
/// Returns whether it replaced another file.
///
/// # Errors
/// The file is untouched if this fails.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut draft = DraftFile::create(path)?;
    draft.write_all(bytes)?;
    draft.commit()
}

/// A file that is being written. It gets its name when it is complete, and is removed otherwise.
pub struct DraftFile {
    out: BufWriter<File>,
    /// The temporary path and the final one; `None` for a terminal, a pipe or /dev/null, which
    /// can't be replaced.
    places: Option<(PathBuf, PathBuf)>,
    permissions: Option<Permissions>,
}

impl DraftFile {
    /// Starts a file.
    ///
    /// # Errors
    /// Those of the operating system; most problems with a file are found here.
    pub fn create(path: &Path) -> io::Result<DraftFile> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        if existing.as_ref().is_some_and(|m| !m.is_file()) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(DraftFile { out: BufWriter::new(file), places: None, permissions: None });
        }
        // The target of a symbolic link is replaced, not the link.
        let target = if existing.is_some() { path.canonicalize()? } else { path.to_owned() };
        remove_leftovers(&target);
        let temporary = beside(&target)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        drafts().push(temporary.clone());
        let permissions = existing.map(|m| m.permissions());
        Ok(DraftFile { out: BufWriter::new(file), places: Some((temporary, target)), permissions })
    }

    /// Gives the file its final name. Returns whether it replaced another one.
    ///
    /// # Errors
    /// An existing file is untouched.
    pub fn commit(mut self) -> io::Result<bool> {
        self.out.flush()?;
        let Some((temporary, target)) = &self.places else { return Ok(false) };
        let replaces = self.permissions.is_some();
        self.out.get_ref().sync_all()?;
        if let Some(permissions) = self.permissions.take() {
            fs::set_permissions(temporary, permissions)?;
        }
        // A thread that ends the process waits for this lock.
        let mut drafts = drafts();
        fs::rename(temporary, target)?;
        drafts.retain(|draft| draft != temporary);
        drop(drafts);
        self.places = None;
        Ok(replaces)
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for DraftFile {
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

/// The start of the name of a temporary file: `.NAME.merkhet-`. The process id follows.
fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".merkhet-");
    prefix
}

const SUFFIX: &str = ".tmp";

/// Removes temporary files of killed processes. Those of running processes stay, and so do all of
/// them if the running processes are unknown.
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
    fn a_closed_pipe_is_ignored_but_a_full_disk_is_an_error() {
        let mut gone = Pipe::new(Broken(ErrorKind::BrokenPipe), false);
        assert!(gone.write_all(b"abc").is_ok());
        assert!(gone.flush().is_ok());
        let mut full = Pipe::new(Broken(ErrorKind::StorageFull), false);
        assert!(full.write_all(b"abc").is_err());
    }

    #[test]
    fn control_characters_do_not_reach_terminals() {
        let text = "a\u{9b}2J\u{85}b \u{202e}c\u{2066} \u{1b}[1m\u{e4}\n";
        let (mut seen, mut kept) = (Vec::new(), Vec::new());
        Pipe::new(&mut seen, true).write_all(text.as_bytes()).unwrap();
        Pipe::new(&mut kept, false).write_all(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(seen).unwrap(), "a\u{a4}2J\u{a4}b \u{fffd}c\u{fffd} \u{1b}[1m\u{e4}\n");
        assert_eq!(kept, text.as_bytes());
    }

    #[cfg(unix)]
    #[test]
    fn files_are_replaced_completely_without_leftovers() {
        let folder = std::env::temp_dir().join(format!("merkhet-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.txt");
        assert!(!write_file(&file, b"one").unwrap());
        assert!(write_file(&file, b"two").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert!(write_file(&folder, b"x").is_err(), "a folder is no file");
        assert!(write_file(&folder.join("none/a.txt"), b"x").is_err());
        let mut draft = DraftFile::create(&file).unwrap();
        draft.write_all(b"three").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two", "nothing is seen before it is whole");
        drop(draft);
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // A killed run has left one; another belongs to a process that runs (this one's parent
        // does), others belong to no process.
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
