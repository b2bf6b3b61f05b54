//! The zone graph: symbolic states and their successors, by UPPAAL's semantics.
//!
//! A symbolic state is a row (locations and variables) and a closed zone of clock values, within the invariants and
//! closed under the delays that they allow. Successors come in a fixed order: internal transitions by process, then
//! synchronisations by sender, then joint transitions by vector.

mod arrive;
mod backward;
mod enabled;
mod prepared;
mod priority;

use model::{
    System,
    machine::{ClockChange, Fault, Machine},
    system::EdgeId,
    vector::Joint,
};

use crate::{batch::Batch, bounds::ClockBounds};
use enabled::Visit;
pub(crate) use prepared::constrain_one;
use prepared::{Limit, Prepared};

/// How zones are made finitely many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstraction {
    /// Zones are kept as they are; a state is covered by one whose aLU abstraction holds it.
    Alu,
    /// Extra+_LU, with bounds for each location.
    ExtraLuPlus,
    /// Extra_LU, with bounds for each location.
    ExtraLu,
    /// Extra_M, with bounds for each location: valuations that are merged have the same future, deadlocks included.
    ExtraM,
    /// None: the search may not end.
    None,
}

/// A run-time error of the model, and the transition whose taking shows it; no edges: the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// What went wrong.
    pub fault: Fault,
    /// Where.
    pub edges: Vec<EdgeId>,
}

impl RunError {
    fn at(edges: &[EdgeId]) -> impl Fn(Fault) -> RunError + '_ {
        |fault| RunError { fault, edges: edges.to_vec() }
    }
}

/// The symbolic states of a system.
pub struct ZoneGraph<'a> {
    system: &'a System,
    prepared: Prepared<'a>,
    bounds: ClockBounds,
    abstraction: Abstraction,
    dim: usize,
    /// Evaluates guards in the state that is left.
    source: Machine<'a>,
    /// Runs updates, and evaluates invariants in the state that is reached.
    target: Machine<'a>,
    joint: Joint<'a>,
    joint_edges: Vec<EdgeId>,
    joint_ends: Vec<usize>,
    has_urgent_channels: bool,
    // What follows is kept from one call to the next for its room only.
    /// The locations of the state that is left.
    places: Vec<u32>,
    /// The zone that a transition works on.
    zone: Vec<i32>,
    /// The limits of the invariants in the state that is reached.
    limits: Vec<Limit>,
    lower: Vec<i32>,
    upper: Vec<i32>,
    stopped: Vec<bool>,
}

impl<'a> ZoneGraph<'a> {
    /// The zone graph of a system.
    #[must_use]
    pub fn new(system: &'a System, bounds: ClockBounds, abstraction: Abstraction) -> ZoneGraph<'a> {
        let dim = system.clocks.len();
        let width = system.initial.len();
        ZoneGraph {
            system,
            prepared: Prepared::new(system),
            bounds,
            abstraction,
            dim,
            source: Machine::new(&system.code, width),
            target: Machine::new(&system.code, width),
            joint: Joint::new(system),
            joint_edges: Vec::new(),
            joint_ends: Vec::new(),
            has_urgent_channels: system.channels.iter().any(|c| c.urgent),
            places: Vec::new(),
            zone: vec![0; dim * dim],
            limits: Vec::new(),
            lower: vec![0; dim],
            upper: vec![0; dim],
            stopped: vec![false; dim],
        }
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// How many clocks there are, the reference included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// An empty list for successors.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::new(self.system.initial.len(), self.dim * self.dim)
    }

    /// The clock bounds of a discrete state: lower and upper ones.
    pub fn bounds(&mut self, row: &[i32]) -> (&[i32], &[i32]) {
        self.bounds.of(self.system, row, &mut self.lower, &mut self.upper);
        (&self.lower, &self.upper)
    }

    /// The initial states: one, several if urgency splits its delays, none if it violates an invariant.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn initial(&mut self, out: &mut Batch) -> Result<(), RunError> {
        self.target.load(&self.system.initial);
        let mut zone = vec![0; self.dim * self.dim];
        zone::zero(&mut zone, self.dim);
        for (x, clock) in self.system.clocks.iter().enumerate().skip(1) {
            if clock.initial != 0 {
                zone::reset(&mut zone, self.dim, x, clock.initial);
            }
        }
        self.arrive(&mut zone, &[], out)
    }

    /// The successors of a state.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn successors(&mut self, row: &[i32], zone: &[i32], out: &mut Batch) -> Result<(), RunError> {
        if self.system.has_priorities {
            return self.successors_by_priority(row, zone, out);
        }
        self.for_each_enabled(row, zone, &mut Fire { row, out })
    }

    /// Takes a transition from the part `zone` of a state: the states behind it are added, if they exist.
    fn fire(&mut self, row: &[i32], edges: &[EdgeId], zone: &mut [i32], out: &mut Batch) -> Result<(), RunError> {
        self.take(row, edges)?;
        for change in &self.target.changes {
            match *change {
                ClockChange::Set { clock, value } => zone::reset(zone, self.dim, clock as usize, value),
                ClockChange::Copy { clock, from, plus } => {
                    zone::copy(zone, self.dim, clock as usize, from as usize, plus);
                }
            }
        }
        self.arrive(zone, edges, out)
    }

    /// Runs the updates of a transition on the target machine.
    fn take(&mut self, row: &[i32], edges: &[EdgeId]) -> Result<(), RunError> {
        let system = self.system;
        self.target.load(row);
        self.target.changes.clear();
        let updates = edges.iter().filter_map(|e| self.prepared.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            self.target.execute(pc).map_err(RunError::at(edges))?;
        }
        let row = self.target.row_mut();
        for e in edges {
            let edge = &self.prepared.edges[e.0 as usize];
            row[edge.process as usize] = edge.target;
        }
        Ok(())
    }

    /// A machine in a state, for the conditions of formulas.
    pub(crate) fn source_machine(&mut self, row: &[i32]) -> &mut Machine<'a> {
        self.source.load(row);
        &mut self.source
    }
}

/// Takes each transition at once.
struct Fire<'b> {
    row: &'b [i32],
    out: &'b mut Batch,
}

impl Visit for Fire<'_> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_>,
        edges: &[EdgeId],
        zone: &mut [i32],
    ) -> Result<(), RunError> {
        graph.fire(self.row, edges, zone, self.out)
    }
}
