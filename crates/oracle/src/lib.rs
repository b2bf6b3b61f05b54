//! What the engines are compared with: an explicit-state checker that knows no zones, and a source of random networks.
//!
//! [`explicit`] answers queries by walking through single states; [`random`] writes small networks as XTA text, from a
//! seed. Both are for tests only. They use the `System` that every engine works on and nothing of any engine. [`nets`] and
//! [`random_nets`] are the same for Petri nets; they use the net alone.

mod campaign;
pub mod explicit;
mod load;
pub mod nets;
mod operations;
pub mod random;
pub mod random_nets;

pub use campaign::campaign;
pub use load::{Loaded, load, load_net, load_tck};
pub use operations::operations;
