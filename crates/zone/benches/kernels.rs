//! What zones cost: `cargo bench -p merkhet-zone`.
//!
//! Every routine runs on a fresh copy of a row, so `copy` is the floor to compare with. `one` repeats one zone, which the
//! branch predictor learns; `many` goes round 64 of them.

use divan::{Bencher, black_box};
use zone::{Bound, INFINITY, LE_ZERO};

fn main() {
    divan::main();
}

const DIMS: [usize; 3] = [5, 9, 17];
const MANY: u64 = 64;

/// Numbers that are random enough (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: i32) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as i32 % n
    }
}

/// Bounds around a valuation, a third of them finite: not closed, not empty.
fn raw(dim: usize, seed: u64) -> Vec<Bound> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut point: Vec<i32> = (0..dim).map(|_| random.below(50)).collect();
    point[0] = 0;
    let mut zone = vec![INFINITY; dim * dim];
    zone::universe(&mut zone, dim);
    for i in 0..dim {
        for j in (0..dim).filter(|&j| j != i) {
            if random.below(3) == 0 {
                let bound = zone::le(point[i] - point[j] + random.below(20));
                zone[i * dim + j] = zone[i * dim + j].min(bound);
            }
        }
    }
    zone
}

fn closed(dim: usize, seed: u64) -> Vec<Bound> {
    let mut zone = raw(dim, seed);
    assert!(zone::close(&mut zone, dim));
    zone
}

/// As in an exploration: some clocks were reset one after the other, time passed in between and at the end, within bounds.
fn explored(dim: usize, seed: u64) -> Vec<Bound> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut zone = vec![0; dim * dim];
    zone::zero(&mut zone, dim);
    for _ in 0..2 * dim {
        zone::delay(&mut zone, dim);
        let x = 1 + random.below(dim as i32 - 1) as usize;
        let mut next = zone.clone();
        if zone::constrain(&mut next, dim, x, 0, zone::le(random.below(20) + 10))
            && zone::constrain(&mut next, dim, 0, x, zone::le(-random.below(10)))
        {
            zone = next;
        }
        zone::reset(&mut zone, dim, 1 + random.below(dim as i32 - 1) as usize, 0);
    }
    zone::delay(&mut zone, dim);
    zone
}

fn clock_bounds(dim: usize, seed: u64) -> Vec<i32> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..dim).map(|x| if x == 0 { 0 } else { 5 + random.below(20) }).collect()
}

fn cases(dim: usize, many: bool, make: fn(usize, u64) -> Vec<Bound>) -> Vec<Vec<Bound>> {
    let seeds = if many { 1..=MANY } else { 3..=3 };
    seeds.map(|seed| make(dim, seed)).collect()
}

/// Runs `act` on copies of the zones in turn; it is told which one it has.
fn in_turn<R>(bencher: Bencher<'_, '_>, zones: &[Vec<Bound>], mut act: impl FnMut(usize, &mut [Bound]) -> R) {
    let mut row = zones[0].clone();
    let mut at = 0;
    bencher.bench_local(|| {
        at = if at + 1 < zones.len() { at + 1 } else { 0 };
        row.copy_from_slice(black_box(&zones[at]));
        black_box(act(at, &mut row))
    });
}

macro_rules! both {
    ($($name:ident($bencher:ident, $dim:ident, $many:ident) $body:block)*) => {$(
        mod $name {
            use super::*;
            fn run($bencher: Bencher<'_, '_>, $dim: usize, $many: bool) $body
            #[divan::bench(args = DIMS)]
            fn one(bencher: Bencher<'_, '_>, dim: usize) { run(bencher, dim, false) }
            #[divan::bench(args = DIMS)]
            fn many(bencher: Bencher<'_, '_>, dim: usize) { run(bencher, dim, true) }
        }
    )*};
}

