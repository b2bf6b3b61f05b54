//! The zone graph: symbolic states and their successors, by UPPAAL's semantics.
//!
//! A symbolic state is a row (locations and variables) and a closed zone of clock values that
//! satisfies the invariants and is closed under delay. Successors come in a fixed order: internal
//! transitions by process, then synchronisations by sender, then joint transitions by vector.

mod arrive;
mod backward;
mod effect;
mod enabled;
mod frugal;
mod kept;
mod keys;
mod memo;
mod moments;
mod moves;
mod one;
mod prepared;
mod priority;
mod signature;
mod steps;

use model::{
    Stop, System,
    machine::{Fault, FaultKind, Machine},
    system::{Edge, EdgeId, Sync},
    vector::Joint,
};
use zone::Bound;

use crate::{
    batch::Batch,
    bounds::ClockBounds,
    store::Discrete,
    zones::{ZoneId, Zones},
};
pub(crate) use effect::EffectId;
use effect::{EffectLookup, Effects, change};
use enabled::{TransitionVisitor, VisitEnd};
use kept::KeptRow;
use memo::Memo;
pub(crate) use moves::ListedMove;
use moves::Moves;
pub(crate) use prepared::{DifferenceBound, constrain_one};
use prepared::{Placed, PreparedSystem};
use signature::Signatures;

/// The abstraction that makes the zone graph finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstraction {
    /// Zones are stored as they are; a state covers those that its aLU abstraction includes.
    Alu,
    /// Extra+_LU, with bounds for each location.
    ExtraLuPlus,
    /// Extra_LU, with bounds for each location.
    ExtraLu,
    /// As aLU, with the greater bound of each clock for both: equivalent valuations have the same
    /// future, including deadlocks.
    Am,
    /// Extra⁺_M, with bounds for each location: merged valuations have the same future, including
    /// deadlocks.
    ExtraM,
    /// None: the search may not terminate.
    None,
}

/// A run-time error of the model, and the transition that causes it; no edges: the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// The fault.
    pub fault: Fault,
    /// The edges of the transition.
    pub edges: Vec<EdgeId>,
}

/// Returns a stopped search, reported like a run-time error.
fn stopped(stop: Stop) -> RunError {
    RunError { fault: Fault { kind: FaultKind::Stopped(stop), pc: u32::MAX }, edges: Vec::new() }
}

impl RunError {
    /// Returns the reason of a stopped search.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.fault.kind {
            FaultKind::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    fn at(edges: &[EdgeId]) -> impl Fn(Fault) -> RunError + '_ {
        |fault| RunError { fault, edges: edges.to_vec() }
    }
}

/// A transition: its edges, and the part of a zone in which it is enabled.
type GuardedTransition<B> = (Vec<EdgeId>, Vec<B>);

/// How time passes in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeProgress {
    /// No delay is possible.
    Stands,
    /// It passes for all clocks.
    Passes,
    /// It passes, but perhaps not for all clocks or not in all valuations.
    Depends,
}

/// The zone graph of a system.
pub struct ZoneGraph<'a, B = i32> {
    system: &'a System,
    prepared: PreparedSystem<'a, B>,
    signatures: Signatures,
    effects: Effects<B>,
    memo: Memo,
    moves: Moves,
    bounds: ClockBounds<B>,
    abstraction: Abstraction,
    dim: usize,
    /// Whether it serves to reconstruct runs that a search found. Its zones are not split, so they
    /// may contain valuations with run-time errors besides those of the run.
    is_exact: bool,
    /// Evaluates guards in the source state.
    source: Machine<'a>,
    /// Runs updates, and evaluates invariants in the target state.
    target: Machine<'a>,
    /// Taken while its transitions are visited.
    joint: Option<Box<Joint<'a>>>,
    has_urgent_channels: bool,
    has_simple_time: bool,
    /// The processes that have locations with constant bounds.
    limited: Vec<Placed>,
    /// The processes that have locations with other relevant properties.
    special: Vec<Placed>,
    /// The greatest size in bytes of a list of successors, if they do not come in batches.
    max_list_bytes: usize,
    /// Whether the caches were dropped to save memory.
    is_frugal: bool,
    // Buffers that are reused.
    /// The locations of the source state.
    places: Vec<u32>,
    /// The signatures of the source and of the target of a transition.
    source_signature: Vec<u64>,
    signature: Vec<u64>,
    /// The zone of a transition.
    zone: Vec<B>,
    /// The zone of all valuations.
    universe: Vec<B>,
    /// The bounds of the target's invariants that depend on variables.
    limits: Vec<DifferenceBound<B>>,
    lower: Vec<B>,
    upper: Vec<B>,
    stopped: Vec<bool>,
}

