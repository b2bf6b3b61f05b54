//! The least and greatest values of clocks.
//!
//! Abstractions forget how large a clock is once it is above all numbers that it is
//! compared with. So it is watched as if it were compared with a number *k*: then all its values up
//! to *k* are those of real states. If a search finds none above *k*, the greatest that it saw is
//! the answer; otherwise the search starts again with a larger *k*. This ends unless the clock has
//! no bound, which is shown in one of three ways:
//! - in a zone that was not abstracted the clock has no upper bound;
//! - time may diverge while the condition holds;
//! - a run to a value above *k*, made concrete, passes two states that nothing distinguishes (see
//!   [`Regions`]; the watched clock counts only as far as the model and the condition compare it),
//!   with one or more whole units of time between them, and sets the clock neither between them nor
//!   later, other than to the value of a clock of which the same is true. What lies between them
//!   can be repeated as often as one likes, and takes the same time again: a clock that is set to 0
//!   in the first state is the same whole number in the second, whichever of two equivalent states
//!   the run starts from.
//!
//! If the clock has no bound the last one applies some day. A run to a value that is large enough
//! has, counted from any moment on, more whole units of time than there are regions, so that two
//! moments among them are equivalent.

use std::sync::atomic::{AtomicBool, Ordering};

use explore::{
    bounds::ClockBounds,
    graph::{Abstraction, RunError, ZoneGraph},
    parts::parts,
    time::Time,
    transitions::SymbolicTrace,
};
use model::{
    Formula, System,
    machine::Machine,
    replay::Regions,
    system::{ClockConstraint, ClockTerm, Operand},
};
use zone::{Bound, Federation};

use super::{
    ExtremeSearch, Limit,
    peak::{ClockPeak, Peak},
    repeats::{MAX_LENGTH, repeats},
};
use crate::{
    Plan, Reason,
    trace::{Aim, moves, run_to},
};

/// Values are searched for up to so many times the largest constant: a clock that grows beyond that
/// has no bound, and if that can't be shown the answer is unknown.
const MAX_GROWTH: i64 = 1 << 12;

/// Nor are numbers above this, with which zones would not be exact any more.
pub(crate) fn max_watched<B: Bound>() -> i64 {
    B::MAX_CONSTANT.into() >> 3
}

