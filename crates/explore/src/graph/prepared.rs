//! The data of edges and locations that exploration needs, compact in memory and with encoded
//! constant clock constraints.

use std::collections::HashMap;
use zone::Bound;

use model::{
    System,
    code::Pc,
    machine::{Fault, Machine},
    system::{ClockConstraint, ClockTerm, Guard, LocationId, Operand, Sync},
};

/// `left - right` within an encoded bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DifferenceBound<B> {
    pub left: u32,
    pub right: u32,
    pub bound: B,
}

impl<B: Bound> DifferenceBound<B> {
    /// Constrains a zone. Returns `false` if it becomes empty.
    #[inline]
    pub(crate) fn constrain(self, zone: &mut [B], dim: usize) -> bool {
        if self.left == self.right {
            return self.bound >= B::LE_ZERO;
        }
        zone::constrain(zone, dim, self.left as usize, self.right as usize, self.bound)
    }

    /// Returns the clock and the bound, if it bounds a clock from above.
    pub(crate) fn ceiling(self) -> Option<(usize, B)> {
        (self.right == 0 && self.left != 0).then_some((self.left as usize, self.bound))
    }

    /// Returns whether some valuation of a zone is within the bound.
    #[inline]
    pub(crate) fn is_met(self, zone: &[B], dim: usize) -> bool {
        if self.left == self.right {
            return self.bound >= B::LE_ZERO;
        }
        zone::satisfies(zone, dim, self.left as usize, self.right as usize, self.bound)
    }
}

/// The clock constraints of a guard or invariant: encoded constant ones, and others that are
/// evaluated in each state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintList {
    first: u32,
    count: u32,
    /// The id of the constant ones; equal lists have equal ids.
    number: u32,
    /// Whether there are non-constant ones.
    dynamic: bool,
}

impl ConstraintList {
    /// Returns whether there are no constraints.
    pub(crate) fn is_empty(self) -> bool {
        self.count == 0 && !self.dynamic
    }

    /// Returns whether there are non-constant ones.
    pub(crate) fn is_dynamic(self) -> bool {
        self.dynamic
    }

    /// Returns the id of the list of constant bounds.
    pub(crate) fn number(self) -> u32 {
        self.number
    }
}

pub(crate) struct PreparedEdge {
    pub condition: Option<Pc>,
    pub limits: ConstraintList,
    pub update: Option<Pc>,
    pub process: u32,
    /// Counted from the process's first location.
    pub target: i32,
    /// Whether it leaves a committed location.
    pub committed: bool,
    pub channel: u32,
}

pub(crate) struct PreparedLocation {
    /// Whether it has no relevant property besides constant bounds.
    pub is_plain: bool,
    /// Whether no delay is possible.
    pub stands: bool,
    pub committed: bool,
    pub rates: bool,
    pub condition: Option<Pc>,
    pub limits: ConstraintList,
}

/// A process, and its first location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub process: u32,
    pub first: u32,
}

/// The edges and locations of a system.
pub(crate) struct PreparedSystem<'a, B> {
    system: &'a System,
    pub edges: Vec<PreparedEdge>,
    pub locations: Vec<PreparedLocation>,
    /// What decides about the transitions from each location, see [`COMMITTED`] and [`ALONE`].
    pub marks: Vec<u8>,
    /// The processes that may receive on each channel.
    pub receivers: Vec<Vec<u32>>,
    limits: Vec<DifferenceBound<B>>,
}

/// Marks committed locations.
pub(crate) const COMMITTED: u8 = 1;
/// Marks locations that internal edges leave.
pub(crate) const ALONE: u8 = 2;
/// Marks locations that sending edges leave.
pub(crate) const SENDING: u8 = 4;

