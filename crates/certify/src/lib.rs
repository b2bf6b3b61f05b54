//! Certificate to proof: checks what an engine claims, without trusting it.
//!
//! A [`Cover`] is a finite set of symbolic states. It proves that no state of a goal can be reached
//! if the initial states are in it, every transition and delay stays in it, and no state of the
//! goal is in it. It proves that no maximal run stays where a formula holds if all such runs are in
//! it as far as they stay there, if its states have ranks that fall with every transition, so that
//! no run goes on for ever, and if none ends in one of them. [`Clauses`] are an invariant: they
//! prove that no state of a goal can be reached if they hold at the start, behind every transition
//! from where they hold, and nowhere that a delay leads to the goal from. [`check`] looks at just
//! that. There is no search here and no abstraction, hence neither clock bounds nor anything to be
//! got wrong about them. The code is naive on purpose, and has the zones and the semantics a second
//! time: it shares with the engine what a model is (`model`), and nothing else.
//!
//! States are whole rows. Meta variables count as other variables do, since a transition may read
//! what the one before it wrote: only so is a proof one for all runs.

mod bound;
mod check;
mod clauses;
mod cover;
mod formula;
mod invariant;
mod moment;
mod names;
mod network;
mod proof;
mod ranks;
mod read;
mod stay;
mod time;
mod union;
mod write;
mod zone;

pub use bound::DifferenceBound;
pub use check::{Proved, Rejection, check};
pub use clauses::{ClauseLiteral, Clauses, Relation};
pub use cover::Cover;
pub use moment::{fails_at, holds_at, possible, takes};
pub use names::Names;
pub use network::LocatedFault;
pub use proof::Proof;
pub use read::{CertificateReader, Claim, Malformed, ReadError};
pub use union::{Uncovered, outside};
pub use write::CertificateWriter;
pub use zone::{DifferenceConstraint, Zone};

/// What a certificate says about its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds.
    Satisfied,
    /// It does not hold.
    NotSatisfied,
}

impl Answer {
    /// As certificates have it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Answer::Satisfied => "satisfied",
            Answer::NotSatisfied => "not satisfied",
        }
    }
}

/// The version of certificates that is written, and read.
pub const VERSION: u32 = 1;
