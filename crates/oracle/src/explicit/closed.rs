//! Decides whether integer ticks are exact.

use model::{
    Formula, Property, System,
    system::{Guard, Sync},
};

use super::network::has_stopwatches;

/// Returns whether [`super::Time::Ticks`]`(1)` gives the same answer as regions; without a
/// property, whether it gives the same rows.
///
/// All clock constraints must be closed, including those that the semantics implies: the negation
/// of a closed clock guard is open. It decides whether a broadcast leaves a process out, whether an
/// urgent channel lets time pass, whether a transition of higher priority blocks, whether a state
/// is a deadlock, and whether a maximal run has ended. Stopwatches are excluded: `a + b == 1`,
/// `b + c == 1`, `a + c == 1` for the durations of three stays has no integer solution.
#[must_use]
pub fn ticks_are_exact(system: &System, property: Option<&Property>) -> bool {
    let closed = |guard: &Guard| guard.clocks.iter().all(|c| !c.strict);
    let judged = |sync: Sync| match sync {
        Sync::Internal | Sync::Event(_) => false,
        Sync::Send(c) => system.channels[c.0 as usize].urgent,
        Sync::Receive(c) => system.channels[c.0 as usize].urgent || system.channels[c.0 as usize].broadcast,
    };
    let model = !has_stopwatches(system)
        && !system.has_priorities
        && system.locations.iter().all(|l| closed(&l.invariant))
        && system.edges.iter().all(|e| closed(&e.guard) && (e.guard.clocks.is_empty() || !judged(e.sync)));
    model
        && match property {
            None => true,
            Some(Property::State { goal: p, .. }) => is_closed(p),
            Some(_) => false,
        }
}

/// Returns whether all clock constraints of a formula are closed and it has no `deadlock`.
fn is_closed(p: &Formula) -> bool {
    syntax::grow(|| match p {
        Formula::Clock(c) => !c.strict,
        Formula::Deadlock { .. } => false,
        _ => p.parts().iter().all(is_closed),
    })
}
