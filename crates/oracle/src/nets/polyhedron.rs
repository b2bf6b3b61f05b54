//! Convex sets of points, by linear inequalities with integer coefficients.
//!
//! Variables are eliminated by the method of Fourier and Motzkin, which decides emptiness as well.

/// `a₁x₁ + … + aₙxₙ ≤ bound`, or `<`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Inequality {
    factors: Vec<i128>,
    bound: i128,
    is_strict: bool,
}

/// Numbers became too large, or inequalities too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The greatest number of inequalities while variables are eliminated.
const MANY: usize = 3000;

/// A convex set of points.
#[derive(Clone, Debug)]
pub(super) struct Polyhedron {
    variables: usize,
    rows: Vec<Inequality>,
}

impl Polyhedron {
    /// Returns all points.
    pub(super) fn all(variables: usize) -> Polyhedron {
        Polyhedron { variables, rows: Vec::new() }
    }

    /// Adds `factor * x ≤ bound`, or `<`.
    pub(super) fn limit(&mut self, variable: usize, factor: i128, bound: i128, is_strict: bool) {
        let mut factors = vec![0; self.variables];
        factors[variable] = factor;
        self.rows.push(Inequality { factors, bound, is_strict });
    }

    /// Adds `x = value`.
    pub(super) fn fix(&mut self, variable: usize, value: i128) {
        self.limit(variable, 1, value, false);
        self.limit(variable, -1, -value, false);
    }

    /// Lets the value of a variable be any number.
    pub(super) fn forget(&mut self, variable: usize) -> Result<(), TooLarge> {
        self.rows = eliminate(std::mem::take(&mut self.rows), variable)?;
        self.simplify()
    }

    /// Adds the same delay, 0 or more, to the variables that run. The result holds both the points
    /// before and those after; `within` limits the latter.
    pub(super) fn delay(&self, runs: &[bool], within: &Polyhedron) -> Result<Polyhedron, TooLarge> {
        // With the delay as a further variable, the point before is `x - delay * runs`.
        let shifted = self.rows.iter().map(|row| {
            let delay = -row.factors.iter().zip(runs).filter(|(_, runs)| **runs).map(|(f, _)| f).sum::<i128>();
            Inequality { factors: row.factors.iter().copied().chain([delay]).collect(), ..row.clone() }
        });
        let mut rows: Vec<Inequality> = shifted.collect();
        let mut forward = vec![0; self.variables + 1];
        forward[self.variables] = -1;
        rows.push(Inequality { factors: forward, bound: 0, is_strict: false });
        let after = within.rows.iter();
        rows.extend(
            after.map(|row| Inequality { factors: row.factors.iter().copied().chain([0]).collect(), ..row.clone() }),
        );
        let mut rows = eliminate(rows, self.variables)?;
        rows.iter_mut().for_each(|row| {
            row.factors.pop();
        });
        let mut result = Polyhedron { variables: self.variables, rows };
        result.simplify()?;
        Ok(result)
    }

    pub(super) fn is_empty(&self) -> Result<bool, TooLarge> {
        let mut rows = self.rows.clone();
        for variable in 0..self.variables {
            rows = eliminate(rows, variable)?;
        }
        Ok(rows.iter().any(|row| row.bound < 0 || row.is_strict && row.bound == 0))
    }

    /// Returns whether each point is one of the other set.
    pub(super) fn is_in(&self, other: &Polyhedron) -> Result<bool, TooLarge> {
        for row in &other.rows {
            let mut outside = self.clone();
            outside.rows.push(opposite(row));
            if !outside.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes inequalities that follow from the others.
    fn simplify(&mut self) -> Result<(), TooLarge> {
        let mut at = 0;
        while at < self.rows.len() {
            let row = self.rows.swap_remove(at);
            let mut outside = self.clone();
            outside.rows.push(opposite(&row));
            if !outside.is_empty()? {
                self.rows.push(row);
                let last = self.rows.len() - 1;
                self.rows.swap(at, last);
                at += 1;
            }
        }
        self.rows.sort_unstable();
        Ok(())
    }
}

fn opposite(row: &Inequality) -> Inequality {
    Inequality { factors: row.factors.iter().map(|f| -f).collect(), bound: -row.bound, is_strict: !row.is_strict }
}

/// Returns what is known about the other variables.
fn eliminate(rows: Vec<Inequality>, variable: usize) -> Result<Vec<Inequality>, TooLarge> {
    let (with, mut out): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.factors[variable] != 0);
    let (above, below): (Vec<_>, Vec<_>) = with.into_iter().partition(|row| row.factors[variable] > 0);
    for high in &above {
        for low in &below {
            let (a, b) = (high.factors[variable], -low.factors[variable]);
            let sum = |x: i128, y: i128| {
                let (x, y) = (x.checked_mul(b)?, y.checked_mul(a)?);
                x.checked_add(y)
            };
            let factors: Option<Vec<i128>> = high.factors.iter().zip(&low.factors).map(|(x, y)| sum(*x, *y)).collect();
            let (Some(factors), Some(bound)) = (factors, sum(high.bound, low.bound)) else { return Err(TooLarge) };
            out.push(Inequality { factors, bound, is_strict: high.is_strict || low.is_strict });
        }
        if out.len() > MANY {
            return Err(TooLarge);
        }
    }
    Ok(tightest(out))
}

/// Divides by common factors, and keeps the tightest of inequalities with the same factors.
fn tightest(mut rows: Vec<Inequality>) -> Vec<Inequality> {
    for row in &mut rows {
        let divisor = row.factors.iter().fold(row.bound.abs(), |d, f| gcd(d, f.abs()));
        if divisor > 1 {
            row.factors.iter_mut().for_each(|f| *f /= divisor);
            row.bound /= divisor;
        }
    }
    // The smallest bound comes first, and a strict one before the same that is not.
    rows.sort_unstable_by(|a, b| {
        let key = |row: &Inequality| (row.bound, !row.is_strict);
        a.factors.cmp(&b.factors).then(key(a).cmp(&key(b)))
    });
    rows.dedup_by(|later, first| later.factors == first.factors);
    rows
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_variable_keeps_its_value() {
        let mut start = Polyhedron::all(2);
        start.fix(0, 0);
        start.fix(1, 0);
        let mut within = Polyhedron::all(2);
        within.limit(0, 1, 3, false);
        let after = start.delay(&[true, false], &within).unwrap();
        let at = |x: i128, y: i128| {
            let mut point = Polyhedron::all(2);
            point.fix(0, x);
            point.fix(1, y);
            point.is_in(&after).unwrap()
        };
        assert!(at(0, 0) && at(3, 0) && !at(4, 0) && !at(1, 1));
    }

    #[test]
    fn strict_bounds_exclude_their_points() {
        let mut set = Polyhedron::all(1);
        set.limit(0, 1, 2, true);
        assert!(!set.is_empty().unwrap());
        set.limit(0, -1, -2, false);
        assert!(set.is_empty().unwrap());
    }

    #[test]
    fn forgetting_keeps_what_is_known_of_the_others() {
        // x < y and y < 2, so x < 2.
        let mut set = Polyhedron::all(2);
        set.rows.push(Inequality { factors: vec![1, -1], bound: 0, is_strict: true });
        set.limit(1, 1, 2, true);
        set.forget(1).unwrap();
        let mut expected = Polyhedron::all(2);
        expected.limit(0, 1, 2, true);
        assert!(set.is_in(&expected).unwrap() && expected.is_in(&set).unwrap());
    }
}
