//! The theory of bounded linear sums of reals.
//!
//! The simplex method of Dutertre and de Moura (2006): each sum is a variable, and its bounds are
//! bounds of this variable. Basic variables are linear combinations of the others; a basic variable
//! that violates a bound is pivoted with another until none does, or until an equation explains the
//! conflict. All numbers are exact. If one gets too large, the method gives up: it finds no more
//! conflicts, and its solution is rejected.

mod rational;
mod tableau;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{
    sat::{Consistency, Literal},
    terms::{Real, UpperBound},
};
use rational::{DeltaRational, Rational};
use tableau::TableauRow;

/// A bound of a variable with the literal that implies it.
type AssertedBound = Option<(DeltaRational, Literal)>;

#[derive(Clone, Debug)]
struct SimplexVariable {
    value: DeltaRational,
    /// The lower and the upper bound.
    limits: [AssertedBound; 2],
    /// Its equation, if it is basic.
    row: Option<TableauRow>,
    /// Basic variables in whose rows it may occur. The list may have duplicates and outdated
    /// entries.
    column: Vec<u32>,
    /// Upper bounds of atoms with their variables of the SAT solver, ordered by bound.
    bounds: Vec<(DeltaRational, u32)>,
}

/// The bounds that an atom implies for a variable.
#[derive(Clone, Copy, Debug)]
struct BoundAtom {
    variable: u32,
    /// The upper bound if the atom holds.
    upper: DeltaRational,
    /// The lower bound if it does not.
    lower: DeltaRational,
}

/// The theory of bounded sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simplex {
    variables: Vec<SimplexVariable>,
    /// The variable of each real variable of the formulas.
    reals: Vec<Option<u32>>,
    sums: FxHashMap<Box<[(i64, Real)]>, u32>,
    /// The atoms by variable of the SAT solver.
    atoms: Vec<Option<BoundAtom>>,
    /// The replaced limit for each asserted literal.
    undo: Vec<Option<(u32, u8, AssertedBound)>>,
    /// Basic variables that may violate their bounds.
    suspects: BTreeSet<u32>,
    /// Whether a number got too large.
    broken: bool,
}

const LOW: usize = 0;
const HIGH: usize = 1;

/// After this many pivots Bland's rule chooses the variable, which guarantees termination.
const MAX_GREEDY_PIVOTS: u32 = 1000;

impl Simplex {
    fn variable(&mut self, row: Option<TableauRow>, value: DeltaRational) -> u32 {
        let number = self.variables.len() as u32;
        if let Some(row) = &row {
            for (column, _) in &row.entries {
                self.variables[*column as usize].column.push(number);
            }
        }
        self.variables.push(SimplexVariable { value, limits: [None; 2], row, column: Vec::new(), bounds: Vec::new() });
        number
    }

    fn real_variable(&mut self, x: Real) -> u32 {
        let at = x.0 as usize;
        if self.reals.len() <= at {
            self.reals.resize(at + 1, None);
        }
        match self.reals[at] {
            Some(variable) => variable,
            None => {
                let variable = self.variable(None, DeltaRational::ZERO);
                self.reals[at] = Some(variable);
                variable
            }
        }
    }

    /// Returns the variable of a sum.
    fn sum(&mut self, sum: &[(i64, Real)]) -> Option<u32> {
        if let [(1, x)] = sum {
            return Some(self.real_variable(*x));
        }
        if let Some(known) = self.sums.get(sum) {
            return Some(*known);
        }
        let mut row = TableauRow::default();
        let mut value = DeltaRational::ZERO;
        for (factor, x) in sum {
            let (factor, part) = (Rational::whole(*factor)?, self.real_variable(*x));
            value = value.plus(self.variables[part as usize].value.times(factor)?)?;
            let single = TableauRow { entries: vec![(part, Rational::ONE)] };
            row = row.add(factor, self.variables[part as usize].row.as_ref().unwrap_or(&single))?;
        }
        let variable = self.variable(Some(row), value);
        self.sums.insert(sum.into(), variable);
        Some(variable)
    }