impl Abstraction {
    /// Returns whether states are covered by simulation instead of inclusion.
    #[must_use]
    pub fn simulates(self) -> bool {
        matches!(self, Abstraction::Alu | Abstraction::Am)
    }

    /// Returns whether the valuations that it adds to a zone are deadlocks only if others in the
    /// zone are.
    #[must_use]
    pub fn keeps_deadlocks(self) -> bool {
        matches!(self, Abstraction::Am | Abstraction::ExtraM | Abstraction::None)
    }
}

impl<'a, B: Bound> ZoneGraph<'a, B> {
    /// Creates the zone graph of a system.
    #[must_use]
    pub fn new(system: &'a System, bounds: ClockBounds<B>, abstraction: Abstraction) -> ZoneGraph<'a, B> {
        let dim = system.clocks.len();
        let width = system.initial.len();
        let prepared = PreparedSystem::new(system);
        let extrapolates = abstraction != Abstraction::None;
        let mut universe = vec![B::LE_ZERO; dim * dim];
        zone::universe(&mut universe, dim);
        ZoneGraph {
            system,
            signatures: Signatures::new(system, &prepared, extrapolates.then_some(&bounds)),
            limited: prepared.processes_with(|l| !l.limits.is_empty()),
            special: prepared.processes_with(|l| !l.is_plain),
            prepared,
            effects: Effects::default(),
            memo: Memo::new(),
            moves: Moves::new(width),
            bounds,
            abstraction,
            dim,
            is_exact: false,
            source: Machine::translating(system),
            target: Machine::translating(system),
            joint: None,
            has_urgent_channels: system.channels.iter().any(|c| c.urgent),
            has_simple_time: !has_uneven_time(system),
            places: Vec::new(),
            source_signature: Vec::new(),
            signature: Vec::new(),
            zone: vec![B::LE_ZERO; dim * dim],
            universe,
            max_list_bytes: usize::MAX,
            is_frugal: false,
            limits: Vec::new(),
            lower: vec![B::NONE; dim],
            upper: vec![B::NONE; dim],
            stopped: vec![false; dim],
        }
    }

    /// Creates the zone graph without abstraction, to reconstruct runs that are known to exist.
    #[must_use]
    pub fn exact(system: &'a System) -> ZoneGraph<'a, B> {
        // Without abstraction no bounds are needed.
        let graph = ZoneGraph::new(system, ClockBounds::of_formulas(system, &[]), Abstraction::None);
        ZoneGraph { is_exact: true, ..graph }
    }

    /// Returns the system.
    #[must_use]
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// Returns whether states are covered by simulation instead of inclusion.
    pub(crate) fn covers_by_simulation(&self) -> bool {
        self.abstraction.simulates()
    }

    /// Returns the number of clocks, including the reference clock.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns whether in every discrete state either no delay is possible or time passes for all
    /// clocks.
    pub(crate) fn has_simple_time(&self) -> bool {
        self.has_simple_time
    }

    /// Creates an empty list for successors.
    #[must_use]
    pub fn batch(&self) -> Batch<B> {
        Batch::new(self.system.initial.len(), self.dim * self.dim)
    }

    /// Returns the lower and upper clock bounds of a discrete state, for the abstraction.
    pub(crate) fn bounds(&mut self, row: &[i32]) -> (&[B], &[B]) {
        self.bounds.of(row, &mut self.lower, &mut self.upper);
        self.merge_bounds();
        (&self.lower, &self.upper)
    }

    /// Computes the clock bounds of the target machine's state, for the abstraction.
    fn find_bounds(&mut self) {
        self.bounds.of(self.target.row(), &mut self.lower, &mut self.upper);
        self.merge_bounds();
    }

    fn merge_bounds(&mut self) {
        if matches!(self.abstraction, Abstraction::Am | Abstraction::ExtraM) {
            for (lower, upper) in self.lower.iter_mut().zip(&mut self.upper) {
                let max = (*lower).max(*upper);
                (*lower, *upper) = (max, max);
            }
        }
    }

    /// Adds the initial states: one, several if urgency splits its delays, none if it violates an
    /// invariant.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError> {
        self.target.load(&self.system.initial);
        self.target.changes.clear();
        self.signatures.of_row(&self.system.initial, &mut self.signature);
        let zone = self.zero();
        let Some(found) = self.effect(&[])? else { return Ok(()) };
        let abstraction = self.abstraction;
        // There is one initial state, which needs no abstraction. The papers that count states of
        // Extra_LU do not abstract it.
        if abstraction == Abstraction::ExtraLu {
            self.abstraction = Abstraction::None;
        }
        let arrived = self.arrive(found, &zone, &[], None, out);
        self.abstraction = abstraction;
        arrived
    }

    /// Returns the initial clock values.
    fn zero(&self) -> Vec<B> {
        let mut zone = vec![B::LE_ZERO; self.dim * self.dim];
        zone::zero(&mut zone, self.dim);
        for (x, clock) in self.system.clocks.iter().enumerate().skip(1) {
            if clock.initial != 0 {
                zone::reset(&mut zone, self.dim, x, B::from(clock.initial));
            }
        }
        zone
    }

    /// Adds the successors of a state, all with computed zones.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn successors(&mut self, row: &[i32], zone: &[B], out: &mut Batch<B>) -> Result<(), RunError> {
        if self.system.has_priorities {
            return self.successors_by_priority(row, zone, out);
        }
        self.for_each_enabled(row, zone, &mut SuccessorVisitor::all(row, None, out))
    }

