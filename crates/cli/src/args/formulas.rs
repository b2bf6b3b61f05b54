//! The options of formulas and solvers.

use std::path::PathBuf;

use clap::Args;
use merkhet::{EngineChoice, Method, NetEncoding, Replacing, StepSemantics};

use super::choice::choice;

/// The options of `merkhet verify` about formulas.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Formulas")]
pub struct FormulaArgs {
    /// The engine that answers queries
    ///
    /// `auto` is `smt` if one of the options below is given, or if a net has too many clocks
    /// for zones.
    #[arg(long, value_parser = choice::<EngineChoice>(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Search for runs of at most K steps
    ///
    /// A step of automata is a transition. For steps of nets see --steps; if the encodings of nets
    /// do not support the net or the query (arcs with weights, ages of tokens), its automata are
    /// encoded.
    #[arg(long, value_name = "K")]
    pub bound: Option<usize>,
    /// How the absence of runs is proved
    ///
    /// Without it: `search` with --bound, else `invariant`.
    #[arg(long, value_parser = choice::<Method>())]
    pub method: Option<Method>,
    /// The encoding of a net
    #[arg(long, value_parser = choice::<NetEncoding>())]
    pub encoding: Option<NetEncoding>,
    /// The variables that are replaced by others of the same value, for the encodings `la` and `dl`
    ///
    /// Without it: `constants`.
    #[arg(long, value_parser = choice::<Replacing>())]
    pub replace: Option<Replacing>,
    /// The transitions that fire in one step of a net, for the encodings `event` and `dl-exact`
    #[arg(long, value_parser = choice::<StepSemantics>())]
    pub steps: Option<StepSemantics>,
    /// Encode the whole net, not a smaller one with the same answers
    #[arg(long)]
    pub no_reduce: bool,
    /// The solver: `embedded`, or a program; `merkhet list solvers` lists them
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Write the last formula into FILE, in SMT-LIB 2
    #[arg(long, value_name = "FILE")]
    pub smt_lib: Option<PathBuf>,
}
