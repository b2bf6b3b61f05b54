//! Probabilities that symbolic analysis knows: 0 where nothing is reachable, 1 where everything
//! is reached.
//!
//! Every random run is a run of the model. If no run of the model reaches something within the
//! bound, its probability is 0; if all maximal runs do, it is 1. Nothing else follows: what is
//! reachable may have the probability 0, as a moment that a race never hits. Where time is bounded,
//! a clock that the model does not have shows the time.

use std::sync::Arc;

use model::{
    Formula, LoweredQuery, Property, System,
    replay::replay,
    stochastic::{PathGoal, PathProperty, RunMeasure},
    system::{Clock, ClockConstraint, ClockId, ClockTerm, Operand, Sync},
};
use verify::{Engine, Proof, Reason, Request, Target, Trace, Unproved, Verdict};

use super::path::{PathClaim, goal};
use crate::{
    Limits, Observer, Options, Session, Stats,
    evidence::{Judged, judge},
    session::Setup,
};

/// The most states of a search that comes before random runs.
const MOST_STATES: usize = 1_000_000;
/// Bounds beyond this are none for clocks.
const MOST_TIME: f64 = 1e15;

/// A probability that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Certainty {
    /// The probability: 0 or 1.
    pub probability: f64,
    /// Why it is certain.
    pub why: String,
    /// The query about states that the proof of the answer is about, if there is a proof: `E<>`,
    /// which is not satisfied, or `A[]`, which is.
    pub proves: Option<String>,
}

/// What symbolic analysis has said.
#[derive(Default)]
pub(super) struct Symbolic {
    pub known: Option<Certainty>,
    /// A run that reaches what is asked for, or violates what always has to hold.
    pub trace: Option<Trace>,
    /// Why nothing is known.
    pub why_not: Option<String>,
    /// The proof of what is known.
    pub proof: Option<Result<Arc<Proof>, Unproved>>,
    pub stats: Stats,
}

/// Returns the part of the limits that is for symbolic analysis; the rest is for random runs.
pub(super) fn share_of(limits: &Limits) -> Limits {
    Limits {
        time: limits.time.map(|time| time / 2),
        states: Some(limits.states.unwrap_or(MOST_STATES).min(MOST_STATES)),
        ..*limits
    }
}

impl Session<'_> {
    /// Asks whether a probability is 0 or 1.
    pub(super) fn ask_symbolically(
        &self,
        setup: &Setup,
        claim: &PathClaim,
        path: &PathProperty,
        (options, limits): (&Options, &Limits),
        observer: &mut dyn Observer,
    ) -> Symbolic {
        let mut said = Symbolic::default();
        if has_strict_urgency(&setup.system) {
            said.why_not =
                Some("strict guards of urgent edges have no first moment, which random runs take".to_owned());
            return said;
        }
        let window = Window::of(path);
        let is_never = matches!(path.path, PathGoal::Never(_));
        let within = if window.is_some() { " within the time bound" } else { "" };
        let asked = Asked { query: &claim.reaches, window, side: Side::Reaches, proves: false };
        let found = self.search(setup, asked, (options, limits), observer);
        said.stats.counts = found.counts;
        match found.holds {
            Some(false) => {
                let what = if is_never { "violates it" } else { "satisfies it" };
                let why =
                    format!("no reachable state {what}{within}, by an exhaustive search of {}", states(found.states));
                let probability = if is_never { 1.0 } else { 0.0 };
                if options.certificate {
                    // The clock for the time is not in the model, so that only a proof for all
                    // times is one.
                    let asked = Asked { window: None, proves: true, ..asked };
                    said.proof = self.search(setup, asked, (options, limits), observer).proof.filter(Result::is_ok);
                }
                let proves = said.proof.is_some().then(|| claim.text.clone());
                said.known = Some(Certainty { probability, why, proves });
                return said;
            }
            Some(true) => said.trace = found.trace.and_then(|trace| self.plain_trace(setup, claim, &trace)),
            None => {
                said.why_not = Some(found.why.unwrap_or_default());
                return said;
            }
        }
        // Steps and costs don't pass by themselves, so that only time can bound all runs.
        let (Some(always), Some(window)) = (&claim.always, window) else { return said };
        let asked = Asked { query: always, window: Some(window), side: Side::Always, proves: false };
        let found = self.search(setup, asked, (options, limits), observer);
        if found.holds == Some(true) {
            let what = if is_never { "violates" } else { "satisfies" };
            let why = format!("every run {what} it{within}, by an exhaustive search of {}", states(found.states));
            said.known = Some(Certainty { probability: if is_never { 0.0 } else { 1.0 }, why, proves: None });
        }
        said
    }

    /// Asks a query about states, within a window of time.
    fn search(
        &self,
        setup: &Setup,
        Asked { query, window, side, proves }: Asked<'_>,
        (options, limits): (&Options, &Limits),
        observer: &mut dyn Observer,
    ) -> Found {
        let (mut system, mut property) = setup.system.with(query);
        if let Some(window) = window {
            window.restrict(&mut system, &mut property);
        }
        let mut search = setup.options.clone();
        search.cluster = None;
        if options.order.is_none() {
            // Short probes by directed searches find what there is; the rest is exhaustive.
            search.order = verify::Order::Adaptive;
        }
        let mut found = Found::default();
        let request = Request {
            system: &system,
            target: Target::Properties(&[&property]),
            engine: Engine::Zones(&search),
            proves,
        };
        self.run(&request, (limits, None), observer, &mut |_, mut answer, _| {
            found.counts = answer.counts;
            found.states = answer.counts.stored;
            found.holds = match (&answer.verdict, side, &property) {
                (Verdict::Satisfied | Verdict::NotSatisfied, Side::Reaches, Property::State { exists, .. }) => {
                    Some((answer.verdict == Verdict::Satisfied) == *exists)
                }
                (Verdict::Satisfied | Verdict::NotSatisfied, Side::Always, Property::Run { exists, .. }) => {
                    Some((answer.verdict == Verdict::Satisfied) != *exists)
                }
                (Verdict::Unknown(reason), ..) => {
                    found.why = Some(match reason {
                        Reason::Limit(_) => "the symbolic search was too large to be completed".to_owned(),
                        reason => format!("symbolic analysis decides nothing: {reason}"),
                    });
                    None
                }
                _ => None,
            };
            found.proof = answer.proof.take();
            if let (Some(true), Side::Reaches, Judged::Trace(trace)) =
                (found.holds, side, judge(&system, &property, &mut answer))
            {
                found.trace = Some(trace);
            }
        });
        if found.holds.is_none() && found.why.is_none() {
            found.why = Some("the symbolic search was stopped".to_owned());
        }
        found
    }

    /// Returns the same run without the clock for the time, if it ends within the bound.
    fn plain_trace(&self, setup: &Setup, claim: &PathClaim, trace: &Trace) -> Option<Trace> {
        let (system, property) = setup.system.with(&claim.reaches);
        let run = replay(&system, &trace.run()?, goal(&property)).ok()?;
        let plain = Trace::of_run(run, None);
        (claim.is_within(&plain) != Some(false)).then_some(plain)
    }
}

