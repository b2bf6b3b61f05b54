//! Random options that several campaigns draw.

use oracle::random::Rng;
use verify::{Abstraction, LocalTime, Options, Order, Skipping, Symmetry, Update, Wanted};

/// Draws options of a search, with one of these orders and one of these wishes for a trace.
pub fn search_options(rng: &mut Rng, orders: &[Order], wanted: &[Wanted]) -> Options {
    Options {
        order: *rng.pick(orders),
        abstraction: *rng.pick(&[
            None,
            None,
            Some(Abstraction::ExtraLuPlus),
            Some(Abstraction::ExtraLu),
            Some(Abstraction::ExtraM),
            Some(Abstraction::Am),
            Some(Abstraction::None),
        ]),
        update: *rng.pick(&[None, None, Some(Update::Simple), Some(Update::Join)]),
        wanted: *rng.pick(wanted),
        passing: *rng.pick(&[None, None, Some(Skipping::Committed), Some(Skipping::Acyclic)]),
        local_time: *rng.pick(&[LocalTime::Off, LocalTime::On]),
        symmetry: if rng.chance(20) { Symmetry::Off } else { Symmetry::On },
        ..Options::default()
    }
}
