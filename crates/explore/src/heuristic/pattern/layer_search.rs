//! The exploration of a layer by A*, guided by coarser layers.
//!
//! This does not use the loop of [`crate::search`], for two reasons. That loop explores the zone
//! graph of a system, but the states here are those of a subnetwork, whose steps are not edges of a
//! system. And that loop keeps one path to each state, but here all transitions are kept, including
//! those to covering states, since the distances of all states to the goal are computed along them
//! afterwards.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::Budget,
    backward::{DistanceLink, distances},
    ladder::{LadderGuide, LayerState},
    layer::Layer,
    rows::{PatternRows, RowTransition},
    rules::Rules,
};
use crate::bounds::ClockBounds;

/// When the exploration of a layer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// When a goal state is found.
    Found,
    /// When all shortest paths to the goal are found.
    Shortest,
    /// When all states are explored.
    All,
}

/// Which states cover others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoverPolicy {
    /// Equivalent ones: distances are exact, but there are many states.
    Same,
    /// Those that simulate the other: there are fewer states, and some distances are too small.
    More,
}

/// The data that the exploration of a layer needs.
pub(crate) struct LayerContext<'a, 's> {
    pub rows: &'a mut PatternRows<'s>,
    pub bounds: &'a ClockBounds,
    pub(crate) guide: LadderGuide<'a, 's>,
}

/// The exploration of a layer.
pub(crate) struct LayerSearch {
    cover: CoverPolicy,
    rules: Rules,
    layer: Layer,
    links: Vec<LayerLink>,
    /// The distance of each state from the start, and its origin: a state and a step.
    depths: Vec<u32>,
    origins: Vec<(u32, u32)>,
    /// The estimated distance of each state to the goal, by coarser layers.
    guesses: Vec<u32>,
    fates: Vec<NodeStatus>,
    /// The open states: by the estimated length of paths through them, then by the estimated
    /// distance.
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// The first goal state.
    found: Option<u32>,
}

/// A link from a state to one that covers its successor.
struct LayerLink {
    from: u32,
    /// `None`: it covers the state itself.
    arc: Option<RowTransition>,
    to: u32,
}

/// The status of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeStatus {
    Open,
    Expanded,
    /// It is covered by another one.
    Covered,
}

/// The number of times that links are redirected to better states. The first time matters most.
const SHARPENINGS: usize = 3;

impl LayerSearch {
    /// Creates an exploration; `number` is the index of the rows.
    pub(crate) fn new(rows: &PatternRows<'_>, number: usize, clocks: Vec<u32>, cover: CoverPolicy) -> LayerSearch {
        LayerSearch {
            cover,
            rules: Rules::new(rows, &clocks),
            layer: Layer::new(number, clocks),
            links: Vec::new(),
            depths: Vec::new(),
            origins: Vec::new(),
            guesses: Vec::new(),
            fates: Vec::new(),
            open: BinaryHeap::new(),
            found: None,
        }
    }

    /// Returns the index of its rows.
    pub(crate) fn rows(&self) -> usize {
        self.layer.rows
    }

