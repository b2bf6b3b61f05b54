//! What is found about models, as values with names, as text and as pictures: what the command line
//! prints and what the Python package returns.
//!
//! [`json`] has the values, which are those of the reports in JSON. The other modules make them
//! from what the library answers.

// Tests compare files of the repository, and measure time.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod answer;
pub mod certificates;
pub mod check;
pub mod contents;
pub mod details;
pub mod estimate;
mod excerpt;
pub mod json;
mod measured;
pub mod net_names;
pub mod plots;
pub mod render;
pub mod replay;
pub mod reported;
pub mod shown;
pub mod simulation;
pub mod states;
pub mod trace;
pub mod written;
