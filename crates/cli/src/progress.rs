//! A status line while a search runs.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use explore::search::{Counts, Observer};

use crate::{args::When, output::Streams};

/// Goes to the start of the line and erases it.
const ERASE: &str = "\r\x1b[K";

/// Short searches show nothing.
const PATIENCE: Duration = Duration::from_millis(400);

/// Tells how far a search is, and remembers the most memory that it took.
pub struct Progress<'a> {
    out: Option<&'a mut dyn Write>,
    /// Whether the line is written again and again; else each is a line of its own.
    rewrites: bool,
    start: Instant,
    last: Option<Instant>,
    /// The most bytes that the stored states took.
    pub peak: usize,
    /// How long it took until the search could start.
    pub before: Duration,
}

impl<'a> Progress<'a> {
    /// Starts to count the time.
    pub fn new(when: When, streams: &'a mut Streams<'_>) -> Progress<'a> {
        let shown = when == When::Always || when == When::Auto && streams.err_is_terminal;
        let rewrites = streams.err_is_terminal;
        let out: Option<&mut dyn Write> = if shown { Some(&mut *streams.err) } else { None };
        Progress { out, rewrites, start: Instant::now(), last: None, peak: 0, before: Duration::ZERO }
    }

    /// Erases the line. Returns how long the search took.
    pub fn finish(mut self) -> Duration {
        if self.rewrites && self.last.is_some() {
            self.write(ERASE);
        }
        self.start.elapsed()
    }

    fn write(&mut self, text: &str) {
        if let Some(out) = &mut self.out
            && out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err()
        {
            // The answer matters more than the way to it.
            self.out = None;
        }
    }
}

impl Progress<'_> {
    /// A solver is about to be asked.
    pub fn asks(&mut self, asked: &verify::Asked) {
        let (steps, nodes) = (asked.steps, asked.nodes);
        self.show(|time| match asked.levels {
            Some(level) => format!("{time:.0} s: invariant, level {level}"),
            None => format!("{time:.0} s: formula with {steps} steps, {nodes} parts"),
        });
    }

    /// Shows a line, if it is time for one.
    fn show(&mut self, line: impl FnOnce(f64) -> String) {
        if self.out.is_none() {
            return;
        }
        let now = Instant::now();
        let between = if self.rewrites { Duration::from_millis(100) } else { Duration::from_secs(1) };
        let due = self.last.map_or(self.start + PATIENCE, |last| last + between);
        if now < due {
            return;
        }
        self.last = Some(now);
        let line = line((now - self.start).as_secs_f64());
        let text = if self.rewrites { format!("{ERASE}{line}") } else { format!("{line}\n") };
        self.write(&text);
    }
}

impl Observer for Progress<'_> {
    fn prepared(&mut self) {
        self.before = self.start.elapsed();
    }

    fn progress(&mut self, counts: &Counts, waiting: usize) {
        self.peak = self.peak.max(counts.bytes);
        self.show(|time| line(counts, waiting, time));
    }
}

fn line(counts: &Counts, waiting: usize, time: f64) -> String {
    let rate = counts.explored as f64 / time.max(1e-3);
    format!(
        "{time:.0} s: {} states explored ({rate:.0}/s), {waiting} waiting, {} stored, {}",
        counts.explored,
        counts.stored,
        size(counts.bytes)
    )
}

/// A number of bytes for people.
pub fn size(bytes: usize) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|unit| bytes as f64 >= unit.1) {
        Some((unit, one)) => format!("{:.1} {unit}", bytes as f64 / one),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_a_search_is() {
        let counts = Counts { explored: 5000, stored: 4000, bytes: 1_250_000, ..Counts::default() };
        let expected = "2 s: 5000 states explored (2500/s), 17 waiting, 4000 stored, 1.2 MB";
        assert_eq!(line(&counts, 17, 2.0), expected);
    }

    #[test]
    fn a_status_line_is_erased_in_the_end() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            stdin: &mut std::io::empty(),
            out: &mut out,
            err: &mut err,
            out_color: false,
            err_color: false,
            err_is_terminal: true,
            in_is_terminal: false,
        };
        let mut progress = Progress::new(When::Auto, &mut streams);
        progress.progress(&Counts::default(), 1);
        assert!(progress.last.is_none(), "it is too early");
        progress.last = progress.start.checked_sub(PATIENCE);
        progress.progress(&Counts { bytes: 7, ..Counts::default() }, 1);
        assert_eq!(progress.peak, 7);
        progress.finish();
        let text = String::from_utf8(err).unwrap();
        assert!(text.starts_with(ERASE) && text.ends_with(ERASE) && text.contains("1 waiting"), "{text:?}");
    }
}
