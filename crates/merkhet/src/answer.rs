//! Answers with their evidence and statistics.

use std::{fmt, sync::Arc, time::Duration};

use explore::{
    heuristic::{ExpressionFailure, Prepared, Purpose},
    search::Counts,
    tally::Phase,
};
use model::{Stop, System};
use syntax::{Diagnostic, Span};
use verify::{BlamedJoin, FormulaStats, LocalTime, Proof, Range, Reason, StateSpace, Trace, Unproved, Verdict};

use crate::{Flaw, memory, runs::Certainty};

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict, or why there is none.
    pub verdict: Verdict,
    /// The bounds of `sup`, `inf` and `bounds` queries, one for each expression.
    pub values: Option<Vec<Range>>,
    /// What was measured on random runs.
    pub measured: Option<statistical::Findings>,
    /// Why a probability is certainly 0 or 1, if that is known without any run.
    pub certain: Option<Certainty>,
    /// What shows the verdict.
    pub evidence: Evidence,
    /// Reservations about the verdict or its evidence.
    pub notes: Vec<Reservation>,
    /// Where the model fails, and what failed while it guided the search.
    pub diagnostics: Vec<Diagnostic>,
    /// What was counted.
    pub stats: Stats,
}

/// A reservation about a verdict or its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// What the search took for granted, or did not reach.
    Search(verify::Note),
    /// The limit on memory was near, so that the search went on without caches.
    WithoutCaches,
    /// No run is known that shows the verdict.
    NoTrace {
        /// Whether the run would lead to a run-time error.
        to_error: bool,
        /// What is wrong with the trace that the search has found.
        flaw: Flaw,
    },
    /// Several threads are wanted, and searches of this kind have one.
    OneThread,
    /// Delays in these locations have neither a bound nor a rate, so that rate 1 was taken.
    NoRate(Vec<String>),
    /// Senders wait for a receiver, which delays are not about.
    BinaryChannels,
    /// Clocks with any values are compared for equality.
    Equality,
    /// The values of a mean are so skewed that its interval may be wrong.
    Skewed,
    /// None of so many random runs reached what a run of the model does.
    Rare(u64),
    /// Symbolic analysis does not know whether a probability is 0 or 1, for this reason.
    NotCertain(String),
    /// Splitting is wanted, for a query that it does not answer.
    NotSplit,
    /// Formulas are wanted, for a query that random runs answer.
    NoFormulas,
}

impl fmt::Display for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reservation::Search(note) => note.fmt(f),
            Reservation::WithoutCaches => {
                f.write_str("the limit on memory was near: the search went on without caches")
            }
            Reservation::NoTrace { to_error, flaw } => {
                let to = if *to_error { " to the error" } else { "" };
                write!(f, "known by the zones, which show that there is a run{to}; no trace: {flaw}")
            }
            Reservation::NoRate(locations) => {
                const MOST: usize = 4;
                let shown = locations.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
                let more = locations.len().saturating_sub(MOST);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                write!(f, "rate 1 was taken for delays without a bound or a rate, in {shown}{more}")
            }
            Reservation::BinaryChannels => f.write_str(
                "a sender on a binary channel races only where a receiver is ready; with broadcast channels, delays are \
                 independent",
            ),
            Reservation::Equality => f.write_str(
                "`==` on a clock whose values are any numbers holds within a millionth, for so short a time that only \
                 an urgent edge is sure to be taken then",
            ),
            Reservation::Skewed => f.write_str(
                "the values are so skewed that the interval may be wrong; more runs make it right",
            ),
            Reservation::Rare(runs) => write!(
                f,
                "none of {runs} random runs reached it, but the model has a run that does: rare, or of probability 0, but \
                 not impossible"
            ),
            Reservation::NotCertain(why) => write!(f, "`--certain` knows nothing: {why}"),
            Reservation::NotSplit => {
                f.write_str("`--splitting` is for `Pr` without a comparison, and has no effect on this query")
            }
            Reservation::NoFormulas => {
                f.write_str("random runs answer this query; `--engine smt` and the options of formulas have no effect on it")
            }
            Reservation::OneThread => f.write_str("in one thread: `--threads` has no effect on this order or query"),
        }
    }
}

/// What shows a verdict.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// A run of the model, if traces are wanted. It was replayed; if it is not a run, because the
    /// verdict is unknown, it has no times.
    pub trace: Option<Trace>,
    /// Why the trace is spurious, if joins are not undone. The trace is there then, whether traces
    /// are wanted or not.
    pub blame: Option<Blame>,
    /// The proof of an answer that no trace shows, if certificates are wanted. It was checked.
    pub proof: Option<Result<Arc<Proof>, Unproved>>,
    /// All states, if these were asked for.
    pub states: Option<StateSpace>,
}

