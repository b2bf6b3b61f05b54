//! Compares searches with symmetry reduction with searches of all states, on random networks with
//! scalar sets.
//!
//! The verdicts must agree, and every trace must be a run of the model. Shortest and fastest traces
//! must be as short and as fast as without symmetry. The rows that the representatives stand for
//! must be the reachable rows.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test suite symmetry::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::{cell::Cell, collections::BTreeSet};

use explore::{
    bounds::ClockBounds,
    graph::ZoneGraph,
    search::{Limits, SearchOutcome},
    seen::Seen,
    shard::Worker,
    store::Store,
    symmetry::{Reduction, Represented},
    transitions::Transitions,
};
use model::{Formula, Property, System, symmetry::Symmetry as Table};
use oracle::{Loaded, random};
use verify::{Abstraction, Options, Order, Reason, Request, Symmetry, Update, Verdict, Wanted};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Searches with more symbolic states are stopped.
const LIMIT: usize = 800;

/// Stops a search after a number of polls. If clocks are set to the values of others, a search may
/// diverge without storing more states.
struct Deadline(Cell<u32>);

impl Deadline {
    fn has_expired(&self) -> bool {
        self.0.set(self.0.get() + 1);
        // A search polls once in 256 states.
        self.0.get() > 40
    }
}

/// Runs a search that is stopped if it takes too long.
fn with_deadline<R>(search: impl FnOnce(&Limits<'_>) -> R) -> R {
    let deadline = Deadline(Cell::new(0));
    search(&Limits { states: Some(LIMIT), expired: Some(&|| deadline.has_expired()), ..Limits::default() })
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update, Wanted)] = &[
    (Order::Bfs, None, Update::Cover, Wanted::Shortest),
    (Order::RandomDfs, None, Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Dfs, Some(Abstraction::ExtraM), Update::Simple, Wanted::Some),
    (Order::Bfs, None, Update::Cover, Wanted::Fastest),
];

/// Compares the answers with and without symmetry. Returns whether symmetry was used.
fn compare(system: &System, property: &Property, configuration: usize) -> Result<bool, String> {
    let (order, abstraction, update, wanted) = CONFIGURATIONS[configuration % CONFIGURATIONS.len()];
    let ask = |symmetry| {
        let options =
            Options { order, abstraction, update: Some(update), seed: 7, wanted, symmetry, ..Options::default() };
        with_deadline(|limits| verify::answer(system, property, &options, limits, &mut ()))
    };
    let (with, without) = (ask(Symmetry::On), ask(Symmetry::Off));
    let renames_processes =
        |cell: &model::symmetry::SymmetricArray| !cell.by.is_empty() && cell.places[0] < system.processes.len() as u32;
    let used = with.plan.symmetry && system.symmetry.row.iter().any(renames_processes);
    let fail = |why: &str| Err(format!("{order:?} {abstraction:?} {update:?} {wanted:?}: {why}"));
    // The order of exploration decides whether an error or the goal is found first. The number of
    // states decides whether a limit is reached.
    let stopped = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::Limit(_)));
    let fails = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::RunTime(..)));
    if stopped(&with.verdict) && !stopped(&without.verdict) && without.counts.added * 8 < LIMIT {
        return fail("terminates only without symmetry");
    }
    if [&with.verdict, &without.verdict].iter().any(|verdict| stopped(verdict) || fails(verdict)) {
        return Ok(used);
    }
    if with.verdict != without.verdict {
        return fail(&format!("{:?}, not {:?}", with.verdict, without.verdict));
    }
    let (Some(found), Some(expected)) = (&with.trace, &without.trace) else {
        return if with.trace.is_some() == without.trace.is_some() { Ok(used) } else { fail("only one has a trace") };
    };
    if with.plan.symmetry && !found.is_replayed() {
        return fail("the trace is not a run");
    }
    if wanted == Wanted::Shortest && found.steps.len() != expected.steps.len() {
        return fail(&format!("{} steps, not {}", found.steps.len(), expected.steps.len()));
    }
    if wanted == Wanted::Fastest && expected.is_replayed() && found.duration() != expected.duration() {
        return fail(&format!("takes {:?}, not {:?}", found.duration(), expected.duration()));
    }
    Ok(used)
}

