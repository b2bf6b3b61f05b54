//! Checkpoints are written and read by all processes of a cluster together. One process is a
//! cluster of its own.
//!
//! A process first writes all its parts. When all have done that, each completes its checkpoint,
//! beside the one before. When all have completed theirs, it takes the place of the one before. So
//! whenever processes are killed, there is a number such that all of them have a complete
//! checkpoint with this number, unless there was none yet. Each checkpoint has the seal of all: a
//! hash of the parts of all processes, so that parts of different checkpoints are not taken
//! together.

use std::io;

use super::{Entries, Identity, JOURNAL, Journal, JournalError, SavedSearch, entries, name};
use crate::{
    cluster::{Cluster, Disagreement, FlatReader, FlatWriter, Hindrance, Malformed, Step},
    search::{Limits, Stop},
    snapshot::{PartReader, PartWriter, SnapshotError},
};

impl From<Disagreement> for JournalError {
    fn from(why: Disagreement) -> JournalError {
        match why {
            Disagreement::Stopped(stop) => JournalError::Stopped(stop),
            Disagreement::Failed(process, why) => JournalError::Process(process, why),
        }
    }
}

/// Why a checkpoint was not written.
enum Unwritten {
    /// A process could not write it.
    Failed(io::Error),
    /// The work has to stop.
    Stopped,
    /// The same, where others may have completed theirs.
    StoppedLate,
}

/// Lets all processes say whether they have done a step. A process that fails is named, unless it
/// is this one.
fn agree(cluster: Option<&Cluster>, own: io::Result<Vec<u8>>) -> Result<Vec<Vec<u8>>, Unwritten> {
    let Some(cluster) = cluster else { return own.map(|own| vec![own]).map_err(Unwritten::Failed) };
    let said = own.as_ref().map(Vec::clone).map_err(|e| Hindrance::of(e));
    // While a checkpoint is written, no limit counts.
    match (cluster.agree(Step::Save, said, &Limits::default()), own) {
        (Ok(all), _) => Ok(all),
        (Err(Disagreement::Failed(..)), Err(own)) => Err(Unwritten::Failed(own)),
        (Err(Disagreement::Failed(process, why)), Ok(_)) => {
            Err(Unwritten::Failed(io::Error::other(format!("process {process}: {why}"))))
        }
        (Err(Disagreement::Stopped(_)), _) => Err(Unwritten::Stopped),
    }
}

impl Journal {
    /// Begins the work. All processes of a cluster make sure that they can keep checkpoints. If the
    /// work goes on, they go back to the last checkpoint that all of them have completed, and check
    /// all its parts.
    ///
    /// # Errors
    /// A process can't use its checkpoint: it is damaged, or belongs to something else.
    pub fn start(&self, resumes: bool, limits: &Limits<'_>) -> Result<(), JournalError> {
        let entries = &mut *self.entries();
        let Some(cluster) = &self.cluster else {
            return if resumes { entries.go_back_to_last() } else { Ok(()) };
        };
        cluster.begin(limits).map_err(JournalError::Stopped)?;
        let started = entries.start_together(cluster, resumes, limits);
        cluster.finish();
        started
    }

    /// Begins the work of one process, which goes on.
    ///
    /// # Errors
    /// See [`Journal::start`].
    pub fn resume(&self) -> Result<(), JournalError> {
        self.start(true, &Limits::default())
    }

    /// Writes a checkpoint while no search runs, if there was one before.
    ///
    /// # Errors
    /// It can't be written. The last one stays.
    pub fn save_results(&self) -> io::Result<()> {
        let entries = &mut *self.entries();
        if !entries.has_written {
            return Ok(());
        }
        let Some(cluster) = &self.cluster else { return entries.write(None, None).map(drop) };
        // If a process is lost, the last one stays.
        let written = match cluster.begin(&Limits::default()) {
            Ok(()) => entries.write(Some(cluster), None).map(drop),
            Err(_) => Ok(()),
        };
        cluster.finish();
        written
    }
}

