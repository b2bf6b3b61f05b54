//! Certificates of random networks: those of the engine are proofs, and corrupted ones are not.
//!
//! `MERKHET_CASES=20000 cargo test --release -p merkhet-certify --test suite random::` is a
//! campaign.

use crate::support::{answer, certificate, check, contains, read, replaced, text, walk};
use certify::{Cover, DifferenceBound, DifferenceConstraint, Proof};
use model::{Property, System};
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Abstraction, Options, Order, Update, Verdict};

fn cases(default: u64) -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn first() -> u64 {
    std::env::var("MERKHET_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

const STATES: usize = 3_000;

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update)] = &[
    (Order::Bfs, None, Update::Cover),
    (Order::Dfs, Some(Abstraction::ExtraLu), Update::Cover),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Simple),
    (Order::Bfs, None, Update::Join),
    (Order::Auto, None, Update::Cover),
    (Order::Astar, Some(Abstraction::ExtraM), Update::Simple),
];

/// The counters of a campaign.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    states: usize,
    transitions: usize,
    refused: usize,
    accepted: usize,
    goals: usize,
    walked: usize,
}

/// Calls `f` with the queries of random networks, and reports the networks on which it fails.
fn campaign(
    options: &random::NetworkFeatures,
    cases: u64,
    mut f: impl FnMut(u64, &System, &[(Property, String)]) -> Result<(), String>,
) {
    let mut wrong = Vec::new();
    for seed in oracle::seeds(first()..first() + cases) {
        let net = random::network(seed, options);
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let asked: Vec<(Property, String)> =
            loaded.properties.into_iter().zip(queries).filter(|(p, _)| matches!(p, Property::State { .. })).collect();
        if let Err(why) = f(seed, &loaded.system, &asked) {
            wrong.push(format!("seed {seed}\n{text}\n{why}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
}

#[test]
fn every_certificate_of_a_property_that_holds_is_a_proof() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), cases(300), |_, system, asked| {
        for (property, query) in asked {
            for &(order, abstraction, update) in CONFIGURATIONS {
                let options = Options { order, abstraction, update: Some(update), seed: 3, ..Options::default() };
                let (_, Some(cover)) = certificate(system, property, &options, STATES) else { continue };
                let name = format!("{query}\n{order:?} {abstraction:?} {update:?}");
                let proved =
                    check(system, property, answer(property), &cover).map_err(|why| format!("{name}\n{why:#?}"))?;
                tally.proved += 1;
                tally.states += proved.states;
                tally.transitions += proved.transitions;
                let text = text(system, query, answer(property), &Proof::Cover(cover.clone()));
                let again = read(system, &text).map_err(|why| format!("{name}\n{why:?}\n{text}"))?;
                let Proof::Cover(states) = again.2 else {
                    return Err(format!("{name}\nis read back as another proof"));
                };
                let same = states.iter().map(|(r, c)| (r, sorted(c))).eq(cover.iter().map(|(r, c)| (r, sorted(c))));
                if (again.0.as_str(), again.1) != (query, answer(property)) || !same {
                    return Err(format!("{name}\nis read back as something else\n{text}"));
                }
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.proved > 0);
}

fn sorted(constraints: &[DifferenceConstraint]) -> Vec<DifferenceConstraint> {
    let mut sorted = constraints.to_vec();
    sorted.sort_by_key(|c| (c.left, c.right, c.bound));
    sorted
}

/// No cover proves that a reachable goal is unreachable, however good it is for other queries.
#[test]
fn reachable_goals_are_never_proved_unreachable() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), cases(150), |_, system, asked| {
        let covers: Vec<Cover> =
            asked.iter().filter_map(|(p, _)| certificate(system, p, &Options::default(), STATES).1).collect();
        for (property, query) in asked {
            let truth =
                explicit::check(system, property, explicit::ExplicitOptions { states: 30_000, ..Default::default() });
            let reached = match property {
                Property::State { exists: true, .. } => truth.answer == Truth::Satisfied,
                _ => truth.answer == Truth::NotSatisfied,
            };
            if !reached {
                continue;
            }
            for cover in &covers {
                tally.goals += 1;
                if check(system, property, answer(property), cover).is_ok() {
                    return Err(format!("{query}\na run decides the query, but the opposite is proved"));
                }
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.goals > 0);
}

/// Corrupts a certificate in one place.
fn mutant(system: &System, cover: &Cover, rng: &mut Rng) -> (String, Cover) {
    let at = rng.below(cover.states());
    let (row, constraints) = cover.iter().nth(at).unwrap();
    let (mut row, mut constraints) = (row.to_vec(), constraints.to_vec());
    match rng.below(4) {
        0 => return (format!("state {at} dropped"), replaced(cover, at, None)),
        1 => {
            let process = rng.below(system.processes.len());
            row[process] = (row[process] + 1) % system.processes[process].locations as i32;
        }
        2 if !constraints.is_empty() => {
            let c = rng.below(constraints.len());
            let tighter = constraints[c].bound;
            let number = tighter.number().unwrap();
            constraints[c].bound = if tighter.is_strict() {
                DifferenceBound::new(number - 1, false)
            } else {
                DifferenceBound::new(number, true)
            };
        }
        _ => {
            let clocks = system.clocks.len();
            let (left, right) = (rng.below(clocks) as u32, rng.below(clocks) as u32);
            constraints.push(DifferenceConstraint {
                left,
                right,
                bound: DifferenceBound::new(rng.below(7) as i64 - 3, false),
            });
        }
    }
    let what = format!("state {at} is now {row:?} {constraints:?}");
    (what, replaced(cover, at, Some((row, constraints))))
}

/// A corrupted certificate is rejected, or it is still valid: then it contains every state of every
/// run.
#[test]
fn corrupted_certificates_are_rejected_or_still_valid() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), cases(100), |seed, system, asked| {
        let states = if system.has_priorities { Vec::new() } else { walk(system, 4, 150) };
        let mut rng = Rng::new(seed);
        for (property, query) in asked {
            let (_, Some(cover)) = certificate(system, property, &Options::default(), STATES) else { continue };
            if cover.states() == 0 {
                continue;
            }
            let missing = |cover: &Cover| states.iter().find(|state| !contains(cover, state));
            if let Some(state) = missing(&cover) {
                return Err(format!("{query}\nthe certificate lacks {state:?}"));
            }
            for _ in 0..6 {
                let (what, corrupted) = mutant(system, &cover, &mut rng);
                let verdict = check(system, property, answer(property), &corrupted);
                tally.walked += states.len();
                match (verdict, missing(&corrupted)) {
                    (Ok(_), Some(state)) => return Err(format!("{query}\n{what}: accepted, but lacks {state:?}")),
                    (Ok(_), None) => tally.accepted += 1,
                    (Err(_), _) => tally.refused += 1,
                }
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.refused > tally.accepted && tally.walked > 0, "{tally:?}");
}

/// With stopped clocks an answer may be unknown and a certificate may be rejected, but no accepted
/// proof may be wrong.
#[test]
fn proofs_about_stopwatches_are_right() {
    let mut tally = Tally::default();
    let options = random::NetworkFeatures { stopwatches: true, ..random::NetworkFeatures::all() };
    campaign(&options, cases(200), |_, system, asked| {
        for (property, query) in asked {
            let (verdict, Some(cover)) = certificate(system, property, &Options::default(), STATES) else { continue };
            if check(system, property, answer(property), &cover).is_err() {
                tally.refused += 1;
                continue;
            }
            tally.proved += 1;
            let ticks =
                explicit::ExplicitOptions { states: 20_000, time: explicit::Time::Ticks(2), ..Default::default() };
            let found = explicit::check(system, property, ticks).answer;
            let other = if verdict == Verdict::Satisfied { Truth::NotSatisfied } else { Truth::Satisfied };
            // Ticks find only reachable states; if they find nothing, that proves nothing.
            let decided = matches!(property, Property::State { exists: true, .. }) == (found == Truth::Satisfied);
            if decided && found == other && found != Truth::Unknown(explicit::UnknownReason::States) {
                return Err(format!("{query}\nis proved, but a run decides otherwise"));
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.proved > tally.refused, "{tally:?}");
}