/// Compares searches that answer several queries at once, with and without symmetry.
fn compare_groups(loaded: &Loaded) -> Result<(), String> {
    let ask = |symmetry| {
        let options = Options { symmetry, ..Options::default() };
        let mut verdicts = vec![None; loaded.queries.len()];
        for group in verify::groups(&loaded.model.system, &loaded.lowered(), &options) {
            let (system, properties) = loaded.with(&group);
            let asked: Vec<&Property> = properties.iter().collect();
            let answers = with_deadline(|limits| Request::new(&system, &asked, &options).answers(limits, &mut ()));
            group.iter().zip(answers).for_each(|(number, answer)| verdicts[*number] = Some(answer.verdict));
        }
        verdicts
    };
    let decided = |verdict: &Option<Verdict>| !matches!(verdict, None | Some(Verdict::Unknown(_)));
    for (number, (with, without)) in ask(Symmetry::On).into_iter().zip(ask(Symmetry::Off)).enumerate() {
        if decided(&with) && decided(&without) && with != without {
            return Err(format!("query {number} in a shared search: {with:?}, not {without:?}"));
        }
    }
    Ok(())
}

/// The closure of some rows under renaming of scalars.
fn renamed(table: &Table, rows: &BTreeSet<Vec<i32>>, identity: usize) -> BTreeSet<Vec<i32>> {
    let mut all = rows.clone();
    let mut open: Vec<Vec<i32>> = rows.iter().cloned().collect();
    let exchanges: Vec<_> = (0..table.sets.len() as u32).flat_map(|set| table.exchanges(set)).collect();
    let mut out = Vec::new();
    while let Some(row) = open.pop() {
        for renaming in &exchanges {
            table.rename_row(renaming, &row, &mut out);
            // Meta variables are not part of a state.
            out[identity..].fill(0);
            if all.insert(out.clone()) {
                open.push(out.clone());
            }
        }
    }
    all
}

/// The rows that a search reaches, without meta variables, or `None` if it is stopped.
fn rows(system: &System, reduces: bool) -> Option<BTreeSet<Vec<i32>>> {
    let bounds = ClockBounds::<i32>::new(system, &Property::possibly(Formula::False));
    let reduction = if reduces { Reduction::new(system, &bounds) } else { None };
    let abstraction = if bounds.diagonals.is_empty() { Abstraction::Am } else { Abstraction::ExtraM };
    let seen = Seen::new(Store::new(system, Update::Cover), abstraction.simulates());
    let graph = ZoneGraph::new(system, bounds, abstraction);
    let transitions: Box<dyn Transitions<'_, i32>> = match reduction {
        Some(reduction) => Box::new(Represented::new(graph, reduction)),
        None => Box::new(graph),
    };
    let mut worker = Worker::alone(transitions, seen, Order::Bfs.open_list(system, 0));
    let mut goal = |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None);
    let outcome = with_deadline(|limits| worker.resume(&mut goal, limits, &mut ()));
    let store = worker.seen.store;
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    let found = store.nodes().map(|node| {
        store.get(node, &mut row, &mut zone);
        row[system.identity..].fill(0);
        row.clone()
    });
    matches!(outcome, Some(SearchOutcome::Exhausted)).then(|| found.collect())
}

/// Compares one network. Returns the number of queries, and of those that used symmetry.
fn examine(seed: u64) -> Result<(u64, u64), String> {
    let net = random::scalars(seed);
    let describe = |why: String| format!("seed {seed}\n{}\n{why}\n", net.text);
    let loaded = oracle::load(&net.text, &net.queries).map_err(|why| describe(why.to_string()))?;
    let system = &loaded.system;
    // The rows do not depend on meta variables, which keep the values of the first state stored.
    if let (Some(all), Some(found)) = (rows(system, false), rows(system, true)) {
        let bounds = ClockBounds::<i32>::new(system, &Property::possibly(Formula::False));
        if Reduction::new(system, &bounds).is_some() {
            let (all, found) = [all, found].map(|rows| renamed(&system.symmetry, &rows, system.identity)).into();
            if all != found {
                let (less, more) = (all.difference(&found).next(), found.difference(&all).next());
                return Err(describe(format!("rows: {less:?} is missing, {more:?} is unreachable")));
            }
        }
    }
    compare_groups(&loaded).map_err(describe)?;
    let mut counts = (0, 0);
    // The configuration changes with each query and with each network.
    for (number, query) in net.queries.iter().enumerate() {
        let (system, property) = loaded.alone(number);
        let used =
            compare(&system, &property, seed as usize + number).map_err(|why| describe(format!("{query}\n{why}")))?;
        counts = (counts.0 + 1, counts.1 + u64::from(used));
    }
    Ok(counts)
}

