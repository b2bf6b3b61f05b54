//! Symbolic pattern databases: the same estimates as those that are explored state by state, and
//! patterns that these can't explore.

use std::cell::Cell;

use explore::{
    bounds::ClockBounds,
    graph::{Abstraction, ZoneGraph},
    heuristic::{Budget, EvaluatedState, Evaluator, PathPosition, Prepared},
    search::Limits,
};
use model::{Formula, Property, System};
use oracle::random::{self, Rng};

fn build<'s>(name: &str, system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Box<dyn Evaluator + 's> {
    let read = verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap();
    read[0].build(system, goal, budget)
}

fn value(heuristic: &mut dyn Evaluator, row: &[i32], zone: &[i32]) -> Option<u32> {
    let state = EvaluatedState { row, zone, edges: &[], path: PathPosition::default() };
    heuristic.evaluate(state).map(|guess| guess.value)
}

/// The first states of the zone graph.
fn states(system: &System, property: &Property, most: usize) -> Vec<(Vec<i32>, Vec<i32>)> {
    let mut graph = ZoneGraph::new(system, ClockBounds::new(system, property), Abstraction::Alu);
    let mut batch = graph.batch();
    let mut found: Vec<(Vec<i32>, Vec<i32>)> = Vec::new();
    if graph.initial(&mut batch).is_err() {
        return found;
    }
    for next in 0..most {
        for i in 0..batch.len() {
            let state = (batch.row(i).to_vec(), batch.zone(i).to_vec());
            if !found.contains(&state) {
                found.push(state);
            }
        }
        batch.clear();
        let Some((row, zone)) = found.get(next) else { break };
        if graph.successors(row, zone, &mut batch).is_err() {
            break;
        }
    }
    found
}

/// What was compared: values, those of more than one transition, and dead ends.
#[derive(Default)]
struct Compared {
    values: u64,
    far: u64,
    dead: u64,
    databases: u64,
    /// Databases that exceed the budget.
    incomplete: u64,
}

/// A pattern of random processes and variables.
fn pattern(system: &System, rng: &mut Rng) -> String {
    let processes = system.processes.iter().map(|process| &process.name);
    let names = processes.chain(system.variables.iter().map(|variable| &variable.name));
    let kept: Vec<&str> = names.filter(|_| rng.chance(70)).map(String::as_str).collect();
    if kept.is_empty() { "pdb".to_owned() } else { format!("pdb({})", kept.join(",")) }
}

fn compare(text: &str, queries: &[String], loaded: &oracle::Loaded, seed: u64) -> Result<Compared, String> {
    let mut rng = Rng::new(seed);
    let (system, mut compared) = (&loaded.system, Compared::default());
    for (property, query) in loaded.properties.iter().zip(queries) {
        let Property::State { goal, .. } = property else { continue };
        let states = states(system, property, 60);
        for name in ["pdb".to_owned(), pattern(system, &mut rng)] {
            let budget = Budget { states: 20_000, ..Budget::default() };
            let mut explicit = build(&name, system, goal, &budget);
            let mut symbolic = build(&format!("symbolic-{name}"), system, goal, &budget);
            if explicit.prepared().is_none_or(|prepared| prepared.stopped.is_some()) {
                continue;
            }
            // Regression reaches unreachable rows as well, for which the budget may be too small.
            let is_complete = symbolic.prepared().is_some_and(|prepared| prepared.stopped.is_none());
            compared.databases += 1;
            compared.incomplete += u64::from(!is_complete);
            for (row, zone) in &states {
                let expected = value(&mut *explicit, row, zone);
                let found = value(&mut *symbolic, row, zone);
                let bound = expected.unwrap_or(u32::MAX);
                let is_lower = !is_complete && found.is_some_and(|found| found <= bound);
                if expected != found && !is_lower {
                    let values = format!("{row:?}: {expected:?} state by state, {found:?} by diagrams");
                    return Err(format!("seed {seed}\n{text}\n{query}\n{name}: {values}"));
                }
                compared.values += 1;
                compared.far += u64::from(expected.is_some_and(|expected| expected > 1));
                compared.dead += u64::from(expected.is_none());
            }
        }
    }
    Ok(compared)
}

fn report(compared: &Compared) {
    let Compared { values, far, dead, databases, incomplete } = compared;
    println!(
        "{values} values, {far} of more than one transition, {dead} dead ends; {incomplete} of {databases} incomplete"
    );
    assert!(*far > 1000 && *dead > 1000 && 50 * incomplete < *databases);
}

fn add(all: &mut Compared, one: Compared) {
    all.values += one.values;
    all.far += one.far;
    all.dead += one.dead;
    all.databases += one.databases;
    all.incomplete += one.incomplete;
}

#[test]
fn both_forms_agree_on_random_networks() {
    let examine = |seed: u64| {
        let net = random::network(seed, &random::NetworkFeatures::all().some(&mut Rng::new(seed)));
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        compare(&text, &queries, &loaded, seed)
    };
    report(&oracle::campaign(300, examine, add));
}

