//! Constants of a model that the command line gives other values.

use clap::Args;

use thiserror::Error;

/// A constant has no name or no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("it has to be NAME=VALUE")]
pub struct NotConstant;

/// Splits a constant from its value.
fn constant(text: &str) -> Result<(String, String), NotConstant> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err(NotConstant),
    }
}

/// The constants that are given other values.
#[derive(Args, Clone, Debug, Default)]
pub struct ConstantArgs {
    /// Give a constant of the model another value; may be given several times
    ///
    /// `P.N` is a constant of the template P. The value is an expression: `-D N=6`, `-D N=2*M`.
    #[arg(short = 'D', long, value_name = "NAME=VALUE", value_parser = constant)]
    pub define: Vec<(String, String)>,
}
