//! TINA, Romeo and TAPAAL: whether a net has a deadlock.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::Duration,
};

use syntax::net::Net;

use super::formats::{self, FormatError};
use crate::{
    child::{self, ChildError, ChildOutput},
    cpu::Stopwatch,
};

/// Why a tool gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It can't be given the net.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Its files can't be written.
    #[error("its files can't be written: {0}")]
    Files(io::Error),
    /// It did not end.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// It ended without an answer; the first line that it printed.
    #[error("gave no answer; it said: {0}")]
    NoAnswer(String),
}

/// The answer of a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolAnswer {
    /// Whether a deadlock is reachable.
    pub deadlock: bool,
    /// The state classes, or markings, that it says it has explored.
    pub states: Option<u64>,
    /// The CPU time of the whole process.
    pub seconds: f64,
}

/// Whether there is a deadlock, and the number of states that the tool says it has explored.
type PrintedAnswer = (bool, Option<u64>);

/// A tool.
pub struct NetTool {
    /// Its name.
    pub name: &'static str,
    /// The name of the program.
    pub program: &'static str,
    /// Its input: the net, and if it is not the standard input, a question.
    text: fn(&Net) -> Result<String, FormatError>,
    /// Its arguments; files follow.
    arguments: &'static [&'static str],
    /// The argument before the greatest number of tokens, which follows.
    tokens: Option<&'static str>,
    /// The names of the files with the net and with the question; none for the standard input.
    files: &'static [(&'static str, Option<&'static str>)],
    /// Reads the answer and the number of states.
    read: fn(&str) -> Option<PrintedAnswer>,
}

/// The tools.
pub const NET_TOOLS: [NetTool; 4] = [
    NetTool {
        name: "TINA",
        program: "tina",
        text: formats::tina,
        arguments: &["-W", "-q", "-NET"],
        tokens: None,
        files: &[],
        read: read_tina,
    },
    NetTool {
        name: "Romeo",
        program: "romeo-cli",
        text: formats::romeo,
        arguments: &["-m"],
        tokens: None,
        files: &[("net.cts", None)],
        read: read_romeo,
    },
    NetTool {
        name: "TAPAAL",
        program: "verifytapn",
        text: formats::tapaal,
        arguments: &[],
        tokens: Some("-k"),
        files: &[("net.xml", None), ("net.q", Some("EF deadlock"))],
        read: read_tapaal,
    },
    NetTool {
        name: "TAPAAL, discrete time",
        program: "verifydtapn",
        text: formats::tapaal,
        arguments: &[],
        tokens: Some("-k"),
        files: &[("net.xml", None), ("net.q", Some("EF deadlock"))],
        read: read_tapaal,
    },
];

impl NetTool {
    /// Finds it on the PATH.
    #[must_use]
    pub fn find(&self) -> Option<PathBuf> {
        child::find(self.program)
    }

    /// Asks whether a net has a deadlock.
    ///
    /// # Errors
    /// It gave no answer.
    pub fn ask(
        &self,
        program: &Path,
        net: &Net,
        limit: Option<Duration>,
        interrupt: &AtomicBool,
    ) -> Result<ToolAnswer, ToolError> {
        let text = (self.text)(net)?;
        let mut command = Command::new(program);
        command.args(self.arguments);
        // A place has at most one token, waiting or not.
        command.args(self.tokens.iter().flat_map(|word| [(*word).to_owned(), net.places.len().to_string()]));
        let folder = match self.files {
            [] => None,
            files => {
                let folder = ScratchFolder::new().map_err(ToolError::Files)?;
                for (name, question) in files {
                    let path = folder.0.join(name);
                    fs::write(&path, question.unwrap_or(&text)).map_err(ToolError::Files)?;
                    command.arg(path);
                }
                Some(folder)
            }
        };
        let watch = Stopwatch::start();
        let input = if folder.is_some() { "" } else { &text };
        let ChildOutput { out, err } = child::run(&mut command, input, limit, interrupt)?;
        let seconds = watch.elapsed().as_secs_f64();
        let said = || out.lines().chain(err.lines()).map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
        let (deadlock, states) = (self.read)(&out).ok_or_else(|| ToolError::NoAnswer(said().to_owned()))?;
        Ok(ToolAnswer { deadlock, states, seconds })
    }
}

/// A folder that is removed when this value is dropped.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn new() -> io::Result<ScratchFolder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("merkhet-net-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(ScratchFolder(path))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // Nothing can be done if this fails.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Reads TINA's digest: a heading with the names of columns, and a line with states.
fn read_tina(text: &str) -> Option<(bool, Option<u64>)> {
    let words = |line: &str| line.trim_matches(['#', ' ', '\t']).split_whitespace().map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = text.lines().map(words).collect();
    let line = |first: &str| lines.iter().find(|words| words.first().is_some_and(|word| word == first));
    let (heads, states) = (line("abstraction")?, line("states")?);
    let cell = |name: &str| states.get(heads.iter().position(|head| head == name)?)?.parse::<u64>().ok();
    Some((cell("dead")? > 0, cell("count")))
}

/// Reads the last line that is `true` or `false`.
fn read_romeo(text: &str) -> Option<(bool, Option<u64>)> {
    let answer = text.lines().rev().find_map(|line| line.trim().parse::<bool>().ok())?;
    Some((answer, None))
}

fn read_tapaal(text: &str) -> Option<(bool, Option<u64>)> {
    let line = |start: &str| text.lines().find_map(|line| line.trim().strip_prefix(start));
    let deadlock = match (line("Query is satisfied"), line("Query is NOT satisfied")) {
        (Some(_), None) => true,
        (None, Some(_)) => false,
        _ => return None,
    };
    // Markings with more tokens than the limit were left out.
    let most = line("Max number of tokens found in any reachable marking:");
    if !deadlock && most.is_some_and(|number| number.trim().starts_with('>')) {
        return None;
    }
    Some((deadlock, line("explored markings:").and_then(|number| number.trim().parse().ok())))
}

#[cfg(test)]
mod tests;
