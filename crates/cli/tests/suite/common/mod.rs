//! Runs the real binary.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout)]

pub mod limited;

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The wall-clock limit of every run, so that one that hangs fails. On a machine that does much
/// else, a few seconds of work take minutes.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The result of a run.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let start = |text: &str| text.chars().take(2_000).collect::<String>();
        write!(f, "status {}\n--- stdout\n{}\n--- stderr\n{}", self.status, start(&self.out), start(&self.err))
    }
}

impl Run {
    /// Asserts that the input was rejected cleanly, with this text somewhere in the output.
    #[track_caller]
    pub fn refuses(&self, why: &str) -> &Run {
        assert_eq!(self.status, 3, "{self:?}");
        assert!(self.out.contains(why) || self.err.contains(why), "no {why:?} in {self:?}");
        assert!(self.out.len() + self.err.len() < 100_000, "too much output");
        self
    }

    /// Asserts success, and returns the standard output.
    #[track_caller]
    pub fn succeeds(&self) -> &str {
        assert_eq!(self.status, 0, "{self:?}");
        &self.out
    }
}

/// Returns a command for the binary in a folder, without the environment settings of the user.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_merkhet"));
    command.current_dir(folder);
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the binary in a folder.
pub fn run_in<S: AsRef<OsStr>>(folder: &Path, args: &[S]) -> Run {
    finish(command(folder).args(args), b"")
}

/// Runs the binary with a text on its standard input.
pub fn run_with(input: &[u8], args: &[&str]) -> Run {
    finish(command(Path::new(".")).args(args), input)
}

/// Runs a command to its end, or to the time limit.
pub fn finish(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary should start");
    let (mut stdin, mut stdout, mut stderr) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let input = input.to_vec();
    // A program need not read its input, so a failed write is not an error.
    thread::spawn(move || drop(stdin.write_all(&input)));
    let read = |stream: &mut dyn Read| {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).expect("the output should be UTF-8")
    };
    let err = thread::spawn(move || read(&mut stderr));
    let out = thread::spawn(move || read(&mut stdout));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > TIME_LIMIT {
            let _ = child.kill();
            panic!("{command:?} runs for more than {TIME_LIMIT:?}");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let run = Run { status: status.code().unwrap_or(-1), out: out.join().unwrap(), err: err.join().unwrap() };
    assert!(matches!(run.status, 0..=3), "{command:?} ends with {status}: {}", run.err);
    run
}

/// Creates an empty folder for one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the folder of example models, or one of the folders in it.
pub fn models(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(folder)
}

/// Returns the folder of hand-written models.
pub fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}