impl<B: Bound> ExtremeSearch<'_, B> {
    pub(super) fn greatest(&mut self, term: ClockTerm) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let least = ClockBounds::<B>::new(system, self.property).largest().max(B::LE_ZERO);
        let mut k = least;
        loop {
            let mut bounds = ClockBounds::<B>::new(system, self.property);
            bounds.watch(term, k, false);
            let (most, infinite) = (Peak::<B>::of_bounds(), AtomicBool::new(false));
            let beyond = self.explore(bounds, &ClockPeak(&most, &infinite), || {
                let (mut clocks, mut own) = (Clocks::new(system, term), None);
                let (most, infinite) = (&most, &infinite);
                move |graph: &mut ZoneGraph<'_, B>, plan: &Plan, row: &[i32], zone: &[B]| {
                    let Some(time) = Time::of(graph, row)? else { return Ok(false) };
                    let (x, dim) = (clocks.at(row)?, graph.dim());
                    for part in parts(graph, &time, predicate, row, zone)?.zones() {
                        let bound = part[x * dim];
                        most.raise(bound, &mut own);
                        let kept = plan.abstraction == Abstraction::None && !plan.stopwatches;
                        // Then the piece contains all delay successors of its valuations.
                        let open = || (1..dim).all(|y| part[y * dim] == B::INFINITY);
                        let passes =
                            || open() && time.is_exact() && !time.waits(part, &Federation::new(dim)).is_empty();
                        let is_infinite = bound == B::INFINITY && (kept || passes());
                        if is_infinite {
                            infinite.store(true, Ordering::Relaxed);
                        }
                        if is_infinite || bound > zone::le(k) {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
            })?;
            let found = vec![most.get().map(Bound::widest), infinite.load(Ordering::Relaxed).then_some(1)];
            let all = self.merged(found)?;
            most.set(all[0].and_then(B::of_widest));
            let Some(path) = beyond else {
                let number = |b: B| Limit::Number { value: zone::value(b).into(), strict: zone::is_strict(b) };
                return Ok(most.get().map(number));
            };
            if all[1].is_some() || self.grows(path, term, k) {
                return Ok(Some(Limit::Infinite));
            }
            k = next(k, least).ok_or(Reason::Growth(k.into()))?;
        }
    }

    pub(super) fn least(&mut self, term: ClockTerm) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let least = ClockBounds::<B>::new(system, self.property).largest().max(B::LE_ZERO);
        let mut k = least;
        loop {
            let mut bounds = ClockBounds::<B>::new(system, self.property);
            bounds.watch(term, k, true);
            // Bounds of `0 - x`: the larger, the smaller is x.
            let lowest = Peak::<B>::of_bounds();
            self.explore(bounds, &lowest, || {
                let (mut clocks, mut own, lowest) = (Clocks::new(system, term), None, &lowest);
                move |graph: &mut ZoneGraph<'_, B>, _: &Plan, row: &[i32], zone: &[B]| {
                    let Some(time) = Time::of(graph, row)? else { return Ok(false) };
                    let x = clocks.at(row)?;
                    for part in parts(graph, &time, predicate, row, zone)?.zones() {
                        lowest.raise(part[x], &mut own);
                    }
                    // No clock is ever negative.
                    Ok(own == Some(B::LE_ZERO))
                }
            })?;
            lowest.set(self.merged(vec![lowest.get().map(Bound::widest)])?[0].and_then(B::of_widest));
            let Some(bound) = lowest.get() else { return Ok(None) };
            let value = -zone::value(bound);
            // All that is above k may look as if it were next to it.
            if value < k || value == k && !zone::is_strict(bound) {
                return Ok(Some(Limit::Number { value: value.into(), strict: zone::is_strict(bound) }));
            }
            k = next(k, least).ok_or(Reason::Growth(k.into()))?;
        }
    }

    /// Whether a run along a path to a value above `k` shows that there is no bound.
    fn grows(&self, path: SymbolicTrace<B>, term: ClockTerm, k: B) -> bool {
        let regions = Regions::new(self.system, &[self.predicate]);
        let Some((_, last, _)) = path.last() else { return false };
        if regions.only_equal() || path.len() > MAX_LENGTH {
            return false;
        }
        let Ok(x) = Clocks::new(self.system, term).at(last) else { return false };
        let (left, right) = (ClockTerm::ZERO, term);
        let above = ClockConstraint { condition: None, left, right, strict: true, bound: Operand::Const((-k).into()) };
        let goal = Formula::join(true, [self.predicate.clone(), Formula::Clock(above)]);
        let Some(run) = run_to(self.system, &moves(path), Aim::Goal(&goal)) else { return false };
        repeats(self.system, &regions, &run, x).unwrap_or(false)
    }
}

/// A larger number to watch a clock up to; `least` is where that started.
fn next<B: Bound>(k: B, least: B) -> Option<B> {
    let most = B::constant(least.into().saturating_mul(MAX_GROWTH).min(max_watched::<B>()));
    (k < most).then(|| (k + k + B::LE_ZERO).min(most))
}

/// The clock that a term stands for in a state.
struct Clocks<'a> {
    machine: Machine<'a>,
    term: ClockTerm,
}

impl<'a> Clocks<'a> {
    fn new(system: &'a System, term: ClockTerm) -> Clocks<'a> {
        Clocks { machine: Machine::new(&system.code, system.initial.len()), term }
    }

    fn at(&mut self, row: &[i32]) -> Result<usize, RunError> {
        match self.term {
            ClockTerm::Clock(c) => Ok(c.0 as usize),
            ClockTerm::Element { pc, .. } => {
                self.machine.load(row);
                let error = |fault| RunError { fault, edges: Vec::new() };
                Ok(self.machine.value(pc).map_err(error)? as usize)
            }
        }
    }
}
