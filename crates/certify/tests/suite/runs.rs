//! Proofs about maximal runs of random networks: those of the engine are accepted, and no accepted
//! proof is wrong.
//!
//! The formulas of all queries of a network are used, in every role.
//! `MERKHET_CASES=20000 cargo test --release -p merkhet-certify --test suite runs::` is a campaign.

use crate::support::{answer, has_rates, proof, read, replaced, text};
use certify::{Answer, Cover, DifferenceBound, DifferenceConstraint, Proof, check};
use model::{
    Formula, Property, System,
    system::{ClockConstraint, ClockId, ClockTerm, Operand},
};
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Abstraction, Options, Order, Update, Verdict};

const STATES: usize = 3_000;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// The counters of a campaign.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    leads_to: usize,
    states: usize,
    transitions: usize,
    /// Proofs whose ranks are not all 0.
    ranked: usize,
    unknown: usize,
    refused: usize,
    accepted: usize,
    runs: usize,
}

/// Bounds every clock by 2.
fn young(system: &System) -> Formula {
    let bounded = |clock: u32| {
        let (left, right) = (ClockTerm::Clock(ClockId(clock)), ClockTerm::Clock(ClockId(0)));
        Formula::Clock(ClockConstraint { left, right, bound: Operand::Const(2), strict: false, condition: None })
    };
    Formula::join(true, (1..system.clocks.len() as u32).map(bounded))
}

