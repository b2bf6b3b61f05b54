//! The least and greatest values of clocks and integers.

mod clocks;
mod integers;
mod peak;
mod repeats;

use std::marker::PhantomData;

use explore::{
    bounds::ClockBounds,
    goal::BoxedGoal,
    graph::ZoneGraph,
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    store::Update,
    tally::Phase,
    transitions::SymbolicTrace,
};
use model::{Extremum, Formula, Property, Quantity, System};
use zone::Bound;

use crate::{
    Answer, Options, Plan, Reason, Trace, Verdict, joint, plan,
    resume::Findings,
    rival,
    task::{Subject, Task},
    trace::moves,
};
pub(crate) use clocks::max_watched;

/// A bound of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number, which is a value itself unless `strict`.
    Number {
        /// The number.
        value: i64,
        /// Whether values come as near as one likes, but not there.
        strict: bool,
    },
    /// There is no bound.
    Infinite,
}

/// The values of an expression. Both are `None` where no state satisfies the condition, and what
/// was not asked for is `None` as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The least value.
    pub least: Option<Limit>,
    /// The greatest value.
    pub greatest: Option<Limit>,
}

/// What a query asks for.
pub struct Extremes<'q> {
    /// Which bounds.
    pub extremum: Extremum,
    /// In which states.
    pub predicate: &'q Formula,
    /// Of what.
    pub quantities: &'q [Quantity],
}

/// What a search needs.
struct ExtremeSearch<'e, B> {
    system: &'e System,
    property: &'e Property,
    predicate: &'e Formula,
    options: Options,
    limits: &'e Limits<'e>,
    observer: &'e mut dyn Observer,
    /// The most states that one of the searches has stored in the end.
    stored: usize,
    /// The last plan.
    plan: Plan,
    /// A run to a run-time error.
    trace: Option<Trace>,
    /// Whether joined states meet a run-time error, and no run is known to.
    has_unmet_error: bool,
    /// How often a join was undone.
    refinements: usize,
    /// The most threads that one of the searches had.
    threads: usize,
    /// What is asked for.
    asked: &'e Extremes<'e>,
    /// The answer of plain covering, if refinement was given up.
    covered: Option<Answer>,
    /// The number type of the bounds of zones.
    width: PhantomData<B>,
}

/// Finds bounds.
pub fn extremes<B: Bound>(
    system: &System,
    property: &Property,
    asked: &Extremes<'_>,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let mut options = options.clone();
    // Joined zones have values that no state has. Values of integers are found by climbing.
    let joins = options.update == Some(Update::Join)
        && asked.quantities.iter().all(|quantity| matches!(quantity, Quantity::Integer(_)));
    if options.update == Some(Update::Join) && !joins {
        options.update = Some(Update::Cover);
    }
    let plan = plan(system, property, &ClockBounds::<B>::new(system, property), &options);
    let predicate = asked.predicate;
    let mut engine = ExtremeSearch {
        system,
        property,
        predicate,
        options,
        limits,
        observer,
        stored: 0,
        plan,
        trace: None,
        has_unmet_error: false,
        refinements: 0,
        threads: 1,
        asked,
        covered: None,
        width: PhantomData::<B>,
    };
    let (verdict, values) = match engine.all(asked) {
        // Without refinement there may be values that no run has.
        Ok(values) if engine.plan.update_is_imprecise() && !engine.plan.refines() => {
            (Verdict::Unknown(engine.plan.doubt()), Some(values))
        }
        Ok(values) if !engine.plan.stopwatches => (Verdict::Satisfied, Some(values)),
        // Nothing was found in zones that are too large, so nothing is there.
        Ok(values) if values.iter().all(|v| *v == Range::default()) => (Verdict::Satisfied, Some(values)),
        Ok(_) => (Verdict::Unknown(engine.plan.doubt()), None),
        Err(reason) => (Verdict::Unknown(reason), None),
    };
    if let Some(answer) = engine.covered {
        return Answer { decided: Phase::Probe, refinements: engine.refinements, ..answer };
    }
    let counts = Counts { stored: engine.stored, ..Counts::default() };
    let answer = Answer::new(verdict, engine.plan, counts);
    let (refinements, threads) = (engine.refinements, engine.threads);
    let answer = Answer { values, trace: engine.trace, refinements, threads, ..answer };
    if engine.has_unmet_error {
        // No run is known to meet the error: it may be one of joined states alone.
        let options = Options { update: Some(Update::Cover), ..engine.options };
        engine.observer.enter(Phase::Retry);
        let answer = extremes::<B>(system, property, asked, &options, limits, engine.observer);
        return Answer { decided: Phase::Retry, ..answer };
    }
    answer
}

