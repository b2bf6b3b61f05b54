//! Clock bounds: the constants that clocks may still be compared with, by location.
//!
//! `lower` is the greatest constant of a lower bound (`x > c`, `x >= c`) that may be tested before
//! the clock is set again, `upper` the same for upper bounds. They are found for each process on
//! its own, as the least solution of: a location has the constants of its invariant and of the
//! guards that leave it, and those of each target whose edge does not set the clock. The bounds of
//! a state are the greatest over its processes.

mod table;

use model::{Formula, Property, System, symmetry::Symmetry, system::ClockTerm};
use zone::Bound;

use table::{BoundsTable, ClockEffect, clock_effects, each};

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
        let clock_effects: Vec<Vec<ClockEffect>> = system.edges.iter().map(|e| clock_effects(system, e)).collect();
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
        for location in locations {
            for own in self.compared(location) {
                let clock = own.clock as usize;
                lower[clock] = lower[clock].max(own.lower);
                upper[clock] = upper[clock].max(own.upper);
            }
        }
    }
}
