//! A query that shares a search with others has the same answer as alone.

use std::cell::Cell;

use explore::{
    search::{Counts, Limits, Observer, Stop},
    tally::{Phase, Tally},
};
use model::Property;
use oracle::random;
use verify::{Options, Order, Reason, Request, Threads, Update, Verdict, Wanted, answer, groups};

#[test]
fn answers_are_those_of_single_searches() {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let (mut together, mut alone) = (0, 0);
    for seed in oracle::seeds(0..1000) {
        let net = random::network(seed, &random::NetworkFeatures::all());
        let mut queries = net.queries();
        queries.extend(["E<> true".to_owned(), "A[] true".to_owned(), "E<> deadlock".to_owned()]);
        let loaded = oracle::load(&net.text(), &queries).unwrap();
        for order in [Order::Bfs, Order::Dfs] {
            let options = Options { order, ..Options::default() };
            let groups = groups(&loaded.model.system, &loaded.lowered(), &options);
            let mut numbers: Vec<usize> = groups.iter().flatten().copied().collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..queries.len()).collect::<Vec<_>>());
            for group in groups {
                if group.len() == 1 {
                    alone += 1;
                    continue;
                }
                together += group.len();
                let (system, properties) = loaded.with(&group);
                let properties: Vec<&Property> = properties.iter().collect();
                let answers = Request::new(&system, &properties, &options).answers(&limits, &mut ());
                for (number, shared) in group.iter().zip(answers) {
                    let (system, property) = loaded.alone(*number);
                    let single = answer(&system, &property, &options, &limits, &mut ());
                    let decided = |v: &Verdict| !matches!(v, Verdict::Unknown(_));
                    if decided(&single.verdict) && decided(&shared.verdict) {
                        assert_eq!(single.verdict, shared.verdict, "seed {seed}: {}\n{}", queries[*number], net.text());
                    }
                    assert_eq!(single.trace.is_some(), shared.trace.is_some(), "seed {seed}: {}", queries[*number]);
                }
            }
        }
    }
    println!("{together} queries together, {alone} alone");
    assert!(together > alone);
}

/// The goal is far away in a large system. Breadth-first search reaches it last, but every maximal
/// path ends in it.
#[test]
fn a_probe_finds_a_distant_goal() {
    let text = "int[0,8] a[6];
        process P(const int[0,5] i) { state L; init L; trans L -> L { guard a[i] < 8; assign a[i]++; }; }
        system P;";
    let queries = ["E<> forall (i : int[0,5]) a[i] == 8", "E<> a[2] == 3", "A[] a[0] + a[1] < 16"];
    let loaded = oracle::load(text, &queries.map(str::to_owned)).unwrap();
    let properties: Vec<&Property> = loaded.properties.iter().collect();
    let ask = |order| {
        let options = Options { order, ..Options::default() };
        Request::new(&loaded.system, &properties, &options).answers(&Limits::default(), &mut ())
    };
    let (plain, adaptive) = (ask(Order::Bfs), ask(Order::Adaptive));
    for (plain, adaptive) in plain.iter().zip(&adaptive) {
        assert_eq!(plain.verdict, adaptive.verdict);
    }
    assert!(plain[0].counts.stored > 500_000 && adaptive[0].counts.stored < 1000, "{:?}", adaptive[0].counts);
    // A near goal is found with a shortest trace.
    assert_eq!(adaptive[1].trace.as_ref().unwrap().steps.len(), 3);
}

/// Counters that nothing reads make the state space large, but do not change the behaviour.
/// (Heuristics ignore that no time passes.)
#[test]
fn values_of_unread_counters_are_not_distinguished() {
    let text = "int n[3];
        process P(const int[0,2] i) { state L, M; init L; trans L -> M { assign n[i] = (n[i] + 1) % 1000; }, M -> L {}; }
        process Q() { clock c; state A, B; urgent A; init A; trans A -> B { guard c > 0; }; }
        system P, Q;";
    let queries = ["E<> Q.B", "A[] not Q.B"];
    let loaded = oracle::load(text, &queries.map(str::to_owned)).unwrap();
    let properties: Vec<&Property> = loaded.properties.iter().collect();
    let options = Options { order: Order::Adaptive, ..Options::default() };
    let answers = Request::new(&loaded.system, &properties, &options).answers(&Limits::default(), &mut ());
    for (answer, expected) in answers.iter().zip([Verdict::NotSatisfied, Verdict::Satisfied]) {
        assert_eq!(answer.verdict, expected);
        assert_eq!(answer.counts.stored, 8);
        let note = answer.note(&loaded.system).unwrap();
        assert!(note.to_string().ends_with(": n"), "{note}");
    }
}

