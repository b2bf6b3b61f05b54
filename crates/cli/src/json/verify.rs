//! What `merkhet verify` says. The text for people is made from the same values.

use serde::{Deserialize, Serialize};

use super::{At, Entry};

/// What `merkhet verify --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The model's name, as it was given; `<stdin>` for the standard input.
    pub model: String,
    /// The file of queries beside the model, where its queries were answered since none were given
    /// and the model has none.
    pub queries_from: Option<String>,
    /// What is wrong with the model or with a file of queries. Where the model is wrong, no query
    /// is answered. A warning says that the initial state violates an invariant, so that there is
    /// no run, or where a limit was reached while the model was loaded, so that all answers are
    /// unknown.
    pub diagnostics: Vec<Entry>,
    /// The queries, in the order in which they were given.
    pub results: Vec<QueryResult>,
}

/// What became of a query.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueryResult {
    /// The query.
    pub query: String,
    /// What its comment calls it; null without one.
    pub name: Option<String>,
    /// Where it stands.
    pub at: At,
    /// Null if the query was refused.
    pub answer: Option<Verdict>,
    /// Why there is no answer, or why it is unknown.
    pub reason: Option<String>,
    /// What the answer rests on, where something has to be said about that.
    pub note: Option<String>,
    /// Null if there was no search.
    pub stats: Option<Stats>,
    /// The bounds that `sup`, `inf` and `bounds` ask for, one for each expression; empty if no
    /// state satisfies the condition. Null for other queries, and if the answer is unknown.
    pub value: Option<Vec<Value>>,
    /// A run that decides the query or leads to a run-time error, if one was asked for and found;
    /// where the answer is unknown, perhaps a spurious trace.
    pub trace: Option<Trace>,
    /// Null unless a certificate was asked for.
    pub certificate: Option<Certificate>,
    /// What is wrong with the query, or the run-time error that the search met.
    pub diagnostics: Vec<Entry>,
}

impl QueryResult {
    /// The query on one line; it may have several, with comments that end with their lines.
    pub fn short_query(&self) -> String {
        let lines = self.query.lines().filter_map(|line| line.split("//").next());
        let words = lines.flat_map(|line| line.trim_end().trim_end_matches('\\').split_whitespace());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What was written into the file of certificates.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Certificate {
    /// How many symbolic states prove the answer; null if there is no certificate for this query,
    /// or it has none.
    pub states: Option<usize>,
    /// How many clauses the invariant has that proves the answer; null if there is none.
    pub clauses: Option<usize>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Verdict {
    /// The query holds.
    #[serde(rename = "satisfied")]
    Satisfied,
    /// It does not hold.
    #[serde(rename = "not satisfied")]
    NotSatisfied,
    /// Nobody knows.
    #[serde(rename = "unknown")]
    Unknown,
}

/// The values of an expression.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Value {
    /// The expression, as it was written.
    pub expression: String,
    /// The least value; null if it was not asked for.
    pub least: Option<Bound>,
    /// The greatest value; null if it was not asked for.
    pub greatest: Option<Bound>,
}

/// A bound of a value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bound {
    /// The number; null if there is no bound.
    pub number: Option<i64>,
    /// Whether values come as near to the number as one likes but never reach it.
    pub strict: bool,
}

/// How a run goes on behind its last delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Ending {
    /// The steps from `cycle` on are taken again and again.
    #[serde(rename = "cycle")]
    Cycle,
    /// Time passes for ever.
    #[serde(rename = "waits for ever")]
    Waits,
    /// No transition is possible, now or after any delay that is allowed, and time can't pass for
    /// ever.
    #[serde(rename = "stops")]
    Stops,
}

/// What a search counted.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// States that were expanded, in all phases.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not.
    pub generated: usize,
    /// States that were ever put into a store.
    pub added: usize,
    /// States in the store when the search that decided the query had done so.
    pub stored: usize,
    /// How long it took.
    pub seconds: f64,
    /// The most memory that the stored states took.
    pub peak_bytes: usize,
    /// How many queries the search answered; the other figures are those of all of them together,
    /// up to this answer.
    pub queries: usize,
    /// What was searched for, one after the other; empty if nothing was.
    pub phases: Vec<PhaseStats>,
    /// The name of the phase that decided the query; null if none did.
    pub decided_by: Option<&'static str>,
    /// Whether one state was explored for all that differ in the names of scalars only.
    pub symmetry: bool,
    /// How often a join was taken back, since the goal that it had led to is out of reach.
    pub refinements: usize,
    /// How often an expression in `--heuristic` failed. The first error of each is among the
    /// diagnostics.
    pub heuristic_failures: usize,
    /// What was done before the search, to be able to direct it; null if nothing was.
    pub prepared: Option<Prepared>,
    /// The formulas that were asked about; null if states were searched.
    pub formulas: Option<Formulas>,
}

/// Searches for the same purpose.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PhaseStats {
    /// `search`, or what else was tried: a `probe` is a bounded search with another strategy, a
    /// `retry` answers a query again that the search could not decide, a `proof` looks for states
    /// that show that there is no run.
    pub name: &'static str,
    /// States that were expanded.
    pub explored: usize,
}

