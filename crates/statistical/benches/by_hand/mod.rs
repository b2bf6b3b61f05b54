//! Systems of `models/statistical`, each as a loop that is written by hand: the moment at which
//! each process moves is drawn when it gets a new possibility, the earliest moment is next, and the
//! transition is a `match`.
//!
//! They are what random runs of the models are compared with, so they have the same distribution,
//! the same source of random numbers, and nothing that only a program for any model needs.

mod bluetooth;
mod fischer;
mod train_gate;

pub use bluetooth::Bluetooth;
pub use fischer::Fischer;
pub use train_gate::TrainGate;

use model::random::RunRandom;

/// A system, written by hand.
pub trait ByHand {
    /// The model that it is.
    const XTA: &'static str;
    /// What the query beside the model asks for, and within which time.
    const GOAL: &'static str;
    const LIMIT: u32;

    /// Its initial state.
    fn new(random: &mut RunRandom) -> Self;

    /// Takes a transition. Returns its moment.
    fn step(&mut self, random: &mut RunRandom) -> f64;

    /// Returns whether this is the goal.
    fn is_in_goal(&self) -> bool;
}

/// Makes one run of many transitions. Returns its time.
#[inline(never)]
pub fn run<S: ByHand>(steps: u32) -> f64 {
    let mut random = RunRandom::new(0, 0);
    let mut system = S::new(&mut random);
    let mut time = 0.0;
    for _ in 0..steps {
        time = system.step(&mut random);
    }
    time
}

/// Returns whether runs of the model, with so many that reach the goal and so many transitions,
/// agree with as many runs of the loop: they differ by less than four standard deviations, and by
/// less than three percent.
pub fn agrees<S: ByHand>(runs: u64, (successes, steps): (u64, u64)) -> bool {
    let (mut own_successes, mut own_steps) = (0, 0);
    for number in 0..runs {
        // Other random numbers than those of the model.
        let mut random = RunRandom::new(1, number);
        let mut system = S::new(&mut random);
        while system.step(&mut random) <= f64::from(S::LIMIT) {
            own_steps += 1;
            if system.is_in_goal() {
                own_successes += 1;
                break;
            }
        }
    }
    let share = |successes: u64| successes as f64 / runs as f64;
    let (model, own) = (share(successes), share(own_successes));
    let deviation = ((model * (1.0 - model) + own * (1.0 - own)) / runs as f64).sqrt();
    (model - own).abs() < 4.0 * deviation && (steps as f64 / own_steps as f64 - 1.0).abs() < 0.03
}

/// Returns the process that moves first, and when.
fn earliest(moments: &[f64]) -> (usize, f64) {
    let mut first = (0, moments[0]);
    for (process, moment) in moments.iter().copied().enumerate().skip(1) {
        if moment < first.1 {
            first = (process, moment);
        }
    }
    first
}

/// Returns a moment between two.
fn between(random: &mut RunRandom, from: f64, to: f64) -> f64 {
    from + (to - from) * random.open_unit()
}
