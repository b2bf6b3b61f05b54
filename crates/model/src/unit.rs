//! Systems in another unit of time.
//!
//! Nothing but constants fixes the unit of time: where all of them are multiples of a number, a system in which they are divided
//! by it has the same runs, with delays that are as much shorter.

use crate::{
    Formula, Property, System,
    code::Op,
    project::each_constraint,
    system::{ClockConstraint, ClockTerm, Operand},
};

/// A system and a property of it in a larger unit of time.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// How many of the old units a new one is.
    pub unit: i32,
    /// The system. All but its clock constants is as it was, and has the same numbers.
    pub system: System,
    /// The property.
    pub property: Property,
}

impl System {
    /// The largest number, in size, that matters to clocks: one that they are compared with, set to or moved by. Differences of
    /// clocks are compared with constants after one of them was set, so that both numbers count together.
    #[must_use]
    pub fn largest_constant(&self, formulas: &[&Formula]) -> i64 {
        let (mut compared, mut differences) = (0, false);
        self.each_compared(formulas, |c| {
            let (low, high) = match c.bound {
                Operand::Const(n) => (n, n),
                Operand::Code { low, high, .. } => (low, high),
            };
            compared = size(low).max(size(high)).max(compared);
            differences |= c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
        });
        let initial = self.clocks.iter().map(|clock| size(clock.initial)).max().unwrap_or(0);
        let set = size(self.largest_reset).max(initial).max(size(self.offsets.0)).max(size(self.offsets.1));
        if differences { compared + set } else { compared.max(set) }
    }

    /// The system and a property in the largest unit of time of which all clock constants are multiples. `None`: there is no
    /// larger unit, or not all constants are known beforehand.
    #[must_use]
    pub fn in_larger_unit(&self, property: &Property) -> Option<Scaled> {
        // The code of orders has addresses of its own.
        if !self.lattices.is_empty() {
            return None;
        }
        let mut constants: Vec<Option<i32>> = self.clocks.iter().map(|clock| Some(clock.initial)).collect();
        self.each_compared(&property.formulas(), |c| {
            constants.push(match c.bound {
                Operand::Const(n) => Some(n),
                Operand::Code { .. } => None,
            });
        });
        constants.extend(self.code.ops.iter().filter_map(|op| match op {
            Op::SetClock { value: at, .. } | Op::CopyClock { plus: at, .. } => Some(self.code.constant(*at)),
            _ => None,
        }));
        let unit = constants.into_iter().try_fold(0, |unit, n| Some(divisor(unit, n?.unsigned_abs())))?;
        let unit = i32::try_from(unit).ok().filter(|unit| *unit > 1)?;
        let mut system = self.clone();
        system.clocks.iter_mut().for_each(|clock| clock.initial /= unit);
        let guards = system.edges.iter_mut().map(|e| &mut e.guard);
        for guard in guards.chain(system.locations.iter_mut().map(|l| &mut l.invariant)) {
            guard.clocks.iter_mut().for_each(|c| *c = divided(*c, unit));
        }
        system.largest_reset /= unit;
        system.offsets = (self.offsets.0 / unit, self.offsets.1 / unit);
        system.code.divide_clock_constants(unit);
        Some(Scaled { unit, system, property: property.map(&mut |formula| in_unit(formula, unit)) })
    }

    fn each_compared(&self, formulas: &[&Formula], mut visit: impl FnMut(&ClockConstraint)) {
        let guards = self.edges.iter().map(|e| &e.guard).chain(self.locations.iter().map(|l| &l.invariant));
        guards.flat_map(|guard| &guard.clocks).for_each(&mut visit);
        formulas.iter().for_each(|formula| each_constraint(formula, &mut visit));
    }
}

fn size(n: i32) -> i64 {
    i64::from(n).abs()
}

/// The greatest common divisor; 0 is a multiple of all numbers.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn divided(c: ClockConstraint, unit: i32) -> ClockConstraint {
    match c.bound {
        Operand::Const(n) => ClockConstraint { bound: Operand::Const(n / unit), ..c },
        Operand::Code { .. } => c,
    }
}

fn in_unit(formula: &Formula, unit: i32) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| in_unit(part, unit)).collect();
    match formula {
        Formula::Clock(c) => Formula::Clock(divided(*c, unit)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::True | Formula::False | Formula::Condition(_) | Formula::Deadlock { .. } => formula.clone(),
    }
}
