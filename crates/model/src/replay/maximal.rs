//! Replays maximal runs, which are infinite or end in a deadlock, and satisfy a formula throughout.

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

/// The continuation of a maximal run after its last step and delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last state is equivalent to the state after this number of steps (see [`Regions`]), so
    /// the steps after that one can be repeated infinitely often, perhaps with other delays.
    Cycle(usize),
    /// Time diverges.
    Waits,
    /// The state is a deadlock: no transition is possible, now or after any allowed delay, and time
    /// can't diverge.
    Stops,
}

/// The claim that a maximal run is evidence for.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'f> {
    /// The formula that holds at every moment, those within delays and cycles included.
    pub always: &'f Formula,
    /// If given, `always` is required only from some moment on at which this formula holds.
    pub after: Option<&'f Formula>,
    /// The continuation of the run.
    pub ending: Ending,
}

/// Executes a trace and checks the claim. Returns the visited states.
///
/// # Errors
/// The trace is not a run that shows the claim.
pub fn replay_maximal(system: &System, trace: &Trace, claim: &Claim<'_>) -> Result<Vec<Visit>, Refusal> {
    let run = super::replay(system, trace, None)?;
    let mut monitor = ClaimMonitor { claim, armed: claim.after.is_none(), kept: 0 };
    let mut replayer = Replayer::new(system);
    for (i, visit) in run.iter().enumerate() {
        monitor.wait(&mut replayer, &visit.state, Some(Cut { at: visit.delay, after: true }), i)?;
    }
    if !monitor.armed {
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
            // The formula may be required only from a moment within the cycle on. It has to hold at
            // the moments before too, since they are repeated.
            if monitor.kept > start {
                return Err(Refusal::Always(monitor.kept));
            }
        }
        Ending::Waits => {
            let last = last.end();
            if !replayer.may_wait(&last).map_err(Stuck::at(end))? {
                return Err(Refusal::Ending("time can't diverge"));
            }
            monitor.wait(&mut replayer, &last, None, end)?;
        }
        Ending::Stops => {
            let last = last.end();
            monitor.stop(&mut replayer, &last, end)?;
        }
    }
    if monitor.armed { Ok(run) } else { Err(Refusal::Always(end)) }
}

/// Monitors the formula of a claim.
struct ClaimMonitor<'c> {
    claim: &'c Claim<'c>,
    /// Whether it has held since the moment from which on it is required.
    armed: bool,
    /// The step before which it last failed, plus one.
    kept: usize,
}

impl ClaimMonitor<'_> {
    /// Checks the formula at one moment.
    fn observe(&mut self, replayer: &mut Replayer<'_>, state: &ConcreteState, step: usize) -> Result<(), Refusal> {
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

    /// Checks the formula at all moments of a delay up to its end; `None` if time diverges. Its
    /// truth changes only at moments at which one of its constraints does, so these moments and one
    /// between each two of them are enough.
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
            // A delay may come arbitrarily close to a moment that it does not reach.
            let reached = end.is_none_or(|end| border < end.at || end.after);
            let within = match (borders.get(i + 1), end) {
                (Some(&next), _) => Some(border.middle(next).ok_or(digits.clone())?),
                (None, None) => Some(border.plus(Ratio::from(1)).ok_or(digits.clone())?),
                (None, Some(_)) => None,
            };
            for moment in [reached.then_some(border), within].into_iter().flatten() {
                let state = replayer.later(state, moment, &stopped, step)?;
                self.observe(replayer, &state, step)?;
            }
        }
        Ok(())
    }

    /// Checks the rest of a run that can't delay forever: it must end in a deadlock.
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
    /// Returns the state after a delay, whether or not that is allowed.
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

    /// Collects the delays at which constraints of a formula change their truth.
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
            _ => formula.parts().iter().try_for_each(|p| syntax::grow(|| self.borders(p, state, stopped, out))),
        }
    }

    /// Returns whether time can diverge.
    fn may_wait(&mut self, state: &ConcreteState) -> Result<bool, Stuck> {
        let system = self.system;
        let places = self.locations(&state.row);
        let stops_time = |l: &LocationId| {
            let location = &system.locations[l.0 as usize];
            location.urgent || location.committed
        };
        if places.iter().any(stops_time) {
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

    /// Returns whether the state is a deadlock: no transition is possible, now or after any allowed
    /// delay. `None` if that is undecided.
    pub(super) fn is_dead(&mut self, state: &ConcreteState) -> Result<Option<bool>, Fault> {
        let Ok(situation) = Simulator::new(self.system).situation(state) else { return Ok(None) };
        match situation.failures.first() {
            _ if !situation.choices.is_empty() => Ok(Some(false)),
            Some(failure) => Err(failure.fault),
            None => Ok(Some(true)),
        }
    }

    /// Returns the largest number that clocks or their differences are compared with.
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
