//! Unbounded checking: an invariant that no run leaves, found clause by clause.
//!
//! Bradley's IC3, with regions of clocks as Kindermann, Junttila and Niemelä have it. Level `i`
//! holds all states that runs of at most `i` transitions reach, and perhaps more. A state of the
//! last level that should not be reached is traced back step by step. Where a level has none before
//! it, the reason is generalised to a cube that is left out from then on. States are blocked with
//! all of their region, of which there are finitely many; so the search ends.

mod constants;
mod generalise;
mod lift;
mod literal;
mod queries;

use std::collections::BinaryHeap;

use model::{Formula, System, replay::Trace};
use smt::Solver;

use super::{Encoder, check};
use crate::{
    bound::{Bounded, FailingRun},
    code::{EncodingError, Stop},
};
use lift::LiftGoal;
pub use literal::StateLiteral;
use queries::{Cube, Queries, QueryError, within};

/// What holds at the start and behind every transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// For each number of the row, the values that it has; nothing else occurs.
    pub domains: Vec<Vec<i32>>,
    /// In each of these lists one literal holds at least.
    pub clauses: Vec<Vec<StateLiteral>>,
}

/// What an unbounded check finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// A run to the goal, which was replayed.
    Found(Trace),
    /// No run leads to the goal, or fails: this says why.
    Holds(Invariant),
    /// The model has a run-time error, and no run to the goal was found.
    Fails(FailingRun),
    /// A limit was reached.
    Stopped,
    /// It is undecided, for this reason.
    Unknown(String),
}

/// A cube that must be shown to be out of reach, or reached.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProofObligation {
    cube: Cube,
    level: usize,
    /// How many steps lead from it to where it came from.
    depth: usize,
    /// Which came first.
    number: usize,
}

