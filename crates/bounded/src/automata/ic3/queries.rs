//! The questions that the search asks: one step between any two states, in one solver.

use model::{Formula, Ratio};
use smt::{Real, SatResult, Solver, Term, Terms};

use super::{
    StateLiteral,
    lift::LiftGoal,
    literal::{Constants, of_clocks, of_row},
};
use crate::{
    automata::{Demands, Encoder, Frame},
    code::{EncodingError, Stop},
};

/// A set of states: those of which all literals hold. They are in order.
pub(super) type Cube = Vec<StateLiteral>;

/// Whether all of a cube's states are in another cube, as far as the literals show.
pub(super) fn within(cube: &[StateLiteral], other: &[StateLiteral]) -> bool {
    other.iter().all(|literal| cube.binary_search(literal).is_ok())
}

/// After so many questions a new solver is used.
const MOST_ASKED: usize = 500;

/// Why no answer was found.
pub(super) enum QueryError {
    /// A limit was reached.
    Stopped,
    /// A question is undecided, for this reason.
    Unknown(String),
}

/// One step from any state to any other.
pub(super) struct Queries<'q, 's> {
    encoder: &'q Encoder<'s>,
    pub(super) terms: Terms,
    pub(super) solver: Box<dyn Solver>,
    solvers: &'q mut dyn FnMut() -> Box<dyn Solver>,
    /// What always holds.
    demands: Vec<Term>,
    /// How many questions this solver was asked.
    asked: usize,
    pub(super) constants: Constants,
    stop: &'q Stop<'q>,
    pub(super) here: Frame,
    pub(super) there: Frame,
    /// When the transition is taken.
    pub(super) then: Real,
    /// Where each edge is taken and each vector called, for those that ever are.
    pub(super) edges: Vec<Term>,
    /// Time may pass like that.
    pub(super) waiting: Term,
    /// The edges are those of a transition that may be taken.
    pub(super) taking: Term,
    /// The state behind it is within its invariants.
    pub(super) landing: Term,
    /// Switches on that the state behind it is what the edges make of the one before it.
    pub(super) links: Term,
    /// Where the state is one that should not be reached: of the goal, or one in which the model
    /// fails.
    pub(super) bad: Term,
    /// Where the updates of a transition fail.
    pub(super) fails: Term,
    /// Holds where the state is the initial one.
    starts: Term,
    /// For each level a term that switches its clauses on.
    levels: Vec<Term>,
}

impl<'q, 's> Queries<'q, 's> {
    pub(super) fn new(
        encoder: &'q Encoder<'s>,
        goal: &Formula,
        constants: Constants,
        solvers: &'q mut dyn FnMut() -> Box<dyn Solver>,
        stop: &'q Stop<'q>,
    ) -> Result<Queries<'q, 's>, EncodingError> {
        let mut terms = Terms::new();
        let [mut state, mut delay, mut step, mut link, mut arrival] = [const { Demands::new() }; 5];
        let here = encoder.any(&mut terms, "0", &mut state.all);
        let then = terms.real("then@0");
        encoder.invariants(&mut terms, &here, here.now, &mut state)?;
        encoder.delay(&mut terms, &here, then, &mut delay)?;
        let (reached, wrong) = encoder.formula(&mut terms, goal, &here, then)?;
        let taken = encoder.transition(&mut terms, &here, then, "0", &mut step)?;
        // Guards fail whether a transition can be taken or not.
        let guards = std::mem::take(&mut step.faults);
        let there = encoder.any(&mut terms, "1", &mut link.all);
        encoder.leads_to(&mut terms, &here, &taken, (then, &there), (&mut step, &mut link))?;
        encoder.invariants(&mut terms, &there, there.now, &mut arrival)?;
        let [links, starts] = ["links", "starts"].map(|name| terms.boolean(name));
        let faults = [state.faults, delay.faults, guards].concat();
        let bad = terms.or(faults.into_iter().chain([reached, wrong]));
        let fails = terms.or(step.faults);
        let [waiting, taking, landing] = [delay.all, step.all, arrival.all].map(|all| terms.and(all));
        let edges = taken.edges.into_iter().chain(taken.vectors).filter(|edge| *edge != Term::FALSE).collect();
        let mut queries = Queries {
            encoder,
            terms,
            solver: solvers(),
            solvers,
            demands: Vec::new(),
            asked: 0,
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

    /// These always hold where the term does.
    fn demand(&mut self, when: Term, all: Vec<Term>) {
        for demand in all {
            let demand = self.terms.implies(when, demand);
            self.demands.push(demand);
        }
    }

    /// Starts anew with a solver that knows nothing of the questions of before, which make answers
    /// slow.
    fn renew(&mut self, levels: &[Vec<Cube>]) {
        self.solver = (self.solvers)();
        self.asked = 0;
        for demand in &self.demands {
            self.solver.assert(&self.terms, *demand);
        }
        for (level, cubes) in levels.iter().enumerate() {
            cubes.iter().for_each(|cube| self.block(cube, level));
        }
    }

    /// The same, if there were many of them.
    pub(super) fn tidy(&mut self, levels: &[Vec<Cube>]) {
        if self.asked > MOST_ASKED {
            self.renew(levels);
        }
    }

    /// Says what the initial state is.
    fn start(&mut self) {
        let system = self.encoder.system();
        let mut all: Vec<Term> = system.initial.iter().zip(&self.here.row).map(|(v, n)| n.is(*v)).collect();
        for (x, clock) in system.clocks.iter().enumerate().skip(1) {
            let (now, zero, value) = (self.here.now, self.here.zeros[x], i64::from(clock.initial));
            all.extend([self.terms.at_most(now, zero, value), self.terms.at_least(now, zero, value)]);
        }
        self.demand(self.starts, all);
    }

    /// What switches on the clauses of a level and of those above it; level 0 is the initial state.
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

    /// From now on no state of a cube is in a level, nor in those below it.
    pub(super) fn block(&mut self, cube: &[StateLiteral], level: usize) {
        let switch = self.level(level)[0];
        let parts: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.here)).collect();
        let inside = self.terms.and(parts);
        let outside = self.terms.implies(switch, !inside);
        self.solver.assert(&self.terms, outside);
    }

