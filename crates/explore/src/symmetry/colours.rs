//! The order of members of scalar sets in a state, by colour refinement.
//!
//! The colour of a member is a hash of all slots that belong to it, with the colours of the other
//! members that they belong to or hold. Colours are refined in rounds until their number does not
//! grow. They don't depend on names.

use model::{System, symmetry::Symmetry};
use zone::Bound;

use super::{MemberSlot, MemberSlots};

/// Members and their colours.
pub(super) struct Colours {
    /// The members of each set.
    sets: Vec<std::ops::Range<usize>>,
    /// The number of slots that identify a state; the slots after them are ignored.
    identity: u32,
    /// Whether slots of the row relate members to each other.
    coupled: bool,
    dim: usize,
    /// Pairs of clocks of one cell whose members differ in one place, with these two members; cell
    /// by cell.
    rivals: Vec<Vec<Rivals>>,
    /// The members of each clock, and its cell.
    clocks: Vec<(Vec<u32>, u32)>,
    /// Members with equal ranks are alike so far; ranks of a set are consecutive.
    ranks: Vec<u32>,
    colours: Vec<u64>,
    next: Vec<u64>,
    keys: Vec<(u32, u64, usize)>,
}

#[derive(Clone, Copy)]
struct Rivals {
    clocks: (u32, u32),
    members: (u32, u32),
}

/// Returns the output function of SplitMix64.
#[inline]
fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[inline]
fn join(a: u64, b: u64) -> u64 {
    mix(a ^ b.wrapping_mul(0x517C_C1B7_2722_0A95))
}

impl Colours {
    pub(crate) fn new(symmetry: &Symmetry, row: &MemberSlots, clocks: &MemberSlots, system: &System) -> Colours {
        let members = symmetry.members();
        let sets = (0..symmetry.sets.len() as u32).map(|set| {
            let first = symmetry.first(set);
            first..first + symmetry.sets[set as usize].size as usize
        });
        let dim = system.clocks.len();
        let mut of_clocks = vec![(Vec::new(), u32::MAX); dim];
        for place in &clocks.all {
            let own = clocks.members(place).iter().map(|(member, _)| *member).collect();
            of_clocks[place.at as usize] = (own, place.cell);
        }
        let participants = |place: &MemberSlot| row.members(place).len() + usize::from(place.holds.is_some());
        Colours {
            sets: sets.collect(),
            identity: system.identity as u32,
            coupled: row.all.iter().any(|place| place.at < system.identity as u32 && participants(place) > 1),
            dim,
            rivals: rivals(clocks),
            clocks: of_clocks,
            ranks: vec![0; members],
            colours: vec![0; members],
            next: vec![0; members],
            keys: Vec::new(),
        }
    }

    /// Computes the new name of each member.
    pub(crate) fn order<B: Bound>(
        &mut self,
        row_places: &MemberSlots,
        clocks: &MemberSlots,
        row: &[i32],
        zone: &[B],
        renaming: &mut [u32],
    ) {
        self.ranks.fill(0);
        self.colours.fill(0);
        self.refine(row_places, row);
        if !self.is_decided() && !clocks.all.is_empty() {
            self.by_age(zone);
            if !self.is_decided() {
                self.by_bounds(zone);
            }
            if self.coupled && !self.is_decided() {
                self.refine(row_places, row);
            }
        }
        // If members are related, the choice of the first among alike ones decides about the
        // others.
        while self.coupled
            && let Some(member) = self.undecided()
        {
            self.colours.iter_mut().zip(&self.ranks).for_each(|(colour, rank)| *colour = mix(u64::from(*rank)));
            self.colours[member] = 0;
            self.rank();
            self.refine(row_places, row);
        }
        for set in &self.sets {
            self.keys.clear();
            self.keys.extend(set.clone().map(|member| (self.ranks[member], 0, member)));
            self.keys.sort_unstable();
            for ((_, _, member), new) in self.keys.iter().zip(0..) {
                renaming[*member] = new;
            }
        }
    }

    /// Distinguishes members by the row.
    fn refine(&mut self, places: &MemberSlots, row: &[i32]) {
        loop {
            let before = self.count();
            self.colours.iter_mut().zip(&self.ranks).for_each(|(colour, rank)| *colour = mix(u64::from(*rank)));
            self.round(places, row);
            self.rank();
            if !self.coupled || self.count() == before {
                return;
            }
        }
    }

    /// Returns the number of different colours.
    fn count(&self) -> usize {
        self.sets.iter().map(|set| self.ranks[set.clone()].iter().max().map_or(0, |max| *max as usize + 1)).sum()
    }

    fn is_decided(&self) -> bool {
        self.count() == self.ranks.len()
    }

    /// Returns the first member with the least rank that several members have.
    fn undecided(&self) -> Option<usize> {
        self.sets.iter().find_map(|set| {
            let several =
                |member: &usize| set.clone().any(|other| other != *member && self.ranks[other] == self.ranks[*member]);
            set.clone().filter(several).min_by_key(|member| self.ranks[*member])
        })
    }

