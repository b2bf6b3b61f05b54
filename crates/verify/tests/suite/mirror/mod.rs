//! Lattices of the user that do what those of the library do give the same answers and the same
//! states.

mod class;

use std::path::Path;

use explore::search::Limits;
use lattice::Library;
use model::{Model, Property, System};
use oracle::random::{self, RandomModel};
use syntax::{Format, Sources};
use verify::{Answer, Joining, Options, Order, Threads, Update, Verdict, answer};

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
