//! Rules that the sources keep throughout the workspace. ARCHITECTURE.md and CONTRIBUTING.md state
//! them. The checks are textual: they rely on the layout of `cargo fmt`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use super::{
    root,
    sources::{SourceFile, code, crates, files, words},
};

/// The crates that only this workspace uses. Each of their public items is used by another crate.
const LIBRARIES: [&str; 13] = [
    "syntax",
    "zone",
    "lattice",
    "model",
    "draw",
    "explore",
    "smt",
    "bounded",
    "statistical",
    "verify",
    "certify",
    "bench",
    "oracle",
];

#[track_caller]
fn assert_none(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}:\n  {}", offenders.join("\n  "));
}

/// Returns the keyword and the name of the item that a line declares, without its visibility.
fn item(line: &str) -> Option<(&str, &str)> {
    let mut line = line;
    while let Some(rest) = ["const fn ", "unsafe ", "async "].iter().find_map(|prefix| {
        let rest = line.strip_prefix(prefix)?;
        Some(if *prefix == "const fn " { &line["const ".len()..] } else { rest })
    }) {
        line = rest;
    }
    let (keyword, rest) = line.split_once(' ')?;
    let is_item = matches!(keyword, "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union");
    Some((keyword, words(rest).next()?)).filter(|_| is_item)
}

fn is_type(keyword: &str) -> bool {
    matches!(keyword, "struct" | "enum" | "trait" | "type" | "union")
}

/// Returns a line without `pub` and its scope.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = if rest.starts_with('(') { rest.split_once(") ").map_or(rest, |(_, rest)| rest) } else { rest };
    rest.trim_start()
}

/// The types of each name: the crates that declare it, with the files.
fn types() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let mut types: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for name in crates() {
        for file in code(&name) {
            for line in &file.lines {
                if let Some((keyword, word)) = item(without_visibility(line))
                    && is_type(keyword)
                {
                    let places = types.entry(word.to_owned()).or_default().entry(name.clone()).or_default();
                    places.push(file.path.clone());
                }
            }
        }
    }
    types
}

#[test]
fn a_name_means_one_type_within_a_crate() {
    let mut offenders = Vec::new();
    for (name, places) in types() {
        for (declaring, files) in places.iter().filter(|(_, files)| files.len() > 1) {
            offenders.push(format!("{name} in crates/{declaring}: {}", files.join(", ")));
        }
    }
    assert_none(&offenders, "several types of one crate have the same name");
}

#[test]
fn few_crates_use_one_name_for_their_types() {
    let max = 3;
    let offenders: Vec<String> = types()
        .into_iter()
        .filter(|(_, places)| places.len() > max)
        .map(|(name, places)| format!("{name}: {}", places.into_keys().collect::<Vec<_>>().join(", ")))
        .collect();
    assert_none(&offenders, &format!("a type's name is declared in more than {max} crates"));
}

/// A public item of a crate.
struct PublicItem {
    quote: String,
    name: String,
    is_type: bool,
}

/// Returns the name of the type whose methods an `impl` line begins.
fn implementing(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { after_generics(rest) } else { rest };
    let of = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    words(of).find(|word| word.starts_with(char::is_uppercase))
}

