//! The monotonicity abstraction: whatever was reached stays reached.
//!
//! Kupferschmid, Hoffmann, Dierks and Behrmann, "Adapting an AI planning heuristic for directed
//! model checking", SPIN 2006, after the planner FF's *ignoring delete lists*. Processes are at all
//! locations that they have come to, and variables have all values that they were ever given. The
//! abstract problem is solved anew for each state, layer by layer: what may be there after one
//! transition, after two, and so on.
//!
//! It differs from the paper where that is more precise and still admissible: conditions on one
//! variable are met by one value, and each way through a guard or update counts for itself.

mod build;
mod clocks;
mod domain;
mod homes;
mod layers;
mod network;
mod network_builder;
mod partners;
mod plan;
mod start;
mod summary;
mod sums;

pub use build::{Relaxation, build};
pub use layers::Layers;
pub use plan::{Plan, PlanStep};
pub use summary::{goal, has_hidden_parts};
pub use sums::Sums;

/// How `v := v + 1` is relaxed. The paper's figure and its text say different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Increments {
    /// Each step adds one value, as in the paper's text: counting to ten takes ten steps.
    #[default]
    Step,
    /// One step adds all greater values, as in the paper's Figure 2.
    Jump,
}

/// What the relaxation tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelaxationSettings {
    /// How increments are relaxed.
    pub increments: Increments,
    /// Whether values of variables and clocks are told apart by locations: the paper's section 7.
    pub places: bool,
}
