//! All states of a small system, as a search finds them.

use explore::{
    bounds::ClockBounds,
    goal::asks_deadlock,
    graph::{RunError, ZoneGraph},
    parts::parts,
    record::{RecordedState, RecordedTransition, Recorder, Recording},
    search::{Limits, SearchOutcome},
    time::Time,
};
use model::{
    Formula, Property, Stop, System,
    replay::Replayer,
    system::{ClockConstraint, ClockId, ClockTerm, EdgeId, Operand},
};
use zone::Bound;

use crate::{
    Answer, Constraint, LocalTime, Options, Reason, Symmetry, Verdict,
    cover::Constraints,
    formulas, plan,
    reach::no_goal,
    task::{Subject, Task},
    trace::{Move, moves},
    width::{Width, width},
};

/// What states are marked by: a formula, and its negation. The abstraction keeps apart what either
/// distinguishes, so that marks are exact.
#[derive(Clone, Copy)]
pub struct Marking<'f> {
    /// The formula.
    pub holds: &'f Formula,
    /// Its negation.
    pub fails: &'f Formula,
}

/// Where in a symbolic state a formula holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nowhere.
    Nowhere,
    /// For some valuations.
    Somewhere,
    /// For all valuations.
    Everywhere,
    /// That is unknown: delays are not exact in this state.
    Unknown,
}

/// A state that was ever stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceState {
    /// Its row.
    pub row: Vec<i32>,
    /// Its zone, without what follows from the rest.
    pub constraints: Vec<Constraint>,
    /// Whether it is greater than what was reached when it was stored, since others were joined
    /// with that.
    pub is_joined: bool,
    /// The number of the state that stands for it since it is gone.
    pub replaced_by: Option<usize>,
    /// Where the formula holds, if states are marked.
    pub mark: Option<Mark>,
}

impl SpaceState {
    /// Returns what the clocks satisfy in this state. Several states may have the same row, and be
    /// reached by the same transitions.
    #[must_use]
    pub fn region(&self) -> Formula {
        let clock = |clock: usize| ClockTerm::Clock(ClockId(clock as u32));
        let part = |c: &Constraint| {
            Formula::Clock(ClockConstraint {
                condition: None,
                left: clock(c.left),
                right: clock(c.right),
                bound: Operand::Const(c.bound),
                strict: c.strict,
            })
        };
        Formula::And(self.constraints.iter().map(part).collect())
    }
}

/// All states and transitions of a search, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpace {
    /// The states, those that are gone included.
    pub states: Vec<SpaceState>,
    /// The transitions.
    pub arcs: Vec<RecordedTransition>,
}

/// Explores all states and keeps them, with the transitions between them and the states that stand
/// for others.
///
/// There is no goal, so joins are never undone.
///
/// The verdict is unknown if not all states could be explored. If that is because of the limit on
/// states, the first ones are kept.
pub(crate) fn state_space(
    system: &System,
    marking: Option<Marking<'_>>,
    options: &Options,
    limits: &Limits<'_>,
) -> Answer {
    // No state is a goal, but what the formulas distinguish counts.
    let property = Property::possibly(
        marking.map_or(Formula::False, |Marking { holds, fails }| Formula::Or(vec![holds.clone(), fails.clone()])),
    );
    let space = width(system, &[&property], options).and_then(|width| match width {
        Width::Narrow => state_space_in::<i32>(system, &property, marking, options, limits),
        Width::Wide => state_space_in::<i64>(system, &property, marking, options, limits),
    });
    let answer = formulas::blank(system);
    match space {
        Ok((space, true)) => Answer { verdict: Verdict::Satisfied, states: Some(space), ..answer },
        Ok((space, false)) => {
            Answer { verdict: Verdict::Unknown(Reason::Limit(Stop::States)), states: Some(space), ..answer }
        }
        Err(reason) => Answer { verdict: Verdict::Unknown(reason), ..answer },
    }
}

