//! The library of lattices that models can name.

use std::sync::Arc;

use crate::{
    ArgumentError, Arguments, Lattice, bit_vector, cache, discrete_clock, numeric, octagon, ordered, power_set,
    present_absent, product, zones,
};

/// A lattice of the library.
#[derive(Clone, Copy)]
pub struct LibraryEntry {
    /// The name in models.
    pub name: &'static str,
    /// Other names in models.
    pub aliases: &'static [&'static str],
    /// The constructor with its parameters: `Interval(low, high)`.
    pub signature: &'static str,
    /// Whether the dimensions after a variable's name belong to the lattice instead of making an
    /// array.
    pub has_dimensions: bool,
    /// The keyword that declares members, if the lattice has members: `intvar` in `oct.intvar i;`.
    pub member: Option<&'static str>,
    /// A description of one or two sentences.
    pub help: &'static str,
    /// Order and join, in words.
    pub laws: &'static str,
    /// A declaration and its use.
    pub example: &'static str,
    /// The constructor. An error says what is wrong with the arguments.
    pub make: fn(&Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError>,
}

/// Argument values with which `specimen` tries to construct a lattice.
const SPECIMEN_VALUES: [i32; 6] = [2, 1, 0, 4, 16, 64];

/// The greatest number of arguments that `specimen` tries.
const MAX_SPECIMEN_ARGUMENTS: usize = 4;

impl LibraryEntry {
    /// Constructs a small lattice of this kind to list its methods; `None`: it needs other lattices
    /// or unusual arguments.
    #[must_use]
    pub fn specimen(&self) -> Option<Arc<dyn Lattice>> {
        let dimensions: &[u32] = if self.has_dimensions { &[2] } else { &[] };
        let members = if self.member.is_some() { 2 } else { 0 };
        let counts = 0..=MAX_SPECIMEN_ARGUMENTS;
        let lists = counts.flat_map(|count| SPECIMEN_VALUES.map(|number| vec![number; count]));
        let mut made = lists
            .map(|values| (self.make)(&Arguments { values: &values, dimensions, members, ..Arguments::default() }));
        made.find_map(Result::ok)
    }
}

/// A set of lattices that models can name.
#[derive(Clone, Default)]
pub struct Library {
    entries: Vec<LibraryEntry>,
}

impl Library {
    /// Returns the lattices that come with merkhet.
    #[must_use]
    pub fn standard() -> Library {
        let families = [
            bit_vector::ENTRIES,
            power_set::ENTRIES,
            present_absent::ENTRIES,
            &numeric::ENTRIES.concat(),
            octagon::ENTRIES,
            ordered::ENTRIES,
            cache::ENTRIES,
            zones::ENTRIES,
            discrete_clock::ENTRIES,
            product::ENTRIES,
        ];
        Library { entries: families.concat() }
    }

    /// Adds a lattice. It hides others with its name.
    #[must_use]
    pub fn with(mut self, entry: LibraryEntry) -> Library {
        self.entries.insert(0, entry);
        self
    }

    /// Finds a lattice by name or alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&LibraryEntry> {
        self.entries.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// Returns all lattices.
    #[must_use]
    pub fn entries(&self) -> &[LibraryEntry] {
        &self.entries
    }
}
