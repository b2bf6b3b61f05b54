//! The cost of an unused variable of a lattice.

use thiserror::Error;
use verify::Verdict;

use super::{
    super::measure::{self, Measured},
    budget,
};
use crate::{args::LatticeArgs, json::bench::lattice::LatticeOverhead, output::Streams};
use ::bench::{
    FAMILIES, Family,
    search::{Space, SpaceError},
};

/// The declaration that is added to a model.
const VARIABLE: &str = "extern UnionBitVector;\nUnionBitVector of_no_use[1];\n";

/// Families, with a size for a quick run and one for others.
const MODELS: [(&str, u32, u32); 2] = [("fischer", 6, 8), ("train-gate", 4, 5)];

/// The number of runs, of which the fastest counts.
const RUNS: usize = 3;

/// Why nothing is compared.
#[derive(Debug, Error)]
pub enum OverheadError {
    #[error(transparent)]
    Space(#[from] SpaceError),
    #[error("{family} has {plain} states, and {lattice} with an unused variable")]
    States { family: &'static str, plain: usize, lattice: usize },
}

/// Explores models with and without the variable.
pub fn measure(args: &LatticeArgs, streams: &mut Streams<'_>) -> Result<Vec<LatticeOverhead>, OverheadError> {
    let mut all = Vec::new();
    for (name, small, large) in MODELS {
        let Some(family) = FAMILIES.into_iter().find(|family| family.name == name) else { continue };
        all.extend(compare(args, family, if args.quick { small } else { large }, streams)?);
    }
    Ok(all)
}

/// Measures the cost in a model; `None` if a search was stopped.
fn compare(
    args: &LatticeArgs,
    family: &'static Family,
    size: u32,
    streams: &mut Streams<'_>,
) -> Result<Option<LatticeOverhead>, OverheadError> {
    let plain = family.xta(size);
    let spaces =
        [plain.clone(), format!("{VARIABLE}{plain}")].map(|text| Space::with_query("model.xta", &text, "E<> false"));
    let [plain, lattice] = spaces;
    let (plain, lattice) = (plain?, lattice?);
    let mut fastest = [f64::INFINITY; 2];
    let mut generated = [0; 2];
    // In turn, so that both have the same conditions.
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
        let [plain, lattice] = generated;
        return Err(OverheadError::States { family: family.name, plain, lattice });
    }
    let [plain_seconds, lattice_seconds] = fastest;
    let ratio = lattice_seconds / plain_seconds.max(1e-9);
    let generated = generated[0] as u64;
    Ok(Some(LatticeOverhead { family: family.name, size, generated, plain_seconds, lattice_seconds, ratio }))
}
