//! The journal of all searches for some queries, and checkpoints of it.
//!
//! Queries are answered group by group, and each group by a sequence of searches that depends on
//! nothing but their results. The journal numbers them, and notes what each has given to the
//! program. From a checkpoint the program goes the same way again: searches that have ended are
//! not done again, and the one that was running goes on from its state. A search that runs while
//! another one pauses, which is short, is done again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::{CallRecord, EndRecord, PartReader, PartWriter, SnapshotError, Storage};

/// The name of the part with the journal.
const JOURNAL: &str = "journal";

/// What a checkpoint belongs to: names of things, and their values.
pub type Identity = Vec<(String, String)>;

/// Why a checkpoint can't be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// A part is damaged or absent.
    #[error("the part `{0}`: {1}")]
    Part(String, SnapshotError),
    /// It belongs to something else, which differs in this.
    #[error("it belongs to something else")]
    Other(Vec<IdentityDifference>),
}

/// Something that should be the same.
#[derive(Debug)]
pub struct IdentityDifference {
    /// What it is.
    pub what: String,
    /// Its value in the checkpoint, if it is there.
    pub saved: Option<String>,
    /// Its value now, if there is one.
    pub given: Option<String>,
}

/// The journal of some queries. Its clones are the same journal.
#[derive(Clone)]
pub struct Journal {
    entries: Arc<Mutex<Entries>>,
    is_eager: bool,
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
    groups: Vec<GroupEntry>,
    /// The group that is answered, and the number of its next search.
    group: usize,
    next: usize,
    /// The searches of the group that run or pause, the outermost first.
    running: Vec<usize>,
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

#[derive(Default)]
struct GroupEntry {
    searches: Vec<SearchEntry>,
    /// Whether it was stopped, so that its answers are not those of its searches.
    is_stopped: bool,
}

/// What is known of a search.
#[derive(Default)]
struct SearchEntry {
    calls: Vec<CallRecord>,
    end: Option<EndRecord>,
    /// Its state in the last checkpoint: the number of parts, and what its last call has given so
    /// far.
    saved: Option<(usize, CallRecord)>,
    /// Whether the results can't be noted, so that it is done again.
    is_done_again: bool,
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
            groups: Vec::new(),
            group: 0,
            next: 0,
            running: Vec::new(),
            state: Stage::Noting,
            problem: None,
            has_written: false,
        };
        Journal { entries: Arc::new(Mutex::new(entries)), is_eager: false }
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

