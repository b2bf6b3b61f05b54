//! d^L and d^U: distances in the graphs of single processes without guards. d^L is their maximum,
//! d^U their sum. d^L is safe and admissible; d^U is safe.
//!
//! Edelkamp, Lluch Lafuente and Leue, "Directed explicit-state model checking in the validation of
//! communication protocols", STTT 5, 2004.

use std::collections::VecDeque;

use model::{Formula, System};

use super::{Depends, Estimate, EvaluatedState, Evaluator, targets::targets};

/// How the distances of processes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// d^L.
    Greatest,
    /// d^U.
    Sum,
}

/// d^L or d^U.
pub struct Distance {
    combine: Combine,
    /// For each disjunct of the goal the processes that must be at certain locations, and the
    /// distance of each location from them.
    disjuncts: Vec<Vec<(usize, Vec<Option<u32>>)>>,
}

impl Distance {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, combine: Combine) -> Distance {
        let mut disjuncts = Vec::new();
        // A goal without known disjuncts may be anywhere.
        for target in targets(system, goal).unwrap_or_default() {
            let places = target.slots.iter().filter(|(slot, _)| (*slot as usize) < system.processes.len());
            disjuncts.push(places.map(|(slot, wanted)| (*slot as usize, distances(system, *slot, wanted))).collect());
        }
        if disjuncts.is_empty() && targets(system, goal).is_none() {
            disjuncts.push(Vec::new());
        }
        Distance { combine, disjuncts }
    }
}

/// Returns the number of edges from each location of a process to the nearest goal location.
fn distances(system: &System, process: u32, wanted: &[i32]) -> Vec<Option<u32>> {
    let own = &system.processes[process as usize];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); own.locations as usize];
    for edge in system.edges.iter().filter(|edge| edge.process.0 == process) {
        let place = |location: model::system::LocationId| (location.0 - own.first_location.0) as usize;
        into[place(edge.target)].push(place(edge.source));
    }
    let mut out = vec![None; own.locations as usize];
    let mut open: VecDeque<usize> = wanted.iter().map(|location| *location as usize).collect();
    open.iter().for_each(|location| out[*location] = Some(0));
    while let Some(at) = open.pop_front() {
        for &from in &into[at] {
            if out[from].is_none() {
                out[from] = out[at].map(|distance: u32| distance + 1);
                open.push_back(from);
            }
        }
    }
    out
}

impl Evaluator for Distance {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let of_disjunct = |disjunct: &Vec<(usize, Vec<Option<u32>>)>| {
            let mut all = 0;
            for (process, distances) in disjunct {
                let own = distances[state.row[*process] as usize]?;
                all = if self.combine == Combine::Sum { all + own } else { all.max(own) };
            }
            Some(all)
        };
        self.disjuncts.iter().filter_map(of_disjunct).min().map(Estimate::from)
    }
    fn is_admissible(&self) -> bool {
        self.combine == Combine::Greatest
    }
    fn depends(&self) -> Depends {
        Depends::Row
    }
}
