//! Searches in a journal: their results are noted, their states saved, and both are taken from
//! there when the program goes the same way again.

use explore::{
    cluster::{FlatReader, FlatWriter, Hindrance, Malformed, Step},
    heuristic::Failures,
    search::{Counts, Limits, Observer, SearchOutcome, Stop, Taken, WorkerLoad},
    shard::LoadError,
    snapshot::{CallRecord, EndRecord, Journal, JournalError, PartWriter, SavedSearch, SnapshotError},
    store::Path,
    tally::Phase,
};
use zone::Bound;

use crate::task::Task;

/// What goals find that is not in the outcome of a search, as integers.
pub(crate) trait Findings {
    /// All that was found.
    fn save(&self) -> Vec<i64>;
    /// Adds what was found before.
    ///
    /// # Errors
    /// It is not possible.
    fn load(&self, numbers: &[i64]) -> Result<(), SnapshotError>;
    /// Whether the search pauses for it.
    fn pauses(&self) -> bool {
        false
    }
    /// Writes what other processes have to know now.
    fn tell(&self, out: &mut FlatWriter) {
        let _ = out;
    }
    /// Takes what all processes have told instead.
    ///
    /// # Errors
    /// It makes no sense.
    fn hear(&self, all: &mut [FlatReader<'_>]) -> Result<(), (usize, Malformed)> {
        let _ = all;
        Ok(())
    }
    /// Completes the paths to what was found.
    ///
    /// # Errors
    /// The work has to stop.
    fn complete(&self, complete: &dyn Fn(Path) -> Result<Path, Stop>) -> Result<(), Stop> {
        let _ = complete;
        Ok(())
    }
}

/// The entries of a search in the journal.
#[derive(Default)]
pub(crate) struct Noted {
    entry: Option<(Journal, usize)>,
    has_begun: bool,
    /// The number of calls.
    calls: usize,
    /// The counters with the peaks of the last call.
    peak: Counts,
    /// The last result, if it was noted before.
    replayed: Option<CallRecord>,
}

impl Noted {
    /// The last result, if it is one that was noted before.
    pub fn replayed(&self) -> Option<&CallRecord> {
        self.replayed.as_ref()
    }
}

/// Starts or resumes the work of a task.
type Call<'c, 't, B> = dyn FnMut(&mut Task<'t, B>, &mut dyn Observer) -> Option<SearchOutcome> + 'c;

impl<'t, B: Bound> Task<'t, B> {
    /// Does the next call of a search, or takes its result from the journal.
    pub(crate) fn noting(
        &mut self,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
        call: &mut Call<'_, 't, B>,
    ) -> Option<SearchOutcome> {
        if let Some(journal) = limits.journal.filter(|_| !self.noted.has_begun) {
            match self.begin(journal, limits) {
                Ok(number) => self.noted.entry = number.map(|number| (journal.clone(), number)),
                Err(e) => return Some(SearchOutcome::Stopped(failed(journal, e))),
            }
        }
        let has_begun = std::mem::replace(&mut self.noted.has_begun, true);
        let Some((journal, number)) = self.noted.entry.clone() else {
            let outcome = call(self, observer);
            return match self.share(limits) {
                Err(stop) => or_stopped(outcome, stop),
                Ok(_) => outcome,
            };
        };
        if let Some(known) = journal.call(number, self.noted.calls) {
            if !has_begun {
                observer.begin();
            }
            return self.replay(known, &journal, observer);
        }
        self.noted.peak = Counts::default();
        if let Err(e) = self.restore(&journal, number, has_begun, limits, observer) {
            return Some(SearchOutcome::Stopped(failed(&journal, e)));
        }
        if journal.is_stopping(number) {
            self.save(&journal, number, true, observer);
        }
        loop {
            let mut peak = self.noted.peak;
            let outcome = call(self, &mut Peaks { observer: &mut *observer, peak: &mut peak });
            self.noted.peak = peak;
            let (outcome, is_due) = match self.share(limits) {
                Ok(is_due) => (outcome, is_due),
                Err(stop) => (or_stopped(outcome, stop), false),
            };
            match &outcome {
                // What is left of the call follows when the state is saved.
                None if is_due && !self.pauses(limits) => {
                    self.save(&journal, number, false, observer);
                    continue;
                }
                // If an inner search was stopped, the state is saved already.
                Some(SearchOutcome::Stopped(_)) if journal.has_stopped() => {}
                Some(SearchOutcome::Stopped(stop)) if !journal.is_inner(number) || self.is_limit(*stop) => {
                    if journal.is_of_cluster() && self.cluster().is_none() {
                        // Each process searches alone, and is elsewhere.
                        journal.stop_group();
                    } else if journal.is_inner(number) {
                        journal.stop_inner(number);
                    } else {
                        self.save(&journal, number, true, observer);
                    }
                }
                _ => journal.note(number, CallRecord { outcome: outcome.clone(), ..self.record() }),
            }
            self.noted.calls += 1;
            return outcome;
        }
    }

    /// Begins the entry of the search. All processes that share it make sure that it is the one
    /// that was noted.
    fn begin(&self, journal: &Journal, limits: &Limits<'_>) -> Result<Option<usize>, JournalError> {
        let begun = journal.begin(&self.digest(), self.cluster().is_some());
        let Some(cluster) = self.cluster() else { return begun };
        let said = begun.as_ref().map(|_| Vec::new()).map_err(|e| Hindrance::of(e));
        let all = cluster.agree(Step::Restore, said, limits);
        match (begun, all) {
            (Ok(_), Err(why)) => Err(why.into()),
            (begun, _) => begun,
        }
    }

    /// After a call, all processes that share the search learn what goals have found. Returns
    /// whether the state is to be saved.
    fn share(&self, limits: &Limits<'_>) -> Result<bool, Stop> {
        let journal = limits.journal;
        let mut is_due = journal.is_some_and(Journal::is_due);
        if let Some(cluster) = self.cluster().filter(|_| self.findings.is_some() || journal.is_some()) {
            let mut out = FlatWriter::default();
            out.byte(is_due.into());
            self.findings.iter().for_each(|findings| findings.tell(&mut out));
            // If the state may have to be saved, no limit counts.
            let no_limits = Limits::default();
            let limits = if journal.is_some_and(Journal::writes) { &no_limits } else { limits };
            let all = cluster.gather(Step::Goals, out.0, limits)?;
            let mut all: Vec<FlatReader<'_>> = all.iter().map(|bytes| FlatReader::new(bytes)).collect();
            is_due = read_due(&mut all).map_err(|(process, _)| cluster.distrust(process))?;
            if let Some(findings) = self.findings {
                findings.hear(&mut all).map_err(|(process, _)| cluster.distrust(process))?;
            }
        }
        if let (Some(findings), Some(team)) = (self.findings, &self.team) {
            findings.complete(&|path| team.complete(path, limits))?;
        }
        Ok(is_due)
    }

    /// Returns a result that was noted before.
    fn replay(&mut self, known: CallRecord, journal: &Journal, observer: &mut dyn Observer) -> Option<SearchOutcome> {
        observer.progress(&known.peak, 0);
        observer.progress(&known.counts, 0);
        let loaded = self.findings.map_or(Ok(()), |findings| findings.load(&known.findings));
        if let Err(e) = loaded {
            journal.fail(JournalError::Part(format!("of search {}", self.noted.calls), e));
        }
        self.noted.calls += 1;
        let outcome = known.outcome.clone();
        self.noted.replayed = Some(known);
        outcome
    }

    /// Reads its state, if one was saved and not read before.
    fn restore(
        &mut self,
        journal: &Journal,
        number: usize,
        has_begun: bool,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), JournalError> {
        if has_begun && self.noted.replayed.is_none() {
            return Ok(());
        }
        self.noted.replayed = None;
        let in_journal = |e| JournalError::Part("journal".to_owned(), e);
        let in_state = |e| JournalError::Part(format!("of search {}", number + 1), e);
        let Some((mut parts, call)) = journal.saved(number).map_err(in_journal)? else { return Ok(()) };
        if !has_begun {
            observer.begin();
        }
        match &mut parts[..] {
            [part] if self.cluster().is_none() => self.worker.load(part).map_err(in_state)?,
            parts => {
                if !self.may_spread() {
                    return Err(in_state(SnapshotError::Impossible("a search has several workers")));
                }
                let mut team = self.recruit(parts.len(), &self.owners(parts.len()));
                team.load(parts, limits).map_err(|e| match e {
                    LoadError::Damaged(e) => in_state(e),
                    LoadError::Others(why) => why.into(),
                })?;
                self.replace_worker(team);
            }
        }
        parts.into_iter().try_for_each(|part| part.finish()).map_err(in_state)?;
        observer.progress(&call.peak, 0);
        self.noted.peak = call.peak;
        self.findings.map_or(Ok(()), |findings| findings.load(&call.findings)).map_err(in_state)
    }

    /// Whether there is another reason to pause than that its state is to be saved.
    fn pauses(&self, limits: &Limits<'_>) -> bool {
        self.has_done(limits)
            || limits.joining.is_some_and(|max| self.joining_cost() > max)
            || self.findings.is_some_and(|findings| findings.pauses())
    }

    /// Whether a search was stopped by something that stops all others as well.
    fn is_limit(&mut self, stop: Stop) -> bool {
        match stop {
            Stop::Time | Stop::Interrupted | Stop::Lost(_) | Stop::User => true,
            Stop::Memory | Stop::States => self.worker.transitions.graph().system().code.stopped().is_some(),
        }
    }

    /// What the present call has given so far.
    fn record(&self) -> CallRecord {
        CallRecord {
            outcome: None,
            counts: self.counts(),
            peak: self.noted.peak,
            threads: self.threads_used(),
            joining: (self.joining_cost(), self.refinements()),
            findings: self.findings.map_or(Vec::new(), Findings::save),
        }
    }

    fn save(&mut self, journal: &Journal, number: usize, stops: bool, observer: &mut dyn Observer) {
        let settled = match &mut self.team {
            Some(team) => team.settle(),
            None => Ok(self.worker.has_begun() && self.worker.can_be_saved()),
        };
        let Ok(can_be_saved) = settled else {
            // The others do not pause any more, or are lost. The last checkpoint stays.
            if stops {
                journal.stop_group();
            }
            return;
        };
        let state = can_be_saved.then_some(&*self as &dyn SavedSearch);
        if let Err(why) = journal.save(number, state, self.record(), stops) {
            observer.unsaved(&why);
        }
    }

    /// Ends a search.
    pub(crate) fn noting_end(
        &mut self,
        observer: &mut dyn Observer,
        end: &mut dyn FnMut(&mut Task<'t, B>, &mut dyn Observer),
    ) {
        let Some((journal, number)) = self.noted.entry.clone() else { return end(self, observer) };
        if let (Some(known), Some(call)) = (journal.end(number), &mut self.noted.replayed) {
            observer.end(&known.counts);
            if known.failures.iter().next().is_some() {
                observer.failed(&known.failures);
            }
            call.counts = known.counts;
            return journal.note_end(number, known);
        }
        if let Err(e) = self.restore(&journal, number, true, &Limits::default(), observer) {
            journal.fail(e);
        }
        if journal.is_stopping(number) {
            self.save(&journal, number, true, observer);
        }
        let mut failures = Failures::default();
        end(self, &mut Ends { observer, failures: &mut failures });
        journal.note_end(number, EndRecord { counts: self.counts(), failures });
    }
}

impl<B: Bound> SavedSearch for Task<'_, B> {
    fn parts(&self) -> usize {
        self.workers().len()
    }

    fn save(&self, part: usize, out: &mut PartWriter<'_>) {
        match &self.team {
            Some(team) => team.save(part, out),
            None => self.worker.save(out),
        }
    }
}

/// Returns the outcome of a call after which the work has to stop. The first reason counts.
fn or_stopped(outcome: Option<SearchOutcome>, stop: Stop) -> Option<SearchOutcome> {
    outcome.filter(|outcome| matches!(outcome, SearchOutcome::Stopped(_))).or(Some(SearchOutcome::Stopped(stop)))
}

/// Notes why a checkpoint can't be used, and returns how the search ends.
fn failed(journal: &Journal, e: JournalError) -> Stop {
    if let JournalError::Stopped(stop) = e {
        return stop;
    }
    journal.fail(e);
    Stop::Interrupted
}

/// Reads from what each process has told whether the state is to be saved, which process 0 knows.
fn read_due(all: &mut [FlatReader<'_>]) -> Result<bool, (usize, Malformed)> {
    let mut is_due = false;
    for (process, own) in all.iter_mut().enumerate() {
        let said = own.byte().map_err(|wrong| (process, wrong))? == 1;
        is_due |= process == 0 && said;
    }
    Ok(is_due)
}

/// Notes the peaks of counters.
struct Peaks<'p> {
    observer: &'p mut dyn Observer,
    peak: &'p mut Counts,
}

impl Observer for Peaks<'_> {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        let Counts { stored, bytes, .. } = *self.peak;
        *self.peak = Counts { stored: stored.max(counts.stored), bytes: bytes.max(counts.bytes), ..*counts };
        self.observer.progress(counts, waiting);
    }

    fn workers(&mut self, workers: &[WorkerLoad]) {
        self.observer.workers(workers);
    }

    fn enter(&mut self, phase: Phase) {
        self.observer.enter(phase);
    }

    fn begin(&mut self) {
        self.observer.begin();
    }

    fn end(&mut self, counts: &Counts) {
        self.observer.end(counts);
    }

    fn failed(&mut self, failures: &Failures) {
        self.observer.failed(failures);
    }

    fn prepared(&mut self) {
        self.observer.prepared();
    }

    fn unsaved(&mut self, why: &std::io::Error) {
        self.observer.unsaved(why);
    }

    fn follows(&self) -> bool {
        self.observer.follows()
    }

    fn arrived(&mut self, step: &Taken<'_>) {
        self.observer.arrived(step);
    }
}

/// Notes the failures at the end of a search.
struct Ends<'e> {
    observer: &'e mut dyn Observer,
    failures: &'e mut Failures,
}

impl Observer for Ends<'_> {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        self.observer.progress(counts, waiting);
    }

    fn end(&mut self, counts: &Counts) {
        self.observer.end(counts);
    }

    fn failed(&mut self, failures: &Failures) {
        self.failures.join(failures);
        self.observer.failed(failures);
    }
}
