//! The command line. Help, completions and manual pages are made from it.

mod bench;
mod choice;
mod cluster;
mod constants;
mod graph;
mod progress;
mod scale;
mod serve;
mod settings;
mod verify;

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use show::written::ModelFormat;

use choice::choice;

pub use bench::{
    AbstractionArgs, BenchArgs, CROSSING, DirectedArgs, FigureChoice, KernelsArgs, LatticeArgs, NetTable, NetsArgs,
    Suite, ZonesArgs,
};
pub use choice::values;
pub use cluster::{ClusterArgs, ClusterCommand, ClusterRunArgs};
pub use constants::ConstantArgs;
pub use graph::{GraphArgs, TraceView};
pub use merkhet::settings::{ValueError, bytes, duration};
pub use progress::ProgressChoice;
pub use scale::ScaleArgs;
pub use serve::ServeArgs;
pub use verify::{ReportArgs, VerifyArgs};

const EXIT_STATUS: &str = "Files:
  An option that names an output file replaces an existing file, and a note says so. A file is
  written completely or not at all, and never if it is an input of the same command. `convert`
  and `save` in `simulate` replace a file only with --force.

Exit status:
  0  success: every query is satisfied
  1  some query is not satisfied
  2  some answer is unknown, and no query is unsatisfied: a limit was reached, for example, or a
     process of a cluster did not come or was lost
  3  wrong usage, a wrong model or a wrong query
  4  a defect in merkhet";

const STORED_QUERIES: &str = "Queries inside a model are checked, too. Their errors are reported as warnings, and \
    do not change the exit status, not even with --deny-warnings. Errors in queries of -q and --queries are errors.\n\n\
    At most 100 diagnostics of a model are shown, errors before warnings; the others are counted. Counts and the \
    exit status consider all of them.";

/// A model checker for real-time systems
#[derive(Debug, Parser)]
#[command(name = "merkhet", version, max_term_width = 100, after_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to print colours
    ///
    /// `auto` prints colours on terminals only, and respects NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// When to do something that depends on the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer queries about a model
    Verify(Box<VerifyArgs>),
    /// Answer queries, and write one HTML file with drawings, answers and playable traces
    ///
    /// The file needs neither merkhet nor a network. Options, output and exit status are those of
    /// `verify`; traces are in the file whether they are printed or not.
    Report(Box<ReportArgs>),
    /// Open Studio, the page on which models are edited, checked and stepped through
    ///
    /// The page works in any browser of this machine, without a network.
    Serve(ServeArgs),
    /// Answer queries for programs that call UPPAAL's `verifyta`
    ///
    /// Takes its options, prints its lines and writes its files. The binary does the same under the
    /// name `verifyta`, for example by a symbolic link.
    Verifyta(VerifytaArgs),
    /// Answer queries on several machines
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Check the proofs that `verify --certificate` wrote
    Certify(CertifyArgs),
    /// Run the traces that `verify --trace-file` wrote
    Replay(ReplayArgs),
    /// Step through a model, or play a trace
    Simulate(SimulateArgs),
    /// Report errors and suspicious constructs in models
    Check(CheckArgs),
    /// Write a model in another format
    ///
    /// A net is written as the automata that represent it, or as a net.
    Convert(ConvertArgs),
    /// Draw the automata of a model, a net, or a trace
    Graph(GraphArgs),
    /// Measure, and compare with published figures
    Bench(BenchArgs),
    /// List features, heuristics, lattices and values of options
    List(ListArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual
    Man(ManArgs),
}

impl Command {
    /// Its limits on time and memory.
    pub fn limits(&self) -> Option<LimitArgs> {
        match self {
            Command::Verify(args) => Some(args.limits()),
            Command::Report(args) => Some(args.verify.limits()),
            Command::Cluster(ClusterCommand::Run(args)) => Some(args.verify.limits()),
            Command::Certify(args) => Some(args.limits),
            Command::Replay(args) => Some(args.limits),
            Command::Simulate(args) => Some(args.limits),
            Command::Check(args) => Some(args.limits),
            Command::Convert(args) => Some(args.limits),
            Command::Graph(args) => Some(args.limits),
            // These parse their own limits, or have none.
            Command::Cluster(ClusterCommand::Join)
            | Command::Serve(_)
            | Command::Verifyta(_)
            | Command::Bench(_)
            | Command::List(_)
            | Command::Completions(_)
            | Command::Man(_) => None,
        }
    }
}

/// Limits on time and memory.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitArgs {
    /// Stop after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Stop when more memory is needed: `512M`, `4G`
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Text
    Text,
    /// JSON; the schemas are in the folder `schemas` of the source
    Json,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Text; each answer is printed as soon as it is known
    Text,
    /// JSON; the schemas are in the folder `schemas` of the source
    Json,
    /// JUnit's XML for CI: a query that is not satisfied is a failure, one that is unknown or
    /// refused an error
    Junit,
    /// SARIF 2.1.0 for code scanning: queries that are not satisfied, unknown or refused, with
    /// their positions
    Sarif,
}

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Text
    Text,
    /// JSON; the schemas are in the folder `schemas` of the source
    Json,
    /// SARIF 2.1.0 for code scanning: all diagnostics with their positions
    Sarif,
}

