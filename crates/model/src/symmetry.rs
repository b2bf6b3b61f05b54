//! What renaming the members of scalar sets does to states.
//!
//! Members of a scalar set are alike: a run with two of them exchanged throughout is a run again. A
//! renaming moves the numbers and clocks that belong to members (elements of arrays that the set is
//! the index of, locations and variables of processes that have a member as parameter) and changes
//! the numbers that are members. The parts of a state that differ in members only are a [`SymmetricArray`].

mod confirm;
mod touch;

pub(crate) use touch::touched;

/// A scalar set whose members are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarSet {
    /// Which of all scalar sets of the model it is.
    pub number: u32,
    /// How many members it has.
    pub size: u32,
}

/// Numbers of the row, clocks or channels that renamings exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricArray {
    /// The sets whose members lead to a place, outermost first. A set may be here several times.
    pub by: Vec<u32>,
    /// The set whose members the numbers are.
    pub holds: Option<u32>,
    /// The places: one for each choice of members, the last member changing fastest.
    pub places: Vec<u32>,
}

/// The scalar sets of a system whose members are alike, and all that belongs to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// The sets.
    pub sets: Vec<ScalarSet>,
    /// Numbers of the row, locations included.
    pub row: Vec<SymmetricArray>,
    /// Clocks.
    pub clocks: Vec<SymmetricArray>,
    /// Channels.
    pub channels: Vec<SymmetricArray>,
}

/// What each member of each set becomes: those of the first set, then those of the second, and so
/// on.
pub type Renaming = Vec<u32>;

impl Symmetry {
    /// Whether nothing can be renamed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// How many members all sets have.
    #[must_use]
    pub fn members(&self) -> usize {
        self.sets.iter().map(|set| set.size as usize).sum()
    }

    /// Where the members of a set start in a [`Renaming`].
    #[must_use]
    pub fn first(&self, set: u32) -> usize {
        self.sets[..set as usize].iter().map(|set| set.size as usize).sum()
    }

    /// The renaming that changes nothing.
    #[must_use]
    pub fn identity(&self) -> Renaming {
        self.sets.iter().flat_map(|set| 0..set.size).collect()
    }

    /// The renaming that takes back another one.
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

    /// One renaming, then another.
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

    /// The members of a place of a cell, as they are counted in a [`Renaming`]: calls `visit` with
    /// each place.
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

    /// Calls `visit` with each place of a cell and the one that a renaming moves it to.
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

    /// What each of `count` clocks becomes.
    #[must_use]
    pub fn renamed_clocks(&self, renaming: &[u32], count: usize) -> Vec<u32> {
        self.images(&self.clocks, renaming, count)
    }

    /// What each of `count` places becomes.
    fn images(&self, cells: &[SymmetricArray], renaming: &[u32], count: usize) -> Vec<u32> {
        let mut images: Vec<u32> = (0..count as u32).collect();
        for cell in cells {
            self.for_each_move(cell, renaming, |from, to| images[from as usize] = to);
        }
        images
    }

    /// Renamings that exchange two members of a set, enough to make all others from.
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

    /// The same without one of the sets, by the number that the model gives it: its members keep
    /// their names.
    #[must_use]
    pub fn without(&self, number: u32) -> Symmetry {
        let Some(gone) = self.sets.iter().position(|set| set.number == number) else { return self.clone() };
        let gone = gone as u32;
        let renumbered = |set: u32| if set > gone { set - 1 } else { set };
        let split = |cells: &[SymmetricArray]| {
            let mut all = Vec::new();
            for cell in cells {
                // The places with the same members of the set that is left out stay together.
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

    /// The same for a system that has other clocks: `clock` gives the new number of an old one, if
    /// it is there. Sets with clocks of which only some are there are left out.
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
