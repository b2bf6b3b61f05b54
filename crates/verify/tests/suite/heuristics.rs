//! Compares the values of heuristics with the length of the shortest path to the goal, for each
//! state.
//!
//! All states of small random networks are explored without covering. A backward search computes
//! the distance of each state to the goal, in transitions. Admissible heuristics must not exceed
//! the distance. Safe heuristics must report a dead end only if no path leads to the goal.

use std::collections::{HashMap, VecDeque};

use explore::{
    bounds::ClockBounds,
    goal::witness,
    graph::ZoneGraph,
    heuristic::{Budget, EvaluatedState, Evaluator, PathPosition},
};
use model::{Formula, Property, System, system::EdgeId};
use oracle::{
    Loaded,
    random::{self, Rng},
};
use verify::{HEURISTICS, Options, Update};

/// Networks with more states are skipped.
const MAX_STATES: usize = 400;

/// What was compared.
#[derive(Default)]
struct Counted {
    networks: u64,
    states: u64,
    /// Values that were compared with a distance, and those of them with a distance of more than
    /// one.
    guesses: u64,
    far: u64,
    /// Dead ends, and those that a heuristic detected.
    dead: u64,
    detected: u64,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.networks += other.networks;
        self.states += other.states;
        self.guesses += other.guesses;
        self.far += other.far;
        self.dead += other.dead;
        self.detected += other.detected;
    }
}

/// A state, the edges of the transition that first reached it, and whether it satisfies the goal.
struct State {
    row: Vec<i32>,
    zone: Vec<i32>,
    edges: Vec<EdgeId>,
    is_goal: bool,
}

