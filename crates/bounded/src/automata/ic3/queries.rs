//! The solver queries of IC3: one step between any two states.

use model::{Formula, Ratio};
use smt::{Real, SatResult, Solver, Term, Terms};

use super::{
    StateLiteral,
    lift::LiftGoal,
    literal::{Constants, of_clocks, of_row},
};
use crate::{
    EncodingError,
    code::Stop,
    relation::{Demands, Frame, Relation},
};

/// A conjunction of literals, sorted. It stands for the states in which all of them hold.
pub(super) type Cube = Vec<StateLiteral>;

/// Returns whether one cube syntactically contains another: every state of `cube` is in `other`.
pub(super) fn is_subsumed(cube: &[StateLiteral], other: &[StateLiteral]) -> bool {
    other.iter().all(|literal| cube.binary_search(literal).is_ok())
}

/// After this many queries a new solver is created.
const MAX_QUERIES: usize = 500;

/// The reason why a query has no answer.
pub(super) enum QueryError {
    /// A limit was reached.
    Stopped,
    /// The query is undecided, for this reason.
    Unknown(String),
}

/// The transition relation between any two states.
pub(super) struct Queries<'q> {
    relation: &'q dyn Relation,
    pub(super) terms: Terms,
    pub(super) solver: Box<dyn Solver>,
    solvers: &'q mut dyn FnMut() -> Box<dyn Solver>,
    /// The permanent constraints.
    demands: Vec<Term>,
    /// The number of queries to the current solver.
    queries: usize,
    pub(super) constants: Constants,
    stop: &'q Stop<'q>,
    pub(super) here: Frame,
    pub(super) there: Frame,
    /// When the transition is taken.
    pub(super) then: Real,
    /// Whether each edge and each vector is taken, for those that can be.
    pub(super) edges: Vec<Term>,
    /// Time can pass until `then`.
    pub(super) waiting: Term,
    /// The edges are a transition that can be taken.
    pub(super) taking: Term,
    /// The successor satisfies its invariants.
    pub(super) landing: Term,
    /// Activates the constraint that `there` is the successor of `here`.
    pub(super) links: Term,
    /// The state is bad: it satisfies the goal, or the model fails in it.
    pub(super) bad: Term,
    /// The updates of the transition fail.
    pub(super) fails: Term,
    /// Activates the constraint that `here` is the initial state.
    starts: Term,
    /// For each level a term that activates its clauses.
    levels: Vec<Term>,
}

