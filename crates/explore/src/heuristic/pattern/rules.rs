//! The clock constraints and resets of a pattern.

use zone::{constrain, delay, free, reset};

use super::{
    super::abstraction::{steps::Reset, subnetwork::Difference},
    rows::{PatternRows, RowTransition},
};

/// A bound on `left - right`, one of which is the reference clock.
type RuleConstraint = (u32, u32, i32);

/// The clock constraints and resets of a step.
struct Rule {
    guard: Vec<RuleConstraint>,
    resets: Vec<(u32, Reset)>,
}

/// The clock constraints and resets of a pattern for some clocks. Diagonal constraints are ignored,
/// since aLU is not sound for them.
pub(super) struct Rules {
    /// The number of clocks, including the reference clock.
    pub dim: usize,
    initial: Vec<Reset>,
    steps: Vec<Rule>,
    /// The invariant of each location of the network.
    invariants: Vec<Vec<RuleConstraint>>,
    targets: Vec<Vec<RuleConstraint>>,
}

impl Rules {
    /// Creates the rules for some clocks of the subnetwork, by their indices in the network; the
    /// first is the reference clock.
    pub(crate) fn new(rows: &PatternRows<'_>, clocks: &[u32]) -> Rules {
        let steps = &rows.steps;
        let number = |clock: u32| {
            let clock = steps.subnetwork.clocks[clock as usize];
            clocks.binary_search(&clock).ok().map(|at| at as u32)
        };
        let all = |list: &[Difference]| {
            let own = list.iter().filter(|d| d.left == 0 || d.right == 0);
            own.filter_map(|d| Some((number(d.left)?, number(d.right)?, d.bound))).collect::<Vec<RuleConstraint>>()
        };
        let resets = |list: &[(u32, Reset)]| list.iter().filter_map(|(c, to)| Some((number(*c)?, *to))).collect();
        Rules {
            dim: clocks.len(),
            initial: clocks.iter().map(|clock| Reset::at_start(steps.system, *clock)).collect(),
            steps: steps.steps.iter().map(|s| Rule { guard: all(&s.guard), resets: resets(&s.resets) }).collect(),
            invariants: steps.places.iter().map(|place| all(&place.invariant)).collect(),
            targets: steps.targets.iter().map(|target| all(&target.clocks)).collect(),
        }
    }

    fn constrain(&self, zone: &mut [i32], all: &[RuleConstraint]) -> bool {
        all.iter().all(|(left, right, bound)| constrain(zone, self.dim, *left as usize, *right as usize, *bound))
    }

    /// Lets time pass in a row, if possible. Returns whether the zone is not empty.
    fn stay(&self, rows: &PatternRows<'_>, row: u32, zone: &mut [i32]) -> bool {
        let stays = |zone: &mut [i32]| rows.places(row).all(|place| self.constrain(zone, &self.invariants[place]));
        if !stays(zone) {
            return false;
        }
        if rows.places(row).any(|place| rows.steps.places[place].is_urgent) {
            return true;
        }
        delay(zone, self.dim);
        stays(zone)
    }

    /// Computes the initial zone. Returns whether it is not empty.
    pub(crate) fn start(&self, rows: &PatternRows<'_>, row: u32, zone: &mut [i32]) -> bool {
        zone::zero(zone, self.dim);
        for (clock, value) in self.initial.iter().enumerate().skip(1) {
            match value {
                Reset::To(value) => reset(zone, self.dim, clock, *value),
                Reset::Any => free(zone, self.dim, clock),
            }
        }
        self.stay(rows, row, zone)
    }

    /// Applies a step to a zone. Returns whether it is not empty.
    pub(crate) fn take(&self, rows: &PatternRows<'_>, arc: RowTransition, zone: &mut [i32]) -> bool {
        let rule = &self.steps[arc.step as usize];
        if !self.constrain(zone, &rule.guard) {
            return false;
        }
        for (clock, to) in &rule.resets {
            match to {
                Reset::To(value) => reset(zone, self.dim, *clock as usize, *value),
                Reset::Any => free(zone, self.dim, *clock as usize),
            }
        }
        self.stay(rows, arc.to, zone)
    }

    /// Returns whether a disjunct of the goal holds somewhere in a zone.
    pub(crate) fn meets(&self, target: usize, zone: &[i32]) -> bool {
        self.constrain(&mut zone.to_vec(), &self.targets[target])
    }
}
