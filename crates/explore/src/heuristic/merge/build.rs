//! The main loop: merging and shrinking, one pair of factors after the other.

use super::{
    super::Budget,
    cascade::Cascade,
    factor::is_state,
    pair::{Chooser, FactorPair},
    pool::Pool,
    product::{Product, ProductError, kind, product},
    shrink::blocks,
    tie_breaker::TieBreaker,
};

/// The size limit of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorSize {
    /// Products are shrunk to this number of states.
    After(usize),
    /// Factors are shrunk before they are merged, so that products have at most this number of
    /// states.
    Before(usize),
}

/// The greatest total number of hops.
const MAX_HOPS: usize = 5_000_000;
/// The number of attempts for a product with too many hops, each with fewer states.
const MAX_TRIES: usize = 4;
/// The greatest number of rounds of pruning: removed labels may leave states of other factors
/// without a path.
const MAX_ROUNDS: usize = 16;

const STATES_SPENT: &str = "the budget of abstract states is spent";
const HOPS_SPENT: &str = "there are too many abstract transitions";
const TIME_OVER: &str = "the time is over";

/// The state of the loop.
pub(crate) struct FactorMerging<'b> {
    /// The remaining factors.
    pub pool: Pool,
    /// The tables from rows to their states.
    pub(crate) cascade: Cascade,
    /// The tie breaker.
    pub(crate) tie_breaker: TieBreaker,
    /// Why it ended early.
    pub stopped: Option<&'static str>,
    states: usize,
    hops: usize,
    /// The number of rounds of pruning.
    round: u32,
    chooser: Chooser,
    size: FactorSize,
    budget: &'b Budget<'b>,
}

impl<'b> FactorMerging<'b> {
    /// Merges all factors, as far as the budget allows.
    pub(crate) fn run(pool: Pool, cascade: Cascade, size: FactorSize, budget: &'b Budget<'b>) -> FactorMerging<'b> {
        let mut merging = FactorMerging {
            pool,
            cascade,
            tie_breaker: TieBreaker::default(),
            stopped: None,
            states: 0,
            hops: 0,
            round: 0,
            chooser: Chooser::default(),
            size,
            budget,
        };
        merging.start();
        while !merging.is_hopeless()
            && let Some(pair) = merging.choose()
        {
            if let Err(why) = merging.merge(pair) {
                merging.stopped = Some(why);
                break;
            }
        }
        merging
    }

    /// Returns the number of built states, including those of discarded products.
    pub(crate) fn states(&self) -> usize {
        self.states + self.chooser.states
    }

    /// Half of the budget is for products that are only tried.
    fn choose(&mut self) -> Option<FactorPair> {
        self.chooser.next(&self.pool, self.budget.states / 2, self.budget)
    }

    /// Returns whether no path leads from the start to the goal.
    fn is_hopeless(&self) -> bool {
        let is_lost = |number: &u32| !self.pool.factor(*number).starts.iter().any(|start| is_state(*start));
        self.pool.live.iter().any(is_lost)
    }

    /// Reduces the factors before they are merged.
    fn start(&mut self) {
        for number in self.pool.live.clone() {
            self.pool.settle(number);
        }
        self.prune();
        self.pool.reduce();
        self.tie_breaker = TieBreaker::new(&self.pool, &self.cascade);
        let max = match self.size {
            FactorSize::After(max) | FactorSize::Before(max) => max,
        };
        for number in self.pool.live.clone() {
            self.states += self.pool.factor(number).len();
            self.shrink(number, max);
        }
        self.pool.keep_connected();
    }

    /// Prunes states that are on no path from the start to the goal, and labels without hops.
    fn prune(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut is_again = false;
            for number in self.pool.live.clone() {
                is_again |= self.prune_one(number);
            }
            if !is_again {
                return;
            }
        }
    }

    /// Prunes one factor. Returns whether labels were removed.
    fn prune_one(&mut self, number: u32) -> bool {
        self.round += 1;
        let factor = self.pool.factor_mut(number);
        let Some(map) = factor.prune(self.round) else { return false };
        self.map(number, &map)
    }

    /// Merges states of a factor. Returns whether labels were removed.
    fn map(&mut self, number: u32, map: &[u32]) -> bool {
        let factor = self.pool.factor_mut(number);
        factor.merge(map);
        let node = factor.node;
        self.cascade.map(node, map);
        self.pool.settle(number)
    }

    fn shrink(&mut self, number: u32, max: usize) {
        if let Some(map) = blocks(self.pool.factor(number), max) {
            self.map(number, &map);
            self.states += self.pool.factor(number).len();
        }
    }

    /// Replaces two factors by their product. Returns the reason if it can't.
    fn merge(&mut self, pair: FactorPair) -> Result<(), &'static str> {
        // States of a product are built up to three times: its factors are shrunk, it is built, and
        // it is shrunk. If the budget does not suffice for that, shrinking loses more than the
        // product gains.
        let left = self.budget.states.saturating_sub(self.states()) / (self.pool.live.len() + 1);
        if left < self.pool.factor(pair.0).len().max(self.pool.factor(pair.1).len()) {
            return Err(STATES_SPENT);
        }
        let mut max = match self.size {
            FactorSize::After(_) => left,
            FactorSize::Before(max) => max.min(left),
        };
        for _ in 0..MAX_TRIES {
            if self.budget.is_over() {
                return Err(TIME_OVER);
            }
            let sizes = fit(self.pool.factor(pair.0).len(), self.pool.factor(pair.1).len(), max);
            self.shrink(pair.0, sizes.0);
            self.shrink(pair.1, sizes.1);
            self.round += 1;
            match product(&self.pool, pair, self.round, (MAX_HOPS - self.hops) / 2, self.budget) {
                Ok(product) => {
                    self.replace(pair, product);
                    return Ok(());
                }
                Err(ProductError::Over) => return Err(TIME_OVER),
                Err(ProductError::TooLarge) => {
                    max = (self.pool.factor(pair.0).len() * self.pool.factor(pair.1).len()).min(max) / 4;
                }
            }
        }
        Err(HOPS_SPENT)
    }

    fn replace(&mut self, pair: FactorPair, product: Product) {
        let number = self.pool.factors.len() as u32;
        for label in &mut self.pool.labels {
            let group = product.groups.get(&kind(label, pair));
            label.places.retain(|place| place.0 != pair.0 && place.0 != pair.1);
            label.places.extend(group.map(|group| (number, *group)));
        }
        let (left, right) = (self.pool.remove(pair.0), self.pool.remove(pair.1));
        let node = self.cascade.pair(left.node, right.node, right.len(), product.table);
        let mut factor = product.factor;
        factor.node = node;
        self.states += factor.len();
        self.hops += factor.hops();
        self.pool.factors.push(factor);
        self.pool.live.push(number);
        let is_again = self.prune_one(number) | self.pool.settle(number);
        if is_again {
            self.prune();
        }
        self.pool.reduce();
        let max = match self.size {
            FactorSize::After(max) => max,
            FactorSize::Before(_) => usize::MAX,
        };
        self.shrink(number, max);
    }
}

/// Returns the sizes to which two factors are shrunk for their product to have at most `max`
/// states.
fn fit(left: usize, right: usize, max: usize) -> (usize, usize) {
    if left * right <= max {
        return (left, right);
    }
    let root = max.isqrt().max(1);
    if left <= root {
        (left, (max / left.max(1)).max(1))
    } else if right <= root {
        ((max / right.max(1)).max(1), right)
    } else {
        (root, root)
    }
}
