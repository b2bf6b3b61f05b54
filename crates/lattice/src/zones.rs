//! `Zone(clocks[, max])`: zones of the clocks `0 .. clocks - 1`. All clocks are initially 0.
//!
//! An element is a closed DBM of the `zone` crate. Order: inclusion; join: the zone hull. Clocks
//! are compared with numbers up to `max`. Greater values are not distinguished (Extra_M), so there
//! are finitely many elements; a difference of two clocks that both exceed `max` is abstracted,
//! which only adds behaviour.
//!
//! See D. L. Dill: *Timing assumptions and verification of finite-state concurrent systems* (1989),
//! and G. Behrmann, P. Bouyer, K. G. Larsen, R. Pelánek: *Lower and upper bounds in zone-based
//! abstractions of timed automata* (STTT 2006).

use std::sync::Arc;

use zone::Bound;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, method, widening};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "Zone",
    aliases: &[],
    signature: "Zone(clocks[, max])",
    has_dimensions: false,
    member: None,
    help: "A zone of the clocks 0 to clocks - 1, initially all 0: bounds on them and their differences. They are compared \
           with constants up to max, which is about a million by default.",
    laws: "Order: inclusion. Join: the smallest zone around both.",
    example: "extern Clocks = Zone(2, 10);\nClocks z;\n// guard: z.mayBeAtLeast(0, 5)    update: z.atLeast(0, 5), z.reset(1), z.up()",
    make,
}];

/// The greatest constant that a clock is compared with. A sum of as many constants as there are
/// clocks has to be a bound, too.
const MAX_CONSTANT: i32 = 1 << 20;

#[derive(Debug)]
struct Zone {
    /// The number of clocks, the reference clock included.
    dim: usize,
    max: i32,
    /// `max` for each clock, for the extrapolation.
    max_bounds: Vec<i32>,
}

fn make(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(2)?;
    let dim = arguments.value(0, "clocks", 1, 31)? as usize + 1;
    let max = arguments.optional(1, "max", 0, MAX_CONSTANT)?.unwrap_or(MAX_CONSTANT);
    let mut max_bounds = vec![max; dim];
    max_bounds[0] = 0;
    Ok(Arc::new(Zone { dim, max, max_bounds }))
}

static METHODS: [Method; 14] = [
    Method::change("up", &[], "lets any amount of time pass"),
    Method::change("reset", &["x"], "sets a clock to 0"),
    Method::change("free", &["x"], "lets a clock have any value"),
    Method::cut("atMost", &["x", "c"], "restricts the zone to x <= c, and returns whether it is not empty"),
    Method::cut("below", &["x", "c"], "restricts the zone to x < c, and returns whether it is not empty"),
    Method::cut("atLeast", &["x", "c"], "restricts the zone to x >= c, and returns whether it is not empty"),
    Method::cut("above", &["x", "c"], "restricts the zone to x > c, and returns whether it is not empty"),
    Method::cut(
        "differenceAtMost",
        &["x", "y", "c"],
        "restricts the zone to x - y <= c, and returns whether it is not empty",
    ),
    Method::cut(
        "differenceBelow",
        &["x", "y", "c"],
        "restricts the zone to x - y < c, and returns whether it is not empty",
    ),
    Method::test("mayBeAtMost", &["x", "c"], Trend::Rises, "whether x <= c is possible"),
    Method::test("mayBeBelow", &["x", "c"], Trend::Rises, "whether x < c is possible"),
    Method::test("mayBeAtLeast", &["x", "c"], Trend::Rises, "whether x >= c is possible"),
    Method::test("mayBeAbove", &["x", "c"], Trend::Rises, "whether x > c is possible"),
    Method::test("isEmpty", &[], Trend::Falls, "whether the zone is empty"),
];

/// All bounds of the empty zone.
const BOTTOM: i32 = i32::MIN;

impl Zone {
    /// Brings a closed DBM into the form of elements, or makes it the empty zone.
    fn settle(&self, zone: &mut [i32], is_some: bool) -> bool {
        if is_some {
            zone::extra_m(zone, self.dim, &self.max_bounds);
        } else {
            zone.fill(BOTTOM);
        }
        is_some
    }

    /// Returns the difference that a constraint bounds, and its bound.
    fn constraint(&self, kind: usize, args: &[i32]) -> Result<(usize, usize, i32), Misuse> {
        let clock = |place| method::index(args, place, self.dim - 1).map(|x| x + 1);
        let number = || method::argument(args, 1, 0, self.max);
        let difference = || method::argument(args, 2, -self.max, self.max);
        Ok(match kind {
            0 => (clock(0)?, 0, zone::le(number()?)),
            1 => (clock(0)?, 0, zone::lt(number()?)),
            2 => (0, clock(0)?, zone::le(-number()?)),
            3 => (0, clock(0)?, zone::lt(-number()?)),
            4 => (clock(0)?, clock(1)?, zone::le(difference()?)),
            _ => (clock(0)?, clock(1)?, zone::lt(difference()?)),
        })
    }
}

impl Lattice for Zone {
    fn name(&self) -> String {
        format!("Zone({}, {})", self.dim - 1, self.max)
    }

    fn width(&self) -> usize {
        self.dim * self.dim
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (BOTTOM, i32::INFINITY)
    }

