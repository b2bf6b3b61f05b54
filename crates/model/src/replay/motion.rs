//! Clocks as functions of a delay, and the delays for which constraints hold.

use super::{DIGITS, Difference, Replayer, Stuck};
use crate::{
    machine::{ClockChange, Fault, FaultKind},
    ratio::Ratio,
    simulate::{Cut, DelayInterval, Delays, Trouble},
    system::ClockConstraint,
};

/// The value of each clock after a delay: a number, plus the delay if the clock is not stopped.
#[derive(Clone, Debug)]
pub(crate) struct Motion(Vec<(Ratio, bool)>);

impl Motion {
    pub(crate) fn new(clocks: &[Ratio], stopped: &[bool]) -> Motion {
        let moves = stopped.iter().enumerate().map(|(x, stopped)| x != 0 && !stopped);
        Motion(clocks.iter().copied().zip(moves).collect())
    }

    /// Returns the values of the clocks after a delay, if they fit.
    pub(crate) fn after(&self, delay: Ratio) -> Option<Vec<Ratio>> {
        self.0.iter().map(|(value, moves)| if *moves { value.plus(delay) } else { Some(*value) }).collect()
    }

    /// Applies changes of clocks. Returns the delays after which a clock would become negative, if
    /// there are any.
    pub(crate) fn apply(
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
                        let to = moves.then_some(Cut { at: zero, after: false });
                        let negative = delays.and(&DelayInterval { from: Cut::START, to });
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

impl Replayer<'_> {
    /// Returns the delays after which a constraint holds in the loaded row, if there are any.
    pub(crate) fn moments(&mut self, c: &ClockConstraint, motion: &Motion) -> Result<Option<DelayInterval>, Stuck> {
        let Some(Difference { left, right, bound, strict }) = self.difference(c)? else {
            return Ok(Some(DelayInterval::ALL));
        };
        let ((a, left_moves), (b, right_moves)) = (motion.0[left], motion.0[right]);
        let slack = a.minus(b).and_then(|difference| Ratio::from(bound).minus(difference));
        let slack = slack.ok_or(Stuck::Unclear(DIGITS))?;
        Ok(match (left_moves, right_moves) {
            // left + t - right < bound, so t < slack.
            (true, false) => {
                DelayInterval::ALL.and(&DelayInterval { from: Cut::START, to: Some(Cut { at: slack, after: !strict }) })
            }
            // left - right - t < bound, so t > -slack.
            (false, true) => {
                let at = Ratio::ZERO.minus(slack).ok_or(Stuck::Unclear(DIGITS))?;
                DelayInterval::ALL.and(&DelayInterval { from: Cut { at, after: strict }, to: None })
            }
            _ if strict => (slack > Ratio::ZERO).then_some(DelayInterval::ALL),
            _ => (slack >= Ratio::ZERO).then_some(DelayInterval::ALL),
        })
    }
}
