//! Proofs of answers.

use crate::{clauses::Clauses, cover::Cover, markings::MarkingClauses};

/// A proof of an answer, not yet checked.
#[derive(Clone, Debug)]
pub enum Proof {
    /// A set that contains all reachable states and none of the goal.
    Cover(Cover),
    /// A set that contains all runs while they stay where a formula holds. Ranks decrease with
    /// every transition and no run ends in the set, so none of these runs is maximal.
    Ranks {
        /// All reachable states, if the runs may start anywhere.
        reached: Option<Cover>,
        /// The states with ranks.
        ranked: Cover,
    },
    /// Clauses that hold initially and after every transition, and exclude the goal.
    Invariant(Clauses),
    /// Clauses about the marking of a net that no firing violates, at whatever time.
    Marking(MarkingClauses),
}

impl Proof {
    /// Returns the number of zones in all rows. Clauses have none.
    #[must_use]
    pub fn states(&self) -> usize {
        match self {
            Proof::Cover(cover) => cover.states(),
            Proof::Ranks { reached, ranked } => ranked.states() + reached.as_ref().map_or(0, Cover::states),
            Proof::Invariant(_) | Proof::Marking(_) => 0,
        }
    }

    /// Returns the number of distinct rows. Clauses have none.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Proof::Cover(cover) => cover.rows(),
            Proof::Ranks { reached: None, ranked } => ranked.rows(),
            Proof::Ranks { reached: Some(reached), ranked } => reached.rows() + ranked.rows_outside(reached),
            Proof::Invariant(_) | Proof::Marking(_) => 0,
        }
    }
}

/// The kinds of proofs in certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofKind {
    Cover,
    Ranks,
    CoverAndRanks,
    Invariant,
    Marking,
}

impl ProofKind {
    pub(crate) const ALL: [ProofKind; 5] =
        [ProofKind::Cover, ProofKind::Ranks, ProofKind::CoverAndRanks, ProofKind::Invariant, ProofKind::Marking];

    pub(crate) fn text(self) -> &'static str {
        match self {
            ProofKind::Cover => "cover",
            ProofKind::Ranks => "ranks",
            ProofKind::CoverAndRanks => "cover and ranks",
            ProofKind::Invariant => "invariant",
            ProofKind::Marking => "marking",
        }
    }
}
