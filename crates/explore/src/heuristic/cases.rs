//! Disjuncts of a goal.

use model::{
    Formula,
    symbolic::{Path, Symbolic},
    system::ClockConstraint,
};

/// A disjunct of a goal.
#[derive(Clone, Debug, Default)]
pub(crate) struct GoalCase {
    /// The conditions on the row.
    pub path: Path,
    /// The constraints on clocks.
    pub clocks: Vec<ClockConstraint>,
}

/// The greatest number of disjuncts.
const MAX_CASES: usize = 256;

/// Returns the disjuncts of a formula, with deadlocks relaxed to true; `None`: there are too many,
/// and the formula may hold anywhere.
pub(super) fn cases(symbolic: &mut Symbolic<'_>, formula: &Formula) -> Option<Vec<GoalCase>> {
    extend(symbolic, vec![GoalCase::default()], formula)
}

fn extend(symbolic: &mut Symbolic<'_>, before: Vec<GoalCase>, formula: &Formula) -> Option<Vec<GoalCase>> {
    let found: Vec<GoalCase> = match formula {
        Formula::True | Formula::Deadlock { .. } => before,
        Formula::False => Vec::new(),
        Formula::Clock(constraint) => {
            let mut found = before;
            found.iter_mut().for_each(|case| case.clocks.push(*constraint));
            found
        }
        Formula::Condition(pc) => {
            let mut out = Vec::new();
            for case in &before {
                let paths = symbolic.test(&case.path, *pc)?;
                out.extend(paths.into_iter().map(|path| GoalCase { path, clocks: case.clocks.clone() }));
            }
            out
        }
        Formula::NetDeadlock { states, .. } => extend(symbolic, before, states)?,
        Formula::And(parts) => {
            let mut found = before;
            for part in parts {
                found = extend(symbolic, found, part)?;
            }
            found
        }
        Formula::Or(parts) => {
            let mut out = Vec::new();
            for part in parts {
                out.extend(extend(symbolic, before.clone(), part)?);
            }
            out
        }
    };
    (found.len() <= MAX_CASES).then_some(found)
}
