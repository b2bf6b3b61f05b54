//! Maximal runs made concrete, with exact delays.
//!
//! A cycle is run through several times, until a state comes back, or one that [`Regions`] can't
//! tell from it.

use explore::{liveness::ends, search::Limits, split::pieces};
use model::{
    Formula, System,
    replay::{self, Claim, Ending, Regions, Visit, replay_maximal},
};
use smt::Term;
use zone::Federation;

use crate::{
    linear,
    path::{self, Stage},
    trace::Trace,
};

/// How many stages a path has at most when its cycle is unrolled.
const MAX_STAGES: usize = 3000;

/// A maximal run along a path, which the replayer has followed; or the path alone, if none is
/// found.
pub fn concrete(
    system: &System,
    stages: &[Stage<'_>],
    ending: Ending,
    (after, always): (Option<&Formula>, &Formula),
    limits: &Limits<'_>,
) -> Trace {
    let mut rounds = 2;
    loop {
        let unrolled = unroll(stages, ending, rounds);
        let run = path::run_through(system, &unrolled, None, |graph, row, zone| {
            if let Ending::Cycle(_) = ending {
                return Ok(pieces(zone, graph.dim()));
            }
            let fits = ends(graph, always, row, zone, false)?.filter(|(_, found)| *found == ending);
            Ok(fits.map_or(Federation::new(graph.dim()), |(part, _)| part))
        });
        let maximal = |run: Vec<Visit>| {
            let (run, ending) = match ending {
                Ending::Cycle(start) => {
                    let first = transitions(&stages[..=start]);
                    let length = transitions(&stages[start + 1..]);
                    let formulas: Vec<&Formula> = after.into_iter().chain([always]).collect();
                    come_back(&Regions::new(system, &formulas), run, first, length)?
                }
                _ => (replay::Trace::of(&run), ending),
            };
            let run = replay_maximal(system, &run, &Claim { always, after, ending }).ok()?;
            Some(Trace::of_run(run, Some(ending)))
        };
        let found = run.ok().flatten().and_then(maximal).or_else(|| {
            let run = linear::run_through(system, &unrolled, None, |end| match ending {
                Ending::Cycle(start) => {
                    // The transitions that lead to the start of the cycle, or back to it.
                    let arrives = |stage: usize| (0..=stage).rev().find(|i| !unrolled[*i].edges.is_empty());
                    let length = (stages.len() - 1 - start).max(1);
                    let turns: Vec<usize> =
                        (start + length..unrolled.len()).step_by(length).filter_map(arrives).collect();
                    end.comes_back(arrives(start).unwrap_or(0), &turns)
                }
                Ending::Waits | Ending::Stops => Some(Term::TRUE),
            });
            run.and_then(maximal)
        });
        if let Some(trace) = found {
            return trace;
        }
        let cyclic = matches!(ending, Ending::Cycle(_));
        if !cyclic || unrolled.len() > MAX_STAGES || limits.expired.is_some_and(|is| is()) {
            return symbolic(stages, ending);
        }
        rounds *= 4;
    }
}

/// How many transitions some stages have.
fn transitions(stages: &[Stage<'_>]) -> usize {
    stages.iter().filter(|s| !s.edges.is_empty()).count()
}

/// A path with its cycle several times.
fn unroll<'s>(stages: &'s [Stage<'s>], ending: Ending, rounds: usize) -> Vec<&'s Stage<'s>> {
    let mut all: Vec<&Stage<'_>> = stages.iter().collect();
    if let Ending::Cycle(start) = ending {
        for _ in 1..rounds {
            all.extend(&stages[start + 1..]);
        }
    }
    all
}

/// Cuts a run after the first return to a state at which the cycle starts.
fn come_back(regions: &Regions, run: Vec<Visit>, first: usize, length: usize) -> Option<(replay::Trace, Ending)> {
    let turns: Vec<usize> = (first..run.len()).step_by(length.max(1)).collect();
    for (i, &end) in turns.iter().enumerate() {
        let back = |start: &&usize| regions.equivalent(&run[**start].state, &run[end].state);
        if let Some(&start) = turns[..i].iter().find(back) {
            let cut = replay::Trace { last_delay: None, ..replay::Trace::of(&run[..=end]) };
            return Some((cut, Ending::Cycle(start)));
        }
    }
    None
}

/// A path without delays.
fn symbolic(stages: &[Stage<'_>], ending: Ending) -> Trace {
    let ending = match ending {
        Ending::Cycle(start) => Ending::Cycle(transitions(&stages[..=start])),
        other => other,
    };
    let moves = stages.iter().enumerate().filter(|(i, stage)| *i == 0 || !stage.edges.is_empty());
    Trace::symbolic(moves.map(|(_, s)| (s.edges.clone(), s.row.clone())).collect(), Some(ending))
}
