//! Clock bounds: the constants that clocks may still be compared with, by location.
//!
//! `lower` is the greatest constant of a lower bound (`x > c`, `x >= c`) that may be tested before
//! the clock is set again, `upper` the same for upper bounds. They are found for each process on
//! its own, as the least solution of: a location has the constants of its invariant and of the
//! guards that leave it, and those of each target whose edge does not set the clock. The bounds of
//! a state are the greatest over its processes.

use model::{
    Formula, Property, System,
    code::Op,
    symmetry::Symmetry,
    system::{ClockConstraint, ClockTerm, Edge, Guard, Operand},
};
use zone::Bound;

/// The effect of an update on a clock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClockEffect {
    /// It keeps its value.
    Kept,
    /// It is set to a number on every path through the update.
    Set,
    /// It may be set, or copied from another clock.
    Unknown,
}

/// The bounds of every location, and whether there are constraints on differences of clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockBounds<B = i32> {
    /// The bounds of the query, which count in all locations.
    query_lower: Vec<B>,
    query_upper: Vec<B>,
    /// The clocks with location-specific bounds: those of location `l` are
    /// `starts[l]..starts[l + 1]`.
    compared: Vec<Compared<B>>,
    starts: Vec<u32>,
    /// The processes that have such locations, with their first locations.
    processes: Vec<(u32, u32)>,
    /// All constraints on differences of clocks: left, right, and the encoded bounds that occur.
    pub diagonals: Vec<Diagonal<B>>,
    /// Whether clocks are copied.
    copies: bool,
    /// A clock that measures how early a state is reached; see [`ClockBounds::measure`].
    pub(crate) elapsed: Option<usize>,
}

/// A clock with a location-specific bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Compared<B> {
    clock: u32,
    lower: B,
    upper: B,
}

/// The bounds while they are computed, one for each location and clock.
struct BoundsTable<B> {
    clocks: usize,
    /// The greatest constant that a clock is set to.
    reset: B,
    /// Whether clocks are copied.
    copies: bool,
    lower: Vec<B>,
    upper: Vec<B>,
    diagonals: Vec<Diagonal<B>>,
}

/// A constraint `left - right` compared with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Diagonal<B> {
    /// The clock that is bounded.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: usize,
    /// The encoded bound.
    pub bound: B,
}

impl<B: Bound> ClockBounds<B> {
    /// Computes the bounds of a system and a property.
    #[must_use]
    pub fn new(system: &System, property: &Property) -> ClockBounds<B> {
        ClockBounds::of_formulas(system, &property.formulas())
    }

    /// Computes the bounds of a system and the formulas of queries.
    #[must_use]
    pub fn of_formulas(system: &System, formulas: &[&Formula]) -> ClockBounds<B> {
        let clocks = system.clocks.len();
        let mut bounds = BoundsTable::new(system, system.locations.len());
        for (i, location) in system.locations.iter().enumerate() {
            bounds.guard(i, &location.invariant);
        }
        for edge in &system.edges {
            bounds.guard(edge.source.0 as usize, &edge.guard);
        }
        let clock_effects: Vec<Vec<ClockEffect>> =
            system.edges.iter().map(|e| clock_effects(system, e, bounds.copies)).collect();
        bounds.propagate(system, &clock_effects);
        // Formulas are tested everywhere, so their constants count everywhere.
        let mut query = BoundsTable::new(system, 1);
        for formula in formulas {
            query.formula(formula);
        }
        bounds.diagonals.append(&mut query.diagonals);
        bounds.diagonals.sort_unstable();
        bounds.diagonals.dedup();
        if bounds.copies {
            bounds.share(system, &mut query);
        }
        // The reference clock is 0 and compared with 0.
        query.lower[0] = B::LT_ZERO;
        query.upper[0] = B::LT_ZERO;
        let (mut compared, mut starts) = (Vec::new(), vec![0]);
        for location in 0..system.locations.len() {
            for clock in 1..clocks {
                let (lower, upper) = (bounds.lower[location * clocks + clock], bounds.upper[location * clocks + clock]);
                if lower > query.lower[clock] || upper > query.upper[clock] {
                    compared.push(Compared { clock: clock as u32, lower, upper });
                }
            }
            starts.push(compared.len() as u32);
        }
        let BoundsTable { lower: query_lower, upper: query_upper, .. } = query;
        let processes = system.processes.iter().zip(0..).filter_map(|(p, number)| {
            let first = p.first_location.0;
            let some = starts[first as usize] < starts[(first + p.locations) as usize];
            some.then_some((number, first))
        });
        let processes = processes.collect();
        ClockBounds {
            query_lower,
            query_upper,
            compared,
            starts,
            processes,
            diagonals: bounds.diagonals,
            copies: bounds.copies,
            elapsed: None,
        }
    }

    /// Keeps the exact least value of a clock that is neither set nor compared, and abstracts its
    /// greater values: a valuation covers those that differ from it by a later time. Zones then
    /// record how early each valuation is reached.
    pub fn measure(&mut self, clock: usize) {
        self.query_lower[clock] = B::NONE;
        self.query_upper[clock] = B::MAX_CONSTANT;
        self.elapsed = Some(clock);
    }

    /// Returns the clocks for which a location has greater bounds than the query.
    #[inline]
    pub(crate) fn compared(&self, location: usize) -> &[Compared<B>] {
        &self.compared[self.starts[location] as usize..self.starts[location + 1] as usize]
    }

