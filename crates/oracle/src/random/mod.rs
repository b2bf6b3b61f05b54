//! Small random networks, as XTA text.
//!
//! The same seed and options give the same network on every machine. Networks are small enough for
//! [`crate::explicit`], and dense enough that their features interact: few channels, small
//! constants, guards that hold often. Everything that UPPAAL rejects is left out, so every network
//! is one that an engine must accept.

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

/// Generates a network with queries from a seed.
#[must_use]
pub fn network(seed: u64, options: &Options) -> Net {
    generate::network(&mut Rng::new(seed), options)
}
