//! Directed search: open lists that take states first from which the goal seems near.
//!
//! Each strategy has a queue: a heuristic, a rank, and whether only the targets of helpful
//! transitions are in it. The queues take turns, and a state that one of them returned is skipped
//! in the others.

mod cached;
mod queue;

use model::system::EdgeId;
use zone::Bound;

use crate::{
    heuristic::{Estimate, EvaluatedState, Evaluator, Failures, PathPosition, Prepared},
    open::{Arrival, OpenList},
    random::SplitMix,
    store::NodeId,
};
pub use cached::CachePolicy;
pub(crate) use cached::CachedEvaluator;
use queue::{Queue, QueueKey};

/// The order of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// By the estimate: greedy search.
    Estimate,
    /// By the length of the path so far plus the weighted estimate: A*, or weighted A* if the
    /// weight is greater than one.
    Total {
        /// The factor of the estimate.
        weight: u32,
    },
    /// By the estimate; if the last transition was useless, plus the length of the path so far
    /// (Wehrle, Kupferschmid and Podelski, "Useless actions are useful", 2008).
    Useless,
    /// By age, the oldest first.
    Oldest,
    /// By age, the youngest first; siblings in random order.
    Youngest,
}

/// Which of several states with the same rank comes first. With a seed, the successors of a state
/// are in random order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// In A* the deepest, then the oldest. Otherwise as the heuristic says, then a successor of the
    /// state that was expanded last. With a seed, at random instead of by age.
    #[default]
    Auto,
    /// The oldest.
    Oldest,
    /// The youngest.
    Youngest,
    /// The youngest. A state that covers open ones takes the place of the oldest of them, unless
    /// its own is better: the list of states of UPPAAL (David, Behrmann, Larsen and Yi,
    /// "Unification and sharing in timed automata verification", 2003).
    Place,
}

/// The settings of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueStrategy {
    /// The index of its heuristic.
    pub heuristic: usize,
    /// The order of its states.
    pub rank: Rank,
    /// Whether it holds only the targets of helpful transitions.
    pub helpful: bool,
    /// The cost of a turn: the queue with the least total cost is next.
    pub cost: i64,
}

/// The additional turns of a queue of helpful transitions that has come nearer to the goal (Richter
/// and Helmert, "Preferred operators and deferred evaluation in satisficing planning", 2009).
const BOOST: i64 = 64;

/// An open list ordered by estimated distances to the goal.
pub struct Guided<'s, B = i32> {
    known: Vec<CachedEvaluator<'s>>,
    queues: Vec<Queue>,
    /// Which nodes were returned.
    given: Vec<bool>,
    waiting: usize,
    /// The lengths of the paths to the nodes.
    depths: Vec<u32>,
    ties: TieBreak,
    random: SplitMix,
    is_random: bool,
    /// The number of states that were expanded.
    round: u32,
    /// The state whose successors are added, and its helpful edges by heuristic.
    expanded: Option<NodeId>,
    row: Vec<i32>,
    zone: Vec<B>,
    /// A buffer for zones with bounds of 32 bits, as heuristics take them.
    weakened: Vec<i32>,
    helpful: Vec<Vec<EdgeId>>,
    values: Vec<Option<Estimate>>,
    /// The nearest goal state so far, with the length of its path, if the search looks for a
    /// shortest path.
    best: Option<(u32, NodeId)>,
}

