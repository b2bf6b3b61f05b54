//! An explicit-state checker without zones, and random networks, to compare engines with.
//!
//! [`explicit`] answers queries by exploring single states; [`random`] generates small networks as
//! XTA text from a seed. Both are for tests only. They use the `System` that every engine works on,
//! and no code of any engine. [`nets`] and [`random_nets`] are the same for Petri nets; they use
//! only the net. [`coloured`] has both for nets with coloured tokens.

mod campaign;
pub mod coloured;
mod corpus;
pub mod explicit;
mod load;
pub mod nets;
mod operations;
pub mod random;
pub mod random_nets;
mod seeds;

pub use campaign::{campaign, expected};
pub use corpus::{Corpus, corpora, files, skip};
pub use load::{LoadError, Loaded, load, load_net, load_tck, queries_beside, read_file, read_model};
pub use operations::operations;
pub use seeds::seeds;
