//! Random runs of the models in `models/statistical`, beside loops that are written for them by
//! hand: the time of many transitions of one run.

mod by_hand;

use by_hand::{Bluetooth, ByHand, Fischer, TrainGate, agrees};
use model::stochastic::{StatisticalQuery, StochasticSystem};
use statistical::{Findings, Measured, Settings, ask};
use syntax::{Format, Sources};

const STEPS: u32 = 20_000;
/// The number of runs by which it is checked that both have the same distribution.
const RUNS: u64 = 2000;

fn main() {
    check::<Fischer>();
    check::<TrainGate>();
    check::<Bluetooth>();
    divan::main();
}

fn load<S: ByHand>(query: String) -> (StochasticSystem, StatisticalQuery) {
    let (mut sources, mut model) = oracle::read_model(S::XTA, Format::Xta).unwrap_or_else(|_| unreachable!());
    let file = Sources::add_file(&mut sources, "query", query);
    let query = syntax::read_query(&sources, file, &mut model.tree).swap_remove(0);
    let query = model.statistical_query(&query).unwrap_or_else(|_| unreachable!());
    let system = model.stochastic().map(|system| system.with(&query)).unwrap_or_default();
    (system, query)
}

fn check<S: ByHand>() {
    let (system, query) = load::<S>(format!("Pr[<={}; {RUNS}](<> {})", S::LIMIT, S::GOAL));
    let found = ask(&system, &query.measurement, &Settings::default());
    let Ok(Findings { measured: Measured::Probability(share), steps, .. }) = found else { unreachable!() };
    assert!(agrees::<S>(RUNS, (share.successes, steps)), "{}: {share:?}, {steps}", S::GOAL);
}

/// Makes one run of many transitions, from the model.
#[divan::bench(types = [Fischer, TrainGate, Bluetooth])]
fn from_the_model<S: ByHand>(bencher: divan::Bencher<'_, '_>) {
    let (system, query) = load::<S>(format!("Pr[#<={STEPS}; 1](<> false)"));
    bencher.counter(STEPS).bench(|| ask(&system, &query.measurement, &Settings::default()));
}

/// Makes one run of as many transitions by hand.
#[divan::bench(types = [Fischer, TrainGate, Bluetooth])]
fn by_hand<S: ByHand>(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(STEPS).bench(|| by_hand::run::<S>(STEPS));
}
