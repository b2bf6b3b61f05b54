//! Replays runs that go on for ever, or end where nothing is possible any more, and satisfy a
//! formula throughout.

use super::{
    ConcreteState, DIGITS, Difference, Motion, Refusal, Replayer, Stuck, TOO_MANY, Trace, Visit, regions::Regions,
};
use crate::{
    machine::Fault,
    property::Formula,
    ratio::Ratio,
    simulate::{Cut, Simulator, Trouble},
    system::{LocationId, Operand, System},
};

/// How a maximal run goes on behind its last step and delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last state is equivalent to the one behind this many steps (see [`Regions`]), so that
    /// the steps behind that one can be taken again and again, though perhaps with other delays.
    Cycle(usize),
    /// Time passes for ever.
    Waits,
    /// No transition is possible, nor will be after any delay that is allowed, and time can't pass
    /// for ever.
    Stops,
}

/// What a maximal run is said to show.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'f> {
    /// Holds at every moment, those within delays and those of cycles and endless delays included.
    pub always: &'f Formula,
    /// `always` counts only from some moment on at which this holds.
    pub after: Option<&'f Formula>,
    /// How the run ends.
    pub ending: Ending,
}

/// Runs a trace and checks what it is said to show. Returns the states that it passes.
///
/// # Errors
/// Why it is no such run.
pub fn replay_maximal(system: &System, trace: &Trace, claim: &Claim<'_>) -> Result<Vec<Visit>, Refusal> {
    let run = super::replay(system, trace, None)?;
    let mut watch = ClaimMonitor { claim, armed: claim.after.is_none(), kept: 0 };
    let mut replayer = Replayer::new(system);
    for (i, visit) in run.iter().enumerate() {
        watch.wait(&mut replayer, &visit.state, Some(Cut { at: visit.delay, behind: true }), i)?;
    }
    if !watch.armed {
        return Err(Refusal::Always(trace.steps.len()));
    }
    let (end, Some(last)) = (trace.steps.len(), run.last()) else { return Err(Refusal::Initial) };
    match claim.ending {
        Ending::Cycle(start) => {
            let formulas: Vec<&Formula> = claim.after.into_iter().chain([claim.always]).collect();
            let back = start < end
                && last.delay == Ratio::ZERO
                && Regions::new(system, &formulas).equivalent(&run[start].state, &last.state);
            if !back {
                return Err(Refusal::Ending("the cycle does not come back"));
            }
            // The formula may count from a moment within the cycle on. It has to hold at those
            // before it too, since they come again.
            if watch.kept > start {
                return Err(Refusal::Always(watch.kept));
            }
        }
        Ending::Waits => {
            let last = last.end();
            if !replayer.may_wait(&last).map_err(Stuck::at(end))? {
                return Err(Refusal::Ending("time can't pass for ever"));
            }
            watch.wait(&mut replayer, &last, None, end)?;
        }
        Ending::Stops => {
            let last = last.end();
            watch.stop(&mut replayer, &last, end)?;
        }
    }
    if watch.armed { Ok(run) } else { Err(Refusal::Always(end)) }
}

/// Whether the claim's formula has held so far.
struct ClaimMonitor<'c> {
    claim: &'c Claim<'c>,
    /// Whether it has held since a moment from which on it counts.
    armed: bool,
    /// The step before which it last failed, plus one.
    kept: usize,
}

impl ClaimMonitor<'_> {
    /// Looks at one moment.
    fn look(&mut self, replayer: &mut Replayer<'_>, state: &ConcreteState, step: usize) -> Result<(), Refusal> {
        if !replayer.decides(self.claim.always, state, step)? {
            self.kept = step + 1;
            self.armed = false;
            return if self.claim.after.is_none() { Err(Refusal::Always(step)) } else { Ok(()) };
        }
        if let Some(after) = self.claim.after
            && !self.armed
        {
            self.armed = replayer.decides(after, state, step)?;
        }
        Ok(())
    }

    /// Looks at all moments of a delay up to its end; `None`: it has no end. A formula changes its
    /// truth at moments at which one of its constraints does, so these and one moment between each
    /// two of them are enough.
    fn wait(
        &mut self,
        replayer: &mut Replayer<'_>,
        state: &ConcreteState,
        end: Option<Cut>,
        step: usize,
    ) -> Result<(), Refusal> {
        let stopped = replayer.stopped(&state.row).map_err(|fault| Refusal::Fault(step, fault))?;
        let mut borders = vec![Ratio::ZERO];
        for formula in self.claim.after.into_iter().chain([self.claim.always]) {
            replayer.borders(formula, state, &stopped, &mut borders).map_err(Stuck::at(step))?;
        }
        borders.retain(|t| *t >= Ratio::ZERO && end.is_none_or(|end| *t < end.at));
        borders.extend(end.map(|end| end.at));
        borders.sort_unstable();
        borders.dedup();
        let digits = Refusal::Unclear(step, DIGITS);
        for (i, &border) in borders.iter().enumerate() {
            // A delay may come as near as it likes to a moment that it does not reach.
            let reached = end.is_none_or(|end| border < end.at || end.behind);
            let within = match (borders.get(i + 1), end) {
                (Some(&next), _) => Some(border.middle(next).ok_or(digits.clone())?),
                (None, None) => Some(border.plus(Ratio::from(1)).ok_or(digits.clone())?),
                (None, Some(_)) => None,
            };
            for moment in [reached.then_some(border), within].into_iter().flatten() {
                let state = replayer.later(state, moment, &stopped, step)?;
                self.look(replayer, &state, step)?;
            }
        }
        Ok(())
    }

    /// Looks at all that is left of a run that can't wait for ever: no transition may be possible.
    fn stop(&mut self, replayer: &mut Replayer<'_>, state: &ConcreteState, step: usize) -> Result<(), Refusal> {
        let situation = Simulator::new(replayer.system).situation(state);
        let situation = situation.map_err(|trouble| Stuck::at(step)(trouble.into()))?;
        if !situation.choices.is_empty() {
            return Err(Refusal::Ending("a transition is possible"));
        }
        if let Some(failure) = situation.failures.first() {
            return Err(Refusal::Fault(step, failure.fault));
        }
        if situation.wait.to.is_none() {
            return Err(Refusal::Ending("time does not stop"));
        }
        self.wait(replayer, state, situation.wait.to, step)
    }
}

