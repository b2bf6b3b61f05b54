//! Symmetry: the effect of renaming the members of scalar sets.
//!
//! Members of a scalar set are interchangeable: exchanging two of them throughout a run gives
//! another run. A renaming permutes the slots and clocks that belong to members (elements of arrays
//! that the set indexes, locations and variables of processes that have a member as parameter) and
//! changes the values that are members. The slots or clocks that differ in members only form a
//! [`SymmetricArray`].

mod confirm;
mod touch;

pub(crate) use touch::touched;

/// A scalar set whose members are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarSet {
    /// Its number among all scalar sets of the model.
    pub number: u32,
    /// The number of its members.
    pub size: u32,
}

/// Slots of the row, clocks or channels, indexed by members, that renamings permute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricArray {
    /// The scalar sets of the indices, outermost first. A set may occur several times.
    pub by: Vec<u32>,
    /// The scalar set of the values, if they are members.
    pub holds: Option<u32>,
    /// The slots, clocks or channels: one for each tuple of members, the last member changing
    /// fastest.
    pub places: Vec<u32>,
}

/// The scalar sets of a system whose members are interchangeable, with all that depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// The sets.
    pub sets: Vec<ScalarSet>,
    /// Slots of the row, locations included.
    pub row: Vec<SymmetricArray>,
    /// Clocks.
    pub clocks: Vec<SymmetricArray>,
    /// Channels.
    pub channels: Vec<SymmetricArray>,
}

/// The new name of each member of each set: those of the first set, then those of the second, and
/// so on.
pub type Renaming = Vec<u32>;

impl Symmetry {
    /// Returns whether nothing can be renamed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the number of members of all sets.
    #[must_use]
    pub fn members(&self) -> usize {
        self.sets.iter().map(|set| set.size as usize).sum()
    }

    /// Returns the index of the first member of a set in a [`Renaming`].
    #[must_use]
    pub fn first(&self, set: u32) -> usize {
        self.sets[..set as usize].iter().map(|set| set.size as usize).sum()
    }

    /// Returns the identity.
    #[must_use]
    pub fn identity(&self) -> Renaming {
        self.sets.iter().flat_map(|set| 0..set.size).collect()
    }

    /// Returns the inverse of a renaming.
    #[must_use]
    pub fn inverse(&self, renaming: &[u32]) -> Renaming {
        let mut inverse = self.identity();
        let mut first = 0;
        for set in &self.sets {
            for old in 0..set.size {
                inverse[first + renaming[first + old as usize] as usize] = old;
            }
            first += set.size as usize;
        }
        inverse
    }

    /// Returns the composition of two renamings.
    #[must_use]
    pub fn composed(&self, first: &[u32], then: &[u32]) -> Renaming {
        let mut composed = first.to_vec();
        let mut start = 0;
        for set in &self.sets {
            let own = start..start + set.size as usize;
            composed[own.clone()].iter_mut().for_each(|member| *member = then[start + *member as usize]);
            start = own.end;
        }
        composed
    }

    /// Calls `visit` with each place of an array and its members, by their indices in a
    /// [`Renaming`].
    pub fn for_each_place(&self, cell: &SymmetricArray, mut visit: impl FnMut(u32, &[u32])) {
        let firsts: Vec<u32> = cell.by.iter().map(|set| self.first(*set) as u32).collect();
        let mut at = vec![0; cell.by.len()];
        let mut members = firsts.clone();
        for &place in &cell.places {
            visit(place, &members);
            for (k, set) in cell.by.iter().enumerate().rev() {
                at[k] += 1;
                if at[k] < self.sets[*set as usize].size {
                    members[k] = firsts[k] + at[k];
                    break;
                }
                at[k] = 0;
                members[k] = firsts[k];
            }
        }
    }

    /// Calls `visit` with each place of an array and its image under a renaming.
    pub fn for_each_move(&self, cell: &SymmetricArray, renaming: &[u32], mut visit: impl FnMut(u32, u32)) {
        let sizes: Vec<u32> = cell.by.iter().map(|set| self.sets[*set as usize].size).collect();
        self.for_each_place(cell, |place, members| {
            let renamed = members.iter().map(|member| renaming[*member as usize]);
            let to = renamed.zip(&sizes).fold(0, |at, (member, size)| at * size + member);
            visit(place, cell.places[to as usize]);
        });
    }

    /// Renames the members in a row.
    pub fn rename_row(&self, renaming: &[u32], row: &[i32], out: &mut Vec<i32>) {
        row.clone_into(out);
        for cell in &self.row {
            let names = cell.holds.map(|set| &renaming[self.first(set)..]);
            self.for_each_move(cell, renaming, |from, to| {
                let value = row[from as usize];
                out[to as usize] = names.map_or(value, |names| names[value as usize] as i32);
            });
        }
    }

    /// Returns the image of each of `count` clocks.
    #[must_use]
    pub fn renamed_clocks(&self, renaming: &[u32], count: usize) -> Vec<u32> {
        self.images(&self.clocks, renaming, count)
    }

    /// Returns the image of each of `count` places.
    fn images(&self, cells: &[SymmetricArray], renaming: &[u32], count: usize) -> Vec<u32> {
        let mut images: Vec<u32> = (0..count as u32).collect();
        for cell in cells {
            self.for_each_move(cell, renaming, |from, to| images[from as usize] = to);
        }
        images
    }

