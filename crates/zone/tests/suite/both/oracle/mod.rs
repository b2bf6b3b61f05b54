//! The semantics of zones by lists of constraints and points of a grid, and generators for both.
//!
//! A zone with integer constants is a union of regions: integer parts, and the order of the
//! fractional parts. With `dim - 1` clocks a grid of denominator `dim` has points in every region.
//! So two zones that agree on that grid, up to large enough coordinates, are equal. A query `exists
//! t` about such a point is decided on the grid with twice the denominator.

#![allow(dead_code, reason = "each test file uses a part of it")]

use proptest::prelude::*;
use zone::Bound;

use super::Number;

/// `x - y < value` or `x - y <= value`.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub x: usize,
    pub y: usize,
    pub value: i32,
    pub strict: bool,
}

impl Constraint {
    pub fn bound(self) -> Number {
        if self.strict { zone::lt(Number::from(self.value)) } else { zone::le(Number::from(self.value)) }
    }

    pub fn holds(self, point: &[i64], scale: i64) -> bool {
        let (difference, limit) = (point[self.x] - point[self.y], i64::from(self.value) * scale);
        difference < limit || (difference == limit && !self.strict)
    }
}

/// A zone by its constraints: all clocks are at least 0, and these hold.
#[derive(Clone, Debug)]
pub struct Spec {
    pub dim: usize,
    pub constraints: Vec<Constraint>,
}

impl Spec {
    pub fn holds(&self, point: &[i64], scale: i64) -> bool {
        point.iter().all(|&v| v >= 0) && self.constraints.iter().all(|c| c.holds(point, scale))
    }

    /// Returns the bounds as written, not closed.
    pub fn raw(&self) -> Vec<Number> {
        let mut zone = vec![Number::INFINITY; self.dim * self.dim];
        zone::universe(&mut zone, self.dim);
        for c in &self.constraints {
            let entry = &mut zone[c.x * self.dim + c.y];
            *entry = c.bound().min(*entry);
        }
        zone
    }

    /// Returns the zone, if it is not empty.
    pub fn zone(&self) -> Option<Vec<Number>> {
        let mut zone = self.raw();
        zone::close(&mut zone, self.dim).then_some(zone)
    }
}

/// A textbook difference bound matrix with separate numbers and signs, closed after every change.
#[derive(Clone, PartialEq, Debug)]
pub struct Naive {
    pub dim: usize,
    pub entries: Vec<Option<(i64, bool)>>,
}

impl Naive {
    pub fn universe(dim: usize) -> Naive {
        let mut entries = vec![None; dim * dim];
        for i in 0..dim {
            entries[i] = Some((0, false));
            entries[i * dim + i] = Some((0, false));
        }
        Naive { dim, entries }
    }

    pub fn of(zone: &[Number], dim: usize, scale: i64) -> Naive {
        let entry =
            |&b: &Number| (b < Number::INFINITY).then(|| (i64::from(zone::value(b)) * scale, zone::is_strict(b)));
        Naive { dim, entries: zone.iter().map(entry).collect() }
    }

    pub fn bounds(&self) -> Vec<Number> {
        let bound = |e: &Option<(i64, bool)>| match *e {
            None => Number::INFINITY,
            Some((value, strict)) => Number::try_from(2 * value + i64::from(!strict)).expect("small constants"),
        };
        self.entries.iter().map(bound).collect()
    }

    pub fn cut(&mut self, x: usize, y: usize, value: i64, strict: bool) {
        let entry = &mut self.entries[x * self.dim + y];
        if entry.is_none_or(|(v, s)| value < v || (value == v && strict && !s)) {
            *entry = Some((value, strict));
        }
    }

    /// Closes the matrix, and returns whether it is not empty.
    pub fn close(&mut self) -> bool {
        let n = self.dim;
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    if let (Some((a, s)), Some((b, t))) = (self.entries[i * n + k], self.entries[k * n + j]) {
                        self.cut(i, j, a + b, s || t);
                    }
                }
            }
        }
        (0..n).all(|i| self.entries[i * n + i] == Some((0, false)))
    }
}

/// Returns the number of cases of each property; `MERKHET_CASES` overrides it.
pub fn config(usual: u32) -> ProptestConfig {
    let cases = std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() }
}