#[test]
fn random_networks() {
    let (first, cases) = (number("MERKHET_SEED", 0), number("MERKHET_CASES", 400));
    let (mut asked, mut used, mut wrong) = (0, 0, Vec::new());
    for seed in oracle::seeds(first..first + cases) {
        match examine(seed) {
            Ok((queries, with)) => (asked, used) = (asked + queries, used + with),
            Err(why) => wrong.push(why),
        }
    }
    println!("{cases} networks, {asked} queries, {used} with symmetry, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(used * 2 > asked, "only {used} of {asked} queries use symmetry");
}

const FISCHER: &str = include_str!("../../../../models/fischer_scalar.xta");

#[test]
fn certificates_and_infinite_runs_are_not_renamed() {
    let loaded = oracle::load(FISCHER, &["A[] not deadlock", "A<> free"]).unwrap();
    let (system, options) = (&loaded.system, Options::default());
    let plain = verify::answer(system, &loaded.properties[0], &options, &Limits::default(), &mut ());
    assert!(plain.plan.symmetry);
    let properties = [&loaded.properties[0]];
    let request = Request { proves: true, ..Request::new(system, &properties, &options) };
    let proved = request.answers(&Limits::default(), &mut ()).remove(0);
    assert!(!proved.plan.symmetry && matches!(proved.proof, Some(Ok(_))));
    let live = verify::answer(system, &loaded.properties[1], &options, &Limits::default(), &mut ());
    assert!(!live.plan.symmetry);
    let joined = Options { update: Some(Update::Join), ..options };
    let joined = verify::answer(system, &loaded.properties[0], &joined, &Limits::default(), &mut ());
    assert!(!joined.plan.symmetry);
}

#[test]
fn run_time_errors_are_those_of_the_model() {
    let text = FISCHER.replace("bool free = true;", "bool free = true; int[0,2] in;");
    let text = text.replace("assign free = true;", "assign free = true, in = in + 1;");
    let loaded = oracle::load(&text, &["A[] in < 3"]).unwrap();
    let answer =
        verify::answer(&loaded.system, &loaded.properties[0], &Options::default(), &Limits::default(), &mut ());
    assert!(matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..))), "{:?}", answer.verdict);
    assert!(!answer.plan.symmetry && answer.trace.is_some_and(|trace| trace.is_replayed()));
}

#[test]
fn models_that_distinguish_scalars() {
    // In each of these models the last scalar becomes the owner.
    for (what, declarations, process, edge) in [
        ("the last receiver", "broadcast chan b; S own;", "l -> k { sync b?; assign own = id; }", "sync b!;"),
        ("the last iteration of a loop", "S own; void f() { for (i : S) own = i; }", "", "assign f();"),
        (
            "a constant",
            "const int w[S] = { WEIGHTS }; S own; bool moved;",
            "l -> k { guard !moved; assign own = id, moved = true; }",
            "guard moved && w[own] == 1;",
        ),
        (
            "a variable that never changes",
            "int[0,3] w[S] = { WEIGHTS }; S own;",
            "l -> k { guard w[id] == 1 && x <= w[id]; assign own = id; }",
            "",
        ),
    ] {
        for (size, special) in [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2), (4, 3)] {
            let list = |special: usize| {
                let numbers: Vec<&str> = (0..size).map(|i| if i == special { "1" } else { "0" }).collect();
                numbers.join(", ")
            };
            let declarations = declarations.replace("WEIGHTS", &list(size - 1));
            let edges = if process.is_empty() { String::new() } else { format!("trans {process};") };
            let text = format!(
                "typedef scalar[{size}] S; int[0,1] a[S] = {{ {} }}; {declarations}
                process P(const S id) {{ clock x; state l, k; init l; {edges} }}
                process M() {{ state l, k; init l; trans l -> k {{ {edge} }}, k -> k {{ guard a[own] == 2; assign a[own] = 0; }}; }}
                system P, M;",
                list(special)
            );
            // The first scalar is the owner initially.
            let started = if process.contains("guard") { "exists (i : S) (P(i).k && own == i)" } else { "true" };
            let query = format!("E<> M.k && a[own] == 1 && {started}");
            let loaded = oracle::load(&text, &[&query]).unwrap();
            let (system, property) = (&loaded.system, &loaded.properties[0]);
            let answer = verify::answer(system, property, &Options::default(), &Limits::default(), &mut ());
            let expected = if special == size - 1 { Verdict::Satisfied } else { Verdict::NotSatisfied };
            assert_eq!(answer.verdict, expected, "{what}, {special} of {size}");
        }
    }
}
