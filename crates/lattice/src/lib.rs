//! Lattices: sets of values with an order in which greater ones allow more.
//!
//! An element is a row of integers of a fixed width, so that a product is a concatenation. A lattice whose elements have no
//! bound on their size keeps each of them once and has their numbers in its rows.
//!
//! [`Lattice`] is all that an engine needs to know; [`Library`] has those that models can name; [`laws`] checks what engines rely on.
//!
//! # A lattice of one's own
//!
//! ```
//! use std::sync::Arc;
//!
//! use lattice::{Arguments, Entry, Lattice, Library, Method, Misuse, Trend, laws};
//!
//! /// How urgent things are at most. With more at stake more may happen.
//! #[derive(Debug)]
//! struct Alarm {
//!     highest: i32,
//! }
//!
//! static METHODS: [Method; 2] = [
//!     Method::change("raise", &["level"], "makes it as urgent as a level at least"),
//!     Method::test("mayBe", &["level"], Trend::Rises, "whether it may be as urgent as a level"),
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
//! let library = Library::standard().with(Entry {
//!     name: "Alarm",
//!     aliases: &[],
//!     signature: "Alarm(highest)",
//!     has_dimensions: false,
//!     member: None,
//!     help: "How urgent things are at most, from 0 on.",
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
//! # Ok::<(), String>(())
//! ```

mod arguments;
mod bit_vector;
mod cache;
mod discrete_clock;
mod ladder;
pub mod laws;
mod library;
mod method;
mod numeric;
mod octagon;
mod packed;
mod power_set;
mod present_absent;
mod product;
mod term;
mod zones;

use std::{
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
};

pub use arguments::Arguments;
pub use library::{Entry, Library};
pub use method::{Gives, Method, Misuse, Trend, argument, index};
pub use term::{Comparison, Term, TermOp};

/// A lattice: an order, and for any two elements a least one that is not less than both.
///
/// All elements are slices of [`Lattice::width`] integers. Equal elements are equal slices: whatever has several forms has to be
/// brought into a normal one by each operation.
pub trait Lattice: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Its name with its arguments. Lattices with equal names are equal.
    fn name(&self) -> String;

    /// How many integers an element has.
    fn width(&self) -> usize;

    /// The least and the greatest value of one of the integers.
    fn range(&self, slot: usize) -> (i32, i32) {
        let _ = slot;
        (i32::MIN, i32::MAX)
    }

    /// The element of a variable that nobody has set.
    fn initial(&self, out: &mut [i32]);

    /// Whether an element is less than or equal to another.
    fn leq(&self, a: &[i32], b: &[i32]) -> bool;

    /// Makes an element the least upper bound of itself and another. Returns whether it changed.
    fn join(&self, into: &mut [i32], other: &[i32]) -> bool;

    /// Makes an element an upper bound of itself and another such that no sequence of these grows for ever. Bounds may stop at
    /// the thresholds, which rise. Returns whether it changed.
    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        let _ = thresholds;
        self.join(into, other)
    }

    /// Whether an element allows nothing at all.
    fn is_bottom(&self, element: &[i32]) -> bool {
        let _ = element;
        false
    }

    /// The methods that models can call.
    fn methods(&self) -> &[Method] {
        &[]
    }

    /// Calls a method.
    ///
    /// # Errors
    /// An argument is outside of its range.
    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let _ = (method, this, args);
        Ok(0)
    }

    /// The least and the greatest result of a method.
    fn bounds(&self, method: usize) -> (i32, i32) {
        let _ = method;
        (i32::MIN, i32::MAX)
    }

    /// If models can write `v[i]` or `v[i][j]`: how many indices there are in each dimension. Element `i` is then bit `i % 32` of
    /// integer `i / 32`, counted in the order of the text.
    fn bits(&self) -> &[u32] {
        &[]
    }

    /// What a bit does when the element grows; for lattices that have [`Lattice::bits`].
    fn bit_trend(&self) -> Trend {
        Trend::Varies
    }

    /// What can be said of integers that are known by an element only; `None`: this is no lattice of integers.
    fn numeric(&self) -> Option<&dyn Numeric> {
        None
    }

    /// An element as text.
    fn show(&self, element: &[i32]) -> String;

    /// Some element, by a source of numbers that gives one less than its argument. All elements should come sometimes, small ones
    /// often, and those that are near each other.
    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]);
}

/// Integers of which only an element of a lattice is known.
///
/// They are integers as in mathematics, which do not wrap round, unless the lattice says otherwise. A division by zero has no
/// result: what it is a part of leaves nothing of the members for which it happens.
///
/// An *environment* has one or more of them as its members. Lattices that know each integer by itself take any number of
/// elements, one behind the other, as an environment; those that relate integers take one element, which has
/// [`Numeric::members`].
pub trait Numeric {
    /// How many members an element has.
    fn members(&self) -> usize {
        1
    }

    /// Whether an environment is one element, and no sequence of them.
    fn is_joint(&self) -> bool {
        self.members() != 1
    }

    /// Makes a member what a term says of the members before.
    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>);

    /// Leaves what satisfies a comparison, or more than that; `false`: nothing does, and some element becomes bottom.
    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool;

    /// The least and the greatest value of a term, or numbers beyond them; [`i64::MIN`] and [`i64::MAX`] where there is no bound.
    /// The first is greater than the second if the term has no value at all.
    fn bounds(&self, environment: &[i32], term: &Term<'_>) -> (i64, i64);

    /// Whether some value of the members may satisfy a comparison.
    fn may(&self, environment: &[i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        self.assume(&mut environment.to_vec(), left, cmp, right)
    }
}
