//! Variables that no code changes.
//!
//! Models have parameters that are declared as variables, or as constant arrays that are read by an
//! index. The constants that clocks are compared with determine the number of zones, so it is
//! worthwhile to know that such a number is 5, and not any number of its type. Only the code shows
//! what never changes, so a model with bounds that depend on variables is lowered twice.

use super::Lowerer;
use crate::{
    code::{Addr, Region, Use},
    system::{Guard, Operand},
};

impl Lowerer<'_> {
    /// Returns which variables never change; `None` if no clock is compared with a variable.
    pub(super) fn frozen(&self) -> Option<Vec<bool>> {
        let by_variables = |guard: &Guard| guard.clocks.iter().any(|c| matches!(c.bound, Operand::Code { .. }));
        let edges = self.system.edges.iter().map(|e| &e.guard);
        if !edges.chain(self.system.locations.iter().map(|l| &l.invariant)).any(by_variables) {
            return None;
        }
        let mut frozen = vec![true; self.s.variables as usize];
        for op in &self.s.code.ops {
            op.uses(|what, addr| match what {
                Use::Target | Use::Replaced => thaw(&mut frozen, addr, 1),
                Use::AnyTarget | Use::Whole => self.thaw_whole(&mut frozen, addr),
                Use::Source | Use::AnySource | Use::Read | Use::Checked | Use::ReadClock | Use::SetClock => {}
            });
        }
        // Joins change elements without code.
        for v in &self.s.lattices {
            frozen[v.first as usize..(v.first + v.width) as usize].fill(false);
        }
        Some(frozen)
    }

    fn thaw_whole(&self, frozen: &mut [bool], base: Addr) {
        let (Region::Variables, index) = Region::split(base) else { return };
        let locations = self.system.processes.len() as u32;
        for v in self.system.variables.iter().filter(|v| !v.meta) {
            // In the row they follow the locations.
            let (first, size) = (v.first - locations, v.shape.size().ints);
            if (first..first + size).contains(&index) {
                thaw(frozen, Region::Variables.at(first), size);
            }
        }
    }

    /// Returns the least and the greatest of `len` numbers from `base` on, if none of them ever
    /// changes.
    pub(super) fn known_range(&self, base: Addr, len: u32) -> Option<(i32, i32)> {
        let (region, first) = Region::split(base);
        let range = first as usize..(first + len) as usize;
        let values = match region {
            Region::Constants => self.s.code.constants.get(range)?,
            Region::Variables if self.s.frozen.get(range.clone())?.iter().all(|frozen| *frozen) => {
                self.s.initial.get(range)?
            }
            _ => return None,
        };
        Some((*values.iter().min()?, *values.iter().max()?))
    }
}

fn thaw(frozen: &mut [bool], addr: Addr, len: u32) {
    if let (Region::Variables, first) = Region::split(addr) {
        frozen[first as usize..(first + len) as usize].fill(false);
    }
}
