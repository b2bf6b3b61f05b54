//! The report of `merkhet verify`. Text is made from the same values.

use serde::{Deserialize, Serialize};

pub use super::estimate::{Distribution, DistributionBin, Estimate, RunTrajectory, SplitRuns};
use super::{At, DiagnosticEntry};

/// What `merkhet verify --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The model's name, as it was given; `<stdin>` for the standard input.
    pub model: String,
    /// The file of queries beside the model, if its queries were answered because none were given
    /// and the model has none.
    pub queries_from: Option<String>,
    /// What is wrong with the model or with a file of queries. If the model has errors, no query is
    /// answered. A warning reports that the initial state violates an invariant, so that the model
    /// has no run, or that a limit was reached while the model was loaded, so that all answers are
    /// unknown.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// The queries, in the order in which they were given.
    pub results: Vec<QueryResult>,
}

/// The result of a query.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueryResult {
    /// The query.
    pub query: String,
    /// Its name, from its comment; null without one.
    pub name: Option<String>,
    /// Its position.
    pub at: At,
    /// Null if the query was refused.
    pub answer: Option<Verdict>,
    /// Why there is no answer, or why it is unknown.
    pub reason: Option<String>,
    /// A reservation about the answer.
    pub note: Option<String>,
    /// Null if there was no search.
    pub stats: Option<Stats>,
    /// The bounds that `sup`, `inf` and `bounds` ask for, one for each expression, and empty if no
    /// state satisfies the condition; or what a statistical query has measured. Null for other
    /// queries, and for unknown bounds.
    pub value: Option<QueryValue>,
    /// A run that decides the query or ends in a run-time error, if one was requested and found. If
    /// the answer is unknown, it may be a spurious trace.
    pub trace: Option<Trace>,
    /// Why the trace is spurious, if the answer is unknown because of joined states and joins are
    /// not undone. The trace is there then, whether one was requested or not.
    pub blame: Option<JoinBlame>,
    /// Null unless a certificate was requested.
    pub certificate: Option<Certificate>,
    /// Errors of the query, or the run-time error that the search found.
    pub diagnostics: Vec<DiagnosticEntry>,
}

impl QueryResult {
    /// The query on one line; it may have several, with comments that end with their lines.
    pub fn short_query(&self) -> String {
        let lines = self.query.lines().filter_map(|line| line.split("//").next());
        let words = lines.flat_map(|line| line.trim_end().trim_end_matches('\\').split_whitespace());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The join that is to blame for a spurious trace: the rest of the trace is possible after it, and
/// not from either of the two states that were joined.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JoinBlame {
    /// The step of the trace, counted from 1, whose target was joined; 0 for the start.
    pub step: usize,
    /// The stored state, `x` in a strategy.
    pub stored: NamedState,
    /// The new state, `y` in a strategy. If several states were joined, it is the join of those
    /// before.
    pub new: NamedState,
    /// Their join, `z` in a strategy.
    pub joined: NamedState,
    /// Whether the trace needs clock valuations that neither zone has, only their convex hull.
    pub zones: bool,
    /// The strategy, for `--join`, with a word that excludes this join.
    pub strategy: String,
}

impl JoinBlame {
    /// The variables and elements that differ: name, stored, new, joined.
    pub fn differences(&self) -> Vec<[String; 4]> {
        let values = |state: &NamedState| -> Vec<(String, String)> {
            let variables = state.variables.iter().map(|v| (v.name.clone(), v.value.to_string()));
            variables.chain(state.elements.iter().map(|e| (e.name.clone(), e.value.clone()))).collect()
        };
        let [stored, new, joined] = [&self.stored, &self.new, &self.joined].map(values);
        let all = stored.into_iter().zip(new).zip(joined);
        let all = all.map(|(((name, stored), (_, new)), (_, joined))| [name, stored, new, joined]);
        all.filter(|[_, stored, new, joined]| stored != new || new != joined).collect()
    }
}

/// The entry in the file of certificates.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Certificate {
    /// The number of symbolic states that prove the answer; null if there is no certificate, or it
    /// has no states.
    pub states: Option<usize>,
    /// The number of clauses of the invariant that proves the answer; null if there is none.
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
    /// It is undecided.
    #[serde(rename = "unknown")]
    Unknown,
}

