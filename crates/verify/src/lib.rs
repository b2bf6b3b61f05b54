//! Query to answer.
//!
//! A [`Request`] names a system, the properties asked of it, and the engine that answers. Its
//! [`Answer`]s have a verdict or the reason why there is none, a trace that was replayed or a proof
//! that was checked, and what was counted.

mod answer;
mod attempts;
mod blame;
pub mod certified;
mod cover;
mod extremes;
mod fastest;
mod formulas;
mod heuristics;
mod joining;
mod joint;
mod lasso;
mod laws;
mod linear;
mod liveness;
mod local_time;
mod note;
mod path;
mod plan;
pub mod portfolio;
mod proof;
mod race;
mod reach;
mod request;
mod respond;
mod resume;
mod rival;
mod shared;
mod shorten;
mod space;
mod symbolic;
mod tallied;
mod task;
mod trace;
mod width;
mod words;

pub use answer::{Answer, Reason, Verdict};
pub use blame::BlamedJoin;
pub use cover::{Constraint, Cover};
pub use explore::{
    chain::Skipping,
    graph::Abstraction,
    merging::{AbstractPath, Guide, PathState, SharedGuide, TwoStates, Which},
    record::RecordedTransition,
    store::Update,
};
pub use extremes::{Limit, Range};
pub use formulas::{FormulaOptions, FormulaStats, Method};
pub use heuristics::{Database, HEURISTICS, Heuristic, NamedHeuristic, heuristics, second_estimate};
pub use joining::{JOINS, JoinWord, Joining};
pub use laws::{CheckedLattice, Laws, check_laws};
pub use local_time::{CommonTime, LocalTime};
pub use model::replay::Ending;
pub use note::{Note, WhyNotBest};
pub use plan::{Guidance, Options, Order, Plan, Symmetry, Threads, Wanted, plan};
pub use proof::{Proof, ProofSize, Ranks, Unproved};
pub use request::{Engine, Observer, Request, Target, answer};
pub use shared::{Group, groups};
pub use space::{Mark, Marking, SpaceState, StateSpace};
pub use symbolic::{SymbolicState, SymbolicSteps};
pub use trace::{Move, Stay, Step, Trace};
pub use words::OptionError;
