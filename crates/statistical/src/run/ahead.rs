//! Races where moments have to be looked for: conditions on clocks that are not linear in time.
//!
//! What a process can do is looked for up to a horizon, which grows until the winner is certain:
//! any other process would be later, whatever is beyond the horizon. Each process draws one random
//! number for all these attempts, so that they do not affect the distribution. An invariant that
//! does not end within [`LOOK_AHEAD`] samples is taken not to bound the delay.

use model::{
    random::RunRandom,
    stochastic::RunFormula,
    system::{EdgeId, Guard},
};

use super::{Race, Runner};
use crate::{
    grid::Ticks,
    network::{LOOK_AHEAD, OutputKind},
    problem::RunFault,
};

/// The number of samples up to the first horizon.
const FIRST_HORIZON: i64 = 16;

/// What a process can do, in delays from now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outlook {
    /// The first moment at which it can start a transition.
    first: Option<Ticks>,
    /// The end of its invariant.
    end: Option<Ticks>,
    /// The first moment at which it can start an urgent transition.
    urgent: Option<Ticks>,
    /// Whether its location is committed or urgent.
    is_urgent: bool,
    /// Whether the end was looked for up to a horizon only, and may be later.
    is_open: bool,
}

impl Outlook {
    /// Returns whether its process can start a transition now, and whether it has to if it can.
    pub(super) fn standing(&self) -> (bool, bool) {
        (self.first == Some(0), self.is_urgent || self.end == Some(0) || self.urgent == Some(0))
    }
}

/// A delay that a process has drawn.
enum Drawn {
    /// It is known.
    At(Ticks),
    /// It is at least this one: the process is not known up to the end.
    AtLeast(Ticks),
    /// It is beyond the horizon, or there is none.
    Beyond,
}

