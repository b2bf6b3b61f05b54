//! Compares every operation on zones with its meaning on points.

use super::Number;
use super::oracle::{Spec, config, dims, full, probes, spec};
use proptest::prelude::*;
use zone::Bound;

/// Half of the denominator suffices for a point in every region; the other half answers `exists t`.
fn scale(dim: usize) -> i64 {
    2 * dim as i64
}

const TOP: i64 = 16;

fn has(zone: &[Number], dim: usize, point: &[i64]) -> bool {
    zone::contains(zone, dim, point, scale(dim))
}

fn moved(point: &[i64], by: i64, stopped: &[bool]) -> Vec<i64> {
    let step = |(x, &v): (usize, &i64)| if x == 0 || stopped[x] { v } else { v + by };
    point.iter().enumerate().map(step).collect()
}

fn with(point: &[i64], x: usize, value: i64) -> Vec<i64> {
    let mut point = point.to_vec();
    point[x] = value;
    point
}

/// Returns the points of the coarser grid, about which the finer grid decides `exists t`.
fn looks(zone: &[Number], dim: usize, seed: u64) -> Vec<Vec<i64>> {
    let mut points = probes(zone, dim, scale(dim) / 2, TOP, seed);
    points.iter_mut().flatten().for_each(|v| *v *= 2);
    points
}

fn delays(dim: usize) -> impl Iterator<Item = i64> {
    0..=2 * TOP * scale(dim)
}

fn pair() -> impl Strategy<Value = ((Spec, Vec<Number>), (Spec, Vec<Number>))> {
    dims().prop_flat_map(|dim| (full(dim), full(dim)))
}

