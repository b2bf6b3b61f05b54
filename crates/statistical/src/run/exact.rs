//! Races where all moments are known: what a process can do is an interval of moments.
//!
//! A process draws the moment at which it moves when it gets into a situation, and keeps it until
//! something changes that its possibilities depend on. It might as well draw again after every
//! transition: neither distribution has a memory. Given that it has not moved yet, a moment that is
//! uniform from `first` to `end` is uniform from now to `end`, and an exponential one is later than
//! now by an exponential delay. So a run can go on from any state with new moments for all.

use model::{Ratio, machine::Fault, random::RunRandom, replay::ConcreteState, simulate::Simulator};

use super::{MAX_MISSES, Race, Runner};
use crate::{
    choose::Offer,
    grid::Ticks,
    network::{Output, OutputKind, Touched},
    problem::RunFault,
    state::RunState,
    window::NEVER,
};

/// The moment of a process that has not drawn one.
const UNDRAWN: Ticks = Ticks::MIN;

/// What each process can do, in moments of the run.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    /// The moment at which it moves: [`NEVER`] if it can't, [`UNDRAWN`] if it is not known yet.
    moments: Vec<Ticks>,
    /// The last moment to which time may pass, because of this process.
    latest: Vec<Ticks>,
    each: Vec<Seat>,
    /// Processes that have to be looked at, perhaps repeated, and those that have to draw.
    stale: Vec<u32>,
    undrawn: Vec<u32>,
    /// The last moment at which nobody else has to be looked at.
    until: Ticks,
}

/// What a process can do.
#[derive(Clone, Debug)]
struct Seat {
    /// The first moment at which it can start a transition.
    first: Ticks,
    /// The end of its invariant.
    end: Ticks,
    /// The first moment at which it can start an urgent transition.
    urgent: Ticks,
    /// The last moment at which this is right, and what it depends on.
    until: Ticks,
    reads: Touched,
    /// The edges whose guards hold at some moment.
    offers: Vec<Offer>,
}

impl Seats {
    /// Creates seats of which nothing is known.
    pub(super) fn new(processes: usize) -> Seats {
        let seat = Seat {
            first: NEVER,
            end: NEVER,
            urgent: NEVER,
            until: NEVER,
            reads: Touched::default(),
            offers: Vec::new(),
        };
        Seats {
            moments: vec![NEVER; processes],
            latest: vec![NEVER; processes],
            each: vec![seat; processes],
            stale: Vec::new(),
            undrawn: Vec::new(),
            until: Ticks::MIN,
        }
    }

    /// Has all processes looked at again, and draw again.
    pub(super) fn forget_all(&mut self) {
        self.each.iter_mut().for_each(|seat| seat.until = Ticks::MIN);
        self.until = Ticks::MIN;
        // Runs don't depend on those before.
        self.moments.fill(NEVER);
        self.undrawn.clear();
    }

    /// The same for those of some for which something changes.
    #[inline]
    pub(super) fn forget(&mut self, changed: Touched, affected: &[u32]) {
        for &process in affected {
            let seat = &mut self.each[process as usize];
            if seat.reads.meets(changed) {
                seat.until = Ticks::MIN;
                self.stale.push(process);
            }
        }
    }

    /// Returns whether a process can start a transition now, and whether it has to if it can.
    pub(super) fn standing(&self, process: usize, now: Ticks) -> (bool, bool) {
        (self.each[process].first <= now, self.latest[process] <= now)
    }

    /// Returns the edges of a process, with the moments at which their guards hold.
    #[inline]
    pub(super) fn offers(&self, process: usize) -> &[Offer] {
        &self.each[process].offers
    }
}

