//! Symbolic summaries of edges and goals, for the relaxation.

use std::collections::{BTreeSet, HashMap};

use model::{
    Formula, System,
    symbolic::{Path, Symbolic},
    system::{Edge, EventId, ProcessId, Sync},
};

use crate::heuristic::cases::cases;

/// The symbolic paths of an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// The paths.
    pub paths: Vec<Path>,
    /// The slots that get arbitrary values.
    pub(crate) havoc: BTreeSet<u32>,
    /// Whether the set of reset clocks is known.
    pub(crate) knows_clocks: bool,
}

/// Returns the summaries of all edges. The slots `sent(edge)` may have been written before the
/// edge's update, by its partners.
pub(super) fn edges(
    system: &System,
    symbolic: &mut Symbolic<'_>,
    sent: &dyn Fn(&Edge) -> BTreeSet<u32>,
) -> Vec<Summary> {
    system.edges.iter().map(|edge| summarise(system, symbolic, edge, &sent(edge))).collect()
}

fn summarise(system: &System, symbolic: &mut Symbolic<'_>, edge: &Edge, sent: &BTreeSet<u32>) -> Summary {
    let start = Path::default();
    let guards = match edge.guard.condition {
        None => vec![start],
        // A guard that can't be evaluated symbolically is relaxed to true.
        Some(pc) => symbolic.test(&start, pc).unwrap_or_else(|| vec![start]),
    };
    let Some(update) = edge.update else {
        return Summary { paths: guards, havoc: BTreeSet::new(), knows_clocks: true };
    };
    let mut paths = Vec::new();
    for guard in &guards {
        match symbolic.update(guard, update, sent) {
            Some(more) => paths.extend(more),
            None => return Summary { paths: guards, havoc: system.written(update), knows_clocks: false },
        }
    }
    paths.iter_mut().for_each(|path| path.result = None);
    Summary { paths, havoc: BTreeSet::new(), knows_clocks: true }
}

/// Returns a function from an edge to the slots that may be written between its guard and its
/// update in one transition.
pub(super) fn written_before(system: &System) -> impl Fn(&Edge) -> BTreeSet<u32> + use<> {
    let always = system.before_update.map(|pc| system.written(pc)).unwrap_or_default();
    let writes = |edge: &Edge| edge.update.map(|update| system.written(update)).unwrap_or_default();
    let written: Vec<BTreeSet<u32>> = system.edges.iter().map(writes).collect();
    // The result is the same for all edges of a process that receive on a channel, or that have
    // events.
    let key =
        |edge: &Edge| (if let Sync::Event(_) = edge.sync { Sync::Event(EventId(0)) } else { edge.sync }, edge.process);
    let mut found: HashMap<(Sync, ProcessId), BTreeSet<u32>> = HashMap::new();
    for edge in &system.edges {
        found.entry(key(edge)).or_insert_with(|| {
            let before = system.edges.iter().zip(&written).filter(|(other, _)| comes_before(system, other, edge));
            before.flat_map(|(_, written)| written).chain(&always).copied().collect()
        });
    }
    move |edge| found.get(&key(edge)).cloned().unwrap_or_default()
}

/// Returns whether two edges may be taken together such that the update of the first runs before
/// that of the second.
fn comes_before(system: &System, first: &Edge, second: &Edge) -> bool {
    let (own, other) = (second.process, first.process);
    own != other
        && match (first.sync, second.sync) {
            (Sync::Send(c), Sync::Receive(d)) => c == d,
            // Receivers update in the order of processes.
            (Sync::Receive(c), Sync::Receive(d)) => c == d && system.channels[c.0 as usize].broadcast && other < own,
            (Sync::Event(_), Sync::Event(_)) => true,
            _ => false,
        }
}

/// Returns the disjuncts of a formula, with clock constraints and deadlocks relaxed to true;
/// `None`: there are too many, and the formula may hold anywhere.
pub(crate) fn goal(symbolic: &mut Symbolic<'_>, formula: &Formula) -> Option<Vec<Path>> {
    Some(cases(symbolic, formula)?.into_iter().map(|case| case.path).collect())
}

/// Returns whether a formula depends on more than the row.
pub fn has_hidden_parts(formula: &Formula) -> bool {
    match formula {
        Formula::Clock(_) | Formula::Deadlock { .. } => true,
        _ => formula.parts().iter().any(has_hidden_parts),
    }
}
