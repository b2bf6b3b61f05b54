//! The journal of all searches for some queries, and checkpoints of it.
//!
//! Queries are answered group by group, and each group by a sequence of searches that depends on
//! nothing but their results. The journal numbers them, and notes what each has given to the
//! program. From a checkpoint the program goes the same way again: searches that have ended are
//! not done again, and the one that was running goes on from its state. A search that runs while
//! another one pauses, which is short, is done again.

mod entries;
mod together;

pub use entries::{Identity, IdentityDifference, JournalError};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{CallRecord, EndRecord, PartReader, PartWriter, SnapshotError, Storage};
use crate::cluster::Cluster;
use entries::{GroupEntry, SearchEntry};

/// The name of the part with the journal.
const JOURNAL: &str = "journal";

/// The journal of some queries. Its clones are the same journal.
#[derive(Clone)]
pub struct Journal {
    entries: Arc<Mutex<Entries>>,
    is_eager: bool,
    /// The processes that save what they do together, if there are several.
    cluster: Option<Cluster>,
}

/// A search whose state can be saved, in one part or several.
pub trait SavedSearch {
    /// Returns the number of parts.
    fn parts(&self) -> usize;
    /// Writes a part.
    fn save(&self, part: usize, out: &mut PartWriter<'_>);
}

struct Entries {
    storage: Box<dyn Storage + Send>,
    /// Returns whether a checkpoint is wanted, again and again until one was written.
    wants: Box<dyn FnMut() -> bool + Send>,
    /// Whether checkpoints are written, and not only read.
    writes: bool,
    is_wanted: bool,
    identity: Identity,
    /// The number of the last checkpoint.
    last: Option<u64>,
    /// What the parts of all processes in it have in common.
    seal: String,
    groups: Vec<GroupEntry>,
    /// The group that is answered, and the number of its next search.
    group: usize,
    next: usize,
    /// The searches of the group that run or pause, the outermost first.
    running: Vec<usize>,
    /// Whether the last search that has begun is one of all processes together.
    is_joint: bool,
    state: Stage,
    problem: Option<JournalError>,
    /// Whether a checkpoint was written.
    has_written: bool,
}

/// What happens to the group that is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its searches are noted.
    Noting,
    /// One of them was stopped while another one paused, whose state is wanted.
    Stopping,
    /// It was stopped, and nothing more is noted.
    Stopped,
}

impl Journal {
    /// Begins a journal.
    #[must_use]
    pub fn new(
        storage: Box<dyn Storage + Send>,
        writes: bool,
        wants: Box<dyn FnMut() -> bool + Send>,
        identity: Identity,
    ) -> Journal {
        let entries = Entries {
            storage,
            wants,
            writes,
            is_wanted: false,
            identity,
            last: None,
            seal: String::new(),
            groups: Vec::new(),
            group: 0,
            next: 0,
            running: Vec::new(),
            is_joint: false,
            state: Stage::Noting,
            problem: None,
            has_written: false,
        };
        Journal { entries: Arc::new(Mutex::new(entries)), is_eager: false, cluster: None }
    }

    /// Keeps the checkpoints of a process of a cluster. Process 0 decides when they are written.
    #[must_use]
    pub fn of_process(self, cluster: Cluster) -> Journal {
        Journal { cluster: Some(cluster), ..self }
    }

    /// Asks before each expansion whether a checkpoint is wanted, and not now and then.
    #[must_use]
    pub fn eager(self) -> Journal {
        Journal { is_eager: true, ..self }
    }

