//! Answers by formulas instead of states.
//!
//! A solver looks for runs, step by step. That there are none is shown by induction over their
//! length, or by an invariant, which no run leaves and which excludes the goal.

use std::sync::{Arc, atomic::Ordering};

use bounded::{
    Bounded, EncodingError, FailingRun,
    automata::{self, Inductive, Invariant, Unbounded},
    net::{self, FormulaSize, Interpolated, MarkingInvariant, Markings, NetEncoding, Replacing, Setup, StepSemantics},
};
use explore::search::{Counts, Limits, Stop};
use model::{
    Formula, Property, Signal, System,
    net::Net,
    replay::{self, Refusal},
    simulate::Simulator,
};
use smt::Solver;

use crate::{Answer, Observer, Plan, Proof, Reason, Unproved, Verdict, trace::Trace};

/// The number of steps of a net that are searched before an invariant is.
const FIRST_STEPS: usize = 8;

/// What the user chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaOptions {
    /// Which formulas are made of nets.
    pub encoding: NetEncoding,
    /// Which variables the paper's formulas replace.
    pub replacing: Replacing,
    /// What fires in one step of a net.
    pub steps: StepSemantics,
    /// The bound on the number of steps; `None`: there is none.
    pub bound: Option<usize>,
    /// What is done beside looking for runs.
    pub method: Method,
    /// Whether formulas are made of a smaller net with the same answers.
    pub reduces: bool,
    /// Whether the run that decides a query is wanted: its rows may take more memory than all else.
    pub traces: bool,
}

/// How it is shown that there is no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Not at all: only runs are searched for.
    Search,
    /// By induction over the length of runs.
    Induction,
    /// By an invariant.
    Invariant,
    /// By an invariant that consists of interpolants, for nets.
    Interpolation,
}

impl Default for FormulaOptions {
    fn default() -> FormulaOptions {
        FormulaOptions {
            encoding: NetEncoding::Events,
            replacing: Replacing::Constants,
            steps: StepSemantics::Ordered,
            bound: None,
            method: Method::Invariant,
            reduces: true,
            traces: true,
        }
    }
}

/// The size of the formulas that were solved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormulaStats {
    /// How many steps the last formula has.
    pub steps: usize,
    /// How many places and transitions the net has that they were made of, which may be smaller
    /// than the net.
    pub net: Option<(usize, usize)>,
    /// Boolean variables.
    pub booleans: usize,
    /// Real variables.
    pub reals: usize,
    /// Different parts of the formula.
    pub nodes: usize,
    /// Variables and constraints as the paper counts them, for its formulas.
    pub written: Option<FormulaSize>,
    /// How many levels the search for an invariant had.
    pub levels: Option<usize>,
    /// How many clauses the invariant has that was found.
    pub clauses: Option<usize>,
    /// How many steps an induction needed.
    pub induction: Option<usize>,
}

