//! The figures in the manual's tables on heuristics from abstractions are those that
//! `merkhet bench abstraction` prints. Counts do not depend on the machine, so they are compared
//! exactly.

use std::path::Path;

use serde_json::Value;

use super::{
    Document,
    directed::{number, tables},
    root,
};
use crate::common::run_in;

/// A column of a table: what the paper prints in a column of its own, or what merkhet measures.
#[derive(Clone, Copy)]
enum Column {
    Printed(&'static str),
    Measured(&'static str),
}

use Column::{Measured, Printed};

/// The columns of each table after the names of models. Tables without figures of searches are left
/// out: the lists of heuristics and of words.
const TABLES: [&[Column]; 3] = [
    &[
        Printed("[5]-N50"),
        Measured("[5]-N50"),
        Printed("Syntax-b2"),
        Measured("Syntax-b2"),
        Printed("ARMC-b3-r4"),
        Measured("ARMC-b3-r4"),
        Measured("pa-auto"),
        Measured("merge-shrink"),
        Measured("zone-pdb"),
        Measured("--order auto"),
    ],
    &[
        Printed("[13]-best, extra-lu"),
        Measured("[13]-best, extra-lu"),
        Printed("[5]-N50, extra-lu"),
        Measured("[5]-N50, extra-lu"),
        Printed("Syntax-b2, extra-lu"),
        Measured("Syntax-b2, extra-lu"),
    ],
    &[
        Printed("ARMC-b3-r4, extra-lu"),
        Measured("ARMC-b3-r4, extra-lu"),
        Measured("all-paths"),
        Measured("relevant"),
        Measured("perimeter(4)"),
        Measured("effects"),
    ],
];

/// Rows that are quickly measured: one that is built in, and case studies. Others have searches
/// that take minutes.
const BUILT_IN: [&str; 1] = ["FA15"];
const STUDIES: [&str; 5] = ["M1", "N1", "C1", "C2", "C3"];

/// Returns the models that `merkhet bench abstraction` reports.
fn measured(rows: &[&str], models: Option<&Path>) -> Vec<Value> {
    let words = ["bench", "abstraction", "--format", "json", "--table", "1", "--time-limit", "30m"];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    words.extend(rows.iter().flat_map(|row| ["--row".to_owned(), (*row).to_owned()]));
    words.extend(models.into_iter().flat_map(|folder| ["--models".to_owned(), folder.display().to_string()]));
    let run = run_in(&root(), &words);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    report["models"].as_array().unwrap().clone()
}

/// Returns the number of states in a cell, and that of abstract states after it in parentheses.
fn cell(text: &str) -> (Option<f64>, Option<f64>) {
    let (states, prepared) = text.split_once(" (").unwrap_or((text, ""));
    (number(states), number(prepared.trim_end_matches(')')))
}

#[test]
fn tables_on_abstractions_have_measured_figures() {
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "## Heuristics from abstractions");
    let shown: Vec<_> = shown.into_iter().filter(|rows| rows.iter().any(|row| row[0] == "C1")).collect();
    // The table on symbolic databases comes after these.
    assert_eq!(shown.len(), TABLES.len() + 1);
    let mut models = measured(&BUILT_IN, None);
    // The stand-ins do not have the case studies.
    if let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) {
        models.extend(measured(&STUDIES, corpus.folder.parent()));
    }
    let mut compared = 0;
    for model in &models {
        let name = model["model"].as_str().unwrap();
        for (rows, columns) in shown.iter().zip(TABLES) {
            let Some(row) = rows.iter().find(|row| row[0] == name) else { continue };
            assert_eq!(row.len(), 1 + columns.len(), "{row:?}");
            for (text, column) in row[1..].iter().zip(columns) {
                let (Printed(of) | Measured(of)) = *column;
                let runs = model["runs"].as_array().unwrap();
                let run = runs.iter().find(|run| run["column"] == of).unwrap_or_else(|| panic!("no {of}"));
                let (states, prepared) = cell(text);
                let expected = match column {
                    Printed(_) => &run["published"]["generated"],
                    Measured(_) => &run["merkhet"]["generated"],
                };
                assert_eq!(states, expected.as_f64(), "{name}, {of}");
                if prepared.is_some() {
                    assert_eq!(prepared, run["merkhet"]["prepared"]["states"].as_f64(), "{name}, {of}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared >= BUILT_IN.len() * TABLES[0].len(), "{compared}");
}

/// The searches in the last columns of the table on decision diagrams.
const DATABASES: [&str; 3] = ["hl", "pdb", "symbolic-pdb"];

#[test]
fn the_table_on_decision_diagrams_has_measured_figures() {
    // The stand-ins do not have the case studies.
    let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) else { return };
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "### Decision diagrams").swap_remove(0);
    for (folder, name) in [("mutex", "M1"), ("stls", "C1")] {
        let folder = corpus.folder.with_file_name(folder);
        let row = shown.iter().find(|row| row[0] == name).unwrap();
        for (column, heuristic) in DATABASES.iter().enumerate() {
            let files = [format!("{name}.xta"), format!("{name}.q")];
            let words = ["verify", &files[0], &files[1], "--order", "astar", "--heuristic", heuristic];
            let run = run_in(&folder, &[&words[..], &["--format", "json"]].concat());
            let report: Value = serde_json::from_str(run.succeeds()).unwrap();
            let generated = report["results"][0]["stats"]["generated"].as_f64();
            assert_eq!(number(&row[row.len() - DATABASES.len() + column]), generated, "{name}, {heuristic}");
        }
    }
}

/// Returns the statistics of a greedy search for the error of a case study.
fn greedy(folder: &Path, model: &str, heuristic: &str, others: &[&str]) -> Value {
    let files = [format!("{model}.xta"), format!("{model}.q")];
    let words = ["verify", &files[0], &files[1], "--order", "greedy", "--heuristic", heuristic, "--format", "json"];
    let run = run_in(folder, &[&words[..], others].concat());
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    report["results"][0]["stats"].clone()
}

/// The rounds of refinement of C4 that are quickly searched.
const ROUNDS: [&str; 4] = ["2", "3", "4", "5"];

#[test]
fn the_series_of_c4_has_measured_figures() {
    // The stand-ins do not have the case studies.
    let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) else { return };
    let folder = corpus.folder.with_file_name("stls");
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "## Heuristics from abstractions");
    let series = shown.iter().find(|rows| rows[0].len() == 5 && rows[0][0] == "0").unwrap();
    for rounds in ROUNDS {
        let row = series.iter().find(|row| row[0] == rounds).unwrap();
        let heuristic = format!("pa-refine(3,{rounds})");
        let stats = greedy(&folder, "C4", &heuristic, &["--ties", "youngest", "--abstraction", "extra-lu"]);
        assert_eq!(number(&row[3]), stats["generated"].as_f64(), "{row:?}");
        let lengths: Vec<String> =
            stats["prepared"]["lengths"].as_array().unwrap().iter().map(Value::to_string).collect();
        assert_eq!(row[4], lengths.join(", "), "{row:?}");
    }
}

#[test]
fn the_table_of_bounds_and_rounds_has_measured_figures() {
    // The stand-ins do not have the case studies.
    let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) else { return };
    let folder = corpus.folder.with_file_name("stls");
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "## Heuristics from abstractions");
    let bounds = shown.iter().find(|rows| rows[0].len() == 9 && rows[0][0] == "1").unwrap();
    // With some rounds a search generates millions of states.
    for bound in ["2", "3"] {
        let row = bounds.iter().find(|row| row[0] == bound).unwrap();
        let stats = greedy(&folder, "C6", &format!("pa-refine({bound},0)"), &[]);
        assert_eq!(number(&row[2]), stats["generated"].as_f64(), "{row:?}");
    }
}
