//! Ordered integers: the greatest value, or the least, covers the others.

use explore::search::Limits;
use verify::{Options, Update, Verdict, answer};

/// Three paths of different consumption, and a goal that needs three units of fuel.
const PATHS: &str = "extern MaxInteger; MaxInteger fuel;
    process P() { state start, fork, end, goal; init start;
    trans start -> fork { assign fuel.set(9); }, fork -> end { assign fuel.sub(7); }, fork -> end { assign fuel.sub(6); },
        fork -> end { assign fuel.sub(8); }, end -> goal { guard fuel.value() >= 3; }; }
    system P;";

#[test]
fn more_fuel_covers_less() {
    let both = PATHS.replace("MaxInteger", "MinInteger").replace("fuel.value() >= 3", "fuel.value() <= 1");
    for (text, other) in [(PATHS.to_owned(), "fuel.value() == 1"), (both, "fuel.value() == 3")] {
        let loaded = oracle::load(&text, &["E<> P.goal", &format!("E<> P.end && {other}")]).unwrap();
        let ask = |number: usize, update| {
            let options = Options { update: Some(update), ..Options::default() };
            answer(&loaded.system, &loaded.properties[number], &options, &Limits::default(), &mut ())
        };
        for update in [Update::Simple, Update::Cover, Update::Join] {
            let reached = ask(0, update);
            assert_eq!(reached.verdict, Verdict::Satisfied, "{update:?}");
            // A query that only small elements satisfy distinguishes the elements.
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
