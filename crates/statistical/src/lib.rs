//! Statistical model checking: random runs of a system, and what they say about probabilities.
//!
//! [`ask`] answers a query by as many runs as it takes. Run *i* of a seed is always the same, and
//! results are used in the order of these numbers, so that an answer depends on neither the number
//! of threads nor on time.
//!
//! Time is exact: moments lie on a fine grid ([`Grid`]), and sums and comparisons on it have no
//! rounding. A run of [`Runner::recorded`] is therefore a run of the model's own semantics
//! ([`model::replay`]), which tests check.

mod ask;
mod choose;
mod grid;
mod interval;
mod mean;
mod network;
mod problem;
mod random;
mod run;
mod state;
mod wald;
mod watch;
mod window;
mod work;

pub use ask::{Findings, Measured, Settings, Share, ask, has_binary_channels, without_rate};
pub use grid::{Grid, Ticks};
pub use interval::Confidence;
pub use mean::Mean;
pub use network::Network;
pub use problem::{RunFault, RunProblem};
pub use run::{RecordedRun, Runner, Step};
pub use watch::Sample;
