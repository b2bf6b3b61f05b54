//! Searches by several processes. Their answers are those of one thread, under all options that a
//! search by several processes can have. The processes are threads here, and frames between them
//! are delayed at random.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite cluster::` is a
//! campaign.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use explore::{
    bounds::ClockBounds,
    cluster::{Cluster, Delivery, Peers},
    goal::BoxedGoal,
    graph::{Abstraction, ZoneGraph},
    open::Levels,
    search::{Limits, SearchOutcome, Stop},
    seen::Seen,
    shard::{Owners, Team, Worker},
    store::Store,
};
use model::{Property, System};
use oracle::random::Rng;
use verify::{Answer, Options, Order, Reason, Request, Update, Verdict, Wanted};

use crate::threads::{Compared, GRID, Interrupts, add, compare, compare_joined, is_decided, some_model, some_options};

/// The processes, while they exist.
#[derive(Clone)]
struct Processes(Arc<Vec<Mutex<Option<Cluster>>>>);

impl Processes {
    fn get(&self, number: usize) -> Option<Cluster> {
        self.0[number].lock().unwrap().clone()
    }
}

/// The loss of a process after a number of frames.
#[derive(Clone)]
pub struct Loss {
    victim: usize,
    left: Arc<AtomicUsize>,
}

impl Loss {
    pub fn new(victim: usize, frames: usize) -> Loss {
        Loss { victim, left: Arc::new(AtomicUsize::new(frames)) }
    }

    /// Lets it happen with the next frame, wherever that goes.
    fn now(&self) {
        self.left.store(1, Ordering::Relaxed);
    }

    /// Counts a frame. Returns whether its sender or its receiver is lost.
    fn hits(&self, from: usize, to: usize, processes: &Processes) -> bool {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left == Ok(1) {
            let (victim, processes) = (self.victim, processes.clone());
            thread::spawn(move || {
                for cluster in (0..processes.0.len()).filter_map(|number| processes.get(number)) {
                    let lost = if cluster.number() == victim { usize::from(victim == 0) } else { victim };
                    cluster.lose(lost, "the test says so");
                }
            });
        }
        left.is_err() && (from == self.victim || to == self.victim)
    }
}

/// The queues of frames from one process to the others.
struct Queues {
    from: usize,
    queues: Vec<Option<mpsc::Sender<Vec<u8>>>>,
    loss: Option<Loss>,
    processes: Processes,
}

impl Peers for Queues {
    fn send(&self, to: usize, frame: Vec<u8>, _: Delivery) {
        if !self.loss.as_ref().is_some_and(|loss| loss.hits(self.from, to, &self.processes)) {
            // A process that has ended receives nothing.
            let _ = self.queues[to].as_ref().map(|queue| queue.send(frame));
        }
    }
}

/// Passes the frames of a queue on, late at random.
fn deliver(from: usize, to: usize, frames: &mpsc::Receiver<Vec<u8>>, processes: &Processes, mut rng: Rng) {
    let slow = rng.chance(50);
    for frame in frames {
        if slow && rng.chance(20) {
            thread::sleep(Duration::from_micros(rng.below(300) as u64));
        }
        if let Some(cluster) = processes.get(to) {
            cluster.receive(from, &frame).unwrap();
        }
    }
}

