//! Searches by several processes. Their answers are those of one thread, under all options that a
//! search by several processes can have. The processes are threads here, and frames between them
//! are delayed at random.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite cluster::` is a
//! campaign.

use std::{
    sync::{Arc, OnceLock, mpsc},
    thread,
    time::Duration,
};

use explore::{
    cluster::{Cluster, Delivery, Peers},
    search::{Limits, Stop},
};
use model::{Property, System};
use oracle::random::Rng;
use verify::{Answer, Options, Order, Reason, Request, Verdict, Wanted};

use crate::threads::{Compared, add, compare, some_model, some_options};

/// The queues of frames from one process to the others.
struct Queues(Vec<Option<mpsc::Sender<Vec<u8>>>>);

impl Peers for Queues {
    fn send(&self, to: usize, frame: Vec<u8>, _: Delivery) {
        // A process that has ended receives nothing.
        let _ = self.0[to].as_ref().map(|queue| queue.send(frame));
    }
}

/// Runs processes with these numbers of workers, each as a thread, and returns what they return.
fn together<T: Send>(workers: &[usize], seed: u64, run: impl Fn(&Cluster) -> T + Sync) -> Vec<T> {
    let count = workers.len();
    let targets: Arc<Vec<OnceLock<Cluster>>> = Arc::new((0..count).map(|_| OnceLock::new()).collect());
    let clusters: Vec<Cluster> = (0..count)
        .map(|from| {
            let queue = |to: usize| {
                let (sender, frames) = mpsc::channel::<Vec<u8>>();
                let targets = targets.clone();
                let mut rng = Rng::new(seed ^ ((from * count + to) as u64) << 32);
                let slow = rng.chance(50);
                thread::spawn(move || {
                    for frame in frames {
                        if slow && rng.chance(20) {
                            thread::sleep(Duration::from_micros(rng.below(300) as u64));
                        }
                        if let Some(cluster) = targets[to].get() {
                            cluster.receive(from, &frame).unwrap();
                        }
                    }
                });
                sender
            };
            let queues = (0..count).map(|to| (to != from).then(|| queue(to))).collect();
            Cluster::new(from, workers.to_vec(), Box::new(Queues(queues)))
        })
        .collect();
    for (slot, cluster) in targets.iter().zip(&clusters) {
        slot.set(cluster.clone()).unwrap();
    }
    let results = thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = clusters.iter().map(|cluster| scope.spawn(move || run(cluster))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    // Process 0 has answered everything, so nobody misses what is still on its way.
    clusters[0].end();
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
    together(workers, seed, ask).swap_remove(0)
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
            match compare(one, many, &options, alone) {
                Ok(own) => add(&mut sum, own),
                Err(_) if limited(one) || limited(many) => {}
                Err(why) => return Err(format!("query {i} {workers:?} {options:?}: {why}")),
            }
        }
        Ok(sum)
    };
    let sum = oracle::campaign(200, examine, add);
    let Compared { answers, exhausted, lengths, bounds } = sum;
    println!("{answers} answers, {exhausted} equal counts, {lengths} lengths, {bounds} bounds");
    for (seen, least) in [(answers, 300), (exhausted, 15), (lengths, 15), (bounds, 15)] {
        assert!(seen >= oracle::expected(least, 200), "{seen} {least}");
    }
}