fn states(count: usize) -> String {
    if count == 1 { "one state".to_owned() } else { format!("{count} states") }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked<'q> {
    query: &'q LoweredQuery,
    /// The moments that count.
    window: Option<Window>,
    side: Side,
    /// Whether a proof is wanted.
    proves: bool,
}

/// Which of two queries is asked.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Whether something can happen.
    Reaches,
    /// Whether it has to.
    Always,
}

/// What a search has found.
#[derive(Default)]
struct Found {
    /// Whether it can happen, or has to; `None`: that is unknown.
    holds: Option<bool>,
    trace: Option<Trace>,
    why: Option<String>,
    proof: Option<Result<Arc<Proof>, Unproved>>,
    states: usize,
    counts: explore::search::Counts,
}

/// Moments that count: from one to another, both included.
#[derive(Clone, Copy)]
struct Window {
    from: f64,
    limit: f64,
}

impl Window {
    /// Returns the moments that count for a property; `None`: its bound is not one of time.
    fn of(path: &PathProperty) -> Option<Window> {
        match path.bound.measure {
            RunMeasure::Time { from } if path.bound.limit <= MOST_TIME => {
                Some(Window { from, limit: path.bound.limit })
            }
            _ => None,
        }
    }

    /// Restricts a property to the moments that count. Where these are not whole numbers, more of
    /// them count for what can happen, and fewer for what has to.
    fn restrict(self, system: &mut System, property: &mut Property) {
        system.clocks.push(Clock { name: "time".to_owned(), initial: 0 });
        let time = ClockTerm::Clock(ClockId(system.clocks.len() as u32 - 1));
        let zero = ClockTerm::Clock(ClockId(0));
        let constraint = |left, right, bound: f64, strict| {
            let bound = Operand::Const(bound as i64);
            Formula::Clock(ClockConstraint { condition: None, left, right, bound, strict })
        };
        match property {
            Property::State { goal, .. } => {
                let late = constraint(zero, time, -self.from.floor(), false);
                let early = constraint(time, zero, self.limit.ceil(), false);
                let parts = [std::mem::replace(goal, Formula::True), late, early];
                *goal = Formula::join(true, parts);
            }
            Property::Run { always, .. } => {
                let before = constraint(time, zero, self.from.ceil(), true);
                let after = constraint(zero, time, -self.limit.floor(), true);
                let parts = [std::mem::replace(always, Formula::True), before, after];
                *always = Formula::join(false, parts);
            }
            Property::Bounds { .. } => {}
        }
    }
}

/// Returns whether an urgent synchronisation becomes possible after a moment, and not at it. Random
/// runs wait for the next moment on their grid then, which no run of the model does.
fn has_strict_urgency(system: &System) -> bool {
    system.edges.iter().any(|edge| {
        let urgent = match edge.sync {
            Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].urgent,
            Sync::Internal | Sync::Event(_) => false,
        };
        urgent && edge.guard.clocks.iter().any(|c| c.strict)
    })
}
