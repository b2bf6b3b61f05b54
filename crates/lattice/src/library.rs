//! The lattices that models can name.

use std::sync::Arc;

use crate::{
    Arguments, Lattice, bit_vector, cache, discrete_clock, numeric, octagon, power_set, present_absent, product, zones,
};

/// A lattice that models can name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it is made with, as text: `Interval(low, high)`.
    pub signature: &'static str,
    /// Whether the dimensions behind a variable's name are the lattice's own, and do not make an array.
    pub has_dimensions: bool,
    /// What members are declared with, if it has members: `intvar` in `oct.intvar i;`.
    pub member: Option<&'static str>,
    /// What it is, in a sentence or two.
    pub help: &'static str,
    /// Order and join, in words.
    pub laws: &'static str,
    /// A declaration and its use.
    pub example: &'static str,
    /// Makes it; an error is a sentence about the arguments.
    pub make: fn(&Arguments<'_>) -> Result<Arc<dyn Lattice>, String>,
}

/// Integers that some lattice with a few arguments is made with.
const SMALL: [i32; 6] = [2, 1, 0, 4, 16, 64];

/// As many arguments as are tried.
const MOST_ARGUMENTS: usize = 4;

impl Entry {
    /// A small lattice of this kind, to show what its methods are; `None`: it is made of others, or needs rare arguments.
    #[must_use]
    pub fn specimen(&self) -> Option<Arc<dyn Lattice>> {
        let dimensions: &[u32] = if self.has_dimensions { &[2] } else { &[] };
        let members = if self.member.is_some() { 2 } else { 0 };
        let counts = 0..=MOST_ARGUMENTS;
        let lists = counts.flat_map(|count| SMALL.map(|number| vec![number; count]));
        let mut made = lists
            .map(|values| (self.make)(&Arguments { values: &values, dimensions, members, ..Arguments::default() }));
        made.find_map(Result::ok)
    }
}

/// A set of lattices that models can name.
#[derive(Clone, Default)]
pub struct Library {
    entries: Vec<Entry>,
}

impl Library {
    /// Those that come with merkhet.
    #[must_use]
    pub fn standard() -> Library {
        let families = [
            bit_vector::ENTRIES,
            power_set::ENTRIES,
            present_absent::ENTRIES,
            &numeric::ENTRIES.concat(),
            octagon::ENTRIES,
            cache::ENTRIES,
            zones::ENTRIES,
            discrete_clock::ENTRIES,
            product::ENTRIES,
        ];
        Library { entries: families.concat() }
    }

    /// One more. It hides others with its name.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Library {
        self.entries.insert(0, entry);
        self
    }

    /// The lattice with a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// All of them.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
