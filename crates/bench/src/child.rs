//! Other programs, run to their end or killed.

use std::{
    env,
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The time between two checks whether a program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The bytes of output that are kept.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Why a program gave no output.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// It does not start.
    #[error("can't be run: {0}")]
    Start(io::Error),
    /// Waiting for its end failed.
    #[error("can't be waited for: {0}")]
    Wait(io::Error),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// It took too long.
    #[error("the time limit was reached")]
    TimeLimit,
}

/// What a program printed.
#[derive(Debug)]
pub struct ChildOutput {
    /// On the standard output.
    pub out: String,
    /// On the standard error.
    pub err: String,
}

/// A program that is killed when this value is dropped.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It may have ended by itself. Nothing can be done if this fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program of this name on the PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|file| file.is_file())
}

/// Runs a program with a text as its standard input. Its exit status is ignored: the output says
/// more.
///
/// # Errors
/// It can't be run, was interrupted, or reached the time limit.
pub fn run(
    command: &mut Command,
    input: &str,
    limit: Option<Duration>,
    interrupt: &AtomicBool,
) -> Result<ChildOutput, ChildError> {
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = KilledOnDrop(command.spawn().map_err(ChildError::Start)?);
    let (stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let input = input.to_owned();
    // A program may end without reading all of its input.
    thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
    let (out, err) = (thread::spawn(move || listen(stdout)), thread::spawn(move || listen(stderr)));
    loop {
        match child.0.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) => {}
            Err(e) => return Err(ChildError::Wait(e)),
        }
        if interrupt.load(Ordering::Relaxed) {
            return Err(ChildError::Interrupted);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(ChildError::TimeLimit);
        }
        thread::sleep(POLL_INTERVAL);
    }
    let text = |thread: thread::JoinHandle<String>| thread.join().unwrap_or_default();
    Ok(ChildOutput { out: text(out), err: text(err) })
}

/// Reads a pipe to its end, and keeps at most `MAX_OUTPUT_BYTES` bytes.
fn listen(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let read = pipe.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        // A full pipe would keep the program waiting.
        let _ = read.and_then(|_| io::copy(&mut pipe, &mut io::sink()));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_reads_its_input_and_its_output_is_read() {
        let output = run(&mut shell("tr a-z A-Z; echo no >&2; exit 7"), "abc", None, &AtomicBool::new(false)).unwrap();
        assert_eq!((output.out.as_str(), output.err.as_str()), ("ABC", "no\n"));
        assert!(find("sh").is_some() && find("no-such-program").is_none());
        let wrong = run(&mut Command::new("/no/such/program"), "", None, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(wrong, ChildError::Start(_)), "{wrong}");
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let file = env::temp_dir().join(format!("merkhet-child-{}", std::process::id()));
        let mut command = shell("echo $$ > \"$0\"; exec sleep 1000");
        command.arg(&file);
        let why = run(&mut command, "", Some(Duration::from_millis(300)), &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(why, ChildError::TimeLimit), "{why}");
        let pid = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let alive = Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().unwrap();
        assert!(!alive.success(), "{pid} is still there");
    }
}
