//! The slots and lattice variables that code reads.

use super::{LatticeVariable, System};
use crate::{
    Formula,
    code::{Op, Pc},
};

impl System {
    /// Returns the value of an expression if its code yields a constant.
    #[must_use]
    pub fn constant(&self, pc: Pc) -> Option<i32> {
        let Op::Yield { a } = self.code.op(pc.0) else { return None };
        self.code.constant(a)
    }

    /// Returns the slots of the row, locations included, that a formula may depend on.
    #[must_use]
    pub fn slots_read(&self, formula: &Formula) -> Vec<u32> {
        let mut roots = Vec::new();
        formula.code(&mut roots);
        self.slots_in(roots)
    }

    /// Returns the slots of the row that code reads or writes, in order.
    #[must_use]
    pub fn slots_in(&self, roots: impl IntoIterator<Item = Pc>) -> Vec<u32> {
        let mut slots = Vec::new();
        for pc in self.code.reach(roots) {
            if let Op::Ask { .. } = self.code.op(pc) {
                return (0..self.initial.len() as u32).collect();
            }
            self.code.op(pc).uses(|_, addr| {
                let own = self.slots_of(addr);
                slots.extend(if own.is_empty() { addr..addr + 1 } else { own });
            });
        }
        slots.retain(|slot| (*slot as usize) < self.initial.len());
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Returns the lattice variables, by their indices in [`Network::lattices`], whose elements
    /// code may read.
    ///
    /// [`Network::lattices`]: super::Network::lattices
    #[must_use]
    pub fn lattices_read(&self, pc: Pc) -> Vec<usize> {
        if self.lattices.is_empty() {
            return Vec::new();
        }
        let slots = self.slots_in([pc]);
        let is_read = |v: &LatticeVariable| slots.iter().any(|slot| (v.first..v.first + v.width).contains(slot));
        (0..self.lattices.len()).filter(|i| is_read(&self.lattices[*i])).collect()
    }

    /// Returns whether the effect of code may depend on elements of lattices.
    #[must_use]
    pub fn reads_lattices(&self, pc: Pc) -> bool {
        !self.lattices_read(pc).is_empty()
    }
}
