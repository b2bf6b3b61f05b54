//! The counters of a search.

/// The counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States that were taken from the open list and expanded.
    pub explored: usize,
    /// Computed successors, with duplicates and without the initial state.
    pub generated: usize,
    /// States that were ever stored.
    pub added: usize,
    /// States in the store at the end.
    pub stored: usize,
    /// The size of the store at the end, in bytes.
    pub bytes: usize,
    /// Whether caches were dropped, since the limit on memory was near.
    pub caches_dropped: bool,
}

impl Counts {
    /// Returns the sum of the counters of two searches.
    #[must_use]
    pub fn and(&self, other: &Counts) -> Counts {
        Counts {
            explored: self.explored + other.explored,
            generated: self.generated + other.generated,
            added: self.added + other.added,
            stored: self.stored + other.stored,
            bytes: self.bytes + other.bytes,
            caches_dropped: self.caches_dropped || other.caches_dropped,
        }
    }
}
