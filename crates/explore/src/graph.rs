//! The zone graph: symbolic states and their successors, by UPPAAL's semantics.
//!
//! A symbolic state is a row (locations and variables) and a closed zone of clock values, within the invariants and
//! closed under the delays that they allow. Successors come in a fixed order: internal transitions by process, then
//! synchronisations by sender.

use model::{
    System,
    machine::{ClockChange, Fault, Machine},
    system::{ClockConstraint, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, Sync},
    vector::Joint,
};

use crate::{
    batch::Batch,
    bounds::ClockBounds,
    split::{pieces, split_diagonals},
};

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

/// Transitions that are enabled in a state, each with the part of the zone where it is.
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    area: usize,
    edges: Vec<EdgeId>,
    ends: Vec<u32>,
    zones: Vec<i32>,
}

impl Enabled {
    fn new(area: usize) -> Enabled {
        Enabled { area, ..Enabled::default() }
    }

    fn clear(&mut self) {
        self.edges.clear();
        self.ends.clear();
        self.zones.clear();
    }

    fn push(&mut self, edges: &[EdgeId], zone: &[i32]) {
        self.edges.extend_from_slice(edges);
        self.ends.push(self.edges.len() as u32);
        self.zones.extend_from_slice(zone);
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn edges(&self, i: usize) -> &[EdgeId] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.edges[start..self.ends[i] as usize]
    }

    fn zone(&self, i: usize) -> &[i32] {
        &self.zones[i * self.area..][..self.area]
    }
}

/// The symbolic states of a system.
pub struct ZoneGraph<'a> {
    system: &'a System,
    bounds: ClockBounds,
    abstraction: Abstraction,
    dim: usize,
    source: Machine<'a>,
    target: Machine<'a>,
    joint: Joint<'a>,
    enabled: Enabled,
    lower: Vec<i32>,
    upper: Vec<i32>,
    stopped: Vec<bool>,
    has_urgent_channels: bool,
    has_rates: bool,
    zone: Vec<i32>,
}

impl<'a> ZoneGraph<'a> {
    /// The zone graph of a system.
    #[must_use]
    pub fn new(system: &'a System, bounds: ClockBounds, abstraction: Abstraction) -> ZoneGraph<'a> {
        let dim = system.clocks.len();
        let width = system.initial.len();
        ZoneGraph {
            system,
            bounds,
            abstraction,
            dim,
            source: Machine::new(&system.code, width),
            target: Machine::new(&system.code, width),
            joint: Joint::new(system),
            enabled: Enabled::new(dim * dim),
            lower: vec![0; dim],
            upper: vec![0; dim],
            stopped: vec![false; dim],
            has_urgent_channels: system.channels.iter().any(|c| c.urgent),
            has_rates: system.locations.iter().any(|l| !l.rates.is_empty()),
            zone: vec![0; dim * dim],
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
        let locations = locations(self.system, row);
        self.bounds.of(locations, &mut self.lower, &mut self.upper);
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
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.area = self.dim * self.dim;
        enabled.clear();
        let mut result = self.enumerate(row, zone, &mut enabled);
        if result.is_ok() && self.system.has_priorities {
            result = self.prioritise(row, &mut enabled);
        }
        for i in 0..enabled.len() {
            if result.is_err() {
                break;
            }
            let mut zone = std::mem::take(&mut self.zone);
            zone.clear();
            zone.extend_from_slice(enabled.zone(i));
            result = self.fire(row, enabled.edges(i), &mut zone, out);
            self.zone = zone;
        }
        self.enabled = enabled;
        result
    }

    /// The parts of a state's zone from which a transition is possible at once, target invariants included.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn enabled_parts(&mut self, row: &[i32], zone: &[i32]) -> Result<Vec<Vec<i32>>, RunError> {
        let mut enabled = Enabled::new(self.dim * self.dim);
        self.enumerate(row, zone, &mut enabled)?;
        let mut parts = Vec::new();
        for i in 0..enabled.len() {
            parts.extend(self.enabled_part(row, enabled.edges(i), enabled.zone(i))?);
        }
        Ok(parts)
    }

    /// A part of a state's `zone` from which a transition leads to a part of the state behind it.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[i32],
        behind: &[i32],
    ) -> Result<Option<Vec<i32>>, RunError> {
        // Guards alone do not say where it can be taken: priorities and other receivers of a broadcast count too.
        let mut enabled = Enabled::new(self.dim * self.dim);
        self.enumerate(row, zone, &mut enabled)?;
        if self.system.has_priorities {
            self.prioritise(row, &mut enabled)?;
        }
        for i in (0..enabled.len()).filter(|i| enabled.edges(*i) == edges) {
            let part = self.part_before(row, edges, enabled.zone(i), behind.to_vec())?;
            if part.is_some() {
                return Ok(part);
            }
        }
        Ok(None)
    }

