//! Constraints on clocks, for all formats of symbolic traces.

use zone::Bound;

/// `left - right < bound`, or `<=`; clock 0 is always zero.
#[derive(Clone, Copy)]
pub struct Constraint {
    pub left: usize,
    pub right: usize,
    pub bound: i64,
    pub strict: bool,
}

impl Constraint {
    fn new(dim: usize, at: usize, bound: i64) -> Constraint {
        Constraint { left: at / dim, right: at % dim, bound: zone::value(bound), strict: zone::is_strict(bound) }
    }

    /// The operator.
    pub fn sign(&self) -> &'static str {
        if self.strict { "<" } else { "<=" }
    }
}

/// The minimal constraints of a zone, as UPPAAL writes them: with lower bounds of zero, since
/// readers start from a matrix without bounds.
pub fn minimal(row: &[i64], dim: usize) -> Vec<Constraint> {
    let mut reduced = Vec::new();
    zone::reduce_explicitly(row, dim, &mut reduced);
    reduced.as_chunks::<2>().0.iter().map(|&[at, bound]| Constraint::new(dim, at as usize, bound)).collect()
}

/// An entry of the full matrix: the bound and the operator.
pub fn entry(bound: i64) -> (String, &'static str) {
    if bound >= i64::INFINITY {
        // Readers of UPPAAL's files, such as TarTar, skip this word.
        return ("inf".to_owned(), "<");
    }
    (zone::value(bound).to_string(), if zone::is_strict(bound) { "<" } else { "<=" })
}
