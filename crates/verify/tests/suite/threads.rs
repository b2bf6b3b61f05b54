//! Searches in several threads. Their answers are those of one thread, under all options that a
//! search in several threads can have, and whenever packets come.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite threads::` is a
//! campaign.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use explore::{
    bounds::ClockBounds,
    goal::BoxedGoal,
    graph::ZoneGraph,
    open::Levels,
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    seen::Seen,
    shard::{Owners, Team, Worker, disturbed},
    store::Store,
};
use model::{Property, System};
use oracle::random::{self, NetworkFeatures, Rng, View};
use verify::{Abstraction, Answer, Options, Order, Reason, Request, Threads, Update, Verdict, Wanted};

use crate::drawn::search_options;

/// Random options of a search that several workers can share.
pub(crate) fn some_options(rng: &mut Rng) -> Options {
    let orders = [Order::Bfs, Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Adaptive];
    let mut options = search_options(rng, &orders, &[Wanted::Some, Wanted::Some, Wanted::Shortest]);
    if options.abstraction == Some(Abstraction::None) {
        // Such a search may have no end.
        options.abstraction = None;
    }
    (options.seed, options.wide) = (rng.bits(), rng.chance(10));
    options.joining.refines = rng.chance(50);
    options
}

/// A random model of one of several kinds, with its queries.
pub(crate) fn some_model(seed: u64, rng: &mut Rng) -> oracle::Loaded {
    let (text, queries) = match rng.below(4) {
        0 => {
            let model = random::lattices(seed);
            (model.text, model.queries)
        }
        1 => {
            let model = random::scalars(seed);
            (model.text, model.queries)
        }
        _ => {
            let net = random::network(seed, &NetworkFeatures::all().some(rng));
            let text = net.view(&View::default());
            let mut queries = net.queries_in(&View::default());
            let clocks = oracle::load(&text, &[] as &[&str]).map(|loaded| loaded.system.clocks[1..].to_vec());
            if let [first, .., last] = &clocks.unwrap_or_else(|why| panic!("{why}\n{text}"))[..] {
                queries.extend([format!("sup: {}", first.name), format!("inf{{P0.L1}}: {}", last.name)]);
            }
            (text, queries)
        }
    };
    oracle::load(&text, &queries).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

pub(crate) fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

pub(crate) fn is_decided(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Unknown(_))
}

#[derive(Default)]
pub(crate) struct Compared {
    pub answers: u64,
    pub exhausted: u64,
    pub lengths: u64,
    pub bounds: u64,
    pub proofs: u64,
}

/// Compares two answers of which one is unknown because of joined states that were not refined.
/// Which states are joined depends on the order, so the other may be decided. Then it is that of a
/// search without joins.
pub(crate) fn compare_joined(
    one: &Answer,
    several: &Answer,
    (system, property): (&System, &Property),
    (options, limits): (&Options, &Limits<'_>),
) -> Option<Result<Compared, String>> {
    let is_imprecise = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::Imprecise(_)));
    let decided = match (is_decided(one), is_decided(several)) {
        _ if options.joining.refines => return None,
        (true, false) if is_imprecise(several) => one,
        (false, true) if is_imprecise(one) => several,
        _ => return None,
    };
    let options = Options { update: Some(Update::Cover), wanted: Wanted::Some, ..options.clone() };
    let plain = Request::new(system, &[property], &options).answers(limits, &mut ()).swap_remove(0);
    let is_same = !is_decided(&plain) || plain.verdict == decided.verdict;
    Some(if is_same {
        Ok(Compared { answers: 1, ..Compared::default() })
    } else {
        Err(format!("{:?} {:?} {:?}", one.verdict, several.verdict, plain.verdict))
    })
}

