//! Certificates, checked claim by claim.

use std::io::{self, BufRead};

use certify::{CertificateReader, Claim, ReadError};
use merkhet::{Model, Stop};
use syntax::{Diagnostic, Sources};

use crate::json::{
    certify::{ClaimResult, Refusal},
    verify::Verdict,
};

/// Why a certificate was not read to its end.
pub enum Problem {
    /// It can't be read, or is malformed.
    Certificate(ReadError),
    /// A query does not fit the model: its name, and its errors.
    Query(String, Vec<Diagnostic>),
    /// The output can't be written.
    Output(io::Error),
    /// A limit was reached.
    Stopped(Stop),
}

impl From<ReadError> for Problem {
    fn from(e: ReadError) -> Problem {
        Problem::Certificate(e)
    }
}

/// Receives the result of a claim, and the position of a run-time error.
pub type Each<'e> = dyn FnMut(&Sources, ClaimResult, Option<Diagnostic>) -> io::Result<()> + 'e;

/// Checks all claims of a certificate that messages call `file`.
///
/// # Errors
/// It was not read to its end.
pub fn judge(text: impl BufRead, file: &str, model: &mut Model, each: &mut Each<'_>) -> Result<(), Problem> {
    let mut reader = CertificateReader::new(text)?;
    while let Some(claim) = reader.claim()? {
        let name = format!("{file}, query in line {}", claim.line);
        let query = model.state_query(&claim.query, &name).map_err(|problems| match Stop::of_errors(&problems) {
            Some(stop) => Problem::Stopped(stop),
            None => Problem::Query(name, problems),
        })?;
        let (system, property) = model.loaded.system.with(&query);
        let proof = reader.proof(&system)?;
        let checked = certify::check(&system, model.loaded.tree.net.as_deref(), &property, claim.answer, &proof);
        if let Some(stop) = model.loaded.tree.signal.raised() {
            return Err(Problem::Stopped(stop));
        }
        let fault = checked.as_ref().err().and_then(|refusal| refusal.fault).filter(|fault| fault.pc != u32::MAX);
        let site = fault.map(|f| Diagnostic::error("run-time-error", system.site(f.pc), system.explain(&f)));
        each(&model.sources, result(&claim, checked), site).map_err(Problem::Output)?;
    }
    Ok(())
}

fn result(claim: &Claim, checked: Result<certify::Proved, Box<certify::Rejection>>) -> ClaimResult {
    let proved = checked.as_ref().ok();
    ClaimResult {
        query: claim.query.clone(),
        answer: match claim.answer {
            certify::Answer::Satisfied => Verdict::Satisfied,
            certify::Answer::NotSatisfied => Verdict::NotSatisfied,
        },
        proved: proved.is_some(),
        rows: proved.map(|p| p.rows),
        states: proved.map(|p| p.states),
        transitions: proved.map(|p| p.transitions),
        clauses: proved.map(|p| p.clauses).filter(|clauses| *clauses > 0),
        refusal: checked.err().map(|refusal| Refusal {
            reason: refusal.reason.to_string(),
            state: refusal.state,
            transition: refusal.transition,
            missing: refusal.missing,
        }),
    }
}
