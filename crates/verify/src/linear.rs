//! Exact runs through a path on which clocks are stopped.
//!
//! Zones can't say which valuations such a path leads through. But its rows are known, so that
//! every clock is a number plus the lengths of the delays during which it runs, and whatever must
//! hold along the path is a formula over bounded sums of the moments at which its states are left:
//!
//! - Invariants are convex, so they hold throughout a delay if they hold at both ends.
//! - No urgent synchronisation is possible at a moment of a delay: its guards bound that moment
//!   from below and from above by sums, so one exists if every lower bound is below every upper
//!   bound.
//! - The guards of those who do not receive a broadcast do not hold.
//!
//! The solver decides this formula. Deadlocks and priorities are not part of it, and a formula that
//! must hold throughout a delay is asked at both ends: the run of the solution is executed, and
//! refused if it is not one.

use model::{
    Formula, Ratio, System,
    machine::ClockChange,
    replay::{Difference, Execution, Replayer, Visit},
    system::{EdgeId, Guard},
};
use smt::{Embedded, Real, SatResult, Solver, Term, Terms, UpperBound};

use crate::path::Stage;

/// Longer paths are not tried: the simplex method takes a second for 500 stages, and more than
/// twice as long for twice as many.
const MAX_STAGES: usize = 1000;

/// A number plus multiples of moments.
#[derive(Clone, Debug, Default)]
struct Sum {
    number: i64,
    moments: Vec<(i64, Real)>,
}

impl Sum {
    fn of(number: i64) -> Sum {
        Sum { number, moments: Vec::new() }
    }

    /// The time from one moment to another.
    fn between(from: Real, to: Real) -> Sum {
        Sum { number: 0, moments: vec![(1, to), (-1, from)] }
    }

    /// The sum of this and a multiple of another, if its number fits. Moments that cancel each
    /// other out are left out, so that a clock that runs all the time is one difference of moments.
    fn plus(&self, factor: i64, other: &Sum) -> Option<Sum> {
        let number = self.number.checked_add(other.number.checked_mul(factor)?)?;
        let mut moments = self.moments.clone();
        for (multiple, moment) in &other.moments {
            match moments.iter_mut().find(|(_, known)| known == moment) {
                Some((sum, _)) => *sum += factor * multiple,
                None => moments.push((factor * multiple, *moment)),
            }
        }
        moments.retain(|(multiple, _)| *multiple != 0);
        Some(Sum { number, moments })
    }
}

/// What holds along a path, as formulas.
pub(crate) struct Encoding<'a> {
    system: &'a System,
    replayer: Replayer<'a>,
    terms: Terms,
    solver: Embedded,
    /// The row of the last state.
    row: Vec<i32>,
    /// The clocks in the last state, after its delay.
    clocks: Vec<Sum>,
    /// The clocks when each stage is entered.
    entered: Vec<Vec<Sum>>,
    /// When each stage is left.
    left: Vec<Real>,
}

