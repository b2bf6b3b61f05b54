//! Trains and the gate of a bridge.

use model::random::RunRandom;

use super::{ByHand, between, earliest};

const N: usize = 6;

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Safe,
    Approaching,
    Stopped,
    Starting,
    Crossing,
}

#[derive(Clone, Copy, PartialEq)]
enum Gate {
    Free,
    Occupied,
    Stopping,
}

pub struct TrainGate {
    places: [Place; N],
    moments: [f64; N],
    gate: Gate,
    /// The trains that were let in or wait, in their order.
    queue: [usize; N],
    waiting: usize,
    time: f64,
}

fn away(random: &mut RunRandom, train: usize, now: f64) -> f64 {
    now + random.exponential() / ((1 + train) as f64 / (N * N) as f64)
}

impl ByHand for TrainGate {
    const XTA: &'static str = include_str!("../../../../models/statistical/train-gate.xta");
    const GOAL: &'static str = "Train(0).Cross";
    const LIMIT: u32 = 100;

    fn new(random: &mut RunRandom) -> TrainGate {
        let moments = std::array::from_fn(|train| away(random, train, 0.0));
        TrainGate { places: [Place::Safe; N], moments, gate: Gate::Free, queue: [0; N], waiting: 0, time: 0.0 }
    }

    fn step(&mut self, random: &mut RunRandom) -> f64 {
        match self.gate {
            Gate::Stopping => {
                let last = self.queue[self.waiting - 1];
                (self.places[last], self.moments[last]) = (Place::Stopped, f64::INFINITY);
                self.gate = Gate::Occupied;
                return self.time;
            }
            Gate::Free if self.waiting > 0 => {
                let first = self.queue[0];
                self.places[first] = Place::Starting;
                self.moments[first] = between(random, self.time + 7.0, self.time + 15.0);
                self.gate = Gate::Occupied;
                return self.time;
            }
            _ => {}
        }
        let (train, now) = earliest(&self.moments);
        self.time = now;
        match self.places[train] {
            Place::Safe => {
                self.queue[self.waiting] = train;
                self.waiting += 1;
                self.gate = if self.gate == Gate::Free { Gate::Occupied } else { Gate::Stopping };
                self.places[train] = Place::Approaching;
                self.moments[train] = between(random, now + 10.0, now + 20.0);
            }
            Place::Approaching | Place::Starting => {
                self.places[train] = Place::Crossing;
                self.moments[train] = between(random, now + 3.0, now + 5.0);
            }
            Place::Crossing => {
                self.queue.copy_within(1..self.waiting, 0);
                self.waiting -= 1;
                self.gate = Gate::Free;
                self.places[train] = Place::Safe;
                self.moments[train] = away(random, train, now);
            }
            Place::Stopped => unreachable!("it has no moment"),
        }
        now
    }

    fn is_in_goal(&self) -> bool {
        self.places[0] == Place::Crossing
    }
}
