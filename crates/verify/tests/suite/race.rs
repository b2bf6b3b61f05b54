//! The strategies of `--order auto` in threads of their own: their verdicts are those of one
//! thread, in which they take turns.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite race::` is a campaign.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use explore::search::{Limits, Stop};
use lattice::{Lattice, Library, LibraryEntry, Method, Misuse};
use model::{Property, System};
use oracle::random::Rng;
use syntax::{Format, Sources};
use verify::{Answer, Options, Order, Reason, Threads, Update, Verdict, Wanted};

use crate::threads::{GRID, is_decided, length, some_model, stopped};

/// Random options of a search whose strategies race.
fn some_options(rng: &mut Rng) -> Options {
    let mut options = Options {
        order: Order::Auto,
        update: *rng.pick(&[None, None, Some(Update::Simple), Some(Update::Join)]),
        wanted: *rng.pick(&[Wanted::Some, Wanted::Some, Wanted::Short, Wanted::Shortest]),
        seed: rng.bits() % 3,
        ..Options::default()
    };
    options.joining.refines = rng.chance(70);
    options
}

fn several(rng: &mut Rng) -> Threads {
    Threads { count: *rng.pick(&[2, 3, 5, 8]), after: 0 }
}

/// Compares the answer of several threads with that of one. A thread that meets a run-time error
/// may end the search before another one finds the goal; and breadth-first search may decide where
/// the other strategies find goals that only joined states lead to.
fn compare(one: &Answer, several: &Answer, wanted: Wanted) -> Result<bool, String> {
    let fails = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..)));
    if !is_decided(several) && is_decided(one) && !fails(several) {
        return Err(format!("{:?} but {:?}", one.verdict, several.verdict));
    }
    if !is_decided(one) || !is_decided(several) {
        return Ok(false);
    }
    if one.verdict != several.verdict {
        return Err(format!("{:?} {:?}", one.verdict, several.verdict));
    }
    let replays = |answer: &Answer| answer.trace.as_ref().is_none_or(|trace| trace.is_replayed());
    if one.trace.is_some() != several.trace.is_some() || replays(one) && !replays(several) {
        return Err(format!("{:?} {:?}", one.trace, several.trace));
    }
    let best = one.plan.why_not_best().is_none() && several.plan.why_not_best().is_none();
    if wanted == Wanted::Shortest && best && length(one) != length(several) {
        return Err(format!("lengths {:?} {:?}", length(one), length(several)));
    }
    Ok(several.strategy.is_some())
}

#[test]
fn strategies_in_threads_give_the_answers_of_one() {
    let examine = |seed: u64| {
        // Some searches with joined states diverge.
        let limits = Limits { states: Some(2000), ..Limits::default() };
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let options = some_options(&mut rng);
        let threads = several(&mut rng);
        let mut raced = 0_u64;
        for (number, property) in loaded.properties.iter().enumerate() {
            let ask = |options: &Options| verify::answer(&loaded.system, property, options, &limits, &mut ());
            let (one, many) = (ask(&options), ask(&Options { threads, ..options.clone() }));
            match compare(&one, &many, options.wanted) {
                Ok(counts) => raced += u64::from(counts),
                Err(why) => return Err(format!("query {number} {threads:?} {options:?}: {why}")),
            }
        }
        Ok(raced)
    };
    let raced = oracle::campaign(200, examine, |sum: &mut u64, own| *sum += own);
    println!("{raced} answers of strategies in threads");
    assert!(raced > 200, "{raced}");
}

#[test]
fn races_that_are_stopped_early_end() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let mut stops = 0_u64;
        for property in &loaded.properties {
            let options = Options { threads: several(&mut rng), ..some_options(&mut rng) };
            let answer = stopped(&loaded.system, property, &options, &mut rng);
            let all = Options { threads: Threads::ONE, ..options.clone() };
            let limits = Limits { states: Some(5000), ..Limits::default() };
            let all = verify::answer(&loaded.system, property, &all, &limits, &mut ());
            stops +=
                u64::from(matches!(answer.verdict, Verdict::Unknown(Reason::Limit(Stop::Interrupted | Stop::States))));
            if is_decided(&answer) && is_decided(&all) && answer.verdict != all.verdict {
                return Err(format!("{options:?} {:?} {:?}", answer.verdict, all.verdict));
            }
        }
        Ok(stops)
    };
    let stops = oracle::campaign(100, examine, |sum: &mut u64, own| *sum += own);
    assert!(stops > 30, "{stops}");
}

/// The models of the repository.
fn models(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            models(&path, out);
        } else if path.extension().is_some_and(|ending| ending != "q") {
            out.push(path);
        }
    }
}

