//! When two states can do the same for ever.

use crate::{
    code::Op,
    property::Formula,
    ratio::Ratio,
    replay::State,
    system::{ClockConstraint, ClockTerm, Operand, System},
};

/// The largest numbers that clocks are compared with, anywhere in a system or in formulas.
///
/// Two states are *equivalent* if they have the same row (meta variables apart) and if, clock by clock, either both
/// values are above the clock's number or both have the same whole part and are whole numbers both or neither; and if
/// the fractions of the clocks that are not above are in the same order. These are the regions of Alur and Dill: what
/// one of two equivalent states can do by a delay and a transition the other can do too, perhaps with another delay,
/// so that the results are equivalent, and no moment of either delay tells them apart.
///
/// That argument needs clocks that all run, are compared with numbers alone, and are set to numbers or to each other.
/// Where a model does anything else only equal states count as equivalent.
#[derive(Clone, Debug)]
pub struct Regions {
    /// -1: not compared.
    most: Vec<i64>,
    only_equal: bool,
    identity: usize,
}

impl Regions {
    /// Those of a system and of what is asked about it.
    #[must_use]
    pub fn new(system: &System, formulas: &[&Formula]) -> Regions {
        let only_equal = system.locations.iter().any(|l| !l.rates.is_empty());
        let mut regions = Regions { most: vec![-1; system.clocks.len()], only_equal, identity: system.identity };
        let guards = system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
        for c in guards.flat_map(|g| &g.clocks) {
            regions.constraint(c);
        }
        for formula in formulas {
            regions.formula(formula);
        }
        let row = system.initial.len();
        let constant = |addr: u32| (addr as usize).checked_sub(row).and_then(|i| system.code.constants.get(i));
        for op in &system.code.ops {
            if let Op::CopyClock { plus, .. } = op {
                regions.only_equal |= constant(*plus) != Some(&0);
                // A clock inherits what another one is compared with.
                let all = regions.most.iter().copied().max().unwrap_or(-1);
                regions.most.fill(all);
            }
        }
        regions
    }

    fn constraint(&mut self, c: &ClockConstraint) {
        let size = match c.bound {
            Operand::Const(n) => i64::from(n).abs(),
            Operand::Code { low, high, .. } => i64::from(low).abs().max(i64::from(high).abs()),
        };
        self.only_equal |= c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
        for term in [c.left, c.right] {
            let clocks = match term {
                ClockTerm::Clock(x) => x.0..x.0 + 1,
                ClockTerm::Element { first, count, .. } => first.0..first.0 + count,
            };
            for x in clocks {
                self.most[x as usize] = self.most[x as usize].max(size);
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.constraint(c),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|p| syntax::grow(|| self.formula(p))),
            _ => {}
        }
    }

    /// Whether two states are equivalent.
    #[must_use]
    pub fn equivalent(&self, a: &State, b: &State) -> bool {
        if a.row[..self.identity] != b.row[..self.identity] {
            return false;
        }
        if a.clocks == b.clocks {
            return true;
        }
        if self.only_equal {
            return false;
        }
        let above = |x: usize, v: Ratio| v.minus(whole(self.most[x])).is_none_or(|d| d > Ratio::ZERO);
        let mut small = Vec::new();
        for x in 1..a.clocks.len() {
            let (v, w) = (a.clocks[x], b.clocks[x]);
            if above(x, v) && above(x, w) {
                continue;
            }
            if above(x, v) != above(x, w) || v.floor() != w.floor() {
                return false;
            }
            let (Some(f), Some(g)) = (v.minus(whole(v.floor())), w.minus(whole(w.floor()))) else { return false };
            small.push((f, g));
        }
        small.push((Ratio::ZERO, Ratio::ZERO));
        small.iter().all(|(f, g)| small.iter().all(|(h, i)| f.cmp(h) == g.cmp(i)))
    }
}

fn whole(n: i64) -> Ratio {
    Ratio::new(n, 1).unwrap_or(Ratio::ZERO)
}
