//! What answers rest on, in files: traces and certificates.

use std::io::{self, Write};

use certify::{CertificateWriter, Names};
use model::System;
use verify::{
    Cover, Proof, ProofSize,
    certified::{literal, translate},
};

use crate::{
    args::VerifyArgs,
    commands::count,
    json::{
        VERSION,
        replay::{TraceFile, TracedQuery},
        verify::{Certificate, QueryResult, Trace},
    },
    outputs::{Outputs, Target, unwritable},
};

/// The files that are being written.
pub struct Evidence {
    certificate: Option<CertificateWriter<Target>>,
    proofs: usize,
    traces: Option<Target>,
    /// The file of traces as it will be, but for them.
    told: TraceFile,
    /// The traces, with the numbers of their queries.
    found: Vec<(usize, TracedQuery)>,
    /// Why a file can't be written; nothing is written any more then.
    problem: Option<String>,
}

impl Evidence {
    /// Starts the files that the command line names, before any work is done.
    ///
    /// # Errors
    /// Says which of them can't be written.
    pub fn open(args: &VerifyArgs, outputs: &mut Outputs, model: &str) -> Result<Evidence, String> {
        let traces = args.trace_file.as_deref().map(|path| outputs.start(path)).transpose()?;
        let certificate = match args.certificate.as_deref().map(|path| outputs.start(path)).transpose()? {
            None => None,
            Some(target) => {
                let path = target.path().to_owned();
                Some(CertificateWriter::new(target).map_err(|e| unwritable(&path, &e))?)
            }
        };
        let told = TraceFile { version: VERSION, model: model.to_owned(), traces: Vec::new() };
        Ok(Evidence { certificate, proofs: 0, traces, told, found: Vec::new(), problem: None })
    }

    /// Whether answers need a proof.
    pub fn wants_proofs(&self) -> bool {
        self.certificate.is_some()
    }

    /// Whether traces are needed, shown or not.
    pub fn wants_traces(&self) -> bool {
        self.traces.is_some()
    }

    /// Keeps a trace.
    pub fn tell(&mut self, number: usize, result: &QueryResult, trace: &Trace) {
        if let (Some(_), Some(answer)) = (&self.traces, result.answer) {
            let (query, reason) = (result.query.clone(), result.reason.clone());
            self.found.push((number, TracedQuery { query, answer, reason, trace: trace.clone() }));
        }
    }

    /// Writes the proof of a query, if there is one.
    pub fn prove(
        &mut self,
        system: &System,
        query: &str,
        satisfied: bool,
        proof: Result<Proof, &'static str>,
    ) -> Option<Certificate> {
        let none = |why: &str| Some(without(why));
        let writer = self.certificate.as_mut()?;
        if self.problem.is_some() {
            return none("the file can't be written");
        }
        let proof = match proof {
            Ok(proof) => proof,
            Err(why) => return none(why),
        };
        match write(writer, system, query, satisfied, &proof) {
            Ok(()) => {
                self.proofs += 1;
                let (states, clauses) = match proof.size() {
                    ProofSize::States(n) => (Some(n), None),
                    ProofSize::Clauses(n) => (None, Some(n)),
                };
                Some(Certificate { states, clauses, reason: None })
            }
            Err(e) => {
                self.problem = Some(writer.get_ref().unwritable(&e));
                none("the file can't be written")
            }
        }
    }

    /// Says why there is no proof of a query, if one was asked for.
    pub fn unproved(&self, why: &str) -> Option<Certificate> {
        self.certificate.as_ref().map(|_| without(why))
    }

    /// Puts the files into their places. Returns what was written, and which files would be empty.
    ///
    /// # Errors
    /// Says which file could not be written.
    pub fn finish(mut self) -> Result<Vec<String>, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut notes = Vec::new();
        if let Some(writer) = self.certificate {
            let path = writer.get_ref().path().to_owned();
            if self.proofs == 0 {
                notes.push(format!("`{}` was not written: no answer has a certificate", path.display()));
            } else {
                let target = writer.finish().map_err(|e| unwritable(&path, &e))?;
                notes.push(target.finish(&count(self.proofs, "certificate"))?);
            }
        }
        if let Some(mut target) = self.traces {
            // Answers come in another order than queries.
            self.found.sort_by_key(|(number, _)| *number);
            self.told.traces = self.found.into_iter().map(|(_, traced)| traced).collect();
            if self.told.traces.is_empty() {
                notes.push(format!("`{}` was not written: no answer has a trace", target.path().display()));
            } else {
                serde_json::to_writer_pretty(&mut target, &self.told)
                    .map_err(io::Error::from)
                    .and_then(|()| writeln!(target))
                    .map_err(|e| target.unwritable(&e))?;
                notes.push(target.finish(&count(self.told.traces.len(), "trace"))?);
            }
        }
        Ok(notes)
    }
}

/// No certificate.
fn without(why: &str) -> Certificate {
    Certificate { states: None, clauses: None, reason: Some(why.to_owned()) }
}

fn write(
    writer: &mut CertificateWriter<Target>,
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
    }
}

fn write_cover(writer: &mut CertificateWriter<Target>, names: &Names, cover: &Cover) -> io::Result<()> {
    let mut constraints = Vec::new();
    cover.try_for_each(|row, zone| {
        translate(zone, &mut constraints);
        writer.state(names, row, &constraints)
    })?;
    writer.end()
}
