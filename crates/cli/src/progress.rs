//! A status line while a search runs, or lines of JSON.

use std::{
    cell::RefCell,
    io,
    time::{Duration, Instant},
};

use merkhet::{Counts, Imbalance, Phase, Workers};

use show::details::size;

use crate::{args::ProgressChoice, json::progress::ProgressLine, output::Streams};

/// Goes to the start of the line and erases it.
const ERASE: &str = "\r\x1b[K";

/// Text between these is cut off at the right margin, so that it can be erased.
const NO_WRAP: [&str; 2] = ["\x1b[?7l", "\x1b[?7h"];

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
    style: LineStyle,
    /// When the last one was written.
    last: Option<Instant>,
    /// Whether it is on the screen.
    visible: bool,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineStyle {
    /// Not at all.
    Silent,
    /// The line is rewritten in place.
    Rewritten,
    /// Each line is a new one.
    Plain,
    /// The same, as JSON.
    Json,
}

impl LineStyle {
    /// The time before the first line, and between two.
    fn intervals(self) -> (Duration, Duration) {
        match self {
            LineStyle::Silent | LineStyle::Plain => (MIN_SEARCH_TIME, Duration::from_secs(1)),
            LineStyle::Rewritten => (MIN_SEARCH_TIME, Duration::from_millis(100)),
            LineStyle::Json => (Duration::ZERO, Duration::from_millis(500)),
        }
    }
}

impl<'c, 's> Console<'c, 's> {
    /// Shows nothing yet.
    pub fn new(choice: ProgressChoice, streams: &'c mut Streams<'s>) -> Console<'c, 's> {
        let style = match choice {
            ProgressChoice::Json => LineStyle::Json,
            ProgressChoice::Auto | ProgressChoice::Always if streams.err_is_terminal => LineStyle::Rewritten,
            ProgressChoice::Always => LineStyle::Plain,
            ProgressChoice::Auto | ProgressChoice::Never => LineStyle::Silent,
        };
        let line = Line { style, last: None, visible: false };
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
    pub fn progress(&self, phase: Phase, counts: &Counts, waiting: usize, workers: &Workers, time: Duration) {
        let text = |seconds| line(phase, counts, waiting, workers, seconds);
        let json = || ProgressLine::of_search(phase, counts, waiting, workers, time);
        self.0.borrow_mut().show(time, text, json);
    }

    /// Shows the size of the formula that a solver gets next.
    pub fn formula(&self, size: &verify::FormulaStats, time: Duration) {
        let (steps, nodes) = (size.steps, size.nodes);
        let text = |seconds| match size.levels {
            Some(level) => format!("{seconds:.0} s: invariant, level {level}"),
            None => format!("{seconds:.0} s: formula with {steps} steps, {nodes} parts"),
        };
        self.0.borrow_mut().show(time, text, || ProgressLine::of_formula(size, time));
    }
}

impl Parts<'_, '_> {
    /// Shows a line, if it is time for one.
    fn show(&mut self, time: Duration, text: impl FnOnce(f64) -> String, json: impl FnOnce() -> ProgressLine) {
        let style = self.line.style;
        if style == LineStyle::Silent {
            return;
        }
        let now = Instant::now();
        let (before, between) = style.intervals();
        if time < before || self.line.last.is_some_and(|last| now < last + between) {
            return;
        }
        self.line.last = Some(now);
        self.line.visible = style == LineStyle::Rewritten;
        let seconds = time.as_secs_f64();
        match style {
            LineStyle::Silent => {}
            LineStyle::Rewritten => self.write(&format!("{ERASE}{}{}{}", NO_WRAP[0], text(seconds), NO_WRAP[1])),
            LineStyle::Plain => self.write(&format!("{}\n", text(seconds))),
            LineStyle::Json => {
                if crate::json::write_line(&json(), self.streams.err).is_err() {
                    self.line.style = LineStyle::Silent;
                }
            }
        }
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
            self.line.style = LineStyle::Silent;
        }
    }
}

/// The status line: states explored by all phases, and the most stored at once.
fn line(phase: Phase, counts: &Counts, waiting: usize, workers: &Workers, time: f64) -> String {
    let rate = counts.explored as f64 / time.max(1e-3);
    format!(
        "{time:.0} s, {}: {} states explored ({rate:.0}/s), {waiting} waiting, {} stored, {}{}",
        phase.name(),
        counts.explored,
        counts.stored,
        size(counts.bytes),
        of_workers(counts, workers)
    )
}

/// The memory of the process, and the workers if there are several.
fn of_workers(counts: &Counts, workers: &Workers) -> String {
    let mut text = workers.resident.map_or(String::new(), |bytes| format!(" of {} resident", size(bytes)));
    if counts.caches_dropped {
        text += ", caches dropped";
    }
    if workers.list.len() < 2 {
        return text;
    }
    let (least, greatest) = workers.rates();
    let packets: usize = workers.list.iter().map(|worker| worker.load.sent).sum();
    let processes = workers.list.iter().filter_map(|worker| worker.load.process).max().map_or(0, |last| last + 1);
    let of_processes = if processes > 1 { format!(" of {processes} processes") } else { String::new() };
    text += &format!("; {} threads{of_processes} with {least:.0} to {greatest:.0}/s", workers.list.len());
    if packets > 0 {
        text += &format!(", {packets} packets");
    }
    if let Some((number, imbalance)) = workers.worst() {
        let worker = &workers.list[number];
        let name = worker.load.strategy.clone().unwrap_or_else(|| thread(workers, number));
        text += &match imbalance {
            Imbalance::Rests => format!(", {name} rests"),
            Imbalance::Slow => format!(", {name} is slow"),
            Imbalance::Stalled => format!(", {name} stalls for {} s", worker.idle.as_secs()),
        };
    }
    text
}

