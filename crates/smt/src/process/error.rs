//! Errors of solver processes.

use std::{io, process::ExitStatus};

use crate::script::{Expression, Logic, ParseError};

/// The greatest length of a description of a value, in characters.
const MAX_VALUE: usize = 300;

/// The greatest length of a word that can't be parsed, in characters.
const MAX_WORD: usize = 100;

/// The reason why a solver process gives no usable answer. The texts follow the name of the solver.
#[derive(Debug, thiserror::Error)]
pub(super) enum SolverError {
    #[error("can't be started: {0}")]
    Start(io::Error),
    #[error("was interrupted")]
    Interrupted,
    #[error("does not support {}", .0.name())]
    Logic(Logic),
    /// It ended, or only closed its output, and may have printed an error message.
    #[error("{}", describe_end(*status, complaint))]
    Ended { status: Option<ExitStatus>, complaint: String },
    #[error("prints an expression that is too long")]
    TooLong,
    #[error("prints too much output without an answer")]
    TooMuch,
    #[error("gives no answer")]
    NoAnswer,
    #[error("gives an empty answer")]
    EmptyAnswer,
    #[error("gives more than one answer")]
    SeveralAnswers,
    #[error(transparent)]
    Syntax(#[from] ParseError),
    #[error("{}", describe_answer(.0))]
    Answer(Expression),
    #[error("gives no value")]
    NoValue,
    #[error("{}", describe_value(name, value))]
    Value { name: String, value: Expression },
    #[error("gives values that do not satisfy the formula")]
    WrongValues,
    #[error("does not return the assumptions of the unsatisfiable core")]
    NoCore,
    #[error("names an assumption that was not made: {0}")]
    UnknownAssumption(Expression),
}

fn describe_end(status: Option<ExitStatus>, complaint: &str) -> String {
    let how = match status {
        Some(status) => format!("ended without an answer ({status})"),
        None => "closed its output without an answer".to_owned(),
    };
    match complaint.lines().next() {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

fn describe_answer(answer: &Expression) -> String {
    match answer {
        Expression::List(list) => match list.as_slice() {
            [Expression::Word(word), Expression::Text(text)] if word == "error" => format!("reports an error: {text}"),
            _ => "gives an answer that can't be parsed".to_owned(),
        },
        Expression::Word(word) | Expression::Text(word) => {
            format!("gives an answer that can't be parsed: {}", word.chars().take(MAX_WORD).collect::<String>())
        }
    }
}

fn describe_value(name: &str, value: &Expression) -> String {
    format!("gives a value of {name} that can't be read: {value}").chars().take(MAX_VALUE).collect()
}
