//! Compares unfoldings of coloured nets with an oracle that fires them as they are.
//!
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-oracle --test suite coloured::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::collections::BTreeSet;

use oracle::{
    coloured::{NamedMarking, random_aged_coloured_net, random_coloured_net},
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
    compare(&text, &truth).map_err(wrong)?;
    Ok(Count { compared: 1, skipped: 0, markings: truth.len() as u64, alive: u64::from(truth.len() > 1) })
}

fn examine_aged(seed: u64) -> Result<Count, String> {
    let aged = random_aged_coloured_net(seed);
    let Some(truth) = aged.markings(TOKENS.into(), MARKINGS) else {
        return Ok(Count { skipped: 1, ..Count::default() });
    };
    let text = aged.tapaal();
    compare(&text, &truth).map_err(|why| format!("{text}\nseed {seed}: {why}"))?;
    Ok(Count { compared: 1, skipped: 0, markings: truth.len() as u64, alive: u64::from(truth.len() > 1) })
}

/// Compares the markings of an unfolding with those of the coloured net.
fn compare(text: &str, truth: &BTreeSet<NamedMarking>) -> Result<(), String> {
    let net = unfolded(text)?;
    let limits = NetLimits { states: 30 * MARKINGS, tokens: TOKENS };
    let reach = nets::markings(&net, limits).ok_or("too many markings")?;
    let named = |marking: &Vec<u32>| -> NamedMarking {
        net.places.iter().zip(marking).map(|(p, tokens)| (p.written.clone(), u64::from(*tokens))).collect()
    };
    let found: BTreeSet<NamedMarking> = reach.markings.iter().map(named).collect();
    if found != *truth {
        let missing = truth.difference(&found).next();
        let more = found.difference(truth).next();
        return Err(format!("missing {missing:?}, and unreachable {more:?}"));
    }
    Ok(())
}

fn add(sum: &mut Count, new: Count) {
    sum.compared += new.compared;
    sum.skipped += new.skipped;
    sum.markings += new.markings;
    sum.alive += new.alive;
}

#[test]
fn unfoldings_have_the_markings_of_coloured_nets() {
    let count = oracle::campaign(1500, examine, add);
    println!("{count:?}");
    assert!(count.compared > 3 * count.skipped && count.alive * 2 > count.compared);
}

/// TAPAAL's colours, with ages that depend on them, transport arcs, inhibitors and urgency.
#[test]
fn unfoldings_have_the_markings_of_coloured_nets_with_ages() {
    let count = oracle::campaign(500, examine_aged, add);
    println!("{count:?}");
    assert!(count.compared > 3 * count.skipped && count.alive * 3 > count.compared);
}
