//! External solvers: faulty ones of all kinds, and the installed ones.

#![cfg(unix)]

use std::{cell::Cell, env, fs, process::Command};

use crate::support::{Random, alphabet, brute_force, formula, satisfies};
use smt::{
    Embedded, SatResult, Solver, Term, Terms, UpperBound,
    process::{External, FoundSolver, Profile, SOLVERS, Z3, find},
    script::Logic,
};

/// Creates a solver that is a shell script.
fn fake(script: &'static str) -> External {
    let profile = Box::leak(Box::new(Profile {
        name: "fake",
        programs: &[],
        incremental: Vec::leak(vec!["-c", script]),
        one_shot: Vec::leak(vec!["-c", script]),
        logic: Logic::Differences,
        assumptions: false,
        licence: "none",
        tried: None,
    }));
    External::new(FoundSolver { profile, path: "/bin/sh".into() })
}

/// A script that gives the stated answers and echoes marks.
macro_rules! answering {
    ($answers:literal) => {
        concat!(
            "while read line; do case \"$line\" in ",
            $answers,
            " \"(echo \"*) m=${line#*\\\"}; echo \"${m%%\\\"*}\";; esac; done"
        )
    };
}

fn unknown(solver: &mut External, stop: &dyn Fn() -> bool) -> String {
    let mut terms = Terms::new();
    let (p, x) = (terms.boolean("p"), terms.real("x"));
    let late = terms.difference(smt::Real::ZERO, x, UpperBound::at_most(-3));
    let t = terms.and([p, late]);
    solver.assert(&terms, t);
    match solver.check(&terms, &[], stop) {
        SatResult::Unknown(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_faulty_solver_is_not_trusted() {
    for (script, expected) in [
        ("exit 3", "fake ended without an answer (exit status: 3)"),
        ("echo no licence >&2; exit 1", "fake ended without an answer (exit status: 1): no licence"),
        ("kill -s SEGV $$", "fake ended without an answer (signal: 11 (SIGSEGV)"),
        ("exec >&-; sleep 1000", "fake closed its output without an answer"),
        ("printf '((x 1'", "fake ended without an answer"),
        ("echo hello; echo world", "fake gives more than one answer"),
        ("echo ')'", "fake a parenthesis is closed that was not opened"),
        ("while :; do echo sat; done", "fake gives more than one answer"),
        ("while :; do echo success; done", "fake prints too much output without an answer"),
        ("yes '(((((((((((((((((((((((((((((((((((((((((((((((((((('", "fake prints an expression that is too long"),
        (
            answering!("*check-sat*) echo '(error \"out of \"\"cheese\"\"\")';;"),
            "fake reports an error: out of \"cheese\"",
        ),
        (answering!("*check-sat*) echo maybe;;"), "fake gives an answer that can't be parsed: maybe"),
        (answering!("*check-sat*) echo unknown;;"), "fake answers `unknown`"),
        (answering!("*check-sat*) ;;"), "fake gives no answer"),
        (
            answering!("*check-sat*) echo sat;; *'get-value (p'*) echo '((p true))';; *get-value*) echo '((x 2))';;"),
            "fake gives values that do not satisfy the formula",
        ),
        (
            answering!(
                "*check-sat*) echo sat;; *'get-value (p'*) echo '((p true))';; *get-value*) echo '((x many))';;"
            ),
            "fake gives a value of x that can't be read",
        ),
        (answering!("*check-sat*) echo sat;; *get-value*) echo '((p true)'; exit;;"), "fake ended without an answer"),
    ] {
        let why = unknown(&mut fake(script), &|| false);
        assert!(why.starts_with(expected), "{script}\n{why}");
    }
    let missing = FoundSolver { profile: &Z3, path: "/no/such/program".into() };
    let why = unknown(&mut External::new(missing), &|| false);
    assert!(why.starts_with("z3 can't be started: "), "{why}");
}

#[test]
fn a_solver_is_restarted_after_a_crash() {
    let mut terms = Terms::new();
    let (p, x) = (terms.boolean("p"), terms.real("x"));
    let late = terms.difference(smt::Real::ZERO, x, UpperBound::at_most(-3));
    let t = terms.and([p, late]);
    // The process ends after one query.
    let script = answering!(
        "*check-sat*) echo sat;; *'get-value (p'*) echo '((p true))';; *get-value*) echo '((x (/ 7 2)))'; read line; m=${line#*\\\"}; echo \"${m%%\\\"*}\"; exit;;"
    );
    let mut solver = fake(script);
    solver.assert(&terms, t);
    assert_eq!(solver.check(&terms, &[], &|| false), SatResult::Satisfiable);
    assert_eq!((solver.real(&terms, x), solver.holds(&terms, t)), ((7, 2), true));
    assert!(matches!(solver.check(&terms, &[], &|| false), SatResult::Unknown(_)));
    assert_eq!(solver.check(&terms, &[], &|| false), SatResult::Satisfiable);
}

#[test]
fn a_hanging_solver_is_killed_with_its_children() {
    let file = env::temp_dir().join(format!("merkhet-solver-{}", std::process::id()));
    let script = format!("sleep 1000 & echo $! $$ > '{}'; wait", file.display());
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        // Only after the script has written its process ids.
        asked.get() > 5 && fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))
    };
    let (mut terms, solver) = (Terms::new(), &mut fake(String::leak(script)));
    let p = terms.boolean("p");
    solver.assert(&terms, p);
    assert_eq!(solver.check(&terms, &[], &stop), SatResult::Stopped);
    let pids = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    for pid in pids.split_whitespace() {
        // An orphaned child may be a zombie until its new parent waits for it.
        let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().map(|o| o.stdout).unwrap_or_default();
        let state = String::from_utf8_lossy(&state).trim().to_owned();
        assert!(state.is_empty() || state.starts_with('Z'), "{pid} is still running: {state}");
    }
}

