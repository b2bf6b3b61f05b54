//! States that are not stored.
//!
//! A search ends as long as every cycle has a state that is stored. What lies between is explored
//! at once, for its successors are needed in any case, and forgotten: less memory, for the price
//! that a state that is met twice is explored twice. (Larsen, Larsson, Pettersson and Yi,
//! "Efficient verification of real-time systems: compact data structure and state-space reduction",
//! 1997.)

use model::{System, system::EdgeId};
use zone::Bound;

use crate::{
    batch::{Batch, Reached},
    cycles::Cycles,
    graph::{BATCH, RunError, ZoneGraph},
    search::{Goal, SymbolicTrace},
    zones::Zones,
};

/// Which states are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Those with a committed location.
    Committed,
    /// Those that close no cycle: no process has come to a location at which it may have started
    /// one.
    Acyclic,
}

/// So many states are visited behind one that is stored, since passed states are not told apart
/// when they are met again. It also ends chains that come back to where they were.
const VISITS: u32 = 12;

/// Passes states. Those that are visited behind a stored one are numbered, so that a path can be
/// followed again.
pub struct Chains<B = i32> {
    passing: Passing,
    /// For each location, whether a state with it is stored: [`Passing::Acyclic`].
    heads: Vec<bool>,
    /// The processes that have committed locations, and which ones are.
    committed: Vec<(usize, Vec<bool>)>,
    /// Room for the states of a walk.
    levels: Vec<Batch<B>>,
}

/// What remains of the successors of a state.
pub(crate) struct Kept<B> {
    /// The numbers of the successors that are to be stored; `None`: it is passed.
    pub(crate) own: Vec<Option<u32>>,
    /// The states behind those that are passed, and their numbers.
    pub(crate) behind: Batch<B>,
    pub(crate) numbers: Vec<Option<u32>>,
    /// How many states were visited.
    pub(crate) visited: u32,
}

impl<B: Bound> Kept<B> {
    pub(crate) fn new(graph: &ZoneGraph<'_, B>) -> Kept<B> {
        Kept { own: Vec::new(), behind: graph.batch(), numbers: Vec::new(), visited: 0 }
    }
}

/// A state that is visited.
struct Visit<'v, B> {
    number: u32,
    depth: usize,
    edges: &'v [EdgeId],
    row: &'v [i32],
    zone: &'v [B],
    passed: bool,
}

/// Why a walk ends before its end.
enum Halt {
    Found,
    /// The model fails behind the state with this number.
    Error(u32, RunError),
}

type Visitor<'v, B> = dyn FnMut(&mut ZoneGraph<'_, B>, &Visit<'_, B>) -> Result<(), Halt> + 'v;

impl<B: Bound> Chains<B> {
    /// For the states of a system.
    #[must_use]
    pub fn new(system: &System, passing: Passing) -> Chains<B> {
        let committed = system.processes.iter().enumerate().map(|(number, process)| {
            let first = process.first_location.0 as usize;
            let own = &system.locations[first..first + process.locations as usize];
            (number, own.iter().map(|l| l.committed).collect::<Vec<_>>())
        });
        Chains {
            passing,
            heads: system.processes.iter().flat_map(|process| Cycles::of(system, process).heads).collect(),
            committed: committed.filter(|(_, own)| own.contains(&true)).collect(),
            levels: Vec::new(),
        }
    }

    /// Whether a state is passed, to which these edges lead.
    fn passes(&self, system: &System, row: &[i32], edges: &[EdgeId]) -> bool {
        match self.passing {
            Passing::Committed => self.committed.iter().any(|(process, own)| own[row[*process] as usize]),
            Passing::Acyclic => edges.iter().all(|e| !self.heads[system.edges[e.0 as usize].target.0 as usize]),
        }
    }

    /// Passes the successors of a state that need not be stored. Those of the goal are stored in
    /// any case. Where a batch holds but some of the successors, `kept.visited` goes on from the
    /// one before.
    ///
    /// # Errors
    /// A run-time error of the model, behind the state with the number.
    pub(crate) fn pass(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        zones: &Zones<B>,
        batch: &Batch<B>,
        goal: &mut Goal<'_, B>,
        kept: &mut Kept<B>,
    ) -> Result<(), (u32, RunError)> {
        let Kept { own, behind, numbers, visited } = kept;
        own.clear();
        numbers.clear();
        behind.clear();
        let mut visit = |graph: &mut ZoneGraph<'_, B>, state: &Visit<'_, B>| {
            let error = |error| Halt::Error(state.number, error);
            let keep = !state.passed || goal(graph, state.row, state.zone).map_err(error)?.is_some();
            if state.depth == 0 {
                own.push(keep.then_some(state.number));
            } else if keep {
                behind.push(state.row, Reached::Fresh(state.zone), state.edges, None);
                numbers.push(Some(state.number));
            }
            Ok(())
        };
        match self.walk(graph, Some(zones), batch, 0, visited, &mut visit) {
            Err(Halt::Error(number, error)) => Err((number, error)),
            Ok(()) | Err(Halt::Found) => Ok(()),
        }
    }

    /// Visits the states of a batch and, behind those that are passed, their successors.
    fn walk(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        zones: Option<&Zones<B>>,
        batch: &Batch<B>,
        depth: usize,
        visited: &mut u32,
        visit: &mut Visitor<'_, B>,
    ) -> Result<(), Halt> {
        for i in 0..batch.len() {
            let (row, edges, number) = (batch.row(i), batch.edges(i), *visited);
            *visited += 1;
            let passed = *visited < VISITS && self.passes(graph.system(), row, edges);
            let mut known = Vec::new();
            let zone = match (batch.reached(i), zones) {
                (Reached::Fresh(zone), _) => zone,
                (Reached::Known(id), Some(zones)) if passed => {
                    zones.read(id, &mut known);
                    &known
                }
                (Reached::Known(_), _) => &[],
            };
            visit(graph, &Visit { number, depth, edges, row, zone, passed })?;
            if passed {
                let mut next = self.levels.pop().unwrap_or_else(|| graph.batch());
                next.clear();
                let walked = match graph.successors(row, zone, &mut next) {
                    Ok(()) => self.walk(graph, None, &next, depth + 1, visited, visit),
                    Err(error) => Err(Halt::Error(number, error)),
                };
                self.levels.push(next);
                walked?;
            }
        }
        Ok(())
    }

    /// Runs a path again: see [`crate::search::follow`].
    pub fn follow(&mut self, graph: &mut ZoneGraph<'_, B>, path: &[u32]) -> Option<SymbolicTrace<B>> {
        let (&first, rest) = path.split_first()?;
        let mut trace = crate::search::follow(graph, &[first])?;
        for wanted in rest {
            let mut batch = graph.batch();
            let (_, row, zone) = trace.last()?.clone();
            let (before, mut visited, mut from) = (trace.len(), 0, 0);
            loop {
                batch.clear();
                let next = graph.successors_from(from, &row, &zone, BATCH, &mut batch).ok()?;
                let mut visit = |_: &mut ZoneGraph<'_, B>, state: &Visit<'_, B>| {
                    trace.truncate(before + state.depth);
                    trace.push((state.edges.to_vec(), state.row.to_vec(), state.zone.to_vec()));
                    if state.number == *wanted { Err(Halt::Found) } else { Ok(()) }
                };
                match (self.walk(graph, None, &batch, 0, &mut visited, &mut visit), next) {
                    (Err(Halt::Found), _) => break,
                    (Ok(()), Some(next)) => from = next,
                    (Ok(()), None) | (Err(Halt::Error(..)), _) => return None,
                }
            }
        }
        Some(trace)
    }
}