    /// The part of `zone` from which a transition leads into the invariants.
    fn enabled_part(&mut self, row: &[i32], edges: &[EdgeId], zone: &[i32]) -> Result<Option<Vec<i32>>, RunError> {
        let mut all = vec![0; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        self.part_before(row, edges, zone, all)
    }

    /// The part of `zone` from which a transition leads into `part` and the invariants.
    fn part_before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[i32],
        mut part: Vec<i32>,
    ) -> Result<Option<Vec<i32>>, RunError> {
        self.take(row, edges)?;
        let changes = self.target.changes.clone();
        // What holds behind the changes, carried back over them.
        if !self.invariants(&mut part, edges)? {
            return Ok(None);
        }
        for change in changes.iter().rev() {
            let fits = match *change {
                ClockChange::Set { clock, value } => zone::undo_reset(&mut part, self.dim, clock as usize, value),
                ClockChange::Copy { clock, from, plus } => {
                    zone::undo_copy(&mut part, self.dim, clock as usize, from as usize, plus)
                }
            };
            if !fits {
                return Ok(None);
            }
        }
        Ok(zone::intersect(&mut part, self.dim, zone).then_some(part))
    }

    /// Leaves of each transition only where none of a higher priority is enabled.
    fn prioritise(&mut self, row: &[i32], enabled: &mut Enabled) -> Result<(), RunError> {
        let mut all = Vec::new();
        for i in 0..enabled.len() {
            let part = self.enabled_part(row, enabled.edges(i), enabled.zone(i))?;
            all.push((priority(self.system, enabled.edges(i)), part));
        }
        let mut left = Enabled::new(enabled.area);
        for (i, (own, _)) in all.iter().enumerate() {
            let mut rest = pieces(enabled.zone(i), self.dim);
            for (other, part) in &all {
                if other > own
                    && let Some(part) = part
                {
                    rest.subtract_zone(part);
                }
            }
            for piece in rest.zones() {
                left.push(enabled.edges(i), piece);
            }
        }
        *enabled = left;
        Ok(())
    }

