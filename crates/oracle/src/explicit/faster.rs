//! Decides whether a goal can be reached in less time.

use model::{
    Formula, Property, Ratio, System,
    system::{Clock, ClockConstraint, ClockId, ClockTerm, Operand},
};

use super::{ExplicitOptions, OracleAnswer, check};

/// Returns whether some run reaches the goal of a property at an earlier integer time than `total`.
/// The infimum of the times is an integer, attained or not.
#[must_use]
pub fn is_faster_possible(system: &System, property: &Property, total: Ratio, options: ExplicitOptions) -> bool {
    let is_whole = Ratio::new(total.floor(), 1) == Some(total);
    let whole = if is_whole { total.floor() - 1 } else { total.floor() };
    let Property::State { goal, .. } = property else { return false };
    let Ok(whole) = u16::try_from(whole) else { return false };
    let mut timed = system.clone();
    let clock = ClockTerm::Clock(ClockId(timed.clocks.len() as u32));
    timed.clocks.push(Clock { name: "time".to_owned(), initial: 0 });
    let early = Formula::Clock(ClockConstraint {
        condition: None,
        left: clock,
        right: ClockTerm::ZERO,
        strict: false,
        bound: Operand::Const(i64::from(whole)),
    });
    let sooner = Property::possibly(Formula::And(vec![goal.clone(), early]));
    check(&timed, &sooner, options).answer == OracleAnswer::Satisfied
}
