//! One search, and what it took.

use std::time::{Duration, Instant};

use explore::search::Limits;
use merkhet::{Event, Reporter};
use verify::{Answer, Options, Verdict};

use crate::{args::When, interrupt, output::Streams, progress::Console};
use ::bench::search::Space;

/// When a search is given up.
#[derive(Clone, Copy)]
pub struct Budget {
    pub time: Option<Duration>,
    pub bytes: Option<usize>,
}

/// What became of a search.
pub struct Measured {
    pub answer: Answer,
    pub seconds: f64,
    /// The seconds until the search could start.
    pub before: f64,
    /// The most bytes that its states took.
    pub peak: usize,
}

/// Explores a model, while a line on the terminal says how far it is.
pub fn measure(space: &Space, options: &Options, budget: Budget, streams: &mut Streams<'_>) -> Measured {
    let end = budget.time.and_then(|limit| Instant::now().checked_add(limit));
    let expired = || end.is_some_and(|end| Instant::now() >= end);
    let limits = Limits {
        expired: Some(&expired),
        bytes: budget.bytes,
        interrupt: Some(interrupt::flag()),
        ..Limits::default()
    };
    let console = Console::new(When::Auto, streams);
    let mut observer = |event: Event<'_>| {
        if let Event::Progress { phase, counts, waiting, time } = event {
            console.progress(phase, &counts, waiting, time);
        }
    };
    let reporter = Reporter::new(&mut observer);
    let answer = space.explore(options, &limits, &mut &reporter);
    let (time, before) = reporter.times();
    console.finish();
    let peak = answer.counts.bytes;
    Measured { answer, seconds: time.as_secs_f64(), before: before.as_secs_f64(), peak }
}

impl Measured {
    /// What runs are put in order by: those that were stopped come last, the others by what they
    /// generated.
    pub fn rank(&self) -> (bool, usize) {
        (matches!(self.answer.verdict, Verdict::Unknown(_)), self.answer.counts.generated)
    }
}

/// The run in the middle of several, if there is any.
pub fn middle(mut runs: Vec<Measured>) -> Option<Measured> {
    runs.sort_by_key(Measured::rank);
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle)
}
