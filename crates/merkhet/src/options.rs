//! The options of an answer, and the tables of their values.
//!
//! Every option that has a fixed set of values has a table of them: see [`Choices`]. Command lines,
//! forms and documentation are made from these tables.

pub use bounded::net::{NetEncoding, Replacing, StepSemantics};
pub use explore::cluster::Cluster;
pub use explore::guided::TieBreak;
use verify::SharedGuide;
pub use verify::{Abstraction, LocalTime, Method, Order, Skipping, Symmetry, Update};

use crate::user::Functions;

/// A value of an option.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T> {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// The value.
    pub value: T,
}

/// An option with a fixed set of values.
pub trait Choices: Copy + PartialEq + Send + Sync + 'static {
    /// All values.
    const ALL: &'static [Choice<Self>];

    /// Returns the value with a name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|choice| choice.name == name).map(|choice| choice.value)
    }

    /// Returns the name of a value; it is empty if the value can't be chosen.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|choice| choice.value == self).map_or("", |choice| choice.name)
    }
}

const fn choice<T: Copy>(name: &'static str, value: T, help: &'static str) -> Choice<T> {
    Choice { name, help, value }
}

/// The engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// Zones, unless an option is for formulas or the model has too many clocks.
    #[default]
    Auto,
    /// A search through the zone graph.
    Zones,
    /// Formulas for a solver.
    Smt,
}

/// Which traces are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceChoice {
    /// None.
    #[default]
    None,
    /// Any trace.
    Some,
    /// A short trace.
    Short,
    /// A trace with as few transitions as possible.
    Shortest,
    /// A trace that takes as little time as possible.
    Fastest,
}

/// How guards are treated that may hold for an element and not for a greater one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Monotone {
    /// Elements that such a guard reads are distinguished.
    #[default]
    Check,
    /// The model is assumed to be monotone.
    Assume,
}

impl Choices for EngineChoice {
    const ALL: &'static [Choice<EngineChoice>] = &[
        choice("auto", EngineChoice::Auto, "What seems best"),
        choice("zones", EngineChoice::Zones, "A search through symbolic states"),
        choice("smt", EngineChoice::Smt, "Formulas, and a solver"),
    ];
}

impl Choices for Order {
    const ALL: &'static [Choice<Order>] = &[
        choice("auto", Order::Auto, "Several directed strategies, by turns or each in a thread"),
        choice("bfs", Order::Bfs, "Breadth-first: traces are short"),
        choice("dfs", Order::Dfs, "Depth-first, the last successor first, as in UPPAAL"),
        choice("random-dfs", Order::RandomDfs, "Depth-first, successors in an order that depends on the seed"),
        choice("waiting", Order::Waiting, "States wait for others that may cover them: fewer are explored in vain"),
        choice(
            "astar",
            Order::Astar,
            "By the length of the path so far plus the heuristic's estimate: with an admissible heuristic, traces are \
             shortest",
        ),
        choice("greedy", Order::Greedy, "By the heuristic's estimate alone"),
        choice("local", Order::Local, "Downhill as the heuristic says, with random steps and restarts"),
    ];
}

impl Choices for TieBreak {
    const ALL: &'static [Choice<TieBreak>] = &[
        choice(
            "auto",
            TieBreak::Auto,
            "The deepest in `astar`; in `greedy` as the heuristic says, then a successor of the state that was expanded \
             last",
        ),
        choice("oldest", TieBreak::Oldest, "The one that was found first"),
        choice("youngest", TieBreak::Youngest, "The one that was found last"),
        choice(
            "place",
            TieBreak::Place,
            "The same; in `astar`, a state that covers open ones takes the place of the oldest of them if that is better, \
             as in UPPAAL's list",
        ),
    ];
}

impl Choices for Option<Skipping> {
    const ALL: &'static [Choice<Option<Skipping>>] = &[
        choice("none", None, "All are"),
        choice("conservative", Some(Skipping::Committed), "Those with a committed location"),
        choice(
            "aggressive",
            Some(Skipping::Acyclic),
            "Those on chains: no process is at a location that closes a cycle",
        ),
    ];
}

