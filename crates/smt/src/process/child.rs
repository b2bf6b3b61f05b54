//! A child process that reads commands and writes S-expressions.

use std::{
    io::{Read, Write},
    path::Path,
    process::{self, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use super::error::SolverError;
use crate::script::{Expression, parse};

/// The time between two calls of `stop` while waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The greatest length of an expression in bytes.
const MAX_ANSWER: usize = 1 << 26;

/// The greatest number of expressions in the queue.
const MAX_WAITING: usize = 256;

/// The greatest number of bytes of its standard error in a message.
const MAX_COMPLAINT: u64 = 400;

/// A limit on waiting for an answer.
pub(super) enum WaitLimit<'a> {
    /// Waits until this returns `true`.
    Until(&'a dyn Fn() -> bool),
    /// Waits for some time.
    AtMost(Duration),
}

/// A running process. It is killed with its own children when this value is dropped.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    input: Option<Sender<String>>,
    output: Receiver<Result<String, SolverError>>,
    complaint: Receiver<String>,
}

impl Child {
    /// Starts a program.
    ///
    /// # Errors
    /// The reason why it can't be started.
    pub(super) fn start(path: &Path, arguments: &[&str]) -> Result<Child, SolverError> {
        let mut command = if path.extension().is_some_and(|end| end == "jar") {
            let mut java = Command::new("java");
            java.arg("-jar").arg(path);
            java
        } else {
            Command::new(path)
        };
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // It gets its own process group, so that it can be killed with its children if it is a
        // script.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().map_err(SolverError::Start)?;
        let (stdin, stdout, stderr) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        // It may block on writing while we write, so each pipe has its own thread. The threads end
        // with the pipes.
        let (input, commands) = mpsc::channel::<String>();
        thread::spawn(move || {
            let Some(mut pipe) = stdin else { return };
            for text in commands {
                if pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush()).is_err() {
                    return;
                }
            }
        });
        let (sender, output) = mpsc::sync_channel(MAX_WAITING);
        thread::spawn(move || {
            if let Some(pipe) = stdout {
                listen(pipe, &sender);
            }
        });
        let (complain, complaint) = mpsc::channel();
        thread::spawn(move || {
            let Some(mut pipe) = stderr else { return };
            let mut bytes = Vec::new();
            let _ = pipe.by_ref().take(MAX_COMPLAINT).read_to_end(&mut bytes);
            let _ = complain.send(String::from_utf8_lossy(&bytes).trim().to_owned());
            // A full pipe would block the process.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        });
        Ok(Child { process, input: Some(input), output, complaint })
    }

    /// Sends commands. If the process does not read them, `receive` fails.
    pub(super) fn send(&mut self, text: String) {
        if let Some(input) = &self.input {
            let _ = input.send(text);
        }
    }

    /// Closes its standard input.
    pub(super) fn send_end(&mut self) {
        self.input = None;
    }

    /// Receives the next expression.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn receive(&mut self, wait: WaitLimit<'_>) -> Result<Expression, SolverError> {
        let text = match wait {
            WaitLimit::AtMost(limit) => self.output.recv_timeout(limit),
            WaitLimit::Until(stop) => loop {
                match self.output.recv_timeout(POLL_INTERVAL) {
                    Err(RecvTimeoutError::Timeout) if !stop() => {}
                    other => break other,
                }
            },
        };
        let text = match text {
            Ok(text) => text?,
            Err(RecvTimeoutError::Timeout) => return Err(SolverError::Interrupted),
            Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
        };
        parse(&text)?.pop().ok_or(SolverError::EmptyAnswer)
    }

    /// Returns the reason why it ended.
    fn end(&mut self) -> SolverError {
        // Its standard output is closed, so it has usually ended or is about to.
        let status = match self.process.try_wait() {
            Ok(None) => {
                thread::sleep(POLL_INTERVAL);
                self.process.try_wait()
            }
            other => other,
        };
        let complaint = self.complaint.recv_timeout(POLL_INTERVAL).unwrap_or_default();
        SolverError::Ended { status: status.ok().flatten(), complaint }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Its process id, which is also the id of its group, is not reused before `wait`.
        #[cfg(unix)]
        {
            let group = format!("kill -s KILL -- -{}", self.process.id());
            let quiet = Command::new("sh").args(["-c", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status();
            drop(quiet);
        }
        // It may have ended by itself; a failure needs no handling.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Splits the output into expressions.
fn listen(mut pipe: impl Read, output: &mpsc::SyncSender<Result<String, SolverError>>) {
    let mut splitter = Splitter::default();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match pipe.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        for byte in &chunk[..count] {
            if let Some(text) = splitter.add(*byte)
                && output.send(Ok(text)).is_err()
            {
                return;
            }
        }
        if splitter.bytes.len() > MAX_ANSWER {
            let _ = output.send(Err(SolverError::TooLong));
            return;
        }
    }
    // The last word may lack an end of line; an incomplete expression is dropped.
    if let Some(text) = splitter.finish() {
        let _ = output.send(Ok(text));
    }
}

/// Finds the end of each expression.
#[derive(Default)]
struct Splitter {
    bytes: Vec<u8>,
    depth: usize,
    inside: Option<Inside>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Text,
    Quoted,
    Comment,
}

impl Splitter {
    fn finish(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.bytes);
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty() && self.depth == 0 && self.inside.is_none()).then_some(text)
    }

    fn add(&mut self, byte: u8) -> Option<String> {
        match self.inside {
            Some(Inside::Comment) => {
                if byte == b'\n' {
                    self.inside = None;
                }
                return None;
            }
            Some(inside) => {
                self.bytes.push(byte);
                let end = if inside == Inside::Text { b'"' } else { b'|' };
                if byte == end {
                    self.inside = None;
                }
                return None;
            }
            None => {}
        }
        match byte {
            b';' => {
                self.inside = Some(Inside::Comment);
                return if self.depth == 0 { self.finish() } else { None };
            }
            b'(' => {
                let before = if self.depth == 0 { self.finish() } else { None };
                self.depth += 1;
                self.bytes.push(byte);
                return before;
            }
            b')' => {
                self.bytes.push(byte);
                // The parser reports an unmatched parenthesis.
                self.depth = self.depth.saturating_sub(1);
                return if self.depth == 0 { self.finish() } else { None };
            }
            b'"' => self.inside = Some(Inside::Text),
            b'|' => self.inside = Some(Inside::Quoted),
            byte if byte.is_ascii_whitespace() && self.depth == 0 => return self.finish(),
            _ => {}
        }
        self.bytes.push(byte);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_split_into_expressions() {
        let mut splitter = Splitter::default();
        let text = "sat\n((a |b) c|) \"(\"\"\" ;)\n)unsat(x)(error \"no (\")\nlast";
        let mut cut: Vec<String> = text.bytes().filter_map(|b| splitter.add(b)).collect();
        cut.extend(splitter.finish());
        assert_eq!(cut[0], "sat");
        assert_eq!(cut[2..], ["unsat", "(x)", "(error \"no (\")", "last"]);
        for text in cut {
            assert_eq!(parse(&text).unwrap().len(), 1, "{text}");
        }
    }
}