    /// Introduces an atom as a variable of the SAT solver. Precondition: only facts are asserted.
    /// Calls back with pairs of literals of which the first implies the second.
    pub(crate) fn add(
        &mut self,
        variable: u32,
        sum: &[(i64, Real)],
        bound: UpperBound,
        mut implication: impl FnMut(Literal, Literal),
    ) {
        let sum: Vec<(i64, Real)> = sum.iter().copied().filter(|(_, x)| *x != Real::ZERO).collect();
        let (Some(number), Some(real)) = (self.sum(&sum), Rational::whole(bound.value)) else {
            self.broken = true;
            return;
        };
        let exactly = DeltaRational { real, infinitesimal: Rational::ZERO };
        let (upper, lower) = if bound.strict {
            (DeltaRational { real, infinitesimal: Rational::ONE.negated() }, exactly)
        } else {
            (exactly, DeltaRational { real, infinitesimal: Rational::ONE })
        };
        if self.atoms.len() <= variable as usize {
            self.atoms.resize(variable as usize + 1, None);
        }
        self.atoms[variable as usize] = Some(BoundAtom { variable: number, upper, lower });
        let this = Literal::new(variable, true);
        let bounds = &mut self.variables[number as usize].bounds;
        let at = bounds.partition_point(|(other, _)| *other < upper);
        if let Some(before) = at.checked_sub(1) {
            implication(Literal::new(bounds[before].1, true), this);
        }
        if let Some((_, above)) = bounds.get(at) {
            implication(this, Literal::new(*above, true));
        }
        bounds.insert(at, (upper, variable));
    }

    /// Asserts a literal. If it contradicts another bound of its variable, pushes both literals and
    /// returns `false`.
    pub(crate) fn assert(&mut self, literal: Literal, conflict: &mut Vec<Literal>) -> bool {
        let Some(Some(known)) = self.atoms.get(literal.variable()).copied() else {
            self.undo.push(None);
            return true;
        };
        let (side, limit) = if literal.is_negated() { (LOW, known.lower) } else { (HIGH, known.upper) };
        let beyond =
            |value: DeltaRational, limit: DeltaRational| if side == HIGH { value > limit } else { value < limit };
        let at = known.variable as usize;
        let limits = self.variables[at].limits;
        if let Some((old, _)) = limits[side]
            && !beyond(old, limit)
        {
            self.undo.push(None);
            return true;
        }
        self.undo.push(Some((known.variable, side as u8, limits[side])));
        self.variables[at].limits[side] = Some((limit, literal));
        if let Some((other, because)) = limits[1 - side]
            && beyond(other, limit)
        {
            conflict.extend([literal, because]);
            return false;
        }
        if beyond(self.variables[at].value, limit) && !self.broken {
            if self.variables[at].row.is_some() {
                self.suspects.insert(known.variable);
            } else if self.shift(known.variable, limit).is_none() {
                self.broken = true;
            }
        }
        true
    }

    /// Returns whether an atom holds for the current values.
    pub(crate) fn phase(&self, variable: u32) -> Option<bool> {
        let known = self.atoms.get(variable as usize)?.as_ref()?;
        Some(self.variables[known.variable as usize].value <= known.upper)
    }

    /// Keeps only the first `keep` asserted literals.
    pub(crate) fn retract(&mut self, keep: usize) {
        while self.undo.len() > keep {
            if let Some(Some((variable, side, limit))) = self.undo.pop() {
                // The bounds only become weaker, so nonbasic variables still satisfy theirs.
                self.variables[variable as usize].limits[side as usize] = limit;
            }
        }
    }

    /// Changes the value of a nonbasic variable.
    fn shift(&mut self, variable: u32, value: DeltaRational) -> Option<()> {
        let change = value.minus(self.variables[variable as usize].value)?;
        self.variables[variable as usize].value = value;
        let users = self.users(variable);
        for user in &users {
            let basic = &mut self.variables[*user as usize];
            let factor = basic.row.as_ref().and_then(|row| row.factor(variable))?;
            basic.value = basic.value.plus(change.times(factor)?)?;
            self.suspects.insert(*user);
        }
        self.variables[variable as usize].column = users;
        Some(())
    }

    /// Removes and returns the basic variables in whose rows a variable occurs, each once.
    fn users(&mut self, variable: u32) -> Vec<u32> {
        let mut users = std::mem::take(&mut self.variables[variable as usize].column);
        users.sort_unstable();
        users.dedup();
        users.retain(|user| {
            let row = self.variables[*user as usize].row.as_ref();
            row.is_some_and(|row| row.factor(variable).is_some())
        });
        users
    }

    /// Returns the violated bound of a variable with its side.
    fn outside(&self, variable: u32) -> Option<(usize, DeltaRational)> {
        let SimplexVariable { value, limits, .. } = &self.variables[variable as usize];
        match limits {
            [Some((lower, _)), _] if value < lower => Some((LOW, *lower)),
            [_, Some((upper, _))] if value > upper => Some((HIGH, *upper)),
            _ => None,
        }
    }

