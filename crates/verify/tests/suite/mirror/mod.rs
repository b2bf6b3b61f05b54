//! Lattices of the user that do what those of the library do give the same answers and the same
//! states.

mod class;

use std::path::Path;

use explore::search::Limits;
use lattice::Library;
use model::{Model, Property, System};
use oracle::random::{self, RandomModel};
use syntax::{Format, Sources};
use verify::{Answer, Joining, Options, Order, Reason, Threads, Update, Verdict, answer};

use class::{Manners, mirrored};

/// Reads a model whose lattices are those of a library, with its queries.
fn load(name: &str, text: &str, queries: &[String], library: &Library) -> (Model, System, Vec<Property>) {
    let mut sources = Sources::new();
    let file = sources.add_file(name, text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::guess(name, text));
    assert_eq!(diagnostics, []);
    let (mut model, _) = model::load_with(tree, library).unwrap_or_else(|(_, wrong)| panic!("{wrong:#?}\n{text}"));
    let mut lowered = Vec::new();
    for query in queries {
        let file = sources.add_file("query", query.clone());
        for parsed in syntax::read_queries(&sources, file, &mut model.tree) {
            lowered.push(model.query(&parsed).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{query}\n{text}")));
        }
    }
    let (system, properties) = model.system.with_all(&lowered.iter().collect::<Vec<_>>());
    (model, system, properties)
}

fn ask(system: &System, property: &Property, options: &Options) -> Answer {
    answer(system, property, options, &Limits { states: Some(20_000), ..Limits::default() }, &mut ())
}

/// The options under which states are counted.
fn settings() -> Vec<Options> {
    let trusting = |refines| Joining { trusts: true, refines, ..Joining::default() };
    let mut all = Vec::new();
    for (update, joining) in [
        (Update::Simple, trusting(true)),
        (Update::Cover, trusting(true)),
        (Update::Join, trusting(false)),
        (Update::Join, trusting(true)),
        (Update::Join, Joining { widen_after: Some(1), ..trusting(true) }),
    ] {
        for (order, threads) in [(Order::Bfs, 1), (Order::Dfs, 1), (Order::Bfs, 2)] {
            let threads = Threads { count: threads, after: 0 };
            all.push(Options { order, update: Some(update), joining: joining.clone(), threads, ..Options::default() });
        }
    }
    all
}

/// Compares answers; returns how many are known.
fn compare(name: &str, text: &str, queries: &[String], manners: Manners) -> usize {
    let (_, plain, properties) = load(name, text, queries, &Library::standard());
    let mut known = 0;
    for options in settings() {
        // Each set of options meets elements in its own order.
        let (_, mirror, mirrored) = load(name, text, queries, &mirrored(manners));
        for (number, (property, other)) in properties.iter().zip(&mirrored).enumerate() {
            let (expected, found) = (ask(&plain, property, &options), ask(&mirror, other, &options));
            let context = || format!("query {number}, {manners:?}, {options:?}\n{text}");
            let is_known = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(_));
            if is_known(&expected) || is_known(&found) {
                assert_eq!(found.verdict, expected.verdict, "{}", context());
                assert_eq!(found.values, expected.values, "{}", context());
                known += 1;
            }
            // Which states two threads store depends on hashes, which depend on elements.
            if options.threads.count == 1 {
                let counts = |answer: &Answer| (answer.counts.stored, answer.counts.explored, answer.refinements);
                assert_eq!(counts(&found), counts(&expected), "{}", context());
            }
            let steps = |answer: &Answer| answer.trace.as_ref().map(|trace| (trace.steps.len(), trace.is_replayed()));
            if options.threads.count == 1 {
                assert_eq!(steps(&found), steps(&expected), "{}", context());
            }
        }
    }
    known
}

#[test]
fn the_models_of_the_project_have_the_same_states() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lattice");
    let mut known = 0;
    for (file, constants) in [
        ("users.xta", &[("N = 4", "N = 2")][..]),
        ("leader.xta", &[]),
        ("database.xta", &[]),
        ("full.xml", &[]),
        ("filter.xta", &[]),
        ("binary_search.xta", &[]),
    ] {
        let path = folder.join(file);
        let mut text = std::fs::read_to_string(&path).unwrap();
        for (from, to) in constants {
            text = text.replace(from, to);
        }
        let queries = std::fs::read_to_string(path.with_extension("q")).unwrap_or_default();
        known += compare(file, &text, &[queries], Manners::Hashed);
    }
    assert!(known > 50, "{known}");
}

#[test]
fn random_networks_have_the_same_states() {
    let manners = [Manners::Hashed, Manners::Keyed, Manners::Bare, Manners::Immutable];
    let examine = |seed: u64| {
        let RandomModel { text, queries } = random::lattices(seed);
        Ok::<usize, String>(compare("model.xta", &text, &queries, manners[seed as usize % manners.len()]))
    };
    let known = oracle::campaign(12, examine, |sum: &mut usize, known| *sum += known);
    assert!(known as u64 > oracle::expected(100, 12), "{known}");
}

