//! IC3 (Bradley 2011), with clock regions (Kindermann, Junttila and Niemelä 2012).
//!
//! Level `i` overapproximates the states that runs of at most `i` transitions reach. A bad state of
//! the last level is traced back step by step. If a level has no predecessor of it, the reason is
//! generalised to a cube, which is blocked from then on. States are blocked with their whole
//! region. There are finitely many regions, so the search terminates.

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
    EncodingError,
    bound::{Bounded, FailingRun},
    code::Stop,
    relation::Relation,
};
use lift::LiftGoal;
pub use literal::StateLiteral;
use queries::{Cube, Queries, QueryError, is_subsumed};

/// A property of the initial state and of every state right after a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Clauses: in each of them at least one literal holds.
    pub clauses: Vec<Vec<StateLiteral>>,
}

/// The result of an unbounded check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// A run to the goal. It was replayed.
    Found(Trace),
    /// No run reaches the goal or fails, by this invariant.
    Holds(Invariant),
    /// The model has a run-time error, and no run to the goal was found.
    Fails(FailingRun),
    /// A limit was reached.
    Stopped,
    /// The check is undecided, for this reason.
    Unknown(String),
}

/// A cube that must be blocked, or that a run reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProofObligation {
    cube: Cube,
    level: usize,
    /// The number of steps from it to a bad state.
    depth: usize,
    /// The order of creation.
    number: usize,
}

// The lowest level comes first, then the newest.
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

struct Ic3Search<'q> {
    system: &'q System,
    queries: Queries<'q>,
    /// The blocked cubes, by the last level in which they are blocked. Level 0 has none.
    levels: Vec<Vec<Cube>>,
}

/// Searches for a run to the goal, or for an invariant that excludes it. `solvers` creates solvers.
/// `at_level` is called with each level.
///
/// # Errors
/// The system or the goal has an unsupported feature, or a limit was reached.
pub fn prove(
    system: &System,
    goal: &Formula,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_level: &mut dyn FnMut(usize),
) -> Result<Unbounded, EncodingError> {
    let encoder = Encoder::new(system, stop)?;
    Ok(match search(&encoder, goal, solvers, stop, at_level)? {
        Found::Invariant(invariant) => Unbounded::Holds(invariant),
        Found::Run(length) => {
            // There is a run of this length to the goal or to an error. A bounded check finds its
            // delays. An error may be that of the next transition.
            let found = check(system, goal, length.saturating_add(1), &mut *solvers(), stop, &mut |_| {})?;
            match found {
                Bounded::Found(trace) => Unbounded::Found(trace),
                Bounded::Fails(failure) => Unbounded::Fails(failure),
                Bounded::Stopped => Unbounded::Stopped,
                Bounded::Unknown(why) => Unbounded::Unknown(why),
                Bounded::None(_) => Unbounded::Unknown(format!(
                    "the search for an invariant claims a run of {length} transitions, and there is none; please report this"
                )),
            }
        }
        Found::Stopped => Unbounded::Stopped,
        Found::Unknown(why) => Unbounded::Unknown(why),
    })
}

/// The result of a search for an invariant.
pub(crate) enum Found {
    /// An invariant that excludes the goal and errors.
    Invariant(Invariant),
    /// A run of this length leads to the goal or to an error.
    Run(usize),
    /// A limit was reached.
    Stopped,
    /// The search is undecided, for this reason.
    Unknown(String),
}

/// Searches for an invariant of the states and steps of any encoding.
pub(crate) fn search(
    relation: &dyn Relation,
    goal: &Formula,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_level: &mut dyn FnMut(usize),
) -> Result<Found, EncodingError> {
    let system = relation.system();
    let queries = Queries::new(relation, goal, constants::find(system, goal), solvers, stop)?;
    let found = Ic3Search { system, queries, levels: vec![Vec::new()] }.run(at_level);
    Ok(match found {
        Ok(Ok(clauses)) => Found::Invariant(Invariant { clauses }),
        Ok(Err(length)) => Found::Run(length),
        Err(QueryError::Stopped) => Found::Stopped,
        Err(QueryError::Unknown(why)) => Found::Unknown(why),
    })
}

impl Ic3Search<'_> {
    /// Returns the clauses of an invariant, or the length of a run to a bad state.
    fn run(&mut self, at_level: &mut dyn FnMut(usize)) -> Result<Result<Vec<Vec<StateLiteral>>, usize>, QueryError> {
        // If the initial state violates an invariant, no state is reachable, and `false` is
        // invariant.
        if !self.queries.has_initial_state()? {
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

    /// Blocks a cube in the last level, or returns the length of a run to a bad state.
    fn block(&mut self, cube: Cube, last: usize) -> Result<Option<usize>, QueryError> {
        let mut obligations = BinaryHeap::from([ProofObligation { cube, level: last, depth: 0, number: 0 }]);
        let mut count = 0;
        while let Some(obligation) = obligations.pop() {
            self.queries.renew_if_due(&self.levels);
            if obligation.cube.iter().all(|literal| literal.holds_at_start(self.system)) {
                return Ok(Some(obligation.depth));
            }
            if self.is_blocked(&obligation) {
                continue;
            }
            match self.queries.unreachable(&obligation.cube, obligation.level - 1)? {
                // It is one step from the initial state.
                None if obligation.level == 1 => return Ok(Some(obligation.depth + 1)),
                None => {
                    let before = self.queries.lift(LiftGoal::Into(&obligation.cube))?;
                    count += 1;
                    let (level, depth) = (obligation.level - 1, obligation.depth + 1);
                    obligations.push(obligation);
                    obligations.push(ProofObligation { cube: before, level, depth, number: count });
                }
                Some(core) => {
                    let cube = self.generalise(&obligation.cube, core, obligation.level)?;
                    let level = self.highest(&cube, obligation.level, last)?;
                    self.add(cube, level);
                    // The cube must be blocked at higher levels, too, or a longer run is found.
                    if level < last {
                        count += 1;
                        obligations.push(ProofObligation { level: level + 1, number: count, ..obligation });
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns whether an obligation is already discharged.
    fn is_blocked(&self, obligation: &ProofObligation) -> bool {
        self.levels[obligation.level..].iter().flatten().any(|cube| is_subsumed(&obligation.cube, cube))
    }

    /// Returns the highest level in which a cube can be blocked.
    fn highest(&mut self, cube: &Cube, mut level: usize, last: usize) -> Result<usize, QueryError> {
        while level < last && self.queries.unreachable(cube, level)?.is_some() {
            level += 1;
        }
        Ok(level)
    }

    /// Blocks a cube.
    fn add(&mut self, cube: Cube, level: usize) {
        self.queries.block(&cube, level);
        for lower in &mut self.levels[..=level] {
            lower.retain(|other| !is_subsumed(other, &cube));
        }
        self.levels[level].push(cube);
    }

    /// Propagates cubes to the next level where possible. Returns a level that equals the next one,
    /// if there is one.
    fn push(&mut self) -> Result<Option<usize>, QueryError> {
        for level in 1..self.levels.len() - 1 {
            for cube in self.levels[level].clone() {
                if !self.levels[level].contains(&cube) {
                    continue;
                }
                if !self.queries.is_reachable(&cube, level)? {
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
