//! What `merkhet certify` says. The text for people is made from the same values.

use serde::Serialize;

use super::{Entry, verify::Verdict};

/// What `merkhet certify --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CertifyReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The model's name, as it was given; `<stdin>` for the standard input.
    pub model: String,
    /// The certificate's name, as it was given; `<stdin>` for the standard input.
    pub certificate: String,
    /// Whether every claim of the certificate is proved.
    pub proved: bool,
    /// The limit that was reached before everything was checked.
    pub stopped: Option<String>,
    /// What is wrong with the model, or with a query of the certificate.
    pub diagnostics: Vec<Entry>,
    /// What is wrong with the text of the certificate. What stands behind that place is not
    /// checked.
    pub malformed: Option<Malformed>,
    /// The claims, in the order of the certificate.
    pub results: Vec<ClaimResult>,
}

/// A place in a text that has not the form that it should have.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Malformed {
    /// The line, counted from 1; null if the file could not be read.
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    pub column: Option<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// What became of a claim.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClaimResult {
    /// The query.
    pub query: String,
    /// The answer that is claimed.
    pub answer: Verdict,
    /// Whether it is proved.
    pub proved: bool,
    /// How many discrete states there are; null without a proof.
    pub rows: Option<usize>,
    /// How many symbolic states there are; null without a proof.
    pub states: Option<usize>,
    /// How many transitions were taken from them; null without a proof.
    pub transitions: Option<usize>,
    /// Why it is not proved.
    pub refusal: Option<Refusal>,
}

/// Why a claim is not proved.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Refusal {
    /// One sentence.
    pub reason: String,
    /// The state that is to blame, or from which a transition is.
    pub state: Option<String>,
    /// The edges of the transition that is to blame, the sender first.
    pub transition: Vec<String>,
    /// States that should be in the certificate.
    pub missing: Option<String>,
}
