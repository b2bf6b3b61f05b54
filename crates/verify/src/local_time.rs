//! Whether each process has a time of its own: where that is exact, and where it helps.

use std::fmt;

use explore::{
    goal::witness,
    graph::ZoneGraph,
    local_time::{Agents, Obstacle},
    open::Fifo,
    search::{Limits, SearchOutcome},
    seen::Seen,
    shard::Worker,
};
use model::{Formula, System};
use zone::Bound;

use crate::{
    Abstraction, Options, Plan, Update, Wanted,
    task::{Subject, transitions},
};

/// Whether each process has a time of its own; see [`explore::local_time`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalTime {
    /// Where a sample of the states shows that it helps.
    Auto,
    /// Wherever the model and the query allow it.
    On,
    /// Never.
    #[default]
    Off,
}

/// Why the processes have a common time although local times are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonTime {
    /// The model does not allow local times.
    Model(Obstacle),
    /// The query is not about single states, or about what states can't do.
    Query,
    /// Another option excludes it.
    Option(&'static str),
    /// A certificate has the states of a common time.
    Certificate,
    /// A search with local times has met a run-time error, or numbers beyond its range.
    Undecided,
}

impl fmt::Display for CommonTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommonTime::Model(obstacle) => obstacle.fmt(f),
            CommonTime::Query => f.write_str("the query asks for more than single states"),
            CommonTime::Option(option) => write!(f, "{option} excludes it"),
            CommonTime::Certificate => f.write_str("certificates have a common time"),
            CommonTime::Undecided => f.write_str("a search with it has met a run-time error or too large numbers"),
        }
    }
}

/// The numbers of transitions of the samples by which it is decided whether local times help.
const SAMPLES: [usize; 2] = [1 << 12, 1 << 14];
/// A transition with local times takes as long as so many others.
const COST: usize = 3;

/// What a sample of the states of a plan shows.
struct Sample {
    generated: usize,
    rows: usize,
    has_ended: bool,
    /// Whether the goal was found.
    has_found: bool,
    /// Whether it has met an error, or was stopped.
    has_failed: bool,
}

impl Plan {
    /// The same plan with local times where they are wanted and possible, as far as samples need
    /// not decide that. It matters whether the query is about single states and what they can do,
    /// and whether all constraints are on single clocks.
    pub(crate) fn with_local_time(self, system: &System, options: &Options, is_plain: bool, is_single: bool) -> Plan {
        let wanted = options.local_time;
        if wanted == LocalTime::Off {
            return self;
        }
        let exclusions = [
            (!is_plain, CommonTime::Query),
            (!is_single, CommonTime::Model(Obstacle::Diagonals)),
            (self.cluster.is_some(), CommonTime::Option("a cluster")),
            (self.wanted == Wanted::Fastest, CommonTime::Option("--trace fastest")),
            (self.abstraction == Abstraction::None, CommonTime::Option("--abstraction none")),
            (self.update != Update::Cover, CommonTime::Option("--update")),
            (options.passing.is_some(), CommonTime::Option("--state-space-reduction")),
            (self.symmetry, CommonTime::Option("--symmetry on")),
        ];
        let excluded = exclusions.into_iter().find(|(is_there, _)| *is_there).map(|(_, why)| why);
        match excluded.map_or_else(|| Agents::new(system).map_err(CommonTime::Model), Err) {
            Ok(agents) if wanted == LocalTime::On || agents.commute(system) => Plan { local_time: wanted, ..self },
            Ok(_) => self,
            Err(why) => Plan { common_time: Some(why).filter(|_| wanted == LocalTime::On), ..self },
        }
    }

    /// The same plan for states and transitions as they are, without reductions that may leave a
    /// question undecided; `None`: there are none.
    pub(crate) fn unreduced(&self) -> Option<Plan> {
        let is_local = self.local_time == LocalTime::On;
        let common_time = if is_local { Some(CommonTime::Undecided) } else { self.common_time };
        let plain = || Plan { symmetry: false, local_time: LocalTime::Off, common_time, ..self.clone() };
        (self.symmetry || is_local).then(plain)
    }

    /// The agents of a system, if each has a time of its own.
    #[must_use]
    pub fn agents(&self, system: &System) -> Option<Agents> {
        if self.local_time == LocalTime::On { Agents::new(system).ok() } else { None }
    }

    /// The same plan, where it is decided whether each process has a time of its own. Zones that
    /// remember less are fewer for each row, so that as many transitions meet more rows.
    pub(crate) fn settled<B: Bound>(&self, subject: &Subject<'_>, limits: &Limits<'_>) -> Plan {
        if self.local_time != LocalTime::Auto {
            return self.clone();
        }
        let [local, common] = [LocalTime::On, LocalTime::Off].map(|local_time| Plan { local_time, ..self.clone() });
        // A search that is resumed has to be the same, and limits may stop a sample.
        let sizes = if limits.journal.is_some() { &[][..] } else { &SAMPLES };
        for &size in sizes {
            let without = sample::<B>(subject, &common, size, limits);
            // A search that ends this soon needs no help.
            if without.has_found || without.has_ended || without.has_failed {
                return common;
            }
            let with = sample::<B>(subject, &local, size, limits);
            if with.has_found || with.has_ended && with.generated * COST < without.generated {
                return local;
            }
            // Rows for each transition, multiplied by both numbers of transitions.
            let (gain, least) = (with.rows * without.generated, without.rows * with.generated);
            if with.has_failed || gain * 5 < least * 6 {
                return common;
            }
            if gain >= least * 2 || size == SAMPLES[1] && gain * 2 >= least * 3 {
                return local;
            }
        }
        common
    }
}

/// Explores about so many transitions of a plan.
fn sample<B: Bound>(subject: &Subject<'_>, plan: &Plan, size: usize, limits: &Limits<'_>) -> Sample {
    let system = &*subject.system;
    let seen = Seen::new(plan.store(system), plan.abstraction.simulates());
    let mut worker = Worker::alone(transitions(system, plan, subject.bounds()), seen, Box::<Fifo>::default());
    let generated = limits.generated.into_iter().chain([size]).min();
    let limits = Limits { generated, ..*limits };
    // Several goals are found one by one.
    let goal = if let [goal] = &subject.formulas[..] { &**goal } else { &Formula::False };
    let mut in_goal = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| witness(graph, goal, row, zone);
    let outcome = worker.resume(&mut in_goal, &limits, &mut ());
    let (generated, rows) = (worker.progress.counts.generated, worker.seen.store.discrete_parts());
    let has_ended = matches!(outcome, Some(SearchOutcome::Exhausted));
    let has_found = matches!(outcome, Some(SearchOutcome::Found(_)));
    Sample { generated, rows, has_ended, has_found, has_failed: outcome.is_some() && !has_ended && !has_found }
}
