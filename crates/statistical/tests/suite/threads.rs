//! Answers depend on the seed alone.

use statistical::Settings;

use crate::common::asked;

const TEXT: &str = "
    clock x;
    int n = 0;
    process P() { state a{; 3}; init a; trans a -> a { assign n = (n + 1) % 7; }; }
    process Q() { state a{x <= 2}; init a; trans a -> a { assign x = 0; }; }
    system P, Q;";

#[test]
fn the_number_of_threads_changes_nothing() {
    for query in [
        "Pr[<=5](<> n == 6)",
        "Pr[<=5; 777]([] n < 6)",
        "Pr[<=5](<> n == 6) >= 0.4",
        "Pr[<=5](<> n == 6) >= Pr[<=4](<> n == 6)",
        "E[<=5; 500](max: n)",
        "simulate[<=5; 40]{n, x} : 3 : n == 6",
        "simulate[<=5; 200]{n, x}",
    ] {
        for seed in [0, 1] {
            let with = |threads| asked(TEXT, query, &Settings { threads, seed, ..Settings::default() }).unwrap();
            let one = with(1);
            assert_eq!(one, with(2), "{query}");
            assert_eq!(one, with(16), "{query}");
        }
    }
}

#[test]
fn the_seed_matters() {
    let with = |seed| asked(TEXT, "E[<=5; 50](max: n)", &Settings { seed, ..Settings::default() }).unwrap();
    assert_ne!(with(0), with(1));
    assert_eq!(with(1), with(1));
}
