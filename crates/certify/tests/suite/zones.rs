//! Compares the zones of the checker with an enumeration of valuations.
//!
//! Bounds are at most 2, so every nonempty set has a valuation below 7. Three clocks have at most
//! three different fractions, so two sets are equal if they agree on all multiples of a quarter.

use certify::{DifferenceBound, DifferenceConstraint, Uncovered, Zone, outside};
use oracle::random::Rng;

/// The reference and three clocks.
const CLOCKS: usize = 4;
/// Quarters.
const STEP: i64 = 4;
const LIMIT: i64 = 7 * STEP;

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn valuations() -> Vec<[i64; CLOCKS]> {
    let range = 0..=LIMIT;
    let pairs = range.clone().flat_map(|x| (0..=LIMIT).map(move |y| (x, y)));
    pairs.flat_map(|(x, y)| (0..=LIMIT).map(move |z| [0, x, y, z])).collect()
}

fn satisfies(v: &[i64; CLOCKS], constraints: &[DifferenceConstraint]) -> bool {
    satisfies_scaled(v, constraints, STEP)
}

fn satisfies_scaled(v: &[i64; CLOCKS], constraints: &[DifferenceConstraint], step: i64) -> bool {
    constraints.iter().all(|c| {
        let Some(number) = c.bound.number() else { return true };
        let (difference, most) = (i128::from(v[c.left as usize] - v[c.right as usize]), number * i128::from(step));
        if c.bound.is_strict() { difference < most } else { difference <= most }
    })
}

fn constraints(rng: &mut Rng, most: usize) -> Vec<DifferenceConstraint> {
    let one = |rng: &mut Rng| {
        let left = rng.below(CLOCKS) as u32;
        let right = (left + 1 + rng.below(CLOCKS - 1) as u32) % CLOCKS as u32;
        DifferenceConstraint { left, right, bound: DifferenceBound::new(i64::from(rng.between(-2, 2)), rng.chance(50)) }
    };
    (0..rng.below(most + 1)).map(|_| one(rng)).collect()
}

/// Calls `f` with constraints, and with their zone if it is not empty.
fn each(mut f: impl FnMut(&mut Rng, &[DifferenceConstraint], Option<Zone>)) {
    for seed in oracle::seeds(0..cases()) {
        let mut rng = Rng::new(seed);
        let list = constraints(&mut rng, 5);
        let zone = Zone::of(CLOCKS, &list);
        f(&mut rng, &list, zone);
    }
}

#[track_caller]
fn same(zone: Option<&Zone>, expected: impl Fn(&[i64; CLOCKS]) -> bool) {
    let list = zone.map(Zone::constraints);
    for v in valuations() {
        assert_eq!(list.as_ref().is_some_and(|list| satisfies(&v, list)), expected(&v), "{v:?} {list:?}");
    }
}

#[test]
fn constraints_make_zones() {
    let mut empty = 0;
    each(|_, list, zone| {
        empty += usize::from(zone.is_none());
        same(zone.as_ref(), |v| satisfies(v, list));
        // Adding the constraints one at a time gives the same zone.
        let mut one_by_one = Zone::all(CLOCKS);
        let left = list.iter().all(|c| one_by_one.constrain(c.left as usize, c.right as usize, c.bound));
        assert_eq!(left.then_some(one_by_one), zone);
    });
    assert!(empty > 0 && empty < cases() as usize);
}

#[test]
fn zones_are_compared_and_intersected() {
    each(|rng, a, zone| {
        let Some(zone) = zone else { return };
        let b = constraints(rng, 3);
        let inside = valuations().iter().filter(|v| satisfies(v, a)).all(|v| satisfies(v, &b));
        assert_eq!(zone.satisfies(&b), inside, "{a:?} {b:?}");
        let Some(other) = Zone::of(CLOCKS, &b) else { return };
        assert_eq!(zone.is_within(&other), inside);
        same(zone.and(&other).as_ref(), |v| satisfies(v, a) && satisfies(v, &b));
    });
}

#[test]
fn subtraction_removes_exactly_the_other_zone() {
    each(|rng, a, zone| {
        let Some(zone) = zone else { return };
        let b = constraints(rng, 4);
        let pieces: Vec<Vec<DifferenceConstraint>> = zone.without(&b).iter().map(Zone::constraints).collect();
        for v in valuations() {
            let holders = pieces.iter().filter(|p| satisfies(&v, p)).count();
            assert_eq!(holders, usize::from(satisfies(&v, a) && !satisfies(&v, &b)), "{v:?} {a:?} {b:?}");
        }
    });
}

