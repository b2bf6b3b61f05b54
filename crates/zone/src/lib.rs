//! Zones: sets of clock valuations described by bounds on differences of clocks.
//!
//! A zone over `dim - 1` clocks is a flat row of `dim * dim` [`Bound`]s, row by row: entry
//! `i * dim + j` bounds `x_i - x_j`. Clock 0 is the reference clock, which is always 0, so column 0
//! holds the upper bounds of the clocks and row 0 the negated lower ones. Clocks are never
//! negative. The operations are free functions on such rows, so callers can store rows anywhere.
//!
//! Two properties of a row are preconditions and postconditions throughout:
//! - *closed*: `m[i,j] <= m[i,k] + m[k,j]` for all `i`, `j`, `k`. A set of valuations has exactly
//!   one closed row. Unless documented otherwise, functions take and return closed rows.
//! - *not empty*: a function whose result may be empty returns `false` in this case, and the row is
//!   undefined.
//!
//! A row whose length is not `dim * dim`, or a clock outside `0..dim`, is an error of the caller
//! and panics.

#![forbid(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "loops over several rows at once read best, and compile best, with an index"
)]

mod bound;
mod close;
mod compact;
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

pub use bound::{Bound, add, is_strict, le, lt, negate, value};
pub use close::{close, close_one, is_closed};
pub use compact::{Compactor, MAX_COMPACT_DIM, is_compact_form, restore_compact};
pub use constrain::{constrain, satisfies};
pub use display::display;
pub use extrapolate::{extra_lu, extra_lu_plus, extra_m, extra_m_plus};
pub use federation::{Federation, merge, subtract};
pub use make::{contains, fits, universe, zero};
pub use minimal::{is_included_in_reduced, reduce, reduce_explicitly, restore};
pub use narrow::{Profile, compare_profiles, hash_narrow, narrow, profile, profile_narrow, widen, widen_one};
pub use order::{Relation, convex_hull, intersect, is_included, is_included_narrow, relation, relation_narrow};
pub use subsumption::{is_subsumed, is_subsumed_narrow, simulation_profile, simulation_profile_narrow};
pub use update::{copy, delay, delay_except, delay_within, free, past, past_except, reset, undo_copy, undo_reset};
