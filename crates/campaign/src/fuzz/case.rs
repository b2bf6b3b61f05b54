//! An attack: a command line with its files.

use std::{fs, io, path::Path};

use super::corpus::Format;

/// A command of merkhet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Check,
    Laws,
    Verify,
    Report,
    Certify,
    Replay,
    Convert,
    Graph,
    Simulate,
    Verifyta,
    List,
}

impl Action {
    /// All commands.
    pub const ALL: [Action; 11] = [
        Action::Check,
        Action::Laws,
        Action::Verify,
        Action::Report,
        Action::Certify,
        Action::Replay,
        Action::Convert,
        Action::Graph,
        Action::Simulate,
        Action::Verifyta,
        Action::List,
    ];

    /// Returns the subcommand.
    pub fn command(self) -> &'static str {
        match self {
            Action::Check | Action::Laws => "check",
            Action::Verify => "verify",
            Action::Report => "report",
            Action::Certify => "certify",
            Action::Replay => "replay",
            Action::Convert => "convert",
            Action::Graph => "graph",
            Action::Simulate => "simulate",
            Action::Verifyta => "verifyta",
            Action::List => "list",
        }
    }

    /// Returns its name in the table.
    pub fn name(self) -> &'static str {
        if self == Action::Laws { "check --laws" } else { self.command() }
    }

    /// Returns whether an exit status is within the contract.
    pub fn may_exit_with(self, status: i32) -> bool {
        match status {
            // 2: a limit was reached.
            0 | 2 | 3 => true,
            1 => matches!(self, Action::Verify | Action::Report | Action::Certify | Action::Replay),
            _ => false,
        }
    }
}

/// An input file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// An attack.
#[derive(Clone, Debug)]
pub struct FuzzCase {
    pub action: Action,
    /// The format of the mutated file.
    pub format: Format,
    /// The words of the command line.
    pub words: Vec<String>,
    pub inputs: Vec<Input>,
    pub stdin: Vec<u8>,
    /// The number of queries, each of which has the time limit.
    pub turns: u32,
    /// Whether it prints JSON.
    pub json: bool,
}

/// The prefix of the names of output files.
pub const OUTPUT: &str = "out";

impl FuzzCase {
    /// Writes the files into an empty folder.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn lay_out(&self, folder: &Path) -> io::Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        self.inputs.iter().try_for_each(|input| fs::write(folder.join(&input.name), &input.bytes))
    }

    /// Returns the command line for a shell.
    pub fn line(&self) -> String {
        let quoted = |word: &String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        };
        let words: Vec<String> = self.words.iter().map(quoted).collect();
        format!("merkhet {}", words.join(" "))
    }
}
