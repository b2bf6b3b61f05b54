//! The library of lattices that models can name.

use std::{
    fmt,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    ArgumentError, Arguments, Lattice, bit_vector, cache, discrete_clock, numeric, octagon, ordered, power_set,
    present_absent, product,
    user::{Failures, UserClass, UserEntry, UserError},
    zones,
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

/// A lattice that a model has named.
#[derive(Clone)]
pub enum LatticeKind {
    /// A lattice of the library.
    Standard(LibraryEntry),
    /// A class of the user.
    User(UserKind),
}

/// A class of the user that was registered for a model.
pub struct UserKind(AssertUnwindSafe<Arc<UserEntry>>);

impl Clone for UserKind {
    fn clone(&self) -> UserKind {
        UserKind(AssertUnwindSafe(self.0.clone()))
    }
}

impl LatticeKind {
    /// Returns whether the dimensions after a variable's name belong to the lattice.
    #[must_use]
    pub fn has_dimensions(&self) -> bool {
        match self {
            LatticeKind::Standard(entry) => entry.has_dimensions,
            LatticeKind::User(kind) => kind.0.interface.has_dimensions,
        }
    }

    /// Returns the keyword that declares members, if the lattice has members.
    #[must_use]
    pub fn member(&self) -> Option<&'static str> {
        match self {
            LatticeKind::Standard(entry) => entry.member,
            LatticeKind::User(kind) => kind.0.interface.has_clocks.then_some("DBMClock"),
        }
    }

    /// Returns whether it is a class of the user whose variables have clocks.
    #[must_use]
    pub fn has_clocks(&self) -> bool {
        matches!(self, LatticeKind::User(kind) if kind.0.interface.has_clocks)
    }

    /// Returns the constructor with its parameters, if it is known.
    #[must_use]
    pub fn signature(&self) -> Option<&'static str> {
        match self {
            LatticeKind::Standard(entry) => Some(entry.signature),
            LatticeKind::User(_) => None,
        }
    }

    /// Makes the lattice of a variable.
    ///
    /// # Errors
    /// Something is wrong with the arguments.
    pub fn make(&self, arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
        match self {
            LatticeKind::Standard(entry) => (entry.make)(arguments),
            LatticeKind::User(kind) => kind.0.make(arguments, false),
        }
    }

    /// Makes a lattice to see its methods, with some dimensions if it has any.
    ///
    /// # Errors
    /// Something is wrong with the arguments.
    pub fn prototype(&self, arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
        match self {
            LatticeKind::Standard(entry) => (entry.make)(arguments),
            LatticeKind::User(kind) => kind.0.make(arguments, kind.0.interface.has_dimensions),
        }
    }
}

impl fmt::Debug for LatticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LatticeKind::Standard(entry) => entry.name,
            LatticeKind::User(kind) => kind.0.class.name(),
        })
    }
}

/// Finds a class by its whole name, `my.module.Name`. `None`: nothing is looked up there.
pub type Resolver = Arc<dyn Fn(&str) -> Option<Result<Arc<dyn UserClass>, UserError>> + Send + Sync>;

/// A set of lattices that models can name.
#[derive(Clone, Default)]
pub struct Library {
    entries: Vec<LibraryEntry>,
    user: UserLattices,
}

/// The lattices of the user. Copies of a library share what was found.
#[derive(Clone, Default)]
struct UserLattices {
    entries: Arc<Mutex<Vec<Arc<UserEntry>>>>,
    resolver: Option<Resolver>,
    failures: Failures,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.entries.iter().map(|entry| entry.name.to_owned());
        f.debug_list().entries(self.class_names().into_iter().chain(names)).finish()
    }
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
        Library { entries: families.concat(), ..Library::default() }
    }

    /// Adds a lattice. It hides others with its name.
    #[must_use]
    pub fn with(mut self, entry: LibraryEntry) -> Library {
        self.entries.insert(0, entry);
        self
    }

    /// Adds a class of the user. It hides others with its name.
    #[must_use]
    pub fn with_class(self, class: Arc<dyn UserClass>) -> Library {
        self.add(class);
        self
    }

    /// Lets names with dots that nobody has registered be looked up.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Resolver) -> Library {
        self.user.resolver = Some(resolver);
        self
    }

    fn add(&self, class: Arc<dyn UserClass>) -> LatticeKind {
        let entry = Arc::new(UserEntry::new(class, self.user.failures.clone()));
        self.user.entries.lock().unwrap_or_else(PoisonError::into_inner).insert(0, entry.clone());
        LatticeKind::User(UserKind(AssertUnwindSafe(entry)))
    }

    /// Returns the failures of functions of the user.
    #[must_use]
    pub fn failures(&self) -> &Failures {
        &self.user.failures
    }

    /// Finds a lattice by name or alias, among those that come with merkhet or were added to them.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&LibraryEntry> {
        self.entries.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// Finds a lattice by the name in a model, and the modules before it: a class of the user, a
    /// lattice of the library, or what the resolver finds.
    ///
    /// # Errors
    /// The resolver fails.
    pub fn resolve(&self, path: &[&str], name: &str) -> Result<Option<LatticeKind>, UserError> {
        let found = self.class(path, name).or_else(|| self.find(name).map(|entry| LatticeKind::Standard(*entry)));
        match (found, &self.user.resolver) {
            (None, Some(resolver)) if !path.is_empty() => {
                let whole = path.iter().chain([&name]).copied().collect::<Vec<_>>().join(".");
                resolver(&whole).transpose().map(|class| class.map(|class| self.add(class)))
            }
            (found, _) => Ok(found),
        }
    }

    /// Returns whether there is a class of the user by the name in a model, and the modules before
    /// it.
    #[must_use]
    pub fn has_class(&self, path: &[&str], name: &str) -> bool {
        self.class(path, name).is_some()
    }

    fn class(&self, path: &[&str], name: &str) -> Option<LatticeKind> {
        let entries = self.user.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |wanted: &str| entries.iter().find(|entry| entry.class.name() == wanted);
        let whole = path.iter().chain([&name]).copied().collect::<Vec<_>>().join(".");
        let entry = named(&whole).or_else(|| named(name))?;
        Some(LatticeKind::User(UserKind(AssertUnwindSafe(entry.clone()))))
    }

    /// Returns whether models may find classes of the user.
    #[must_use]
    pub fn has_classes(&self) -> bool {
        self.user.resolver.is_some() || !self.class_names().is_empty()
    }

    /// Returns the names of the classes of the user.
    #[must_use]
    pub fn class_names(&self) -> Vec<String> {
        let entries = self.user.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().map(|entry| entry.class.name().to_owned()).collect()
    }

    /// Returns all lattices that come with merkhet or were added to them.
    #[must_use]
    pub fn entries(&self) -> &[LibraryEntry] {
        &self.entries
    }
}
