//! How far a search is, and what it takes.

use std::{
    fs,
    io::Write,
    time::{Duration, Instant},
};

use explore::{
    search::{Counts, Observer},
    tally::{Phase, Tally},
};

use super::messages;

/// The line comes once a second; short searches have none.
const BETWEEN: Duration = Duration::from_secs(1);

/// Writes a line again and again.
pub struct Progress<'a> {
    /// `None` where nobody wants to know.
    out: Option<&'a mut dyn Write>,
    start: Instant,
    last: Instant,
    tally: Tally,
}

impl<'a> Progress<'a> {
    /// Starts to count the time.
    pub fn new(out: Option<&'a mut dyn Write>) -> Progress<'a> {
        let start = Instant::now();
        Progress { out, start, last: start, tally: Tally::default() }
    }
}

impl Observer for Progress<'_> {
    fn enter(&mut self, phase: Phase) {
        self.tally.enter(phase);
    }

    fn begin(&mut self) {
        self.tally.begin();
    }

    fn end(&mut self, counts: &Counts) {
        self.tally.end(counts);
    }

    fn progress(&mut self, counts: &Counts, waiting: usize) {
        self.tally.update(counts);
        let Some(out) = &mut self.out else { return };
        let now = Instant::now();
        if now < self.last + BETWEEN {
            return;
        }
        self.last = now;
        let line = messages::throughput(self.tally.total().explored, waiting, now - self.start);
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // The answer matters more than the way to it.
            self.out = None;
        }
    }
}

/// The time that this process has spent, if the system tells.
pub fn user_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses and may have blanks. Times are in hundredths of
    // a second.
    let ticks: u64 = text.rsplit_once(')')?.1.split_whitespace().nth(11)?.parse().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_once_a_second() {
        let mut out = Vec::new();
        let mut progress = Progress::new(Some(&mut out));
        let counts = Counts { explored: 500, ..Counts::default() };
        progress.begin();
        progress.progress(&counts, 3);
        progress.last = progress.last.checked_sub(BETWEEN).unwrap();
        progress.start = progress.last;
        progress.progress(&counts, 3);
        progress.progress(&counts, 3);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(" -- Throughput: ") && text.ends_with(" states/sec, Load: 3 states\x1b[K\r"),
            "{text:?}"
        );
        assert_eq!(text.matches("Load").count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_what_was_spent() {
        assert!(user_time().is_some());
    }
}
