//! Every real model that can be parsed survives printing, in both formats.

use std::path::{Path, PathBuf};

use crate::common::{read, round_trip};
use syntax::Format;

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "xml" || e == "xta" || e == "ta") {
            found.push(path);
        }
    }
}

#[test]
fn real_models_survive() {
    let given = std::env::var_os("MERKHET_MODELS").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"));
    let mut paths = Vec::new();
    models(&folder, &mut paths);
    paths.sort();
    if paths.is_empty() {
        println!("SKIPPED: there are no models in {}", folder.display());
        return;
    }
    let (mut skipped, mut failed) = (0, 0);
    for path in &paths {
        let name = path.to_string_lossy();
        let Some(text) = std::fs::read(path).ok().and_then(|bytes| syntax::source::decode(&bytes).ok()) else {
            skipped += 1;
            continue;
        };
        let model = read(&text, Format::guess(&name, &text));
        if !model.errors().is_empty() {
            skipped += 1;
            continue;
        }
        let result = [Format::Xta, Format::Xml].into_iter().try_for_each(|format| {
            let back = round_trip(&model, format)?;
            let other = if format == Format::Xta { Format::Xml } else { Format::Xta };
            round_trip(&back, other).map(|_| ())
        });
        if let Err(why) = result {
            failed += 1;
            println!("{name}: {why}\n");
        }
    }
    println!("{} models, {skipped} skipped because they can't be parsed, {failed} failed", paths.len());
    assert_eq!(failed, 0);
}
