//! Replays runs that go on for ever, or end where nothing is possible any more, and satisfy a formula throughout.

use super::{Refusal, Replayer, State, Trace, regions::Regions};
use crate::{
    machine::Fault,
    property::Formula,
    ratio::Ratio,
    system::{EdgeId, LocationId, Operand, Sync, System},
    vector::Joint,
};

/// How a maximal run goes on behind its last step and delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last state is equivalent to the one behind this many steps (see [`Regions`]), so that the steps behind that
    /// one can be taken again and again, though perhaps with other delays.
    Cycle(usize),
    /// Time passes for ever.
    Waits,
    /// No transition is possible, nor will be after any delay that is allowed, and time can't pass for ever.
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

/// How many moments of a last delay are looked at, at most.
const MAX_MOMENTS: usize = 20_000;

/// Runs a trace and checks what it is said to show. Returns the states as [`super::replay`] does.
///
/// # Errors
/// Why it is no such run.
pub fn replay_maximal(system: &System, trace: &Trace, claim: &Claim<'_>) -> Result<Vec<State>, Refusal> {
    let states = super::replay(system, trace, None)?;
    let mut watch = Watch { claim, armed: claim.after.is_none(), kept: 0 };
    let mut replayer = Replayer::new(system);
    let cycle = match claim.ending {
        Ending::Cycle(start) => Some(start),
        _ => None,
    };
    for (i, state) in states.iter().enumerate() {
        if cycle == Some(i) && !watch.settle(&mut replayer, state, i)? {
            return Err(Refusal::Always(i));
        }
        let delay = trace.steps.get(i).map_or(trace.last_delay, |s| Some(s.delay)).unwrap_or(Ratio::ZERO);
        watch.wait(&mut replayer, state, Some(delay), i)?;
    }
    if !watch.armed {
        return Err(Refusal::Always(trace.steps.len()));
    }
    let (end, Some(last)) = (trace.steps.len(), states.last()) else { return Err(Refusal::Initial) };
    match claim.ending {
        Ending::Cycle(start) => {
            let formulas: Vec<&Formula> = claim.after.into_iter().chain([claim.always]).collect();
            let back = start < end
                && trace.last_delay.is_none_or(|d| d == Ratio::ZERO)
                && Regions::new(system, &formulas).equivalent(&states[start], last);
            if !back {
                return Err(Refusal::Ending("the cycle does not come back"));
            }
            if watch.kept > start {
                return Err(Refusal::Always(watch.kept));
            }
        }
        Ending::Waits => {
            let mut last = last.clone();
            replayer.delay(&mut last, trace.last_delay.unwrap_or(Ratio::ZERO), end)?;
            if !replayer.may_wait(&last).map_err(|f| Refusal::Fault(end, f))? {
                return Err(Refusal::Ending("time can't pass for ever"));
            }
            watch.wait(&mut replayer, &last, None, end)?;
        }
        Ending::Stops => {
            let mut last = last.clone();
            replayer.delay(&mut last, trace.last_delay.unwrap_or(Ratio::ZERO), end)?;
            watch.stop(&mut replayer, &last, end)?;
        }
    }
    if watch.armed { Ok(states) } else { Err(Refusal::Always(end)) }
}

/// Whether the claim's formula has held so far.
struct Watch<'c> {
    claim: &'c Claim<'c>,
    /// Whether it has held since a moment from which on it counts.
    armed: bool,
    /// The step before which it last failed, plus one.
    kept: usize,
}

