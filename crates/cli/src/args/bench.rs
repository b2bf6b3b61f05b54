//! The options of `merkhet bench`.

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
    value_parser,
};
use merkhet::{Method, NetEncoding, Order, Replacing, TieBreak};

use super::{
    ReportFormat, ScaleArgs, bytes,
    choice::{AnyAbstraction, choice},
    duration,
};
use ::bench::{FAMILIES, nets::NET_FAMILIES};

const ZONES_STATUS: &str =
    "Without --size the standard sizes are run, with --large also the larger ones. If tck-reach \
    is on the PATH, it explores the same models. The columns `time` and `instr` are its time and its instructions, \
    as multiples of merkhet's.

Exit status:
  0  every search is complete
  1  TChecker stores another number of states for a model, or a model costs more than recorded
  2  some search was stopped
  3  wrong usage
  4  a defect in merkhet";

const DIRECTED_STATUS: &str =
    "Every model has an error, and the tables show the cost of finding it by each search. They repeat the tables of the \
    paper on the heuristics h^L and h^U (Kupferschmid and others, SPIN 2006): t is the time in seconds, S the number of \
    generated states, M the peak memory in MB, and l the length of the trace, which is its number of transitions plus \
    one. The line below has the paper's figures.

Exit status:
  0  every search has found the error
  1  some search has found no error
  2  some search was stopped
  3  wrong usage, or a wrong model
  4  a defect in merkhet";

const ABSTRACTION_STATUS: &str =
    "Every model has an error, and a cell shows the cost of finding it: seconds before the search, generated states + \
    abstract states built before the search, total seconds. The tables repeat those of the paper on predicate abstraction for \
    heuristics (Hoffmann and others, MoChArt 2006), and the line below has the paper's figures. Without --table \
    and --series all are run, the series for C4 if it is available.

Exit status:
  0  every search has found the error
  1  some search has found no error
  2  some search was stopped
  3  wrong usage, or a wrong model
  4  a defect in merkhet";

const LATTICE_STATUS: &str =
    "The figures repeat those of the paper on opaal (Dalsgaard and others, NFM 2011): states and seconds, with the paper's \
    below. Most numbers of states follow from formulas, and a number that differs from its formula is marked with `!`. The \
    last column, except in Figure 6, is not in the paper: joins that merkhet undoes. Figure `cache` has programs on a \
    processor with a cache, with the bound on their time that each search proves. Without --figure all \
    are run, and then models without lattices, with and without an unused variable of a lattice.

Exit status:
  0  every number of states is as expected
  1  some number is not
  2  some search was stopped
  3  wrong usage
  4  a defect in merkhet";

const NETS_STATUS: &str =
    "The tables repeat those of the paper on formulas for time Petri nets (Igawa and others, 2020), and the line below \
    has the paper's figures. Its nets are not public; those of family `circuit` have as many places, transitions and \
    arcs. Table 1 has variables and constraints: all of them (by a closed form), with unchanged variables replaced as in the \
    paper, and with known values replaced, too. Table 2 has the CPU seconds that each solver takes to decide whether a deadlock is \
    reachable in at most K steps. `>` is more than the time limit, `-` was not run because a shorter formula took too long, `*` is a wrong answer, since the \
    paper's formulas have solutions that are not runs. Table 3 has the CPU seconds in which Merkhet decides by each method \
    whether a deadlock is reachable in any number of steps, and queries about a level crossing; it is run on demand, for the \
    paper does not have it.

