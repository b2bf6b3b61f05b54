//! Runs the binary, measures it, and never leaves a process.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The greatest length of an output that is kept, in bytes. More than this is a finding.
pub const MAX_OUTPUT: usize = 16 << 20;

/// A program with its arguments and limits.
#[derive(Debug)]
pub struct Job<'a> {
    pub program: &'a Path,
    pub words: &'a [String],
    pub folder: &'a Path,
    pub input: &'a [u8],
    /// The time after which it is killed.
    pub timeout: Duration,
    /// The memory at which it is killed, in bytes.
    pub max_memory: u64,
}

/// The result of a run.
#[derive(Debug)]
pub struct FinishedRun {
    /// The exit status; `None` if it was killed.
    pub status: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Whether it was killed because it took too much time or memory.
    pub killed: bool,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    pub time: Duration,
    /// The greatest resident memory, in bytes.
    pub peak: u64,
}

/// A process that is killed with its children when this value is dropped.
struct Leash(Child);

impl Leash {
    fn kill(&mut self) {
        // Its solvers are in its group. No safe function kills a group.
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.kill();
        }
    }
}

/// Runs a program until it ends or exceeds its limits.
///
/// # Errors
/// It can't be run.
pub fn run(job: &Job<'_>, stop: &AtomicBool) -> io::Result<FinishedRun> {
    let mut command = Command::new(job.program);
    command.args(job.words).current_dir(job.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE", "UPPAAL_COMPILE_ONLY"] {
        command.env_remove(variable);
    }
    own_group(&mut command);
    let start = Instant::now();
    let mut child = Leash(command.spawn()?);
    let (stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let input = job.input.to_vec();
    // A program need not read its input.
    let writer = thread::spawn(move || drop(stdin.map(|mut pipe| pipe.write_all(&input))));
    let (out, err) = (listen(stdout), listen(stderr));
    let status_file = PathBuf::from(format!("/proc/{}/status", child.0.id()));
    let program_file = PathBuf::from(format!("/proc/{}/exe", child.0.id()));
    let own = std::env::current_exe().ok();
    let (mut peak, mut nap, mut killed, mut is_itself) = (0, Duration::from_micros(500), false, false);
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        // Until it executes the program, it is a copy of this process, with its memory.
        is_itself = is_itself || fs::read_link(&program_file).is_ok_and(|program| Some(program) != own);
        if is_itself {
            peak = peak.max(resident(&status_file));
        }
        if start.elapsed() > job.timeout || peak > job.max_memory || stop.load(Ordering::Relaxed) {
            killed = true;
            child.kill();
            break child.0.wait()?;
        }
        thread::sleep(nap);
        nap = (nap * 5 / 4).min(Duration::from_millis(10));
    };
    let time = start.elapsed();
    drop(child);
    let _ = writer.join();
    let text = |thread: JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(FinishedRun {
        status: status.code(),
        signal: signal(status),
        killed,
        out: text(out),
        err: text(err),
        time,
        peak,
    })
}

/// Returns the greatest resident memory of a process, in bytes; 0 if it is unknown.
fn resident(status_file: &Path) -> u64 {
    let text = fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Reads a pipe to its end. Output beyond the limit is discarded, so that the program is not
/// blocked.
fn listen(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.by_ref().take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        bytes
    })
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn sh(script: &str, seconds: u64) -> FinishedRun {
        let words = ["-c".to_owned(), script.to_owned()];
        let job = Job {
            program: Path::new("/bin/sh"),
            words: &words,
            folder: Path::new("/"),
            input: b"some\n",
            timeout: Duration::from_secs(seconds),
            max_memory: 1 << 30,
        };
        run(&job, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn what_a_program_does_is_seen() {
        let run = sh("cat; echo wrong >&2; exit 3", 60);
        assert_eq!((run.status, run.signal, run.killed), (Some(3), None, false));
        assert_eq!((&run.out[..], &run.err[..]), (&b"some\n"[..], &b"wrong\n"[..]));
        assert_eq!(sh("kill -SEGV $$", 60).signal, Some(11));
    }

    #[test]
    fn what_does_not_end_is_killed_with_all_that_it_started() {
        // The inner shell holds the pipes; reading them would not end if it lived on.
        let run = sh("sleep 600 & sleep 600", 1);
        assert!(run.killed && run.status.is_none() && run.peak > 0, "{run:?}");
    }
}
