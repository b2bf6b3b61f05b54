//! Maximal runs made concrete, with exact delays.
//!
//! A cycle is run through several times, until a state comes back, or one that [`Regions`] can't
//! tell from it.

use explore::{liveness::ends, search::Limits, split::pieces};
use model::{
    Formula, Ratio, System,
    replay::{self, Claim, Ending, Regions},
};
use zone::Federation;

use crate::{
    path::{Stage, run_through},
    trace::{Step, Trace, pair},
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
        let run = run_through(system, &unrolled, |graph, row, zone| {
            if let Ending::Cycle(_) = ending {
                return Ok(pieces(zone, graph.dim()));
            }
            let fits = ends(graph, always, row, zone, false)?.filter(|(_, found)| *found == ending);
            Ok(fits.map_or(Federation::new(graph.dim()), |(part, _)| part))
        });
        let run = run.ok().flatten();
        if let Some((run, states)) = run {
            let tried = match ending {
                Ending::Cycle(start) => {
                    let first = transitions(&stages[..=start]);
                    let length = transitions(&stages[start + 1..]);
                    let formulas: Vec<&Formula> = after.into_iter().chain([always]).collect();
                    come_back(&Regions::new(system, &formulas), run, &states, first, length)
                }
                _ => Some((run, ending)),
            };
            if let Some((run, ending)) = tried
                && let Ok(states) = replay::replay_maximal(system, &run, &Claim { always, after, ending })
            {
                return told(&run, &states, ending);
            }
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
fn come_back(
    regions: &Regions,
    mut run: replay::Trace,
    states: &[replay::State],
    first: usize,
    length: usize,
) -> Option<(replay::Trace, Ending)> {
    let turns: Vec<usize> = (first..states.len()).step_by(length.max(1)).collect();
    for (i, &end) in turns.iter().enumerate() {
        if let Some(&start) = turns[..i].iter().find(|start| regions.equivalent(&states[**start], &states[end])) {
            run.steps.truncate(end);
            run.last_delay = None;
            return Some((run, Ending::Cycle(start)));
        }
    }
    None
}

fn told(run: &replay::Trace, states: &[replay::State], ending: Ending) -> Trace {
    let step = |(step, state): (&replay::Step, &replay::State)| Step {
        delay: pair(step.delay),
        edges: step.edges.clone(),
        row: state.row.clone(),
    };
    Trace {
        start: states[0].row.clone(),
        steps: run.steps.iter().zip(&states[1..]).map(step).collect(),
        last_delay: pair(run.last_delay.unwrap_or(Ratio::ZERO)),
        ending: Some(ending),
        replayed: true,
    }
}

fn symbolic(stages: &[Stage<'_>], ending: Ending) -> Trace {
    let zero = pair(Ratio::ZERO);
    let moves = stages.iter().filter(|s| !s.edges.is_empty());
    Trace {
        start: stages[0].row.clone(),
        steps: moves.map(|s| Step { delay: zero, edges: s.edges.clone(), row: s.row.clone() }).collect(),
        last_delay: zero,
        ending: Some(match ending {
            Ending::Cycle(start) => Ending::Cycle(transitions(&stages[..=start])),
            other => other,
        }),
        replayed: false,
    }
}
