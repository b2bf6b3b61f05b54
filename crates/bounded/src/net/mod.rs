//! Nets as formulas.
//!
//! A [`NetUnrolling`] has a formula for each step: time passes, then transitions fire. Solutions of
//! the conjunction are runs. The *exact* encodings have all runs and no others; those of the paper
//! ([`Paper`]) let time pass over firings that were due, so that what they find may be no run at
//! all.

mod check;
mod dates;
mod exact;
mod goal;
mod order;
mod paper;
mod reduce;
mod sizes;
mod trace;

use model::net::{Interval, Net, Timing};
use smt::{Real, Solver, Term, Terms, UpperBound};

use crate::code::Stop;

pub use check::{Setup, check, unroll};
use exact::Exact;
use order::order;
pub use paper::Paper;

pub use sizes::{Figures, FormulaSize};
pub use trace::concrete;

/// The formulas that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetEncoding {
    /// The paper's earlier one: ages of tokens are variables that grow by the delay. Linear
    /// arithmetic.
    Linear,
    /// The paper's: births of tokens are variables. Difference logic.
    Differences,
    /// The same with time that stops where something is due.
    ExactDifferences,
    /// Births are times of steps, so that these times are the only real variables. Exact.
    Events,
}

/// How much may fire in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepSemantics {
    /// One transition at most.
    Single,
    /// Transitions that could fire in any order.
    Independent,
    /// Each transition once, in a fixed order.
    Ordered,
}

/// What a run of a net does, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetRun {
    /// What happens, and when.
    pub events: Vec<(Moment, Event)>,
    /// When the last state is reached.
    pub end: Moment,
    /// Tokens that become available afterwards, if nothing fires.
    pub later: Vec<(Moment, u32)>,
}

/// A moment since the start, as numerator and denominator.
pub type Moment = (i64, i64);

/// What happens in a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A transition fires.
    Fires(u32),
    /// The token of a place becomes available. This is said only where it may matter which moment
    /// it is.
    Available(u32),
}

/// A formula that grows step by step.
pub trait NetUnrolling {
    /// One more step, unless somebody stops it: then it is not complete, and the formula is of no
    /// use any more.
    fn step(&mut self, stop: &Stop<'_>);

    /// The net.
    fn net(&self) -> &Net;

    /// How many steps there are.
    fn steps(&self) -> usize;

    /// What has to hold since this was asked the last time.
    fn facts(&mut self) -> Vec<Term>;

    /// The formulas.
    fn terms(&mut self) -> &mut Terms;

    /// Whether a place has a token behind the last step.
    fn marked(&self, place: usize) -> Term;

    /// The time behind the last step, and that at the start, if the formula has variables for them.
    fn time(&self) -> Option<(Real, Real)>;

    /// Nothing fires any more behind the last step.
    fn deadlock(&mut self) -> Term;

    /// Where in the last step a transition would put a token where there is one, so that the net is
    /// not safe.
    fn contacts(&self) -> &[Contact];

    /// Variables and constraints, with the question that is asked, as the paper counts them; for
    /// its formulas.
    fn written(&self, question: Term) -> Option<FormulaSize>;

    /// The run that a solution stands for; with a contact, the one up to it, and the transition
    /// that can't fire last.
    fn run(&self, solver: &mut dyn Solver, until: Option<&Contact>) -> NetRun;
}

/// A transition that would put a token where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Where it would.
    pub when: Term,
    transition: u32,
    /// The step, and what comes before it in that step.
    step: usize,
    before: usize,
}

/// What formulas do not support, as a noun in the plural.
pub type Refusal = String;

/// Whether formulas support a net.
///
/// # Errors
/// The first thing that they do not support.
pub fn supported(net: &Net) -> Result<(), Refusal> {
    if let Some(place) = net.places.iter().find(|p| p.tokens > 1) {
        return Err(format!("places with more than one token (`{}` has {})", place.written, place.tokens));
    }
    for t in &net.transitions {
        let arcs = [&t.takes, &t.puts, &t.tests, &t.inhibitors];
        if let Some(arc) = arcs.into_iter().flatten().find(|arc| arc.weight != 1) {
            let place = &net.places[arc.place as usize].written;
            return Err(format!(
                "arcs of weight other than 1 (the arc between `{place}` and `{}` has weight {})",
                t.written, arc.weight
            ));
        }
    }
    Ok(())
}

/// An age of at least the lower bound, as a bound on birth minus time.
fn low(interval: &Interval) -> UpperBound {
    UpperBound { value: -i64::from(interval.low), strict: interval.low_open }
}

/// An age of at most the upper bound, as a bound on time minus birth.
fn high(interval: &Interval) -> Option<UpperBound> {
    interval.high.map(|high| UpperBound { value: i64::from(high), strict: interval.high_open })
}

/// Whether tokens of a place are available as soon as they are there.
fn is_instant(net: &Net, place: usize) -> bool {
    net.timing != Timing::Places || net.places[place].delay == Interval::NOW
}

/// The sum of two moments.
fn sum(a: Moment, b: Moment) -> Moment {
    reduce(a.0 * b.1 + b.0 * a.1, a.1 * b.1)
}

/// The difference of two moments.
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
