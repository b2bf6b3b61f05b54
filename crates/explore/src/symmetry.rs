//! Symmetry reduction: one representative for all states that differ in the names of scalars only.
//!
//! Each state is replaced by a *representative*: the members of scalar sets are renamed so that
//! their order depends on what belongs to them and not on their names. Members are first
//! distinguished by the row: by their locations and variables, and by the members that they are
//! related to. Members that are still alike are ordered by their clocks, if these are ordered, and
//! then distinguished by other bounds of the zone. A state may have several representatives, which
//! costs states but is sound. See Hendriks, Behrmann, Larsen, Niebert and Vaandrager, *Adding
//! symmetry reduction to Uppaal* (FORMATS 2003).

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

/// Computes representatives.
pub struct Reduction<B = i32> {
    symmetry: Symmetry,
    row: MemberSlots,
    clocks: MemberSlots,
    colours: Colours,
    renaming: Renaming,
    dim: usize,
    /// The image of each clock.
    images: Vec<u32>,
    /// The last representative.
    row_out: Vec<i32>,
    zone_out: Vec<B>,
}

/// The slots of a state that belong to members, flat.
struct MemberSlots {
    all: Vec<MemberSlot>,
    /// The members of each slot, by their indices in a renaming, and their strides.
    members: Vec<(u32, u32)>,
    /// The slots of all cells.
    cells: Vec<u32>,
}

/// A slot of the row, or a clock.
#[derive(Clone, Copy)]
struct MemberSlot {
    at: u32,
    /// The range of its members.
    members: (u32, u32),
    /// The start of its cell's slots.
    cell: u32,
    /// The first member of the scalar set of its value.
    holds: Option<u32>,
}

impl MemberSlots {
    fn new(symmetry: &Symmetry, cells: &[SymmetricArray]) -> MemberSlots {
        let mut places = MemberSlots { all: Vec::new(), members: Vec::new(), cells: Vec::new() };
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
                places.all.push(MemberSlot { at, members: own, cell: start, holds });
            });
            places.cells.extend_from_slice(&cell.places);
        }
        places
    }

    #[inline]
    fn members(&self, place: &MemberSlot) -> &[(u32, u32)] {
        &self.members[place.members.0 as usize..place.members.1 as usize]
    }

    /// Returns the image of a slot under a renaming.
    #[inline]
    fn image(&self, place: &MemberSlot, renaming: &[u32]) -> u32 {
        let steps = self.members(place).iter().map(|(member, stride)| renaming[*member as usize] * stride);
        self.cells[(place.cell + steps.sum::<u32>()) as usize]
    }
}

impl<B: Bound> Reduction<B> {
    /// Creates a reduction for a system with these clock bounds; `None` if no scalars can be
    /// renamed. Sets whose members have different bounds are left out: a representative must have
    /// the abstraction of its state.
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
        let (row, clocks) = (MemberSlots::new(&symmetry, &symmetry.row), MemberSlots::new(&symmetry, &symmetry.clocks));
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

    /// Computes the representative of a state. Returns `false` if it is the state itself.
    pub(crate) fn represent(&mut self, row: &[i32], zone: &[B]) -> bool {
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

    /// Returns the last representative.
    #[must_use]
    pub(crate) fn representative(&self) -> (&[i32], &[B]) {
        (&self.row_out, &self.zone_out)
    }
}
