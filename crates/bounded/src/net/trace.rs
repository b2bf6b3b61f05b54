//! A run of a net as a run of its automata, step by step.
//!
//! The formulas say when transitions fire, and little about when tokens become available: as late
//! as possible. The automata want to know, so each token becomes available when it is needed, or
//! when it can wait no longer.

use model::{
    Ratio, System,
    machine::Machine,
    net::{Interval, Net, Timing, Transition},
    replay::{ConcreteState, Refusal, TimedStep, Trace},
    simulate::Simulator,
    system::{ChannelId, Edge, EdgeId, Sync},
};

use super::{Event, Moment, Run, is_instant};
use crate::{bound::in_words, code::Stop};

/// The run of the automata. If nothing is to follow, all tokens become available at the end.
///
/// # Errors
/// Why the net has no such run.
pub fn concrete(net: &Net, system: &System, run: &Run, is_dead: bool, stop: &Stop<'_>) -> Result<Trace, String> {
    let mut follower = Follower::new(net, system)?;
    for (at, event) in &run.events {
        if stop() {
            return Err("a limit was reached".to_owned());
        }
        let at = ratio(*at)?;
        follower.mature(at)?;
        match event {
            Event::Available(place) => follower.make_available(*place as usize, at)?,
            Event::Fires(t) => follower.fire(*t, at)?,
        }
    }
    let end = ratio(run.end)?;
    follower.mature(end)?;
    if is_dead {
        follower.come_to_rest(run)?;
    }
    let last = end.minus(follower.at).filter(|delay| *delay > Ratio::ZERO);
    Ok(Trace { steps: follower.steps, last_delay: last })
}

/// The run of the automata up to the first event at which they fail.
///
/// # Errors
/// They never do, or a limit was reached.
pub(super) fn before_failure(net: &Net, system: &System, run: &Run, stop: &Stop<'_>) -> Result<Trace, String> {
    let mut follower = Follower::new(net, system)?;
    for (at, event) in &run.events {
        if stop() {
            return Err("a limit was reached".to_owned());
        }
        let at = ratio(*at)?;
        follower.mature(at)?;
        let goes_on = match event {
            Event::Available(place) => follower.make_available(*place as usize, at),
            Event::Fires(t) => follower.fire(*t, at),
        };
        if goes_on.is_err() {
            let last = at.minus(follower.at).filter(|delay| *delay > Ratio::ZERO);
            return Ok(Trace { steps: follower.steps, last_delay: last });
        }
    }
    Err("nothing fails".to_owned())
}

struct Follower<'a> {
    net: &'a Net,
    system: &'a System,
    simulator: Simulator<'a>,
    machine: Machine<'a>,
    state: ConcreteState,
    at: Ratio,
    steps: Vec<TimedStep>,
    /// For each transition the edges on its channel.
    edges: Vec<Vec<EdgeId>>,
    /// For each place the edge by which its token becomes available.
    matures: Vec<Option<EdgeId>>,
    /// Since when there is a token that is not available.
    waits: Vec<Option<Ratio>>,
}

