//! One state for all that differ in the names of scalars only.
//!
//! Each state is replaced by a *representative*: its members of scalar sets are renamed so that
//! they stand in an order that depends on what belongs to them and not on their names. Members are
//! first told apart by the row: locations and numbers that belong to them, and the members that
//! they are related to by others. Those that are alike so far are put in the order of their clocks,
//! where these have one, and then told apart by whatever zones say. A representative that is not
//! the only one of its state's variants costs states, never answers. See Hendriks, Behrmann,
//! Larsen, Niebert and Vaandrager, *Adding symmetry reduction to Uppaal* (FORMATS 2003).

mod colours;
mod represented;
mod unwind;

use model::{
    System,
    symmetry::{Renaming, SymmetricArray, Symmetry},
};
use zone::Bound;

use crate::bounds::ClockBounds;
use colours::Colours;
pub use represented::Represented;

/// Finds representatives.
pub struct Reduction<B = i32> {
    symmetry: Symmetry,
    row: Places,
    clocks: Places,
    colours: Colours,
    renaming: Renaming,
    dim: usize,
    /// What each clock becomes.
    images: Vec<u32>,
    /// The representative that was found last.
    row_out: Vec<i32>,
    zone_out: Vec<B>,
}

/// Places of a state that belong to members, flat.
struct Places {
    all: Vec<Place>,
    /// The members of each place, as they are counted in a renaming, and by how much they move it.
    members: Vec<(u32, u32)>,
    /// The places of all cells.
    cells: Vec<u32>,
}

/// A place.
#[derive(Clone, Copy)]
struct Place {
    at: u32,
    /// Where its members are.
    members: (u32, u32),
    /// Its cell, by where the places of that start.
    cell: u32,
    /// The first member of the set that its number is of.
    holds: Option<u32>,
}

impl Places {
    fn new(symmetry: &Symmetry, cells: &[SymmetricArray]) -> Places {
        let mut places = Places { all: Vec::new(), members: Vec::new(), cells: Vec::new() };
        for cell in cells {
            let mut strides = vec![1; cell.by.len()];
            for k in (1..cell.by.len()).rev() {
                strides[k - 1] = strides[k] * symmetry.sets[cell.by[k] as usize].size;
            }
            let start = places.cells.len() as u32;
            let holds = cell.holds.map(|set| symmetry.first(set) as u32);
            symmetry.for_each_place(cell, |at, members| {
                let from = places.members.len() as u32;
                places.members.extend(members.iter().copied().zip(strides.iter().copied()));
                let own = (from, places.members.len() as u32);
                places.all.push(Place { at, members: own, cell: start, holds });
            });
            places.cells.extend_from_slice(&cell.places);
        }
        places
    }

    #[inline]
    fn members(&self, place: &Place) -> &[(u32, u32)] {
        &self.members[place.members.0 as usize..place.members.1 as usize]
    }

    /// Where a renaming moves a place.
    #[inline]
    fn image(&self, place: &Place, renaming: &[u32]) -> u32 {
        let steps = self.members(place).iter().map(|(member, stride)| renaming[*member as usize] * stride);
        self.cells[(place.cell + steps.sum::<u32>()) as usize]
    }
}

impl<B: Bound> Reduction<B> {
    /// For the states of a system with these clock bounds; `None` if no scalars can be renamed.
    /// Sets for whose members the bounds differ are left out: a representative must be abstracted
    /// as its state is.
    #[must_use]
    pub fn new(system: &System, bounds: &ClockBounds<B>) -> Option<Reduction<B>> {
        let mut symmetry = Symmetry::clone(&system.symmetry);
        let differs = |symmetry: &Symmetry| {
            let sets = (0..).zip(&symmetry.sets);
            sets.filter(|(set, _)| symmetry.exchanges(*set).iter().any(|r| !bounds.allow(system, symmetry, r)))
                .map(|(_, set)| set.number)
                .next()
        };
        while let Some(number) = differs(&symmetry) {
            symmetry = symmetry.without(number);
        }
        if symmetry.is_empty() {
            return None;
        }
        let (row, clocks) = (Places::new(&symmetry, &symmetry.row), Places::new(&symmetry, &symmetry.clocks));
        let dim = system.clocks.len();
        Some(Reduction {
            colours: Colours::new(&symmetry, &row, &clocks, system),
            renaming: symmetry.identity(),
            symmetry,
            row,
            clocks,
            dim,
            images: (0..dim as u32).collect(),
            row_out: Vec::new(),
            zone_out: Vec::new(),
        })
    }

    /// Finds the representative of a state. `false`: the state itself is.
    pub fn represent(&mut self, row: &[i32], zone: &[B]) -> bool {
        self.colours.order(&self.row, &self.clocks, row, zone, &mut self.renaming);
        let mut first = 0;
        let is_identity = self.symmetry.sets.iter().all(|set| {
            let own = &self.renaming[first..first + set.size as usize];
            first += set.size as usize;
            own.iter().zip(0..).all(|(new, old)| *new == old)
        });
        if is_identity {
            return false;
        }
        let renaming = std::mem::take(&mut self.renaming);
        self.rename(&renaming, row, zone);
        self.renaming = renaming;
        true
    }

    /// Renames the members in a state.
    fn rename(&mut self, renaming: &[u32], row: &[i32], zone: &[B]) {
        row.clone_into(&mut self.row_out);
        for place in &self.row.all {
            let value = row[place.at as usize];
            self.row_out[self.row.image(place, renaming) as usize] =
                place.holds.map_or(value, |first| renaming[first as usize + value as usize] as i32);
        }
        for place in &self.clocks.all {
            self.images[place.at as usize] = self.clocks.image(place, renaming);
        }
        self.zone_out.resize(zone.len(), B::LE_ZERO);
        for (x, bounds) in zone.chunks_exact(self.dim).enumerate() {
            let out = &mut self.zone_out[self.images[x] as usize * self.dim..][..self.dim];
            bounds.iter().zip(&self.images).for_each(|(bound, y)| out[*y as usize] = *bound);
        }
    }

    /// The representative that was found last.
    #[must_use]
    pub fn representative(&self) -> (&[i32], &[B]) {
        (&self.row_out, &self.zone_out)
    }
}
