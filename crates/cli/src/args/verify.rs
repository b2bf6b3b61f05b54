//! The words of `merkhet verify`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use super::{AnswerFormat, EXIT_STATUS, FormulaArgs, When};

/// `merkhet verify`
#[derive(Args, Debug)]
#[command(after_help = EXIT_STATUS)]
pub struct VerifyArgs {
    /// The model (.xml, .xta, .ta, .tck; nets: .net, .ndr, .pnml, .tapn); `-` reads the standard
    /// input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
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
    /// In which order states are explored
    ///
    /// Without it: `greedy` with --heuristic; `auto` where a trace is asked for; else
    /// breadth-first, and if that takes long, a look by `auto` comes in between.
    #[arg(long, value_enum, help_heading = "Search")]
    pub order: Option<Order>,
    /// Which heuristics direct the search: `hu`, `max(hl,dl)`, `hu,hl` by turns
    ///
    /// `merkhet list heuristics` names them. `user(EXPRESSION)` is an integer expression of the
    /// model that is less where the goal is nearer; `user` alone is the variable or function
    /// `heuristic` that the model declares. Clocks count only for those that end with `-loc`.
    /// Without it: `hl` for `astar`, `hu` for others.
    #[arg(long, value_name = "LIST", help_heading = "Search")]
    pub heuristic: Option<String>,
    /// How much the heuristic counts in `astar`: traces may be so many times longer than the
    /// shortest
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Search")]
    pub weight: u32,
    /// A second queue for states behind the transitions that a relaxed plan begins with
    #[arg(long, help_heading = "Search")]
    pub helpful: bool,
    /// States come later behind transitions without which the goal seems as near
    #[arg(long, help_heading = "Search")]
    pub useless: bool,
    /// Keep only N values of each heuristic, by a hash of the state, as the papers did
    ///
    /// States with the same hash share a value. Traces of `astar` need not be shortest then.
    #[arg(long, value_name = "N", value_parser = table, help_heading = "Search")]
    pub heuristic_table: Option<usize>,
    /// How many abstract states a heuristic may build before the search
    ///
    /// What was built by then is used.
    #[arg(long, value_name = "N", default_value_t = explore::heuristic::ABSTRACT_STATES, help_heading = "Search")]
    pub heuristic_budget: usize,
    /// How zones are made finitely many
    ///
    /// An abstraction that would make the answer to a query wrong is not taken: queries about
    /// deadlocks, for example, are answered with `am`.
    #[arg(long, value_enum, default_value_t = Abstraction::Auto, help_heading = "State space")]
    pub abstraction: Abstraction,
    /// What is done with states that meet in the store
    ///
    /// Without it: `cover`, or `join` with --join.
    #[arg(long, value_enum, help_heading = "State space")]
    pub update: Option<Update>,
    /// Which states are joined: `always`, `never`, `at(P.A)`, `of(v,zones)`, `if(x.n + y.n < 3)`,
    /// or several of these
    ///
    /// `merkhet list joins` explains them. In `if(...)` x is the stored state and y the new one.
    #[arg(long, value_name = "STRATEGY", help_heading = "State space")]
    pub join: Option<String>,
    /// Widen what is joined for the N+1st time, so that searches end; bounds stop at numbers of the
    /// model
    #[arg(long, value_name = "N", help_heading = "State space")]
    pub widen: Option<u32>,
    /// Answer `unknown` where a goal is found through joins and is out of reach, instead of taking
    /// the join back
    #[arg(long, help_heading = "State space")]
    pub no_refine: bool,
    /// What is done where a guard may hold of an element of a lattice and not of a greater one
    #[arg(long, value_enum, default_value_t = Monotone::Check, help_heading = "State space")]
    pub monotone: Monotone,
    /// Which states are not stored, to save memory for more time
    #[arg(long, value_name = "KIND", value_enum, default_value_t = StateSpaceReduction::None, help_heading = "State space")]
    pub state_space_reduction: StateSpaceReduction,
    /// What is done with states that differ in the names of scalars only
    ///
    /// It matters to models with scalar sets (`typedef scalar[4] id_t`), and to `E<>` and `A[]`.
    /// Traces are runs of the model all the same. A set with a member that is special in any way is
    /// left alone, and with --certificate all are.
    #[arg(long, value_enum, default_value_t = Symmetry::On, help_heading = "State space")]
    pub symmetry: Symmetry,
    /// The seed of random orders
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Whether to show runs that decide queries, and runs to run-time errors
    #[arg(long, value_enum, default_value_t = TraceKind::None, help_heading = "Evidence")]
    pub trace: TraceKind,
    /// Write the traces into FILE, as JSON; `merkhet replay` reads it
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub trace_file: Option<PathBuf>,
    /// Write proofs of the answers that need one into FILE; `merkhet certify` reads it
    ///
    /// An answer that no trace decides is proved by a set of symbolic states. That `A[]` is
    /// satisfied, or `E<>` is not, is proved by one that holds all that can be reached. That `A<>`
    /// or `-->` is satisfied, or `E[]` is not, is proved by one that holds all runs which would
    /// decide otherwise, with ranks that fall with every transition, so that there are none. With
    /// this option zones are not covered by aLU or aM inclusion, and states are told apart by their
    /// meta variables too, so that there may be more of them. A certificate is checked, as
    /// `merkhet certify` does, before the verdict is shown; if it does not hold, the answer is
    /// `unknown`.
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub certificate: Option<PathBuf>,
    /// Give up on a query after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Give up on a query when its states take more memory: `512M`, `4G`
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub memory_limit: Option<usize>,
    /// Give up on a query when more states are stored
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub state_limit: Option<usize>,
    /// How to write the answers
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text, help_heading = "Output")]
    pub format: AnswerFormat,
    /// Say how many states there were, and how long it took, until an answer was known
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// Formulas instead of states.
    #[command(flatten)]
    pub formulas: FormulaArgs,
    /// When to show on the standard error how far the search is
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto, help_heading = "Output")]
    pub progress: When,
}

