//! The symbolic state of a simulator: all valuations that the transitions of its run can reach.

use merkhet::pictures::Subjects;
use model::system::EdgeId;
use serde::Serialize;
use show::states::constraints;
use verify::{Reason, SymbolicState, SymbolicSteps};

use super::{
    Done, Simulator, SimulatorError,
    view::{ChoiceView, locations},
};

/// The most successors that a page is told.
const MAX_SUCCESSORS: usize = 200;

/// A symbolic state along the run.
pub struct Reached {
    /// The number of moves to it, and the transition of the last of them.
    at: usize,
    edges: Vec<Vec<EdgeId>>,
    state: SymbolicState,
}

/// The symbolic state for a page.
#[derive(Default, Serialize)]
pub struct SymbolicView {
    /// The constraints on clocks.
    zone: Vec<String>,
    /// The states that one transition leads to.
    successors: Vec<SuccessorView>,
    /// How many more there are.
    more: usize,
    /// Why they are unknown.
    problem: Option<String>,
}

/// A symbolic state that one transition leads to.
#[derive(Serialize)]
struct SuccessorView {
    number: usize,
    #[serde(flatten)]
    choice: ChoiceView,
    /// The locations of the processes that move.
    locations: Vec<String>,
    zone: Vec<String>,
    /// Whether the transition is possible with the delays of the run.
    now: bool,
}

/// The edges of a transition, and the symbolic state after it.
type SymbolicStep = (Vec<EdgeId>, SymbolicState);

impl Simulator {
    /// Returns the symbolic state in which the run is.
    fn symbolic_state(&mut self) -> Done<SymbolicState> {
        let taken = |moves: &[merkhet::simulation::Made]| -> Vec<Vec<EdgeId>> {
            moves.iter().map(|made| made.edges.clone()).collect()
        };
        let run = taken(&self.run.history[..self.run.at]);
        let failed = |why: Reason| SimulatorError::new(why.to_string());
        let unknown = || SimulatorError::new("the symbolic state is not known");
        let mut steps = SymbolicSteps::new(&self.system);
        let kept = self.reached.take().filter(|kept| run.starts_with(&kept.edges));
        let (mut at, mut state) = match kept {
            Some(Reached { at, state, .. }) => (at, state),
            None => {
                let start = steps.initial().map_err(failed)?;
                (0, self.fitting(start, 0).ok_or_else(unknown)?)
            }
        };
        while at < run.len() {
            if !run[at].is_empty() {
                let next = steps.successors_by(&state, &run[at]).map_err(failed)?;
                state = self.fitting(next, at + 1).ok_or_else(unknown)?;
            }
            at += 1;
        }
        self.reached = Some(Reached { at, edges: run, state: state.clone() });
        Ok(state)
    }

    /// Returns the state that the run is in after some moves. Urgency may split a state, so that
    /// the delays that follow decide.
    fn fitting(&self, states: Vec<SymbolicState>, moves: usize) -> Option<SymbolicState> {
        let mut leaves = moves;
        while self.run.history.get(leaves).is_some_and(|made| leaves < self.run.at && made.edges.is_empty()) {
            leaves += 1;
        }
        let (entered, left) = (self.run.state_at(moves), self.run.state_at(leaves));
        let fits = |state: &SymbolicState| state.row == entered.row && state.contains(&left.clocks);
        let mut fitting: Vec<SymbolicState> = states.into_iter().filter(fits).collect();
        let also = fitting.iter().position(|state| state.contains(&entered.clocks));
        let chosen = also.or_else(|| (!fitting.is_empty()).then_some(0))?;
        Some(fitting.swap_remove(chosen))
    }

    fn symbolic_successors(&mut self) -> Done<(SymbolicState, Vec<SymbolicStep>)> {
        let state = self.symbolic_state()?;
        let found = SymbolicSteps::new(&self.system).successors(&state);
        Ok((state, found.map_err(|why| SimulatorError::new(why.to_string()))?))
    }

    /// Returns a successor of the symbolic state, counted from 1.
    pub(super) fn symbolic_successor(&mut self, number: usize) -> Done<(Vec<EdgeId>, SymbolicState)> {
        let (_, mut found) = self.symbolic_successors()?;
        match number.checked_sub(1).filter(|i| *i < found.len()) {
            Some(i) => Ok(found.swap_remove(i)),
            None => Err(SimulatorError::new(format!("there is no symbolic successor {number} here"))),
        }
    }

    /// Describes the symbolic state and its successors.
    pub(super) fn symbolic_view(&mut self) -> SymbolicView {
        let problem = |why: SimulatorError| SymbolicView { problem: Some(why.message), ..SymbolicView::default() };
        let state = match self.symbolic_state() {
            Ok(state) => state,
            Err(why) => return problem(why),
        };
        let zone = constraints(&self.system, &state.constraints(&self.system));
        let found = match self.symbolic_successors() {
            Ok((_, found)) => found,
            Err(why) => return SymbolicView { zone, ..problem(why) },
        };
        let system = &self.system;
        let choices = self.run.situation(system).map_or_else(|_| Vec::new(), |situation| situation.choices);
        let subjects = Subjects::new(system);
        let about = (subjects.processes(), subjects.places());
        let successor = |((edges, next), number): (&(Vec<EdgeId>, SymbolicState), usize)| SuccessorView {
            number,
            choice: ChoiceView::new(system, &subjects, &about, edges),
            locations: locations(system, &state.row, &next.row),
            zone: constraints(system, &next.constraints(system)),
            now: choices.iter().any(|choice| choice.edges == *edges),
        };
        let successors = found.iter().zip(1..).take(MAX_SUCCESSORS).map(successor).collect();
        SymbolicView { zone, successors, more: found.len().saturating_sub(MAX_SUCCESSORS), problem: None }
    }
}
