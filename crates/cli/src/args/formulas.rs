//! The words about formulas: which are made, and who solves them.

use std::path::PathBuf;

use clap::Args;
use merkhet::{EngineChoice, Method, NetEncoding, StepSemantics};

use super::choice::choice;

/// What `merkhet verify` has to say about formulas.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Formulas")]
pub struct FormulaArgs {
    /// What answers queries
    ///
    /// `auto` takes formulas if one of the options below is given, or if a net has too many clocks
    /// for zones.
    #[arg(long, value_parser = choice::<EngineChoice>(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Look for runs of at most K steps
    ///
    /// A step of automata is a transition. For steps of nets see --steps; where the formulas of
    /// nets do not support the net or the query (arcs with weights, ages of tokens), those of its
    /// automata are used.
    #[arg(long, value_name = "K")]
    pub bound: Option<usize>,
    /// How it is shown that there is no run
    ///
    /// Without it: `search` with --bound, else `invariant`.
    #[arg(long, value_parser = choice::<Method>())]
    pub method: Option<Method>,
    /// Which formulas are made of a net
    #[arg(long, value_parser = choice::<NetEncoding>())]
    pub encoding: Option<NetEncoding>,
    /// Write out all variables of all states, for the encodings `la` and `dl`
    #[arg(long)]
    pub raw: bool,
    /// What fires in one step of a net, for the encodings `event` and `dl-exact`
    #[arg(long, value_parser = choice::<StepSemantics>())]
    pub steps: Option<StepSemantics>,
    /// Make formulas of the whole net, not of a smaller one with the same answers
    #[arg(long)]
    pub no_reduce: bool,
    /// Who solves formulas: `embedded`, or a program; `merkhet list solvers` names them
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Write the last formula that was asked about into FILE, in SMT-LIB 2
    #[arg(long, value_name = "FILE")]
    pub smt_lib: Option<PathBuf>,
}
