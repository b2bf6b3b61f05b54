//! Merging and shrinking, one pair of factors after the other.

use super::{
    super::Budget,
    cascade::Cascade,
    factor::GONE,
    near::Near,
    pair::{Chooser, Pair},
    pool::{Label, Pool},
    product::{Failed, Product, kind, product},
    shrink::blocks,
};

/// How large products may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
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

/// Why merging has ended too early.
pub const STATES_SPENT: &str = "the budget of abstract states is spent";
/// The same.
pub const HOPS_SPENT: &str = "there are too many abstract transitions";
/// The same.
pub const TIME_OVER: &str = "the time is over";

/// What is being merged.
pub struct Merging<'b> {
    /// The factors that are left.
    pub pool: Pool,
    /// The tables that lead to their states.
    pub cascade: Cascade,
    /// How far numbers of the row are by themselves.
    pub near: Near,
    states: usize,
    chooser: Chooser,
    /// Why it has ended too early.
    pub stopped: Option<&'static str>,
    hops: usize,
    size: Size,
    budget: &'b Budget<'b>,
}

impl<'b> Merging<'b> {
    /// Merges all factors, or as many as the budget allows.
    pub fn run(pool: Pool, cascade: Cascade, size: Size, budget: &'b Budget<'b>) -> Merging<'b> {
        let mut merging = Merging {
            pool,
            cascade,
            near: Near::default(),
            states: 0,
            chooser: Chooser::default(),
            stopped: None,
            hops: 0,
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
    fn choose(&mut self) -> Option<Pair> {
        self.chooser.next(&self.pool, self.budget.states / 2, self.budget)
    }

    /// Whether no way leads from the start to the goal.
    fn is_hopeless(&self) -> bool {
        self.pool.live.iter().any(|number| self.pool.factor(*number).initial == GONE)
    }

    fn start(&mut self) {
        for number in self.pool.live.clone() {
            self.pool.settle(number);
        }
        self.prune();
        self.pool.reduce();
        self.near = Near::new(&self.pool, &self.cascade);
        let most = match self.size {
            Size::After(most) | Size::Before(most) => most,
        };
        for number in self.pool.live.clone() {
            self.states += self.pool.factor(number).len();
            self.shrink(number, most);
        }
        // What no label changes and the goal does not ask for.
        for number in self.pool.live.clone() {
            let factor = self.pool.factor(number);
            if factor.groups.is_empty() && factor.initial != GONE && !factor.is_about_goal(self.pool.goals) {
                self.pool.remove(number);
            }
        }
    }

    /// Leaves out the states that are on no way from the start to the goal, and the labels that lead nowhere.
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

    /// Says whether labels are gone.
    fn prune_one(&mut self, number: u32) -> bool {
        let factor = self.pool.factor_mut(number);
        let Some(map) = factor.on_ways() else { return false };
        self.map(number, &map)
    }

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

    fn merge(&mut self, pair: Pair) -> Result<(), &'static str> {
        // A product, what is left of it, and of what it is made.
        let left = self.budget.states.saturating_sub(self.states()) / (self.pool.live.len() + 1);
        if left < self.pool.factor(pair.0).len().max(self.pool.factor(pair.1).len()) {
            return Err(STATES_SPENT);
        }
        let mut most = match self.size {
            Size::After(_) => left,
            Size::Before(most) => most.min(left),
        };
        for _ in 0..MOST_TRIES {
            if self.budget.is_over() {
                return Err(TIME_OVER);
            }
            let sizes = fit(self.pool.factor(pair.0).len(), self.pool.factor(pair.1).len(), most);
            self.shrink(pair.0, sizes.0);
            self.shrink(pair.1, sizes.1);
            match product(&self.pool, pair, (MOST_HOPS - self.hops) / 2, self.budget) {
                Ok(product) => {
                    self.replace(pair, product);
                    return Ok(());
                }
                Err(Failed::Over) => return Err(TIME_OVER),
                Err(Failed::TooLarge) => {
                    most = (self.pool.factor(pair.0).len() * self.pool.factor(pair.1).len()).min(most) / 4;
                }
            }
        }
        Err(HOPS_SPENT)
    }

    fn replace(&mut self, pair: Pair, product: Product) {
        let number = self.pool.factors.len() as u32;
        for label in &mut self.pool.labels {
            let group = product.groups.get(&kind(label, pair));
            let Label { places, .. } = label;
            places.retain(|place| place.0 != pair.0 && place.0 != pair.1);
            places.extend(group.map(|group| (number, *group)));
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
            Size::After(most) => most,
            Size::Before(_) => usize::MAX,
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