#[test]
fn the_models_have_the_same_answers() {
    let mut paths = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut paths);
    paths.sort();
    let mut raced = 0;
    let limits = Limits { states: Some(3000), ..Limits::default() };
    for path in paths {
        let queries: Vec<(System, Property)> = oracle::queries_beside(&path).unwrap_or_default();
        for (number, (system, property)) in queries.iter().enumerate() {
            for (count, wanted) in [(2, Wanted::Some), (6, Wanted::Short)] {
                let options = Options { order: Order::Auto, wanted, ..Options::default() };
                let threads = Threads { count, after: 0 };
                let ask = |options: &Options| verify::answer(system, property, options, &limits, &mut ());
                let (one, many) = (ask(&options), ask(&Options { threads, ..options.clone() }));
                let counts = compare(&one, &many, wanted);
                raced += usize::from(counts.unwrap_or_else(|why| panic!("{} {number}: {why}", path.display())));
            }
        }
    }
    println!("{raced} answers of strategies in threads");
    assert!(raced > 50, "{raced}");
}

#[test]
fn large_searches_race() {
    let queries = ["E<> P1.n + P2.n > 16", "E<> P1.n + P2.n + P3.n + P4.n + P5.n == 40"];
    let loaded = oracle::load(GRID, &queries).unwrap();
    let ask = |number: usize, count: usize| {
        let threads = Threads::late(count);
        let options = Options { order: Order::Auto, threads, ..Options::default() };
        verify::answer(&loaded.system, &loaded.properties[number], &options, &Limits::default(), &mut ())
    };
    // Whoever is first has explored everything.
    let all = ask(0, 3);
    assert_eq!((all.verdict, all.threads, all.counts.stored), (Verdict::NotSatisfied, 3, 59_049));
    assert!(all.strategy.is_some_and(|strategy| strategy.starts_with("--order ")));
    // The goal is found while the search is small.
    let near = ask(1, 3);
    assert_eq!((near.verdict, near.threads, near.strategy), (Verdict::Satisfied, 1, None));
}

#[test]
fn strategies_give_way_where_memory_is_scarce() {
    let loaded = oracle::load(GRID, &["E<> P1.n + P2.n > 16"]).unwrap();
    let ask = |threads: Threads, limits: &Limits<'_>| {
        let options = Options { order: Order::Auto, threads, ..Options::default() };
        verify::answer(&loaded.system, &loaded.properties[0], &options, limits, &mut ())
    };
    let one = ask(Threads::ONE, &Limits::default());
    assert_eq!(one.verdict, Verdict::NotSatisfied);
    let six = Threads { count: 6, after: 0 };
    // One search fits into the limits, and six do not.
    for limits in [
        Limits { states: Some(one.counts.stored), ..Limits::default() },
        Limits { bytes: Some(one.counts.bytes * 5 / 4), ..Limits::default() },
    ] {
        let several = ask(six, &limits);
        assert_eq!(several.verdict, Verdict::NotSatisfied);
        assert!(several.counts.generated > one.counts.generated);
    }
    let limits = Limits { states: Some(5000), ..Limits::default() };
    assert_eq!(ask(six, &limits).verdict, Verdict::Unknown(Reason::Limit(Stop::States)));
}

/// A lattice in Rust whose order is not there yet.
#[derive(Debug)]
struct Broken;

impl Lattice for Broken {
    fn name(&self) -> String {
        "Broken".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, out: &mut [i32]) {
        out[0] = 0;
    }

    fn leq(&self, _: &[i32], _: &[i32]) -> bool {
        panic!("the lattice fails")
    }

    fn join(&self, _: &mut [i32], _: &[i32]) -> bool {
        panic!("the lattice fails")
    }

    fn methods(&self) -> &[Method] {
        static METHODS: [Method; 1] = [Method::change("add", &["n"], "adds a number")];
        &METHODS
    }

    fn call(&self, _: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        this[0] += 1 + args[0];
        Ok(0)
    }

    fn show(&self, element: &[i32]) -> String {
        element[0].to_string()
    }

    fn sample(&self, _: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        out[0] = 0;
    }
}

#[test]
fn a_strategy_that_panics_stops_the_others() {
    let text = "
        extern Broken;
        Broken pool;
        process P() {
            state start, sent, both;
            init start;
            trans start -> sent { select i : int[0,1]; assign pool.add(i); },
                  sent -> both { };
        }
        system P;";
    let library = Library::standard().with(LibraryEntry {
        name: "Broken",
        aliases: &[],
        signature: "Broken",
        has_dimensions: false,
        member: None,
        help: "It panics.",
        laws: "None.",
        example: "extern Broken;",
        make: |_| Ok(std::sync::Arc::new(Broken)),
    });
    let mut sources = Sources::new();
    let file = sources.add_file("model.xta", text.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    let (mut model, _) = model::load_with(tree, &library).unwrap_or_else(|(_, wrong)| panic!("{wrong:#?}"));
    let file = sources.add_file("query", "E<> P.both && P.start".to_owned());
    let parsed = syntax::read_queries(&sources, file, &mut model.tree);
    let query = model.query(&parsed[0]).unwrap();
    let (system, property) = model.system.with(&query);
    let options = Options {
        order: Order::Auto,
        update: Some(Update::Join),
        threads: Threads { count: 6, after: 0 },
        ..Options::default()
    };
    let ask = || verify::answer(&system, &property, &options, &Limits::default(), &mut ());
    assert!(catch_unwind(AssertUnwindSafe(ask)).is_err());
}
