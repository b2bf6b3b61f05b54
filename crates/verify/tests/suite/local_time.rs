//! Compares searches in which each process has a time of its own with the explicit checker, and
//! with searches in which all have the same time, on random networks.
//!
//! Verdicts and reachable rows must be the same. Every trace must be a run of the model, shortest
//! traces must be shortest, and a search in several threads, with another order or abstraction or
//! of several queries at once must not change that.
//! `MERKHET_CASES=10000 cargo test --release -p merkhet-verify --test suite local_time::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::{collections::BTreeSet, fmt::Write, path::Path};

use explore::{
    bounds::ClockBounds,
    graph::ZoneGraph,
    local_time::{self, Agents, Obstacle},
    search::{Limits, SearchOutcome},
    seen::Seen,
    shard::Worker,
    store::Store,
    transitions::Transitions,
};
use model::{Formula, Property, System};
use oracle::{
    Loaded,
    explicit::{self, ExplicitOptions, OracleAnswer as Truth},
    random::{self, NetworkFeatures, RandomModel, Rng, View},
};
use verify::{
    Abstraction, CommonTime, LocalTime, Options, Order, Reason, Request, Skipping, Symmetry, Threads, Update, Verdict,
    Wanted,
};

/// Searches with more symbolic states are stopped.
const LIMIT: usize = 4_000;

fn limits() -> Limits<'static> {
    Limits { states: Some(LIMIT), ..Limits::default() }
}

fn explicit_options() -> ExplicitOptions {
    ExplicitOptions { states: 3_000, ..ExplicitOptions::default() }
}

/// Processes with clocks of their own that seldom meet: over channels, by shared variables, or by
/// shared clocks.
fn loose(seed: u64) -> RandomModel {
    let rng = &mut Rng::new(seed ^ 0x10CA_1713);
    let processes = 2 + rng.below(2);
    let mut text = "int[0,2] v = 0; int[0,2] w = 1; chan a, b; broadcast chan c; clock z;\n".to_owned();
    let locations: Vec<usize> = (0..processes).map(|_| 2 + rng.below(3)).collect();
    for (number, &count) in locations.iter().enumerate() {
        let _ = writeln!(text, "process P{number}() {{ clock x; int[0,2] n; state");
        let clock = |rng: &mut Rng| if rng.chance(8) { "z" } else { "x" };
        let states: Vec<String> = (0..count)
            .map(|i| {
                let mut invariant: Vec<String> = Vec::new();
                if rng.chance(45) {
                    invariant.push(format!("x {} {}", rng.pick(&["<=", "<="]), 1 + rng.below(3)));
                }
                if rng.chance(6) {
                    invariant.push(format!("z <= {}", 3 + rng.below(3)));
                }
                if i > 0 && rng.chance(8) {
                    invariant.push(format!("{} != {}", rng.pick(&["v", "n"]), rng.below(3)));
                }
                match invariant.is_empty() {
                    true => format!("L{i}"),
                    false => format!("L{i} {{ {} }}", invariant.join(" && ")),
                }
            })
            .collect();
        let _ = writeln!(text, "{};", states.join(", "));
        if rng.chance(25) {
            let _ = writeln!(text, "urgent L{};", count - 1);
        }
        let _ = writeln!(text, "init L0; trans");
        let mut edges = Vec::new();
        for i in 0..count + 1 + rng.below(2) {
            let (source, target) = if i < count { (i, (i + 1) % count) } else { (rng.below(count), rng.below(count)) };
            let (mut guard, mut update, mut sync) = (Vec::new(), Vec::new(), None);
            let mut receives = false;
            if rng.chance(25) {
                let channel = *rng.pick(&["a", "b", "c"]);
                receives = rng.chance(50);
                sync = Some(format!("{channel}{}", if receives { "?" } else { "!" }));
                receives &= channel == "c";
            }
            if rng.chance(60) && !receives {
                let op = *rng.pick(&["<=", ">=", ">=", "==", ">", "<"]);
                let number = if op.starts_with('<') { 1 + rng.below(3) } else { rng.below(3) };
                guard.push(format!("{} {op} {number}", clock(rng)));
            }
            if rng.chance(20) {
                guard.push(format!("{} != {}", rng.pick(&["n", "n", "v", "w"]), rng.below(3)));
            }
            if rng.chance(60) {
                update.push(format!("{} = {}", clock(rng), if rng.chance(85) { 0 } else { rng.below(3) }));
            }
            if rng.chance(25) {
                update.push(
                    (*rng.pick(&["n = (n + 1) % 3", "n = v", "v = (v + 1) % 3", "v = (2 * v + w) % 3", "w = n"]))
                        .to_owned(),
                );
            }
            let mut labels = String::new();
            for (keyword, label) in
                [("guard", guard.join(" && ")), ("sync", sync.unwrap_or_default()), ("assign", update.join(", "))]
            {
                if !label.is_empty() {
                    let _ = write!(labels, "{keyword} {label}; ");
                }
            }
            edges.push(format!("L{source} -> L{target} {{ {labels}}}"));
        }
        let _ = writeln!(text, "{};\n}}", edges.join(",\n"));
    }
    let names: Vec<String> = (0..processes).map(|p| format!("P{p}")).collect();
    let _ = writeln!(text, "system {};", names.join(", "));
    let query = |rng: &mut Rng| {
        let mut parts: Vec<String> = Vec::new();
        for (process, count) in locations.iter().enumerate() {
            if rng.chance(65) {
                parts.push(format!("P{process}.L{}", rng.below(*count)));
            }
            if rng.chance(35) {
                parts.push(format!("P{process}.x {} {}", rng.pick(&["<", "<=", "==", ">", ">="]), rng.below(4)));
            }
        }
        if rng.chance(30) {
            parts.push(format!("{} == {}", rng.pick(&["v", "w", "P0.n"]), rng.below(3)));
        }
        if parts.is_empty() {
            parts.push(format!("z {} 2", rng.pick(&["<", ">"])));
        }
        if rng.chance(70) {
            format!("E<> {}", parts.join(" and "))
        } else {
            format!("A[] not ({})", parts.join(" and "))
        }
    };
    let queries = (0..3).map(|_| query(rng)).collect();
    RandomModel { text, queries }
}