/// The name of a thread, and of its process if there are several. Threads are counted from 1, and
/// processes from 0, as in a file of hosts.
fn thread(workers: &Workers, number: usize) -> String {
    let process = workers.list[number].load.process;
    let before = workers.list[..number].iter().filter(|worker| worker.load.process == process).count();
    match process {
        Some(process) => format!("thread {} of process {process}", before + 1),
        None => format!("thread {}", before + 1),
    }
}

#[cfg(test)]
mod tests {
    use merkhet::{WorkerLoad, WorkerProgress};

    use super::*;

    #[test]
    fn lines_say_how_far_a_search_is() {
        let counts = Counts { explored: 5000, stored: 4000, bytes: 1_250_000, ..Counts::default() };
        let expected = "2 s, probe: 5000 states explored (2500/s), 17 waiting, 4000 stored, 1.2 MB";
        assert_eq!(line(Phase::Probe, &counts, 17, &Workers::default(), 2.0), expected);
        let workers = Workers { list: Vec::new(), resident: Some(5_000_000) };
        let scarce = Counts { caches_dropped: true, ..counts };
        let line = line(Phase::Probe, &scarce, 17, &workers, 2.0);
        assert_eq!(line, format!("{expected} of 5.0 MB resident, caches dropped"));
    }

    #[test]
    fn lines_show_workers_and_the_one_that_falls_behind() {
        let worker = |rate: f64, idle: u64, rests: bool| WorkerProgress {
            load: WorkerLoad { sent: 7, rests, ..WorkerLoad::default() },
            rate,
            idle: Duration::from_secs(idle),
        };
        let text = |list: Vec<WorkerProgress>| of_workers(&Counts::default(), &Workers { list, resident: None });
        assert_eq!(text(vec![worker(90.0, 0, false)]), "");
        let even = vec![worker(90.0, 0, false), worker(80.0, 0, true)];
        assert_eq!(text(even), "; 2 threads with 80 to 90/s, 14 packets");
        let slow = [worker(90.0, 0, false), worker(9.0, 0, false)];
        assert_eq!(text(slow.to_vec()), "; 2 threads with 9 to 90/s, 14 packets, thread 2 is slow");
        let stalled = [worker(90.0, 0, false), worker(0.0, 5, false)];
        assert_eq!(text(stalled.to_vec()), "; 2 threads with 0 to 90/s, 14 packets, thread 2 stalls for 5 s");
        let rests = [worker(90.0, 0, false), worker(0.0, 5, true)];
        assert_eq!(text(rests.to_vec()), "; 2 threads with 0 to 90/s, 14 packets, thread 2 rests");
        let of_process = |process| {
            move |worker: &WorkerProgress| WorkerProgress {
                load: WorkerLoad { process: Some(process), ..worker.load.clone() },
                ..worker.clone()
            }
        };
        let [first, second] = [0, 1].map(|process| stalled.iter().map(of_process(process)).collect::<Vec<_>>());
        let cluster = [&first[..1], &second].concat();
        let stalls = "; 3 threads of 2 processes with 0 to 90/s, 21 packets, thread 2 of process 1 stalls for 5 s";
        assert_eq!(text(cluster), stalls);
        let mut directed = stalled;
        directed[1].load = WorkerLoad { strategy: Some("hff".to_owned()), ..WorkerLoad::default() };
        assert_eq!(text(directed.to_vec()), "; 2 threads with 0 to 90/s, 7 packets, hff stalls for 5 s");
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
        let console = Console::new(ProgressChoice::Auto, &mut streams);
        let counts = |explored: usize| Counts { explored, ..Counts::default() };
        let one = Workers::default();
        console.progress(Phase::Search, &counts(1), 1, &one, Duration::ZERO);
        assert!(console.0.borrow().line.last.is_none(), "it is too early");
        console.progress(Phase::Search, &counts(7), 1, &one, MIN_SEARCH_TIME);
        console.print(|streams| write!(streams.err, "answer")).unwrap();
        console.print(|streams| write!(streams.err, "another")).unwrap();
        console.0.borrow_mut().line.last = None;
        console.progress(Phase::Probe, &counts(9), 3, &one, MIN_SEARCH_TIME * 2);
        console.finish();
        let text = String::from_utf8(err).unwrap();
        let lines: Vec<&str> = text.split(ERASE).collect();
        assert!(matches!(lines[..], ["", _, "answeranother", _, ""]), "{text:?}");
        assert!(lines[1].contains("search: 7 states") && lines[3].contains("probe: 9 states"), "{text:?}");
    }
}
