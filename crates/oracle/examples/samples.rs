//! Writes random models with their queries into a folder, for tests in other languages:
//! `samples DIR COUNT SEED`. The same seed gives the same models.

use std::{fs, io, path::Path};

use oracle::random::{self, NetworkFeatures, RandomModel, Rng};

/// Returns the model of a seed, and the ending of its file.
fn sample(seed: u64) -> (RandomModel, &'static str) {
    let mut rng = Rng::new(seed);
    match seed % 8 {
        0 => (random::lattices(seed), "xta"),
        1 => (random::scalars(seed), "xta"),
        2 => (random::vectors(seed), "tck"),
        3 => {
            let features = NetworkFeatures { liveness: true, ..NetworkFeatures::all().some(&mut rng) };
            (network(seed, &features), "xta")
        }
        _ => (network(seed, &NetworkFeatures::all().some(&mut rng)), "xta"),
    }
}

fn network(seed: u64, features: &NetworkFeatures) -> RandomModel {
    // Small networks are explored completely.
    let network = random::network(seed, &NetworkFeatures { processes: 2, ..features.clone() });
    RandomModel { text: network.text(), queries: network.queries() }
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, count, seed] = &words[..] else {
        return Err(io::Error::other("samples DIR COUNT SEED"));
    };
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    let (folder, first) = (Path::new(folder), number(seed)?);
    for seed in first..first + number(count)? {
        let (RandomModel { text, queries }, ending) = sample(seed);
        fs::write(folder.join(format!("{seed}.{ending}")), text)?;
        fs::write(folder.join(format!("{seed}.q")), queries.join("\n") + "\n")?;
    }
    Ok(())
}