/// All states and the predecessors of each, or `None` if there are too many.
fn explore(system: &System, property: &Property, goal: &Formula) -> Option<(Vec<State>, Vec<Vec<usize>>)> {
    let bounds = ClockBounds::new(system, property);
    let options = Options { update: Some(Update::Simple), ..Options::default() };
    let plan = verify::plan(system, property, &bounds, &options);
    let mut graph = ZoneGraph::new(system, bounds, plan.abstraction);
    let mut numbers: HashMap<(Vec<i32>, Vec<i32>), usize> = HashMap::new();
    let (mut states, mut before): (Vec<State>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut batch = graph.batch();
    graph.initial(&mut batch).ok()?;
    let mut parent = None;
    for next in 0.. {
        for i in 0..batch.len() {
            let key = (batch.row(i).to_vec(), batch.zone(i).to_vec());
            let number = match numbers.get(&key) {
                Some(number) => *number,
                None => {
                    let is_goal = witness(&mut graph, goal, &key.0, &key.1).ok()?.is_some();
                    let edges = batch.edges(i).to_vec();
                    states.push(State { row: key.0.clone(), zone: key.1.clone(), edges, is_goal });
                    before.push(Vec::new());
                    numbers.insert(key, states.len() - 1);
                    states.len() - 1
                }
            };
            before[number].extend(parent);
        }
        if states.len() > MAX_STATES {
            return None;
        }
        let Some(state) = states.get(next) else { break };
        batch.clear();
        graph.successors(&state.row, &state.zone, &mut batch).ok()?;
        parent = Some(next);
    }
    Some((states, before))
}

/// The distance of each state to the goal, in transitions.
fn distances(states: &[State], before: &[Vec<usize>]) -> Vec<Option<u32>> {
    let mut out: Vec<Option<u32>> = states.iter().map(|state| state.is_goal.then_some(0)).collect();
    let mut open: VecDeque<usize> = (0..states.len()).filter(|i| states[*i].is_goal).collect();
    while let Some(at) = open.pop_front() {
        for &from in &before[at] {
            if out[from].is_none() {
                out[from] = out[at].map(|distance| distance + 1);
                open.push_back(from);
            }
        }
    }
    out
}

/// Every heuristic by its name, and some with other parameters.
fn names() -> Vec<String> {
    let others = [
        "hl(jump)",
        "hl-loc(jump)",
        "hu(jump)",
        "max(hl,dl)",
        "sum(hu,du)",
        "pa-syntax(1,once)",
        "pa-syntax(2,once)",
        "pa-syntax(all)",
        "pa-refine(1,2,once)",
        "pa-refine(2,6,once)",
        "pa-refine(all,8)",
        "pa-refine(2,4,effects,once)",
        "pa-refine(2,3,all-paths,once)",
        "pa-refine(2,4,relevant,once)",
        "pa-refine(2,4,perimeter(2),once)",
        "pa-refine(2,4,ubtree,once)",
        "pa-syntax(2,isolated,once)",
        "pa-auto(isolated,once)",
        "pa-auto(once)",
    ];
    HEURISTICS.iter().map(|part| part.name).chain(others).map(str::to_owned).collect()
}

/// Checks a heuristic in all states.
fn judge(
    heuristic: &mut dyn Evaluator,
    states: &[State],
    distances: &[Option<u32>],
    system: &System,
    counted: &mut Counted,
) -> Result<(), String> {
    for (state, distance) in states.iter().zip(distances) {
        let evaluated =
            EvaluatedState { row: &state.row, zone: &state.zone, edges: &state.edges, path: PathPosition::default() };
        let guess = heuristic.evaluate(evaluated).map(|guess| guess.value);
        let fail = |why: String| Err(format!("{:?} {:?}\n{why}", state.row, state.zone));
        match (distance, guess) {
            (Some(_), None) if heuristic.is_safe() => {
                return fail(format!("a dead end, but the distance is {distance:?}"));
            }
            (Some(distance), Some(guess)) => {
                counted.guesses += 1;
                counted.far += u64::from(*distance > 1);
                if heuristic.is_admissible() && guess > *distance {
                    return fail(format!("{guess} transitions, but {distance} are enough"));
                }
            }
            (None, guess) => {
                counted.dead += 1;
                counted.detected += u64::from(guess.is_none());
            }
            _ => {}
        }
        // Without an edge the goal is not nearer. A second evaluation gives the same value.
        let edge = EdgeId((state.row[0].unsigned_abs() + guess.unwrap_or(0)) % system.edges.len().max(1) as u32);
        if heuristic.is_admissible()
            && !system.edges.is_empty()
            && let Some(without) = heuristic.without(evaluated, edge)
        {
            if without.unwrap_or(u32::MAX) < guess.unwrap_or(u32::MAX) {
                return fail(format!("{without:?} transitions without {edge:?}, {guess:?} with it"));
            }
            if heuristic.evaluate(evaluated).map(|guess| guess.value) != guess {
                return fail("another value in the second evaluation".to_owned());
            }
        }
    }
    Ok(())
}

/// Checks all heuristics on a model.
fn compare(text: &str, loaded: &Loaded, queries: &[String]) -> Result<Counted, String> {
    let system = &loaded.system;
    let mut counted = Counted::default();
    for (property, query) in loaded.properties.iter().zip(queries) {
        let Property::State { goal, .. } = property else { continue };
        let Some((states, before)) = explore(system, property, goal) else { continue };
        let distances = distances(&states, &before);
        counted.networks += 1;
        counted.states += states.len() as u64;
        for name in names() {
            let [read] =
                &verify::heuristics(&name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap()[..]
            else {
                continue;
            };
            let mut heuristic = read.build(system, goal, &Budget::default());
            // Some heuristics are admissible for some systems only.
            if read.is_admissible() && !heuristic.is_admissible() {
                return Err(format!("{name}: admissible in general, but not for this system"));
            }
            judge(&mut *heuristic, &states, &distances, system, &mut counted)
                .map_err(|why| format!("{text}\n{query}\n{name}: {why}"))?;
        }
    }
    Ok(counted)
}

fn report(counted: &Counted) {
    let Counted { networks, states, guesses, far, dead, detected } = counted;
    println!(
        "{networks} networks, {states} states, {guesses} values ({far} at a distance over one), \
         {detected} of {dead} dead ends detected"
    );
    assert!(*far > 10 * networks && detected > networks);
}

#[test]
fn every_state_of_random_networks() {
    let examine = |seed: u64| {
        let net = random::network(seed, &random::NetworkFeatures::all().some(&mut Rng::new(seed)));
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        compare(&text, &loaded, &queries).map_err(|why| format!("seed {seed}\n{why}"))
    };
    report(&oracle::campaign(200, examine, Counted::add));
}

#[test]
fn every_state_of_random_networks_of_vectors() {
    let examine = |seed: u64| {
        let net = random::vectors(seed);
        let loaded = oracle::load_tck(&net.text, &net.queries)?;
        compare(&net.text, &loaded, &net.queries).map_err(|why| format!("seed {seed}\n{why}"))
    };
    report(&oracle::campaign(80, examine, Counted::add));
}

/// Searches also evaluate states that are unreachable: representatives and joins. Their values must
/// be correct as well. Each slot of such a row has the value of some reachable state.
#[test]
fn every_state_reachable_from_any_row() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let (text, queries) = match seed % 3 {
            0 => {
                let random::RandomModel { text, queries } = random::sound_scalars(seed);
                (text, queries)
            }
            1 => {
                let random::RandomModel { text, queries } = random::sound_lattices(seed);
                (text, queries)
            }
            _ => {
                let net = random::network(
                    seed,
                    &random::NetworkFeatures { sound: true, ..random::NetworkFeatures::all().some(&mut rng) },
                );
                (net.text(), net.queries())
            }
        };
        let loaded = oracle::load(&text, &queries)?;
        let system = &loaded.system;
        let mut counted = Counted::default();
        for (property, query) in loaded.properties.iter().zip(&queries).take(4) {
            let Property::State { goal, .. } = property else { continue };
            let Some((reached, _)) = explore(system, property, goal) else { continue };
            if reached.is_empty() {
                continue;
            }
            let mut moved = system.clone();
            for slot in 0..system.identity {
                moved.initial[slot] = rng.pick(&reached).row[slot];
            }
            let Some((states, before)) = explore(&moved, property, goal) else { continue };
            let distances = distances(&states, &before);
            counted.networks += 1;
            counted.states += states.len() as u64;
            for name in [
                "hl",
                "hl-loc",
                "hadd",
                "dl",
                "pa-syntax(1,once)",
                "pa-auto(once)",
                "merge",
                "merge(4)",
                "pdb",
                "symbolic-pdb",
                "zone-pdb",
            ] {
                let read = verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new())))
                    .map_err(|e| e.to_string())?;
                let budget = Budget { states: 2_000, ..Budget::default() };
                judge(&mut *read[0].build(system, goal, &budget), &states, &distances, system, &mut counted)
                    .map_err(|why| format!("seed {seed}\n{text}\n{query}\n{name}: {why}"))?;
            }
        }
        Ok::<_, String>(counted)
    };
    report(&oracle::campaign(200, examine, Counted::add));
}