    /// Returns transpositions of two members of a set that generate all its renamings.
    #[must_use]
    pub fn exchanges(&self, set: u32) -> Vec<Renaming> {
        let first = self.first(set);
        let exchange = |member: u32| {
            let mut renaming = self.identity();
            renaming.swap(first + member as usize, first + member as usize + 1);
            renaming
        };
        (0..self.sets[set as usize].size - 1).map(exchange).collect()
    }

    /// Removes one of the sets, by its number in the model: its members are no longer renamed.
    #[must_use]
    pub fn without(&self, number: u32) -> Symmetry {
        let Some(gone) = self.sets.iter().position(|set| set.number == number) else { return self.clone() };
        let gone = gone as u32;
        let renumbered = |set: u32| if set > gone { set - 1 } else { set };
        let split = |cells: &[SymmetricArray]| {
            let mut all = Vec::new();
            for cell in cells {
                // The places with the same members of the removed set stay together.
                let mut parts: std::collections::BTreeMap<Vec<u32>, Vec<u32>> = std::collections::BTreeMap::new();
                self.for_each_place(cell, |place, members| {
                    let fixed = members.iter().zip(&cell.by).filter(|(_, set)| **set == gone);
                    parts.entry(fixed.map(|(member, _)| *member).collect()).or_default().push(place);
                });
                let by: Vec<u32> = cell.by.iter().filter(|set| **set != gone).map(|set| renumbered(*set)).collect();
                let holds = cell.holds.filter(|set| *set != gone).map(renumbered);
                if !by.is_empty() || holds.is_some() {
                    all.extend(parts.into_values().map(|places| SymmetricArray { by: by.clone(), holds, places }));
                }
            }
            all
        };
        Symmetry {
            sets: self.sets.iter().filter(|set| set.number != number).copied().collect(),
            row: split(&self.row),
            clocks: split(&self.clocks),
            channels: split(&self.channels),
        }
    }

    /// Transfers the symmetry to a system with other clocks: `clock` returns the new number of a
    /// clock that is kept. Sets of which only some clocks are kept are removed.
    #[must_use]
    pub fn with_clocks(&self, clock: impl Fn(u32) -> Option<u32>) -> Symmetry {
        let mut symmetry = self.clone();
        let is_torn = |cell: &&SymmetricArray| {
            let kept = cell.places.iter().filter(|place| clock(**place).is_some()).count();
            kept != 0 && kept != cell.places.len()
        };
        while let Some(torn) = symmetry.clocks.iter().find(is_torn) {
            let number = symmetry.sets[torn.by[0] as usize].number;
            symmetry = symmetry.without(number);
        }
        symmetry.clocks.retain(|cell| clock(cell.places[0]).is_some());
        for place in symmetry.clocks.iter_mut().flat_map(|cell| &mut cell.places) {
            *place = clock(*place).unwrap_or(*place);
        }
        symmetry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_sets() -> Symmetry {
        let sets = vec![ScalarSet { number: 4, size: 3 }, ScalarSet { number: 7, size: 2 }];
        let row = vec![
            SymmetricArray { by: vec![0, 1], holds: Some(0), places: vec![0, 1, 2, 3, 4, 5] },
            SymmetricArray { by: vec![], holds: Some(1), places: vec![6] },
        ];
        let clocks = vec![SymmetricArray { by: vec![0], holds: None, places: vec![1, 2, 3] }];
        Symmetry { sets, row, clocks, channels: Vec::new() }
    }

    #[test]
    fn renamings_move_places_and_change_members() {
        let symmetry = two_sets();
        let renaming = vec![1, 2, 0, 1, 0];
        let (mut renamed, mut back) = (Vec::new(), Vec::new());
        let row = [0, 1, 2, 0, 1, 2, 0];
        symmetry.rename_row(&renaming, &row, &mut renamed);
        assert_eq!(renamed, [0, 2, 2, 1, 1, 0, 1]);
        symmetry.rename_row(&symmetry.inverse(&renaming), &renamed, &mut back);
        assert_eq!(back, row);
        assert_eq!(symmetry.renamed_clocks(&renaming, 5), [0, 2, 3, 1, 4]);
        assert_eq!(symmetry.composed(&renaming, &symmetry.inverse(&renaming)), symmetry.identity());
    }

    #[test]
    fn a_set_can_be_left_out() {
        let left = two_sets().without(4);
        assert_eq!(left.sets, [ScalarSet { number: 7, size: 2 }]);
        let places: Vec<&[u32]> = left.row.iter().map(|cell| &cell.places[..]).collect();
        assert_eq!(places, [&[0, 1][..], &[2, 3], &[4, 5], &[6]]);
        assert_eq!(left.row[0].holds, None);
        assert!(left.clocks.is_empty());
    }

    #[test]
    fn a_set_that_loses_some_of_its_clocks_is_left_out() {
        assert_eq!(two_sets().with_clocks(|clock| (clock != 2).then_some(clock)).sets.len(), 1);
        let fewer = two_sets().with_clocks(|_| None);
        assert_eq!((fewer.sets.len(), fewer.clocks.len()), (2, 0));
        assert_eq!(two_sets().with_clocks(|clock| Some(clock + 1)).clocks[0].places, [2, 3, 4]);
    }
}
