//! What is said to prove an answer.

use crate::{clauses::Clauses, cover::Cover};

/// States, or what is said of them, that are said to prove an answer.
#[derive(Clone, Debug)]
pub enum Proof {
    /// They hold all that can be reached, and none of the goal.
    Cover(Cover),
    /// They hold all runs that stay where a formula holds, as far as they stay there. Their ranks
    /// fall with every transition, and no run ends in one of them, so there are no maximal ones.
    Ranks {
        /// All that can be reached, where such runs do not just start at the start.
        reached: Option<Cover>,
        /// The states.
        ranked: Cover,
    },
    /// They hold at the start and behind every transition, and exclude the goal.
    Invariant(Clauses),
}

impl Proof {
    /// How many zones there are, in all rows together. Clauses have none of their own.
    #[must_use]
    pub fn states(&self) -> usize {
        match self {
            Proof::Cover(cover) => cover.states(),
            Proof::Ranks { reached, ranked } => ranked.states() + reached.as_ref().map_or(0, Cover::states),
            Proof::Invariant(_) => 0,
        }
    }

    /// How many different rows there are. Clauses have none of their own.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Proof::Cover(cover) => cover.rows(),
            Proof::Ranks { reached: None, ranked } => ranked.rows(),
            Proof::Ranks { reached: Some(reached), ranked } => reached.rows() + ranked.rows_outside(reached),
            Proof::Invariant(_) => 0,
        }
    }
}

/// The kinds of proofs, as certificates have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofKind {
    Cover,
    Ranks,
    CoverAndRanks,
    Invariant,
}

impl ProofKind {
    pub(crate) const ALL: [ProofKind; 4] =
        [ProofKind::Cover, ProofKind::Ranks, ProofKind::CoverAndRanks, ProofKind::Invariant];

    pub(crate) fn text(self) -> &'static str {
        match self {
            ProofKind::Cover => "cover",
            ProofKind::Ranks => "ranks",
            ProofKind::CoverAndRanks => "cover and ranks",
            ProofKind::Invariant => "invariant",
        }
    }
}
