//! Measures the embedded solver on nets: single queries and sequences of queries.

#[path = "events/encode.rs"]
mod encode;
#[path = "events/net.rs"]
mod net;

use divan::{Bencher, black_box};
use encode::Goal;
use smt::{Embedded, SatResult, Solver, Term, Terms};

fn main() {
    divan::main();
}

fn solve(terms: &Terms, formulas: &[Term]) -> SatResult {
    let mut solver = Embedded::new();
    for t in formulas {
        solver.assert(terms, *t);
    }
    solver.check(terms, &[], &|| false)
}

/// A deadlock of a ring of gates, by the formulas of the paper and by exact formulas.
#[divan::bench(args = [(60, 4, Goal::Dead), (130, 4, Goal::Dead), (130, 6, Goal::ExactDead)], sample_count = 5)]
fn gates(bencher: Bencher<'_, '_>, (signals, steps, goal): (usize, usize, Goal)) {
    let mut terms = Terms::new();
    let formulas = encode::encode(&net::gates(signals, 1), steps, goal, &mut terms);
    bencher.bench_local(|| black_box(solve(&terms, &formulas)));
}

/// A deadlock of processes with shared resources.
#[divan::bench(args = [(20, 8), (100, 6)], sample_count = 5)]
fn procs(bencher: Bencher<'_, '_>, (count, steps): (usize, usize)) {
    let mut terms = Terms::new();
    let formulas = encode::encode(&net::procs(count, 1), steps, Goal::ExactDead, &mut terms);
    bencher.bench_local(|| black_box(solve(&terms, &formulas)));
}

/// Many small queries about the same formulas, each about a pair of them.
#[divan::bench(sample_count = 5)]
fn questions(bencher: Bencher<'_, '_>) {
    let mut terms = Terms::new();
    let formulas = encode::encode(&net::procs(4, 1), 3, Goal::ExactDead, &mut terms);
    bencher.bench_local(|| {
        let mut solver = Embedded::new();
        let mut found = 0;
        for a in &formulas {
            for b in &formulas {
                let outcome = solver.check(&terms, &[*a, !*b], &|| false);
                found += usize::from(outcome == SatResult::Satisfiable);
            }
        }
        black_box(found)
    });
}
