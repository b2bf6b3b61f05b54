//! A search for a fastest run ends where there is none.

use std::cell::Cell;

use explore::search::Limits;
use verify::{Options, Verdict, Wanted, answer};

/// A network that copies clocks and compares differences: with time in them its zones grow and
/// grow.
#[test]
fn what_is_not_there_is_not_looked_for_by_time() {
    let net = oracle::random::scalars(1245);
    let loaded = oracle::load(&net.text, &["E<> forall (i : S) P(i).l1"]).unwrap();
    let asked = Cell::new(0);
    let expired = || {
        asked.set(asked.get() + 1);
        asked.get() > 100
    };
    let limits = Limits { expired: Some(&expired), ..Limits::default() };
    let options = Options { wanted: Wanted::Fastest, ..Options::default() };
    let answer = answer(&loaded.system, &loaded.properties[0], &options, &limits, &mut ());
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
}
