//! A program that reads commands and writes expressions.

use std::{
    io::{Read, Write},
    path::Path,
    process::{self, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use crate::script::{Expression, parse};

/// How often to ask whether to go on waiting.
const NAP: Duration = Duration::from_millis(20);

/// An expression is not longer than this.
const MAX_ANSWER: usize = 1 << 26;

/// So many expressions may wait to be read.
const MAX_WAITING: usize = 256;

/// Of what it says on its standard error, this much is told.
const MAX_COMPLAINT: u64 = 400;

/// How long to wait for an answer.
pub enum Wait<'a> {
    /// Until this says to stop.
    Until(&'a dyn Fn() -> bool),
    /// For some time.
    AtMost(Duration),
}

/// A running program. It does not outlive this value, nor does what it has started itself.
#[derive(Debug)]
pub struct Child {
    process: process::Child,
    input: Option<Sender<String>>,
    output: Receiver<Result<String, String>>,
    complaint: Receiver<String>,
}

impl Child {
    /// Starts a program.
    ///
    /// # Errors
    /// Says why it can't be started.
    pub fn start(path: &Path, arguments: &[&str]) -> Result<Child, String> {
        let mut command = if path.extension().is_some_and(|end| end == "jar") {
            let mut java = Command::new("java");
            java.arg("-jar").arg(path);
            java
        } else {
            Command::new(path)
        };
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that all of it can be ended where the program is a script that starts another.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn().map_err(|e| format!("can't be started: {e}"))?;
        let (stdin, stdout, stderr) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        // It may not read what it is told while it has something to say, so each pipe has its own thread. They end with
        // the pipes.
        let (input, commands) = mpsc::channel::<String>();
        thread::spawn(move || {
            let Some(mut pipe) = stdin else { return };
            for text in commands {
                if pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush()).is_err() {
                    return;
                }
            }
        });
        let (said, output) = mpsc::sync_channel(MAX_WAITING);
        thread::spawn(move || {
            if let Some(pipe) = stdout {
                listen(pipe, &said);
            }
        });
        let (complain, complaint) = mpsc::channel();
        thread::spawn(move || {
            let Some(mut pipe) = stderr else { return };
            let mut bytes = Vec::new();
            let _ = pipe.by_ref().take(MAX_COMPLAINT).read_to_end(&mut bytes);
            let _ = complain.send(String::from_utf8_lossy(&bytes).trim().to_owned());
            // A full pipe would keep it waiting.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        });
        Ok(Child { process, input: Some(input), output, complaint })
    }

    /// Tells it something. That it does not listen shows when an answer is missing.
    pub fn send(&mut self, text: String) {
        if let Some(input) = &self.input {
            let _ = input.send(text);
        }
    }

    /// There will be no more to tell.
    pub fn send_end(&mut self) {
        self.input = None;
    }

    /// The next expression that it says.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn receive(&mut self, wait: Wait<'_>) -> Result<Expression, String> {
        let text = match wait {
            Wait::AtMost(limit) => self.output.recv_timeout(limit),
            Wait::Until(stop) => loop {
                match self.output.recv_timeout(NAP) {
                    Err(RecvTimeoutError::Timeout) if !stop() => {}
                    other => break other,
                }
            },
        };
        let text = match text {
            Ok(text) => text?,
            Err(RecvTimeoutError::Timeout) => return Err("was told to stop".to_owned()),
            Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
        };
        match parse(&text)?.pop() {
            Some(expression) => Ok(expression),
            None => Err("said nothing".to_owned()),
        }
    }

    /// Why it ended.
    fn end(&mut self) -> String {
        // Its standard output is closed, so it has ended or is about to, unless it plays games.
        let status = match self.process.try_wait() {
            Ok(None) => {
                thread::sleep(NAP);
                self.process.try_wait()
            }
            other => other,
        };
        let how = match status {
            Ok(Some(status)) => format!("ended without an answer ({status})"),
            _ => "closed its output without an answer".to_owned(),
        };
        match self.complaint.recv_timeout(NAP) {
            Ok(text) if !text.is_empty() => format!("{how}: {}", text.lines().next().unwrap_or_default()),
            _ => how,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // As long as nobody has waited for it, its number belongs to nobody else, and so does the number of its group.
        #[cfg(unix)]
        {
            let group = format!("kill -s KILL -- -{}", self.process.id());
            let quiet = Command::new("sh").args(["-c", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status();
            drop(quiet);
        }
        // It may have ended by itself; either way nothing is left to do if this fails.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Cuts what comes out of a pipe into expressions.
fn listen(mut pipe: impl Read, said: &mpsc::SyncSender<Result<String, String>>) {
    let mut cutter = Cutter::default();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match pipe.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        for byte in &chunk[..count] {
            if let Some(text) = cutter.add(*byte)
                && said.send(Ok(text)).is_err()
            {
                return;
            }
        }
        if cutter.bytes.len() > MAX_ANSWER {
            let _ = said.send(Err("said more than anybody wants to read".to_owned()));
            return;
        }
    }
    // A last word may have no end of line; half an expression is none.
    if let Some(text) = cutter.finish() {
        let _ = said.send(Ok(text));
    }
}

/// Finds where an expression ends.
#[derive(Default)]
struct Cutter {
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

impl Cutter {
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
                // One that was not opened is left for the parser to complain of.
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
    fn what_is_said_is_cut_into_expressions() {
        let mut cutter = Cutter::default();
        let text = "sat\n((a |b) c|) \"(\"\"\" ;)\n)unsat(x)(error \"no (\")\nlast";
        let mut cut: Vec<String> = text.bytes().filter_map(|b| cutter.add(b)).collect();
        cut.extend(cutter.finish());
        assert_eq!(cut[0], "sat");
        assert_eq!(cut[2..], ["unsat", "(x)", "(error \"no (\")", "last"]);
        for text in cut {
            assert_eq!(parse(&text).unwrap().len(), 1, "{text}");
        }
    }
}
