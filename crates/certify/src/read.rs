//! Reads certificates line by line; `write.rs` describes the format.

mod clauses;
mod text;

use std::{
    collections::HashMap,
    io::{self, BufRead},
};

use model::System;

use crate::{
    Answer, VERSION,
    bound::DifferenceBound,
    cover::Cover,
    names::Names,
    proof::{Proof, ProofKind},
    zone::DifferenceConstraint,
};

/// The greatest length of a line, in bytes.
const MAX_LINE: u64 = 16 << 20;

/// The number of bits of values.
const VALUE_BITS: u32 = 32;

/// The number of bits of the numbers that clocks are compared with.
const BOUND_BITS: u32 = 62;

/// A syntax error of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The error, and what was expected.
    pub message: String,
}

/// The reason why a certificate could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The text is malformed.
    #[error(transparent)]
    Malformed(Malformed),
}

type ReadResult<T> = Result<T, ReadError>;

/// The claim of a certificate, which its proof follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The query.
    pub query: String,
    /// Its answer.
    pub answer: Answer,
    /// The line of the query.
    pub line: usize,
}

/// A reader of certificates.
pub struct CertificateReader<R> {
    input: R,
    text: String,
    /// The position in the line.
    at: usize,
    line: usize,
    claims: usize,
    /// The kind of the next proof.
    kind: ProofKind,
}

impl<R: BufRead> CertificateReader<R> {
    /// Starts to read.
    ///
    /// # Errors
    /// The text is not a certificate, or has another version.
    pub fn new(input: R) -> ReadResult<CertificateReader<R>> {
        let mut reader =
            CertificateReader { input, text: String::new(), at: 0, line: 0, claims: 0, kind: ProofKind::Cover };
        let first = format!("`merkhet certificate {VERSION}`");
        if !reader.next_line()? {
            return reader.fail(format!("this is not a certificate: expected {first}"));
        }
        for word in ["merkhet", "certificate"] {
            if reader.word() != word {
                return reader.fail(format!("this is not a certificate: expected {first}"));
            }
            reader.spaces();
        }
        let start = reader.at;
        let version = reader.word().to_owned();
        if version != VERSION.to_string() {
            reader.at = start;
            return reader.fail(format!("version {VERSION} is the only one that is known here, not `{version}`"));
        }
        reader.end_of_line()?;
        Ok(reader)
    }

    /// Reads the next claim; `None` at the end. The proof of the previous one must have been read.
    ///
    /// # Errors
    /// The text is malformed.
    pub fn claim(&mut self) -> ReadResult<Option<Claim>> {
        if self.next_filled()?.is_none() {
            return self.fail("the certificate breaks off: expected `query` or `end certificate`".to_owned());
        }
        let (line, first) = (self.line, self.claims == 0);
        match self.word() {
            "query" => {}
            "end" if !first => {
                self.spaces();
                self.expect_words(&["certificate"])?;
                if self.next_filled()?.is_some() {
                    return self.fail("expected nothing after the end of the certificate".to_owned());
                }
                return Ok(None);
            }
            _ => {
                self.at = 0;
                let or = if first { "" } else { " or `end certificate`" };
                return self.fail(format!("expected `query`{or}"));
            }
        }
        self.spaces();
        if self.peek() != Some('"') {
            return self.fail("expected the query in quotation marks".to_owned());
        }
        let query = self.name("the query in quotation marks")?;
        self.end_of_line()?;
        self.need_line("`answer`")?;
        self.expect_word("answer")?;
        let negative = self.rest_is("not satisfied");
        if !negative && !self.rest_is("satisfied") {
            return self.fail("expected `satisfied` or `not satisfied`".to_owned());
        }
        self.need_line("`proof`")?;
        self.expect_word("proof")?;
        let Some(kind) = ProofKind::ALL.into_iter().find(|kind| self.rest_is(kind.text())) else {
            let [a, b, c, d, e] = ProofKind::ALL.map(ProofKind::text);
            return self
                .fail(format!("this kind of proof is not known here; expected `{a}`, `{b}`, `{c}`, `{d}` or `{e}`"));
        };
        self.kind = kind;
        self.claims += 1;
        let answer = if negative { Answer::NotSatisfied } else { Answer::Satisfied };
        Ok(Some(Claim { query, answer, line }))
    }

    /// Reads the proof of the claim.
    ///
    /// # Errors
    /// The text is malformed, or has a name that the system lacks.
    pub fn proof(&mut self, system: &System) -> ReadResult<Proof> {
        Ok(match self.kind {
            ProofKind::Cover => Proof::Cover(self.states(system, false)?),
            ProofKind::Ranks => Proof::Ranks { reached: None, ranked: self.states(system, true)? },
            ProofKind::CoverAndRanks => {
                let reached = Some(self.states(system, false)?);
                Proof::Ranks { reached, ranked: self.states(system, true)? }
            }
            ProofKind::Invariant => Proof::Invariant(self.clauses(system)?),
            ProofKind::Marking => Proof::Marking(self.marking(system)?),
        })
    }

