//! The theory of the reals: bounded differences and bounded linear sums.
//!
//! As long as there are only differences, the difference theory decides alone. From the first sum
//! on, the simplex method receives all atoms, since they share variables; the difference theory
//! still finds its conflicts and consequences first.

use crate::{
    difference::Differences,
    linear::Simplex,
    sat::{Consistency, Implied, Literal, Theory, TruthValues},
    terms::{Atom, Real, UpperBound},
};

/// The theory of the reals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arithmetic {
    differences: Differences,
    linear: Option<Simplex>,
    atoms: Vec<(u32, Atom)>,
    asserted: Vec<Literal>,
}

impl Arithmetic {
    /// Introduces a bounded difference as a variable of the SAT solver. Calls back with pairs of
    /// literals of which the first implies the second.
    pub(crate) fn difference(&mut self, variable: u32, atom: &Atom, implication: impl FnMut(Literal, Literal)) {
        self.differences.add(variable, atom, implication);
        self.atoms.push((variable, *atom));
        if let Some(linear) = &mut self.linear {
            add_difference(linear, variable, atom);
        }
    }

    /// Introduces a bounded sum as a variable of the SAT solver, likewise.
    pub(crate) fn sum(
        &mut self,
        variable: u32,
        sum: &[(i64, Real)],
        bound: UpperBound,
        implication: impl FnMut(Literal, Literal),
    ) {
        let linear = self.linear.get_or_insert_with(|| {
            let mut linear = Simplex::default();
            for (variable, atom) in &self.atoms {
                add_difference(&mut linear, *variable, atom);
            }
            for literal in &self.asserted {
                // Facts about differences, which are consistent.
                linear.assert(*literal, &mut Vec::new());
            }
            linear
        });
        linear.add(variable, sum, bound, implication);
    }

    /// Returns why numbers are too large for exact arithmetic, if they are.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        (!self.differences.is_exact()).then_some("the bounds are too large to be added exactly")
    }

    /// Returns values for the real variables by index, as numerators and denominators; `None` if
    /// they are too large.
    pub(crate) fn solution(&self) -> Option<Vec<(i64, i64)>> {
        match &self.linear {
            Some(linear) => linear.solution(),
            None => {
                let (numerators, denominator) = self.differences.solution();
                Some(numerators.into_iter().map(|numerator| (numerator, denominator)).collect())
            }
        }
    }
}

fn add_difference(linear: &mut Simplex, variable: u32, atom: &Atom) {
    // The reference variable may be on the left: `0 - y <= v`.
    linear.add(variable, &[(1, atom.left), (-1, atom.right)], atom.bound, |_, _| {});
}

impl Theory for Arithmetic {
    fn assert(&mut self, literal: Literal, values: &TruthValues, implied: &mut Implied) -> bool {
        self.asserted.push(literal);
        if !self.differences.assert(literal, values, implied) {
            return false;
        }
        let Some(linear) = &mut self.linear else { return true };
        let mut conflict = Vec::new();
        let fine = linear.assert(literal, &mut conflict);
        if !fine {
            implied.reasons = conflict;
        }
        fine
    }

    fn check(&mut self, conflict: &mut Vec<Literal>, stop: &dyn Fn() -> bool) -> Consistency {
        self.linear.as_mut().map_or(Consistency::Consistent, |linear| linear.check(conflict, stop))
    }

    fn phase(&self, variable: u32) -> Option<bool> {
        match &self.linear {
            Some(linear) => linear.phase(variable),
            None => self.differences.phase(variable),
        }
    }

    fn retract(&mut self, keep: usize) {
        self.asserted.truncate(keep);
        self.differences.retract(keep);
        if let Some(linear) = &mut self.linear {
            linear.retract(keep);
        }
    }
}
