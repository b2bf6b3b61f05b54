//! The laws of order, join and widening.

use super::{Findings, Law, elements::few};

/// An order and its join, by what runs them.
#[allow(clippy::type_complexity, reason = "they are what they are")]
pub struct Order<'o> {
    /// Whether the first element is less than or equal to the second.
    pub leq: &'o mut dyn FnMut(&[i32], &[i32]) -> bool,
    /// Makes the first element the join of both, and says whether it changed.
    pub join: &'o mut dyn FnMut(&mut [i32], &[i32]) -> bool,
    /// Makes the first element the widening of both by thresholds, and says whether it changed.
    pub widen: Option<&'o mut dyn FnMut(&mut [i32], &[i32], &[i32]) -> bool>,
}

/// Where widenings may stop.
const THRESHOLDS: [&[i32]; 2] = [&[], &[-5, 0, 2, 10]];

/// So often a sequence may go through all elements.
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
            let below = (order.leq)(a, b);
            let joined = order.joined(a, b).0;
            for &c in &few {
                triple(&mut order, (a, b, c), below, &joined, findings);
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
        findings.note(Law::UpperBound, "", &[a, b], || format!("the join is {joined:?}"));
    }
    if changes != (joined != a) {
        findings.note(Law::JoinTells, "", &[a, b], String::new);
    }
    let (other, _) = order.joined(b, a);
    if joined != other {
        findings.note(Law::Commutative, "", &[a, b], || format!("{joined:?} and {other:?}"));
    }
}

fn triple(
    order: &mut Order<'_>,
    all: (&[i32], &[i32], &[i32]),
    below: bool,
    joined: &[i32],
    findings: &mut Findings<'_>,
) {
    let (a, b, c) = all;
    let (a_below, b_below) = ((order.leq)(a, c), (order.leq)(b, c));
    if below && b_below && !a_below {
        findings.note(Law::Transitive, "", &[a, b, c], String::new);
    }
    if a_below && b_below && !(order.leq)(joined, c) {
        findings.note(Law::Least, "", &[a, b, c], || format!("the join is {joined:?}"));
    }
    let (left, _) = order.joined(joined, c);
    let (right, _) = order.joined(b, c);
    let (right, _) = order.joined(a, &right);
    if left != right {
        findings.note(Law::Associative, "", &[a, b, c], || format!("{left:?} and {right:?}"));
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
                findings.note(Law::WidenTells, "", &[a, b], at);
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
    findings.note(Law::WidenEnds, "", &[first], at);
}