/// A random network of one of three kinds.
fn some_network(seed: u64) -> (Loaded, RandomModel) {
    let load = |loaded: Result<Loaded, oracle::LoadError>, model: RandomModel| {
        (loaded.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", model.text)), model)
    };
    match seed % 4 {
        0 => {
            let features = NetworkFeatures {
                clocks: 4,
                diagonals: false,
                copies: false,
                urgent_channels: false,
                urgent_guards: false,
                broadcast_guards: false,
                committed: false,
                channel_priorities: false,
                process_priorities: false,
                meta: false,
                hooks: false,
                deadlocks: false,
                ..NetworkFeatures::all()
            };
            let net = random::network(seed, &features.some(&mut Rng::new(seed)));
            let view = View::default();
            let model = RandomModel { text: net.view(&view), queries: net.queries_in(&view) };
            load(oracle::load(&model.text, &model.queries), model)
        }
        1 => {
            let model = random::vectors(seed);
            load(oracle::load_tck(&model.text, &model.queries), model)
        }
        _ => {
            let model = loose(seed);
            load(oracle::load(&model.text, &model.queries), model)
        }
    }
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Wanted, usize, bool)] = &[
    (Order::Bfs, None, Wanted::Some, 1, false),
    (Order::Bfs, None, Wanted::Shortest, 1, false),
    (Order::RandomDfs, Some(Abstraction::ExtraLuPlus), Wanted::Some, 1, true),
    (Order::Bfs, None, Wanted::Shortest, 3, false),
    (Order::Waiting, Some(Abstraction::ExtraLu), Wanted::Some, 1, false),
    (Order::Dfs, Some(Abstraction::Am), Wanted::Some, 2, false),
    (Order::Greedy, None, Wanted::Some, 1, false),
    (Order::Astar, Some(Abstraction::ExtraM), Wanted::Some, 1, false),
    (Order::Auto, None, Wanted::Short, 1, false),
    (Order::Adaptive, None, Wanted::Some, 2, true),
];

