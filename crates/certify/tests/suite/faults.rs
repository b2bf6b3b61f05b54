//! Compares the engines on each kind of run-time error in each place of a model.
//!
//! The table is generated. Zones, bounded formulas, induction and invariants answer the same
//! queries as the explicit checker. Every decided answer is right and has a valid certificate. If
//! zones report a run-time error, so do formulas.

use crate::support::{answer as claimed, clauses, proof};
use certify::{Clauses, Proof, check};
use explore::search::Limits;
use model::{Property, System};
use oracle::explicit::{self, OracleAnswer as Truth};
use smt::{Embedded, Solver};
use verify::{Engine, FormulaOptions, Method, Options, Reason, Request, Target, Verdict};

/// Declarations for all of the errors. None of them is constant.
const DECLARATIONS: &str = "int[0,3] z = 0; int[-2,2] s = -1; int[0,3] v = 2; int[0,1] w; int cells[2]; clock x;
int result() { return 65535 + z; }
int narrow(int[0,1] n) { return n; }
bool asserts() { assert(z != 0); return true; }
bool assigns() { int[0,1] n; n = v; return n == 0; }
";

/// Conditions that fail, by name. The last three do not fail.
const CONDITIONS: [(&str, &str); 11] = [
    ("index", "cells[v] == 0"),
    ("division", "1 / z == 1"),
    ("remainder", "1 % z == 1"),
    ("shift", "(1 << s) == 2"),
    ("result", "result() > 0"),
    ("parameter", "narrow(v) == 0"),
    ("assert", "asserts()"),
    ("range", "assigns()"),
    ("short", "z == 0 || 1 / z == 1"),
    ("true", "z == 0"),
    ("false", "z == 1"),
];

