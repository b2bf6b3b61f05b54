//! Searches for representatives against searches for all states, on random networks with scalar
//! sets.
//!
//! Verdicts must agree, every trace must be a run of the model, and those that should be shortest
//! or fastest must be as short or fast as without. The rows that representatives stand for must be
//! those that are reached.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test suite symmetry::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::{cell::Cell, collections::BTreeSet};

use explore::{
    bounds::ClockBounds,
    graph::ZoneGraph,
    search::{Limits, Search, SearchOutcome},
    seen::Seen,
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

/// Gives up after a while: where clocks are set to the values of others a search may go on without
/// more states.
struct Patience(Cell<u32>);

impl Patience {
    fn ends(&self) -> bool {
        self.0.set(self.0.get() + 1);
        // It is asked once in 256 states.
        self.0.get() > 40
    }
}

/// Runs a search that is given up if it takes too long.
fn patiently<R>(search: impl FnOnce(&Limits<'_>) -> R) -> R {
    let patience = Patience(Cell::new(0));
    search(&Limits { states: Some(LIMIT), expired: Some(&|| patience.ends()), ..Limits::default() })
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update, Wanted)] = &[
    (Order::Bfs, None, Update::Cover, Wanted::Shortest),
    (Order::RandomDfs, None, Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Dfs, Some(Abstraction::ExtraM), Update::Simple, Wanted::Some),
    (Order::Bfs, None, Update::Cover, Wanted::Fastest),
];

/// What differs with and without symmetry, if anything does; whether it was used.
fn compare(system: &System, property: &Property, configuration: usize) -> Result<bool, String> {
    let (order, abstraction, update, wanted) = CONFIGURATIONS[configuration % CONFIGURATIONS.len()];
    let ask = |symmetry| {
        let options =
            Options { order, abstraction, update: Some(update), seed: 7, wanted, symmetry, ..Options::default() };
        patiently(|limits| verify::answer(system, property, &options, limits, &mut ()))
    };
    let (with, without) = (ask(Symmetry::On), ask(Symmetry::Off));
    let renames_processes =
        |cell: &model::symmetry::SymmetricArray| !cell.by.is_empty() && cell.places[0] < system.processes.len() as u32;
    let used = with.plan.symmetry && system.symmetry.row.iter().any(renames_processes);
    let told = |why: &str| Err(format!("{order:?} {abstraction:?} {update:?} {wanted:?}: {why}"));
    // Whether an error or the goal is met first depends on the order, and limits on the number of
    // states.
    let stopped = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::Limit(_)));
    let fails = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::RunTime(..)));
    if stopped(&with.verdict) && !stopped(&without.verdict) && without.counts.added * 8 < LIMIT {
        return told("ends without symmetry only");
    }
    if [&with.verdict, &without.verdict].iter().any(|verdict| stopped(verdict) || fails(verdict)) {
        return Ok(used);
    }
    if with.verdict != without.verdict {
        return told(&format!("{:?}, not {:?}", with.verdict, without.verdict));
    }
    let (Some(found), Some(expected)) = (&with.trace, &without.trace) else {
        return if with.trace.is_some() == without.trace.is_some() { Ok(used) } else { told("one has a trace") };
    };
    if with.plan.symmetry && !found.is_replayed() {
        return told("the trace is no run");
    }
    if wanted == Wanted::Shortest && found.steps.len() != expected.steps.len() {
        return told(&format!("{} steps, not {}", found.steps.len(), expected.steps.len()));
    }
    if wanted == Wanted::Fastest && expected.is_replayed() && found.duration() != expected.duration() {
        return told(&format!("takes {:?}, not {:?}", found.duration(), expected.duration()));
    }
    Ok(used)
}