impl Runner<'_> {
    /// Lets the processes race.
    pub(super) fn race_exactly(&mut self, random: &mut RunRandom) -> Result<Race, RunFault> {
        let now = self.state.time;
        self.look_again(now)?;
        let latest = self.seats.latest.iter().fold(NEVER, |least, latest| least.min(*latest));
        let known = (latest != NEVER).then_some((latest - now).max(0));
        if latest <= now {
            return Ok(Race { latest: known, winner: None, seen: None });
        }
        while let Some(process) = self.seats.undrawn.pop() {
            self.draw(random, process as usize)?;
        }
        let (mut shortest, mut winner, mut ties) = (NEVER, 0, 0_u64);
        for (process, &moment) in self.seats.moments.iter().enumerate() {
            if moment < shortest {
                (shortest, winner, ties) = (moment, process, 1);
            } else if moment == shortest {
                ties += 1;
            }
        }
        if shortest == NEVER || shortest > latest {
            return Ok(Race { latest: known, winner: None, seen: None });
        }
        if ties > 1 {
            let chosen = random.below(ties) as usize;
            let all = self.seats.moments.iter().enumerate().filter(|(_, moment)| **moment == shortest);
            winner = all.map(|(process, _)| process).nth(chosen).unwrap_or(winner);
        }
        Ok(Race { latest: known, winner: Some((shortest - now, winner)), seen: None })
    }

    /// Looks at the processes of which nothing is known.
    #[inline]
    fn look_again(&mut self, now: Ticks) -> Result<(), Fault> {
        if self.seats.until < now {
            self.seats.stale.clear();
            for process in 0..self.seats.each.len() {
                if self.seats.each[process].until < now {
                    self.look(process)?;
                }
            }
            self.seats.until = self.seats.each.iter().fold(NEVER, |least, seat| least.min(seat.until));
        }
        while let Some(process) = self.seats.stale.pop() {
            if self.seats.each[process as usize].until < now {
                self.look(process as usize)?;
                self.seats.until = self.seats.until.min(self.seats.each[process as usize].until);
            }
        }
        Ok(())
    }

    /// Finds out what a process can do.
    fn look(&mut self, process: usize) -> Result<(), Fault> {
        let Runner { network, state, seats, holding, .. } = self;
        let now = state.time;
        let location = state.location(process);
        let place = network.place(location);
        let seat = &mut seats.each[process];
        (seat.first, seat.urgent, seat.until) = (NEVER, NEVER, NEVER);
        seat.end = state.end_of_invariant(location)?.map_or(NEVER, |delay| now.saturating_add(delay));
        seat.offers.clear();
        match holding.outputs(state, location)? {
            Some(outputs) => {
                for output in outputs {
                    consider(state, process, (&place.outputs[*output as usize], *output), true, seat)?;
                }
            }
            None => {
                for (i, output) in place.outputs.iter().enumerate() {
                    consider(state, process, (output, i as u32), false, seat)?;
                }
            }
        }
        if let Some(exact) = &self.exact {
            seat.first = exact[process].unwrap_or(NEVER);
        }
        // What was tried at this moment, and is not possible, may be so a little later.
        if self.barred[process] && seat.first != NEVER {
            seat.first = seat.first.max(now + 1);
        }
        seats.latest[process] = if place.is_urgent { now } else { seat.end.min(seat.urgent) };
        if seats.moments[process] != UNDRAWN {
            seats.moments[process] = UNDRAWN;
            seats.undrawn.push(process as u32);
        }
        match place.reads {
            Some(reads) => seat.reads = reads,
            None => (seat.reads, seat.until) = (Touched::default(), Ticks::MIN),
        }
        Ok(())
    }

    /// Notes that a process could not move: the targets of its edges do not allow it, or others go
    /// first. If that happens often, all moments at which something is possible are computed, so
    /// that nobody tries in vain for ever.
    pub(super) fn miss(&mut self, process: usize) {
        self.seats.each[process].until = Ticks::MIN;
        self.seats.stale.push(process as u32);
        self.misses += 1;
        if self.misses < MAX_MISSES || self.network.has_other_rates || self.network.is_hybrid {
            return;
        }
        let (state, system) = (&self.state, self.network.system);
        let clocks: Option<Vec<Ratio>> = state.clocks.iter().map(|value| state.grid.ratio(*value)).collect();
        let Some(clocks) = clocks else { return };
        let here = ConcreteState { row: state.machine.row().to_vec(), clocks };
        let Ok(situation) = Simulator::new(system).situation(&here) else { return };
        let mut first: Vec<Option<Ticks>> = vec![None; self.barred.len()];
        for choice in &situation.choices {
            let process = system.edges[choice.edges[0].0 as usize].process.0 as usize;
            let intervals = choice.delays.intervals().iter();
            let starts = intervals.filter_map(|interval| state.grid.first_after(interval.from));
            first[process] = starts.chain(first[process]).min();
        }
        let at = |delay: Ticks| state.time.saturating_add(delay);
        self.exact = Some(first.into_iter().map(|first| first.map(at)).collect());
        self.seats.forget_all();
    }

    /// Draws the moment at which a process moves.
    fn draw(&mut self, random: &mut RunRandom, process: usize) -> Result<(), RunFault> {
        let Seat { first, end, urgent, .. } = &self.seats.each[process];
        let (first, end, urgent) = (*first, *end, *urgent);
        let first = first.max(self.state.time);
        let drawn = if first == NEVER || end < first {
            NEVER
        } else if end != NEVER {
            // A moment that is certain needs no random number.
            let width = (end - first) as u64;
            first + if width == 0 { 0 } else { random.below(width + 1) as Ticks }
        } else {
            let constant = self.network.place(self.state.location(process)).constant_rate;
            let rate = constant.map_or_else(|| self.rate(process), Ok)?;
            first.saturating_add(self.state.grid.floor(random.exponential() / rate))
        };
        self.seats.moments[process] = if drawn == NEVER { NEVER } else { drawn.min(urgent.max(first)) };
        Ok(())
    }
}

/// Adds what a process can do by one of its edges. `is_tested`: the condition of its guard holds.
#[inline]
fn consider(
    state: &mut RunState<'_>,
    process: usize,
    (output, number): (&Output, u32),
    is_tested: bool,
    seat: &mut Seat,
) -> Result<(), Fault> {
    let (network, now) = (state.network, state.time);
    let Some(sends) = state.edge_window(output.edge, is_tested)? else { return Ok(()) };
    let (from, to) = (now.saturating_add(sends.from), now.saturating_add(sends.to));
    seat.offers.push(Offer { output: number, from, to });
    seat.until = seat.until.min(to);
    let mut first = from;
    if let OutputKind::Binary(channel) = output.kind {
        first = NEVER;
        for receiver in network.receivers(channel, process) {
            for &receive in network.receiving(receiver, state.location(receiver.process)) {
                let receives = state.edge_window(receive, false)?;
                if let Some(both) = receives.and_then(|receives| receives.and(sends)) {
                    first = first.min(now.saturating_add(both.from));
                    seat.until = seat.until.min(now.saturating_add(both.to));
                }
            }
        }
    }
    seat.first = seat.first.min(first);
    if output.urgent {
        seat.urgent = seat.urgent.min(first);
    }
    Ok(())
}
