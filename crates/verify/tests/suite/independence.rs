//! A query is answered as if it were the only one. Other queries change neither its answer nor its
//! counts nor the notes on it.

use explore::search::Limits;
use model::Property;
use oracle::{
    Loaded,
    random::{self, Rng},
};
use verify::{Answer, Options, Order, Reason, Request, Update, Verdict, answer, groups};

const LIMITS: Limits<'_> = Limits {
    states: Some(1_000),
    bytes: None,
    generated: None,
    joining: None,
    expired: None,
    interrupt: None,
    journal: None,
};

/// Renders an answer, with the source text that causes a run-time error.
fn describe(loaded: &Loaded, answer: &Answer) -> String {
    let Answer { verdict, counts, values, trace, plan, .. } = answer;
    let verdict = match verdict {
        Verdict::Unknown(Reason::RunTime(message, span)) => format!("{message} at {:?}", loaded.sources.text(*span)),
        verdict => format!("{verdict:?}"),
    };
    let searched = (counts.stored, counts.added, counts.generated, counts.explored);
    format!("{verdict} {searched:?} {values:?} {trace:?} {:?} {:?}", plan.symmetry, plan.merged)
}

/// What failing queries use: a variable of the model, and a function that only queries call.
const DECLARATIONS: &str = "int[0,2] zero_; int at_(int k) { int z[2] = { 31, 32 }; return z[k]; }\n";
const FAILING: [&str; 3] = ["E<> at_(zero_ + 2) == 1", "A[] 6 / zero_ == 33", "E<> at_(zero_) == 31"];

/// The networks of a seed, with queries. In each kind a query changes the system differently.
fn networks(seed: u64) -> [(String, Vec<String>); 3] {
    let plain = random::network(seed, &random::NetworkFeatures::all());
    let (scalars, lattices) = (random::scalars(seed), random::lattices(seed));
    let all = [(plain.text(), plain.queries()), (scalars.text, scalars.queries), (lattices.text, lattices.queries)];
    all.map(|(text, mut queries)| {
        queries.extend(FAILING.map(str::to_owned));
        (format!("{DECLARATIONS}{text}"), queries)
    })
}

#[test]
fn answers_are_those_of_a_model_with_no_other_query() {
    let (mut compared, mut reduced, mut failed) = (0, 0, 0);
    for seed in oracle::seeds(0..60) {
        let mut rng = Rng::new(seed);
        for (text, mut queries) in networks(seed) {
            for i in (1..queries.len()).rev() {
                queries.swap(i, rng.below(i + 1));
            }
            let update = *rng.pick(&[Update::Cover, Update::Join]);
            let options = Options { order: Order::Bfs, update: Some(update), ..Options::default() };
            let all = oracle::load(&text, &queries).unwrap();
            let fresh = oracle::load(&text, &[] as &[&str]).unwrap();
            assert_eq!(all.model.system, fresh.model.system, "a query changes the system\n{text}");
            for (number, query) in queries.iter().enumerate() {
                let single = oracle::load(&text, &[query]).unwrap();
                let alone = answer(&single.system, &single.properties[0], &options, &LIMITS, &mut ());
                let (system, property) = all.alone(number);
                let beside = answer(&system, &property, &options, &LIMITS, &mut ());
                assert_eq!(describe(&single, &alone), describe(&all, &beside), "seed {seed}: {query}\n{text}");
                compared += 1;
                reduced += usize::from(alone.plan.symmetry);
                failed += usize::from(matches!(alone.verdict, Verdict::Unknown(Reason::RunTime(..))));
            }
        }
    }
    println!("{compared} answers compared, {reduced} with symmetry, {failed} errors");
    assert!(compared > 500 && reduced > 100 && failed > 20);
}

