//! What is wrong with an expression in an option.

use thiserror::Error;
use verify::OptionError;

/// Why an expression can't be compiled. The text of the expression comes first.
#[derive(Debug, Error)]
pub(super) enum ExpressionError {
    /// A heuristic has side effects.
    #[error("the heuristic `{0}` changes something, and a heuristic may only read")]
    HeuristicWrites(String),
    /// A heuristic has errors.
    #[error("the heuristic `{0}` is wrong: {1}")]
    WrongHeuristic(String, String),
    /// A heuristic is a list, or not an integer.
    #[error("the heuristic `{0}` is not one integer expression")]
    HeuristicType(String),
    /// A condition can't be read.
    #[error("`{0}` is no expression")]
    NotAnExpression(String),
    /// A condition is a list.
    #[error("`{0}` is more than one expression")]
    List(String),
    /// A condition has a syntax error.
    #[error("`{0}`: {1}")]
    Syntax(String, String),
    /// An operator can't be applied to values of two states.
    #[error("`{0}` is not possible here")]
    Operator(&'static str),
    /// A part of a condition that is evaluated in one state depends on both.
    #[error("`{0}` mixes both states; keep each argument, index and branch to one of them")]
    MixedStates(String),
    /// A condition has side effects.
    #[error("`{0}` changes something, and a condition may only read")]
    ConditionWrites(String),
    /// A condition compares scalars.
    #[error("`{0}` is a scalar, which has no number to compare; states that are joined agree on it anyway")]
    Scalar(String),
    /// A part of a condition is not an integer.
    #[error("`{0}` is no integer")]
    NotAnInteger(String),
    /// A part of a condition has errors.
    #[error("{0}")]
    Model(String),
}

impl From<ExpressionError> for OptionError {
    fn from(error: ExpressionError) -> OptionError {
        OptionError::Expression(error.to_string())
    }
}
