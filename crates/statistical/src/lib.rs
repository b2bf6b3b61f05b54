//! Statistical model checking: random runs of a system, and what they say about probabilities.
//!
//! [`ask`] answers a query by as many runs as it takes. Run *i* of a seed is always the same, and
//! results are used in the order of these numbers, so that an answer depends on neither the number
//! of threads and processes nor on time.
//!
//! Time is exact: moments lie on a fine grid ([`Grid`]), and sums and comparisons on it have no
//! rounding. A run of [`Runner::recorded`] is therefore a run of the model's own semantics
//! ([`model::replay`]), which tests check.

mod ask;
mod choose;
mod clauses;
mod curve;
mod first;
mod grid;
mod histogram;
mod holding;
mod interval;
mod mean;
mod motion;
mod network;
mod problem;
mod run;
mod sent;
mod signals;
mod split;
mod state;
mod wald;
mod watch;
mod window;
mod work;

pub use ask::{
    Findings, KeptRun, Measured, Settings, Share, ask, decided_run, has_binary_channels, has_equalities, without_rate,
};
pub use grid::{Grid, Ticks};
pub use histogram::{Bin, Histogram};
pub use interval::Confidence;
pub use mean::Mean;
pub use network::Network;
pub use problem::{RunFault, RunProblem};
pub use run::{RecordedRun, Runner, Step};
pub use split::{Importance, RowImportance, Splitting, split};
pub use watch::Samples;