// The lowest level first, then the one that came last.
impl Ord for ProofObligation {
    fn cmp(&self, other: &ProofObligation) -> std::cmp::Ordering {
        other.level.cmp(&self.level).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for ProofObligation {
    fn partial_cmp(&self, other: &ProofObligation) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Ic3Search<'q, 's> {
    system: &'s System,
    queries: Queries<'q, 's>,
    /// The cubes that are out of reach, by the last level that they are left out of. Level 0 has
    /// none.
    levels: Vec<Vec<Cube>>,
}

/// Looks for a run to the goal, or for an invariant that excludes it. `solvers` makes solvers.
/// `at_level` is told how far it is.
///
/// # Errors
/// What the system or the goal have that is not turned into formulas.
pub fn prove(
    system: &System,
    goal: &Formula,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_level: &mut dyn FnMut(usize),
) -> Result<Unbounded, EncodingError> {
    let encoder = Encoder::new(system, stop)?;
    let queries = Queries::new(&encoder, goal, constants::find(system, goal), solvers, stop)?;
    let found = Ic3Search { system, queries, levels: vec![Vec::new()] }.run(at_level);
    match found {
        Ok(Ok(clauses)) => {
            let domains = (0..system.initial.len()).map(|slot| encoder.domain(slot).to_vec()).collect();
            Ok(Unbounded::Holds(Invariant { domains, clauses }))
        }
        Ok(Err(length)) => {
            // There is a run of this length to the goal or to an error. Its delays are found by
            // looking for it once more; an error may be that of the transition after it.
            let found = check(system, goal, length.saturating_add(1), &mut *solvers(), stop, &mut |_| {})?;
            Ok(match found {
                Bounded::Found(trace) => Unbounded::Found(trace),
                Bounded::Fails(failure) => Unbounded::Fails(failure),
                Bounded::Stopped => Unbounded::Stopped,
                Bounded::Unknown(why) => Unbounded::Unknown(why),
                Bounded::None(_) => Unbounded::Unknown(format!(
                    "the search for an invariant claims a run of {length} transitions, and there is none; please report this"
                )),
            })
        }
        Err(QueryError::Stopped) => Ok(Unbounded::Stopped),
        Err(QueryError::Unknown(why)) => Ok(Unbounded::Unknown(why)),
    }
}

impl Ic3Search<'_, '_> {
    /// The clauses of an invariant; or the length of a run to where it should not go.
    fn run(&mut self, at_level: &mut dyn FnMut(usize)) -> Result<Result<Vec<Vec<StateLiteral>>, usize>, QueryError> {
        // Where the initial state violates an invariant there is no state: nothing is an invariant.
        if !self.queries.starts()? {
            return Ok(Ok(vec![Vec::new()]));
        }
        if self.queries.bad(0)?.is_some() {
            return Ok(Err(0));
        }
        loop {
            self.levels.push(Vec::new());
            let last = self.levels.len() - 1;
            at_level(last);
            while let Some(cube) = self.queries.bad(last)? {
                if let Some(length) = self.block(cube, last)? {
                    return Ok(Err(length));
                }
            }
            if let Some(level) = self.push()? {
                let kept = self.levels[level..].iter().flatten();
                return Ok(Ok(kept.map(|cube| cube.iter().map(|l| l.negated()).collect()).collect()));
            }
        }
    }

    /// Shows that a cube of the last level is out of reach; or returns the length of a run into it.
    fn block(&mut self, cube: Cube, last: usize) -> Result<Option<usize>, QueryError> {
        let mut duties = BinaryHeap::from([ProofObligation { cube, level: last, depth: 0, number: 0 }]);
        let mut count = 0;
        while let Some(duty) = duties.pop() {
            self.queries.tidy(&self.levels);
            if duty.cube.iter().all(|literal| literal.holds_at_start(self.system)) {
                return Ok(Some(duty.depth));
            }
            if self.is_blocked(&duty) {
                continue;
            }
            match self.queries.out_of_reach(&duty.cube, duty.level - 1)? {
                // It is a step from the start.
                None if duty.level == 1 => return Ok(Some(duty.depth + 1)),
                None => {
                    let before = self.queries.lifted(LiftGoal::Into(&duty.cube))?;
                    count += 1;
                    let (level, depth) = (duty.level - 1, duty.depth + 1);
                    duties.push(duty);
                    duties.push(ProofObligation { cube: before, level, depth, number: count });
                }
                Some(core) => {
                    let cube = self.generalise(&duty.cube, core, duty.level)?;
                    let level = self.highest(&cube, duty.level, last)?;
                    self.add(cube, level);
                    // What leads to bad states is out of reach at higher levels too, or a way to
                    // them is found.
                    if level < last {
                        count += 1;
                        duties.push(ProofObligation { level: level + 1, number: count, ..duty });
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether a duty is done already.
    fn is_blocked(&self, duty: &ProofObligation) -> bool {
        self.levels[duty.level..].iter().flatten().any(|cube| within(&duty.cube, cube))
    }

    /// The highest level in which a cube is out of reach.
    fn highest(&mut self, cube: &Cube, mut level: usize, last: usize) -> Result<usize, QueryError> {
        while level < last && self.queries.out_of_reach(cube, level)?.is_some() {
            level += 1;
        }
        Ok(level)
    }

    /// Leaves a cube out.
    fn add(&mut self, cube: Cube, level: usize) {
        self.queries.block(&cube, level);
        for lower in &mut self.levels[..=level] {
            lower.retain(|other| !within(other, &cube));
        }
        self.levels[level].push(cube);
    }

    /// Moves cubes up where they are out of reach in the next level too. Returns a level that
    /// equals the next one.
    fn push(&mut self) -> Result<Option<usize>, QueryError> {
        for level in 1..self.levels.len() - 1 {
            for cube in self.levels[level].clone() {
                if !self.levels[level].contains(&cube) {
                    continue;
                }
                if !self.queries.leads_into(&cube, level)? {
                    self.levels[level].retain(|other| *other != cube);
                    self.add(cube, level + 1);
                }
            }
            if self.levels[level].is_empty() {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }
}