impl<B: Bound> ExtremeSearch<'_, B> {
    fn all(&mut self, asked: &Extremes<'_>) -> Result<Vec<Range>, Reason> {
        let mut ranges = vec![Range::default(); asked.quantities.len()];
        if self.plan.update_is_imprecise() && self.plan.refines() {
            for (quantity, range) in asked.quantities.iter().zip(&mut ranges) {
                let Quantity::Integer(pc) = *quantity else { continue };
                if asked.extremum != Extremum::Inf {
                    range.greatest = self.climb(pc, true)?;
                }
                if asked.extremum != Extremum::Sup {
                    range.least = self.climb(pc, false)?;
                }
            }
            return Ok(ranges);
        }
        if asked.quantities.iter().any(|q| matches!(q, Quantity::Integer(_))) {
            self.integers(asked.quantities, &mut ranges)?;
        }
        for (quantity, range) in asked.quantities.iter().zip(&mut ranges) {
            if let Quantity::Clock(term) = quantity {
                if asked.extremum != Extremum::Inf {
                    range.greatest = self.greatest(*term)?;
                }
                if asked.extremum != Extremum::Sup {
                    range.least = self.least(*term)?;
                }
            }
            match asked.extremum {
                Extremum::Sup => range.least = None,
                Extremum::Inf => range.greatest = None,
                Extremum::Both => {}
            }
        }
        Ok(ranges)
    }

    /// Shows all states to goals, one for each worker, that `goal` makes. Returns the path to the
    /// one that ended the search, if one did.
    fn explore<G>(
        &mut self,
        bounds: ClockBounds<B>,
        findings: &dyn Findings,
        goal: impl Fn() -> G,
    ) -> Result<Option<SymbolicTrace<B>>, Reason>
    where
        G: FnMut(&mut ZoneGraph<'_, B>, &Plan, &[i32], &[B]) -> Result<bool, explore::graph::RunError> + Send,
    {
        let plan = plan(self.system, self.property, &bounds, &self.options);
        self.plan = plan.clone();
        let subject = Subject::whole(self.system, &[self.predicate]);
        let plan = &plan;
        self.search(Task::new(&subject, plan, bounds).finding(findings), plan, &mut || {
            let mut goal = goal();
            Box::new(move |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
                Ok(goal(graph, plan, row, zone)?.then(|| zone.to_vec()))
            })
        })
    }

    /// The greatest of the values that the processes have found, one by one.
    fn merged(&self, own: Vec<Option<i64>>) -> Result<Vec<Option<i64>>, Reason> {
        let cluster = self.plan.cluster.as_ref().filter(|_| self.plan.may_spread());
        joint::greatest(cluster, own, self.limits).map_err(Reason::Limit)
    }

    /// Runs a search, with a goal for each worker. Returns the path to the state that ended it, if
    /// one did.
    fn search<'g>(
        &mut self,
        mut task: Task<'_, B>,
        plan: &Plan,
        goal: &mut dyn FnMut() -> BoxedGoal<'g, B>,
    ) -> Result<Option<SymbolicTrace<B>>, Reason> {
        let outcome = if plan.update_is_imprecise() && plan.refines() {
            let options = Options { update: Some(Update::Cover), ..self.options.clone() };
            let (system, property, asked, covered) = (self.system, self.property, self.asked, &mut self.covered);
            let outcome = rival::run(&mut task, &mut *goal(), self.limits, self.observer, &mut |limits, observer| {
                let answer = extremes::<B>(system, property, asked, &options, limits, observer);
                *covered = Some(answer).filter(rival::decides);
                covered.is_some()
            });
            outcome.unwrap_or(SearchOutcome::Stopped(Stop::States))
        } else {
            task.run_by_threads(goal, self.limits, self.observer)
        };
        self.stored = self.stored.max(task.counts().stored);
        self.refinements += task.refinements();
        self.threads = self.threads.max(task.threads_used());
        match outcome {
            SearchOutcome::Exhausted => Ok(None),
            SearchOutcome::Found(path) => Ok(Some(task.follow(&path).unwrap_or_default())),
            SearchOutcome::Stopped(stop) => Err(Reason::Limit(stop)),
            SearchOutcome::TooManyElements => Err(plan.doubt()),
            SearchOutcome::Spurious(path) if path.called_feasible => Err(Reason::CalledFeasible),
            SearchOutcome::Spurious(_) => Err(plan.doubt()),
            SearchOutcome::Disorder(disorder) => Err(Reason::disorder(self.system, &disorder)),
            SearchOutcome::Error(path, error) => {
                let steps = task.follow(&path).map(moves);
                self.has_unmet_error = plan.may_be_spurious(self.system, steps.as_deref(), &error);
                self.trace = steps.and_then(|steps| Trace::to_failure(self.system, &steps, &error));
                Err(Reason::of(self.system, &error))
            }
        }
    }
}