/// Both kinds of functions are called: methods by guards and updates, the order and joins by the
/// search.
const POOL: &str = "
    extern Pool = PowerSet(3); extern Small = MustCache(3, 2); Pool pool; Small cache; UnionBitVector u[2];
    process P() {
        state a, b; init a;
        trans a -> a { select i : int[0,2]; assign pool.add(i), cache.access(i); },
              a -> a { guard pool.contains(1); assign u[1] = 1; },
              a -> b { guard pool.contains(0) && pool.contains(2) && u[1] && cache.mayMiss(0); };
    }
    system P;";

#[test]
fn a_failure_of_any_call_ends_the_work_without_a_verdict() {
    let text = &format!("extern UnionBitVector; {POOL}");
    let queries = ["E<> P.b".to_owned(), "A[] not (P.b && pool.contains(1) && !u[0])".to_owned()];
    let mut failed = 0;
    for options in settings() {
        let expected: Vec<Verdict> = {
            let (_, system, properties) = load("p.xta", text, &queries, &Library::standard());
            properties.iter().map(|property| ask(&system, property, &options).verdict).collect()
        };
        let mut at = 0;
        loop {
            let calls = std::sync::Arc::default();
            let library = class::mirrored_until(Manners::Hashed, Some(at), &calls);
            let mut sources = Sources::new();
            let file = sources.add_file("p.xta", text.clone());
            let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
            let Ok((mut model, _)) = model::load_with(tree, &library) else {
                // The elements that the model begins with can't be made.
                at += 1;
                continue;
            };
            for (query, expected) in queries.iter().zip(&expected) {
                let file = sources.add_file("query", query.clone());
                let parsed = syntax::read_queries(&sources, file, &mut model.tree);
                let lowered = model.query(&parsed[0]).unwrap();
                let (system, property) = model.system.with(&lowered);
                let found = ask(&system, &property, &options);
                match &found.verdict {
                    Verdict::Unknown(Reason::User(failure, _)) => {
                        assert_eq!(failure.error.message, format!("call {at} fails"), "{options:?}");
                        failed += 1;
                        // It does not fail again.
                        assert_eq!(ask(&system, &property, &options).verdict, *expected, "call {at}, {options:?}");
                    }
                    // A run does not depend on what fails elsewhere.
                    verdict => assert_eq!(verdict, expected, "call {at}, {options:?}"),
                }
            }
            // Few of the later calls do what none before has done.
            at += 1 + at / 8;
            if at > calls.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
        }
    }
    assert!(failed > 100, "{failed}");
}

#[test]
fn heuristics_allow_everything_that_a_lattice_of_the_user_may_do() {
    let text = &format!("extern UnionBitVector; {POOL}");
    let queries = ["E<> P.b".to_owned(), "E<> P.b && !pool.contains(1)".to_owned()];
    let (_, system, properties) = load("p.xta", text, &queries, &mirrored(Manners::Hashed));
    for heuristic in verify::HEURISTICS.iter().filter_map(|heuristic| verify::Heuristic::named(heuristic.name)) {
        for order in [Order::Greedy, Order::Astar] {
            let guidance = verify::Guidance { heuristics: vec![heuristic.clone()], ..Default::default() };
            let options = Options { order, guidance, ..Options::default() };
            let verdicts = properties.iter().map(|property| ask(&system, property, &options).verdict);
            let expected = [Verdict::Satisfied, Verdict::NotSatisfied];
            assert_eq!(verdicts.collect::<Vec<_>>(), expected, "{heuristic:?} {order:?}");
        }
    }
}

#[test]
fn strategies_in_threads_and_other_abstractions_have_the_same_verdicts() {
    let text = &format!("extern UnionBitVector; {POOL}");
    let queries = ["E<> P.b", "A[] not (P.b && !pool.contains(1))", "A<> P.b", "P.b --> P.a", "sup: P.b ? 1 : 0"];
    let queries = queries.map(str::to_owned);
    let (_, plain, properties) = load("p.xta", text, &queries, &Library::standard());
    for threads in [1, 4] {
        for order in [Order::Auto, Order::Adaptive, Order::Waiting, Order::RandomDfs] {
            for update in [None, Some(Update::Simple), Some(Update::Join)] {
                let options =
                    Options { order, update, threads: Threads { count: threads, after: 0 }, ..Options::default() };
                let (_, mirror, mirrored) = load("p.xta", text, &queries, &mirrored(Manners::Bare));
                for ((property, other), query) in properties.iter().zip(&mirrored).zip(&queries) {
                    let (expected, found) = (ask(&plain, property, &options), ask(&mirror, other, &options));
                    assert_eq!(
                        (found.verdict, found.values),
                        (expected.verdict, expected.values),
                        "{query} {options:?}"
                    );
                }
            }
        }
    }
}
