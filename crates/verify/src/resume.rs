//! Searches in a journal: their results are noted, their states saved, and both are taken from
//! there when the program goes the same way again.

use explore::{
    heuristic::Failures,
    search::{Counts, Limits, Observer, SearchOutcome, Stop, Taken, WorkerLoad},
    snapshot::{CallRecord, EndRecord, Journal, PartWriter, SavedSearch, SnapshotError},
    store::Path,
    tally::Phase,
};
use zone::Bound;

use crate::task::Task;

/// What goals find that is not in the outcome of a search, as integers.
pub(crate) trait Findings {
    /// All that was found. `complete` completes a path.
    fn save(&self, complete: &dyn Fn(Path) -> Path) -> Vec<i64>;
    /// Adds what was found before.
    ///
    /// # Errors
    /// It is not possible.
    fn load(&self, numbers: &[i64]) -> Result<(), SnapshotError>;
    /// Whether the search pauses for it.
    fn pauses(&self) -> bool {
        false
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
            self.noted.entry = journal.begin().map(|number| (journal.clone(), number));
        }
        let has_begun = std::mem::replace(&mut self.noted.has_begun, true);
        let Some((journal, number)) = self.noted.entry.clone() else { return call(self, observer) };
        if let Some(known) = journal.call(number, self.noted.calls) {
            if !has_begun {
                observer.begin();
            }
            return self.replay(known, &journal, observer);
        }
        self.noted.peak = Counts::default();
        if let Err(e) = self.restore(&journal, number, has_begun, observer) {
            journal.fail(e);
            return Some(SearchOutcome::Stopped(Stop::Interrupted));
        }
        if journal.is_stopping(number) {
            self.save(&journal, number, true, observer);
        }
        loop {
            let mut peak = self.noted.peak;
            let outcome = call(self, &mut Peaks { observer: &mut *observer, peak: &mut peak });
            self.noted.peak = peak;
            match &outcome {
                // What is left of the call follows when the state is saved.
                None if journal.is_due() && !self.pauses(limits) => {
                    self.save(&journal, number, false, observer);
                    continue;
                }
                // If an inner search was stopped, the state is saved already.
                Some(SearchOutcome::Stopped(_)) if journal.has_stopped() => {}
                Some(SearchOutcome::Stopped(_)) if !journal.is_inner(number) => {
                    self.save(&journal, number, true, observer);
                }
                Some(SearchOutcome::Stopped(stop)) if self.is_limit(*stop) => journal.stop_inner(number),
                _ => journal.note(number, CallRecord { outcome: outcome.clone(), ..self.record() }),
            }
            self.noted.calls += 1;
            return outcome;
        }
    }

    /// Returns a result that was noted before.
    fn replay(&mut self, known: CallRecord, journal: &Journal, observer: &mut dyn Observer) -> Option<SearchOutcome> {
        observer.progress(&known.peak, 0);
        observer.progress(&known.counts, 0);
        let loaded = self.findings.map_or(Ok(()), |findings| findings.load(&known.findings));
        if let Err(e) = loaded {
            journal.fail(e);
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
        observer: &mut dyn Observer,
    ) -> Result<(), SnapshotError> {
        if has_begun && self.noted.replayed.is_none() {
            return Ok(());
        }
        self.noted.replayed = None;
        let Some((mut parts, call)) = journal.saved(number)? else { return Ok(()) };
        if !has_begun {
            observer.begin();
        }
        if let [part] = &mut parts[..] {
            self.worker.load(part)?;
        } else {
            let team = self.recruit(parts.len());
            let (mut team, _) = team.ok_or(SnapshotError::Impossible("a search has several workers"))?;
            team.load(&mut parts)?;
            self.replace_worker(team);
        }
        parts.into_iter().try_for_each(|part| part.finish())?;
        observer.progress(&call.peak, 0);
        self.noted.peak = call.peak;
        self.findings.map_or(Ok(()), |findings| findings.load(&call.findings))
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
        let complete = |path: Path| self.team.iter().fold(path, |path, team| team.complete(path));
        CallRecord {
            outcome: None,
            counts: self.counts(),
            peak: self.noted.peak,
            threads: self.threads_used(),
            joining: (self.joining_cost(), self.refinements()),
            findings: self.findings.map_or(Vec::new(), |findings| findings.save(&complete)),
        }
    }

    fn save(&mut self, journal: &Journal, number: usize, stops: bool, observer: &mut dyn Observer) {
        if let Err(why) = journal.save(number, &*self, self.record(), stops) {
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
        if let Err(e) = self.restore(&journal, number, true, observer) {
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
        let workers = self.workers();
        let can_be_saved = workers.iter().all(|worker| worker.has_begun() && worker.can_be_saved());
        if can_be_saved { workers.len() } else { 0 }
    }

    fn save(&self, part: usize, out: &mut PartWriter<'_>) {
        match &self.team {
            Some(team) => team.save(part, out),
            None => self.worker.save(out),
        }
    }
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