/// The value of a query.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum QueryValue {
    /// The bounds of expressions.
    Bounds(Vec<ExpressionBounds>),
    /// What was measured on random runs.
    Estimate(Box<Estimate>),
}

/// The values of an expression.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpressionBounds {
    /// The expression, as it was written.
    pub expression: String,
    /// The least value; null if the query does not ask for it.
    pub least: Option<Bound>,
    /// The greatest value; null if the query does not ask for it.
    pub greatest: Option<Bound>,
}

/// A bound of a value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bound {
    /// The number; null if there is no bound.
    pub number: Option<i64>,
    /// Whether the number is a limit that is not reached.
    pub strict: bool,
}

/// How a run continues after its last delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Ending {
    /// The steps from `cycle` on are repeated infinitely often.
    #[serde(rename = "cycle")]
    Cycle,
    /// Time diverges.
    #[serde(rename = "waits for ever")]
    Waits,
    /// A deadlock: no transition is possible, now or after any allowed delay, and time can't
    /// diverge.
    #[serde(rename = "stops")]
    Stops,
}

/// The counts of a search.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// States that were expanded, in all phases.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not.
    pub generated: usize,
    /// States that were ever put into a store.
    pub added: usize,
    /// States in the store when the query was decided.
    pub stored: usize,
    /// The time.
    pub seconds: f64,
    /// Peak memory of the stored states.
    pub peak_bytes: usize,
    /// Peak resident memory of the process so far, which includes everything; null if the system
    /// does not report it.
    pub peak_resident_bytes: Option<usize>,
    /// How many queries the search answered; the other figures are totals for all of them, up to
    /// this answer.
    pub queries: usize,
    /// The phases of the search; empty if there was none.
    pub phases: Vec<PhaseStats>,
    /// The name of the phase that decided the query; null if none did.
    pub decided_by: Option<&'static str>,
    /// Whether symmetry reduction was used.
    pub symmetry: bool,
    /// Whether each process had a time of its own.
    pub local_time: bool,
    /// The number of threads that explored states.
    pub threads: usize,
    /// The options of the thread that decided the query, if the strategies of `--order auto` had
    /// threads of their own; otherwise null. With these and `--threads 1` the search is repeated.
    pub strategy: Option<String>,
    /// The number of joins that were undone, since the goal was reachable only through them.
    pub refinements: usize,
    /// The number of failed evaluations of expressions in `--heuristic`. The first error of each is
    /// among the diagnostics.
    pub heuristic_failures: usize,
    /// The abstractions that were built for heuristics before the search; null if there were none.
    pub prepared: Option<Prepared>,
    /// The formulas that were solved; null if states were explored.
    pub formulas: Option<Formulas>,
}

/// Searches for the same purpose.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PhaseStats {
    /// `search`, or what else was tried: a `probe` is a bounded search with another strategy, a
    /// `retry` answers a query again that the search could not decide, a `proof` computes states
    /// that prove the absence of a run.
    pub name: &'static str,
    /// States that were expanded.
    pub explored: usize,
}

/// Formulas that a solver has solved. Sizes are those of the last one.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Formulas {
    /// The encoding of a net; null for automata.
    pub encoding: Option<String>,
    /// The solver.
    pub solver: &'static str,
    /// The number of steps.
    pub steps: usize,
    /// The number of places of the reduced net.
    pub places: Option<usize>,
    /// The number of transitions.
    pub transitions: Option<usize>,
    /// Boolean variables.
    pub booleans: usize,
    /// Real variables.
    pub reals: usize,
    /// Distinct subformulas.
    pub nodes: usize,
    /// Variables as the paper counts them, for the encodings `la` and `dl`.
    pub variables: Option<u64>,
    /// Constraints as the paper counts them, for the encodings `la` and `dl`.
    pub constraints: Option<u64>,
    /// The number of levels of the search for an invariant; null if there was none.
    pub levels: Option<usize>,
    /// The number of clauses of the invariant.
    pub clauses: Option<usize>,
    /// The number of steps of the induction that proved the absence of runs.
    pub induction: Option<usize>,
}