impl<'q> Queries<'q> {
    pub(super) fn new(
        relation: &'q dyn Relation,
        goal: &Formula,
        constants: Constants,
        solvers: &'q mut dyn FnMut() -> Box<dyn Solver>,
        stop: &'q Stop<'q>,
    ) -> Result<Queries<'q>, EncodingError> {
        let mut terms = Terms::new();
        let [mut state, mut delay, mut step, mut link, mut arrival] = [const { Demands::new() }; 5];
        let here = relation.any(&mut terms, "0", &mut state.all);
        let then = terms.real("then@0");
        relation.invariants(&mut terms, &here, here.now, &mut state)?;
        relation.delay(&mut terms, &here, then, &mut delay)?;
        let (reached, wrong) = relation.formula(&mut terms, goal, &here, then)?;
        let taken = relation.transition(&mut terms, &here, then, "0", &mut step)?;
        // Guards fail whether a transition can be taken or not.
        let guards = std::mem::take(&mut step.faults);
        let there = relation.any(&mut terms, "1", &mut link.all);
        relation.require_successor(&mut terms, &here, &taken, (then, &there), (&mut step, &mut link))?;
        relation.invariants(&mut terms, &there, there.now, &mut arrival)?;
        let [links, starts] = ["links", "starts"].map(|name| terms.boolean(name));
        let faults = [state.faults, delay.faults, guards].concat();
        let bad = terms.or(faults.into_iter().chain([reached, wrong]));
        let fails = terms.or(step.faults);
        let [waiting, taking, landing] = [delay.all, step.all, arrival.all].map(|all| terms.and(all));
        let edges = taken.edges.into_iter().chain(taken.vectors).filter(|edge| *edge != Term::FALSE).collect();
        let mut queries = Queries {
            relation,
            terms,
            solver: solvers(),
            solvers,
            demands: Vec::new(),
            queries: 0,
            constants,
            stop,
            here,
            there,
            then,
            edges,
            waiting,
            taking,
            landing,
            links,
            bad,
            fails,
            starts,
            levels: Vec::new(),
        };
        queries.demand(Term::TRUE, state.all);
        queries.demand(links, link.all);
        queries.start();
        queries.renew(&[]);
        Ok(queries)
    }

    /// Adds permanent constraints that apply where a term holds.
    fn demand(&mut self, when: Term, all: Vec<Term>) {
        for demand in all {
            let demand = self.terms.implies(when, demand);
            self.demands.push(demand);
        }
    }

    /// Replaces the solver by a new one. Clauses from many queries slow a solver down.
    fn renew(&mut self, levels: &[Vec<Cube>]) {
        self.solver = (self.solvers)();
        self.queries = 0;
        for demand in &self.demands {
            self.solver.assert(&self.terms, *demand);
        }
        for (level, cubes) in levels.iter().enumerate() {
            cubes.iter().for_each(|cube| self.block(cube, level));
        }
    }

    /// Replaces the solver after many queries.
    pub(super) fn renew_if_due(&mut self, levels: &[Vec<Cube>]) {
        if self.queries > MAX_QUERIES {
            self.renew(levels);
        }
    }

    /// Encodes the initial state.
    fn start(&mut self) {
        let system = self.relation.system();
        let mut all: Vec<Term> = system.initial.iter().zip(&self.here.row).map(|(v, n)| n.is(*v)).collect();
        for (x, clock) in system.clocks.iter().enumerate().skip(1) {
            let (now, zero, value) = (self.here.now, self.here.zeros[x], i64::from(clock.initial));
            all.extend([self.terms.at_most(now, zero, value), self.terms.at_least(now, zero, value)]);
        }
        self.demand(self.starts, all);
    }

    /// Returns the terms that activate the clauses of a level and of all higher levels. Level 0 is
    /// the initial state.
    fn level(&mut self, level: usize) -> Vec<Term> {
        while self.levels.len() <= level {
            let term = self.terms.boolean(format!("level{}", self.levels.len()));
            self.levels.push(term);
        }
        if level == 0 {
            return vec![self.starts];
        }
        self.levels[level..].to_vec()
    }

    /// Blocks a cube in a level and in all lower levels.
    pub(super) fn block(&mut self, cube: &[StateLiteral], level: usize) {
        let switch = self.level(level)[0];
        let parts: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.here)).collect();
        let inside = self.terms.and(parts);
        let outside = self.terms.implies(switch, !inside);
        self.solver.assert(&self.terms, outside);
    }

    /// Fails if a limit was reached.
    pub(super) fn check_stop(&self) -> Result<(), QueryError> {
        if (self.stop)() { Err(QueryError::Stopped) } else { Ok(()) }
    }

    pub(super) fn check(&mut self, assumptions: &[Term]) -> Result<bool, QueryError> {
        self.queries += 1;
        match self.solver.check(&self.terms, assumptions, self.stop) {
            SatResult::Satisfiable => Ok(true),
            SatResult::Unsatisfiable => Ok(false),
            SatResult::Stopped => Err(QueryError::Stopped),
            SatResult::Unknown(why) => Err(QueryError::Unknown(why)),
        }
    }

    /// Returns whether the initial state satisfies its invariants.
    pub(super) fn has_initial_state(&mut self) -> Result<bool, QueryError> {
        let starts = self.starts;
        self.check(&[starts])
    }

    /// Returns a cube of bad states of a level, if there are any.
    pub(super) fn bad(&mut self, level: usize) -> Result<Option<Cube>, QueryError> {
        let switches = self.level(level);
        if self.bad != Term::FALSE && self.check(&[&switches[..], &[self.waiting, self.bad]].concat())? {
            return self.lift(LiftGoal::Bad).map(Some);
        }
        let failing = [self.waiting, self.taking, self.fails];
        if self.fails != Term::FALSE && self.check(&[&switches[..], &failing].concat())? {
            return self.lift(LiftGoal::Fails).map(Some);
        }
        Ok(None)
    }

    /// Decides whether a step leads into a cube from states of a level outside of it. If none does,
    /// returns the literals of the core; else [`Queries::lift`] generalises the predecessor.
    pub(super) fn unreachable(&mut self, cube: &[StateLiteral], level: usize) -> Result<Option<Cube>, QueryError> {
        let mut assumptions = self.level(level);
        let parts: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.here)).collect();
        let inside = self.terms.and(parts);
        assumptions.extend([self.waiting, self.taking, self.links, self.landing, !inside]);
        let targets: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.there)).collect();
        assumptions.extend(&targets);
        if self.check(&assumptions)? {
            return Ok(None);
        }
        let core = self.solver.core();
        let needed = cube.iter().zip(&targets).filter(|(_, term)| core.contains(term)).map(|(literal, _)| *literal);
        Ok(Some(needed.collect()))
    }

    /// Returns whether a step from a level leads into a cube.
    pub(super) fn is_reachable(&mut self, cube: &[StateLiteral], level: usize) -> Result<bool, QueryError> {
        let mut assumptions = self.level(level);
        assumptions.extend([self.waiting, self.taking, self.links, self.landing]);
        assumptions.extend(cube.iter().map(|literal| literal.term(&mut self.terms, &self.there)));
        self.check(&assumptions)
    }

    /// Returns the region of the state that was found, as a cube.
    pub(super) fn state(&mut self) -> Cube {
        let mut row = Vec::new();
        for number in &self.here.row {
            let mut values = number.values().iter();
            let value = values.find(|(_, term)| self.solver.holds(&self.terms, *term));
            row.push(value.map_or(0, |(value, _)| *value));
        }
        let now = self.moment(self.here.now);
        let zeros: Vec<Ratio> = self.here.zeros.clone().into_iter().map(|zero| self.moment(zero)).collect();
        let mut clocks: Vec<Ratio> = zeros.iter().map(|zero| now.minus(*zero).unwrap_or(Ratio::ZERO)).collect();
        clocks[0] = Ratio::ZERO;
        let mut cube = Vec::new();
        of_row(self.relation, &row, &mut cube);
        of_clocks(&self.constants, &clocks, &mut cube);
        cube.sort_unstable();
        cube
    }

    pub(super) fn moment(&mut self, x: Real) -> Ratio {
        let (numerator, denominator) = self.solver.real(&self.terms, x);
        Ratio::new(numerator, denominator).unwrap_or(Ratio::ZERO)
    }
}