#[test]
fn unions_cover_what_no_single_zone_covers() {
    let mut joint = 0;
    each(|rng, a, zone| {
        let Some(zone) = zone else { return };
        let mut others: Vec<Vec<DifferenceConstraint>> = (0..2).map(|_| constraints(rng, 2)).collect();
        // Zones that begin close to where another one ends.
        let opposite = others.iter().flatten().map(|c| {
            let number = -c.bound.number().unwrap() + i128::from(rng.between(-1, 1));
            vec![DifferenceConstraint {
                left: c.right,
                right: c.left,
                bound: DifferenceBound::new(number, rng.chance(50)),
            }]
        });
        let opposite: Vec<Vec<DifferenceConstraint>> = opposite.collect();
        others.extend(opposite);
        let covered = |v: &[i64; CLOCKS]| others.iter().any(|other| satisfies(v, other));
        let missing = valuations().into_iter().find(|v| satisfies(v, a) && !covered(v));
        let rest = outside(&zone, others.iter().map(Vec::as_slice));
        match rest {
            Uncovered::Nothing => assert_eq!(missing, None, "{a:?} {others:?}"),
            Uncovered::Some(part) => {
                let part = part.constraints();
                let is_outside = |v: &[i64; CLOCKS]| satisfies(v, a) && !covered(v);
                assert!(valuations().iter().filter(|v| satisfies(v, &part)).all(is_outside), "{a:?} {others:?}");
                assert!(missing.is_some(), "{a:?} {others:?}");
            }
            Uncovered::Unknown => panic!("a few zones are not too many"),
        }
        joint += usize::from(missing.is_none() && !others.iter().any(|other| zone.satisfies(other)));
    });
    assert!(joint > 0 || cases() < 60);
}

#[test]
fn time_passes_forward_and_backward() {
    let mut exact = 0;
    each(|rng, a, zone| {
        let Some(zone) = zone else { return };
        let stopped = [false, rng.chance(30), rng.chance(30), false];
        // Eighths, since a moment may lie between two quarters.
        let at = |v: &[i64; CLOCKS], by: i64| {
            let mut v = v.map(|x| 2 * x);
            (1..CLOCKS).filter(|x| !stopped[*x]).for_each(|x| v[x] += by);
            v.iter().all(|x| *x >= 0) && satisfies_scaled(&v, a, 2 * STEP)
        };
        let (later, earlier) = (zone.later(&stopped).constraints(), zone.earlier(&stopped).constraints());
        let is_exact = zone.moves_exactly(&stopped);
        assert!(is_exact || stopped != [false; CLOCKS]);
        exact += usize::from(is_exact && stopped != [false; CLOCKS]);
        for v in valuations() {
            let was = (0..=2 * LIMIT).any(|t| at(&v, -t));
            let will = (0..=4 * LIMIT).any(|t| at(&v, t));
            for (found, expected, which) in [(&later, was, "later"), (&earlier, will, "earlier")] {
                let found = satisfies(&v, found);
                assert!(found == expected || !is_exact && found, "{which} {v:?} {a:?} {stopped:?}");
            }
        }
    });
    assert!(exact > 0);
}

#[test]
fn some_time_passes() {
    let mut exact = 0;
    each(|rng, a, zone| {
        let Some(zone) = zone else { return };
        let stopped = [false, rng.chance(30), rng.chance(30), false];
        let later = zone.strictly_later(&stopped).constraints();
        let is_exact = zone.moves_exactly(&stopped);
        exact += usize::from(is_exact && stopped != [false; CLOCKS]);
        for v in valuations() {
            let was = (1..=2 * LIMIT).any(|t| {
                // Halves of quarters, for bounds that are strict on both sides.
                let mut double = v.map(|x| 2 * x);
                (1..CLOCKS).filter(|x| !stopped[*x]).for_each(|x| double[x] -= t);
                double.iter().all(|x| *x >= 0) && satisfies_scaled(&double, a, 2 * STEP)
            });
            let found = satisfies(&v, &later);
            assert!(found == was || !is_exact && found, "{v:?} {a:?} {stopped:?}");
        }
    });
    assert!(exact > 0);
}

#[test]
fn points_are_zones() {
    let point = Zone::point(&[0, 3, 5, 0]);
    same(Some(&point), |v| *v == [0, 3 * STEP, 5 * STEP, 0]);
}
