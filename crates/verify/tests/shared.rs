//! Several queries answered by one search give the answers that each gives alone.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use explore::search::Limits;
use model::Property;
use oracle::random;
use verify::{Options, Order, Verdict, answer, answer_group, groups};

#[test]
fn answers_are_those_of_single_searches() {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let (mut together, mut alone) = (0, 0);
    for seed in 0..1000 {
        let net = random::network(seed, &random::Options::all());
        let mut queries = net.queries();
        queries.extend(["E<> true".to_owned(), "A[] true".to_owned(), "E<> deadlock".to_owned()]);
        let loaded = oracle::load(&net.text(), &queries).unwrap();
        let system = &loaded.model.system;
        for order in [Order::Bfs, Order::Dfs] {
            let options = Options { order, ..Options::default() };
            let groups = groups(system, &loaded.properties, &options);
            let mut numbers: Vec<usize> = groups.iter().flatten().copied().collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..queries.len()).collect::<Vec<_>>());
            for group in groups {
                if group.len() == 1 {
                    alone += 1;
                    continue;
                }
                together += group.len();
                let properties: Vec<&Property> = group.iter().map(|i| &loaded.properties[*i]).collect();
                let answers = answer_group(system, &properties, &options, &limits, &mut ());
                for (number, shared) in group.iter().zip(answers) {
                    let single = answer(system, &loaded.properties[*number], &options, &limits, &mut ());
                    let told = |v: &Verdict| !matches!(v, Verdict::Unknown(_));
                    if told(&single.verdict) && told(&shared.verdict) {
                        assert_eq!(single.verdict, shared.verdict, "seed {seed}: {}\n{}", queries[*number], net.text());
                    }
                    assert_eq!(single.trace.is_some(), shared.trace.is_some(), "seed {seed}: {}", queries[*number]);
                }
            }
        }
    }
    println!("{together} queries together, {alone} alone");
    assert!(together > alone);
}
