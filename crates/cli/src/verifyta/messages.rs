//! The messages of `verifyta`: every line that is not part of a trace.

use std::{path::PathBuf, time::Duration};

use syntax::{Diagnostic as Remark, Severity, Sources};
use thiserror::Error;

use super::options::{self, Diagnostic, Settings};
use crate::{args::ValueError, render::one_line};

/// The version of UPPAAL whose messages and files are imitated. Clients search for the word after
/// `UPPAAL`, scripts for the third word of the first line.
pub fn version() -> String {
    format!("(Merkhet) UPPAAL 4.1.25-5 (compatible; merkhet {})\n", env!("CARGO_PKG_VERSION"))
}

/// Some clients recognise the program by the first option, some by the first line.
pub fn help() -> String {
    format!(
        "Usage: verifyta [OPTION]... MODEL QUERY\n\n\
         Answers the queries of the file QUERY about MODEL (.xml, .xta, .ta, .tck, .net).\n\
         Without QUERY those inside the model are answered; `-` reads the standard\n\
         input.\n\n\
         Options:\n{}\n{REST}",
        options::list()
    )
}

/// The rest of the help, after the options.
pub const REST: &str = "\
Options of a query inside an XML model count more than those on the command
line. Answers go to the standard output, traces and what is wrong to the
standard error.

Environment:
  UPPAAL_COMPILE_ONLY
      Unless it is empty, print the model in the intermediate format (.if), and
      answer nothing
  UPPAAL_DISABLE_SYMMETRY
      Unless it is empty, explore each of the states that differ in the names of
      scalars only

Exit status:
  0  all queries were answered, whatever the answers are
  2  a search was interrupted
  3  wrong usage, a wrong model or query, or a run-time error of the model
  4  a defect in merkhet
";

/// The line after a wrong command line.
pub const HINT: &str = "Try `verifyta --help`.\n";

