//! A status line while a search runs.

use std::{
    cell::RefCell,
    io,
    time::{Duration, Instant},
};

use merkhet::{Counts, Phase};

use crate::{args::When, output::Streams};

/// Goes to the start of the line and erases it.
const ERASE: &str = "\r\x1b[K";

/// The status line is shown for searches that take longer.
const MIN_SEARCH_TIME: Duration = Duration::from_millis(400);

/// The streams while a search runs: shows its progress, and prints answers before it ends.
pub struct Console<'c, 's>(RefCell<Parts<'c, 's>>);

struct Parts<'c, 's> {
    streams: &'c mut Streams<'s>,
    line: Line,
}

/// The status line.
struct Line {
    wanted: bool,
    /// Whether the line is rewritten in place; otherwise each is a new line.
    rewrites: bool,
    /// When the last one was written.
    last: Option<Instant>,
    /// Whether it is on the screen.
    visible: bool,
}

impl<'c, 's> Console<'c, 's> {
    /// Shows nothing yet.
    pub fn new(when: When, streams: &'c mut Streams<'s>) -> Console<'c, 's> {
        let wanted = when == When::Always || when == When::Auto && streams.err_is_terminal;
        let line = Line { wanted, rewrites: streams.err_is_terminal, last: None, visible: false };
        Console(RefCell::new(Parts { streams, line }))
    }

    /// Erases the line, and prints something.
    ///
    /// # Errors
    /// Those of `print`.
    pub fn print<R>(&self, print: impl FnOnce(&mut Streams<'s>) -> io::Result<R>) -> io::Result<R> {
        let parts = &mut *self.0.borrow_mut();
        parts.erase();
        print(parts.streams)
    }

    /// Erases the line.
    pub fn finish(self) {
        self.0.into_inner().erase();
    }

    /// Shows the progress of a search.
    pub fn progress(&self, phase: Phase, counts: &Counts, waiting: usize, time: Duration) {
        self.0.borrow_mut().show(time, |seconds| line(phase, counts, waiting, seconds));
    }

    /// Shows the size of the formula that a solver gets next.
    pub fn formula(&self, size: &verify::FormulaStats, time: Duration) {
        let (steps, nodes) = (size.steps, size.nodes);
        self.0.borrow_mut().show(time, |seconds| match size.levels {
            Some(level) => format!("{seconds:.0} s: invariant, level {level}"),
            None => format!("{seconds:.0} s: formula with {steps} steps, {nodes} parts"),
        });
    }
}

impl Parts<'_, '_> {
    /// Shows a line, if it is time for one.
    fn show(&mut self, time: Duration, text: impl FnOnce(f64) -> String) {
        if !self.line.wanted {
            return;
        }
        let now = Instant::now();
        let between = if self.line.rewrites { Duration::from_millis(100) } else { Duration::from_secs(1) };
        if time < MIN_SEARCH_TIME || self.line.last.is_some_and(|last| now < last + between) {
            return;
        }
        self.line.last = Some(now);
        let text = text(time.as_secs_f64());
        self.line.visible = self.line.rewrites;
        let text = if self.line.rewrites { format!("{ERASE}{text}") } else { format!("{text}\n") };
        self.write(&text);
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.line.visible) {
            self.write(ERASE);
        }
    }

    fn write(&mut self, text: &str) {
        let err = &mut self.streams.err;
        if err.write_all(text.as_bytes()).and_then(|()| err.flush()).is_err() {
            // The answer matters more than its progress.
            self.line.wanted = false;
        }
    }
}

/// The status line: states explored by all phases, and the most stored at once.
fn line(phase: Phase, counts: &Counts, waiting: usize, time: f64) -> String {
    let rate = counts.explored as f64 / time.max(1e-3);
    format!(
        "{time:.0} s, {}: {} states explored ({rate:.0}/s), {waiting} waiting, {} stored, {}",
        phase.name(),
        counts.explored,
        counts.stored,
        size(counts.bytes)
    )
}

/// A number of bytes with its unit.
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
        let expected = "2 s, probe: 5000 states explored (2500/s), 17 waiting, 4000 stored, 1.2 MB";
        assert_eq!(line(Phase::Probe, &counts, 17, 2.0), expected);
    }

    #[test]
    fn a_status_line_is_erased_before_answers_and_in_the_end() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            stdin: &mut io::empty(),
            out: &mut out,
            err: &mut err,
            out_color: false,
            err_color: false,
            err_is_terminal: true,
            in_is_terminal: false,
            out_is_terminal: false,
        };
        let console = Console::new(When::Auto, &mut streams);
        let counts = |explored: usize| Counts { explored, ..Counts::default() };
        console.progress(Phase::Search, &counts(1), 1, Duration::ZERO);
        assert!(console.0.borrow().line.last.is_none(), "it is too early");
        console.progress(Phase::Search, &counts(7), 1, MIN_SEARCH_TIME);
        console.print(|streams| write!(streams.err, "answer")).unwrap();
        console.print(|streams| write!(streams.err, "another")).unwrap();
        console.0.borrow_mut().line.last = None;
        console.progress(Phase::Probe, &counts(9), 3, MIN_SEARCH_TIME * 2);
        console.finish();
        let text = String::from_utf8(err).unwrap();
        let lines: Vec<&str> = text.split(ERASE).collect();
        assert!(matches!(lines[..], ["", _, "answeranother", _, ""]), "{text:?}");
        assert!(lines[1].contains("search: 7 states") && lines[3].contains("probe: 9 states"), "{text:?}");
    }
}
