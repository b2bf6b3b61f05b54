//! Certificates for nets: those of the engine are proofs. Inhibitor arcs give clock guards to
//! urgent edges, which is the hard case.

use crate::support::{answer, certificate, check};
use oracle::{
    nets,
    random_nets::{NetFeatures as Kind, random_net},
};
use syntax::net::{Timing, tina};
use verify::{Options, Verdict};

#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    states: usize,
}

fn examine(seed: u64, timing: Timing) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let net = random_net(seed, &Kind::new(timing));
    let limits = nets::NetLimits { states: 3_000, ..nets::NetLimits::default() };
    let Some(truth) = nets::markings(&net, limits).filter(|truth| !truth.contact) else { return Ok(tally) };
    let text = tina::text(&net);
    let first = &net.places[0].name;
    let queries =
        ["A[] not deadlock".to_owned(), format!("E<> {first} == 2"), format!("A[] {first} <= 1 && time >= 0")];
    let loaded = oracle::load_net(&text, &queries)?;
    for (property, query) in loaded.properties.iter().zip(&queries) {
        let (verdict, cover) = certificate(&loaded.system, property, &Options::default(), 30_000);
        if query == &queries[0] && (verdict == Verdict::Satisfied) == truth.deadlock {
            return Err(format!("{text}\n{query}: {verdict:?}"));
        }
        let Some(cover) = cover else { continue };
        let proved = check(&loaded.system, property, answer(property), &cover)
            .map_err(|why| format!("{text}\nseed {seed}, {query}\n{why:#?}"))?;
        tally.proved += 1;
        tally.states += proved.states;
    }
    Ok(tally)
}

fn campaign(timing: Timing) {
    let add = |sum: &mut Tally, new: Tally| {
        sum.proved += new.proved;
        sum.states += new.states;
    };
    let tally = oracle::campaign(300, |seed| examine(seed, timing), add);
    println!("{timing:?}: {tally:?}");
    assert!(tally.proved > 0);
}

#[test]
fn intervals_on_places() {
    campaign(Timing::Places);
}

#[test]
fn intervals_on_transitions() {
    campaign(Timing::Transitions);
}