impl Choices for Option<Abstraction> {
    const ALL: &'static [Choice<Option<Abstraction>>] = &[
        choice("auto", None, "The coarsest one that keeps the answer right"),
        choice(
            "alu",
            Some(Abstraction::Alu),
            "Extra+ with lower and upper bounds, and states are covered by aLU inclusion",
        ),
        choice("am", Some(Abstraction::Am), "As alu, with the greater bound of each clock for both: keeps deadlocks"),
        choice(
            "extra-lu-plus",
            Some(Abstraction::ExtraLuPlus),
            "Extra+ with lower and upper bounds: coarse, and zones stay convex",
        ),
        choice("extra-lu", Some(Abstraction::ExtraLu), "Extra with lower and upper bounds"),
        choice("extra-m", Some(Abstraction::ExtraM), "Extra+ with maximal bounds: keeps deadlocks"),
        choice("none", Some(Abstraction::None), "None: the search may not end"),
    ];
}

impl Choices for Update {
    const ALL: &'static [Choice<Update>] = &[
        choice("simple", Update::Simple, "A state is dropped only if an equal one is stored"),
        choice(
            "cover",
            Update::Cover,
            "A state is dropped if a stored one covers it, and replaces those that it covers",
        ),
        choice(
            "join",
            Update::Join,
            "States with the same locations and variables become one: fewer states, and more answers are unknown",
        ),
    ];
}

impl Choices for Monotone {
    const ALL: &'static [Choice<Monotone>] = &[
        choice(
            "check",
            Monotone::Check,
            "Elements that such a guard reads are distinguished, or split where states are joined: sound",
        ),
        choice("assume", Monotone::Assume, "The model is assumed to be monotone, as in opaal: answers depend on it"),
    ];
}

impl Choices for Symmetry {
    const ALL: &'static [Choice<Symmetry>] = &[
        choice("on", Symmetry::On, "Of states that differ in names of scalars only, one is explored"),
        choice("off", Symmetry::Off, "Each is explored"),
    ];
}

impl Choices for LocalTime {
    const ALL: &'static [Choice<LocalTime>] = &[
        choice(
            "auto",
            LocalTime::Auto,
            "Where transitions are independent of each other and a sample of the states shows that it helps",
        ),
        choice("on", LocalTime::On, "Wherever the model and the query allow it"),
        choice("off", LocalTime::Off, "Never"),
    ];
}

impl Choices for TraceChoice {
    const ALL: &'static [Choice<TraceChoice>] = &[
        choice("none", TraceChoice::None, "None"),
        choice("some", TraceChoice::Some, "Some trace, where there is one"),
        choice("short", TraceChoice::Short, "A short one: directed searches find it"),
        choice("shortest", TraceChoice::Shortest, "One with as few transitions as possible; sets the order"),
        choice("fastest", TraceChoice::Fastest, "One that takes as little time as possible; sets the order"),
    ];
}

impl Choices for Method {
    const ALL: &'static [Choice<Method>] = &[
        choice("search", Method::Search, "Not at all: runs are looked for, and the answer is `unknown` without one"),
        choice("induction", Method::Induction, "By induction over the length of runs"),
        choice("invariant", Method::Invariant, "By an invariant (IC3), which a certificate can hold"),
        choice(
            "interpolation",
            Method::Interpolation,
            "By interpolants of the embedded solver, for nets (McMillan, 2003)",
        ),
    ];
}

impl Choices for NetEncoding {
    const ALL: &'static [Choice<NetEncoding>] = &[
        choice(
            "la",
            NetEncoding::Linear,
            "Ages of tokens are variables, in linear arithmetic; some solutions are no runs (Yokogawa and others, 2015)",
        ),
        choice(
            "dl",
            NetEncoding::Differences,
            "Births of tokens are variables, in difference logic; some solutions are no runs (Igawa and others, 2020)",
        ),
        choice("dl-exact", NetEncoding::ExactDifferences, "The same, and all solutions are runs"),
        choice("event", NetEncoding::Events, "The times of steps are the only real variables; all solutions are runs"),
    ];
}