/// Returns the installed solvers, and records which are missing.
#[track_caller]
fn present() -> Vec<FoundSolver> {
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for profile in SOLVERS {
        match find(profile) {
            Some(found) => there.push(found),
            None => missing.push(profile.name),
        }
    }
    if !missing.is_empty() {
        oracle::skip(&format!("these solvers are not installed: {}", missing.join(", ")));
    }
    there
}

#[test]
fn real_solvers_agree_with_enumeration() {
    for found in present() {
        let version = found.version();
        println!("{}: {version:?}", found.profile.name);
        assert!(version.is_some(), "{} prints no version", found.profile.name);
        for seed in oracle::seeds(0..4) {
            let mut r = Random(seed);
            let mut terms = Terms::new();
            let alphabet = alphabet(&mut r, &mut terms, 4, 4, 7);
            let (mut incremental, mut one_shot) = (External::new(found.clone()), External::one_shot(found.clone()));
            let mut embedded = Embedded::new();
            let mut asserted = Vec::new();
            let mut pool: Vec<Term> = Vec::new();
            for step in 0..12 {
                let t = formula(&mut r, &mut terms, &alphabet, 3);
                pool.push(t);
                if r.chance(60) {
                    let other = pool[r.below(pool.len())];
                    let weak = terms.or([t, other]);
                    asserted.push(weak);
                    incremental.assert(&terms, weak);
                    one_shot.assert(&terms, weak);
                    embedded.assert(&terms, weak);
                }
                let assumptions: Vec<Term> = (0..r.below(4)).map(|_| !pool[r.below(pool.len())]).collect();
                let mut all = asserted.clone();
                all.extend(&assumptions);
                let expected =
                    if brute_force(&terms, &all) { SatResult::Satisfiable } else { SatResult::Unsatisfiable };
                let case = format!("{}, seed {seed}, step {step}", found.profile.name);
                assert_eq!(embedded.check(&terms, &assumptions, &|| false), expected, "{case}");
                for solver in [&mut incremental, &mut one_shot] {
                    assert_eq!(solver.check(&terms, &assumptions, &|| false), expected, "{case}");
                    if expected == SatResult::Satisfiable {
                        assert!(all.iter().all(|t| satisfies(&terms, solver, *t)), "{case}");
                    } else {
                        let mut all = asserted.clone();
                        all.extend(solver.core());
                        assert!(!brute_force(&terms, &all), "{case}: the core is satisfiable");
                    }
                }
            }
        }
    }
}

#[test]
fn real_solvers_read_names_and_sums() {
    for found in present() {
        let name = found.profile.name;
        let mut terms = Terms::new();
        let odd: Vec<Term> =
            ["and", "|x|", "1st", "two words", "n5", "", "x", "Grüße"].map(|n| terms.boolean(n)).to_vec();
        let (x, y) = (terms.real("x"), terms.real("x"));
        let mut solver = External::new(found);
        let all = terms.and(odd);
        solver.assert(&terms, all);
        assert_eq!(solver.check(&terms, &[], &|| false), SatResult::Satisfiable, "{name}");
        // The logic becomes stronger.
        let sum = terms.linear([(2, x), (3, y)], UpperBound::below(-7));
        let (low, high) = (terms.at_least(x, smt::Real::ZERO, -1), terms.at_least(y, smt::Real::ZERO, -2));
        solver.assert(&terms, sum);
        assert_eq!(solver.check(&terms, &[low, high], &|| false), SatResult::Satisfiable, "{name}");
        assert!(satisfies(&terms, &mut solver, sum), "{name}");
        let high = terms.at_least(y, smt::Real::ZERO, -1);
        assert_eq!(solver.check(&terms, &[low, high], &|| false), SatResult::Unsatisfiable, "{name}");
        assert_eq!(solver.core().len(), 2, "{name}");
    }
}
