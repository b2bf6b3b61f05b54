//! XML to XTA to XML: the system stays the same, down to the instructions.

use std::path::{Path, PathBuf};

use model::System;
use syntax::{Diagnostic, Format, Sources, Tree};

fn read(text: String, format: Format) -> (Sources, Tree, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text);
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
    (sources, tree, diagnostics)
}

/// Returns the system of a tree, if the model is valid.
fn system(tree: &Tree) -> Option<System> {
    model::load(tree.clone()).ok().map(|(model, _)| model.system.without_places())
}

fn nameless(mut system: System) -> System {
    system.locations.iter_mut().for_each(|l| l.name = "".into());
    system.processes.iter_mut().for_each(|p| p.name.clear());
    system.variables.iter_mut().for_each(|v| v.name.clear());
    system.clocks.iter_mut().for_each(|c| c.name.clear());
    system.channels.iter_mut().for_each(|c| c.name.clear());
    system
}

/// Prints and parses a model as XTA, then as XML, and compares the systems. Returns `false` if the
/// model is invalid.
fn same_both_ways(text: String, format: Format, name: &str) -> bool {
    let (sources, tree, diagnostics) = read(text, format);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return false;
    }
    let Some(first) = system(&tree) else { return false };
    let printed = syntax::print::xta(&tree, &sources);
    // XML may use reserved words of XTA as names; they are renamed.
    let renamed = printed.dropped.contains(&syntax::print::RESERVED_NAMES);
    let system = |tree: &Tree| system(tree).map(|s| if renamed { nameless(s) } else { s });
    let first = if renamed { nameless(first) } else { first };
    let xta = printed.text;
    let (sources, tree, diagnostics) = read(xta.clone(), Format::Xta);
    assert!(!diagnostics.iter().any(Diagnostic::is_error), "{name}: {diagnostics:#?}");
    assert!(system(&tree) == Some(first.clone()), "{name}: XTA means something else:\n{xta}");
    let xml = syntax::print::xml(&tree, &sources).text;
    let (_, tree, diagnostics) = read(xml.clone(), Format::Xml);
    assert!(!diagnostics.iter().any(Diagnostic::is_error), "{name}: {diagnostics:#?}");
    assert!(system(&tree) == Some(first), "{name}: XML means something else:\n{xml}");
    true
}

fn round_trips(folder: &Path) -> usize {
    let same = |path: &PathBuf| {
        let Ok(text) = syntax::source::decode(&std::fs::read(path).unwrap()) else { return false };
        let name = path.to_string_lossy();
        same_both_ways(text.clone(), Format::guess(&name, &text), &name)
    };
    oracle::files(folder, &["xml", "xta", "ta"]).iter().filter(|p| same(p)).count()
}

#[test]
fn examples() {
    assert!(round_trips(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")) >= 4);
}

#[test]
fn random_networks() {
    let cases = std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    for seed in oracle::seeds(0..cases) {
        let text = oracle::random::network(seed, &oracle::random::NetworkFeatures::all()).text();
        assert!(
            same_both_ways(text.clone(), Format::Xta, &format!("seed {seed}")),
            "seed {seed} is not valid:\n{text}"
        );
    }
}

#[test]
fn real_models() {
    for corpus in oracle::corpora("") {
        let count = round_trips(&corpus.folder);
        println!("{count} models");
        assert!(count > if corpus.is_shared { 250 } else { 5 });
    }
}
