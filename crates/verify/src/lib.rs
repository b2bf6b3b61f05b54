//! Query to answer.
//!
//! [`answer`] plans and runs the search for a property and wraps what it finds: a verdict, why
//! there is none, a trace that was replayed before anybody sees it, and what was counted.

mod attempts;
pub mod certified;
mod cover;
mod extremes;
mod fastest;
mod formulas;
mod joining;
mod lasso;
mod laws;
mod linear;
mod liveness;
mod parts;
mod path;
mod plan;
pub mod portfolio;
mod proof;
mod reach;
mod shared;
mod shorten;
mod space;
mod symbolic;
mod tallied;
mod task;
mod trace;
mod width;

use explore::{
    bounds::ClockBounds,
    graph::RunError,
    heuristic::{Failures, Prepared},
    merging::{Disorder, DisorderKind},
    search::{Counts, Limits, Observer, Stop},
    tally::Phase,
};
use model::{Formula, Property, System};

use syntax::Span;
use tallied::Tallied;
use width::{Width, width};
use zone::Bound;

pub use cover::{Constraint, Cover};
pub use explore::{
    chain::Skipping,
    graph::Abstraction,
    merging::{TwoStates, Which},
    record::RecordedTransition,
    store::Update,
};
pub use extremes::{Limit, Range};
pub use formulas::{Asked, FormulaOptions, Method, answer_by_formulas};
pub use joining::{JOINS, JoinPart, Joining};
pub use laws::{CheckedLattice, Laws, check_laws};
pub use model::replay::Ending;
pub use parts::{Database, HEURISTICS, Heuristic, HeuristicPart, heuristics};
pub use plan::{Guidance, Options, Order, Plan, Symmetry, Wanted, plan};
pub use proof::{Proof, ProofSize, Ranks, answer_with_proof};
pub use shared::{Group, answer_each, answer_group, groups};
pub use space::{SpaceState, StateSpace, state_space};
pub use trace::{Stay, Step, Trace};

/// What became of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Satisfied,
    /// It does not hold.
    NotSatisfied,
    /// Nobody knows.
    Unknown(Reason),
}

impl Verdict {
    fn opposite(&self) -> Verdict {
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
    /// The model does something illegal: the text of the error, and where in the text of the model
    /// or of the query it happens.
    RunTime(String, Span),
    /// A clock grows beyond this number, and nobody knows whether it has a bound.
    Growth(i64),
    /// Differences of clocks are compared with so many numbers, which is too many.
    Differences(i64),
    /// A lattice does what it must not, in words.
    Disorder(String),
    /// No run with at most so many steps decides it.
    Bound(usize),
    /// Something that is not turned into formulas, by name.
    Refused(String),
    /// A formula was not decided, or its solution is no run; in words.
    Formula(String),
}

impl Reason {
    fn of(system: &System, error: &RunError) -> Reason {
        match error.stop() {
            Some(stop) => Reason::Limit(stop),
            None => Reason::RunTime(error.fault.kind.to_string(), system.site(error.fault.pc)),
        }
    }

    fn disorder(system: &System, disorder: &Disorder) -> Reason {
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
                format!("the order of `{name}` fails for {a} and {b}: {}", fault.kind)
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
    /// A way to a state that decides the verdict, or to a run-time error.
    pub trace: Option<Trace>,
    /// The variables, by their numbers, that were not told apart since nothing reads them. The
    /// verdict is that of runs in which all of them stay in their ranges.
    pub unread: Vec<u32>,
    /// Whether the query says something about clocks or deadlocks that the search was to be
    /// directed by and was not.
    pub unseen: bool,
    /// What was done before the search, to be able to direct it.
    pub prepared: Option<Prepared>,
    /// Expressions of the user that were to direct a search for the answer, and failed. The verdict
    /// does not depend on them.
    pub failures: Failures,
    /// How often a join was undone, since the goal that it had led to is out of reach.
    pub refinements: usize,
    /// The formulas that were asked about, where no states were searched.
    pub asked: Option<Asked>,
}

impl Answer {
    /// A verdict, how it was found, and what the search for it counted.
    fn new(verdict: Verdict, plan: Plan, counts: Counts) -> Answer {
        Answer {
            verdict,
            plan,
            counts,
            phases: Vec::new(),
            decided: Phase::default(),
            values: None,
            trace: None,
            unread: Vec::new(),
            unseen: false,
            prepared: None,
            failures: Failures::default(),
            refinements: 0,
            asked: None,
        }
    }

