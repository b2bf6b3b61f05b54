//! Predicate abstractions: their refinement, what parts know of each other, and lookups.

use std::fs;

use explore::{
    guided::TieBreak,
    heuristic::{Budget, EvaluatedState, Evaluator, PathPosition},
    search::Limits,
};
use model::{Property, system::EdgeId};
use oracle::{
    Loaded,
    random::{self, Rng},
};
use verify::{Abstraction, Guidance, Heuristic, Options, Order, Verdict, answer};

fn heuristic(name: &str) -> Heuristic {
    verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap().remove(0)
}

fn build<'s>(name: &str, loaded: &'s Loaded) -> Box<dyn Evaluator + 's> {
    let Property::State { goal, .. } = &loaded.properties[0] else { panic!("reachability") };
    heuristic(name).build(&loaded.system, goal, &Budget::default())
}

/// The lengths of the shortest abstract paths in each part.
fn lengths(name: &str, loaded: &Loaded) -> Vec<u32> {
    build(name, loaded).prepared().unwrap().lengths.into_iter().map(|length| length.unwrap_or(0)).collect()
}

/// A controller that writes down where to go, and goes there in its next step.
const NOTES: &str = "int[0,4] next;
    process P() {
        state Idle, Asking, Moving; init Idle;
        trans Idle -> Idle { guard next == 0; assign next = 1; }, Idle -> Idle { guard next == 0; assign next = 4; },
            Idle -> Idle { guard next == 0; assign next = 2; }, Idle -> Asking { guard next == 2; assign next = 0; },
            Idle -> Moving { guard next == 3; assign next = 0; }, Asking -> Asking { guard next == 0; assign next = 3; },
            Asking -> Moving { guard next == 3; assign next = 0; };
    }
    system P;";

/// Predicates are inequalities, so that a round excludes too small values, and the next one too
/// large ones.
#[test]
fn a_round_excludes_one_side_of_an_equality() {
    let loaded = oracle::load(NOTES, &["E<> P.Moving"]).unwrap();
    for (rounds, length) in [(0, 1), (1, 2), (2, 3), (3, 4), (9, 4)] {
        assert_eq!(lengths(&format!("pa-refine(1,{rounds})"), &loaded), [length], "{rounds}");
    }
    // All paths of the same length are excluded in one round.
    assert_eq!(lengths("pa-refine(1,1,all-paths)", &loaded), [2]);
    for plan in ["relevant", "perimeter(1)", "effects"] {
        assert_eq!(lengths(&format!("pa-refine(1,9,{plan})"), &loaded), [4], "{plan}");
    }
}

/// The lengths that the paper prints in its section 5, which count states.
#[test]
fn the_first_rounds_are_those_of_the_paper() {
    for corpus in oracle::corpora("seed").into_iter().filter(|corpus| corpus.is_shared) {
        let read = |name: &str| fs::read_to_string(corpus.folder.join("stls").join(name)).unwrap();
        let loaded = oracle::load(&read("C4.xta"), &[read("C4.q")]).unwrap();
        for (rounds, printed) in [(0, [6, 5]), (1, [9, 7]), (2, [13, 10]), (3, [13, 12])] {
            assert_eq!(lengths(&format!("pa-refine(3,{rounds})"), &loaded), printed.map(|l: u32| l - 1), "{rounds}");
        }
        let last = lengths("pa-refine(3,10)", &loaded);
        assert_eq!(last, [15, 11], "the paths that the paper finds to be feasible, after round 10");
    }
}

/// With the paper's abstraction and order, refinement guides at least as well as in its Table 3.
/// More rounds than four make it worse, there as here.
#[test]
fn four_rounds_guide_as_well_as_those_of_the_paper() {
    for corpus in oracle::corpora("seed").into_iter().filter(|corpus| corpus.is_shared) {
        for (model, printed) in [("C1", 1172), ("C2", 3256), ("C3", 4278)] {
            let read = |ending: &str| {
                fs::read_to_string(corpus.folder.join("stls").join(format!("{model}.{ending}"))).unwrap()
            };
            let loaded = oracle::load(&read("xta"), &[read("q")]).unwrap();
            let generated = |rounds: u32| {
                let heuristics = vec![heuristic(&format!("pa-refine(3,{rounds})"))];
                let guidance = Guidance { heuristics, ties: TieBreak::Youngest, ..Guidance::default() };
                let abstraction = Some(Abstraction::ExtraLu);
                let options = Options { order: Order::Greedy, guidance, abstraction, ..Options::default() };
                answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ()).counts.generated
            };
            let (four, seven) = (generated(4), generated(7));
            assert!(four <= printed && four < seven, "{model}: {four} and {seven}");
        }
    }
}

/// A process that needs two variables to be 1. The second becomes 1 elsewhere.
const TWO_REASONS: &str = "int[0,1] near; int[0,1] far;
    process P() {
        state A, B, C, D; init A;
        trans A -> A { assign near = 1; }, A -> C { }, C -> D { assign far = 1; }, D -> A { },
            A -> B { guard near == 1 && far == 1; };
    }
    system P;";

