//! Near the limit on memory a search drops what it can compute again, and goes on without it.

use zone::Bound;

use super::{Counts, Limits};
use crate::{graph::ZoneGraph, shard::Shard};

impl Limits<'_> {
    /// Returns whether so many bytes are so close to the limit that caches are to be dropped.
    pub(crate) fn is_near(&self, bytes: usize) -> bool {
        self.bytes.is_some_and(|max| bytes > max - max / 8)
    }
}

/// Drops the caches of a graph and of a worker. No batch that the graph has filled may be in use.
pub(crate) fn drop_caches<B: Bound>(graph: &mut ZoneGraph<'_, B>, shard: Option<&mut Shard<B>>, counts: &mut Counts) {
    graph.drop_caches();
    shard.into_iter().for_each(Shard::drop_caches);
    counts.caches_dropped = true;
}
