//! Devices that find each other.

use model::random::RunRandom;

use super::{ByHand, between, earliest};

const N: usize = 4;
const TRAIN: u32 = 16;
const REPEAT: u32 = 128;
const SENDER: usize = 0;

#[derive(Clone, Copy, PartialEq)]
enum Call {
    First,
    Second,
    Listening,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Off,
    Asleep,
    Scanning,
    Answering,
    Waiting,
}

#[derive(Clone, Copy)]
struct Receiver {
    place: Place,
    frequency: u32,
    answered: bool,
    energy: f64,
    /// When it came to its place.
    since: f64,
}

pub struct Bluetooth {
    /// When the sender moves, and then each receiver.
    moments: [f64; N + 1],
    call: Call,
    frequency: u32,
    train: u32,
    rounds: u32,
    receivers: [Receiver; N],
    found: usize,
}

impl Bluetooth {
    fn send(&mut self, frequency: u32, now: f64) {
        for (receiver, moment) in self.receivers.iter_mut().zip(&mut self.moments[1..]) {
            if receiver.place == Place::Scanning && receiver.frequency == frequency {
                receiver.go(Place::Answering, now);
                *moment = now + 2.0;
            }
        }
    }

    fn advance(&mut self) {
        self.frequency = (self.frequency + 2) % TRAIN + self.train * TRAIN;
        if self.frequency.is_multiple_of(TRAIN) {
            self.rounds += 1;
            if self.rounds == REPEAT {
                self.rounds = 0;
                self.train = 1 - self.train;
                self.frequency = self.train * TRAIN;
            }
        }
    }
}

impl Receiver {
    fn go(&mut self, place: Place, now: f64) {
        let power = match self.place {
            Place::Off | Place::Asleep | Place::Waiting => 0.0,
            Place::Scanning => 1.0,
            Place::Answering => 3.0,
        };
        self.energy += power * (now - self.since);
        (self.place, self.since) = (place, now);
    }
}

impl ByHand for Bluetooth {
    const XTA: &'static str = include_str!("../../../../models/statistical/bluetooth.xta");
    const GOAL: &'static str = "found == N";
    const LIMIT: u32 = 10_000;

    fn new(random: &mut RunRandom) -> Bluetooth {
        let moments = std::array::from_fn(|i| if i == SENDER { 1.0 } else { between(random, 0.0, 2012.0) });
        let receiver = Receiver { place: Place::Off, frequency: 0, answered: false, energy: 0.0, since: 0.0 };
        Bluetooth { moments, call: Call::First, frequency: 0, train: 0, rounds: 0, receivers: [receiver; N], found: 0 }
    }

    fn step(&mut self, random: &mut RunRandom) -> f64 {
        let (process, now) = earliest(&self.moments);
        if process == SENDER {
            let delay;
            (self.call, delay) = match self.call {
                Call::First => {
                    self.send(self.frequency, now);
                    (Call::Second, 1.0)
                }
                Call::Second => {
                    self.send(self.frequency + 1, now);
                    (Call::Listening, 2.0)
                }
                Call::Listening => {
                    self.advance();
                    (Call::First, 1.0)
                }
            };
            self.moments[SENDER] = now + delay;
            return now;
        }
        let receiver = &mut self.receivers[process - 1];
        let moment = match receiver.place {
            Place::Off => {
                receiver.frequency = random.below(u64::from(2 * TRAIN)) as u32;
                receiver.go(Place::Scanning, now);
                now + 36.0
            }
            Place::Asleep | Place::Waiting => {
                receiver.frequency = (receiver.frequency + 1) % (2 * TRAIN);
                receiver.go(Place::Scanning, now);
                now + 36.0
            }
            Place::Scanning => {
                receiver.go(Place::Asleep, now);
                now + 2012.0
            }
            Place::Answering => {
                self.found += usize::from(!receiver.answered);
                receiver.answered = true;
                receiver.go(Place::Waiting, now);
                between(random, now, now + 127.0)
            }
        };
        self.moments[process] = moment;
        now
    }

    fn is_in_goal(&self) -> bool {
        self.found == N
    }
}