impl<'s, B: Bound> Guided<'s, B> {
    /// Creates a list with these heuristics and strategies. Ties are broken by `seed`; 0: by age.
    #[must_use]
    pub fn new(
        heuristics: Vec<Box<dyn Evaluator + 's>>,
        memory: CachePolicy,
        strategies: &[QueueStrategy],
        seed: u64,
    ) -> Guided<'s, B> {
        let count = heuristics.len();
        Guided {
            known: heuristics.into_iter().map(|heuristic| CachedEvaluator::new(heuristic, memory)).collect(),
            queues: strategies.iter().map(|strategy| Queue::new(*strategy)).collect(),
            given: Vec::new(),
            waiting: 0,
            depths: Vec::new(),
            ties: TieBreak::Auto,
            random: SplitMix::new(seed),
            is_random: seed != 0,
            round: 0,
            expanded: None,
            row: Vec::new(),
            zone: Vec::new(),
            weakened: Vec::new(),
            helpful: vec![Vec::new(); count],
            values: vec![None; count],
            best: None,
        }
    }

    /// Breaks ties in another way.
    #[must_use]
    pub fn with_ties(mut self, ties: TieBreak) -> Guided<'s, B> {
        if ties == TieBreak::Place {
            self.queues.iter_mut().for_each(Queue::keep_keys);
        }
        Guided { ties, ..self }
    }

    /// Returns the estimate of a heuristic for the state that is added.
    fn estimate(&self, heuristic: usize) -> Estimate {
        self.values.get(heuristic).copied().flatten().unwrap_or(Estimate { value: u32::MAX, tie: 0 })
    }

    /// Returns whether the search looks for a shortest path.
    fn by_length(&self) -> bool {
        self.queues.iter().all(|queue| matches!(queue.strategy.rank, Rank::Total { .. }))
    }

    /// Reads the state whose successors are added, if a strategy needs it.
    fn read_parent(&mut self, state: &Arrival<'_, B>) {
        if self.expanded == state.parent {
            return;
        }
        self.expanded = state.parent;
        self.round += 1;
        let (Some(parent), Some(zone)) = (state.parent, state.zone_before) else { return };
        let wants = |queue: &Queue| queue.strategy.helpful || queue.strategy.rank == Rank::Useless;
        if !self.queues.iter().any(wants) {
            return;
        }
        state.store.row(parent, &mut self.row);
        state.store.zones().read(zone, &mut self.zone);
        let zone = B::weakened_zone(&self.zone, &mut self.weakened);
        let evaluated = EvaluatedState { row: &self.row, zone, edges: &[], path: PathPosition::default() };
        for (i, known) in self.known.iter_mut().enumerate() {
            if self.queues.iter().any(|queue| queue.strategy.helpful && queue.strategy.heuristic == i) {
                known.evaluator.helpful(evaluated, &mut self.helpful[i]);
            }
        }
    }

    /// Returns whether the transition to a state is useless: the goal is as near without it.
    fn is_useless(&mut self, heuristic: usize, state: &Arrival<'_, B>, value: u32) -> bool {
        if state.parent.is_none() {
            return false;
        }
        let zone = B::weakened_zone(&self.zone, &mut self.weakened);
        let evaluated = EvaluatedState { row: &self.row, zone, edges: &[], path: PathPosition::default() };
        // The first edge is that of the sender; the others occur in many transitions.
        let Some(edge) = state.edges.first() else { return false };
        let without = self.known[heuristic].evaluator.without(evaluated, *edge);
        without.flatten().is_some_and(|without| without <= value)
    }

    fn depth(&mut self, state: &Arrival<'_, B>) -> u32 {
        let of_parent = |parent: NodeId| self.depths.get(parent.0 as usize).map_or(0, |depth| depth + 1);
        let depth = state.store.depth(state.node).unwrap_or_else(|| state.parent.map_or(0, of_parent));
        let at = state.node.0 as usize;
        if self.depths.len() <= at {
            self.depths.resize(at + 1, 0);
        }
        self.depths[at] = depth;
        depth
    }

    /// Returns the key of the state that is added in a queue; `None`: it does not belong there.
    fn key(&mut self, strategy: QueueStrategy, state: &Arrival<'_, B>, depth: u32) -> Option<QueueKey> {
        let QueueStrategy { heuristic, rank, helpful, .. } = strategy;
        let Estimate { value, tie } = self.estimate(heuristic);
        let edges = &self.helpful[heuristic];
        if helpful && state.parent.is_some() && !state.edges.iter().any(|edge| edges.contains(edge)) {
            return None;
        }
        let age = state.node.0;
        let youngest_parent = u32::MAX - state.parent.map_or(0, |parent| parent.0);
        let (priority, tie) = match rank {
            Rank::Estimate => (value, tie),
            Rank::Total { weight } => (depth.saturating_add(value.saturating_mul(weight)), u32::MAX - depth),
            Rank::Useless if self.is_useless(heuristic, state, value) => (value.saturating_add(depth), tie),
            Rank::Useless => (value, tie),
            Rank::Oldest => return Some((age, 0, 0)),
            Rank::Youngest => return Some((youngest_parent, self.random.next() as u32, 0)),
        };
        Some(match self.ties {
            TieBreak::Oldest if self.is_random => (priority, self.round, self.random.next() as u32),
            TieBreak::Youngest | TieBreak::Place if self.is_random => {
                (priority, u32::MAX - self.round, self.random.next() as u32)
            }
            TieBreak::Oldest => (priority, 0, age),
            TieBreak::Youngest | TieBreak::Place => (priority, 0, u32::MAX - age),
            TieBreak::Auto if self.is_random => (priority, tie, self.random.next() as u32),
            TieBreak::Auto if matches!(rank, Rank::Total { .. }) => (priority, tie, age),
            TieBreak::Auto if self.known[heuristic].evaluator.takes_last() => (priority, tie, u32::MAX - age),
            TieBreak::Auto => (priority, tie, youngest_parent),
        })
    }

    /// Boosts the queues that have come nearer to the goal.
    fn boost(&mut self) {
        for queue in &mut self.queues {
            let estimate = self.values.get(queue.strategy.heuristic).copied().flatten();
            if let Some(Estimate { value, .. }) = estimate
                && value < queue.best
            {
                queue.best = value;
                if queue.strategy.helpful {
                    queue.turn -= BOOST;
                }
            }
        }
    }
}