impl<'a, B: Bound> PreparedSystem<'a, B> {
    pub(crate) fn new(system: &'a System) -> PreparedSystem<'a, B> {
        let mut all = ConstraintLists::new();
        let edges = system.edges.iter().map(|e| PreparedEdge {
            condition: e.guard.condition,
            limits: all.add(&e.guard),
            update: e.update,
            process: e.process.0,
            target: (e.target.0 - system.processes[e.process.0 as usize].first_location.0) as i32,
            committed: system.locations[e.source.0 as usize].committed,
            channel: match e.sync {
                Sync::Send(c) | Sync::Receive(c) => c.0,
                Sync::Internal | Sync::Event(_) => u32::MAX,
            },
        });
        let edges = edges.collect();
        let locations = system.locations.iter().map(|l| {
            let limits = all.add(&l.invariant);
            let stands = l.urgent || l.committed;
            let (rates, condition) = (!l.rates.is_empty(), l.invariant.condition);
            PreparedLocation {
                is_plain: !stands && !rates && condition.is_none() && !limits.is_dynamic(),
                stands,
                committed: l.committed,
                rates,
                condition,
                limits,
            }
        });
        let locations = locations.collect();
        let marks = system.locations.iter().zip(0..).map(|(l, number)| {
            let committed = if l.committed { COMMITTED } else { 0 };
            let alone = if system.internal(LocationId(number)).is_empty() { 0 } else { ALONE };
            committed | alone | if system.sending(LocationId(number)).is_empty() { 0 } else { SENDING }
        });
        let marks = marks.collect();
        let mut receivers = vec![Vec::new(); system.channels.len()];
        for edge in &system.edges {
            if let Sync::Receive(channel) = edge.sync {
                receivers[channel.0 as usize].push(edge.process.0);
            }
        }
        for processes in &mut receivers {
            processes.sort_unstable();
            processes.dedup();
        }
        PreparedSystem { system, edges, locations, marks, receivers, limits: all.limits }
    }

    /// Returns the processes that have such a location.
    pub(crate) fn processes_with(&self, like: impl Fn(&PreparedLocation) -> bool) -> Vec<Placed> {
        let processes = self.system.processes.iter().zip(0..).filter(|(p, _)| {
            let first = p.first_location.0 as usize;
            self.locations[first..first + p.locations as usize].iter().any(&like)
        });
        processes.map(|(p, process)| Placed { process, first: p.first_location.0 }).collect()
    }

    /// Returns the constant bounds.
    #[inline]
    pub(crate) fn constant(&self, limits: ConstraintList) -> &[DifferenceBound<B>] {
        &self.limits[limits.first as usize..][..limits.count as usize]
    }

    /// Returns whether a zone satisfies each constant bound of an edge's guard, not necessarily all
    /// of them at once.
    #[inline(always)]
    pub(crate) fn may_pass(&self, e: u32, zone: &[B], dim: usize) -> bool {
        self.constant(self.edges[e as usize].limits).iter().all(|l| l.is_met(zone, dim))
    }

    /// Constrains a zone by an edge's guard, evaluated in the state of `machine`. Returns `false`
    /// if it becomes empty.
    #[inline]
    pub(crate) fn guard(&self, e: u32, machine: &mut Machine<'_>, zone: &mut [B], dim: usize) -> Result<bool, Fault> {
        let limits = self.edges[e as usize].limits;
        for limit in self.constant(limits) {
            if !limit.constrain(zone, dim) {
                return Ok(false);
            }
        }
        if limits.dynamic {
            constrain_others(&self.system.edges[e as usize].guard, machine, zone, dim)
        } else {
            Ok(true)
        }
    }

    /// Adds the non-constant bounds of a location's invariant, evaluated in the state of `machine`.
    pub(crate) fn evaluate(
        &self,
        l: usize,
        machine: &mut Machine<'_>,
        out: &mut Vec<DifferenceBound<B>>,
    ) -> Result<(), Fault> {
        evaluate_others(&self.system.locations[l].invariant, machine, out)
    }
}

/// The lists of constant bounds, each stored once.
struct ConstraintLists<B> {
    limits: Vec<DifferenceBound<B>>,
    known: HashMap<Vec<DifferenceBound<B>>, (u32, u32)>,
}

impl<B: Bound> ConstraintLists<B> {
    fn new() -> ConstraintLists<B> {
        ConstraintLists { limits: Vec::new(), known: HashMap::new() }
    }

