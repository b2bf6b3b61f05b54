//! Constraints on clocks, as all formats of symbolic traces have them.

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

    /// How both sides compare.
    pub fn sign(&self) -> &'static str {
        if self.strict { "<" } else { "<=" }
    }
}

/// The constraints that say all of a zone, as UPPAAL writes them: lower bounds of zero are among
/// them, since readers start from a matrix without any.
pub fn minimal(row: &[i64], dim: usize) -> Vec<Constraint> {
    let mut reduced = Vec::new();
    zone::reduce_explicitly(row, dim, &mut reduced);
    reduced.as_chunks::<2>().0.iter().map(|&[at, bound]| Constraint::new(dim, at as usize, bound)).collect()
}

/// How one entry of the matrix is written where all are: the bound, and how the difference compares
/// with it.
pub fn entry(bound: i64) -> (String, &'static str) {
    if bound >= i64::INFINITY {
        // The word that readers of UPPAAL's files leave out, such as those of TarTar.
        return ("inf".to_owned(), "<");
    }
    (zone::value(bound).to_string(), if zone::is_strict(bound) { "<" } else { "<=" })
}