impl Entries {
    fn start_together(&mut self, cluster: &Cluster, resumes: bool, limits: &Limits<'_>) -> Result<(), JournalError> {
        // What it belongs to says more than that another process has none.
        let numbers = if resumes { self.numbers_of_own() } else { self.numbers() };
        let said = numbers.as_ref().map_err(|e| Hindrance::of(e)).map(|numbers| {
            let mut out = FlatWriter::default();
            out.number(numbers.len() as u64);
            numbers.iter().for_each(|number| _ = out.number(*number));
            out.0
        });
        let all = cluster.agree(Step::Restore, said, limits);
        numbers?;
        let all = all?;
        if !resumes {
            return Ok(());
        }
        let mut common: Option<Vec<u64>> = None;
        for (process, bytes) in all.iter().enumerate() {
            let mut read = FlatReader::new(bytes);
            let list = read.count().and_then(|count| (0..count).map(|_| read.number()).collect::<Result<Vec<_>, _>>());
            let Ok(list) = list else { return Err(JournalError::Stopped(cluster.distrust(process))) };
            common = Some(match common {
                None => list,
                Some(common) => common.into_iter().filter(|number| list.contains(number)).collect(),
            });
        }
        let number = common.into_iter().flatten().max().ok_or(JournalError::Absent)?;
        let own = self.go_back(number);
        let seal = own.as_ref().map(|()| self.seal.clone().into_bytes()).map_err(|e| Hindrance::of(e));
        let said = cluster.agree(Step::Restore, seal, limits);
        // This process knows best what is wrong with its own.
        own?;
        let all = said?;
        if all.iter().any(|seal| *seal != all[0]) {
            return Err(JournalError::Mixed);
        }
        self.keep_common(cluster, limits)
    }

    /// Drops results that not all processes have noted, so that all go on from the same one. A
    /// process that was stopped while it searched alone notes nothing more, but the others may have
    /// noted that search and later ones.
    fn keep_common(&mut self, cluster: &Cluster, limits: &Limits<'_>) -> Result<(), JournalError> {
        let mut out = FlatWriter::default();
        out.number(self.groups.len() as u64);
        for group in &self.groups {
            out.number(group.searches.len() as u64);
            group.searches.iter().for_each(|search| _ = out.number(search.outline()));
        }
        for (process, bytes) in cluster.agree(Step::Restore, Ok(out.0), limits)?.iter().enumerate() {
            let Ok(theirs) = read_outlines(bytes) else {
                return Err(JournalError::Stopped(cluster.distrust(process)));
            };
            for (i, group) in self.groups.iter_mut().enumerate() {
                group.keep_common(theirs.get(i).map_or(&[], |searches| searches));
            }
        }
        Ok(())
    }

    fn numbers(&self) -> Result<Vec<u64>, JournalError> {
        self.storage.numbers().map_err(JournalError::Place)
    }

    /// Returns the numbers of the checkpoints of this process, if the last one belongs to the work.
    fn numbers_of_own(&mut self) -> Result<Vec<u64>, JournalError> {
        let numbers = self.numbers()?;
        if let Some(last) = numbers.iter().max() {
            self.open_journal(*last)?;
        }
        Ok(numbers)
    }

    fn go_back_to_last(&mut self) -> Result<(), JournalError> {
        let last = self.numbers()?.into_iter().max().ok_or(JournalError::Absent)?;
        self.go_back(last)
    }