/// Refinement only adds predicates, and more predicates never lower a value (Proposition 2 of the
/// paper). A budget that is spent only lowers values.
#[test]
fn more_predicates_never_lower_a_value() {
    let examine = |seed: u64| {
        let net = random::network(seed, &random::NetworkFeatures::all().some(&mut Rng::new(seed)));
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        let system = &loaded.system;
        let mut compared = 0_u64;
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let Property::State { goal, .. } = property else { continue };
            let Some((states, _)) = explore(system, property, goal) else { continue };
            for bound in ["1", "2", "all"] {
                let build = |name: &str, budget: &Budget<'_>| {
                    let read =
                        verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap();
                    let mut heuristic = read[0].build(system, goal, budget);
                    let value = |state: &State| {
                        let evaluated = EvaluatedState {
                            row: &state.row,
                            zone: &state.zone,
                            edges: &state.edges,
                            path: PathPosition::default(),
                        };
                        heuristic.evaluate(evaluated).map_or(u32::MAX, |guess| guess.value)
                    };
                    states.iter().map(value).collect::<Vec<u32>>()
                };
                let at_most = |less: &[u32], more: &[u32]| less.iter().zip(more).all(|(less, more)| less <= more);
                let mut last: Option<Vec<u32>> = None;
                for rounds in [0, 1, 2, 4, 8] {
                    let name = format!("pa-refine({bound},{rounds})");
                    let values = build(&name, &Budget::default());
                    let few = build(&name, &Budget { states: 3, ..Budget::default() });
                    if last.is_some_and(|last| !at_most(&last, &values)) || !at_most(&few, &values) && rounds == 0 {
                        return Err(format!("seed {seed}\n{text}\n{query}\n{name} lowers a value"));
                    }
                    compared += values.len() as u64;
                    last = Some(values);
                }
            }
        }
        Ok(compared)
    };
    let compared = oracle::campaign(200, examine, |all, more| *all += more);
    println!("{compared} values");
    assert!(compared > oracle::expected(100_000, 200));
}

#[track_caller]
fn check(text: &str, query: &str) {
    let queries = [query.to_owned()];
    let loaded = oracle::load(text, &queries).unwrap();
    let counted = compare(text, &loaded, &queries).unwrap_or_else(|why| panic!("{why}"));
    assert!(counted.guesses > 0);
}

/// Both disjuncts are reached in one layer.
#[test]
fn a_goal_is_reached_by_several_paths() {
    let text = "clock x; process P() { state A, B, C; init A; trans A -> B {}, A -> C {}; } system P;";
    check(text, "E<> P.B or P.C");
    check(text, "E<> P.B and x != 3");
}

/// `Q` needs two transitions to set `v`. `P` sets it with one.
#[test]
fn the_earliest_write_counts() {
    let text = "int[0,1] v = 1;
        process P() { state A, B; init A; trans A -> B { assign v = v < 1 ? v + 1 : 0; }; }
        process Q() {
            state A, B, C; init C;
            trans B -> C { assign v = v < 1 ? v + 1 : 0; }, C -> B {}, C -> A { guard v <= 0; };
        }
        system P, Q;";
    check(text, "E<> Q.A");
    check(text, "E<> Q.C and v == 0");
}

/// The guard reads other values than the update.
#[test]
fn code_before_updates_counts() {
    let text = "int[0,1] v, w; before_update { v = 1 }
        process P() { state A, B; init A; trans A -> B { guard v == 0; assign w = v; }; }
        system P;";
    check(text, "E<> w == 1");
}

/// The guard holds before the code that runs after updates, and the invariant holds after it.
#[test]
fn code_after_updates_counts() {
    let text = "int[0,1] v; after_update { v = 1 }
        process P() { state A, B { v == 1 }; init A; trans A -> B { guard v == 0; }; }
        system P;";
    check(text, "E<> P.B");
}
