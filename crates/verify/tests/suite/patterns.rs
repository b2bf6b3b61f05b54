//! Pattern databases: their patterns, values and budgets.

use std::cell::Cell;

use explore::{
    bounds::ClockBounds,
    graph::{Abstraction, ZoneGraph},
    heuristic::{Budget, EvaluatedState, PathPosition, Prepared},
    search::Limits,
};
use model::{Property, System};
use oracle::{
    Loaded,
    random::{self, Rng},
};
use verify::{Answer, Guidance, Heuristic, Options, Order, Reason, Verdict, Wanted, answer};

fn heuristic(name: &str) -> Heuristic {
    let [heuristic] =
        &verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap()[..]
    else {
        panic!("one")
    };
    heuristic.clone()
}

fn goal(property: &Property) -> &model::Formula {
    let Property::State { goal, .. } = property else { panic!("reachability") };
    goal
}

fn load(text: &str, query: &str) -> Loaded {
    oracle::load(text, &[query]).unwrap()
}

/// The value of a heuristic in the initial state, and its preparation.
fn start(name: &str, loaded: &Loaded, budget: usize) -> (Option<u32>, Prepared) {
    let system = &loaded.system;
    let budget = Budget { states: budget, ..Budget::default() };
    let mut heuristic = heuristic(name).build(system, goal(&loaded.properties[0]), &budget);
    let bounds = ClockBounds::new(system, &loaded.properties[0]);
    let mut graph = ZoneGraph::new(system, bounds, Abstraction::Alu);
    let mut batch = graph.batch();
    graph.initial(&mut batch).unwrap();
    let state = EvaluatedState { row: batch.row(0), zone: batch.zone(0), edges: &[], path: PathPosition::default() };
    (heuristic.evaluate(state).map(|guess| guess.value), heuristic.prepared().unwrap())
}

#[track_caller]
fn check(text: &str, query: &str, expected: &[(&str, Option<u32>)]) {
    let loaded = load(text, query);
    for (name, expected) in expected {
        let (value, prepared) = start(name, &loaded, 10_000);
        assert_eq!(value, *expected, "{name}");
        assert_eq!(prepared.lengths, [*expected], "{name}");
        assert!(prepared.states > 0 && prepared.states < 500, "{name}: {}", prepared.states);
        if name.starts_with("pdb") {
            let (value, prepared) = start(&format!("symbolic-{name}"), &loaded, 10_000);
            assert_eq!((value, prepared.lengths, prepared.stopped), (*expected, vec![*expected], None), "{name}");
        }
    }
}

/// `y` grows to 5 in steps of 1, which `x` measures. Neither `z` nor `Q` matters.
const POLLS: &str = "clock x, y, z; int[0,1] busy;
    process P() {
        state A { x <= 1 }, B; init A;
        trans A -> A { guard x >= 1; assign x = 0; }, A -> B { guard y >= 5 && z >= 1 && busy == 0; };
    }
    process Q() { state A; init A; trans A -> A { assign busy = 1 - busy; }; }
    system P, Q;";

#[test]
fn only_clocks_that_interact_raise_the_value() {
    check(
        POLLS,
        "E<> P.B",
        &[
            ("pdb", Some(1)),
            ("pdb(P)", Some(1)),
            ("zone-pdb(P,x)", Some(1)),
            ("zone-pdb(P,y)", Some(1)),
            ("zone-pdb(P,y,z)", Some(1)),
            ("zone-pdb(P,x,y)", Some(5)),
            ("zone-pdb(P,Q,busy,x,y,z)", Some(5)),
        ],
    );
}

#[test]
fn the_clocks_that_matter_are_found() {
    check(POLLS, "E<> P.B", &[("zone-pdb", Some(5))]);
    // Clock constraints of the goal count as well.
    check(POLLS, "E<> P.A and y > 3", &[("zone-pdb", Some(3)), ("zone-pdb(P,x)", Some(0))]);
}

