//! The first moment at which something holds.
//!
//! Constraints of clocks on the grid with integers are exact. Other comparisons are between
//! floating-point numbers: `<=` holds if it fails by at most [`TOLERANCE`], and a moment at which
//! it begins to hold is rounded down to the grid. Where values are linear in time, such moments are
//! computed; elsewhere they are looked for at distances of [`Network::discretization`], and then by
//! bisection. What holds for a shorter time may be missed.
//!
//! [`Network::discretization`]: crate::Network

use model::{
    code::Pc,
    stochastic::{RealTerm, RunFormula},
    system::{ClockConstraint, Guard},
};

use crate::{
    grid::Ticks,
    network::LOOK_AHEAD,
    problem::RunFault,
    state::RunState,
    window::{NEVER, Window},
};

/// By how much a comparison may fail that holds, relative to the greater of 1 and both sides.
pub(crate) const TOLERANCE: f64 = 1e-6;
/// The number of samples between two looks at the signal that stops the work.
const POLL: u64 = 4096;

/// A comparison whose sides are floating-point numbers: `left - right <= bound`, or `<`.
#[derive(Clone, Copy)]
pub(crate) enum Gap<'f> {
    Terms(&'f RealTerm, &'f RealTerm),
    Clocks(usize, usize, f64),
}

/// A comparison or another condition that changes while time passes.
#[derive(Clone, Copy)]
enum Atom<'f> {
    Comparison(Gap<'f>, bool),
    Code(Pc),
}

impl<'a> RunState<'a> {
    /// Returns the first delay from `from` to `to` after which a formula holds. `None` for `to`:
    /// any delay.
    pub(crate) fn earliest(
        &mut self,
        formula: &RunFormula,
        from: Ticks,
        to: Option<Ticks>,
    ) -> Result<Option<Ticks>, RunFault> {
        let within = |at: Ticks| to.is_none_or(|to| at <= to).then_some(at);
        match formula {
            RunFormula::True => Ok(within(from)),
            RunFormula::False => Ok(None),
            RunFormula::Condition(pc) => Ok(if self.machine.test(*pc)? { within(from) } else { None }),
            RunFormula::Clock(c) => self.earliest_constraint(c, from, to),
            RunFormula::Comparison { left, right, strict } => {
                self.earliest_atom(Atom::Comparison(Gap::Terms(left, right), *strict), from, to)
            }
            RunFormula::Timed(pc) => self.earliest_atom(Atom::Code(*pc), from, to),
            RunFormula::Or(parts) => {
                let mut first: Option<Ticks> = None;
                for part in parts {
                    if let Some(at) = self.earliest(part, from, first.or(to))? {
                        first = Some(at);
                    }
                }
                Ok(first)
            }
            RunFormula::And(parts) => {
                let mut at = from;
                loop {
                    let before = at;
                    for part in parts {
                        match self.earliest(part, at, to)? {
                            Some(next) => at = next,
                            None => return Ok(None),
                        }
                    }
                    if at == before {
                        return Ok(Some(at));
                    }
                }
            }
        }
    }

    fn earliest_constraint(
        &mut self,
        c: &ClockConstraint,
        from: Ticks,
        to: Option<Ticks>,
    ) -> Result<Option<Ticks>, RunFault> {
        if let Some(gap) = self.gap(c)? {
            return self.earliest_atom(Atom::Comparison(gap, c.strict), from, to);
        }
        let found = self.constraint(c)?.and_then(|window| window.and(Window { from, to: NEVER }));
        Ok(found.map(|window| window.from).filter(|at| to.is_none_or(|to| *at <= to)))
    }

