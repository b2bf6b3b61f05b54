//! Compares unfoldings of coloured nets with an oracle that fires them as they are.
//!
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-oracle --test suite coloured::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::collections::BTreeSet;

use oracle::{
    coloured::{NamedMarking, random_coloured_net},
    nets::{self, NetLimits},
};
use syntax::{Format, Sources, net::Net};

/// The greatest number of tokens of a colour in a place.
const TOKENS: u32 = 3;

/// Nets with more markings are skipped.
const MARKINGS: usize = 3_000;

#[derive(Debug, Default)]
struct Count {
    compared: u64,
    skipped: u64,
    markings: u64,
    /// Nets in which something can fire.
    alive: u64,
}

fn unfolded(text: &str) -> Result<Net, String> {
    let mut sources = Sources::new();
    let file = sources.add_file("random.pnml", text.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::NetXml);
    if let Some(problem) = problems.iter().find(|p| p.is_error()) {
        return Err(problem.message.clone());
    }
    Ok((*tree.net.ok_or("no net")?).clone())
}

fn examine(seed: u64) -> Result<Count, String> {
    let coloured = random_coloured_net(seed);
    let Some(truth) = coloured.markings(TOKENS.into(), MARKINGS) else {
        return Ok(Count { skipped: 1, ..Count::default() });
    };
    let text = coloured.pnml();
    let wrong = |why: String| format!("{text}\nseed {seed}: {why}");
    let net = unfolded(&text).map_err(wrong)?;
    let limits = NetLimits { states: MARKINGS + 1, tokens: TOKENS };
    let reach = nets::markings(&net, limits).ok_or_else(|| wrong("too many markings".to_owned()))?;
    let named = |marking: &Vec<u32>| -> NamedMarking {
        net.places.iter().zip(marking).map(|(p, tokens)| (p.written.clone(), u64::from(*tokens))).collect()
    };
    let found: BTreeSet<NamedMarking> = reach.markings.iter().map(named).collect();
    if found != truth {
        let missing = truth.difference(&found).next();
        let more = found.difference(&truth).next();
        return Err(wrong(format!("missing {missing:?}, and unreachable {more:?}")));
    }
    Ok(Count { compared: 1, skipped: 0, markings: truth.len() as u64, alive: u64::from(truth.len() > 1) })
}

#[test]
fn unfoldings_have_the_markings_of_coloured_nets() {
    let add = |sum: &mut Count, new: Count| {
        sum.compared += new.compared;
        sum.skipped += new.skipped;
        sum.markings += new.markings;
        sum.alive += new.alive;
    };
    let count = oracle::campaign(1500, examine, add);
    println!("{count:?}");
    assert!(count.compared > 3 * count.skipped && count.alive * 2 > count.compared);
}
