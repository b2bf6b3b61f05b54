//! Every real model that can be parsed survives printing, in both formats.

use std::path::PathBuf;

use oracle::Corpus;
use syntax::Format;

use crate::common::{read, round_trip};

#[test]
fn real_models_survive() {
    let given = std::env::var_os("MERKHET_MODELS").map(PathBuf::from);
    let corpora = given.map_or_else(|| oracle::corpora(""), |folder| vec![Corpus { folder, is_shared: true }]);
    let paths: Vec<PathBuf> = corpora.iter().flat_map(|corpus| corpus.files(&["xml", "xta", "ta"])).collect();
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
