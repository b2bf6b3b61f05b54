//! Integers of which the greatest, or the least, stands for the others.

use explore::search::Limits;
use verify::{Options, Update, Verdict, answer};

/// Two roads of different consumption, and a goal that takes three units of fuel.
const ROADS: &str = "extern MaxInteger; MaxInteger fuel;
    process P() { state start, fork, end, goal; init start;
    trans start -> fork { assign fuel.set(9); }, fork -> end { assign fuel.sub(7); }, fork -> end { assign fuel.sub(6); },
        fork -> end { assign fuel.sub(8); }, end -> goal { guard fuel.value() >= 3; }; }
    system P;";

#[test]
fn more_fuel_stands_for_less() {
    let both = ROADS.replace("MaxInteger", "MinInteger").replace("fuel.value() >= 3", "fuel.value() <= 1");
    for (text, other) in [(ROADS.to_owned(), "fuel.value() == 1"), (both, "fuel.value() == 3")] {
        let loaded = oracle::load(&text, &["E<> P.goal", &format!("E<> P.end && {other}")]).unwrap();
        let ask = |number: usize, update| {
            let options = Options { update: Some(update), ..Options::default() };
            answer(&loaded.system, &loaded.properties[number], &options, &Limits::default(), &mut ())
        };
        for update in [Update::Simple, Update::Cover, Update::Join] {
            let reached = ask(0, update);
            assert_eq!(reached.verdict, Verdict::Satisfied, "{update:?}");
            // A query that holds of small elements only distinguishes them.
            assert_eq!(ask(1, update).verdict, Verdict::Satisfied, "{update:?}");
        }
        let nowhere = oracle::load(&text, &["A[] not P.goal || P.goal"]).unwrap();
        let stored = [Update::Simple, Update::Cover].map(|update| {
            let options = Options { update: Some(update), ..Options::default() };
            answer(&nowhere.system, &nowhere.properties[0], &options, &Limits::default(), &mut ()).counts.stored
        });
        assert!(stored[1] < stored[0], "{stored:?}");
    }
}
