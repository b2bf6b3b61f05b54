//! Converts runs of a net to traces of its automata.
//!
//! Formulas determine when transitions fire, but rarely when tokens become available. In a trace
//! each token becomes available when a firing needs it, or at its deadline.

use model::{
    Ratio, System,
    machine::Machine,
    net::{Net, Timing, Transition},
    replay::{ConcreteState, Refusal, TimedStep, Trace},
    simulate::Simulator,
    system::{ChannelId, Edge, EdgeId, Sync},
};

use super::{Event, Moment, NetRun, is_instant};
use crate::{bound::describe_refusal, code::Stop};

/// The reason why a run of a net is not a run of its automata.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetRunError {
    /// A limit was reached.
    #[error("a limit was reached")]
    Stopped,
    /// The automata have no edge for a token.
    #[error("the token of `{0}` has no edge")]
    NoEdge(String),
    /// There is no initial state.
    #[error("the start is refused: {}", describe(.0))]
    Start(Refusal),
    /// The moments of events are not in order.
    #[error("time goes back")]
    Order,
    /// An event is impossible.
    #[error("{event} at {at}: {}", describe(why))]
    Event {
        /// The event, as a sentence.
        event: String,
        /// Its moment.
        at: Ratio,
        /// The reason.
        why: Refusal,
    },
    /// A moment does not fit in a fraction of 64-bit integers.
    #[error("numbers grow too large")]
    TooLarge,
    /// The trace does not replay.
    #[error("{}", describe(.0))]
    Replay(Refusal),
    /// No event of the run fails.
    #[error("nothing fails")]
    NoFailure,
}

/// Describes in words of nets why a trace is not a run.
fn describe(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Delay(..) => "another token or transition is due before".to_owned(),
        other => describe_refusal(other),
    }
}

/// Converts a run to a trace.
///
/// # Errors
/// The reason why the automata have no such run.
pub fn concrete(net: &Net, system: &System, run: &NetRun, stop: &Stop<'_>) -> Result<Trace, NetRunError> {
    let mut builder = TraceBuilder::new(net, system)?;
    for (at, event) in &run.events {
        if stop() {
            return Err(NetRunError::Stopped);
        }
        let at = ratio(*at)?;
        builder.mature(at)?;
        match event {
            Event::Available(place) => builder.make_available(*place as usize, at)?,
            Event::Fires(t) => builder.fire(*t, at)?,
        }
    }
    let end = ratio(run.end)?;
    builder.mature(end)?;
    let last = end.minus(builder.at).filter(|delay| *delay > Ratio::ZERO);
    Ok(Trace { steps: builder.steps, last_delay: last })
}

/// Converts a run up to the first event that fails.
///
/// # Errors
/// No event fails, or a limit was reached.
pub(super) fn before_failure(net: &Net, system: &System, run: &NetRun, stop: &Stop<'_>) -> Result<Trace, NetRunError> {
    let mut builder = TraceBuilder::new(net, system)?;
    for (at, event) in &run.events {
        if stop() {
            return Err(NetRunError::Stopped);
        }
        let at = ratio(*at)?;
        builder.mature(at)?;
        let done = match event {
            Event::Available(place) => builder.make_available(*place as usize, at),
            Event::Fires(t) => builder.fire(*t, at),
        };
        if done.is_err() {
            let last = at.minus(builder.at).filter(|delay| *delay > Ratio::ZERO);
            return Ok(Trace { steps: builder.steps, last_delay: last });
        }
    }
    Err(NetRunError::NoFailure)
}

/// A trace that is extended event by event.
struct TraceBuilder<'a> {
    net: &'a Net,
    system: &'a System,
    simulator: Simulator<'a>,
    machine: Machine<'a>,
    state: ConcreteState,
    at: Ratio,
    steps: Vec<TimedStep>,
    /// The edges on the channel of each transition.
    edges: Vec<Vec<EdgeId>>,
    /// The edge by which the token of each place becomes available.
    matures: Vec<Option<EdgeId>>,
    /// The birth of the token of each place that is not available yet.
    waits: Vec<Option<Ratio>>,
}

