//! External solvers that are accessed by SMT-LIB 2 over pipes.
//!
//! Each solver is one constant. Solvers need not be trusted to behave: if one can't be started,
//! crashes, prints garbage, or gives values that violate the formulas, the outcome is unknown with
//! a reason. All processes are killed in the end.

mod child;
mod error;
mod external;
mod find;

pub use external::External;
pub use find::{FoundSolver, find};

use crate::script::Logic;

/// The description of a solver.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// The possible names of its program.
    pub programs: &'static [&'static str],
    /// Arguments for incremental mode with commands on the standard input.
    pub incremental: &'static [&'static str],
    /// Arguments for a single query on the standard input, for which it may use other methods.
    pub one_shot: &'static [&'static str],
    /// The strongest logic that it supports.
    pub logic: Logic,
    /// Whether it supports assumptions and unsatisfiable cores.
    pub assumptions: bool,
    /// A short name of its licence.
    pub licence: &'static str,
    /// The version whose answers were compared with those of the built-in solver; `None`: the
    /// solver is supported by its documentation only.
    pub tried: Option<&'static str>,
}

/// z3, from Microsoft Research.
pub const Z3: Profile = Profile {
    name: "z3",
    programs: &["z3"],
    incremental: &["-smt2", "-in"],
    one_shot: &["-smt2", "-in"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "MIT",
    tried: Some("4.8.12"),
};

/// yices 2, from SRI.
const YICES: Profile = Profile {
    name: "yices",
    programs: &["yices-smt2", "yices_smt2"],
    incremental: &["--incremental", "--interactive"],
    one_shot: &[],
    logic: Logic::Linear,
    assumptions: true,
    licence: "GPL-3.0",
    tried: Some("2.6.5"),
};

/// cvc5, from Stanford and Iowa.
const CVC5: Profile = Profile {
    name: "cvc5",
    programs: &["cvc5"],
    incremental: &["--lang=smt2", "--incremental"],
    one_shot: &["--lang=smt2"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "BSD-3-Clause",
    tried: Some("1.0.3"),
};

/// cvc4, the predecessor of cvc5.
const CVC4: Profile = Profile {
    name: "cvc4",
    programs: &["cvc4"],
    incremental: &["--lang=smt2", "--incremental"],
    one_shot: &["--lang=smt2"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "BSD-3-Clause",
    tried: Some("1.8"),
};

/// MathSAT 5, from Trento.
const MATHSAT: Profile = Profile {
    name: "mathsat",
    programs: &["mathsat"],
    incremental: &["-input=smt2"],
    one_shot: &["-input=smt2"],
    logic: Logic::Linear,
    assumptions: false,
    licence: "proprietary, free for research",
    tried: None,
};

/// SMTInterpol, from Freiburg. A `.jar` is run by `java`.
const SMTINTERPOL: Profile = Profile {
    name: "smtinterpol",
    programs: &["smtinterpol", "smtinterpol.jar"],
    incremental: &["-q"],
    one_shot: &["-q"],
    logic: Logic::Linear,
    assumptions: true,
    licence: "LGPL-3.0",
    tried: None,
};

/// OpenSMT, from Lugano.
const OPENSMT: Profile = Profile {
    name: "opensmt",
    programs: &["opensmt"],
    incremental: &["-p"],
    one_shot: &["-p"],
    logic: Logic::Linear,
    assumptions: false,
    licence: "MIT",
    tried: None,
};

/// All solvers.
pub const SOLVERS: &[&Profile] = &[&YICES, &Z3, &CVC5, &CVC4, &MATHSAT, &OPENSMT, &SMTINTERPOL];