/// Formulas that a solver was asked about. Sizes are those of the last one.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Formulas {
    /// Which formulas were made of a net; null for automata.
    pub encoding: Option<String>,
    /// Who solved them.
    pub solver: &'static str,
    /// How many steps they have.
    pub steps: usize,
    /// How many places the net has that they were made of; it may be smaller than the net.
    pub places: Option<usize>,
    /// How many transitions it has.
    pub transitions: Option<usize>,
    /// Boolean variables.
    pub booleans: usize,
    /// Real variables.
    pub reals: usize,
    /// Different parts.
    pub nodes: usize,
    /// Variables as the paper counts them, for the encodings `la` and `dl`.
    pub variables: Option<u64>,
    /// Constraints as the paper counts them, for the encodings `la` and `dl`.
    pub constraints: Option<u64>,
    /// How many levels the search for an invariant had; null if there was none.
    pub levels: Option<usize>,
    /// How many clauses the invariant has that was found.
    pub clauses: Option<usize>,
    /// How many steps an induction needed to show that there is no run.
    pub induction: Option<usize>,
}

impl Formulas {
    /// The size of the formulas, and what solved them.
    pub fn new(encoding: Option<String>, solver: &'static str, size: &verify::FormulaStats) -> Formulas {
        Formulas {
            encoding,
            solver,
            steps: size.steps,
            places: size.net.map(|(places, _)| places),
            transitions: size.net.map(|(_, transitions)| transitions),
            booleans: size.booleans,
            reals: size.reals,
            nodes: size.nodes,
            variables: size.written.map(|size| size.variables),
            constraints: size.written.map(|size| size.constraints),
            levels: size.levels,
            clauses: size.clauses,
            induction: size.induction,
        }
    }
}

/// What was done before a search, to be able to direct it.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Prepared {
    /// Abstract states that were built, with those of abstractions that were given up.
    pub states: usize,
    /// Predicates that the abstractions tell apart.
    pub predicates: usize,
    /// How often they were refined.
    pub rounds: u32,
    /// The lengths of the shortest abstract ways from the initial state to the goal, one for each
    /// part; null: there is none.
    pub lengths: Vec<Option<u32>>,
    /// Why it ended before it was complete.
    pub stopped: Option<&'static str>,
    /// How long it took.
    pub seconds: f64,
}

impl Prepared {
    /// What was done, and how long it took.
    pub fn new(prepared: explore::heuristic::Prepared, seconds: f64) -> Prepared {
        let explore::heuristic::Prepared { states, predicates, rounds, lengths, stopped } = prepared;
        Prepared { states, predicates, rounds, lengths, stopped, seconds }
    }
}

/// A run of the model, which was replayed, or a spurious trace. Times are exact: whole numbers, or
/// fractions such as `7/2`. They are null in a spurious trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trace {
    /// Whether the trace is spurious: it leads through sets of states that are too large, because
    /// of joined states or stopwatches, and is not a run of the model. Absent where it is a run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spurious: bool,
    /// How many transitions it has.
    pub length: usize,
    /// Where it starts.
    pub start: State,
    /// What happens.
    pub steps: Vec<Step>,
    /// The delay behind the last transition.
    pub last_delay: Option<String>,
    /// Where it ends, behind that delay.
    pub end: State,
    /// How it goes on; null for runs that only lead to a state.
    pub ending: Option<Ending>,
    /// The number of the step, counted from 1, at which the cycle starts; null if there is none.
    /// The state before this step and the one at the end have the same locations and variables, and
    /// nothing tells the values of their clocks apart: clock by clock they are equal, or all above
    /// every number that the model and the query compare the clock with, or between the same whole
    /// numbers with the fractions in the same order. So the steps can be taken again and again,
    /// though their delays may have to change within the same limits.
    pub cycle: Option<usize>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct State {
    /// The location of each process.
    pub locations: Vec<Place>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The variables whose values are elements of lattices, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<Element>,
    /// The clocks.
    pub clocks: Option<Vec<Clock>>,
}

/// Where a process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Place {
    pub process: String,
    pub location: String,
}

/// The value of a variable, or of an element of an array or a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Variable {
    pub name: String,
    pub value: i32,
}

/// An element of a lattice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Element {
    pub name: String,
    pub value: String,
}

/// The value of a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Clock {
    pub name: String,
    pub value: String,
}

/// A step: time passes, then a transition is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// How much time passes.
    pub delay: Option<String>,
    /// Who takes part: the sender first, then the receivers.
    pub edges: Vec<Edge>,
    /// The variables that changed.
    pub changes: Vec<Change>,
    /// The elements of lattices that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub element_changes: Vec<ElementChange>,
    /// The clocks behind the transition.
    pub clocks: Option<Vec<Clock>>,
}

/// An edge that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Edge {
    /// The process.
    pub process: String,
    /// The location that it leaves.
    pub source: String,
    /// The location that it comes to.
    pub target: String,
    /// The channel with `!` or `?` behind it; null without a synchronisation.
    pub sync: Option<String>,
    /// Which edge of the template it is, counted from 0 in the order of the text.
    pub edge: u32,
    /// Which edge behind the branchpoint it is, if there is one.
    pub branch: Option<u32>,
    /// The values that its select label chose.
    pub select: Vec<i32>,
}

/// An element of a lattice that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ElementChange {
    pub name: String,
    pub from: String,
    pub to: String,
}

/// A variable that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Change {
    pub name: String,
    pub from: i32,
    pub to: i32,
}
