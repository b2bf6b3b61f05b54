//! The options of `merkhet verify`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use merkhet::{Monotone, Options, Order, Symmetry, TieBreak, TraceChoice, Update};

use super::{
    AnswerFormat, ClusterArgs, ConstantArgs, EXIT_STATUS, FormulaArgs, LimitArgs, ProgressChoice,
    choice::{AnyAbstraction, AnyReduction, choice},
    value::{bytes, duration, table},
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
    /// The order in which states are explored
    ///
    /// Without it: `greedy` with --heuristic; `auto` if a trace is requested; otherwise
    /// breadth-first, with short probes by `auto` if the search becomes large.
    #[arg(long, value_parser = choice::<Order>(), help_heading = "Search")]
    pub order: Option<Order>,
    /// The heuristics that guide the search: `hu`, `max(hl,dl)`, `hu,hl` in turn
    ///
    /// `merkhet list heuristics` names them. `user(EXPRESSION)` is an integer expression of the
    /// model that is smaller near the goal; `user` alone is the variable or function `heuristic`
    /// that the model declares. Only heuristics that end with `-loc` consider clocks. Without it:
    /// `hl` for `astar`, `hu` for others.
    #[arg(long, value_name = "LIST", help_heading = "Search")]
    pub heuristic: Option<String>,
    /// The weight of the heuristic in `astar`: traces may be up to W times as long as the shortest
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Search")]
    pub weight: u32,
    /// Add a queue for states after helpful transitions, those that start a relaxed plan
    #[arg(long, help_heading = "Search")]
    pub helpful: bool,
    /// Delay states after useless transitions, those that do not reduce the estimate
    #[arg(long, help_heading = "Search")]
    pub useless: bool,
    /// Which of several states comes first that `greedy` or `astar` rank the same
    ///
    /// The papers take the youngest. `auto` also has the second estimates that `merkhet list
    /// heuristics` names; the other values do without them. With --seed, the successors of a state
    /// are in random order.
    #[arg(long, value_name = "WHICH", value_parser = choice::<TieBreak>(), default_value = "auto", help_heading = "Search")]
    pub ties: TieBreak,
    /// With `astar`, let states cover others with shorter paths: fewer states, but traces need not
    /// be shortest
    #[arg(long, help_heading = "Search")]
    pub cover_shorter: bool,
    /// Keep only N values of each heuristic, by a hash of the state, as the papers do
    ///
    /// States with the same hash share a value. Traces of `astar` need not be shortest then.
    #[arg(long, value_name = "N", value_parser = table, help_heading = "Search")]
    pub heuristic_table: Option<usize>,
    /// The number of abstract states that a heuristic may build before the search
    ///
    /// An incomplete abstraction is still used. For `symbolic-pdb`, eight nodes of diagrams count
    /// as one state.
    #[arg(long, value_name = "N", default_value_t = explore::heuristic::ABSTRACT_STATES, help_heading = "Search")]
    pub heuristic_budget: usize,
    /// The abstraction that makes the number of zones finite
    ///
    /// An abstraction that is unsound for a query is not used: queries about deadlocks, for
    /// example, are answered with `am`.
    #[arg(long, value_parser = choice::<AnyAbstraction>(), default_value = "auto", help_heading = "State space")]
    pub abstraction: AnyAbstraction,
    /// How a new state updates the store
    ///
    /// Without it: `cover`, or `join` with --join.
    #[arg(long, value_parser = choice::<Update>(), help_heading = "State space")]
    pub update: Option<Update>,
    /// The states that are joined: `always`, `never`, `at(P.A)`, `of(v,zones)`, `if(x.n + y.n <
    /// 3)`, or several of these
    ///
    /// `merkhet list joins` explains them. In `if(...)` x is the stored state and y the new one.
    #[arg(long, value_name = "STRATEGY", help_heading = "State space")]
    pub join: Option<String>,
    /// Widen after N joins, so that searches terminate; bounds stop at numbers of the model
    #[arg(long, value_name = "N", help_heading = "State space")]
    pub widen: Option<u32>,
    /// Answer `unknown` if the goal is found through joins only, and show the join to blame
    #[arg(long, help_heading = "State space")]
    pub no_refine: bool,
    /// How guards are treated that may hold for an element of a lattice and not for a greater one
    #[arg(long, value_parser = choice::<Monotone>(), default_value = "check", help_heading = "State space")]
    pub monotone: Monotone,
    /// The states that are not stored, which saves memory and costs time
    #[arg(long, value_name = "KIND", value_parser = choice::<AnyReduction>(), default_value = "none", help_heading = "State space")]
    pub state_space_reduction: AnyReduction,
    /// Symmetry reduction by scalar sets
    ///
    /// It applies to models with scalar sets (`typedef scalar[4] id_t`), for `E<>` and `A[]`.
    /// Traces are still runs of the model. A set whose members are not symmetric is not used, and
    /// with --certificate none is.
    #[arg(long, value_parser = choice::<Symmetry>(), default_value = "on", help_heading = "State space")]
    pub symmetry: Symmetry,
    /// The number of threads that explore states
    ///
    /// A search has one thread as long as it is small; without this option one for each core after
    /// that. Breadth-first, depth-first and waiting orders use several; `auto` has a thread for
    /// each of its strategies, and one that searches breadth-first. The answer does not depend on
    /// the number; which trace is found may, and how many states are stored if states cover others.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Search")]
    pub threads: Option<u16>,
    /// Several machines.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The seed of random orders, and of ties
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Show runs that decide queries, and runs to run-time errors
    #[arg(long, value_parser = choice::<TraceChoice>(), default_value = "none", help_heading = "Evidence")]
    pub trace: TraceChoice,
    /// Write the traces into FILE, as JSON; `merkhet replay` reads it
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub trace_file: Option<PathBuf>,
    /// Write proofs of the answers that need one into FILE; `merkhet certify` reads it
    ///
    /// An answer that no trace decides is proved by a set of symbolic states. For `A[]` that is
    /// satisfied, or `E<>` that is not, the set contains all reachable states. For `A<>` or `-->`
    /// that is satisfied, or `E[]` that is not, it contains all states of a counterexample, with
    /// ranks that decrease along every transition, so that there is none. With this option, states
    /// are not covered by aLU or aM inclusion, and meta variables distinguish states, so that more
    /// states may be stored. A certificate is checked, as by `merkhet certify`, before the verdict
    /// is shown; if it does not hold, the answer is `unknown`.
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub certificate: Option<PathBuf>,
    /// Stop the search for a query after this time: `10`, `1.5`, `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop the search for a query when it takes more memory: `512M`, `4G`
    ///
    /// Near the limit it first drops tables that only save time, and goes on without them.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub memory_limit: Option<usize>,
    /// Stop the search for a query when more than N states are stored
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub state_limit: Option<usize>,
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
    /// Formulas instead of states.
    #[command(flatten)]
    pub formulas: FormulaArgs,
    /// When to show the progress of the search on the standard error, and how
    ///
    /// It has the states that each thread explores in a second, the packets of states between
    /// threads, and the memory: counted, and resident in the process. Those of a cluster are those
    /// of all processes. A thread that falls behind is named. schemas/progress.schema.json
    /// describes the lines of `json`.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressChoice::Auto, help_heading = "Output")]
    pub progress: ProgressChoice,
}

