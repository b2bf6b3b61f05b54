//! Proofs about maximal runs of tiny models: every kind of end of a run, and every reason to reject
//! a proof.

use certify::{CertificateReader, Proved, Rejection, check};

/// Checks the proof of a query: `proof` and the lines after it.
fn judge(model: &str, query: &str, proof: &str) -> Result<Proved, Box<Rejection>> {
    let answer = if query.starts_with("E[]") { "not satisfied" } else { "satisfied" };
    judge_answer(model, query, answer, proof)
}

fn judge_answer(model: &str, query: &str, answer: &str, proof: &str) -> Result<Proved, Box<Rejection>> {
    let loaded = oracle::load(model, &[query]).unwrap();
    let system = &loaded.system;
    let text = format!("merkhet certificate 1\nquery \"\"\nanswer {answer}\nproof {proof}\nend certificate\n");
    let mut reader = CertificateReader::new(text.as_bytes()).unwrap();
    let claim = reader.claim().unwrap().unwrap();
    let proof = reader.proof(system).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    check(system, None, &loaded.properties[0], claim.answer, &proof)
}

#[track_caller]
fn proves(model: &str, query: &str, proof: &str) {
    if let Err(why) = judge(model, query, proof) {
        panic!("{query}: {why:#?}");
    }
}

/// Checks that the proof is rejected for this reason, with this state as the culprit or as missing.
#[track_caller]
fn refuses(model: &str, query: &str, proof: &str, reason: &str, state: &str) {
    let refusal = judge(model, query, proof).unwrap_err();
    assert_eq!(refusal.reason.to_string(), reason, "{refusal:#?}");
    assert_eq!(refusal.missing.as_ref().or(refusal.state.as_ref()).unwrap(), state, "{refusal:#?}");
}

const WAITS: &str = "time may diverge in a state of the certificate";
const ENDS: &str = "a run may end in a state of the certificate";
const NO_START: &str = "the start of a run is not in the certificate";
const LEADS_OUT: &str = "a transition leads out of the certificate";
const NOT_SMALLER: &str = "a transition does not lead to a smaller rank";

/// A process that goes from `a` to `c`, and then to `b` if it must.
const STEPS: &str = "clock x; process P() { state a { x <= 3 }, c { x <= 5 }, b; init a; \
                     trans a -> c { guard x >= 1; }, c -> b { guard x >= 2; }; } system P;";

#[test]
fn ranks_must_decrease_and_cover_all_runs() {
    let good = "ranks\nat P.a\nrank 1 in x<=3\nat P.c\nrank 0 in x>=1 x<=5\nend 2 rows 2 zones";
    for query in ["A<> P.b", "E[] not P.b"] {
        proves(STEPS, query, good);
        for (from, to, reason, state) in [
            ("rank 1", "rank 0", NOT_SMALLER, "P.c with x>=1 x<=5"),
            ("rank 0", "rank 1", NOT_SMALLER, "P.c with x>=1 x<=5"),
            ("1 in x<=3", "1 in x<3", NO_START, "P.a with x==3"),
            ("x>=1", "x>=2", LEADS_OUT, "P.c with x>=1 x<2"),
            ("0 in x>=1 x<=5", "0 in x>=1 x<=4", LEADS_OUT, "P.c with x>4 x<=5"),
        ] {
            assert!(good.contains(from));
            refuses(STEPS, query, &good.replace(from, to), reason, state);
        }
    }
    // Ranks need not be consecutive, and a state may be in several zones.
    proves(STEPS, "A<> P.b", &good.replace("rank 1", "rank 9"));
    let parts =
        "ranks\nat P.a\nrank 1 in x<=2\nrank 5 in x>1\nat P.c\nrank 0 in x<4\nrank 0 in x>=3\nend 2 rows 4 zones";
    proves(STEPS, "A<> P.b", parts);
    // States that violate the formula need not be covered.
    proves(STEPS, "A<> P.c", "ranks\nat P.a\nrank 0 in x<=3\nend 1 row 1 zone");
    proves(STEPS, "A<> P.a", "ranks\nend 0 rows 0 zones");
    // Unreachable states do no harm.
    proves(STEPS, "A<> P.b", &good.replace("x<=3", "x<=3\nrank 0 in x>3").replace("2 zones", "3 zones"));
}

#[test]
fn cycles_have_no_ranks() {
    let model = "process P() { state a, c; urgent a, c; init a; trans a -> c { }, c -> a { }; } system P;";
    for (a, c) in [(0, 0), (1, 0), (0, 1)] {
        let proof = format!("ranks\nat P.a\nrank {a} in\nat P.c\nrank {c} in\nend 2 rows 2 zones");
        assert_eq!(judge(model, "A<> false", &proof).unwrap_err().reason.to_string(), NOT_SMALLER);
    }
}

