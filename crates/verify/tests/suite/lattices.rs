//! Random networks with elements of lattices. The answers with covering and joins equal those of a
//! search that distinguishes all elements.

use model::{Property, System};
use oracle::random::{self, RandomModel, Rng};
use verify::{Joining, Options, Order, Reason, Update, Verdict};

/// Random options of a search.
fn settings(rng: &mut Rng, system: &System) -> Options {
    let orders = [Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Greedy];
    let mut joining = Joining { refines: rng.chance(75), ..Joining::default() };
    if rng.chance(30) {
        joining.variables = Some((0..system.lattices.len()).filter(|_| rng.chance(50)).collect());
        joining.zones = rng.chance(50);
    }
    if rng.chance(20) {
        joining.places = Some(system.edges.iter().filter(|_| rng.chance(30)).map(|e| e.source).collect());
    }
    if rng.chance(20) {
        joining.widen_after = Some(rng.below(3) as u32);
    }
    let update = if rng.chance(30) { Update::Cover } else { Update::Join };
    Options { order: orders[rng.below(orders.len())], update: Some(update), joining, ..Options::default() }
}

#[derive(Default)]
struct Counted {
    queries: usize,
    reachable: usize,
    refinements: usize,
    unknown: usize,
}

impl Counted {
    fn add(&mut self, more: Counted) {
        self.queries += more.queries;
        self.reachable += more.reachable;
        self.refinements += more.refinements;
        self.unknown += more.unknown;
    }
}

fn ask(system: &System, property: &Property, options: &Options) -> verify::Answer {
    let limits = explore::search::Limits { states: Some(200_000), ..Default::default() };
    verify::answer(system, property, options, &limits, &mut ())
}

#[test]
fn covering_joining_and_refinement_agree_with_distinguishing_all_elements() {
    let examine = |seed: u64| -> Result<Counted, String> {
        let RandomModel { text, queries } = random::lattices(seed);
        let describe = |why: String| format!("seed {seed}: {why}\n{text}");
        let loaded = oracle::load(&text, &queries).map_err(|why| describe(why.to_string()))?;
        let system = &loaded.system;
        let mut rng = Rng::new(seed ^ 0x5EED);
        let mut counted = Counted::default();
        let simple = Options { update: Some(Update::Simple), ..Options::default() };
        for (query, property) in queries.iter().zip(&loaded.properties) {
            let truth = ask(system, property, &simple);
            for _ in 0..4 {
                let options = settings(&mut rng, system);
                let found = ask(system, property, &options);
                counted.queries += 1;
                counted.reachable += usize::from(truth.trace.is_some());
                counted.refinements += found.refinements;
                let imprecise = matches!(found.verdict, Verdict::Unknown(Reason::Imprecise(_)));
                counted.unknown += usize::from(imprecise);
                let refines = options.update == Some(Update::Cover) || options.joining.refines;
                let agrees = if imprecise && !refines {
                    // A goal that is found through joins may be unreachable. No goal is missed.
                    true
                } else {
                    found.verdict == truth.verdict && found.values == truth.values
                };
                if !agrees {
                    return Err(describe(format!(
                        "{query}: {:?} {:?}, not {:?} {:?}, with {options:?}",
                        found.verdict, found.values, truth.verdict, truth.values
                    )));
                }
                if found.trace.as_ref().is_some_and(|trace| !trace.is_replayed()) && !imprecise {
                    return Err(describe(format!("{query}: the trace is not a run, with {options:?}")));
                }
            }
        }
        Ok(counted)
    };
    let Counted { queries, reachable, refinements, unknown } = oracle::campaign(2_000, examine, Counted::add);
    println!("{queries} answers, {reachable} with something reachable, {refinements} joins undone, {unknown} unknown");
    assert!(reachable > queries / 10 && reachable < queries, "{reachable} of {queries}");
    assert!(refinements > 0 && unknown > 0, "{refinements} joins were undone, {unknown} answers are unknown");
}