/// Calls `f` with properties of the runs of random networks, and reports the networks on which it
/// fails.
fn campaign(
    options: &random::NetworkFeatures,
    cases: u64,
    mut f: impl FnMut(u64, &System, &[Property]) -> Result<(), String>,
) {
    let (first, cases) = (number("MERKHET_SEED", 0), number("MERKHET_CASES", cases));
    let mut wrong = Vec::new();
    for seed in oracle::seeds(first..first + cases) {
        let net = random::network(seed, &random::NetworkFeatures { liveness: true, ..options.clone() });
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let pool: Vec<&Formula> = loaded.properties.iter().flat_map(Property::formulas).collect();
        let young = young(&loaded.system);
        let mut asked = Vec::new();
        for (i, &p) in pool.iter().enumerate() {
            let (q, r) = (pool[(i + 1) % pool.len()], pool[(i + 2) % pool.len()]);
            asked.push(Property::leads_to(p.clone(), q.clone()));
            // The more a run must satisfy, the more often none exists.
            let both = Formula::join(true, [p, q].map(Formula::clone));
            let three = Formula::join(true, [p, q, r].map(Formula::clone));
            for always in [p.clone(), Formula::join(true, [p, &young].map(Formula::clone)), both, three] {
                asked.push(Property::potentially_always(always.clone()));
                asked.push(Property::eventually(always.clone()));
                asked.push(Property::leads_to(Formula::True, always));
            }
        }
        if let Err(why) = f(seed, &loaded.system, &asked) {
            wrong.push(format!("seed {seed}\n{text}\n{queries:?}\n{why}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
}

/// Returns whether a maximal run decides a property; `None` if that is unknown.
fn has_run(system: &System, property: &Property) -> Option<bool> {
    let truth = explicit::check(system, property, explicit::ExplicitOptions { states: 20_000, ..Default::default() });
    match truth.answer {
        Truth::Unknown(_) => None,
        found => Some(matches!(property, Property::Run { exists: true, .. }) == (found == Truth::Satisfied)),
    }
}

fn ranked(proof: &Proof) -> &Cover {
    match proof {
        Proof::Cover(cover) => cover,
        Proof::Ranks { ranked, .. } => ranked,
        Proof::Invariant(_) | Proof::Marking(_) => panic!("searches do not find invariants"),
    }
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update)] = &[
    (Order::Bfs, None, Update::Cover),
    (Order::Dfs, Some(Abstraction::ExtraLu), Update::Simple),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Join),
];

#[test]
fn every_answer_that_no_run_decides_is_proved() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), 60, |seed, system, asked| {
        for property in asked {
            let (order, abstraction, update) = CONFIGURATIONS[seed as usize % CONFIGURATIONS.len()];
            let options = Options { order, abstraction, update: Some(update), ..Options::default() };
            let (verdict, found) = proof(system, property, &options, STATES);
            let shows = if answer(property) == Answer::Satisfied { Verdict::Satisfied } else { Verdict::NotSatisfied };
            let Some(found) = found else {
                tally.unknown += usize::from(matches!(verdict, Verdict::Unknown(_)));
                if verdict == shows {
                    return Err(format!("{property:?}\nhas no proof"));
                }
                continue;
            };
            let proved = check(system, None, property, answer(property), &found);
            let proved = proved.map_err(|why| format!("{property:?}\n{why:#?}"))?;
            if has_run(system, property) == Some(true) {
                return Err(format!("{property:?}\nis proved, but a run exists"));
            }
            tally.proved += 1;
            tally.leads_to += usize::from(matches!(property, Property::Run { after: Some(_), .. }));
            tally.states += proved.states;
            tally.transitions += proved.transitions;
            tally.ranked += usize::from(ranked(&found).ranked().any(|(_, _, rank)| rank > 0));
            let text = text(system, "", answer(property), &found);
            let (_, _, again) = read(system, &text).map_err(|why| format!("{property:?}\n{why:?}\n{text}"))?;
            if self::text(system, "", answer(property), &again) != text {
                return Err(format!("{property:?}\nis read back as something else\n{text}"));
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.proved > 0 && tally.leads_to > 0 && tally.ranked > 0);
}

/// No set of states proves the absence of a run if one exists, however good it is for other
/// queries.
#[test]
fn existing_runs_are_never_refuted() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), 40, |_, system, asked| {
        let proofs: Vec<Proof> = asked.iter().filter_map(|p| proof(system, p, &Options::default(), STATES).1).collect();
        let reached = proofs.iter().find_map(|proof| match proof {
            Proof::Ranks { reached, .. } => reached.clone(),
            Proof::Cover(_) | Proof::Invariant(_) | Proof::Marking(_) => None,
        });
        for property in asked.iter().filter(|p| has_run(system, p) == Some(true)) {
            for proof in &proofs {
                // Only the ranks can be wrong: a proof about `-->` gets the reachable states.
                let reached =
                    if matches!(property, Property::Run { after: Some(_), .. }) { reached.clone() } else { None };
                tally.runs += 1;
                let other = Proof::Ranks { reached, ranked: ranked(proof).clone() };
                if check(system, None, property, answer(property), &other).is_ok() {
                    return Err(format!("{property:?}\na run decides the query, but the opposite is proved"));
                }
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.runs > 0);
}

/// Corrupts the ranked states of a proof in one place.
fn mutant(system: &System, cover: &Cover, rng: &mut Rng) -> (String, Cover) {
    let at = rng.below(cover.states());
    let (row, constraints, rank) = cover.ranked().nth(at).unwrap();
    let (mut row, mut constraints, mut rank) = (row.to_vec(), constraints.to_vec(), rank);
    match rng.below(6) {
        0 => return (format!("state {at} dropped"), replaced(cover, at, None)),
        1 => {
            let process = rng.below(system.processes.len());
            row[process] = (row[process] + 1) % system.processes[process].locations as i32;
        }
        2 if !constraints.is_empty() => {
            let c = rng.below(constraints.len());
            constraints.remove(c);
        }
        3 => rank += 1 + rng.below(3) as u32,
        4 => rank = rank.saturating_sub(1 + rng.below(3) as u32),
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
    let mut corrupted = Cover::new();
    for (i, (old_row, old, old_rank)) in cover.ranked().enumerate() {
        if i == at {
            corrupted.add_ranked(&row, &constraints, rank);
        } else {
            corrupted.add_ranked(old_row, old, old_rank);
        }
    }
    (format!("state {at} is now {row:?} {constraints:?} {rank}"), corrupted)
}

/// A corrupted proof is rejected, or it is still valid. If it is accepted for another property,
/// that property has no run either.
#[test]
fn corrupted_proofs_are_rejected_or_still_valid() {
    let mut tally = Tally::default();
    campaign(&random::NetworkFeatures::all(), 50, |seed, system, asked| {
        let mut rng = Rng::new(seed);
        for property in asked {
            let (_, Some(Proof::Ranks { reached, ranked })) = proof(system, property, &Options::default(), STATES)
            else {
                continue;
            };
            for _ in 0..if ranked.states() == 0 { 0 } else { 4 } {
                let (what, corrupted) = mutant(system, &ranked, &mut rng);
                let other = rng.pick(asked);
                for judged in [property, other] {
                    if matches!(judged, Property::Run { after: Some(_), .. }) != reached.is_some() {
                        continue;
                    }
                    let proof = Proof::Ranks { reached: reached.clone(), ranked: corrupted.clone() };
                    if check(system, None, judged, answer(judged), &proof).is_err() {
                        tally.refused += 1;
                        continue;
                    }
                    tally.accepted += 1;
                    if has_run(system, judged) == Some(true) {
                        return Err(format!("{judged:?}\n{what}: accepted, but a run exists"));
                    }
                }
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.refused > 0 && tally.accepted > 0, "{tally:?}");
}

/// With stopped clocks a proof may be rejected, but no accepted proof may be wrong.
#[test]
fn proofs_about_stopwatches_are_right() {
    let mut tally = Tally::default();
    let options = random::NetworkFeatures { stopwatches: true, ..random::NetworkFeatures::all() };
    campaign(&options, 40, |_, system, asked| {
        for property in asked.iter().filter(|_| has_rates(system)) {
            let (_, Some(found)) = proof(system, property, &Options::default(), STATES) else { continue };
            match check(system, None, property, answer(property), &found) {
                Ok(_) => tally.proved += 1,
                Err(_) => tally.refused += 1,
            }
        }
        Ok(())
    });
    println!("{tally:?}");
    assert!(tally.proved > tally.refused, "{tally:?}");
}
