//! A* finds ways as short as they can be, on the example models, on those of the papers
//! and on stand-ins for them.

use std::path::Path;

use explore::search::Limits;
use model::{Property, System};
use oracle::random;
use verify::{Answer, Guidance, Joining, Options, Order, Reason, Update, Verdict, Wanted, answer};

fn search(system: &System, property: &Property, options: &Options, states: usize) -> Answer {
    answer(system, property, options, &Limits { states: Some(states), ..Limits::default() }, &mut ())
}

/// The length of the way that A* finds; `None`: there is none with so many states.
fn astar(system: &System, property: &Property, name: &str, states: usize) -> Option<usize> {
    let heuristics = verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap();
    let guidance = Guidance { heuristics, ..Guidance::default() };
    let options = Options { order: Order::Astar, guidance, ..Options::default() };
    let found = search(system, property, &options, states);
    let trace = found.trace.filter(|_| !matches!(found.verdict, Verdict::Unknown(_)))?;
    assert!(trace.is_replayed(), "{name}: the trace is no run");
    Some(trace.steps.len())
}

#[test]
fn example_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut compared, mut long) = (0, 0);
    for path in oracle::files(&folder, &["xta", "xml"]) {
        for (number, (system, property)) in oracle::queries_beside(&path).iter().flatten().enumerate() {
            if !matches!(property, Property::State { .. }) {
                continue;
            }
            let shortest =
                search(system, property, &Options { wanted: Wanted::Shortest, ..Options::default() }, 50_000);
            if matches!(shortest.verdict, Verdict::Unknown(_)) {
                println!("not compared: {} {number} has more states", path.display());
                continue;
            }
            let Some(trace) = shortest.trace else { continue };
            for name in ["hl", "hl(jump)", "hl-loc", "dl", "max(hl,dl)"] {
                let found = astar(system, property, name, 100_000);
                assert_eq!(found, Some(trace.steps.len()), "{} {number} {name}", path.display());
                compared += 1;
                long += usize::from(trace.steps.len() > 5);
            }
        }
    }
    println!("{compared} ways compared, {long} of them with more than five transitions");
    assert!(long > 20);
}

/// The models of "Adapting an AI planning heuristic for directed model checking", and how long
/// their shortest error traces are. Not FC10: its predicates take minutes (`pa-auto`).
const SEED: [(&str, usize); 9] = [
    ("fischer/FA5", 8),
    ("fischer/FA10", 8),
    ("fischer/FB5", 6),
    ("fischer/FB10", 6),
    ("fischer/FC5", 6),
    ("mutex/M1", 47),
    ("mutex/N1", 49),
    ("stls/C1", 54),
    ("stls/C2", 54),
];

/// The same for the stand-ins.
const STAND_INS: [(&str, usize); 4] = [("fischer/FA2", 8), ("fischer/FB2", 6), ("fischer/FC2", 6), ("relay", 6)];

#[test]
fn models_of_the_paper() {
    for corpus in oracle::corpora("seed") {
        for (name, expected) in if corpus.is_shared { &SEED[..] } else { &STAND_INS[..] } {
            let queries = oracle::queries_beside(&corpus.folder.join(name).with_extension("xta")).unwrap();
            let (system, property) = &queries[0];
            for heuristic in ["hl", "dl", "pa-syntax(2,once)", "pa-auto(once)", "merge", "merge-shrink", "zone-pdb"] {
                let length = astar(system, property, heuristic, 1_000_000);
                assert_eq!(length, Some(*expected), "{name} {heuristic}");
            }
        }
    }
}