/// Runs processes with these numbers of workers, each as a thread, and returns what they return.
pub fn together<T: Send>(
    workers: &[usize],
    seed: u64,
    loss: Option<&Loss>,
    run: impl Fn(&Cluster) -> T + Sync,
) -> Vec<T> {
    let count = workers.len();
    let processes = Processes(Arc::new((0..count).map(|_| Mutex::default()).collect()));
    for from in 0..count {
        let queue = |to: usize| {
            let (sender, frames) = mpsc::channel::<Vec<u8>>();
            let processes = processes.clone();
            let rng = Rng::new(seed ^ ((from * count + to) as u64) << 32);
            thread::spawn(move || deliver(from, to, &frames, &processes, rng));
            sender
        };
        let queues = (0..count).map(|to| (to != from).then(|| queue(to))).collect();
        let queues = Queues { from, queues, loss: loss.cloned(), processes: processes.clone() };
        *processes.0[from].lock().unwrap() = Some(Cluster::new(from, workers.to_vec(), Box::new(queues)));
    }
    let results = thread::scope(|scope| {
        let (run, processes) = (&run, &processes);
        let one = |number: usize| scope.spawn(move || processes.get(number).map(|cluster| run(&cluster)));
        let threads: Vec<_> = (0..count).map(one).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    // Their queues end with them.
    processes.0.iter().for_each(|process| drop(process.lock().unwrap().take()));
    results
}

/// Asks properties of several processes, each group in one request. Returns what process 0 answers.
fn answers(
    system: &System,
    groups: &[Vec<&Property>],
    (options, proves): (&Options, bool),
    states: usize,
    (workers, seed): (&[usize], u64),
) -> Vec<Answer> {
    let ask = |cluster: &Cluster| {
        let options = Options { cluster: Some(cluster.clone()), ..options.clone() };
        let mut all = Vec::new();
        let limits = &Limits { states: Some(states), interrupt: Some(cluster.stops()), ..Limits::default() };
        for group in groups {
            let _ = cluster.begin(limits);
            all.extend(Request { proves, ..Request::new(system, group, &options) }.answers(limits, &mut ()));
            cluster.finish();
        }
        all
    };
    together(workers, seed, None, ask).swap_remove(0)
}

#[test]
fn several_processes_give_the_answers_of_one_thread() {
    let examine = |seed: u64| {
        let limits = Limits { states: Some(2000), ..Limits::default() };
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let options = some_options(&mut rng);
        let order = if options.order == Order::Adaptive { Order::Bfs } else { options.order };
        let options = Options { order, ..options };
        let shapes: [&[usize]; 5] = [&[1, 1], &[1, 1], &[2, 1], &[1, 2, 1], &[1, 1, 1, 1]];
        let workers = shapes[rng.below(shapes.len())];
        let proves = rng.chance(20);
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let alone = rng.chance(70) || options.wanted != Wanted::Some;
        let size = if alone { 1 } else { properties.len() };
        let groups: Vec<Vec<&Property>> = properties.chunks(size).map(<[_]>::to_vec).collect();
        let one = groups.iter().flat_map(|group| {
            Request { proves, ..Request::new(&loaded.system, group, &options) }.answers(&limits, &mut ())
        });
        let one: Vec<Answer> = one.collect();
        let several = answers(&loaded.system, &groups, (&options, proves), 2000, (workers, seed));
        assert_eq!(one.len(), several.len());
        let mut sum = Compared::default();
        for (i, (one, many)) in one.iter().zip(&several).enumerate() {
            let limited = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)));
            if let Verdict::Unknown(Reason::Limit(Stop::Lost(_) | Stop::Interrupted)) = many.verdict {
                return Err(format!("query {i} {workers:?} {options:?}: {:?}", many.verdict));
            }
            if proves && matches!((&one.proof, &many.proof), (Some(Ok(_)), Some(Err(_)))) && !limited(many) {
                return Err(format!("query {i} {workers:?} {options:?}: no proof: {:?}", many.proof));
            }
            let asked = (&loaded.system, properties[i]);
            let joined = compare_joined(one, many, asked, (&options, &limits));
            match joined.unwrap_or_else(|| compare(one, many, &options, alone)) {
                Ok(own) => add(&mut sum, own),
                Err(_) if limited(one) || limited(many) => {}
                Err(why) => return Err(format!("query {i} {workers:?} {options:?}: {why}")),
            }
        }
        Ok(sum)
    };
    let sum = oracle::campaign(120, examine, add);
    let Compared { answers, exhausted, lengths, bounds, .. } = sum;
    println!("{answers} answers, {exhausted} equal counts, {lengths} lengths, {bounds} bounds");
    for (seen, least) in [(answers, 200), (exhausted, 15), (lengths, 15), (bounds, 15)] {
        assert!(seen >= oracle::expected(least, 120), "{seen} {least}");
    }
}

/// Answers of several processes while process 0 is interrupted after some reports, a limit is
/// small, or a process is lost. Returns those of process 0, and whether it knows of a loss.
fn disturbed(system: &System, properties: &[&Property], options: &Options, rng: &mut Rng) -> (Vec<Answer>, bool) {
    let workers: &[usize] = if rng.chance(50) { &[1, 1] } else { &[1, 2, 1] };
    let (kind, amount, reports) = (rng.below(4), rng.below(100), 1 + rng.below(6));
    let loss = Loss::new(rng.below(workers.len()), 1 + rng.below(60));
    let loss = (kind == 0).then_some(loss);
    let ask = |cluster: &Cluster| {
        let options = Options { cluster: Some(cluster.clone()), ..options.clone() };
        let flag = AtomicBool::new(false);
        let interrupt = Some(if cluster.number() == 0 { &flag } else { cluster.stops() });
        let mut limits = Limits { interrupt, states: Some(5000), ..Limits::default() };
        match kind {
            1 => limits.generated = Some(2 * amount),
            2 => limits.states = Some(amount),
            _ => {}
        }
        let mut answers = Vec::new();
        for property in properties {
            let left = if kind == 3 && cluster.number() == 0 { reports } else { usize::MAX };
            let _ = cluster.begin(&limits);
            let properties = &[*property];
            let request = Request::new(system, properties, &options);
            answers.extend(request.answers(&limits, &mut Interrupts { left, flag: &flag }));
            cluster.finish();
            flag.store(false, Ordering::Relaxed);
        }
        (answers, cluster.loss().is_some())
    };
    together(workers, rng.bits(), loss.as_ref(), ask).swap_remove(0)
}

