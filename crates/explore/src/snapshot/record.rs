//! What a search has given to the program that runs it.
//!
//! Outcomes, counters and run-time errors are written as processes of a cluster send them to each
//! other, see [`crate::cluster`].

use model::{code::Pc, system::EdgeId};

use super::{PartReader, PartWriter, SnapshotError};
use crate::{
    cluster::{
        FlatReader, FlatWriter, Malformed, read_counts, read_fault, read_outcome, write_counts, write_fault,
        write_outcome,
    },
    heuristic::{ExpressionFailure, Failures, Purpose},
    search::{Counts, SearchOutcome},
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
        out.flat(|out| write_outcome(self.outcome.as_ref(), out));
        out.counts(&self.counts);
        out.counts(&self.peak);
        out.size(self.threads);
        out.size(self.joining.0);
        out.size(self.joining.1);
        out.integers(&self.findings);
    }

    pub(super) fn load(from: &mut PartReader<'_>) -> Result<CallRecord, SnapshotError> {
        let outcome = from.flat("there is no such outcome", read_outcome)?;
        // See `is_plain`. A path is complete when it is noted.
        let is_noted = match &outcome {
            Some(SearchOutcome::Found(Path { after, .. }) | SearchOutcome::Error(Path { after, .. }, _)) => {
                after.is_none()
            }
            Some(SearchOutcome::Spurious(_) | SearchOutcome::Disorder(_)) => false,
            None | Some(SearchOutcome::Exhausted | SearchOutcome::TooManyElements | SearchOutcome::Stopped(_)) => true,
        };
        if !is_noted {
            return Err(SnapshotError::Impossible("an outcome is not complete"));
        }
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

impl PartWriter<'_> {
    /// Writes what processes of a cluster send each other as well.
    fn flat(&mut self, write: impl FnOnce(&mut FlatWriter)) {
        let mut flat = FlatWriter::default();
        write(&mut flat);
        self.bytes(&flat.0);
    }

    /// Writes counters.
    pub(crate) fn counts(&mut self, counts: &Counts) {
        self.flat(|out| write_counts(counts, out));
    }

    /// Writes a list of integers.
    pub fn integers(&mut self, integers: &[i64]) {
        self.size(integers.len());
        integers.iter().for_each(|integer| self.integer(*integer));
    }

    /// Writes edges.
    pub(crate) fn edges(&mut self, edges: &[EdgeId]) {
        self.size(edges.len());
        edges.iter().for_each(|edge| self.number(edge.0.into()));
    }

    /// Writes failed expressions.
    pub(crate) fn failures(&mut self, failures: &Failures) {
        self.size(failures.iter().count());
        for ExpressionFailure { purpose, expression, count, first } in failures.iter() {
            self.flag(*purpose == Purpose::Join);
            self.number(expression.0.into());
            self.size(*count);
            self.flat(|out| write_fault(first, out));
        }
    }
}

impl PartReader<'_> {
    /// Reads what [`PartWriter::flat`] has written; `wrong` says what is wrong otherwise.
    fn flat<T>(
        &mut self,
        wrong: &'static str,
        read: impl FnOnce(&mut FlatReader<'_>) -> Result<T, Malformed>,
    ) -> Result<T, SnapshotError> {
        let bytes = self.bytes()?;
        let mut flat = FlatReader::new(&bytes);
        let value = read(&mut flat).and_then(|value| flat.end().map(|()| value));
        value.map_err(|Malformed| SnapshotError::Impossible(wrong))
    }

    /// Reads counters.
    pub(crate) fn counts(&mut self) -> Result<Counts, SnapshotError> {
        self.flat("there are no such counters", read_counts)
    }

    /// Reads a list of integers.
    ///
    /// # Errors
    /// The part is damaged, or ends.
    pub fn integers(&mut self) -> Result<Vec<i64>, SnapshotError> {
        (0..self.length()?).map(|_| self.integer()).collect()
    }

    /// Reads edges of a system that has so many.
    pub(crate) fn edges(&mut self, all: usize) -> Result<Vec<EdgeId>, SnapshotError> {
        (0..self.length()?).map(|_| Ok(EdgeId(self.below(all, "there is no such edge")?))).collect()
    }

    /// Reads failed expressions.
    pub(crate) fn failures(&mut self) -> Result<Failures, SnapshotError> {
        let mut failures = Failures::default();
        for _ in 0..self.length()? {
            let purpose = if self.flag()? { Purpose::Join } else { Purpose::Heuristic };
            let (expression, count) = (Pc(self.natural()?), self.size()?);
            let first = self.flat("there is no such run-time error", read_fault)?;
            failures.add(ExpressionFailure { purpose, expression, count, first });
        }
        Ok(failures)
    }
}
