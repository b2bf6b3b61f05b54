//! Operations on local zones.
//!
//! Index `a < count` stands for minus the time of agent `a`, and the others for the clocks, each as
//! its value minus the time of its owner. So the difference of a clock's index and its owner's is
//! the clock's value, as in zones where the reference clock has index 0, and it stays the same when
//! other agents let time pass.

use model::{machine::ClockChange, system::ProcessId};
use zone::Bound;

use super::agents::Agents;
use crate::graph::{DifferenceBound, EffectId, RunError, ZoneGraph};

/// Local zones, and a buffer for one.
pub(super) struct LocalZones<B> {
    pub agents: Agents,
    /// The agents of the current transition.
    pub taking: Vec<u32>,
    /// A synchronised zone, and behind it its local zone.
    pub whole: Vec<B>,
    /// The bounds of clocks against the common time, from above and from below.
    ends: Vec<[B; 2]>,
    /// The greatest number of constraints of a transition.
    constraints: usize,
    /// The greatest absolute value of bounds with which so many constraints are exact.
    greatest: B,
}

impl<B: Bound> LocalZones<B> {
    pub(super) fn new(agents: Agents) -> LocalZones<B> {
        let dim = agents.owners.len();
        let whole = vec![B::LE_ZERO; dim * dim + agents.area()];
        // A shortest path that goes through so many new bounds has one old bound more than new
        // ones.
        let constraints = 6 * agents.count + 64;
        let greatest = B::constant(B::MAX_CONSTANT.into() / (2 * constraints as i64 + 1));
        let ends = vec![[B::LE_ZERO; 2]; dim];
        LocalZones { agents, taking: Vec::new(), whole, ends, constraints, greatest }
    }

    /// Returns the number of bounds of a synchronised zone.
    pub(super) fn visible(&self) -> usize {
        self.agents.owners.len() * self.agents.owners.len()
    }

    /// Makes the buffer's local zone the initial one, before any time has passed.
    pub(super) fn begin(&mut self, initial: impl Iterator<Item = i32>) {
        let (visible, dim) = (self.visible(), self.agents.dim());
        let local = &mut self.whole[visible..];
        local.fill(B::LE_ZERO);
        for (clock, value) in (1..).zip(initial) {
            zone::copy(local, dim, self.agents.clock(clock), self.agents.owner(clock), B::from(value));
        }
        self.taking.clear();
        self.taking.extend(0..self.agents.count as u32);
    }

    /// Makes the buffer's local zone the part of one in which the agents of a transition have the
    /// same time and its guards hold. Returns `false` if it is empty.
    #[inline]
    pub(super) fn enter(&mut self, local: &[B], guards: &[DifferenceBound<B>]) -> bool {
        let (visible, dim) = (self.visible(), self.agents.dim());
        let part = &mut self.whole[visible..];
        part.copy_from_slice(local);
        let mut pairs = self.taking.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        pairs.all(|(a, b)| zone::constrain(part, dim, a, b, B::LE_ZERO) && zone::constrain(part, dim, b, a, B::LE_ZERO))
            && self.agents.constrain(part, guards)
    }