#[test]
fn clusters_end_that_are_stopped_or_lose_a_process() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let loaded = some_model(seed, &mut rng);
        let options = Options { update: Some(Update::Simple), order: Order::Bfs, ..some_options(&mut rng) };
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let (answers, is_lost) = disturbed(&loaded.system, &properties, &options, &mut rng);
        let (mut stops, mut losses) = (0_u64, 0_u64);
        for (property, answer) in properties.iter().zip(&answers) {
            let stop = match answer.verdict {
                Verdict::Unknown(Reason::Limit(stop)) => Some(stop),
                _ => None,
            };
            losses += u64::from(matches!(stop, Some(Stop::Lost(_))));
            stops += u64::from(matches!(stop, Some(Stop::States | Stop::Interrupted)));
            if matches!(stop, Some(Stop::Lost(_))) && !is_lost {
                return Err(format!("{options:?}: nothing was lost"));
            }
            // A search with other options may have no end.
            let limits = Limits { generated: Some(1 << 18), ..Limits::default() };
            let all = verify::answer(&loaded.system, property, &some_options(&mut rng), &limits, &mut ());
            if is_decided(answer) && is_decided(&all) && answer.verdict != all.verdict {
                return Err(format!("{options:?} {:?} {:?}", answer.verdict, all.verdict));
            }
        }
        Ok([stops, losses])
    };
    let add = |sum: &mut [u64; 2], own: [u64; 2]| *sum = [sum[0] + own[0], sum[1] + own[1]];
    let [stops, losses] = oracle::campaign(60, examine, add);
    println!("{stops} stops, {losses} losses");
    assert!(stops >= oracle::expected(10, 60) && losses >= oracle::expected(10, 60), "{stops} {losses}");
}

#[test]
fn a_request_that_was_stopped_leaves_nothing_behind() {
    let loaded = oracle::load(GRID, &["A[] P1.n + P2.n < 17", "E<> P1.n == 8 and P2.n == 8"]).unwrap();
    let properties: Vec<&Property> = loaded.properties.iter().collect();
    let ask = |cluster: &Cluster| {
        let options = Options { update: Some(Update::Simple), cluster: Some(cluster.clone()), ..Options::default() };
        let mut counts = Vec::new();
        for round in 0..6 {
            // Process 0 has no time for every other request, and the others learn that at any time.
            let late = || round % 2 == 0;
            let limits = match cluster.number() {
                0 => Limits { expired: Some(&late), ..Limits::default() },
                _ => Limits { interrupt: Some(cluster.stops()), ..Limits::default() },
            };
            let _ = cluster.begin(&limits);
            let answers = Request::new(&loaded.system, &properties, &options).answers(&limits, &mut ());
            cluster.finish();
            counts
                .push(answers.iter().map(|answer| (answer.verdict.clone(), answer.counts.stored)).collect::<Vec<_>>());
        }
        counts
    };
    let rounds = together(&[1, 1, 1], 7, None, ask).swap_remove(0);
    for (round, answers) in rounds.iter().enumerate() {
        if round % 2 == 0 {
            assert!(answers.iter().all(|(verdict, _)| *verdict == Verdict::Unknown(Reason::Limit(Stop::Time))));
        } else {
            assert_eq!(answers[0], (Verdict::Satisfied, 59_049), "{round}");
            assert_eq!(answers[1].0, Verdict::Satisfied, "{round}");
        }
    }
}

