//! The progress of a search, and the time of the process.

use std::{fs, io::Write, time::Duration};

use merkhet::{Event, Observer};

use super::messages;

/// The time between two lines, and before the first.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Rewrites a line with the progress of a search.
pub struct Progress<'a> {
    /// `None` with `-s`.
    out: Option<&'a mut dyn Write>,
    /// The time of the last line.
    last: Duration,
}

impl<'a> Progress<'a> {
    /// Writes nothing yet.
    pub fn new(out: Option<&'a mut dyn Write>) -> Progress<'a> {
        Progress { out, last: Duration::ZERO }
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        let (Event::Progress { counts, waiting, time, .. }, Some(out)) = (event, &mut self.out) else { return };
        if time < self.last + LINE_INTERVAL {
            return;
        }
        self.last = time;
        let line = messages::throughput(counts.explored, waiting, time);
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // The answer matters more than its progress.
            self.out = None;
        }
    }
}

/// The user time of this process, if the system provides it.
pub fn user_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and may contain blanks. Times are in hundredths of
    // a second.
    let ticks: u64 = text.rsplit_once(')')?.1.split_whitespace().nth(11)?.parse().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

#[cfg(test)]
mod tests {
    use merkhet::{Counts, Phase, Workers};

    use super::*;

    #[test]
    fn lines_come_once_a_second() {
        let mut out = Vec::new();
        let mut progress = Progress::new(Some(&mut out));
        let counts = Counts { explored: 500, ..Counts::default() };
        let workers = &Workers::default();
        for time in [LINE_INTERVAL / 2, LINE_INTERVAL, LINE_INTERVAL * 3 / 2] {
            progress.event(Event::Progress { phase: Phase::Search, counts, waiting: 3, workers, time });
        }
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(" -- Throughput: ") && text.ends_with(" states/sec, Load: 3 states\x1b[K\r"),
            "{text:?}"
        );
        assert_eq!(text.matches("Load").count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_provides_the_user_time() {
        assert!(user_time().is_some());
    }
}