    /// Returns the kept clocks.
    pub(crate) fn clocks(&self) -> &[u32] {
        &self.layer.clocks
    }

    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.layer.nodes.len()
    }

    /// Returns a lower bound on the length of paths from the start to the goal; `None`: no path
    /// exists.
    pub(crate) fn length(&self) -> Option<u32> {
        match self.found {
            Some(node) => Some(self.depths[node as usize]),
            None => self.open.peek().map(|Reverse((total, ..))| *total),
        }
    }

    /// Explores until the condition `until` holds, or there are more than `max(length)` states,
    /// where `length` is a lower bound on all paths to the goal. Returns whether `until` holds.
    pub(crate) fn run(
        &mut self,
        ground: &mut LayerContext<'_, '_>,
        until: Until,
        max: &dyn Fn(u32) -> usize,
        budget: &Budget<'_>,
    ) -> bool {
        let size = self.rules.dim * self.rules.dim;
        let (mut zone, mut before) = (vec![0; size], vec![0; size]);
        if self.layer.nodes.is_empty() {
            let row = ground.rows.initial();
            if self.rules.start(ground.rows, row, &mut zone) {
                self.reach(ground, row, &zone, 0, (0, 0));
            }
        }
        let mut count = 0_u32;
        while let Some(Reverse((total, _, node))) = self.open.peek().copied() {
            if self.fates[node as usize] != NodeStatus::Open {
                self.open.pop();
                continue;
            }
            if self.found.is_none() && self.is_goal(ground.rows, node) {
                self.found = Some(node);
            }
            let is_enough = match until {
                Until::Found => self.found.is_some(),
                Until::Shortest => self.found.is_some_and(|found| total > self.depths[found as usize]),
                Until::All => false,
            };
            if is_enough {
                return true;
            }
            count += 1;
            if self.len() >= max(total) || count.is_multiple_of(1024) && budget.is_over() {
                return false;
            }
            self.open.pop();
            self.fates[node as usize] = NodeStatus::Expanded;
            let (row, depth) = (self.layer.nodes[node as usize], self.depths[node as usize] + 1);
            before.copy_from_slice(self.layer.zone(node));
            for at in 0..ground.rows.arcs(row).len() {
                let arc = ground.rows.arcs(row)[at];
                zone.copy_from_slice(&before);
                if self.rules.take(ground.rows, arc, &mut zone)
                    && let Some(to) = self.reach(ground, arc.to, &zone, depth, (node, arc.step))
                {
                    self.links.push(LayerLink { from: node, arc: Some(arc), to });
                }
            }
        }
        true
    }

    fn is_goal(&self, rows: &PatternRows<'_>, node: u32) -> bool {
        rows.targets(self.layer.nodes[node as usize]).any(|target| self.rules.meets(target, self.layer.zone(node)))
    }

    /// Returns the state that covers a zone, which may be new; `None`: it is a dead end.
    fn reach(
        &mut self,
        ground: &mut LayerContext<'_, '_>,
        row: u32,
        zone: &[i32],
        depth: u32,
        origin: (u32, u32),
    ) -> Option<u32> {
        // A state must not cover one that is reached earlier, or paths would become too short.
        let depths = &self.depths;
        let own = self.layer.of_row(row).iter().rev().copied();
        let mut sooner = own.clone().filter(|node| depths[*node as usize] <= depth);
        let is_same = |node: u32| self.cover == CoverPolicy::More || self.layer.is_covered(node, zone);
        if let Some(node) = sooner.find(|node| self.layer.covers(*node, zone) && is_same(*node)) {
            return Some(node);
        }
        let state = DraftState { rows: ground.rows, row, clocks: &self.layer.clocks, zone };
        let guess = ground.guide.distance(&state)?;
        let waiting =
            own.filter(|node| self.fates[*node as usize] == NodeStatus::Open && depths[*node as usize] >= depth);
        let is_same = |node: u32| self.cover == CoverPolicy::More || self.layer.covers(node, zone);
        let covered: Vec<u32> = waiting.filter(|node| self.layer.is_covered(*node, zone) && is_same(*node)).collect();
        let new = self.layer.add(ground.rows, ground.bounds, row, zone);
        for node in covered {
            self.fates[node as usize] = NodeStatus::Covered;
            self.links.push(LayerLink { from: node, arc: None, to: new });
        }
        self.depths.push(depth);
        self.origins.push(origin);
        self.guesses.push(guess);
        self.fates.push(NodeStatus::Open);
        self.open.push(Reverse((depth + guess, guess, new)));
        Some(new)
    }

    /// Returns the layer with its distances. Open states have the distances of coarser layers.
    pub(crate) fn finish(mut self, rows: &PatternRows<'_>) -> Layer {
        let end = |node: u32| match self.fates[node as usize] {
            NodeStatus::Expanded => self.is_goal(rows, node).then_some((node, 0)),
            NodeStatus::Open => Some((node, self.guesses[node as usize])),
            NodeStatus::Covered => None,
        };
        let ends: Vec<(u32, u32)> = (0..self.len() as u32).filter_map(end).collect();
        self.measure(&ends);
        for _ in 0..SHARPENINGS {
            if self.cover == CoverPolicy::Same || self.rules.dim == 1 || !self.sharpen(rows) {
                break;
            }
            self.measure(&ends);
        }
        self.layer
    }

    fn measure(&mut self, ends: &[(u32, u32)]) {
        let links =
            self.links.iter().map(|link| DistanceLink { from: link.from, to: link.to, is_step: link.arc.is_some() });
        self.layer.distances = distances(self.len(), links, ends);
        self.layer.sort();
    }

    /// Redirects links to the farthest of the states that cover their targets. Returns whether one
    /// has changed.
    fn sharpen(&mut self, rows: &PatternRows<'_>) -> bool {
        let mut changed = false;
        let mut zone = vec![0; self.rules.dim * self.rules.dim];
        for link in &mut self.links {
            zone.copy_from_slice(self.layer.zone(link.from));
            let mut row = self.layer.nodes[link.from as usize];
            if let Some(arc) = link.arc {
                self.rules.take(rows, arc, &mut zone);
                row = arc.to;
            }
            // A covered state must not cover the one that covers it.
            let mut own =
                self.layer.of_row(row).iter().filter(|node| self.fates[**node as usize] != NodeStatus::Covered);
            if let Some(to) = own.find(|node| self.layer.covers(**node, &zone)) {
                changed |= *to != link.to;
                link.to = *to;
            }
        }
        changed
    }

    /// Returns the steps of a shortest path to the goal, if one was found.
    pub(crate) fn path(&self) -> Option<Vec<RowTransition>> {
        let mut node = self.found?;
        let mut steps = Vec::new();
        while self.depths[node as usize] > 0 {
            let (from, step) = self.origins[node as usize];
            steps.push(RowTransition { step, to: self.layer.nodes[node as usize] });
            node = from;
        }
        steps.reverse();
        Some(steps)
    }
}

/// A state of a layer that is looked up in coarser layers.
struct DraftState<'a, 's> {
    rows: &'a PatternRows<'s>,
    row: u32,
    clocks: &'a [u32],
    zone: &'a [i32],
}

impl LayerState for DraftState<'_, '_> {
    fn row(&self) -> Option<u32> {
        Some(self.row)
    }
    fn slot(&self, slot: u32) -> Option<i32> {
        self.rows.value(self.row, slot)
    }
    fn bound(&self, left: u32, right: u32) -> Option<i32> {
        let number = |clock: u32| self.clocks.binary_search(&clock).ok();
        Some(self.zone[number(left)? * self.clocks.len() + number(right)?])
    }
}
