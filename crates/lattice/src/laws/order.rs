//! The laws of order, join and widening.

use super::{Findings, Law, elements::few};

/// An order with its join and widening, as functions.
#[allow(clippy::type_complexity, reason = "the types are plain functions")]
pub struct Order<'o> {
    /// Returns whether the first element is less than or equal to the second.
    pub leq: &'o mut dyn FnMut(&[i32], &[i32]) -> bool,
    /// Replaces the first element by the join of both, and returns whether it changed.
    pub join: &'o mut dyn FnMut(&mut [i32], &[i32]) -> bool,
    /// Replaces the first element by the widening of both with thresholds, and returns whether it
    /// changed.
    pub widen: Option<&'o mut dyn FnMut(&mut [i32], &[i32], &[i32]) -> bool>,
}

/// The lists of thresholds that widenings are checked with.
const THRESHOLDS: [&[i32]; 2] = [&[], &[-5, 0, 2, 10]];

/// How often a sequence of widenings may go through all elements before it counts as divergent.
const ROUNDS: usize = 100;

impl Order<'_> {
    fn joined(&mut self, a: &[i32], b: &[i32]) -> (Vec<i32>, bool) {
        let mut result = a.to_vec();
        let changes = (self.join)(&mut result, b);
        (result, changes)
    }
}

pub(super) fn check(mut order: Order<'_>, elements: &[Vec<i32>], findings: &mut Findings<'_>) {
    for a in elements {
        if !(order.leq)(a, a) {
            findings.note(Law::Reflexive, "", &[a], String::new);
        }
        if order.joined(a, a).0 != *a {
            findings.note(Law::Idempotent, "", &[a], String::new);
        }
        for b in elements {
            if findings.is_over() {
                return;
            }
            pair(&mut order, a, b, findings);
        }
    }
    let few = few(elements);
    for &a in &few {
        for &b in &few {
            if findings.is_over() {
                return;
            }
            let is_below = (order.leq)(a, b);
            let joined = order.joined(a, b).0;
            for &c in &few {
                triple(&mut order, (a, b, c), is_below, &joined, findings);
            }
        }
    }
    for thresholds in THRESHOLDS {
        widening(&mut order, elements, thresholds, findings);
    }
}

fn pair(order: &mut Order<'_>, a: &[i32], b: &[i32], findings: &mut Findings<'_>) {
    if a != b && (order.leq)(a, b) && (order.leq)(b, a) {
        findings.note(Law::Antisymmetric, "", &[a, b], String::new);
    }
    let (joined, changes) = order.joined(a, b);
    if !(order.leq)(a, &joined) || !(order.leq)(b, &joined) {
        findings.note_made(Law::UpperBound, &[a, b], &[&joined]);
    }
    if changes != (joined != a) {
        findings.note(Law::JoinReportsChange, "", &[a, b], String::new);
    }
    let (other, _) = order.joined(b, a);
    if joined != other {
        findings.note_made(Law::Commutative, &[a, b], &[&joined, &other]);
    }
}

fn triple(
    order: &mut Order<'_>,
    all: (&[i32], &[i32], &[i32]),
    is_below: bool,
    joined: &[i32],
    findings: &mut Findings<'_>,
) {
    let (a, b, c) = all;
    let (a_below, b_below) = ((order.leq)(a, c), (order.leq)(b, c));
    if is_below && b_below && !a_below {
        findings.note(Law::Transitive, "", &[a, b, c], String::new);
    }
    if a_below && b_below && !(order.leq)(joined, c) {
        findings.note_made(Law::Least, &[a, b, c], &[joined]);
    }
    let (left, _) = order.joined(joined, c);
    let (right, _) = order.joined(b, c);
    let (right, _) = order.joined(a, &right);
    if left != right {
        findings.note_made(Law::Associative, &[a, b, c], &[&left, &right]);
    }
}

fn widening(order: &mut Order<'_>, elements: &[Vec<i32>], thresholds: &[i32], findings: &mut Findings<'_>) {
    let Some(widen) = &mut order.widen else { return };
    let at = || if thresholds.is_empty() { String::new() } else { format!("thresholds {thresholds:?}") };
    for a in elements {
        for b in elements {
            if findings.is_over() {
                return;
            }
            let mut result = a.clone();
            let changes = widen(&mut result, b, thresholds);
            if !(order.leq)(a, &result) || !(order.leq)(b, &result) {
                findings.note(Law::WidenUpperBound, "", &[a, b], at);
            }
            if changes != (result != *a) {
                findings.note(Law::WidenReportsChange, "", &[a, b], at);
            }
        }
    }
    let Some(first) = elements.first() else { return };
    let mut element = first.clone();
    for _ in 0..ROUNDS {
        let mut changes = false;
        for next in elements {
            if findings.is_over() {
                return;
            }
            let before = element.clone();
            widen(&mut element, next, thresholds);
            changes |= element != before;
        }
        if !changes {
            return;
        }
    }
    findings.note(Law::WidenTerminates, "", &[first], at);
}
