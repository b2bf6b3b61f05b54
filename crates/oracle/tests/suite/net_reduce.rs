//! Reduced nets have the same answers: each rule, on random nets to which it applies.
//!
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-oracle --test suite net_reduce::` is a
//! campaign.

use std::collections::BTreeSet;

use model::net_reduce::{Counts, Keep, Reduced, reduce};
use oracle::{
    nets::{self, Marking, NetLimits},
    random::Rng,
    random_nets::{NetFeatures, random_net},
};
use syntax::net::{Arc, Interval, Net, Place, Timing, Transition, tina};

const LIMITS: NetLimits = NetLimits { states: 6_000, tokens: u32::MAX };

/// The number of firings that are compared one by one.
const STEPS: usize = 3;

fn weight(arcs: &[Arc], place: u32) -> Option<u32> {
    arcs.iter().find(|arc| arc.place == place).map(|arc| arc.weight)
}

fn add_arc(arcs: &mut Vec<Arc>, place: u32, weight: u32) {
    if arcs.iter().all(|arc| arc.place != place) {
        arcs.push(Arc { place, weight });
        arcs.sort_unstable();
    }
}

fn add_place(net: &mut Net, like: usize, tokens: u32) -> u32 {
    let number = net.places.len() as u32;
    let name = format!("x{number}");
    let place = Place { written: name.clone(), name, tokens, ..net.places[like].clone() };
    net.places.push(place);
    number
}

fn add_transition(net: &mut Net, t: Transition) {
    let name = format!("y{}", net.transitions.len());
    net.transitions.push(Transition { written: name.clone(), name, ..t });
}

/// Adds structures to which the rules apply.
fn decorate(net: &mut Net, rng: &mut Rng) {
    for _ in 0..rng.between(1, 4) {
        let (p, t) = (rng.below(net.places.len()), rng.below(net.transitions.len()));
        match *rng.pick(&[0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 5]) {
            // A duplicate of a place, kept or not.
            0 => {
                let twin = add_place(net, p, net.places[p].tokens);
                let everywhere = rng.chance(50);
                for t in &mut net.transitions {
                    if let Some(w) = weight(&t.takes, p as u32) {
                        add_arc(&mut t.takes, twin, w);
                    }
                    if let Some(w) = weight(&t.puts, p as u32) {
                        add_arc(&mut t.puts, twin, w);
                    }
                    if let Some(w) = weight(&t.tests, p as u32).filter(|_| everywhere || rng.chance(50)) {
                        add_arc(&mut t.tests, twin, w);
                    }
                    if let Some(w) = weight(&t.inhibitors, p as u32).filter(|_| rng.chance(50)) {
                        add_arc(&mut t.inhibitors, twin, w);
                    }
                }
            }
            // A duplicate of a transition.
            1 => add_transition(net, net.transitions[t].clone()),
            // A place whose tokens are returned.
            2 => {
                let tokens = if net.timing == Timing::Places { 1 } else { rng.between(1, 3) as u32 };
                let constant = add_place(net, p, tokens);
                if rng.chance(60) {
                    net.places[constant as usize].delay =
                        if net.timing == Timing::Places { Interval::NOW } else { Interval::ANY };
                }
                for t in &mut net.transitions {
                    match rng.below(5) {
                        0 => {
                            add_arc(&mut t.takes, constant, 1);
                            add_arc(&mut t.puts, constant, 1);
                        }
                        1 => add_arc(&mut t.tests, constant, 1),
                        2 if rng.chance(30) => add_arc(&mut t.inhibitors, constant, 1 + rng.below(2) as u32),
                        _ => {}
                    }
                }
                if net.timing == Timing::Places {
                    net.transitions.iter_mut().flat_map(|t| &mut t.inhibitors).for_each(|arc| arc.weight = 1);
                }
            }
            // An unmarked place, and transitions that need its tokens.
            3 => {
                let empty = add_place(net, p, 0);
                let arcs = &mut net.transitions[t];
                if rng.chance(50) {
                    add_arc(&mut arcs.inhibitors, empty, 1)
                } else {
                    add_arc(&mut arcs.tests, empty, 1)
                }
            }
            // A place without output arcs.
            4 => {
                let sink = add_place(net, p, 0);
                add_arc(&mut net.transitions[t].puts, sink, 1);
            }
            // A place between two halves of a transition.
            _ => {
                let middle = add_place(net, p, 0);
                let second = Transition {
                    takes: vec![Arc { place: middle, weight: 1 }],
                    tests: Vec::new(),
                    inhibitors: Vec::new(),
                    ..net.transitions[t].clone()
                };
                net.transitions[t].puts = vec![Arc { place: middle, weight: 1 }];
                add_transition(net, second);
            }
        }
    }
}

/// Projects markings to the kept places.
fn projected(markings: &BTreeSet<Marking>, places: &[usize]) -> BTreeSet<Marking> {
    markings.iter().map(|m| places.iter().map(|&p| m[p]).collect()).collect()
}

#[derive(Debug, Default)]
struct Count {
    compared: u64,
    passed_over: u64,
    rules: Counts,
}

fn add(sum: &mut Count, new: Count) {
    sum.compared += new.compared;
    sum.passed_over += new.passed_over;
    let (a, b) = (&mut sum.rules, new.rules);
    a.dead_transitions += b.dead_transitions;
    a.empty_places += b.empty_places;
    a.constant_places += b.constant_places;
    a.equal_places += b.equal_places;
    a.unread_places += b.unread_places;
    a.equal_transitions += b.equal_transitions;
    a.idle_transitions += b.idle_transitions;
    a.fused_places += b.fused_places;
}

fn examine(seed: u64, timing: Timing) -> Result<Count, String> {
    let mut rng = Rng::new(seed ^ 0x7265_6475);
    // Nets with much behaviour: tokens stay in their processes and few transitions wait for others.
    let (places, transitions) = (5, if timing == Timing::Transitions { 6 } else { 8 });
    let kind = NetFeatures { places, transitions, tokens: Some(4), bound: 2, safe: 85, ..NetFeatures::new(timing) };
    let mut net = random_net(seed, &kind);
    // Set explicitly, in case no interval implies it.
    net.timing = timing;
    decorate(&mut net, &mut rng);
    let keep = Keep {
        places: net.places.iter().map(|_| rng.chance(40)).collect(),
        deadlock: rng.chance(60),
        contact: rng.chance(50),
    };
    let reduced = reduce(&net, &keep, &|| false);
    let shown = || format!("{}\n{keep:?}\n{:?}\n{}", tina::text(&net), reduced.counts, tina::text(&reduced.net));
    compare(&net, &keep, &reduced).map_err(|why| format!("{}\nseed {seed}: {why}", shown())).map(|done| Count {
        compared: u64::from(done),
        passed_over: u64::from(!done),
        rules: reduced.counts,
    })
}

/// Compares a net with its reduction; `false`: there are too many states.
fn compare(net: &Net, keep: &Keep, reduced: &Reduced) -> Result<bool, String> {
    let asked: Vec<usize> = (0..net.places.len()).filter(|p| keep.places[*p]).collect();
    let there: Option<Vec<usize>> = asked.iter().map(|&p| reduced.places[p].map(|p| p as usize)).collect();
    let there = there.ok_or("a kept place is missing")?;
    let (Some(before), Some(after)) = (nets::markings(net, LIMITS), nets::markings(&reduced.net, LIMITS)) else {
        return Ok(false);
    };
    if keep.contact && before.contact != after.contact {
        return Err(format!("contact {} became {}", before.contact, after.contact));
    }
    // Nets that exceed the token limit have no further guarantees.
    if before.contact {
        return Ok(true);
    }
    if after.contact {
        return Err("only the reduced net exceeds the token limit".to_owned());
    }
    if projected(&before.markings, &asked) != projected(&after.markings, &there) {
        return Err("other markings".to_owned());
    }
    if keep.deadlock && before.deadlock != after.deadlock {
        return Err(format!("deadlock {} became {}", before.deadlock, after.deadlock));
    }
    if reduced.counts.fused_places + reduced.counts.idle_transitions > 0 {
        return Ok(true);
    }
    // By firings and by moments, unless transitions were fused.
    let steps = [net, &reduced.net].map(|net| nets::markings_by_step(net, STEPS, LIMITS));
    let [Some(before), Some(after)] = steps else { return Ok(false) };
    for k in 0..=STEPS {
        let same = |before: &[BTreeSet<Marking>], after: &[BTreeSet<Marking>]| {
            projected(&before[k], &asked) == projected(&after[k], &there)
        };
        if !same(&before.firings, &after.firings) || !same(&before.moments, &after.moments) {
            return Err(format!("other markings after {k} steps"));
        }
    }
    Ok(true)
}

fn campaign(cases: u64, timing: Timing) -> Counts {
    let count = oracle::campaign(cases, |seed| examine(seed, timing), add);
    println!("{timing:?}: {count:?}");
    assert!(count.compared > 8 * count.passed_over);
    let rules = count.rules;
    for applied in [
        rules.dead_transitions,
        rules.empty_places,
        rules.constant_places,
        rules.equal_places,
        rules.unread_places,
        rules.equal_transitions,
    ] {
        assert!(applied as u64 >= oracle::expected(cases / 100, cases), "{rules:?}");
    }
    rules
}

#[test]
fn intervals_on_places() {
    campaign(3_000, Timing::Places);
}

#[test]
fn intervals_on_transitions() {
    campaign(3_000, Timing::Transitions);
}

#[test]
fn no_intervals() {
    let usual = 3_000;
    let rules = campaign(usual, Timing::Untimed);
    let least = oracle::expected(30, usual) as usize;
    assert!(rules.fused_places >= least && rules.idle_transitions >= least, "{rules:?}");
}

#[test]
fn fused_transitions_name_their_originals() {
    let text = "pl a (1)\npl b\npl c\ntr t a -> b\ntr u b -> c\ntr v c -> a\n";
    let loaded = oracle::load_net::<&str>(text, &[]).unwrap();
    let net = loaded.model.tree.net.as_deref().unwrap();
    let keep = Keep { places: vec![true, false, false], deadlock: true, contact: false };
    let reduced = reduce(net, &keep, &|| false);
    assert_eq!(reduced.transitions, [vec![2], vec![0, 1]]);
    assert_eq!(reduced.places, [Some(0), None, Some(1)]);
    assert_eq!(reduce(net, &Keep::all(net), &|| false).net, *net);
}
