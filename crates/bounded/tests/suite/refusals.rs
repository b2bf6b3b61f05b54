//! Unsupported features are rejected by name.

use bounded::{EncodingError, automata::check};
use model::Property;
use smt::Embedded;

/// Returns the error for a model with a query.
fn refused(text: &str, query: &str) -> String {
    let loaded = oracle::load(text, &[query]).unwrap();
    let Property::State { goal, .. } = &loaded.properties[0] else { panic!("{query}") };
    match check(&loaded.system, goal, 2, &mut Embedded::new(), &|| false, &mut |_| {}) {
        Err(EncodingError::Unsupported(what)) => what.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unsupported_features_are_rejected() {
    let process = |declarations: &str, edge: &str| {
        format!(
            "{declarations}\nprocess P() {{ state A, B; init A; trans A -> B {{ {edge} }}, B -> A {{ }}; }}\nsystem P;"
        )
    };
    let counter = process("int n;", "assign n = n + 1;");
    let expected = "variables with more than 4096 values (`n` is one)";
    assert_eq!(refused(&counter, "E<> n == 3"), expected);
    let product = process("int[0,1000] n; int[0,1000] m;", "assign n = (n + 1) % 1001, m = (n * m + 7) % 1001;");
    assert_eq!(refused(&product, "E<> n == 3"), "arithmetic on integers with too many values");
    let stopwatch = "clock x; process P() { state A { x' == 0 }; init A; } system P;";
    assert_eq!(refused(stopwatch, "E<> x > 3"), "stopwatches");
    let urgent = process("clock x; urgent broadcast chan c;", "guard x >= 2; sync c!;");
    assert_eq!(refused(&urgent, "E<> deadlock"), "deadlocks where urgent channels have clock guards");
}
