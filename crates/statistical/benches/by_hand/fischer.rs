//! Fischer's protocol.

use model::random::RunRandom;

use super::{ByHand, between, earliest};

const N: usize = 6;
const D: f64 = 2.0;

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Idle,
    Request,
    Wait,
    Critical,
}

pub struct Fischer {
    places: [Place; N],
    moments: [f64; N],
    /// When the clock of each process was reset.
    resets: [f64; N],
    /// The number of a process, from 1 on, or 0.
    id: usize,
}

impl Fischer {
    /// Draws when a process that is idle or waits moves.
    fn schedule(&mut self, random: &mut RunRandom, process: usize, now: f64) {
        self.moments[process] = match self.places[process] {
            Place::Idle | Place::Wait if self.id == 0 => now + random.exponential(),
            Place::Wait if self.id == process + 1 => now.max(self.resets[process] + D) + random.exponential(),
            _ => f64::INFINITY,
        };
    }

    fn schedule_others(&mut self, random: &mut RunRandom, process: usize, now: f64) {
        for other in (0..N).filter(|other| *other != process) {
            if matches!(self.places[other], Place::Idle | Place::Wait) {
                self.schedule(random, other, now);
            }
        }
    }
}

impl ByHand for Fischer {
    const XTA: &'static str = include_str!("../../../../models/statistical/fischer.xta");
    const GOAL: &'static str = "P(1).critical";
    const LIMIT: u32 = 20;

    fn new(random: &mut RunRandom) -> Fischer {
        let moments = std::array::from_fn(|_| random.exponential());
        Fischer { places: [Place::Idle; N], moments, resets: [0.0; N], id: 0 }
    }

    fn step(&mut self, random: &mut RunRandom) -> f64 {
        let (process, now) = earliest(&self.moments);
        match self.places[process] {
            Place::Wait if self.id != 0 => {
                self.places[process] = Place::Critical;
                self.moments[process] = now + random.exponential();
            }
            Place::Idle | Place::Wait => {
                (self.places[process], self.resets[process]) = (Place::Request, now);
                self.moments[process] = between(random, now, now + D);
            }
            Place::Request => {
                let before = self.id;
                (self.places[process], self.resets[process], self.id) = (Place::Wait, now, process + 1);
                self.schedule(random, process, now);
                if before == 0 {
                    self.schedule_others(random, process, now);
                } else if self.places[before - 1] == Place::Wait {
                    self.moments[before - 1] = f64::INFINITY;
                }
            }
            Place::Critical => {
                (self.places[process], self.id) = (Place::Idle, 0);
                self.schedule(random, process, now);
                self.schedule_others(random, process, now);
            }
        }
        now
    }

    fn is_in_goal(&self) -> bool {
        self.places[0] == Place::Critical
    }
}