/// What was compared.
#[derive(Default)]
struct Compared {
    queries: u64,
    local: u64,
    rows: u64,
    traces: u64,
}

/// Compares the answers to a query. `truth` is that of the explicit checker.
fn compare(
    system: &System,
    property: &Property,
    truth: Option<&explicit::Report>,
    seed: usize,
    counted: &mut Compared,
) -> Result<(), String> {
    let expected = truth.and_then(|truth| match truth.answer {
        Truth::Satisfied => Some(Verdict::Satisfied),
        Truth::NotSatisfied => Some(Verdict::NotSatisfied),
        Truth::Unknown(_) => None,
    });
    let length = truth.and_then(|truth| truth.length);
    let ask = |local_time, (order, abstraction, wanted, threads, wide)| {
        let threads = Threads { count: threads, after: 0 };
        let options = Options { order, abstraction, seed: 7, wanted, threads, wide, local_time, ..Options::default() };
        verify::answer(system, property, &options, &limits(), &mut ())
    };
    let common = ask(LocalTime::Off, CONFIGURATIONS[1]);
    let decided = |verdict: &Verdict| !matches!(verdict, Verdict::Unknown(_));
    for i in [0, 1, 2 + seed % (CONFIGURATIONS.len() - 2)] {
        let configuration = CONFIGURATIONS[i];
        let answer = ask(LocalTime::On, configuration);
        let fail = |why: String| Err(format!("{configuration:?}: {why}"));
        counted.queries += 1;
        counted.local += u64::from(answer.plan.local_time == LocalTime::On);
        if let Verdict::Unknown(why) = &answer.verdict {
            match why {
                // The explicit checker says whether there is an error on some run.
                Reason::RunTime(..) if truth.is_none_or(|truth| truth.fault.is_some()) => continue,
                // Depth-first, a search may store many times the states that it keeps.
                Reason::Limit(_) if !decided(&ask(LocalTime::Off, configuration).verdict) => continue,
                Reason::Limit(_) if common.counts.stored * 4 > LIMIT => continue,
                why => return fail(format!("{why:?}")),
            }
        }
        if let Some(expected) = expected.as_ref().filter(|_| truth.is_some_and(|truth| truth.fault.is_none()))
            && answer.verdict != *expected
        {
            return fail(format!("{:?}, not {expected:?}", answer.verdict));
        }
        if truth.is_none_or(|truth| truth.fault.is_none())
            && decided(&common.verdict)
            && common.verdict != answer.verdict
        {
            return fail(format!("{:?}, with common time {:?}", answer.verdict, common.verdict));
        }
        let (Some(trace), Some(other)) = (&answer.trace, &common.trace) else {
            if answer.trace.is_some() != common.trace.is_some() && decided(&common.verdict) {
                return fail("only one has a trace".to_owned());
            }
            continue;
        };
        counted.traces += 1;
        if !trace.is_replayed() {
            return fail("the trace is no run".to_owned());
        }
        let (steps, least) = (trace.steps.len(), length.map_or(other.steps.len(), |length| length as usize));
        if steps < least || configuration.2 == Wanted::Shortest && steps > least {
            return fail(format!("a trace of {steps} transitions, the shortest has {least}"));
        }
    }
    Ok(())
}

/// The rows that a search with local times reaches; `None`: it was stopped, or is not possible.
fn rows(system: &System) -> Option<BTreeSet<Vec<i32>>> {
    let bounds = ClockBounds::<i32>::new(system, &Property::possibly(Formula::False));
    let agents = Agents::new(system).ok()?;
    let seen = Seen::new(Store::new(system, Update::Cover).with_tails(agents.area()), true);
    let graph = ZoneGraph::new(system, bounds, Abstraction::Alu);
    let transitions: Box<dyn Transitions<'_, i32>> = Box::new(local_time::LocalTime::new(graph, agents));
    let mut worker = Worker::alone(transitions, seen, Order::Bfs.open_list(system, 0));
    let mut goal = |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None);
    let outcome = worker.resume(&mut goal, &limits(), &mut ());
    let store = worker.seen.store;
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    let rows = store.nodes().map(|node| {
        store.get(node, &mut row, &mut zone);
        row.clone()
    });
    matches!(outcome, Some(SearchOutcome::Exhausted)).then(|| rows.collect())
}