/// Compares the answer of several threads with that of one. An answer may be unknown because of a
/// run-time error that the other search did not meet before it found the goal.
pub(crate) fn compare(one: &Answer, several: &Answer, options: &Options, alone: bool) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let fails = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..)));
    if is_decided(one) && is_decided(several) {
        compared.answers += 1;
        if one.verdict != several.verdict || one.values != several.values {
            return Err(format!("{:?} {:?} {:?} {:?}", one.verdict, one.values, several.verdict, several.values));
        }
        compared.bounds += u64::from(one.values.is_some());
    } else if is_decided(one) != is_decided(several) && !fails(one) && !fails(several) {
        return Err(format!("{:?} {:?}", one.verdict, several.verdict));
    }
    // A search that is undecided because of joined states shows a trace of them.
    if let (Some(before), Some(trace)) = (&one.trace, &several.trace)
        && is_decided(several)
        && before.is_replayed()
        && !trace.is_replayed()
    {
        return Err("the trace does not replay".to_owned());
    }
    if let (Some(Ok(_)), Some(Err(why))) = (&one.proof, &several.proof) {
        return Err(format!("no certificate: {why:?}"));
    }
    compared.proofs += u64::from(matches!(several.proof, Some(Ok(_))));
    // A limit may stop the search for a shortest trace that follows one with joins. The answer says
    // so.
    let is_best = |answer: &Answer| is_decided(answer) && answer.plan.why_not_best().is_none();
    if options.wanted == Wanted::Shortest && one.trace.is_some() && is_best(one) && is_best(several) {
        compared.lengths += 1;
        if length(one) != length(several) {
            return Err(format!("lengths {:?} {:?}", length(one), length(several)));
        }
    }
    // A search that another one follows may end early. Queries that are asked together are counted
    // together.
    let single = alone && one.phases.len() == 1 && several.phases.len() == 1;
    let plain = one.plan.update == Update::Simple && one.values.is_none() && single;
    if plain && is_decided(one) && is_decided(several) && one.trace.is_none() {
        compared.exhausted += 1;
        let counts = |answer: &Answer| (answer.counts.stored, answer.counts.explored, answer.counts.generated);
        if counts(one) != counts(several) {
            return Err(format!("{:?} {:?}", one.counts, several.counts));
        }
    }
    Ok(compared)
}

#[test]
fn several_threads_give_the_answers_of_one() {
    let examine = |seed: u64| {
        // Some searches with joined states diverge.
        let limits = Limits { states: Some(2000), generated: Some(50_000), ..Limits::default() };
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let mut sum = Compared::default();
        let options = some_options(&mut rng);
        let count = *rng.pick(&[2, 3, 8]);
        let after = *rng.pick(&[0, 0, 0, 20, 100]);
        let several = Options { threads: Threads { count, after }, ..options.clone() };
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let proves = rng.chance(20);
        // Queries for shortest traces do not share a search, see `verify::groups`.
        let alone = rng.chance(70) || options.wanted != Wanted::Some;
        let answers = |options: &Options| -> Vec<Answer> {
            let groups = properties.chunks(if alone { 1 } else { properties.len() });
            let ask = |group| Request { proves, ..Request::new(&loaded.system, group, options) };
            groups.flat_map(|group| ask(group).answers(&limits, &mut ())).collect()
        };
        let many = disturbed(seed, || answers(&several));
        for (i, (one, many)) in answers(&options).iter().zip(&many).enumerate() {
            let asked = (&loaded.system, properties[i]);
            let joined = compare_joined(one, many, asked, (&options, &limits));
            let compared = joined.unwrap_or_else(|| compare(one, many, &options, alone));
            let limited = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)));
            match compared {
                Ok(own) => add(&mut sum, own),
                Err(_) if limited(one) || limited(many) => {}
                Err(why) => return Err(format!("query {i} {several:?}: {why}")),
            }
        }
        Ok(sum)
    };
    let sum = oracle::campaign(400, examine, add);
    let Compared { answers, exhausted, lengths, bounds, proofs } = sum;
    println!("{answers} answers, {exhausted} equal counts, {lengths} lengths, {bounds} bounds, {proofs} certificates");
    assert!(answers > 500 && exhausted > 30 && lengths > 50 && bounds > 50 && proofs > 30);
}

pub(crate) fn add(sum: &mut Compared, own: Compared) {
    sum.answers += own.answers;
    sum.exhausted += own.exhausted;
    sum.lengths += own.lengths;
    sum.bounds += own.bounds;
    sum.proofs += own.proofs;
}

#[test]
fn example_models_have_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let files = oracle::files(&folder, &["xta", "xml", "ta", "tck", "net"]);
    let mut sum = Compared::default();
    let limits = Limits { states: Some(5000), generated: Some(50_000), ..Limits::default() };
    for (number, path) in files.iter().enumerate() {
        for (i, (system, property)) in oracle::queries_beside(path).iter().flatten().enumerate() {
            for update in [None, Some(Update::Simple)] {
                let one = Options { update, ..Options::default() };
                let ask = |options: &Options| verify::answer(system, property, options, &limits, &mut ());
                let alone = ask(&one);
                if !is_decided(&alone) {
                    continue;
                }
                let count = [2, 3, 8][(number + i) % 3];
                let several = Options { threads: Threads { count, after: 0 }, ..one.clone() };
                let many = disturbed((number + i) as u64, || ask(&several));
                // States that are covered later count until then.
                if matches!(many.verdict, Verdict::Unknown(Reason::Limit(_))) {
                    continue;
                }
                match compare(&alone, &many, &several, true) {
                    Ok(own) => add(&mut sum, own),
                    Err(why) => panic!("{} {i} {several:?}: {why}", path.display()),
                }
            }
        }
    }
    println!("{} answers, {} equal counts", sum.answers, sum.exhausted);
    assert!(sum.answers > 100 && sum.exhausted > 30);
}