impl Watch<'_> {
    /// Looks at one moment.
    fn look(&mut self, replayer: &mut Replayer<'_>, state: &State, step: usize) -> Result<(), Refusal> {
        let fault = |f| Refusal::Fault(step, f);
        if replayer.holds(self.claim.always, state).map_err(fault)? == Some(false) {
            self.kept = step + 1;
            self.armed = false;
            return if self.claim.after.is_none() { Err(Refusal::Always(step)) } else { Ok(()) };
        }
        if let Some(after) = self.claim.after
            && !self.armed
        {
            self.armed = replayer.holds(after, state).map_err(fault)? != Some(false);
        }
        Ok(())
    }

    /// Whether the formula counts from this state on at the latest.
    fn settle(&mut self, replayer: &mut Replayer<'_>, state: &State, step: usize) -> Result<bool, Refusal> {
        self.look(replayer, state, step)?;
        Ok(self.armed)
    }

    /// Looks at all moments of a delay; `None`: it has no end. A formula changes its truth at moments at which one of
    /// its constraints does, so these and one moment between each two of them are enough.
    fn wait(
        &mut self,
        replayer: &mut Replayer<'_>,
        state: &State,
        delay: Option<Ratio>,
        step: usize,
    ) -> Result<(), Refusal> {
        let fault = |f| Refusal::Fault(step, f);
        let stopped = replayer.stopped(state).map_err(fault)?;
        let mut borders = vec![Ratio::ZERO];
        for formula in self.claim.after.into_iter().chain([self.claim.always]) {
            replayer.borders(formula, state, &stopped, &mut borders).map_err(fault)?;
        }
        borders.retain(|t| *t >= Ratio::ZERO && delay.is_none_or(|d| *t <= d));
        borders.extend(delay);
        borders.sort_unstable();
        borders.dedup();
        for (i, &border) in borders.iter().enumerate() {
            let within = match (borders.get(i + 1), delay) {
                (Some(&next), _) => Some(border.middle(next).ok_or(Refusal::Overflow)?),
                (None, None) => Some(border.plus(Ratio::from(1)).ok_or(Refusal::Overflow)?),
                (None, Some(_)) => None,
            };
            for moment in [Some(border), within].into_iter().flatten() {
                let state = replayer.later(state, moment, &stopped)?;
                self.look(replayer, &state, step)?;
            }
        }
        Ok(())
    }

    /// Looks at all that is left of a run that can't wait for ever: no transition may be possible. That changes only at
    /// moments at which the value of some clock is a whole number.
    fn stop(&mut self, replayer: &mut Replayer<'_>, state: &State, step: usize) -> Result<(), Refusal> {
        let fault = |f| Refusal::Fault(step, f);
        let stopped = replayer.stopped(state).map_err(fault)?;
        let mut moment = Ratio::ZERO;
        for _ in 0..MAX_MOMENTS {
            let now = replayer.later(state, moment, &stopped)?;
            let mut next: Option<Ratio> = None;
            for (value, _) in now.clocks.iter().zip(&stopped).skip(1).filter(|(_, stopped)| !**stopped) {
                let whole = Ratio::new(value.floor() + 1, 1).ok_or(Refusal::Overflow)?;
                let until = whole.minus(*value).and_then(|d| moment.plus(d)).ok_or(Refusal::Overflow)?;
                next = Some(next.map_or(until, |n| n.min(until)));
            }
            let within = next.map(|n| moment.middle(n).ok_or(Refusal::Overflow)).transpose()?;
            for at in [Some(moment), within].into_iter().flatten() {
                let mut then = state.clone();
                match replayer.delay(&mut then, at, step) {
                    Ok(()) => {}
                    Err(Refusal::Delay(..)) => return Ok(()),
                    Err(refusal) => return Err(refusal),
                }
                self.look(replayer, &then, step)?;
                if !self.armed {
                    return Err(Refusal::Always(step));
                }
                if replayer.can_act(&then).map_err(fault)? {
                    return Err(Refusal::Ending("a transition is possible"));
                }
            }
            match next {
                Some(next) => moment = next,
                // Without clocks that run time may pass, or not.
                None if replayer.may_wait(state).map_err(fault)? => break,
                None => return Ok(()),
            }
        }
        Err(Refusal::Ending("time does not stop"))
    }
}

