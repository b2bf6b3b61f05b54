//! Certificates from text, line by line; `write.rs` has the form.

mod clauses;

use std::{
    collections::HashMap,
    io::{self, BufRead, Read},
};

use model::System;

use crate::{
    Answer, VERSION,
    bound::DifferenceBound,
    cover::Cover,
    names::{Names, is_plain},
    proof::{Proof, ProofKind},
    zone::DifferenceConstraint,
};

/// Longer lines are refused.
const LINE: u64 = 16 << 20;

/// The bits of values, and of the numbers that clocks are compared with.
const VALUE: u32 = 32;
const BOUND: u32 = 62;

/// What is wrong with a text that should be a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// Why a certificate could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The input failed.
    Io(io::Error),
    /// It is none.
    Malformed(Malformed),
}

impl From<io::Error> for ReadError {
    fn from(e: io::Error) -> ReadError {
        ReadError::Io(e)
    }
}

type ReadResult<T> = Result<T, ReadError>;

/// What a certificate claims; the proof follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The query.
    pub query: String,
    /// Its answer.
    pub answer: Answer,
    /// The line of the query.
    pub line: usize,
}

/// Reads a certificate.
pub struct CertificateReader<R> {
    input: R,
    text: String,
    /// How far the line was read.
    at: usize,
    line: usize,
    claims: usize,
    /// That of the proof which is read next.
    kind: ProofKind,
}

