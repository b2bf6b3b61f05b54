//! Transitions of nets race as processes do.

use statistical::{Measured, Settings};
use syntax::Format;

use crate::common::load_as;

/// Uniform delays: the second transition wins with a probability of 1/8.
const UNIFORM: &str = "
    net uniform
    pl p (1)
    pl a
    pl b
    tr fast [0,2] p -> a
    tr slow [1,3] p -> b";

/// Each of three transitions has an exponential delay with rate 1; the last one is in conflict with
/// none.
const FREE: &str = "
    net free
    pl p (1)
    pl q (1)
    pl a
    pl b
    pl c
    tr one p -> a
    tr two p -> b
    tr three q -> c";

/// A delay that begins at 2.
const LATE: &str = "
    net late
    pl p (1)
    pl a
    tr t [2,w[ p -> a";

#[test]
fn probabilities_are_within_their_intervals() {
    let e = |x: f64| x.exp();
    for (text, query, truth) in [
        (UNIFORM, "Pr[<=5](<> b == 1)", 0.125),
        (UNIFORM, "Pr[<=1](<> a == 1)", 0.5),
        (FREE, "Pr[<=1](<> p == 0)", 1.0 - e(-2.0)),
        (FREE, "Pr[<=1](<> c == 1)", 1.0 - e(-1.0)),
        (FREE, "Pr[<=9](p == 1 U c == 1)", 1.0 / 3.0),
        (LATE, "Pr[<=3](<> a == 1)", 1.0 - e(-1.0)),
        (LATE, "Pr[<=2](<> a == 1)", 0.0),
    ] {
        let (system, asked) = load_as(text, Format::Net, query).unwrap_or_else(|why| panic!("{query}: {why}"));
        let settings = Settings { alpha: 1e-6, runs: Some(1000), seed: 3, ..Settings::default() };
        let Measured::Probability(share) = statistical::ask(&system, &asked.measurement, &settings).unwrap().measured
        else {
            panic!("{query}")
        };
        assert!((share.interval.low..=share.interval.high).contains(&truth), "{query}: {share:?}");
    }
}
