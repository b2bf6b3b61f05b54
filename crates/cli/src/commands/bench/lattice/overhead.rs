//! What a variable of a lattice costs where it is of no use.

use verify::Verdict;

use super::{
    super::measure::{self, Measured},
    budget,
};
use crate::{args::LatticeArgs, json::bench::lattice::LatticeOverhead, output::Streams};
use ::bench::{FAMILIES, Family, search::Space};

/// What is put in front of a model.
const VARIABLE: &str = "extern UnionBitVector;\nUnionBitVector of_no_use[1];\n";

/// Families, with a size for a quick run and one for others.
const MODELS: [(&str, u32, u32); 2] = [("fischer", 6, 8), ("train-gate", 4, 5)];

/// The fastest of so many runs counts.
const RUNS: usize = 3;

/// Explores models with and without the variable.
pub fn measure(args: &LatticeArgs, streams: &mut Streams<'_>) -> Result<Vec<LatticeOverhead>, String> {
    let mut all = Vec::new();
    for (name, small, large) in MODELS {
        let Some(family) = FAMILIES.into_iter().find(|family| family.name == name) else { continue };
        all.extend(compare(args, family, if args.quick { small } else { large }, streams)?);
    }
    Ok(all)
}

/// What it costs in a model; `None` if a search was stopped.
fn compare(
    args: &LatticeArgs,
    family: &'static Family,
    size: u32,
    streams: &mut Streams<'_>,
) -> Result<Option<LatticeOverhead>, String> {
    let plain = family.xta(size);
    let spaces =
        [plain.clone(), format!("{VARIABLE}{plain}")].map(|text| Space::with_query("model.xta", &text, "E<> false"));
    let [plain, lattice] = spaces;
    let (plain, lattice) = (plain?, lattice?);
    let mut fastest = [f64::INFINITY; 2];
    let mut generated = [0; 2];
    // By turns, so that both meet the same machine.
    for _ in 0..RUNS {
        for (i, space) in [&plain, &lattice].into_iter().enumerate() {
            let options = verify::Options { update: Some(verify::Update::Cover), ..verify::Options::default() };
            let Measured { answer, seconds, .. } = measure::measure(space, &options, budget(args), streams);
            if matches!(answer.verdict, Verdict::Unknown(_)) {
                return Ok(None);
            }
            fastest[i] = fastest[i].min(seconds);
            generated[i] = answer.counts.generated;
        }
    }
    if generated[0] != generated[1] {
        return Err(format!(
            "{} has {} states, and {} with a variable of no use",
            family.name, generated[0], generated[1]
        ));
    }
    let [plain_seconds, lattice_seconds] = fastest;
    let ratio = lattice_seconds / plain_seconds.max(1e-9);
    let generated = generated[0] as u64;
    Ok(Some(LatticeOverhead { family: family.name, size, generated, plain_seconds, lattice_seconds, ratio }))
}