    /// Returns whether limits are checked before each expansion.
    pub(crate) fn is_eager(&self) -> bool {
        self.is_eager
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next group of queries.
    pub fn begin_group(&self, number: usize) {
        let entries = &mut *self.entries();
        (entries.group, entries.next, entries.state) = (number, 0, Stage::Noting);
        entries.running.clear();
        while entries.groups.len() <= number {
            entries.groups.push(GroupEntry::default());
        }
        entries.groups[number].is_stopped = false;
    }

    /// Ends the group. If `forgets` is set, its searches are done again after all, since more than
    /// their results is needed.
    pub fn end_group(&self, forgets: bool) {
        let entries = &mut *self.entries();
        entries.storage.release();
        let group = &mut entries.groups[entries.group];
        if forgets && !group.is_stopped {
            group.searches.clear();
        }
    }

    /// Returns whether the processes of a cluster save what they do together.
    #[must_use]
    pub fn is_of_cluster(&self) -> bool {
        self.cluster.is_some()
    }

    /// Returns whether checkpoints are written.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.entries().writes
    }

    /// A checkpoint is about to be written.
    pub(crate) fn hold(&self) {
        self.entries().storage.hold();
    }

    /// Returns whether a group was stopped, so that there is something to resume.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.entries().groups.iter().any(|group| group.is_stopped)
    }

    /// Returns why the last checkpoint can't be used after all.
    #[must_use]
    pub fn problem(&self) -> Option<JournalError> {
        self.entries().problem.take()
    }

    /// Returns whether the last checkpoint can't be used after all.
    #[must_use]
    pub fn has_problem(&self) -> bool {
        self.entries().problem.is_some()
    }

    /// Notes that the checkpoint can't be used.
    pub fn fail(&self, e: JournalError) {
        let entries = &mut *self.entries();
        entries.problem.get_or_insert(e);
        entries.state = Stage::Stopped;
    }

    /// Notes that the state of a search can't be one.
    pub(crate) fn distrust(&self, why: &'static str) {
        self.fail(JournalError::Part(JOURNAL.to_owned(), SnapshotError::Impossible(why)));
    }

    /// Begins the next search, with a digest of all that determines it, and returns its number;
    /// `None`: it is not noted. A search that all processes of a cluster do together is `joint`.
    ///
    /// # Errors
    /// The search that was noted in its place is another one.
    pub fn begin(&self, digest: &str, joint: bool) -> Result<Option<usize>, JournalError> {
        // The processes may have been stopped between two searches.
        if self.cluster.as_ref().is_some_and(|cluster| cluster.stopped().is_some()) {
            self.stop_group();
        }
        let entries = &mut *self.entries();
        if entries.state != Stage::Noting {
            return Ok(None);
        }
        let number = entries.next;
        let searches = &mut entries.groups[entries.group].searches;
        match searches.get(number) {
            Some(search) if search.digest != digest => return Err(JournalError::Search(number + 1)),
            Some(_) => {}
            None => searches.push(SearchEntry { digest: digest.to_owned(), ..SearchEntry::default() }),
        }
        entries.next += 1;
        entries.running.push(number);
        entries.is_joint = joint;
        Ok(Some(number))
    }

    /// Returns the result of a call of a search, if that was noted.
    #[must_use]
    pub fn call(&self, search: usize, call: usize) -> Option<CallRecord> {
        self.entries().search(search)?.calls.get(call).cloned()
    }

    /// Returns the end of a search, if that was noted.
    #[must_use]
    pub fn end(&self, search: usize) -> Option<EndRecord> {
        self.entries().search(search)?.end.clone()
    }

    /// Returns the saved state of a search, and what its last call has given so far.
    ///
    /// # Errors
    /// It can't be read.
    pub fn saved(&self, search: usize) -> Result<Option<(Vec<PartReader<'static>>, CallRecord)>, SnapshotError> {
        let entries = &*self.entries();
        let Some((parts, call)) = entries.search(search).and_then(|search| search.saved.as_ref()) else {
            return Ok(None);
        };
        let readers = (0..*parts).map(|part| entries.read(&name(entries.group, search, part)));
        Ok(Some((readers.collect::<Result<_, _>>()?, call.clone())))
    }

    /// Notes the result of a call.
    pub fn note(&self, search: usize, call: CallRecord) {
        let entries = &mut *self.entries();
        if entries.state != Stage::Noting {
            return;
        }
        let Some(own) = entries.search_mut(search) else { return };
        if call.is_plain() && !own.is_done_again {
            own.calls.push(call);
        } else {
            let digest = std::mem::take(&mut own.digest);
            *own = SearchEntry { digest, is_done_again: true, ..SearchEntry::default() };
        }
    }

    /// Notes the end of a search.
    pub fn note_end(&self, search: usize, end: EndRecord) {
        let entries = &mut *self.entries();
        entries.running.retain(|other| *other != search);
        if entries.state != Stage::Noting {
            return;
        }
        if let Some(own) = entries.search_mut(search).filter(|own| !own.is_done_again) {
            (own.end, own.saved) = (Some(end), None);
        }
    }

    /// Returns whether the state of the running search is to be saved. In a cluster, process 0
    /// knows, and tells the others.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let entries = &mut *self.entries();
        let knows = self.cluster.as_ref().is_none_or(|cluster| cluster.number() == 0 && entries.is_joint);
        let is_ready = knows && entries.writes && entries.state == Stage::Noting && entries.running.len() == 1;
        if is_ready && !entries.is_wanted {
            entries.is_wanted = (entries.wants)();
        }
        is_ready && entries.is_wanted
    }

    /// Returns whether nothing more is noted of the group.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.entries().state == Stage::Stopped
    }

    /// Returns whether a search runs while another one pauses.
    #[must_use]
    pub fn is_inner(&self, search: usize) -> bool {
        self.entries().running.first() != Some(&search)
    }

    /// Notes that an inner search was stopped by a limit. Its results do not count.
    pub fn stop_inner(&self, search: usize) {
        let entries = &mut *self.entries();
        if entries.state == Stage::Noting {
            let group = entries.group;
            entries.groups[group].searches.truncate(search);
            entries.state = Stage::Stopping;
        }
    }

    /// Notes that the work on the group was stopped, where nothing can be saved.
    pub fn stop_group(&self) {
        let entries = &mut *self.entries();
        let group = entries.group;
        entries.state = Stage::Stopped;
        entries.groups[group].is_stopped = true;
    }

    /// Returns whether the state of a search is wanted, since an inner one was stopped.
    #[must_use]
    pub fn is_stopping(&self, search: usize) -> bool {
        let entries = self.entries();
        entries.state == Stage::Stopping && entries.running.first() == Some(&search)
    }

    /// Writes a checkpoint while a search runs, which is the only one: with its state, unless that
    /// can't be saved, and with what its last call has given so far. If `stops` is set, the group
    /// ends with this.
    ///
    /// # Errors
    /// It can't be written. The last one stays.
    pub fn save(
        &self,
        search: usize,
        state: Option<&dyn SavedSearch>,
        call: CallRecord,
        stops: bool,
    ) -> Result<(), std::io::Error> {
        if stops {
            self.stop_group();
        }
        let entries = &mut *self.entries();
        entries.is_wanted = false;
        if !entries.writes {
            return Ok(());
        }
        let Some(own) = entries.search_mut(search) else { return Ok(()) };
        // A search whose state can't be saved is done again.
        let (calls, end) = (std::mem::take(&mut own.calls), own.end.take());
        let before = own.saved.take();
        if let Some(state) = state {
            (own.calls, own.end, own.saved) = (calls.clone(), end.clone(), Some((state.parts(), call)));
        }
        let written = entries.write(self.cluster.as_ref(), state.map(|state| (search, state)));
        if !matches!(written, Ok(true))
            && let Some(own) = entries.search_mut(search)
        {
            (own.calls, own.end, own.saved) = (calls, end, before);
        }
        written.map(drop)
    }
}

/// The name of a part of a search.
fn name(group: usize, search: usize, part: usize) -> String {
    format!("group-{group}-search-{search}-part-{part}")
}

impl Entries {
    fn search(&self, number: usize) -> Option<&SearchEntry> {
        self.groups.get(self.group)?.searches.get(number)
    }

    fn search_mut(&mut self, number: usize) -> Option<&mut SearchEntry> {
        self.groups.get_mut(self.group)?.searches.get_mut(number)
    }
}
