//! The choice of patterns.
//!
//! It starts with the processes that the goal concerns, without clocks, and continues by
//! abstraction refinement: a shortest abstract path is checked with all clocks, and the clocks that
//! make it infeasible are kept. If clocks do not help, the process that makes paths longest is kept
//! as well. Each extension is tried first, and has to pay off: the longer paths become, the more
//! states it may cost.
//!
//! Clarke, Grumberg, Jha, Lu and Veith, "Counterexample-guided abstraction refinement", CAV 2000.

use std::{cmp::Reverse, collections::BTreeMap};

use model::{Formula, System};

use super::{
    super::Budget,
    keep::Pattern,
    ladder::Ladder,
    layer_search::{CoverPolicy, LayerSearch, Until},
    neighbours::Neighbours,
    network::PatternNetwork,
    refute::refuting_clocks,
    rows::{PatternRows, RowTransition},
};

/// The first layer has at most one in this number of states of the budget.
const FIRST_SHARE: usize = 16;
/// A trial without longer paths has at most one in this number of the states so far.
const TRIAL_SHARE: usize = 16;
/// But it may have this number of states.
const MIN_TRIAL: usize = 1000;
/// The least number of states that the cost of a trial is compared with.
const MIN_COST: usize = 2000;
/// Beyond the shortest paths a layer grows to this multiple of the states that it took to find one.
const GROWTH: usize = 3;
/// But it may have this number of states.
const MIN_LAYER: usize = 2000;

/// The state of the choice.
pub(crate) struct PatternChoice<'s, 'b> {
    network: PatternNetwork<'s, 'b>,
    neighbours: Neighbours,
    budget: &'b Budget<'b>,
    /// The layers so far.
    pub(crate) ladder: Ladder<'s>,
    /// The number of extensions.
    pub rounds: u32,
    /// The kept processes.
    processes: Vec<bool>,
    /// The rows of these processes with one more.
    with: BTreeMap<usize, usize>,
}

/// The finest layer.
struct FinestLayer {
    rows: usize,
    clocks: Vec<u32>,
    length: u32,
    path: Vec<RowTransition>,
}

impl<'s, 'b> PatternChoice<'s, 'b> {
    /// Chooses patterns for a network and a goal.
    pub(crate) fn new(system: &'s System, goal: &'b Formula, budget: &'b Budget<'b>) -> PatternChoice<'s, 'b> {
        let mut network = PatternNetwork::new(system, goal);
        let neighbours = network.neighbours();
        let processes = neighbours.of_goal(&network.writes);
        let ladder = Ladder::new(system, goal);
        let mut choice =
            PatternChoice { network, neighbours, budget, ladder, rounds: 0, processes, with: BTreeMap::new() };
        choice.run();
        choice.ladder.forget_rows();
        choice
    }

    /// Returns whether the budget is spent.
    pub(crate) fn is_over(&self) -> bool {
        self.ladder.states >= self.budget.states || self.budget.is_over()
    }

    fn run(&mut self) {
        let Some(rows) = self.rows(&self.processes.clone()) else { return };
        let Some(mut search) = self.ladder.search(rows, vec![0], CoverPolicy::Same) else { return };
        let max = self.budget.states / FIRST_SHARE;
        self.explore(&mut search, Until::Found, &|_| max);
        loop {
            let finest = self.settle(search);
            let Some(next) = finest.and_then(|finest| self.refine(&finest)) else { return };
            search = next;
            self.rounds += 1;
        }
    }

    /// Returns the index of the rows of some processes.
    fn rows(&mut self, processes: &[bool]) -> Option<usize> {
        let pattern = Pattern::of_processes(self.network.system, &self.network.writes, processes);
        let steps = self.network.known_steps(&pattern)?;
        Some(self.ladder.add_rows(PatternRows::new(steps)))
    }

    fn explore(&mut self, search: &mut LayerSearch, until: Until, max: &dyn Fn(u32) -> usize) -> bool {
        let all = search.len() + self.budget.states.saturating_sub(self.ladder.states);
        self.ladder.explore(search, until, &|length| max(length).min(all), self.budget)
    }

    /// Adds a layer. Returns its shortest path; `None`: none exists, or it was not found.
    fn settle(&mut self, mut search: LayerSearch) -> Option<FinestLayer> {
        let finest = search.length().zip(search.path()).map(|(length, path)| FinestLayer {
            rows: search.rows(),
            clocks: search.clocks().to_vec(),
            length,
            path,
        });
        if finest.is_some() {
            let max = (GROWTH * search.len()).max(MIN_LAYER);
            self.explore(&mut search, Until::Shortest, &|_| usize::MAX);
            self.explore(&mut search, Until::All, &|_| max);
        }
        self.ladder.add(search);
        finest
    }

    /// Returns an extension that pays off.
    fn refine(&mut self, finest: &FinestLayer) -> Option<LayerSearch> {
        let groups = refuting_clocks(self.ladder.rows(finest.rows)?, &finest.path, &finest.clocks);
        for group in groups {
            let mut clocks = [&finest.clocks[..], &group].concat();
            clocks.sort_unstable();
            let search = self.ladder.search(finest.rows, clocks, CoverPolicy::Same)?;
            if let Some(search) = self.try_out(search, finest.length) {
                return Some(search);
            }
        }
        let mut best: Option<(usize, LayerSearch)> = None;
        let rank = |search: &LayerSearch| (search.length().unwrap_or(u32::MAX), Reverse(search.len()));
        for process in self.neighbours.of(&self.network.writes, &self.processes) {
            let Some(rows) = self.rows_with(process) else { continue };
            let search = self.ladder.search(rows, finest.clocks.clone(), CoverPolicy::Same)?;
            let search = self.try_out(search, finest.length);
            let is_better = |search: &LayerSearch| best.as_ref().is_none_or(|(_, best)| rank(search) > rank(best));
            if let Some(search) = search.filter(is_better) {
                best = Some((process, search));
            }
        }
        let (process, search) = best?;
        self.processes[process] = true;
        self.with.clear();
        Some(search)
    }

    /// Returns the rows of the kept processes with one more.
    fn rows_with(&mut self, process: usize) -> Option<usize> {
        if let Some(rows) = self.with.get(&process) {
            return Some(*rows);
        }
        let mut processes = self.processes.clone();
        processes[process] = true;
        let rows = self.rows(&processes)?;
        self.with.insert(process, rows);
        Some(rows)
    }

    /// Searches for a path in a layer as long as that pays off; `None`: it does not.
    fn try_out(&mut self, mut search: LayerSearch, before: u32) -> Option<LayerSearch> {
        if self.is_over() {
            return None;
        }
        let trial = (self.ladder.states / TRIAL_SHARE).max(MIN_TRIAL);
        let cost = self.ladder.states.max(MIN_COST);
        let max = |length: u32| trial + cost * length.saturating_sub(before) as usize / before.max(1) as usize;
        let found = self.explore(&mut search, Until::Found, &max);
        (found && search.length().is_none_or(|length| length > before)).then_some(search)
    }
}
