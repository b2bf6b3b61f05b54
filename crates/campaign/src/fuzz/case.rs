//! One attack: a command line, and the files for it.

use std::{fs, io, path::Path};

use super::corpus::Format;

/// What merkhet is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Check,
    Laws,
    Verify,
    Certify,
    Replay,
    Convert,
    Graph,
    Simulate,
    Verifyta,
    List,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 10] = [
        Action::Check,
        Action::Laws,
        Action::Verify,
        Action::Certify,
        Action::Replay,
        Action::Convert,
        Action::Graph,
        Action::Simulate,
        Action::Verifyta,
        Action::List,
    ];

    /// The command.
    pub fn command(self) -> &'static str {
        match self {
            Action::Check | Action::Laws => "check",
            Action::Verify => "verify",
            Action::Certify => "certify",
            Action::Replay => "replay",
            Action::Convert => "convert",
            Action::Graph => "graph",
            Action::Simulate => "simulate",
            Action::Verifyta => "verifyta",
            Action::List => "list",
        }
    }

    /// What the table calls it.
    pub fn name(self) -> &'static str {
        if self == Action::Laws { "check --laws" } else { self.command() }
    }

    /// Whether the exit status is within the contract.
    pub fn may_exit_with(self, status: i32) -> bool {
        match status {
            // 2: a limit was reached.
            0 | 2 | 3 => true,
            1 => matches!(self, Action::Verify | Action::Certify | Action::Replay),
            _ => false,
        }
    }
}

/// A file that a run reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// One attack.
#[derive(Clone, Debug)]
pub struct FuzzCase {
    pub action: Action,
    /// The format of what was mutated.
    pub format: Format,
    /// The words of the command line.
    pub words: Vec<String>,
    pub inputs: Vec<Input>,
    pub stdin: Vec<u8>,
    /// How often the time limit may be used up: it holds for each query.
    pub turns: u32,
    /// Whether a report for programs was asked for.
    pub json: bool,
}

/// Names of files that runs are asked to write start like this.
pub const OUTPUT: &str = "out";

impl FuzzCase {
    /// Writes the files into a folder that has nothing else in it.
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

    /// The command line as one could type it.
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
