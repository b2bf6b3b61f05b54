//! The formulas of the paper: their size, and the runs that they find or miss.

use std::collections::BTreeSet;

use bounded::{
    Bounded,
    net::{self, Figures, NetEncoding, NetUnrolling, Paper, Replacing, Setup, StepSemantics, check, unroll},
};
use model::{
    Property,
    net::{Net, Timing, tina},
};
use oracle::{
    nets,
    random_nets::{NetFeatures as Kind, random_net},
};
use smt::{Embedded, SatResult, Solver};

/// Two tokens race: one is due four time units before the other may be.
const RACE: &str = "pl p1 [0,1] (1)\npl p2 [5,6] (1)\npl q1\npl q2\ntr t1 p1 -> q1\ntr t2 p2 -> q2\n";

const PAPERS: [NetEncoding; 2] = [NetEncoding::Linear, NetEncoding::Differences];

/// Both encodings of the paper with each way of replacing variables.
fn forms() -> impl Iterator<Item = (NetEncoding, Replacing)> {
    let each = [Replacing::Nothing, Replacing::Unchanged, Replacing::Constants];
    PAPERS.into_iter().flat_map(move |encoding| each.map(|replacing| (encoding, replacing)))
}

fn answer(text: &str, query: &str, encoding: NetEncoding, replacing: Replacing, bound: usize) -> Bounded {
    let loaded = oracle::load_net(text, &[query]).unwrap();
    let Property::State { goal, exists: true } = &loaded.properties[0] else { panic!("{query}") };
    let net = loaded.model.tree.net.as_ref().unwrap();
    let setup = Setup { encoding, replacing, steps: StepSemantics::Ordered, bound, reduces: false };
    check(net, &loaded.system, goal, &setup, &mut Embedded::new(), &|| false, &mut |_, _| {}).unwrap()
}

#[test]
fn the_paper_lets_time_pass_beyond_deadlines() {
    let query = "E<> p1 == 1 && q2 == 1";
    for (encoding, replacing) in forms() {
        let Bounded::Unknown(why) = answer(RACE, query, encoding, replacing, 1) else { panic!("{encoding:?}") };
        assert!(why.contains("a solution that is not a run, after step 1"), "{why}");
    }
    for encoding in [NetEncoding::Events, NetEncoding::ExactDifferences] {
        assert_eq!(answer(RACE, query, encoding, Replacing::Constants, 4), Bounded::None(4));
    }
    // Every formula accepts each run.
    for encoding in PAPERS.into_iter().chain([NetEncoding::Events, NetEncoding::ExactDifferences]) {
        assert!(
            matches!(answer(RACE, "E<> q1 == 1 && q2 == 0", encoding, Replacing::Constants, 2), Bounded::Found(_)),
            "{encoding:?}"
        );
    }
}

#[test]
fn the_papers_deadlock_needs_all_tokens_to_be_due() {
    // The token may never become available, which is a deadlock.
    let rests = "pl a [1,w[ (1)\npl b\ntr t b -> a\n";
    for encoding in PAPERS {
        assert_eq!(answer(rests, "E<> deadlock", encoding, Replacing::Constants, 3), Bounded::None(3));
    }
    assert!(matches!(answer(rests, "E<> deadlock", NetEncoding::Events, Replacing::Constants, 0), Bounded::Found(_)));
}

/// Counts the constraints by writing the formula out.
fn written(net: &Net, linear: bool, replacing: Replacing, steps: u64) -> net::FormulaSize {
    let mut paper = Paper::new(net, linear, replacing).unwrap();
    (0..steps).for_each(|_| paper.step(&|| false));
    paper.facts();
    let question = paper.deadlock();
    paper.size(question).unwrap()
}

/// Returns whether no two constraints are equal. Equal terms are shared, so fewer would be counted.
fn is_distinct(net: &Net) -> bool {
    let mut seen = BTreeSet::new();
    net.transitions.iter().all(|t| {
        let arcs: Vec<u32> = t.takes.iter().chain(&t.tests).chain(&t.inhibitors).map(|arc| arc.place).collect();
        let once = arcs.iter().collect::<BTreeSet<_>>().len() == arcs.len();
        let changes = !t.takes.is_empty() || !t.puts.is_empty();
        once && changes && !arcs.is_empty() && seen.insert(arcs.into_iter().collect::<BTreeSet<u32>>())
    })
}

