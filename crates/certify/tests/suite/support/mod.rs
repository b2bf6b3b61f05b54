//! Helpers for the tests of certificates.

// Not every test uses all of them.
#![allow(clippy::unwrap_used, dead_code)]

use std::collections::BTreeSet;

use bounded::automata::{self, Invariant};
use certify::{
    Answer, CertificateReader, CertificateWriter, ClauseLiteral, Clauses, Cover, DifferenceBound, DifferenceConstraint,
    Names, Proof, Proved, Rejection, Relation,
};
use explore::search::Limits;
use model::{
    Property, Ratio, System,
    replay::{self, ConcreteState, TimedStep, Trace},
    system::{EdgeId, ProcessId, Sync},
};
use verify::{Options, Request, Unproved, Verdict};

/// Returns the answer of a search with its proof, which the checker accepts.
fn prove(system: &System, property: &Property, options: &Options, limits: &Limits<'_>) -> verify::Answer {
    let properties = [property];
    let request = Request { proves: true, ..Request::new(system, &properties, options) };
    let answer = request.answers(limits, &mut ()).remove(0);
    assert!(!matches!(answer.proof, Some(Err(Unproved::Refused))), "{:?}", answer.verdict);
    answer
}

/// Returns the answer of a search, and its proof if it has one.
pub fn proof(system: &System, property: &Property, options: &Options, states: usize) -> (Verdict, Option<Proof>) {
    let limits = Limits { states: Some(states), ..Limits::default() };
    let answer = prove(system, property, options, &limits);
    let proof = answer.proof.and_then(Result::ok).map(|proof| match &*proof {
        verify::Proof::Cover(stored) => Proof::Cover(cover(stored)),
        verify::Proof::Ranks { reached, ranked: stored } => {
            let mut ranked = Cover::new();
            let add = |row: &[i32], constraints: &[verify::Constraint], rank: u32| {
                let constraints: Vec<DifferenceConstraint> = constraints.iter().map(constraint).collect();
                ranked.add_ranked(row, &constraints, rank);
                Ok::<(), ()>(())
            };
            stored.try_for_each(add).unwrap();
            Proof::Ranks { reached: reached.as_ref().map(cover), ranked }
        }
        verify::Proof::Invariant(_) | verify::Proof::Marking(_) => panic!("a search does not find invariants"),
    });
    (answer.verdict, proof)
}

/// Returns the answer of a search, and its cover if it has one.
pub fn certificate(system: &System, property: &Property, options: &Options, states: usize) -> (Verdict, Option<Cover>) {
    match proof(system, property, options, states) {
        (verdict, Some(Proof::Cover(cover))) => (verdict, Some(cover)),
        (verdict, _) => (verdict, None),
    }
}

fn cover(stored: &verify::Cover) -> Cover {
    let mut cover = Cover::new();
    let add = |row: &[i32], constraints: &[verify::Constraint]| {
        let constraints: Vec<DifferenceConstraint> = constraints.iter().map(constraint).collect();
        cover.add(row, &constraints);
        Ok::<(), ()>(())
    };
    stored.try_for_each(add).unwrap();
    cover
}

/// Returns whether a cover proves an answer.
pub fn check(system: &System, property: &Property, answer: Answer, cover: &Cover) -> Result<Proved, Box<Rejection>> {
    certify::check(system, None, property, answer, &Proof::Cover(cover.clone()))
}

pub fn constraint(c: &verify::Constraint) -> DifferenceConstraint {
    DifferenceConstraint { left: c.left as u32, right: c.right as u32, bound: DifferenceBound::new(c.bound, c.strict) }
}

/// Returns the answer that states prove.
pub fn answer(property: &Property) -> Answer {
    match property {
        Property::State { exists: true, .. } | Property::Run { exists: true, .. } => Answer::NotSatisfied,
        _ => Answer::Satisfied,
    }
}