/// Compares one network.
fn examine(seed: u64) -> Result<Compared, String> {
    let (loaded, model) = some_network(seed);
    let describe = |why: String| format!("seed {seed}\n{}\n{why}\n", model.text);
    let mut counted = Compared::default();
    let truths = explicit::check_all(&loaded.system, &loaded.properties, explicit_options());
    let has_truth = truths.iter().all(|truth| truth.fault.is_none());
    if has_truth
        && loaded.system.clocks.len() <= 6
        && let Some(found) = rows(&loaded.system)
    {
        let expected = explicit::rows(&loaded.system, explicit_options());
        if expected.missing.is_none() {
            counted.rows += 1;
            if found != expected.rows {
                let (more, less) = (found.difference(&expected.rows).next(), expected.rows.difference(&found).next());
                return Err(describe(format!("reaches {more:?}, does not reach {less:?}")));
            }
        }
    }
    let ask = |local_time| {
        let options = Options { local_time, ..Options::default() };
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let request = Request::new(&loaded.system, &properties, &options);
        request.answers(&limits(), &mut ()).into_iter().map(|answer| answer.verdict).collect::<Vec<_>>()
    };
    for (together, alone) in ask(LocalTime::On).into_iter().zip(ask(LocalTime::Off)) {
        let is_open = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(_));
        if has_truth && !is_open(&together) && !is_open(&alone) && together != alone {
            return Err(describe(format!("several queries: {together:?}, not {alone:?}")));
        }
    }
    for (number, truth) in truths.iter().enumerate() {
        let (system, property) = loaded.alone(number);
        let query = &model.queries[number];
        let is_known = !matches!(truth.answer, Truth::Unknown(_)) || truth.complete;
        compare(&system, &property, Some(truth).filter(|_| is_known), seed as usize, &mut counted)
            .map_err(|why| describe(format!("{query}\n{why}")))?;
    }
    Ok(counted)
}

#[test]
fn random_networks() {
    let found = oracle::campaign(400, examine, |all: &mut Compared, one| {
        all.queries += one.queries;
        all.local += one.local;
        all.rows += one.rows;
        all.traces += one.traces;
    });
    let Compared { queries, local, rows, traces } = found;
    println!("{queries} answers, {local} with local times, {traces} with traces; the rows of {rows} networks");
    assert!(local * 3 > queries, "only {local} of {queries} answers by local times");
    assert!(traces >= oracle::expected(300, 400) && rows >= oracle::expected(100, 400));
}

/// Two processes that set their clocks independently of each other.
const DIAMOND: &str = "
process P() { clock x; state a, b { x <= 7 }; init a; trans a -> b { guard x <= 9; assign x = 0; }; }
process Q() { clock x; state a, b { x <= 7 }; init a; trans a -> b { guard x >= 1; assign x = 0; }; }
system P, Q;";

fn ask(text: &str, query: &str, options: &Options) -> verify::Answer {
    let loaded = oracle::load(text, &[query]).unwrap_or_else(|why| panic!("{why}\n{text}"));
    verify::answer(&loaded.system, &loaded.properties[0], options, &Limits::default(), &mut ())
}

fn local() -> Options {
    Options { local_time: LocalTime::On, ..Options::default() }
}

#[test]
fn independent_transitions_commute() {
    let exact = |options| Options { abstraction: Some(Abstraction::Am), ..options };
    let [with, without] = [local(), Options::default()].map(|options| ask(DIAMOND, "E<> false", &exact(options)));
    // After both transitions zones remember which clock was set first; local zones do not.
    assert_eq!((with.counts.stored, without.counts.stored), (4, 5));
    assert_eq!(with.verdict, Verdict::NotSatisfied);
}