    /// The same, where all its searches are for this, unless one of them says more.
    fn within(self, phase: Phase) -> Answer {
        let decided = if self.decided == Phase::Search { phase } else { self.decided };
        Answer { decided, ..self }
    }

    /// How many transitions its trace has; the most that there can be if it has none.
    fn length(&self) -> usize {
        self.trace.as_ref().map_or(usize::MAX, |trace| trace.steps.len())
    }

    /// What the verdict rests on, in words, where something has to be said about that.
    #[must_use]
    pub fn note(&self, system: &System) -> Option<String> {
        let names: Vec<&str> = self.unread.iter().map(|i| system.variables[*i as usize].name.as_str()).collect();
        if !names.is_empty() && !matches!(self.verdict, Verdict::Unknown(_)) {
            return Some(format!(
                "in runs where variables that nothing reads stay in their ranges: {}",
                names.join(", ")
            ));
        }
        if self.plan.joining.trusts && !self.plan.merged.is_empty() && self.trace.is_none() {
            return Some("taken for granted: greater elements of lattices allow more (--monotone assume)".to_owned());
        }
        if let Some(why) = self.plan.why_not_best().filter(|_| self.trace.is_some()) {
            let best = if self.plan.wanted == Wanted::Fastest { "fastest" } else { "shortest" };
            return Some(format!("the trace need not be {best}: {why}"));
        }
        self.unseen.then(|| "the heuristic does not see what the query says about clocks or deadlocks".to_owned())
    }
}

/// Answers a property of a system.
pub fn answer(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let tallied = Tallied::new(observer);
    let (answer, _) = respond(system, property, options, false, limits, &mut &tallied);
    tallied.sum_up(answer)
}

/// Answers a property of a system; if `proves` is set and no trace decides it, with a proof.
fn respond(
    system: &System,
    property: &Property,
    options: &Options,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Proof>) {
    match width(system, &[property], options) {
        Err(reason) => (Answer { verdict: Verdict::Unknown(reason), ..formulas::blank(system) }, None),
        Ok(Width::Narrow) => {
            let (answer, proof) = respond_in::<i32>(system, property, options, proves, limits, observer);
            // Larger numbers have room in wider zones.
            if matches!(answer.verdict, Verdict::Unknown(Reason::Growth(k)) if k >= extremes::most_watched::<i32>()) {
                observer.enter(Phase::Retry);
                let (answer, proof) = respond_in::<i64>(system, property, options, proves, limits, observer);
                return (Answer { decided: Phase::Retry, ..answer }, proof);
            }
            (answer, proof)
        }
        Ok(Width::Wide) => respond_in::<i64>(system, property, options, proves, limits, observer),
    }
}

/// The same, with zones of one width.
fn respond_in<B: Bound>(
    system: &System,
    property: &Property,
    options: &Options,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Proof>) {
    let bounds = ClockBounds::<B>::new(system, property);
    let plan = plan(system, property, &bounds, options);
    let reach = |goal: &Formula, found: Verdict, observer: &mut dyn Observer| {
        let question = reach::Question { system, goal, found };
        let (answer, reached) = attempts::reach::<B>(&question, &plan, limits, observer);
        let shows = proves && answer.verdict == question.found.opposite();
        (answer, shows.then(|| Proof::Cover(Cover::new(reached))))
    };
    let (after, always, found) = match property {
        Property::Possibly(goal) => return reach(goal, Verdict::Satisfied, observer),
        Property::Invariantly(violation) => return reach(violation, Verdict::NotSatisfied, observer),
        Property::Bounds { extremum, predicate, quantities } => {
            let asked = extremes::Asked { extremum: *extremum, predicate, quantities };
            return (extremes::extremes::<B>(system, property, &asked, options, limits, observer), None);
        }
        Property::PotentiallyAlways(p) => (None, p, Verdict::Satisfied),
        Property::Eventually(not_p) => (None, not_p, Verdict::NotSatisfied),
        Property::LeadsTo(p, not_q) => (Some(p), not_q, Verdict::NotSatisfied),
    };
    let asked = liveness::Asked { after, always, found };
    let (answer, absence) = liveness::maximal::<B>(system, asked, plan, proves, limits, observer);
    (answer, absence.map(Proof::of_absence))
}
