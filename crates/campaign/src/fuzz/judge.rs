//! The rules for runs.

use std::{collections::BTreeSet, fmt, fs, path::Path, time::Duration};

use super::{
    case::{Action, FuzzCase, OUTPUT},
    child::{FinishedRun, MAX_OUTPUT},
};

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// It was killed by a signal.
    Signal(i32),
    /// Its exit status is outside of the contract.
    Status(i32),
    /// It panicked or reported an internal error.
    Panic(String),
    /// It had to be killed: it took several times as long as its limit.
    Endless,
    /// It took longer than its limit. The load of the machine may be the cause.
    Slow,
    /// It took more memory than 1.5 times its limit.
    Large,
    /// It left an unexpected file.
    Leftover,
    /// It failed and left its output file.
    Partial,
    /// It changed an input file.
    Changed,
    /// It printed a terminal control character.
    Control(char),
    /// It failed without a message.
    Silent,
    /// It printed invalid JSON.
    NotJson,
    /// It printed too much.
    Flood,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Signal(n) => write!(f, "killed by signal {n}"),
            Finding::Status(n) => write!(f, "exit status {n}"),
            Finding::Panic(place) => write!(f, "panic: {place}"),
            Finding::Endless => write!(f, "does not terminate"),
            Finding::Slow => write!(f, "longer than its time limit"),
            Finding::Large => write!(f, "larger than its memory limit"),
            Finding::Leftover => write!(f, "leaves an unexpected file"),
            Finding::Partial => write!(f, "fails and leaves its output"),
            Finding::Changed => write!(f, "changes its input"),
            Finding::Control(c) => write!(f, "prints the terminal control U+{:04X}", u32::from(*c)),
            Finding::Silent => write!(f, "fails without a message"),
            Finding::NotJson => write!(f, "prints JSON that can't be read"),
            Finding::Flood => write!(f, "prints more than {} MB", MAX_OUTPUT >> 20),
        }
    }
}

/// The time and memory that a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    pub time: Duration,
    /// The memory in bytes.
    pub memory: u64,
}

/// Returns the findings of a run in a folder.
pub fn judge(case: &FuzzCase, run: &FinishedRun, allowance: Allowance, folder: &Path) -> Vec<Finding> {
    let mut findings = BTreeSet::new();
    let (out, err) = (String::from_utf8_lossy(&run.out), String::from_utf8_lossy(&run.err));
    if run.killed {
        if run.time > allowance.time {
            findings.insert(Finding::Endless);
        }
    } else {
        findings.extend(run.signal.map(Finding::Signal));
        findings.extend(run.status.filter(|&status| !case.action.may_exit_with(status)).map(Finding::Status));
        if run.time > allowance.time {
            findings.insert(Finding::Slow);
        }
        if run.status == Some(3) && out.trim().is_empty() && err.trim().is_empty() {
            findings.insert(Finding::Silent);
        }
        // Truncated output is not valid JSON.
        if case.json && run.status != Some(3) && run.out.len() <= MAX_OUTPUT && !is_json(&out) {
            findings.insert(Finding::NotJson);
        }
    }
    let marks = ["panicked at", "internal error:", "stack overflow", "memory allocation"];
    let panic = err.lines().find(|line| marks.iter().any(|mark| line.contains(mark)));
    findings.extend(panic.map(|line| Finding::Panic(panic_location(line))));
    if run.peak > allowance.memory {
        findings.insert(Finding::Large);
    }
    // `convert` and `graph` write the file itself, which may contain any text of the model.
    let is_file = matches!(case.action, Action::Convert | Action::Graph);
    let shown = if is_file { "" } else { &out };
    findings.extend(control(shown, case.action).or_else(|| control(&err, case.action)).map(Finding::Control));
    // A script may request any amount of output.
    let flood = run.err.len() > MAX_OUTPUT || (run.out.len() > MAX_OUTPUT && case.action != Action::Simulate);
    if flood {
        findings.insert(Finding::Flood);
    }
    findings.extend(files(case, run, folder));
    findings.into_iter().collect()
}

/// Returns the location of a panic, without the number of the thread.
fn panic_location(line: &str) -> String {
    let rest = ["panicked at ", "internal error: "].iter().find_map(|mark| Some(line.split_once(mark)?.1));
    rest.unwrap_or(line).trim_end_matches(':').to_owned()
}

fn is_json(text: &str) -> bool {
    serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().all(|value| value.is_ok())
}

/// Returns a terminal control character of a text.
fn control(text: &str, action: Action) -> Option<char> {
    let text = if action == Action::Verifyta {
        // UPPAAL prints these, and clients expect them.
        text.replace("\x1b[2K", "").replace("\x1b[K\r", "")
    } else {
        text.to_owned()
    };
    let is_control = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(|&c| is_control(c))
}

