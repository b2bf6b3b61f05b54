//! Pictures of states and traces, from models.

use merkhet::{Limits, Model, Options, Session, Source, TraceChoice, pictures};
use model::simulate::Simulator;

const GATE: &str = "
    clock x;
    chan go;
    process P(const int[0,1] id) {
        state wait, busy { x <= 3 };
        init wait;
        trans wait -> busy { guard x >= 2; sync go!; assign x = 0; },
              busy -> wait { guard x > 9; };
    }
    process Q() { state q; init q; trans q -> q { sync go?; }; }
    system P, Q;";

/// Counts a text in a picture, without its style sheet.
fn count(svg: &str, what: &str) -> usize {
    draw::inline(svg).matches(what).count()
}

#[test]
fn a_state_has_active_locations_and_enabled_edges() {
    let model = Model::open(Source::text("gate.xta", GATE)).unwrap();
    let mut simulator = Simulator::new(&model.loaded.system);
    let start = simulator.start().unwrap();
    let svg = pictures::state(&model.loaded, &model.sources, &start);
    assert_eq!((count(&svg, "wait (initial, active)</title>"), count(&svg, "q (initial, active)</title>")), (2, 1));
    // One edge of each process can be taken after a delay.
    assert_eq!(count(&svg, "stroke=\"#b34700\" stroke-width=\"2.6\""), 3 + 3, "circles and lines");
    for name in ["P(0)", "P(1)", "Q"] {
        assert_eq!(count(&svg, &format!(">{name}</text>")), 1, "{name}");
    }
    let choice = simulator.situation(&start).unwrap().choices[0].clone();
    let later = simulator.wait(&start, 2.into()).unwrap();
    let busy = simulator.take(&later, &choice.edges).unwrap();
    let svg = pictures::state(&model.loaded, &model.sources, &busy);
    assert_eq!((count(&svg, "busy (active)"), count(&svg, "wait (initial, active)")), (1, 1));
}

#[test]
fn a_state_of_a_net_has_its_marking() {
    let net = "net n\ntr t [1,2] p -> q*2\ntr u [0,w[ q*2 -> p\npl p (1)\n";
    let model = Model::open(Source::text("n.net", net)).unwrap();
    let mut simulator = Simulator::new(&model.loaded.system);
    let start = simulator.start().unwrap();
    let svg = pictures::state(&model.loaded, &model.sources, &start);
    assert_eq!((count(&svg, "r=\"4\""), count(&svg, "fill=\"#b34700\"")), (1, 1), "{svg}");
    let later = simulator.wait(&start, 1.into()).unwrap();
    let edges = simulator.situation(&later).unwrap().choices[0].edges.clone();
    let fired = simulator.take(&later, &edges).unwrap();
    let svg = pictures::state(&model.loaded, &model.sources, &fired);
    assert_eq!((count(&svg, "r=\"4\""), count(&svg, ">2</text>")), (0, 1), "{svg}");
}

#[test]
fn steps_beyond_a_limit_are_counted() {
    let text = "int[0,99] n; process P() { state a; init a; trans a -> a { guard n < 99; assign n++; }; } system P;";
    let mut model = Model::open(Source::text("n.xta", text)).unwrap();
    let query = model.query("E<> n == 20").unwrap();
    let options = Options { trace: TraceChoice::Some, ..Options::default() };
    let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ()).unwrap();
    let trace = answer.evidence.trace.unwrap();
    let whole = pictures::trace(&model.loaded, &trace, pictures::MAX_STEPS);
    assert_eq!((whole.states.len(), whole.steps.len(), whole.omitted), (21, 20, 0));
    assert_eq!(whole.changes(20), ["n: 19 \u{2192} 20"]);
    assert_eq!(whole.describe(1), "1: P takes an edge");
    let cut = pictures::trace(&model.loaded, &trace, 5);
    assert_eq!((cut.states.len(), cut.steps.len(), cut.omitted), (6, 5, 15));
    assert!(cut.timeline().contains("These are the first 5 of 20 steps."));
}
