//! Workers as bytes. Each is a part of its own, with the packets that are on their way to it.

use zone::Bound;

use super::{Packet, Team, Worker};
use crate::{
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::RemoteNode,
};

/// The parents that are in the stores of other workers.
type Remotes = Vec<RemoteNode>;

impl<B: Bound> Worker<'_, B> {
    /// Returns whether its state can be saved.
    #[must_use]
    pub fn can_be_saved(&self) -> bool {
        self.open.can_be_saved() && !self.progress.is_torn
    }

    /// Writes its state. It has begun.
    pub fn save(&self, out: &mut PartWriter<'_>) {
        self.seen.save(out);
        self.open.save(out);
        self.progress.save(out);
    }

    /// Reads its state, before it has begun.
    ///
    /// # Errors
    /// The state is damaged.
    pub fn load(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        match self.load_own(from)?.is_empty() {
            true => Ok(()),
            false => Err(SnapshotError::Impossible("there are other workers")),
        }
    }

    fn load_own(&mut self, from: &mut PartReader<'_>) -> Result<Remotes, SnapshotError> {
        self.transitions.graph().forget_numbers();
        let remotes = self.seen.load(self.transitions.graph(), from)?;
        let added = self.seen.store.added();
        self.open.load(added, from)?;
        self.progress.load(added, from)?;
        Ok(remotes)
    }
}

impl<B: Bound> Team<'_, B> {
    /// Writes the state of a worker, while all of them pause.
    pub fn save(&self, number: usize, out: &mut PartWriter<'_>) {
        self.workers[number].save(out);
        self.workers[number].shard.iter().for_each(|shard| shard.owners.save(out));
        let mut visit = |packets: &[Packet<B>]| {
            for packet in packets.iter().filter(|packet| packet.len() > 0) {
                out.flag(true);
                packet.save(out);
            }
        };
        self.exchange.waiting(number, &mut visit);
        for (i, shard) in self.workers.iter().enumerate().filter_map(|(i, worker)| Some((i, worker.shard.as_ref()?))) {
            visit(std::slice::from_ref(&shard.outgoing[number].packet));
            if i == number {
                visit(&shard.incoming);
            }
        }
        out.flag(false);
    }

    /// Reads the states of all workers, before they have begun.
    ///
    /// # Errors
    /// A state is damaged.
    pub fn load(&mut self, parts: &mut [PartReader<'_>]) -> Result<(), SnapshotError> {
        const WRONG: SnapshotError = SnapshotError::Impossible("there is no such worker");
        if parts.len() != self.workers.len() {
            return Err(WRONG);
        }
        let mut remotes = Vec::new();
        for (number, (worker, from)) in self.workers.iter_mut().zip(parts).enumerate() {
            remotes.extend(worker.load_own(from)?);
            let Some(shard) = &mut worker.shard else { return Err(WRONG) };
            shard.owners.load(from)?;
            let system = worker.transitions.graph().system();
            while from.flag()? {
                let mut packet = Packet::new(0, shard.width, shard.area);
                packet.load(system, from)?;
                remotes.extend(packet.senders());
                self.exchange.put(number, packet);
            }
        }
        let exists = |at: &RemoteNode| {
            self.workers.get(at.worker as usize).is_some_and(|worker| (at.node.0 as usize) < worker.seen.store.added())
        };
        self.is_begun = true;
        if remotes.iter().all(exists) { Ok(()) } else { Err(WRONG) }
    }
}
