//! Rows of the simplex tableau.

use super::rational::Rational;

/// An equation: a basic variable is the sum of factors times columns.
#[derive(Clone, Debug, Default)]
pub(super) struct TableauRow {
    /// Nonzero factors, ordered by column.
    pub entries: Vec<(u32, Rational)>,
}

impl TableauRow {
    /// Returns the factor of a column.
    pub(super) fn factor(&self, column: u32) -> Option<Rational> {
        let at = self.entries.binary_search_by_key(&column, |(c, _)| *c).ok()?;
        Some(self.entries[at].1)
    }

    /// Adds a multiple of another row.
    pub(super) fn add(&self, factor: Rational, other: &TableauRow) -> Option<TableauRow> {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        let (mut a, mut b) = (self.entries.iter().peekable(), other.entries.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((c, f)), Some((d, g))) if c == d => {
                    let sum = (*c, f.plus(factor.times(*g)?)?);
                    a.next();
                    b.next();
                    sum
                }
                (Some((c, f)), other) if other.is_none_or(|(d, _)| c < d) => {
                    let own = (*c, *f);
                    a.next();
                    own
                }
                (_, Some((d, g))) => {
                    let scaled = (*d, factor.times(*g)?);
                    b.next();
                    scaled
                }
                (Some(_), None) => break,
            };
            if !next.1.is_zero() {
                entries.push(next);
            }
        }
        Some(TableauRow { entries })
    }

    /// Removes a column.
    pub(super) fn without(&self, column: u32) -> TableauRow {
        TableauRow { entries: self.entries.iter().copied().filter(|(c, _)| *c != column).collect() }
    }

    /// Solves the row for one of its columns, in terms of the others and of the basic variable.
    pub(super) fn solved(&self, basic: u32, column: u32) -> Option<TableauRow> {
        let inverse = Rational::ONE.over(self.factor(column)?)?;
        let mut entries = Vec::with_capacity(self.entries.len());
        for (c, factor) in self.entries.iter().filter(|(c, _)| *c != column) {
            entries.push((*c, factor.times(inverse)?.negated()));
        }
        let at = entries.partition_point(|(c, _)| *c < basic);
        entries.insert(at, (basic, inverse));
        Some(TableauRow { entries })
    }
}