impl<'a> Follower<'a> {
    fn new(net: &'a Net, system: &'a System) -> Result<Follower<'a>, String> {
        let mut edges = vec![Vec::new(); net.transitions.len()];
        for (number, edge) in (0..).zip(&system.edges) {
            if let Sync::Send(ChannelId(c)) | Sync::Receive(ChannelId(c)) = edge.sync {
                edges[c as usize].push(EdgeId(number));
            }
        }
        // The processes of tokens stand behind that of the net, in the order of their places.
        let mut process = 0;
        let mut matures = vec![None; net.places.len()];
        if net.timing == Timing::Places {
            for (place, slot) in matures.iter_mut().enumerate().filter(|(place, _)| !is_instant(net, *place)) {
                process += 1;
                let own = |edge: &Edge| edge.process.0 == process && edge.sync == Sync::Internal;
                let found = system.edges.iter().position(own);
                let edge = found.ok_or_else(|| format!("the token of `{}` has no edge", net.places[place].name))?;
                *slot = Some(EdgeId(edge as u32));
            }
        }
        let mut simulator = Simulator::new(system);
        let state = simulator.start().map_err(|why| format!("the start is refused: {}", in_words(&why)))?;
        let waits = (0..net.places.len())
            .map(|place| (matures[place].is_some() && net.places[place].tokens > 0).then_some(Ratio::ZERO))
            .collect();
        Ok(Follower {
            net,
            system,
            simulator,
            machine: Machine::new(&system.code, system.initial.len()),
            state,
            at: Ratio::ZERO,
            steps: Vec::new(),
            edges,
            matures,
            waits,
        })
    }

    /// Takes a transition at a moment.
    fn act(&mut self, at: Ratio, edges: Vec<EdgeId>, what: &str) -> Result<(), String> {
        let delay = at.minus(self.at).filter(|delay| *delay >= Ratio::ZERO).ok_or("time goes back")?;
        let told = |why: Refusal| format!("{what} at {at}: {}", in_words(&why));
        if delay > Ratio::ZERO {
            self.state = self.simulator.wait(&self.state, delay).map_err(told)?;
        }
        self.state = self.simulator.take(&self.state, &edges).map_err(told)?;
        self.steps.push(TimedStep { delay, edges });
        self.at = at;
        Ok(())
    }

    /// What has waited as long as it may becomes available, up to a moment.
    fn mature(&mut self, until: Ratio) -> Result<(), String> {
        let due = |place: usize| self.deadline(place).filter(|deadline| *deadline <= until).map(|at| (at, place));
        let due: Vec<(Ratio, usize)> = (0..self.net.places.len()).filter_map(due).collect();
        self.mature_all(due)
    }

    /// When the token of a place must become available, at the latest.
    fn deadline(&self, place: usize) -> Option<Ratio> {
        let high = self.net.places[place].delay.high?;
        self.waits[place]?.plus(Ratio::from(high))
    }

    /// Tokens become available at their moments, in the order of time. Where the bound is strict it
    /// is some moment before it, but behind all that comes earlier.
    fn mature_all(&mut self, mut due: Vec<(Ratio, usize)>) -> Result<(), String> {
        let is_strict = |place: usize| {
            let delay = self.net.places[place].delay;
            delay.high.is_some() && delay.high_open
        };
        due.sort_by_key(|(at, place)| (*at, !is_strict(*place), *place));
        for (mut at, place) in due {
            if self.net.places[place].delay.high_open && self.deadline(place) == Some(at) {
                let ripe =
                    self.waits[place].and_then(|since| since.plus(Ratio::from(self.net.places[place].delay.low)));
                let from = ripe.ok_or("numbers grow too large")?.max(self.at);
                at = from.middle(at).ok_or("numbers grow too large")?;
            }
            self.make_available(place, at)?;
        }
        Ok(())
    }

    fn make_available(&mut self, place: usize, at: Ratio) -> Result<(), String> {
        let (Some(edge), Some(_)) = (self.matures[place], self.waits[place].take()) else { return Ok(()) };
        let what = format!("`{}` becomes available", self.net.places[place].written);
        self.act(at, vec![edge], &what)
    }

    fn fire(&mut self, t: u32, at: Ratio) -> Result<(), String> {
        let transition: &Transition = &self.net.transitions[t as usize];
        for arc in transition.takes.iter().chain(&transition.tests) {
            self.make_available(arc.place as usize, at)?;
        }
        let edges = self.edges_of(t);
        self.act(at, edges, &format!("`{}` fires", transition.written))?;
        for arc in &transition.puts {
            if self.matures[arc.place as usize].is_some() {
                self.waits[arc.place as usize] = Some(at);
            }
        }
        Ok(())
    }

    /// The edges that are taken when a transition fires: who sends first.
    fn edges_of(&mut self, t: u32) -> Vec<EdgeId> {
        self.machine.load(&self.state.row);
        let mut possible = Vec::new();
        for e in &self.edges[t as usize] {
            let edge = &self.system.edges[e.0 as usize];
            let here = self.system.location(&self.state.row, edge.process) == edge.source;
            // What fails is taken, so that whoever replays it says so.
            if here && edge.guard.condition.is_none_or(|pc| self.machine.test(pc) != Ok(false)) {
                possible.push((!matches!(edge.sync, Sync::Send(_)), edge.process, *e));
            }
        }
        possible.sort_unstable();
        possible.into_iter().map(|(_, _, e)| e).collect()
    }

    /// Tokens that wait become available, one after the other, and nothing fires.
    fn come_to_rest(&mut self, run: &Run) -> Result<(), String> {
        let mut last = self.at.max(ratio(run.end)?);
        let mut rest = Vec::new();
        for place in (0..self.net.places.len()).filter(|place| self.waits[*place].is_some()) {
            let known = run.later.iter().find(|(_, p)| *p as usize == place);
            let at = match known {
                Some((at, _)) => Some(ratio(*at)?),
                None => self.deadline(place),
            };
            last = at.map_or(last, |at| last.max(at));
            rest.push((at, place));
        }
        // Where nobody minds, a token comes last, when it is old enough.
        let mut dated = Vec::new();
        for (at, place) in rest {
            let Interval { low, low_open, .. } = self.net.places[place].delay;
            let ripe = self.waits[place].and_then(|since| since.plus(Ratio::from(low + i32::from(low_open))));
            let at = at.or(ripe.map(|ripe| ripe.max(last))).ok_or("numbers grow too large")?;
            dated.push((at, place));
        }
        self.mature_all(dated)
    }
}

fn ratio((numerator, denominator): Moment) -> Result<Ratio, String> {
    Ratio::new(numerator, denominator).ok_or_else(|| "numbers grow too large".to_owned())
}
