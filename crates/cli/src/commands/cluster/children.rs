//! Processes that process 0 starts: on this machine, or on others by ssh.

use std::{
    io::Write,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::ClusterError;

/// What a process is told that is started: who it is, where the others are, and their secret. It
/// goes through its standard input, where no one else sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seat {
    pub number: usize,
    pub count: usize,
    pub first: String,
    pub listens: String,
    pub secret: String,
    /// A hash of the list of hosts.
    pub hosts: [u8; 32],
    pub seconds: f64,
}

/// Processes that were started. None is left running.
#[derive(Debug, Default)]
pub struct Children(Vec<(usize, Child)>);

impl Children {
    /// Starts a process, on this machine or by a program that runs a command on another one.
    pub fn start(&mut self, seat: &Seat, remote: Option<(&str, &str)>) -> Result<(), ClusterError> {
        let fail = |why: String| ClusterError::Start(seat.number, why);
        let io = |e: std::io::Error| fail(merkhet::source::describe(&e));
        let mut command = match remote {
            Some((program, merkhet)) => {
                let mut command = Command::new(program);
                command.arg(::cluster::host(&seat.listens).unwrap_or_default()).arg(merkhet);
                command
            }
            None => Command::new(std::env::current_exe().map_err(io)?),
        };
        command.args(["cluster", "join"]).stdin(Stdio::piped()).stdout(Stdio::null());
        // Ctrl-C is for process 0, which tells the others.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(io)?;
        let text = serde_json::to_string(seat).map_err(|e| fail(e.to_string()))?;
        // A process that does not read this has ended, which is noticed later. It ends itself when
        // its standard input does.
        let _ = child.stdin.as_mut().map(|stdin| writeln!(stdin, "{text}"));
        self.0.push((seat.number, child));
        Ok(())
    }

    /// Returns a process that has ended.
    pub fn ended(&mut self) -> Option<usize> {
        let mut ended = self.0.iter_mut().filter_map(|(number, child)| child.try_wait().ok()?.map(|_| *number));
        ended.next()
    }

    /// Waits until all have ended. Those that have not after some time are killed.
    pub fn end(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        for (_, child) in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
                thread::sleep(Duration::from_millis(5));
            }
            // Nothing can be done if it can't be killed.
            let _ = child.kill();
            let _ = child.wait();
        }
        self.0.clear();
    }
}
