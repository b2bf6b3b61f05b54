//! Limits on ages that depend on colours.

use rustc_hash::FxHashMap;

use crate::net::draft::WrittenInterval;

/// The ages of tokens, by their colours.
pub(in crate::net::xml) struct ByColour {
    /// Those of all colours that have none of their own.
    others: Option<WrittenInterval>,
    own: FxHashMap<u64, Option<WrittenInterval>>,
}

impl ByColour {
    /// The same for all colours; `None` does not limit them.
    pub(in crate::net::xml) fn all(others: Option<WrittenInterval>) -> ByColour {
        ByColour { others, own: FxHashMap::default() }
    }

    /// Sets the ages of a colour, and returns whether it had none of its own before.
    pub(in crate::net::xml) fn set(&mut self, colour: u64, ages: Option<WrittenInterval>) -> bool {
        self.own.insert(colour, ages).is_none()
    }

    pub(in crate::net::xml) fn of(&self, colour: u64) -> Option<WrittenInterval> {
        self.own.get(&colour).copied().unwrap_or(self.others)
    }

    /// Returns whether some age of some colour is excluded.
    pub(in crate::net::xml) fn is_limited(&self) -> bool {
        let limits = |ages: &WrittenInterval| ages.low > 0 || ages.low_open || ages.high.is_some();
        self.own.values().chain([&self.others]).flatten().any(limits)
    }
}
