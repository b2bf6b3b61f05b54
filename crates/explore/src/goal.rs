//! Goals of searches, and where a formula holds in a symbolic state.

use model::{
    Formula,
    machine::{Fault, Machine},
};
use zone::Bound;

use crate::{
    deadlock::deadlocks,
    graph::{RunError, ZoneGraph, constrain_one},
    store::{NodeId, Store},
};

/// The part of a zone that is in a goal; `None`: it is empty.
pub type GoalPart<B = i32> = Result<Option<Vec<B>>, RunError>;

/// What a search does after a goal state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterGoal {
    /// It continues.
    Continue,
    /// It pauses before the next state is expanded, and can be resumed.
    Pause,
    /// It ends, unless the open list looks for the best goal state.
    Stop,
}

/// The goal of a search. A function from a row and zone to the part in the goal is a goal that ends
/// the search with the first state.
pub trait Goal<B> {
    /// Returns the part of a state's zone that is in the goal.
    ///
    /// # Errors
    /// A run-time error of the model.
    fn part(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]) -> GoalPart<B>;

    /// Called if the state of the last call of [`Goal::part`] is in the goal and is stored.
    fn found(&mut self, node: NodeId, store: &Store<B>) -> AfterGoal {
        let _ = (node, store);
        AfterGoal::Stop
    }
}

/// A goal that may be evaluated in another thread.
pub type BoxedGoal<'g, B> = Box<dyn Goal<B> + Send + 'g>;

impl<B, F: FnMut(&mut ZoneGraph<'_, B>, &[i32], &[B]) -> GoalPart<B>> Goal<B> for F {
    fn part(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]) -> GoalPart<B> {
        self(graph, row, zone)
    }
}

/// Returns whether a formula contains `deadlock`.
#[must_use]
pub fn asks_deadlock(formula: &Formula) -> bool {
    match formula {
        Formula::Deadlock { .. } => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(asks_deadlock),
        _ => false,
    }
}

/// Returns a part of a state's zone where a formula holds; `None`: it holds nowhere.
///
/// # Errors
/// A run-time error of the model.
pub fn witness<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    formula: &Formula,
    row: &[i32],
    zone: &[B],
) -> Result<Option<Vec<B>>, RunError> {
    if !may_hold(graph.source_machine(row), formula).map_err(|fault| RunError { fault, edges: Vec::new() })? {
        return Ok(None);
    }
    search(graph, &mut vec![formula], row, zone.to_vec(), zone)
}

/// Finds the formulas with indices in `among` that may hold in a state, as far as its row decides.
///
/// # Errors
/// A run-time error of the model.
pub fn promising<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    formulas: &[impl std::borrow::Borrow<Formula>],
    among: &[usize],
    row: &[i32],
    found: &mut Vec<usize>,
) -> Result<(), RunError> {
    found.clear();
    let machine = graph.source_machine(row);
    for &number in among {
        if may_hold(machine, formulas[number].borrow()).map_err(|fault| RunError { fault, edges: Vec::new() })? {
            found.push(number);
        }
    }
    Ok(())
}

/// Returns whether a formula holds in a machine's state if its constraints on clocks and deadlocks
/// do. This excludes most states.
fn may_hold(machine: &mut Machine<'_>, formula: &Formula) -> Result<bool, Fault> {
    match formula {
        Formula::True | Formula::Clock(_) | Formula::Deadlock { .. } => Ok(true),
        Formula::False => Ok(false),
        Formula::Condition(pc) => machine.test(*pc),
        Formula::NetDeadlock { states, .. } => may_hold(machine, states),
        Formula::And(parts) => {
            for part in parts {
                if !may_hold(machine, part)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Formula::Or(parts) => {
            for part in parts {
                if may_hold(machine, part)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// Returns a part of `part` where all formulas of `open` hold. `whole` is the zone of the state.
fn search<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    open: &mut Vec<&Formula>,
    row: &[i32],
    mut part: Vec<B>,
    whole: &[B],
) -> GoalPart<B> {
    let Some(formula) = open.pop() else { return Ok(Some(part)) };
    let dim = graph.dim();
    let error = |fault| RunError { fault, edges: Vec::new() };
    let result = match formula {
        Formula::True => search(graph, open, row, part, whole),
        Formula::False => Ok(None),
        Formula::Condition(pc) => {
            let pc = *pc;
            if graph.source_machine(row).test(pc).map_err(error)? {
                search(graph, open, row, part, whole)
            } else {
                Ok(None)
            }
        }
        Formula::Clock(c) => {
            if constrain_one(c, graph.source_machine(row), &mut part, dim).map_err(error)? {
                search(graph, open, row, part, whole)
            } else {
                Ok(None)
            }
        }
        Formula::NetDeadlock { states, .. } => {
            let before = open.len();
            open.push(states);
            let result = search(graph, open, row, part, whole);
            open.truncate(before);
            result
        }
        Formula::And(parts) => {
            let before = open.len();
            // Conditions on the row come first: they are cheap and decide most cases.
            let cheap = |f: &&Formula| matches!(f, Formula::Condition(_) | Formula::False);
            open.extend(parts.iter().rev().filter(|f| !cheap(f)));
            open.extend(parts.iter().rev().filter(cheap));
            let result = search(graph, open, row, part, whole);
            open.truncate(before);
            result
        }
        Formula::Or(parts) => first_part(parts.iter().map(|choice| {
            let mut open = open.clone();
            open.push(choice);
            search(graph, &mut open, row, part.clone(), whole)
        })),
        Formula::Deadlock { negated } => {
            let pieces = deadlocks(graph, row, &part, whole, *negated)?;
            first_part(pieces.zones().map(|piece| search(graph, &mut open.clone(), row, piece.to_vec(), whole)))
        }
    };
    open.push(formula);
    result
}

/// Returns the first part that is not empty, or the first error.
fn first_part<B>(parts: impl Iterator<Item = GoalPart<B>>) -> GoalPart<B> {
    parts.into_iter().find(|part| !matches!(part, Ok(None))).unwrap_or(Ok(None))
}
