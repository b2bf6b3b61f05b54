//! Increasingly fine patterns, each explored with the guidance of the previous ones.

use model::{Formula, System};

use super::{
    super::Budget,
    layer::{Layer, Unknown},
    layer_search::{CoverPolicy, LayerContext, LayerSearch, Until},
    rows::PatternRows,
};
use crate::bounds::ClockBounds;

/// The layers, the finest last.
pub(crate) struct Ladder<'s> {
    system: &'s System,
    bounds: ClockBounds,
    /// The rows of layers, which may share them; `None`: they are being explored, or not needed any
    /// more.
    rows: Vec<Option<PatternRows<'s>>>,
    layers: Vec<Layer>,
    /// The number of states of all explorations.
    pub states: usize,
}

impl<'s> Ladder<'s> {
    /// Creates a ladder without layers.
    pub(crate) fn new(system: &'s System, goal: &Formula) -> Ladder<'s> {
        let bounds = ClockBounds::of_formulas(system, &[goal]);
        Ladder { system, bounds, rows: Vec::new(), layers: Vec::new(), states: 0 }
    }

    /// Adds rows and returns their index.
    pub(crate) fn add_rows(&mut self, rows: PatternRows<'s>) -> usize {
        self.rows.push(Some(rows));
        self.rows.len() - 1
    }

    /// Returns the rows with an index.
    pub(crate) fn rows(&self, number: usize) -> Option<&PatternRows<'s>> {
        self.rows[number].as_ref()
    }

    /// Creates the exploration of a layer with some rows and clocks.
    pub(crate) fn search(&self, rows: usize, clocks: Vec<u32>, cover: CoverPolicy) -> Option<LayerSearch> {
        self.rows(rows).map(|own| LayerSearch::new(own, rows, clocks, cover))
    }

    /// Continues the exploration of a layer. Returns whether `until` holds; see
    /// [`LayerSearch::run`].
    pub(crate) fn explore(
        &mut self,
        search: &mut LayerSearch,
        until: Until,
        max: &dyn Fn(u32) -> usize,
        budget: &Budget<'_>,
    ) -> bool {
        let Some(mut rows) = self.rows[search.rows()].take() else { return false };
        let guide = LadderGuide { rows: &self.rows, layers: &self.layers };
        let before = search.len();
        let done = search.run(&mut LayerContext { rows: &mut rows, bounds: &self.bounds, guide }, until, max, budget);
        self.states += search.len() - before;
        self.rows[search.rows()] = Some(rows);
        done
    }

    /// Adds an explored layer.
    pub(crate) fn add(&mut self, search: LayerSearch) {
        if let Some(rows) = &self.rows[search.rows()] {
            self.layers.push(search.finish(rows));
        }
    }

    /// Removes rows that no layer has.
    pub(crate) fn forget_rows(&mut self) {
        for (number, rows) in self.rows.iter_mut().enumerate() {
            if !self.layers.iter().any(|layer| layer.rows == number) {
                *rows = None;
            }
        }
    }

    /// Returns whether there are layers with clocks.
    pub(crate) fn has_clocks(&self) -> bool {
        self.layers.iter().any(|layer| layer.dim() > 1)
    }

    /// Returns a lower bound on the distance from the start to the goal; `None`: the goal is
    /// unreachable.
    pub(crate) fn length(&self) -> Option<u32> {
        let lengths: Option<Vec<u32>> = self.layers.iter().map(Layer::length).collect();
        lengths.map(|lengths| lengths.into_iter().max().unwrap_or(0))
    }

    /// Returns a lower bound on the distance of a state to the goal; `None`: it is a dead end.
    pub(crate) fn distance(&self, row: &[i32], zone: &[i32]) -> Option<u32> {
        let all = self.system.clocks.len();
        LadderGuide { rows: &self.rows, layers: &self.layers }.distance(&ConcreteState { row, zone, all })
    }
}

/// A state that is looked up in layers.
pub(crate) trait LayerState {
    /// Returns the index of its row among those that are being explored, if it is one of them.
    fn row(&self) -> Option<u32>;
    /// Returns the value of a slot, if it is known.
    fn slot(&self, slot: u32) -> Option<i32>;
    /// Returns the bound on the difference of two clocks, if they are known.
    fn bound(&self, left: u32, right: u32) -> Option<i32>;
}

/// A state of the network.
struct ConcreteState<'a> {
    row: &'a [i32],
    zone: &'a [i32],
    all: usize,
}

impl LayerState for ConcreteState<'_> {
    fn row(&self) -> Option<u32> {
        None
    }
    fn slot(&self, slot: u32) -> Option<i32> {
        Some(self.row[slot as usize])
    }
    fn bound(&self, left: u32, right: u32) -> Option<i32> {
        Some(self.zone[left as usize * self.all + right as usize])
    }
}

/// Looks up distances in layers.
#[derive(Clone, Copy)]
pub(crate) struct LadderGuide<'a, 's> {
    rows: &'a [Option<PatternRows<'s>>],
    layers: &'a [Layer],
}

impl LadderGuide<'_, '_> {
    /// Returns the greatest distance in any layer; `None`: it is a dead end.
    pub(crate) fn distance(&self, state: &impl LayerState) -> Option<u32> {
        let mut max = 0;
        // The finest first: a dead end needs no other layer.
        for layer in self.layers.iter().rev() {
            if let Ok(distance) = self.look_up(layer, state) {
                max = max.max(distance?);
            }
        }
        Some(max)
    }

    fn look_up(&self, layer: &Layer, state: &impl LayerState) -> Result<Option<u32>, Unknown> {
        let row = match &self.rows[layer.rows] {
            Some(rows) => {
                let row: Option<Vec<i32>> = rows.slots.iter().map(|slot| state.slot(*slot)).collect();
                row.and_then(|row| rows.find(&row))
            }
            // They are being explored.
            None => state.row(),
        };
        let pairs = layer.clocks.iter().flat_map(|left| layer.clocks.iter().map(move |right| (*left, *right)));
        let zone: Option<Vec<i32>> = pairs.map(|(left, right)| state.bound(left, right)).collect();
        let (row, zone) = row.zip(zone).ok_or(Unknown)?;
        layer.look_up(row, &zone)
    }
}
