//! The small language of `--heuristic` and `--join`: lists of words with arguments.

use thiserror::Error;

/// What is wrong with the value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// A closing parenthesis is missing.
    #[error("`{0}` lacks a closing parenthesis")]
    Unclosed(String),
    /// There is a closing parenthesis too many.
    #[error("`{0}` has a closing parenthesis too many")]
    Unopened(String),
    /// Between two commas there is nothing.
    #[error("a name is missing in `{0}`")]
    Missing(String),
    /// A name means nothing here.
    #[error("there is no {kind} `{name}`{}", .near.as_ref().map_or(String::new(), |near| format!("; {near}")))]
    Unknown {
        /// The kind of thing that was expected.
        kind: &'static str,
        /// The name.
        name: String,
        /// What to do instead.
        near: Option<String>,
    },
    /// `max` and `sum` are functions of other heuristics.
    #[error("`{0}` is of others: `{0}(hl,dl)`")]
    NoOperands(String),
    /// An argument is not expected.
    #[error("`{name}` takes no `{word}`{}", .example.as_ref().map_or(String::new(), |e| format!(" there; for example `{e}`")))]
    Unexpected {
        /// The word before the parentheses.
        name: String,
        /// The argument.
        word: String,
        /// What is right.
        example: Option<String>,
    },
    /// There is no such relaxation of increments.
    #[error("increments are relaxed by `step` or `jump`, not by `{0}`")]
    Increments(String),
    /// An argument should be a number of processes.
    #[error("`{name}` takes a number of processes or `all`, not `{word}`")]
    Processes {
        /// The heuristic.
        name: String,
        /// The argument.
        word: String,
    },
    /// An argument should be a number.
    #[error("`{name}` takes {what} of at least {least}, not `{word}`")]
    Number {
        /// The heuristic.
        name: String,
        /// What the number counts.
        what: &'static str,
        /// The least number.
        least: u32,
        /// The argument.
        word: String,
    },
    /// A pattern database without clocks names a clock.
    #[error("`pdb` keeps no clocks, and `{0}` is one; `zone-pdb` does")]
    Clock(String),
    /// A word needs arguments.
    #[error("`{0}` needs something in parentheses")]
    NoArguments(String),
    /// A word takes no arguments.
    #[error("`{0}` takes nothing")]
    Arguments(String),
    /// An expression is wrong, for this reason.
    #[error("{0}")]
    Expression(String),
}

impl OptionError {
    /// Returns the error for an unknown name, with the nearest name that is known; otherwise with
    /// the advice, if there is one.
    pub(crate) fn unknown<'n>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        advice: Option<&str>,
    ) -> OptionError {
        let near = syntax::nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        OptionError::Unknown { kind, name: name.to_owned(), near: near.or_else(|| advice.map(str::to_owned)) }
    }
}

/// Splits a list at its commas, except those inside parentheses.
pub fn split(text: &str) -> Result<Vec<&str>, OptionError> {
    let mut words = Vec::new();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                words.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return Err(OptionError::Unopened(text.to_owned()));
        }
    }
    words.push(text[from..].trim());
    if depth > 0 {
        return Err(OptionError::Unclosed(text.to_owned()));
    }
    if words.iter().any(|word| word.is_empty()) {
        return Err(OptionError::Missing(text.to_owned()));
    }
    Ok(words)
}

/// Splits `word(arguments)`; without parentheses there are no arguments.
pub fn call(text: &str) -> Result<(&str, Option<&str>), OptionError> {
    match text.split_once('(') {
        None => Ok((text, None)),
        Some((word, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(inside) => Ok((word.trim(), Some(inside))),
            None => Err(OptionError::Unclosed(text.to_owned())),
        },
    }
}
