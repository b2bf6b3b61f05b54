//! The options of `merkhet verify`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use merkhet::{Limits, Options, TraceChoice};

use super::{
    AnswerFormat, ClusterArgs, ConstantArgs, EXIT_STATUS, LimitArgs, ProgressChoice, duration, settings::SettingArgs,
};

/// `merkhet verify`
#[derive(Args, Debug)]
#[command(after_help = EXIT_STATUS)]
pub struct VerifyArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL", required_unless_present = "process")]
    pub model: Option<PathBuf>,
    /// Constants with other values.
    #[command(flatten)]
    pub constants: ConstantArgs,
    /// Files of queries, one query on a line
    ///
    /// Without such files, -q and -l, the queries inside the model are answered; if it has none,
    /// those of the file beside it with the same name and the ending .q. The comment before a query
    /// is its name.
    #[arg(value_name = "QUERIES")]
    pub queries: Vec<PathBuf>,
    /// Answer QUERY, which may have several lines; may be given several times
    #[arg(short, long, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Ask whether all of these labels can hold at once, as TChecker does; may be given several
    /// times
    ///
    /// For TChecker's models only: `-l a,b` is short for `-q 'E<> label(a) and label(b)'`. A label
    /// holds while some process is at a location that has it.
    #[arg(short, long, value_name = "A,B")]
    pub labels: Vec<String>,
    /// How queries are answered, and within which limits.
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Several machines.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Write the traces into FILE, as JSON; `merkhet replay` reads it
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub trace_file: Option<PathBuf>,
    /// Write charts and tables of what statistical queries have measured into the folder DIR
    ///
    /// The files of query N are `query-N-cumulative.svg` and `query-N-histogram.svg`, or
    /// `query-N-runs.svg` of a simulation, and `query-N.csv`. The folder is made if it is not
    /// there.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Keep the state of the search in the folder DIR, so that it can go on after a power cut
    ///
    /// A checkpoint is written every five minutes, and when a limit or Ctrl-C stops the search. The
    /// last complete one is kept, and none when all queries are answered. Breadth-first,
    /// depth-first and waiting orders have checkpoints, and queries about states and values. The
    /// processes of a cluster keep theirs together, each in a folder `process-N` in DIR on its
    /// machine.
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub checkpoint: Option<PathBuf>,
    /// The time between two checkpoints
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5m", requires = "checkpoint", help_heading = "Limits")]
    pub every: Duration,
    /// Go on with the search of the checkpoint in the folder DIR
    ///
    /// Model, queries and options have to be the same, except for limits and output. Answers and
    /// counts are those of a search that was not stopped. With --checkpoint, which names the same
    /// folder, checkpoints go on as well. A cluster goes on with as many processes, and threads of
    /// each, as it had.
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub resume: Option<PathBuf>,
    /// How to write the answers
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text, help_heading = "Output")]
    pub format: AnswerFormat,
    /// Show how many states were explored for each answer, and how long it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// When to show the progress of the search on the standard error, and how
    ///
    /// It has the states that each thread explores in a second, the packets of states between
    /// threads, and the memory: counted, and resident in the process. Those of a cluster are those
    /// of all processes. A thread that falls behind is named. schemas/progress.schema.json
    /// describes the lines of `json`.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressChoice::Auto, help_heading = "Output")]
    pub progress: ProgressChoice,
    /// The report that `merkhet report` writes.
    #[arg(skip)]
    pub report: Option<PathBuf>,
}

/// `merkhet report`
#[derive(Args, Debug)]
#[command(after_help = EXIT_STATUS)]
pub struct ReportArgs {
    /// What is to be answered.
    #[command(flatten)]
    pub verify: VerifyArgs,
    /// Where to write the report, as HTML
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
}

impl ReportArgs {
    /// What `merkhet verify` is asked to do for the report.
    pub fn into_verify(self) -> VerifyArgs {
        VerifyArgs { report: Some(self.output), ..self.verify }
    }
}

impl VerifyArgs {
    /// Its limits on time and memory.
    pub fn limits(&self) -> LimitArgs {
        let Limits { time, memory, .. } = self.settings.limits;
        LimitArgs { time_limit: time, memory_limit: memory }
    }

    /// The options of the library.
    pub fn options(&self) -> Options {
        let mut options = self.settings.options.clone();
        // A file of traces implies traces, and so does a report.
        if options.trace == TraceChoice::None && (self.trace_file.is_some() || self.report.is_some()) {
            options.trace = TraceChoice::Some;
        }
        options
    }
}
