//! Files of evidence: traces, certificates, formulas.

use std::{
    io::{self, Write},
    sync::Arc,
};

use certify::CertificateWriter;
use merkhet::{Proof, Unproved, certificate};
use model::System;
use verify::ProofSize;

use crate::{
    args::VerifyArgs,
    commands::count,
    json::{
        VERSION,
        replay::{TraceFile, TracedQuery},
        verify::{Certificate, QueryResult, Trace},
    },
    outputs::{OutputError, Outputs, Target},
};

/// The files that are being written.
pub struct Evidence {
    certificate: Option<CertificateWriter<Target>>,
    proofs: usize,
    traces: Option<Target>,
    /// The file for the last formula, and the formula.
    script: Option<(Target, String)>,
    /// The file of traces, still without traces.
    trace_file: TraceFile,
    /// The traces, with the numbers of their queries.
    found: Vec<(usize, TracedQuery)>,
    /// The first error; after it nothing is written.
    problem: Option<OutputError>,
}

impl Evidence {
    /// Starts the files that the command line names, before any work is done.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn open(args: &VerifyArgs, outputs: &mut Outputs, model: &str) -> Result<Evidence, OutputError> {
        let traces = args.trace_file.as_deref().map(|path| outputs.start(path)).transpose()?;
        let certificate = match args.settings.certificate.as_deref().map(|path| outputs.start(path)).transpose()? {
            None => None,
            Some(target) => {
                let path = target.path().to_owned();
                Some(CertificateWriter::new(target).map_err(|e| OutputError::write(&path, e))?)
            }
        };
        let script = args.settings.smt_lib.as_deref().map(|path| outputs.start(path)).transpose()?;
        let script = script.map(|target| (target, String::new()));
        let trace_file = TraceFile { version: VERSION, model: model.to_owned(), traces: Vec::new() };
        Ok(Evidence { certificate, proofs: 0, traces, script, trace_file, found: Vec::new(), problem: None })
    }

    /// Keeps a trace.
    pub fn keep(&mut self, number: usize, result: &QueryResult, trace: &Trace) {
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
        proof: Result<Arc<Proof>, Unproved>,
    ) -> Option<Certificate> {
        let none = |why: &str| Some(without(why));
        let writer = self.certificate.as_mut()?;
        if self.problem.is_some() {
            return none("the file can't be written");
        }
        let proof = match proof {
            Ok(proof) => proof,
            Err(why) => return none(&why.to_string()),
        };
        match certificate::write(writer, system, query, satisfied, &proof) {
            Ok(()) => {
                self.proofs += 1;
                let (states, clauses) = match proof.size() {
                    ProofSize::States(n) => (Some(n), None),
                    ProofSize::Clauses(n) => (None, Some(n)),
                };
                Some(Certificate { states, clauses, reason: None })
            }
            Err(e) => {
                self.problem = Some(writer.get_ref().error(e));
                none("the file can't be written")
            }
        }
    }

    /// The entry of a query without a proof, if certificates are requested.
    pub fn unproved(&self, why: &str) -> Option<Certificate> {
        self.certificate.as_ref().map(|_| without(why))
    }

    /// Keeps the last formula, if there was one.
    pub fn script(&mut self, text: Option<&str>) {
        if let (Some((_, script)), Some(text)) = (&mut self.script, text) {
            text.clone_into(script);
        }
    }

    /// Completes the files. Returns notes on the files that were written, and on those that would
    /// be empty.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn finish(mut self) -> Result<Vec<String>, OutputError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut notes = Vec::new();
        if let Some(writer) = self.certificate {
            let path = writer.get_ref().path().to_owned();
            if self.proofs == 0 {
                notes.push(format!("`{}` was not written: no answer has a certificate", path.display()));
            } else {
                let target = writer.finish().map_err(|e| OutputError::write(&path, e))?;
                notes.push(target.finish(&count(self.proofs, "certificate"))?);
            }
        }
        if let Some(mut target) = self.traces {
            // Answers are not in the order of the queries.
            self.found.sort_by_key(|(number, _)| *number);
            self.trace_file.traces = self.found.into_iter().map(|(_, traced)| traced).collect();
            if self.trace_file.traces.is_empty() {
                notes.push(format!("`{}` was not written: no answer has a trace", target.path().display()));
            } else {
                serde_json::to_writer_pretty(&mut target, &self.trace_file)
                    .map_err(io::Error::from)
                    .and_then(|()| writeln!(target))
                    .map_err(|e| target.error(e))?;
                notes.push(target.finish(&count(self.trace_file.traces.len(), "trace"))?);
            }
        }
        match self.script {
            None => {}
            Some((target, text)) if text.is_empty() => {
                notes.push(format!("`{}` was not written: no formula was asked about", target.path().display()));
            }
            Some((mut target, text)) => {
                target.write_all(text.as_bytes()).map_err(|e| target.error(e))?;
                notes.push(target.finish("a formula")?);
            }
        }
        Ok(notes)
    }
}

/// No certificate.
fn without(why: &str) -> Certificate {
    Certificate { states: None, clauses: None, reason: Some(why.to_owned()) }
}