/// The goal is about `P`, which waits for `Q`, which waits for `R`.
#[test]
fn processes_are_added_while_paths_get_longer() {
    let text = "chan a, b;
        process P() { state A, B; init A; trans A -> B { sync a?; }; }
        process Q() { state A, B, C; init A; trans A -> B { sync b?; }, B -> C { sync a!; }; }
        process R() { state A, B, C; init A; trans A -> B {}, B -> C {}, C -> C { sync b!; }; }
        process S() { int[0,9] n; state A; init A; trans A -> A { guard n < 9; assign n = n + 1; }; }
        system P, Q, R, S;";
    check(text, "E<> P.B", &[("pdb(P)", Some(1)), ("pdb(P,Q)", Some(2)), ("pdb(P,Q,R)", Some(4))]);
    check(text, "E<> P.B and Q.A", &[("pdb(Q)", Some(0)), ("pdb(P,Q)", None)]);
    // Nothing is added if the path is not longer than the value of hl.
    let (value, prepared) = start("zone-pdb", &load(text, "E<> P.B"), 10_000);
    assert_eq!((value, prepared.lengths), (Some(4), vec![Some(4)]));
    assert!(prepared.stopped.is_some_and(|why| why.contains("hl")));
}

/// The pattern keeps `v` without the locations of the processes that write it.
#[test]
fn variables_are_kept_without_processes() {
    let text = "int[0,3] v; int[0,3] w;
        process P() { state A, B; init A; trans A -> B { assign v = v < 3 ? v + 1 : 0; }, B -> A {}; }
        process Q() { state A, B; init A; trans A -> B { guard v == 2; assign w = v; }; }
        system P, Q;";
    check(
        text,
        "E<> w == 2",
        &[("pdb(v,w)", Some(3)), ("pdb(w)", Some(1)), ("pdb(v)", Some(0)), ("pdb(P,v,w)", Some(4))],
    );
    check(text, "E<> w == 3", &[("pdb(v,w)", None), ("pdb(w)", Some(1)), ("pdb", None)]);
}

/// `P` writes `v`, but the value does not stay. `Q`, which the pattern leaves out, writes `v` after
/// `P`.
#[test]
fn processes_left_out_still_write() {
    let text = "int[0,1] v = 1; chan c;
        process P() { state A, B { v == 1 }; init A; trans A -> B { guard v == 1; sync c!; assign v = 0; }; }
        process Q() { state A; init A; trans A -> A { sync c?; assign v = 1; }; }
        system P, Q;";
    check(text, "E<> P.B", &[("pdb(P)", Some(1)), ("pdb(P,v)", Some(1)), ("pdb(P,Q,v)", Some(1)), ("pdb", Some(1))]);
}

#[test]
fn committed_and_urgent_locations_count_if_kept() {
    let text = "clock x;
        process P() { state A, B; commit A; init A; trans A -> B {}; }
        process Q() { state A, B; init A; trans A -> B {}; }
        process R() { state A, B; urgent A; init A; trans A -> B {}; }
        system P, Q, R;";
    check(text, "E<> Q.B and P.A", &[("pdb(P,Q)", None), ("pdb(Q)", Some(1)), ("pdb(P)", Some(0))]);
    check(text, "E<> R.A and x > 2", &[("zone-pdb(R,x)", None), ("zone-pdb(x)", Some(0)), ("zone-pdb", None)]);
}

/// `w` is compared with nothing, so the search removes it.
#[test]
fn removed_clocks_are_skipped() {
    let text = POLLS.replace("clock x, y, z;", "clock w, x, y, z;");
    let loaded = load(&text, "E<> P.B");
    let guidance = Guidance { heuristics: vec![heuristic("zone-pdb(P,w,x,y)")], ..Guidance::default() };
    let options = Options { order: Order::Astar, guidance, ..Options::default() };
    let found = search(&loaded.system, &loaded.properties[0], &options);
    assert_eq!((length(&found), found.prepared.unwrap().lengths), (Some(5), vec![Some(5)]));
}

