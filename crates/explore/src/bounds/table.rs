//! The computation of clock bounds, by location.

use model::{
    Formula, System,
    code::Op,
    system::{ClockConstraint, ClockTerm, Edge, Guard, Operand},
};
use zone::Bound;

use super::Diagonal;

/// The effect of an update on a clock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockEffect {
    /// It may keep its value, or take that of another clock, whose constants it then shares
    /// ([`BoundsTable::share`]).
    Kept,
    /// It is set to a number on every path through the update.
    Set,
}

/// The bounds while they are computed, one for each location and clock.
pub(super) struct BoundsTable<B> {
    clocks: usize,
    /// The greatest constant that a clock is set to.
    reset: B,
    /// Whether clocks are copied.
    pub(super) copies: bool,
    pub(super) lower: Vec<B>,
    pub(super) upper: Vec<B>,
    pub(super) diagonals: Vec<Diagonal<B>>,
}

impl<B: Bound> BoundsTable<B> {
    pub(super) fn new(system: &System, locations: usize) -> BoundsTable<B> {
        let clocks = system.clocks.len();
        let size = locations * clocks;
        let initial = system.clocks.iter().map(|c| c.initial).max().unwrap_or(0);
        BoundsTable {
            clocks,
            reset: B::constant(system.largest_reset.max(initial).into()),
            copies: system.code.ops().any(|op| matches!(op, Op::CopyClock { .. })),
            lower: vec![B::NONE; size],
            upper: vec![B::NONE; size],
            diagonals: Vec::new(),
        }
    }

    /// If clocks are copied, the constants of one count for all of its class and in all locations:
    /// they become bounds of the query.
    pub(super) fn share(&mut self, system: &System, query: &mut BoundsTable<B>) {
        let (class, copied) = classes(system);
        let related = |x: usize| (1..class.len()).filter(|y| class[*y] == class[x]).collect::<Vec<_>>();
        let mut diagonals = Vec::new();
        for d in &self.diagonals {
            for left in related(d.left) {
                let others = related(d.right).into_iter().filter(|right| *right != left);
                diagonals.extend(others.map(|right| Diagonal { left, right, bound: d.bound }));
            }
        }
        diagonals.sort_unstable();
        diagonals.dedup();
        self.diagonals = diagonals;
        // A clock that is set to less than another one, or to more with diagonal constraints, may
        // reach any constant from any value: no abstraction is sound.
        let (low, high) = system.offsets;
        let all = low < 0 || high > 0 && !self.diagonals.is_empty();
        for (own, query) in [(&self.lower, &mut query.lower), (&self.upper, &mut query.upper)] {
            let alone = query.clone();
            for x in (1..class.len()).filter(|x| copied[*x]) {
                let rows = own.chunks_exact(self.clocks).chain([alone.as_slice()]);
                let max = rows.flat_map(|row| related(x).into_iter().map(|y| row[y])).max();
                query[x] = if all { B::MAX_CONSTANT } else { max.unwrap_or(B::NONE) };
            }
        }
    }

    fn each(&mut self, term: ClockTerm, mut f: impl FnMut(&mut BoundsTable<B>, usize)) {
        each(term, |x| f(self, x));
    }

    pub(super) fn guard(&mut self, location: usize, guard: &Guard) {
        for constraint in &guard.clocks {
            self.constraint(location, constraint);
        }
    }

    fn constraint(&mut self, location: usize, c: &ClockConstraint) {
        let (low, high) = match c.bound {
            Operand::Const(n) => (n, n),
            Operand::Code { low, high, .. } => (low.into(), high.into()),
        };
        // Zones have bounds that are wide enough for the model; abstractions leave out constraints
        // with greater ones.
        let [low, high] = [low, high].map(B::constant);
        let row = location * self.clocks;
        match (c.left == ClockTerm::ZERO, c.right == ClockTerm::ZERO) {
            (true, true) => {}
            // left <= high
            (false, true) => self.each(c.left, |b, x| b.upper[row + x] = b.upper[row + x].max(high.max(B::LT_ZERO))),
            // right >= -bound
            (true, false) => {
                let max = (-low).max(B::LT_ZERO);
                self.each(c.right, |b, x| b.lower[row + x] = b.lower[row + x].max(max));
            }
            (false, false) => {
                // A diagonal. If one clock is set to a number before, the other one is compared
                // with that number less the constant.
                let max = (-low).max(low).max(-high).max(high) + self.reset;
                for term in [c.left, c.right] {
                    self.each(term, |b, x| {
                        b.lower[row + x] = b.lower[row + x].max(max);
                        b.upper[row + x] = b.upper[row + x].max(max);
                    });
                }
                let mut pairs = Vec::new();
                self.each(c.left, |_, x| pairs.push(x));
                for left in pairs {
                    let mut rights = Vec::new();
                    self.each(c.right, |_, y| rights.push(y));
                    for right in rights.into_iter().filter(|y| *y != left) {
                        for value in low.into()..=high.into() {
                            let value = B::constant(value);
                            let bound = if c.strict { zone::lt(value) } else { zone::le(value) };
                            self.diagonals.push(Diagonal { left, right, bound });
                        }
                    }
                }
            }
        }
    }

