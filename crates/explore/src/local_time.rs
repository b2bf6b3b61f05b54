//! Local time: processes wait for each other only where they have to.
//!
//! In the zone graph all clocks advance together. So a zone remembers in which order independent
//! transitions were taken, and a row that is reached in several orders has several zones. Here each
//! process has a time of its own, and so has each thing that processes share: the *agents*, see
//! `agents`. A transition happens at one time of all its agents, and then each of them lets its own
//! time pass. Independent transitions commute: whatever their order, the zone after them is the
//! same.
//!
//! A *local zone* is a set of valuations of the times of all agents and of the clocks, each of
//! which is compared with the time of one agent. What the global states among them are is the
//! *synchronised* zone: the part where all times are equal. Goals are compared with that zone, and
//! a state covers another by its synchronised zone alone. States without one are dropped. (Govind,
//! Herbreteau, Srivathsan and Walukiewicz, "Revisiting local time semantics for networks of timed
//! automata", CONCUR 2019; Bengtsson, Jonsson, Lilius and Yi, "Partial order reductions for timed
//! systems", CONCUR 1998.)
//!
//! **Why it is exact.** *Every run is found.* Let `v` be a valuation in the synchronised zone of a
//! stored state, and let a run continue from it by a delay and a transition. The delay is one of
//! every agent, and local zones contain all such delays that keep the invariants. At the
//! transition's time all agents have that time, so its agents can take it together, and the others
//! keep theirs. So the local zone of the successor contains the global state after the transition,
//! and its synchronised zone is not empty. Either the successor is stored, or a state covers it:
//! its synchronised zone has a valuation that simulates the one that was reached, from which the
//! rest of the run is possible as well, with as many transitions. By induction over the length of
//! the run, the search meets its end. *Nothing else is found.* A path to a state with a
//! synchronised zone has a time for each transition and an end, all within the constraints of the
//! agents. Sorted by time, transitions of one agent keep their order, so each of them finds the
//! clocks and variables that it uses as it does on the path; and while an agent waits, its
//! invariant holds. So this is a run.
//!
//! The same holds for run-time errors, except that an error on a path need not be on a run: its
//! agents may be there at a time to which others can't get. Hence such a search decides nothing,
//! and neither does one whose numbers outgrow the bounds of zones: local zones are not abstracted.

mod agents;
mod order;
mod zones;

pub use agents::{Agents, Obstacle};

use model::system::EdgeId;
use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    goal::Goal,
    graph::{BATCH_INTEGERS, RunError, ZoneGraph},
    store::Discrete,
    transitions::{Cursor, SourceState, SuccessorError, SymbolicTrace, Transitions},
};
use order::Events;
use zones::LocalZones;

/// A zone graph in which agents have times of their own. Its zones are synchronised ones with local
/// zones behind them.
pub struct LocalTime<'a, B = i32> {
    graph: ZoneGraph<'a, B>,
    zones: LocalZones<B>,
}