#[test]
fn a_run_must_not_wait_infinitely() {
    let model = "clock x; process P() { state a, b; init a; trans a -> b { }; } system P;";
    let all = "ranks\nat P.a\nrank 0 in\nend 1 row 1 zone";
    refuses(model, "A<> P.b", all, WAITS, "P.a");
    // Eventually the formula is violated.
    proves(model, "A<> P.b || x > 7", "ranks\nat P.a\nrank 0 in x<=7\nend 1 row 1 zone");
    refuses(model, "A<> P.b || x < 7", "ranks\nat P.a\nrank 0 in x>=7\nend 1 row 1 zone", WAITS, "P.a with x>=7");
    // It is not, while the clock is stopped.
    let stopped = model.replace("state a,", "state a { x' == 0 },");
    refuses(&stopped, "A<> P.b || x > 7", all, WAITS, "P.a with x<=7");
    // Time can't pass in an urgent location, nor while an urgent synchronisation is enabled.
    proves(&model.replace("init a", "urgent a; init a"), "A<> P.b", all);
    proves(&model.replace("init a", "commit a; init a"), "A<> P.b", all);
    let urgent = "clock x; urgent broadcast chan u; process P() { state a, b; init a; \
                  trans a -> b { guard x >= 2; sync u!; }; } system P;";
    proves(urgent, "A<> P.b", "ranks\nat P.a\nrank 0 in x<=2\nend 1 row 1 zone");
    refuses(urgent, "A<> P.b", "ranks\nat P.a\nrank 0 in x<2\nend 1 row 1 zone", NO_START, "P.a with x==2");
}

#[test]
fn a_run_must_not_stop() {
    let all = "ranks\nat P.a\nrank 0 in\nend 1 row 1 zone";
    // A deadlock, and a time-lock. In the second, the edge is disabled when time stops.
    let dead = "clock x; process P() { state a { x <= 3 }, b; init a; } system P;";
    refuses(dead, "A<> P.b", all, ENDS, "P.a with x<=3");
    refuses(&dead.replace("<=", "<"), "A<> P.b", all, ENDS, "P.a with x<3");
    let late = dead.replace("init a;", "init a; trans a -> b { guard x <= 2; };");
    refuses(&late, "A<> P.b", all, ENDS, "P.a with x>2 x<=3");
    proves(&late, "A<> P.b || x > 1", "ranks\nat P.a\nrank 0 in x<=1\nend 1 row 1 zone");
    proves(&late.replace("x <= 2", "x >= 2"), "A<> P.b", all);
    // The formula is violated before time stops.
    proves(dead, "A<> x >= 3", "ranks\nat P.a\nrank 0 in x<3\nend 1 row 1 zone");
    // Where no time passes, nothing becomes enabled.
    for word in ["urgent", "commit"] {
        let urgent = dead.replace("init a;", &format!("{word} a; init a; trans a -> b {{ guard x >= 1; }};"));
        refuses(&urgent, "A<> P.b", all, ENDS, "P.a with x<1");
    }
    // An invariant forbids the transition, but not the synchronisation that stops time.
    let urgent = "clock x; urgent broadcast chan u; process P() { state a, b { x <= 1 }; init a; \
                  trans a -> b { guard x >= 2; sync u!; }; } system P;";
    refuses(urgent, "A<> P.b", "ranks\nat P.a\nrank 0 in x<=2\nend 1 row 1 zone", ENDS, "P.a with x<=2");
}

#[test]
fn formulas_may_hold_in_several_zones() {
    let model = "clock x; process P() { state a { x <= 4 }, b { x <= 9 }; init a; trans a -> a { guard x == 1; assign x = 3; }, \
                 a -> b { }; } system P;";
    // Delays from 0 reach at most 2; only the jump passes 2.
    let proof = "ranks\nat P.a\nrank 1 in x<2\nrank 0 in x>2\nend 1 row 2 zones";
    proves(model, "A<> x == 2 || P.b", proof);
    let less = proof.replace("x>2", "x>3");
    refuses(model, "A<> x == 2 || P.b", &less, LEADS_OUT, "P.a with x==3");
    // No run passes 2 without stopping there.
    let loops = model.replace("a -> b { }", "a -> b { guard x == 3; }");
    refuses(&loops, "A<> x == 2 || P.b", proof, ENDS, "P.a with x>3 x<=4");
}

