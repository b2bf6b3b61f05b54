//! Queries of real models, and of stand-ins for them, with recorded answers. Within a small limit
//! of states, each answer is the recorded one or unknown.
//! `MERKHET_STATES=10000000 cargo test --release -p merkhet-verify --test suite verdicts::` raises
//! the limit.

use std::{collections::BTreeMap, fs, path::Path};

use explore::search::Limits;
use model::Model;
use syntax::Sources;
use verify::{Options, Verdict};

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

fn load(path: &Path) -> (Sources, Model) {
    oracle::read_file(path).unwrap_or_else(|(_, errors)| panic!("{}: {errors:#?}", path.display()))
}

#[test]
fn recorded_answers() {
    for corpus in oracle::corpora("uppaal") {
        compare(&corpus.folder);
    }
}

/// Compares the answers with those in the table of a folder.
fn compare(folder: &Path) {
    let recorded = fs::read_to_string(folder.join("verdicts.tsv")).unwrap();
    let stale = include_str!("stale-verdicts.tsv");
    let stale: Vec<(&str, &str)> = rows(stale).iter().map(|row| (row[0], row[1])).collect();
    let states = std::env::var("MERKHET_STATES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let limits = Limits { states: Some(states), ..Limits::default() };
    let (mut right, mut unknown, mut wrong) = (0, 0, Vec::new());
    let mut models: BTreeMap<&str, (Sources, Model)> = BTreeMap::new();
    for row in rows(&recorded) {
        let (path, query, expected) = (row[0], row[1], row[2]);
        let (sources, model) = models.entry(path).or_insert_with(|| load(&folder.join(path)));
        let file = sources.add_file("query", query.to_owned());
        let read = syntax::read_queries(sources, file, &mut model.tree).pop().unwrap();
        let Ok(lowered) = model.query(&read) else {
            unknown += 1;
            continue;
        };
        let (system, property) = model.system.with(&lowered);
        let answer = verify::answer(&system, &property, &Options::default(), &limits, &mut ());
        let found = match answer.verdict {
            Verdict::Satisfied => "satisfied",
            Verdict::NotSatisfied => "not satisfied",
            Verdict::Unknown(_) => {
                unknown += 1;
                continue;
            }
        };
        match found == expected.to_lowercase() {
            true => right += 1,
            false if stale.contains(&(path, query)) => {}
            false => wrong.push(format!("{path}\n  {query}\n  {found}, not {expected}")),
        }
    }
    println!("{right} right, {unknown} unknown, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 0);
}
