//! The least and greatest values of clocks and integers.
//!
//! **Clocks.** Abstractions forget how large a clock is once it is above all numbers that it is
//! compared with. So it is watched as if it were compared with a number *k*: then all its values up
//! to *k* are those of real states. If a search finds none above *k*, the greatest that it saw is
//! the answer; otherwise the search starts again with a larger *k*. This ends unless the clock has
//! no bound, which is shown in one of three ways:
//! - in a zone that was not abstracted the clock has no upper bound;
//! - time may diverge while the condition holds;
//! - a run to a value above *k*, made concrete, passes two states that nothing distinguishes (see
//!   [`Regions`]; the watched clock counts only as far as the model and the condition compare it),
//!   with one or more whole units of time between them, and sets the clock neither between them nor
//!   later, other than to the value of a clock of which the same is true. What lies between them
//!   can be repeated as often as one likes, and takes the same time again: a clock that is set to 0
//!   in the first state is the same whole number in the second, whichever of two equivalent states
//!   the run starts from.
//!
//! If the clock has no bound the last one applies some day. A run to a value that is large enough
//! has, counted from any moment on, more whole units of time than there are regions, so that two
//! moments among them are equivalent.

use std::{
    cmp::Reverse,
    marker::PhantomData,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use explore::{
    bounds::ClockBounds,
    goal::{BoxedGoal, witness},
    graph::{Abstraction, ZoneGraph},
    merging::Merging,
    parts::parts,
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    store::Update,
    tally::Phase,
    time::Time,
    transitions::SymbolicTrace,
};
use model::{
    Extremum, Formula, Property, Quantity, Ratio, System,
    code::Pc,
    machine::{ClockChange, Machine},
    replay::{ConcreteState, Regions, Replayer, Visit},
    system::{ClockConstraint, ClockTerm, Operand},
};
use zone::{Bound, Federation};

use crate::{
    Answer, Options, Plan, Reason, Trace, Verdict, plan, rival,
    task::{Subject, Task},
    trace::{Aim, moves, run_to},
};

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

/// Values are searched for up to so many times the largest constant: a clock that grows beyond that
/// has no bound, and if that can't be shown the answer is unknown.
const MAX_GROWTH: i64 = 1 << 12;

/// Nor are numbers above this, with which zones would not be exact any more.
pub(crate) fn max_watched<B: Bound>() -> i64 {
    B::MAX_CONSTANT.into() >> 3
}

/// The number of steps up to which runs are searched for repetitions.
const MAX_LENGTH: usize = 3000;

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
    fn explore<G>(&mut self, bounds: ClockBounds<B>, goal: impl Fn() -> G) -> Result<Option<SymbolicTrace<B>>, Reason>
    where
        G: FnMut(&mut ZoneGraph<'_, B>, &Plan, &[i32], &[B]) -> Result<bool, explore::graph::RunError> + Send,
    {
        let plan = plan(self.system, self.property, &bounds, &self.options);
        self.plan = plan.clone();
        let subject = Subject::whole(self.system, &[self.predicate]);
        let plan = &plan;
        self.search(Task::new(&subject, plan, bounds), plan, &mut || {
            let mut goal = goal();
            Box::new(move |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
                Ok(goal(graph, plan, row, zone)?.then(|| zone.to_vec()))
            })
        })
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

    /// The greatest value of an integer, or the least one, where states are joined: the goal is a
    /// value above all that real runs were found to have. A goal that is out of reach undoes a
    /// join, another one raises the value.
    fn climb(&mut self, pc: Pc, up: bool) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let bounds = ClockBounds::<B>::new(system, self.property);
        let plan = self.plan.clone();
        let best: Mutex<Option<i32>> = Mutex::new(None);
        let known = || *best.lock().unwrap_or_else(PoisonError::into_inner);
        let above = |value: i32| known().is_none_or(|best| if up { value > best } else { value < best });
        let measure = |machine: &mut Machine<'_>, row: &[i32]| {
            machine.load(row);
            machine.value(pc).map_err(|fault| explore::graph::RunError { fault, edges: Vec::new() })
        };
        let beats = || {
            let mut machine = Machine::new(&system.code, system.initial.len());
            move |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
                let part = witness(graph, predicate, row, zone)?;
                Ok(if part.is_some() && above(measure(&mut machine, row)?) { part } else { None })
            }
        };
        let mut machine = Machine::new(&system.code, system.initial.len());
        let raise = |trace: &SymbolicTrace<B>| {
            let value = trace.last().and_then(|(_, row, _)| measure(&mut machine, row).ok());
            let higher = value.filter(|value| above(*value));
            if higher.is_some() {
                *best.lock().unwrap_or_else(PoisonError::into_inner) = higher;
            }
            higher.is_some()
        };
        let strategy = plan.joining.strategy(system);
        let graph = || ZoneGraph::new(system, bounds.clone(), plan.abstraction);
        let mut merging = Merging::new(system, &plan.merged, Some(strategy));
        if plan.splits() {
            merging = merging.with_splits(system, &plan.merged);
        }
        let merging = merging.with_probe(graph(), Box::new(beats()));
        let merging = merging.with_refinement(plan.joining.guide.clone()).with_climbing(Box::new(raise));
        let subject = Subject::whole(system, &[predicate]);
        let task = Task::new(&subject, &plan, bounds.clone()).merging(merging);
        let result = self.search(task, &plan, &mut || Box::new(beats()));
        // A search that climbs ends when nothing is higher.
        if result?.is_some() {
            return Err(plan.doubt());
        }
        Ok(known().map(|value| Limit::Number { value: value.into(), strict: false }))
    }

    fn integers(&mut self, quantities: &[Quantity], ranges: &mut [Range]) -> Result<(), Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let greatest: Vec<Peak<i32>> = quantities.iter().map(|_| Peak::default()).collect();
        let least: Vec<Peak<Reverse<i32>>> = quantities.iter().map(|_| Peak::default()).collect();
        self.explore(ClockBounds::<B>::new(system, self.property), || {
            let mut machine = Machine::new(&system.code, system.initial.len());
            let (mut high, mut low) = (vec![None; quantities.len()], vec![None; quantities.len()]);
            let (greatest, least) = (&greatest, &least);
            move |graph: &mut ZoneGraph<'_, B>, _: &Plan, row: &[i32], zone: &[B]| {
                // The formula is asked first: what it excludes may have no value.
                if witness(graph, predicate, row, zone)?.is_none() {
                    return Ok(false);
                }
                machine.load(row);
                for (i, quantity) in quantities.iter().enumerate() {
                    if let Quantity::Integer(pc) = quantity {
                        let error = |fault| explore::graph::RunError { fault, edges: Vec::new() };
                        let value = machine.value(*pc).map_err(error)?;
                        greatest[i].raise(value, &mut high[i]);
                        least[i].raise(Reverse(value), &mut low[i]);
                    }
                }
                Ok(false)
            }
        })?;
        let number = |value: i32| Limit::Number { value: value.into(), strict: false };
        for (i, range) in ranges.iter_mut().enumerate() {
            if matches!(quantities[i], Quantity::Integer(_)) {
                let least = least[i].get().map(|Reverse(value)| number(value));
                *range = Range { least, greatest: greatest[i].get().map(number) };
            }
        }
        Ok(())
    }

    fn greatest(&mut self, term: ClockTerm) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let least = ClockBounds::<B>::new(system, self.property).largest().max(B::LE_ZERO);
        let mut k = least;
        loop {
            let mut bounds = ClockBounds::<B>::new(system, self.property);
            bounds.watch(term, k, false);
            let (most, infinite) = (Peak::<B>::default(), AtomicBool::new(false));
            let beyond = self.explore(bounds, || {
                let (mut clocks, mut own) = (Clocks::new(system, term), None);
                let (most, infinite) = (&most, &infinite);
                move |graph: &mut ZoneGraph<'_, B>, plan: &Plan, row: &[i32], zone: &[B]| {
                    let Some(time) = Time::of(graph, row)? else { return Ok(false) };
                    let (x, dim) = (clocks.at(row)?, graph.dim());
                    for part in parts(graph, &time, predicate, row, zone)?.zones() {
                        let bound = part[x * dim];
                        most.raise(bound, &mut own);
                        let kept = plan.abstraction == Abstraction::None && !plan.stopwatches;
                        // Then the piece contains all delay successors of its valuations.
                        let open = || (1..dim).all(|y| part[y * dim] == B::INFINITY);
                        let passes =
                            || open() && time.is_exact() && !time.waits(part, &Federation::new(dim)).is_empty();
                        let is_infinite = bound == B::INFINITY && (kept || passes());
                        if is_infinite {
                            infinite.store(true, Ordering::Relaxed);
                        }
                        if is_infinite || bound > zone::le(k) {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
            })?;
            let Some(path) = beyond else {
                let number = |b: B| Limit::Number { value: zone::value(b).into(), strict: zone::is_strict(b) };
                return Ok(most.get().map(number));
            };
            if infinite.into_inner() || self.grows(path, term, k) {
                return Ok(Some(Limit::Infinite));
            }
            k = next(k, least).ok_or(Reason::Growth(k.into()))?;
        }
    }

    fn least(&mut self, term: ClockTerm) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let least = ClockBounds::<B>::new(system, self.property).largest().max(B::LE_ZERO);
        let mut k = least;
        loop {
            let mut bounds = ClockBounds::<B>::new(system, self.property);
            bounds.watch(term, k, true);
            // Bounds of `0 - x`: the larger, the smaller is x.
            let lowest = Peak::<B>::default();
            self.explore(bounds, || {
                let (mut clocks, mut own, lowest) = (Clocks::new(system, term), None, &lowest);
                move |graph: &mut ZoneGraph<'_, B>, _: &Plan, row: &[i32], zone: &[B]| {
                    let Some(time) = Time::of(graph, row)? else { return Ok(false) };
                    let x = clocks.at(row)?;
                    for part in parts(graph, &time, predicate, row, zone)?.zones() {
                        lowest.raise(part[x], &mut own);
                    }
                    // No clock is ever negative.
                    Ok(own == Some(B::LE_ZERO))
                }
            })?;
            let Some(bound) = lowest.get() else { return Ok(None) };
            let value = -zone::value(bound);
            // All that is above k may look as if it were next to it.
            if value < k || value == k && !zone::is_strict(bound) {
                return Ok(Some(Limit::Number { value: value.into(), strict: zone::is_strict(bound) }));
            }
            k = next(k, least).ok_or(Reason::Growth(k.into()))?;
        }
    }

    /// Whether a run along a path to a value above `k` shows that there is no bound.
    fn grows(&self, path: SymbolicTrace<B>, term: ClockTerm, k: B) -> bool {
        let regions = Regions::new(self.system, &[self.predicate]);
        let Some((_, last, _)) = path.last() else { return false };
        if regions.only_equal() || path.len() > MAX_LENGTH {
            return false;
        }
        let Ok(x) = Clocks::new(self.system, term).at(last) else { return false };
        let (left, right) = (ClockTerm::ZERO, term);
        let above = ClockConstraint { condition: None, left, right, strict: true, bound: Operand::Const((-k).into()) };
        let goal = Formula::join(true, [self.predicate.clone(), Formula::Clock(above)]);
        let Some(run) = run_to(self.system, &moves(path), Aim::Goal(&goal)) else { return false };
        repeats(self.system, &regions, &run, x).unwrap_or(false)
    }
}