Exit status:
  0  every formula was solved; of Table 3, every query by some method and by every tool
  2  some solver or tool was stopped, or failed
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
    /// Explore scalable model families, and compare with TChecker
    Zones(ZonesArgs),
    /// Explore in several threads, and compare with copies of the search in one thread
    Scale(ScaleArgs),
    /// Search for errors in several orders, and compare with papers on directed search
    Directed(DirectedArgs),
    /// Search for errors by heuristics from abstractions, and compare with a paper
    Abstraction(AbstractionArgs),
    /// Explore lattice automata by several strategies, and compare with a paper
    Lattice(LatticeArgs),
    /// Solve formulas of nets with several solvers, and compare with a paper
    Nets(NetsArgs),
    /// Time the operations on zones, and compare with a plain copy and UDBM
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
    /// The abstraction that makes the number of zones finite
    #[arg(long, value_parser = choice::<AnyAbstraction>(), default_value = "extra-lu-plus")]
    pub abstraction: AnyAbstraction,
    /// The order in which states are explored
    #[arg(long, value_parser = choice::<Order>(), default_value = "bfs")]
    pub order: Order,
    /// Stop on a model after this time, for each tool: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Stop on a model when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,
    /// Run each model N times with each tool; the fastest time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Also count the instructions of each run, with valgrind
    #[arg(long)]
    pub instructions: bool,
    /// Explore public models in DIR as well, up to a number of states of each
    ///
    /// The manual says which. The plan and the order are those of `merkhet verify`, breadth-first.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Compare instructions and bytes with those recorded in FILE; counts them, as --instructions
    ///
    /// Instructions depend on the build, and the first lines of the file say of which they are.
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// With --compare, the share by which a model may cost more, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = value_parser!(u32).range(..=100))]
    pub tolerance: u32,
    /// Record instructions and bytes in FILE, for --compare
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub record: Option<PathBuf>,
    /// Run one family at growing sizes, from 10 thousand to 10 million generated states
    ///
    /// The cost of a generated state should not depend on their number. The family is `fischer`
    /// unless --family names another one.
    #[arg(long, conflicts_with_all = ["size", "large", "instructions", "repeat", "models", "compare", "record"])]
    pub scaling: bool,
    /// Write the models into DIR, as .xta and .tck, instead of running them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["instructions", "scaling", "models", "compare", "record"])]
    pub write: Option<PathBuf>,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `merkhet bench nets`
#[derive(Args, Debug)]
#[command(after_help = NETS_STATUS)]
pub struct NetsArgs {
    /// Run this table only
    #[arg(long, value_enum)]
    pub table: Option<NetTable>,
    /// Run this family, instead of `circuit`; may be given several times
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(net_families()))]
    pub family: Vec<String>,
    /// Run this size; may be given several times
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=1000))]
    pub size: Vec<u32>,
    /// Run this number of steps; may be given several times
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(0..=1000))]
    pub steps: Vec<u32>,
    /// Run this solver, instead of all that are found; may be given several times
    #[arg(long, value_name = "NAME")]
    pub solver: Vec<String>,
    /// Use this encoding, instead of `la`, `dl` and `event`; may be given several times
    #[arg(long, value_parser = choice::<NetEncoding>())]
    pub encoding: Vec<NetEncoding>,
    /// Replace these variables in `la` and `dl`; may be given several times
    #[arg(long, value_parser = choice::<Replacing>(), default_values = ["unchanged", "constants"])]
    pub replace: Vec<Replacing>,
    /// Use this method in Table 3, instead of all; may be given several times
    #[arg(long, value_parser = choice::<Method>())]
    pub method: Vec<Method>,
    /// Stop on a formula after this CPU time, and skip longer ones with the same solver: `10`,
    /// `90s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = duration)]
    pub time_limit: Duration,
    /// Run Table 3, also with TINA, Romeo and TAPAAL, if they are found on the PATH
    ///
    /// They are given nets with intervals on transitions or arcs that have the same deadlocks.
    #[arg(long, conflicts_with_all = ["table", "write"])]
    pub tools: bool,
    /// Run the smallest size only, and few steps
    #[arg(long)]
    pub quick: bool,
    /// Write the nets into DIR instead of running them
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// The families of nets, and the net that only Table 3 has.
fn net_families() -> Vec<PossibleValue> {
    let families = NET_FAMILIES.iter().map(|f| PossibleValue::new(f.name).help(f.title));
    families
        .chain([PossibleValue::new(CROSSING).help("a level crossing, with intervals on transitions; Table 3")])
        .collect()
}

/// The name of a net with intervals on transitions.
pub const CROSSING: &str = "crossing";

/// The tables of nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NetTable {
    /// Sizes of formulas
    #[value(name = "1")]
    One,
    /// Times of solvers
    #[value(name = "2")]
    Two,
    /// Deadlocks beyond any bound, which the paper does not have
    #[value(name = "3")]
    Three,
}

