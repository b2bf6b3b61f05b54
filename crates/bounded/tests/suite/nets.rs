//! Compares the exact encodings of nets with an oracle on random nets: the markings after each
//! number of firings, and deadlocks. Every run that is found is replayed by the automata of the
//! net.
//!
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-bounded --test suite nets::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::collections::BTreeSet;

use bounded::Bounded;
use bounded::net::{self, NetEncoding, NetUnrolling, Replacing, Setup, StepSemantics, concrete, unroll};
use model::{
    Property, System,
    net::{Net, Timing, tina},
    replay::replay,
};
use oracle::{
    nets::{self, Marking},
    random_nets::{NetFeatures as Kind, random_net},
};
use smt::{Embedded, SatResult, Solver, Term};

/// The greatest number of firings that are compared.
const DEPTH: usize = 4;

/// The number of steps after which a net has reached its deadlock, if it has one.
const LATEST: usize = 14;

/// Nets with more explicit states are skipped.
const STATES: usize = 20_000;

const EXACT: [(NetEncoding, StepSemantics); 4] = [
    (NetEncoding::Events, StepSemantics::Single),
    (NetEncoding::ExactDifferences, StepSemantics::Single),
    (NetEncoding::Events, StepSemantics::Independent),
    (NetEncoding::Events, StepSemantics::Ordered),
];

#[derive(Debug, Default)]
struct Count {
    compared: u64,
    passed_over: u64,
    markings: u64,
    runs: u64,
    deadlocks: u64,
    /// How often a step of several firings went further than one firing.
    shorter: u64,
}

fn add(sum: &mut Count, new: Count) {
    sum.compared += new.compared;
    sum.passed_over += new.passed_over;
    sum.markings += new.markings;
    sum.runs += new.runs;
    sum.deadlocks += new.deadlocks;
    sum.shorter += new.shorter;
}

/// A formula and a solver that has asserted it.
struct Asked<'a> {
    unrolling: Box<dyn NetUnrolling + 'a>,
    solver: Embedded,
    net: &'a Net,
    system: &'a System,
}

impl<'a> Asked<'a> {
    fn new(net: &'a Net, system: &'a System, encoding: NetEncoding, steps: StepSemantics) -> Asked<'a> {
        let setup = Setup { encoding, replacing: Replacing::Constants, steps, bound: 0, reduces: false };
        let mut asked = Asked { unrolling: unroll(net, &setup).unwrap(), solver: Embedded::new(), net, system };
        asked.tell();
        asked
    }

    fn tell(&mut self) {
        for fact in self.unrolling.facts() {
            self.solver.assert(self.unrolling.terms(), fact);
        }
    }

    fn step(&mut self) {
        self.unrolling.step(&|| false);
        self.tell();
    }

    fn can_be(&mut self, terms: &[Term]) -> bool {
        match self.solver.check(self.unrolling.terms(), terms, &|| false) {
            SatResult::Satisfiable => true,
            SatResult::Unsatisfiable => false,
            undecided => panic!("{undecided:?}"),
        }
    }

    /// Returns all markings after the last step. The run to each marking is replayed.
    fn markings(&mut self) -> Result<BTreeSet<Marking>, String> {
        let places: Vec<Term> = (0..self.net.places.len()).map(|p| self.unrolling.marked(p)).collect();
        let mut found = BTreeSet::new();
        let ask = self.unrolling.terms().fresh();
        while self.can_be(&[ask]) {
            let values: Vec<bool> = places.iter().map(|p| self.solver.holds(self.unrolling.terms(), *p)).collect();
            let marking: Marking = values.iter().map(|v| u32::from(*v)).collect();
            self.follow(Some(&marking))?;
            let others = places.iter().zip(&values).map(|(p, v)| if *v { !*p } else { *p });
            let other = self.unrolling.terms().or(others);
            let fact = self.unrolling.terms().implies(ask, other);
            self.solver.assert(self.unrolling.terms(), fact);
            if !found.insert(marking) {
                return Err("a marking is found twice".to_owned());
            }
        }
        Ok(found)
    }

    /// Replays the run of the last solution.
    fn follow(&mut self, marking: Option<&Marking>) -> Result<(), String> {
        let run = self.unrolling.run(&mut self.solver, None);
        let describe = |why: String| format!("{run:?}: {why}");
        let trace = concrete(self.net, self.system, &run, &|| false).map_err(|why| describe(why.to_string()))?;
        let run = replay(self.system, &trace, None).map_err(|why| describe(format!("{why:?}")))?;
        let row = &run.last().unwrap().state.row[self.system.processes.len()..];
        let end: Marking = row[..self.net.places.len()].iter().map(|n| *n as u32).collect();
        match marking {
            Some(marking) if *marking != end => Err(describe(format!("ends in {end:?}, not in {marking:?}"))),
            _ => Ok(()),
        }
    }
}