impl<R: BufRead> CertificateReader<R> {
    /// Starts to read.
    ///
    /// # Errors
    /// There is no certificate, or one of another version.
    pub fn new(input: R) -> ReadResult<CertificateReader<R>> {
        let mut reader =
            CertificateReader { input, text: String::new(), at: 0, line: 0, claims: 0, kind: ProofKind::Cover };
        let first = format!("`merkhet certificate {VERSION}`");
        if !reader.next_line()? {
            return reader.fail(format!("this is no certificate: expected {first}"));
        }
        for word in ["merkhet", "certificate"] {
            if reader.word() != word {
                return reader.fail(format!("this is no certificate: expected {first}"));
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

    /// The next claim; `None` at the end. The proof of the one before must have been read.
    ///
    /// # Errors
    /// Something else stands there.
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
                    return self.fail("expected nothing behind the end of the certificate".to_owned());
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
            let [a, b, c, d] = ProofKind::ALL.map(ProofKind::text);
            return self.fail(format!("this kind of proof is not known here; expected `{a}`, `{b}`, `{c}` or `{d}`"));
        };
        self.kind = kind;
        self.claims += 1;
        let answer = if negative { Answer::NotSatisfied } else { Answer::Satisfied };
        Ok(Some(Claim { query, answer, line }))
    }

    /// The proof of the claim.
    ///
    /// # Errors
    /// The text has another form, or names something that the system does not have.
    pub fn proof(&mut self, system: &System) -> ReadResult<Proof> {
        Ok(match self.kind {
            ProofKind::Cover => Proof::Cover(self.states(system, false)?),
            ProofKind::Ranks => Proof::Ranks { reached: None, ranked: self.states(system, true)? },
            ProofKind::CoverAndRanks => {
                let reached = Some(self.states(system, false)?);
                Proof::Ranks { reached, ranked: self.states(system, true)? }
            }
            ProofKind::Invariant => Proof::Invariant(self.clauses(system)?),
        })
    }

    /// A list of states, with ranks or without.
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

    /// `3 in`
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

    /// `3 rows`
    fn count(&mut self, number: i64, what: &str) -> ReadResult<()> {
        self.spaces();
        let start = self.at;
        let said = self.number(&format!("the number of {what}s"))?;
        if said != number {
            self.at = start;
            return self.fail(format!("there are {number} {what}s here, not {said}: lines are missing, or too many"));
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

    /// `x<=5`, `x-y<-2`, `x==3`
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
        let number = self.number_of("a number", BOUND)?;
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

    // Words.

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(' ').len();
    }

    /// Whether something follows on this line, behind a space.
    fn more(&mut self) -> ReadResult<bool> {
        let start = self.at;
        self.spaces();
        if self.at < self.text.len() && self.at == start {
            return self.fail("expected a space".to_owned());
        }
        Ok(self.at < self.text.len())
    }

    /// Letters and digits.
    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn expect_word(&mut self, word: &str) -> ReadResult<()> {
        let start = self.at;
        if self.word() != word {
            self.at = start;
            return self.fail(format!("expected `{word}`"));
        }
        self.spaces();
        Ok(())
    }

    fn expect_words(&mut self, words: &[&str]) -> ReadResult<()> {
        words.iter().try_for_each(|word| self.expect_word(word))?;
        self.end_of_line()
    }

    fn rest_is(&self, text: &str) -> bool {
        self.text[self.at..].trim_end_matches(' ') == text
    }

    fn end_of_line(&mut self) -> ReadResult<()> {
        self.spaces();
        if self.at < self.text.len() {
            return self.fail("expected the end of the line".to_owned());
        }
        Ok(())
    }

    /// A name, with or without quotation marks.
    fn name(&mut self, expected: &str) -> ReadResult<String> {
        let rest = &self.text[self.at..];
        if !rest.starts_with('"') {
            let len = rest.find(|c| !is_plain(c)).unwrap_or(rest.len());
            if len == 0 {
                return self.fail(format!("expected {expected}"));
            }
            self.at += len;
            return Ok(rest[..len].to_owned());
        }
        let mut name = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            let c = match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(name);
                }
                '\\' => {
                    let escaped = match chars.next().map(|(_, c)| c) {
                        Some(c @ ('"' | '\\')) => Some(c),
                        Some('n') => Some('\n'),
                        Some('r') => Some('\r'),
                        Some('t') => Some('\t'),
                        Some('u') => {
                            let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                            u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4).and_then(char::from_u32)
                        }
                        _ => None,
                    };
                    match escaped {
                        Some(c) => c,
                        None => {
                            self.at += i;
                            return self
                                .fail(r#"expected `\"`, `\\`, `\n`, `\r`, `\t` or `\u` and four digits"#.to_owned());
                        }
                    }
                }
                c => c,
            };
            name.push(c);
        }
        self.at = self.text.len();
        self.fail("expected a quotation mark".to_owned())
    }

    fn number(&mut self, expected: &str) -> ReadResult<i64> {
        self.number_of(expected, VALUE)
    }

    fn number_of(&mut self, expected: &str, bits: u32) -> ReadResult<i64> {
        let rest = &self.text[self.at..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let len = rest.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[..len].parse::<i64>() {
            Ok(number) if number.unsigned_abs() <= 1 << (bits - 1) => {
                self.at += len;
                Ok(number)
            }
            Err(e)
                if !matches!(e.kind(), std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow) =>
            {
                self.fail(format!("expected {expected}"))
            }
            _ => self.fail(format!("expected {expected}, and no more than {bits} bits")),
        }
    }

    // Lines.

    /// Reads the next line that is not blank.
    fn next_filled(&mut self) -> ReadResult<Option<()>> {
        while self.next_line()? {
            if !self.text.trim_end_matches(' ').is_empty() {
                return Ok(Some(()));
            }
        }
        Ok(None)
    }

    fn need_line(&mut self, expected: &str) -> ReadResult<()> {
        if self.next_line()? {
            return Ok(());
        }
        self.fail(format!("the certificate breaks off: expected {expected}"))
    }

    /// Reads a line; `false` at the end.
    fn next_line(&mut self) -> ReadResult<bool> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        self.at = 0;
        self.line += 1;
        if self.input.by_ref().take(LINE).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(false);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        } else if bytes.len() as u64 == LINE {
            return self.fail(format!("this line has more than {} MiB", LINE >> 20));
        } else {
            // The last line of what is written ends as all others do.
            return self.fail("the certificate breaks off: expected the end of the line".to_owned());
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.text = text,
            Err(e) => {
                let valid = e.utf8_error().valid_up_to();
                self.text = String::from_utf8_lossy(&e.as_bytes()[..valid]).into_owned();
                self.at = self.text.len();
                return self.fail("this is no text in UTF-8".to_owned());
            }
        }
        Ok(true)
    }

    fn fail<T>(&self, message: String) -> ReadResult<T> {
        let column = self.text[..self.at].chars().count() + 1;
        Err(ReadError::Malformed(Malformed { line: self.line, column, message }))
    }
}

/// From names to numbers.
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
            // The reference has no name that anybody could write.
            clocks: names.clocks.iter().map(String::as_str).zip(0..).skip(1).collect(),
        }
    }
}