impl Runner<'_> {
    /// Lets the processes race. `left` is what is left of the run.
    pub(super) fn race_ahead(&mut self, random: &mut RunRandom, left: Option<Ticks>) -> Result<Race, RunFault> {
        let step = self.state.sampling();
        let farthest = step.saturating_mul(LOOK_AHEAD);
        let mut horizon = step.saturating_mul(FIRST_HORIZON);
        self.shares.clear();
        self.shares.resize(self.outlooks.len(), None);
        loop {
            let (latest, is_known) = self.look_up_to(horizon, left)?;
            if latest == Some(0) {
                return Ok(Race { latest, winner: None, seen: None });
            }
            let is_last = horizon >= farthest;
            let mut shortest: Option<Ticks> = None;
            let mut open: Option<Ticks> = None;
            self.ready.clear();
            for process in 0..self.outlooks.len() {
                match self.draw_up_to(random, process, horizon, is_last)? {
                    Drawn::At(delay) => {
                        if shortest.is_none_or(|shortest| delay < shortest) {
                            shortest = Some(delay);
                            self.ready.clear();
                        }
                        if shortest == Some(delay) {
                            self.ready.push(process);
                        }
                    }
                    Drawn::AtLeast(delay) => open = Some(open.map_or(delay, |open| open.min(delay))),
                    Drawn::Beyond => {}
                }
            }
            let raced = shortest.filter(|delay| latest.is_none_or(|latest| *delay <= latest));
            let next = raced.or(latest);
            let is_certain = |next: Ticks| next <= horizon && open.is_none_or(|open| next < open);
            // The run ends before anything else happens.
            let is_over = left.is_some_and(|left| is_certain(left) && next.is_none_or(|next| next > left));
            if is_known || is_last || is_over || next.is_some_and(is_certain) {
                let winner = |delay: Ticks| {
                    let at = if self.ready.len() == 1 { 0 } else { random.below(self.ready.len() as u64) as usize };
                    (delay, self.ready[at])
                };
                let seen = if is_known { None } else { Some(horizon) };
                return Ok(Race { latest, winner: raced.map(winner), seen });
            }
            horizon = horizon.saturating_mul(2).min(farthest);
        }
    }

    /// Finds out what all processes can do up to a horizon. Returns the last delay that is allowed,
    /// if it is known, and whether nothing is beyond the horizon.
    fn look_up_to(&mut self, horizon: Ticks, left: Option<Ticks>) -> Result<(Option<Ticks>, bool), RunFault> {
        let mut is_known = true;
        // Nothing begins after the end of the run.
        let useful = left.map_or(horizon, |left| horizon.min(left.saturating_add(1)));
        let mut latest: Option<Ticks> = None;
        for process in 0..self.outlooks.len() {
            let outlook = self.outlook_up_to(process, [horizon, useful])?;
            is_known &= !self.state.is_cut && !outlook.is_open;
            let stops = if outlook.is_urgent { Some(0) } else { None };
            for end in [outlook.end, outlook.urgent, stops].into_iter().flatten() {
                latest = Some(latest.map_or(end, |latest| latest.min(end)));
            }
            self.outlooks[process] = outlook;
        }
        self.state.horizon = None;
        Ok((latest, is_known))
    }

    fn outlook_up_to(&mut self, process: usize, [horizon, useful]: [Ticks; 2]) -> Result<Outlook, RunFault> {
        let (network, state) = (self.network, &mut self.state);
        let system = network.system;
        let location = state.location(process);
        let place = &system.locations[location.0 as usize];
        (state.horizon, state.is_cut) = (Some(horizon), false);
        let end = state.end_of_any_invariant(location)?;
        let mut outlook = Outlook {
            end,
            is_urgent: place.urgent || place.committed,
            is_open: state.is_cut && end.is_none(),
            ..Outlook::default()
        };
        (state.horizon, state.is_cut) = (Some(useful), false);
        let guarded = |edge: EdgeId| -> (&Guard, Option<&RunFormula>) {
            (&system.edges[edge.0 as usize].guard, network.guard(edge).map(|rest| &rest.holds))
        };
        for output in &network.place(location).outputs {
            let note = |at: Option<Ticks>, outlook: &mut Outlook| {
                let earlier = |before: Option<Ticks>| match (before, at) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                outlook.first = earlier(outlook.first);
                if output.urgent {
                    outlook.urgent = earlier(outlook.urgent);
                }
            };
            let OutputKind::Binary(channel) = output.kind else {
                note(state.first_of(&[guarded(output.edge)])?, &mut outlook);
                continue;
            };
            for other in (0..system.processes.len()).filter(|other| *other != process) {
                for &receive in system.receiving(state.location(other), channel) {
                    note(state.first_of(&[guarded(output.edge), guarded(receive)])?, &mut outlook);
                }
            }
        }
        if self.barred[process] {
            outlook.first = outlook.first.map(|first| first.max(1));
        }
        Ok(outlook)
    }

    /// Lets a process draw its delay. `is_last`: nothing is beyond the horizon.
    fn draw_up_to(
        &mut self,
        random: &mut RunRandom,
        process: usize,
        horizon: Ticks,
        is_last: bool,
    ) -> Result<Drawn, RunFault> {
        let Outlook { first: Some(first), end, urgent, is_open, .. } = self.outlooks[process] else {
            return Ok(Drawn::Beyond);
        };
        let share = *self.shares[process].get_or_insert_with(|| random.open_unit());
        let uniform = |end: Ticks| first.saturating_add(((end - first + 1) as f64 * (1.0 - share)) as Ticks);
        let bounded = |delay: Ticks| urgent.map_or(delay, |urgent| delay.min(urgent.max(first)));
        let exponential = |runner: &mut Self| -> Result<Ticks, RunFault> {
            let rate = runner.rate(process)?;
            Ok(first.saturating_add(runner.state.grid.floor(-libm::log(share) / rate)))
        };
        Ok(match end {
            Some(end) if end < first => Drawn::Beyond,
            Some(end) => Drawn::At(bounded(uniform(end).min(end))),
            None if is_open && !is_last => Drawn::AtLeast(bounded(uniform(horizon.max(first)).min(exponential(self)?))),
            None => Drawn::At(bounded(exponential(self)?)),
        })
    }
}