/// In which order states are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Several directed strategies by turns
    Auto,
    /// Breadth-first: traces are short
    Bfs,
    /// Depth-first, the last successor first, as in UPPAAL
    Dfs,
    /// Depth-first, successors in an order that depends on the seed
    RandomDfs,
    /// States wait for others that may cover them: fewer are explored in vain
    Waiting,
    /// By the length of the way so far and the heuristic's guess: with an admissible heuristic
    /// traces are shortest
    Astar,
    /// By the heuristic's guess alone
    Greedy,
    /// Downhill as the heuristic says, with random steps and restarts
    Local,
}

impl From<Order> for ::verify::Order {
    fn from(order: Order) -> ::verify::Order {
        match order {
            Order::Auto => ::verify::Order::Auto,
            Order::Bfs => ::verify::Order::Bfs,
            Order::Dfs => ::verify::Order::Dfs,
            Order::RandomDfs => ::verify::Order::RandomDfs,
            Order::Waiting => ::verify::Order::Waiting,
            Order::Astar => ::verify::Order::Astar,
            Order::Greedy => ::verify::Order::Greedy,
            Order::Local => ::verify::Order::Local,
        }
    }
}

/// Which states are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StateSpaceReduction {
    /// All are
    None,
    /// Those with a committed location
    Conservative,
    /// Those on chains: where no process has come to a location that closes a cycle
    Aggressive,
}

impl StateSpaceReduction {
    /// The states that are passed.
    pub fn passing(self) -> Option<::verify::Passing> {
        match self {
            StateSpaceReduction::None => None,
            StateSpaceReduction::Conservative => Some(::verify::Passing::Committed),
            StateSpaceReduction::Aggressive => Some(::verify::Passing::Acyclic),
        }
    }
}

/// How zones are made finitely many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abstraction {
    /// The coarsest one that keeps the answer right
    Auto,
    /// Extra+ with lower and upper bounds, and states are covered by aLU inclusion
    Alu,
    /// As alu, with the greater bound of each clock for both: keeps deadlocks
    Am,
    /// Extra+ with lower and upper bounds: coarse, and zones stay convex
    ExtraLuPlus,
    /// Extra with lower and upper bounds
    ExtraLu,
    /// Extra+ with maximal bounds: keeps deadlocks
    ExtraM,
    /// None: the search may not end
    None,
}

impl Abstraction {
    /// What the user chose; `None`: nothing.
    pub fn chosen(self) -> Option<::verify::Abstraction> {
        match self {
            Abstraction::Auto => None,
            Abstraction::Alu => Some(::verify::Abstraction::Alu),
            Abstraction::Am => Some(::verify::Abstraction::Am),
            Abstraction::ExtraLuPlus => Some(::verify::Abstraction::ExtraLuPlus),
            Abstraction::ExtraLu => Some(::verify::Abstraction::ExtraLu),
            Abstraction::ExtraM => Some(::verify::Abstraction::ExtraM),
            Abstraction::None => Some(::verify::Abstraction::None),
        }
    }
}

/// What is done with states that meet in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Update {
    /// A state is left out only if an equal one is stored
    Simple,
    /// A state is left out if a stored one covers it, and removes those that it covers
    Cover,
    /// States with the same locations and variables become one: fewer states, and more answers are
    /// unknown
    Join,
}

/// What is done where a guard may hold of an element and not of a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Monotone {
    /// Elements that it depends on are told apart, or split where states are joined: nothing is
    /// lost
    Check,
    /// The model is taken to be monotone, as opaal does: the answer rests on it
    Assume,
}

/// What is done with states that differ in the names of scalars only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Symmetry {
    /// One of them is explored for all of them
    On,
    /// Each is explored
    Off,
}

/// Which traces are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceKind {
    /// None
    None,
    /// Some trace, where there is one
    Some,
    /// A short one: directed searches find it
    Short,
    /// One with as few transitions as possible; sets the order
    Shortest,
    /// One that takes as little time as possible; sets the order
    Fastest,
}

/// The size of a table.
fn table(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a table has one value at least".to_owned()),
        Ok(count) if count <= 1 << 30 => Ok(count),
        Ok(_) => Err(format!("a table has {} values at most", 1 << 30)),
        Err(_) => Err(format!("`{text}` is no number")),
    }
}

/// A number and the unit behind it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim_end(), &text[end..])
}

/// A time with its unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time; use s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{number}` is no number"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "there is no such time".to_owned())
}

/// A size with its unit.
pub fn bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text);
    let lower = unit.to_ascii_lowercase();
    let letter = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
    let shift = match letter {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("`{unit}` is no unit of memory; use K, M or G")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{number}` is no number"))?;
    if !(number.is_finite() && number >= 0.0) {
        return Err("there is no such size".to_owned());
    }
    // A size that does not fit into the address space is never reached.
    Ok((number * (1_u64 << shift) as f64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in
            [("10", 10.0), ("1.5", 1.5), ("90s", 90.0), ("5m", 300.0), ("2 h", 7200.0), ("20ms", 0.02)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["", "s", "-1", "1d", "NaN", "inf", "1e400", "1s2"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, size) in [("100", 100), ("1k", 1 << 10), ("512M", 512 << 20), ("4GiB", 4 << 30), ("0.5 KB", 512)] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "M", "-1", "4X", "NaN"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
