//! With the waiting order, covered states are not explored before the states that cover them.

use explore::search::Limits;
use verify::{Options, Order, Verdict, answer};

/// Two paths lead to the first of many locations: a short path with a small zone, and a long path
/// with a large zone.
#[test]
fn the_longer_path_is_explored_first() {
    let chain: String = (0..20).map(|i| format!(", L{i} -> L{} {{}}", i + 1)).collect();
    let states: String = (0..=20).map(|i| format!(", L{i}")).collect();
    let text = format!(
        "clock x, y;
        process P() {{
            state A {{ y <= 9 }}, B {{ y <= 9 }}, C {{ y <= 9 }}{states}; init A;
            trans A -> L0 {{ guard x >= 3; assign y = 0; }}, A -> B {{}}, B -> C {{}}, C -> L0 {{ assign y = 0; }}{chain},
            L20 -> L20 {{ guard x < 5 && y > 2; }};
        }}
        system P;"
    );
    let loaded = oracle::load(&text, &["E<> false".to_owned()]).unwrap();
    let explored = |order| {
        let options = Options { order, ..Options::default() };
        let answer = answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
        assert_eq!(answer.verdict, Verdict::NotSatisfied);
        answer.counts.explored
    };
    assert_eq!(explored(Order::Waiting), 24);
    assert!(explored(Order::Bfs) > 24);
}
