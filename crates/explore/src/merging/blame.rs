//! Spurious paths, and the joins that are to blame for them.

use super::{
    AbstractPath, Judgement, Merging, PathState,
    judge::successors,
    probe::{EdgePath, ProbeState},
};
use crate::store::{NodeId, Store};
use zone::Bound;

/// A path to a goal state that only joined states have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpuriousPath {
    /// The states, from an initial one to the goal.
    pub states: Vec<PathState>,
    /// The join that is to blame.
    pub blame: Blame,
    /// Whether the user has called the path feasible.
    pub called_feasible: bool,
}

/// A join without which a path does not lead to the goal: from neither of the two states it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The index of the joined state in the path.
    pub at: usize,
    /// The row of the stored state.
    pub stored: Vec<i32>,
    /// The row of the new state. If several were joined, it is the join of those before.
    pub new: Vec<i32>,
    /// The row of their join.
    pub joined: Vec<i32>,
    /// Whether the path is not even possible from the joined elements with the zone of one of both.
    pub by_zones: bool,
}

/// What is done about an unreachable goal state.
pub(crate) enum Remedy {
    /// The join of a state is undone.
    Split(NodeId),
    /// The search ends.
    Stop(Box<SpuriousPath>),
}

impl<B: Bound> Merging<'_, B> {
    /// Judges a goal state, as the guide wants it.
    pub(crate) fn verdict(&mut self, store: &Store<B>, goal: NodeId) -> Result<Vec<u32>, Remedy> {
        let guide = self.guide.clone();
        let states = if guide.is_some() { self.abstract_path(store, goal) } else { Vec::new() };
        let system = self.probe.as_mut().map(|probe| probe.graph().system());
        let ask = guide.as_ref().zip(system).map(|(guide, system)| (guide, AbstractPath { system, states: &states }));
        let feasible = ask.as_ref().and_then(|(guide, path)| guide.ask(path.system, |guide| guide.is_feasible(path)));
        let chosen = |rest: &[PathState]| {
            let (guide, path) = ask.as_ref()?;
            let number = guide.ask(path.system, |guide| guide.split_state(path))?;
            rest.get(number).filter(|state| state.is_joined)?.node
        };
        match self.judge(store, goal) {
            Judgement::Real(path) => {
                let last = states.iter().rev().find(|state| state.is_joined).and_then(|state| state.node);
                let Some(last) = last.filter(|_| feasible == Some(false)) else { return Ok(path) };
                let split = chosen(&states).unwrap_or(last);
                self.count_refinement(store.group(split));
                Err(Remedy::Split(split))
            }
            Judgement::Spurious(blamed, rest) if !self.undoes() || feasible == Some(true) => {
                let called_feasible = feasible == Some(true);
                let path = self.explain(store, blamed, &rest);
                Err(Remedy::Stop(Box::new(SpuriousPath { called_feasible, ..path })))
            }
            Judgement::Spurious(blamed, rest) => {
                let split = chosen(&states).unwrap_or(blamed);
                if split == blamed {
                    self.learn(store.group(blamed), rest);
                } else {
                    // Nothing is known of this join, so that only its number of refinements ends
                    // it.
                    self.count_refinement(store.group(split));
                }
                Err(Remedy::Split(split))
            }
        }
    }

    fn learn(&mut self, group: u32, rest: EdgePath) {
        if let Some(probe) = &mut self.probe {
            probe.learn(group, rest);
        }
    }

    fn count_refinement(&mut self, group: u32) {
        if let Some(probe) = &mut self.probe {
            probe.count(group);
        }
    }

    /// Returns the states on the path to a node.
    fn abstract_path(&mut self, store: &Store<B>, node: NodeId) -> Vec<PathState> {
        let mut nodes = vec![node];
        while let Some(parent) = nodes.last().and_then(|node| store.parent(*node).0) {
            nodes.push(parent);
        }
        nodes.into_iter().rev().map(|node| self.abstract_state(store, node).0).collect()
    }

    /// Returns the state of a node, and the zone that its transition leads to.
    fn abstract_state(&mut self, store: &Store<B>, node: NodeId) -> (PathState, Vec<B>) {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        self.read(store, node, &mut row, &mut zone);
        let mut state = PathState { edges: Vec::new(), reached: row.clone(), row, is_joined: false, node: Some(node) };
        let mut reached = zone.clone();
        let (parent, ordinal) = store.parent(node);
        let is_wide = parent.is_some_and(|parent| self.is_wide(parent));
        let mut before = (Vec::new(), Vec::new());
        if let Some(parent) = parent {
            self.read(store, parent, &mut before.0, &mut before.1);
        }
        let Some(probe) = &mut self.probe else { return (state, reached) };
        let graph = probe.graph();
        let mut batch = graph.batch();
        let made = match parent {
            None => graph.initial(&mut batch),
            Some(_) => successors(graph, self.splits.as_mut().filter(|_| is_wide), (&before.0, &before.1), &mut batch),
        };
        let i = ordinal as usize;
        if made.is_ok() && i < batch.len() {
            batch.row(i).clone_into(&mut state.reached);
            batch.zone(i).clone_into(&mut reached);
            batch.edges(i).clone_into(&mut state.edges);
        }
        let has_parts = self.ancestry.as_ref().is_some_and(|ancestry| !ancestry.parts_of(node).is_empty());
        state.is_joined = has_parts && (state.reached != state.row || reached != zone);
        (state, reached)
    }

    /// Reads the state of a node, even if it was removed.
    pub(crate) fn read(&self, store: &Store<B>, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<B>) {
        let kept = self.ancestry.as_ref().and_then(|ancestry| ancestry.zones.get(&node)).copied();
        store.row(node, row);
        store.zones().read(kept.unwrap_or_else(|| store.zone(node)), zone);
    }

    /// Describes a spurious path, given the state whose join is to blame and the rest of the path.
    fn explain(&mut self, store: &Store<B>, blamed: NodeId, rest: &EdgePath) -> SpuriousPath {
        let mut states = self.abstract_path(store, blamed);
        let at = states.len() - 1;
        let is_wide = self.is_wide(blamed);
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        self.read(store, blamed, &mut row, &mut zone);
        let joined = ProbeState { row: &row, zone: &zone, is_wide };
        let taken = self.probe.as_mut().and_then(|probe| probe.choices(self.splits.as_mut(), joined, rest));
        for (edges, (_, row)) in rest.iter().zip(taken.unwrap_or_default()) {
            let edges = edges.clone();
            states.push(PathState { edges, reached: row.clone(), row, is_joined: false, node: None });
        }
        let blame = self.pair(store, blamed, rest, at);
        SpuriousPath { states, blame, called_feasible: false }
    }

    /// Finds the two states whose join makes the rest of a path possible. Several states may have
    /// been joined one after the other.
    fn pair(&mut self, store: &Store<B>, blamed: NodeId, rest: &EdgePath, at: usize) -> Blame {
        let (state, mut zone) = self.abstract_state(store, blamed);
        let (mut new, all) = (state.reached, state.row);
        let parts = self.ancestry.as_ref().map_or(Vec::new(), |ancestry| ancestry.parts_of(blamed).to_vec());
        let is_wide = self.is_wide(blamed);
        let mut blame = Blame { at, stored: new.clone(), new: new.clone(), joined: all, by_zones: false };
        for part in parts {
            let (mut row, mut other) = (Vec::new(), Vec::new());
            self.read(store, part, &mut row, &mut other);
            let mut elements: Vec<i32> = self.slots.iter().map(|slot| row[*slot]).collect();
            let newer: Vec<i32> = self.slots.iter().map(|slot| new[*slot]).collect();
            if self.orders.join(&mut elements, &newer, None).is_err() {
                break;
            }
            let mut joined = new.clone();
            self.slots.iter().zip(&elements).for_each(|(slot, value)| joined[*slot] = *value);
            let mut hull = other.clone();
            zone::convex_hull(&mut hull, &zone);
            let mut leads = |zone: &[B]| {
                let state = ProbeState { row: &joined, zone, is_wide };
                self.probe.as_mut().is_some_and(|probe| probe.leads(self.splits.as_mut(), state, rest))
            };
            if leads(&hull) {
                blame.by_zones = !leads(&other) && !leads(&zone);
                return Blame { stored: row, new, joined, ..blame };
            }
            (blame.stored, blame.new) = (row, std::mem::replace(&mut new, joined));
            zone = hull;
        }
        // The last join was widened.
        blame
    }
}
