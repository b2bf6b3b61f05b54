//! A layer that is being explored: A*, guided by coarser layers.
//!
//! This is not [`crate::search`]. That loop goes through a zone graph and forgets transitions; here
//! the states are those of an abstraction with rules of its own, the distances of all states to the
//! goal are measured along the transitions afterwards, and a state covers only what is reached
//! later.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    super::Budget,
    backward::{DistanceLink, distances},
    ladder::{Guide, LayerState},
    layer::Layer,
    rows::{PatternRows, RowTransition},
    rules::Rules,
};
use crate::bounds::ClockBounds;

/// How far a layer is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until the goal is met.
    Found,
    /// Until all shortest ways to it are known.
    Shortest,
    /// Until all is known.
    All,
}

/// Which states stand for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverPolicy {
    /// Those that can do the same: distances are exact, but there are many states.
    Same,
    /// Those that can do more as well: there are fewer states, and some distances are too small.
    More,
}

/// What there is besides the draft.
pub struct LayerContext<'a, 's> {
    pub rows: &'a mut PatternRows<'s>,
    pub bounds: &'a ClockBounds,
    pub guide: Guide<'a, 's>,
}

/// A layer that is being explored.
pub struct LayerSearch {
    cover: CoverPolicy,
    rules: Rules,
    layer: Layer,
    links: Vec<LayerLink>,
    /// How far each state is from the start, and by which step it was reached from where.
    depths: Vec<u32>,
    origins: Vec<(u32, u32)>,
    /// How far each state is from the goal, as far as coarser layers tell.
    guesses: Vec<u32>,
    fates: Vec<NodeStatus>,
    /// States that wait: by the length of ways through them, then by how near they are.
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// The first state where the goal is met.
    found: Option<u32>,
}

/// From a state to one that stands for what is reached.
struct LayerLink {
    from: u32,
    /// `None`: it stands for the state itself.
    arc: Option<RowTransition>,
    to: u32,
}

/// What has become of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeStatus {
    Open,
    Expanded,
    /// Another one stands for it.
    Covered,
}

/// How often links are led to better states. The first time matters most.
const SHARPENINGS: usize = 3;

impl LayerSearch {
    /// Nothing is explored yet; `number` is that of the rows.
    pub fn new(rows: &PatternRows<'_>, number: usize, clocks: Vec<u32>, cover: CoverPolicy) -> LayerSearch {
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

    /// The number of the rows that it is about.
    pub fn rows(&self) -> usize {
        self.layer.rows
    }

    /// The clocks that it keeps.
    pub fn clocks(&self) -> &[u32] {
        &self.layer.clocks
    }

    /// How many states it has.
    pub fn len(&self) -> usize {
        self.layer.nodes.len()
    }

    /// No way from the start to the goal is shorter; `None`: there is none.
    pub fn length(&self) -> Option<u32> {
        match self.found {
            Some(node) => Some(self.depths[node as usize]),
            None => self.open.peek().map(|Reverse((total, ..))| *total),
        }
    }

    /// Explores until it is enough, or there are too many states; `most` says how many, where all
    /// ways to the goal are at least so long. Returns whether it was enough.
    pub fn run(
        &mut self,
        ground: &mut LayerContext<'_, '_>,
        until: Until,
        most: &dyn Fn(u32) -> usize,
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
            if self.len() >= most(total) || count.is_multiple_of(1024) && budget.is_over() {
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

    /// The state that stands for a zone; a new one if there is none. `None`: no way leads on to the
    /// goal.
    fn reach(
        &mut self,
        ground: &mut LayerContext<'_, '_>,
        row: u32,
        zone: &[i32],
        depth: u32,
        origin: (u32, u32),
    ) -> Option<u32> {
        // One that is reached later stands for none that is reached sooner: ways would seem to be
        // shorter than they are.
        let depths = &self.depths;
        let own = self.layer.of_row(row).iter().rev().copied();
        let mut sooner = own.clone().filter(|node| depths[*node as usize] <= depth);
        let is_same = |node: u32| self.cover == CoverPolicy::More || self.layer.is_covered(node, zone);
        if let Some(node) = sooner.find(|node| self.layer.covers(*node, zone) && is_same(*node)) {
            return Some(node);
        }
        let state = DraftState { rows: ground.rows, row, clocks: &self.layer.clocks, zone };
        let guess = ground.guide.look(&state)?;
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

    /// The layer with its distances. States that wait are as far from the goal as coarser layers
    /// say.
    pub fn finish(mut self, rows: &PatternRows<'_>) -> Layer {
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

    /// Leads links to the farthest of the states that stand for what they reach. Returns whether
    /// one has changed.
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
            // One that was not looked at for another's sake must not stand for that one in turn.
            let mut own =
                self.layer.of_row(row).iter().filter(|node| self.fates[**node as usize] != NodeStatus::Covered);
            if let Some(to) = own.find(|node| self.layer.covers(**node, &zone)) {
                changed |= *to != link.to;
                link.to = *to;
            }
        }
        changed
    }

    /// The steps of a shortest way to the goal, if one was found.
    pub fn way(&self) -> Option<Vec<RowTransition>> {
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

/// A state of a layer, as others see it.
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