/// Writes a certificate as text.
pub fn text(system: &System, query: &str, answer: Answer, proof: &Proof) -> String {
    let names = Names::new(system);
    let mut writer = CertificateWriter::new(Vec::new()).unwrap();
    let covered = match proof {
        Proof::Cover(cover) => {
            writer.cover(query, answer).unwrap();
            Some(cover)
        }
        Proof::Ranks { reached, .. } => {
            writer.ranks(query, answer, reached.is_some()).unwrap();
            reached.as_ref()
        }
        Proof::Marking(clauses) => {
            writer.marking(&names, query, answer, clauses).unwrap();
            None
        }
        Proof::Invariant(clauses) => {
            writer.invariant(query, answer).unwrap();
            clauses.list.iter().for_each(|clause| writer.clause(&names, clause).unwrap());
            writer.end_clauses().unwrap();
            None
        }
    };
    if let Some(cover) = covered {
        cover.iter().for_each(|(row, constraints)| writer.state(&names, row, constraints).unwrap());
        writer.end().unwrap();
    }
    if let Proof::Ranks { ranked, .. } = proof {
        ranked.ranked().for_each(|(row, zone, rank)| writer.ranked(&names, row, zone, rank).unwrap());
        writer.end().unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

/// Reads a certificate from text.
pub fn read(system: &System, text: &str) -> Result<(String, Answer, Proof), certify::ReadError> {
    let mut reader = CertificateReader::new(text.as_bytes())?;
    let claim = reader.claim()?.unwrap();
    let proof = reader.proof(system)?;
    assert!(reader.claim()?.is_none());
    Ok((claim.query, claim.answer, proof))
}

/// Returns whether a state is in a cover, by arithmetic alone.
pub fn contains(cover: &Cover, state: &ConcreteState) -> bool {
    let satisfies = |c: &DifferenceConstraint| {
        let Some(number) = c.bound.number() else { return true };
        let difference = state.clocks[c.left as usize].minus(state.clocks[c.right as usize]).unwrap();
        let number = Ratio::new(i64::try_from(number).unwrap(), 1).unwrap();
        if c.bound.is_strict() { difference < number } else { difference <= number }
    };
    cover.iter().any(|(row, constraints)| row == state.row && constraints.iter().all(satisfies))
}

/// Returns all combinations of edges that could be taken together, whatever their guards.
fn candidates(system: &System, row: &[i32]) -> Vec<Vec<EdgeId>> {
    let places: Vec<_> = (0..system.processes.len()).map(|p| system.location(row, ProcessId(p as u32))).collect();
    let mut all = Vec::new();
    for (p, &place) in places.iter().enumerate() {
        all.extend(system.internal(place).iter().map(|e| vec![*e]));
        for &send in system.sending(place) {
            let Sync::Send(c) = system.edges[send.0 as usize].sync else { continue };
            if system.channels[c.0 as usize].broadcast {
                let mut sets = vec![vec![send]];
                for (_, &other) in places.iter().enumerate().filter(|(q, _)| *q != p) {
                    let more = sets.iter().flat_map(|set| {
                        system.receiving(other, c).iter().map(|r| set.iter().copied().chain([*r]).collect())
                    });
                    let more: Vec<Vec<EdgeId>> = more.collect();
                    sets.extend(more);
                }
                all.extend(sets);
            } else {
                for (_, &other) in places.iter().enumerate().filter(|(q, _)| *q != p) {
                    all.extend(system.receiving(other, c).iter().map(|r| vec![send, *r]));
                }
            }
        }
    }
    all
}

/// Returns states on runs with delays of multiples of a half, as the replayer finds them.
/// Priorities are ignored.
pub fn walk(system: &System, depth: usize, most: usize) -> Vec<ConcreteState> {
    let delays: Vec<Ratio> = (0..8).map(|n| Ratio::new(n, 2).unwrap()).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut open = std::collections::VecDeque::from([Trace::default()]);
    while let Some(trace) = open.pop_front() {
        for &delay in &delays {
            let rested = Trace { last_delay: Some(delay), ..trace.clone() };
            let Ok(run) = replay::replay(system, &rested, None) else { continue };
            let state = run.last().unwrap().end();
            let key: Vec<(i64, i64)> = state.clocks.iter().map(|c| (c.numerator(), c.denominator())).collect();
            if !seen.insert((state.row.clone(), key)) {
                continue;
            }
            if trace.steps.len() < depth {
                for edges in candidates(system, &state.row) {
                    let mut longer = trace.clone();
                    longer.steps.push(TimedStep { delay, edges });
                    if replay::replay(system, &longer, None).is_ok() {
                        open.push_back(longer);
                    }
                }
            }
            found.push(state);
            if found.len() >= most {
                return found;
            }
        }
    }
    found
}

pub fn has_rates(system: &System) -> bool {
    system.locations.iter().any(|l| !l.rates.is_empty())
}

/// Returns the cover without one of its states, or with another state in its place.
pub fn replaced(cover: &Cover, at: usize, by: Option<(Vec<i32>, Vec<DifferenceConstraint>)>) -> Cover {
    let mut other = Cover::new();
    for (i, (row, constraints, rank)) in cover.ranked().enumerate() {
        if i != at {
            other.add_ranked(row, constraints, rank);
        } else if let Some((row, constraints)) = &by {
            other.add_ranked(row, constraints, rank);
        }
    }
    other
}

/// Returns an invariant in the form of a certificate.
pub fn clauses(invariant: &Invariant) -> Clauses {
    let number = |slot, relation, value| ClauseLiteral::Number { slot, relation, value };
    let literal = |literal: &automata::StateLiteral| match *literal {
        automata::StateLiteral::Is { slot, value } => number(slot, Relation::Is, value),
        automata::StateLiteral::IsNot { slot, value } => number(slot, Relation::IsNot, value),
        automata::StateLiteral::AtMost { slot, value } => number(slot, Relation::AtMost, value),
        automata::StateLiteral::AtLeast { slot, value } => number(slot, Relation::AtLeast, value),
        automata::StateLiteral::Clocks { left, right, bound } => ClauseLiteral::Clocks(DifferenceConstraint {
            left,
            right,
            bound: DifferenceBound::new(bound.value, bound.strict),
        }),
    };
    Clauses { list: invariant.clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect() }
}
