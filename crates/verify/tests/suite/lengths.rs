//! A* finds shortest traces, on the example models, on the models of the papers and on stand-ins
//! for them.

use std::path::Path;

use explore::search::Limits;
use model::{Property, System};
use oracle::random;
use verify::{Answer, Guidance, Joining, Options, Order, Reason, Update, Verdict, Wanted, answer};

fn search(system: &System, property: &Property, options: &Options, states: usize) -> Answer {
    answer(system, property, options, &Limits { states: Some(states), ..Limits::default() }, &mut ())
}

/// The length of the trace that A* finds, or `None` if it finds none within the limit of states.
fn astar(system: &System, property: &Property, name: &str, states: usize) -> Option<usize> {
    let heuristics = verify::heuristics(name, &mut |_| Err(verify::OptionError::Expression(String::new()))).unwrap();
    let guidance = Guidance { heuristics, ..Guidance::default() };
    let options = Options { order: Order::Astar, guidance, ..Options::default() };
    let found = search(system, property, &options, states);
    let trace = found.trace.filter(|_| !matches!(found.verdict, Verdict::Unknown(_)))?;
    assert!(trace.is_replayed(), "{name}: the trace is not a run");
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
    println!("{compared} traces compared, {long} of them with more than five transitions");
    assert!(long > 20);
}

/// The models of "Adapting an AI planning heuristic for directed model checking", with the lengths
/// of their shortest error traces. FC10 is left out, because `pa-auto` takes minutes on it.
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

/// The stand-ins, with the lengths of their shortest error traces.
const STAND_INS: [(&str, usize); 4] = [("fischer/FA2", 8), ("fischer/FB2", 6), ("fischer/FC2", 6), ("relay", 6)];

#[test]
fn models_of_the_paper() {
    for corpus in oracle::corpora("seed") {
        for (name, expected) in if corpus.is_shared { &SEED[..] } else { &STAND_INS[..] } {
            let queries = oracle::queries_beside(&corpus.folder.join(name).with_extension("xta")).unwrap();
            let (system, property) = &queries[0];
            for heuristic in
                ["hl", "dl", "pa-syntax(2,once)", "pa-auto(once)", "merge", "merge-shrink", "symbolic-pdb", "zone-pdb"]
            {
                let length = astar(system, property, heuristic, 1_000_000);
                assert_eq!(length, Some(*expected), "{name} {heuristic}");
            }
        }
    }
}

/// A note names the option due to which a trace of A* need not be shortest. A trace that is
/// requested as shortest is shortest with every update.
#[test]
fn a_trace_that_need_not_be_shortest_has_a_note() {
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
    let any = Options { guidance: Guidance { covers_shorter: true, ..Guidance::default() }, ..astar.clone() };
    assert!(note(&any).ends_with("(--cover-shorter)"), "{}", note(&any));
    let joins = Options { update: Some(Update::Join), ..astar.clone() };
    assert!(note(&joins).ends_with("(--update join)"), "{}", note(&joins));
    let shortest = Options { wanted: Wanted::Shortest, update: Some(Update::Join), ..Options::default() };
    assert_eq!(note(&shortest), "");
}

/// Shortest traces to run-time errors have the same length with and without joins.
#[test]
fn joins_do_not_change_shortest_traces_to_errors() {
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

/// If monotonicity is assumed, a note says that the trace need not be shortest.
#[test]
fn a_note_reports_assumed_monotonicity() {
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

/// An abstraction without a path to the goal is a proof. No state of the system is explored.
#[test]
fn refinement_proves_unreachability() {
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
