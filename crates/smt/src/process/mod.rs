//! Solvers that are other programs, spoken to in SMT-LIB 2 over pipes.
//!
//! A solver is one constant here. Nothing that one does can do harm: if it can't be started, dies, says nonsense, or gives
//! values that do not satisfy the formulas, the answer is unknown, and the reason is told. None is left behind.

mod child;
mod external;
mod find;

pub use external::External;
pub use find::{Found, find};

use crate::script::Logic;

/// How to deal with a solver.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// What it is called here.
    pub name: &'static str,
    /// What its program may be called.
    pub programs: &'static [&'static str],
    /// With these it takes one question after the other from its standard input.
    pub incremental: &'static [&'static str],
    /// With these it takes a single question from its standard input, and may use methods that only do for one.
    pub one_shot: &'static [&'static str],
    /// The strongest logic that it knows.
    pub logic: Logic,
    /// Whether it takes assumptions and says which of them can't hold together.
    pub assumptions: bool,
    /// Its licence, in short.
    pub licence: &'static str,
}

/// Microsoft's z3.
pub const Z3: Profile = Profile {
    name: "z3",
    programs: &["z3"],
    incremental: &["-smt2", "-in"],
    one_shot: &["-smt2", "-in"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "MIT",
};

/// SRI's yices 2.
pub const YICES: Profile = Profile {
    name: "yices",
    programs: &["yices-smt2", "yices_smt2"],
    incremental: &["--incremental", "--interactive"],
    one_shot: &[],
    logic: Logic::Linear,
    assumptions: true,
    licence: "GPL-3.0",
};

/// cvc5, of Stanford and Iowa.
pub const CVC5: Profile = Profile {
    name: "cvc5",
    programs: &["cvc5"],
    incremental: &["--lang=smt2", "--incremental"],
    one_shot: &["--lang=smt2"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "BSD-3-Clause",
};

/// The one before cvc5.
pub const CVC4: Profile = Profile {
    name: "cvc4",
    programs: &["cvc4"],
    incremental: &["--lang=smt2", "--incremental"],
    one_shot: &["--lang=smt2"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "BSD-3-Clause",
};

/// MathSAT 5, of Trento.
pub const MATHSAT: Profile = Profile {
    name: "mathsat",
    programs: &["mathsat"],
    incremental: &["-input=smt2"],
    one_shot: &["-input=smt2"],
    logic: Logic::Linear,
    assumptions: false,
    licence: "proprietary, free for research",
};

/// SMTInterpol, of Freiburg. A `.jar` is run by `java`.
pub const SMTINTERPOL: Profile = Profile {
    name: "smtinterpol",
    programs: &["smtinterpol", "smtinterpol.jar"],
    incremental: &["-q"],
    one_shot: &["-q"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "LGPL-3.0",
};

/// OpenSMT, of Lugano.
pub const OPENSMT: Profile = Profile {
    name: "opensmt",
    programs: &["opensmt"],
    incremental: &["-p"],
    one_shot: &["-p"],
    logic: Logic::Linear,
    assumptions: false,
    licence: "MIT",
};

/// All solvers that can be named.
pub const SOLVERS: &[&Profile] = &[&YICES, &Z3, &CVC5, &CVC4, &MATHSAT, &OPENSMT, &SMTINTERPOL];