/// `merkhet verifyta`
#[derive(Args, Debug)]
#[command(
    disable_help_flag = true,
    after_long_help = format!("Options:\n{}\n{}", crate::verifyta::option_list(), crate::verifyta::HELP_REST)
)]
pub struct VerifytaArgs {
    /// `[OPTION]... MODEL [QUERY]`, as for `verifyta`; see below
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

/// `merkhet check`
#[derive(Args, Debug)]
#[command(after_help = STORED_QUERIES)]
pub struct CheckArgs {
    /// Models (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard input
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// Check the queries of FILE against each model
    #[arg(long, value_name = "FILE")]
    pub queries: Vec<PathBuf>,
    /// Check QUERY against each model; it may have several lines
    #[arg(short, long, value_name = "QUERY")]
    pub query: Vec<String>,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Exit with status 3 for warnings as well
    #[arg(long)]
    pub deny_warnings: bool,
    /// Check the laws of lattices, and whether guards, invariants and updates are monotone in their
    /// elements
    ///
    /// They are tested on all values of small types, on samples of larger ones, and on elements
    /// that a short search reaches. A violation is shown with a smallest counterexample; finding
    /// none is not a proof. A violated law of order, join or widening is an error. A condition that
    /// a greater element may violate is a warning if `verify` handles it, by distinguishing or
    /// splitting elements. It is an error if `verify` relies on monotonicity there.
    #[arg(long)]
    pub laws: bool,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}

const EVIDENCE_STATUS: &str = "Exit status:
  0  every claim of the file is proved
  1  some claim is not
  2  a limit was reached before all claims were checked
  3  wrong usage, a wrong model, or a file of another form
  4  a defect in merkhet";

/// `merkhet certify`
#[derive(Args, Debug)]
#[command(after_help = EVIDENCE_STATUS)]
pub struct CertifyArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// What `merkhet verify --certificate` wrote; `-` reads the standard input
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}

const REPLAY_STATUS: &str = "Exit status:
  0  every trace is a run that shows its answer
  1  some trace is not
  2  some trace is marked as spurious, or can't be decided, and none is wrong
  3  wrong usage, a wrong model, or a file of another form
  4  a defect in merkhet";

/// `merkhet replay`
#[derive(Args, Debug)]
#[command(after_help = REPLAY_STATUS)]
pub struct ReplayArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// What `merkhet verify --trace-file` wrote; `-` reads the standard input
    #[arg(value_name = "TRACES")]
    pub traces: PathBuf,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}

const SIMULATE_HELP: &str = "Commands are read from the standard input, one on a line; `help` lists them:
  3           take transition 3 at its earliest delay; `3 @ 7/2` after exactly 7/2
  delay D     let time pass
  random N    take N random transitions; `run until EXPR` takes some until EXPR holds
  undo, redo  undo moves, and make them again
  show EXPR   show the value of an expression of the query language
  save FILE   write the run for `merkhet replay`; `load FILE` reads it again
Ctrl-C stops a long run and returns to the prompt.

Exit status:
  0  all commands were done
  2  a limit was reached
  3  wrong usage or a wrong model; without a terminal also: some command was wrong
  4  a defect in merkhet";

/// `merkhet simulate`
#[derive(Args, Debug)]
#[command(after_help = SIMULATE_HELP)]
pub struct SimulateArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); with --random, `-` reads
    /// the standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Load the first trace of FILE at the start
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Take N random transitions, print them and end
    #[arg(long, value_name = "N", conflicts_with = "trace", value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub random: Option<u32>,
    /// How to write the output
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `merkhet convert`
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// Where to write; the ending .xml, .xta, .net, .pnml or .tapn names the format, `-` is the
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The format, if the ending of FILE names none
    #[arg(long, value_parser = choice::<ModelFormat>(), value_name = "FORMAT")]
    pub to: Option<ModelFormat>,
    /// Replace FILE if it exists: a model may have been edited by hand
    #[arg(long)]
    pub force: bool,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    /// The values of `--heuristic`
    Heuristics,
    /// The features of UPPAAL's language, and whether they are supported
    Features,
    /// The orders in which states can be explored
    Orders,
    /// The abstractions that make the number of zones finite
    Abstractions,
    /// How new states update the store
    Updates,
    /// The strategies of `--join`
    Joins,
    /// The lattices that models can name
    Lattices,
    /// The encodings of nets as formulas
    Encodings,
    /// The solvers for formulas, and their paths
    Solvers,
}

/// `merkhet list`
#[derive(Args, Debug)]
pub struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    pub topic: Topic,
    /// One of the lattices, with its order, its methods and an example
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// How to write the list
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `merkhet completions`
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `merkhet man`
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Write one page for each command into DIR, instead of the main page to the standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
