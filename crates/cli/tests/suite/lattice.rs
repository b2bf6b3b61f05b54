//! The models of `models/lattice`.

use std::fs;

use crate::common::{Run, models, run_in, scratch};
use serde_json::Value;

/// Runs `merkhet verify` on a model, followed by more arguments.
fn verify(model: &str, words: &str, more: &[&str]) -> Run {
    let args: Vec<&str> =
        ["verify", model].into_iter().chain(words.split_whitespace()).chain(more.iter().copied()).collect();
    run_in(&models("lattice"), &args)
}

const MODELS: [(&str, &str); 7] = [
    ("binary_search.xta", "binary_search.q"),
    ("binary_search_timed.xta", "binary_search_timed.q"),
    ("database.xta", "database.q"),
    ("filter.xta", "filter.q"),
    ("full.xml", "full.q"),
    ("leader.xta", "leader.q"),
    ("users.xta", "users.q"),
];

#[test]
fn all_queries_hold_however_states_meet() {
    for (model, queries) in MODELS {
        for update in ["simple", "cover", "join"] {
            verify(model, &format!("--update {update}"), &[queries]).succeeds();
        }
        let warnings = run_in(&models("lattice"), &["check", model, "--queries", queries]);
        assert!(!warnings.succeeds().contains("warning"), "{warnings:?}");
    }
}

#[test]
fn a_goal_is_not_lost_by_joins() {
    // The goal holds for few databases only, and not for their join with others.
    for words in ["", "--update join", "--update join --no-refine"] {
        verify("users.xta", words, &["-q", "E<> User(0).Idle && users.mustLack(0)"]).succeeds();
    }
}