    /// Computes the next colour of each member from its slots.
    fn round(&mut self, places: &MemberSlots, row: &[i32]) {
        self.next.clone_from(&self.colours);
        for place in places.all.iter().filter(|place| place.at < self.identity) {
            let value = row[place.at as usize];
            let members = places.members(place);
            let held = place.holds.map(|first| first + value as u32);
            let id = if members.is_empty() { place.at } else { place.cell };
            // The slots of a cell have the same name, but one that belongs to no member has its
            // own.
            let mut word = join(u64::from(id), if held.is_some() { 1 << 40 } else { u64::from(value as u32) });
            if let ([(member, _)], None) = (members, held) {
                let sum = &mut self.next[*member as usize];
                *sum = sum.wrapping_add(word);
                continue;
            }
            let all = members.iter().map(|(member, _)| *member).chain(held);
            for (k, member) in all.clone().enumerate() {
                // Repeated members count as well.
                let same = all.clone().position(|other| other == member).unwrap_or(k);
                word = join(word, self.colours[member as usize].wrapping_add(same as u64));
            }
            for (k, member) in all.enumerate() {
                let sum = &mut self.next[member as usize];
                *sum = sum.wrapping_add(join(word, k as u64 + 1));
            }
        }
        std::mem::swap(&mut self.colours, &mut self.next);
    }

    /// Converts colours to ranks: members with different ranks keep their order.
    fn rank(&mut self) {
        for set in &self.sets {
            self.keys.clear();
            self.keys.extend(set.clone().map(|member| (self.ranks[member], self.colours[member], member)));
            self.keys.sort_unstable();
            let mut rank = 0;
            for i in 0..self.keys.len() {
                let (old, colour, member) = self.keys[i];
                if i > 0 && (self.keys[i - 1].0, self.keys[i - 1].1) != (old, colour) {
                    rank += 1;
                }
                self.ranks[member] = rank;
            }
        }
    }

    /// Orders alike members by their clocks, one clock of each after the other. Zones that cover
    /// each other mostly agree on this order.
    fn by_age<B: Bound>(&mut self, zone: &[B]) {
        const MIDDLE: u64 = 1 << 32;
        let rivals = std::mem::take(&mut self.rivals);
        for pairs in &rivals {
            self.colours.fill(MIDDLE);
            let mut differ = false;
            for Rivals { clocks: (x, y), members: (a, b) } in pairs {
                let (a, b) = (*a as usize, *b as usize);
                if self.ranks[a] != self.ranks[b] {
                    continue;
                }
                let (x, y) = (*x as usize, *y as usize);
                let (less, greater) = (zone[x * self.dim + y], zone[y * self.dim + x]);
                if less != greater {
                    differ = true;
                    let (younger, older) = if less < greater { (a, b) } else { (b, a) };
                    self.colours[younger] -= 1;
                    self.colours[older] += 1;
                }
            }
            if differ {
                self.rank();
            }
        }
        self.rivals = rivals;
    }

    /// Distinguishes members by all bounds of their clocks.
    fn by_bounds<B: Bound>(&mut self, zone: &[B]) {
        self.next.iter_mut().zip(&self.ranks).for_each(|(sum, rank)| *sum = mix(u64::from(*rank)));
        self.colours.clone_from(&self.next);
        for (x, (members, cell)) in self.clocks.iter().enumerate().filter(|(_, (members, _))| !members.is_empty()) {
            for (y, (others, other_cell)) in self.clocks.iter().enumerate() {
                let name = if others.is_empty() { y as u64 | 1 << 32 } else { u64::from(*other_cell) };
                let (there, back) = (zone[x * self.dim + y], zone[y * self.dim + x]);
                let mut word = join(u64::from(*cell), name);
                word = join(word, key(there) << 32 | key(back));
                for member in members.iter().chain(others) {
                    word = join(word, self.colours[*member as usize]);
                }
                for (k, member) in members.iter().enumerate() {
                    let sum = &mut self.next[*member as usize];
                    *sum = sum.wrapping_add(join(word, k as u64 | if others.contains(member) { 1 << 32 } else { 0 }));
                }
            }
        }
        std::mem::swap(&mut self.colours, &mut self.next);
        self.rank();
    }
}

/// Returns a bound in 32 bits; large ones may coincide.
fn key<B: Bound>(bound: B) -> u64 {
    let weakened = bound.weakened();
    if weakened.widest() == bound.widest() {
        return u64::from(weakened as u32);
    }
    let number: i64 = bound.into();
    (number ^ number >> 32) as u64 & 0xFFFF_FFFF
}

/// Returns the pairs of clocks that differ in one member, cell by cell.
fn rivals(clocks: &MemberSlots) -> Vec<Vec<Rivals>> {
    let mut cells: Vec<Vec<Rivals>> = Vec::new();
    let mut current = None;
    for (i, place) in clocks.all.iter().enumerate() {
        if current != Some(place.cell) {
            current = Some(place.cell);
            cells.push(Vec::new());
        }
        let same_cell = clocks.all[i + 1..].iter().take_while(|other| other.cell == place.cell);
        for other in same_cell {
            let pairs = clocks.members(place).iter().zip(clocks.members(other));
            let mut differ = pairs.filter(|(a, b)| a.0 != b.0);
            if let (Some((a, b)), None) = (differ.next(), differ.next())
                && let Some(pairs) = cells.last_mut()
            {
                pairs.push(Rivals { clocks: (place.at, other.at), members: (a.0, b.0) });
            }
        }
    }
    cells
}
