//! Refinements: spurious paths to the goal, which are tried on each later join.

use std::collections::BTreeMap;

use model::{machine::Machine, system::EdgeId};
use rustc_hash::{FxHashMap, FxHashSet};
use zone::Bound;

use super::{is_at, split::Splits};
use crate::{
    goal::BoxedGoal,
    graph::ZoneGraph,
    snapshot::{PartReader, PartWriter, SnapshotError},
};

/// The greatest number of refinements of a group. Then it is not joined any more.
const MAX_REFINEMENTS: usize = 32;

/// The transitions from a state to the goal.
pub(crate) type EdgePath = Vec<Vec<EdgeId>>;

/// A state from which a path is tried.
#[derive(Clone, Copy)]
pub(super) struct ProbeState<'s, B> {
    pub row: &'s [i32],
    pub zone: &'s [B],
    /// Whether it represents all smaller ones.
    pub is_wide: bool,
}

/// Tries paths from single states.
pub(super) struct Probe<'a, B> {
    graph: ZoneGraph<'a, B>,
    machine: Machine<'a>,
    goal: BoxedGoal<'a, B>,
    /// The refinements, by their first edge; `None`: the goal itself.
    refinements: BTreeMap<Option<EdgeId>, Vec<EdgePath>>,
    count: usize,
    /// The number of successors that were computed.
    pub work: usize,
    /// The groups that are not joined any more, and the number of refinements of each group.
    frozen: FxHashSet<u32>,
    learned: FxHashMap<u32, usize>,
}

