//! Certificate to proof: checks what an engine claims, without trusting it.
//!
//! A certificate is one of these:
//!
//! - A [`Cover`], a finite set of symbolic states. It proves that no state of a goal is reachable
//!   if it contains the initial states, is closed under transitions and delays, and contains no
//!   state of the goal.
//! - A cover with ranks. It proves that no maximal run stays where a formula holds if it contains
//!   all such runs, if ranks decrease with every transition, so that no run is infinite, and if no
//!   run ends in one of its states.
//! - [`Clauses`], an inductive invariant. They prove that no state of a goal is reachable if they
//!   hold initially and after every transition from a state in which they hold, and if no delay
//!   leads from such a state to the goal.
//!
//! - [`MarkingClauses`], an inductive invariant about the marking of a net. They prove the same
//!   without a word about time, if firings at any time preserve them.
//!
//! [`check`] checks these conditions. It does not search or abstract, so it needs no clock bounds.
//! The code is naive on purpose. It implements zones and semantics a second time, and shares with
//! the engines only the representation of models (`model`).
//!
//! States are whole rows, including meta variables: a transition may read a value that the previous
//! one wrote, so a proof for all runs must include them.

mod bound;
mod check;
mod clauses;
mod cover;
mod formula;
mod invariant;
mod markings;
mod moment;
mod names;
mod network;
mod proof;
mod propagate;
mod ranks;
mod read;
mod rejection;
mod stay;
mod time;
mod union;
mod write;
mod zone;

pub use bound::DifferenceBound;
pub use check::{Proved, check};
pub use clauses::{ClauseLiteral, Clauses, Relation};
pub use cover::Cover;
pub use markings::MarkingClauses;
pub use moment::{fails_at, holds_at, possible, takes};
pub use names::Names;
pub use network::LocatedFault;
pub use proof::Proof;
pub use read::{CertificateReader, Claim, Malformed, ReadError};
pub use rejection::{Rejection, RejectionReason};
pub use union::{Uncovered, outside};
pub use write::CertificateWriter;
pub use zone::{DifferenceConstraint, Zone};

/// The answer to a query according to a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The query is satisfied.
    Satisfied,
    /// The query is not satisfied.
    NotSatisfied,
}

impl Answer {
    /// Returns its text in certificates.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Answer::Satisfied => "satisfied",
            Answer::NotSatisfied => "not satisfied",
        }
    }
}

/// The version of certificates that are written and read.
pub const VERSION: u32 = 1;