impl Formulas {
    /// The size of the formulas, and their solver.
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

/// The abstractions that were built for heuristics before a search.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Prepared {
    /// Abstract states that were built, including those of abandoned abstractions.
    pub states: usize,
    /// The greatest number of nodes of decision diagrams at once.
    pub nodes: usize,
    /// Predicates of the abstractions.
    pub predicates: usize,
    /// The number of refinements.
    pub rounds: u32,
    /// The lengths of the shortest abstract paths from the initial state to the goal, one for each
    /// slice; null if there is none.
    pub lengths: Vec<Option<u32>>,
    /// Why the abstraction is incomplete.
    pub stopped: Option<&'static str>,
    /// The time.
    pub seconds: f64,
}

impl Prepared {
    /// The figures, with the time in seconds.
    pub fn new(prepared: explore::heuristic::Prepared, seconds: f64) -> Prepared {
        let explore::heuristic::Prepared { states, nodes, predicates, rounds, lengths, stopped } = prepared;
        Prepared { states, nodes, predicates, rounds, lengths, stopped, seconds }
    }
}

/// A run of the model, which was replayed, or a spurious trace. Times are exact: whole numbers, or
/// fractions such as `7/2`. They are null in a spurious trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trace {
    /// Whether the trace is spurious: it passes through overapproximated sets of states, because of
    /// joined states or stopwatches, and is not a run of the model. Absent if it is a run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spurious: bool,
    /// The number of transitions.
    pub length: usize,
    /// The first state.
    pub start: NamedState,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// The delay after the last transition.
    pub last_delay: Option<String>,
    /// The last state, after that delay.
    pub end: NamedState,
    /// How it continues; null for runs that only lead to a state.
    pub ending: Option<Ending>,
    /// The number of the step, counted from 1, at which the cycle starts; null if there is none.
    /// The state before this step and the one at the end have the same locations and variables, and
    /// their clock values are in the same region: clock by clock they are equal, or above every
    /// constant that the model and the query compare the clock with, or between the same integers
    /// with the fractions in the same order. So the steps can be repeated infinitely often, with
    /// delays that may have to change within the same region.
    pub cycle: Option<usize>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedState {
    /// The location of each process.
    pub locations: Vec<ProcessLocation>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The variables whose values are elements of lattices, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<Element>,
    /// The clocks.
    pub clocks: Option<Vec<Clock>>,
    /// The time since the start, if the model is a net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The places with tokens, if the model is a net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marking: Option<Vec<MarkedPlace>>,
    /// The enabled transitions with intervals, if the model is a net that has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enabled: Vec<EnabledTransition>,
}

/// A place with tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkedPlace {
    /// The place, as queries name it.
    pub place: String,
    /// How many tokens it has.
    pub tokens: i32,
    /// Whether its token is available; absent if its tokens are available at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available: Option<bool>,
    /// The age of its token; absent if it is not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// The ages of its tokens that matter, youngest first, if arcs have intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ages: Vec<String>,
}

/// An enabled transition with an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnabledTransition {
    /// The transition, as queries name it.
    pub transition: String,
    /// The time since it was enabled.
    pub age: Option<String>,
}

/// The location of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ProcessLocation {
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
pub struct TraceStep {
    /// How much time passes.
    pub delay: Option<String>,
    /// The transition that fires, if the model is a net. Its name is that of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fires: Option<String>,
    /// The place whose token becomes available, if the model is a net. Its name is that of the
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub becomes_available: Option<String>,
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<TakenEdge>,
    /// The variables that changed; of a net only the places.
    pub changes: Vec<Change>,
    /// The elements of lattices that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub element_changes: Vec<ElementChange>,
    /// The clocks after the transition.
    pub clocks: Option<Vec<Clock>>,
}

/// An edge that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TakenEdge {
    /// The process.
    pub process: String,
    /// The location that it leaves.
    pub source: String,
    /// The location that it enters.
    pub target: String,
    /// The channel with `!` or `?` after it; null without a synchronisation.
    pub sync: Option<String>,
    /// The index of the edge in the template, from 0 in the order of the text.
    pub edge: u32,
    /// The index of the edge after the branchpoint, if there is one.
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
