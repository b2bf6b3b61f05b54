//! Recorded figures of this program, with which new ones are compared.
//!
//! A file of them has one line for each model: its name, the stored states, the transitions, the
//! instructions in millions and the bytes for each stored state, with tabs between them. Lines that
//! begin with `#` say what was built, since instructions depend on it.

use std::fmt::Write as _;

use thiserror::Error;

/// The figures of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the model, with its size.
    pub model: String,
    /// States in the store at the end.
    pub stored: usize,
    /// Successors that were computed.
    pub transitions: usize,
    /// Instructions in millions.
    pub instructions: f64,
    /// Bytes for each stored state.
    pub bytes: f64,
}

/// A line that has no figures.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {why}")]
pub struct BaselineError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// How a model compares with its recorded figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Nothing was recorded.
    New,
    /// Within the tolerance.
    Same,
    /// The search is another one.
    Counts {
        /// The recorded stored states and transitions.
        recorded: [usize; 2],
    },
    /// It costs more: this share of the recorded instructions, and of the recorded bytes.
    Worse(f64, f64),
    /// It costs less, in instructions or bytes.
    Better(f64, f64),
}

/// Recorded figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline(Vec<Entry>);

impl Baseline {
    /// Reads a file of figures.
    ///
    /// # Errors
    /// All lines that are wrong.
    pub fn parse(text: &str) -> Result<Baseline, Vec<BaselineError>> {
        let (mut entries, mut errors): (Vec<Entry>, _) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match entry(line) {
                Ok(entry) if entries.iter().any(|known| known.model == entry.model) => {
                    errors.push(BaselineError { line: number, why: format!("`{}` is there twice", entry.model) });
                }
                Ok(entry) => entries.push(entry),
                Err(why) => errors.push(BaselineError { line: number, why: why.to_string() }),
            }
        }
        if errors.is_empty() { Ok(Baseline(entries)) } else { Err(errors) }
    }

    /// Writes a file of figures, after a remark on what was built.
    #[must_use]
    pub fn text(remark: &str, entries: &[Entry]) -> String {
        let mut text = format!("# {remark}\n# model\tstored\ttransitions\tMinstr\tB/stored\n");
        for e in entries {
            // Writing to a string does not fail.
            let _ =
                writeln!(text, "{}\t{}\t{}\t{:.3}\t{:.2}", e.model, e.stored, e.transitions, e.instructions, e.bytes);
        }
        text
    }

    /// Compares figures with the recorded ones. `tolerance` is a share, such as 0.02.
    #[must_use]
    pub fn compare(&self, new: &Entry, tolerance: f64) -> Change {
        let Some(old) = self.0.iter().find(|old| old.model == new.model) else { return Change::New };
        if (old.stored, old.transitions) != (new.stored, new.transitions) {
            return Change::Counts { recorded: [old.stored, old.transitions] };
        }
        let (instructions, bytes) = (new.instructions / old.instructions, new.bytes / old.bytes);
        if instructions.max(bytes) > 1.0 + tolerance {
            Change::Worse(instructions, bytes)
        } else if instructions.min(bytes) < 1.0 - tolerance {
            Change::Better(instructions, bytes)
        } else {
            Change::Same
        }
    }
}

/// What is wrong with a line.
#[derive(Debug, Error, PartialEq, Eq)]
enum LineError {
    #[error("there should be 5 fields with tabs between them, and there are {0}")]
    Fields(usize),
    #[error("`{0}` is no number")]
    NoNumber(String),
    #[error("`{0}` is no positive number")]
    NotPositive(String),
}

fn entry(line: &str) -> Result<Entry, LineError> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [model, stored, transitions, instructions, bytes] = fields[..] else {
        return Err(LineError::Fields(fields.len()));
    };
    let whole = |text: &str| text.parse().map_err(|_| LineError::NoNumber(text.to_owned()));
    let positive = |text: &str| match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(LineError::NotPositive(text.to_owned())),
    };
    Ok(Entry {
        model: model.to_owned(),
        stored: whole(stored)?,
        transitions: whole(transitions)?,
        instructions: positive(instructions)?,
        bytes: positive(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Entry> {
        let of = |model: &str, stored, instructions| Entry {
            model: model.to_owned(),
            stored,
            transitions: 3 * stored,
            instructions,
            bytes: 25.5,
        };
        vec![of("fischer 7", 7737, 220.125), of("bank", 20001, 210.0)]
    }

    #[test]
    fn what_is_written_can_be_read() {
        let text = Baseline::text("release", &some());
        assert!(text.starts_with("# release\n#"), "{text}");
        assert_eq!(Baseline::parse(&text), Ok(Baseline(some())));
    }

    #[test]
    fn every_wrong_line_is_reported() {
        let text = "# x\na\t1\t2\t3\t4\n\na\t1\t2\t3\t4\nb\t1\t2\t3\nc\t-1\t2\t3\t4\nd\t1\t2\t0\t4\n";
        let errors = Baseline::parse(text).unwrap_err();
        let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "line 4: `a` is there twice",
                "line 5: there should be 5 fields with tabs between them, and there are 4",
                "line 6: `-1` is no number",
                "line 7: `0` is no positive number",
            ]
        );
    }

    #[test]
    fn a_slowdown_is_seen() {
        let (recorded, tolerance) = (Baseline(some()), 0.02);
        let fischer = &some()[0];
        let change = |instructions: f64, bytes: f64| {
            let new = Entry {
                instructions: fischer.instructions * instructions,
                bytes: fischer.bytes * bytes,
                ..fischer.clone()
            };
            recorded.compare(&new, tolerance)
        };
        assert_eq!(change(1.0, 1.0), Change::Same);
        assert_eq!(change(1.019, 0.981), Change::Same);
        assert!(matches!(change(1.03, 1.0), Change::Worse(..)));
        assert!(matches!(change(0.5, 1.03), Change::Worse(..)));
        assert!(matches!(change(0.9, 1.0), Change::Better(..)));
        let other = Entry { stored: 7738, ..fischer.clone() };
        assert_eq!(recorded.compare(&other, tolerance), Change::Counts { recorded: [7737, 23211] });
        assert_eq!(recorded.compare(&Entry { model: "new".to_owned(), ..other }, tolerance), Change::New);
    }
}
