//! Answers: verdicts, reasons, evidence, and what was counted.

use std::{fmt, sync::Arc};

use explore::{
    graph::RunError,
    heuristic::{Failures, Prepared},
    merging::{Disorder, DisorderKind},
    search::{Counts, Stop},
    tally::Phase,
};
use lattice::user::UserFailure;
use model::{
    Property, System,
    machine::{Fault, FaultKind},
};
use syntax::Span;

use crate::{BlamedJoin, FormulaStats, Heuristic, Note, Plan, Proof, Range, StateSpace, Trace, Unproved, Wanted};

/// The verdict on a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Satisfied,
    /// It does not hold.
    NotSatisfied,
    /// It is undecided.
    Unknown(Reason),
}

impl Verdict {
    /// Returns the verdict if what a query asks for is found.
    #[must_use]
    pub fn if_found(exists: bool) -> Verdict {
        if exists { Verdict::Satisfied } else { Verdict::NotSatisfied }
    }

    pub(crate) fn opposite(&self) -> Verdict {
        match self {
            Verdict::Satisfied => Verdict::NotSatisfied,
            _ => Verdict::Satisfied,
        }
    }
}

/// Why a verdict is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A limit was reached.
    Limit(Stop),
    /// A state was found in a set that may be too large: after a join, or with stopwatches.
    Imprecise(&'static str),
    /// A path through joined states was called feasible, and the model has no run along it.
    CalledFeasible,
    /// The model does something illegal: the text of the error, and where in the text of the model
    /// or of the query it happens.
    RunTime(String, Span),
    /// A function of the user has failed: a method, where the text of the model calls it, or
    /// another function, while a search went on.
    User(Arc<UserFailure>, Option<Span>),
    /// A clock grows beyond this number, and may or may not have a bound.
    Growth(i64),
    /// Differences of clocks are compared with so many numbers, which is too many.
    Differences(i64),
    /// A lattice violates its laws, in words.
    Disorder(String),
    /// No run with at most so many steps decides it.
    Bound(usize),
    /// Something that is not turned into formulas, by name.
    Refused(String),
    /// A formula was not decided, or its solution is not a run; in words.
    Formula(String),
    /// A random run can't go on, or random runs decide nothing; in words.
    Run(String),
    /// The independent checker refuses the certificate of the verdict, for this reason.
    Uncertified(String),
}

impl Reason {
    pub(crate) fn of(system: &System, error: &RunError) -> Reason {
        match error.stop() {
            Some(stop) => Reason::Limit(stop),
            None => Reason::fault(system, &error.fault),
        }
    }

    /// Returns the reason for a run-time error.
    pub(crate) fn fault(system: &System, fault: &Fault) -> Reason {
        let span = system.site(fault.pc);
        if let FaultKind::User(id) = fault.kind
            && let Some(failure) = system.code.failures.get(id)
        {
            return Reason::User(Arc::new(failure), Some(span));
        }
        Reason::RunTime(system.explain(fault), span)
    }

    /// Returns whether an execution of the model has failed.
    pub(crate) fn is_run_time_error(&self) -> bool {
        matches!(self, Reason::RunTime(..) | Reason::User(..))
    }

    pub(crate) fn disorder(system: &System, disorder: &Disorder) -> Reason {
        let name = &system.lattices[disorder.variable].name;
        let [a, b] = disorder.elements.each_ref().map(|element| system.show_element(disorder.variable, element));
        Reason::Disorder(match &disorder.kind {
            DisorderKind::Join(join) => {
                let join = system.show_element(disorder.variable, join);
                format!(
                    "the values of `{name}` are no lattice: the join of {a} and {b} is {join}, which is not above both"
                )
            }
            DisorderKind::Equal => {
                format!(
                    "the values of `{name}` are no lattice: {a} and {b} differ, and each is less than or equal to the other"
                )
            }
            DisorderKind::Fails(fault) => {
                format!("the order of `{name}` fails for {a} and {b}: {}", system.explain(fault))
            }
        })
    }
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// How it was found.
    pub plan: Plan,
    /// What all searches for it counted, up to the moment when it was known. Stored states are
    /// those of the search that has decided it, bytes the most that were taken at once.
    pub counts: Counts,
    /// What these searches were for, and how many states each kind has explored.
    pub phases: Vec<(Phase, usize)>,
    /// What the search was for that has decided it.
    pub decided: Phase,
    /// The bounds that were asked for, one for each expression; none of them is known where no
    /// state satisfies the condition. `None` for other queries, and where the verdict is unknown;
    /// where it is so because of joined states, no value lies beyond these, but perhaps none is as
    /// far away.
    pub values: Option<Vec<Range>>,
    /// A trace to a state that decides the verdict, or to a run-time error.
    pub trace: Option<Trace>,
    /// The join that is to blame for a spurious trace.
    pub blame: Option<Box<BlamedJoin>>,
    /// The proof of an answer that no trace shows, if proofs are wanted.
    pub proof: Option<Result<Arc<Proof>, Unproved>>,
    /// All states, if these were asked for.
    pub states: Option<StateSpace>,
    /// The variables, by their numbers, that were not distinguished since nothing reads them. The
    /// verdict is that of runs in which all of them stay in their ranges.
    pub unread: Vec<u32>,
    /// Whether the query says something about clocks or deadlocks that the heuristic of the search
    /// ignores.
    pub unseen: bool,
    /// The preparation of the heuristics, before the search.
    pub prepared: Option<Prepared>,
    /// Expressions of the user that guide a search and have failed. The verdict does not depend on
    /// them.
    pub failures: Failures,
    /// The number of joins that were undone, since they led to a goal out of reach.
    pub refinements: usize,
    /// The number of threads of the search that has decided it.
    pub threads: usize,
    /// The options of the thread that has decided it, if strategies had threads of their own.
    pub strategy: Option<String>,
    /// The size of the formulas, if formulas gave the answer.
    pub formulas: Option<FormulaStats>,
}

