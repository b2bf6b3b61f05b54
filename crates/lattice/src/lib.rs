//! Lattices: sets of values with an order in which greater elements allow more behaviour.
//!
//! An element is a row of integers of a fixed width, so that a product is a concatenation. A
//! lattice whose elements have no size bound interns them and stores their ids in its rows.
//!
//! [`Lattice`] is the interface that engines use; [`Library`] holds the lattices that models can
//! name; [`laws`] checks the laws that engines rely on.
//!
//! # How to write a lattice
//!
//! ```
//! use std::sync::Arc;
//!
//! use lattice::{Arguments, Lattice, Library, LibraryEntry, Method, Misuse, SlotOrder, Trend, laws};
//!
//! /// An upper bound on the level of urgency. A greater bound allows more.
//! #[derive(Debug)]
//! struct Alarm {
//!     highest: i32,
//! }
//!
//! static METHODS: [Method; 2] = [
//!     Method::change("raise", &["level"], "raises the bound to at least a level"),
//!     Method::test("mayBe", &["level"], Trend::Rises, "whether the urgency may reach a level"),
//! ];
//!
//! impl Lattice for Alarm {
//!     fn name(&self) -> String {
//!         format!("Alarm({})", self.highest)
//!     }
//!
//!     fn width(&self) -> usize {
//!         1
//!     }
//!
//!     fn range(&self, _: usize) -> (i32, i32) {
//!         (0, self.highest)
//!     }
//!
//!     fn initial(&self, out: &mut [i32]) {
//!         out[0] = 0;
//!     }
//!
//!     fn leq(&self, a: &[i32], b: &[i32]) -> bool {
//!         a[0] <= b[0]
//!     }
//!
//!     fn slot_order(&self, _: usize) -> Option<SlotOrder> {
//!         Some(SlotOrder::Rises)
//!     }
//!
//!     fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
//!         let changes = other[0] > into[0];
//!         into[0] = into[0].max(other[0]);
//!         changes
//!     }
//!
//!     fn methods(&self) -> &[Method] {
//!         &METHODS
//!     }
//!
//!     fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
//!         let level = lattice::argument(args, 0, 0, self.highest)?;
//!         if method == 0 {
//!             this[0] = this[0].max(level);
//!             return Ok(0);
//!         }
//!         Ok(i32::from(level <= this[0]))
//!     }
//!
//!     fn show(&self, element: &[i32]) -> String {
//!         element[0].to_string()
//!     }
//!
//!     fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
//!         out[0] = random(self.highest as u32 + 1) as i32;
//!     }
//! }
//!
//! let library = Library::standard().with(LibraryEntry {
//!     name: "Alarm",
//!     aliases: &[],
//!     signature: "Alarm(highest)",
//!     has_dimensions: false,
//!     member: None,
//!     help: "An upper bound on the level of urgency, from 0 on.",
//!     laws: "Order: the greater level is greater. Join: the greater of both.",
//!     example: "extern Alarm = Alarm(3);\nAlarm alarm;\n// guard: alarm.mayBe(2)    update: alarm.raise(2)",
//!     make: |arguments| {
//!         arguments.only_values(1)?;
//!         Ok(Arc::new(Alarm { highest: arguments.value(0, "highest", 0, 100)? }))
//!     },
//! });
//!
//! let entry = library.find("Alarm").ok_or("no such lattice")?;
//! let alarm = (entry.make)(&Arguments { values: &[3], ..Arguments::default() })?;
//! let mut state = 1_u32;
//! let mut random = |below: u32| {
//!     state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
//!     (state >> 8) % below
//! };
//! assert_eq!(laws::check(&*alarm, &mut random), []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod bit_vector;
mod cache;
mod discrete_clock;
pub mod laws;
mod library;
mod method;
mod numeric;
mod octagon;
mod ordered;
mod packed;
mod power_set;
mod present_absent;
mod product;
mod slot_order;
mod term;
pub mod user;
mod widening;
mod zones;

use std::{
    borrow::Cow,
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
};

pub use arguments::{ArgumentError, Arguments};
pub use library::{LatticeKind, Library, LibraryEntry, Resolver};
pub use method::{Delay, Indexing, Method, Misuse, Operators, ReturnType, Trend, argument, index};
pub use slot_order::SlotOrder;
pub use term::{Comparison, Term, TermOp};