#[test]
fn both_forms_agree_on_random_networks_of_vectors_and_scalars() {
    let examine = |seed: u64| {
        if seed.is_multiple_of(2) {
            let net = random::vectors(seed);
            let loaded = oracle::load_tck(&net.text, &net.queries)?;
            return compare(&net.text, &net.queries, &loaded, seed);
        }
        let net = random::sound_scalars(seed);
        let loaded = oracle::load(&net.text, &net.queries)?;
        compare(&net.text, &net.queries, &loaded, seed)
    };
    report(&oracle::campaign(200, examine, add));
}

/// Numbers of `n` bits that are counted down, each by a process of its own.
fn counters(count: usize) -> oracle::Loaded {
    let text = format!(
        "const int N = {count}; int[0,3] n[N]; chan go[N];
        process P(const int i) {{
            state A; init A;
            trans A -> A {{ guard n[i] < 3; assign n[i] = n[i] + 1; }}, A -> A {{ guard n[i] > 0; assign n[i] = 0; }};
        }}
        {} system {};",
        (0..count).map(|i| format!("P{i} = P({i});")).collect::<String>(),
        (0..count).map(|i| format!("P{i}")).collect::<Vec<_>>().join(", ")
    );
    oracle::load(&text, &["E<> forall (i : int[0,N-1]) n[i] == 3".to_owned()]).unwrap()
}

fn goal(property: &Property) -> &Formula {
    let Property::State { goal, .. } = property else { panic!("reachability") };
    goal
}

fn prepared(name: &str, loaded: &oracle::Loaded, budget: &Budget<'_>) -> Prepared {
    build(name, &loaded.system, goal(&loaded.properties[0]), budget).prepared().unwrap()
}

/// 4^20 rows are too many to be explored, but each layer is a small diagram.
#[test]
fn large_patterns_are_explored() {
    let loaded = counters(20);
    let symbolic = prepared("symbolic-pdb", &loaded, &Budget::default());
    assert_eq!((symbolic.stopped, symbolic.lengths), (None, vec![Some(60)]));
    assert!(symbolic.states == 0 && symbolic.nodes > 0);
    let explicit = prepared("pdb", &loaded, &Budget::default());
    assert!(explicit.stopped.is_some() && explicit.lengths[0] < Some(60), "{explicit:?}");
}

/// What has fit into the budget is a lower bound. More of it gives a greater one.
#[test]
fn a_budget_is_obeyed_and_reported() {
    let loaded = counters(8);
    let mut last = 0;
    for states in [0, 1, 10, 30, 100, 300, 1000, 10_000] {
        let prepared = prepared("symbolic-pdb", &loaded, &Budget { states, ..Budget::default() });
        let length = prepared.lengths[0].unwrap();
        assert!(length <= 24 && length >= last, "{states}: {length} after {last}");
        assert_eq!(prepared.stopped.is_none(), length == 24, "{states}");
        assert!(prepared.nodes <= (8 * states).max(2), "{states}: {}", prepared.nodes);
        last = length;
    }
    assert_eq!(last, 24);
}

#[test]
fn signals_are_polled_within_operations() {
    let loaded = counters(20);
    let polls = Cell::new(0);
    let expired = || {
        polls.set(polls.get() + 1);
        polls.get() > 3
    };
    let limits = Limits { expired: Some(&expired), ..Limits::default() };
    let prepared = prepared("symbolic-pdb", &loaded, &Budget { limits, ..Budget::default() });
    assert_eq!((prepared.stopped, polls.get()), (Some("the time is over"), 4));
}

/// Variables of 16 and 32 bits: comparisons and increments are exact as far as they can be
/// evaluated for all values.
#[test]
fn wide_variables_are_kept() {
    let text = "int a; int[-2147483647,2147483647] b; int[0,200] c;
        process P() {
            state A, B; init A;
            trans A -> A { guard a >= 0 && a < 4; assign a = a + 1; }, A -> A { guard a == 4 && b < 1000; assign b = 1000000; },
                A -> A { guard b > 999999 && c < 150; assign c = c + 50; }, A -> B { guard c > 149 && b == 1000000; };
        }
        system P;";
    let loaded = oracle::load(text, &["E<> P.B".to_owned()]).unwrap();
    let symbolic = prepared("symbolic-pdb", &loaded, &Budget::default());
    assert_eq!((symbolic.stopped, symbolic.lengths), (None, vec![Some(9)]));
    // What has too many values may be anything.
    let text = text.replace("b = 1000000;", "b = b + a * 250000;");
    let loaded = oracle::load(&text, &["E<> P.B".to_owned()]).unwrap();
    let symbolic = prepared("symbolic-pdb", &loaded, &Budget::default());
    let why = "an expression has too many values, and is ignored";
    assert_eq!((symbolic.stopped, symbolic.lengths), (Some(why), vec![Some(9)]));
}
