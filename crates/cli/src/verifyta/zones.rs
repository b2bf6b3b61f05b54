//! Constraints on clocks, as all formats of symbolic traces have them.

/// `left - right < bound`, or `<=`; clock 0 is always zero.
#[derive(Clone, Copy)]
pub struct Constraint {
    pub left: usize,
    pub right: usize,
    pub bound: i32,
    pub strict: bool,
}

impl Constraint {
    fn new(dim: usize, at: usize, bound: i32) -> Constraint {
        Constraint { left: at / dim, right: at % dim, bound: zone::value(bound), strict: zone::is_strict(bound) }
    }

    /// How both sides compare.
    pub fn sign(&self) -> &'static str {
        if self.strict { "<" } else { "<=" }
    }
}

/// The constraints that say all of a zone; that clocks are not negative is not among them.
pub fn minimal(row: &[i32], dim: usize) -> Vec<Constraint> {
    let mut reduced = Vec::new();
    zone::reduce(row, dim, &mut reduced);
    reduced.as_chunks::<2>().0.iter().map(|&[at, bound]| Constraint::new(dim, at as usize, bound)).collect()
}

/// All constraints on two clocks.
pub fn all(row: &[i32], dim: usize) -> Vec<Constraint> {
    let bounded = |(at, &bound): (usize, &i32)| {
        (at / dim != at % dim && bound < zone::INFINITY).then(|| Constraint::new(dim, at, bound))
    };
    row.iter().enumerate().filter_map(bounded).collect()
}