fn one() -> impl Strategy<Value = (Spec, Vec<Number>)> {
    dims().prop_flat_map(full)
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn closing_changes_no_point(spec in dims().prop_flat_map(spec), seed: u64) {
        let dim = spec.dim;
        let mut zone = spec.raw();
        let some = zone::close(&mut zone, dim);
        if some {
            prop_assert!(zone::is_closed(&zone, dim));
            let again = { let mut z = zone.clone(); zone::close(&mut z, dim); z };
            prop_assert_eq!(&again, &zone);
        }
        for point in looks(&spec.raw(), dim, seed) {
            prop_assert_eq!(some && has(&zone, dim, &point), spec.holds(&point, scale(dim)));
        }
    }

    #[test]
    fn constraints_one_by_one_agree_with_closing(spec in dims().prop_flat_map(spec)) {
        let dim = spec.dim;
        let mut zone = vec![0; dim * dim];
        zone::universe(&mut zone, dim);
        let mut some = true;
        for c in &spec.constraints {
            let possible = zone::satisfies(&zone, dim, c.x, c.y, c.bound());
            some = zone::constrain(&mut zone, dim, c.x, c.y, c.bound());
            prop_assert_eq!(some, possible);
            if !some {
                break;
            }
        }
        prop_assert_eq!(some.then_some(zone), spec.zone());
    }

    #[test]
    fn one_changed_clock_needs_no_full_closing(
        (spec, other) in dims().prop_flat_map(|dim| (full(dim), spec(dim))), x: prop::sample::Index
    ) {
        let (dim, mut zone) = (spec.0.dim, spec.1);
        let x = x.index(dim);
        let tighter = other.raw();
        for i in 0..dim {
            zone[x * dim + i] = zone[x * dim + i].min(tighter[x * dim + i]);
            zone[i * dim + x] = zone[i * dim + x].min(tighter[i * dim + x]);
        }
        let mut full = zone.clone();
        let some = zone::close(&mut full, dim);
        prop_assert_eq!(zone::close_one(&mut zone, dim, x), some);
        if some {
            prop_assert_eq!(zone, full);
        }
    }

    #[test]
    fn delaying((spec, zone) in one(), seed: u64) {
        let dim = spec.dim;
        let (mut later, mut earlier) = (zone.clone(), zone.clone());
        zone::delay(&mut later, dim);
        zone::past(&mut earlier, dim);
        prop_assert!(zone::is_closed(&later, dim) && zone::is_closed(&earlier, dim));
        let none = vec![false; dim];
        for point in looks(&zone, dim, seed) {
            let from = delays(dim).any(|d| spec.holds(&moved(&point, -d, &none), scale(dim)));
            let to = delays(dim).any(|d| spec.holds(&moved(&point, d, &none), scale(dim)));
            prop_assert_eq!(has(&later, dim, &point), from);
            prop_assert_eq!(has(&earlier, dim, &point), to);
        }
        let mut same = zone.clone();
        zone::delay_except(&mut same, dim, &none);
        prop_assert_eq!(&same, &later);
        let mut same = zone.clone();
        zone::past_except(&mut same, dim, &none);
        prop_assert_eq!(&same, &earlier);
    }

    #[test]
    fn delaying_within_bounds(
        (spec, zone) in (2..=20_usize).prop_flat_map(full),
        ceilings in prop::collection::vec(prop_oneof![(5..20 as Number).prop_map(Some), Just(None)], 20),
        strict: bool,
    ) {
        let dim = spec.dim;
        let bound = |most: Number| if strict { zone::lt(most) } else { zone::le(most) };
        let ceilings: Vec<(usize, Number)> =
            ceilings[..dim].iter().enumerate().skip(1).filter_map(|(x, most)| Some((x, bound((*most)?)))).collect();
        let limit = |zone: &mut [Number]| ceilings.iter().all(|(x, most)| zone::constrain(zone, dim, *x, 0, *most));
        let mut before = zone.clone();
        prop_assume!(limit(&mut before));
        let mut expected = before.clone();
        zone::delay(&mut expected, dim);
        prop_assert!(limit(&mut expected));
        zone::delay_within(&mut before, dim, &ceilings);
        prop_assert_eq!(before, expected);
    }

    #[test]
    fn delaying_with_stopped_clocks((spec, zone) in one(), stopped in prop::collection::vec(any::<bool>(), 4), seed: u64) {
        let dim = spec.dim;
        let stopped = &stopped[..dim];
        let (mut later, mut earlier) = (zone.clone(), zone.clone());
        zone::delay_except(&mut later, dim, stopped);
        zone::past_except(&mut earlier, dim, stopped);
        prop_assert!(zone::is_closed(&later, dim) && zone::is_closed(&earlier, dim));
        for point in looks(&zone, dim, seed) {
            if spec.holds(&point, scale(dim)) {
                for d in delays(dim).step_by(5) {
                    prop_assert!(has(&later, dim, &moved(&point, d, stopped)));
                    let before = moved(&point, -d, stopped);
                    prop_assert!(before.iter().any(|&v| v < 0) || has(&earlier, dim, &before));
                }
            }
        }
    }

    #[test]
    fn stopped_clocks_cost_no_more_than_they_must((spec, zone) in one(), stopped in prop::collection::vec(any::<bool>(), 4)) {
        let dim = spec.dim;
        // Without strict bounds the extreme points are integers, so the hulls of integer steps
        // reach as far.
        let zone: Vec<Number> = zone.iter().map(|&b| if b < Number::INFINITY { b | 1 } else { b }).collect();
        let (mut later, mut earlier) = (zone.clone(), zone.clone());
        zone::delay_except(&mut later, dim, &stopped[..dim]);
        zone::past_except(&mut earlier, dim, &stopped[..dim]);
        let (mut hull_later, mut hull_earlier) = (zone.clone(), zone.clone());
        for steps in 1..=TOP as Number {
            let (mut on, mut back, mut some) = (zone.clone(), zone.clone(), true);
            for x in (1..dim).filter(|&x| !stopped[x]) {
                zone::copy(&mut on, dim, x, x, steps);
                some = some && zone::undo_copy(&mut back, dim, x, x, steps);
            }
            zone::convex_hull(&mut hull_later, &on);
            if some {
                zone::convex_hull(&mut hull_earlier, &back);
            }
        }
        let reaches = |exact: Number, steps: Number| {
            let unbounded = exact == Number::INFINITY && zone::value(steps) >= TOP as Number - 8;
            unbounded || exact == steps
        };
        prop_assert!(later.iter().zip(&hull_later).all(|(&a, &b)| reaches(a, b)));
        prop_assert!(earlier.iter().zip(&hull_earlier).all(|(&a, &b)| reaches(a, b)));
    }

    #[test]
    fn setting_a_clock((spec, zone) in one(), x: prop::sample::Index, y: prop::sample::Index, value in 0..5 as Number, seed: u64) {
        let dim = spec.dim;
        let (x, y) = (1 + x.index(dim - 1), y.index(dim));
        let (mut reset, mut copied, mut freed) = (zone.clone(), zone.clone(), zone.clone());
        zone::reset(&mut reset, dim, x, value);
        zone::copy(&mut copied, dim, x, y, value);
        zone::free(&mut freed, dim, x);
        prop_assert!([&reset, &copied, &freed].iter().all(|z| zone::is_closed(z, dim)));
        let offset = i64::from(value) * scale(dim);
        for start in looks(&zone, dim, seed) {
            let exists = delays(dim).any(|t| spec.holds(&with(&start, x, t), scale(dim)));
            prop_assert_eq!(has(&freed, dim, &start), exists);
            for point in [start.clone(), with(&start, x, offset)] {
                prop_assert_eq!(has(&reset, dim, &point), point[x] == offset && exists);
            }
            for point in [start.clone(), with(&start, x, start[y] + offset)] {
                let expected = if x == y {
                    spec.holds(&with(&point, x, point[x] - offset), scale(dim))
                } else {
                    point[x] == point[y] + offset && exists
                };
                prop_assert_eq!(has(&copied, dim, &point), expected);
            }
        }
    }

    #[test]
    fn setting_a_clock_back((spec, zone) in one(), x: prop::sample::Index, y: prop::sample::Index, value in -4..5 as Number, seed: u64) {
        let dim = spec.dim;
        let (x, y) = (1 + x.index(dim - 1), y.index(dim));
        let (mut reset, mut copied) = (zone.clone(), zone.clone());
        let some_reset = zone::undo_reset(&mut reset, dim, x, value);
        let some_copied = zone::undo_copy(&mut copied, dim, x, y, value);
        prop_assert!(!some_reset || zone::is_closed(&reset, dim));
        prop_assert!(!some_copied || zone::is_closed(&copied, dim));
        let offset = i64::from(value) * scale(dim);
        for point in looks(&zone, dim, seed) {
            let expected = spec.holds(&with(&point, x, offset), scale(dim));
            prop_assert_eq!(some_reset && has(&reset, dim, &point), expected);
            let expected = spec.holds(&with(&point, x, point[y] + offset), scale(dim));
            prop_assert_eq!(some_copied && has(&copied, dim, &point), expected);
        }
    }

    #[test]
    fn what_is_after_before_is_what_is_before_after(
        ((spec, from), (_, to)) in pair(), x: prop::sample::Index, y: prop::sample::Index, value in 0..5 as Number, time: bool
    ) {
        let dim = spec.dim;
        let (x, y) = (1 + x.index(dim - 1), y.index(dim));
        let (mut after, mut before) = (from.clone(), to.clone());
        zone::copy(&mut after, dim, x, y, value);
        if time {
            zone::delay(&mut after, dim);
            zone::past(&mut before, dim);
        }
        let forwards = zone::intersect(&mut after, dim, &to);
        let backwards = zone::undo_copy(&mut before, dim, x, y, value) && zone::intersect(&mut before, dim, &from);
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn intersecting(((a, zone_a), (b, zone_b)) in pair(), seed: u64) {
        let dim = a.dim;
        for other in [&zone_b, &b.raw()] {
            let mut both = zone_a.clone();
            let some = zone::intersect(&mut both, dim, other);
            prop_assert!(!some || zone::is_closed(&both, dim));
            for point in looks(&zone_a, dim, seed).into_iter().chain(looks(&zone_b, dim, seed)) {
                let expected = a.holds(&point, scale(dim)) && b.holds(&point, scale(dim));
                prop_assert_eq!(some && has(&both, dim, &point), expected);
            }
        }
    }

    #[test]
    fn the_hull_is_the_least(((a, zone_a), (_, zone_b)) in pair()) {
        let dim = a.dim;
        let mut hull = zone_a.clone();
        zone::convex_hull(&mut hull, &zone_b);
        prop_assert!(zone::is_closed(&hull, dim));
        prop_assert!(zone::is_included(&zone_a, &hull) && zone::is_included(&zone_b, &hull));
        for x in 0..dim {
            for y in (0..dim).filter(|&y| y != x) {
                // With any tighter bound, a point of one of the two zones would be lost.
                let tighter = (hull[x * dim + y] - 1).min(zone::le(1000));
                let lost = |z: &[Number]| zone::satisfies(z, dim, y, x, zone::negate(tighter));
                prop_assert!(lost(&zone_a) || lost(&zone_b));
            }
        }
    }

    #[test]
    fn comparing(((a, zone_a), (b, mut zone_b)) in pair(), related: bool) {
        let dim = a.dim;
        if related {
            zone::convex_hull(&mut zone_b, &zone_a);
        }
        let inside = |a: &[Number], b: &[Number]| {
            // A point of `a` outside of `b` violates some bound of `b`.
            (0..dim * dim).all(|at| b[at] >= Number::INFINITY || {
                let mut rest = a.to_vec();
                !zone::constrain(&mut rest, dim, at % dim, at / dim, zone::negate(b[at]))
            })
        };
        let (le, ge) = (inside(&zone_a, &zone_b), inside(&zone_b, &zone_a));
        prop_assert_eq!(zone::is_included(&zone_a, &zone_b), le);
        let expected = match (le, ge) {
            (true, true) => zone::Relation::Equal,
            (true, false) => zone::Relation::Subset,
            (false, true) => zone::Relation::Superset,
            (false, false) => zone::Relation::Different,
        };
        prop_assert_eq!(zone::relation(&zone_a, &zone_b), expected);
        if dim < 4 && !related {
            let mut points = super::oracle::grid(dim, dim as i64, 20).filter(|p| a.holds(p, dim as i64));
            prop_assert_eq!(le, points.all(|p| b.holds(&p, dim as i64)));
        }
    }
}

#[test]
fn the_first_zones() {
    for dim in 1..6 {
        let mut zone = vec![0; dim * dim];
        zone::zero(&mut zone, dim);
        assert!(zone::is_closed(&zone, dim));
        assert!(has(&zone, dim, &vec![0; dim]));
        zone::universe(&mut zone, dim);
        assert!(zone::is_closed(&zone, dim));
        assert!(has(&zone, dim, &(0..dim as i64).map(|x| x * 1000).collect::<Vec<_>>()));
        assert!(dim == 1 || !zone::satisfies(&zone, dim, 1, 0, zone::lt(0)));
        assert!(dim == 1 || zone::satisfies(&zone, dim, 1, 0, Number::LE_ZERO));
    }
}

#[test]
fn large_dimensions_agree_with_the_textbook() {
    for dim in 2..40_usize {
        let mut random = super::oracle::Random(dim as u64 * 7919 + 1);
        for _ in 0..20 {
            let point: Vec<i64> = (0..dim).map(|x| if x == 0 { 0 } else { random.below(50) }).collect();
            let mut zone = vec![0; dim * dim];
            zone::universe(&mut zone, dim);
            let (mut cut, mut naive) = (zone.clone(), super::oracle::Naive::universe(dim));
            for _ in 0..random.below(3 * dim as i64) {
                let (x, y) = (random.below(dim as i64) as usize, random.below(dim as i64) as usize);
                if x == y {
                    continue;
                }
                let (value, strict) = (point[x] - point[y] + random.below(10) - 1, random.below(2) == 0);
                naive.cut(x, y, value, strict);
                let bound = super::oracle::Constraint { x, y, value: value as i32, strict }.bound();
                zone[x * dim + y] = zone[x * dim + y].min(bound);
                if !cut.is_empty() && !zone::constrain(&mut cut, dim, x, y, bound) {
                    cut.clear();
                }
            }
            let some = naive.close();
            assert_eq!(zone::close(&mut zone, dim), some);
            assert_eq!(!cut.is_empty(), some);
            if some {
                assert_eq!(zone, naive.bounds());
                assert_eq!(zone, cut);
            }
        }
    }
}

#[test]
fn large_constants_only_weaken() {
    let dim = 3;
    let mut zone = vec![0; dim * dim];
    zone::universe(&mut zone, dim);
    let large = Number::MAX_CONSTANT;
    assert!(zone::fits(&zone));
    assert!(zone::constrain(&mut zone, dim, 0, 1, zone::le(-large)));
    assert!(zone::fits(&zone));
    for _ in 0..100 {
        zone::copy(&mut zone, dim, 1, 1, large);
        zone::copy(&mut zone, dim, 2, 1, large);
        assert!(!zone::fits(&zone));
        assert!(zone.iter().all(|b| (Number::FLOOR..=Number::INFINITY).contains(b)));
        assert!(zone::close(&mut zone, dim));
    }
}
