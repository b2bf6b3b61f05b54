//! Bounded sums of reals: which of them can hold together.
//!
//! The simplex method of Dutertre and de Moura (2006): each sum is a variable of its own, and its bounds are bounds of
//! this variable. Some variables, the basic ones, are sums of the others by equations; variables that break their bounds are
//! exchanged with others until none does, or until an equation shows why that is impossible. All numbers are exact. Where
//! one gets too large the method gives up: it then finds no more conflicts, and no solution is believed.

mod rational;
mod tableau;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{
    sat::Literal,
    terms::{Bound, Real},
};
use rational::{Rational, Value};
use tableau::Row;

/// A bound of a variable and the literal that it is there for.
type Limit = Option<(Value, Literal)>;

#[derive(Clone, Debug)]
struct Variable {
    value: Value,
    /// The least and the greatest value.
    limits: [Limit; 2],
    /// Where it is basic: what it is.
    row: Option<Row>,
    /// Basic variables in whose rows it may occur. Some may be there twice, and some may be gone.
    column: Vec<u32>,
    /// Upper bounds of atoms and their variables in the core, by bound.
    bounds: Vec<(Value, u32)>,
}

/// A bound on a variable, as an atom says it.
#[derive(Clone, Copy, Debug)]
struct Known {
    variable: u32,
    /// What must not be exceeded where the atom holds.
    most: Value,
    /// What must be reached where it does not.
    least: Value,
}

/// The theory of bounded sums.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    variables: Vec<Variable>,
    /// By real variable.
    reals: Vec<Option<u32>>,
    sums: FxHashMap<Box<[(i64, Real)]>, u32>,
    /// By variable of the core.
    atoms: Vec<Option<Known>>,
    /// Limits that were replaced, one for each literal that was told.
    told: Vec<Option<(u32, u8, Limit)>>,
    /// Basic variables that may be outside their limits.
    suspects: BTreeSet<u32>,
    /// Whether a number got too large.
    broken: bool,
}

const LOW: usize = 0;
const HIGH: usize = 1;

/// After so many exchanges the first variable is taken and no longer the worst: then there is an end for sure.
const PATIENCE: u32 = 1000;

