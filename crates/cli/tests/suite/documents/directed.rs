//! The figures in the manual's tables on directed search are those that `merkhet bench directed`
//! prints. Counts do not depend on the machine, so they are compared exactly.

use std::path::Path;

use serde_json::Value;

use super::{Document, root};
use crate::common::run_in;

/// The searches of each table, in the order of their columns: the paper's figure, that of the same
/// search, and that of ours.
const TABLES: [(u64, &[&str]); 3] =
    [(1, &["greedy-hl", "greedy-hu"]), (2, &["greedy-dl", "greedy-du"]), (3, &["bfs", "astar-hl", "astar-dl"])];

/// Rows that are quickly measured: those that are built in, and case studies.
const BUILT_IN: [&str; 3] = ["FA15", "FB5", "FC15"];
const STUDIES: [&str; 3] = ["M1", "N1", "C1"];

/// Returns the rows of the tables below a heading, without their headers.
pub(super) fn tables(document: &Document, heading: &str) -> Vec<Vec<Vec<String>>> {
    let below = document.lines.iter().skip_while(|line| *line != heading).skip(1);
    let section: Vec<&String> = below.take_while(|line| !line.starts_with("## ")).collect();
    let cells = |line: &&String| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let tables = section.split(|line| !line.starts_with('|')).filter(|lines| !lines.is_empty());
    tables.map(|lines| lines.iter().skip(2).map(cells).collect()).collect()
}

/// Returns the models that `merkhet bench directed` reports, with the paper's tables of these
/// numbers.
fn measured(rows: &[&str], numbers: &[u64], models: Option<&Path>, others: &[&str]) -> Vec<Value> {
    let mut words: Vec<String> = ["bench", "directed", "--format", "json"].map(str::to_owned).to_vec();
    words.extend(others.iter().map(|word| (*word).to_owned()));
    words.extend(numbers.iter().flat_map(|number| ["--table".to_owned(), number.to_string()]));
    words.extend(rows.iter().flat_map(|row| ["--row".to_owned(), (*row).to_owned()]));
    words.extend(models.into_iter().flat_map(|folder| ["--models".to_owned(), folder.display().to_string()]));
    let run = run_in(&root(), &words);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    report["models"].as_array().unwrap().clone()
}

/// Returns the number in a cell: `1.5e6`; `None` for a dash.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

#[test]
fn tables_on_directed_search_have_measured_figures() {
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let tables = tables(&document, "## Compared with the papers");
    let numbers = TABLES.map(|(number, _)| number);
    let mut models = measured(&BUILT_IN, &numbers, None, &[]);
    // The stand-ins do not have the case studies.
    if let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) {
        models.extend(measured(&STUDIES, &numbers, corpus.folder.parent(), &[]));
    }
    for (table, (number_of, searches)) in tables.iter().zip(TABLES) {
        for model in &models {
            let name = model["model"].as_str().unwrap();
            // Distances do not apply to a goal without locations: the paper leaves these rows out.
            let Some(row) = table.iter().find(|row| row[0] == name) else {
                assert!(number_of == 2 && name.starts_with("FC"), "table {number_of} has no {name}");
                continue;
            };
            for (column, search) in searches.iter().enumerate() {
                let runs = model["runs"].as_array().unwrap().iter();
                let runs: Vec<&Value> =
                    runs.filter(|run| run["configuration"] == *search && run["table"] == number_of).collect();
                let [paper, ours] = runs[..] else { panic!("{search} was run {} times", runs.len()) };
                assert_eq!((&paper["abstraction"], &ours["abstraction"]), (&"extra-lu".into(), &"auto".into()));
                let figures =
                    [&paper["published"], &paper["merkhet"], &ours["merkhet"]].map(|f| f["generated"].as_f64());
                let shown = [1, 2, 3].map(|i| number(&row[3 * column + i]));
                assert_eq!(shown, figures, "{name}, table {number_of}, {search}");
                if *search == "astar-hl" {
                    // States that take the places of others lead to the paper's traces, not to
                    // shortest ones.
                    let length = |run: &Value, of: &str| run[of]["length"].as_f64();
                    assert_eq!(length(paper, "merkhet"), length(paper, "published"), "{name}");
                }
            }
        }
    }
    assert!(tables.len() >= TABLES.len());
    let Some(model) = models.iter().find(|model| model["model"] == "M1") else { return };
    let readme = Document::read(&root(), "README.md");
    let line = readme.lines.iter().find(|line| line.starts_with("| error in `M1`")).unwrap();
    let runs = model["runs"].as_array().unwrap().iter().filter(|run| run["configuration"] == "greedy-hl");
    for run in runs {
        for figures in [&run["published"], &run["merkhet"]] {
            let states = format!("{}", figures["generated"].as_f64().unwrap());
            assert!(line.contains(&format!(" {states} ")), "{states} is not in {line}");
        }
    }
}

