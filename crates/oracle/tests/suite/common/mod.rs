//! Checks models with known answers.

#![allow(dead_code, clippy::unwrap_used)]

use oracle::{
    Loaded,
    explicit::{ExplicitOptions, OracleAnswer, Report, Time, check, ticks_are_exact},
};

/// Loads a model with queries, which must be correct.
#[track_caller]
pub fn load<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Loaded {
    oracle::load(text, queries).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Answers one query.
#[track_caller]
pub fn ask(text: &str, query: &str, time: Time) -> Report {
    let loaded = load(text, &[query]);
    check(&loaded.system, &loaded.properties[0], ExplicitOptions { time, ..ExplicitOptions::default() })
}

/// Checks the answers to all queries, by regions, and by ticks where these are exact.
#[track_caller]
pub fn expect(text: &str, expected: &[(&str, bool)]) {
    let queries: Vec<&str> = expected.iter().map(|e| e.0).collect();
    let loaded = load(text, &queries);
    let system = &loaded.system;
    for ((query, truth), property) in expected.iter().zip(&loaded.properties) {
        let wanted = if *truth { OracleAnswer::Satisfied } else { OracleAnswer::NotSatisfied };
        let report = check(system, property, ExplicitOptions::default());
        assert_eq!(report.answer, wanted, "{query}\n{:?}\n{text}", report.run);
        if ticks_are_exact(system, Some(property)) {
            for k in [1, 2] {
                let ticks =
                    check(system, property, ExplicitOptions { time: Time::Ticks(k), ..ExplicitOptions::default() });
                assert_eq!((ticks.answer, ticks.length), (wanted, report.length), "{query} with ticks\n{text}");
            }
        }
    }
}
