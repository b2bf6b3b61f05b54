//! Clocks as functions of a delay, and when constraints on them hold.

use super::{Cut, Delays, Interval, Simulator, Trouble};
use crate::{
    machine::{ClockChange, Fault, FaultKind},
    ratio::Ratio,
    system::{ClockConstraint, Guard},
};

/// The value of each clock after a delay: a number, plus the delay if it moves.
#[derive(Clone, Debug)]
pub(super) struct Motion(Vec<(Ratio, bool)>);

/// The delays after which something holds.
pub(super) struct Part {
    pub delays: Delays,
    /// An expression that can't be evaluated, and the delays after which somebody asks for it.
    pub fault: Option<(Fault, Delays)>,
}

impl Motion {
    pub(super) fn new(clocks: &[Ratio], stopped: &[bool]) -> Motion {
        let moves = stopped.iter().enumerate().map(|(x, stopped)| x != 0 && !stopped);
        Motion(clocks.iter().copied().zip(moves).collect())
    }

    /// Applies changes of clocks. Returns the delays after which a clock would become negative, if
    /// there are some.
    pub(super) fn apply(
        &mut self,
        changes: &[ClockChange],
        delays: &Delays,
    ) -> Result<Option<(Fault, Delays)>, Trouble> {
        for change in changes {
            match *change {
                ClockChange::Set { clock, value } => self.0[clock as usize] = (Ratio::from(value), false),
                ClockChange::Copy { clock, from, plus } => {
                    let (value, moves) = self.0[from as usize];
                    let value = value.plus(Ratio::from(plus)).ok_or(Trouble::Overflow)?;
                    self.0[clock as usize] = (value, moves);
                    if value < Ratio::ZERO {
                        let zero = Ratio::ZERO.minus(value).ok_or(Trouble::Overflow)?;
                        let to = moves.then_some(Cut { at: zero, behind: false });
                        let negative = delays.and(&Interval { from: Cut::START, to });
                        if !negative.is_empty() {
                            let number = value.floor().max(i64::from(i32::MIN)) as i32;
                            let fault = Fault { kind: FaultKind::NegativeClock(number), pc: u32::MAX };
                            return Ok(Some((fault, negative)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

impl Simulator<'_> {
    /// After which of some delays a guard or invariant holds; the machine has the row. Like the
    /// engines, this looks at a constraint only where all before it hold.
    pub(super) fn within(&mut self, guard: &Guard, motion: &Motion, delays: Delays) -> Result<Part, Trouble> {
        let none = |fault: Option<(Fault, Delays)>| Ok(Part { delays: Delays::default(), fault });
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
            match self.moments(constraint, motion) {
                Ok(moments) => left = moments?.map_or_else(Delays::default, |m| left.and(&m)),
                Err(fault) => return none(Some((fault, left))),
            }
            if left.is_empty() {
                break;
            }
        }
        Ok(Part { delays: left, fault: None })
    }

    /// When a constraint holds.
    #[allow(clippy::type_complexity)] // Both ways to fail have their own place to go.
    fn moments(&mut self, c: &ClockConstraint, motion: &Motion) -> Result<Result<Option<Interval>, Trouble>, Fault> {
        if !self.replayer.test(c.condition)? {
            return Ok(Ok(Some(Interval::ALL)));
        }
        let bound = Ratio::from(self.replayer.number(c.bound)?);
        let (left, right) = (self.replayer.clock(c.left)?, self.replayer.clock(c.right)?);
        let ((a, left_moves), (b, right_moves)) = (motion.0[left], motion.0[right]);
        let slack = a.minus(b).and_then(|difference| bound.minus(difference));
        let (Some(slack), Some(debt)) = (slack, slack.and_then(|s| Ratio::ZERO.minus(s))) else {
            return Ok(Err(Trouble::Overflow));
        };
        let now = if c.strict { slack > Ratio::ZERO } else { slack >= Ratio::ZERO };
        Ok(Ok(match (left_moves, right_moves) {
            // left + t - right < bound, so t < slack.
            (true, false) => {
                Interval::ALL.and(&Interval { from: Cut::START, to: Some(Cut { at: slack, behind: !c.strict }) })
            }
            // left - right - t < bound, so t > -slack.
            (false, true) => Interval::ALL.and(&Interval { from: Cut { at: debt, behind: c.strict }, to: None }),
            _ => now.then_some(Interval::ALL),
        }))
    }
}