impl<B: Bound> OpenList<B> for Guided<'_, B> {
    fn push(&mut self, state: &Arrival<'_, B>) {
        let zone = B::weakened_zone(state.zone, &mut self.weakened);
        let path = PathPosition { node: Some(state.node.0), parent: state.parent.map(|parent| parent.0) };
        let evaluated = EvaluatedState { row: state.row, zone, edges: state.edges, path };
        for (known, value) in self.known.iter_mut().zip(&mut self.values) {
            *value = known.value(evaluated, state.discrete);
            if value.is_none() && known.prunes() && state.goal.is_none() {
                return;
            }
        }
        self.read_parent(state);
        let depth = self.depth(state);
        if state.goal.is_some() {
            self.values.fill(Some(Estimate::default()));
            if self.best.is_none_or(|(best, _)| depth < best) {
                self.best = Some((depth, state.node));
            }
        }
        let at = state.node.0 as usize;
        if self.given.len() <= at {
            self.given.resize(at + 1, false);
        }
        // A state may be added again when a join is undone.
        self.given[at] = false;
        self.waiting += 1;
        let is_open = |node: &&NodeId| self.given.get(node.0 as usize) == Some(&false);
        let place = state.store.replaced().iter().filter(is_open).min().copied();
        for i in 0..self.queues.len() {
            if let Some(own) = self.key(self.queues[i].strategy, state, depth) {
                let taken = place.and_then(|node| self.queues[i].key(node));
                self.queues[i].push(taken.map_or(own, |taken| own.min(taken)), state.node);
            }
        }
        self.boost();
    }

    fn pop(&mut self) -> Option<NodeId> {
        let next = self.queues.iter_mut().filter(|queue| !queue.is_empty()).min_by_key(|queue| queue.turn)?;
        next.turn += next.strategy.cost;
        let node = next.pop()?;
        self.given[node.0 as usize] = true;
        self.waiting -= 1;
        // The front of each queue is an open state, which decides about `best`.
        let given = &self.given;
        self.queues.iter_mut().for_each(|queue| queue.drop_given(given));
        Some(node)
    }

    fn len(&self) -> usize {
        self.waiting
    }

    fn bytes(&self) -> usize {
        // Each queue has an entry for a state, with its key.
        let keys: usize = self.queues.iter().map(Queue::key_bytes).sum();
        self.given.capacity() + self.waiting * self.queues.len() * 24 + keys
    }

    fn prepared(&self) -> Option<Prepared> {
        CachedEvaluator::prepared(&self.known)
    }

    fn failures(&self) -> Failures {
        CachedEvaluator::failures(&self.known)
    }

    fn seeks_best(&self) -> bool {
        self.by_length()
    }

    fn best(&self) -> Option<NodeId> {
        let (length, node) = self.best?;
        self.queues.iter().filter_map(Queue::priority).all(|priority| priority >= length).then_some(node)
    }
}
