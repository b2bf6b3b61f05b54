//! Searches in several threads. Their answers are those of one thread, under all options that a
//! search in several threads can have.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite threads::` is a
//! campaign.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
};

use explore::{
    bounds::ClockBounds,
    goal::BoxedGoal,
    graph::ZoneGraph,
    open::Levels,
    search::{Counts, Limits, Observer, Stop},
    seen::Seen,
    shard::{Owners, Team, Worker},
    store::Store,
};
use model::{Property, System};
use oracle::random::{self, NetworkFeatures, Rng, View};
use verify::{
    Abstraction, Answer, Options, Order, Reason, Request, Skipping, Symmetry, Threads, Update, Verdict, Wanted,
};

/// Random options of a search that several workers can share.
pub(crate) fn some_options(rng: &mut Rng) -> Options {
    let mut options = Options {
        order: *rng.pick(&[Order::Bfs, Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Waiting, Order::Adaptive]),
        abstraction: *rng.pick(&[
            None,
            None,
            Some(Abstraction::ExtraLuPlus),
            Some(Abstraction::ExtraLu),
            Some(Abstraction::ExtraM),
            Some(Abstraction::Am),
        ]),
        update: *rng.pick(&[None, None, Some(Update::Simple), Some(Update::Simple), Some(Update::Join)]),
        wanted: *rng.pick(&[Wanted::Some, Wanted::Some, Wanted::Shortest]),
        passing: *rng.pick(&[None, None, Some(Skipping::Committed), Some(Skipping::Acyclic)]),
        symmetry: if rng.chance(20) { Symmetry::Off } else { Symmetry::On },
        seed: rng.bits(),
        wide: rng.chance(10),
        ..Options::default()
    };
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

fn length(answer: &Answer) -> Option<usize> {
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
    if let (Some(one), Some(several)) = (&one.trace, &several.trace)
        && one.is_replayed()
        && !several.is_replayed()
    {
        return Err("the trace does not replay".to_owned());
    }
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
        let limits = Limits { states: Some(2000), ..Limits::default() };
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let mut sum = Compared::default();
        let options = some_options(&mut rng);
        let count = *rng.pick(&[2, 3, 8]);
        // A search that becomes large later has one thread here.
        let several = Options { threads: Threads { count, at_once: rng.chance(80) }, ..options.clone() };
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let proves = rng.chance(20);
        // Queries for shortest traces do not share a search, see `verify::groups`.
        let alone = rng.chance(70) || options.wanted != Wanted::Some;
        let answers = |options: &Options| -> Vec<Answer> {
            let groups = properties.chunks(if alone { 1 } else { properties.len() });
            let ask = |group| Request { proves, ..Request::new(&loaded.system, group, options) };
            groups.flat_map(|group| ask(group).answers(&limits, &mut ())).collect()
        };
        for (i, (one, many)) in answers(&options).iter().zip(&answers(&several)).enumerate() {
            let compared = compare(one, many, &options, alone);
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
    let Compared { answers, exhausted, lengths, bounds } = sum;
    println!("{answers} answers, {exhausted} equal counts, {lengths} lengths, {bounds} bounds");
    assert!(answers > 500 && exhausted > 30 && lengths > 50 && bounds > 50);
}

pub(crate) fn add(sum: &mut Compared, own: Compared) {
    sum.answers += own.answers;
    sum.exhausted += own.exhausted;
    sum.lengths += own.lengths;
    sum.bounds += own.bounds;
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
fn stopped(system: &System, property: &Property, options: &Options, rng: &mut Rng) -> Answer {
    let flag = AtomicBool::new(false);
    let mut limits = Limits { interrupt: Some(&flag), states: Some(5000), ..Limits::default() };
    match rng.below(3) {
        0 => limits.generated = Some(rng.below(200)),
        1 => limits.states = Some(rng.below(100)),
        _ => {}
    }
    verify::answer(system, property, options, &limits, &mut Interrupts { left: rng.below(6), flag: &flag })
}

#[test]
fn searches_that_are_stopped_early_end() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let mut stops = 0_u64;
        for property in &loaded.properties {
            let threads = Threads { count: 2 + rng.below(7), at_once: true };
            let options = Options { threads, ..some_options(&mut rng) };
            let answer = stopped(&loaded.system, property, &options, &mut rng);
            stops +=
                u64::from(matches!(answer.verdict, Verdict::Unknown(Reason::Limit(Stop::Interrupted | Stop::States))));
            let all = verify::answer(&loaded.system, property, &some_options(&mut rng), &Limits::default(), &mut ());
            if is_decided(&answer) && is_decided(&all) && answer.verdict != all.verdict {
                return Err(format!("{options:?} {:?} {:?}", answer.verdict, all.verdict));
            }
        }
        Ok(stops)
    };
    let stops = oracle::campaign(150, examine, |sum: &mut u64, own| *sum += own);
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
            threads: Threads { count: 3, at_once: false },
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
        Options { wanted: Wanted::Shortest, threads: Threads { count: 3, at_once: false }, ..Options::default() };
    let answer = verify::answer(&loaded.system, &loaded.properties[1], &options, &Limits::default(), &mut ());
    assert_eq!((answer.verdict.clone(), length(&answer)), (Verdict::Satisfied, Some(40)));
}

#[test]
fn a_worker_that_panics_stops_the_others() {
    let loaded = oracle::load(GRID, &[] as &[&str]).unwrap();
    let system = &loaded.system;
    let worker = |_| {
        let bounds = ClockBounds::<i32>::of_formulas(system, &[]);
        let seen = Seen::new(Store::new(system, Update::Cover), false);
        let graph = ZoneGraph::new(system, bounds, Abstraction::ExtraLuPlus);
        Worker::alone(Box::new(graph), seen, Box::<Levels>::default())
    };
    let mut team = Team::new(system, &Owners::new(system, &[], 3), (0..3).map(worker).collect());
    let goal = |number: usize| -> BoxedGoal<'_, i32> {
        let mut calls = 0;
        Box::new(move |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| {
            calls += 1;
            assert!(number != 1 || calls < 1000, "the goal fails");
            Ok(None)
        })
    };
    let mut goals: Vec<_> = (0..3).map(goal).collect();
    let run = AssertUnwindSafe(|| team.resume(&mut goals, &Limits::default(), &mut ()));
    assert!(catch_unwind(run).is_err());
}