    fn add(&mut self, guard: &Guard) -> ConstraintList {
        let list: Vec<DifferenceBound<B>> = guard.clocks.iter().filter_map(constant).collect();
        let count = list.len() as u32;
        let next = self.known.len() as u32;
        let (first, number) = *self.known.entry(list).or_insert_with_key(|list| {
            let first = self.limits.len() as u32;
            self.limits.extend_from_slice(list);
            (first, next)
        });
        ConstraintList { first, count, number, dynamic: others(guard).next().is_some() }
    }
}

/// Returns the non-constant constraints of a guard.
fn others(guard: &Guard) -> impl Iterator<Item = &ClockConstraint> {
    guard.clocks.iter().filter(|c| !is_constant(c))
}

fn is_constant(c: &ClockConstraint) -> bool {
    matches!(
        c,
        ClockConstraint {
            condition: None,
            left: ClockTerm::Clock(_),
            right: ClockTerm::Clock(_),
            bound: Operand::Const(_),
            ..
        }
    )
}

fn constant<B: Bound>(c: &ClockConstraint) -> Option<DifferenceBound<B>> {
    match *c {
        ClockConstraint {
            condition: None,
            left: ClockTerm::Clock(left),
            right: ClockTerm::Clock(right),
            strict,
            bound: Operand::Const(value),
        } => Some(DifferenceBound { left: left.0, right: right.0, bound: encode(value, strict) }),
        _ => None,
    }
}

fn encode<B: Bound>(value: i64, strict: bool) -> B {
    let value = B::constant(value);
    if strict { zone::lt(value) } else { zone::le(value) }
}

fn constrain_others<B: Bound>(
    guard: &Guard,
    machine: &mut Machine<'_>,
    zone: &mut [B],
    dim: usize,
) -> Result<bool, Fault> {
    for c in others(guard) {
        if !constrain_one(c, machine, zone, dim)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Constrains a zone by a clock constraint, evaluated in the state of `machine`. Returns `false` if
/// it becomes empty.
pub(crate) fn constrain_one<B: Bound>(
    c: &ClockConstraint,
    machine: &mut Machine<'_>,
    zone: &mut [B],
    dim: usize,
) -> Result<bool, Fault> {
    Ok(evaluate(c, machine)?.is_none_or(|limit| limit.constrain(zone, dim)))
}

/// Adds the bounds of a guard's non-constant constraints, evaluated in the state of `machine`.
pub(crate) fn evaluate_others<B: Bound>(
    guard: &Guard,
    machine: &mut Machine<'_>,
    out: &mut Vec<DifferenceBound<B>>,
) -> Result<(), Fault> {
    for c in others(guard) {
        out.extend(evaluate(c, machine)?);
    }
    Ok(())
}

/// Returns the bound of a constraint, evaluated in the state of `machine`; `None`: its condition
/// does not hold.
fn evaluate<B: Bound>(c: &ClockConstraint, machine: &mut Machine<'_>) -> Result<Option<DifferenceBound<B>>, Fault> {
    if let Some(pc) = c.condition
        && !machine.test(pc)?
    {
        return Ok(None);
    }
    let value = number(c.bound, machine)?;
    let (left, right) = (clock(c.left, machine)?, clock(c.right, machine)?);
    Ok(Some(DifferenceBound { left, right, bound: encode(value, c.strict) }))
}

/// Returns the value of an operand.
pub(crate) fn number(operand: Operand, machine: &mut Machine<'_>) -> Result<i64, Fault> {
    match operand {
        Operand::Const(n) => Ok(n),
        Operand::Code { pc, .. } => machine.value(pc).map(i64::from),
    }
}

/// Returns the index of a clock.
pub(crate) fn clock(term: ClockTerm, machine: &mut Machine<'_>) -> Result<u32, Fault> {
    match term {
        ClockTerm::Clock(c) => Ok(c.0),
        ClockTerm::Element { pc, .. } => machine.clock(pc),
    }
}