    pub(super) fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.constraint(0, c),
            _ => formula.parts().iter().for_each(|p| self.formula(p)),
        }
    }

    /// Propagates bounds backward over edges to a fixed point.
    pub(super) fn propagate(&mut self, system: &System, clock_effects: &[Vec<ClockEffect>]) {
        let mut incoming: Vec<Vec<u32>> = vec![Vec::new(); system.locations.len()];
        for (i, edge) in system.edges.iter().enumerate() {
            incoming[edge.target.0 as usize].push(i as u32);
        }
        let mut open: Vec<usize> = (0..system.locations.len()).collect();
        let mut waiting = vec![true; system.locations.len()];
        while let Some(location) = open.pop() {
            waiting[location] = false;
            for &e in &incoming[location] {
                let edge = &system.edges[e as usize];
                if self.carry(location, edge.source.0 as usize, &clock_effects[e as usize]) {
                    let source = edge.source.0 as usize;
                    if !std::mem::replace(&mut waiting[source], true) {
                        open.push(source);
                    }
                }
            }
        }
    }

    fn carry(&mut self, target: usize, source: usize, clock_effects: &[ClockEffect]) -> bool {
        let mut changed = false;
        let (t, s) = (target * self.clocks, source * self.clocks);
        for bounds in [&mut self.lower, &mut self.upper] {
            for c in 1..self.clocks {
                let value = if clock_effects[c] == ClockEffect::Set { B::NONE } else { bounds[t + c] };
                if value > bounds[s + c] {
                    bounds[s + c] = value;
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Returns the classes of clocks that are copied to each other, and which clocks are copied at all.
fn classes(system: &System) -> (Vec<usize>, Vec<bool>) {
    let constant = |addr: u32| system.code.constant(addr);
    let mut class: Vec<usize> = (0..system.clocks.len()).collect();
    let mut copied = vec![false; class.len()];
    for op in system.code.ops() {
        let Op::CopyClock { clock, from, .. } = op else { continue };
        match constant(clock).zip(constant(from)) {
            Some((x, y)) => {
                (copied[x as usize], copied[y as usize]) = (true, true);
                let (old, new) = (class[x as usize], class[y as usize]);
                class.iter_mut().filter(|c| **c == old).for_each(|c| *c = new);
            }
            // It may be any clock.
            None => {
                class[1..].fill(1);
                copied.fill(true);
            }
        }
    }
    (class, copied)
}

/// Calls `f` for each clock that a term may denote.
pub(super) fn each(term: ClockTerm, mut f: impl FnMut(usize)) {
    match term {
        ClockTerm::Clock(c) => f(c.0 as usize),
        ClockTerm::Element { first, count, .. } => (first.0..first.0 + count).for_each(|c| f(c as usize)),
    }
}

/// Returns the effect of an edge on each clock.
pub(super) fn clock_effects(system: &System, edge: &Edge) -> Vec<ClockEffect> {
    let mut clock_effects = vec![ClockEffect::Kept; system.clocks.len()];
    for pc in edge.update.into_iter().chain(system.before_update).chain(system.after_update) {
        // After a jump nothing is certain. A clock that may be set counts as kept, which is sound.
        let mut straight = true;
        for op in system.code.ops_from(pc) {
            match op {
                Op::SetClock { clock, .. } if straight => {
                    if let Some(c) = system.code.constant(clock).and_then(|c| system.code.clock(c as u32)) {
                        clock_effects[c as usize] = ClockEffect::Set;
                    }
                }
                Op::Jump { .. } | Op::JumpIf { .. } => straight = false,
                Op::End => break,
                _ => {}
            }
        }
    }
    clock_effects
}