/// The system already contains the code of some queries when others are added, in any order.
#[test]
fn code_of_other_queries_changes_nothing() {
    for seed in oracle::seeds(0..40) {
        let mut rng = Rng::new(seed ^ 0xC0DE);
        for (text, queries) in networks(seed) {
            let loaded = oracle::load(&text, &queries).unwrap();
            let options = Options { order: Order::Bfs, update: Some(Update::Simple), ..Options::default() };
            for number in 0..queries.len() {
                let (system, property) = loaded.alone(number);
                let alone = answer(&system, &property, &options, &LIMITS, &mut ());
                let others: Vec<usize> = (0..3).map(|_| rng.below(queries.len())).collect();
                let (extended, _) = loaded.with(&others);
                let (mut extended, property) = extended.with(&loaded.queries[number]);
                // Only symmetries may be lost.
                extended.symmetry.clone_from(&system.symmetry);
                let beside = answer(&extended, &property, &options, &LIMITS, &mut ());
                assert_eq!(
                    describe(&loaded, &alone),
                    describe(&loaded, &beside),
                    "seed {seed}: {}\n{text}",
                    queries[number]
                );
            }
        }
    }
}

/// Queries that share a search store what each stores alone.
#[test]
fn groups_store_what_single_queries_store() {
    let (mut compared, mut reduced) = (0, 0);
    for seed in oracle::seeds(0..100) {
        for (text, queries) in networks(seed) {
            let loaded = oracle::load(&text, &queries).unwrap();
            let options = Options { order: Order::Bfs, ..Options::default() };
            for group in groups(&loaded.model.system, &loaded.lowered(), &options) {
                let (system, properties) = loaded.with(&group);
                let properties: Vec<&Property> = properties.iter().collect();
                let answers = Request::new(&system, &properties, &options).answers(&LIMITS, &mut ());
                for (number, shared) in group.iter().zip(answers) {
                    let (system, property) = loaded.alone(*number);
                    let alone = answer(&system, &property, &options, &LIMITS, &mut ());
                    assert_eq!(alone.plan.symmetry, shared.plan.symmetry, "seed {seed}: {}\n{text}", queries[*number]);
                    // A search that finds nothing stores all states.
                    if alone.trace.is_some() || matches!(alone.verdict, Verdict::Unknown(_)) {
                        continue;
                    }
                    let stored = (alone.verdict, alone.counts.stored);
                    assert_eq!(stored, (shared.verdict, shared.counts.stored), "seed {seed}: {}", queries[*number]);
                    compared += 1;
                    reduced += usize::from(alone.plan.symmetry && group.len() > 1);
                }
            }
        }
    }
    println!("{compared} answers compared, {reduced} of them with symmetry and in groups");
    assert!(compared > 300 && reduced > 50);
}

#[test]
fn a_query_that_distinguishes_scalars_costs_no_other() {
    let text = include_str!("../../../../models/fischer_scalar.xta");
    let distinguishes = "A[] forall (i : pid_t) 6 / (P(i).critical ? 2 : 3) < 4";
    let loaded =
        oracle::load(text, &[distinguishes, "A[] not deadlock", "E<> exists (i : pid_t) P(i).critical"]).unwrap();
    let options = Options { order: Order::Bfs, ..Options::default() };
    let groups = groups(&loaded.model.system, &loaded.lowered(), &options);
    assert_eq!(groups.iter().filter(|group| group.contains(&0)).collect::<Vec<_>>(), [&[0]]);
    let stored = |group: &Vec<usize>| {
        let (system, properties) = loaded.with(group);
        let properties: Vec<&Property> = properties.iter().collect();
        let answers = Request::new(&system, &properties, &options).answers(&Limits::default(), &mut ());
        answers.iter().map(|answer| answer.counts.stored).collect::<Vec<_>>()
    };
    for group in &groups {
        let place = |number| group.iter().position(|i| *i == number);
        let stored = stored(group);
        assert_eq!(place(0).map(|i| stored[i]), place(0).map(|_| 356));
        assert_eq!(place(1).map(|i| stored[i]), place(1).map(|_| 54));
    }
}