/// A run along a path on which clocks are stopped, to a state of the goal. `last` says what else
/// must hold at its end. `None`: there is no such run, or none was found.
pub(crate) fn run_through(
    system: &System,
    stages: &[&Stage<'_>],
    goal: Option<&Formula>,
    last: impl FnOnce(&mut Encoding<'_>) -> Option<Term>,
) -> Option<Vec<Visit>> {
    let mut encoding = Encoding::new(system);
    if stages.len() > MAX_STAGES || !encoding.stops_clocks(stages)? {
        return None;
    }
    for stage in stages {
        encoding.add(stage)?;
    }
    let end = last(&mut encoding)?;
    encoding.assert(end);
    let stop = || system.code.stopped().is_some();
    if encoding.solver.check(&encoding.terms, &[], &stop) != SatResult::Satisfiable {
        return None;
    }
    encoding.execute(stages, goal)
}

impl<'a> Encoding<'a> {
    fn new(system: &'a System) -> Encoding<'a> {
        Encoding {
            system,
            replayer: Replayer::new(system),
            terms: Terms::new(),
            solver: Embedded::new(),
            row: system.initial.clone(),
            clocks: system.clocks.iter().map(|clock| Sum::of(clock.initial.into())).collect(),
            entered: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Whether a clock is stopped in a state of the path. If not, zones say all that there is.
    fn stops_clocks(&mut self, stages: &[&Stage<'_>]) -> Option<bool> {
        if self.system.locations.iter().all(|location| location.rates.is_empty()) {
            return Some(false);
        }
        for stage in stages {
            if self.replayer.stopped(&stage.row).ok()?.contains(&true) {
                return Some(true);
            }
        }
        Some(false)
    }

    fn assert(&mut self, term: Term) {
        self.solver.assert(&self.terms, term);
    }

    /// `sum <= 0`, or `<`.
    fn at_most_zero(&mut self, sum: &Sum, strict: bool) -> Option<Term> {
        let bound = UpperBound { value: sum.number.checked_neg()?, strict };
        Some(self.terms.linear(sum.moments.iter().copied(), bound))
    }

    /// Where a clock constraint holds.
    fn difference(&mut self, d: Difference, clocks: &[Sum]) -> Option<Term> {
        let sum = clocks[d.left].plus(-1, &clocks[d.right])?.plus(-1, &Sum::of(d.bound))?;
        self.at_most_zero(&sum, d.strict)
    }

    /// Where a guard holds; the replayer has the row. `None`: it fails, or numbers are too large.
    fn guard(&mut self, guard: &Guard, clocks: &[Sum]) -> Option<Term> {
        if !self.replayer.test(guard.condition).ok()? {
            return Some(Term::FALSE);
        }
        let mut all = Vec::new();
        for c in &guard.clocks {
            if let Some(d) = self.replayer.difference(c).ok()? {
                all.push(self.difference(d, clocks)?);
            }
        }
        Some(self.terms.and(all))
    }

    /// Where a formula holds in the last state, with these clocks; more, if it asks for deadlocks.
    fn formula(&mut self, formula: &Formula, clocks: &[Sum]) -> Option<Term> {
        self.replayer.load(&self.row);
        match formula {
            Formula::True | Formula::Deadlock { .. } => Some(Term::TRUE),
            Formula::False => Some(Term::FALSE),
            Formula::Condition(pc) => Some(Term::constant(self.replayer.test(Some(*pc)).ok()?)),
            Formula::Clock(c) => match self.replayer.difference(c).ok()? {
                Some(d) => self.difference(d, clocks),
                None => Some(Term::TRUE),
            },
            Formula::NetDeadlock { states, .. } => self.formula(states, clocks),
            Formula::And(parts) => self.join(parts, clocks, Term::FALSE),
            Formula::Or(parts) => self.join(parts, clocks, Term::TRUE),
        }
    }

    /// `and`, which `false` decides, or `or`, which `true` decides. What follows may fail then.
    fn join(&mut self, parts: &[Formula], clocks: &[Sum], decisive: Term) -> Option<Term> {
        let mut all = Vec::new();
        for part in parts {
            let term = syntax::grow(|| self.formula(part, clocks))?;
            if term == decisive {
                return Some(decisive);
            }
            all.push(term);
        }
        Some(if decisive == Term::FALSE { self.terms.and(all) } else { self.terms.or(all) })
    }

    /// Adds a stage: its transition, and the delay after it.
    fn add(&mut self, stage: &Stage<'_>) -> Option<()> {
        let now = self.left.last().copied().unwrap_or(Real::ZERO);
        if !stage.edges.is_empty() {
            self.take(&stage.edges)?;
            if self.row[..self.system.identity] != stage.row[..self.system.identity] {
                return None;
            }
        }
        let entered = self.clocks.clone();
        self.invariants(&entered)?;
        for formula in stage.entry.into_iter().chain([stage.during]) {
            let holds = self.formula(formula, &entered)?;
            self.assert(holds);
        }

        let then = self.terms.real(format!("left{}", self.left.len()));
        let later = self.terms.at_least(then, now, 0);
        self.assert(later);
        let stands = |location: &model::system::Location| location.urgent || location.committed;
        let places = self.replayer.locations(&self.row);
        if places.iter().any(|place| stands(&self.system.locations[place.0 as usize])) {
            let same = self.terms.at_most(then, now, 0);
            self.assert(same);
        } else {
            let stopped = self.replayer.stopped(&self.row).ok()?;
            self.replayer.load(&self.row);
            for guards in self.replayer.urgent(&self.row) {
                let possible = self.possible_between(&guards, &entered, &stopped, (now, then))?;
                self.assert(!possible);
            }
            for (clock, _) in self.clocks.iter_mut().zip(&stopped).skip(1).filter(|(_, stopped)| !**stopped) {
                *clock = clock.plus(1, &Sum::between(now, then))?;
            }
            let left = self.clocks.clone();
            self.invariants(&left)?;
            let holds = self.formula(stage.during, &left)?;
            self.assert(holds);
        }
        self.entered.push(entered);
        self.left.push(then);
        Some(())
    }

    /// The invariants of the last state hold with these clocks.
    fn invariants(&mut self, clocks: &[Sum]) -> Option<()> {
        let system = self.system;
        self.replayer.load(&self.row);
        for place in self.replayer.locations(&self.row) {
            let holds = self.guard(&system.locations[place.0 as usize].invariant, clocks)?;
            self.assert(holds);
        }
        Some(())
    }

    /// Takes a transition from the last state.
    fn take(&mut self, edges: &[EdgeId]) -> Option<()> {
        self.guards(edges, true)?;
        let silent = self.replayer.silent(&self.row, edges);
        self.guards(&silent, false)?;
        let (row, changes) = self.replayer.update(&self.row, edges).ok()?;
        self.row = row;
        for change in changes {
            match change {
                ClockChange::Set { clock, value } => self.clocks[clock as usize] = Sum::of(value.into()),
                ClockChange::Copy { clock, from, plus } => {
                    let value = self.clocks[from as usize].plus(1, &Sum::of(plus.into()))?;
                    let negated = Sum::default().plus(-1, &value)?;
                    let positive = self.at_most_zero(&negated, false)?;
                    self.assert(positive);
                    self.clocks[clock as usize] = value;
                }
            }
        }
        Some(())
    }

    /// The guards of some edges hold after the delay in the last state, or none of them does.
    fn guards(&mut self, edges: &[EdgeId], hold: bool) -> Option<()> {
        let (system, clocks) = (self.system, self.clocks.clone());
        self.replayer.load(&self.row);
        for edge in edges {
            let holds = self.guard(&system.edges[edge.0 as usize].guard, &clocks)?;
            self.assert(if hold { holds } else { !holds });
        }
        Some(())
    }

    /// Where all guards hold at some moment of a delay before its end; the replayer has the row.
    fn possible_between(
        &mut self,
        guards: &[&Guard],
        entered: &[Sum],
        stopped: &[bool],
        (now, then): (Real, Real),
    ) -> Option<Term> {
        let moves = |x: usize| x != 0 && !stopped[x];
        let (mut lower, mut upper) = (vec![(Sum::default(), false)], vec![(Sum::between(now, then), true)]);
        let mut all = Vec::new();
        for guard in guards {
            if !self.replayer.test(guard.condition).ok()? {
                return Some(Term::FALSE);
            }
            for c in &guard.clocks {
                let Some(d) = self.replayer.difference(c).ok()? else { continue };
                let excess = entered[d.left].plus(-1, &entered[d.right])?.plus(-1, &Sum::of(d.bound))?;
                match (moves(d.left), moves(d.right)) {
                    // left + t - right < bound, so t < -excess.
                    (true, false) => upper.push((Sum::default().plus(-1, &excess)?, d.strict)),
                    // left - right - t < bound, so t > excess.
                    (false, true) => lower.push((excess, d.strict)),
                    _ => all.push(self.at_most_zero(&excess, d.strict)?),
                }
            }
        }
        for (low, open) in &lower {
            for (high, open_too) in &upper {
                let gap = low.plus(-1, high)?;
                all.push(self.at_most_zero(&gap, *open || *open_too)?);
            }
        }
        Some(self.terms.and(all))
    }

    /// Executes the run of the solution.
    fn execute(&mut self, stages: &[&Stage<'_>], goal: Option<&Formula>) -> Option<Vec<Visit>> {
        let mut run = Execution::new(self.system).ok()?;
        let mut now = Ratio::ZERO;
        for (stage, left) in stages.iter().zip(&self.left) {
            if !stage.edges.is_empty() {
                run.take(&stage.edges).ok()?;
            }
            let (numerator, denominator) = self.solver.real(&self.terms, *left);
            let then = Ratio::new(numerator, denominator)?;
            run.wait(then.minus(now)?).ok()?;
            now = then;
        }
        run.end(goal).ok()
    }

    /// Where a formula holds at the end of the path; more, if it asks for deadlocks.
    pub fn holds(&mut self, formula: &Formula) -> Option<Term> {
        let clocks = self.clocks.clone();
        self.formula(formula, &clocks)
    }

    /// Where the guards of some edges hold at the end of the path. `None`: one of them fails.
    pub fn allows(&mut self, edges: &[EdgeId]) -> Option<Term> {
        let (system, clocks) = (self.system, self.clocks.clone());
        self.replayer.load(&self.row);
        let mut all = Vec::new();
        for edge in edges {
            all.push(self.guard(&system.edges[edge.0 as usize].guard, &clocks)?);
        }
        Some(self.terms.and(all))
    }

    /// Where one of some later stages is entered with the same clocks as an earlier one.
    pub(crate) fn comes_back(&mut self, start: usize, turns: &[usize]) -> Option<Term> {
        let mut any = Vec::new();
        for turn in turns {
            let mut same = Vec::new();
            for x in 1..self.clocks.len() {
                let apart = self.entered[start][x].plus(-1, &self.entered[*turn][x])?;
                let (more, less) = (self.at_most_zero(&apart, false)?, Sum::default().plus(-1, &apart)?);
                same.extend([more, self.at_most_zero(&less, false)?]);
            }
            any.push(self.terms.and(same));
        }
        Some(self.terms.or(any))
    }
}
