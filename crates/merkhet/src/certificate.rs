//! Certificates: proofs as text for the independent checker.

use std::io;

use certify::Names;
use model::System;
use verify::{
    Cover, Proof, Verdict,
    certified::{literal, marking, translate},
};

use crate::{Answer, Model, Query};

pub use certify::CertificateWriter;

/// Returns the certificate of an answer as `merkhet certify` reads it; `None`: the answer has no
/// proof.
#[must_use]
pub fn text(model: &Model, query: &Query, answer: &Answer) -> Option<String> {
    let Some(Ok(proof)) = &answer.evidence.proof else { return None };
    let mut writer = CertificateWriter::new(Vec::new()).ok()?;
    let satisfied = answer.verdict == Verdict::Satisfied;
    write(&mut writer, &model.loaded.system, &query.written.text, satisfied, proof).ok()?;
    String::from_utf8(writer.finish().ok()?).ok()
}

/// Writes the proof of an answer to a query.
///
/// # Errors
/// Those of the writer.
pub fn write<W: io::Write>(
    writer: &mut CertificateWriter<W>,
    system: &System,
    query: &str,
    satisfied: bool,
    proof: &Proof,
) -> io::Result<()> {
    let names = Names::new(system);
    let answer = if satisfied { certify::Answer::Satisfied } else { certify::Answer::NotSatisfied };
    match proof {
        Proof::Cover(cover) => {
            writer.cover(query, answer)?;
            write_cover(writer, &names, cover)
        }
        Proof::Ranks { reached, ranked } => {
            writer.ranks(query, answer, reached.is_some())?;
            if let Some(reached) = reached {
                write_cover(writer, &names, reached)?;
            }
            let mut constraints = Vec::new();
            ranked.try_for_each(|row, zone, rank| {
                translate(zone, &mut constraints);
                writer.ranked(&names, row, &constraints, rank)
            })?;
            writer.end()
        }
        Proof::Invariant(invariant) => {
            writer.invariant(query, answer)?;
            for clause in &invariant.clauses {
                writer.clause(&names, &clause.iter().map(literal).collect::<Vec<_>>())?;
            }
            writer.end_clauses()
        }
        Proof::Marking(invariant) => writer.marking(&names, query, answer, &marking(system, invariant)),
    }
}

fn write_cover<W: io::Write>(writer: &mut CertificateWriter<W>, names: &Names, cover: &Cover) -> io::Result<()> {
    let mut constraints = Vec::new();
    cover.try_for_each(|row, zone| {
        translate(zone, &mut constraints);
        writer.state(names, row, &constraints)
    })?;
    writer.end()
}