/// `merkhet bench kernels`
#[derive(Args, Debug)]
pub struct KernelsArgs {
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `merkhet bench directed`
#[derive(Args, Debug)]
#[command(after_help = DIRECTED_STATUS)]
pub struct DirectedArgs {
    /// Also run the papers' case studies in DIR: M1 to M4, N1 to N4, C1 to C9
    ///
    /// They are files of these names, .xta or .xml, anywhere below DIR, each with its query in a .q
    /// file beside it.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Run this model only; may be given several times
    ///
    /// A built-in family and a size, as in `FA5` or `plc4`, or one of the case studies. Families
    /// are FA, FB and FC (three variants of Fischer's protocol with a flaw), hanoi, cyclic,
    /// dead-ends, arbiter-tree and plc.
    #[arg(long, value_name = "NAME")]
    pub row: Vec<String>,
    /// Print this table only; may be given several times
    #[arg(long, value_name = "1|2|3", value_parser = value_parser!(u32).range(1..=3))]
    pub table: Vec<u32>,
    /// Keep values of heuristics in a table of N entries, by a hash of the state, as the paper does
    /// with 256000
    ///
    /// States with the same hash share a value. Without this option every value is computed.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub heuristic_table: Option<u32>,
    /// Break ties in another way than the papers, in the searches that are like theirs
    ///
    /// Without this option the youngest state comes first, in `astar` in the `place` of another
    /// that it covers.
    #[arg(long, value_name = "WHICH", value_parser = choice::<TieBreak>())]
    pub ties: Option<TieBreak>,
    /// Draw the numbers of generated states into FILE, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Stop a search after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub time_limit: Duration,
    /// Stop a search when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = bytes)]
    pub memory_limit: usize,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `merkhet bench abstraction`
#[derive(Args, Debug)]
#[command(after_help = ABSTRACTION_STATUS)]
pub struct AbstractionArgs {
    /// Also run the paper's case studies in DIR: M1 to M4, N1 to N4, C1 to C6
    ///
    /// They are files of these names, .xta or .xml, anywhere below DIR, each with its query in a .q
    /// file beside it.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Run this model only, in every table; may be given several times
    ///
    /// The names are those of `merkhet bench directed`. Without it FA5 to FB15 are run, and the
    /// case studies.
    #[arg(long, value_name = "NAME")]
    pub row: Vec<String>,
    /// Print this table only; may be given several times
    #[arg(long, value_name = "1|2|3", value_parser = value_parser!(u32).range(1..=3))]
    pub table: Vec<u32>,
    /// Refine this model's abstraction step by step: states and lengths of abstract errors
    #[arg(long, value_name = "MODEL")]
    pub series: Option<String>,
    /// Draw the series into FILE, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Stop a search after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    pub time_limit: Duration,
    /// Stop a search when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = bytes)]
    pub memory_limit: usize,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// The figures of lattice automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FigureChoice {
    /// No two users of a database work at the same time
    #[value(name = "4")]
    Four,
    /// A database is never full
    #[value(name = "5")]
    Five,
    /// Only the agent with the greatest number becomes leader
    #[value(name = "6")]
    Six,
    /// Execution times of programs, on a processor with a cache
    Cache,
    /// The cost of an unused variable of a lattice
    Overhead,
}

/// `merkhet bench lattice`
#[derive(Args, Debug)]
#[command(after_help = LATTICE_STATUS)]
pub struct LatticeArgs {
    /// Run this figure only; may be given several times
    #[arg(long, value_enum, value_name = "FIGURE")]
    pub figure: Vec<FigureChoice>,
    /// Run this size of Figures 4 to 6 only, also one that the paper does not have; may be given
    /// several times
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=1000), conflicts_with = "quick")]
    pub size: Vec<u32>,
    /// Run this search of Figures 4 to 6 only; may be given several times
    #[arg(long, value_name = "NAME", value_parser = ["explicit", "cover", "naive", "refined", "join", "own"])]
    pub search: Vec<String>,
    /// Run only the rows that take less than about a second
    #[arg(long)]
    pub quick: bool,
    /// Stop a search after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub time_limit: Duration,
    /// Stop a search when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = bytes)]
    pub memory_limit: usize,
    /// How to write the figures
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}
