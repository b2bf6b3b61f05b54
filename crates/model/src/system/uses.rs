//! What edges and invariants use: slots of the row, and clocks.

use super::{ClockConstraint, ClockId, ClockTerm, Edge, Guard, System};
use crate::code::{Addr, Op, Pc, Use};

/// What code may use, each in order and once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The slots of the row that it may read, locations included.
    pub read: Vec<u32>,
    /// The slots that it may write.
    pub written: Vec<u32>,
    /// The clocks that it may compare or set.
    pub clocks: Vec<ClockId>,
    /// Whether it may set clocks.
    pub sets: bool,
    /// Whether it may set clocks to the values of others.
    pub copies: bool,
}

impl Uses {
    fn finish(mut self) -> Uses {
        for slots in [&mut self.read, &mut self.written] {
            slots.sort_unstable();
            slots.dedup();
        }
        self.clocks.sort_unstable();
        self.clocks.dedup();
        self
    }
}

impl System {
    /// Returns what the guard and the update of an edge may use, besides the location of its own
    /// process; `None`: everything.
    #[must_use]
    pub fn uses_of_edge(&self, edge: &Edge) -> Option<Uses> {
        let mut uses = Uses::default();
        self.use_guard(&edge.guard, &mut uses)?;
        self.use_code(edge.update, &mut uses)?;
        Some(uses.finish())
    }

    /// Returns what an invariant may use; `None`: everything.
    #[must_use]
    pub fn uses_of_invariant(&self, invariant: &Guard) -> Option<Uses> {
        let mut uses = Uses::default();
        self.use_guard(invariant, &mut uses)?;
        Some(uses.finish())
    }

    fn use_guard(&self, guard: &Guard, uses: &mut Uses) -> Option<()> {
        for term in guard.clocks.iter().flat_map(|c| [c.left, c.right]) {
            match term {
                ClockTerm::ZERO => {}
                ClockTerm::Clock(clock) => uses.clocks.push(clock),
                ClockTerm::Element { first, count, .. } => {
                    uses.clocks.extend((first.0..first.0 + count).map(ClockId));
                }
            }
        }
        self.use_code(guard.condition.into_iter().chain(guard.clocks.iter().flat_map(ClockConstraint::code)), uses)
    }

    fn use_code(&self, roots: impl IntoIterator<Item = Pc>, uses: &mut Uses) -> Option<()> {
        for pc in self.code.reach(roots) {
            let op = self.code.op(pc);
            if let Op::Ask { .. } = op {
                return None;
            }
            uses.sets |= matches!(op, Op::SetClock { .. } | Op::CopyClock { .. });
            uses.copies |= matches!(op, Op::CopyClock { .. });
            op.uses(|what, addr| self.use_address(what, addr, uses));
        }
        Some(())
    }

    fn use_address(&self, what: Use, addr: Addr, uses: &mut Uses) {
        let (reads, writes) = match what {
            Use::Source | Use::AnySource | Use::Read | Use::Checked => (true, false),
            Use::Target | Use::AnyTarget => (false, true),
            Use::Replaced | Use::Whole => (true, true),
            Use::ReadClock | Use::SetClock => {
                match self.code.constant(addr) {
                    Some(number) => uses.clocks.extend(self.code.clock(number as u32).map(ClockId)),
                    None => uses.clocks.extend((1..self.clocks.len() as u32).map(ClockId)),
                }
                (true, false)
            }
        };
        let whole = matches!(what, Use::AnySource | Use::AnyTarget | Use::Whole);
        let variable = if whole { self.slots_of(addr) } else { 0..0 };
        let slots = if variable.is_empty() { addr..addr + 1 } else { variable };
        for slot in slots.filter(|slot| (*slot as usize) < self.initial.len()) {
            if reads {
                uses.read.push(slot);
            }
            if writes {
                uses.written.push(slot);
            }
        }
    }
}
