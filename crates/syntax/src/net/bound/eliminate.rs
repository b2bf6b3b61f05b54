//! Many sums, by Farkas' algorithm: transitions are eliminated one by one, by adding sums that a
//! transition raises to sums that it lowers. Sums beyond a limit are dropped; those that remain are
//! valid all the same.

use super::super::{Arc, Net, Transition};
use crate::Signal;

/// The greatest number of sums at a time.
const MAX_SUMS: usize = 1000;

/// The greatest number of places times transitions for which sums are computed.
const MAX_SIZE: usize = 100_000;

/// A sum of tokens: the coefficients of places, and the change by each transition.
#[derive(Clone, PartialEq, Eq)]
struct TokenSum {
    places: Vec<i64>,
    changes: Vec<i64>,
}

/// Returns the coefficients of sums that no firing raises; none for a large net, or after the
/// signal.
pub(super) fn sums(net: &Net, signal: Signal) -> Vec<Vec<u64>> {
    if net.places.len().saturating_mul(net.transitions.len()) > MAX_SIZE {
        return Vec::new();
    }
    let mut sums: Vec<TokenSum> = (0..net.places.len())
        .map(|p| TokenSum {
            places: (0..net.places.len()).map(|q| i64::from(p == q)).collect(),
            changes: net.transitions.iter().map(|t| change(t, p as u32)).collect(),
        })
        .collect();
    let mut left: Vec<usize> = (0..net.transitions.len()).collect();
    while !left.is_empty() {
        if signal.raised().is_some() {
            return Vec::new();
        }
        // The transition that makes the fewest new sums is next.
        let cost = |t: usize| {
            let raised = sums.iter().filter(|sum| sum.changes[t] > 0).count();
            let lowered = sums.iter().filter(|sum| sum.changes[t] < 0).count();
            raised * lowered
        };
        let Some(next) = (0..left.len()).min_by_key(|i| cost(left[*i])) else { break };
        sums = eliminate(sums, left.swap_remove(next));
    }
    // No coefficient is negative.
    sums.into_iter().map(|sum| sum.places.into_iter().map(i64::unsigned_abs).collect()).collect()
}

/// Returns the change of a place's tokens by a firing.
fn change(t: &Transition, place: u32) -> i64 {
    let weight = |arcs: &[Arc]| arcs.iter().filter(|a| a.place == place).map(|a| i64::from(a.weight)).sum::<i64>();
    weight(&t.puts) - weight(&t.takes)
}

/// Returns the sums that a transition does not raise.
fn eliminate(sums: Vec<TokenSum>, t: usize) -> Vec<TokenSum> {
    let (raised, mut kept): (Vec<TokenSum>, Vec<TokenSum>) = sums.into_iter().partition(|sum| sum.changes[t] > 0);
    let lowered: Vec<usize> = (0..kept.len()).filter(|i| kept[*i].changes[t] < 0).collect();
    for up in &raised {
        for &down in &lowered {
            if kept.len() >= MAX_SUMS {
                return kept;
            }
            if let Some(sum) = combined(up, &kept[down], t)
                && !kept.contains(&sum)
            {
                kept.push(sum);
            }
        }
    }
    kept
}

/// Returns the least combination of two sums that a transition does not change; `None` if its
/// coefficients are too large.
fn combined(up: &TokenSum, down: &TokenSum, t: usize) -> Option<TokenSum> {
    let (a, b) = (down.changes[t].checked_neg()?, up.changes[t]);
    let add = |x: &[i64], y: &[i64]| {
        let terms = x.iter().zip(y).map(|(x, y)| x.checked_mul(a)?.checked_add(y.checked_mul(b)?));
        terms.collect::<Option<Vec<i64>>>()
    };
    let (mut places, mut changes) = (add(&up.places, &down.places)?, add(&up.changes, &down.changes)?);
    let divisor = places.iter().chain(&changes).fold(0, |d, n| gcd(d, n.unsigned_abs()));
    if let Ok(divisor @ 2..) = i64::try_from(divisor) {
        places.iter_mut().chain(&mut changes).for_each(|n| *n /= divisor);
    }
    Some(TokenSum { places, changes })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