impl<'a> TraceBuilder<'a> {
    fn new(net: &'a Net, system: &'a System) -> Result<TraceBuilder<'a>, NetRunError> {
        let mut edges = vec![Vec::new(); net.transitions.len()];
        for (number, edge) in (0..).zip(&system.edges) {
            if let Sync::Send(ChannelId(c)) | Sync::Receive(ChannelId(c)) = edge.sync {
                edges[c as usize].push(EdgeId(number));
            }
        }
        // The processes of tokens follow that of the net, in the order of their places.
        let mut process = 0;
        let mut matures = vec![None; net.places.len()];
        if net.timing == Timing::Places {
            for (place, slot) in matures.iter_mut().enumerate().filter(|(place, _)| !is_instant(net, *place)) {
                process += 1;
                let own = |edge: &Edge| edge.process.0 == process && edge.sync == Sync::Internal;
                let found = system.edges.iter().position(own);
                let edge = found.ok_or_else(|| NetRunError::NoEdge(net.places[place].name.clone()))?;
                *slot = Some(EdgeId(edge as u32));
            }
        }
        let mut simulator = Simulator::new(system);
        let state = simulator.start().map_err(NetRunError::Start)?;
        let waits = (0..net.places.len())
            .map(|place| (matures[place].is_some() && net.places[place].tokens > 0).then_some(Ratio::ZERO))
            .collect();
        Ok(TraceBuilder {
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

    /// Appends a transition at a moment.
    fn act(&mut self, at: Ratio, edges: Vec<EdgeId>, event: &str) -> Result<(), NetRunError> {
        let delay = at.minus(self.at).filter(|delay| *delay >= Ratio::ZERO).ok_or(NetRunError::Order)?;
        let refused = |why: Refusal| NetRunError::Event { event: event.to_owned(), at, why };
        if delay > Ratio::ZERO {
            self.state = self.simulator.wait(&self.state, delay).map_err(refused)?;
        }
        self.state = self.simulator.take(&self.state, &edges).map_err(refused)?;
        self.steps.push(TimedStep { delay, edges });
        self.at = at;
        Ok(())
    }

    /// Makes tokens available whose deadline is not after a moment.
    fn mature(&mut self, until: Ratio) -> Result<(), NetRunError> {
        let due = |place: usize| self.deadline(place).filter(|deadline| *deadline <= until).map(|at| (at, place));
        let due: Vec<(Ratio, usize)> = (0..self.net.places.len()).filter_map(due).collect();
        self.mature_all(due)
    }

    /// Returns the latest moment at which the token of a place becomes available.
    fn deadline(&self, place: usize) -> Option<Ratio> {
        let high = self.net.places[place].delay.high?;
        self.waits[place]?.plus(Ratio::from(high))
    }

    /// Makes tokens available at the given moments, in order. For a strict upper bound the moment
    /// is one before it, but after all earlier events.
    fn mature_all(&mut self, mut due: Vec<(Ratio, usize)>) -> Result<(), NetRunError> {
        let is_strict = |place: usize| {
            let delay = self.net.places[place].delay;
            delay.high.is_some() && delay.high_open
        };
        due.sort_by_key(|(at, place)| (*at, !is_strict(*place), *place));
        for (mut at, place) in due {
            if self.net.places[place].delay.high_open && self.deadline(place) == Some(at) {
                let ripe =
                    self.waits[place].and_then(|since| since.plus(Ratio::from(self.net.places[place].delay.low)));
                let from = ripe.ok_or(NetRunError::TooLarge)?.max(self.at);
                at = from.middle(at).ok_or(NetRunError::TooLarge)?;
            }
            self.make_available(place, at)?;
        }
        Ok(())
    }

    fn make_available(&mut self, place: usize, at: Ratio) -> Result<(), NetRunError> {
        let (Some(edge), Some(_)) = (self.matures[place], self.waits[place].take()) else { return Ok(()) };
        let event = format!("`{}` becomes available", self.net.places[place].written);
        self.act(at, vec![edge], &event)
    }

    fn fire(&mut self, t: u32, at: Ratio) -> Result<(), NetRunError> {
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

    /// Returns the edges of a firing, the sender first.
    fn edges_of(&mut self, t: u32) -> Vec<EdgeId> {
        self.machine.load(&self.state.row);
        let mut possible = Vec::new();
        for e in &self.edges[t as usize] {
            let edge = &self.system.edges[e.0 as usize];
            let here = self.system.location(&self.state.row, edge.process) == edge.source;
            // An edge whose guard fails is taken, so that the replay reports the error.
            if here && edge.guard.condition.is_none_or(|pc| self.machine.test(pc) != Ok(false)) {
                possible.push((!matches!(edge.sync, Sync::Send(_)), edge.process, *e));
            }
        }
        possible.sort_unstable();
        possible.into_iter().map(|(_, _, e)| e).collect()
    }
}

fn ratio((numerator, denominator): Moment) -> Result<Ratio, NetRunError> {
    Ratio::new(numerator, denominator).ok_or(NetRunError::TooLarge)
}