/// The greatest value that the workers of a search have found.
struct Peak<T>(Mutex<Option<T>>);

impl<T> Default for Peak<T> {
    fn default() -> Peak<T> {
        Peak(Mutex::new(None))
    }
}

impl<T: Ord + Copy> Peak<T> {
    /// Notes a value. `own` is the greatest that this worker has found before.
    fn raise(&self, value: T, own: &mut Option<T>) {
        if *own < Some(value) {
            *own = Some(value);
            let mut peak = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *peak = (*peak).max(*own);
        }
    }

    fn get(&self) -> Option<T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A larger number to watch a clock up to; `least` is where that started.
fn next<B: Bound>(k: B, least: B) -> Option<B> {
    let most = B::constant(least.into().saturating_mul(MAX_GROWTH).min(max_watched::<B>()));
    (k < most).then(|| (k + k + B::LE_ZERO).min(most))
}

/// The clock that a term stands for in a state.
struct Clocks<'a> {
    machine: Machine<'a>,
    term: ClockTerm,
}

impl<'a> Clocks<'a> {
    fn new(system: &'a System, term: ClockTerm) -> Clocks<'a> {
        Clocks { machine: Machine::new(&system.code, system.initial.len()), term }
    }

    fn at(&mut self, row: &[i32]) -> Result<usize, explore::graph::RunError> {
        match self.term {
            ClockTerm::Clock(c) => Ok(c.0 as usize),
            ClockTerm::Element { pc, .. } => {
                self.machine.load(row);
                let error = |fault| explore::graph::RunError { fault, edges: Vec::new() };
                Ok(self.machine.value(pc).map_err(error)? as usize)
            }
        }
    }
}

/// Whether a run passes two equivalent states with whole units of time between them, and the clock
/// that becomes `x` is not set between them, nor is what it becomes until the end.
fn repeats(system: &System, regions: &Regions, run: &[Visit], x: usize) -> Option<bool> {
    // The states during which the value of x at the end was in one clock, backward.
    let mut origins = Vec::new();
    let (mut clock, mut end) = (x, run.len());
    let mut replayer = Replayer::new(system);
    for (i, pair) in run.windows(2).enumerate().rev() {
        let (_, changes) = replayer.update(&pair[0].state.row, &pair[1].edges).ok()?;
        let mut set = false;
        for change in changes.into_iter().rev() {
            match change {
                ClockChange::Copy { clock: to, from, .. } if to as usize == clock => {
                    (clock, set) = (from as usize, true);
                }
                ClockChange::Set { clock: to, .. } if to as usize == clock => {
                    (clock, set) = (0, true);
                    break;
                }
                _ => {}
            }
        }
        if set {
            origins.push(i + 1..end);
            end = i + 1;
        }
        if clock == 0 {
            break;
        }
    }
    if clock != 0 {
        origins.push(0..end);
    }
    for span in origins {
        if passes_again(regions, run, span)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether two of the moments that lie whole units of time after a run enters the first of some
/// states, and are in these states, are equivalent.
///
/// Moments stay equivalent while both go on for the same time. So one of the two may be taken to be
/// the last of its state; and the other one the last as well, or the one before, or one at which
/// some clock has the same whole part.
fn passes_again(regions: &Regions, run: &[Visit], span: std::ops::Range<usize>) -> Option<bool> {
    let stays = stays(run, span)?;
    let mut lasts: Vec<ConcreteState> = Vec::new();
    for stay in &stays {
        lasts.push(after(&run[stay.state].state, stay.last)?);
    }
    // What there is in a long run is enough.
    let mut tries = MAX_LENGTH * MAX_LENGTH;
    for (i, end) in stays.iter().zip(&lasts) {
        for (j, other) in stays.iter().zip(&lasts) {
            tries = tries.saturating_sub(1);
            if tries == 0 {
                return Some(false);
            }
            if run[i.state].state.row != run[j.state].state.row {
                continue;
            }
            // So much earlier than the last moment of the second state a clock is the same as in
            // that of the first. Where all are large one moment is as good as the next.
            let earlier = end.clocks.iter().zip(&other.clocks).skip(1).map(|(a, b)| b.floor().checked_sub(a.floor()));
            for earlier in earlier.chain([Some(0), Some(1)]) {
                let at = j.last.minus(Ratio::new(earlier?, 1)?)?;
                let apart = i.entered.plus(i.last)? != j.entered.plus(at)?;
                let stays = at >= j.first && at <= j.last;
                if apart && stays && regions.equivalent(end, &after(&run[j.state].state, at)?) {
                    return Some(true);
                }
            }
        }
    }
    Some(false)
}

/// A state of a run, and how long after it is entered the first and the last moment come that lie
/// whole units of time after the run enters the first of some states.
struct RunStay {
    state: usize,
    /// When it is entered.
    entered: Ratio,
    first: Ratio,
    last: Ratio,
}

fn stays(run: &[Visit], span: std::ops::Range<usize>) -> Option<Vec<RunStay>> {
    let (mut all, mut entered) = (Vec::new(), Ratio::ZERO);
    for state in span {
        let left = entered.plus(run[state].delay)?;
        let whole = |number: i64| Ratio::new(number, 1)?.minus(entered);
        let floor = entered.floor();
        let next = if entered == Ratio::new(floor, 1)? { floor } else { floor.checked_add(1)? };
        if Ratio::new(next, 1)? <= left {
            all.push(RunStay { state, entered, first: whole(next)?, last: whole(left.floor())? });
        }
        entered = left;
    }
    Some(all)
}

/// A state after a delay.
fn after(state: &ConcreteState, delay: Ratio) -> Option<ConcreteState> {
    let mut state = state.clone();
    for value in &mut state.clocks[1..] {
        *value = value.plus(delay)?;
    }
    Some(state)
}
