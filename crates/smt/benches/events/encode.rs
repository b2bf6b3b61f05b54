//! Encodes runs of a net as formulas over the times of the steps and the births of tokens.

use smt::{Real, Term, Terms, UpperBound};

use crate::net::Net;

/// The state of a place after some step.
#[derive(Clone)]
struct Token {
    marked: Term,
    /// For each step: whether the token was produced by it.
    born: Vec<Term>,
}

/// The goal of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A deadlock, by the formulas of the paper.
    Dead,
    /// A deadlock, with exact time.
    ExactDead,
}

/// Returns the formulas of a run of some steps to a goal.
pub fn encode(net: &Net, steps: usize, goal: Goal, terms: &mut Terms) -> Vec<Term> {
    let mut formulas = Vec::new();
    let mut times = vec![terms.real("c0")];
    let mut tokens: Vec<Token> = net
        .places
        .iter()
        .map(|p| Token { marked: Term::constant(p.marked), born: vec![Term::constant(true)] })
        .collect();
    for step in 1..=steps {
        let before = times[step - 1];
        let now = terms.real(format!("c{step}"));
        times.push(now);
        if goal == Goal::Dead {
            let (same, later) = (terms.equal(now, before), terms.difference(before, now, UpperBound::below(0)));
            let mut parts = vec![later];
            for t in 0..net.transitions.len() {
                parts.push(!is_due(net, t, &tokens, &times[..step], terms));
            }
            let wait = terms.and(parts);
            formulas.push(terms.or([same, wait]));
        } else {
            formulas.push(terms.at_least(now, before, 0));
            for t in &net.transitions {
                let mut parts = Vec::new();
                for p in &t.takes {
                    parts.push(!tokens[*p].marked);
                    parts.push(!older(&tokens[*p], &times, UpperBound::below(-net.places[*p].most), terms));
                }
                formulas.push(terms.or(parts));
            }
        }
        for token in &mut tokens {
            token.born.push(Term::FALSE);
        }
        for t in &net.transitions {
            let fires = terms.fresh();
            let mut parts = Vec::new();
            for p in &t.takes {
                parts.push(tokens[*p].marked);
                parts.push(older(&tokens[*p], &times, UpperBound::at_most(-net.places[*p].least), terms));
            }
            for p in &t.inhibited {
                let old = older(&tokens[*p], &times, UpperBound::at_most(-net.places[*p].most), terms);
                parts.push(!terms.and([tokens[*p].marked, old]));
            }
            let enabled = terms.and(parts);
            formulas.push(terms.implies(fires, enabled));
            for p in t.takes.iter().filter(|p| !t.puts.contains(p)) {
                tokens[*p].marked = terms.and([tokens[*p].marked, !fires]);
            }
            for p in &t.puts {
                let token = &mut tokens[*p];
                token.marked = terms.or([token.marked, fires]);
                for (j, born) in token.born.iter_mut().enumerate() {
                    *born = if j == step { terms.or([*born, fires]) } else { terms.and([*born, !fires]) };
                }
            }
        }
    }
    for (t, transition) in net.transitions.iter().enumerate() {
        formulas.push(if goal == Goal::Dead {
            !is_due(net, t, &tokens, &times, terms)
        } else {
            terms.or(transition.takes.iter().map(|p| !tokens[*p].marked))
        });
    }
    if goal == Goal::Dead {
        for (token, place) in tokens.iter().zip(&net.places) {
            let old = older(token, &times, UpperBound::at_most(-place.most), terms);
            formulas.push(terms.or([!token.marked, old]));
        }
    }
    formulas
}

/// Returns whether a token's birth minus the last time stays within a bound.
fn older(token: &Token, times: &[Real], bound: UpperBound, terms: &mut Terms) -> Term {
    let now = times[times.len() - 1];
    let mut cases = Vec::new();
    for (born, time) in token.born.iter().zip(times) {
        if *born != Term::FALSE {
            let old = terms.difference(*time, now, bound);
            cases.push(terms.and([*born, old]));
        }
    }
    terms.or(cases)
}

/// Returns whether a transition must fire before more time passes.
fn is_due(net: &Net, t: usize, tokens: &[Token], times: &[Real], terms: &mut Terms) -> Term {
    let mut parts = Vec::new();
    for p in &net.transitions[t].takes {
        parts.push(tokens[*p].marked);
        parts.push(older(&tokens[*p], times, UpperBound::at_most(-net.places[*p].most), terms));
    }
    for p in &net.transitions[t].inhibited {
        let old = older(&tokens[*p], times, UpperBound::at_most(-net.places[*p].least), terms);
        parts.push(!terms.and([tokens[*p].marked, old]));
    }
    terms.and(parts)
}