/// Answers a property by formulas, and proves the answer where an invariant does. Formulas of a net
/// are about places and transitions; the runs are those of its automata. `solvers` makes solvers.
pub(crate) fn answer(
    system: &System,
    net: Option<&Net>,
    property: &Property,
    options: &FormulaOptions,
    solvers: &dyn Fn() -> Box<dyn Solver>,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let mut solvers = || solvers();
    let solvers = &mut solvers;
    let (goal, found) = match property {
        Property::State { goal, exists } => (goal, Verdict::if_found(*exists)),
        Property::Bounds { .. } => return refuse(system, property, "`sup`, `inf` and `bounds` queries"),
        Property::Run { .. } => return refuse(system, property, "liveness queries"),
    };
    // Formulas speak of the states after the start too; without a start there are none.
    if matches!(Simulator::new(system).start(), Err(Refusal::Initial)) {
        let invariant = Invariant { clauses: Vec::new() };
        let formulas = Some(FormulaStats { clauses: Some(0), ..FormulaStats::default() });
        let proof = Some(Ok(Arc::new(Proof::Invariant(invariant))));
        return Answer { verdict: found.opposite(), formulas, proof, ..blank(system) };
    }
    let stats = FormulaStats::default();
    let mut question =
        FormulaQuestion { system, net, goal, options, solvers, limits, observer, stats, by_interpolation: false };
    let mut proof = None;
    let (verdict, trace) = match question.ask() {
        // It was replayed when it was found.
        Ok(Unbounded::Found(run)) => (found, question.shown(&run)),
        Ok(Unbounded::Fails(FailingRun { fault, trace })) => {
            let trace = trace.and_then(|trace| question.shown(&trace));
            (Verdict::Unknown(Reason::RunTime(system.explain(&fault), system.site(fault.pc))), trace)
        }
        Ok(Unbounded::Holds(invariant)) => {
            question.stats.clauses = Some(invariant.clauses.len());
            proof = Some(Proof::Invariant(invariant));
            (found.opposite(), None)
        }
        Ok(Unbounded::Unknown(why)) => (Verdict::Unknown(Reason::Formula(why)), None),
        Ok(Unbounded::Stopped) | Err(Why::Refused(EncodingError::Stopped)) => {
            (Verdict::Unknown(Reason::Limit(reached(limits, system.code.signal))), None)
        }
        Err(Why::Refused(EncodingError::Unsupported(what))) => {
            (Verdict::Unknown(Reason::Refused(what.to_string())), None)
        }
        Err(Why::Marking(invariant)) => {
            question.stats.clauses = Some(invariant.clauses.len());
            proof = Some(Proof::Marking(invariant));
            (found.opposite(), None)
        }
        Err(Why::Interpolants) => {
            question.by_interpolation = true;
            (found.opposite(), None)
        }
        Err(Why::Induction(steps)) => {
            question.stats.induction = Some(steps);
            (found.opposite(), None)
        }
        Err(Why::Bound(bound)) => (Verdict::Unknown(Reason::Bound(bound)), None),
    };
    let by_induction = question.stats.induction.is_some();
    let by_interpolation = question.by_interpolation;
    let answer = Answer { verdict, trace, formulas: Some(question.stats), ..blank(system) };
    let missing = match (by_induction, by_interpolation) {
        (true, _) => Unproved::Induction,
        (_, true) => Unproved::Interpolation,
        _ => Unproved::of(&answer, property),
    };
    Answer { proof: Some(proof.map(Arc::new).ok_or(missing)), ..answer }
}

/// An answer that says nothing yet.
pub(crate) fn blank(system: &System) -> Answer {
    Answer::new(Verdict::Unknown(Reason::Bound(0)), Plan::unused(system), Counts::default())
}

fn refuse(system: &System, property: &Property, what: &str) -> Answer {
    let verdict = Verdict::Unknown(Reason::Refused(what.to_owned()));
    let answer = Answer { verdict, formulas: Some(FormulaStats::default()), ..blank(system) };
    let proof = Some(Err(Unproved::of(&answer, property)));
    Answer { proof, ..answer }
}

/// Why there is no run, or none is known.
enum Why {
    Refused(EncodingError),
    /// Runs with more steps were not searched for.
    Bound(usize),
    /// Induction over so many steps shows it.
    Induction(usize),
    /// A union of interpolants shows it.
    Interpolants,
    /// No firings lead to it, whatever the time is.
    Marking(MarkingInvariant),
}

/// What a bounded check has found.
fn unbounded(found: Bounded) -> Result<Unbounded, Why> {
    match found {
        Bounded::Found(run) => Ok(Unbounded::Found(run)),
        Bounded::Fails(failure) => Ok(Unbounded::Fails(failure)),
        Bounded::Stopped => Ok(Unbounded::Stopped),
        Bounded::Unknown(why) => Ok(Unbounded::Unknown(why)),
        Bounded::None(bound) => Err(Why::Bound(bound)),
    }
}

impl From<EncodingError> for Why {
    fn from(refused: EncodingError) -> Why {
        Why::Refused(refused)
    }
}

struct FormulaQuestion<'a> {
    system: &'a System,
    net: Option<&'a Net>,
    goal: &'a Formula,
    options: &'a FormulaOptions,
    solvers: &'a mut dyn FnMut() -> Box<dyn Solver>,
    limits: &'a Limits<'a>,
    observer: &'a mut dyn Observer,
    stats: FormulaStats,
    by_interpolation: bool,
}

