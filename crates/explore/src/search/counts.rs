//! What a search counts.

/// What a search counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Taken from the open list and expanded.
    pub explored: usize,
    /// Successors computed, duplicates included, the initial state not.
    pub generated: usize,
    /// Ever put into the store.
    pub added: usize,
    /// In the store at the end.
    pub stored: usize,
    /// The store's size at the end.
    pub bytes: usize,
}

impl Counts {
    /// What two searches counted, the stores of both together.
    #[must_use]
    pub fn and(&self, other: &Counts) -> Counts {
        Counts {
            explored: self.explored + other.explored,
            generated: self.generated + other.generated,
            added: self.added + other.added,
            stored: self.stored + other.stored,
            bytes: self.bytes + other.bytes,
        }
    }
}
