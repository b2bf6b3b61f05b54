//! Ways to the goal that joins have made possible, and that are tried on each join from then on.

use model::{System, machine::Machine, system::EdgeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{batch::Batch, graph::ZoneGraph, search::Goal};

/// So many ways may be learned for one place; then nothing is joined there any more.
const MOST_LESSONS: usize = 32;

/// The transitions from a state to the goal.
pub(super) type Way = Vec<Vec<EdgeId>>;

/// A row and a zone.
pub(super) type State<'s> = (&'s [i32], &'s [i32]);

/// Tries ways, each from a single state.
pub(super) struct Probe<'a> {
    graph: ZoneGraph<'a>,
    machine: Machine<'a>,
    goal: Box<Goal<'a>>,
    /// What was learned, by the edge that comes first; `None`: the goal itself.
    lessons: FxHashMap<Option<EdgeId>, Vec<Way>>,
    count: usize,
    /// Discrete parts in which nothing is joined any more, by their groups, and how often something was learned in each.
    frozen: FxHashSet<u32>,
    learned: FxHashMap<u32, usize>,
    batch: Batch,
}

impl<'a> Probe<'a> {
    pub(super) fn new(graph: ZoneGraph<'a>, goal: Box<Goal<'a>>) -> Probe<'a> {
        let system = graph.system();
        Probe {
            machine: Machine::new(&system.code, system.initial.len()),
            goal,
            lessons: FxHashMap::default(),
            count: 0,
            frozen: FxHashSet::default(),
            learned: FxHashMap::default(),
            batch: graph.batch(),
            graph,
        }
    }

    pub(super) fn lessons(&self) -> usize {
        self.count
    }

    pub(super) fn has_learned(&self) -> bool {
        self.count > 0
    }

    pub(super) fn graph(&mut self) -> &mut ZoneGraph<'a> {
        &mut self.graph
    }

    /// Never again are states joined if that alone makes this way possible. A group that needs many such lessons is left as it is.
    pub(super) fn learn(&mut self, group: u32, way: Way) {
        self.count += 1;
        let learned = self.learned.entry(group).or_default();
        *learned += 1;
        if *learned > MOST_LESSONS {
            self.frozen.insert(group);
        }
        let first = way.first().and_then(|edges| edges.first()).copied();
        let known = self.lessons.entry(first).or_default();
        if !known.contains(&way) {
            known.push(way);
        }
    }

    /// Whether a join makes no way possible that was learned.
    pub(super) fn allows(&mut self, group: u32, parts: [State<'_>; 2], joined: State<'_>) -> bool {
        if self.frozen.contains(&group) {
            return false;
        }
        let lessons = std::mem::take(&mut self.lessons);
        let system = self.graph.system();
        let starts_here = |first: &Option<EdgeId>| first.is_none_or(|e| is_at(system, joined.0, e));
        let ways = lessons.iter().filter(|(first, _)| starts_here(first)).flat_map(|(_, ways)| ways);
        let mut allows = true;
        for way in ways {
            let mut leads = |(row, zone): State<'_>| self.leads(row, zone, way);
            if leads(joined) && !parts.into_iter().any(leads) {
                allows = false;
                break;
            }
        }
        self.lessons = lessons;
        allows
    }

    /// Whether a way leads from a state to the goal. A way on which the model fails does not.
    pub(super) fn leads(&mut self, row: &[i32], zone: &[i32], way: &[Vec<EdgeId>]) -> bool {
        self.ordinals(row, zone, way).is_some()
    }

    /// The places of the transitions of a way among the successors of each state.
    pub(super) fn ordinals(&mut self, row: &[i32], zone: &[i32], way: &[Vec<EdgeId>]) -> Option<Vec<u32>> {
        let Some((edges, rest)) = way.split_first() else {
            return (self.goal)(&mut self.graph, row, zone).ok().flatten().map(|_| Vec::new());
        };
        if !self.may_take(row, edges) {
            return None;
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let found = self.graph.successors(row, zone, &mut batch).ok().and_then(|()| {
            (0..batch.len()).filter(|i| batch.edges(*i) == edges).find_map(|i| {
                let (row, zone) = (batch.row(i).to_vec(), batch.zone(i).to_vec());
                self.batch = self.graph.batch();
                let mut path = self.ordinals(&row, &zone, rest)?;
                path.insert(0, i as u32);
                Some(path)
            })
        });
        self.batch = batch;
        found
    }

    /// Whether the processes are where the edges start, and what the guards say of the row holds: most ways end here.
    fn may_take(&mut self, row: &[i32], edges: &[EdgeId]) -> bool {
        let system = self.graph.system();
        if edges.iter().any(|e| !is_at(system, row, *e)) {
            return false;
        }
        self.machine.load(row);
        let holds = |e: &EdgeId| match system.edges[e.0 as usize].guard.condition {
            Some(pc) => self.machine.test(pc).unwrap_or(false),
            None => true,
        };
        edges.iter().all(holds)
    }
}

/// Whether a process is where an edge starts.
fn is_at(system: &System, row: &[i32], edge: EdgeId) -> bool {
    let edge = &system.edges[edge.0 as usize];
    system.location(row, edge.process) == edge.source
}
