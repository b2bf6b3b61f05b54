//! What heuristics cost for one state: `cargo bench -p merkhet-verify`.
//!
//! The states are those that a breadth-first search comes to first. `MERKHET_BENCH_MODEL=FILE`
//! (with a query in the `.q` file beside it) adds a model.

#![allow(clippy::disallowed_methods, reason = "it measures models from files")]

use std::{fs, path::Path};

use divan::{Bencher, black_box, counter::ItemsCount};
use explore::{
    bounds::ClockBounds,
    graph::{Abstraction, ZoneGraph},
    heuristic::{EvaluatedState, PathPosition},
    open::Fifo,
    search::Limits,
    seen::Seen,
    shard::Worker,
    store::{Store, Update},
};
use model::{Formula, Property, System};
use syntax::{Format, Sources};
use verify::Heuristic;

fn main() {
    divan::main();
}

/// How many states are looked at.
const STATES: usize = 2000;

fn models() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/directed");
    let own =
        ["plc", "arbiter-tree", "fischer-a"].map(|name| folder.join(name).with_extension("xta").display().to_string());
    own.into_iter().chain(std::env::var("MERKHET_BENCH_MODEL").ok()).collect()
}

fn load(path: &str) -> (System, Formula) {
    let path = Path::new(path);
    let mut text = fs::read_to_string(path).expect("a model");
    if path.ends_with("fischer-a.xta") {
        let start = text.find("const int N = ").expect("a size");
        let end = start + text[start..].find(';').expect("an end");
        text.replace_range(start..end, "const int N = 19");
    }
    let mut sources = Sources::new();
    let file = sources.add_file("bench.xta", text);
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    let Ok((mut model, _)) = model::load(tree) else { panic!("the benchmark's model is wrong") };
    let query = fs::read_to_string(path.with_extension("q")).expect("a query");
    let file = sources.add_file("bench.q", query);
    let queries = syntax::read_queries(&sources, file, &mut model.tree);
    match model.query(&queries[0]).map(|query| model.system.with(&query)) {
        Ok((system, Property::State { goal, .. })) => (system, goal),
        _ => panic!("the benchmark's query is wrong"),
    }
}

/// Some states of a model: rows and zones.
fn states(system: &System, goal: &Formula) -> Vec<(Vec<i32>, Vec<i32>)> {
    let bounds = ClockBounds::of_formulas(system, &[goal]);
    let graph = ZoneGraph::new(system, bounds, Abstraction::ExtraLuPlus);
    let seen = Seen::new(Store::new(system, Update::Cover), false);
    let mut worker = Worker::alone(Box::new(graph), seen, Box::<Fifo>::default());
    let mut goal = |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None);
    worker.resume(&mut goal, &Limits { states: Some(STATES), ..Limits::default() }, &mut ());
    let store = worker.seen.store;
    let mut found = Vec::new();
    for node in store.nodes().take(STATES) {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        store.get(node, &mut row, &mut zone);
        found.push((row, zone));
    }
    found
}

#[divan::bench(args = models(), consts = [0, 1, 2, 3, 4, 5, 6, 7], max_time = 1)]
fn evaluate<const N: usize>(bencher: Bencher<'_, '_>, path: &str) {
    let name = ["hl", "hu", "hl-loc", "hu-loc", "hadd", "hff", "dl", "hamming"][N];
    let (system, goal) = load(path);
    let states = states(&system, &goal);
    let heuristic = Heuristic::named(name).expect("a heuristic");
    let mut evaluator = heuristic.build(&system, &goal, &explore::heuristic::Budget::default());
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for (row, zone) in &states {
            black_box(evaluator.evaluate(EvaluatedState {
                row: black_box(row),
                zone,
                edges: &[],
                path: PathPosition::default(),
            }));
        }
    });
}
