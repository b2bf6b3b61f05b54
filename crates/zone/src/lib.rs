//! Zones: sets of clock valuations described by bounds on differences of clocks.
//!
//! A zone over `dim - 1` clocks is a flat row of `dim * dim` [`Bound`]s, row by row: entry
//! `i * dim + j` bounds `x_i - x_j`. Number 0 is the reference clock, which is always 0, so that
//! column 0 holds the upper bounds of the clocks and row 0 the negated lower ones. Clocks are never
//! negative. The operations are free functions on such rows, so that rows can live wherever a
//! caller keeps them.
//!
//! Two properties of a row are pre- and postconditions throughout:
//! - *closed*: no bound follows from others, `m[i,j] <= m[i,k] + m[k,j]` for all `i`, `j`, `k`. A
//!   closed row is the only closed one of its set of valuations. Unless its documentation says
//!   otherwise, a function takes closed rows and leaves closed rows.
//! - *not empty*: a function that can leave nothing returns `false` then, and the row holds nothing
//!   of use.
//!
//! A row shorter or longer than `dim * dim`, or a clock outside `0..dim`, is a mistake of the
//! caller and panics.

#![forbid(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "loops over several rows at once read best, and compile best, with an index"
)]

mod bound;
mod close;
mod constrain;
mod display;
mod extrapolate;
mod federation;
mod kernel;
mod make;
mod minimal;
mod narrow;
mod order;
mod subsumption;
mod update;
pub mod workload;

pub use bound::{Bound, Text as BoundText, add, is_strict, le, lt, negate, value};
pub use close::{close, close_one, is_closed};
pub use constrain::{constrain, satisfies};
pub use display::display;
pub use extrapolate::{extra_lu, extra_lu_plus, extra_m, extra_m_plus};
pub use federation::{Federation, merge, subtract};
pub use make::{contains, fits, universe, zero};
pub use minimal::{is_included_in_reduced, reduce, reduce_explicitly, restore};
pub use narrow::{NARROW_INFINITY, Profile, compare_profiles, hash_narrow, narrow, profile, widen, widen_one};
pub use order::{Relation, convex_hull, intersect, is_included, is_included_narrow, relation};
pub use subsumption::{is_subsumed, is_subsumed_narrow, simulation_profile};
pub use update::{copy, delay, delay_except, free, past, past_except, reset, undo_copy, undo_reset};