impl From<Trouble> for Stuck {
    fn from(trouble: Trouble) -> Stuck {
        Stuck::Unclear(match trouble {
            Trouble::Overflow => DIGITS,
            Trouble::TooMany => TOO_MANY,
        })
    }
}

impl Replayer<'_> {
    /// A state after a delay, whether that is allowed or not.
    pub(crate) fn later(
        &self,
        state: &ConcreteState,
        delay: Ratio,
        stopped: &[bool],
        step: usize,
    ) -> Result<ConcreteState, Refusal> {
        let clocks = Motion::new(&state.clocks, stopped).after(delay).ok_or(Refusal::Unclear(step, DIGITS))?;
        Ok(ConcreteState { row: state.row.clone(), clocks })
    }

    /// The delays at which constraints of a formula change their truth.
    pub(crate) fn borders(
        &mut self,
        formula: &Formula,
        state: &ConcreteState,
        stopped: &[bool],
        out: &mut Vec<Ratio>,
    ) -> Result<(), Stuck> {
        match formula {
            Formula::Clock(c) => {
                self.machine.load(&state.row);
                let Some(Difference { left, right, bound, .. }) = self.difference(c)? else { return Ok(()) };
                let moves = |x: usize| x != 0 && !stopped[x];
                if moves(left) == moves(right) {
                    return Ok(());
                }
                // left + t - right is the bound, or left - right - t.
                let slack = state.clocks[left].minus(state.clocks[right]).and_then(|d| Ratio::from(bound).minus(d));
                let border = if moves(left) { slack } else { slack.and_then(|s| Ratio::ZERO.minus(s)) };
                out.push(border.ok_or(Stuck::Unclear(DIGITS))?);
                Ok(())
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().try_for_each(|p| syntax::grow(|| self.borders(p, state, stopped, out)))
            }
            _ => Ok(()),
        }
    }

    /// Whether time may pass for ever.
    fn may_wait(&mut self, state: &ConcreteState) -> Result<bool, Stuck> {
        let system = self.system;
        let places = self.locations(&state.row);
        let stands = |l: &LocationId| {
            let location = &system.locations[l.0 as usize];
            location.urgent || location.committed
        };
        if places.iter().any(stands) {
            return Ok(false);
        }
        let stopped = self.stopped(&state.row)?;
        let moves = |x: usize| x != 0 && !stopped[x];
        for place in &places {
            self.machine.load(&state.row);
            for c in &system.locations[place.0 as usize].invariant.clocks {
                if self.test(c.condition)? && moves(self.clock(c.left)?) && !moves(self.clock(c.right)?) {
                    return Ok(false);
                }
            }
        }
        let motion = Motion::new(&state.clocks, &stopped);
        self.urgent_before(&state.row, &motion, None).map(|urgent| !urgent)
    }

    /// Whether no transition is possible, nor will be after any delay that is allowed. `None`: that
    /// is not known.
    pub(super) fn is_dead(&mut self, state: &ConcreteState) -> Result<Option<bool>, Fault> {
        let Ok(situation) = Simulator::new(self.system).situation(state) else { return Ok(None) };
        match situation.failures.first() {
            _ if !situation.choices.is_empty() => Ok(Some(false)),
            Some(failure) => Err(failure.fault),
            None => Ok(Some(true)),
        }
    }

    /// The largest number that clocks or their differences are compared with.
    pub(crate) fn largest(&self) -> i64 {
        let guards = self.system.edges.iter().map(|e| &e.guard);
        let invariants = self.system.locations.iter().map(|l| &l.invariant);
        let size = |bound: Operand| {
            let (low, high) = bound.range();
            low.saturating_abs().max(high.saturating_abs())
        };
        guards.chain(invariants).flat_map(|g| &g.clocks).map(|c| size(c.bound)).max().unwrap_or(0)
    }
}
