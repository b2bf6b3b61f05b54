//! How wide the bounds of zones have to be.
//!
//! Bounds have 32 bits, and sums of three of them must fit. Where a model has larger constants, or
//! where numbers grow along a run because no abstraction forgets them, zones have bounds of 64
//! bits. All that searches do is written once for both; nearly all models have the narrow ones,
//! which are twice as fast.

use explore::graph::Abstraction;
use model::{Formula, Property, System};
use zone::Bound;

use crate::{Options, Reason, Wanted};

/// The width of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
}

/// Where nothing is forgotten, a run of so many transitions at least is needed to leave the range
/// of narrow bounds.
const LONG: i64 = 1 << 16;

/// Comparisons of a difference of clocks cut zones in two. With more of them there are too many
/// pieces.
const MOST_CUTS: i64 = 1 << 22;

/// The width that a search for these properties needs.
///
/// # Errors
/// Why there can't be one.
pub fn width(system: &System, properties: &[&Property], options: &Options) -> Result<Width, Reason> {
    let formulas: Vec<&Formula> = properties.iter().flat_map(|property| property.formulas()).collect();
    let cuts = system.count_differences(&formulas);
    if cuts > MOST_CUTS {
        return Err(Reason::Differences(cuts));
    }
    let most = system.largest_constant(&formulas);
    let grows =
        options.abstraction == Some(Abstraction::None) || options.wanted == Wanted::Fastest || system.offsets != (0, 0);
    let range = i64::from(i32::MAX_CONSTANT);
    let wide = options.wide || most > range || grows && most > range / LONG;
    Ok(if wide { Width::Wide } else { Width::Narrow })
}
