//! What is known of guards and invariants before the first run: constraints of clocks are numbers
//! on the grid, and conditions are mostly comparisons of numbers of the row with constants.

use model::{
    code::{Addr, Cmp, Op, Pc},
    system::{ClockConstraint, ClockTerm, Edge, EdgeId, Guard, Operand, System},
};

use crate::grid::{Grid, Ticks};

/// A condition on the row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowCondition {
    /// It always holds.
    True,
    /// A comparison of a number of the row with a constant. It holds if this is its result.
    Compare(u32, Cmp, i32, bool),
    /// Any other.
    Code(Pc),
}

/// `left - right <= most`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    pub left: usize,
    pub right: usize,
    pub most: Ticks,
}

/// The constraints of guards that are known, each with the first and the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Clauses {
    all: Vec<Clause>,
    /// The conditions of the guards of edges, and the constraints of those that are known.
    edges: Vec<(RowCondition, Option<(u32, u32)>)>,
    invariants: Vec<Option<(u32, u32)>>,
}

impl Clauses {
    /// Prepares the guards and invariants of a system.
    pub(crate) fn new(system: &System, grid: Grid) -> Clauses {
        let mut all = Vec::new();
        let edge = |edge: &Edge| (condition(system, edge.guard.condition), known(&edge.guard, grid, &mut all));
        let edges = system.edges.iter().map(edge).collect();
        let invariants = system.locations.iter().map(|l| known(&l.invariant, grid, &mut all)).collect();
        Clauses { all, edges, invariants }
    }

    /// Returns the condition of the guard of an edge, and its constraints, if they are known.
    #[inline(always)]
    pub(crate) fn of_edge(&self, edge: EdgeId) -> (RowCondition, Option<&[Clause]>) {
        let (condition, range) = self.edges[edge.0 as usize];
        (condition, range.map(|(first, end)| &self.all[first as usize..end as usize]))
    }

    /// Returns those of the invariant of a location.
    #[inline(always)]
    pub(crate) fn of_location(&self, location: usize) -> Option<&[Clause]> {
        self.invariants[location].map(|(first, end)| &self.all[first as usize..end as usize])
    }
}

fn known(guard: &Guard, grid: Grid, all: &mut Vec<Clause>) -> Option<(u32, u32)> {
    let first = all.len();
    for c in &guard.clocks {
        let ClockConstraint {
            condition: None,
            left: ClockTerm::Clock(left),
            right: ClockTerm::Clock(right),
            strict,
            bound: Operand::Const(bound),
        } = *c
        else {
            all.truncate(first);
            return None;
        };
        let most = grid.whole(bound) - i64::from(strict);
        all.push(Clause { left: left.0 as usize, right: right.0 as usize, most });
    }
    Some((first as u32, all.len() as u32))
}

fn condition(system: &System, code: Option<Pc>) -> RowCondition {
    let Some(pc) = code else { return RowCondition::True };
    comparison(system, pc).unwrap_or(RowCondition::Code(pc))
}

/// Returns a condition as a comparison, if it is one.
fn comparison(system: &System, pc: Pc) -> Option<RowCondition> {
    let op = |pc: u32| (pc < system.code.len() as u32).then(|| system.code.op(pc));
    let answer = |pc: u32| match op(pc)? {
        Op::Answer { truth } => Some(truth),
        _ => None,
    };
    let Op::JumpIf { cmp, a, b, by } = op(pc.0)? else { return None };
    let (otherwise, then) = (answer(pc.0 + 1)?, answer((pc.0 + 1).checked_add_signed(by)?)?);
    let is_slot = |at: Addr| (at as usize) < system.initial.len();
    if then == otherwise || !is_slot(a) {
        return None;
    }
    Some(RowCondition::Compare(a, cmp, system.code.constant(b)?, then))
}
