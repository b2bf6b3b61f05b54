//! Near the limit on memory a search drops its caches. Its answer and its counts stay the same.

use explore::search::{Limits, Stop};
use model::Property;
use oracle::random::{self, NetworkFeatures, Rng, View};
use verify::{Answer, Options, Order, Reason, Threads, Update, Verdict};

/// Fischer's protocol, whose zones are known by heart soon.
const FISCHER: &str = "
    int[0, 7] id;
    process P(const int[1, 7] pid) {
        clock x;
        state idle, request { x <= 2 }, waiting, critical;
        init idle;
        trans idle -> request { guard id == 0; assign x = 0; },
            request -> waiting { guard x <= 2; assign x = 0, id = pid; },
            waiting -> request { guard id == 0; assign x = 0; },
            waiting -> critical { guard x > 2 && id == pid; },
            critical -> idle { assign id = 0; };
    }
    system P;";

/// Returns the answer with a limit on memory.
fn ask(loaded: &oracle::Loaded, number: usize, options: &Options, bytes: Option<usize>) -> Answer {
    let limits = Limits { bytes, ..Limits::default() };
    verify::answer(&loaded.system, &loaded.properties[number], options, &limits, &mut ())
}

#[test]
fn a_search_goes_on_without_its_caches() {
    let loaded = oracle::load(FISCHER, &["A[] not (P(1).critical and P(2).critical)"]).unwrap();
    // Most of the caches of several workers are tables of states that they have sent.
    for (count, share) in [(1, 10), (3, 2)] {
        let threads = Threads { count, after: 0 };
        let options = Options { order: Order::Bfs, update: Some(Update::Simple), threads, ..Options::default() };
        let free = ask(&loaded, 0, &options, None);
        // With caches, the search would end at a limit below the memory that it takes.
        let limit = free.counts.bytes - free.counts.bytes / share;
        let tight = ask(&loaded, 0, &options, Some(limit));
        assert_eq!((&free.verdict, &tight.verdict), (&Verdict::Satisfied, &Verdict::Satisfied), "{count}");
        assert!(tight.counts.caches_dropped && !free.counts.caches_dropped);
        let counts = |answer: &Answer| (answer.counts.stored, answer.counts.generated, answer.counts.explored);
        assert_eq!(counts(&free), counts(&tight));
        let none = ask(&loaded, 0, &options, Some(limit / 16));
        assert_eq!(none.verdict, Verdict::Unknown(Reason::Limit(Stop::Memory)));
        assert!(none.counts.caches_dropped);
    }
}

#[test]
fn answers_do_not_depend_on_caches() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let net = random::network(seed, &NetworkFeatures::all().some(&mut rng));
        let (text, queries) = (net.view(&View::default()), net.queries_in(&View::default()));
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let threads = Threads { count: *rng.pick(&[1, 1, 2, 3]), after: 0 };
        let update = *rng.pick(&[None, Some(Update::Simple)]);
        let options = Options { order: Order::Bfs, update, threads, ..Options::default() };
        let mut dropped = 0_u64;
        for (number, property) in loaded.properties.iter().enumerate() {
            let free = ask(&loaded, number, &options, None);
            // From the first state on, or later.
            let most = free.counts.bytes as u64;
            let tight = ask(&loaded, number, &options, Some((most + rng.bits() % (most / 4 + 1)) as usize));
            dropped += u64::from(tight.counts.caches_dropped);
            if matches!(tight.verdict, Verdict::Unknown(Reason::Limit(Stop::Memory))) {
                continue;
            }
            let is_state = matches!(property, Property::State { .. });
            let same = free.counts.generated == tight.counts.generated || threads.count > 1 || !is_state;
            if free.verdict != tight.verdict || !same {
                return Err(format!("query {number}: {free:?} {tight:?}"));
            }
        }
        Ok(dropped)
    };
    let dropped = oracle::campaign(150, examine, |sum: &mut u64, own| *sum += own);
    println!("caches were dropped in {dropped} searches");
    assert!(dropped > 15, "{dropped}");
}