impl Choices for Replacing {
    const ALL: &'static [Choice<Replacing>] = &[
        choice("nothing", Replacing::Nothing, "No variables: each state has all of them"),
        choice("unchanged", Replacing::Unchanged, "Variables that a step leaves unchanged, as the paper does"),
        choice("constants", Replacing::Constants, "Also variables whose values are known"),
    ];
}

impl Choices for StepSemantics {
    const ALL: &'static [Choice<StepSemantics>] = &[
        choice("single", StepSemantics::Single, "One transition"),
        choice("forall", StepSemantics::Independent, "Transitions that could fire at one moment in any order"),
        choice("exists", StepSemantics::Ordered, "Transitions that fire at one moment in a fixed order, each once"),
    ];
}

/// A number between 0 and 1, both excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction(f64);

// It is never NaN.
impl Eq for Fraction {}

impl Fraction {
    /// Returns a fraction; `None` if the number is not between 0 and 1.
    #[must_use]
    pub fn new(number: f64) -> Option<Fraction> {
        (number > 0.0 && number < 1.0).then_some(Fraction(number))
    }

    /// Returns the number.
    #[must_use]
    pub fn number(self) -> f64 {
        self.0
    }
}

/// The options of an answer. The default is what `merkhet verify` does without options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The engine.
    pub engine: EngineChoice,
    /// The search order; `None`: depends on the other options.
    pub order: Option<Order>,
    /// Heuristics for directed orders, as a list: `hu,max(hl,dl)`.
    pub heuristic: Option<String>,
    /// The weight of the estimate in A*.
    pub weight: u32,
    /// Whether states after helpful transitions have a queue of their own.
    pub helpful: bool,
    /// Whether states after useless transitions come later.
    pub useless: bool,
    /// Which of several states with the same rank comes first.
    pub ties: TieBreak,
    /// Whether in A* a state may cover another with a shorter path.
    pub cover_shorter: bool,
    /// The number of values of each heuristic that are kept; `None`: all.
    pub heuristic_table: Option<usize>,
    /// The number of abstract states that heuristics may build before the search.
    pub heuristic_budget: usize,
    /// The abstraction; `None`: the coarsest one that is sound for the query.
    pub abstraction: Option<Abstraction>,
    /// How a new state updates the store; `None`: depends on the other options.
    pub update: Option<Update>,
    /// Which states are joined: `at(P.A),of(v)`.
    pub join: Option<String>,
    /// The number of joins in a discrete part after which elements are widened.
    pub widen: Option<u32>,
    /// Whether joins that lead to a goal out of reach are undone.
    pub refine: bool,
    /// What is said about paths through joins, and which of them are undone; `None`: the search
    /// finds out itself.
    pub guide: Option<SharedGuide>,
    /// Functions of the user.
    pub functions: Functions,
    /// Whether monotonicity is assumed.
    pub monotone: Monotone,
    /// Which states are not stored.
    pub state_space_reduction: Option<Skipping>,
    /// Symmetry reduction by scalar sets.
    pub symmetry: Symmetry,
    /// Times of their own for processes.
    pub local_time: LocalTime,
    /// The number of threads that explore states; `None`: one for each core. A search has one as
    /// long as it is small, longer if none was chosen.
    pub threads: Option<usize>,
    /// The processes that answer together; each has its own threads.
    pub cluster: Option<Cluster>,
    /// The seed of random orders and runs.
    pub seed: u64,
    /// The probability that an interval does not contain the true value, or that a test finds no
    /// where yes is true.
    pub alpha: Fraction,
    /// The probability that a test finds yes where no is true.
    pub beta: Fraction,
    /// How far the ends of an interval may be from the share of runs.
    pub epsilon: Fraction,
    /// How far from its threshold a test decides nothing.
    pub delta: Fraction,
    /// The longest step of differential equations in random runs.
    pub discretization: Fraction,
    /// The number of random runs where a query does not say it.
    pub runs: Option<u64>,
    /// What levels of splitting go by, if rare events are estimated: a heuristic, or an expression
    /// that grows towards what is asked for.
    pub splitting: Option<String>,
    /// Whether symbolic analysis is asked first whether a probability is 0 or 1.
    pub certain: bool,
    /// The traces that are wanted.
    pub trace: TraceChoice,
    /// Whether answers that no trace shows need a certificate.
    pub certificate: bool,
    /// The number of steps of runs that formulas describe; `None`: any number.
    pub bound: Option<usize>,
    /// How formulas show that there is no run; `None`: depends on the bound.
    pub method: Option<Method>,
    /// The formulas of nets.
    pub encoding: Option<NetEncoding>,
    /// Which variables the paper's formulas replace by others of the same value; `None`: as many as
    /// possible.
    pub replace: Option<Replacing>,
    /// What fires in one step of a net.
    pub steps: Option<StepSemantics>,
    /// Whether formulas are made of a smaller net with the same answers.
    pub reduce: bool,
    /// The solver; `None`: the built-in one.
    pub solver: Option<String>,
    /// Whether the last formula is kept as a script in SMT-LIB 2.
    pub script: bool,
}