    /// Opens the journal of the checkpoint with a number, and checks what it belongs to.
    fn open_journal(&mut self, number: u64) -> Result<PartReader<'static>, JournalError> {
        self.storage.choose(number);
        self.last = Some(number);
        let mut from = self.open(JOURNAL)?;
        let saved = entries::load_identity(&mut from).map_err(|e| JournalError::Part(JOURNAL.to_owned(), e))?;
        entries::compare(&saved, &self.identity)?;
        Ok(from)
    }

    /// Reads the checkpoint with a number, and checks all its parts.
    fn go_back(&mut self, number: u64) -> Result<(), JournalError> {
        let in_journal = |e| JournalError::Part(JOURNAL.to_owned(), e);
        let mut from = self.open_journal(number)?;
        self.seal = from.text().map_err(in_journal)?;
        self.groups = entries::load_groups(&mut from).map_err(in_journal)?;
        from.finish().map_err(in_journal)?;
        for name in self.saved_parts(None) {
            self.open(&name)?.check().map_err(|e| JournalError::Part(name, e))?;
        }
        Ok(())
    }

    pub(super) fn read(&self, name: &str) -> Result<PartReader<'static>, SnapshotError> {
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

    /// Writes a checkpoint, with the state of a search. Returns whether it was written: if the work
    /// has to stop meanwhile, the last one stays and nobody needs to know.
    pub(super) fn write(
        &mut self,
        cluster: Option<&Cluster>,
        running: Option<(usize, &dyn SavedSearch)>,
    ) -> io::Result<bool> {
        let written = match self.write_together(cluster, running) {
            Ok(()) => {
                self.has_written = true;
                Ok(true)
            }
            Err(Unwritten::StoppedLate) => Ok(false),
            Err(Unwritten::Stopped) => {
                self.storage.abandon();
                Ok(false)
            }
            Err(Unwritten::Failed(why)) => {
                self.storage.abandon();
                Err(why)
            }
        };
        self.storage.release();
        written
    }

    fn write_together(
        &mut self,
        cluster: Option<&Cluster>,
        running: Option<(usize, &dyn SavedSearch)>,
    ) -> Result<(), Unwritten> {
        let hash = self.write_parts(running);
        let all = agree(cluster, hash.map(|hash| hash.as_bytes().to_vec()))?;
        let mut seal = blake3::Hasher::new();
        seal.update(self.seal.as_bytes());
        all.iter().for_each(|hash| _ = seal.update(hash));
        let seal = seal.finalize().to_hex().to_string();
        let number = self.last.map_or(0, |last| last + 1);
        let complete = self.write_journal(&seal).and_then(|()| self.storage.commit(number));
        agree(cluster, complete.map(|()| Vec::new())).map_err(|why| match why {
            Unwritten::Stopped => Unwritten::StoppedLate,
            why => why,
        })?;
        self.storage.settle();
        (self.last, self.seal) = (Some(number), seal);
        Ok(())
    }

    /// Writes all parts but the journal, and returns a hash of those that are new.
    fn write_parts(&mut self, running: Option<(usize, &dyn SavedSearch)>) -> io::Result<blake3::Hash> {
        let kept = self.saved_parts(running.map(|(search, _)| search));
        let mut hashes = blake3::Hasher::new();
        self.storage.begin()?;
        if let Some((search, state)) = running {
            for part in 0..state.parts() {
                self.storage.part(&name(self.group, search, part), &mut |out| {
                    let mut out = PartWriter::new(out);
                    state.save(part, &mut out);
                    hashes.update(out.finish()?.as_bytes());
                    Ok(())
                })?;
            }
        }
        for name in kept {
            self.storage.keep(&name)?;
        }
        Ok(hashes.finalize())
    }

    fn write_journal(&mut self, seal: &str) -> io::Result<()> {
        let Entries { storage, identity, groups, .. } = self;
        let identity: &Identity = identity;
        storage.part(JOURNAL, &mut |out| {
            let mut out = PartWriter::new(out);
            entries::save_identity(identity, &mut out);
            out.text(seal);
            out.size(groups.len());
            groups.iter().for_each(|group| group.save(&mut out));
            out.finish().map(drop)
        })
    }
}

/// Reads the outlines of the searches of each group that another process has noted.
fn read_outlines(bytes: &[u8]) -> Result<Vec<Vec<u64>>, Malformed> {
    let mut read = FlatReader::new(bytes);
    let mut groups = Vec::new();
    for _ in 0..read.count()? {
        groups.push((0..read.count()?).map(|_| read.number()).collect::<Result<_, _>>()?);
    }
    read.end()?;
    Ok(groups)
}

impl From<Stop> for JournalError {
    fn from(stop: Stop) -> JournalError {
        JournalError::Stopped(stop)
    }
}