/// Why a command line, or an option of a query, is wrong.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum UsageError {
    #[error("unrecognised option '{0}'")]
    UnknownOption(String),
    #[error("unrecognised option '{0}'; did you mean '--{1}'?")]
    MisspeltOption(String, &'static str),
    #[error("the required argument for option '--{0}' is missing")]
    MissingArgument(&'static str),
    #[error("option '--{0}' does not take any arguments")]
    NeedlessArgument(&'static str),
    #[error("the argument ('{value}') for option '--{name}' is invalid")]
    InvalidArgument { value: String, name: &'static str },
    /// A time or a size is wrong.
    #[error(transparent)]
    InvalidLimit(ValueError),
    #[error("no model is given")]
    NoModel,
    #[error("a model and a file of queries are enough; what is '{}'?", .0.display())]
    TooManyFiles(PathBuf),
}

/// The lines before the first formula: the settings.
pub fn summary(settings: &Settings) -> String {
    let trace = match settings.diagnostic {
        Diagnostic::None => "no",
        Diagnostic::Some => "some",
        Diagnostic::Shortest => "shortest",
        Diagnostic::Fastest => "fastest",
        Diagnostic::Best => "best",
    };
    let order = match settings.order {
        1 => "depth first",
        2 => "random depth first",
        3 => "optimal first",
        4 => "random optimal depth first",
        6 => "target first",
        _ => "breadth first",
    };
    // The first three are those of public logs of UPPAAL 4.1; none was found for `-S 3`.
    let space = ["no", "conservative", "aggressive", "extreme"][usize::from(settings.space.min(3))];
    let zones = if settings.matrices { "difference bound matrices" } else { "minimal constraint systems" };
    let reuse = if settings.reuse { "  Using reuse optimisation\n" } else { "" };
    let seed = settings.seed;
    format!(
        "Options for the verification:\n  Generating {trace} trace\n  Search order is {order}\n  \
         Using {space} space optimisation\n{reuse}  Seed is {seed}\n  State space representation uses {zones}\n"
    )
}

/// The note on searches without extrapolation.
pub const NO_EXTRAPOLATION: &str =
    "note: without extrapolation (-n 1) there may be infinitely many zones, and the search may not end\n";

/// The note on `-T` with a shortest or fastest trace.
pub const NO_REUSE: &str = "Cannot reuse state space when trace length optimisation is used.\n";

/// Wrong usage.
pub fn no_query(index: usize, queries: usize) -> String {
    match queries {
        0 => format!("there is no query with index {index}: there are no queries"),
        1 => format!("there is no query with index {index}: the only query has the index 0"),
        _ => format!("there is no query with index {index}: the last of {queries} has the index {}", queries - 1),
    }
}

/// The first line of the answer to a formula.
pub fn verifying(number: usize, place: &str) -> String {
    format!("\nVerifying formula {number} at {place}\n")
}

/// The name of a query, from its comment. Clients search for verdicts anywhere in a line, so that a
/// comment that could be taken for one is not shown.
pub fn name(name: &str) -> String {
    if name.is_empty() || name.to_lowercase().contains("formula") {
        return String::new();
    }
    format!(" -- Query name : {}\n", one_line(name))
}

/// An answer, which may be uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaVerdict {
    Satisfied,
    NotSatisfied,
    MaybeSatisfied,
    MaybeNotSatisfied,
}

/// The answer.
pub fn verdict(verdict: FormulaVerdict) -> &'static str {
    match verdict {
        FormulaVerdict::Satisfied => " -- Formula is satisfied.\n",
        FormulaVerdict::NotSatisfied => " -- Formula is NOT satisfied.\n",
        FormulaVerdict::MaybeSatisfied => " -- Formula MAY be satisfied.\n",
        FormulaVerdict::MaybeNotSatisfied => " -- Formula MAY NOT be satisfied.\n",
    }
}

/// The progress of a search; the next text replaces it.
pub fn throughput(explored: usize, waiting: usize, time: Duration) -> String {
    let rate = explored as f64 / time.as_secs_f64().max(1e-3);
    format!(" -- Throughput: {rate:.0} states/sec, Load: {waiting} states\x1b[K\r")
}

/// Erases the line of [`throughput`]. Clients expect it before formulas and verdicts, even without
/// such a line.
pub const ERASE: &str = "\x1b[2K";

/// The statistics of `-u`. Memory is in KiB.
pub fn statistics(stored: usize, explored: usize, time: Duration, virtual_kib: u64, resident_kib: u64) -> String {
    format!(
        " -- States stored : {stored} states\n -- States explored : {explored} states\n \
         -- CPU user time used : {} ms\n -- Virtual memory used : {virtual_kib} KiB\n \
         -- Resident memory used : {resident_kib} KiB\n",
        time.as_millis()
    )
}

/// The line on the standard error when a limit was reached.
pub fn given_up(why: &str) -> String {
    format!("The verification was given up: {why}.\n")
}

/// The line on the standard output before a trace on the standard error.
pub fn showing(satisfied: bool) -> &'static str {
    if satisfied { "Showing example trace.\n" } else { "Showing counter example.\n" }
}

/// The line on the standard error when a trace has no zones to write.
pub fn no_trace(is_run: bool) -> String {
    let why = if is_run {
        "its zones can't be followed; without -f, -X, -y and -Y it is shown with values of clocks"
    } else {
        "it leads through joined zones, and is not known to be a run"
    };
    format!("note: the trace is not written as symbolic states: {why}\n")
}

/// The line on the standard error when a trace was written to a file.
pub fn writing(satisfied: bool, file: &str) -> String {
    format!("Writing {} to {file}\n", if satisfied { "example trace" } else { "counter example" })
}

/// The line on the standard output when a trace was written as XML.
pub fn xml_written(file: &str) -> String {
    format!("XMLTrace outputted to: {file}\n")
}

/// The codes of syntax errors.
const SYNTAX: [&str; 2] = ["syntax", "xml"];

/// A diagnostic on one line: the file, the path in the document, the line there; then, for people,
/// the line and the column in the file, and help.
pub fn remark(sources: &Sources, file: &str, remark: &Remark) -> String {
    let severity = match remark.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut more = Vec::new();
    let place = match sources.locate(remark.primary.span) {
        None => one_line(file),
        Some(at) => {
            more.push(format!("line {}, column {}", at.in_file.line, at.in_file.column));
            format!("{}:{}:{}", one_line(at.file), at.place.path, at.start.line)
        }
    };
    more.extend(remark.help.iter().map(|help| one_line(help)));
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    let mut message = remark.message.clone();
    if SYNTAX.contains(&remark.code) {
        // Clients recognise syntax errors by these words.
        message.insert_str(0, "syntax error: ");
    } else if let Some(first) = message.get(..1).map(str::to_uppercase) {
        message.replace_range(..1, &first);
    }
    format!("{place}: [{severity}] {}.{more}\n", one_line(&message))
}