#[test]
fn a_budget_is_obeyed_and_reported() {
    let loaded = load(POLLS, "E<> P.B");
    for name in ["pdb", "zone-pdb", "zone-pdb(P,x,y)"] {
        for budget in [0, 1, 2, 5] {
            let (value, prepared) = start(name, &loaded, budget);
            assert!(value.is_some_and(|value| value <= 5), "{name} {budget}: {value:?}");
            // The last state is expanded completely.
            assert!(prepared.states <= budget + 4, "{name} {budget}: {}", prepared.states);
            assert!(prepared.stopped.is_some() || prepared.states < budget, "{name} {budget}");
        }
    }
}

fn search(system: &System, property: &Property, options: &Options) -> Answer {
    answer(system, property, options, &Limits { states: Some(4_000), ..Limits::default() }, &mut ())
}

fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

/// Even with an incomplete database, A* finds a shortest path.
#[test]
fn small_budgets_on_random_networks() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let net = random::network(seed, &random::NetworkFeatures::all().some(&mut rng));
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        let system = &loaded.system;
        let mut count = 0;
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let shortest = Options { wanted: Wanted::Shortest, ..Options::default() };
            let expected = search(system, property, &shortest);
            if matches!(expected.verdict, Verdict::Unknown(_)) {
                continue;
            }
            for name in [
                "pdb",
                "symbolic-pdb",
                "symbolic-pdb(P0,v0)",
                "zone-pdb",
                "zone-pdb(P0,P1,v0,x0,x1,x2,P0.x0,P1.x0,P1.x1)",
            ] {
                let guidance =
                    Guidance { heuristics: vec![heuristic(name)], budget: rng.below(40), ..Guidance::default() };
                let options = Options { order: Order::Astar, guidance, ..Options::default() };
                let found = search(system, property, &options);
                if matches!(found.verdict, Verdict::Unknown(Reason::Limit(_))) {
                    continue;
                }
                if (&found.verdict, length(&found)) != (&expected.verdict, length(&expected)) {
                    let shown = format!("{:?} {:?}", found.verdict, length(&found));
                    return Err(format!("seed {seed}\n{text}\n{query}\n{name}: {:#?}\n{shown}", options.guidance));
                }
                count += 1;
            }
        }
        Ok(count)
    };
    let count: u64 = oracle::campaign(300, examine, |all: &mut u64, one| *all += one);
    println!("{count} searches");
    assert!(count > oracle::expected(1_000, 300));
}

/// Comparisons of several variables are evaluated for all values. A single abstract state takes
/// long, so the number of states does not measure the work.
#[test]
fn predicates_are_limited_by_their_comparisons() {
    let mut rng = Rng::new(17);
    for case in 0..4 {
        let names = ["a", "b", "c", "d", "e"];
        let sum = |rng: &mut Rng| {
            let terms: Vec<String> = names.iter().map(|name| format!("{name} * {}", 1 + rng.below(3))).collect();
            terms.join(" + ")
        };
        let edges: Vec<String> = (0..30)
            .map(|_| {
                let (left, right, to) = (sum(&mut rng), sum(&mut rng), rng.pick(&names));
                format!("l -> l {{ guard {left} < {right}; assign {to} = 9 - {to}; }}")
            })
            .collect();
        let text = format!(
            "int[0,9] {}; process P() {{ state l; init l; trans {}; }} system P;",
            names.join(", "),
            edges.join(",\n")
        );
        let goal_text = format!("E<> {} == {} && a != b", sum(&mut rng), sum(&mut rng));
        let loaded = load(&text, &goal_text);
        let (_, prepared) = start("pa-syntax", &loaded, 20);
        assert_eq!(prepared.stopped, Some("the budget of abstract states is spent"), "{case}");
        assert!(prepared.states < 20, "{case}: {} states", prepared.states);

        let polls = Cell::new(0);
        let expired = || {
            polls.set(polls.get() + 1);
            polls.get() > 3
        };
        let limits = Limits { expired: Some(&expired), ..Limits::default() };
        let (system, goal) = (&loaded.system, goal(&loaded.properties[0]));
        let made = heuristic("pa-syntax").build(system, goal, &Budget { limits, ..Budget::default() });
        let prepared = made.prepared().unwrap();
        assert_eq!((prepared.stopped, polls.get()), (Some("the time is over"), 4), "{case}");
        assert!(prepared.states < 64, "{case}: {} states", prepared.states);
    }
}
