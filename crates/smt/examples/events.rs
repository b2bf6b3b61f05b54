//! Solves the formulas of a net, or writes them:
//! `events FAMILY SIZE STEPS [dead|exact] [SEED] [FILE.smt2]`.
//!
//! It serves to compare the embedded solver with others on the same formulas.

#![allow(clippy::print_stdout)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "it measures, and writes files")]

#[path = "../benches/events/encode.rs"]
mod encode;
#[path = "../benches/events/net.rs"]
mod net;

use std::{env, error::Error, fs, time::Instant};

use smt::{Embedded, Solver, Terms, script};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [family, size, steps, rest @ ..] = args.as_slice() else {
        return Err("events FAMILY SIZE STEPS [dead|exact] [SEED] [FILE.smt2]".into());
    };
    let (size, steps) = (size.parse()?, steps.parse()?);
    let goal = match rest.first().map(String::as_str) {
        None | Some("dead") => encode::Goal::Dead,
        Some("exact") => encode::Goal::ExactDead,
        Some(other) => return Err(format!("unknown goal `{other}`").into()),
    };
    let seed = rest.get(1).map_or(Ok(1), |seed| seed.parse())?;
    let net = match family.as_str() {
        "gates" => net::gates(size, seed),
        "procs" => net::procs(size, seed),
        other => return Err(format!("unknown family `{other}`").into()),
    };
    let mut terms = Terms::new();
    let formulas = encode::encode(&net, steps, goal, &mut terms);
    if let Some(file) = rest.get(2) {
        fs::write(file, script::script(&terms, &formulas))?;
        return Ok(());
    }
    let start = Instant::now();
    let mut solver = Embedded::new();
    for t in &formulas {
        solver.assert(&terms, *t);
    }
    let loaded = start.elapsed();
    let outcome = solver.check(&terms, &[], &|| false);
    println!(
        "{outcome:?} in {:.3} s, {:.3} s for clauses, {:?}",
        start.elapsed().as_secs_f64(),
        loaded.as_secs_f64(),
        solver.statistics()
    );
    Ok(())
}