impl VerifyArgs {
    /// Its limits on time and memory.
    pub fn limits(&self) -> LimitArgs {
        LimitArgs { time_limit: self.time_limit, memory_limit: self.memory_limit }
    }

    /// The options of the library.
    pub fn options(&self) -> Options {
        let FormulaArgs { engine, bound, method, encoding, replace, steps, no_reduce, solver, smt_lib } =
            &self.formulas;
        // A file of traces implies traces.
        let trace = match self.trace {
            TraceChoice::None if self.trace_file.is_some() => TraceChoice::Some,
            trace => trace,
        };
        Options {
            engine: *engine,
            order: self.order,
            heuristic: self.heuristic.clone(),
            weight: self.weight,
            helpful: self.helpful,
            useless: self.useless,
            ties: self.ties,
            cover_shorter: self.cover_shorter,
            heuristic_table: self.heuristic_table,
            heuristic_budget: self.heuristic_budget,
            abstraction: self.abstraction,
            update: self.update,
            join: self.join.clone(),
            widen: self.widen,
            refine: !self.no_refine,
            guide: None,
            monotone: self.monotone,
            state_space_reduction: self.state_space_reduction,
            symmetry: self.symmetry,
            threads: self.threads.map(usize::from),
            cluster: None,
            seed: self.seed,
            trace,
            certificate: self.certificate.is_some(),
            bound: *bound,
            method: *method,
            encoding: *encoding,
            replace: *replace,
            steps: *steps,
            reduce: !no_reduce,
            solver: solver.clone(),
            script: smt_lib.is_some(),
        }
    }
}
