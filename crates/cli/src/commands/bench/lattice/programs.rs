//! The least bound on a program's time that a search proves.

use verify::Verdict;

use super::{
    super::measure::{self, Budget, Measured},
    finish,
};
use crate::{json::bench::lattice::LatticeRun, output::Streams};
use ::bench::{
    lattice::{Column, Counted, Program},
    search::{Space, SpaceError},
};

/// A time that no program takes.
const MAX_PROGRAM_TIME: i32 = 1000;

/// Explores a program, and finds the least bound by bisection. A search that refines has other
/// states for each bound; those for the least bound count.
pub fn measure(
    program: &Program,
    column: &Column,
    budget: Budget,
    run: &mut LatticeRun,
    streams: &mut Streams<'_>,
) -> Result<(), SpaceError> {
    let mut ask = |bound: i32| -> Result<Measured, SpaceError> {
        let space = Space::with_query("program.xta", &program.model(), &Program::query(bound))?;
        Ok(measure::measure(&space, &column.options(), budget, streams))
    };
    let mut shown = ask(MAX_PROGRAM_TIME)?;
    if !column.refines {
        finish(run, &shown, Counted::Added);
    }
    // The bound `low` is not proved, and `high` is.
    let (mut low, mut high) = (-1, MAX_PROGRAM_TIME);
    while low + 1 < high && run.stopped.is_none() {
        let middle = i32::midpoint(low, high);
        let answered = ask(middle)?;
        match &answered.answer.verdict {
            Verdict::Satisfied => (high, shown) = (middle, answered),
            Verdict::NotSatisfied | Verdict::Unknown(verify::Reason::Imprecise(_)) => low = middle,
            // A bound that was not decided in time is not the least bound.
            Verdict::Unknown(_) => finish(run, &answered, Counted::Added),
        }
    }
    if run.stopped.is_some() {
        run.merkhet = None;
        return Ok(());
    }
    if column.refines {
        finish(run, &shown, Counted::Added);
    }
    if let Some(figures) = &mut run.merkhet {
        figures.bound = Some(high);
    }
    Ok(())
}