fn compare(net: &Net, text: &str, truth: &nets::NetReach, steps: &nets::StepMarkings) -> Result<Count, String> {
    let loaded = oracle::load_net(text, &["E<> deadlock"])?;
    let system = &loaded.system;
    let mut count = Count { compared: 1, markings: truth.markings.len() as u64, ..Count::default() };
    for (encoding, semantics) in EXACT {
        let mut asked = Asked::new(net, system, encoding, semantics);
        let describe = |k: usize, why: String| format!("{encoding:?} {semantics:?} {k}: {why}");
        let mut rests = false;
        for k in 0..=DEPTH {
            if k > 0 {
                asked.step();
            }
            let found = asked.markings().map_err(|why| describe(k, why))?;
            count.runs += found.len() as u64;
            let single = &steps.firings[k];
            let missing: Vec<_> = single.difference(&found).take(3).collect();
            if !missing.is_empty() {
                return Err(describe(k, format!("missing {missing:?}")));
            }
            let limit = if semantics == StepSemantics::Single { single } else { &truth.markings };
            let more: Vec<_> = found.difference(limit).take(3).collect();
            if !more.is_empty() {
                return Err(describe(k, format!("not reachable: {more:?}")));
            }
            count.shorter += u64::from(found != *single);
            let dead = asked.unrolling.deadlock();
            if asked.can_be(&[dead]) {
                rests = true;
                asked.follow(None).map_err(|why| describe(k, format!("deadlock: {why}")))?;
            }
        }
        if rests && !truth.deadlock {
            return Err(describe(DEPTH, "a spurious deadlock".to_owned()));
        }
        // Where a step combines several firings, a net reaches its deadlock in few steps.
        if truth.deadlock && !rests && (encoding, semantics) == (NetEncoding::Events, StepSemantics::Ordered) {
            rests = (DEPTH..LATEST).any(|_| {
                asked.step();
                let dead = asked.unrolling.deadlock();
                asked.can_be(&[dead])
            });
            if !rests {
                return Err(describe(LATEST, "the deadlock is missing".to_owned()));
            }
            asked.follow(None).map_err(|why| describe(LATEST, format!("deadlock: {why}")))?;
        }
        count.deadlocks += u64::from(rests);
    }
    Ok(count)
}

/// Queries about a reduced net have the same answers, and its runs are runs of the original net.
fn smaller(net: &Net, text: &str, truth: &nets::NetReach) -> Result<(), String> {
    if truth.contact {
        return Ok(());
    }
    let pairs = (0..net.places.len()).map(|p| (p, (p + 1) % net.places.len()));
    let asked: Vec<((usize, usize), u32)> = pairs.flat_map(|pair| [(pair, 0), (pair, 1)]).collect();
    let query = |((p, q), n): &((usize, usize), u32)| format!("E<> p{p} == {n} && p{q} == 1");
    let queries: Vec<String> = asked.iter().map(query).chain(["E<> deadlock".to_owned()]).collect();
    let loaded = oracle::load_net(text, &queries)?;
    let there = asked.iter().map(|((p, q), n)| truth.markings.iter().any(|m| m[*p] == *n && m[*q] == 1));
    let setup = Setup {
        encoding: NetEncoding::Events,
        replacing: Replacing::Constants,
        steps: StepSemantics::Ordered,
        bound: LATEST,
        reduces: true,
    };
    for ((property, query), there) in loaded.properties.iter().zip(&queries).zip(there.chain([truth.deadlock])) {
        let Property::State { goal, exists: true } = property else { continue };
        let solver = &mut Embedded::new();
        let found = net::check(net, &loaded.system, goal, &setup, solver, &|| false, &mut |_, _| {});
        match found.map_err(|why| format!("{query}: {why:?}"))? {
            Bounded::Found(_) if there => {}
            Bounded::None(_) if !there => {}
            other => return Err(format!("smaller, {query}: {other:?}")),
        }
    }
    Ok(())
}

fn examine(seed: u64, kind: &Kind) -> Result<Count, String> {
    let net = random_net(seed, kind);
    let limits = nets::NetLimits { states: STATES, tokens: 1 };
    let passed_over = || Ok(Count { passed_over: 1, ..Count::default() });
    if net::supported(&net).is_err() {
        return passed_over();
    }
    let (Some(truth), Some(steps)) = (nets::markings(&net, limits), nets::markings_by_step(&net, DEPTH, limits)) else {
        return passed_over();
    };
    let text = tina::text(&net);
    let describe = |why: String| format!("{text}\nseed {seed}: {why}");
    // There is one query for each pair of places, so only some nets are checked.
    if seed.is_multiple_of(4) {
        smaller(&net, &text, &truth).map_err(describe)?;
    }
    compare(&net, &text, &truth, &steps).map_err(describe)
}

fn campaign(cases: u64, kind: Kind) {
    let count = oracle::campaign(cases, |seed| examine(seed, &kind), add);
    println!("{:?}: {count:?}", kind.timing);
    assert!(count.compared > count.passed_over && count.runs > 4 * count.compared);
    assert!(count.shorter > 0 && count.deadlocks > 0);
}

#[test]
fn places_without_inhibitors() {
    campaign(300, Kind { inhibitors: false, tests: false, ..Kind::new(Timing::Places) });
}

#[test]
fn places() {
    campaign(400, Kind::new(Timing::Places));
}

#[test]
fn transitions() {
    campaign(400, Kind { weights: false, ..Kind::new(Timing::Transitions) });
}

#[test]
fn untimed() {
    campaign(300, Kind { weights: false, ..Kind::new(Timing::Untimed) });
}
