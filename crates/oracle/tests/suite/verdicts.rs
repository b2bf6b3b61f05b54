//! Real models, and stand-ins for them: the oracle gives UPPAAL's answers, or is undecided.

use std::path::Path;

use model::{Property, System};
use oracle::explicit::{ExplicitOptions, OracleAnswer, Time, check};

/// The limit on states of a query: enough for some models, and reached soon for the others.
const STATES: usize = 2_000;

fn load(path: &Path, query: &str) -> Option<(System, Property)> {
    let (mut sources, mut model) = oracle::read_file(path).ok().filter(|(_, model)| model.unsupported().is_empty())?;
    let file = sources.add_file("query", query.to_owned());
    let parsed = syntax::read_queries(&sources, file, &mut model.tree).pop()?;
    let query = model.query(&parsed).ok()?;
    Some(model.system.with(&query))
}

/// Ticks find witnesses fast; regions prove that there are none.
fn answer(system: &System, property: &Property) -> OracleAnswer {
    let ask = |time| check(system, property, ExplicitOptions { time, states: STATES, beside: false });
    let ticks = ask(Time::Ticks(1));
    let settled = ticks.length.is_some() || oracle::explicit::ticks_are_exact(system, Some(property));
    if settled { ticks.answer } else { ask(Time::Regions).answer }
}

#[test]
fn answers_are_those_of_uppaal() {
    for corpus in oracle::corpora("uppaal") {
        compare(&corpus.folder);
    }
}

/// Compares the answers with those in the table of a folder.
fn compare(folder: &Path) {
    let table = std::fs::read_to_string(folder.join("verdicts.tsv")).unwrap();
    let (mut same, mut unknown) = (0, 0);
    let mut different = Vec::new();
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let wanted = match fields[2] {
            "satisfied" => OracleAnswer::Satisfied,
            "not satisfied" => OracleAnswer::NotSatisfied,
            _ => continue,
        };
        let Some((system, property)) = load(&folder.join(fields[0]), fields[1]) else { continue };
        match answer(&system, &property) {
            OracleAnswer::Unknown(_) => unknown += 1,
            found if found == wanted => same += 1,
            found => different.push(format!("{} {}: {found:?} instead of {wanted:?}", fields[0], fields[1])),
        }
    }
    println!("{same} answers are the same, {unknown} unknown");
    assert!(different.is_empty(), "{different:#?}");
    assert!(same > 0);
}
