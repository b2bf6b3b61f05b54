//! ARCHITECTURE.md names the modules of each crate and the crates that it depends on, and
//! CONTRIBUTING.md names all crates.

use std::{collections::BTreeSet, fs, path::Path};

use super::{markdown::Document, names, root};

/// Returns the modules of a crate, by the files and folders of its sources.
fn modules(sources: &Path) -> BTreeSet<String> {
    let names = names(sources).into_iter().map(|name| name.trim_end_matches(".rs").to_owned());
    names.filter(|name| !matches!(name.as_str(), "lib" | "main")).collect()
}

/// Returns the lines of ARCHITECTURE.md about a crate.
fn section(map: &Document, name: &str) -> Vec<String> {
    let heading = format!("### `crates/{name}`");
    let start = map.lines.iter().position(|line| *line == heading);
    let start = start.unwrap_or_else(|| panic!("ARCHITECTURE.md has no section {heading}"));
    map.lines[start + 1..].iter().take_while(|line| !line.starts_with('#')).cloned().collect()
}

#[test]
fn each_crate_has_a_table_of_its_modules() {
    let map = Document::read(&root(), "ARCHITECTURE.md");
    for name in names(&root().join("crates")) {
        let section = section(&map, &name);
        let cells = section.iter().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let cells = cells.filter(|cell| cell.starts_with('`'));
        let listed: Vec<String> =
            cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect();
        let once: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(once.len(), listed.len(), "crates/{name}: a module is listed twice");
        let modules = modules(&root().join("crates").join(&name).join("src"));
        let missing: Vec<_> = modules.difference(&once).collect();
        let nonexistent: Vec<_> = once.difference(&modules).collect();
        assert!(
            missing.is_empty() && nonexistent.is_empty(),
            "crates/{name}: not listed: {missing:?}; nonexistent: {nonexistent:?}"
        );
    }
}

/// Returns the crates of the workspace that a crate depends on, outside of its tests.
fn dependencies(name: &str, crates: &BTreeSet<String>) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let names = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split(['.', ' ']).next());
    names.filter(|name| crates.contains(*name)).map(str::to_owned).collect()
}

#[test]
fn each_crate_depends_on_what_the_map_says() {
    let map = Document::read(&root(), "ARCHITECTURE.md");
    let crates = names(&root().join("crates"));
    for name in &crates {
        let section = section(&map, name).join(" ");
        let said = section.split("Depends on ").nth(1).and_then(|rest| rest.split('.').next());
        let said = said.unwrap_or_else(|| panic!("ARCHITECTURE.md does not say what crates/{name} depends on"));
        let found = dependencies(name, &crates);
        if said == "all of the above" {
            let above = map.lines.iter().filter_map(|line| line.strip_prefix("### `crates/")?.strip_suffix('`'));
            let above: BTreeSet<String> = above.take_while(|other| other != name).map(str::to_owned).collect();
            assert_eq!(found, above, "crates/{name}");
        } else {
            let named = said.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<String>>();
            assert_eq!(found, named, "crates/{name}");
        }
    }
}

#[test]
fn contributing_names_all_crates() {
    let contributing = Document::read(&root(), "CONTRIBUTING.md");
    let code = contributing.code();
    for name in names(&root().join("crates")) {
        let path = format!("crates/{name}");
        assert!(code.contains(&path), "CONTRIBUTING.md does not name `{path}`");
    }
}