impl Default for Options {
    fn default() -> Options {
        let guidance = verify::Guidance::default();
        let runs = statistical::Settings::default();
        Options {
            engine: EngineChoice::default(),
            order: None,
            heuristic: None,
            weight: guidance.weight,
            helpful: guidance.helpful,
            useless: guidance.useless,
            ties: guidance.ties,
            cover_shorter: guidance.covers_shorter,
            heuristic_table: guidance.table,
            heuristic_budget: guidance.budget,
            abstraction: None,
            update: None,
            join: None,
            widen: None,
            refine: true,
            guide: None,
            functions: Functions::default(),
            monotone: Monotone::default(),
            state_space_reduction: None,
            symmetry: Symmetry::default(),
            local_time: LocalTime::Auto,
            threads: None,
            cluster: None,
            seed: 0,
            alpha: Fraction(runs.alpha),
            beta: Fraction(runs.beta),
            epsilon: Fraction(runs.epsilon),
            delta: Fraction(runs.delta),
            discretization: Fraction(runs.discretization),
            runs: None,
            splitting: None,
            certain: false,
            trace: TraceChoice::default(),
            certificate: false,
            bound: None,
            method: None,
            encoding: None,
            replace: None,
            steps: None,
            reduce: true,
            solver: None,
            script: false,
        }
    }
}

impl Options {
    /// Returns the first option that only formulas use, as the command line calls it.
    pub(crate) fn only_formulas(&self) -> Option<&'static str> {
        let given = [
            (self.bound.is_some(), "--bound"),
            (self.method.is_some(), "--method"),
            (!self.reduce, "--no-reduce"),
            (self.encoding.is_some(), "--encoding"),
            (self.replace.is_some(), "--replace"),
            (self.steps.is_some(), "--steps"),
            (self.solver.is_some(), "--solver"),
            (self.script, "--smt-lib"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Choices + std::fmt::Debug>() {
        for choice in T::ALL {
            assert_eq!(T::named(choice.name), Some(choice.value));
            assert_eq!(choice.value.name(), choice.name, "two choices mean the same");
            assert!(!choice.help.is_empty());
        }
    }

    #[test]
    fn names_and_values_correspond() {
        check::<EngineChoice>();
        check::<Order>();
        check::<TieBreak>();
        check::<Option<Skipping>>();
        check::<Option<Abstraction>>();
        check::<Update>();
        check::<Monotone>();
        check::<Symmetry>();
        check::<LocalTime>();
        check::<TraceChoice>();
        check::<Method>();
        check::<NetEncoding>();
        check::<StepSemantics>();
        check::<Replacing>();
    }
}
