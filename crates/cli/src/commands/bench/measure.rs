//! One search, and its cost.

use std::time::{Duration, Instant};

use explore::search::Limits;
use merkhet::{Event, Reporter};
use verify::{Answer, Options, Verdict};

use crate::{args::ProgressChoice, interrupt, output::Streams, progress::Console};
use ::bench::search::Space;

/// The limits of a search.
#[derive(Clone, Copy, Default)]
pub struct Budget {
    pub time: Option<Duration>,
    pub bytes: Option<usize>,
    pub states: Option<usize>,
}

/// The result of a search.
pub struct Measured {
    pub answer: Answer,
    pub seconds: f64,
    /// The seconds until the search could start.
    pub before: f64,
    /// The most bytes that its states took.
    pub peak: usize,
}

/// Explores a model, with a status line on the terminal.
pub fn measure(space: &Space, options: &Options, budget: Budget, streams: &mut Streams<'_>) -> Measured {
    let end = budget.time.and_then(|limit| Instant::now().checked_add(limit));
    let expired = || end.is_some_and(|end| Instant::now() >= end);
    let limits = Limits {
        expired: Some(&expired),
        bytes: budget.bytes,
        states: budget.states,
        interrupt: Some(interrupt::flag()),
        ..Limits::default()
    };
    let console = Console::new(ProgressChoice::Auto, streams);
    let mut observer = |event: Event<'_>| {
        if let Event::Progress { phase, counts, waiting, workers, time } = event {
            console.progress(phase, &counts, waiting, workers, time);
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
    /// The order of runs: by generated states, with stopped runs last.
    pub fn rank(&self) -> (bool, usize) {
        (matches!(self.answer.verdict, Verdict::Unknown(_)), self.answer.counts.generated)
    }
}

/// The median of several runs, if there is any.
pub fn middle(mut runs: Vec<Measured>) -> Option<Measured> {
    runs.sort_by_key(Measured::rank);
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle)
}