both! {
    copy(bencher, dim, many) { in_turn(bencher, &cases(dim, many, raw), |_, _| true) }
    close(bencher, dim, many) { in_turn(bencher, &cases(dim, many, raw), |_, zone| zone::close(zone, dim)) }
    constrain(bencher, dim, many) {
        let zones = cases(dim, many, closed);
        // Between the two bounds of one clock, so that it cuts and leaves something.
        let cuts: Vec<(usize, Bound)> = zones.iter().enumerate().map(|(at, zone)| {
            let x = 1 + at % (dim - 1);
            (x, zone::add(zone[x], zone::le(-7)).max(LE_ZERO + 1 - zone[x * dim]))
        }).collect();
        in_turn(bencher, &zones, |at, zone| zone::constrain(zone, dim, 0, cuts[at].0, cuts[at].1));
    }
    include(bencher, dim, many) {
        let zones = cases(dim, many, closed);
        let mut at = 0;
        bencher.bench_local(|| {
            at = if at + 1 < zones.len() { at + 1 } else { 0 };
            black_box(zone::is_included(black_box(&zones[at]), black_box(&zones[at])))
        });
    }
    subsume(bencher, dim, many) {
        let zones = cases(dim, many, explored);
        let (lower, upper) = (clock_bounds(dim, 1), clock_bounds(dim, 2));
        let mut at = 0;
        bencher.bench_local(|| {
            at = if at + 1 < zones.len() { at + 1 } else { 0 };
            black_box(zone::is_subsumed(black_box(&zones[at]), black_box(&zones[at]), dim, &lower, &upper))
        });
    }
    relate(bencher, dim, many) {
        let zones = cases(dim, many, closed);
        let mut at = 0;
        bencher.bench_local(|| {
            at = if at + 1 < zones.len() { at + 1 } else { 0 };
            black_box(zone::relation(black_box(&zones[at]), black_box(&zones[at])))
        });
    }
    extra_lu_plus_dense(bencher, dim, many) {
        let (lower, upper) = (clock_bounds(dim, 1), clock_bounds(dim, 2));
        in_turn(bencher, &cases(dim, many, closed), |_, zone| zone::extra_lu_plus(zone, dim, &lower, &upper));
    }
    extra_lu_plus(bencher, dim, many) {
        let (lower, upper) = (clock_bounds(dim, 1), clock_bounds(dim, 2));
        in_turn(bencher, &cases(dim, many, explored), |_, zone| zone::extra_lu_plus(zone, dim, &lower, &upper));
    }
    extra_m(bencher, dim, many) {
        let most = clock_bounds(dim, 1);
        in_turn(bencher, &cases(dim, many, explored), |_, zone| zone::extra_m(zone, dim, &most));
    }
    delay(bencher, dim, many) { in_turn(bencher, &cases(dim, many, closed), |_, zone| zone::delay(zone, dim)) }
    past(bencher, dim, many) { in_turn(bencher, &cases(dim, many, closed), |_, zone| zone::past(zone, dim)) }
    reset(bencher, dim, many) {
        in_turn(bencher, &cases(dim, many, closed), |at, zone| zone::reset(zone, dim, 1 + at % (dim - 1), 3));
    }
    reduce(bencher, dim, many) {
        let mut form = Vec::new();
        in_turn(bencher, &cases(dim, many, explored), |_, zone| { form.clear(); zone::reduce(zone, dim, &mut form); form.len() });
    }
    successor(bencher, dim, many) {
        let (lower, upper) = (clock_bounds(dim, 1), clock_bounds(dim, 2));
        in_turn(bencher, &cases(dim, many, explored), |at, zone| {
            let (x, y) = (1 + at % (dim - 1), 1 + at / 2 % (dim - 1));
            zone::constrain(zone, dim, 0, x, zone::le(-12)) && {
                zone::reset(zone, dim, y, 0);
                zone::delay(zone, dim);
                zone::extra_lu_plus(zone, dim, &lower, &upper)
            }
        });
    }
    successor_without_extrapolation(bencher, dim, many) {
        in_turn(bencher, &cases(dim, many, explored), |at, zone| {
            let (x, y) = (1 + at % (dim - 1), 1 + at / 2 % (dim - 1));
            zone::constrain(zone, dim, 0, x, zone::le(-12)) && {
                zone::reset(zone, dim, y, 0);
                zone::delay(zone, dim);
                true
            }
        });
    }
}
