//! Guards that hold for smaller elements but not for greater ones.
//!
//! If states are joined, an element represents all elements below it. If a guard is lost when the
//! element grows, the transition is taken from the greatest elements below for which the guard
//! holds. That makes every transition monotone. It is possible for bits, whose smaller elements can
//! be enumerated.

use model::{
    System,
    code::Pc,
    machine::Machine,
    system::{EdgeId, LatticeOrder, Sync},
};
use rustc_hash::FxHashSet;
use zone::Bound;

use super::is_at;
use crate::{
    batch::Batch,
    graph::{RunError, ZoneGraph},
};

/// The greatest number of elements that are tried for a guard in a state.
const MAX_ELEMENTS: usize = 1 << 13;

/// A bit that a guard reads.
#[derive(Clone, Copy)]
struct Bit {
    slot: usize,
    mask: i32,
    /// Whether smaller elements have it.
    rises: bool,
}

/// An edge whose guard only smaller elements may satisfy.
struct Falling {
    edge: EdgeId,
    guard: Pc,
    bits: Vec<Bit>,
}

/// The edges whose guards may be lost when elements grow.
pub(super) struct Splits<'a> {
    edges: Vec<Falling>,
    machine: Machine<'a>,
    /// Whether there were too many elements.
    pub too_many: bool,
}

/// Returns whether transitions with a guard that only smaller elements may satisfy can be split: it
/// belongs to internal edges, and reads bits only.
#[must_use]
pub fn can_split(system: &System, guard: Pc) -> bool {
    let is_own = |condition: Option<Pc>| condition == Some(guard);
    system.antitone.contains(&guard)
        && !system.locations.iter().any(|l| is_own(l.invariant.condition))
        && system.edges.iter().all(|e| !is_own(e.guard.condition) || e.sync == Sync::Internal)
        && bits(system, guard, |_| true).is_some()
}

/// Returns the bits of some variables that a guard reads; `None`: it reads elements that are not
/// bits.
fn bits(system: &System, guard: Pc, counts: impl Fn(&usize) -> bool) -> Option<Vec<Bit>> {
    let mut bits = Vec::new();
    for variable in system.lattices_read(guard).into_iter().filter(counts) {
        let v = &system.lattices[variable];
        let LatticeOrder::Library(number) = v.order else { return None };
        let lattice = &*system.library[number as usize].0;
        let rises = match lattice.bit_trend() {
            _ if lattice.bits().is_empty() => return None,
            lattice::Trend::Rises => false,
            lattice::Trend::Falls => true,
            lattice::Trend::Varies => return None,
        };
        let count: u32 = lattice.bits().iter().product();
        bits.extend((0..count).map(|bit| Bit { slot: (v.first + bit / 32) as usize, mask: 1 << (bit % 32), rises }));
    }
    Some(bits)
}

impl<'a> Splits<'a> {
    /// Returns the edges of a system; `None`: there are none.
    pub(super) fn new(system: &'a System, merged: &[usize]) -> Option<Splits<'a>> {
        let mut edges = Vec::new();
        for (i, edge) in system.edges.iter().enumerate() {
            if let Some(guard) = edge.guard.condition
                && can_split(system, guard)
                && let Some(bits) = bits(system, guard, |variable| merged.contains(variable))
            {
                edges.push(Falling { edge: EdgeId(i as u32), guard, bits });
            }
        }
        let machine = Machine::new(&system.code, system.initial.len());
        (!edges.is_empty()).then_some(Splits { edges, machine, too_many: false })
    }

    /// Returns whether an edge's guard may hold for smaller elements only.
    pub(super) fn has(&self, edge: EdgeId) -> bool {
        self.edges.iter().any(|falling| falling.edge == edge)
    }

    /// Adds the successors that a state has for smaller elements only, after its own ones; by one
    /// edge, if it is given.
    pub(super) fn successors<B: Bound>(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        only: Option<EdgeId>,
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        let system = graph.system();
        for falling in &self.edges {
            if only.is_some_and(|only| only != falling.edge) || !is_at(system, row, falling.edge) {
                continue;
            }
            let below = greatest_below(falling, &mut self.machine, row);
            self.too_many |= below.is_none();
            for smaller in below.unwrap_or_default() {
                graph.successors_by(&smaller, zone, &[falling.edge], out)?;
            }
        }
        Ok(())
    }
}

/// Returns the rows with the greatest elements strictly below those of a row for which a guard
/// holds; `None`: there are too many. Run-time errors of the guard are found elsewhere.
fn greatest_below(falling: &Falling, machine: &mut Machine<'_>, row: &[i32]) -> Option<Vec<Vec<i32>>> {
    let mut holds = |row: &[i32]| {
        machine.load(row);
        machine.test(falling.guard).unwrap_or(false)
    };
    let mut least = row.to_vec();
    for bit in &falling.bits {
        least[bit.slot] = bit.lower(least[bit.slot]);
    }
    // If it does not hold for the least elements, it holds for none.
    if holds(row) || !holds(&least) {
        return Some(Vec::new());
    }
    let mut found: Vec<Vec<i32>> = Vec::new();
    let mut seen: FxHashSet<Vec<i32>> = FxHashSet::default();
    let mut open = vec![row.to_vec()];
    while let Some(at) = open.pop() {
        for bit in &falling.bits {
            let mut smaller = at.clone();
            smaller[bit.slot] = bit.lower(at[bit.slot]);
            if smaller == at || !seen.insert(smaller.clone()) {
                continue;
            }
            if seen.len() > MAX_ELEMENTS {
                return None;
            }
            if holds(&smaller) {
                found.push(smaller);
            } else {
                open.push(smaller);
            }
        }
    }
    Some(found)
}

impl Bit {
    /// Returns an integer with this bit as in smaller elements.
    fn lower(self, number: i32) -> i32 {
        if self.rises { number | self.mask } else { number & !self.mask }
    }
}