/// The same, with zones of one width. Also returns whether these are all states.
fn state_space_in<B: Bound>(
    system: &System,
    property: &Property,
    marking: Option<Marking<'_>>,
    options: &Options,
    limits: &Limits<'_>,
) -> Result<(StateSpace, bool), Reason> {
    let mut options = Options { symmetry: Symmetry::Off, local_time: LocalTime::Off, passing: None, ..options.clone() };
    options.joining.refines = false;
    let bounds = ClockBounds::<B>::new(system, property);
    let plan = plan(system, property, &bounds, &options);
    let subject = Subject::whole(system, &property.formulas());
    let mut recorder = Recorder::new(system);
    let mut task = Task::new(&subject, &plan, bounds);
    match task.run(&mut no_goal, limits, &mut recorder) {
        SearchOutcome::Exhausted | SearchOutcome::Found(_) | SearchOutcome::Spurious(_) => {
            let space = StateSpace::new(system, recorder.finish(), marking)?;
            // The last states may exceed the limit before it is checked.
            let all = limits.states.is_none_or(|most| space.states.len() <= most);
            Ok((space.first(limits.states), all))
        }
        SearchOutcome::Stopped(Stop::States) => {
            Ok((StateSpace::new(system, recorder.finish(), marking)?.first(limits.states), false))
        }
        SearchOutcome::Stopped(stop) => Err(Reason::Limit(stop)),
        SearchOutcome::Error(path, error) => {
            let steps = task.follow(&path).map(moves);
            let is_doubtful = plan.may_be_spurious(system, steps.as_deref(), &error);
            Err(if is_doubtful { plan.doubt() } else { Reason::of(system, &error) })
        }
        SearchOutcome::TooManyElements => {
            options.joining.apart = true;
            state_space_in::<B>(system, property, marking, &options, limits)
        }
        SearchOutcome::Disorder(disorder) => Err(Reason::disorder(system, &disorder)),
    }
}

impl StateSpace {
    fn new(system: &System, recording: Recording, marking: Option<Marking<'_>>) -> Result<StateSpace, Reason> {
        let clocks: Vec<ClockId> = (0..system.clocks.len() as u32).map(ClockId).collect();
        let mut constraints = Constraints::new(&clocks);
        let mut graph = marking.map(|marking| (ZoneGraph::<i64>::exact(system), marking.holds));
        let mut states = Vec::with_capacity(recording.states.len());
        for state in recording.states {
            if let Some(stop) = system.code.stopped() {
                return Err(Reason::Limit(stop));
            }
            let mark = graph.as_mut().map(|(graph, formula)| mark(graph, formula, &state)).transpose();
            states.push(SpaceState {
                mark: mark.map_err(|error| Reason::of(system, &error))?,
                constraints: constraints.of(&state.zone).to_vec(),
                row: state.row,
                is_joined: state.is_joined,
                replaced_by: state.replaced_by,
            });
        }
        Ok(StateSpace { states, arcs: recording.arcs })
    }

    /// Returns the number of transitions by which each state was found.
    #[must_use]
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.states.len()];
        // A state is found after the source of the transition to it.
        for arc in self.arcs.iter().filter(|arc| !arc.is_covered) {
            depths[arc.to] = arc.from.map_or(0, |from| depths[from] + 1);
        }
        depths
    }

    /// Returns the path by which a state was found, as [`Trace::concrete`](crate::Trace::concrete)
    /// takes it. If states are joined, there may be no run along it. `None`: the state does not
    /// exist, or an update on the path fails.
    #[must_use]
    pub fn path(&self, system: &System, state: usize) -> Option<Vec<Move>> {
        let mut found: Vec<Option<&RecordedTransition>> = vec![None; self.states.len()];
        self.arcs.iter().filter(|arc| !arc.is_covered).for_each(|arc| found[arc.to] = Some(arc));
        let mut steps: Vec<&[EdgeId]> = Vec::new();
        let mut at = state;
        loop {
            let arc = found.get(at).copied().flatten()?;
            let Some(from) = arc.from else { break };
            steps.push(&arc.edges);
            at = from;
        }
        // Rows of joined states are not those of a run.
        let mut replayer = Replayer::new(system);
        let mut path = vec![(Vec::new(), system.initial.clone())];
        for edges in steps.into_iter().rev() {
            let (row, _) = replayer.update(&path.last()?.1, edges).ok()?;
            path.push((edges.to_vec(), row));
        }
        Some(path)
    }

    /// Drops all but the first states.
    fn first(mut self, most: Option<usize>) -> StateSpace {
        let Some(most) = most else { return self };
        self.states.truncate(most);
        self.arcs.retain(|arc| arc.to < most && arc.from.is_none_or(|from| from < most));
        for state in &mut self.states {
            state.replaced_by = state.replaced_by.filter(|by| *by < most);
        }
        self
    }
}

/// Returns where in a state a formula holds.
fn mark(graph: &mut ZoneGraph<'_, i64>, formula: &Formula, state: &RecordedState) -> Result<Mark, RunError> {
    let Some(time) = Time::of(graph, &state.row)? else { return Ok(Mark::Unknown) };
    if asks_deadlock(formula) && !time.is_exact() {
        return Ok(Mark::Unknown);
    }
    let held = parts(graph, &time, formula, &state.row, &state.zone)?;
    Ok(match (held.is_empty(), held.includes(&state.zone)) {
        (true, _) => Mark::Nowhere,
        (false, false) => Mark::Somewhere,
        (false, true) => Mark::Everywhere,
    })
}
