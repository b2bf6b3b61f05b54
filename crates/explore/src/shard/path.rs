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
            return self.complete_here(path).map_err(|NoBeginning| no_beginning(limits).unwrap_or(Stop::Interrupted));
        };
        let mut visited = Visited::default();
        while let Some(start) = path.after {
            let Some(owner) = cluster.process_of(start.worker.into()) else { return Err(cluster.distrust(0)) };
            // Only a damaged checkpoint, or a process that is not to be trusted, can say so.
            let wrong = || no_beginning(limits).unwrap_or_else(|| cluster.distrust(owner));
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

/// Notes that the checkpoint is to blame for a path without a beginning, if there is one.
fn no_beginning(limits: &Limits<'_>) -> Option<Stop> {
    let journal = limits.journal?;
    journal.distrust("a path has no beginning");
    Some(Stop::Interrupted)
}
