//! The report of `merkhet certify`. Text is made from the same values.

use serde::Serialize;

use super::{DiagnosticEntry, verify::Verdict};

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
    pub diagnostics: Vec<DiagnosticEntry>,
    /// What is wrong with the text of the certificate. The rest is not checked.
    pub malformed: Option<Malformed>,
    /// The claims, in the order of the certificate.
    pub results: Vec<ClaimResult>,
}

/// A syntax error in a file.
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

impl Malformed {
    /// Returns the message, after its place in a file of this name.
    pub fn within(&self, file: &str) -> String {
        let place =
            self.line.zip(self.column).map_or(String::new(), |(line, column)| format!("{file}:{line}:{column}: "));
        format!("{place}{}", self.message)
    }
}

/// The result of checking a claim.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClaimResult {
    /// The query.
    pub query: String,
    /// The claimed answer.
    pub answer: Verdict,
    /// Whether it is proved.
    pub proved: bool,
    /// The number of discrete states; null without a proof.
    pub rows: Option<usize>,
    /// The number of symbolic states; null without a proof.
    pub states: Option<usize>,
    /// The number of transitions from them; null without a proof.
    pub transitions: Option<usize>,
    /// The number of clauses about the marking of a net; null without such a proof.
    pub clauses: Option<usize>,
    /// Why it is not proved.
    pub refusal: Option<Refusal>,
}

/// Why a claim is not proved.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Refusal {
    /// One sentence.
    pub reason: String,
    /// The state that violates a condition, or the source of the transition that does.
    pub state: Option<String>,
    /// The edges of the transition, the sender first.
    pub transition: Vec<String>,
    /// States that the certificate lacks.
    pub missing: Option<String>,
}
