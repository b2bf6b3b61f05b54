//! Counters of several searches.
//!
//! An answer may take several searches: a probe, another search without symmetry, one for a shorter
//! trace. Each counts from zero. A [`Tally`] adds them up, so that the sums never decrease.

use crate::search::Counts;

/// The purpose of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It answers the query.
    #[default]
    Search,
    /// A bounded search with another strategy.
    Probe,
    /// It repeats a query that an earlier search left undecided.
    Retry,
    /// It ignores variables that are never read.
    Unread,
    /// It looks for a shorter trace.
    Shorten,
    /// It looks for the fastest trace.
    Fastest,
    /// It looks for a proof that no run exists.
    Proof,
}

impl Phase {
    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Search => "search",
            Phase::Probe => "probe",
            Phase::Retry => "retry",
            Phase::Unread => "search without unread variables",
            Phase::Shorten => "search for a shorter trace",
            Phase::Fastest => "search for the fastest trace",
            Phase::Proof => "proof",
        }
    }
}

/// Adds up the counters of searches. A search may begin while another one pauses.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    next: Phase,
    /// The counters of the ended searches by phase, in the order in which the phases began.
    ended: Vec<(Phase, Counts)>,
    /// The running searches, the innermost last.
    running: Vec<(Phase, Counts)>,
    /// The peaks of memory and of stored states.
    peak_bytes: usize,
    peak_stored: usize,
}

impl Tally {
    /// Sets the phase of the searches that begin from now on.
    pub fn enter(&mut self, phase: Phase) {
        self.next = phase;
    }

    /// Begins a search.
    pub fn begin(&mut self) {
        if !self.ended.iter().any(|(phase, _)| *phase == self.next) {
            self.ended.push((self.next, Counts::default()));
        }
        self.running.push((self.next, Counts::default()));
    }

    /// Updates the counters of the innermost search.
    pub fn update(&mut self, counts: &Counts) {
        if let Some((_, last)) = self.running.last_mut() {
            *last = *counts;
        }
        let now = sum(&self.running);
        self.peak_bytes = self.peak_bytes.max(now.bytes);
        self.peak_stored = self.peak_stored.max(now.stored);
    }

    /// Ends the innermost search with these counters.
    pub fn end(&mut self, counts: &Counts) {
        self.update(counts);
        let Some((phase, counts)) = self.running.pop() else { return };
        if let Some((_, sum)) = self.ended.iter_mut().find(|(other, _)| *other == phase) {
            *sum = sum.and(&counts);
        }
    }

    /// Returns the phase of the innermost search.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.running.last().map_or(self.next, |(phase, _)| *phase)
    }

    /// Returns the sums over all searches. Stored states and bytes are peaks.
    #[must_use]
    pub fn total(&self) -> Counts {
        let all = sum(&self.ended).and(&sum(&self.running));
        Counts { stored: self.peak_stored, bytes: self.peak_bytes, ..all }
    }

    /// Returns the phases in the order in which they began, with the number of explored states of
    /// each.
    #[must_use]
    pub fn phases(&self) -> Vec<(Phase, usize)> {
        let running = |phase| self.running.iter().filter(move |(other, _)| *other == phase);
        let explored = |(phase, counts): &(Phase, Counts)| {
            (*phase, counts.explored + running(*phase).map(|(_, counts)| counts.explored).sum::<usize>())
        };
        self.ended.iter().map(explored).collect()
    }
}

fn sum(list: &[(Phase, Counts)]) -> Counts {
    list.iter().fold(Counts::default(), |sum, (_, counts)| sum.and(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(explored: usize, bytes: usize) -> Counts {
        Counts { explored, stored: explored / 2, bytes, ..Counts::default() }
    }

    #[test]
    fn a_probe_inside_of_a_search_adds_to_what_was_counted_before() {
        let mut tally = Tally::default();
        let mut seen = Vec::new();
        let mut note = |tally: &Tally| seen.push((tally.phase(), tally.total().explored));
        tally.begin();
        tally.update(&counts(55_552, 100));
        note(&tally);
        tally.enter(Phase::Probe);
        tally.begin();
        tally.update(&counts(256, 10));
        note(&tally);
        tally.end(&counts(300, 20));
        note(&tally);
        tally.update(&counts(60_000, 90));
        note(&tally);
        tally.end(&counts(60_001, 80));
        note(&tally);
        let phases = [Phase::Search, Phase::Probe, Phase::Search, Phase::Search, Phase::Probe];
        assert_eq!(seen, phases.into_iter().zip([55_552, 55_808, 55_852, 60_300, 60_301]).collect::<Vec<_>>());
        assert_eq!(tally.phases(), [(Phase::Search, 60_001), (Phase::Probe, 300)]);
        assert_eq!((tally.total().bytes, tally.total().stored), (120, 30_000));
    }
}