impl<'a> FormulaQuestion<'a> {
    fn ask(&mut self) -> Result<Unbounded, Why> {
        // Errors are found sooner in steps of many firings.
        if let Some(net) = self.net.filter(|net| net::supported(net).is_ok() && self.options.method != Method::Search) {
            let first = self.options.bound.map_or(FIRST_STEPS, |bound| bound.min(FIRST_STEPS));
            if let Ok(found @ Bounded::Found(_)) = self.steps_of_net(net, first) {
                return unbounded(found);
            }
        }
        let bound = self.options.bound.unwrap_or(usize::MAX);
        match (self.options.method, self.net) {
            (Method::Search, Some(net)) => match self.steps_of_net(net, bound) {
                // What the formulas of nets can't express, those of its automata may.
                Err(Why::Refused(EncodingError::Unsupported(_))) if self.options.encoding == NetEncoding::Events => {
                    unbounded(self.steps(bound)?)
                }
                found => unbounded(found?),
            },
            (Method::Search, None) => unbounded(self.steps(bound)?),
            (Method::Induction, _) => self.induct(bound),
            (Method::Interpolation, Some(net)) => self.interpolate(net, bound),
            // Options exclude it.
            (Method::Interpolation, None) => Ok(Unbounded::Unknown("interpolation is for nets".to_owned())),
            (Method::Invariant, net) => {
                if let Some(net) = net {
                    self.exclude(net)?;
                }
                self.prove()
            }
        }
    }

    fn steps_of_net(&mut self, net: &Net, bound: usize) -> Result<Bounded, Why> {
        let FormulaOptions { encoding, replacing, steps, reduces, .. } = *self.options;
        let setup = Setup { encoding, replacing, steps, bound, reduces };
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let mut solver = (self.solvers)();
        let found = net::check(net, self.system, self.goal, &setup, &mut *solver, &stop, &mut |unrolling, goal| {
            stats.written = unrolling.size(goal);
            stats.steps = unrolling.steps();
            stats.net = Some((unrolling.net().places.len(), unrolling.net().transitions.len()));
            let terms = unrolling.terms();
            (stats.booleans, stats.reals, stats.nodes) = (terms.booleans(), terms.reals() - 1, terms.nodes().len());
            observer.formula(stats);
        })?;
        Ok(found)
    }

    fn steps(&mut self, bound: usize) -> Result<Bounded, Why> {
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let mut solver = (self.solvers)();
        let found = automata::check(self.system, self.goal, bound, &mut *solver, &stop, &mut |steps| {
            stats.steps = steps;
            observer.formula(stats);
        })?;
        Ok(found)
    }

    fn induct(&mut self, bound: usize) -> Result<Unbounded, Why> {
        let found = match self.net {
            Some(net) => self.induct_net(net, bound)?,
            None => None,
        };
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let found = match found {
            Some(found) => found,
            None => automata::induct(self.system, self.goal, bound, self.solvers, &stop, &mut |steps| {
                stats.steps = steps;
                observer.formula(stats);
            })?,
        };
        match found {
            Inductive::Holds(steps) => Err(Why::Induction(steps)),
            Inductive::Bounded(found) => unbounded(found),
        }
    }

    /// Uses the net itself; returns `None` if only its automata can be used.
    fn induct_net(&mut self, net: &Net, bound: usize) -> Result<Option<Inductive>, Why> {
        let known = self.markings(net, &Formula::False)?.unwrap_or_default();
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let (net, system) = ((net, &known), (self.system, self.goal));
        supported(net::induct(net, system, bound, self.solvers, &stop, &mut |steps| {
            stats.steps = steps;
            observer.formula(stats);
        }))
    }

    /// Fails if an invariant of the markings excludes the goal.
    fn exclude(&mut self, net: &Net) -> Result<(), Why> {
        match self.markings(net, self.goal)? {
            Some(invariant) => Err(Why::Marking(invariant)),
            None => Ok(()),
        }
    }

