//! Skipping: states that are not stored.
//!
//! A search terminates as long as every cycle has a stored state. The states between are expanded
//! at once and dropped. This saves memory, but a skipped state that is reached twice is expanded
//! twice. (Larsen, Larsson, Pettersson and Yi, "Efficient verification of real-time systems:
//! compact data structure and state-space reduction", 1997.)

use model::{System, system::EdgeId};
use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    cycles::Cycles,
    goal::Goal,
    graph::{BATCH_INTEGERS, RunError, ZoneGraph},
    transitions::{Cursor, SourceState, SuccessorError, SymbolicTrace, Transitions},
    zones::Zones,
};

/// Which states are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipping {
    /// Those with a committed location.
    Committed,
    /// Those that close no cycle: no process has entered a location at which a cycle may start.
    Acyclic,
}

/// The greatest number of states that are visited after a stored one, since skipped states may be
/// visited repeatedly. It also bounds chains that are cycles.
const MAX_VISITS: u32 = 12;

/// A zone graph in which some states are skipped. The visited states after a stored one are
/// numbered, so that a path can be followed again.
pub struct Chains<'a, B = i32> {
    graph: ZoneGraph<'a, B>,
    skipping: SkipRule,
    /// Buffers for the states of a walk.
    levels: Vec<Batch<B>>,
    /// The numbers of the direct successors; `None`: skipped.
    own: Vec<Option<u32>>,
    /// The stored states after skipped ones, and their numbers.
    after: Batch<B>,
    numbers: Vec<Option<u32>>,
}

/// Which states of a system are skipped.
struct SkipRule {
    passing: Skipping,
    /// For each location, whether states that enter it are stored, for [`Skipping::Acyclic`].
    heads: Vec<bool>,
    /// The processes with committed locations, and which locations are committed.
    committed: Vec<(usize, Vec<bool>)>,
}

/// A state that is visited.
struct VisitedState<'v, B> {
    number: u32,
    depth: usize,
    edges: &'v [EdgeId],
    row: &'v [i32],
    zone: &'v [B],
    skipped: bool,
}

/// Why a walk ends early.
enum ChainEnd {
    Found,
    /// The model fails after the state with this number.
    Error(u32, RunError),
}

type StateVisitor<'v, B> = dyn FnMut(&mut ZoneGraph<'_, B>, &VisitedState<'_, B>) -> Result<(), ChainEnd> + 'v;

impl SkipRule {
    fn new(system: &System, passing: Skipping) -> SkipRule {
        let committed = system.processes.iter().enumerate().map(|(number, process)| {
            let first = process.first_location.0 as usize;
            let own = &system.locations[first..first + process.locations as usize];
            (number, own.iter().map(|l| l.committed).collect::<Vec<_>>())
        });
        SkipRule {
            passing,
            heads: system.processes.iter().flat_map(|process| Cycles::of(system, process).heads).collect(),
            committed: committed.filter(|(_, own)| own.contains(&true)).collect(),
        }
    }

    /// Returns whether the target of these edges is skipped.
    fn skips(&self, system: &System, row: &[i32], edges: &[EdgeId]) -> bool {
        match self.passing {
            Skipping::Committed => self.committed.iter().any(|(process, own)| own[row[*process] as usize]),
            Skipping::Acyclic => edges.iter().all(|e| !self.heads[system.edges[e.0 as usize].target.0 as usize]),
        }
    }

    /// Visits the states of a batch at some depth of chains, and after skipped ones their
    /// successors.
    fn walk<B: Bound>(
        &self,
        graph: &mut ZoneGraph<'_, B>,
        levels: &mut Vec<Batch<B>>,
        zones: Option<&Zones<B>>,
        (batch, depth): (&Batch<B>, usize),
        visited: &mut u32,
        visit: &mut StateVisitor<'_, B>,
    ) -> Result<(), ChainEnd> {
        for i in 0..batch.len() {
            let (row, edges, number) = (batch.row(i), batch.edges(i), *visited);
            *visited += 1;
            let skipped = *visited < MAX_VISITS && self.skips(graph.system(), row, edges);
            let mut known = Vec::new();
            let zone = match (batch.reached(i), zones) {
                (ReachedZone::Fresh(zone), _) => zone,
                (ReachedZone::Known(id), Some(zones)) if skipped => {
                    zones.read(id, &mut known);
                    &known
                }
                (ReachedZone::Known(_), _) => &[],
            };
            visit(graph, &VisitedState { number, depth, edges, row, zone, skipped })?;
            if skipped {
                let mut next = levels.pop().unwrap_or_else(|| graph.batch());
                next.clear();
                let walked = match graph.successors(row, zone, &mut next) {
                    Ok(()) => self.walk(graph, levels, None, (&next, depth + 1), visited, visit),
                    Err(error) => Err(ChainEnd::Error(number, error)),
                };
                levels.push(next);
                walked?;
            }
        }
        Ok(())
    }
}