    /// Returns a constraint as a comparison of floating-point numbers, if it applies and one of its
    /// clocks has such values.
    pub(crate) fn gap(&mut self, c: &ClockConstraint) -> Result<Option<Gap<'static>>, RunFault> {
        if !self.network.has_analog {
            return Ok(None);
        }
        let (left, right) = (self.clock(c.left)?, self.clock(c.right)?);
        if !self.is_analog(left) && !self.is_analog(right) || !self.test(c.condition)? {
            return Ok(None);
        }
        Ok(Some(Gap::Clocks(left, right, self.number(c.bound)? as f64)))
    }

    /// Returns by how much a comparison fails after a delay, if that is positive, and what it may
    /// fail by.
    fn excess(&mut self, gap: Gap<'_>, delay: Ticks) -> Result<(f64, f64), RunFault> {
        let (left, right) = match gap {
            Gap::Terms(left, right) => (self.value(left, delay)?, self.value(right, delay)?),
            Gap::Clocks(left, right, bound) => (self.clock_at(left, delay)?, self.clock_at(right, delay)? + bound),
        };
        Ok((left - right, TOLERANCE * left.abs().max(right.abs()).max(1.0)))
    }

    fn holds(&mut self, atom: Atom<'_>, delay: Ticks) -> Result<bool, RunFault> {
        Ok(self.sample(atom, delay)?.0)
    }

    /// Returns whether a comparison of floating-point numbers holds now.
    pub(crate) fn gap_holds(&mut self, gap: Gap<'_>, strict: bool) -> Result<bool, RunFault> {
        self.holds(Atom::Comparison(gap, strict), 0)
    }

    fn earliest_atom(&mut self, atom: Atom<'_>, from: Ticks, to: Option<Ticks>) -> Result<Option<Ticks>, RunFault> {
        if to.is_some_and(|to| to < from) {
            return Ok(None);
        }
        if self.holds(atom, from)? {
            return Ok(Some(from));
        }
        let Atom::Comparison(gap, strict) = atom else { return self.search(atom, from, to) };
        match self.gap_line(gap)? {
            Some((excess, rate)) => self.crossing(gap, strict, (excess, rate), from, to),
            None => self.search(atom, from, to),
        }
    }

    /// Returns by how much a comparison fails now, and the rate of that, if it is constant.
    fn gap_line(&mut self, gap: Gap<'_>) -> Result<Option<(f64, f64)>, RunFault> {
        let (left, right, bound) = match gap {
            Gap::Terms(left, right) => (self.line(left)?, self.line(right)?, 0.0),
            Gap::Clocks(left, right, bound) => (self.clock_line(left)?, self.clock_line(right)?, bound),
        };
        Ok(left.zip(right).map(|((a, p), (b, q))| (a - b - bound, p - q)))
    }

    /// Returns the first delay after which a comparison holds whose excess is linear. It does not
    /// hold after `from`.
    fn crossing(
        &mut self,
        gap: Gap<'_>,
        strict: bool,
        (excess, rate): (f64, f64),
        from: Ticks,
        to: Option<Ticks>,
    ) -> Result<Option<Ticks>, RunFault> {
        // What is not a number never holds.
        if rate.is_nan() || excess.is_nan() || rate >= 0.0 {
            return Ok(None);
        }
        let root = self.grid.floor(excess / -rate).max(from);
        let is_late = |at: Ticks| to.is_some_and(|to| at > to);
        // Rounding may be wrong by a step or two.
        for at in (root.saturating_add(i64::from(strict))..).take(3) {
            if is_late(at) {
                return Ok(None);
            }
            if self.holds(Atom::Comparison(gap, strict), at)? {
                return Ok(Some(at));
            }
        }
        let at = root.saturating_add(3);
        Ok(if is_late(at) { None } else { Some(at) })
    }

    /// Looks for the first delay after which a condition holds, which it does not after `from`.
    fn search(&mut self, atom: Atom<'_>, from: Ticks, to: Option<Ticks>) -> Result<Option<Ticks>, RunFault> {
        let step = self.sampling();
        let end = to.unwrap_or(from.saturating_add(step.saturating_mul(LOOK_AHEAD)));
        let seen = self.horizon.map_or(end, |horizon| horizon.min(end));
        let mut before = from;
        let depth = self.sample(atom, from)?.1;
        let mut trail = depth.map(|depth| [(from, f64::MAX), (from, depth)]);
        for count in 1_u64.. {
            if before >= seen {
                break;
            }
            if count.is_multiple_of(POLL)
                && let Some(stop) = self.network.system.code.stopped()
            {
                return Err(RunFault::Stopped(stop));
            }
            let next = before.saturating_add(step).min(seen);
            let (holds, depth) = self.sample(atom, next)?;
            if holds {
                return self.bisected(atom, before, next).map(Some);
            }
            if let (Some([first, second]), Some(depth)) = (trail, depth) {
                if second.1 < first.1
                    && second.1 <= depth
                    && let Some(at) = self.touch(atom, [first, second, (next, depth)])?
                {
                    return self.bisected(atom, first.0, at).map(Some);
                }
                trail = Some([second, (next, depth)]);
            }
            before = next;
        }
        self.is_cut |= seen < end;
        Ok(None)
    }

    /// Returns whether a condition holds after a delay, and by how much a comparison fails.
    fn sample(&mut self, atom: Atom<'_>, delay: Ticks) -> Result<(bool, Option<f64>), RunFault> {
        match atom {
            Atom::Code(pc) => {
                self.show_clocks(delay)?;
                Ok((self.machine.test(pc)?, None))
            }
            Atom::Comparison(gap, strict) => {
                let (excess, tolerance) = self.excess(gap, delay)?;
                Ok((if strict { excess < 0.0 } else { excess <= tolerance }, Some(excess)))
            }
        }
    }

    /// Returns a delay between three samples after which a comparison holds, if its excess seems to
    /// have a minimum there: that of a parabola.
    fn touch(&mut self, atom: Atom<'_>, samples: [(Ticks, f64); 3]) -> Result<Option<Ticks>, RunFault> {
        let [(a, p), (b, q), (c, r)] = samples.map(|(at, depth)| (at as f64, depth));
        let (left, right) = ((b - a) * (q - r), (b - c) * (q - p));
        let vertex = b - 0.5 * ((b - a) * left - (b - c) * right) / (left - right);
        if !(a..=c).contains(&vertex) {
            return Ok(None);
        }
        let at = vertex as Ticks;
        Ok(if self.holds(atom, at)? { Some(at) } else { None })
    }

    /// Returns the first delay at which a condition holds that fails at the first delay and holds
    /// at the second one.
    fn bisected(&mut self, atom: Atom<'_>, mut fails: Ticks, mut holds: Ticks) -> Result<Ticks, RunFault> {
        // Where the comparison holds without tolerance, that is where it begins to.
        let exactly = match atom {
            Atom::Comparison(gap, false) if self.excess(gap, holds)?.0 <= 0.0 => Some(gap),
            _ => None,
        };
        while fails + 1 < holds {
            let middle = fails + (holds - fails) / 2;
            let here = match exactly {
                Some(gap) => self.excess(gap, middle)?.0 <= 0.0,
                None => self.holds(atom, middle)?,
            };
            if here {
                holds = middle;
            } else {
                fails = middle;
            }
        }
        // It begins to hold between both.
        Ok(if exactly.is_some() && self.holds(atom, fails)? { fails } else { holds })
    }

    /// Returns the first delay after which all guards hold, each with the rest of it.
    pub(crate) fn first_of(
        &mut self,
        guards: &[(&'a Guard, Option<&'a RunFormula>)],
    ) -> Result<Option<Ticks>, RunFault> {
        let mut window = Window::ALL;
        for (guard, _) in guards {
            if !self.test(guard.condition)? {
                return Ok(None);
            }
            for c in &guard.clocks {
                if self.gap(c)?.is_some() {
                    continue;
                }
                match self.constraint(c)?.and_then(|other| window.and(other)) {
                    Some(both) => window = both,
                    None => return Ok(None),
                }
            }
        }
        let mut at = window.from;
        loop {
            let before = at;
            for (guard, rest) in guards {
                for c in &guard.clocks {
                    if let Some(gap) = self.gap(c)? {
                        match self.earliest_atom(Atom::Comparison(gap, c.strict), at, window.end())? {
                            Some(next) => at = next,
                            None => return Ok(None),
                        }
                    }
                }
                if let Some(rest) = rest {
                    match self.earliest(rest, at, window.end())? {
                        Some(next) => at = next,
                        None => return Ok(None),
                    }
                }
            }
            if at == before {
                return Ok(Some(at));
            }
        }
    }

    /// Returns the first delay up to `to` after which a clock is greater than a number.
    pub(crate) fn first_above(&mut self, clock: usize, limit: f64, to: Ticks) -> Result<Option<Ticks>, RunFault> {
        self.earliest_atom(Atom::Comparison(Gap::Clocks(0, clock, -limit), true), 0, Some(to))
    }

    /// Returns the first delay up to `to` after which a constraint fails that holds now.
    pub(crate) fn end_of_gap(&mut self, c: &ClockConstraint, to: Option<Ticks>) -> Result<Option<Ticks>, RunFault> {
        let Some(Gap::Clocks(left, right, bound)) = self.gap(c)? else { return Ok(None) };
        self.earliest_atom(Atom::Comparison(Gap::Clocks(right, left, -bound), !c.strict), 0, to)
    }
}