    /// Returns an invariant of the markings that excludes a goal, if there is one.
    fn markings(&mut self, net: &Net, goal: &Formula) -> Result<Option<MarkingInvariant>, Why> {
        if net::supported_unbounded(net).is_err() {
            return Ok(None);
        }
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let found = net::exclude(net, self.system, goal, self.solvers, &stop, &mut |level| {
            stats.levels = Some(level);
            observer.formula(stats);
        })?;
        match found {
            Markings::Excluded(invariant) => Ok(Some(invariant)),
            Markings::Open => Ok(None),
            Markings::Stopped => Err(Why::Refused(EncodingError::Stopped)),
        }
    }

    fn interpolate(&mut self, net: &Net, bound: usize) -> Result<Unbounded, Why> {
        let FormulaOptions { encoding, replacing, steps, reduces, .. } = *self.options;
        let setup = Setup { encoding, replacing, steps, bound, reduces };
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let limit = stop(self.limits, self.system.code.signal);
        let found =
            net::generalise(net, self.system, self.goal, &setup, self.solvers, &limit, &mut |steps, rounds| {
                (stats.steps, stats.levels) = (steps, Some(rounds));
                observer.formula(stats);
            })?;
        match found {
            Interpolated::Holds => Err(Why::Interpolants),
            Interpolated::Bound(bound) => Err(Why::Bound(bound)),
            Interpolated::Stopped => Ok(Unbounded::Stopped),
            Interpolated::Unknown(why) => Ok(Unbounded::Unknown(why)),
            // The run, or the token that is put on a marked place.
            Interpolated::Reached(steps) => match unbounded(self.steps_of_net(net, steps)?) {
                Err(Why::Bound(_)) => {
                    Ok(Unbounded::Unknown("the net is not safe: a token is put on a marked place".to_owned()))
                }
                found => found,
            },
        }
    }

    fn prove(&mut self) -> Result<Unbounded, Why> {
        if let Some(net) = self.net
            && let Some(found) = self.prove_net(net)?
        {
            return Ok(found);
        }
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let found = automata::prove(self.system, self.goal, self.solvers, &stop, &mut |level| {
            stats.levels = Some(level);
            observer.formula(stats);
        })?;
        Ok(found)
    }

    /// Uses the net itself; returns `None` if only its automata can be used.
    fn prove_net(&mut self, net: &Net) -> Result<Option<Unbounded>, Why> {
        let known = self.markings(net, &Formula::False)?.unwrap_or_default();
        let (stats, observer) = (&mut self.stats, &mut *self.observer);
        let stop = stop(self.limits, self.system.code.signal);
        let (net, system) = ((net, &known), (self.system, self.goal));
        supported(net::prove(net, system, self.solvers, &stop, &mut |level| {
            stats.levels = Some(level);
            observer.formula(stats);
        }))
    }
}

/// Returns `None` if formulas of the net do not support it, or the query.
fn supported<T>(found: Result<Option<T>, EncodingError>) -> Result<Option<T>, Why> {
    match found {
        Err(EncodingError::Unsupported(_)) => Ok(None),
        found => Ok(found?),
    }
}

impl FormulaQuestion<'_> {
    /// A run as it is shown, if it is wanted and the limits allow it. It is replayed once more for
    /// its states.
    fn shown(&self, run: &replay::Trace) -> Option<Trace> {
        if !self.options.traces {
            return None;
        }
        let (mut passed, stop) = (Vec::new(), stop(self.limits, self.system.code.signal));
        let ended = replay::replay_each(self.system, run, None, &mut |visit| {
            passed.push(visit);
            !stop()
        });
        (ended == Ok(true)).then(|| Trace::of_run(passed, None))
    }
}

/// Which limit was reached. The memory that formulas take is not counted: whoever raises the signal
/// looks at all that there is.
fn reached(limits: &Limits<'_>, signal: Signal) -> Stop {
    if let Some(stop) = signal.raised() {
        stop
    } else if limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        Stop::Interrupted
    } else if limits.expired.is_some_and(|expired| expired()) {
        Stop::Time
    } else {
        Stop::Memory
    }
}

/// Whether to give up.
fn stop<'a>(limits: &'a Limits<'a>, signal: Signal) -> impl Fn() -> bool + 'a {
    move || {
        limits.expired.is_some_and(|expired| expired())
            || limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || signal.raised().is_some()
    }
}
