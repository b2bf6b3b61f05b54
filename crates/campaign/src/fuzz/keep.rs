//! Keeps successful attacks in folders, so that they can be repeated.

use std::{fs, io, path::Path};

use super::{case::FuzzCase, child::FinishedRun, judge::Finding};

/// The greatest number of attempts to shrink an attack.
const MAX_ATTEMPTS: usize = 60;

/// Shrinks the largest file of an attack by removing lines, as long as the finding stays the same.
pub fn shrink(case: &FuzzCase, still: impl Fn(&FuzzCase) -> bool) -> FuzzCase {
    let mut best = case.clone();
    let Some(largest) = (0..case.inputs.len()).max_by_key(|&i| case.inputs[i].bytes.len()) else { return best };
    let mut attempts = MAX_ATTEMPTS;
    let mut size = lines(&best.inputs[largest].bytes).len() / 2;
    while size > 0 && attempts > 0 {
        let mut at = 0;
        while at < lines(&best.inputs[largest].bytes).len() && attempts > 0 {
            attempts -= 1;
            let mut smaller = best.clone();
            let mut kept = lines(&best.inputs[largest].bytes);
            kept.drain(at..(at + size).min(kept.len()));
            smaller.inputs[largest].bytes = kept.concat();
            if still(&smaller) {
                best = smaller;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect()
}

/// Writes an attack into its own folder: the files, the command line, the output and the findings.
///
/// # Errors
/// The folder can't be written.
pub fn keep(folder: &Path, seed: u64, case: &FuzzCase, run: &FinishedRun, findings: &[Finding]) -> io::Result<()> {
    let folder = folder.join(seed.to_string());
    case.lay_out(&folder)?;
    let wrong: String = findings.iter().map(|finding| format!("# {finding}\n")).collect();
    let measured = format!("# {:.2} s, {} MB, status {:?}\n", run.time.as_secs_f64(), run.peak >> 20, run.status);
    let input = if case.stdin.is_empty() { "" } else { " < STDIN" };
    fs::write(folder.join("COMMAND"), format!("{wrong}{measured}{}{input}\n", case.line()))?;
    if !case.stdin.is_empty() {
        fs::write(folder.join("STDIN"), &case.stdin)?;
    }
    let start = |bytes: &[u8]| bytes[..bytes.len().min(20_000)].to_vec();
    fs::write(folder.join("STDOUT"), start(&run.out))?;
    fs::write(folder.join("STDERR"), start(&run.err))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{case::Action, case::Input, corpus::Format};

    #[test]
    fn shrinking_keeps_what_matters() {
        let bytes: Vec<u8> = (0..100).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        let case = FuzzCase {
            action: Action::Check,
            format: Format::Xta,
            words: Vec::new(),
            inputs: vec![Input { name: "m.xta".to_owned(), bytes }],
            stdin: Vec::new(),
            turns: 1,
            json: false,
        };
        let has = |case: &FuzzCase| String::from_utf8_lossy(&case.inputs[0].bytes).contains("line 42\n");
        let small = shrink(&case, has);
        assert!(has(&small) && small.inputs[0].bytes.len() < 100, "{small:?}");
    }
}
