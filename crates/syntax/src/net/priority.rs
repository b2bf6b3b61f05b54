//! Priorities: the transitive closure of what is declared.

use super::{Net, Priority, Timing};
use crate::{diagnostic::Diagnostic, problems::Problems, source::Span};

/// The greatest number of pairs of transitions in the closure.
const MAX_PAIRS: usize = 1 << 18;

/// The greatest number of transitions above one: its guard nests as deep.
const MAX_HIGHER: usize = 2048;

impl Net {
    /// Returns the transitions of higher priority for each transition, directly or through others.
    #[must_use]
    pub fn higher(&self) -> Vec<Vec<u32>> {
        let mut direct: Vec<Vec<u32>> = vec![Vec::new(); self.transitions.len()];
        for Priority { higher, lower } in &self.priorities {
            if let Some(list) = direct.get_mut(*lower as usize) {
                list.push(*higher);
            }
        }
        let mut seen = vec![u32::MAX; self.transitions.len()];
        let closed = (0..direct.len() as u32).map(|t| above(&direct, t, &mut seen));
        closed.collect()
    }
}

/// Returns everything above a transition, sorted.
fn above(direct: &[Vec<u32>], t: u32, seen: &mut [u32]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut open = direct[t as usize].clone();
    while let Some(next) = open.pop() {
        if seen.get(next as usize).is_some_and(|by| *by != t) {
            seen[next as usize] = t;
            found.push(next);
            open.extend(&direct[next as usize]);
        }
    }
    found.sort_unstable();
    found
}

/// Checks that the closure of the priorities is irreflexive and of a tractable size.
pub(super) fn check(net: &Net, spans: &[Span], problems: &mut Problems<'_>) {
    let Some(&first) = spans.first() else { return };
    if net.timing == Timing::Places {
        problems.report(
            Diagnostic::error("unsupported", first, "priorities in nets with intervals on places are not supported")
                .help("inhibitor arcs can express some of them"),
        );
        return;
    }
    let mut direct: Vec<Vec<u32>> = vec![Vec::new(); net.transitions.len()];
    net.priorities.iter().for_each(|p| direct[p.lower as usize].push(p.higher));
    let mut seen = vec![u32::MAX; net.transitions.len()];
    let mut pairs = 0;
    for t in 0..direct.len() as u32 {
        if problems.is_over() {
            return;
        }
        let higher = above(&direct, t, &mut seen);
        pairs += higher.len();
        if higher.len() > MAX_HIGHER {
            let name = &net.transitions[t as usize].written;
            let message = format!("{} transitions have a higher priority than `{name}`", higher.len());
            problems.report(
                Diagnostic::error("too-large", first, message).help(format!("at most {MAX_HIGHER} are possible")),
            );
            return;
        }
        if pairs > MAX_PAIRS {
            let message = "the priorities relate too many pairs of transitions";
            let help = format!("at most {MAX_PAIRS} pairs are possible, including those that follow from others");
            problems.report(Diagnostic::error("too-large", first, message).help(help));
            return;
        }
        if higher.binary_search(&t).is_ok() {
            let at = net.priorities.iter().position(|p| p.lower == t).and_then(|i| spans.get(i)).unwrap_or(&first);
            let name = &net.transitions[t as usize].written;
            problems.report(
                Diagnostic::error(
                    "priority-cycle",
                    *at,
                    format!("transition `{name}` has a higher priority than itself"),
                )
                .help("priorities are transitive; remove one of the declarations of the cycle"),
            );
            return;
        }
    }
}
