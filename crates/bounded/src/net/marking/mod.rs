//! IC3 on the markings of a net, whatever the time is.
//!
//! Time only forbids firings: a marking that is unreachable without it is unreachable. So an
//! invariant of the markings proves that a goal is unreachable. If there is none, the goal may
//! still be unreachable, because of the time.
//!
//! The markings from which a transition leads into a cube are a cube, so that no formula for the
//! transition relation is needed, and predecessors are as general as possible. A cube that can be
//! blocked is generalised from below: literals are added to one of it until no firing leads into
//! the markings that satisfy them. Such sets are small, most often a trap of the net, two places of
//! which at most one is marked, and the like.

mod cube;
mod goal;
mod lemmas;

use std::collections::BinaryHeap;

use model::{Formula, System, net::Net};
use smt::{SatResult, Solver, Term, Terms};

use self::{
    cube::{Firings, MarkingCube, is_subsumed},
    goal::{MarkingGoal, dead_cube},
};
use crate::{EncodingError, code::Stop};

pub use cube::PlaceLiteral;

/// Clauses that hold in every reachable marking, and the steps by which they exclude a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkingInvariant {
    /// The clauses. Every firing from a marking in which all of them hold leads to such a marking.
    pub clauses: Vec<Vec<PlaceLiteral>>,
    /// Clauses that follow from them, each from those before it by unit propagation.
    pub lemmas: Vec<Vec<PlaceLiteral>>,
    /// Clauses that follow likewise if no transition can fire.
    pub dead: Vec<Vec<PlaceLiteral>>,
}

/// The result of a search for an invariant of markings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Markings {
    /// No run reaches the goal or puts a token on a marked place.
    Excluded(MarkingInvariant),
    /// Without time some run does, or it is undecided.
    Open,
    /// A limit was reached.
    Stopped,
}

/// Searches for an invariant of the markings that excludes a goal. The net must be
/// [`super::supported`]. `at_level` is called with each level.
///
/// # Errors
/// The goal has an unsupported feature, or a limit was reached.
pub fn exclude(
    net: &Net,
    system: &System,
    goal: &Formula,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_level: &mut dyn FnMut(usize),
) -> Result<Markings, EncodingError> {
    let mut terms = Terms::new();
    let places: Vec<Term> = net.places.iter().map(|p| terms.boolean(p.written.clone())).collect();
    let firings = Firings::new(net);
    let Some(goal) = MarkingGoal::new(&firings, (system, stop), goal, &mut terms, &places)? else {
        return Ok(Markings::Open);
    };
    let mut search = MarkingSearch {
        firings,
        goal: &goal,
        terms,
        places,
        solver: solvers(),
        solvers,
        queries: 0,
        stop,
        switches: Vec::new(),
        levels: vec![Vec::new()],
        no_contact: 0,
    };
    let clauses = match search.run(at_level) {
        Ok(Some(clauses)) => clauses,
        Ok(None) | Err(Undecided::Unknown) => return Ok(Markings::Open),
        Err(Undecided::Stopped) => return Ok(Markings::Stopped),
    };
    Ok(match lemmas::derive(net, &goal, clauses, stop) {
        Some(invariant) => Markings::Excluded(invariant),
        None if stop() => Markings::Stopped,
        None => Markings::Open,
    })
}

/// Why a query has no answer.
enum Undecided {
    Stopped,
    Unknown,
}

/// After this many queries a new solver is created.
const MAX_QUERIES: usize = 20_000;

struct MarkingSearch<'q> {
    firings: Firings<'q>,
    goal: &'q MarkingGoal,
    terms: Terms,
    /// Whether each place has a token.
    places: Vec<Term>,
    solver: Box<dyn Solver>,
    solvers: &'q mut dyn FnMut() -> Box<dyn Solver>,
    queries: usize,
    stop: &'q Stop<'q>,
    /// For each level a term that activates its clauses.
    switches: Vec<Term>,
    /// The blocked cubes, by the last level in which they are blocked. Level 0 has none.
    levels: Vec<Vec<MarkingCube>>,
    /// The number of contacts that the last level is known to exclude.
    no_contact: usize,
}

/// A cube that must be blocked, or that firings reach.
#[derive(PartialEq, Eq)]
struct MarkingObligation {
    cube: MarkingCube,
    level: usize,
    number: usize,
}

