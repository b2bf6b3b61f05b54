//! Constants of a model that the command line gives other values.

use clap::Args;

use super::value::constant;

/// The constants that are given other values.
#[derive(Args, Clone, Debug, Default)]
pub struct ConstantArgs {
    /// Give a constant of the model another value; may be given several times
    ///
    /// `P.N` is a constant of the template P. The value is an expression: `-D N=6`, `-D N=2*M`.
    #[arg(short = 'D', long, value_name = "NAME=VALUE", value_parser = constant)]
    pub define: Vec<(String, String)>,
}