impl Linear {
    fn variable(&mut self, row: Option<Row>, value: Value) -> u32 {
        let number = self.variables.len() as u32;
        if let Some(row) = &row {
            for (column, _) in &row.entries {
                self.variables[*column as usize].column.push(number);
            }
        }
        self.variables.push(Variable { value, limits: [None; 2], row, column: Vec::new(), bounds: Vec::new() });
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
                let variable = self.variable(None, Value::ZERO);
                self.reals[at] = Some(variable);
                variable
            }
        }
    }

    /// The variable that is a sum.
    fn sum(&mut self, sum: &[(i64, Real)]) -> Option<u32> {
        if let [(1, x)] = sum {
            return Some(self.real_variable(*x));
        }
        if let Some(known) = self.sums.get(sum) {
            return Some(*known);
        }
        let mut row = Row::default();
        let mut value = Value::ZERO;
        for (factor, x) in sum {
            let (factor, part) = (Rational::whole(*factor)?, self.real_variable(*x));
            value = value.plus(self.variables[part as usize].value.times(factor)?)?;
            let single = Row { entries: vec![(part, Rational::ONE)] };
            row = row.add(factor, self.variables[part as usize].row.as_ref().unwrap_or(&single))?;
        }
        let variable = self.variable(Some(row), value);
        self.sums.insert(sum.into(), variable);
        Some(variable)
    }

    /// Introduces an atom as a variable of the core. Only while nothing but facts holds. Calls back with pairs of literals of
    /// which the first implies the second.
    pub fn add(
        &mut self,
        variable: u32,
        sum: &[(i64, Real)],
        bound: Bound,
        mut implication: impl FnMut(Literal, Literal),
    ) {
        let sum: Vec<(i64, Real)> = sum.iter().copied().filter(|(_, x)| *x != Real::ZERO).collect();
        let (Some(number), Some(real)) = (self.sum(&sum), Rational::whole(bound.value)) else {
            self.broken = true;
            return;
        };
        let exactly = Value { real, small: Rational::ZERO };
        let (most, least) = if bound.strict {
            (Value { real, small: Rational::ONE.negated() }, exactly)
        } else {
            (exactly, Value { real, small: Rational::ONE })
        };
        if self.atoms.len() <= variable as usize {
            self.atoms.resize(variable as usize + 1, None);
        }
        self.atoms[variable as usize] = Some(Known { variable: number, most, least });
        let this = Literal::new(variable, true);
        let bounds = &mut self.variables[number as usize].bounds;
        let at = bounds.partition_point(|(other, _)| *other < most);
        if let Some(before) = at.checked_sub(1) {
            implication(Literal::new(bounds[before].1, true), this);
        }
        if let Some((_, above)) = bounds.get(at) {
            implication(this, Literal::new(*above, true));
        }
        bounds.insert(at, (most, variable));
    }

    /// A literal holds now. Where it contradicts another at once, both are pushed and the answer is `false`.
    pub fn assert(&mut self, literal: Literal, conflict: &mut Vec<Literal>) -> bool {
        let Some(Some(known)) = self.atoms.get(literal.variable()).copied() else {
            self.told.push(None);
            return true;
        };
        let (side, limit) = if literal.is_negated() { (LOW, known.least) } else { (HIGH, known.most) };
        let beyond = |value: Value, limit: Value| if side == HIGH { value > limit } else { value < limit };
        let at = known.variable as usize;
        let limits = self.variables[at].limits;
        if let Some((old, _)) = limits[side]
            && !beyond(old, limit)
        {
            self.told.push(None);
            return true;
        }
        self.told.push(Some((known.variable, side as u8, limits[side])));
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

    /// Whether an atom holds for the values of now.
    pub fn phase(&self, variable: u32) -> Option<bool> {
        let known = self.atoms.get(variable as usize)?.as_ref()?;
        Some(self.variables[known.variable as usize].value <= known.most)
    }

    /// Only the first literals that were told hold still.
    pub fn retract(&mut self, keep: usize) {
        while self.told.len() > keep {
            if let Some(Some((variable, side, limit))) = self.told.pop() {
                // Wider limits than before: variables that are not basic stay within theirs.
                self.variables[variable as usize].limits[side as usize] = limit;
            }
        }
    }

    /// Gives a variable that is not basic another value.
    fn shift(&mut self, variable: u32, value: Value) -> Option<()> {
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

    /// Takes the basic variables out in whose rows a variable does occur, each once.
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

    /// The side on which a variable is outside its limits, and the limit.
    fn outside(&self, variable: u32) -> Option<(usize, Value)> {
        let Variable { value, limits, .. } = &self.variables[variable as usize];
        match limits {
            [Some((least, _)), _] if value < least => Some((LOW, *least)),
            [_, Some((most, _))] if value > most => Some((HIGH, *most)),
            _ => None,
        }
    }

    /// Whether all that holds can hold together. If not, literals that can't are pushed.
    pub fn check(&mut self, conflict: &mut Vec<Literal>) -> bool {
        let mut exchanges = 0;
        while !self.broken {
            // Bland's rule: the first variable, and the first that can help it. With it there is an end.
            let Some(basic) = self.suspects.first().copied() else { return true };
            let Some((side, limit)) = self.outside(basic) else {
                self.suspects.remove(&basic);
                continue;
            };
            exchanges += 1;
            match self.helper(basic, side, exchanges < PATIENCE) {
                Some(column) => {
                    if self.exchange(basic, column, limit).is_none() {
                        self.broken = true;
                    }
                }
                None => {
                    self.explain(basic, side, conflict);
                    return false;
                }
            }
        }
        true
    }

    /// A variable that can change so that a basic one comes back to its limit on this side: a seldom used one, or the first.
    fn helper(&self, basic: u32, side: usize, seldom: bool) -> Option<u32> {
        let row = self.variables[basic as usize].row.as_ref()?;
        let can_help = |(column, factor): &&(u32, Rational)| {
            let Variable { value, limits, .. } = &self.variables[*column as usize];
            // Up where the basic one must go up and the factor is positive, or down and negative.
            if (side == LOW) == factor.is_positive() {
                limits[HIGH].is_none_or(|(most, _)| *value < most)
            } else {
                limits[LOW].is_none_or(|(least, _)| *value > least)
            }
        };
        let mut helpers = row.entries.iter().filter(can_help).map(|(column, _)| *column);
        if seldom { helpers.min_by_key(|c| self.variables[*c as usize].column.len()) } else { helpers.next() }
    }

    /// The limits that keep a basic variable from coming back.
    fn explain(&self, basic: u32, side: usize, conflict: &mut Vec<Literal>) {
        let at = &self.variables[basic as usize];
        conflict.extend(at.limits[side].map(|(_, because)| because));
        for (column, factor) in at.row.iter().flat_map(|row| &row.entries) {
            let blocked = if (side == LOW) == factor.is_positive() { HIGH } else { LOW };
            conflict.extend(self.variables[*column as usize].limits[blocked].map(|(_, because)| because));
        }
    }

    /// Makes a variable basic in place of another, which gets a value.
    fn exchange(&mut self, basic: u32, column: u32, limit: Value) -> Option<()> {
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
            // Only what the solved row brings in can be new.
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

    /// What the real variables are where all that holds does, by their numbers: numerators and denominators.
    pub fn solution(&self) -> Option<Vec<(i64, i64)>> {
        if self.broken {
            return None;
        }
        // How large the small thing may be.
        let mut small = Rational::ONE;
        for Variable { value, limits, .. } in &self.variables {
            let pairs = [limits[LOW].map(|(least, _)| (least, *value)), limits[HIGH].map(|(most, _)| (*value, most))];
            for (below, above) in pairs.into_iter().flatten() {
                let gain = below.small.plus(above.small.negated())?;
                if gain.is_positive() {
                    small = small.min(above.real.plus(below.real.negated())?.over(gain)?);
                }
            }
        }
        let value = |x: &Option<u32>| match x {
            Some(variable) => {
                let Value { real, small: units } = self.variables[*variable as usize].value;
                Some(real.plus(units.times(small)?)?.parts())
            }
            None => Some((0, 1)),
        };
        self.reals.iter().map(value).collect()
    }
}
