//! Invariants of random networks: the computed ones are proofs, and corrupted ones are not.
//!
//! `MERKHET_CASES=20000 cargo test --release -p merkhet-certify --test suite invariants::` is a
//! campaign.

use crate::support::{answer, clauses, read, text};
use bounded::automata::{Unbounded, prove};
use certify::{Clauses, Proof, check};
use model::{Property, System};
use oracle::random::{self, Rng};
use smt::{Embedded, Solver};

fn proves(system: &System, property: &Property, clauses: &Clauses) -> Result<certify::Proved, Box<certify::Rejection>> {
    check(system, None, property, answer(property), &Proof::Invariant(clauses.clone()))
}

#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    rows: usize,
    clauses: usize,
    refused: usize,
    accepted: usize,
    denied: usize,
}

fn examine(seed: u64) -> Result<Tally, String> {
    let net = random::network(seed, &random::NetworkFeatures::all().some(&mut Rng::new(seed)));
    let (model, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&model, &queries).unwrap();
    let system = &loaded.system;
    let mut tally = Tally::default();
    let (mut invariants, mut reached) = (Vec::new(), Vec::new());
    for (property, query) in loaded.properties.iter().zip(&queries) {
        let Property::State { goal, .. } = property else { continue };
        let describe = |why: String| format!("seed {seed}\n{model}\n{query}\n{why}\n");
        let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
        match prove(system, goal, &mut solvers, &|| false, &mut |_| {}) {
            Ok(Unbounded::Found(_)) => reached.push(property),
            Ok(Unbounded::Holds(invariant)) => {
                let clauses = clauses(&invariant);
                let proved =
                    proves(system, property, &clauses).map_err(|why| describe(format!("{why:#?}\n{clauses:?}")))?;
                tally.proved += 1;
                tally.rows += proved.rows;
                tally.clauses += clauses.list.len();
                let text = text(system, query, answer(property), &Proof::Invariant(clauses.clone()));
                let again = read(system, &text).map_err(|why| describe(format!("{why:?}\n{text}")))?;
                let same = matches!(again.2, Proof::Invariant(again) if again == clauses);
                if !same || (again.0, again.1) != (query.clone(), answer(property)) {
                    return Err(describe(format!("is read back as something else\n{text}")));
                }
                // Every clause holds in a model without states.
                if proved.rows > 0 {
                    corrupt(system, property, &clauses, &mut Rng::new(seed), &mut tally).map_err(describe)?;
                }
                invariants.push(clauses);
            }
            _ => {}
        }
    }
    // An invariant that proves one query does not refute another.
    for clauses in invariants.iter().chain([&Clauses::default()]) {
        for property in &reached {
            if proves(system, property, clauses).is_ok() {
                return Err(format!("seed {seed}\n{model}\n{clauses:?} proves a false answer to {property:?}"));
            }
            tally.denied += 1;
        }
    }
    Ok(tally)
}

/// Makes one clause weaker or stronger.
fn corrupt(
    system: &System,
    property: &Property,
    clauses: &Clauses,
    rng: &mut Rng,
    tally: &mut Tally,
) -> Result<(), String> {
    // An unsatisfiable clause does not hold initially.
    let mut never = clauses.clone();
    never.list.push(Vec::new());
    if proves(system, property, &never).is_ok() {
        return Err("an empty clause is accepted as an invariant".to_owned());
    }
    for _ in 0..4 {
        let mut corrupted = clauses.clone();
        if corrupted.list.is_empty() {
            break;
        }
        let at = rng.below(corrupted.list.len());
        if rng.chance(50) || corrupted.list[at].is_empty() {
            corrupted.list.remove(at);
        } else {
            let part = rng.below(corrupted.list[at].len());
            corrupted.list[at].remove(part);
        }
        // It may still be a proof: some clauses and some literals are redundant.
        if proves(system, property, &corrupted).is_ok() {
            tally.accepted += 1;
        } else {
            tally.refused += 1;
        }
    }
    Ok(())
}

#[test]
fn random_networks() {
    let tally = oracle::campaign(400, examine, |all: &mut Tally, one| {
        all.proved += one.proved;
        all.rows += one.rows;
        all.clauses += one.clauses;
        all.refused += one.refused;
        all.accepted += one.accepted;
        all.denied += one.denied;
    });
    println!("{tally:?}");
    assert!(tally.proved > 0 && tally.denied > 0);
    assert!(tally.refused > tally.accepted, "corrupted invariants are accepted too often");
}

const MODEL: &str = "
clock x, y;
int[0,5] n;
process P() {
state A { x <= 3 }, B;
init A;
trans
  A -> A { guard x >= 2; assign x = 0, y = 0; },
  A -> B { guard y >= 5; };
}
system P;
";

/// Checks a certificate that was written by hand.
fn written(clauses: &[&str]) -> Result<certify::Proved, String> {
    let loaded = oracle::load(MODEL, &["E<> P.B"]).unwrap();
    let lines: Vec<String> = clauses.iter().map(|clause| format!("clause {clause}\n")).collect();
    let s = if clauses.len() == 1 { "" } else { "s" };
    let text = format!(
        "merkhet certificate 1\n\nquery \"E<> P.B\"\nanswer not satisfied\nproof invariant\n{}end {} clause{s}\n\nend certificate\n",
        lines.concat(),
        clauses.len()
    );
    let (_, answer, proof) = read(&loaded.system, &text).map_err(|why| match why {
        certify::ReadError::Malformed(what) => format!("{}:{}: {}", what.line, what.column, what.message),
        certify::ReadError::Io(why) => why.to_string(),
    })?;
    check(&loaded.system, None, &loaded.properties[0], answer, &proof).map_err(|refusal| refusal.reason.to_string())
}

#[test]
fn clauses_by_hand() {
    // After every transition both clocks are equal.
    assert!(written(&["!P.B", "x-y<=0", "y-x<=0"]).is_ok());
    assert!(written(&["P.A", "x-y<=0", "x-y>=0", "n<=3 n=5"]).is_ok());
    assert!(written(&["x-y<=0", "y-x<=0"]).is_ok());
    let initial = "the initial state violates the invariant";
    for (clauses, reason) in [
        (&["!P.B", "x-y<=0"][..], "a transition leads out of the certificate"),
        (&["x-y<=0", "y<=4"], "a transition leads out of the certificate"),
        (&["!P.B", "x-y<=0", "y-x<=0", "x>0"], initial),
        (&["P.B"], initial),
        (&["n>=1"], initial),
        (&[""], initial),
    ] {
        // Without one bound, the certificate contains states whose successors violate it or lie
        // outside of it.
        let refused = written(clauses).unwrap_err();
        let other = "the invariant includes a state from which a delay leads to the goal";
        assert!(refused == reason || refused == other, "{clauses:?}: {refused}");
    }
    for (clause, why) in [
        ("P.C", "6:8: there is no location `P.C`"),
        ("!n=1", "6:8: expected a location after `!`, and nothing else"),
        ("m=1", "6:8: there is no variable or clock `m`"),
        ("n~1", "6:9: expected `=`, `!=`, `<=` or `>=`"),
        ("n=", "6:10: expected a value of `n`"),
        ("n=2147483648", "6:10: 2147483648 is not a value of `n`"),
        ("x==1", "6:8: expected a single bound: in a clause `==` would be two of them"),
        ("x<=", "6:11: expected a number"),
    ] {
        assert_eq!(written(&[clause]).unwrap_err(), why, "{clause}");
    }
}
