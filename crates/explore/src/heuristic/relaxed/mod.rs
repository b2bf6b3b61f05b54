//! The monotonicity abstraction: reached facts stay reached.
//!
//! Kupferschmid, Hoffmann, Dierks and Behrmann, "Adapting an AI planning heuristic for directed
//! model checking", SPIN 2006, after the planner FF's *ignoring delete lists*. Processes are at all
//! locations that they have reached, and variables have all values that they were ever assigned.
//! The abstract problem is solved for each state, layer by layer: the facts after one transition,
//! after two, and so on.
//!
//! It differs from the paper where that is more precise and still admissible: the conditions on one
//! variable are satisfied by one value, and each path through a guard or update is a separate
//! action.

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

pub(crate) use build::build;
pub(crate) use layers::Layers;
pub(crate) use plan::Plan;
pub use plan::PlanStep;
pub(crate) use summary::goal;
pub use summary::has_hidden_parts;
pub(crate) use sums::Sums;

/// How `v := v + 1` is relaxed. The paper's figure and its text differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Increments {
    /// Each step adds one value, as in the paper's text: counting to ten takes ten steps.
    #[default]
    Step,
    /// One step adds all greater values, as in the paper's Figure 2.
    Jump,
}

/// The precision of the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelaxationSettings {
    /// How increments are relaxed.
    pub increments: Increments,
    /// Whether values of variables and clocks are distinguished by locations: the paper's section
    /// 7.
    pub places: bool,
}
