//! Plain covering, as a rival of a search that undoes joins.
//!
//! Undoing joins may cost more than they save. What refinement costs is counted: successors that
//! were computed for nothing, and those that were computed to judge paths. Whenever this cost has
//! doubled, plain covering gets as much work. If it decides, refinement is given up. So refinement
//! costs at most about twice what covering does, and covering at most twice what refinement does.

use explore::{
    goal::Goal,
    search::{Limits, Observer, SearchOutcome, Stop},
    tally::Phase,
};
use zone::Bound;

use crate::{Answer, Reason, Verdict, task::Task};

/// Refinement that costs less is not worth a second search.
const MIN_COST: usize = 1 << 18;

/// Tries to decide by covering within limits. Returns whether it did.
pub(crate) type CoverAttempt<'c> = dyn FnMut(&Limits<'_>, &mut dyn Observer) -> bool + 'c;

/// Runs a search that undoes joins to its end, or until its rival has decided. Returns `None` then.
pub(crate) fn run<B: Bound>(
    task: &mut Task<'_, B>,
    goal: &mut dyn Goal<B>,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
    cover: &mut CoverAttempt<'_>,
) -> Option<SearchOutcome> {
    let mut allowed = MIN_COST;
    loop {
        let outcome = task.resume(goal, &Limits { joining: Some(allowed), ..*limits }, observer);
        let (cost, counts) = (task.joining_cost(), task.counts());
        if outcome.is_some() || cost <= allowed {
            task.end(observer);
            return Some(outcome.unwrap_or(SearchOutcome::Stopped(Stop::States)));
        }
        observer.enter(Phase::Probe);
        let left = limits.generated.map(|most| most.saturating_sub(counts.generated));
        let rival = Limits {
            generated: [Some(cost), left].into_iter().flatten().min(),
            bytes: limits.bytes.map(|most| most.saturating_sub(counts.bytes)),
            ..*limits
        };
        if cover(&rival, observer) {
            task.end(observer);
            return None;
        }
        allowed = 2 * cost;
    }
}

/// Whether an answer is more than that a limit was reached.
pub(crate) fn decides(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)))
}
