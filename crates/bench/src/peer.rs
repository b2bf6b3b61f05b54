//! TChecker, to compare with, and valgrind, which counts instructions.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::Duration,
};

use verify::{Abstraction, Order};

use crate::child::{self, ChildError};

/// The default size of TChecker's hash table, in states. It does not grow.
const DEFAULT_TABLE_SIZE: usize = 65_536;

/// Why another tool gave no figures.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// It did not end.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// It ended without figures; its first line on the standard error.
    #[error("gave no statistics; it said: {0}")]
    NoStatistics(String),
    /// The path of this program is unknown, so that valgrind can't run it.
    #[error("can't be given this program: {0}")]
    NoProgram(io::Error),
    /// It ended without a number of instructions for this program.
    #[error("gave no number for {0}")]
    NoNumber(String),
}

/// The statistics of `tck-reach` about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Nodes that are stored at the end.
    pub stored: usize,
    /// Nodes that were taken from the waiting list.
    pub visited: usize,
    /// Successors that were computed.
    pub transitions: usize,
    /// How long the search took.
    pub seconds: f64,
    /// The most memory that the process had, in megabytes.
    pub megabytes: f64,
}

/// `tck-reach`, where it is.
pub struct Tchecker(PathBuf);

impl Tchecker {
    /// Finds it on the PATH.
    pub fn find() -> Option<Tchecker> {
        child::find("tck-reach").map(Tchecker)
    }

    /// The options for an abstraction and an order; `None` if it does not support them.
    pub fn settings(abstraction: Abstraction, order: Order) -> Option<[&'static str; 2]> {
        let algorithm = match abstraction {
            Abstraction::ExtraLuPlus => "covreach",
            Abstraction::Alu => "aLU-covreach",
            _ => return None,
        };
        match order {
            Order::Bfs | Order::Adaptive => Some([algorithm, "bfs"]),
            Order::Dfs => Some([algorithm, "dfs"]),
            _ => None,
        }
    }

    /// Explores a model with roughly this number of states.
    ///
    /// # Errors
    /// It gave no statistics.
    pub fn explore(
        &self,
        model: &str,
        [algorithm, order]: [&str; 2],
        states: usize,
        limit: Option<Duration>,
        interrupt: &AtomicBool,
    ) -> Result<Reach, PeerError> {
        let mut command = Command::new(&self.0);
        // Without labels it explores everything.
        command.args(["-a", algorithm, "-s", order]);
        if states > DEFAULT_TABLE_SIZE {
            command.args(["--table-size", &states.next_power_of_two().to_string()]);
        }
        let output = child::run(&mut command, model, limit, interrupt)?;
        statistics(&output.out).ok_or_else(|| {
            let said = output.err.lines().next().unwrap_or("nothing").trim();
            PeerError::NoStatistics(said.to_owned())
        })
    }
}

/// The numbers among lines of a name and a value each.
fn statistics(text: &str) -> Option<Reach> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Some(Reach {
        stored: value("STORED_STATES")?.trim().parse().ok()?,
        visited: value("VISITED_STATES")?.trim().parse().ok()?,
        transitions: value("VISITED_TRANSITIONS")?.trim().parse().ok()?,
        seconds: value("RUNNING_TIME_SECONDS")?.trim().parse().ok()?,
        megabytes: value("MEMORY_MAX_RSS")?.trim().parse::<f64>().ok()? / 1e3,
    })
}

/// `valgrind`, where it is.
pub struct Valgrind(PathBuf);

impl Valgrind {
    /// Finds it on the PATH.
    pub fn find() -> Option<Valgrind> {
        child::find("valgrind").map(Valgrind)
    }

    /// Counts the instructions, in millions, that this program takes to read and explore a model
    /// with some options of `merkhet verify`.
    ///
    /// # Errors
    /// It gave no number.
    pub fn instructions(
        &self,
        model: &str,
        options: &[&str],
        limit: Option<Duration>,
        interrupt: &AtomicBool,
    ) -> Result<f64, PeerError> {
        let program = env::current_exe().map_err(PeerError::NoProgram)?;
        // The profile itself is of no interest.
        let mut command = Command::new(&self.0);
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&program);
        command.args(["verify", "-", "-q", "E<> false", "--progress", "never"]);
        // As in the search that is measured beside it.
        command.args(["--local-time", "off", "--threads", "1"]);
        command.args(options);
        let output = child::run(&mut command, model, limit, interrupt)?;
        collected(&output.err).ok_or_else(|| PeerError::NoNumber(name(&program)))
    }
}

fn name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The number after `Collected :`, in millions.
fn collected(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.trim().parse::<f64>().ok().map(|n| n / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_found_by_name() {
        let text = "COVERED_STATES 6755\nMEMORY_MAX_RSS 14968\nREACHABLE false\nRUNNING_TIME_SECONDS 6.2e-02\n\
                    STORED_STATES 2378\nVISITED_STATES 3458\nVISITED_TRANSITIONS 9132\n";
        let expected = Reach { stored: 2378, visited: 3458, transitions: 9132, seconds: 0.062, megabytes: 14.968 };
        assert_eq!(statistics(text), Some(expected));
        assert_eq!(statistics(&text.replace("STORED_STATES 2378", "STORED_STATES")), None);
        assert_eq!(statistics("ERROR: unknown algorithm\n"), None);
    }

    #[test]
    fn the_number_of_callgrind_is_read() {
        assert_eq!(collected("==12== \n==12== Events    : Ir\n==12== Collected : 9000000\n"), Some(9.0));
        assert_eq!(collected("==12== Collected : \n"), None);
        assert_eq!(collected(""), None);
    }
}
