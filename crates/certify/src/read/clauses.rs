//! Reads clauses.

use std::io::BufRead;

use model::System;

use super::{CertificateReader, NameIndex, ReadResult};
use crate::{
    clauses::{ClauseLiteral, Clauses, Relation},
    markings::MarkingClauses,
    names::Names,
};

impl<R: BufRead> CertificateReader<R> {
    /// Reads `clause` lines, then their number.
    pub(super) fn clauses(&mut self, system: &System) -> ReadResult<Clauses> {
        let names = Names::new(system);
        let index = NameIndex::new(&names);
        let mut clauses = Clauses::default();
        loop {
            self.need_line("`clause` or `end`")?;
            match self.word() {
                "clause" => {
                    let mut clause = Vec::new();
                    while self.more()? {
                        self.literal(system, &index, &mut clause)?;
                    }
                    clauses.list.push(clause);
                }
                "end" => break,
                _ => {
                    self.at = 0;
                    return self.fail("expected `clause` or `end`".to_owned());
                }
            }
        }
        self.count(clauses.list.len() as i64, "clause")?;
        self.end_of_line()?;
        Ok(clauses)
    }

    /// Reads `clause`, `lemma` and `dead` lines, each kind after the other, then their numbers.
    pub(super) fn marking(&mut self, system: &System) -> ReadResult<MarkingClauses> {
        let names = Names::new(system);
        let index = NameIndex::new(&names);
        let words = ["clause", "lemma", "dead"];
        let mut lists = [const { Vec::new() }; 3];
        let mut at = 0;
        loop {
            let expected = words[at..].iter().map(|word| format!("`{word}`, ")).collect::<String>();
            let expected = format!("{} or `end`", expected.trim_end_matches(", "));
            self.need_line(&expected)?;
            let word = self.word();
            if word == "end" {
                break;
            }
            let Some(kind) = (at..words.len()).find(|kind| words[*kind] == word) else {
                self.at = 0;
                return self.fail(format!("expected {expected}"));
            };
            at = kind;
            let mut clause = Vec::new();
            while self.more()? {
                self.literal(system, &index, &mut clause)?;
            }
            lists[kind].push(clause);
        }
        let [clauses, lemmas, dead] = lists;
        self.count(clauses.len() as i64, "clause")?;
        self.count((lemmas.len() + dead.len()) as i64, "lemma")?;
        self.end_of_line()?;
        let [clauses, lemmas, dead] = [clauses, lemmas, dead].map(|list| Clauses { list });
        Ok(MarkingClauses { clauses, lemmas, dead })
    }

    /// Reads `P.idle`, `!P.idle`, `n=3`, `n!=3`, `n<=3`, `n>=3`, or a clock constraint.
    fn literal(&mut self, system: &System, index: &NameIndex<'_>, out: &mut Vec<ClauseLiteral>) -> ReadResult<()> {
        let start = self.at;
        let negated = self.peek() == Some('!');
        if negated {
            self.at += 1;
        }
        let expected = "a location, a variable or a clock";
        let name = self.name(expected)?;
        let ends = self.peek().is_none_or(|c| c == ' ');
        if ends {
            let mut processes = (0..).zip(&index.locations);
            let found = processes.find_map(|(p, locations)| Some((p, *locations.get(name.as_str())?)));
            let Some((slot, value)) = found else {
                self.at = start;
                return self.fail(format!("there is no location `{name}`"));
            };
            let relation = if negated { Relation::IsNot } else { Relation::Is };
            out.push(ClauseLiteral::Number { slot, relation, value });
            return Ok(());
        }
        if negated {
            self.at = start;
            return self.fail("expected a location after `!`, and nothing else".to_owned());
        }
        let Some(&slot) = index.variables.get(name.as_str()) else {
            self.at = start;
            if !index.clocks.contains_key(name.as_str()) {
                return self.fail(format!("there is no variable or clock `{name}`"));
            }
            let mut constraints = Vec::new();
            self.constraint(index, &mut constraints)?;
            if let [only] = constraints[..] {
                out.push(ClauseLiteral::Clocks(only));
                return Ok(());
            }
            self.at = start;
            return self.fail("expected a single bound: in a clause `==` would be two of them".to_owned());
        };
        let rest = &self.text[self.at..];
        let Some(relation) = Relation::ALL.into_iter().find(|r| rest.starts_with(r.text())) else {
            return self.fail("expected `=`, `!=`, `<=` or `>=`".to_owned());
        };
        self.at += relation.text().len();
        let start = self.at;
        let value = self.number(&format!("a value of `{name}`"))?;
        let Ok(value) = i32::try_from(value) else {
            self.at = start;
            return self.fail(format!("{value} is not a value of `{name}`"));
        };
        out.push(ClauseLiteral::Number { slot: (system.processes.len() + slot) as u32, relation, value });
        Ok(())
    }
}
