//! What several searches count together.
//!
//! An answer may take more than one search: a probe in between, another search without symmetry,
//! one for a shorter trace. Each counts from zero. A [`Tally`] adds them up, so that the sums only
//! grow.

use crate::search::Counts;

/// What a search is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It answers the query.
    #[default]
    Search,
    /// A bounded search with another strategy.
    Probe,
    /// It answers a query again that an earlier search could not decide.
    Retry,
    /// It does not distinguish variables that nothing reads.
    Unread,
    /// It looks for a shorter trace.
    Shorten,
    /// It looks for the trace that takes the least time.
    Fastest,
    /// It looks for states that prove that there is no run.
    Proof,
}

impl Phase {
    /// What reports call it.
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

/// Adds up what searches count. A search may begin while another one pauses.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    next: Phase,
    /// What searches that have ended counted, by their phases, in the order in which these began.
    ended: Vec<(Phase, Counts)>,
    /// The searches that have begun and not ended, the innermost last.
    running: Vec<(Phase, Counts)>,
    /// The most bytes and states that were ever there at once.
    most_bytes: usize,
    most_stored: usize,
}

impl Tally {
    /// Searches that begin from now on belong to this phase.
    pub fn enter(&mut self, phase: Phase) {
        self.next = phase;
    }

    /// A search begins.
    pub fn begin(&mut self) {
        if !self.ended.iter().any(|(phase, _)| *phase == self.next) {
            self.ended.push((self.next, Counts::default()));
        }
        self.running.push((self.next, Counts::default()));
    }

    /// The innermost search has counted this so far.
    pub fn update(&mut self, counts: &Counts) {
        if let Some((_, last)) = self.running.last_mut() {
            *last = *counts;
        }
        let now = sum(&self.running);
        self.most_bytes = self.most_bytes.max(now.bytes);
        self.most_stored = self.most_stored.max(now.stored);
    }

    /// The innermost search has ended, having counted this.
    pub fn end(&mut self, counts: &Counts) {
        self.update(counts);
        let Some((phase, counts)) = self.running.pop() else { return };
        if let Some((_, sum)) = self.ended.iter_mut().find(|(other, _)| *other == phase) {
            *sum = sum.and(&counts);
        }
    }

    /// The phase of the innermost search.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.running.last().map_or(self.next, |(phase, _)| *phase)
    }

    /// What all searches counted together. Stored states and bytes are the most that were ever
    /// there at once.
    #[must_use]
    pub fn total(&self) -> Counts {
        let all = sum(&self.ended).and(&sum(&self.running));
        Counts { stored: self.most_stored, bytes: self.most_bytes, ..all }
    }

    /// The phases in the order in which they began, and how many states were explored in each.
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