// The lowest level comes first, then the newest.
impl Ord for MarkingObligation {
    fn cmp(&self, other: &MarkingObligation) -> std::cmp::Ordering {
        other.level.cmp(&self.level).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for MarkingObligation {
    fn partial_cmp(&self, other: &MarkingObligation) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl MarkingSearch<'_> {
    /// Returns the clauses of an invariant, if there is one.
    fn run(&mut self, at_level: &mut dyn FnMut(usize)) -> Result<Option<Vec<MarkingCube>>, Undecided> {
        loop {
            let last = self.levels.len() - 1;
            at_level(last);
            while let Some(cube) = self.bad(last)? {
                if last == 0 || !self.block(cube, last)? {
                    return Ok(None);
                }
            }
            if let Some(level) = self.push()? {
                let clause = |cube: &MarkingCube| cube.iter().map(|l| l.negated()).collect();
                return Ok(Some(self.levels[level..].iter().flatten().map(clause).collect()));
            }
            self.levels.push(Vec::new());
            self.no_contact = 0;
        }
    }

    /// Returns bad markings of a level, if there are any: those of the goal, and those in which a
    /// firing puts a token on a marked place.
    fn bad(&mut self, level: usize) -> Result<Option<MarkingCube>, Undecided> {
        let contacts = &self.goal.contacts;
        while let Some(cube) = contacts.get(self.no_contact) {
            if self.is_possible(cube, level)? {
                return Ok(Some(cube.clone()));
            }
            self.no_contact += 1;
        }
        let goal = self.goal;
        for case in &goal.cases {
            if !case.dead {
                if self.is_possible(&case.cube, level)? {
                    return Ok(Some(case.cube.clone()));
                }
            } else if self.check(level, &case.cube, &[goal.dead])? {
                let (solver, terms, places) = (&mut self.solver, &self.terms, &self.places);
                let marked = |place: u32| solver.holds(terms, places[place as usize]);
                return Ok(Some(dead_cube(self.firings.net, case, marked)));
            }
        }
        Ok(None)
    }

    /// Blocks a cube in the last level. Returns whether that is possible.
    fn block(&mut self, cube: MarkingCube, last: usize) -> Result<bool, Undecided> {
        let mut obligations = BinaryHeap::from([MarkingObligation { cube, level: last, number: 0 }]);
        let mut count = 0;
        while let Some(obligation) = obligations.pop() {
            if self.includes_start(&obligation.cube) || obligation.level == 0 {
                return Ok(false);
            }
            if self.levels[obligation.level..].iter().flatten().any(|cube| is_subsumed(&obligation.cube, cube)) {
                continue;
            }
            count += 1;
            if let Some(cube) = self.predecessors(&obligation.cube, obligation.level - 1)? {
                let level = obligation.level - 1;
                obligations.push(obligation);
                obligations.push(MarkingObligation { cube, level, number: count });
                continue;
            }
            let cube = self.generalise(&obligation.cube, obligation.level - 1)?;
            let mut level = obligation.level;
            while level < last && self.predecessors(&cube, level)?.is_none() {
                level += 1;
            }
            self.add(cube, level);
            if level < last {
                obligations.push(MarkingObligation { level: level + 1, number: count, ..obligation });
            }
        }
        Ok(true)
    }

    /// Returns markings of a level from which one firing leads into a cube from outside of it.
    fn predecessors(&mut self, cube: &[PlaceLiteral], level: usize) -> Result<Option<MarkingCube>, Undecided> {
        for t in self.firings.leading_into(cube) {
            if let Some(before) = self.firings.before(t, cube)
                && self.is_possible(&before, level)?
            {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }

    /// Returns a small subset of the literals of a cube such that no firing from a level leads to
    /// markings that satisfy them. All literals together are one.
    fn generalise(&mut self, cube: &MarkingCube, level: usize) -> Result<MarkingCube, Undecided> {
        let mut best = cube.clone();
        let firsts: Vec<PlaceLiteral> = cube.iter().filter(|l| !self.holds_at_start(**l)).copied().collect();
        for first in firsts.into_iter().take(MAX_SEEDS) {
            if let Some(found) = self.grow(cube, first, level, best.len())? {
                best = found;
            }
            if best.len() <= 2 {
                break;
            }
        }
        Ok(best)
    }

    /// Adds literals of a cube to the first one until no firing leads into the result. Returns
    /// `None` if it does not become smaller than `limit`.
    fn grow(
        &mut self,
        cube: &MarkingCube,
        first: PlaceLiteral,
        level: usize,
        limit: usize,
    ) -> Result<Option<MarkingCube>, Undecided> {
        let mut kept = vec![first];
        'again: while kept.len() < limit {
            for t in self.firings.leading_into(&kept) {
                let Some(before) = self.firings.before(t, &kept) else { continue };
                if !self.is_possible(&before, level)? {
                    continue;
                }
                let rest: Vec<PlaceLiteral> = cube.iter().filter(|l| !kept.contains(l)).copied().collect();
                let (start, firings) = (level == 0, &self.firings);
                let (solver, terms, places, net) = (&mut self.solver, &self.terms, &self.places, firings.net);
                let mut is_false = |l: &PlaceLiteral| {
                    let place = l.place as usize;
                    let marked = if start { net.places[place].tokens > 0 } else { solver.holds(terms, places[place]) };
                    marked != l.marked
                };
                // A literal that excludes this firing is better than one that excludes this
                // marking.
                let next = rest.iter().find(|l| firings.hinders(t, **l)).or_else(|| rest.iter().find(|l| is_false(l)));
                let Some(next) = next else { return Ok(None) };
                kept.push(*next);
                kept.sort_unstable();
                continue 'again;
            }
            return Ok(Some(kept));
        }
        Ok(None)
    }

    fn holds_at_start(&self, l: PlaceLiteral) -> bool {
        (self.firings.net.places[l.place as usize].tokens > 0) == l.marked
    }

    fn includes_start(&self, cube: &[PlaceLiteral]) -> bool {
        cube.iter().all(|l| self.holds_at_start(*l))
    }

    /// Returns whether a level has a marking of a cube. Level 0 is the initial marking.
    fn is_possible(&mut self, cube: &[PlaceLiteral], level: usize) -> Result<bool, Undecided> {
        if level == 0 {
            return if (self.stop)() { Err(Undecided::Stopped) } else { Ok(self.includes_start(cube)) };
        }
        self.check(level, cube, &[])
    }

    fn check(&mut self, level: usize, cube: &[PlaceLiteral], more: &[Term]) -> Result<bool, Undecided> {
        self.queries += 1;
        if self.queries > MAX_QUERIES {
            self.queries = 0;
            self.solver = (self.solvers)();
            for (level, cubes) in self.levels.clone().iter().enumerate() {
                cubes.iter().for_each(|cube| self.assert_blocked(cube, level));
            }
        }
        let mut assumptions = if level == 0 {
            (0..self.places.len()).map(|place| self.term(self.initial(place as u32))).collect()
        } else {
            self.switch(level);
            self.switches[level..].to_vec()
        };
        assumptions.extend(cube.iter().map(|l| self.term(*l)));
        assumptions.extend(more);
        match self.solver.check(&self.terms, &assumptions, self.stop) {
            SatResult::Satisfiable => Ok(true),
            SatResult::Unsatisfiable => Ok(false),
            SatResult::Stopped => Err(Undecided::Stopped),
            SatResult::Unknown(_) => Err(Undecided::Unknown),
        }
    }

    fn initial(&self, place: u32) -> PlaceLiteral {
        PlaceLiteral { place, marked: self.firings.net.places[place as usize].tokens > 0 }
    }

    fn term(&self, l: PlaceLiteral) -> Term {
        let term = self.places[l.place as usize];
        if l.marked { term } else { !term }
    }

    /// Returns the term that activates the clauses of a level.
    fn switch(&mut self, level: usize) -> Term {
        while self.switches.len() <= level {
            let term = self.terms.boolean(format!("level{}", self.switches.len()));
            self.switches.push(term);
        }
        self.switches[level]
    }

    fn assert_blocked(&mut self, cube: &[PlaceLiteral], level: usize) {
        let switch = self.switch(level);
        let clause: Vec<Term> = cube.iter().map(|l| !self.term(*l)).chain([!switch]).collect();
        let clause = self.terms.or(clause);
        self.solver.assert(&self.terms, clause);
    }

    /// Blocks a cube in a level and in all lower ones.
    fn add(&mut self, cube: MarkingCube, level: usize) {
        self.assert_blocked(&cube, level);
        for lower in &mut self.levels[..=level] {
            lower.retain(|other| !is_subsumed(other, &cube));
        }
        self.levels[level].push(cube);
    }

    /// Propagates cubes to the next level where possible. Returns a level that equals the next one,
    /// if there is one.
    fn push(&mut self) -> Result<Option<usize>, Undecided> {
        for level in 1..self.levels.len() {
            for cube in self.levels[level].clone() {
                if level + 1 < self.levels.len() && self.predecessors(&cube, level)?.is_none() {
                    self.levels[level].retain(|other| *other != cube);
                    self.add(cube, level + 1);
                }
            }
            if level + 1 < self.levels.len() && self.levels[level].is_empty() {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }
}

/// A cube is generalised from at most this many of its literals.
const MAX_SEEDS: usize = 40;
