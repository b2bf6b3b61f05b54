//! All states of a small system, as a search finds them.

use explore::{
    bounds::ClockBounds,
    record::{RecordedTransition, Recorder, Recording},
    search::{Limits, SearchOutcome},
};
use model::{Formula, Property, Stop, System, system::ClockId};
use zone::Bound;

use crate::{
    Answer, Constraint, Options, Reason, Symmetry, Verdict,
    cover::Constraints,
    formulas, plan,
    reach::no_goal,
    task::{Subject, Task},
    trace::moves,
    width::{Width, width},
};

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
pub(crate) fn state_space(system: &System, options: &Options, limits: &Limits<'_>) -> Answer {
    let property = Property::possibly(Formula::False);
    let space = width(system, &[&property], options).and_then(|width| match width {
        Width::Narrow => state_space_in::<i32>(system, &property, options, limits),
        Width::Wide => state_space_in::<i64>(system, &property, options, limits),
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
    options: &Options,
    limits: &Limits<'_>,
) -> Result<(StateSpace, bool), Reason> {
    let mut options = Options { symmetry: Symmetry::Off, passing: None, ..options.clone() };
    options.joining.refines = false;
    let bounds = ClockBounds::<B>::new(system, property);
    let plan = plan(system, property, &bounds, &options);
    let subject = Subject::whole(system, &[&Formula::False]);
    let mut recorder = Recorder::new(system);
    let mut task = Task::new(&subject, &plan, bounds);
    match task.run(&mut no_goal, limits, &mut recorder) {
        SearchOutcome::Exhausted | SearchOutcome::Found(_) | SearchOutcome::Spurious(_) => {
            let space = StateSpace::new(system, recorder.finish());
            // The last states may exceed the limit before it is checked.
            let all = limits.states.is_none_or(|most| space.states.len() <= most);
            Ok((space.first(limits.states), all))
        }
        SearchOutcome::Stopped(Stop::States) => {
            Ok((StateSpace::new(system, recorder.finish()).first(limits.states), false))
        }
        SearchOutcome::Stopped(stop) => Err(Reason::Limit(stop)),
        SearchOutcome::Error(path, error) => {
            let steps = task.follow(&path).map(moves);
            let is_doubtful = plan.may_be_spurious(system, steps.as_deref(), &error);
            Err(if is_doubtful { plan.doubt() } else { Reason::of(system, &error) })
        }
        SearchOutcome::TooManyElements => {
            options.joining.apart = true;
            state_space_in::<B>(system, property, &options, limits)
        }
        SearchOutcome::Disorder(disorder) => Err(Reason::disorder(system, &disorder)),
    }
}

impl StateSpace {
    fn new(system: &System, recording: Recording) -> StateSpace {
        let clocks: Vec<ClockId> = (0..system.clocks.len() as u32).map(ClockId).collect();
        let mut constraints = Constraints::new(&clocks);
        let states = recording.states.into_iter().map(|state| SpaceState {
            constraints: constraints.of(&state.zone).to_vec(),
            row: state.row,
            is_joined: state.is_joined,
            replaced_by: state.replaced_by,
        });
        StateSpace { states: states.collect(), arcs: recording.arcs }
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