    fn initial(&self, out: &mut [i32]) {
        zone::zero(out, self.dim);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        zone::is_included(a, b)
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(SlotOrder::Rises)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        if self.leq(other, into) {
            return false;
        }
        if self.is_bottom(into) {
            into.copy_from_slice(other);
        } else {
            zone::convex_hull(into, other);
            self.settle(into, true);
        }
        true
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        let before = into.to_vec();
        if !self.join(into, other) {
            return false;
        }
        if !self.is_bottom(&before) {
            let numbers: Vec<i32> =
                thresholds.iter().copied().filter(|t| t.unsigned_abs() <= self.max as u32).collect();
            let candidates =
                || numbers.iter().flat_map(|&t| [t, -t]).chain([0]).flat_map(|t| [zone::lt(t), zone::le(t)]);
            let threshold =
                |_, bound| candidates().filter(|&threshold| bound <= threshold).min().unwrap_or(i32::INFINITY);
            let wider = widening::widen(&before, into, threshold, |zone| {
                let is_some = zone::close(zone, self.dim);
                self.settle(zone, is_some);
            });
            into.copy_from_slice(&wider);
        }
        true
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        element[0] != i32::LE_ZERO
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let dim = self.dim;
        let clock = || method::index(args, 0, dim - 1).map(|x| x + 1);
        let is_bottom = self.is_bottom(this);
        let is_some = match method {
            0 => {
                if !is_bottom {
                    zone::delay(this, dim);
                }
                !is_bottom
            }
            1 | 2 => {
                let x = clock()?;
                match method {
                    _ if is_bottom => {}
                    1 => zone::reset(this, dim, x, 0),
                    _ => zone::free(this, dim, x),
                }
                !is_bottom
            }
            3..=8 => {
                let (x, y, bound) = self.constraint(method - 3, args)?;
                !is_bottom && zone::constrain(this, dim, x, y, bound)
            }
            9..=12 => {
                let (x, y, bound) = self.constraint(method - 9, args)?;
                return Ok(i32::from(!is_bottom && zone::satisfies(this, dim, x, y, bound)));
            }
            _ => return Ok(i32::from(is_bottom)),
        };
        let is_some = self.settle(this, is_some);
        Ok(i32::from(is_some && method > 2))
    }

    fn show(&self, element: &[i32]) -> String {
        if self.is_bottom(element) {
            return "nothing".to_owned();
        }
        zone::display(element, self.dim, |x| format!("x{}", x.wrapping_sub(1))).to_string()
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        // Zones that a timed automaton reaches in a few transitions.
        self.initial(out);
        for _ in 0..random(8) {
            let method = [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8][random(11) as usize];
            let mut clock = || random(self.dim as u32 - 1) as i32;
            let (x, y) = (clock(), clock());
            let c = random(self.max.min(6) as u32 + 1) as i32;
            let args = if method < 7 { [x, c, 0] } else { [x, y, if random(2) == 0 { c } else { -c }] };
            let before = out.to_vec();
            // All arguments are legal. The zone should mostly not be empty.
            if self.call(method, out, &args).is_ok() && self.is_bottom(out) && random(4) != 0 {
                out.copy_from_slice(&before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(zone: &dyn Lattice, calls: &[(&str, &[i32])]) -> Vec<i32> {
        let mut element = vec![0; zone.width()];
        zone.initial(&mut element);
        for (name, args) in calls {
            let method = zone.methods().iter().position(|method| method.name == *name).unwrap();
            zone.call(method, &mut element, args).unwrap();
        }
        element
    }

    #[test]
    fn time_passes() {
        let zone = make(&Arguments { values: &[2, 10], ..Arguments::default() }).unwrap();
        let element = run(&*zone, &[("up", &[]), ("atMost", &[0, 5]), ("reset", &[1]), ("up", &[])]);
        assert_eq!(zone.show(&element), "x0-x1<=5, x1<=x0");
        let none = run(&*zone, &[("up", &[]), ("above", &[0, 5]), ("atMost", &[1, 5])]);
        assert!(zone.is_bottom(&none) && zone.leq(&none, &element));
    }

    #[test]
    fn extrapolation_drops_bounds_above_max() {
        let zone = make(&Arguments { values: &[1, 3], ..Arguments::default() }).unwrap();
        let element = run(&*zone, &[("up", &[]), ("above", &[0, 3])]);
        assert_eq!(zone.show(&element), "x0>3");
        assert_eq!(zone.call(3, &mut element.clone(), &[0, 4]), Err(Misuse::Argument { argument: 1, low: 0, high: 3 }));
    }

    #[test]
    fn widening_stops_at_thresholds() {
        let zone = make(&Arguments { values: &[1], ..Arguments::default() }).unwrap();
        let mut element = run(&*zone, &[]);
        let mut texts = Vec::new();
        for most in 1..5 {
            let next = run(&*zone, &[("up", &[]), ("atMost", &[0, most])]);
            zone.widen(&mut element, &next, &[3]);
            texts.push(zone.show(&element));
        }
        assert_eq!(texts, ["x0<3", "x0<3", "x0<=3", "true"]);
    }

    #[test]
    fn join_is_the_hull() {
        let zone = make(&Arguments { values: &[2], ..Arguments::default() }).unwrap();
        let mut a = run(&*zone, &[("up", &[]), ("atMost", &[0, 1])]);
        let b = run(&*zone, &[("up", &[]), ("atLeast", &[0, 4]), ("below", &[1, 5])]);
        assert!(zone.join(&mut a, &b) && !zone.join(&mut a, &b));
        assert_eq!(zone.show(&a), "x0<5, x1=x0");
    }
}