/// The rows of the table on kept values that are quickly measured.
const KEPT: [&str; 5] = ["M1", "N1", "C1", "C2", "C3"];

#[test]
fn searches_with_a_table_of_values_have_measured_figures() {
    // The stand-ins do not have the case studies.
    let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) else { return };
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "### The table of 256,000 values").swap_remove(0);
    let models = corpus.folder.parent();
    let by_hl = |others: &[&str]| -> Vec<Value> {
        let measured = measured(&KEPT, &[1], models, others);
        let runs = measured.iter().map(|model| model["runs"].as_array().unwrap());
        let searches = runs.map(|runs| runs.iter().find(|run| run["configuration"] == "greedy-hl").unwrap().clone());
        searches.collect()
    };
    for (name, (all, kept)) in KEPT.iter().zip(by_hl(&[]).iter().zip(by_hl(&["--heuristic-table", "256000"]))) {
        let row = shown.iter().find(|row| row[0] == *name).unwrap();
        let figures = [&all["merkhet"], &kept["published"], &kept["merkhet"]].map(|of| of["generated"].as_f64());
        assert_eq!([2, 3, 4].map(|i| number(&row[i])), figures, "{name}");
    }
    // C8 is found with the number of values that the manual names, by its command.
    let line = document.lines.iter().find(|line| line.starts_with("merkhet verify C8.xta")).unwrap();
    let folder = models.unwrap().join("stls");
    let words: Vec<&str> = line.split(' ').skip(1).chain(["--format", "json"]).collect();
    let run = run_in(&folder, &words);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let generated = report["results"][0]["stats"]["generated"].as_u64().unwrap().to_string();
    let written = format!("{},{}", &generated[..generated.len() - 3], &generated[generated.len() - 3..]);
    assert!(document.lines.iter().any(|line| line.contains(&format!("after {written} generated states"))), "{written}");
}

#[test]
fn traces_of_all_strategies_have_measured_lengths() {
    // The stand-ins do not have the case studies.
    let Some(corpus) = oracle::corpora("seed/fischer").into_iter().find(|corpus| corpus.is_shared) else { return };
    let document = Document::read(&root(), "manual/src/directed-search.md");
    let shown = tables(&document, "### All strategies in turn").swap_remove(0);
    for (folder, name) in [("mutex", "M1"), ("mutex", "N1"), ("stls", "C1"), ("stls", "C4")] {
        let folder = corpus.folder.with_file_name(folder);
        let row = shown.iter().find(|row| row[0] == name).unwrap();
        for (trace, length_at) in [("some", 4), ("short", 5), ("shortest", 6)] {
            let files = [format!("{name}.xta"), format!("{name}.q")];
            let order: &[&str] = if trace == "shortest" { &[] } else { &["--order", "auto"] };
            let words = ["verify", &files[0], &files[1], "--trace", trace, "--format", "json"];
            let run = run_in(&folder, &[&words[..], order].concat());
            let report: Value = serde_json::from_str(run.succeeds()).unwrap();
            let found = &report["results"][0];
            assert_eq!(number(&row[length_at]), found["trace"]["length"].as_f64(), "{name}, {trace}");
            if trace == "some" {
                assert_eq!(number(&row[3]), found["stats"]["generated"].as_f64(), "{name}");
            }
        }
    }
}