#[test]
fn sizes_follow_from_sums_over_the_net() {
    let mut counted = 0;
    let kinds = [true, false].map(|inhibitors| Kind {
        inhibitors,
        tests: inhibitors,
        strict: false,
        ..Kind::new(Timing::Places)
    });
    for (seed, kind) in (0..2000).zip(kinds.into_iter().cycle()) {
        let net = random_net(seed, &kind);
        let figures = Figures::of(&net);
        for (linear, steps) in [(true, 0), (true, 1), (true, 3), (false, 0), (false, 1), (false, 3)] {
            let before = written(&net, linear, Replacing::Nothing, steps);
            let after = written(&net, linear, Replacing::Unchanged, steps);
            if is_distinct(&net) {
                counted += 1;
                let of = format!("seed {seed} {linear} {steps}\n{}", tina::text(&net));
                assert_eq!(before, figures.unreplaced(linear, steps), "{of}");
                assert_eq!(after, figures.replaced(linear, steps), "{of}");
            }
            let (p, t, k, ub) = (figures.places, figures.transitions, steps, figures.changes);
            let closed = if linear { (k * (t + 1) + 1) * 2 * p + k } else { (k * (t + 1) + 1) * (2 * p + 1) };
            assert_eq!(before.variables, closed);
            let closed = if linear { 2 * p + k * (1 + p + ub) } else { 2 * p + 1 + k * (1 + ub) };
            assert_eq!(after.variables, closed);
            let ours = written(&net, linear, Replacing::Constants, steps);
            assert!(ours.variables <= after.variables && ours.constraints <= after.constraints, "seed {seed}");
        }
    }
    assert!(counted > 100, "{counted}");
}

/// The paper's formulas find every reachable place, written out or not, and both forms agree.
fn examine(seed: u64) -> Result<(u64, u64), String> {
    // The paper has neither test arcs nor strict bounds.
    let kind = Kind { tests: false, strict: false, places: 5, transitions: 5, ..Kind::new(Timing::Places) };
    let net = random_net(seed, &kind);
    let steps = 2;
    let Some(truth) = nets::markings_by_step(&net, steps, nets::NetLimits { states: 20_000, tokens: 1 }) else {
        return Ok((0, 0));
    };
    let (mut compared, mut spurious) = (0, 0);
    let text = tina::text(&net);
    for bits in 0..1_u32 << net.places.len() {
        let is = |place: usize| bits >> place & 1 == 1;
        let marking: nets::Marking = (0..net.places.len()).map(|p| u32::from(is(p))).collect();
        let mut answers = Vec::new();
        for (encoding, replacing) in forms() {
            let setup = Setup { encoding, replacing, steps: StepSemantics::Ordered, bound: steps, reduces: false };
            let mut unrolling = unroll(&net, &setup).map_err(|why| why.to_string())?;
            (0..steps).for_each(|_| unrolling.step(&|| false));
            let mut solver = Embedded::new();
            for fact in unrolling.facts() {
                solver.assert(unrolling.terms(), fact);
            }
            let places: Vec<_> =
                (0..net.places.len()).map(|p| if is(p) { unrolling.marked(p) } else { !unrolling.marked(p) }).collect();
            answers.push(solver.check(unrolling.terms(), &places, &|| false));
        }
        if answers.iter().any(|answer| *answer != answers[0]) {
            return Err(format!("{text}\nseed {seed}: {marking:?}: {answers:?}"));
        }
        let there = truth.firings[steps].contains(&marking);
        if there && answers[0] != SatResult::Satisfiable {
            return Err(format!("{text}\nseed {seed}: {marking:?} is missing"));
        }
        compared += 1;
        spurious += u64::from(answers[0] == SatResult::Satisfiable && !truth.moments[steps].contains(&marking));
    }
    Ok((compared, spurious))
}

#[test]
fn the_paper_overapproximates_the_markings() {
    let (compared, spurious) =
        oracle::campaign(150, examine, |sum: &mut (u64, u64), new| *sum = (sum.0 + new.0, sum.1 + new.1));
    println!("{compared} markings, {spurious} of them are not markings of the net");
    assert!(compared > 1000 && spurious > 0);
}