/// Interrupts a search after some reports.
pub(crate) struct Interrupts<'i> {
    pub left: usize,
    pub flag: &'i AtomicBool,
}

impl Observer for Interrupts<'_> {
    fn progress(&mut self, _: &Counts, _: usize) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

impl verify::Observer for Interrupts<'_> {}

/// Returns the answer of a search that is interrupted after some reports, or has a limit.
pub(crate) fn stopped(system: &System, property: &Property, options: &Options, rng: &mut Rng) -> Answer {
    let flag = AtomicBool::new(false);
    let mut limits =
        Limits { interrupt: Some(&flag), states: Some(5000), generated: Some(50_000), ..Limits::default() };
    let polls = AtomicUsize::new(rng.below(10));
    let expired = || polls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
    match rng.below(5) {
        0 => limits.generated = Some(rng.below(200)),
        1 => limits.states = Some(rng.below(100)),
        2 => limits.bytes = Some(rng.below(1 << 20)),
        3 => limits.expired = Some(&expired),
        _ => {}
    }
    verify::answer(system, property, options, &limits, &mut Interrupts { left: rng.below(6), flag: &flag })
}

#[test]
fn searches_that_are_stopped_early_end() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let (mut stops, mut runs) = (0_u64, 0_u64);
        for property in &loaded.properties {
            let threads = Threads { count: 2 + rng.below(7), after: *rng.pick(&[0, 0, 20]) };
            let options = Options { threads, ..some_options(&mut rng) };
            let answer = disturbed(rng.bits(), || stopped(&loaded.system, property, &options, &mut rng));
            runs += 1;
            stops +=
                u64::from(matches!(answer.verdict, Verdict::Unknown(Reason::Limit(Stop::Interrupted | Stop::States))));
            let limits = Limits { states: Some(5000), generated: Some(50_000), ..Limits::default() };
            let all = verify::answer(&loaded.system, property, &some_options(&mut rng), &limits, &mut ());
            if is_decided(&answer) && is_decided(&all) && answer.verdict != all.verdict {
                return Err(format!("{options:?} {:?} {:?}", answer.verdict, all.verdict));
            }
        }
        Ok((stops, runs))
    };
    let add = |sum: &mut (u64, u64), own: (u64, u64)| *sum = (sum.0 + own.0, sum.1 + own.1);
    let (stops, runs) = oracle::campaign(150, examine, add);
    println!("{stops} of {runs} runs were stopped");
    assert!(stops > 50, "{stops}");
}

/// A grid of counters that are independent of each other, with many states.
pub(crate) const GRID: &str = "
    process P(int k) {
        int[0, 8] n;
        state A;
        init A;
        trans A -> A { guard n < 8; assign n = n + 1; }, A -> A { guard n == 8; assign n = 0; };
    }
    P1 = P(1); P2 = P(2); P3 = P(3); P4 = P(4); P5 = P(5);
    system P1, P2, P3, P4, P5;";

#[test]
fn large_searches_use_several_threads() {
    let queries = ["A[] P1.n + P2.n < 17", "E<> P1.n == 8 and P2.n == 8 and P3.n == 8 and P4.n == 8 and P5.n == 8"];
    let loaded = oracle::load(GRID, &queries).unwrap();
    for order in [Order::Bfs, Order::Dfs, Order::Waiting, Order::Adaptive] {
        let options = Options {
            order,
            update: Some(Update::Simple),
            threads: Threads { count: 3, after: 1 << 16 },
            ..Options::default()
        };
        let alone = Options { threads: Threads::ONE, ..options.clone() };
        let ask = |options: &Options| {
            verify::answer(&loaded.system, &loaded.properties[0], options, &Limits::default(), &mut ())
        };
        let (one, several) = (ask(&alone), ask(&options));
        assert_eq!(one.verdict, Verdict::Satisfied);
        assert_eq!(several.verdict, Verdict::Satisfied);
        let counts = |answer: &Answer| (answer.counts.stored, answer.counts.generated, answer.counts.explored);
        assert_eq!(one.counts.stored, 59_049, "{order:?}");
        assert_eq!(counts(&one), counts(&several), "{order:?}");
    }
    let options =
        Options { wanted: Wanted::Shortest, threads: Threads { count: 3, after: 1 << 16 }, ..Options::default() };
    let answer = verify::answer(&loaded.system, &loaded.properties[1], &options, &Limits::default(), &mut ());
    assert_eq!((answer.verdict.clone(), length(&answer)), (Verdict::Satisfied, Some(40)));
}