    /// Returns whether these bounds are invariant under a renaming of scalars: those of each
    /// location equal those of its image.
    #[must_use]
    pub(crate) fn allow(&self, system: &System, symmetry: &Symmetry, renaming: &[u32]) -> bool {
        let clocks = symmetry.renamed_clocks(renaming, self.query_lower.len());
        let same = |bounds: &[B]| clocks.iter().zip(bounds).all(|(to, bound)| bounds[*to as usize] == *bound);
        let sorted = |mut diagonals: Vec<Diagonal<B>>| {
            diagonals.sort_unstable();
            diagonals
        };
        let renamed = self.diagonals.iter().map(|d| {
            let [left, right] = [d.left, d.right].map(|clock| clocks[clock] as usize);
            Diagonal { left, right, bound: d.bound }
        });
        let mut processes: Vec<u32> = (0..system.processes.len() as u32).collect();
        for cell in &symmetry.row {
            symmetry.for_each_move(cell, renaming, |from, to| {
                if let Some(image) = processes.get_mut(from as usize) {
                    *image = to;
                }
            });
        }
        let location = |from: usize, at: u32| system.processes[from].first_location.0 as usize + at as usize;
        let compared = |from: usize, to: usize| {
            (0..system.processes[from].locations).all(|at| {
                let mut image = self.compared(location(from, at)).to_vec();
                image.iter_mut().for_each(|own| own.clock = clocks[own.clock as usize]);
                image.sort_unstable_by_key(|own| own.clock);
                image == self.compared(location(to, at))
            })
        };
        same(&self.query_lower)
            && same(&self.query_upper)
            && sorted(renamed.collect()) == sorted(self.diagonals.clone())
            && processes.iter().enumerate().all(|(from, to)| compared(from, *to as usize))
    }

    /// Returns the greatest constant that a clock is compared with.
    #[must_use]
    pub fn largest(&self) -> B {
        let own = self.compared.iter().map(|c| c.lower.max(c.upper));
        let query = self.query_lower.iter().chain(&self.query_upper).copied();
        own.chain(query).fold(B::LT_ZERO, B::max)
    }

    /// Distinguishes values of a clock up to `max` in all locations: lower bounds, or upper bounds
    /// if `below`.
    pub fn watch(&mut self, term: ClockTerm, max: B, below: bool) {
        if self.copies {
            // The value may be copied from any other clock.
            let all = self.query_lower[1..].iter_mut().chain(&mut self.query_upper[1..]);
            all.for_each(|b| *b = (*b).max(max));
            return;
        }
        let bounds = if below { &mut self.query_upper } else { &mut self.query_lower };
        each(term, |x| bounds[x] = bounds[x].max(max));
    }

    /// Writes the bounds of a state into `lower` and `upper`, which have one entry for each clock.
    #[inline]
    pub(crate) fn of(&self, row: &[i32], lower: &mut [B], upper: &mut [B]) {
        let locations = self.processes.iter().map(|(process, first)| *first as usize + row[*process as usize] as usize);
        self.of_locations(locations, lower, upper);
    }

    /// The same for a subnetwork whose processes are at some locations. Bounds of clocks that other
    /// processes set must be ignored.
    #[inline]
    pub(crate) fn of_locations(&self, locations: impl Iterator<Item = usize>, lower: &mut [B], upper: &mut [B]) {
        lower.copy_from_slice(&self.query_lower);
        upper.copy_from_slice(&self.query_upper);
        for own in locations.flat_map(|location| self.compared(location)) {
            let clock = own.clock as usize;
            lower[clock] = lower[clock].max(own.lower);
            upper[clock] = upper[clock].max(own.upper);
        }
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
fn each(term: ClockTerm, mut f: impl FnMut(usize)) {
    match term {
        ClockTerm::Clock(c) => f(c.0 as usize),
        ClockTerm::Element { first, count, .. } => (first.0..first.0 + count).for_each(|c| f(c as usize)),
    }
}

impl<B: Bound> BoundsTable<B> {
    fn new(system: &System, locations: usize) -> BoundsTable<B> {
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
    fn share(&mut self, system: &System, query: &mut BoundsTable<B>) {
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

    fn guard(&mut self, location: usize, guard: &Guard) {
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

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.constraint(0, c),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|p| self.formula(p)),
            _ => {}
        }
    }

    /// Propagates bounds backward over edges to a fixed point.
    fn propagate(&mut self, system: &System, clock_effects: &[Vec<ClockEffect>]) {
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
        // A copy may propagate any clock's constant to any other clock.
        let copies = clock_effects.contains(&ClockEffect::Unknown);
        for bounds in [&mut self.lower, &mut self.upper] {
            let unknown =
                (1..self.clocks).filter(|c| clock_effects[*c] == ClockEffect::Unknown).map(|c| bounds[t + c]).max();
            for c in 1..self.clocks {
                let mut value = if clock_effects[c] == ClockEffect::Set { B::NONE } else { bounds[t + c] };
                if copies {
                    value = value.max(unknown.unwrap_or(B::NONE));
                }
                if value > bounds[s + c] {
                    bounds[s + c] = value;
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Returns the effect of an edge on each clock.
fn clock_effects(system: &System, edge: &Edge, copies: bool) -> Vec<ClockEffect> {
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
                Op::CopyClock { .. } => return vec![ClockEffect::Unknown; system.clocks.len()],
                // A function may copy clocks, if anything does.
                Op::Call { .. } if copies => return vec![ClockEffect::Unknown; system.clocks.len()],
                Op::Jump { .. } | Op::JumpIf { .. } => straight = false,
                Op::End => break,
                _ => {}
            }
        }
    }
    clock_effects
}