    /// All transitions whose guards hold somewhere in the zone.
    fn enumerate(&mut self, row: &[i32], zone: &[i32], out: &mut Enabled) -> Result<(), RunError> {
        let system = self.system;
        self.source.load(row);
        let places: Vec<LocationId> = locations(system, row).collect();
        let committed = places.iter().any(|l| system.locations[l.0 as usize].committed);
        let leaves_committed = |l: LocationId| !committed || system.locations[l.0 as usize].committed;
        let mut guarded = vec![0; self.dim * self.dim];
        for &place in places.iter().filter(|l| leaves_committed(**l)) {
            for &e in system.internal(place) {
                if self.holds(e)? {
                    guarded.copy_from_slice(zone);
                    if self.constrain(e, &mut guarded)? {
                        out.push(&[e], &guarded);
                    }
                }
            }
        }
        let mut sent = vec![0; self.dim * self.dim];
        for (p, &place) in places.iter().enumerate() {
            for &e in system.sending(place) {
                if !self.holds(e)? {
                    continue;
                }
                let Sync::Send(channel) = system.edges[e.0 as usize].sync else { continue };
                sent.copy_from_slice(zone);
                if !self.constrain(e, &mut sent)? {
                    continue;
                }
                if system.channels[channel.0 as usize].broadcast {
                    let mut call = Broadcast { places: &places, sender: p, channel, committed, edges: vec![e] };
                    self.broadcast(0, &mut call, &sent, out)?;
                    continue;
                }
                for (q, &other) in places.iter().enumerate() {
                    if q == p || !leaves_committed(place) && !leaves_committed(other) {
                        continue;
                    }
                    for &r in system.receiving(other, channel) {
                        if self.holds(r)? {
                            guarded.copy_from_slice(&sent);
                            if self.constrain(r, &mut guarded)? {
                                out.push(&[e, r], &guarded);
                            }
                        }
                    }
                }
            }
        }
        if !system.vectors.is_empty() {
            let mut joint: Vec<Vec<EdgeId>> = Vec::new();
            self.joint.for_each(row, |_, edges| joint.push(edges.to_vec()));
            for edges in joint {
                let leaves = |e: &EdgeId| leaves_committed(system.edges[e.0 as usize].source);
                if edges.iter().any(leaves) && self.all_hold(&edges)? {
                    guarded.copy_from_slice(zone);
                    if self.all_constrain(&edges, &mut guarded)? {
                        out.push(&edges, &guarded);
                    }
                }
            }
        }
        Ok(())
    }