impl Replayer<'_> {
    /// A state after a delay, whether that is allowed or not.
    pub(crate) fn later(&self, state: &State, delay: Ratio, stopped: &[bool]) -> Result<State, Refusal> {
        let mut later = state.clone();
        for (clock, _) in later.clocks.iter_mut().zip(stopped).skip(1).filter(|(_, stopped)| !**stopped) {
            *clock = clock.plus(delay).ok_or(Refusal::Overflow)?;
        }
        Ok(later)
    }

    /// The delays at which constraints of a formula change their truth.
    pub(crate) fn borders(
        &mut self,
        formula: &Formula,
        state: &State,
        stopped: &[bool],
        out: &mut Vec<Ratio>,
    ) -> Result<(), Fault> {
        match formula {
            Formula::Clock(c) => {
                self.machine.load(&state.row);
                let bound = Ratio::from(self.number(c.bound)?);
                let (left, right) = (self.clock(c.left)?, self.clock(c.right)?);
                let moves = |x: usize| x != 0 && !stopped[x];
                let slack = state.clocks[left].minus(state.clocks[right]).and_then(|d| bound.minus(d));
                match (moves(left), moves(right)) {
                    (true, false) => out.extend(slack),
                    (false, true) => out.extend(slack.and_then(|s| Ratio::ZERO.minus(s))),
                    _ => {}
                }
                Ok(())
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().try_for_each(|p| syntax::grow(|| self.borders(p, state, stopped, out)))
            }
            _ => Ok(()),
        }
    }

    /// Whether time may pass for ever.
    fn may_wait(&mut self, state: &State) -> Result<bool, Fault> {
        let system = self.system;
        let places = self.locations(&state.row);
        let stands = |l: &LocationId| {
            let location = &system.locations[l.0 as usize];
            location.urgent || location.committed
        };
        if places.iter().any(stands) {
            return Ok(false);
        }
        let stopped = self.stopped(state)?;
        let moves = |x: usize| x != 0 && !stopped[x];
        for place in &places {
            self.machine.load(&state.row);
            for c in &system.locations[place.0 as usize].invariant.clocks {
                if self.test(c.condition)? && moves(self.clock(c.left)?) && !moves(self.clock(c.right)?) {
                    return Ok(false);
                }
            }
        }
        Ok(!self.urgent_before(state, None, &stopped)?)
    }

    /// Whether no transition is possible, nor will be after any delay that is allowed. What is possible changes only at
    /// moments at which the value of some clock is a whole number, and not at all once all that run are above every
    /// number. `None`: that takes too long.
    pub(super) fn is_dead(&mut self, state: &State) -> Result<Option<bool>, Fault> {
        let stopped = self.stopped(state)?;
        let most = Ratio::from(self.largest());
        let mut moment = Ratio::ZERO;
        for _ in 0..MAX_MOMENTS {
            let Ok(now) = self.later(state, moment, &stopped) else { return Ok(None) };
            let running = || now.clocks.iter().zip(&stopped).skip(1).filter(|(_, stopped)| !**stopped).map(|(v, _)| *v);
            // The next moment at which one of them is a whole number.
            let until = |v: Ratio| Ratio::new(v.floor() + 1, 1).and_then(|whole| whole.minus(v));
            let next = running().filter_map(until).min().and_then(|d| moment.plus(d));
            for at in [Some(moment), next.and_then(|next| moment.middle(next))].into_iter().flatten() {
                let mut then = state.clone();
                match self.delay(&mut then, at, 0) {
                    Ok(()) => {}
                    Err(Refusal::Delay(..)) => return Ok(Some(true)),
                    Err(Refusal::Fault(_, fault)) => return Err(fault),
                    Err(_) => return Ok(None),
                }
                if self.can_act(&then)? {
                    return Ok(Some(false));
                }
            }
            match next {
                Some(next) if running().any(|v| v <= most) => moment = next,
                _ => return Ok(Some(true)),
            }
        }
        Ok(None)
    }

    /// The largest number that clocks or their differences are compared with.
    pub(crate) fn largest(&self) -> i32 {
        let guards = self.system.edges.iter().map(|e| &e.guard);
        let invariants = self.system.locations.iter().map(|l| &l.invariant);
        let size = |bound: Operand| match bound {
            Operand::Const(n) => n.saturating_abs(),
            Operand::Code { low, high, .. } => low.saturating_abs().max(high.saturating_abs()),
        };
        guards.chain(invariants).flat_map(|g| &g.clocks).map(|c| size(c.bound)).max().unwrap_or(0)
    }

    /// Whether a transition is possible at once. Priorities do not matter: some transition has the highest.
    fn can_act(&mut self, state: &State) -> Result<bool, Fault> {
        let system = self.system;
        let places = self.locations(&state.row);
        self.machine.load(&state.row);
        let mut candidates: Vec<Vec<EdgeId>> = Vec::new();
        let is_committed = |l: LocationId| system.locations[l.0 as usize].committed;
        let committed = places.iter().any(|l| is_committed(*l));
        for (p, &place) in places.iter().enumerate() {
            // Where another location must be left first, nobody looks at guards, so that they can't fail either.
            if !committed || is_committed(place) {
                candidates.extend(system.internal(place).iter().map(|e| vec![*e]));
            }
            for &send in system.sending(place) {
                let Sync::Send(channel) = system.edges[send.0 as usize].sync else { continue };
                // Who can't send is not listened to: in a large net that would be a look at all processes for every edge.
                if !self.guard_here(&system.edges[send.0 as usize].guard, state)? {
                    continue;
                }
                let others = places.iter().enumerate().filter(|(q, _)| *q != p).map(|(_, l)| *l);
                if !system.channels[channel.0 as usize].broadcast {
                    let receivers = others.flat_map(|l| system.receiving(l, channel));
                    candidates.extend(receivers.map(|r| vec![send, *r]));
                    continue;
                }
                // Whoever can receive does, by one of the edges that it can take.
                let mut sets = vec![vec![send]];
                for other in others {
                    let mut able = Vec::new();
                    for &r in system.receiving(other, channel) {
                        if self.guard(&system.edges[r.0 as usize].guard, state)? {
                            able.push(r);
                        }
                    }
                    if !able.is_empty() {
                        let with = |set: &Vec<EdgeId>, r: &EdgeId| set.iter().copied().chain([*r]).collect();
                        sets = sets.iter().flat_map(|set| able.iter().map(move |r| with(set, r))).collect();
                    }
                }
                candidates.extend(sets);
            }
        }
        Joint::new(system).for_each(&state.row, |_, edges| candidates.push(edges.to_vec()));
        for edges in candidates {
            match self.take(&mut state.clone(), &edges, 0) {
                Ok(()) => return Ok(true),
                Err(Refusal::Fault(_, fault)) => return Err(fault),
                Err(_) => {}
            }
        }
        Ok(false)
    }
}