impl Answer {
    /// A verdict, how it was found, and what the search for it counted.
    pub(crate) fn new(verdict: Verdict, plan: Plan, counts: Counts) -> Answer {
        Answer {
            verdict,
            plan,
            counts,
            phases: Vec::new(),
            decided: Phase::default(),
            values: None,
            trace: None,
            blame: None,
            proof: None,
            states: None,
            unread: Vec::new(),
            unseen: false,
            prepared: None,
            failures: Failures::default(),
            refinements: 0,
            threads: 1,
            strategy: None,
            formulas: None,
        }
    }

    /// The same, where all its searches are for this, unless one of them says more.
    pub(crate) fn within(self, phase: Phase) -> Answer {
        let decided = if self.decided == Phase::Search { phase } else { self.decided };
        Answer { decided, ..self }
    }

    /// How many transitions its trace has; the most that there can be if it has none.
    pub(crate) fn length(&self) -> usize {
        self.trace.as_ref().map_or(usize::MAX, |trace| trace.steps.len())
    }

    /// Returns whether a search like the one that has answered a property may have several threads.
    #[must_use]
    pub fn may_use_threads(&self, property: &Property) -> bool {
        let may = self.plan.may_spread() || self.plan.may_race();
        self.threads > 1 || may && !matches!(property, Property::Run { .. })
    }

    /// Returns a reservation about the verdict or its trace, if there is one.
    #[must_use]
    pub fn note(&self, system: &System) -> Option<Note> {
        let names = self.unread.iter().map(|i| system.variables[*i as usize].name.to_string());
        if !self.unread.is_empty() && !matches!(self.verdict, Verdict::Unknown(_)) {
            return Some(Note::Unread(names.collect()));
        }
        if self.plan.joining.trusts && !self.plan.merged.is_empty() && self.trace.is_none() {
            return Some(Note::AssumesMonotone);
        }
        let is_safe = |heuristic: &Heuristic| matches!(heuristic, Heuristic::Function(function) if function.is_safe);
        if self.plan.order.is_directed() && self.trace.is_none() && self.plan.guidance.heuristics.iter().any(is_safe) {
            return Some(Note::TrustsHeuristic);
        }
        if let Some(why) = self.plan.why_not_best().filter(|_| self.trace.is_some()) {
            return Some(Note::NotBest { fastest: self.plan.wanted == Wanted::Fastest, why });
        }
        if self.unseen {
            return Some(Note::Unguided);
        }
        self.plan.common_time.filter(|_| self.formulas.is_none()).map(Note::CommonTime)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(stop) => stop.fmt(f),
            Reason::Imprecise(why) => write!(f, "a state was found that may be unreachable, because of {why}"),
            Reason::CalledFeasible => {
                f.write_str("a path through joined states was called feasible, and the model has no run along it")
            }
            Reason::Disorder(why) | Reason::Formula(why) | Reason::Run(why) => f.write_str(why),
            Reason::RunTime(message, _) => write!(f, "run-time error: {message}"),
            Reason::User(failure, _) => failure.fmt(f),
            Reason::Bound(1) => f.write_str("no run with at most 1 step was found"),
            Reason::Bound(steps) => write!(f, "no run with at most {steps} steps was found"),
            Reason::Refused(what) => write!(f, "formulas do not support {what}"),
            Reason::Differences(count) => write!(
                f,
                "differences of clocks are compared with variables that may have {count} values, which is too many \
                 for zones"
            ),
            Reason::Growth(number) => write!(f, "a clock grows beyond {number}, and may or may not have a bound"),
            Reason::Uncertified(why) => {
                write!(f, "the certificate of the verdict does not hold, so there is none: {why}; please report this")
            }
        }
    }
}