impl<'a, B: Bound> Chains<'a, B> {
    /// Creates a graph with skipped states.
    #[must_use]
    pub fn new(graph: ZoneGraph<'a, B>, passing: Skipping) -> Chains<'a, B> {
        Chains {
            skipping: SkipRule::new(graph.system(), passing),
            levels: Vec::new(),
            own: Vec::new(),
            after: graph.batch(),
            numbers: Vec::new(),
            graph,
        }
    }
}

impl<'a, B: Bound> Transitions<'a, B> for Chains<'a, B> {
    fn graph(&mut self) -> &mut ZoneGraph<'a, B> {
        &mut self.graph
    }

    fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError> {
        self.graph.initial(out)
    }

    fn successors(
        &mut self,
        source: SourceState<'_, B>,
        cursor: &mut Cursor,
        goal: &mut dyn Goal<B>,
        out: &mut Batch<B>,
    ) -> Result<(), SuccessorError> {
        let Chains { graph, skipping, levels, own, after, numbers } = self;
        let first = cursor.ordinal;
        let SourceState { store, ids, zone, row, at_once } = source;
        Transitions::successors(graph, SourceState { store, ids, zone, row, at_once }, cursor, goal, out)?;
        own.clear();
        numbers.clear();
        after.clear();
        let mut visit = |graph: &mut ZoneGraph<'_, B>, state: &VisitedState<'_, B>| {
            let error = |error| ChainEnd::Error(state.number, error);
            let keep = !state.skipped || goal.part(graph, state.row, state.zone).map_err(error)?.is_some();
            if state.depth == 0 {
                own.push(keep.then_some(state.number));
            } else if keep {
                after.push(state.row, ReachedZone::Fresh(state.zone), state.edges, None);
                numbers.push(Some(state.number));
            }
            Ok(())
        };
        let mut visited = first;
        match skipping.walk(graph, levels, Some(store.zones()), (&*out, 0), &mut visited, &mut visit) {
            Err(ChainEnd::Error(number, error)) => return Err(SuccessorError { via: Some(number), error }),
            Ok(()) | Err(ChainEnd::Found) => {}
        }
        for i in 0..after.len() {
            out.push(after.row(i), after.reached(i), after.edges(i), None);
        }
        out.renumber(own.iter().chain(&*numbers).copied());
        (cursor.ordinal, cursor.generated) = (visited, (visited - first) as usize);
        Ok(())
    }

    fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>> {
        let Chains { graph, skipping, levels, .. } = self;
        let (first, rest) = path.split_at_checked(1)?;
        let mut trace = graph.follow(first)?;
        for wanted in rest {
            let mut batch = graph.batch();
            let (_, row, zone) = trace.last()?.clone();
            let (before, mut visited, mut from) = (trace.len(), 0, 0);
            loop {
                batch.clear();
                let next = graph.successors_from(from, &row, &zone, BATCH_INTEGERS, &mut batch).ok()?;
                let mut visit = |_: &mut ZoneGraph<'_, B>, state: &VisitedState<'_, B>| {
                    trace.truncate(before + state.depth);
                    trace.push((state.edges.to_vec(), state.row.to_vec(), state.zone.to_vec()));
                    if state.number == *wanted { Err(ChainEnd::Found) } else { Ok(()) }
                };
                match (skipping.walk(graph, levels, None, (&batch, 0), &mut visited, &mut visit), next) {
                    (Err(ChainEnd::Found), _) => break,
                    (Ok(()), Some(next)) => from = next,
                    (Ok(()), None) | (Err(ChainEnd::Error(..)), _) => return None,
                }
            }
        }
        Some(trace)
    }
}