/// Checks that the counts of searches never decrease, and that each search that begins also ends.
#[derive(Default)]
struct Watch {
    tally: Tally,
    last: usize,
    depth: usize,
    phases: Vec<Phase>,
}

impl Watch {
    fn check(&mut self) {
        let explored = self.tally.total().explored;
        assert!(explored >= self.last, "{} after {}", explored, self.last);
        self.last = explored;
    }
}

impl Observer for Watch {
    fn progress(&mut self, counts: &Counts, _: usize) {
        assert!(self.depth > 0, "progress is reported outside of a search");
        self.tally.update(counts);
        self.check();
    }
    fn enter(&mut self, phase: Phase) {
        self.tally.enter(phase);
    }
    fn begin(&mut self) {
        self.depth += 1;
        self.tally.begin();
        self.phases.push(self.tally.phase());
    }
    fn end(&mut self, counts: &Counts) {
        self.depth -= 1;
        self.tally.end(counts);
        self.check();
    }
}

impl verify::Observer for Watch {}

/// An answer is reported as soon as it is known, while the search for the others of its group
/// continues.
#[test]
fn answers_are_reported_when_they_are_known() {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let mut early = 0;
    for seed in oracle::seeds(0..300) {
        let net = random::network(seed, &random::NetworkFeatures::all());
        let mut queries = net.queries();
        queries.extend(["E<> true".to_owned(), "A[] true".to_owned(), "E<> deadlock".to_owned()]);
        let loaded = oracle::load(&net.text(), &queries).unwrap();
        let options = Options::default();
        for group in groups(&loaded.model.system, &loaded.lowered(), &options) {
            let (system, properties) = &loaded.with(&group);
            let properties: Vec<&Property> = properties.iter().collect();
            let (mut numbers, mut explored) = (Vec::new(), Vec::new());
            let mut watch = Watch::default();
            Request::new(system, &properties, &options).run(&limits, &mut watch, &mut |number, answer| {
                numbers.push(number);
                explored.push(answer.counts.explored);
                let phases: usize = answer.phases.iter().map(|(_, explored)| explored).sum();
                assert_eq!(phases, answer.counts.explored, "seed {seed}");
            });
            assert_eq!(watch.depth, 0);
            assert!(explored.is_sorted(), "seed {seed}: {explored:?}");
            assert_eq!(explored.last().copied(), Some(watch.last), "seed {seed}");
            early += explored.iter().filter(|one| **one < watch.last).count();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..properties.len()).collect::<Vec<_>>(), "seed {seed}");
        }
    }
    println!("{early} answers were known before the last one of their group");
    assert!(early > 300);
}

/// All explored states are counted, in every phase, also if a search is stopped.
#[test]
fn all_phases_are_counted() {
    let mut stopped = 0;
    for seed in oracle::seeds(0..300) {
        let net = random::network(seed, &random::NetworkFeatures::all());
        let loaded = oracle::load(&net.text(), &net.queries()).unwrap();
        let system = &loaded.system;
        for (property, wanted) in loaded
            .properties
            .iter()
            .flat_map(|p| [Wanted::Some, Wanted::Short, Wanted::Fastest].map(|wanted| (p, wanted)))
        {
            let limits = Limits { states: Some(60), ..Limits::default() };
            let options = Options { wanted, ..Options::default() };
            let mut watch = Watch::default();
            let answer = answer(system, property, &options, &limits, &mut watch);
            assert_eq!(watch.depth, 0);
            assert_eq!(answer.counts.explored, watch.last, "seed {seed}");
            if answer.verdict == Verdict::Unknown(Reason::Limit(Stop::States)) {
                stopped += 1;
                assert!(answer.counts.explored > 0, "seed {seed}: {property:?}");
            }
        }
    }
    println!("{stopped} searches were stopped");
    assert!(stopped > 20);
}