#[test]
fn traces_are_in_the_order_of_time() {
    // Both orders have the same path here, and one of them has the run.
    for (query, order) in [("P.x == 5 and Q.x == 3", ["P", "Q"]), ("P.x == 3 and Q.x == 5", ["Q", "P"])] {
        let text = format!("E<> P.b and Q.b and {query}");
        let loaded = oracle::load(DIAMOND, &[&text]).unwrap();
        let answer = verify::answer(&loaded.system, &loaded.properties[0], &local(), &Limits::default(), &mut ());
        let trace = answer.trace.unwrap();
        assert!(answer.plan.local_time == LocalTime::On && trace.is_replayed());
        let process = |step: &verify::Step| loaded.system.edges[step.edges[0].0 as usize].process.0 as usize;
        let taken: Vec<&str> = trace.steps.iter().map(|step| &*loaded.system.processes[process(step)].name).collect();
        assert_eq!(taken, order, "{query}");
    }
}

#[test]
fn no_process_is_where_others_cannot_follow() {
    // Time ends at 2, so that Q is never at b, although it could get there alone.
    let text = "
        process P() { clock x; state a { x <= 1 }, b { x <= 2 }; init a; trans a -> b { guard x >= 1; }; }
        process Q() { clock x; int[0,1] n; state a, b; init a; trans a -> b { guard x >= 5; assign n = 1 / n; }; }
        system P, Q;";
    let answer = ask(text, "E<> Q.b", &local());
    // The division by zero is not on a run, so another search has to say so.
    assert_eq!((answer.verdict, answer.plan.common_time), (Verdict::NotSatisfied, Some(CommonTime::Undecided)));
    let answer = ask(&text.replace("1 / n", "1"), "E<> Q.b", &local());
    assert_eq!((answer.verdict, answer.plan.local_time), (Verdict::NotSatisfied, LocalTime::On));
    let answer = ask(&text.replace("x >= 5", "x >= 2"), "E<> Q.b", &local());
    assert!(matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..))), "{:?}", answer.verdict);
}

#[test]
fn numbers_that_outgrow_zones_are_left_to_others() {
    let text = "
        process P() { clock x; int[0,9] n; state a { x <= 100000000 }; init a;
            trans a -> a { guard x == 100000000 && n < 9; assign x = 0, n = n + 1; }; }
        process Q() { clock x; state a, b; init a; trans a -> b { guard x >= 1; assign x = 0; }; }
        system P, Q;";
    let answer = ask(text, "E<> P.n == 9 and Q.b and Q.x > 3", &local());
    assert_eq!((answer.verdict, answer.plan.common_time), (Verdict::Satisfied, Some(CommonTime::Undecided)));
    assert!(answer.trace.unwrap().is_replayed());
}

#[test]
fn what_concerns_all_processes_is_an_obstacle() {
    let obstacle = |change: &dyn Fn(String) -> String| {
        let text = change(format!("chan c; broadcast chan d; clock z; {DIAMOND}"));
        Agents::new(&oracle::load(&text, &[] as &[&str]).unwrap_or_else(|why| panic!("{why}\n{text}")).system).err()
    };
    let replace = |from: &'static str, to: &'static str| move |text: String| text.replacen(from, to, 1);
    assert_eq!(obstacle(&|text| text), None);
    for (from, to, expected) in [
        ("init a", "commit b; init a", Obstacle::Committed),
        ("chan c", "urgent chan c", Obstacle::UrgentChannels),
        ("guard x <= 9;", "guard x <= 9; sync d?;", Obstacle::Receivers),
        ("guard x <= 9;", "guard x - z <= 9;", Obstacle::Diagonals),
        ("assign x = 0", "assign x = z", Obstacle::Copies),
        ("x <= 7", "x' == 0", Obstacle::Stopwatches),
        ("chan c", "meta int m; chan c", Obstacle::Global),
        ("P, Q;", "P < Q;", Obstacle::Priorities),
    ] {
        assert_eq!(obstacle(&replace(from, to)), Some(expected), "{to}");
    }
    assert_eq!(obstacle(&|text| text.replace("b { x <= 7 }", "b { z <= 7 }")), Some(Obstacle::SharedInvariant));
}

