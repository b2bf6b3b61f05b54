//! The tests of this crate, in one binary.

#![allow(clippy::unwrap_used)]

mod checkpoints;
mod constants;
mod functions;
mod limits;
mod mistakes;
mod opaal;
mod passage;
mod pictures;
mod refinement;
mod sessions;

use merkhet::{Model, Source};

/// A counter that two processes share, with a clock.
const COUNTER: &str = "
    int[0,9] n;
    clock x;
    process Up() { state a { x <= 5 }; init a; trans a -> a { guard n < 9 and x >= 2; assign n = n + 1, x = 0; }; }
    process Down() { state a; init a; trans a -> a { guard n > 5; assign n = n - 2; }; }
    system Up, Down;";

/// A function that takes hours.
const SLOW: &str = "
    int n;
    int count() {
        int k;
        for (a : int[0, 30000]) for (b : int[0, 30000]) for (c : int[0, 30000]) k = k ^ c;
        return k;
    }
    process P() { state a, b; init a; trans a -> b { assign n = count(); }; }
    system P;";

fn open(text: &str) -> Model {
    Model::open(Source::text("test.xta", text)).unwrap()
}