/// What takes the promise of a shortest trace from A* is said; what is asked for as shortest is
/// shortest, whatever the update.
#[test]
fn traces_that_need_not_be_shortest_say_so() {
    let text = "clock x; int[0,3] v;
        process P() {
            state A, B, C, D; init A;
            trans A -> B { guard x >= 2; }, A -> C { assign x = 0; }, C -> B { assign v = 1; }, B -> D { guard x <= 1; };
        }
        system P;";
    let loaded = oracle::load(text, &["E<> P.D"]).unwrap();
    let system = &loaded.system;
    let note = |options: &Options| {
        let found = search(system, &loaded.properties[0], options, 1000);
        assert_eq!(found.verdict, Verdict::Satisfied);
        assert_eq!(found.trace.as_ref().map(|trace| (trace.is_replayed(), trace.steps.len())), Some((true, 3)));
        found.note(system).map_or(String::new(), |note| note.to_string())
    };
    let astar = Options { order: Order::Astar, ..Options::default() };
    assert_eq!(note(&astar), "");
    let table = Options { guidance: Guidance { table: Some(4), ..Guidance::default() }, ..astar.clone() };
    assert!(note(&table).ends_with("(--heuristic-table)"), "{}", note(&table));
    let joins = Options { update: Some(Update::Join), ..astar.clone() };
    assert!(note(&joins).ends_with("(--update join)"), "{}", note(&joins));
    let shortest = Options { wanted: Wanted::Shortest, update: Some(Update::Join), ..Options::default() };
    assert_eq!(note(&shortest), "");
}

/// Traces to run-time errors that are to be shortest are as long with joins as without.
#[test]
fn errors_are_as_near_with_joins() {
    let options = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() };
    let mut compared = 0;
    for seed in oracle::seeds(0..300) {
        let text = random::network(seed, &options).text();
        let Ok(loaded) = oracle::load(&text, &["E<> false"]) else { continue };
        let length = |update: Update| {
            let options = Options { wanted: Wanted::Shortest, update: Some(update), ..Options::default() };
            let found = search(&loaded.system, &loaded.properties[0], &options, 2000);
            let fails = matches!(found.verdict, Verdict::Unknown(Reason::RunTime(..)));
            found.trace.filter(|trace| fails && trace.is_replayed()).map(|trace| trace.steps.len())
        };
        if let (Some(plain), Some(joined)) = (length(Update::Cover), length(Update::Join)) {
            assert_eq!(plain, joined, "seed {seed}\n{text}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

/// Who assumes that greater elements allow more is told that a trace need not be shortest.
#[test]
fn assumed_monotonicity_is_said_of_traces() {
    let text = "extern UnionBitVector; UnionBitVector u[2]; int[0,1] n;
        process P() {
            state A, B, C; init A;
            trans A -> B { assign u[0] = 1; }, A -> B { }, B -> C { guard !u[0]; }, B -> A { assign n = 1; };
        }
        system P;";
    let loaded = oracle::load(text, &["E<> P.C"]).unwrap();
    let note = |trusts: bool| {
        let joining = Joining { trusts, ..Joining::default() };
        let options = Options { wanted: Wanted::Shortest, joining, ..Options::default() };
        let found = search(&loaded.system, &loaded.properties[0], &options, 1000);
        found.note(&loaded.system).map_or(String::new(), |note| note.to_string())
    };
    assert_eq!(note(false), "");
    assert!(note(true).ends_with("(--monotone assume)"), "{}", note(true));
}

/// An abstraction without a way to the goal is a proof: no state of the system is explored.
#[test]
fn refinement_proves_what_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (system, property) = &oracle::queries_beside(&folder.join("fischer.xta")).unwrap()[0];
    let heuristics =
        verify::heuristics("pa-refine(all,60)", &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap();
    let guidance = Guidance { heuristics, ..Guidance::default() };
    let options = Options { order: Order::Greedy, guidance, ..Options::default() };
    let found = answer(system, property, &options, &Limits::default(), &mut ());
    assert_eq!(found.verdict, Verdict::Satisfied);
    assert_eq!(found.counts.explored, 0);
    let prepared = found.prepared.unwrap();
    assert_eq!(prepared.lengths, [None]);
    assert!(prepared.rounds > 10 && prepared.stopped.is_none());
}
