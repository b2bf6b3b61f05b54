//! What programs that call `verifyta` read: every line of it that is no trace.

use std::time::Duration;

use syntax::{Diagnostic as Remark, Severity, Sources};

use super::options::{self, Diagnostic, Settings};
use crate::render::one_line;

/// The version of UPPAAL whose lines and files these are. Clients look for the word behind
/// `UPPAAL`, scripts for the third word of the first line.
pub fn version() -> String {
    format!("(Merkhet) UPPAAL 4.1.25-5 (compatible; merkhet {})\n", env!("CARGO_PKG_VERSION"))
}

/// Some clients know the program by the first option, some by the first line.
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

/// The part of the help that is about everything but options.
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

/// What follows a wrong command line.
pub const HINT: &str = "Try `verifyta --help`.\n";

/// Wrong usage.
pub fn unknown_option(option: &str, near: Option<&str>) -> String {
    let near = near.map_or(String::new(), |near| format!("; did you mean '--{near}'?"));
    format!("unrecognised option '{option}'{near}")
}

/// Wrong usage.
pub fn missing_argument(name: &str) -> String {
    format!("the required argument for option '--{name}' is missing")
}

/// Wrong usage.
pub fn needless_argument(name: &str) -> String {
    format!("option '--{name}' does not take any arguments")
}

/// Wrong usage, or a wrong option of a query.
pub fn invalid_argument(value: &str, name: &str) -> String {
    format!("the argument ('{value}') for option '--{name}' is invalid")
}

/// Wrong usage.
pub fn no_model() -> String {
    "no model is given".to_owned()
}

/// Wrong usage.
pub fn too_many_files(file: &str) -> String {
    format!("a model and a file of queries are enough; what is '{file}'?")
}

/// The lines before the first formula.
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

/// What is said where zones are not extrapolated.
pub const NO_EXTRAPOLATION: &str =
    "note: without extrapolation (-n 1) there may be infinitely many zones, and the search may not end\n";

/// Said where both are asked for.
pub const NO_REUSE: &str = "Cannot reuse state space when trace length optimisation is used.\n";

/// Wrong usage.
pub fn no_query(index: usize, queries: usize) -> String {
    match queries {
        0 => format!("there is no query with index {index}: there are no queries"),
        1 => format!("there is no query with index {index}: the only query has the index 0"),
        _ => format!("there is no query with index {index}: the last of {queries} has the index {}", queries - 1),
    }
}

/// Starts the answer to a formula.
pub fn verifying(number: usize, place: &str) -> String {
    format!("\nVerifying formula {number} at {place}\n")
}

/// What the comment of a query calls it, if it has one. Clients look for verdicts anywhere in a
/// line, so that a comment that could be taken for one is not shown.
pub fn name(name: &str) -> String {
    if name.is_empty() || name.to_lowercase().contains("formula") {
        return String::new();
    }
    format!(" -- Query name : {}\n", one_line(name))
}

/// How sure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Satisfied,
    NotSatisfied,
    MaybeSatisfied,
    MaybeNotSatisfied,
}

/// The answer.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => " -- Formula is satisfied.\n",
        Verdict::NotSatisfied => " -- Formula is NOT satisfied.\n",
        Verdict::MaybeSatisfied => " -- Formula MAY be satisfied.\n",
        Verdict::MaybeNotSatisfied => " -- Formula MAY NOT be satisfied.\n",
    }
}

/// How far a search is; the next text takes its place.
pub fn throughput(explored: usize, waiting: usize, time: Duration) -> String {
    let rate = explored as f64 / time.as_secs_f64().max(1e-3);
    format!(" -- Throughput: {rate:.0} states/sec, Load: {waiting} states\x1b[K\r")
}

/// Erases the line of [`throughput`]. Clients look for it before formulas and verdicts, whether
/// there was such a line or not.
pub const ERASE: &str = "\x1b[2K";

/// What `-u` adds. Memory is in KiB.
pub fn statistics(stored: usize, explored: usize, time: Duration, virtual_kib: u64, resident_kib: u64) -> String {
    format!(
        " -- States stored : {stored} states\n -- States explored : {explored} states\n \
         -- CPU user time used : {} ms\n -- Virtual memory used : {virtual_kib} KiB\n \
         -- Resident memory used : {resident_kib} KiB\n",
        time.as_millis()
    )
}

/// Goes to the standard error where a limit was reached.
pub fn given_up(why: &str) -> String {
    format!("The verification was given up: {why}.\n")
}

/// Goes to the standard output before a trace is shown on the standard error.
pub fn showing(satisfied: bool) -> &'static str {
    if satisfied { "Showing example trace.\n" } else { "Showing counter example.\n" }
}

/// Goes to the standard error where there is a trace, and no zones to write with it.
pub fn no_trace(is_run: bool) -> String {
    let why = if is_run {
        "its zones can't be followed; without -f, -X, -y and -Y it is shown with values of clocks"
    } else {
        "it leads through joined zones, and is not known to be a run"
    };
    format!("note: the trace is not written as symbolic states: {why}\n")
}

/// Goes to the standard error when a trace was written to a file.
pub fn writing(satisfied: bool, file: &str) -> String {
    format!("Writing {} to {file}\n", if satisfied { "example trace" } else { "counter example" })
}

/// Goes to the standard output when a trace was written as XML.
pub fn xml_written(file: &str) -> String {
    format!("XMLTrace outputted to: {file}\n")
}

/// The codes of diagnostics about text that can't be read.
const SYNTAX: [&str; 2] = ["syntax", "xml"];

/// Something wrong, on one line: the file, the place in the document, the line there; then for
/// people the line and the column in the file, and what they can do about it.
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
        // Clients tell by these words that the text is wrong, not what it says.
        message.insert_str(0, "syntax error: ");
    } else if let Some(first) = message.get(..1).map(str::to_uppercase) {
        message.replace_range(..1, &first);
    }
    format!("{place}: [{severity}] {}.{more}\n", one_line(&message))
}
