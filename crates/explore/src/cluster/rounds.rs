//! The moment at which all processes have nothing left to do.
//!
//! A process is quiet when its workers rest and none of its packets wait. It then reports how many
//! packets it has sent to other processes and received from them. That all are quiet at the moments
//! of their reports proves nothing: a packet may be on its way. So process 0 asks twice. If in two
//! rounds, one after the other, all are quiet with the same numbers, and as many packets were
//! received as sent, then nothing has happened between them, and nothing is on its way (Mattern,
//! 1987).

/// What a quiet process reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quiet {
    /// The packets that it has sent to other processes so far.
    pub sent: u64,
    /// The packets that it has received from them.
    pub received: u64,
    /// Whether one of its workers has states of the next level.
    pub has_next_level: bool,
}

/// What process 0 does after a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterReport {
    /// It waits for others.
    Wait,
    /// It asks all in the next round.
    Ask(u32),
    /// All are quiet: the next level begins.
    NextLevel,
    /// All are quiet, and nothing is left.
    End,
}

/// The reports of one level.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    round: u32,
    reports: Vec<Option<Quiet>>,
    /// The reports of the round before.
    before: Option<Vec<Option<Quiet>>>,
}

impl Rounds {
    /// Begins a level, with this number of processes.
    pub(crate) fn new(processes: usize) -> Rounds {
        Rounds { round: 0, reports: vec![None; processes], before: None }
    }

    /// Notes that a process was quiet in a round. It may report again if a packet has disturbed it.
    pub(crate) fn note(&mut self, process: usize, round: u32, quiet: Quiet) -> AfterReport {
        // An older report says nothing about this round.
        if round != self.round {
            return AfterReport::Wait;
        }
        let Some(report) = self.reports.get_mut(process) else { return AfterReport::Wait };
        *report = Some(quiet);
        let mut balance = 0_u64;
        for report in &self.reports {
            let Some(report) = report else { return AfterReport::Wait };
            balance = balance.wrapping_add(report.sent).wrapping_sub(report.received);
        }
        if balance != 0 {
            return AfterReport::Wait;
        }
        if self.before.as_ref() == Some(&self.reports) {
            let goes_on = self.reports.iter().flatten().any(|report| report.has_next_level);
            return if goes_on { AfterReport::NextLevel } else { AfterReport::End };
        }
        let none = vec![None; self.reports.len()];
        self.before = Some(std::mem::replace(&mut self.reports, none));
        self.round += 1;
        AfterReport::Ask(self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(sent: u64, received: u64) -> Quiet {
        Quiet { sent, received, has_next_level: false }
    }

    #[test]
    fn two_equal_rounds_end_a_level() {
        let mut rounds = Rounds::new(2);
        assert_eq!(rounds.note(0, 0, quiet(1, 0)), AfterReport::Wait);
        assert_eq!(rounds.note(1, 0, quiet(0, 1)), AfterReport::Ask(1));
        assert_eq!(rounds.note(1, 1, quiet(0, 1)), AfterReport::Wait);
        assert_eq!(rounds.note(0, 1, quiet(1, 0)), AfterReport::End);
        let next = |report: Quiet| Quiet { has_next_level: true, ..report };
        let mut rounds = Rounds::new(2);
        rounds.note(0, 0, next(quiet(0, 0)));
        assert_eq!(rounds.note(1, 0, quiet(0, 0)), AfterReport::Ask(1));
        rounds.note(0, 1, next(quiet(0, 0)));
        assert_eq!(rounds.note(1, 1, quiet(0, 0)), AfterReport::NextLevel);
    }

    #[test]
    fn a_packet_that_one_round_misses_is_found_by_the_next() {
        // Process 1 reports and is disturbed by a packet of 0; its answer reaches 0 after 0 has
        // reported: sums agree, and the packet from 1 to 2 is on its way.
        let mut rounds = Rounds::new(3);
        rounds.note(2, 0, quiet(0, 0));
        rounds.note(1, 0, quiet(0, 0));
        assert_eq!(rounds.note(0, 0, quiet(0, 0)), AfterReport::Ask(1));
        rounds.note(0, 1, quiet(0, 0));
        rounds.note(1, 1, quiet(1, 0));
        assert_eq!(rounds.note(2, 1, quiet(0, 0)), AfterReport::Wait);
        assert_eq!(rounds.note(2, 0, quiet(0, 1)), AfterReport::Wait, "an old round");
        assert_eq!(rounds.note(2, 1, quiet(0, 1)), AfterReport::Ask(2));
        rounds.note(0, 2, quiet(0, 0));
        rounds.note(1, 2, quiet(1, 0));
        assert_eq!(rounds.note(2, 2, quiet(0, 1)), AfterReport::End);
        assert_eq!(rounds.note(7, 2, quiet(0, 1)), AfterReport::Wait, "no process");
    }
}