/// What differs in searches that answer several queries at once.
fn compare_groups(loaded: &Loaded) -> Result<(), String> {
    let ask = |symmetry| {
        let options = Options { symmetry, ..Options::default() };
        let mut verdicts = vec![None; loaded.queries.len()];
        for group in verify::groups(&loaded.model.system, &loaded.lowered(), &options) {
            let (system, properties) = loaded.with(&group);
            let asked: Vec<&Property> = properties.iter().collect();
            let answers = patiently(|limits| Request::new(&system, &asked, &options).answers(limits, &mut ()));
            group.iter().zip(answers).for_each(|(number, answer)| verdicts[*number] = Some(answer.verdict));
        }
        verdicts
    };
    let decided = |verdict: &Option<Verdict>| !matches!(verdict, None | Some(Verdict::Unknown(_)));
    for (number, (with, without)) in ask(Symmetry::On).into_iter().zip(ask(Symmetry::Off)).enumerate() {
        if decided(&with) && decided(&without) && with != without {
            return Err(format!("query {number} of all together: {with:?}, not {without:?}"));
        }
    }
    Ok(())
}

/// All rows that renaming makes of some.
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

/// The rows that a search reaches, without meta variables; `None` if it does not end.
fn rows(system: &System, reduces: bool) -> Option<BTreeSet<Vec<i32>>> {
    let bounds = ClockBounds::<i32>::new(system, &Property::possibly(Formula::False));
    let reduction = if reduces { Reduction::new(system, &bounds) } else { None };
    let abstraction = if bounds.diagonals.is_empty() { Abstraction::Am } else { Abstraction::ExtraM };
    let mut seen = Seen::new(Store::new(system, Update::Cover), abstraction.simulates());
    let graph = ZoneGraph::new(system, bounds, abstraction);
    let mut transitions: Box<dyn Transitions<'_, i32>> = match reduction {
        Some(reduction) => Box::new(Represented::new(graph, reduction)),
        None => Box::new(graph),
    };
    let (outcome, _) = patiently(|limits| {
        let search = Search {
            transitions: &mut *transitions,
            goal: &mut |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None),
            seen: &mut seen,
            open: &mut *Order::Bfs.open_list(system, 0),
            limits,
            observer: &mut (),
        };
        search.run()
    });
    let store = seen.store;
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    let found = store.nodes().map(|node| {
        store.get(node, &mut row, &mut zone);
        row[system.identity..].fill(0);
        row.clone()
    });
    matches!(outcome, SearchOutcome::Exhausted).then(|| found.collect())
}

/// What is wrong with one network: how many queries were compared, and with how many it mattered.
fn examine(seed: u64) -> Result<(u64, u64), String> {
    let net = random::scalars(seed);
    let told = |why: String| format!("seed {seed}\n{}\n{why}\n", net.text);
    let loaded = oracle::load(&net.text, &net.queries).map_err(|why| told(why.to_string()))?;
    let system = &loaded.system;
    // What transitions read from meta variables is not asked of rows: they keep the first values
    // that come.
    if let (Some(all), Some(found)) = (rows(system, false), rows(system, true)) {
        let bounds = ClockBounds::<i32>::new(system, &Property::possibly(Formula::False));
        if Reduction::new(system, &bounds).is_some() {
            let (all, found) = [all, found].map(|rows| renamed(&system.symmetry, &rows, system.identity)).into();
            if all != found {
                let (less, more) = (all.difference(&found).next(), found.difference(&all).next());
                return Err(told(format!("rows: {less:?} is missing, {more:?} is too much")));
            }
        }
    }
    compare_groups(&loaded).map_err(told)?;
    let mut counts = (0, 0);
    // Each query has another configuration, and another one in the next network.
    for (number, query) in net.queries.iter().enumerate() {
        let (system, property) = loaded.alone(number);
        let used =
            compare(&system, &property, seed as usize + number).map_err(|why| told(format!("{query}\n{why}")))?;
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
fn certificates_and_runs_without_end_are_not_renamed() {
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
fn what_tells_members_apart_counts() {
    // In each of these the last member becomes the owner, whatever else is true of it.
    for (what, declarations, process, edge) in [
        ("the last receiver", "broadcast chan b; S own;", "l -> k { sync b?; assign own = id; }", "sync b!;"),
        ("the last of a loop", "S own; void f() { for (i : S) own = i; }", "", "assign f();"),
        (
            "a constant",
            "const int w[S] = { WEIGHTS }; S own; bool moved;",
            "l -> k { guard !moved; assign own = id, moved = true; }",
            "guard moved && w[own] == 1;",
        ),
        (
            "what never changes",
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
            // Whoever is named first starts as the owner.
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