    /// Adds some successors of a state, starting with the transition of this index, up to about
    /// `max` integers of rows and zones. Returns the index of the next transition, if there are
    /// more.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn successors_from(
        &mut self,
        from: usize,
        row: &[i32],
        zone: &[B],
        max: usize,
        out: &mut Batch<B>,
    ) -> Result<Option<usize>, RunError> {
        if self.system.has_priorities {
            return self.successors_by_priority(row, zone, out).map(|()| None);
        }
        let mut step = SuccessorVisitor { skipped: from, max, ..SuccessorVisitor::all(row, None, out) };
        self.for_each_enabled(row, zone, &mut step)?;
        Ok(step.next)
    }

    /// Returns the size of the caches in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.effects.bytes() + self.memo.bytes() + self.moves.bytes() + self.source.bytes() + self.target.bytes()
    }

    /// Sets the greatest size in bytes of a list of successors; `None`: unlimited. With priorities
    /// and joins they come all at once.
    pub(crate) fn set_max_list_bytes(&mut self, bytes: Option<usize>) {
        self.max_list_bytes = bytes.unwrap_or(usize::MAX);
    }

    /// Checks that a list of successors fits into memory and that the search was not stopped.
    ///
    /// # Errors
    /// The reason to stop, reported like a run-time error.
    pub(crate) fn check_memory(&self, bytes: usize) -> Result<(), RunError> {
        if bytes > self.max_list_bytes {
            return Err(stopped(Stop::Memory));
        }
        self.check_signal()
    }

    /// Checks that the search was not stopped.
    ///
    /// # Errors
    /// The reason to stop, reported like a run-time error.
    #[inline]
    pub(crate) fn check_signal(&self) -> Result<(), RunError> {
        match self.system.code.stopped() {
            None => Ok(()),
            Some(stop) => Err(stopped(stop)),
        }
    }

    /// Adds the first successors of a state whose row and zone have ids, like
    /// [`ZoneGraph::successors_from`], or all of them `at_once`. Cached results are used.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn successors_of(
        &mut self,
        discrete: Discrete,
        row: &[i32],
        zone: &[B],
        known: (ZoneId, &Zones<B>),
        at_once: bool,
        out: &mut Batch<B>,
    ) -> Result<Option<usize>, RunError> {
        if self.system.has_priorities {
            return self.successors_by_priority(row, zone, out).map(|()| None);
        }
        if self.visit(discrete, row) && self.successors_listed(discrete, zone, known, out) {
            return Ok(None);
        }
        let max = if at_once { usize::MAX } else { BATCH_INTEGERS };
        let mut step = SuccessorVisitor { max, ..SuccessorVisitor::all(row, Some(known), out) };
        self.for_each_enabled(row, zone, &mut step)?;
        Ok(step.next)
    }

    /// Stores the ids of the discrete part and the zone of a successor in the caches.
    pub(crate) fn remember(&mut self, batch: &Batch<B>, i: usize, discrete: Discrete, zone: (ZoneId, &Zones<B>)) {
        self.remember_zone(batch, i, zone);
        if let Some(listed) = batch.listed(i) {
            self.moves.arrives(listed, discrete);
        }
    }

    /// Stores the id of a successor's zone in the cache.
    pub(crate) fn remember_zone(&mut self, batch: &Batch<B>, i: usize, (zone, zones): (ZoneId, &Zones<B>)) {
        if let Some(ticket) = batch.ticket(i) {
            self.memo.zone(ticket, zone, zones);
        }
    }

    /// Clears the caches by ids, for a new store.
    pub(crate) fn forget_numbers(&mut self) {
        self.memo.clear();
        self.moves.clear();
    }

    /// Takes a transition where its guards hold in `zone`, and adds its targets, if they exist.
    /// `kept` is that of the row.
    #[inline(always)]
    fn step(
        &mut self,
        (row, kept): (&[i32], &mut KeptRow),
        edges: &[EdgeId],
        zone: &[B],
        known: Option<(ZoneId, &Zones<B>)>,
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        match self.take_and_find(row, edges, kept) {
            Ok(None) => Ok(()),
            Ok(Some(found)) => self.arrive(found, zone, edges, known, out),
            // A fault in a disabled transition is not an error.
            Err(error) => {
                if self.cut(edges, zone)?.is_some() {
                    Err(error)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Runs the updates of a transition on the target machine.
    fn take(&mut self, row: &[i32], edges: &[EdgeId]) -> Result<(), RunError> {
        self.target.load(row);
        self.update(edges)
    }

    /// Runs the updates of a transition on the target machine, which is in the source state.
    #[inline(always)]
    fn update(&mut self, edges: &[EdgeId]) -> Result<(), RunError> {
        let system = self.system;
        self.target.changes.clear();
        if let Some(pc) = system.before_update {
            self.target.execute(pc).map_err(RunError::at(edges))?;
        }
        for e in edges {
            if let Some(pc) = self.prepared.edges[e.0 as usize].update {
                self.target.execute(pc).map_err(RunError::at(edges))?;
            }
        }
        if let Some(pc) = system.after_update {
            self.target.execute(pc).map_err(RunError::at(edges))?;
        }
        let row = self.target.row_mut();
        for e in edges {
            let edge = &self.prepared.edges[e.0 as usize];
            row[edge.process as usize] = edge.target;
        }
        Ok(())
    }

    /// Returns a machine in a state, for the conditions of formulas.
    pub(crate) fn source_machine(&mut self, row: &[i32]) -> &mut Machine<'a> {
        self.source.load(row);
        &mut self.source
    }
}

/// Returns whether clocks may be stopped, or decide where urgent channels forbid delays.
fn has_uneven_time(system: &System) -> bool {
    let by_clocks = |e: &Edge| match e.sync {
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].urgent && !e.guard.clocks.is_empty(),
        Sync::Internal | Sync::Event(_) => false,
    };
    system.edges.iter().any(by_clocks) || system.locations.iter().any(|l| !l.rates.is_empty())
}

/// The approximate number of integers of rows and zones in a batch. A state may have a million
/// successors.
pub(crate) const BATCH_INTEGERS: usize = 1 << 21;

/// Takes all transitions, or some of them.
struct SuccessorVisitor<'b, B> {
    row: &'b [i32],
    kept: KeptRow,
    known: Option<(ZoneId, &'b Zones<B>)>,
    out: &'b mut Batch<B>,
    /// The number of transitions to skip.
    skipped: usize,
    /// The number of visited transitions.
    visited: usize,
    /// The greatest number of integers in the batch.
    max: usize,
    /// The next transition, if there may be more.
    next: Option<usize>,
}

impl<'b, B: Bound> SuccessorVisitor<'b, B> {
    fn all(row: &'b [i32], known: Option<(ZoneId, &'b Zones<B>)>, out: &'b mut Batch<B>) -> SuccessorVisitor<'b, B> {
        let kept = KeptRow::default();
        SuccessorVisitor { row, kept, known, out, skipped: 0, visited: 0, max: usize::MAX, next: None }
    }
}

impl<B: Bound> TransitionVisitor<B> for SuccessorVisitor<'_, B> {
    #[inline]
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        whole: bool,
    ) -> Result<(), VisitEnd> {
        self.visited += 1;
        if self.visited & 0x3F == 0 {
            graph.check_memory(self.out.bytes())?;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        if self.out.numbers() >= self.max {
            self.next = Some(self.visited - 1);
            return Err(VisitEnd::Enough);
        }
        Ok(graph.step((self.row, &mut self.kept), edges, zone, self.known.filter(|_| whole), self.out)?)
    }
}