/// Models with a condition `COND` somewhere. `OTHER` is a second process.
const PLACES: [(&str, &str); 27] = [
    ("guard", "process P() { state a, b; init a; trans a -> b { guard COND; }; } system P;"),
    (
        "guard beside another edge",
        "process P() { state a, b, c; init a; trans a -> b { guard COND; }, a -> c { }; } system P;",
    ),
    (
        "guard beside an idle process",
        "process P() { state a, b; init a; trans a -> b { guard COND; }; }
        process Q() { state l; init l; trans l -> l { }; } system P, Q;",
    ),
    (
        "guard after a step",
        "process P() { state a, m, b; init a; trans a -> m { }, m -> b { guard COND; }; } system P;",
    ),
    (
        "guard of an edge with a late clock guard",
        "process P() { state a { x <= 1 }, b; init a; trans a -> b { guard COND && x >= 3; }; } system P;",
    ),
    (
        "bound of a clock",
        "process P() { state a, b; init a; trans a -> b { guard x <= ((COND) ? 1 : 2); }; } system P;",
    ),
    (
        "select",
        "process P() { state a, b; init a; trans a -> b { select i : int[0,1]; guard i >= 0 && COND; }; } system P;",
    ),
    (
        "sender",
        "chan c; process P() { state a, b; init a; trans a -> b { guard COND; sync c!; }; }
        process Q() { state l; init l; trans l -> l { sync c?; }; } system P, Q;",
    ),
    (
        "sender without receiver",
        "chan c; process P() { state a, b; init a; trans a -> b { guard COND; sync c!; }; } system P;",
    ),
    (
        "receiver",
        "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
        process Q() { state l; init l; trans l -> l { guard COND; sync c?; }; } system P, Q;",
    ),
    (
        "receiver without sender",
        "chan c; process P() { state a, b; init a; trans a -> b { guard z == 1; sync c!; }; }
        process Q() { state l; init l; trans l -> l { guard COND; sync c?; }; } system P, Q;",
    ),
    (
        "broadcast sender",
        "broadcast chan c; process P() { state a, b; init a; trans a -> b { guard COND; sync c!; }; } system P;",
    ),
    (
        "broadcast receiver",
        "broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
        process Q() { state l; init l; trans l -> l { guard COND; sync c?; }; } system P, Q;",
    ),
    (
        "index of a sender",
        "chan c[2]; process P() { state a, b; init a; trans a -> b { sync c[(COND) ? 0 : 1]!; }; }
        process Q() { state l; init l; trans l -> l { sync c[0]?; }; } system P, Q;",
    ),
    (
        "index of a receiver",
        "chan c[2]; process P() { state a, b; init a; trans a -> b { sync c[0]!; }; }
        process Q() { state l; init l; trans l -> l { sync c[(COND) ? 0 : 1]?; }; } system P, Q;",
    ),
    (
        "channel index out of range",
        "chan c[2]; process P() { state a, b; init a; trans a -> b { guard COND; sync c[v]!; }; }
        process Q() { state l; init l; trans l -> l { sync c[0]?; }; } system P, Q;",
    ),
    (
        "constant channel index out of range",
        "chan c[2]; process P() { state a, b; init a; trans a -> b { guard COND; sync c[2]!; }; }
        process Q() { state l; init l; trans l -> l { sync c[0]?; }; } system P, Q;",
    ),
    ("update", "process P() { state a, b; init a; trans a -> b { assign w = (COND) ? 1 : 0; }; } system P;"),
    (
        "update of a receiver",
        "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; }
        process Q() { state l; init l; trans l -> l { sync c?; assign w = (COND) ? 1 : 0; }; } system P, Q;",
    ),
    (
        "update that is never done",
        "process P() { state a, b; init a; trans a -> b { guard z == 1; assign w = (COND) ? 1 : 0; }; } system P;",
    ),
    ("invariant", "process P() { state a, b { COND }; init a; trans a -> b { }; } system P;"),
    ("initial invariant", "process P() { state a { COND }, b; init a; trans a -> b { }; } system P;"),
    (
        "low priority",
        "process P() { state a, b; init a; trans a -> b { guard COND; }; }
        process Q() { state l, m; init l; trans l -> m { }; } system P < Q;",
    ),
    (
        "urgent channel",
        "urgent chan c; process P() { state a, b; init a; trans a -> b { guard COND; sync c!; }; }
        process Q() { state l; init l; trans l -> l { sync c?; }; } system P, Q;",
    ),
    ("committed location", "process P() { state a, b; commit a; init a; trans a -> b { guard COND; }; } system P;"),
    (
        "beside a committed location",
        "process P() { state a, b; init a; trans a -> b { guard COND; }; }
        process Q() { state l, m; commit l; init l; trans l -> m { guard z == 1; }; } system P, Q;",
    ),
    ("nowhere", "process P() { state a, b; init a; trans a -> b { }; } system P;"),
];

const QUERIES: [&str; 6] =
    ["E<> P.b", "A[] not P.b", "E<> P.a && z == 1", "E<> deadlock", "E<> COND && P.b", "A[] not (COND)"];

/// Places for which the table states the error of a failing condition. The other places are only
/// compared.
const REPORTED: [&str; 7] = [
    "guard",
    "select",
    "sender",
    "index of a sender",
    "channel index out of range",
    "constant channel index out of range",
    "committed location",
];

/// An answer by formulas, and its proof.
fn by_formulas(system: &System, property: &Property, options: &FormulaOptions) -> (Verdict, Option<Proof>) {
    let solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
    let engine = Engine::Formulas { options, net: None, solvers: &solvers };
    let request = Request { system, target: Target::Properties(&[property]), engine, proves: true };
    let answer = request.answers(&Limits::default(), &mut ()).remove(0);
    let proof = match answer.proof.and_then(Result::ok).as_deref() {
        Some(verify::Proof::Invariant(invariant)) => Some(Proof::Invariant(Clauses::clone(&clauses(invariant)))),
        _ => None,
    };
    (answer.verdict, proof)
}

fn fails(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(Reason::RunTime(..)))
}

