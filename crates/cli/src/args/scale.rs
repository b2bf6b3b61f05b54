//! The options of `merkhet bench scale`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::PossibleValuesParser, value_parser};

use super::{ReportFormat, duration};
use ::bench::scale::scale_families;

const SCALE_STATUS: &str =
    "A row has a search in so many threads, or by so many processes with one thread each: its seconds, the states that it \
    generates in a second, and its speed-up over one thread. `copies` is the same for as many independent copies of the \
    search in one thread, all at once, each in a process of its own: the limit of the machine. `share` is how much of that \
    the search reaches. The fastest of all repetitions counts. Numbers above the number of cores are left out. Of the \
    families `runs-…` random runs are made, in threads, and their transitions are counted instead of states.

Exit status:
  0  every search is complete
  2  some search was stopped
  3  wrong usage
  4  a defect in merkhet";

/// `merkhet bench scale`
#[derive(Args, Debug)]
#[command(after_help = SCALE_STATUS)]
pub struct ScaleArgs {
    /// Run this family only; may be given several times
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(scale_families()))]
    pub family: Vec<String>,
    /// Run this size, instead of fischer 10, train-gate 6, critical-region 5, and 6, 6 and 4 for
    /// random runs
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// Run larger sizes as well, for about a minute in one thread: gigabytes for each copy
    #[arg(long, conflicts_with = "size")]
    pub large: bool,
    /// Make so many random runs, instead of those that take some seconds in one thread
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// The numbers of threads; one thread is always measured
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,2,4,8,16",
        value_parser = value_parser!(u32).range(1..=256)
    )]
    pub threads: Vec<u32>,
    /// The numbers of processes, as with `verify --local-processes`
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "2,4",
        value_parser = value_parser!(u32).range(2..=64)
    )]
    pub processes: Vec<u32>,
    /// Run each search N times; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Draw the speed-ups into FILE, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Stop a search after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}