    fn all_hold(&mut self, edges: &[EdgeId]) -> Result<bool, RunError> {
        for &e in edges {
            if !self.holds(e)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn all_constrain(&mut self, edges: &[EdgeId], zone: &mut [i32]) -> Result<bool, RunError> {
        for &e in edges {
            if !self.constrain(e, zone)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Every process that can receive does; where that depends on clocks the zone is split.
    fn broadcast(
        &mut self,
        q: usize,
        call: &mut Broadcast<'_>,
        zone: &[i32],
        out: &mut Enabled,
    ) -> Result<(), RunError> {
        let system = self.system;
        if q == call.places.len() {
            let leaves = |e: &EdgeId| system.locations[system.edges[e.0 as usize].source.0 as usize].committed;
            if !call.committed || call.edges.iter().any(leaves) {
                out.push(&call.edges, zone);
            }
            return Ok(());
        }
        if q == call.sender {
            return self.broadcast(q + 1, call, zone, out);
        }
        let mut rest = pieces(zone, self.dim);
        for &r in system.receiving(call.places[q], call.channel) {
            if !self.holds(r)? {
                continue;
            }
            let mut part = zone.to_vec();
            if self.constrain(r, &mut part)? {
                call.edges.push(r);
                self.broadcast(q + 1, call, &part, out)?;
                call.edges.pop();
                rest.subtract_zone(&part);
            }
        }
        for piece in rest.zones() {
            self.broadcast(q + 1, call, piece, out)?;
        }
        Ok(())
    }

    /// Whether the condition of an edge's guard holds in the source state.
    fn holds(&mut self, e: EdgeId) -> Result<bool, RunError> {
        match self.system.edges[e.0 as usize].guard.condition {
            None => Ok(true),
            Some(pc) => self.source.test(pc).map_err(|fault| RunError { fault, edges: vec![e] }),
        }
    }

    /// Constrains a zone by the clock constraints of an edge's guard.
    fn constrain(&mut self, e: EdgeId, zone: &mut [i32]) -> Result<bool, RunError> {
        let guard = &self.system.edges[e.0 as usize].guard;
        constrain(guard, &mut self.source, zone, self.dim).map_err(|fault| RunError { fault, edges: vec![e] })
    }

    /// Takes a transition: the state behind it is added, if it exists.
    fn fire(&mut self, row: &[i32], edges: &[EdgeId], zone: &mut [i32], out: &mut Batch) -> Result<(), RunError> {
        self.take(row, edges)?;
        for i in 0..self.target.changes.len() {
            apply(self.target.changes[i], zone, self.dim);
        }
        self.arrive(zone, edges, out)
    }

    /// Runs the updates of a transition on the target machine.
    fn take(&mut self, row: &[i32], edges: &[EdgeId]) -> Result<(), RunError> {
        let system = self.system;
        let error = |fault| RunError { fault, edges: edges.to_vec() };
        self.target.load(row);
        self.target.changes.clear();
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            self.target.execute(pc).map_err(error)?;
        }
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let first = system.processes[edge.process.0 as usize].first_location;
            self.target.row_mut()[edge.process.0 as usize] = (edge.target.0 - first.0) as i32;
        }
        Ok(())
    }

    /// Constrains a zone by the invariants of the target machine's state.
    fn invariants(&mut self, zone: &mut [i32], edges: &[EdgeId]) -> Result<bool, RunError> {
        let error = |fault| RunError { fault, edges: edges.to_vec() };
        for p in 0..self.system.processes.len() {
            let at = self.system.location(self.target.row(), ProcessId(p as u32));
            let invariant = &self.system.locations[at.0 as usize].invariant;
            if let Some(pc) = invariant.condition
                && !self.target.test(pc).map_err(error)?
            {
                return Ok(false);
            }
            if !constrain(invariant, &mut self.target, zone, self.dim).map_err(error)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds the target machine's state with `zone`: invariants, delay, abstraction.
    fn arrive(&mut self, zone: &mut [i32], edges: &[EdgeId], out: &mut Batch) -> Result<(), RunError> {
        if !self.invariants(zone, edges)? {
            return Ok(());
        }
        let blockers = match self.blockers(zone, edges)? {
            None => return self.store(zone, edges, out),
            Some(blockers) => blockers,
        };
        self.find_stopped(edges)?;
        if blockers.is_empty() {
            zone::delay_except(zone, self.dim, &self.stopped);
            if self.invariants(zone, edges)? {
                self.store(zone, edges, out)?;
            }
            return Ok(());
        }
        // Where an urgent synchronisation is enabled time stands still; elsewhere it goes until one is.
        let mut free = pieces(zone, self.dim);
        for blocker in &blockers {
            let mut still = zone.to_vec();
            if zone::intersect(&mut still, self.dim, blocker) {
                self.store(&mut still, edges, out)?;
            }
            free.subtract_zone(blocker);
        }
        for piece in free.zones() {
            let mut later = piece.to_vec();
            zone::delay_except(&mut later, self.dim, &self.stopped);
            let mut reached = pieces(&later, self.dim);
            for blocker in &blockers {
                let mut after = later.clone();
                if zone::intersect(&mut after, self.dim, blocker) {
                    self.strictly_later(&mut after);
                    reached.subtract_zone(&after);
                }
            }
            for piece in reached.zones() {
                let mut piece = piece.to_vec();
                if self.invariants(&mut piece, edges)? {
                    self.store(&mut piece, edges, out)?;
                }
            }
        }
        Ok(())
    }

    /// The valuations behind those of a zone, after some delay.
    fn strictly_later(&self, zone: &mut [i32]) {
        zone::delay_except(zone, self.dim, &self.stopped);
        for bound in &mut zone[1..self.dim] {
            if !zone::is_strict(*bound) {
                *bound = zone::lt(zone::value(*bound));
            }
        }
        zone::close(zone, self.dim);
    }

    /// Whether time may pass in a discrete state, as far as locations say.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn delays(&mut self, row: &[i32]) -> Result<bool, RunError> {
        self.target.load(row);
        let mut all = vec![0; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        Ok(self.blockers(&all, &[])?.is_some())
    }

    /// What time does to the states of a row and a zone within the invariants. `None`: it does not pass.
    pub(crate) fn future(&mut self, row: &[i32], zone: &[i32]) -> Result<Option<Future>, RunError> {
        self.target.load(row);
        let Some(blockers) = self.blockers(zone, &[])? else { return Ok(None) };
        self.find_stopped(&[])?;
        let mut later = zone.to_vec();
        zone::delay_except(&mut later, self.dim, &self.stopped);
        let exists = self.invariants(&mut later, &[])?;
        Ok(exists.then(|| Future { zone: later, blockers, stopped: self.stopped.clone() }))
    }

    /// Where urgent synchronisations forbid delay. `None`: everywhere.
    fn blockers(&mut self, zone: &[i32], edges: &[EdgeId]) -> Result<Option<Vec<Vec<i32>>>, RunError> {
        let system = self.system;
        let places: Vec<LocationId> = locations(system, self.target.row()).collect();
        let stands = |l: &LocationId| {
            let location = &system.locations[l.0 as usize];
            location.urgent || location.committed
        };
        if places.iter().any(stands) {
            return Ok(None);
        }
        let mut blockers = Vec::new();
        if !self.has_urgent_channels {
            return Ok(Some(blockers));
        }
        let error = |fault| RunError { fault, edges: edges.to_vec() };
        for (p, &place) in places.iter().enumerate() {
            for &e in system.sending(place) {
                let edge = &system.edges[e.0 as usize];
                let Sync::Send(c) = edge.sync else { continue };
                let channel = &system.channels[c.0 as usize];
                if !channel.urgent || !test(&edge.guard, &mut self.target).map_err(error)? {
                    continue;
                }
                let mut sent = vec![0; self.dim * self.dim];
                zone::universe(&mut sent, self.dim);
                if !constrain(&edge.guard, &mut self.target, &mut sent, self.dim).map_err(error)? {
                    continue;
                }
                if channel.broadcast {
                    blockers.push(sent);
                    continue;
                }
                for (_, &other) in places.iter().enumerate().filter(|(q, _)| *q != p) {
                    for &r in system.receiving(other, c) {
                        let guard = &system.edges[r.0 as usize].guard;
                        let mut both = sent.clone();
                        if test(guard, &mut self.target).map_err(error)?
                            && constrain(guard, &mut self.target, &mut both, self.dim).map_err(error)?
                        {
                            blockers.push(both);
                        }
                    }
                }
            }
        }
        if blockers.iter().any(|b| zone::is_included(zone, b)) {
            return Ok(None);
        }
        Ok(Some(blockers))
    }

    /// Finds the clocks that stand still in the target machine's state.
    fn find_stopped(&mut self, edges: &[EdgeId]) -> Result<(), RunError> {
        if !self.has_rates {
            return Ok(());
        }
        let error = |fault| RunError { fault, edges: edges.to_vec() };
        self.stopped.fill(false);
        for p in 0..self.system.processes.len() {
            let at = self.system.location(self.target.row(), ProcessId(p as u32));
            for rate in &self.system.locations[at.0 as usize].rates {
                if let Some(pc) = rate.condition
                    && !self.target.test(pc).map_err(error)?
                {
                    continue;
                }
                if number(rate.rate, &mut self.target).map_err(error)? == 0 {
                    let x = clock(rate.clock, &mut self.target).map_err(error)?;
                    self.stopped[x] = true;
                }
            }
        }
        Ok(())
    }

    /// Abstracts a zone and adds it to the target machine's state.
    fn store(&mut self, zone: &mut [i32], edges: &[EdgeId], out: &mut Batch) -> Result<(), RunError> {
        if matches!(self.abstraction, Abstraction::Alu | Abstraction::None) {
            out.push(self.target.row(), zone, edges);
            return Ok(());
        }
        let locations = locations(self.system, self.target.row());
        self.bounds.of(locations, &mut self.lower, &mut self.upper);
        let (lower, upper) = (&self.lower, &self.upper);
        match self.abstraction {
            Abstraction::ExtraLuPlus => {
                zone::extra_lu_plus(zone, self.dim, lower, upper);
            }
            Abstraction::ExtraLu => {
                zone::extra_lu(zone, self.dim, lower, upper);
            }
            _ => {
                let most: Vec<i32> = lower.iter().zip(upper).map(|(l, u)| *l.max(u)).collect();
                if !self.bounds.diagonals.is_empty() {
                    for piece in split_diagonals(zone, self.dim, &self.bounds.diagonals, &most) {
                        out.push(self.target.row(), &piece, edges);
                    }
                    return Ok(());
                }
                zone::extra_m(zone, self.dim, &most);
            }
        }
        out.push(self.target.row(), zone, edges);
        Ok(())
    }

    /// Whether a condition of a formula holds in a state.
    pub(crate) fn source_machine(&mut self, row: &[i32]) -> &mut Machine<'a> {
        self.source.load(row);
        &mut self.source
    }
}

/// What time does to states.
pub(crate) struct Future {
    /// Where they are now or later, as far as the invariants say.
    pub zone: Vec<i32>,
    /// Where urgent synchronisations stop time.
    pub blockers: Vec<Vec<i32>>,
    /// The clocks that stand still.
    pub stopped: Vec<bool>,
}

/// A broadcast whose receivers are being chosen.
struct Broadcast<'b> {
    places: &'b [LocationId],
    sender: usize,
    channel: model::system::ChannelId,
    committed: bool,
    edges: Vec<EdgeId>,
}

/// The locations of a row.
fn locations<'r>(system: &'r System, row: &'r [i32]) -> impl Iterator<Item = LocationId> + 'r {
    system.processes.iter().zip(row).map(|(p, at)| LocationId(p.first_location.0 + *at as u32))
}

/// The priority of a transition: that of its channel, then the highest of its processes.
fn priority(system: &System, edges: &[EdgeId]) -> (i32, i32) {
    let channel = match system.edges[edges[0].0 as usize].sync {
        Sync::Internal | Sync::Event(_) => system.internal_priority,
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].priority,
    };
    let process = |e: &EdgeId| system.processes[system.edges[e.0 as usize].process.0 as usize].priority;
    (channel, edges.iter().map(process).max().unwrap_or(0))
}

fn apply(change: ClockChange, zone: &mut [i32], dim: usize) {
    match change {
        ClockChange::Set { clock, value } => zone::reset(zone, dim, clock as usize, value),
        ClockChange::Copy { clock, from, plus } => zone::copy(zone, dim, clock as usize, from as usize, plus),
    }
}

fn test(guard: &Guard, machine: &mut Machine<'_>) -> Result<bool, Fault> {
    guard.condition.map_or(Ok(true), |pc| machine.test(pc))
}

/// Constrains a zone by clock constraints, whose numbers `machine` finds. `false`: nothing is left.
pub(crate) fn constrain(guard: &Guard, machine: &mut Machine<'_>, zone: &mut [i32], dim: usize) -> Result<bool, Fault> {
    for c in &guard.clocks {
        if !constrain_one(c, machine, zone, dim)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn constrain_one(
    c: &ClockConstraint,
    machine: &mut Machine<'_>,
    zone: &mut [i32],
    dim: usize,
) -> Result<bool, Fault> {
    if let Some(pc) = c.condition
        && !machine.test(pc)?
    {
        return Ok(true);
    }
    let value = number(c.bound, machine)?;
    let (left, right) = (clock(c.left, machine)?, clock(c.right, machine)?);
    let bound = if c.strict { zone::lt(value) } else { zone::le(value) };
    if left == right {
        return Ok(bound >= zone::LE_ZERO);
    }
    Ok(zone::constrain(zone, dim, left, right, bound))
}

fn number(operand: Operand, machine: &mut Machine<'_>) -> Result<i32, Fault> {
    match operand {
        Operand::Const(n) => Ok(n),
        Operand::Code { pc, .. } => machine.value(pc),
    }
}

fn clock(term: ClockTerm, machine: &mut Machine<'_>) -> Result<usize, Fault> {
    match term {
        ClockTerm::Clock(c) => Ok(c.0 as usize),
        ClockTerm::Element { pc, .. } => Ok(machine.value(pc)? as usize),
    }
}