#[test]
fn a_worker_that_panics_ends_the_search_of_all_processes() {
    let loaded = oracle::load(GRID, &[] as &[&str]).unwrap();
    let system = &loaded.system;
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let workers: &[usize] = if rng.chance(50) { &[1, 1] } else { &[2, 1, 1] };
        let (victim, calls) = (rng.below(workers.len()), rng.below(1000));
        // A process that panics ends, and its connections with it.
        let loss = Loss::new(victim, usize::MAX);
        let outcomes = together(workers, seed, Some(&loss), |cluster| {
            let limits = Limits { interrupt: Some(cluster.stops()), ..Limits::default() };
            let _ = cluster.begin(&limits);
            let owners = Owners::new(system, &[], cluster.workers());
            let own = (0..cluster.own_workers()).map(|_| worker(system)).collect();
            let mut team = Team::across(cluster, system, &owners, own);
            let goal = |number: usize| -> BoxedGoal<'_, i32> {
                let mut left = if cluster.number() == victim && number == 0 { calls } else { usize::MAX };
                Box::new(move |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| {
                    assert!(left > 0, "the goal fails");
                    left -= 1;
                    Ok(None)
                })
            };
            let mut goals: Vec<_> = (0..cluster.own_workers()).map(goal).collect();
            let run = AssertUnwindSafe(|| team.resume(&mut goals, &limits, &mut ()));
            let outcome = catch_unwind(run);
            if outcome.is_err() {
                loss.now();
                cluster.finish();
            }
            outcome.ok().flatten()
        });
        for (process, outcome) in outcomes.iter().enumerate() {
            match outcome {
                None if process == victim => {}
                Some(SearchOutcome::Stopped(Stop::Lost(lost))) if process != victim && usize::from(*lost) == victim => {
                }
                // What process 0 says last may still arrive.
                Some(SearchOutcome::Stopped(Stop::Interrupted)) if victim == 0 && process != victim => {}
                other => return Err(format!("{workers:?} {victim} {process}: {other:?}")),
            }
        }
        Ok(1)
    };
    let panics = oracle::campaign(10, examine, |sum: &mut u64, own: u64| *sum += own);
    println!("{panics} searches ended");
}

#[test]
fn a_process_that_owns_no_state_expands_those_of_others() {
    // All states have the same discrete part, so they have one owner.
    let text = "clock a, b, c; process P() { state s { a <= 9 && b <= 9 && c <= 9 }; init s; trans \
                s -> s { guard a >= 2; assign a = 0; }, s -> s { guard b >= 3; assign b = 0; }, \
                s -> s { guard c >= 4; assign c = 0; }; } system P;";
    let loaded = oracle::load(text, &[] as &[&str]).unwrap();
    let system = &loaded.system;
    let goal = |_| -> BoxedGoal<'_, i32> { Box::new(|_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None)) };
    let simple = || {
        let mut worker = worker(system);
        worker.seen = Seen::new(Store::new(system, Update::Simple), false);
        worker
    };
    // Searches pause, and what was lent and not expanded is not lost.
    let search = |seed: u64, cluster: &Cluster| {
        let interrupt = Some(cluster.stops());
        let _ = cluster.begin(&Limits { interrupt, ..Limits::default() });
        let owners = Owners::new(system, &[], cluster.workers());
        let mut team = explore::shard::disturbed(seed + cluster.number() as u64, || {
            Team::across(cluster, system, &owners, vec![simple()])
        });
        let mut generated = 0;
        let outcome = loop {
            generated += 300;
            let limits = Limits { interrupt, generated: Some(generated), ..Limits::default() };
            if let Some(outcome) = team.resume(&mut [goal(0)], &limits, &mut ()) {
                break outcome;
            }
        };
        cluster.finish();
        assert!(matches!(outcome, SearchOutcome::Exhausted), "{outcome:?}");
        let worker = &team.workers[0];
        (worker.progress.counts.explored, worker.seen.store.stored())
    };
    let mut one = Team::new(system, &Owners::new(system, &[], 1), vec![simple()]);
    assert!(one.resume(&mut [goal(0)], &Limits::default(), &mut ()).is_some());
    let all = one.workers[0].seen.store.stored();
    assert!(all > 300, "{all}");
    let mut lent = 0;
    // Whether a process rests early enough depends on the machine.
    for seed in 0..200 {
        let own = together(&[1, 1, 1], seed, None, |cluster| search(10 * seed, cluster));
        assert_eq!(own.iter().map(|(explored, _)| explored).sum::<usize>(), all, "{own:?}");
        assert_eq!(own.iter().map(|(_, stored)| stored).sum::<usize>(), all, "{own:?}");
        lent += own.iter().filter(|(explored, stored)| explored > stored).count();
        if lent > 20 {
            return;
        }
    }
    panic!("processes have borrowed {lent} times only");
}

/// A worker of a search by breadth-first levels.
fn worker(system: &System) -> Worker<'_> {
    let bounds = ClockBounds::<i32>::of_formulas(system, &[]);
    let seen = Seen::new(Store::new(system, Update::Cover), false);
    let graph = ZoneGraph::new(system, bounds, Abstraction::ExtraLuPlus);
    Worker::alone(Box::new(graph), seen, Box::<Levels>::default())
}
