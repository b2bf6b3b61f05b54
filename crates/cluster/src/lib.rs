//! Processes on several machines that answer queries together, over TCP.
//!
//! The processes connect to each other, and check that they know the same key and hosts and have
//! the same version before they accept anything. What they say to each other then is the business
//! of [`explore::cluster`]: this crate carries frames.

mod frame;
mod handshake;
mod hosts;
mod key;
mod link;
mod mesh;

pub use handshake::{PATIENCE, Refusal};
pub use hosts::{HostsError, HostsProblem, MAX_PROCESSES, digest, host, is_loopback, read_hosts};
pub use key::Key;
pub use mesh::{ConnectError, Hooks, Listening, Mesh, Place, Task};
