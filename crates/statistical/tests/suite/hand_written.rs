//! The loops that the bench compares with have the distribution of the models: both estimates
//! agree.

#[path = "../../benches/by_hand/mod.rs"]
mod by_hand;

use by_hand::{Bluetooth, ByHand, Fischer, TrainGate, agrees, run};
use statistical::{Measured, Settings};

use crate::common::asked;

fn require_agreement<S: ByHand>(runs: u64) {
    let query = format!("Pr[<={}; {runs}](<> {})", S::LIMIT, S::GOAL);
    let found = asked(S::XTA, &query, &Settings::default()).unwrap();
    let Measured::Probability(share) = found.measured else { unreachable!() };
    assert!(agrees::<S>(runs, (share.successes, found.steps)), "{query}: {share:?}, {}", found.steps);
    assert!(run::<S>(100) > 0.0, "{query}");
}

#[test]
fn loops_by_hand_have_the_distribution_of_the_models() {
    require_agreement::<Fischer>(2000);
    require_agreement::<TrainGate>(2000);
    require_agreement::<Bluetooth>(300);
}
