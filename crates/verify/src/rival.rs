//! Plain covering, as a rival of a search that undoes joins.
//!
//! Undoing joins may cost more than they save. What refinement costs is counted: successors that
//! were computed for nothing, and those that were computed to judge paths. Whenever this cost has
//! doubled, plain covering gets as much work. If it decides, refinement is given up. So refinement
//! costs at most about twice what covering does, and covering at most twice what refinement does.
//!
//! Joined states may also reach far more than there is, without a goal, so that no join is undone.
//! Whenever the whole search has doubled, covering gets a share of its work.

use explore::{
    goal::Goal,
    search::{Limits, Observer, SearchOutcome, Stop},
    tally::Phase,
};
use zone::Bound;

use crate::{Answer, Reason, Verdict, task::Task};

/// Refinement that costs less is not worth a second search.
const MIN_COST: usize = 1 << 18;

/// A search with fewer transitions is not worth a second one, whatever joins reach.
const MIN_WORK: usize = 1 << 20;

/// What covering may cost, beside a search in which refinement costs little: one in so many of its
/// transitions.
const SHARE: usize = 4;

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
    let (mut allowed, mut work) = (MIN_COST, MIN_WORK);
    loop {
        let generated = limits.generated.map_or(work, |most| most.min(work));
        let pauses = Limits { joining: Some(allowed), generated: Some(generated), ..*limits };
        let outcome = task.resume(goal, &pauses, observer);
        let (cost, counts) = (task.joining_cost(), task.counts());
        let share = if cost > allowed { cost } else { counts.generated / SHARE };
        if outcome.is_some() || cost <= allowed && counts.generated <= work {
            task.end(observer);
            return Some(outcome.unwrap_or(SearchOutcome::Stopped(Stop::States)));
        }
        observer.enter(Phase::Probe);
        let left = limits.generated.map(|most| most.saturating_sub(counts.generated));
        let rival = Limits {
            generated: [Some(share), left].into_iter().flatten().min(),
            bytes: limits.bytes.map(|most| most.saturating_sub(counts.bytes)),
            ..*limits
        };
        if cover(&rival, observer) {
            task.end(observer);
            return None;
        }
        if cost > allowed {
            allowed = 2 * cost;
        }
        if counts.generated > work {
            work = 2 * counts.generated;
        }
    }
}

/// Whether an answer is more than that a limit was reached.
pub(crate) fn decides(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)))
}
