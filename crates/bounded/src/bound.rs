//! What a bounded check finds.

use model::replay::Trace;

/// What a bounded check finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// A run to the goal, which was replayed.
    Found(Trace),
    /// No run of at most so many steps leads to the goal.
    None(usize),
    /// Nobody knows, for this reason.
    Unknown(String),
}
