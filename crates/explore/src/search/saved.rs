//! The progress of a search as bytes.

use zone::Bound;

use super::{Expansion, Progress};
use crate::{
    search::Counts,
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::NodeId,
};

impl<B: Bound> Progress<B> {
    /// Writes the counters. An expansion that is not complete is done again.
    pub(crate) fn save(&self, out: &mut PartWriter<'_>) {
        out.flag(self.is_begun);
        out.optional(self.expanding.or(self.restored).map(|expansion| expansion.node.0.into()));
        let counts = match self.expanding.or(self.restored) {
            Some(Expansion { explored, generated, .. }) => Counts { explored, generated, ..self.counts },
            None => self.counts,
        };
        out.counts(&counts);
        out.size(self.next_check);
        out.size(self.again);
        out.optional(self.buffer.unjudged.map(|node| node.0.into()));
    }

    /// Reads them, for a store of so many nodes.
    pub(crate) fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.is_begun = from.flag()?;
        let optional = |from: &mut PartReader<'_>| {
            let node = if from.flag()? { Some(NodeId(from.below(added, "a state is missing")?)) } else { None };
            Ok::<_, SnapshotError>(node)
        };
        let node = optional(from)?;
        self.counts = from.counts()?;
        let Counts { explored, generated, .. } = self.counts;
        self.restored = node.map(|node| Expansion { node, explored, generated });
        (self.next_check, self.again) = (from.size()?, from.size()?);
        self.buffer.unjudged = optional(from)?;
        Ok(())
    }
}