#[test]
fn other_options_and_queries_exclude_local_times() {
    let plan = |query: &str, options: Options| ask(DIAMOND, query, &options).plan;
    let reach = "E<> P.b and Q.b";
    let cases = [
        (plan("A[] not deadlock", local()), CommonTime::Query),
        (plan("A<> P.b", local()), CommonTime::Query),
        (plan(reach, Options { wanted: Wanted::Fastest, ..local() }), CommonTime::Option("--trace fastest")),
        (plan(reach, Options { update: Some(Update::Simple), ..local() }), CommonTime::Option("--update")),
        (
            plan(reach, Options { passing: Some(Skipping::Acyclic), ..local() }),
            CommonTime::Option("--state-space-reduction"),
        ),
    ];
    for (plan, why) in cases {
        assert_eq!((plan.local_time, plan.common_time), (LocalTime::Off, Some(why)));
    }
    // Nobody asks why if it is left to the search, and a small model is none.
    let auto = plan(reach, Options { local_time: LocalTime::Auto, ..Options::default() });
    assert_eq!((auto.local_time, auto.common_time), (LocalTime::Off, None));
    let loaded = oracle::load(DIAMOND, &["A[] not (P.b and Q.x > 99 and Q.b)"]).unwrap();
    let (properties, options) = ([&loaded.properties[0]], local());
    let request = Request { proves: true, ..Request::new(&loaded.system, &properties, &options) };
    let proved = request.answers(&Limits::default(), &mut ()).remove(0);
    assert!(matches!(proved.proof, Some(Ok(_))));
    assert_eq!((proved.plan.local_time, proved.plan.common_time), (LocalTime::Off, Some(CommonTime::Certificate)));
}

#[test]
fn samples_decide_where_it_is_left_open() {
    // Each process is alone with its clocks: zones remember the order of all.
    let process = |i: usize| {
        format!(
            "process P{i}() {{ clock x; state a, b {{ x <= 3 }}, c; init a; trans a -> b {{ assign x = 0; }}, \
             b -> c {{ guard x >= 1; assign x = 0; }}, c -> a {{ guard x >= 2; }}; }}\n"
        )
    };
    let text: String = (0..5).map(process).chain(["system P0, P1, P2, P3, P4;".to_owned()]).collect();
    let options = Options { local_time: LocalTime::Auto, ..Options::default() };
    let answer = ask(&text, "E<> false", &options);
    assert_eq!((answer.plan.local_time, answer.counts.stored), (LocalTime::On, 243));
    // With one lock for all steps nothing is independent.
    let locked = format!("int[0,1] lock; {}", text.replace("assign x = 0", "assign x = 0, lock = 1 - lock"));
    assert_eq!(ask(&locked, "E<> false", &options).plan.local_time, LocalTime::Off);
}

#[test]
fn example_models_have_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut local = 0;
    for path in oracle::files(&folder, &["xta", "xml", "ta", "tck", "net"]) {
        for (system, property) in oracle::queries_beside(&path).iter().flatten() {
            let [common, own] = [LocalTime::Off, LocalTime::On].map(|local_time| {
                let limits = Limits { states: Some(3000), generated: Some(30_000), ..Limits::default() };
                let options = Options { local_time, symmetry: Symmetry::Off, ..Options::default() };
                verify::answer(system, property, &options, &limits, &mut ())
            });
            if [&common, &own].iter().any(|answer| matches!(answer.verdict, Verdict::Unknown(_))) {
                continue;
            }
            assert_eq!(common.verdict, own.verdict, "{}", path.display());
            assert_eq!(common.trace.is_some(), own.trace.is_some(), "{}", path.display());
            local += u32::from(own.plan.local_time == LocalTime::On);
        }
    }
    assert!(local > 8, "{local}");
}