fn files(case: &FuzzCase, run: &FinishedRun, folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return findings };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        match case.inputs.iter().find(|input| input.name == name) {
            Some(input) if fs::read(entry.path()).is_ok_and(|now| now == input.bytes) => {}
            // A script may save to any file.
            _ if case.action == Action::Simulate && !name.ends_with(".tmp") => {}
            Some(_) => findings.push(Finding::Changed),
            // A run that was killed can't clean up.
            None if run.killed => {}
            None if name.starts_with(OUTPUT) && !name.ends_with(".tmp") => {
                let one = matches!(case.action, Action::Convert | Action::Graph);
                if one && run.status != Some(0) {
                    findings.push(Finding::Partial);
                }
            }
            None => findings.push(Finding::Leftover),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{case::Input, corpus::Format};

    fn judged(action: Action, change: impl Fn(&mut FuzzCase, &mut FinishedRun), leave: &[&str]) -> Vec<Finding> {
        let folder = std::env::temp_dir().join(format!("merkhet-judge-{}-{action:?}", std::process::id()));
        let input = Input { name: "m.xta".to_owned(), bytes: b"system".to_vec() };
        let mut case = FuzzCase {
            action,
            format: Format::Xta,
            words: Vec::new(),
            inputs: vec![input],
            stdin: Vec::new(),
            turns: 1,
            json: false,
        };
        let time = Duration::from_secs(1);
        let mut run = FinishedRun {
            status: Some(0),
            signal: None,
            killed: false,
            out: b"fine\n".to_vec(),
            err: Vec::new(),
            time,
            peak: 1 << 20,
        };
        change(&mut case, &mut run);
        case.lay_out(&folder).unwrap();
        for name in leave {
            fs::write(folder.join(name), "left").unwrap();
        }
        let findings = judge(&case, &run, Allowance { time: time * 2, memory: 2 << 20 }, &folder);
        fs::remove_dir_all(&folder).unwrap();
        findings
    }

    #[test]
    fn each_rule_is_kept() {
        let same = |_: &mut FuzzCase, _: &mut FinishedRun| {};
        assert_eq!(judged(Action::Check, same, &[]), []);
        assert_eq!(judged(Action::Convert, same, &["out.xml"]), []);
        assert_eq!(judged(Action::Verify, same, &["out.json", "x.tmp"]), [Finding::Leftover]);
        assert_eq!(judged(Action::Graph, |_, run| run.status = Some(3), &["out.svg"]), [Finding::Partial]);
        assert_eq!(judged(Action::Replay, same, &["m.xta"]), [Finding::Changed]);
        assert_eq!(judged(Action::Certify, |_, run| run.status = Some(1), &[]), []);
        assert_eq!(judged(Action::List, |_, run| run.status = Some(1), &[]), [Finding::Status(1)]);
        assert_eq!(judged(Action::Laws, |_, run| run.status = Some(4), &[]), [Finding::Status(4)]);
        let spoken =
            |text: &'static str| move |_: &mut FuzzCase, run: &mut FinishedRun| run.err = text.as_bytes().to_vec();
        assert_eq!(judged(Action::Verify, spoken("\x1b[2K"), &[]), [Finding::Control('\x1b')]);
        assert_eq!(judged(Action::Verifyta, spoken("\x1b[2K"), &[]), []);
        assert_eq!(judged(Action::Simulate, spoken("\u{9b}"), &[]), [Finding::Control('\u{9b}')]);
        let panic = judged(Action::Verify, spoken("thread 'main' (7) panicked at a/b.rs:1:2:\nno"), &[]);
        assert_eq!(panic, [Finding::Panic("a/b.rs:1:2".to_owned())]);
        let silent = |_: &mut FuzzCase, run: &mut FinishedRun| (run.status, run.out) = (Some(3), Vec::new());
        assert_eq!(judged(Action::Check, silent, &[]), [Finding::Silent]);
        assert_eq!(judged(Action::Check, |case, _| case.json = true, &[]), [Finding::NotJson]);
        let much = |_: &mut FuzzCase, run: &mut FinishedRun| (run.time, run.peak) = (run.time * 3, 3 << 20);
        assert_eq!(judged(Action::Check, much, &[]), [Finding::Slow, Finding::Large]);
        let killed =
            |_: &mut FuzzCase, run: &mut FinishedRun| (run.killed, run.status, run.signal) = (true, None, Some(9));
        let late = |case: &mut FuzzCase, run: &mut FinishedRun| (killed(case, run), run.time *= 3).0;
        assert_eq!(judged(Action::Check, late, &["x.tmp"]), [Finding::Endless]);
        let large = |case: &mut FuzzCase, run: &mut FinishedRun| (killed(case, run), run.peak <<= 3).0;
        assert_eq!(judged(Action::Check, large, &[]), [Finding::Large]);
    }
}
