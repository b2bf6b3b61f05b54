//! Workers as bytes. Each is a part of its own, with the packets that are on their way to it.

use zone::Bound;

use super::{Packet, Shard, Team, Worker};
use crate::{
    cluster::{Cluster, Disagreement, FlatReader, FlatWriter, Hindrance, Malformed, Step, read_counts, write_counts},
    search::{Counts, Limits, Stop},
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
    /// Prepares to save the states of all workers, while all of them pause. Returns whether they
    /// can be saved, in all processes.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn settle(&mut self) -> Result<bool, Stop> {
        let can_be_saved = self.workers.iter().all(|worker| worker.has_begun() && worker.can_be_saved());
        let exchange = self.exchange.clone();
        let Some(others) = &exchange.others else { return Ok(can_be_saved) };
        // All processes are at the same level now, but workers may have paused before it began.
        self.catch_up();
        self.workers.iter_mut().filter_map(|worker| worker.shard.as_mut()).for_each(Shard::send_rest);
        // A packet is saved where it has arrived.
        let mut out = FlatWriter::default();
        out.byte(can_be_saved.into());
        others.sent().for_each(|sent| _ = out.number(sent));
        let cluster = &others.cluster;
        let (mut all_can, mut expected) = (true, 0_u64);
        for (process, bytes) in cluster.gather(Step::Save, out.0, &Limits::default())?.iter().enumerate() {
            let said = sent_to(cluster, bytes).map_err(|Malformed| cluster.distrust(process))?;
            all_can &= said.0;
            expected = expected.wrapping_add(said.1);
        }
        cluster.wait_until(|| others.received() == expected)?;
        Ok(all_can)
    }

    /// Begins the level in all workers that has begun while they paused. No worker runs.
    pub(super) fn catch_up(&mut self) {
        for (number, worker) in self.workers.iter_mut().enumerate() {
            if self.exchange.catches_up(number) {
                worker.open.advance(&worker.seen.store);
            }
        }
    }

    /// Writes the state of a worker, while all of them pause and are settled.
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
        let receiver = self.first_worker() + number;
        for (i, shard) in self.workers.iter().enumerate().filter_map(|(i, worker)| Some((i, worker.shard.as_ref()?))) {
            visit(std::slice::from_ref(&shard.outgoing[receiver].packet));
            if i == number {
                visit(&shard.incoming);
            }
        }
        out.flag(false);
    }

    /// Reads the states of all workers, before they have begun, together with other processes.
    ///
    /// # Errors
    /// A state is damaged, here or in another process, or the work has to stop.
    pub fn load(&mut self, parts: &mut [PartReader<'_>], limits: &Limits<'_>) -> Result<(), LoadError> {
        let remotes = self.load_own(parts);
        let Some(joint) = &mut self.joint else {
            let added: Vec<usize> = self.workers.iter().map(|worker| worker.seen.store.added()).collect();
            return Ok(exist(&remotes?, &added)?);
        };
        // Each process says how many states its workers have, and what they have counted.
        let cluster = joint.cluster.clone();
        let own = self.workers.iter().fold(Counts::default(), |sum, worker| sum.and(&worker.progress.counts));
        let mut out = FlatWriter::default();
        write_counts(&own, &mut out);
        self.workers.iter().for_each(|worker| _ = out.number(worker.seen.store.added() as u64));
        let said = remotes.as_ref().map(|_| out.0).map_err(|e| Hindrance::of(e));
        let all = cluster.agree(Step::Restore, said, limits);
        let (remotes, all) = (remotes?, all?);
        let (mut added, mut others) = (Vec::new(), Counts::default());
        for (process, bytes) in all.iter().enumerate() {
            let counts = added_states(&cluster, process, bytes, &mut added);
            let counts = counts.map_err(|Malformed| Disagreement::Stopped(cluster.distrust(process)))?;
            if process != cluster.number() {
                others = others.and(&counts);
            }
        }
        joint.counts = others;
        let exist = exist(&remotes, &added);
        let said = exist.as_ref().map(|()| Vec::new()).map_err(|e| Hindrance::of(e));
        let all = cluster.agree(Step::Restore, said, limits);
        exist?;
        all?;
        Ok(())
    }

    /// Reads the states of the workers of this process. Returns the parents that others have.
    fn load_own(&mut self, parts: &mut [PartReader<'_>]) -> Result<Remotes, SnapshotError> {
        if parts.len() != self.workers.len() {
            return Err(NO_WORKER);
        }
        let mut remotes = Vec::new();
        let own = self.first_worker()..self.first_worker() + self.workers.len();
        for (number, (worker, from)) in self.workers.iter_mut().zip(parts).enumerate() {
            remotes.extend(worker.load_own(from)?);
            let Some(shard) = &mut worker.shard else { return Err(NO_WORKER) };
            shard.owners.load(from)?;
            let system = worker.transitions.graph().system();
            while from.flag()? {
                let mut packet = Packet::new(0, shard.width, shard.area);
                packet.load(system, from)?;
                // Loans within a process have gone back when it saves.
                if packet.is_loan && own.contains(&usize::from(packet.from)) {
                    return Err(SnapshotError::Impossible("a worker has borrowed states of its own process"));
                }
                remotes.extend(packet.senders());
                self.exchange.put(number, packet);
            }
        }
        self.is_begun = true;
        Ok(remotes)
    }
}

const NO_WORKER: SnapshotError = SnapshotError::Impossible("there is no such worker");

/// Why the state of a search can't be read.
#[derive(Debug)]
pub enum LoadError {
    /// It is damaged.
    Damaged(SnapshotError),
    /// Another process can't read its part, or the work has to stop.
    Others(Disagreement),
}

impl From<SnapshotError> for LoadError {
    fn from(e: SnapshotError) -> LoadError {
        LoadError::Damaged(e)
    }
}

impl From<Disagreement> for LoadError {
    fn from(why: Disagreement) -> LoadError {
        LoadError::Others(why)
    }
}

/// Checks that parents exist, given how many states each worker has.
fn exist(remotes: &[RemoteNode], added: &[usize]) -> Result<(), SnapshotError> {
    let exists = |at: &RemoteNode| added.get(at.worker as usize).is_some_and(|added| (at.node.0 as usize) < *added);
    if remotes.iter().all(exists) { Ok(()) } else { Err(NO_WORKER) }
}

/// Reads whether a process can save its state, and how many packets it has sent to this one.
fn sent_to(cluster: &Cluster, bytes: &[u8]) -> Result<(bool, u64), Malformed> {
    let mut read = FlatReader::new(bytes);
    let can_be_saved = read.byte()? == 1;
    let all = (0..cluster.processes()).map(|_| read.number()).collect::<Result<Vec<_>, _>>()?;
    read.end()?;
    Ok((can_be_saved, all[cluster.number()]))
}

/// Reads what a process has counted, and the number of states of each of its workers.
fn added_states(cluster: &Cluster, process: usize, bytes: &[u8], added: &mut Vec<usize>) -> Result<Counts, Malformed> {
    let mut read = FlatReader::new(bytes);
    let counts = read_counts(&mut read)?;
    for _ in 0..cluster.workers_of(process) {
        added.push(read.count()?);
    }
    read.end()?;
    Ok(counts)
}
