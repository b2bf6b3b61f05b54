//! One search, put together.
//!
//! A [`Subject`] is the system that a query is asked of, in the form in which it is searched. From
//! it and a [`Plan`] a [`Task`] makes all that a search needs: clock bounds, the zone graph with
//! what wraps it, the store with its policy, and the open list.

use std::borrow::Cow;

use explore::{
    bounds::ClockBounds,
    chain::Chains,
    goal::Goal,
    graph::ZoneGraph,
    heuristic::Prepared,
    merging::Merging,
    open::OpenList,
    search::{Counts, Limits, Observer, Progress, Search, SearchOutcome, Stop},
    seen::Seen,
    symmetry::{Reduction, Represented},
    transitions::{SymbolicTrace, Transitions},
};
use model::{Formula, System, system::ClockId};
use zone::Bound;

use crate::{Plan, fastest};

/// A system as it is searched, and formulas about it.
pub struct Subject<'s> {
    /// The system.
    pub system: Cow<'s, System>,
    /// The formulas.
    pub formulas: Vec<Cow<'s, Formula>>,
    /// The clocks of the given system that the clocks of this one are.
    pub clocks: Vec<ClockId>,
    /// The clock that shows the time since the start, if there is one.
    time: Option<usize>,
}

impl<'s> Subject<'s> {
    /// A system as it is.
    pub fn whole(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        Subject {
            system: Cow::Borrowed(system),
            formulas: formulas.iter().map(|formula| Cow::Borrowed(*formula)).collect(),
            clocks: (0..system.clocks.len() as u32).map(ClockId).collect(),
            time: None,
        }
    }

    /// A system without the clocks that nothing compares.
    pub fn projected(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        match system.project(formulas) {
            Some(projection) => Subject {
                system: Cow::Owned(projection.system),
                formulas: projection.formulas.into_iter().map(Cow::Owned).collect(),
                clocks: projection.kept,
                time: None,
            },
            None => Subject::whole(system, formulas),
        }
    }

    /// A system with a clock that shows the time since the start. It is compared with nothing, but
    /// counts.
    pub fn timed(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        let timed = fastest::timed(system);
        let clocks = (0..timed.clocks.len() as u32).map(ClockId).collect();
        let time = Some(system.clocks.len());
        Subject { system: Cow::Owned(timed), clocks, time, ..Subject::whole(system, formulas) }
    }

    /// The first formula.
    pub fn formula(&self) -> &Formula {
        &self.formulas[0]
    }

    /// The numbers that its clocks are compared with.
    pub fn bounds<B: Bound>(&self) -> ClockBounds<B> {
        let formulas: Vec<&Formula> = self.formulas.iter().map(|formula| &**formula).collect();
        let mut bounds = ClockBounds::of_formulas(&self.system, &formulas);
        if let Some(clock) = self.time {
            bounds.measure(clock);
        }
        bounds
    }
}

/// A search that is ready to run, runs, or has run.
pub(crate) struct Task<'t, B> {
    transitions: Box<dyn Transitions<'t, B> + 't>,
    /// The states.
    pub seen: Seen<'t, B>,
    open: Box<dyn OpenList<B> + 't>,
    progress: Progress<B>,
}

impl<'t, B: Bound> Task<'t, B> {
    /// A search for states of the first formula, in an order that the formula does not guide.
    pub fn new(subject: &'t Subject<'_>, plan: &Plan, bounds: ClockBounds<B>) -> Task<'t, B> {
        let system = &*subject.system;
        let merging = plan.merging(system, subject.formula(), &bounds);
        let seen = Seen::new(plan.store(system), plan.abstraction.simulates()).with_merging(merging);
        let transitions = transitions(system, plan, bounds);
        Task::of(transitions, seen, plan.order.open_list(system, plan.seed))
    }

    fn of(
        mut transitions: Box<dyn Transitions<'t, B> + 't>,
        seen: Seen<'t, B>,
        open: Box<dyn OpenList<B> + 't>,
    ) -> Task<'t, B> {
        let progress = Progress::new(transitions.graph());
        Task { transitions, seen, open, progress }
    }

    /// The same, in the order that the plan wants for the formula.
    pub fn directed(self, subject: &'t Subject<'_>, plan: &Plan, limits: &Limits<'_>) -> Task<'t, B> {
        let clock = subject.time.unwrap_or(0);
        let open = plan.open_list(&subject.system, subject.formula(), clock, limits);
        Task { open, ..self }
    }

    /// The same, in the order of an open list.
    pub(crate) fn ordered(self, open: Box<dyn OpenList<B> + 't>) -> Task<'t, B> {
        Task { open, ..self }
    }

    /// The same, with another policy about elements of lattices.
    pub fn merging(self, merging: Merging<'t, B>) -> Task<'t, B> {
        Task { seen: self.seen.with_merging(Some(merging)), ..self }
    }

    /// Begins, or goes on where the search has paused. `None`: it pauses, having done the work that
    /// the limits allow.
    pub fn resume(
        &mut self,
        goal: &mut dyn Goal<B>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        let Task { transitions, seen, open, progress } = self;
        let (transitions, open) = (&mut **transitions, &mut **open);
        Search { transitions, goal, seen, open, limits, observer }.resume(progress)
    }

    /// Ends a search that will not be resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        let Task { transitions, seen, open, progress } = self;
        progress.end(&mut **transitions, seen, &**open, observer);
    }

    /// Runs to the end, or until the work is done that the limits allow.
    pub fn run(&mut self, goal: &mut dyn Goal<B>, limits: &Limits<'_>, observer: &mut dyn Observer) -> SearchOutcome {
        let outcome = self.resume(goal, limits, observer);
        self.end(observer);
        outcome.unwrap_or(SearchOutcome::Stopped(Stop::States))
    }

    /// What joining has cost so far, in transitions.
    pub fn joining_cost(&self) -> usize {
        self.seen.joining_cost(&self.progress.counts)
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.progress.counts
    }

    /// Returns the preparation of the heuristics.
    pub fn prepared(&self) -> Option<Prepared> {
        self.open.prepared()
    }

    /// The zone graph.
    pub fn graph(&mut self) -> &mut ZoneGraph<'t, B> {
        self.transitions.graph()
    }

    /// The edges, rows and zones along a path that was found.
    pub fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>> {
        self.transitions.follow(path)
    }
}

/// What is searched by a plan.
pub fn transitions<'t, B: Bound>(
    system: &'t System,
    plan: &Plan,
    bounds: ClockBounds<B>,
) -> Box<dyn Transitions<'t, B> + 't> {
    let reduction = if plan.symmetry { Reduction::new(system, &bounds) } else { None };
    let graph = ZoneGraph::new(system, bounds, plan.abstraction);
    match (reduction, plan.passing) {
        (Some(reduction), _) => Box::new(Represented::new(graph, reduction)),
        (None, Some(passing)) => Box::new(Chains::new(graph, passing)),
        (None, None) => Box::new(graph),
    }
}