    /// Gives up where a limit is reached.
    pub(super) fn go_on(&self) -> Result<(), QueryError> {
        if (self.stop)() { Err(QueryError::Stopped) } else { Ok(()) }
    }

    pub(super) fn ask(&mut self, assumptions: &[Term]) -> Result<bool, QueryError> {
        self.asked += 1;
        match self.solver.check(&self.terms, assumptions, self.stop) {
            SatResult::Satisfiable => Ok(true),
            SatResult::Unsatisfiable => Ok(false),
            SatResult::Stopped => Err(QueryError::Stopped),
            SatResult::Unknown(why) => Err(QueryError::Unknown(why)),
        }
    }

    /// Whether there is an initial state.
    pub(super) fn starts(&mut self) -> Result<bool, QueryError> {
        let starts = self.starts;
        self.ask(&[starts])
    }

    /// A state of a level that should not be reached.
    pub(super) fn bad(&mut self, level: usize) -> Result<Option<Cube>, QueryError> {
        let switches = self.level(level);
        if self.bad != Term::FALSE && self.ask(&[&switches[..], &[self.waiting, self.bad]].concat())? {
            return self.lifted(LiftGoal::Bad).map(Some);
        }
        let failing = [self.waiting, self.taking, self.fails];
        if self.fails != Term::FALSE && self.ask(&[&switches[..], &failing].concat())? {
            return self.lifted(LiftGoal::Fails).map(Some);
        }
        Ok(None)
    }

    /// The part of a cube that says why no step leads into it from states of a level outside of it;
    /// `None`: one does, and [`Queries::lifted`] has where from.
    pub(super) fn out_of_reach(&mut self, cube: &[StateLiteral], level: usize) -> Result<Option<Cube>, QueryError> {
        let mut assumptions = self.level(level);
        let parts: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.here)).collect();
        let inside = self.terms.and(parts);
        assumptions.extend([self.waiting, self.taking, self.links, self.landing, !inside]);
        let targets: Vec<Term> = cube.iter().map(|literal| literal.term(&mut self.terms, &self.there)).collect();
        assumptions.extend(&targets);
        if self.ask(&assumptions)? {
            return Ok(None);
        }
        let core = self.solver.core();
        let needed = cube.iter().zip(&targets).filter(|(_, term)| core.contains(term)).map(|(literal, _)| *literal);
        Ok(Some(needed.collect()))
    }

    /// Whether a step from a level leads into a cube.
    pub(super) fn leads_into(&mut self, cube: &[StateLiteral], level: usize) -> Result<bool, QueryError> {
        let mut assumptions = self.level(level);
        assumptions.extend([self.waiting, self.taking, self.links, self.landing]);
        assumptions.extend(cube.iter().map(|literal| literal.term(&mut self.terms, &self.there)));
        self.ask(&assumptions)
    }

    /// The state that was found, with all of its region.
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
        of_row(self.encoder, &row, &mut cube);
        of_clocks(&self.constants, &clocks, &mut cube);
        cube.sort_unstable();
        cube
    }

    pub(super) fn moment(&mut self, x: Real) -> Ratio {
        let (numerator, denominator) = self.solver.real(&self.terms, x);
        Ratio::new(numerator, denominator).unwrap_or(Ratio::ZERO)
    }
}
