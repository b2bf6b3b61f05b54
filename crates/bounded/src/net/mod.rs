//! Nets as formulas.
//!
//! A [`NetUnrolling`] has a formula for each step: time passes, then transitions fire. Solutions of
//! the conjunction are runs. The solutions of the *exact* encodings are exactly the runs of the
//! net. The encodings of the paper ([`Paper`]) let time pass beyond firings that are due, so a
//! solution need not be a run.

mod check;
mod dates;
mod exact;
mod goal;
mod interpolation;
mod marking;
mod order;
mod paper;
mod reduce;
mod relation;
mod sizes;
mod trace;

use model::net::{Interval, Net, Timing};
use smt::{Real, Solver, Term, Terms, UpperBound};

use crate::{Unsupported, code::Stop};

pub use check::{Setup, check, unroll};
use exact::Exact;
pub use interpolation::{Interpolated, generalise};
pub use marking::{MarkingInvariant, Markings, PlaceLiteral, exclude};
use order::order;
pub use paper::{Paper, Replacing};
pub use relation::{induct, prove, supported_unbounded};

pub use sizes::{Figures, FormulaSize};
pub use trace::{NetRunError, concrete};

/// An encoding of nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetEncoding {
    /// The earlier encoding of the paper: ages of tokens are variables that grow by the delay.
    /// Linear arithmetic.
    Linear,
    /// The encoding of the paper: birth times of tokens are variables. Difference logic.
    Differences,
    /// The same, but time stops when a firing is due. Exact.
    ExactDifferences,
    /// Birth times are times of steps, which are the only real variables. Exact.
    Events,
}

/// The transitions that may fire in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepSemantics {
    /// At most one transition.
    Single,
    /// Transitions that can fire in any order.
    Independent,
    /// Each transition once, in a fixed order.
    Ordered,
}

/// A run of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetRun {
    /// The events with their moments, in order.
    pub events: Vec<(Moment, Event)>,
    /// The moment of the last state.
    pub end: Moment,
}

/// The time since the start, as numerator and denominator.
pub type Moment = (i64, i64);

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A transition fires.
    Fires(u32),
    /// The token of a place becomes available. This event occurs only if its moment may matter.
    Available(u32),
}

/// An unrolling of a net, which grows step by step.
pub trait NetUnrolling {
    /// Adds a step. If `stop` interrupts it, the step is incomplete and the formula is unusable.
    fn step(&mut self, stop: &Stop<'_>);

    /// Returns the net.
    fn net(&self) -> &Net;

    /// Returns the number of steps.
    fn steps(&self) -> usize;

    /// Returns the constraints since the last call.
    fn facts(&mut self) -> Vec<Term>;

    /// Returns the terms.
    fn terms(&mut self) -> &mut Terms;

    /// Returns the term "a place has a token after the last step".
    fn marked(&self, place: usize) -> Term;

    /// Returns the times after the last step and at the start, if the formula has variables for
    /// them.
    fn time(&self) -> Option<(Real, Real)>;

    /// Returns the term "there is a deadlock after the last step".
    fn deadlock(&mut self) -> Term;

    /// Returns the contacts of the last step, which show that the net is not safe.
    fn contacts(&self) -> &[Contact];

    /// Returns the size of the formula with a query, as the paper counts it, for its encodings.
    fn size(&self, query: Term) -> Option<FormulaSize>;

    /// Returns the run of a solution. With a contact, the run ends with the transition that causes
    /// it.
    fn run(&self, solver: &mut dyn Solver, until: Option<&Contact>) -> NetRun;
}

/// A transition that would put a token on a marked place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Whether it would.
    pub when: Term,
    transition: u32,
    /// The step, and the number of possible events before it in that step.
    step: usize,
    before: usize,
}

/// Checks that formulas support a net.
///
/// # Errors
/// The first unsupported feature.
pub fn supported(net: &Net) -> Result<(), Unsupported> {
    if net.timing == Timing::Arcs {
        return Err(Unsupported::TokenAges);
    }
    if let Some(place) = net.places.iter().find(|p| p.tokens > 1) {
        return Err(Unsupported::ManyTokens { place: place.written.clone(), tokens: place.tokens });
    }
    if !net.priorities.is_empty() {
        return Err(Unsupported::Priorities);
    }
    for t in &net.transitions {
        if !t.runs.is_empty() || !t.stops.is_empty() {
            return Err(Unsupported::Stopwatches);
        }
        let arcs = [&t.takes, &t.puts, &t.tests, &t.inhibitors];
        if let Some(arc) = arcs.into_iter().flatten().find(|arc| arc.weight != 1) {
            let place = net.places[arc.place as usize].written.clone();
            return Err(Unsupported::Weights { place, transition: t.written.clone(), weight: arc.weight });
        }
    }
    Ok(())
}

/// Returns "the age is at least the lower bound", as a bound on birth minus time.
fn low(interval: &Interval) -> UpperBound {
    UpperBound { value: -i64::from(interval.low), strict: interval.low_open }
}

/// Returns "the age is at most the upper bound", as a bound on time minus birth.
fn high(interval: &Interval) -> Option<UpperBound> {
    interval.high.map(|high| UpperBound { value: i64::from(high), strict: interval.high_open })
}

/// Returns whether tokens of a place are available at once.
pub(crate) fn is_instant(net: &Net, place: usize) -> bool {
    net.timing != Timing::Places || net.places[place].delay == Interval::NOW
}

/// Returns the sum of two moments.
fn sum(a: Moment, b: Moment) -> Moment {
    reduce(a.0 * b.1 + b.0 * a.1, a.1 * b.1)
}

/// Returns the difference of two moments.
fn difference(a: Moment, b: Moment) -> Moment {
    sum(a, (-b.0, b.1))
}

fn reduce(p: i64, q: i64) -> Moment {
    let (mut x, mut y) = (p.unsigned_abs(), q.unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let divisor = x.max(1) as i64;
    (p / divisor, q / divisor)
}