#[test]
fn joins_make_bounds_greater_and_refinement_makes_them_tight() {
    let bound = |words: &str, cost: i32| verify("filter.xta", words, &["-q", &format!("A[] cost <= {cost}")]).status;
    assert_eq!((bound("", 111), bound("", 110)), (0, 1));
    let naive = "--update join --no-refine";
    assert_eq!((bound(naive, 120), bound(naive, 119)), (0, 2));
    assert_eq!((bound("--update join", 111), bound("--update join", 110)), (0, 1));
    let added = |words: &str| {
        let run = verify("filter.xta", words, &["--stats", "--format", "json", "-q", "A[] cost <= 111"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        report["results"][0]["stats"]["added"].as_u64().unwrap()
    };
    assert_eq!((added("--update simple"), added("--update cover")), (4273, 4273));
    assert!(added("--update join") < 1000);
}

#[test]
fn integers_and_clocks_measure_the_same_time() {
    let sup = |model, query: &str| verify(model, "", &["-q", query]).succeeds().to_owned();
    assert!(sup("binary_search.xta", "sup: cost").contains("cost <= 75\n"));
    assert!(sup("binary_search_timed.xta", "sup{Search.Compare}: time").contains("time <= 75\n"));
}

/// Returns how many lines of a DOT drawing contain all of these.
fn lines(dot: &str, words: &[&str]) -> usize {
    dot.lines().filter(|line| words.iter().all(|word| line.contains(word))).count()
}

#[test]
fn states_are_drawn_as_the_search_finds_them() {
    let folder = scratch("lattice-states");
    let text = fs::read_to_string(models("lattice").join("leader.xta")).unwrap();
    fs::write(folder.join("leader.xta"), text.replace("const int N = 5;", "const int N = 3;")).unwrap();
    let draw = |words: &str| {
        let all = format!("graph --states leader.xta {words}");
        run_in(&folder, &all.split_whitespace().collect::<Vec<_>>()).succeeds().to_owned()
    };
    let node = "  s";
    // (n + 2) n!, C(n + 2, 3) + 2 and C(n + 1, 2) + 2 states, of which two remain.
    for (words, nodes, gone) in [("--update simple", 30, 0), ("", 12, 10), ("--update join", 8, 6)] {
        let dot = draw(&format!("{words} --format dot"));
        assert_eq!(lines(&dot, &[node, "[label="]) - lines(&dot, &[" -> ", "label="]), nodes, "{words}: {dot}");
        assert_eq!(lines(&dot, &[" -> ", "style=dotted"]), gone, "{words}: {dot}");
        assert_eq!(lines(&dot, &["fontcolor=gray"]), gone, "{words}: {dot}");
        assert_eq!(lines(&dot, &["peripheries=2"]), 1, "{words}: {dot}");
    }
    let joined = draw("--update join --format dot");
    assert!(lines(&joined, &[" -> ", "style=bold"]) > 0 && lines(&joined, &[" -> ", "style=dashed"]) > 0, "{joined}");
    assert!(joined.contains("Agent(0).Run, Agent(1).Run, Agent(2).Run\\lpool = "), "{joined}");
    assert_eq!(draw("--join never"), draw("--update cover"));
    let svg = draw("--update join");
    assert_eq!(svg.matches("<rect x=").count(), 8, "{svg}");
    let run = run_in(&folder, &["graph", "--states", "leader.xta", "--state-limit", "11"]);
    assert_eq!(run.succeeds().matches("<rect x=").count(), 11, "{run:?}");
    assert!(run.err.contains("the first 11 states; there are more"), "{run:?}");
    run_in(&folder, &["graph", "leader.xta", "--update", "join"]).refuses("--states");
}

#[test]
fn states_without_lattices_have_zones() {
    let folder = scratch("zone-states");
    let text = fs::read_to_string(models("lattice").join("../zones/train-gate.xta")).unwrap();
    fs::write(folder.join("gate.xta"), text.replace("const int N = 4;", "const int N = 2;")).unwrap();
    let dot = run_in(&folder, &["graph", "--states", "gate.xta", "-o", "gate.dot"]);
    dot.succeeds();
    let dot = fs::read_to_string(folder.join("gate.dot")).unwrap();
    let run =
        run_in(&folder, &["verify", "gate.xta", "-q", "E<> false", "--order", "bfs", "--stats", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let nodes = lines(&dot, &["  s", "[label="]) - lines(&dot, &[" -> ", "label="]);
    assert_eq!(report["results"][0]["stats"]["added"], nodes, "{dot}");
    assert!(dot.contains("Train(1).near") && dot.contains("Train(1).x <= 0") && dot.contains("appr[1]"), "{dot}");
    let exact = run_in(&folder, &["graph", "--states", "gate.xta", "--abstraction", "extra-m", "--format", "dot"]);
    assert!(exact.succeeds().contains("Train(1).x <= 20") && !dot.contains("Train(1).x <= 20"), "{exact:?}");
}

/// Two hundred clocks that are all reset and compared, as opaal declares them.
const MANY_CLOCKS: &str = "extern DBMFederation; extern DBMClock; DBMFederation dbm; DBMClock dbm.z[10][20]; int[0,3] n;
    process P() {
        state A { dbm.z[0][0] <= 5 }; init A;
        trans A -> A { select i : int[0,9], j : int[0,19]; guard dbm.z[i][j] > 1; assign dbm.z[i][j] = 0, n = (n + 2) % 4; };
    }
    system P;";

#[test]
fn many_clocks_of_a_federation_keep_to_the_limits() {
    let folder = scratch("many-clocks");
    fs::write(folder.join("many.xta"), MANY_CLOCKS).unwrap();
    let verify = |query: &str, seconds: &str| {
        run_in(&folder, &["verify", "many.xta", "-q", query, "--memory-limit", "200MB", "--time-limit", seconds])
    };
    verify("E<> dbm.z[3][4] - dbm.z[4][3] > 2 && n == 2", "100").succeeds();
    let unknown = verify("A[] dbm.z[0][0] <= 4 || n != 2 || dbm.z[1][1] < 90 || dbm.z[1][2] > 3", "2");
    assert_eq!(unknown.status, 2, "{unknown:?}");
    assert!(format!("{unknown:?}").contains("the time limit was reached"), "{unknown:?}");
}

#[test]
fn operators_on_numbers_are_covered() {
    let folder = scratch("numbers");
    // Fuel may leak. A state with more of it stands for those with less.
    let text = "extern MaxInteger; MaxInteger fuel; int[0,5] at; int[0,9] got; process P() { state A, B; init A;
        trans A -> A { guard at < 5 && fuel >= 1; assign fuel -= 1, at++; }, A -> A { guard got < 9; assign fuel++, got++; },
              A -> A { guard fuel > 0; assign fuel--; }, A -> B { guard at == 5 && fuel >= 4; }; } system P;";
    fs::write(folder.join("fuel.xta"), text).unwrap();
    let stored = |update: &str| {
        let words =
            ["verify", "fuel.xta", "-q", "E<> P.B && fuel >= 5", "--stats", "--format", "json", "--update", update];
        let run = run_in(&folder, &words);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        (run.status, report["results"][0]["stats"]["stored"].as_u64().unwrap())
    };
    // With nine units, five of which are spent, four are left.
    let (simple, cover) = (stored("simple"), stored("cover"));
    assert_eq!((simple.0, cover.0), (1, 1));
    assert!(cover.1 < simple.1, "{cover:?} {simple:?}");
}
