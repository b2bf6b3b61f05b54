//! Subnetworks: some of the processes, variables and clocks of a network.
//!
//! Processes outside may do anything at any time. So a subnetwork keeps a variable or clock only if
//! no process outside changes it, and everything else is relaxed: conditions to true, and assigned
//! values to arbitrary ones.

use std::collections::BTreeSet;

use model::{
    System,
    symbolic::{Atom, Symbolic, TermId, Terms},
    system::{ClockConstraint, ClockTerm},
};
use zone::{Bound, le, lt};

/// The kept part of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subnetwork {
    /// Whether each process is kept.
    pub processes: Vec<bool>,
    /// Whether each slot of the row is kept; the locations of processes come first.
    pub slots: Vec<bool>,
    /// The kept clocks in order; the first is the reference clock.
    pub clocks: Vec<u32>,
}

/// `left - right` is within a bound. Clocks are indices among the kept ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Difference {
    /// The clock that is bounded.
    pub left: u32,
    /// The clock that is subtracted.
    pub right: u32,
    /// The bound.
    pub bound: i32,
}

impl Difference {
    /// Returns the negation.
    #[must_use]
    pub(crate) fn negate(self) -> Difference {
        Difference { left: self.right, right: self.left, bound: zone::negate(self.bound) }
    }

    /// Returns whether it holds everywhere in a closed zone.
    #[must_use]
    pub(crate) fn holds(self, zone: &[i32], dim: usize) -> bool {
        zone[self.left as usize * dim + self.right as usize] <= self.bound
    }
}

/// The variables and clocks that updates of a process may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes {
    /// Numbers of the row.
    pub slots: BTreeSet<u32>,
    /// Clocks; `None`: any.
    pub clocks: Option<BTreeSet<u32>>,
}

/// Returns what each process may change, by its index, and at the end what every transition may
/// change.
#[must_use]
pub(crate) fn writes(system: &System, symbolic: &mut Symbolic<'_>) -> Vec<Writes> {
    let nothing = Writes { slots: BTreeSet::new(), clocks: Some(BTreeSet::new()) };
    let mut all = vec![nothing; system.processes.len() + 1];
    let updates = system.edges.iter().map(|edge| (edge.process.0 as usize, edge.update));
    let hooks = [system.before_update, system.after_update].map(|pc| (system.processes.len(), pc));
    for (who, update) in updates.chain(hooks) {
        let Some(update) = update else { continue };
        let own = &mut all[who];
        own.slots.extend(system.written(update));
        let paths = symbolic.update(&Default::default(), update, &BTreeSet::new());
        match (paths, &mut own.clocks) {
            (Some(paths), Some(clocks)) => clocks.extend(paths.iter().flat_map(|path| path.clocks.keys())),
            (None, clocks) => *clocks = None,
            (_, None) => {}
        }
    }
    all
}

impl Subnetwork {
    /// Returns the subnetwork of some processes with all variables and clocks that can be kept.
    #[must_use]
    pub(crate) fn new(system: &System, writes: &[Writes], processes: Vec<bool>) -> Subnetwork {
        let mut slots = vec![true; system.initial.len()];
        slots[system.identity..].fill(false);
        let mut clocks = vec![true; system.clocks.len()];
        for (process, own) in writes.iter().enumerate() {
            if processes.get(process) == Some(&true) {
                continue;
            }
            if process < processes.len() {
                slots[process] = false;
            }
            own.slots.iter().for_each(|slot| slots[*slot as usize] = false);
            match &own.clocks {
                Some(written) => written.iter().for_each(|clock| clocks[*clock as usize] = false),
                None => clocks.fill(false),
            }
        }
        // Clocks that may be stopped are not kept.
        for rate in system.locations.iter().flat_map(|location| &location.rates) {
            match rate.clock {
                ClockTerm::Clock(clock) => clocks[clock.0 as usize] = false,
                ClockTerm::Element { first, count, .. } => {
                    clocks[first.0 as usize..(first.0 + count) as usize].fill(false);
                }
            }
        }
        clocks[0] = true;
        let clocks = (0..clocks.len() as u32).filter(|clock| clocks[*clock as usize]).collect();
        Subnetwork { processes, slots, clocks }
    }

    /// Returns the number of kept clocks, including the reference clock.
    #[must_use]
    pub(crate) fn dim(&self) -> usize {
        self.clocks.len()
    }

    /// Returns the index of a clock among the kept ones.
    #[must_use]
    pub(crate) fn clock(&self, clock: u32) -> Option<u32> {
        self.clocks.binary_search(&clock).ok().map(|i| i as u32)
    }

    /// Returns whether all variables of a term are kept.
    #[must_use]
    pub(crate) fn knows(&self, terms: &Terms, term: TermId) -> bool {
        terms.support(term).is_some_and(|vars| vars.iter().all(|var| self.slots.get(*var as usize) == Some(&true)))
    }

    /// Returns whether all variables of a comparison are kept.
    #[must_use]
    pub(crate) fn knows_atom(&self, terms: &Terms, atom: Atom) -> bool {
        self.knows(terms, atom.left) && self.knows(terms, atom.right)
    }

    /// Returns the bound of a constraint on kept clocks, for all rows; `None`: it is relaxed.
    #[must_use]
    pub(crate) fn difference(&self, constraint: &ClockConstraint) -> Option<Difference> {
        if constraint.condition.is_some() {
            return None;
        }
        let clock = |term| match term {
            ClockTerm::Clock(clock) => self.clock(clock.0),
            ClockTerm::Element { .. } => None,
        };
        let (left, right) = (clock(constraint.left)?, clock(constraint.right)?);
        let (_, max) = constraint.bound.range();
        let max = i32::try_from(max).ok().filter(|n| n.unsigned_abs() <= i32::MAX_CONSTANT.unsigned_abs())?;
        if left == right {
            return None;
        }
        Some(Difference { left, right, bound: if constraint.strict { lt(max) } else { le(max) } })
    }
}
