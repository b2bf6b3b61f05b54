//! `merkhet bench zones --scaling`

use std::{
    cell::Cell,
    io,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use explore::search::{Counts, Limits, Observer};
use verify::{Options, Verdict};

use super::{settings, text, without_optimisation};
use crate::{
    args::{ReportFormat, ZonesArgs},
    interrupt,
    json::{
        VERSION,
        bench::{ScalingPoint, ScalingReport},
    },
    output::Streams,
    status::Status,
};
use ::bench::{Family, search::Space};

/// Runs that generate less are too short to measure.
const MIN_GENERATED: usize = 10_000;

/// A run that generates more is stopped.
const MAX_GENERATED: usize = 10_000_000;

/// Records the time whenever ten times as many states have been generated, and stops at the limit.
struct Watch<'a> {
    start: Instant,
    next: usize,
    moments: Vec<(Counts, Duration)>,
    enough: &'a Cell<bool>,
}

impl Observer for Watch<'_> {
    fn progress(&mut self, counts: &Counts, _: usize) {
        if counts.generated >= self.next {
            self.moments.push((*counts, self.start.elapsed()));
            self.next = self.next.saturating_mul(10);
        }
        self.enough.set(counts.generated >= MAX_GENERATED);
    }
}

impl verify::Observer for Watch<'_> {}

/// Runs one family at growing sizes.
pub fn run(args: &ZonesArgs, family: &'static Family, streams: &mut Streams<'_>) -> io::Result<Status> {
    let (abstraction, order) = settings(args);
    let (sizes, largest) = (Vec::new(), Vec::new());
    let notes = without_optimisation().into_iter().collect();
    let mut report = ScalingReport { version: VERSION, family: family.name, abstraction, order, sizes, largest, notes };
    let options = Options { order: args.order, abstraction: args.abstraction, ..Options::default() };
    let mut status = Status::Fine;
    for size in family.sizes.clone() {
        let space = match Space::read(&family.tck(size)) {
            Ok(space) => space,
            Err(why) => {
                streams.fail(&format!("the model {} {size} is wrong: {why}", family.name))?;
                return Ok(Status::Defect);
            }
        };
        let enough = Cell::new(false);
        let start = Instant::now();
        let end = args.time_limit.and_then(|limit| start.checked_add(limit));
        let expired = || enough.get() || end.is_some_and(|end| Instant::now() >= end);
        let limits = Limits {
            expired: Some(&expired),
            bytes: args.memory_limit,
            interrupt: Some(interrupt::flag()),
            ..Limits::default()
        };
        let mut watch = Watch { start, next: MIN_GENERATED, moments: Vec::new(), enough: &enough };
        let answer = space.explore(&options, &limits, &mut watch);
        let took = start.elapsed();
        let complete = !matches!(answer.verdict, Verdict::Unknown(_));
        let point =
            |(counts, time): &(Counts, Duration), complete| point(size, space.clocks(), counts, *time, complete);
        if answer.counts.generated >= MIN_GENERATED {
            report.sizes.push(point(&(answer.counts, took), complete));
            report.largest = watch.moments.iter().map(|moment| point(moment, true)).collect();
        }
        if !complete && !enough.get() || interrupt::flag().load(Ordering::Relaxed) {
            status = Status::Unknown;
        }
        if !complete || answer.counts.generated >= MAX_GENERATED {
            break;
        }
    }
    match args.format {
        ReportFormat::Text => text::write_scaling(&report, streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    Ok(status)
}

fn point(size: u32, clocks: usize, counts: &Counts, time: Duration, complete: bool) -> ScalingPoint {
    let nanoseconds = time.as_secs_f64() * 1e9 / counts.generated.max(1) as f64;
    ScalingPoint {
        size,
        clocks,
        generated: counts.generated,
        stored: counts.stored,
        seconds: time.as_secs_f64(),
        nanoseconds,
        nanoseconds_per_bound: nanoseconds / ((clocks + 1) * (clocks + 1)) as f64,
        complete,
    }
}
