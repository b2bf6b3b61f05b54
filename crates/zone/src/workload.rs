//! Workloads of zone operations, for the benches of this crate and the tables of the command line.

use std::hint::black_box;

use crate::{
    Bound, Relation, add, close, constrain, delay, extra_lu_plus, extra_m, is_included, is_subsumed, le, past, reduce,
    relation, reset, universe, zero,
};

/// The dimensions of published figures.
pub const DIMENSIONS: [usize; 3] = [5, 9, 17];

/// The number of operations of a round. The branch predictor can't learn this number of different
/// zones.
pub const ROUND: usize = 64;

/// An operation. All but the comparisons run on a fresh copy of a row, so `Copy` is the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The copy alone.
    Copy,
    /// Closes bounds that are not closed.
    Close,
    /// Adds one constraint that cuts.
    Constrain,
    /// Checks whether a zone includes an equal one.
    Include,
    /// Checks whether a zone aLU-subsumes an equal one.
    Subsume,
    /// Compares two equal zones.
    Relate,
    /// Extra+_LU on zones with bounds between all clocks.
    ExtraLuPlusDense,
    /// Extra+_LU on zones like those of explorations.
    ExtraLuPlus,
    /// Extra_M on zones like those of explorations.
    ExtraM,
    /// Lets time pass.
    Delay,
    /// Computes the past.
    Past,
    /// Resets one clock.
    Reset,
    /// Computes the minimal form.
    Reduce,
    /// A transition: constrain, reset, delay, Extra+_LU.
    Successor,
    /// The same without Extra+_LU.
    SuccessorWithoutExtrapolation,
}

impl Kernel {
    /// All operations.
    pub const ALL: [Kernel; 15] = [
        Kernel::Copy,
        Kernel::Close,
        Kernel::Constrain,
        Kernel::Include,
        Kernel::Subsume,
        Kernel::Relate,
        Kernel::ExtraLuPlusDense,
        Kernel::ExtraLuPlus,
        Kernel::ExtraM,
        Kernel::Delay,
        Kernel::Past,
        Kernel::Reset,
        Kernel::Reduce,
        Kernel::Successor,
        Kernel::SuccessorWithoutExtrapolation,
    ];
}

/// An operation with its zones.
#[derive(Clone, Debug)]
pub struct Workload {
    kernel: Kernel,
    dim: usize,
    zones: Vec<Vec<i32>>,
    /// A clock for each zone, and a bound that constrains it.
    cuts: Vec<(usize, i32)>,
    lower: Vec<i32>,
    upper: Vec<i32>,
    row: Vec<i32>,
}

impl Workload {
    /// Creates an operation on [`ROUND`] zones: different ones if `many`, else the same one
    /// repeatedly, which the branch predictor learns. Equal arguments give equal zones.
    #[must_use]
    pub fn new(kernel: Kernel, dim: usize, many: bool) -> Workload {
        let make = match kernel {
            Kernel::Copy | Kernel::Close => raw,
            Kernel::Constrain
            | Kernel::Include
            | Kernel::Relate
            | Kernel::ExtraLuPlusDense
            | Kernel::Delay
            | Kernel::Past
            | Kernel::Reset => closed,
            _ => explored,
        };
        let zones: Vec<Vec<i32>> = (1..=ROUND as u64).map(|seed| make(dim, if many { seed } else { 3 })).collect();
        // Between the two bounds of a clock, so that the result is smaller and not empty.
        let cut = |(at, zone): (usize, &Vec<i32>)| {
            let x = 1 + if many { at % (dim - 1) } else { 0 };
            (x, add(zone[x], le(-7)).max(i32::LE_ZERO + 1 - zone[x * dim]))
        };
        let cuts = zones.iter().enumerate().map(cut).collect();
        let (lower, upper) = (clock_bounds(dim, 1), clock_bounds(dim, 2));
        Workload { kernel, dim, row: zones[0].clone(), zones, cuts, lower, upper }
    }

