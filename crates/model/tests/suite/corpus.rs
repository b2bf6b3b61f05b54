//! Real models, and stand-ins for them: models that UPPAAL's parser accepts are accepted, and
//! models that it rejects are rejected at the same place.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use model::Model;
use syntax::{Diagnostic, Sources};

/// Returns the rows of a table, each with its folder.
fn rows<'f>(folder: &'f Path, table: &str) -> Vec<(&'f Path, Vec<String>)> {
    let text = std::fs::read_to_string(folder.join(table)).unwrap();
    text.lines().skip(1).map(|line| (folder, line.split('\t').map(str::to_owned).collect())).collect()
}

struct Loaded {
    sources: Sources,
    model: Option<Model>,
    errors: Vec<Diagnostic>,
}

fn load(path: &Path) -> Loaded {
    match oracle::read_file(path) {
        Ok((sources, model)) => Loaded { sources, model: Some(model), errors: Vec::new() },
        Err((sources, errors)) => Loaded { sources, model: None, errors },
    }
}

/// `… in PATH at line L column C …`, as UPPAAL's parser writes it; columns from 0.
fn place(note: &str) -> Option<(String, u32, u32)> {
    let (_, rest) = note.rsplit_once(" in /")?;
    let (path, rest) = rest.split_once(" at line ")?;
    let mut words = rest.split(' ');
    let line = words.next()?.parse().ok()?;
    let column = words.nth(1)?.parse().ok()?;
    Some((format!("/{path}"), line, column))
}

fn describe(loaded: &Loaded) -> String {
    let show = |d: &Diagnostic| match loaded.sources.locate(d.primary.span) {
        Some(at) => format!("{} in {} at {}:{}", d.message, at.place.path, at.start.line, at.start.column),
        None => d.message.clone(),
    };
    loaded.errors.iter().take(3).map(show).collect::<Vec<_>>().join("; ")
}

#[test]
fn real_models_agree_with_uppaals_parser() {
    let exceptions: BTreeMap<&str, &str> = include_str!("parse-exceptions.tsv")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    let corpora = oracle::corpora("uppaal");
    for (folder, row) in corpora.iter().flat_map(|corpus| rows(&corpus.folder, "parse.tsv")) {
        let (path, expected, note) = (row[0].as_str(), row[1].as_str(), row[2].as_str());
        if exceptions.contains_key(path) || expected == "either" {
            continue;
        }
        checked += 1;
        let loaded = load(&folder.join(path));
        let valid = loaded.errors.is_empty();
        if valid != (expected == "valid") {
            wrong.push(format!("{path}: expected {expected} ({note}), found {}", describe(&loaded)));
            continue;
        }
        if let Some((xpath, line, column)) = place(note) {
            let same_place = |d: &Diagnostic| {
                // UPPAAL reports errors of a whole element at line 1, column 0.
                loaded.sources.locate(d.primary.span).is_some_and(|at| {
                    at.place.path.starts_with(&xpath) && (at.start.line, at.start.column) == (line, column + 1)
                        || column == 0 && (at.place.path.is_empty() || at.place.path.starts_with(&xpath))
                        || xpath == "/nta/system" && at.place.path == xpath && at.start.line == line
                })
            };
            if !loaded.errors.iter().any(same_place) {
                wrong.push(format!("{path}: expected {note}, found {}", describe(&loaded)));
            }
        }
    }
    println!("{checked} models");
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn recorded_queries_check() {
    let mut by_model: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for (folder, row) in oracle::corpora("uppaal").iter().flat_map(|corpus| rows(&corpus.folder, "verdicts.tsv")) {
        by_model.entry(folder.join(&row[0])).or_default().push(row[1].clone());
    }
    let mut wrong = Vec::new();
    for (path, queries) in by_model {
        let mut loaded = load(&path);
        let path = path.display();
        let Some(mut model) = loaded.model.take() else {
            wrong.push(format!("{path}: {}", describe(&loaded)));
            continue;
        };
        for text in queries {
            wrong.extend(ask(&mut loaded.sources, &mut model, &text).err().map(|why| format!("{path}: {text}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn ask(sources: &mut Sources, model: &mut Model, text: &str) -> Result<(), String> {
    let file = sources.add_file("query", text.to_owned());
    let queries = syntax::read_queries(sources, file, &mut model.tree);
    if queries.is_empty() {
        return Err("no query".to_owned());
    }
    for query in queries {
        if let Err(problems) = model.query(&query) {
            return Err(problems.first().map_or(String::new(), |d| d.message.clone()));
        }
    }
    Ok(())
}

#[test]
fn case_studies_check_with_their_queries() {
    for corpus in oracle::corpora("seed") {
        let paths = corpus.files(&["xta", "xml"]);
        assert!(!corpus.is_shared || paths.len() >= 20);
        for at in paths {
            let mut loaded = load(&at);
            let Some(mut model) = loaded.model.take() else { panic!("{}: {}", at.display(), describe(&loaded)) };
            if let Ok(text) = std::fs::read_to_string(at.with_extension("q")) {
                ask(&mut loaded.sources, &mut model, &text).unwrap_or_else(|why| panic!("{}: {why}", at.display()));
            }
            assert!(model.unsupported().is_empty(), "{}", at.display());
            assert!(!model.system.edges.is_empty());
        }
    }
}