/// Returns a text after the generic parameters that it begins with.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
        if depth == 0 {
            return &text[i + 1..];
        }
    }
    ""
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The public items of a crate, and for each identifier in the declarations of public items the
/// types in whose declarations or methods it occurs.
fn public_items(name: &str) -> (Vec<PublicItem>, BTreeMap<String, BTreeSet<String>>) {
    let sources = code(name);
    let declared = |file: &SourceFile, wanted: fn(&str) -> bool| -> BTreeSet<String> {
        let lines = file.lines.iter().filter_map(|line| line.strip_prefix("pub "));
        lines.filter_map(item).filter(|(keyword, _)| wanted(keyword)).map(|(_, name)| name.to_owned()).collect()
    };
    let public_types: BTreeSet<String> = sources.iter().flat_map(|file| declared(file, is_type)).collect();
    let mut items = Vec::new();
    let mut mentions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &sources {
        // The type whose declaration or methods the line belongs to, and whether all lines of its
        // block are public: those of an enum, a trait, or the implementation of a trait.
        let (mut within, mut is_open) = (String::new(), false);
        // Whether the line continues the declaration of a public item.
        let mut continues = false;
        for (i, line) in file.lines.iter().enumerate() {
            let text = line.trim_start();
            let public = text.strip_prefix("pub ").filter(|_| indent(line) <= 4);
            let declaration = public.and_then(item);
            if indent(line) == 0 && !text.is_empty() && !text.starts_with(['}', ')', '#']) && !continues {
                let declared = declaration.filter(|(keyword, _)| is_type(keyword));
                within = declared.map(|(_, name)| name).or(implementing(text)).unwrap_or_default().to_owned();
                is_open = match declared {
                    Some((keyword, _)) => matches!(keyword, "enum" | "trait" | "type"),
                    None => text.starts_with("impl") && text.contains(" for "),
                };
            }
            let is_hidden = !within.is_empty() && !public_types.contains(&within);
            if let Some((keyword, name)) = declaration.filter(|_| !is_hidden) {
                items.push(PublicItem { quote: file.quote(i), name: name.to_owned(), is_type: is_type(keyword) });
            }
            let is_associated = is_open && text.starts_with("type ");
            let in_block = is_open && !file.lines[i].is_empty() && public_types.contains(&within);
            if !is_hidden && (public.is_some() || continues || is_associated || in_block) {
                for word in words(text) {
                    mentions.entry(word.to_owned()).or_default().insert(within.clone());
                }
                let is_function = continues || declaration.is_some_and(|(keyword, _)| keyword == "fn");
                continues = is_function && !text.ends_with(['{', ';']) && !text.ends_with('}');
            }
        }
    }
    (items, mentions)
}