/// The counts of the probe are added to those of the paused search.
#[test]
fn a_probe_adds_to_the_explored_states() {
    let text = "int[0,8] a[6];
        process P(const int[0,5] i) { state L; init L; trans L -> L { guard a[i] < 8; assign a[i]++; }; }
        system P;";
    let queries = ["E<> forall (i : int[0,5]) a[i] == 8", "E<> a[2] == 3"];
    let loaded = oracle::load(text, &queries.map(str::to_owned)).unwrap();
    let properties: Vec<&Property> = loaded.properties.iter().collect();
    let options = Options { order: Order::Adaptive, ..Options::default() };
    let mut watch = Watch::default();
    let answers = Request::new(&loaded.system, &properties, &options).answers(&Limits::default(), &mut watch);
    assert_eq!(watch.phases, [Phase::Search, Phase::Probe]);
    let [(Phase::Search, searched), (Phase::Probe, probed)] = answers[0].phases[..] else {
        panic!("{:?}", answers[0].phases)
    };
    assert!(searched > 1 << 15 && probed > 0 && answers[0].counts.explored == searched + probed);
    assert_eq!((answers[0].decided, answers[1].decided), (Phase::Probe, Phase::Search));
    assert_eq!(answers[1].phases.len(), 1);
    assert!(answers[1].counts.explored < searched);
}

/// A leads-to query that is stopped in any phase reports its explored states.
#[test]
fn a_stopped_leads_to_reports_explored_states() {
    let text = "int[0,8] a[5];
        process P(const int[0,4] i) { state L; urgent L; init L; trans L -> L { guard a[i] < 8; assign a[i]++; }; }
        system P;";
    let queries = ["a[0] == 1 --> forall (i : int[0,4]) a[i] == 8".to_owned()];
    let loaded = oracle::load(text, &queries).unwrap();
    let (mut before, mut stopped, mut phases) = (0, 0, Vec::new());
    for max_polls in [1, 3, 30, 100, 300, 1_000, 1_500, 1_000_000] {
        let polls = Cell::new(0);
        let expired = || {
            polls.set(polls.get() + 1);
            polls.get() > max_polls
        };
        let limits = Limits { expired: Some(&expired), ..Limits::default() };
        let mut watch = Watch::default();
        let options = Options::default();
        let answer = answer(&loaded.system, &loaded.properties[0], &options, &limits, &mut watch);
        let explored = answer.counts.explored;
        if answer.verdict == Verdict::Unknown(Reason::Limit(Stop::Time)) {
            stopped += 1;
        } else {
            assert_eq!(answer.verdict, Verdict::Satisfied);
        }
        assert!(explored >= before.max(1) && explored == watch.last, "{max_polls}: {explored} after {before}");
        before = explored;
        phases = answer.phases;
    }
    let has_probed = matches!(phases[..], [(Phase::Search, _), (Phase::Probe, 1..)]);
    assert!(stopped >= 5 && has_probed, "{stopped} {phases:?}");
}

#[test]
fn goals_that_only_joined_states_reach_are_searched_for_alone() {
    let text = "
        process P() {
            clock x, y;
            state a, b, c;
            init a;
            trans a -> b { guard x <= 1; assign y = 0; }, a -> b { guard x >= 3 && x <= 4; assign y = 0; },
                b -> c { guard y == 1 && x == 3; };
        }
        p = P();
        system p;";
    let loaded = oracle::load(text, &["E<> p.c", "E<> p.b"]).unwrap();
    let properties: Vec<&Property> = loaded.properties.iter().collect();
    for count in [1, 3] {
        let threads = Threads { count, after: 0 };
        let options = Options { update: Some(Update::Join), order: Order::Bfs, threads, ..Options::default() };
        let answers = Request::new(&loaded.system, &properties, &options).answers(&Limits::default(), &mut ());
        let verdicts: Vec<&Verdict> = answers.iter().map(|answer| &answer.verdict).collect();
        let doubt = Verdict::Unknown(Reason::Imprecise("joined states"));
        assert_eq!(verdicts, [&doubt, &Verdict::Satisfied], "{count}");
    }
}
