//! Merging and shrinking, one pair of factors after the other.

use super::{
    super::Budget,
    cascade::Cascade,
    factor::is_state,
    near::TieBreaker,
    pair::{Chooser, FactorPair},
    pool::Pool,
    product::{Product, ProductError, kind, product},
    shrink::blocks,
};

/// How large products may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorSize {
    /// They are shrunk to so many states.
    After(usize),
    /// What they are made of is shrunk, so that they have at most so many states.
    Before(usize),
}

/// So many hops are made at most, in all.
const MOST_HOPS: usize = 5_000_000;
/// A product that has too many hops is tried again so often, with fewer states.
const MOST_TRIES: usize = 4;
/// Labels that go from one factor may leave states of others without a way, so many times.
const MOST_ROUNDS: usize = 16;

const STATES_SPENT: &str = "the budget of abstract states is spent";
const HOPS_SPENT: &str = "there are too many abstract transitions";
const TIME_OVER: &str = "the time is over";

/// What is being merged.
pub struct FactorMerging<'b> {
    /// The factors that are left.
    pub pool: Pool,
    /// The tables that lead to their states.
    pub cascade: Cascade,
    /// How far numbers of the row are by themselves.
    pub near: TieBreaker,
    /// Why it has ended too early.
    pub stopped: Option<&'static str>,
    states: usize,
    hops: usize,
    /// How often states were left out.
    round: u32,
    chooser: Chooser,
    size: FactorSize,
    budget: &'b Budget<'b>,
}

impl<'b> FactorMerging<'b> {
    /// Merges all factors, or as many as the budget allows.
    pub fn run(pool: Pool, cascade: Cascade, size: FactorSize, budget: &'b Budget<'b>) -> FactorMerging<'b> {
        let mut merging = FactorMerging {
            pool,
            cascade,
            near: TieBreaker::default(),
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

    /// The states that were built, with those of products that were only tried.
    pub fn states(&self) -> usize {
        self.states + self.chooser.states
    }

    /// Of the states that may be built, half are for products that are tried.
    fn choose(&mut self) -> Option<FactorPair> {
        self.chooser.next(&self.pool, self.budget.states / 2, self.budget)
    }

    /// Whether no path leads from the start to the goal.
    fn is_hopeless(&self) -> bool {
        let is_lost = |number: &u32| !self.pool.factor(*number).starts.iter().any(|start| is_state(*start));
        self.pool.live.iter().any(is_lost)
    }

    /// Makes the factors as small as they can be before they are merged.
    fn start(&mut self) {
        for number in self.pool.live.clone() {
            self.pool.settle(number);
        }
        self.prune();
        self.pool.reduce();
        self.near = TieBreaker::new(&self.pool, &self.cascade);
        let most = match self.size {
            FactorSize::After(most) | FactorSize::Before(most) => most,
        };
        for number in self.pool.live.clone() {
            self.states += self.pool.factor(number).len();
            self.shrink(number, most);
        }
        self.pool.keep_connected();
    }

    /// Leaves out the states that are on no way from the start to the goal, and the labels that
    /// lead nowhere.
    fn prune(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let mut is_again = false;
            for number in self.pool.live.clone() {
                is_again |= self.prune_one(number);
            }
            if !is_again {
                return;
            }
        }
    }

    /// The same in one factor; says whether labels are gone.
    fn prune_one(&mut self, number: u32) -> bool {
        self.round += 1;
        let factor = self.pool.factor_mut(number);
        let Some(map) = factor.on_ways(self.round) else { return false };
        self.map(number, &map)
    }

    /// Makes one of states that become the same; says whether labels are gone.
    fn map(&mut self, number: u32, map: &[u32]) -> bool {
        let factor = self.pool.factor_mut(number);
        factor.merge(map);
        let node = factor.node;
        self.cascade.map(node, map);
        self.pool.settle(number)
    }

    fn shrink(&mut self, number: u32, most: usize) {
        if let Some(map) = blocks(self.pool.factor(number), most) {
            self.map(number, &map);
            self.states += self.pool.factor(number).len();
        }
    }

    /// Puts a product into the place of two factors; fails with why it can't.
    fn merge(&mut self, pair: FactorPair) -> Result<(), &'static str> {
        // States of a product are built up to three times: what it is made of is shrunk, it is
        // made, and it is shrunk. If there is not enough room for that, more would be lost than the
        // product tells.
        let left = self.budget.states.saturating_sub(self.states()) / (self.pool.live.len() + 1);
        if left < self.pool.factor(pair.0).len().max(self.pool.factor(pair.1).len()) {
            return Err(STATES_SPENT);
        }
        let mut most = match self.size {
            FactorSize::After(_) => left,
            FactorSize::Before(most) => most.min(left),
        };
        for _ in 0..MOST_TRIES {
            if self.budget.is_over() {
                return Err(TIME_OVER);
            }
            let sizes = fit(self.pool.factor(pair.0).len(), self.pool.factor(pair.1).len(), most);
            self.shrink(pair.0, sizes.0);
            self.shrink(pair.1, sizes.1);
            self.round += 1;
            match product(&self.pool, pair, self.round, (MOST_HOPS - self.hops) / 2, self.budget) {
                Ok(product) => {
                    self.replace(pair, product);
                    return Ok(());
                }
                Err(ProductError::Over) => return Err(TIME_OVER),
                Err(ProductError::TooLarge) => {
                    most = (self.pool.factor(pair.0).len() * self.pool.factor(pair.1).len()).min(most) / 4;
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
        let most = match self.size {
            FactorSize::After(most) => most,
            FactorSize::Before(_) => usize::MAX,
        };
        self.shrink(number, most);
    }
}

/// How many states two factors may have for their product to have at most so many.
fn fit(left: usize, right: usize, most: usize) -> (usize, usize) {
    if left * right <= most {
        return (left, right);
    }
    let root = most.isqrt().max(1);
    if left <= root {
        (left, (most / left.max(1)).max(1))
    } else if right <= root {
        ((most / right.max(1)).max(1), right)
    } else {
        (root, root)
    }
}
