//! Run-time errors that occur only in joined states are not errors of the model.

use explore::search::Limits;
use verify::{Joining, Options, Range, Reason, Update, Verdict, answer};

/// The hull of `x == 0` and `x == 4` contains `x == 2`, where an update fails.
const MODEL: &str = "clock x; int[0,1] v;
    process P() { state a, b, c, d; urgent b; init a;
    trans a -> b { guard x == 0; }, a -> b { guard x == 4; }, b -> c { guard x == 2; assign v = 2; }; }
    system P;";

fn options(refines: bool) -> Options {
    Options { update: Some(Update::Join), joining: Joining { refines, ..Joining::default() }, ..Options::default() }
}

#[test]
fn the_search_is_repeated_without_joins() {
    let loaded = oracle::load(MODEL, &["E<> P.d", "A[] not P.c", "sup: v"]).unwrap();
    let ask = |number: usize, refines| {
        answer(&loaded.system, &loaded.properties[number], &options(refines), &Limits::default(), &mut ())
    };
    assert_eq!(ask(0, true).verdict, Verdict::NotSatisfied);
    assert_eq!(ask(1, true).verdict, Verdict::Satisfied);
    let bounds = ask(2, true);
    assert_eq!(bounds.verdict, Verdict::Satisfied);
    assert!(bounds.values.is_some_and(|values| values[0] != Range::default()));
    // Without refinement joins are never undone, so the error may be due to a join.
    assert!(matches!(ask(0, false).verdict, Verdict::Unknown(Reason::Imprecise(_))));
}

#[test]
fn an_error_of_a_run_is_reported() {
    let text = MODEL.replace("guard x == 2;", "guard x == 4;");
    let loaded = oracle::load(&text, &["E<> P.d"]).unwrap();
    for refines in [false, true] {
        let found = answer(&loaded.system, &loaded.properties[0], &options(refines), &Limits::default(), &mut ());
        assert!(matches!(found.verdict, Verdict::Unknown(Reason::RunTime(..))), "{:?}", found.verdict);
        assert!(found.trace.is_some_and(|trace| trace.is_replayed()));
    }
}
