//! When progress is shown, and how.

use clap::ValueEnum;

/// When to show the progress of a search, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// A status line, on a terminal
    Auto,
    /// A status line; without a terminal a line each second
    Always,
    /// Not at all
    Never,
    /// A JSON object on a line, about twice a second
    Json,
}
