//! The integration tests of this crate, in one binary. One binary for each file would take longer
//! to link and more disk space.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start the program")]

mod batches;
mod checkpoints;
mod cluster;
mod cluster_checkpoints;
mod cluster_runs;
mod covering;
mod directed;
mod drawn;
mod fastest;
mod formulas;
mod frugal;
mod heuristics;
mod independence;
mod joined_errors;
mod kept;
mod lattices;
mod laws;
mod lengths;
mod liveness;
mod local_time;
mod maximal;
mod merge;
mod mirror;
mod net_deadlocks;
mod net_formulas;
mod nets;
mod oracle;
mod ordered;
mod passing;
mod patterns;
mod predicates;
mod priorities;
mod race;
mod relaxed;
mod rival;
mod rows;
mod shared;
mod starts;
mod steps;
mod stopwatches;
mod strings;
mod symbolic;
mod symmetry;
mod threads;
mod traces;
mod user_lattice;
mod verdicts;
mod waiting;
mod wide;
mod zones;

/// All states of a system.
fn states(
    system: &model::System,
    options: &::verify::Options,
    limits: &explore::search::Limits<'_>,
) -> ::verify::Answer {
    use ::verify::{Engine, Request, Target};
    let engine = Engine::Zones(options);
    Request { system, target: Target::StateSpace(None), engine, proves: false }.answers(limits, &mut ()).remove(0)
}
