//! Errors in answers.

use model::machine::FaultKind;
use oracle::{LoadError, explicit};
use verify::{Range, Reason, Verdict};

/// An error in an answer about a network.
#[derive(Debug, thiserror::Error)]
pub enum WrongAnswer {
    /// The network is not accepted.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The options are not accepted.
    #[error("{0}")]
    Options(String),
    #[error("a panic")]
    Panic,
    #[error("a query is in no group")]
    NoGroup,
    #[error("no answer")]
    NoAnswer,
    #[error("{found:?}, not {expected:?}")]
    Verdict { found: Verdict, expected: Verdict },
    #[error("{found:?}, though a run has the error {fault:?}")]
    MissedFault { found: Verdict, fault: FaultKind },
    #[error("unknown, for no good reason: {0:?}")]
    Unknown(Reason),
    #[error("the certificate is refused: {0}")]
    Certificate(String),
    #[error("there is no trace")]
    NoTrace,
    #[error("there is a trace to what can't be reached")]
    UnexpectedTrace,
    #[error("the trace does not replay")]
    Replay,
    #[error("a trace of {length} transitions, but a shortest one has {shortest}")]
    Length { length: usize, shortest: u32 },
    #[error("the delays of the trace have no sum")]
    NoDuration,
    #[error("there is a faster trace")]
    NotFastest,
    #[error("there are no values")]
    NoValues,
    #[error("{found:?}, not {expected:?}")]
    Values { found: Range, expected: explicit::ValueRange },
}