    /// Reads the last checkpoint, and checks all its parts.
    ///
    /// # Errors
    /// It is damaged, or belongs to something else.
    pub fn resume(&self) -> Result<(), JournalError> {
        let entries = &mut *self.entries();
        let in_journal = |e| JournalError::Part(JOURNAL.to_owned(), e);
        let mut from = entries.open(JOURNAL)?;
        let saved = identity(&mut from).map_err(in_journal)?;
        compare(&saved, &entries.identity)?;
        entries.groups = groups(&mut from).map_err(in_journal)?;
        from.finish().map_err(in_journal)?;
        for name in entries.saved_parts(None) {
            entries.open(&name)?.check().map_err(|e| JournalError::Part(name, e))?;
        }
        Ok(())
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
        let group = &mut entries.groups[entries.group];
        if forgets && !group.is_stopped {
            group.searches.clear();
        }
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

    /// Notes that a part can't be used.
    pub fn fail(&self, e: SnapshotError) {
        let entries = &mut *self.entries();
        entries.problem.get_or_insert(JournalError::Part(JOURNAL.to_owned(), e));
        entries.state = Stage::Stopped;
    }

    /// Begins the next search, and returns its number; `None`: it is not noted.
    #[must_use]
    pub fn begin(&self) -> Option<usize> {
        let entries = &mut *self.entries();
        if entries.state != Stage::Noting {
            return None;
        }
        let number = entries.next;
        entries.next += 1;
        entries.running.push(number);
        let searches = &mut entries.groups[entries.group].searches;
        if searches.len() <= number {
            searches.push(SearchEntry::default());
        }
        Some(number)
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
            *own = SearchEntry { is_done_again: true, ..SearchEntry::default() };
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

    /// Returns whether the state of the running search is to be saved.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let entries = &mut *self.entries();
        let is_ready = entries.writes && entries.state == Stage::Noting && entries.running.len() == 1;
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

    /// Returns whether the state of a search is wanted, since an inner one was stopped.
    #[must_use]
    pub fn is_stopping(&self, search: usize) -> bool {
        let entries = self.entries();
        entries.state == Stage::Stopping && entries.running.first() == Some(&search)
    }

    /// Writes a checkpoint with the state of a search, which is the only one that runs, and with
    /// what its last call has given so far. If `stops` is set, the group ends with this.
    ///
    /// # Errors
    /// It can't be written. The last one stays.
    pub fn save(
        &self,
        search: usize,
        state: &dyn SavedSearch,
        call: CallRecord,
        stops: bool,
    ) -> Result<(), std::io::Error> {
        let entries = &mut *self.entries();
        entries.is_wanted = false;
        let group = entries.group;
        if stops {
            entries.state = Stage::Stopped;
            entries.groups[group].is_stopped = true;
        }
        if !entries.writes {
            return Ok(());
        }
        let Some(own) = entries.search_mut(search) else { return Ok(()) };
        // A search whose state can't be saved is done again.
        let (calls, end) = (std::mem::take(&mut own.calls), own.end.take());
        let before = own.saved.take();
        let has_state = state.parts() > 0;
        if has_state {
            (own.calls, own.end, own.saved) = (calls.clone(), end.clone(), Some((state.parts(), call)));
        }
        let written = entries.write(has_state.then_some((search, state)));
        if written.is_err()
            && let Some(own) = entries.search_mut(search)
        {
            (own.calls, own.end, own.saved) = (calls, end, before);
        }
        written
    }

    /// Writes a checkpoint while no search runs, if there was one before.
    ///
    /// # Errors
    /// It can't be written. The last one stays.
    pub fn save_results(&self) -> Result<(), std::io::Error> {
        let entries = &mut *self.entries();
        if entries.has_written { entries.write(None) } else { Ok(()) }
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

    fn read(&self, name: &str) -> Result<PartReader<'static>, SnapshotError> {
        let part = self.storage.read(name)?;
        PartReader::new(part.bytes, part.length)
    }

    fn open(&self, name: &str) -> Result<PartReader<'static>, JournalError> {
        self.read(name).map_err(|e| JournalError::Part(name.to_owned(), e))
    }

    /// Returns the names of all saved parts but those of one search of the group.
    fn saved_parts(&self, but: Option<usize>) -> Vec<String> {
        let mut names = Vec::new();
        for (g, group) in self.groups.iter().enumerate() {
            for (s, search) in group.searches.iter().enumerate() {
                let parts = search.saved.as_ref().map_or(0, |(parts, _)| *parts);
                if but.is_none_or(|but| (self.group, but) != (g, s)) {
                    names.extend((0..parts).map(|part| name(g, s, part)));
                }
            }
        }
        names
    }

    fn write(&mut self, running: Option<(usize, &dyn SavedSearch)>) -> std::io::Result<()> {
        let written = self.write_parts(running);
        match written {
            Ok(()) => self.has_written = true,
            Err(_) => self.storage.abandon(),
        }
        written
    }

    fn write_parts(&mut self, running: Option<(usize, &dyn SavedSearch)>) -> std::io::Result<()> {
        let kept = self.saved_parts(running.map(|(search, _)| search));
        let Entries { storage, identity, groups, group, .. } = self;
        storage.begin()?;
        if let Some((search, state)) = running {
            for part in 0..state.parts() {
                storage.part(&name(*group, search, part), &mut |out| {
                    let mut out = PartWriter::new(out);
                    state.save(part, &mut out);
                    out.finish()
                })?;
            }
        }
        for name in kept {
            storage.keep(&name)?;
        }
        storage.part(JOURNAL, &mut |out| {
            let mut out = PartWriter::new(out);
            out.size(identity.len());
            for (what, value) in &*identity {
                out.text(what);
                out.text(value);
            }
            out.size(groups.len());
            groups.iter().for_each(|group| group.save(&mut out));
            out.finish()
        })?;
        storage.commit()
    }
}

impl GroupEntry {
    fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.searches.len());
        for SearchEntry { calls, end, saved, .. } in &self.searches {
            out.size(calls.len());
            calls.iter().for_each(|call| call.save(out));
            out.flag(end.is_some());
            end.iter().for_each(|end| end.save(out));
            out.flag(saved.is_some());
            if let Some((parts, call)) = saved {
                out.size(*parts);
                call.save(out);
            }
        }
    }
}

fn identity(from: &mut PartReader<'_>) -> Result<Identity, SnapshotError> {
    (0..from.length()?).map(|_| Ok((from.text()?, from.text()?))).collect()
}

/// Compares what a checkpoint belongs to with what it is used for.
fn compare(saved: &Identity, given: &Identity) -> Result<(), JournalError> {
    let find =
        |list: &Identity, what: &str| list.iter().find(|(other, _)| other == what).map(|(_, value)| value.clone());
    let absent = saved.iter().filter(|(what, _)| find(given, what).is_none());
    let differences = given.iter().chain(absent).filter_map(|(what, _)| {
        let (saved, given) = (find(saved, what), find(given, what));
        (saved != given).then(|| IdentityDifference { what: what.clone(), saved, given })
    });
    let differences: Vec<IdentityDifference> = differences.collect();
    if differences.is_empty() { Ok(()) } else { Err(JournalError::Other(differences)) }
}

fn groups(from: &mut PartReader<'_>) -> Result<Vec<GroupEntry>, SnapshotError> {
    (0..from.length()?)
        .map(|_| {
            let searches = (0..from.length()?).map(|_| search(from)).collect::<Result<_, _>>()?;
            Ok(GroupEntry { searches, is_stopped: false })
        })
        .collect()
}

fn search(from: &mut PartReader<'_>) -> Result<SearchEntry, SnapshotError> {
    let calls: Vec<CallRecord> = (0..from.length()?).map(|_| CallRecord::load(from)).collect::<Result<_, _>>()?;
    let end = if from.flag()? { Some(EndRecord::load(from)?) } else { None };
    let saved = if from.flag()? {
        let parts = from.below(1 << 16, "there are not so many parts")? as usize;
        Some((parts, CallRecord::load(from)?)).filter(|(parts, _)| *parts > 0)
    } else {
        None
    };
    if !calls.is_empty() && end.is_none() && saved.is_none() {
        return Err(SnapshotError::Impossible("a search has no state"));
    }
    Ok(SearchEntry { calls, end, saved, is_done_again: false })
}
