//! Mistakes in models, queries and options are values.

use merkhet::{
    EngineChoice, Limits, Method, Model, Options, OptionsError, Order, Replacing, Session, SolverError, Source, Update,
};

use crate::{COUNTER, open};

#[test]
fn a_model_has_all_its_mistakes_at_once() {
    let text = "process P() { state a; init b; trans a -> c { }; } system P;";
    let error = Model::open(Source::text("wrong.xta", text)).unwrap_err();
    let messages: Vec<&str> = error.document.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(error.to_string().lines().count(), messages.len());
}

#[test]
fn a_query_has_its_mistakes() {
    let error = open(COUNTER).query("E<> nn == 1 and Up.c").unwrap_err();
    assert_eq!(error.diagnostics.len(), 2, "{error}");
}

#[test]
fn files_that_can_not_be_read_say_why() {
    let error = Source::file("does-not-exist.xta").unwrap_err();
    assert_eq!(error.to_string(), "can't read `does-not-exist.xta`: No such file or directory");
    assert!(Source::file(".").unwrap_err().to_string().ends_with("it is a directory"));
}

fn refused(options: &Options) -> OptionsError {
    let mut model = open(COUNTER);
    let query = model.query("E<> n == 9").unwrap();
    Session::new(&mut model).ask(&query, options, &Limits::default(), &mut ()).unwrap_err()
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let heuristic = |text: &str| Some(text.to_owned());
    let default = Options::default;
    assert_eq!(
        refused(&Options { order: Some(Order::Bfs), heuristic: heuristic("hl"), ..default() }),
        OptionsError::BlindOrder("bfs")
    );
    assert!(matches!(refused(&Options { heuristic: heuristic("hk"), ..default() }), OptionsError::Heuristic(_)));
    assert!(matches!(refused(&Options { heuristic: heuristic("user(m)"), ..default() }), OptionsError::Heuristic(_)));
    let join = Some("if(x.n < y.n)".to_owned());
    assert_eq!(refused(&Options { update: Some(Update::Cover), join, ..default() }), OptionsError::NotJoined);
    assert!(matches!(refused(&Options { join: Some("at(Q.a)".to_owned()), ..default() }), OptionsError::Join(_)));
    let zones = Options { engine: EngineChoice::Zones, bound: Some(3), ..default() };
    assert_eq!(refused(&zones), OptionsError::OnlyFormulas("--bound"));
    assert_eq!(
        refused(&Options { replace: Some(Replacing::Nothing), ..default() }),
        OptionsError::OnlyNets("--replace")
    );
    let invariant = Options { bound: Some(3), method: Some(Method::Invariant), ..default() };
    assert_eq!(refused(&invariant), OptionsError::BoundedInvariant);
    let solver = Options { solver: Some("zz3".to_owned()), ..default() };
    assert!(matches!(refused(&solver), OptionsError::Solver(SolverError::Unknown { .. })));
}
