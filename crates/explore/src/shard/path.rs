//! Paths through the stores of several workers, which may be workers of other processes.
//!
//! Who has sent a state may be wrong about where it comes from, and so may a checkpoint. A path
//! that comes back to where it was has no beginning.

use std::collections::HashSet;

use zone::Bound;

use super::{Team, joint::Joint};
use crate::{
    cluster::{FlatReader, FlatWriter, Step, read_path, write_path},
    search::{Limits, Stop},
    store::{Path, RemoteNode, Store},
};

/// What a process says instead of a path if it has none.
const NO_BEGINNING: [u8; 1] = [0xFF];

/// A path comes back to where it was.
struct NoBeginning;

/// The parents at which a path goes on in another store.
#[derive(Default)]
struct Visited(HashSet<(u16, u32)>);

impl Visited {
    fn note(&mut self, RemoteNode { worker, node }: RemoteNode) -> Result<(), NoBeginning> {
        if self.0.insert((worker, node.0)) { Ok(()) } else { Err(NoBeginning) }
    }
}

impl<B: Bound> Team<'_, B> {
    /// Returns the store of a worker of this process, by its number among all.
    fn store_of(&self, worker: u16) -> Option<&Store<B>> {
        let local = usize::from(worker).checked_sub(self.first_worker())?;
        self.workers.get(local).map(|worker| &worker.seen.store)
    }

    /// Completes a path as far as this process has it.
    fn complete_here(&self, mut path: Path) -> Result<Path, NoBeginning> {
        let mut visited = Visited::default();
        while let Some(start) = path.after
            && let Some(store) = self.store_of(start.worker).filter(|store| store.has(start.node))
        {
            visited.note(start)?;
            let before = store.path(start.node);
            path = Path { after: before.after, steps: [before.steps, path.steps].concat() };
        }
        Ok(path)
    }

    /// Completes a path that starts in the store of any worker of any process. All processes call
    /// this with the same path.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn complete(&self, mut path: Path, limits: &Limits<'_>) -> Result<Path, Stop> {
        let Some(Joint { cluster, .. }) = &self.joint else {
            let wrong = |NoBeginning| limits.distrust_checkpoint(WITHOUT_BEGINNING).unwrap_or(Stop::Interrupted);
            return self.complete_here(path).map_err(wrong);
        };
        let mut visited = Visited::default();
        while let Some(start) = path.after {
            let Some(owner) = cluster.process_of(start.worker.into()) else { return Err(cluster.distrust(0)) };
            // Only a damaged checkpoint, or a process that is not to be trusted, can say so.
            let wrong = || {
                let stop = limits.distrust_checkpoint(WITHOUT_BEGINNING);
                stop.unwrap_or_else(|| cluster.distrust(owner))
            };
            visited.note(start).map_err(|NoBeginning| wrong())?;
            let mut out = FlatWriter::default();
            if let Some(store) = self.store_of(start.worker).filter(|store| store.has(start.node)) {
                match self.complete_here(store.path(start.node)) {
                    Ok(before) => write_path(&before, &mut out),
                    Err(NoBeginning) => out.0 = NO_BEGINNING.to_vec(),
                }
            }
            let all = cluster.gather(Step::Path, out.0, limits)?;
            if all[owner] == NO_BEGINNING {
                return Err(wrong());
            }
            let mut read = FlatReader::new(&all[owner]);
            let before = read_path(&mut read).ok().filter(|_| read.end().is_ok());
            let Some(before) = before else { return Err(cluster.distrust(owner)) };
            path = Path { after: before.after, steps: [before.steps, path.steps].concat() };
        }
        Ok(path)
    }
}

/// Why a checkpoint with such a path can't be used.
const WITHOUT_BEGINNING: &str = "a path has no beginning";

#[cfg(test)]
mod tests {
    use model::system::{Clock, System};

    use super::*;
    use crate::{
        bounds::ClockBounds,
        graph::{Abstraction, ZoneGraph},
        open::Levels,
        seen::Seen,
        shard::{Owners, Worker},
        snapshot::{Journal, JournalError, PartReader, PartWriter, SnapshotError, Unopened},
        store::{NodeId, Update},
    };

    /// The bytes of a store with one covered state, whose parent is the first state of a worker.
    fn store_with_parent(worker: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = PartWriter::new(&mut bytes);
        // One state with the first row, which is empty; it is covered, and another worker has its
        // parent.
        [1, 0, 0].into_iter().for_each(|number| out.number(number));
        out.flag(false);
        [2, worker].into_iter().for_each(|number| out.number(number));
        out.integer(0);
        out.number(5);
        out.finish().unwrap();
        bytes
    }

    /// A team of two workers with these parents.
    fn team(system: &System, parents: [u64; 2]) -> Team<'_, i32> {
        let worker = |_| {
            let graph = ZoneGraph::new(system, ClockBounds::of_formulas(system, &[]), Abstraction::None);
            let seen = Seen::new(Store::new(system, Update::Simple), false);
            Worker::alone(Box::new(graph), seen, Box::<Levels>::default())
        };
        let mut team = Team::new(system, &Owners::new(system, &[], 2), (0..2).map(worker).collect());
        for (worker, parent) in team.workers.iter_mut().zip(parents) {
            let bytes = store_with_parent(parent);
            let mut from = PartReader::new(Box::new(&*bytes), bytes.len() as u64).unwrap();
            worker.seen.store.load(worker.transitions.graph(), false, &mut None, &mut from).map(drop).unwrap();
        }
        team
    }

    #[test]
    fn a_path_without_a_beginning_is_noticed() {
        let mut system = System::default();
        system.clocks.push(Clock { name: "0".to_owned(), initial: 0 });
        let path = || Path { after: Some(RemoteNode { worker: 0, node: NodeId(0) }), steps: vec![7] };
        // Each is the parent of the other.
        let forged = team(&system, [1, 0]);
        assert_eq!(forged.complete(path(), &Limits::default()), Err(Stop::Interrupted));
        // A checkpoint is to blame if there is one.
        let journal = Journal::new(Box::new(Unopened(String::new())), false, Box::new(|| false), Vec::new());
        let limits = Limits { journal: Some(&journal), ..Limits::default() };
        assert_eq!(forged.complete(path(), &limits), Err(Stop::Interrupted));
        let problem = journal.problem().unwrap();
        assert!(matches!(problem, JournalError::Part(_, SnapshotError::Impossible("a path has no beginning"))));
        // A worker that is not there ends a path.
        let open = team(&system, [1, 7]).complete(path(), &Limits::default()).unwrap();
        assert_eq!((open.after.map(|after| after.worker), open.steps), (Some(7), vec![5, 5, 7]));
    }
}
