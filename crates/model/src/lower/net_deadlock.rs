//! Deadlocks of nets with intervals on places.
//!
//! A transition never fires if an input is unmarked, or if an inhibiting token is available before
//! all inputs can be: it is available now, or its upper bound is not after the lower bound of an
//! input. Nor does it fire if one of its inputs inhibits it. Tokens that are not available yet do
//! not matter otherwise, since all of them become available. Bounds that are strict give the same
//! condition.

use syntax::net::{Interval, Net, Timing, Transition};

use super::{Lowerer, Result};
use crate::{
    code::{Cmp, Op, Region},
    property::Formula,
    system::{ClockConstraint, ClockId, ClockTerm, Operand},
};

/// The variables and clocks of the places. Those of availability follow the places, in order, and
/// clocks have the same order.
struct PlaceValues<'n> {
    net: &'n Net,
    /// The number of the variable and of the clock of each place whose tokens wait.
    timers: Vec<Option<(u32, u32)>>,
}

/// A comparison of a variable with 0.
type Zero = (u32, Cmp);

/// A clock minus another one, or minus nothing, is at least a number. It counts if a place is
/// marked.
struct LowerBound {
    place: u32,
    clock: u32,
    other: u32,
    number: i64,
}

impl Lowerer<'_> {
    /// Compiles `deadlock`.
    pub(super) fn deadlock(&mut self, negated: bool) -> Result<Formula> {
        let Some(net) = self.tree.net.clone().filter(|net| net.timing == Timing::Places) else {
            return Ok(Formula::Deadlock { negated });
        };
        let values = PlaceValues::new(&net);
        let mut parts = Vec::new();
        let mut timeless = Vec::new();
        let inhibits_itself =
            |t: &&Transition| t.inhibitors.iter().any(|arc| inputs(t).any(|place| place == arc.place));
        for t in net.transitions.iter().filter(|t| !inhibits_itself(t)) {
            let (conditions, clocks) = values.reasons(t);
            if clocks.is_empty() {
                timeless.push(conditions);
                continue;
            }
            let mut reasons = vec![self.one_of_each(&[conditions], negated)?];
            for bound in clocks {
                let marked = self.one_of_each(&[vec![(bound.place, Cmp::Ne)]], negated)?;
                reasons.push(Formula::join(!negated, [marked, bound.constraint(negated)]));
            }
            parts.push(Formula::join(negated, reasons));
        }
        if !timeless.is_empty() {
            parts.insert(0, self.one_of_each(&timeless, negated)?);
        }
        let states = Box::new(Formula::join(!negated, parts));
        Ok(Formula::NetDeadlock { negated, states })
    }

    /// Compiles that of each list one comparison holds, or the negation.
    fn one_of_each(&mut self, lists: &[Vec<Zero>], negated: bool) -> Result<Formula> {
        self.fresh(&[], |l| {
            let zero = l.literal(0);
            for list in lists {
                let mut jumps = Vec::new();
                for (variable, cmp) in list {
                    let a = Region::Variables.at(*variable);
                    jumps.push(l.emit(Op::JumpIf { cmp: *cmp, a, b: zero, by: 0 }));
                }
                l.emit(Op::Answer { truth: negated });
                l.land_all(jumps);
            }
            l.emit(Op::Answer { truth: !negated });
            Ok(Formula::Condition(l.finish()))
        })
    }
}

impl<'n> PlaceValues<'n> {
    fn new(net: &'n Net) -> PlaceValues<'n> {
        let mut count = 0;
        let mut timer = |delay: Interval| {
            (delay != Interval::NOW).then(|| {
                count += 1;
                (net.places.len() as u32 + count - 1, count)
            })
        };
        PlaceValues { net, timers: net.places.iter().map(|p| timer(p.delay)).collect() }
    }

    /// Returns the reasons why a transition never fires: comparisons, and constraints on
    /// clocks.
    fn reasons(&self, t: &Transition) -> (Vec<Zero>, Vec<LowerBound>) {
        let mut conditions: Vec<Zero> = inputs(t).map(|place| (place, Cmp::Eq)).collect();
        let mut clocks = Vec::new();
        for place in t.inhibitors.iter().map(|arc| arc.place) {
            let Some((ready, clock)) = self.timers[place as usize] else {
                conditions.push((place, Cmp::Ne));
                continue;
            };
            conditions.push((ready, Cmp::Ne));
            let Some(high) = self.net.places[place as usize].delay.high else { continue };
            clocks.push(LowerBound { place, clock, other: 0, number: i64::from(high) });
            for input in inputs(t) {
                let low = self.net.places[input as usize].delay.low;
                if let Some((_, other)) = self.timers[input as usize].filter(|_| low > 0) {
                    clocks.push(LowerBound { place, clock, other, number: i64::from(high) - i64::from(low) });
                }
            }
        }
        (conditions, clocks)
    }
}

/// Returns the places whose tokens a transition needs.
fn inputs(t: &Transition) -> impl Iterator<Item = u32> {
    t.takes.iter().chain(&t.tests).map(|arc| arc.place)
}

impl LowerBound {
    /// Returns the constraint, or its negation.
    fn constraint(&self, negated: bool) -> Formula {
        let [left, right] = [self.clock, self.other].map(|number| ClockTerm::Clock(ClockId(number)));
        let (left, right, bound) = if negated { (left, right, self.number) } else { (right, left, -self.number) };
        Formula::Clock(ClockConstraint { condition: None, left, right, strict: negated, bound: Operand::Const(bound) })
    }
}
