//! The words of `merkhet bench`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, builder::PossibleValuesParser, value_parser};

use super::{
    Abstraction, Order, ReportFormat,
    verify::{bytes, duration},
};
use crate::bench::FAMILIES;

const ZONES_STATUS: &str =
    "Without --size the standard sizes are run, with --large the larger ones too. Where tck-reach \
    is on the PATH, it explores the same models, and its numbers stand beside ours. Columns `time` and `instr` say how \
    many times as much as merkhet it needs.

Exit status:
  0  every search came to its end
  1  TChecker stores another number of states for a model
  2  some search was stopped
  3  wrong usage
  4  a defect in merkhet";

/// `merkhet bench`
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub suite: Suite,
}

/// The suites.
#[derive(Debug, Subcommand)]
pub enum Suite {
    /// Explore models that grow with a number, beside TChecker's figures
    Zones(ZonesArgs),
    /// Time the operations on zones, beside a plain copy and UDBM's figures
    Kernels(KernelsArgs),
}

/// `merkhet bench zones`
#[derive(Args, Debug)]
#[command(after_help = ZONES_STATUS)]
pub struct ZonesArgs {
    /// Run this family only; may be given several times
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FAMILIES.iter().map(|f| f.name)))]
    pub family: Vec<String>,
    /// Run this size; may be given several times
    #[arg(long, value_name = "N")]
    pub size: Vec<u32>,
    /// Run the larger sizes as well: minutes, and gigabytes
    #[arg(long, conflicts_with = "size")]
    pub large: bool,
    /// How zones are made finitely many
    #[arg(long, value_enum, default_value_t = Abstraction::ExtraLuPlus)]
    pub abstraction: Abstraction,
    /// In which order states are explored
    #[arg(long, value_enum, default_value_t = Order::Bfs)]
    pub order: Order,
    /// Give up on a model after this time, each tool by itself: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Give up on a model when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,
    /// Run each model so many times with each tool; the fastest time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Count the instructions of each run too, with valgrind
    #[arg(long)]
    pub instructions: bool,
    /// Run one family at growing sizes, from 10 thousand to 10 million generated states
    ///
    /// What a generated state costs should not depend on how many there are. The family is `fischer` unless --family
    /// names another one.
    #[arg(long, conflicts_with_all = ["size", "large", "instructions", "repeat"])]
    pub scaling: bool,
    /// Write the models into DIR, as .xta and .tck, instead of running them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["instructions", "scaling"])]
    pub write: Option<PathBuf>,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `merkhet bench kernels`
#[derive(Args, Debug)]
pub struct KernelsArgs {
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}