#[test]
fn a_search_waits_for_a_better_sample_if_its_first_states_are_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zones");
    let threads = |family: &str, size: &str, generated: usize| {
        let text = std::fs::read_to_string(folder.join(family)).unwrap();
        let text = text.replace("const int N = 3;", size).replace("const int N = 6;", size);
        let loaded = oracle::load(&text, &["E<> false"]).unwrap();
        let options = Options { order: Order::Bfs, threads: Threads::soon(2), ..Options::default() };
        let limits = Limits { generated: Some(generated), ..Limits::default() };
        verify::answer(&loaded.system, &loaded.properties[0], &options, &limits, &mut ()).threads
    };
    assert_eq!(threads("fischer.xta", "const int N = 8;", 10_000), 2);
    assert_eq!(threads("critical-region.xta", "const int N = 5;", 10_000), 1);
    assert_eq!(threads("critical-region.xta", "const int N = 5;", 40_000), 2);
}

/// A worker of a breadth-first search.
fn worker(system: &System) -> Worker<'_, i32> {
    let bounds = ClockBounds::<i32>::of_formulas(system, &[]);
    let seen = Seen::new(Store::new(system, Update::Cover), false);
    let graph = ZoneGraph::new(system, bounds, Abstraction::ExtraLuPlus);
    Worker::alone(Box::new(graph), seen, Box::<Levels>::default())
}

#[test]
fn a_worker_that_panics_stops_the_others() {
    let loaded = oracle::load(GRID, &[] as &[&str]).unwrap();
    let system = &loaded.system;
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let (count, calls) = (2 + rng.below(4), rng.below(1000));
        let owners = Owners::new(system, &[], count);
        let mut team = disturbed(seed, || Team::new(system, &owners, (0..count).map(|_| worker(system)).collect()));
        let goal = |number: usize| -> BoxedGoal<'_, i32> {
            let mut left = calls;
            Box::new(move |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| {
                assert!(number != 1 || left > 0, "the goal fails");
                left -= usize::from(number == 1);
                Ok(None)
            })
        };
        let mut goals: Vec<_> = (0..count).map(goal).collect();
        let run = AssertUnwindSafe(|| team.resume(&mut goals, &Limits::default(), &mut ()));
        if catch_unwind(run).is_err() { Ok(1) } else { Err("the search went on") }
    };
    let panics = oracle::campaign(5, examine, |sum: &mut u64, own: u64| *sum += own);
    println!("{panics} searches ended");
}

#[test]
fn a_worker_that_owns_no_state_expands_those_of_others() {
    // All states have the same discrete part, so they have one owner.
    let text = "clock a, b, c, d; process P() { state s { a <= 9 && b <= 9 && c <= 9 && d <= 9 }; init s; trans \
                s -> s { guard a >= 2; assign a = 0; }, s -> s { guard b >= 3; assign b = 0; }, \
                s -> s { guard c >= 4; assign c = 0; }, s -> s { guard d >= 5; assign d = 0; }; } system P;";
    let loaded = oracle::load(text, &[] as &[&str]).unwrap();
    let system = &loaded.system;
    let goal = |_| -> BoxedGoal<'_, i32> { Box::new(|_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None)) };
    let explore = |count: usize| {
        let owners = Owners::new(system, &[], count);
        let mut team = Team::new(system, &owners, (0..count).map(|_| worker(system)).collect());
        let mut goals: Vec<_> = (0..count).map(goal).collect();
        assert!(matches!(team.resume(&mut goals, &Limits::default(), &mut ()), Some(SearchOutcome::Exhausted)));
        team.workers.iter().map(|worker| (worker.progress.counts.explored, worker.seen.store.stored())).collect()
    };
    let one: Vec<(usize, usize)> = explore(1);
    // Whether a worker rests early enough depends on the machine.
    let mut tries = (0..200).map(|_| explore(2));
    let lent = tries.find(|own| own.iter().all(|(explored, _)| *explored > 0)).expect("a worker has borrowed a state");
    let mut stored: Vec<usize> = lent.iter().map(|(_, stored)| *stored).collect();
    stored.sort_unstable();
    // How many of its states the owner keeps depends on the order in which they cover each other.
    assert!(stored[0] == 0 && stored[1] > 50, "{stored:?}");
    assert!(one[0].1 > 50, "{}", one[0].1);
}