    /// Checks the asserted bounds for consistency. If they are inconsistent, pushes the literals of
    /// a conflict. `stop` is called before each pivot, which takes long in large tableaux.
    pub(crate) fn check(&mut self, conflict: &mut Vec<Literal>, stop: &dyn Fn() -> bool) -> Consistency {
        let mut pivots = 0;
        while !self.broken {
            // Bland's rule takes the first basic variable, and the first that can be pivoted with
            // it. It terminates.
            let Some(basic) = self.suspects.first().copied() else { return Consistency::Consistent };
            let Some((side, limit)) = self.outside(basic) else {
                self.suspects.remove(&basic);
                continue;
            };
            pivots += 1;
            match self.entering(basic, side, pivots < MAX_GREEDY_PIVOTS) {
                Some(_) if stop() => return Consistency::Stopped,
                Some(column) => {
                    if self.pivot(basic, column, limit).is_none() {
                        self.broken = true;
                    }
                }
                None => {
                    self.explain(basic, side, conflict);
                    return Consistency::Inconsistent;
                }
            }
        }
        Consistency::Consistent
    }

    /// Finds a nonbasic variable that can move a basic one back to its bound: one with a short
    /// column, or the first.
    fn entering(&self, basic: u32, side: usize, prefer_short_column: bool) -> Option<u32> {
        let row = self.variables[basic as usize].row.as_ref()?;
        let can_help = |(column, factor): &&(u32, Rational)| {
            let SimplexVariable { value, limits, .. } = &self.variables[*column as usize];
            // It must rise if the basic variable must rise and the factor is positive, or fall if
            // it is negative.
            if (side == LOW) == factor.is_positive() {
                limits[HIGH].is_none_or(|(upper, _)| *value < upper)
            } else {
                limits[LOW].is_none_or(|(lower, _)| *value > lower)
            }
        };
        let mut helpers = row.entries.iter().filter(can_help).map(|(column, _)| *column);
        if prefer_short_column {
            helpers.min_by_key(|c| self.variables[*c as usize].column.len())
        } else {
            helpers.next()
        }
    }

    /// Pushes the literals of the bounds that make a violation inevitable.
    fn explain(&self, basic: u32, side: usize, conflict: &mut Vec<Literal>) {
        let at = &self.variables[basic as usize];
        conflict.extend(at.limits[side].map(|(_, because)| because));
        for (column, factor) in at.row.iter().flat_map(|row| &row.entries) {
            let blocked = if (side == LOW) == factor.is_positive() { HIGH } else { LOW };
            conflict.extend(self.variables[*column as usize].limits[blocked].map(|(_, because)| because));
        }
    }

    /// Pivots a nonbasic variable with a basic one, which is set to its limit.
    fn pivot(&mut self, basic: u32, column: u32, limit: DeltaRational) -> Option<()> {
        let row = self.variables[basic as usize].row.take()?;
        let change =
            limit.minus(self.variables[basic as usize].value)?.times(Rational::ONE.over(row.factor(column)?)?)?;
        let solved = row.solved(basic, column)?;
        self.variables[basic as usize].value = limit;
        let value = self.variables[column as usize].value.plus(change)?;
        self.variables[column as usize].value = value;
        for user in self.users(column) {
            let Some(old) = self.variables[user as usize].row.take() else { continue };
            let factor = old.factor(column)?;
            let value = self.variables[user as usize].value.plus(change.times(factor)?)?;
            self.variables[user as usize].value = value;
            self.suspects.insert(user);
            let new = old.without(column).add(factor, &solved)?;
            // Only columns of the solved row can be new in this row.
            for (other, _) in &solved.entries {
                if old.factor(*other).is_none() {
                    self.variables[*other as usize].column.push(user);
                }
            }
            self.variables[user as usize].row = Some(new);
        }
        for (other, _) in &solved.entries {
            self.variables[*other as usize].column.push(column);
        }
        self.variables[column as usize].row = Some(solved);
        self.suspects.remove(&basic);
        self.suspects.insert(column);
        Some(())
    }

    /// Returns values for the real variables by index, as numerators and denominators.
    pub(crate) fn solution(&self) -> Option<Vec<(i64, i64)>> {
        if self.broken {
            return None;
        }
        // A value for the infinitesimal that keeps all bounds.
        let mut small = Rational::ONE;
        for SimplexVariable { value, limits, .. } in &self.variables {
            let pairs = [limits[LOW].map(|(lower, _)| (lower, *value)), limits[HIGH].map(|(upper, _)| (*value, upper))];
            for (below, above) in pairs.into_iter().flatten() {
                let gain = below.infinitesimal.plus(above.infinitesimal.negated())?;
                if gain.is_positive() {
                    small = small.min(above.real.plus(below.real.negated())?.over(gain)?);
                }
            }
        }
        let value = |x: &Option<u32>| match x {
            Some(variable) => {
                let DeltaRational { real, infinitesimal: units } = self.variables[*variable as usize].value;
                Some(real.plus(units.times(small)?)?.parts())
            }
            None => Some((0, 1)),
        };
        self.reals.iter().map(value).collect()
    }
}
