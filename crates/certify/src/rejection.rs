//! The reasons why a certificate is not a proof.

use model::machine::{Fault, FaultKind};

/// The rejection of a certificate, with the names of the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Rejection {
    /// The reason.
    pub reason: RejectionReason,
    /// The state to blame, or the source of the transition to blame; none for the initial states.
    pub state: Option<String>,
    /// The edges of the transition to blame, the sender first.
    pub transition: Vec<String>,
    /// States that the certificate lacks.
    pub missing: Option<String>,
    /// The run-time error of the model.
    pub fault: Option<Fault>,
}

impl Rejection {
    /// Creates a rejection without details.
    pub(crate) fn new(reason: RejectionReason) -> Box<Rejection> {
        Box::new(Rejection { reason, state: None, transition: Vec::new(), missing: None, fault: None })
    }

    /// Returns whether the check was only too large: the certificate need not be wrong.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(
            self.reason,
            RejectionReason::TooManyZones | RejectionReason::TooManyEnds | RejectionReason::TooManyCases
        )
    }
}

/// The reason for a rejection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say what they are")]
pub enum RejectionReason {
    /// No proof of this kind proves the answer.
    #[error("{0}")]
    WrongKind(&'static str),
    #[error("an initial state is not in the certificate")]
    MissingInitialState,
    #[error("the start of a run is not in the certificate")]
    MissingRunStart,
    #[error("a transition leads out of the certificate")]
    LeadsOut,
    #[error("a transition does not lead to a smaller rank")]
    SameRank,
    #[error("the certificate holds a state that should not be reached")]
    HoldsGoal,
    #[error("time may diverge in a state of the certificate")]
    Diverges,
    #[error("a run may end in a state of the certificate")]
    Ends,
    #[error("the initial state violates the invariant")]
    InitialViolation,
    #[error("the invariant includes a state from which a delay leads to the goal")]
    InvariantReachesGoal,
    #[error("a lemma does not follow by unit propagation")]
    Lemma,
    #[error("a transition may put a token on a marked place")]
    Contact,
    #[error("the goal has too many cases")]
    TooManyCases,
    #[error("the zones of a row are too many to tell whether they cover a state")]
    TooManyZones,
    #[error("there are too many zones to tell whether a run ends in a state")]
    TooManyEnds,
    #[error("the model has a run-time error: {0}")]
    Fault(FaultKind),
}
