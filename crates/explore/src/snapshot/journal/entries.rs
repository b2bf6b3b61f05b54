//! The entries of a journal, and their bytes.

use std::io;

use thiserror::Error;

use super::super::{CallRecord, EndRecord, PartReader, PartWriter, SnapshotError};
use crate::{cluster::Hindrance, search::Stop};

/// What a checkpoint belongs to: names of things, and their values.
pub type Identity = Vec<(String, String)>;

/// Why a checkpoint can't be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// There is none.
    #[error("there is no checkpoint that is complete")]
    Absent,
    /// There can be none.
    #[error("{0}")]
    Place(io::Error),
    /// A part is damaged or absent.
    #[error("the part `{0}`: {1}")]
    Part(String, SnapshotError),
    /// It belongs to something else, which differs in this.
    #[error("it belongs to something else: {} differs", names(.0))]
    Other(Vec<IdentityDifference>),
    /// A search is not the one that was saved.
    #[error("search {0} in it is another one than the search now: another build or other settings have written it")]
    Search(usize),
    /// The processes of a cluster have parts of different checkpoints.
    #[error("the processes have parts of different checkpoints")]
    Mixed,
    /// Another process of the cluster can't use its part.
    #[error("process {0}: {1}")]
    Process(usize, Hindrance),
    /// The work had to stop.
    #[error("{0}")]
    Stopped(Stop),
}

fn names(differences: &[IdentityDifference]) -> String {
    differences.iter().map(|difference| &*difference.what).collect::<Vec<_>>().join(", ")
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

/// The searches for a group of queries.
#[derive(Default)]
pub(super) struct GroupEntry {
    pub searches: Vec<SearchEntry>,
    /// Whether it was stopped, so that its answers are not those of its searches.
    pub is_stopped: bool,
}

/// What is known of a search.
#[derive(Default)]
pub(super) struct SearchEntry {
    /// What it searches, and how.
    pub digest: String,
    pub calls: Vec<CallRecord>,
    pub end: Option<EndRecord>,
    /// Its state in the last checkpoint: the number of parts, and what its last call has given so
    /// far.
    pub saved: Option<(usize, CallRecord)>,
    /// Whether the results can't be noted, so that it is done again.
    pub is_done_again: bool,
}

impl SearchEntry {
    /// Returns what all processes that have done the same have in common.
    pub(super) fn outline(&self) -> u64 {
        (self.calls.len() as u64) << 2 | u64::from(self.end.is_some()) << 1 | u64::from(self.saved.is_some())
    }
}

impl GroupEntry {
    /// Drops the searches from the first one on that another process has not noted alike.
    pub(super) fn keep_common(&mut self, theirs: &[u64]) {
        let common = self.searches.iter().zip(theirs).take_while(|(own, theirs)| own.outline() == **theirs).count();
        self.searches.truncate(common);
    }

    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.searches.len());
        for SearchEntry { digest, calls, end, saved, .. } in &self.searches {
            out.text(digest);
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

pub(super) fn save_identity(identity: &Identity, out: &mut PartWriter<'_>) {
    out.size(identity.len());
    for (what, value) in identity {
        out.text(what);
        out.text(value);
    }
}

pub(super) fn load_identity(from: &mut PartReader<'_>) -> Result<Identity, SnapshotError> {
    (0..from.length()?).map(|_| Ok((from.text()?, from.text()?))).collect()
}

/// Compares what a checkpoint belongs to with what it is used for.
pub(super) fn compare(saved: &Identity, given: &Identity) -> Result<(), JournalError> {
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

pub(super) fn load_groups(from: &mut PartReader<'_>) -> Result<Vec<GroupEntry>, SnapshotError> {
    (0..from.length()?)
        .map(|_| {
            let searches = (0..from.length()?).map(|_| search(from)).collect::<Result<_, _>>()?;
            Ok(GroupEntry { searches, is_stopped: false })
        })
        .collect()
}

fn search(from: &mut PartReader<'_>) -> Result<SearchEntry, SnapshotError> {
    let digest = from.text()?;
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
    Ok(SearchEntry { digest, calls, end, saved, is_done_again: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_that_another_process_has_not_noted_are_dropped() {
        let done = || SearchEntry { end: Some(EndRecord::default()), ..SearchEntry::default() };
        let group = || GroupEntry { searches: vec![done(), done(), SearchEntry::default()], is_stopped: false };
        let theirs: Vec<u64> = group().searches.iter().map(SearchEntry::outline).collect();
        for (theirs, kept) in [(&theirs[..], 3), (&theirs[..2], 2), (&[theirs[0], theirs[2], theirs[2]], 1), (&[], 0)] {
            let mut own = group();
            own.keep_common(theirs);
            assert_eq!(own.searches.len(), kept);
        }
    }
}