/// Returns the identifiers in the examples of the documentation, which are separate programs.
fn examples(lines: &[String]) -> Vec<String> {
    let (mut found, mut language) = (Vec::new(), None);
    for line in lines {
        let text = line.trim_start();
        let Some(text) = text.strip_prefix("//!").or(text.strip_prefix("///")) else { continue };
        if let Some(named) = text.trim_start().strip_prefix("```") {
            language = if language.is_none() { Some(named) } else { None };
        } else if language.is_some_and(|language| language != "text") {
            found.extend(words(text).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_public_item_is_used_by_another_crate() {
    // The identifiers of each program, by crate. Tests and benches are separate programs.
    let mut used: BTreeMap<(String, bool), BTreeSet<String>> = BTreeMap::new();
    for name in crates() {
        for file in files(&name, "") {
            let is_source = file.path.starts_with(&format!("crates/{name}/src/"));
            let lines = file.lines.iter().filter(|line| !line.trim_start().starts_with("//"));
            let words = lines.flat_map(|line| words(line)).map(str::to_owned);
            used.entry((name.clone(), is_source)).or_default().extend(words);
            used.entry((name.clone(), false)).or_default().extend(examples(&file.lines));
        }
    }
    let mut offenders = Vec::new();
    for library in LIBRARIES {
        let (items, mentions) = public_items(library);
        for item in items {
            let is_used = used
                .iter()
                .any(|((other, is_source), words)| (other != library || !is_source) && words.contains(&item.name));
            // A type that a public declaration needs is public too.
            let is_needed = item.is_type
                && mentions.get(&item.name).is_some_and(|within| within.iter().any(|within| *within != item.name));
            if !is_used && !is_needed {
                offenders.push(item.quote);
            }
        }
    }
    assert_none(&offenders, "these public items are not used by another crate");
}

/// The fields of `explore::search::Search`.
const SEARCH_FIELDS: [&str; 6] = ["transitions", "goal", "seen", "open", "limits", "observer"];

/// Returns the first field of a literal `Search { … }`.
fn literal<'l>(line: &'l str, next: Option<&'l String>) -> Option<&'l str> {
    let (before, fields) = line.split_once("Search {")?;
    let is_whole = before.is_empty() || before.ends_with([' ', '(', ':', '&']);
    let fields = if fields.trim().is_empty() { next?.as_str() } else { fields };
    words(fields).next().filter(|_| is_whole)
}

#[test]
fn there_is_one_search_loop() {
    let mut offenders = Vec::new();
    for name in ["explore", "verify", "merkhet", "bench", "cli"] {
        for file in code(name) {
            let has_open_list = file.lines.iter().any(|line| words(line).any(|word| word == "OpenList"));
            let within = |allowed: &[&str]| allowed.contains(&file.path.as_str());
            for (i, line) in file.lines.iter().enumerate() {
                // Searches are constructed in one place.
                let starts = literal(line, file.lines.get(i + 1)).is_some_and(|field| SEARCH_FIELDS.contains(&field));
                // One loop takes states from an open list.
                let takes = has_open_list && line.contains("open.pop(");
                // Every loop counts the states that it expands. Searches for cycles have separate
                // loops.
                let expands = line.contains("explored += ");
                let is_right = (!starts || within(&["crates/explore/src/shard/team.rs"]))
                    && (!takes || within(&["crates/explore/src/search/mod.rs"]))
                    && (!expands || within(&EXPANDING));
                if !is_right {
                    offenders.push(file.quote(i));
                }
            }
        }
    }
    assert_none(&offenders, "a search loop beside the one in crates/explore/src/search");
}

/// The files with loops that expand states of the zone graph, as listed in ARCHITECTURE.md: the
/// search, and the searches for cycles.
const EXPANDING: [&str; 3] =
    ["crates/explore/src/search/mod.rs", "crates/explore/src/liveness.rs", "crates/explore/src/acyclic/mod.rs"];

#[test]
fn errors_have_types() {
    let mut offenders = Vec::new();
    for name in crates() {
        // Files of tests alone are for readers.
        for file in code(&name).iter().filter(|file| !file.lines.iter().any(|line| line == "#[test]")) {
            for (i, line) in file.lines.iter().enumerate() {
                if line.contains(", String>") && words(line).any(|word| word == "Result") {
                    offenders.push(file.quote(i));
                }
            }
        }
    }
    assert_none(&offenders, "the error of a result is a string");
}

#[test]
fn comments_wrap_at_100_columns() {
    let mut offenders = Vec::new();
    for file in crates().iter().flat_map(|name| files(name, "")) {
        let mut in_example = false;
        for (i, line) in file.lines.iter().enumerate() {
            let text = line.trim_start().trim_start_matches(['/', '!']).trim();
            let is_comment = line.trim_start().starts_with("//");
            in_example = is_comment && in_example != text.starts_with("```");
            // Examples are code. Text without blanks, such as an address, can't be wrapped.
            if is_comment && !in_example && line.chars().count() > 100 && text.contains(' ') {
                offenders.push(file.quote(i));
            }
        }
    }
    assert_none(&offenders, "a comment is longer than 100 columns");
}

#[test]
fn examples_of_the_documentation_are_tested() {
    // Reading a whole crate to find no example takes as long as checking it, so crates without
    // examples are left out.
    let mut offenders = Vec::new();
    for name in crates() {
        let manifest = fs::read_to_string(root().join("crates").join(&name).join("Cargo.toml")).unwrap();
        let is_library = !files(&name, "src").iter().any(|file| file.path.ends_with("/src/main.rs"));
        let is_tested = is_library && !manifest.contains("doctest = false");
        let has_examples = files(&name, "src").iter().any(|file| !examples(&file.lines).is_empty());
        if is_tested != has_examples {
            let wrong = if is_tested { "has none, but tests them" } else { "has some, but does not test them" };
            offenders.push(format!("crates/{name} {wrong}"));
        }
    }
    assert_none(&offenders, "examples of the documentation and `doctest` of the library disagree");
}
