//! What the engines are compared with: an explicit-state checker that knows no zones, and a source of random networks.
//!
//! [`explicit`] answers queries by walking through single states; [`random`] writes small networks as XTA text, from a
//! seed. Both are for tests only. They use the `System` that every engine works on and nothing of any engine.

mod campaign;
pub mod explicit;
mod load;
pub mod random;

pub use campaign::campaign;
pub use load::{Loaded, load, load_tck};
