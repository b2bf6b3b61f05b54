//! The delays after which guards and invariants hold.

use super::{Delays, Simulator, Trouble};
use crate::{
    machine::Fault,
    replay::{Motion, Stuck},
    system::Guard,
};

/// The delays after which a guard or invariant holds.
pub(super) struct HoldingDelays {
    pub delays: Delays,
    /// The error of an expression, and the delays after which it is evaluated.
    pub fault: Option<(Fault, Delays)>,
}

impl Simulator<'_> {
    /// Returns the delays, among the given ones, after which a guard or invariant holds in the
    /// loaded row. Like the engines, it evaluates a constraint only where all constraints before it
    /// hold.
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