/// A join-semilattice: a partial order with least upper bounds.
///
/// All elements are slices of [`Lattice::width`] integers. Equal elements are equal slices: every
/// operation has to return a canonical form.
pub trait Lattice: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the name with its arguments. Lattices with equal names are equal.
    fn name(&self) -> String;

    /// Returns the number of integers of an element.
    fn width(&self) -> usize;

    /// Returns the least and the greatest value of one of the integers.
    fn range(&self, slot: usize) -> (i32, i32) {
        let _ = slot;
        (i32::MIN, i32::MAX)
    }

    /// Writes the initial element of a variable that has no initialiser.
    fn initial(&self, out: &mut [i32]);

    /// Returns whether an element is less than or equal to another.
    fn leq(&self, a: &[i32], b: &[i32]) -> bool;

    /// Returns how one of the integers changes when the element grows; `None`: in no fixed way.
    /// Searches find comparable elements faster if they know it.
    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        let _ = slot;
        None
    }

    /// Replaces an element by the least upper bound of itself and another. Returns whether it
    /// changed.
    fn join(&self, into: &mut [i32], other: &[i32]) -> bool;

    /// Replaces an element by an upper bound of itself and another such that every sequence of
    /// widenings is finite. Bounds may stop at the thresholds, which are sorted. Returns whether
    /// the element changed.
    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        let _ = thresholds;
        self.join(into, other)
    }

    /// Returns whether an element is bottom, that is, allows no behaviour.
    fn is_bottom(&self, element: &[i32]) -> bool {
        let _ = element;
        false
    }

    /// Returns the methods that models can call.
    fn methods(&self) -> &[Method] {
        &[]
    }

    /// Returns the method that does the same as one that only reads elements, and may change them;
    /// `None`: there is none.
    fn changing(&self, method: usize) -> Option<usize> {
        let _ = method;
        None
    }

    /// Calls a method.
    ///
    /// # Errors
    /// An argument is outside of its range, or a function of the user fails.
    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let _ = (method, this, args);
        Ok(0)
    }

    /// Returns the least and the greatest result of a method.
    fn bounds(&self, method: usize) -> (i32, i32) {
        let _ = method;
        (i32::MIN, i32::MAX)
    }

    /// If models can write `v[i]` or `v[i][j]`: the size of each dimension. Entry `i`, in row-major
    /// order, is then bit `i % 32` of integer `i / 32`.
    fn bits(&self) -> &[u32] {
        &[]
    }

    /// Returns how a bit changes when the element grows; for lattices that have [`Lattice::bits`].
    fn bit_trend(&self) -> Trend {
        Trend::Varies
    }

    /// Returns the methods behind `v[i]`, if the entries are not [`Lattice::bits`].
    fn indexing(&self) -> Option<&Indexing> {
        None
    }

    /// Returns the lattice if it is one of the user, whose elements are numbers of other elements.
    fn interned(&self) -> Option<&user::Interned> {
        None
    }

    /// Returns whether it is a lattice of the user, or made of one.
    fn is_of_user(&self) -> bool {
        self.interned().is_some()
    }

    /// Returns how time passes for its elements, in a model that does not let it pass by itself;
    /// `None`: it does not.
    fn delay(&self) -> Option<Delay> {
        None
    }

    /// Returns the abstract operations on integers; `None`: this is not a lattice of integers.
    fn numeric(&self) -> Option<&dyn Numeric> {
        None
    }

    /// Returns the methods behind operators; `None`: models use the element by its methods alone.
    fn operators(&self) -> Option<Operators> {
        None
    }

    /// Returns the names that models read like fields, each with the method that it calls: `r.l`.
    fn fields(&self) -> &[(Cow<'static, str>, usize)] {
        &[]
    }

    /// Renders an element.
    fn show(&self, element: &[i32]) -> String;

    /// Samples an element from a source of numbers below its argument. Every element should occur;
    /// small elements, and elements close to each other, should occur often.
    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]);
}

/// Abstract operations on integers that are known by an element only.
///
/// The integers are unbounded and do not wrap around, unless the lattice says otherwise. A division
/// by zero has no result: an expression that contains one excludes the values for which it happens.
///
/// An *environment* has one or more such integers as its members. Non-relational domains take a
/// concatenation of any number of elements as an environment; relational domains take one element,
/// which has [`Numeric::members`].
pub trait Numeric {
    /// Returns the number of members of an element.
    fn members(&self) -> usize {
        1
    }

    /// Returns whether an environment is one element and not a sequence of elements.
    fn is_joint(&self) -> bool {
        self.members() != 1
    }

    /// Assigns a term, evaluated in the environment, to a member.
    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>);

    /// Restricts the environment to the values that satisfy a comparison, or to a superset of them.
    /// Returns `false` if no values do; then some element becomes bottom.
    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool;

    /// Returns a lower and an upper bound on a term; [`i64::MIN`] and [`i64::MAX`] where it is
    /// unbounded. The first is greater than the second if the term has no value.
    fn bounds(&self, environment: &[i32], term: &Term<'_>) -> (i64, i64);

    /// Returns whether some values of the members may satisfy a comparison.
    fn may(&self, environment: &[i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        self.assume(&mut environment.to_vec(), left, cmp, right)
    }
}