/// Of several reasons for one spurious path, the one counts that makes the next path longest.
#[test]
fn the_reason_that_moves_the_goal_farthest_is_taken() {
    for guard in ["near == 1 && far == 1", "far == 1 && near == 1"] {
        let text = TWO_REASONS.replace("near == 1 && far == 1", guard);
        let loaded = oracle::load(&text, &["E<> P.B"]).unwrap();
        for (rounds, length) in [(0, 1), (1, 4), (2, 5), (9, 5)] {
            assert_eq!(lengths(&format!("pa-refine(1,{rounds})"), &loaded), [length], "{guard}, {rounds}");
        }
    }
}

/// Two processes count together to 2, and `Q` alone can't.
const SHARED: &str = "int[0,3] n;
    process P() { state A; init A; trans A -> A { guard n < 2; assign n = n + 1; }; }
    process Q() { state A, B; init A; trans A -> B { guard n == 2; }; }
    system P, Q;";

/// What others change is unknown to an isolated part. With `effects` it is known, and free.
#[test]
fn a_part_may_know_what_others_change() {
    let loaded = oracle::load(SHARED, &["E<> Q.B"]).unwrap();
    for name in ["pa-syntax(1,isolated)", "pa-refine(1,3)", "pa-syntax(1)", "pa-refine(1,3,effects)"] {
        assert_eq!(lengths(name, &loaded), [1], "{name}");
    }
    // The predicates do not distinguish 0 and 1.
    assert_eq!(lengths("pa-syntax(2)", &loaded), [2]);
    // If no value of others helps, the part that knows them has no path.
    let alone = SHARED.replace("n = n + 1", "n = n");
    let loaded = oracle::load(&alone, &["E<> Q.B"]).unwrap();
    assert_eq!(build("pa-syntax(1)", &loaded).prepared().unwrap().lengths, [None]);
}

/// A tree has the values of groups, and so the search is the same.
#[test]
fn a_tree_finds_what_groups_find() {
    let examine = |seed: u64| {
        let net = random::network(seed, &random::NetworkFeatures::all().some(&mut Rng::new(seed)));
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries)?;
        let mut compared = 0_u64;
        for property in loaded.properties.iter().filter(|p| matches!(p, Property::State { .. })) {
            for name in ["pa-syntax(2", "pa-refine(2,3", "pa-refine(1,4,effects"] {
                let search = |word: &str| {
                    let guidance =
                        Guidance { heuristics: vec![heuristic(&format!("{name}{word})"))], ..Guidance::default() };
                    let options = Options { order: Order::Greedy, guidance, ..Options::default() };
                    let limits = Limits { states: Some(500), ..Limits::default() };
                    let found = answer(&loaded.system, property, &options, &limits, &mut ());
                    (matches!(found.verdict, Verdict::Unknown(_)), found.counts.explored, found.counts.generated)
                };
                let (groups, tree) = (search(""), search(",ubtree"));
                if groups != tree {
                    return Err(format!("seed {seed}\n{text}\n{name}: {groups:?} {tree:?}"));
                }
                compared += groups.1 as u64;
            }
        }
        Ok::<_, String>(compared)
    };
    let compared = oracle::campaign(200, examine, |all, more| *all += more);
    assert!(compared > oracle::expected(10_000, 200), "{compared}");
}

/// With a heuristic that is constant, the papers' search is depth-first: their numbers of states.
#[test]
fn isolated_parts_do_not_guide_in_the_first_variant_of_fischers_protocol() {
    for corpus in oracle::corpora("seed/fischer").into_iter().filter(|corpus| corpus.is_shared) {
        for (model, printed) in [("FA5", 80), ("FA10", 130), ("FA15", 180)] {
            let read = |ending: &str| fs::read_to_string(corpus.folder.join(format!("{model}.{ending}"))).unwrap();
            let loaded = oracle::load(&read("xta"), &[read("q")]).unwrap();
            for name in ["pa-syntax(1)", "pa-syntax(1,isolated)", "pa-syntax(2,isolated)", "dl", "du"] {
                let ties = TieBreak::Youngest;
                let guidance = Guidance { heuristics: vec![heuristic(name)], ties, ..Guidance::default() };
                let abstraction = Some(Abstraction::ExtraLu);
                let options = Options { order: Order::Greedy, guidance, abstraction, ..Options::default() };
                let found = answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
                assert_eq!(found.counts.generated, printed, "{model} {name}");
            }
        }
    }
}

/// The more often a process has moved, and the farther back, the worse is its next move.
#[test]
fn processes_that_have_not_moved_are_preferred() {
    let text = "process P() { state A; init A; trans A -> A { }; } P1 = P(); P2 = P(); system P1, P2;";
    let loaded = oracle::load(text, &["E<> P1.A"]).unwrap();
    let mut heuristic = build("interleaving", &loaded);
    let mut value = |edge: u32, parent: u32, node: u32| {
        let path = PathPosition { node: Some(node), parent: Some(parent) };
        let state = EvaluatedState { row: &[0, 0], zone: &[1], edges: &[EdgeId(edge)], path };
        heuristic.evaluate(state).unwrap().value
    };
    assert_eq!(value(0, 0, 1), 0, "nothing has moved before");
    assert_eq!((value(0, 1, 2), value(1, 1, 3)), (1, 0));
    assert_eq!((value(0, 2, 4), value(1, 2, 5)), (1 + 2, 0));
    assert_eq!((value(0, 5, 6), value(1, 5, 7)), (2 + 3, 1));
}