    /// Runs the operation once on each zone. Returns the number of positive results, so that the
    /// compiler can't remove it.
    pub fn round(&mut self) -> usize {
        let Workload { kernel, dim, ref zones, ref cuts, ref lower, ref upper, ref mut row } = *self;
        let (lower, upper) = (&lower[..], &upper[..]);
        let step = |x: usize, zone: &mut [i32]| {
            constrain(zone, dim, 0, x, le(-12)) && {
                reset(zone, dim, 1 + x % (dim - 1), 0);
                delay(zone, dim);
                true
            }
        };
        let extrapolated = |zone: &mut [i32]| {
            extra_lu_plus(zone, dim, lower, upper);
            true
        };
        match kernel {
            Kernel::Copy => on_copies(zones, row, |_, _| true),
            Kernel::Close => on_copies(zones, row, |_, zone| close(zone, dim)),
            Kernel::Constrain => on_copies(zones, row, |at, zone| constrain(zone, dim, 0, cuts[at].0, cuts[at].1)),
            Kernel::Include => on_pairs(zones, is_included),
            Kernel::Subsume => on_pairs(zones, |a, b| is_subsumed(a, b, dim, lower, upper)),
            Kernel::Relate => on_pairs(zones, |a, b| relation(a, b) == Relation::Equal),
            Kernel::ExtraLuPlusDense | Kernel::ExtraLuPlus => on_copies(zones, row, |_, zone| extrapolated(zone)),
            Kernel::ExtraM => on_copies(zones, row, |_, zone| {
                extra_m(zone, dim, lower);
                true
            }),
            Kernel::Delay => on_copies(zones, row, |_, zone| {
                delay(zone, dim);
                true
            }),
            Kernel::Past => on_copies(zones, row, |_, zone| {
                past(zone, dim);
                true
            }),
            Kernel::Reset => on_copies(zones, row, |at, zone| {
                reset(zone, dim, cuts[at].0, 3);
                true
            }),
            Kernel::Reduce => {
                let mut form = Vec::with_capacity(2 * dim * dim);
                on_copies(zones, row, |_, zone| {
                    form.clear();
                    reduce(zone, dim, &mut form);
                    !form.is_empty()
                })
            }
            Kernel::Successor => on_copies(zones, row, |at, zone| step(cuts[at].0, zone) && extrapolated(zone)),
            Kernel::SuccessorWithoutExtrapolation => on_copies(zones, row, |at, zone| step(cuts[at].0, zone)),
        }
    }
}

/// Runs `act` on copies of the zones, with their indices.
fn on_copies(zones: &[Vec<i32>], row: &mut [i32], mut act: impl FnMut(usize, &mut [i32]) -> bool) -> usize {
    let mut yes = 0;
    for (at, zone) in zones.iter().enumerate() {
        row.copy_from_slice(black_box(zone));
        yes += usize::from(black_box(act(at, row)));
    }
    yes
}

/// Runs `act` on each zone and itself.
fn on_pairs(zones: &[Vec<i32>], act: impl Fn(&[i32], &[i32]) -> bool) -> usize {
    zones.iter().filter(|zone| black_box(act(black_box(zone), black_box(zone)))).count()
}

/// A random number generator (xorshift).
struct XorShift(u64);

impl XorShift {
    fn new(seed: u64) -> XorShift {
        XorShift(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: i32) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as i32 % n
    }
}

/// Returns bounds around a valuation, a third of them finite: mostly not closed, never empty.
fn raw(dim: usize, seed: u64) -> Vec<i32> {
    let mut random = XorShift::new(seed);
    let mut point: Vec<i32> = (0..dim).map(|_| random.below(50)).collect();
    point[0] = 0;
    let mut zone = vec![i32::INFINITY; dim * dim];
    universe(&mut zone, dim);
    for i in 0..dim {
        for j in (0..dim).filter(|&j| j != i) {
            if random.below(3) == 0 {
                let bound = le(point[i] - point[j] + random.below(20));
                zone[i * dim + j] = zone[i * dim + j].min(bound);
            }
        }
    }
    zone
}

/// Returns the same, closed: bounds between most clocks.
fn closed(dim: usize, seed: u64) -> Vec<i32> {
    let mut zone = raw(dim, seed);
    close(&mut zone, dim);
    zone
}

/// Returns a zone like those of explorations: some clocks were reset one after the other, with
/// bounded delays between and after them.
fn explored(dim: usize, seed: u64) -> Vec<i32> {
    let mut random = XorShift::new(seed);
    let mut zone = vec![0; dim * dim];
    zero(&mut zone, dim);
    for _ in 0..2 * dim {
        delay(&mut zone, dim);
        let x = 1 + random.below(dim as i32 - 1) as usize;
        let mut next = zone.clone();
        if constrain(&mut next, dim, x, 0, le(random.below(20) + 10))
            && constrain(&mut next, dim, 0, x, le(-random.below(10)))
        {
            zone = next;
        }
        reset(&mut zone, dim, 1 + random.below(dim as i32 - 1) as usize, 0);
    }
    delay(&mut zone, dim);
    zone
}

fn clock_bounds(dim: usize, seed: u64) -> Vec<i32> {
    let mut random = XorShift::new(seed);
    (0..dim).map(|x| if x == 0 { 0 } else { 5 + random.below(20) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_closed;

    #[test]
    fn the_zones_are_what_they_are_said_to_be() {
        for dim in DIMENSIONS {
            let seeds = 1..=ROUND as u64;
            assert!(
                seeds.clone().all(|seed| is_closed(&closed(dim, seed), dim) && is_closed(&explored(dim, seed), dim))
            );
            // With few clocks there is sometimes nothing to do.
            assert!(seeds.filter(|&seed| !is_closed(&raw(dim, seed), dim)).count() > ROUND / 2);
        }
    }

    #[test]
    fn no_operation_of_a_workload_comes_to_nothing() {
        for kernel in Kernel::ALL {
            for dim in DIMENSIONS {
                let yes = Workload::new(kernel, dim, true).round();
                // A transition may be disabled, and Extra+_LU may have nothing to widen.
                assert!(yes > ROUND / 4, "{kernel:?} {dim}: {yes}");
            }
        }
    }
}
