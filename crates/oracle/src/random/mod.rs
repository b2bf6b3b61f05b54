//! Small random networks, as XTA text.
//!
//! The same seed and options give the same network on every machine. Networks are small enough for
//! [`crate::explicit`], and dense enough that their features interact: few channels, small
//! constants, guards that hold often. Everything that UPPAAL rejects is left out, so every network
//! is one that an engine must accept.

mod features;
mod generate;
mod lattices;
mod net;
mod rng;
mod scalars;
mod shrink;
mod vectors;

pub use features::NetworkFeatures;
pub use lattices::{lattices, sound_lattices};
pub use net::{RandomNetwork, View};
pub use rng::Rng;
pub use scalars::{scalars, sound_scalars};
pub use shrink::shrink;
pub use vectors::vectors;

/// A random model with queries, as text.
#[derive(Clone, Debug)]
pub struct RandomModel {
    /// The model.
    pub text: String,
    /// The queries.
    pub queries: Vec<String>,
}

/// Generates a network with queries from a seed.
#[must_use]
pub fn network(seed: u64, options: &NetworkFeatures) -> RandomNetwork {
    generate::network(&mut Rng::new(seed), options)
}