    /// Reads a list of states, with or without ranks.
    fn states(&mut self, system: &System, ranked: bool) -> ReadResult<Cover> {
        let names = Names::new(system);
        let index = NameIndex::new(&names);
        let mut cover = Cover::new();
        let mut row: Option<Vec<i32>> = None;
        let (mut rows, mut zones) = (0, 0);
        let mut constraints = Vec::new();
        let zone = if ranked { "rank" } else { "in" };
        let expected =
            |has_row: bool| if has_row { format!("`at`, `{zone}` or `end`") } else { "`at` or `end`".to_owned() };
        loop {
            self.need_line(&expected(row.is_some()))?;
            match (self.word(), &row) {
                ("at", _) => {
                    row = Some(self.row(system, &names, &index)?);
                    rows += 1;
                }
                (word, Some(row)) if word == zone => {
                    let rank = if ranked { self.rank()? } else { 0 };
                    constraints.clear();
                    while self.more()? {
                        self.constraint(&index, &mut constraints)?;
                    }
                    cover.add_ranked(row, &constraints, rank);
                    zones += 1;
                }
                ("end", _) => break,
                (_, at) => {
                    let expected = expected(at.is_some());
                    self.at = 0;
                    return self.fail(format!("expected {expected}"));
                }
            }
        }
        self.count(rows, "row")?;
        self.count(zones, "zone")?;
        self.end_of_line()?;
        Ok(cover)
    }

    /// Reads `3 in`.
    fn rank(&mut self) -> ReadResult<u32> {
        self.spaces();
        let start = self.at;
        let rank = self.number("a rank")?;
        let Ok(rank) = u32::try_from(rank) else {
            self.at = start;
            return self.fail("a rank is not negative".to_owned());
        };
        self.spaces();
        let start = self.at;
        if self.word() != "in" {
            self.at = start;
            return self.fail("expected `in`".to_owned());
        }
        Ok(rank)
    }

    /// Reads `3 rows`.
    fn count(&mut self, number: i64, what: &str) -> ReadResult<()> {
        self.spaces();
        let start = self.at;
        let stated = self.number(&format!("the number of {what}s"))?;
        if stated != number {
            self.at = start;
            return self.fail(format!("there are {number} {what}s here, not {stated}: lines are missing, or too many"));
        }
        let expected = if number == 1 { what.to_owned() } else { format!("{what}s") };
        self.spaces();
        let start = self.at;
        if self.word() != expected {
            self.at = start;
            return self.fail(format!("expected `{expected}`"));
        }
        Ok(())
    }

    fn row(&mut self, system: &System, names: &Names, index: &NameIndex<'_>) -> ReadResult<Vec<i32>> {
        let mut row = system.initial.clone();
        for (p, process) in system.processes.iter().enumerate() {
            self.spaces();
            let start = self.at;
            let expected = || format!("a location of process `{}`, such as `{}`", process.name, names.locations[p][0]);
            let name = self.name(&expected())?;
            match index.locations[p].get(name.as_str()) {
                Some(at) => row[p] = *at,
                None => {
                    self.at = start;
                    return self.fail(format!("expected {}, not `{name}`", expected()));
                }
            }
        }
        while self.more()? {
            let start = self.at;
            let name = self.name("a variable")?;
            let Some(&slot) = index.variables.get(name.as_str()) else {
                self.at = start;
                return self.fail(format!("there is no variable `{name}`"));
            };
            if self.peek() != Some('=') {
                return self.fail(format!("expected `=` and the value of `{name}`"));
            }
            self.at += 1;
            let start = self.at;
            let value = self.number(&format!("the value of `{name}`"))?;
            let slot = system.processes.len() + slot;
            let (low, high) = system.ranges[slot];
            if value < i64::from(low) || value > i64::from(high) {
                self.at = start;
                return self.fail(format!("{value} is outside of the range [{low},{high}] of `{name}`"));
            }
            row[slot] = value as i32;
        }
        Ok(row)
    }

    /// Reads `x<=5`, `x-y<-2` or `x==3`.
    fn constraint(&mut self, index: &NameIndex<'_>, out: &mut Vec<DifferenceConstraint>) -> ReadResult<()> {
        let left = self.clock(index)?;
        let mut right = 0;
        if self.peek() == Some('-') {
            self.at += 1;
            right = self.clock(index)?;
        }
        let rest = &self.text[self.at..];
        let Some(relation) = ["<=", "<", ">=", ">", "=="].into_iter().find(|r| rest.starts_with(r)) else {
            return self.fail("expected `<`, `<=`, `==`, `>=` or `>`".to_owned());
        };
        self.at += relation.len();
        let number = self.number_of("a number", BOUND_BITS)?;
        let strict = relation.len() == 1;
        let upper = DifferenceConstraint { left, right, bound: DifferenceBound::new(number, strict) };
        let lower = DifferenceConstraint { left: right, right: left, bound: DifferenceBound::new(-number, strict) };
        if relation.starts_with('<') {
            out.push(upper);
        } else if relation.starts_with('>') {
            out.push(lower);
        } else {
            out.extend([upper, lower]);
        }
        Ok(())
    }

    fn clock(&mut self, index: &NameIndex<'_>) -> ReadResult<u32> {
        let start = self.at;
        let name = self.name("a clock")?;
        match index.clocks.get(name.as_str()) {
            Some(clock) => Ok(*clock),
            None => {
                self.at = start;
                self.fail(format!("there is no clock `{name}`"))
            }
        }
    }
}

/// Maps from names to indices.
struct NameIndex<'n> {
    locations: Vec<HashMap<&'n str, i32>>,
    variables: HashMap<&'n str, usize>,
    clocks: HashMap<&'n str, u32>,
}

impl<'n> NameIndex<'n> {
    fn new(names: &'n Names) -> NameIndex<'n> {
        let numbered = |names: &'n Vec<String>| names.iter().map(String::as_str).zip(0..).collect();
        NameIndex {
            locations: names.locations.iter().map(numbered).collect(),
            variables: names.variables.iter().map(String::as_str).zip(0..).collect(),
            // The reference clock has no name.
            clocks: names.clocks.iter().map(String::as_str).zip(0..).skip(1).collect(),
        }
    }
}
