//! Results of the engines become answers with evidence.

use certify::CertificateReader;
use merkhet::{EngineChoice, Limits, Options, Order, Reason, Session, TraceChoice, Unproved, Verdict, certificate};

use crate::{COUNTER, open};

fn ask(text: &str, options: &Options) -> merkhet::Answer {
    let mut model = open(COUNTER);
    let query = model.query(text).unwrap();
    Session::new(&mut model).ask(&query, options, &Limits::default(), &mut ()).unwrap()
}

#[test]
fn engines_agree() {
    for (text, expected) in [("E<> n == 9", true), ("A[] n <= 8", false), ("A[] n != 4 or x <= 5", true)] {
        for engine in [EngineChoice::Zones, EngineChoice::Smt] {
            let answer = ask(text, &Options { engine, trace: TraceChoice::Some, ..Options::default() });
            assert_eq!(answer.holds(), Some(expected), "{text} {engine:?}");
            assert_eq!(answer.stats.formulas.is_some(), engine == EngineChoice::Smt);
        }
    }
}

#[test]
fn traces_are_given_if_they_are_wanted() {
    assert!(ask("E<> n == 9", &Options::default()).evidence.trace.is_none());
    let options = Options { trace: TraceChoice::Shortest, ..Options::default() };
    let trace = ask("E<> n == 9", &options).evidence.trace.unwrap();
    assert!(trace.is_replayed());
    assert_eq!(trace.steps.len(), 9);
}

#[test]
fn certificates_hold_for_the_independent_checker() {
    let mut model = open(COUNTER);
    for text in ["A[] n <= 9", "Up.a --> n > 0"] {
        let query = model.query(text).unwrap();
        let options = Options { certificate: true, ..Options::default() };
        let answer = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ()).unwrap();
        assert_eq!(answer.holds(), Some(true), "{text}");
        let certificate = certificate::text(&model, &query, &answer).unwrap();
        let mut reader = CertificateReader::new(certificate.as_bytes()).unwrap();
        let claim = reader.claim().unwrap().unwrap();
        let (system, property) = model.loaded.system.with(query.about_states().unwrap());
        let proof = reader.proof(&system).unwrap();
        assert!(certify::check(&system, None, &property, claim.answer, &proof).is_ok(), "{text}");
    }
    let shown = ask("E<> n == 9", &Options { certificate: true, ..Options::default() });
    assert_eq!(shown.evidence.proof.unwrap().unwrap_err(), Unproved::Trace);
}

#[test]
fn expressions_of_the_model_guide_the_search() {
    let heuristic = Some("user(9 - n)".to_owned());
    let guided = ask("E<> n == 9", &Options { heuristic, ..Options::default() });
    assert_eq!(guided.holds(), Some(true));
    let heuristic = Some("user(1 / (n - 3))".to_owned());
    let failing = ask("E<> n == 9", &Options { heuristic, ..Options::default() });
    assert_eq!((failing.holds(), failing.diagnostics.len()), (Some(true), 1));
    assert!(failing.stats.heuristic_failures > 0);
}

#[test]
fn a_run_time_error_has_its_place() {
    let mut model = open("int n; process P() { state a, b; init a; trans a -> b { guard 1 / n == 1; }; } system P;");
    let query = model.query("E<> P.b").unwrap();
    let answer = Session::new(&mut model).ask(&query, &Options::default(), &Limits::default(), &mut ()).unwrap();
    assert!(matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..))));
    assert_eq!(answer.diagnostics[0].code, "run-time-error");
    assert_eq!(model.sources.text(answer.diagnostics[0].primary.span), "1 / n");
}

#[test]
fn all_states_are_explored_on_demand() {
    let mut model = open(COUNTER);
    let options = Options { order: Some(Order::Bfs), ..Options::default() };
    let answer = Session::new(&mut model).states(None, &options, &Limits::default(), &mut ()).unwrap();
    let states = answer.evidence.states.unwrap();
    assert!(states.states.len() >= 10 && states.arcs.len() >= states.states.len(), "{}", states.states.len());
}

#[test]
fn the_last_formula_is_kept_on_demand() {
    let mut model = open(COUNTER);
    let query = model.query("E<> n == 2").unwrap();
    let mut session = Session::new(&mut model);
    let options = Options { bound: Some(4), script: true, ..Options::default() };
    session.ask(&query, &options, &Limits::default(), &mut ()).unwrap();
    assert!(session.script().unwrap().contains("(check-sat)"));
}

#[test]
fn answers_may_go_to_other_threads() {
    fn sends<T: Send + Sync>(_: &T) {}
    let mut model = open(COUNTER);
    let mut session = Session::new(&mut model);
    let query = session.query("A[] n <= 9").unwrap();
    let options = Options { certificate: true, ..Options::default() };
    let answer = session.ask(&query, &options, &Limits::default(), &mut ()).unwrap();
    assert!(matches!(answer.evidence.proof, Some(Ok(_))));
    sends(&answer);
}

#[test]
fn conditions_keep_the_code_of_those_before_them() {
    let mut model = open("int x = 1; int y = 2; process P() { state a; init a; } system P;");
    let merkhet::Model { sources, loaded, .. } = &mut model;
    let initial = loaded.system.clone();
    let (first, is_one) = merkhet::condition("x == 1", "<first>", sources, loaded, &initial).unwrap();
    let (both, is_two) = merkhet::condition("y == 3", "<second>", sources, loaded, &first).unwrap();
    let state = merkhet::simulation::Run::new(&both).unwrap().state().clone();
    for (formula, expected) in [(is_one, true), (is_two, false)] {
        assert_eq!(merkhet::simulation::holds(&both, &formula, &state).unwrap(), expected);
    }
}
