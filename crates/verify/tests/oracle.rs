//! The zone engine against an explicit checker that shares nothing with it, on random networks.
//!
//! Every abstraction, order and update must give the oracle's verdict, no trace may be shorter than the oracle's
//! shortest, and plain breadth-first search finds one of that length.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test oracle` is a campaign.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use explore::search::Limits;
use model::{
    Formula, Property, Ratio, System,
    system::{Clock, ClockConstraint, ClockId, ClockTerm, Operand},
};
use oracle::{
    explicit::{self, Answer as Truth},
    random,
};
use verify::{Abstraction, Options, Order, Reason, Trace, Update, Verdict, Wanted};

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

fn first() -> u64 {
    std::env::var("MERKHET_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update, Wanted)] = &[
    (Order::Bfs, None, Update::Cover, Wanted::Some),
    (Order::Dfs, None, Update::Cover, Wanted::Some),
    (Order::RandomDfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLu), Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Simple, Wanted::Some),
    (Order::Dfs, Some(Abstraction::ExtraLuPlus), Update::Simple, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Join, Wanted::Some),
    (Order::Bfs, None, Update::Cover, Wanted::Shortest),
    (Order::Dfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Shortest),
    (Order::Bfs, None, Update::Cover, Wanted::Fastest),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Cover, Wanted::Fastest),
];

/// What is wrong with the engine's answers to a property, if anything is.
fn compare(system: &System, property: &Property, query: &str) -> Result<bool, String> {
    let truth = explicit::check(system, property, explicit::Options { states: 30_000, ..Default::default() });
    if truth.fault.is_some() {
        return Ok(false);
    }
    let expected = match truth.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        Truth::Unknown(explicit::Reason::NoInitialState) | Truth::Unknown(_) => return Ok(false),
    };
    for &(order, abstraction, update, wanted) in CONFIGURATIONS {
        let options = Options { order, abstraction, update: Some(update), seed: 7, wanted };
        let limits = Limits { states: Some(50_000), ..Limits::default() };
        let answer = verify::answer(system, property, &options, &limits, &mut ());
        let fine = match &answer.verdict {
            Verdict::Unknown(Reason::Imprecise(_)) => update == Update::Join,
            Verdict::Unknown(Reason::Limit(_)) => true,
            verdict => *verdict == expected,
        };
        let config =
            format!("{query}\n{order:?} {abstraction:?} {update:?} {wanted:?} (as {:?})", answer.plan.abstraction);
        if !fine {
            return Err(format!("{config}: {:?}, not {expected:?}", answer.verdict));
        }
        if let (Some(length), Some(trace)) = (truth.length, &answer.trace) {
            let found = trace.steps.len();
            // A deeper state may cover one that still waits, so only plain breadth-first search finds a shortest way.
            let exact = wanted == Wanted::Shortest || order == Order::Bfs && update == Update::Simple;
            if update != Update::Join && !trace.replayed && !urgency_depends_on_clocks(system) {
                return Err(format!("{config}: the trace does not replay"));
            }
            // A way through joined zones need not be a run.
            if trace.replayed && found < length as usize || exact && found > length as usize {
                return Err(format!("{config}: a trace of {found} transitions, the shortest has {length}"));
            }
            if wanted == Wanted::Fastest && trace.replayed && could_be_faster(system, property, trace) {
                return Err(format!("{config}: there is a faster trace"));
            }
        }
    }
    Ok(true)
}

/// Whether the oracle finds a run to the same goal that takes less time, by a whole unit or to a whole number.
fn could_be_faster(system: &System, property: &Property, trace: &Trace) -> bool {
    let delays = trace.steps.iter().map(|s| s.delay).chain([trace.last_delay]);
    let total = delays.map(|(n, d)| Ratio::new(n, d).unwrap()).reduce(|a, b| a.plus(b).unwrap()).unwrap();
    // The least time is a whole number, reached or not.
    let whole = if Ratio::new(total.floor(), 1) == Some(total) { total.floor() - 1 } else { total.floor() };
    if whole < 0 {
        return false;
    }
    let mut timed = system.clone();
    let clock = ClockTerm::Clock(ClockId(timed.clocks.len() as u32));
    timed.clocks.push(Clock { name: "time".to_owned(), initial: 0 });
    let (Property::Possibly(goal) | Property::Invariantly(goal)) = property else { return false };
    let early = Formula::Clock(ClockConstraint {
        condition: None,
        left: clock,
        right: ClockTerm::ZERO,
        strict: false,
        bound: Operand::Const(whole as i32),
    });
    let sooner = Property::Possibly(Formula::And(vec![goal.clone(), early]));
    let options = explicit::Options { states: 30_000, ..Default::default() };
    explicit::check(&timed, &sooner, options).answer == Truth::Satisfied
}

/// Whether a clock decides when an urgent channel stops time: delays along such a path are not found always.
fn urgency_depends_on_clocks(system: &System) -> bool {
    use model::system::Sync;
    system.edges.iter().any(|e| {
        matches!(e.sync, Sync::Send(c) | Sync::Receive(c) if system.channels[c.0 as usize].urgent)
            && !e.guard.clocks.is_empty()
    })
}

#[test]
fn random_networks() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for seed in first()..first() + cases() {
        let net = random::network(seed, &random::Options::all());
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        for (property, query) in loaded.properties.iter().zip(&queries) {
            if !matches!(property, Property::Possibly(_) | Property::Invariantly(_)) {
                continue;
            }
            match compare(&loaded.model.system, property, query) {
                Ok(done) => asked += u32::from(done),
                Err(why) => wrong.push(format!("seed {seed}\n{text}\n{why}\n")),
            }
        }
    }
    println!("{asked} queries");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(asked > 0);
}
