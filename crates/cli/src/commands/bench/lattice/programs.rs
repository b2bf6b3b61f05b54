//! The least bound on a program's time that a search shows.

use verify::Verdict;

use super::{
    super::measure::{self, Budget, Measured},
    finish,
};
use crate::{json::bench::lattice::LatticeRun, output::Streams};
use ::bench::{
    lattice::{Column, Counted, Program},
    search::Space,
};

/// No program takes as long.
const NEVER: i32 = 1000;

/// Explores a program, and asks for smaller and smaller bounds. A search that refines has its own
/// states for each bound: those for the least one count.
pub fn measure(
    program: &Program,
    column: &Column,
    budget: Budget,
    run: &mut LatticeRun,
    streams: &mut Streams<'_>,
) -> Result<(), String> {
    let mut ask = |bound: i32| -> Result<Measured, String> {
        let space = Space::with_query("program.xta", &program.model(), &Program::query(bound))?;
        Ok(measure::measure(&space, &column.options(), budget, streams))
    };
    let mut shown = ask(NEVER)?;
    if !column.refines {
        finish(run, &shown, Counted::Added);
    }
    // It is not shown that it takes no longer than `low`, and it is that it takes no longer than
    // `high`.
    let (mut low, mut high) = (-1, NEVER);
    while low + 1 < high && run.stopped.is_none() {
        let middle = i32::midpoint(low, high);
        let answered = ask(middle)?;
        match &answered.answer.verdict {
            Verdict::Satisfied => (high, shown) = (middle, answered),
            Verdict::NotSatisfied | Verdict::Unknown(verify::Reason::Imprecise(_)) => low = middle,
            // A bound that was not found in time is no least bound.
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
