//! When guards and invariants hold.

use super::{Delays, Simulator, Trouble};
use crate::{
    machine::Fault,
    replay::{Motion, Stuck},
    system::Guard,
};

/// The delays after which something holds.
pub(super) struct HoldingDelays {
    pub delays: Delays,
    /// An expression that can't be evaluated, and the delays after which somebody asks for it.
    pub fault: Option<(Fault, Delays)>,
}

impl Simulator<'_> {
    /// After which of some delays a guard or invariant holds; the machine has the row. Like the
    /// engines, this looks at a constraint only where all before it hold.
    pub(super) fn within(&mut self, guard: &Guard, motion: &Motion, delays: Delays) -> Result<HoldingDelays, Trouble> {
        let none = |fault: Option<(Fault, Delays)>| Ok(HoldingDelays { delays: Delays::default(), fault });
        if delays.is_empty() {
            return none(None);
        }
        match self.replayer.test(guard.condition) {
            Ok(true) => {}
            Ok(false) => return none(None),
            Err(fault) => return none(Some((fault, delays))),
        }
        let mut left = delays;
        for constraint in &guard.clocks {
            match self.replayer.moments(constraint, motion) {
                Ok(moments) => left = moments.map_or_else(Delays::default, |m| left.and(&m)),
                Err(Stuck::Fault(fault)) => return none(Some((fault, left))),
                Err(Stuck::Unclear(_)) => return Err(Trouble::Overflow),
            }
            if left.is_empty() {
                break;
            }
        }
        Ok(HoldingDelays { delays: left, fault: None })
    }
}