#[test]
fn priorities_and_broadcasts_count() {
    let model = "broadcast chan low, high; ORDER process P() { state a, b; urgent a; init a; \
                 trans a -> a { sync low!; }, a -> b { sync high!; }; } \
                 process Q() { state r, s; init r; trans r -> s { sync high?; }; } system P, Q;";
    let proof = "ranks\nat P.a Q.r\nrank 0 in\nend 1 row 1 zone";
    proves(&model.replace("ORDER", "chan priority low < high;"), "A<> P.b", proof);
    refuses(&model.replace("ORDER", ""), "A<> P.b", proof, NOT_SMALLER, "P.a Q.r");
    // Every process that can receive does.
    proves(&model.replace("ORDER", "chan priority low < high;"), "A<> Q.s", proof);
}

#[test]
fn leads_to_needs_all_reachable_states() {
    let model = "clock x; process P() { state a, c { x <= 5 }, b; init a; \
                 trans a -> c { guard x <= 5; }, c -> b { }, b -> a { assign x = 0; }; } system P;";
    let reached = "at P.a\nin\nat P.c\nin x<=5\nat P.b\nin\nend 3 rows 3 zones\n";
    let ranked = "at P.c\nrank 0 in x<=5\nend 1 row 1 zone";
    let both = |reached: &str, ranked: &str| format!("cover and ranks\n{reached}{ranked}");
    let good = both(reached, ranked);
    let proved = judge(model, "P.c --> P.b", &good).unwrap();
    assert_eq!((proved.rows, proved.states, proved.transitions), (3, 4, 4));
    refuses(model, "P.c --> P.b", &good.replace("0 in x<=5", "0 in x<=4"), NO_START, "P.c with x>4 x<=5");
    refuses(model, "P.c --> P.b", &good.replacen("in x<=5", "in x<=4", 1), LEADS_OUT, "P.c with x>4 x<=5");
    let no_start = "an initial state is not in the certificate";
    refuses(model, "P.c --> P.b", &good.replacen("in\n", "in x<9\n", 1), no_start, "P.a with x>=9");
    // From the moment at which it holds, which may be in the middle of a delay.
    let from_two = good.replace("0 in x<=5", "0 in x>=2");
    proves(model, "(P.c && x >= 2) --> P.b", &from_two);
    refuses(model, "(P.c && x >= 1) --> P.b", &from_two, NO_START, "P.c with x>=1 x<2");
    // A formula that leads to itself needs no ranks.
    proves(model, "P.c --> P.c", &both(reached, "end 0 rows 0 zones"));
    refuses(model, "P.a --> P.b", &good, NO_START, "P.a");
}

#[test]
fn a_proof_must_match_its_query() {
    let ranks = "ranks\nat P.a\nrank 1 in x<=3\nat P.c\nrank 0 in x>=1 x<=5\nend 2 rows 2 zones";
    let cover = "cover\nend 0 rows 0 zones";
    let both = "cover and ranks\nend 0 rows 0 zones\nend 0 rows 0 zones";
    for (query, answer, proof, reason) in [
        ("A<> P.b", "not satisfied", ranks, "ranks do not prove that `A<>` is not satisfied"),
        ("E[] not P.b", "satisfied", ranks, "ranks do not prove that `E[]` is satisfied"),
        ("P.a --> P.b", "not satisfied", both, "ranks do not prove that `-->` is not satisfied"),
        ("P.a --> P.b", "satisfied", ranks, "a proof about `-->` needs states that cover all others"),
        ("A<> P.b", "satisfied", both, "only a proof about `-->` has states that cover all others"),
        ("A[] not P.b", "satisfied", ranks, "ranks prove nothing about a query of this kind"),
        ("E<> P.b", "not satisfied", ranks, "ranks prove nothing about a query of this kind"),
        ("A<> P.b", "satisfied", cover, "states that cover all others prove nothing about a query of this kind"),
    ] {
        assert_eq!(judge_answer(STEPS, query, answer, proof).unwrap_err().reason.to_string(), reason);
    }
}

#[test]
fn a_run_time_error_is_not_a_proof() {
    let model = "int[0,1] n = 1; process P() { state a, b; urgent a; init a; trans a -> b { assign n++; }; } system P;";
    let refusal = judge(model, "A<> P.b", "ranks\nat P.a\nrank 0 in\nend 1 row 1 zone").unwrap_err();
    assert!(refusal.fault.is_some() && refusal.reason.to_string().contains("run-time error"), "{refusal:#?}");
}