/// Generates any constraints. If there are many, the zone is mostly empty.
fn any_spec(dim: usize) -> impl Strategy<Value = Spec> {
    let constraint = (0..dim, 1..dim, -4..=5, any::<bool>()).prop_map(move |(x, d, value, strict)| Constraint {
        x,
        y: (x + d) % dim,
        value,
        strict,
    });
    prop::collection::vec(constraint, 0..2 * dim).prop_map(move |constraints| Spec { dim, constraints })
}

/// Generates constraints that a point with multiples of a half satisfies, so the zone is not empty.
fn spec_around_point(dim: usize) -> impl Strategy<Value = Spec> {
    let constraint = (0..dim, 1..dim, 0..4, any::<bool>());
    (prop::collection::vec(0..10_i32, dim), prop::collection::vec(constraint, 0..3 * dim)).prop_map(
        move |(mut point, constraints)| {
            point[0] = 0;
            let around = |(x, d, slack, strict): (usize, usize, i32, bool)| {
                let y = (x + d) % dim;
                let twice = point[x] - point[y];
                // The least integer not below the difference, or above it if the constraint is
                // strict.
                let least = if strict { twice.div_euclid(2) + 1 } else { -(-twice).div_euclid(2) };
                Constraint { x, y, value: least + slack, strict }
            };
            Spec { dim, constraints: constraints.into_iter().map(around).collect() }
        },
    )
}

pub fn spec(dim: usize) -> impl Strategy<Value = Spec> {
    prop_oneof![1 => any_spec(dim), 3 => spec_around_point(dim)]
}

/// Generates a nonempty zone, as written and closed.
pub fn full(dim: usize) -> impl Strategy<Value = (Spec, Vec<Number>)> {
    spec(dim).prop_filter_map("empty", |spec| spec.zone().map(|zone| (spec, zone)))
}

pub fn dims() -> impl Strategy<Value = usize> {
    2..=4_usize
}

/// Generates bounds L or U: mostly small numbers, and some clocks that are not compared.
pub fn clock_bounds(dim: usize) -> impl Strategy<Value = Vec<Number>> {
    prop::collection::vec(prop_oneof![4 => 0..6 as Number, 1 => Just(Number::NONE)], dim).prop_map(|mut bounds| {
        bounds[0] = 0;
        bounds
    })
}

/// Returns all points of the grid with coordinates up to `top`.
pub fn grid(dim: usize, scale: i64, top: i64) -> impl Iterator<Item = Vec<i64>> {
    let side = top * scale + 1;
    (0..side.pow(dim as u32 - 1)).map(move |mut number| {
        let mut point = vec![0; dim];
        for v in &mut point[1..] {
            *v = number % side;
            number /= side;
        }
        point
    })
}

/// Returns points to check for a zone: every point of the grid in small dimensions, otherwise
/// points in the zone, points near them, and arbitrary points.
pub fn probes(zone: &[Number], dim: usize, scale: i64, top: i64, seed: u64) -> Vec<Vec<i64>> {
    if dim == 2 {
        return grid(dim, scale, top).collect();
    }
    let mut random = Random(seed | 1);
    let mut points = Vec::new();
    for _ in 0..12 {
        let mut point = vec![0; dim];
        for x in 1..dim {
            // In a closed zone the clocks can be chosen one after the other, each within its bounds
            // to the previous ones.
            let (mut low, mut high) = (0, top * scale);
            for y in 0..x {
                let (up, down) = (zone[x * dim + y], zone[y * dim + x]);
                let reach = |b: Number| i64::from(zone::value(b)) * scale - i64::from(zone::is_strict(b));
                if up < Number::INFINITY {
                    high = high.min(point[y] + reach(up));
                }
                if down < Number::INFINITY {
                    low = low.max(point[y] - reach(down));
                }
            }
            point[x] = low + random.below((high - low).max(0) + 1);
        }
        let mut near = point.clone();
        let x = 1 + random.below(dim as i64 - 1) as usize;
        near[x] = (near[x] + random.below(2 * scale + 1) - scale).max(0);
        let anywhere = (0..dim).map(|x| if x == 0 { 0 } else { random.below(top * scale + 1) }).collect();
        points.extend([point, near, anywhere]);
    }
    points
}

/// A pseudorandom number generator (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as i64
    }
}