    /// Takes the transition with an effect in the buffer: its changes of clocks and the delays of
    /// its agents after it. Returns `false` if no global state is left.
    ///
    /// # Errors
    /// The numbers are too large for exact arithmetic.
    pub(super) fn leave(&mut self, graph: &ZoneGraph<'_, B>, row: &[i32], effect: EffectId) -> Result<bool, RunError> {
        let visible = self.visible();
        let LocalZones { agents, taking, whole, ends, constraints, greatest } = self;
        let (zone, local) = whole.split_at_mut(visible);
        let (parts, dim) = (graph.parts(effect), agents.dim());
        let (low, high) = (zone::lt(-*greatest), zone::le(*greatest));
        let fits = |bound: B| (low <= bound) & (bound <= high) | (bound >= B::INFINITY);
        let mut limits = parts.guards.iter().chain(parts.limits);
        let count = 2 * taking.len() + parts.guards.len() + 2 * parts.limits.len();
        if count > *constraints || !limits.all(|limit| fits(limit.bound)) {
            return Err(RunError::outgrown());
        }
        for change in parts.changes {
            // No clock is set to the value of another one.
            if let ClockChange::Set { clock, value } = *change {
                zone::copy(local, dim, agents.clock(clock), agents.owner(clock), B::from(value));
            }
        }
        if !agents.constrain(local, parts.limits) {
            return Ok(false);
        }
        for &agent in &*taking {
            if agent < agents.processes && graph.stands(row, ProcessId(agent)) {
                continue;
            }
            let at = agent as usize;
            for (other, bounds) in local.chunks_exact_mut(dim).enumerate() {
                if other != at {
                    bounds[at] = B::INFINITY;
                }
            }
        }
        agents.constrain(local, parts.limits);
        if !synchronise(agents, local, zone, ends) {
            return Ok(false);
        }
        graph.abstract_zone(zone, effect);
        // What a clock shows does not matter as long as nothing compares it, and its differences to
        // others would grow.
        for clock in 1..agents.owners.len() {
            if parts.lower[clock] == B::NONE && parts.upper[clock] == B::NONE {
                agents.forget(local, clock as u32);
            }
        }
        let all_fit = local.iter().fold(true, |all, bound| all & fits(*bound));
        if all_fit { Ok(true) } else { Err(RunError::outgrown()) }
    }

    /// Finds the synchronised zone of a local zone. Returns `false` if it is empty.
    pub(super) fn synchronise(&mut self, local: &[B], zone: &mut [B]) -> bool {
        synchronise(&self.agents, local, zone, &mut self.ends)
    }
}

/// Identifies the times of all agents. A shortest path in the graph of bounds that results is one
/// in the closed local zone, or two of them that meet at that time.
fn synchronise<B: Bound>(agents: &Agents, local: &[B], zone: &mut [B], ends: &mut [[B; 2]]) -> bool {
    let (count, dim, clocks) = (agents.count, agents.dim(), agents.owners.len());
    let times = local.chunks_exact(dim).take(count);
    if times.clone().any(|bounds| bounds[..count].iter().any(|bound| *bound < B::LE_ZERO)) {
        return false;
    }
    for (clock, end) in ends.iter_mut().enumerate().skip(1) {
        let at = agents.clock(clock as u32);
        let above = local[at * dim..][..count].iter().copied().fold(B::INFINITY, B::min);
        let below = times.clone().map(|bounds| bounds[at]).fold(B::INFINITY, B::min);
        *end = [above, below];
    }
    ends[0] = [B::LE_ZERO; 2];
    for x in 0..clocks {
        for y in 0..clocks {
            let through = zone::add(ends[x][0], ends[y][1]);
            zone[x * clocks + y] = match (x, y) {
                _ if x == y => B::LE_ZERO,
                (0, _) | (_, 0) => through,
                _ => through.min(local[agents.clock(x as u32) * dim + agents.clock(y as u32)]),
            };
        }
    }
    true
}

impl Agents {
    /// Returns the index of the agent whose time a clock shows.
    pub(super) fn owner(&self, clock: u32) -> usize {
        self.owners[clock as usize] as usize
    }

    /// Constrains a local zone by bounds of clocks. Returns `false` if it becomes empty.
    #[inline]
    fn constrain<B: Bound>(&self, local: &mut [B], limits: &[DifferenceBound<B>]) -> bool {
        let dim = self.dim();
        limits.iter().all(|limit| {
            let (left, right) = match (limit.left, limit.right) {
                (0, 0) => return limit.bound >= B::LE_ZERO,
                (clock, 0) => (self.clock(clock), self.owner(clock)),
                (0, clock) => (self.owner(clock), self.clock(clock)),
                (left, right) => (self.clock(left), self.clock(right)),
            };
            zone::constrain(local, dim, left, right, limit.bound)
        })
    }

    /// Removes all bounds of a clock from a local zone.
    fn forget<B: Bound>(&self, local: &mut [B], clock: u32) {
        let (dim, at, owner) = (self.dim(), self.clock(clock), self.owner(clock));
        local[at * dim..][..dim].fill(B::INFINITY);
        for bounds in local.chunks_exact_mut(dim) {
            bounds[at] = bounds[owner];
        }
        local[at * dim + at] = B::LE_ZERO;
    }
}
