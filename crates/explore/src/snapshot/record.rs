//! What a search has given to the program that runs it.

use super::{PartReader, PartWriter, SnapshotError};
use crate::{
    graph::RunError,
    heuristic::Failures,
    search::{Counts, SearchOutcome, Stop},
    store::Path,
};

/// The result of starting or resuming a search, until it ended or paused.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// The outcome; `None`: it has paused.
    pub outcome: Option<SearchOutcome>,
    /// The counters after it.
    pub counts: Counts,
    /// The counters with the peaks of memory and stored states meanwhile.
    pub peak: Counts,
    /// The number of threads.
    pub threads: usize,
    /// What joining has cost so far, and the number of joins that were undone.
    pub joining: (usize, usize),
    /// What goals have found besides.
    pub findings: Vec<i64>,
}

/// The end of a search.
#[derive(Clone, Debug, Default)]
pub struct EndRecord {
    /// The last counters.
    pub counts: Counts,
    /// The expressions that have failed.
    pub failures: Failures,
}

impl CallRecord {
    /// Returns whether it can be written. Paths through joins are judged anew, since they refer to
    /// what is stored.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !matches!(self.outcome, Some(SearchOutcome::Spurious(_) | SearchOutcome::Disorder(_)))
    }

    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        match &self.outcome {
            None => out.number(0),
            Some(SearchOutcome::Exhausted) => out.number(1),
            Some(SearchOutcome::TooManyElements) => out.number(2),
            Some(SearchOutcome::Stopped(stop)) => {
                out.number(3);
                out.number(STOPS.iter().position(|other| other == stop).unwrap_or(0) as u64);
            }
            Some(SearchOutcome::Found(path)) => {
                out.number(4);
                steps(path, out);
            }
            Some(SearchOutcome::Error(path, error)) => {
                out.number(5);
                steps(path, out);
                out.fault(error.fault);
                out.edges(&error.edges);
            }
            // See `is_plain`.
            Some(SearchOutcome::Spurious(_) | SearchOutcome::Disorder(_)) => {}
        }
        out.counts(&self.counts);
        out.counts(&self.peak);
        out.size(self.threads);
        out.size(self.joining.0);
        out.size(self.joining.1);
        out.integers(&self.findings);
    }

    pub(super) fn load(from: &mut PartReader<'_>) -> Result<CallRecord, SnapshotError> {
        let outcome = match from.number()? {
            0 => None,
            1 => Some(SearchOutcome::Exhausted),
            2 => Some(SearchOutcome::TooManyElements),
            3 => {
                let stop = STOPS[from.below(STOPS.len(), "there is no such limit")? as usize];
                Some(SearchOutcome::Stopped(stop))
            }
            4 => Some(SearchOutcome::Found(read_steps(from)?)),
            5 => {
                let (path, fault) = (read_steps(from)?, from.fault()?);
                Some(SearchOutcome::Error(path, RunError { fault, edges: from.edges(usize::MAX)? }))
            }
            _ => return Err(SnapshotError::Impossible("there is no such outcome")),
        };
        Ok(CallRecord {
            outcome,
            counts: from.counts()?,
            peak: from.counts()?,
            threads: from.below(1 << 16, "there are not so many threads")? as usize,
            joining: (from.size()?, from.size()?),
            findings: from.integers()?,
        })
    }
}

impl EndRecord {
    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.counts(&self.counts);
        out.failures(&self.failures);
    }

    pub(super) fn load(from: &mut PartReader<'_>) -> Result<EndRecord, SnapshotError> {
        Ok(EndRecord { counts: from.counts()?, failures: from.failures()? })
    }
}

const STOPS: [Stop; 4] = [Stop::Time, Stop::Memory, Stop::States, Stop::Interrupted];

/// Writes a path that is complete.
fn steps(path: &Path, out: &mut PartWriter<'_>) {
    out.size(path.steps.len());
    path.steps.iter().for_each(|step| out.number((*step).into()));
}

fn read_steps(from: &mut PartReader<'_>) -> Result<Path, SnapshotError> {
    let steps = (0..from.length()?).map(|_| from.natural()).collect::<Result<Vec<u32>, _>>()?;
    Ok(steps.into())
}

impl PartWriter<'_> {
    /// Writes counters.
    pub(crate) fn counts(&mut self, counts: &Counts) {
        let Counts { explored, generated, added, stored, bytes, caches_dropped } = *counts;
        [explored, generated, added, stored, bytes].into_iter().for_each(|count| self.size(count));
        self.flag(caches_dropped);
    }

    /// Writes a list of integers.
    pub fn integers(&mut self, integers: &[i64]) {
        self.size(integers.len());
        integers.iter().for_each(|integer| self.integer(*integer));
    }
}

/// No counter of a search is larger. Sums of counters do not overflow.
const MAX_COUNT: usize = usize::MAX >> 8;

impl PartReader<'_> {
    /// Reads counters.
    pub(crate) fn counts(&mut self) -> Result<Counts, SnapshotError> {
        let mut count = || match self.size()? {
            count if count <= MAX_COUNT => Ok(count),
            _ => Err(SnapshotError::Impossible("a counter is too large")),
        };
        let [explored, generated, added, stored, bytes] = [count()?, count()?, count()?, count()?, count()?];
        Ok(Counts { explored, generated, added, stored, bytes, caches_dropped: self.flag()? })
    }

    /// Reads a list of integers.
    ///
    /// # Errors
    /// The part is damaged, or ends.
    pub fn integers(&mut self) -> Result<Vec<i64>, SnapshotError> {
        (0..self.length()?).map(|_| self.integer()).collect()
    }
}
