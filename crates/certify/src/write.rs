//! Writes certificates as text.
//!
//! ```text
//! merkhet certificate 1
//!
//! query "A[] not (P.critical && Q.critical)"
//! answer satisfied
//! proof cover
//! at P.idle Q.trying turn=1
//! in P.x-Q.x==0 P.x<=2
//! in P.x>5
//! end 1 row 2 zones
//!
//! end certificate
//! ```
//!
//! `at` names the location of each process, and the variables that do not have their initial
//! values. Each `in` after it has the constraints of one zone, which implicitly include those of
//! the invariants. Names with unusual characters are quoted.
//!
//! In a `proof ranks`, of a query about runs, zones have ranks: `rank 3 in P.x<=2`. A
//! `proof cover and ranks` has two such lists, each with its own `end`: all reachable states
//! without ranks, then the states with ranks.
//!
//! A `proof invariant` has clauses. In each of them at least one literal holds initially and after
//! every transition.
//!
//! ```text
//! proof invariant
//! clause !P.critical Q.idle turn=1 n<=3 P.x-Q.x<0
//! end 1 clause
//! ```
//!
//! A `proof marking` has clauses about the marking of a net, then lemmas that follow from them by
//! unit propagation, then those that follow from them if no transition can fire.
//!
//! ```text
//! proof marking
//! clause p=1 q=1
//! lemma q=0 r=1
//! dead p=0
//! end 1 clause 2 lemmas
//! ```
//!
//! Later versions may have other kinds of `proof`.

use std::io::{self, Write};

use crate::{
    Answer, VERSION,
    clauses::ClauseLiteral,
    markings::MarkingClauses,
    names::{Names, quoted},
    proof::ProofKind,
    zone::DifferenceConstraint,
};

/// A writer of certificates.
pub struct CertificateWriter<W> {
    out: W,
    row: Vec<i32>,
    rows: usize,
    zones: usize,
}

impl<W: Write> CertificateWriter<W> {
    /// Starts a certificate.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn new(mut out: W) -> io::Result<CertificateWriter<W>> {
        writeln!(out, "merkhet certificate {VERSION}")?;
        Ok(CertificateWriter { out, row: Vec::new(), rows: 0, zones: 0 })
    }

    /// Returns the output.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// Starts the proof of a query by a cover.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn cover(&mut self, query: &str, answer: Answer) -> io::Result<()> {
        self.start(query, answer, ProofKind::Cover)
    }

    /// Starts the proof of a query by ranks. With a cover of all reachable states, that comes
    /// first, with its own end.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn ranks(&mut self, query: &str, answer: Answer, with_cover: bool) -> io::Result<()> {
        self.start(query, answer, if with_cover { ProofKind::CoverAndRanks } else { ProofKind::Ranks })
    }

    /// Starts the proof of a query by an invariant.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn invariant(&mut self, query: &str, answer: Answer) -> io::Result<()> {
        self.start(query, answer, ProofKind::Invariant)
    }

    /// Writes a clause of an invariant.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn clause(&mut self, names: &Names, clause: &[ClauseLiteral]) -> io::Result<()> {
        self.rows += 1;
        writeln!(self.out, "{}", join("clause", &names.clause(clause)))
    }

    /// Ends an invariant.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn end_clauses(&mut self) -> io::Result<()> {
        let clauses = std::mem::take(&mut self.rows);
        writeln!(self.out, "end {clauses} clause{}", if clauses == 1 { "" } else { "s" })
    }

    /// Writes the proof of a query by clauses about the marking of a net.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn marking(&mut self, names: &Names, query: &str, answer: Answer, proof: &MarkingClauses) -> io::Result<()> {
        self.start(query, answer, ProofKind::Marking)?;
        for (word, clauses) in [("clause", &proof.clauses), ("lemma", &proof.lemmas), ("dead", &proof.dead)] {
            for clause in &clauses.list {
                writeln!(self.out, "{}", join(word, &names.clause(clause)))?;
            }
        }
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (clauses, lemmas) = (proof.clauses.list.len(), proof.lemmas.list.len() + proof.dead.list.len());
        writeln!(self.out, "end {clauses} clause{} {lemmas} lemma{}", s(clauses), s(lemmas))
    }

    fn start(&mut self, query: &str, answer: Answer, kind: ProofKind) -> io::Result<()> {
        let mut text = String::new();
        quoted(query, &mut text);
        (self.rows, self.zones) = (0, 0);
        writeln!(self.out, "\nquery {text}\nanswer {}\nproof {}", answer.text(), kind.text())
    }

    /// Writes a state of a cover. States of one row should be consecutive.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn state(&mut self, names: &Names, row: &[i32], constraints: &[DifferenceConstraint]) -> io::Result<()> {
        self.row(names, row)?;
        writeln!(self.out, "{}", join("in", &names.constraints(constraints)))
    }

    /// Writes a state with a rank. States of one row should be consecutive.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn ranked(
        &mut self,
        names: &Names,
        row: &[i32],
        constraints: &[DifferenceConstraint],
        rank: u32,
    ) -> io::Result<()> {
        self.row(names, row)?;
        writeln!(self.out, "rank {rank} {}", join("in", &names.constraints(constraints)))
    }

    /// Counts a zone, and writes its row if it differs from the last one.
    fn row(&mut self, names: &Names, row: &[i32]) -> io::Result<()> {
        self.zones += 1;
        if self.rows > 0 && self.row == row {
            return Ok(());
        }
        self.row.clear();
        self.row.extend_from_slice(row);
        self.rows += 1;
        writeln!(self.out, "{}", join("at", &names.row(row)))
    }

    /// Ends a list of states.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn end(&mut self) -> io::Result<()> {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (rows, zones) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.zones));
        writeln!(self.out, "end {rows} row{} {zones} zone{}", s(rows), s(zones))
    }

    /// Ends the certificate and returns the output.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "\nend certificate")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn join(word: &str, rest: &str) -> String {
    if rest.is_empty() { word.to_owned() } else { format!("{word} {rest}") }
}