/// Why an answer is inconclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The join without which the trace does not lead to the goal.
    pub join: BlamedJoin,
    /// [`Options::join`](crate::Options::join) with a word that excludes the join.
    pub strategy: String,
}

/// What was counted for an answer.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// What all searches counted together.
    pub counts: Counts,
    /// The purposes of the searches, with the number of states explored for each.
    pub phases: Vec<(Phase, usize)>,
    /// The purpose of the search that decided the verdict.
    pub decided: Option<Phase>,
    /// The time until the answer was known.
    pub time: Duration,
    /// The time before the first search.
    pub time_before: Duration,
    /// The number of queries that shared the search.
    pub queries: usize,
    /// Whether symmetry was used.
    pub symmetry: bool,
    /// Whether each process had a time of its own.
    pub local_time: bool,
    /// The number of threads that explored states.
    pub threads: usize,
    /// The options of the thread that decided the verdict, if the strategies of `auto` had threads
    /// of their own.
    pub strategy: Option<String>,
    /// The most resident memory of the process so far, in bytes, where the system reports it. Of a
    /// cluster, the sum over all processes.
    pub resident: Option<usize>,
    /// The number of joins that were undone.
    pub refinements: usize,
    /// How often an expression of `--heuristic` failed.
    pub heuristic_failures: usize,
    /// The preparation of heuristics.
    pub prepared: Option<Prepared>,
    /// The size of the formulas, if formulas gave the answer.
    pub formulas: Option<FormulaStats>,
    /// The solver, if formulas gave the answer.
    pub solver: Option<&'static str>,
}

impl Answer {
    /// Returns whether the query is satisfied; `None`: the answer is unknown.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Satisfied => Some(true),
            Verdict::NotSatisfied => Some(false),
            Verdict::Unknown(_) => None,
        }
    }

    /// Returns the answer of work that was stopped before an engine could give one.
    pub(crate) fn stopped(stop: Option<Stop>) -> Answer {
        Answer {
            verdict: Verdict::Unknown(Reason::Limit(stop.unwrap_or(Stop::Interrupted))),
            values: None,
            measured: None,
            certain: None,
            evidence: Evidence::default(),
            notes: Vec::new(),
            diagnostics: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Collects what an engine has found, except the evidence. `system` has the code of the query
    /// and of options.
    pub(crate) fn new(system: &System, found: &verify::Answer, notes: Vec<Reservation>) -> Answer {
        let mut diagnostics: Vec<Diagnostic> = found.failures.iter().map(|failure| failed(system, failure)).collect();
        if let Verdict::Unknown(Reason::RunTime(message, span)) = &found.verdict {
            diagnostics.push(Diagnostic::error("run-time-error", *span, message.clone()));
        }
        if let Verdict::Unknown(Reason::User(failure, span)) = &found.verdict {
            diagnostics.push(Diagnostic::error("user-function", span.unwrap_or(Span::NONE), failure.to_string()));
        }
        let is_known = !matches!(found.verdict, Verdict::Unknown(_));
        let of_heuristics = found.failures.iter().filter(|failure| failure.purpose == Purpose::Heuristic);
        let stats = Stats {
            counts: found.counts,
            phases: found.phases.clone(),
            decided: (is_known && !found.phases.is_empty()).then_some(found.decided),
            symmetry: found.plan.symmetry,
            local_time: found.plan.local_time == LocalTime::On,
            threads: found.threads,
            strategy: found.strategy.clone(),
            refinements: found.refinements,
            heuristic_failures: of_heuristics.map(|failure| failure.count).sum(),
            resident: memory::read().map(|memory| memory.peak as usize * 1024),
            prepared: found.prepared.clone(),
            formulas: found.formulas.clone(),
            ..Stats::default()
        };
        let (verdict, values) = (found.verdict.clone(), found.values.clone());
        Answer {
            verdict,
            values,
            measured: None,
            certain: None,
            evidence: Evidence::default(),
            notes,
            diagnostics,
            stats,
        }
    }
}

/// Warns about an expression that guides the search and has failed.
fn failed(system: &System, failure: &ExpressionFailure) -> Diagnostic {
    let ExpressionFailure { purpose, count, first, .. } = failure;
    let (what, code, help) = match purpose {
        Purpose::Heuristic => ("the heuristic", "heuristic-failed", "the largest value was used instead"),
        Purpose::Join => ("the condition of --join", "join-failed", "the states were not joined"),
    };
    let message = match count {
        1 => format!("{what} failed once: {}", first.kind),
        _ => format!("{what} failed {count} times; the first error is: {}", first.kind),
    };
    Diagnostic::warning(code, system.site(first.pc), message).help(format!("{help}; the verdict does not depend on it"))
}
