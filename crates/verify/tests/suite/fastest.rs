//! A search for a fastest trace terminates if the goal is unreachable.

use std::cell::Cell;

use explore::search::Limits;
use verify::{Options, Verdict, Wanted, answer};

/// The network copies clocks and compares differences. With a clock for the elapsed time its zones
/// grow without bound.
#[test]
fn an_unreachable_goal_is_not_searched_by_time() {
    let net = oracle::random::scalars(1245);
    let loaded = oracle::load(&net.text, &["E<> forall (i : S) P(i).l1"]).unwrap();
    let polls = Cell::new(0);
    let expired = || {
        polls.set(polls.get() + 1);
        polls.get() > 100
    };
    let limits = Limits { expired: Some(&expired), ..Limits::default() };
    let options = Options { wanted: Wanted::Fastest, ..Options::default() };
    let answer = answer(&loaded.system, &loaded.properties[0], &options, &limits, &mut ());
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
}
