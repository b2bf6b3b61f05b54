//! The words about formulas: which are made, and who solves them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What `merkhet verify` has to say about formulas.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Formulas")]
pub struct FormulaArgs {
    /// What answers queries
    ///
    /// `auto` takes formulas if one of the options below is given, or if a net has too many clocks
    /// for zones.
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
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
    #[arg(long, value_enum)]
    pub method: Option<Method>,
    /// Which formulas are made of a net
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// Write out all variables of all states, for the encodings `la` and `dl`
    #[arg(long)]
    pub raw: bool,
    /// What fires in one step of a net, for the encodings `event` and `dl-exact`
    #[arg(long, value_enum)]
    pub steps: Option<Steps>,
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

impl FormulaArgs {
    /// The first option that only formulas have a use for.
    pub fn wish(&self) -> Option<&'static str> {
        let wishes = [
            (self.bound.is_some(), "--bound"),
            (self.method.is_some(), "--method"),
            (self.no_reduce, "--no-reduce"),
            (self.encoding.is_some(), "--encoding"),
            (self.raw, "--raw"),
            (self.steps.is_some(), "--steps"),
            (self.solver.is_some(), "--solver"),
            (self.smt_lib.is_some(), "--smt-lib"),
        ];
        wishes.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

/// What answers queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// What seems best
    Auto,
    /// A search through symbolic states
    Zones,
    /// Formulas, and a solver
    Smt,
}

/// How it is shown that there is no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Not at all: runs are looked for, and the answer is `unknown` without one
    Search,
    /// By induction over the length of runs
    Induction,
    /// By an invariant (IC3), which a certificate can hold
    Invariant,
}

/// The formulas of nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// Ages of tokens are variables, in linear arithmetic; some solutions are no runs (Yokogawa and
    /// others, 2015)
    La,
    /// Births of tokens are variables, in difference logic; some solutions are no runs (Igawa and
    /// others, 2020)
    Dl,
    /// The same, and all solutions are runs
    DlExact,
    /// The times of steps are the only real variables; all solutions are runs
    Event,
}

impl From<Encoding> for bounded::net::NetEncoding {
    fn from(encoding: Encoding) -> bounded::net::NetEncoding {
        match encoding {
            Encoding::La => bounded::net::NetEncoding::Linear,
            Encoding::Dl => bounded::net::NetEncoding::Differences,
            Encoding::DlExact => bounded::net::NetEncoding::ExactDifferences,
            Encoding::Event => bounded::net::NetEncoding::Events,
        }
    }
}

/// What fires in one step of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Steps {
    /// One transition
    Single,
    /// Transitions that could fire at one moment in any order
    Forall,
    /// Transitions that fire at one moment in a fixed order, each once
    Exists,
}

impl From<Steps> for bounded::net::StepSemantics {
    fn from(steps: Steps) -> bounded::net::StepSemantics {
        match steps {
            Steps::Single => bounded::net::StepSemantics::Single,
            Steps::Forall => bounded::net::StepSemantics::Independent,
            Steps::Exists => bounded::net::StepSemantics::Ordered,
        }
    }
}
