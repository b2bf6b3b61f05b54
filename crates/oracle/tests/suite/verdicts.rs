//! Real models, if present: the oracle gives UPPAAL's answers, or is undecided.

use std::path::Path;

use model::{Property, System};
use oracle::explicit::{ExplicitOptions, OracleAnswer, Time, check};
use syntax::{Format, Sources};

/// The limit on states of a query: enough for some models, and reached soon for the others.
const STATES: usize = 2_000;

fn load(path: &Path, query: &str) -> Option<(System, Property)> {
    let mut sources = Sources::new();
    let text = syntax::source::decode(&std::fs::read(path).unwrap()).unwrap();
    let format = Format::guess(&path.to_string_lossy(), &text);
    let file = sources.add_file("model", text);
    let (tree, _) = syntax::read_model(&mut sources, file, format);
    let (mut model, _) = model::load(tree).ok()?;
    if !model.unsupported().is_empty() {
        return None;
    }
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.tsv")) else {
        println!("SKIPPED: there are no models at {}", folder.display());
        return;
    };
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
