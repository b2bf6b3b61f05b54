//! Random small networks, as XTA text.
//!
//! The same seed and options give the same network on every machine. Networks are small enough for
//! [`crate::explicit`], and dense enough that their features meet: few channels, small numbers, guards that hold often.
//! Everything that UPPAAL refuses is left out, so every network is one that an engine must take.

mod generate;
mod lattices;
mod net;
mod options;
mod rng;
mod scalars;
mod shrink;
mod vectors;

pub use lattices::{Lattices, lattices, sound_lattices};
pub use net::{Net, View};
pub use options::Options;
pub use rng::Rng;
pub use scalars::{Scalars, scalars, sound_scalars};
pub use shrink::shrink;
pub use vectors::{Vectors, vectors};

/// A network and its queries, from a seed.
#[must_use]
pub fn network(seed: u64, options: &Options) -> Net {
    generate::network(&mut Rng::new(seed), options)
}