impl<'a, B: Bound> Probe<'a, B> {
    pub(super) fn new(graph: ZoneGraph<'a, B>, goal: BoxedGoal<'a, B>) -> Probe<'a, B> {
        let system = graph.system();
        Probe {
            machine: Machine::new(&system.code, system.initial.len()),
            goal,
            refinements: BTreeMap::new(),
            count: 0,
            work: 0,
            frozen: FxHashSet::default(),
            learned: FxHashMap::default(),
            graph,
        }
    }

    pub(super) fn refinements(&self) -> usize {
        self.count
    }

    pub(super) fn has_learned(&self) -> bool {
        self.count > 0
    }

    pub(super) fn graph(&mut self) -> &mut ZoneGraph<'a, B> {
        &mut self.graph
    }

    /// Forbids joins that alone make this path possible. A group that needs many such refinements
    /// is not joined any more.
    pub(super) fn learn(&mut self, group: u32, path: EdgePath) {
        self.count(group);
        let first = path.first().and_then(|edges| edges.first()).copied();
        let known = self.refinements.entry(first).or_default();
        if !known.contains(&path) {
            known.push(path);
        }
    }

    /// Counts a refinement of a group.
    pub(super) fn count(&mut self, group: u32) {
        self.count += 1;
        let learned = self.learned.entry(group).or_default();
        *learned += 1;
        if *learned > MAX_REFINEMENTS {
            self.frozen.insert(group);
        }
    }

    /// Writes the refinements.
    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.count);
        out.size(self.work);
        let learned: BTreeMap<_, _> = self.learned.iter().collect();
        out.size(learned.len());
        for (group, count) in learned {
            out.number((*group).into());
            out.size(*count);
        }
        out.size(self.refinements.values().map(Vec::len).sum());
        for path in self.refinements.values().flatten() {
            out.size(path.len());
            path.iter().for_each(|edges| out.edges(edges));
        }
    }

    /// Reads the refinements.
    pub(super) fn load(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        (self.count, self.work) = (from.size()?, from.size()?);
        for _ in 0..from.length()? {
            let (group, count) = (from.natural()?, from.size()?);
            self.learned.insert(group, count);
            if count > MAX_REFINEMENTS {
                self.frozen.insert(group);
            }
        }
        let edges = self.graph.system().edges.len();
        for _ in 0..from.length()? {
            let path = (0..from.length()?).map(|_| from.edges(edges)).collect::<Result<EdgePath, _>>()?;
            let first = path.first().and_then(|edges| edges.first()).copied();
            self.refinements.entry(first).or_default().push(path);
        }
        Ok(())
    }

    /// Returns whether no refinement forbids a join.
    pub(super) fn allows(
        &mut self,
        mut splits: Option<&mut Splits<'_>>,
        group: u32,
        parts: [ProbeState<'_, B>; 2],
        joined: ProbeState<'_, B>,
    ) -> bool {
        if self.frozen.contains(&group) {
            return false;
        }
        let refinements = std::mem::take(&mut self.refinements);
        let system = self.graph.system();
        let starts_here = |first: &Option<EdgeId>| first.is_none_or(|e| is_at(system, joined.row, e));
        let paths = refinements.iter().filter(|(first, _)| starts_here(first)).flat_map(|(_, paths)| paths);
        let mut allows = true;
        for path in paths {
            let mut leads = |state: ProbeState<'_, B>| self.leads(splits.as_deref_mut(), state, path);
            if leads(joined) && !parts.into_iter().any(leads) {
                allows = false;
                break;
            }
        }
        self.refinements = refinements;
        allows
    }

    /// Returns whether a path leads from a state to the goal. A path with a run-time error does
    /// not.
    pub(super) fn leads(
        &mut self,
        splits: Option<&mut Splits<'_>>,
        state: ProbeState<'_, B>,
        path: &[Vec<EdgeId>],
    ) -> bool {
        self.choices(splits, state, path).is_some()
    }

    /// Returns each transition of a path that leads from a state to the goal: its index among the
    /// successors by the same edges, and the row that it leads to.
    pub(super) fn choices(
        &mut self,
        mut splits: Option<&mut Splits<'_>>,
        ProbeState { row, zone, is_wide }: ProbeState<'_, B>,
        path: &[Vec<EdgeId>],
    ) -> Option<Vec<(u32, Vec<i32>)>> {
        let Some((edges, rest)) = path.split_first() else {
            return self.goal.part(&mut self.graph, row, zone).ok().flatten().map(|_| Vec::new());
        };
        let may_split = is_wide && splits.as_ref().is_some_and(|splits| edges.iter().any(|e| splits.has(*e)));
        self.work += 1;
        if !self.may_take(row, edges, may_split) {
            return None;
        }
        let mut batch = self.graph.batch();
        self.graph.successors_by(row, zone, edges, &mut batch).ok()?;
        if let Some(splits) = splits.as_deref_mut().filter(|_| may_split) {
            splits.successors(&mut self.graph, row, zone, edges.first().copied(), &mut batch).ok()?;
        }
        self.work += batch.len();
        (0..batch.len()).find_map(|i| {
            let next = ProbeState { row: batch.row(i), zone: batch.zone(i), is_wide };
            let mut path = self.choices(splits.as_deref_mut(), next, rest)?;
            path.insert(0, (i as u32, next.row.to_vec()));
            Some(path)
        })
    }

    /// Returns the ordinals of a path's transitions from a state to the goal among all successors.
    pub(super) fn ordinals(&mut self, row: &[i32], zone: &[B], path: &[Vec<EdgeId>]) -> Option<Vec<u32>> {
        let choices = self.choices(None, ProbeState { row, zone, is_wide: false }, path)?;
        let (mut row, mut zone) = (row.to_vec(), zone.to_vec());
        let mut ordinals = Vec::new();
        for (edges, (choice, _)) in path.iter().zip(choices) {
            let mut batch = self.graph.batch();
            self.graph.successors(&row, &zone, &mut batch).ok()?;
            let i = (0..batch.len()).filter(|i| batch.edges(*i) == edges).nth(choice as usize)?;
            (row, zone) = (batch.row(i).to_vec(), batch.zone(i).to_vec());
            ordinals.push(i as u32);
        }
        Some(ordinals)
    }

    /// Returns whether the processes are at the sources of the edges and the guards' conditions on
    /// the row hold. This excludes most paths.
    fn may_take(&mut self, row: &[i32], edges: &[EdgeId], may_split: bool) -> bool {
        let system = self.graph.system();
        if edges.iter().any(|e| !is_at(system, row, *e)) {
            return false;
        }
        if may_split {
            return true;
        }
        self.machine.load(row);
        let holds = |e: &EdgeId| match system.edges[e.0 as usize].guard.condition {
            Some(pc) => self.machine.test(pc).unwrap_or(false),
            None => true,
        };
        edges.iter().all(holds)
    }
}