#[test]
fn every_engine_meets_every_error_in_every_place() {
    let options = |bound, method| FormulaOptions { bound, method, ..FormulaOptions::default() };
    let engines = [
        ("bound", options(Some(4), Method::Search)),
        ("induction", options(Some(8), Method::Induction)),
        ("invariant", options(None, Method::Invariant)),
    ];
    let (mut rows, mut failures, mut proofs, mut wrong) = (0, 0, 0, Vec::new());
    for (place, model) in PLACES {
        for (kind, condition) in CONDITIONS {
            let text = format!("{DECLARATIONS}{}", model.replace("COND", condition));
            let queries = QUERIES.map(|query| query.replace("COND", condition));
            let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let system = &loaded.system;
            let truths = explicit::check_all(system, &loaded.properties, explicit::ExplicitOptions::default());
            for ((property, query), truth) in loaded.properties.iter().zip(&queries).zip(&truths) {
                rows += 1;
                let mut report = |engine: &str, why: String| {
                    wrong.push(format!(
                        "{kind} in {place}, {query}: {engine}: {why}, truth {:?} {:?}",
                        truth.answer, truth.fault
                    ));
                };
                let expected = match truth.answer {
                    Truth::Satisfied => Some(Verdict::Satisfied),
                    Truth::NotSatisfied => Some(Verdict::NotSatisfied),
                    // Without an initial state nothing is reachable.
                    Truth::Unknown(explicit::UnknownReason::NoInitialState) => Some(match property {
                        Property::State { exists: true, .. } => Verdict::NotSatisfied,
                        _ => Verdict::Satisfied,
                    }),
                    Truth::Unknown(_) => None,
                };
                let (zones, evidence) = proof(system, property, &Options::default(), usize::MAX);
                failures += usize::from(fails(&zones));
                if REPORTED.contains(&place)
                    && CONDITIONS[..8].iter().any(|(name, _)| *name == kind)
                    && expected.is_none()
                    && !fails(&zones)
                {
                    report("zones", format!("{zones:?}, not a run-time error"));
                }
                let mut judge = |engine: &str, verdict: &Verdict, evidence: Option<&Proof>| {
                    let decided = !matches!(verdict, Verdict::Unknown(_));
                    // A reachable goal is reported even if something else fails, but then nothing
                    // is proved.
                    if decided && expected.as_ref() != Some(verdict) {
                        report(engine, format!("{verdict:?}"));
                    }
                    let is_there = expected.as_ref() == Some(verdict);
                    if fails(&zones) && !fails(verdict) && !is_there {
                        report(engine, format!("{verdict:?}, but zones say {zones:?}"));
                    }
                    // A bound proves nothing. Induction and invariants do, if nothing fails.
                    if engine != "bound" && !decided && !fails(verdict) {
                        report(engine, format!("{verdict:?}"));
                    }
                    if let Some(evidence) = evidence {
                        proofs += 1;
                        if let Err(why) = check(system, None, property, claimed(property), evidence) {
                            report(engine, format!("certificate refused: {why:?}"));
                        }
                    }
                };
                judge("zones", &zones, evidence.as_ref());
                for (engine, options) in &engines {
                    let (verdict, evidence) = by_formulas(system, property, options);
                    judge(engine, &verdict, evidence.as_ref());
                }
            }
        }
    }
    println!("{rows} rows, {failures} with errors, {proofs} certificates");
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(failures > 300 && proofs > 300);
}

/// An initialiser that fails is an error of the model, which is reported before any engine runs.
#[test]
fn initialisers_that_fail_are_refused() {
    let loads = |initialiser: &str| {
        let constants = "const int zero = 0, one = 1, minus = -1; const int cells[2] = {0, 1}; int narrow(int[0,1] n) { return n; }";
        let text = format!("{constants} int[0,1] u = {initialiser}; process P() {{ state a; init a; }} system P;");
        oracle::load(&text, &["E<> P.a"]).is_ok()
    };
    for fails in ["1 / zero", "1 % zero", "1 << minus", "cells[2]", "narrow(2)", "7"] {
        assert!(!loads(fails), "{fails}");
    }
    for holds in ["1 / one", "1 % one", "1 << zero", "cells[1]", "narrow(1)", "1"] {
        assert!(loads(holds), "{holds}");
    }
}