impl<'a, B: Bound> LocalTime<'a, B> {
    /// Creates the graph for a system with these agents.
    #[must_use]
    pub fn new(graph: ZoneGraph<'a, B>, agents: Agents) -> LocalTime<'a, B> {
        LocalTime { zones: LocalZones::new(agents), graph }
    }

    /// Adds the successors of a state with a local zone, starting with the transition of this
    /// index, up to about `max` integers of rows and zones. Returns the index of the next
    /// transition, if there are more.
    fn add_successors(
        &mut self,
        (discrete, row): (Option<Discrete>, &[i32]),
        local: &[B],
        (from, max): (usize, usize),
        out: &mut Batch<B>,
    ) -> Result<Option<usize>, RunError> {
        let LocalTime { graph, zones } = self;
        let (mut number, mut next) = (0, None);
        graph.for_each_step(discrete, row, &mut |graph, step| {
            number += 1;
            if number & 0x3F == 0 {
                graph.check_memory(out.bytes())?;
            }
            if number <= from {
                return Ok(true);
            }
            if out.numbers() >= max {
                next = Some(number - 1);
                return Ok(false);
            }
            zones.agents.of(step.edges, &mut zones.taking);
            match step.target {
                Ok((row, effect)) => {
                    if zones.enter(local, graph.parts(effect).guards) && zones.leave(graph, row, effect)? {
                        let zone = ReachedZone::Fresh(&zones.whole);
                        match step.listed {
                            Some(listed) => out.push_listed(row, zone, step.edges, None, listed),
                            None => out.push(row, zone, step.edges, None),
                        }
                    }
                }
                // A fault in a disabled transition is not an error.
                Err(error) => {
                    if zones.enter(local, &graph.bounds_of_guards(step.edges)?) {
                        return Err(error);
                    }
                }
            }
            Ok(true)
        })?;
        Ok(next)
    }

    /// Follows a path through local zones.
    fn follow_locally(&mut self, path: &[u32]) -> Option<Vec<Event<B>>> {
        let (first, rest) = path.split_first()?;
        let mut batch = self.new_batch();
        self.initial(&mut batch).ok()?;
        let at = *first as usize;
        if at >= batch.len() {
            return None;
        }
        let mut states = vec![Event::of(&batch, at)];
        for wanted in rest {
            let Event { row, local, .. } = states.last()?;
            let (mut i, mut from) = (*wanted as usize, Some(0));
            batch.clear();
            // Successors come in batches.
            while let Some(at) = from {
                i -= batch.len();
                batch.clear();
                from = self.add_successors((None, row), local, (at, BATCH_INTEGERS), &mut batch).ok()?;
                if i < batch.len() {
                    break;
                }
            }
            if i >= batch.len() {
                return None;
            }
            states.push(Event::of(&batch, i));
        }
        Some(states)
    }
}

/// A transition of a path through local zones, and the state after it.
pub(super) struct Event<B> {
    edges: Vec<EdgeId>,
    row: Vec<i32>,
    local: Vec<B>,
}

impl<B: Bound> Event<B> {
    fn of(batch: &Batch<B>, i: usize) -> Event<B> {
        Event { edges: batch.edges(i).to_vec(), row: batch.row(i).to_vec(), local: batch.tail(i).to_vec() }
    }
}

impl<'a, B: Bound> Transitions<'a, B> for LocalTime<'a, B> {
    fn graph(&mut self) -> &mut ZoneGraph<'a, B> {
        &mut self.graph
    }

    fn new_batch(&mut self) -> Batch<B> {
        let plain = self.graph.batch();
        plain.with_tail(self.zones.agents.area())
    }

    fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError> {
        let LocalTime { graph, zones } = self;
        let Some(effect) = graph.initial_effect()? else { return Ok(()) };
        let row = &graph.system().initial;
        zones.begin(graph.system().clocks[1..].iter().map(|clock| clock.initial));
        if zones.leave(graph, row, effect)? {
            out.push(row, ReachedZone::Fresh(&zones.whole), &[], None);
        }
        Ok(())
    }

    fn successors(
        &mut self,
        SourceState { store, ids: (discrete, _), zone, row, at_once }: SourceState<'_, B>,
        cursor: &mut Cursor,
        _: &mut dyn Goal<B>,
        out: &mut Batch<B>,
    ) -> Result<(), SuccessorError> {
        let from = cursor.next.take().unwrap_or(0);
        let mut known = None;
        if from == 0 {
            store.read_row(discrete, row);
            known = Some(discrete);
        }
        let max = if at_once { usize::MAX } else { BATCH_INTEGERS.max(store.bytes() / 32) };
        let local = &zone[self.zones.visible()..];
        cursor.next = self.add_successors((known, row), local, (from, max), out)?;
        out.number_from(cursor.ordinal);
        cursor.ordinal += out.len() as u32;
        cursor.generated = out.len();
        Ok(())
    }

    fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>> {
        self.follow_to(path, &mut |_: &mut ZoneGraph<'_, B>, _: &[i32], zone: &[B]| Ok(Some(zone.to_vec())))
    }

    fn follow_to(&mut self, path: &[u32], goal: &mut dyn Goal<B>) -> Option<SymbolicTrace<B>> {
        let events = self.follow_locally(path)?;
        let end = events.last()?;
        let mut zone = vec![B::LE_ZERO; self.zones.visible()];
        self.zones.synchronise(&end.local, &mut zone);
        let end = goal.part(&mut self.graph, &end.row, &zone).ok()??;
        let times = Events::new(&mut self.graph, &self.zones.agents, &events)?;
        let code = &self.graph.system().code;
        let order = times.order(&end, || code.stopped().is_some())?;
        let path: Vec<&[EdgeId]> = order.into_iter().map(|i| &*events[i].edges).collect();
        in_order(&mut self.graph, &path)
    }
}

/// Takes transitions one after the other in the zone graph.
fn in_order<B: Bound>(graph: &mut ZoneGraph<'_, B>, path: &[&[EdgeId]]) -> Option<SymbolicTrace<B>> {
    let mut batch = graph.batch();
    let state = |batch: &Batch<B>, i: usize| (batch.edges(i).to_vec(), batch.row(i).to_vec(), batch.zone(i).to_vec());
    graph.initial(&mut batch).ok()?;
    let mut trace: SymbolicTrace<B> = (0..batch.len()).map(|i| state(&batch, i)).take(1).collect();
    for edges in path {
        let (_, row, zone) = trace.last()?;
        let (mut from, mut found) = (Some(0), None);
        while let (Some(at), None) = (from, &found) {
            batch.clear();
            from = graph.successors_from(at, row, zone, BATCH_INTEGERS, &mut batch).ok()?;
            found = (0..batch.len()).find(|i| batch.edges(*i) == *edges).map(|i| state(&batch, i));
        }
        trace.push(found?);
    }
    Some(trace)
}
