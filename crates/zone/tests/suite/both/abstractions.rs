//! Compares extrapolation and subsumption with their definitions.

use super::Number;
use super::oracle::{Naive, Spec, clock_bounds, config, dims, full, grid};
use proptest::prelude::*;
use zone::Bound;

type Drawn = (Spec, Vec<Number>);

/// Two zones and bounds L and U.
fn two(dims: impl Strategy<Value = usize>) -> impl Strategy<Value = (Drawn, Drawn, Vec<Number>, Vec<Number>)> {
    dims.prop_flat_map(|dim| (full(dim), full(dim), clock_bounds(dim), clock_bounds(dim)))
}

/// Returns whether `point` is simulated by a point `v'` of `zone`. For each clock, one of three
/// constraints on `v'` must hold, so all choices are tried.
fn is_simulated(point: &[i64], scale: i64, zone: &Naive, lower: &[Number], upper: &[Number]) -> bool {
    let dim = zone.dim;
    (0..3_u32.pow(dim as u32 - 1)).any(|choice| {
        let mut target = zone.clone();
        for x in 1..dim {
            let v = point[x];
            let beyond = |bound: Number| if bound == Number::NONE { -1 } else { i64::from(bound) * scale };
            match choice / 3_u32.pow(x as u32 - 1) % 3 {
                0 => {
                    target.cut(x, 0, v, false);
                    target.cut(0, x, -v, false);
                }
                1 => {
                    target.cut(x, 0, v, true);
                    target.cut(0, x, -beyond(lower[x]), true);
                }
                _ => {
                    if v <= beyond(upper[x]) {
                        return false;
                    }
                    target.cut(0, x, -v, true);
                }
            }
        }
        target.close()
    })
}

/// The definitions of Extra_LU and Extra⁺_LU, entry by entry from the old matrix.
fn extra_by_definition(zone: &[Number], dim: usize, lower: &[Number], upper: &[Number], plus: bool) -> Vec<Number> {
    let old = Naive::of(zone, dim, 1);
    let mut new = old.clone();
    let lower = |x: usize| if lower[x] == Number::NONE { i64::MIN } else { i64::from(lower[x]) };
    let upper = |x: usize| if upper[x] == Number::NONE { i64::MIN } else { i64::from(upper[x]) };
    for i in 0..dim {
        for j in (0..dim).filter(|&j| j != i) {
            let Some((c, _)) = old.entries[i * dim + j] else { continue };
            let least = |x: usize| -old.entries[x].expect("clocks are not negative").0;
            let weak = match (upper(j), i) {
                (i64::MIN, 0) => Some((0, false)),
                (i64::MIN, _) => None,
                (u, _) => Some((-u, true)),
            };
            let dropped = c > lower(i) || (plus && i > 0 && (least(i) > lower(i) || least(j) > upper(j)));
            let weakened = if plus { i == 0 && least(j) > upper(j) } else { -c > upper(j) };
            new.entries[i * dim + j] = match (dropped, weakened) {
                (true, _) => None,
                (false, true) => weak,
                (false, false) => old.entries[i * dim + j],
            };
        }
    }
    assert!(new.close());
    new.bounds()
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn extrapolation_is_as_defined(((spec, zone), _, lower, upper) in two(2..=6_usize)) {
        let dim = spec.dim;
        for (plus, extra) in [(false, zone::extra_lu as fn(&mut [Number], usize, &[Number], &[Number])), (true, zone::extra_lu_plus)] {
            for delayed in [false, true] {
                let mut zone = zone.clone();
                if delayed {
                    zone::delay(&mut zone, dim);
                }
                let mut large = zone.clone();
                extra(&mut large, dim, &lower, &upper);
                prop_assert_eq!(&large, &extra_by_definition(&zone, dim, &lower, &upper, plus));
                prop_assert!(zone::is_included(&zone, &large));
                prop_assert!(zone::is_subsumed(&large, &zone, dim, &lower, &upper));
            }
        }
    }

    #[test]
    fn extrapolations_are_ordered(((spec, zone), _, lower, upper) in two(dims())) {
        let dim = spec.dim;
        let most: Vec<Number> = lower.iter().zip(&upper).map(|(&l, &u)| l.max(u)).collect();
        let grown = |f: &dyn Fn(&mut [Number])| { let mut z = zone.clone(); f(&mut z); z };
        let m = grown(&|z| zone::extra_m(z, dim, &most));
        let m_plus = grown(&|z| zone::extra_m_plus(z, dim, &most));
        let lu = grown(&|z| zone::extra_lu(z, dim, &lower, &upper));
        let lu_plus = grown(&|z| zone::extra_lu_plus(z, dim, &lower, &upper));
        prop_assert!(zone::is_included(&m, &m_plus) && zone::is_included(&m_plus, &lu_plus));
        prop_assert!(zone::is_included(&m, &lu) && zone::is_included(&lu, &lu_plus));
        // The remaining bounds are sums of L and differences of U, so there are finitely many.
        let reach: Number = most.iter().filter(|&&b| b != Number::NONE).sum::<Number>() + 1;
        for z in [&m, &m_plus, &lu, &lu_plus] {
            prop_assert!(z.iter().all(|&b| b >= Number::INFINITY || zone::value(b).abs() <= reach));
        }
    }

    #[test]
    fn subsumption_is_weaker_than_inclusion((a, b, lower, upper) in two(dims()), related: bool) {
        let (dim, zone_a, mut zone_b) = (a.0.dim, a.1, b.1);
        if related {
            zone::convex_hull(&mut zone_b, &zone_a);
        }
        prop_assert!(zone::is_subsumed(&zone_a, &zone_a, dim, &lower, &upper));
        if zone::is_included(&zone_a, &zone_b) {
            prop_assert!(zone::is_subsumed(&zone_a, &zone_b, dim, &lower, &upper));
        }
        let none = [vec![0], vec![Number::NONE; dim - 1]].concat();
        prop_assert!(zone::is_subsumed(&zone_a, &zone_b, dim, &none, &none));
    }

    #[test]
    fn subsumption_is_transitive((a, b, lower, upper) in two(dims()), grow in 0..4) {
        let dim = a.0.dim;
        let (first, mut second) = (a.1, b.1);
        let mut third = first.clone();
        match grow {
            0 => zone::convex_hull(&mut second, &first),
            1 => { zone::extra_lu_plus(&mut third, dim, &lower, &upper); }
            2 => { second.clone_from(&first); zone::extra_lu_plus(&mut second, dim, &lower, &upper); zone::delay(&mut third, dim) }
            _ => zone::convex_hull(&mut third, &second),
        }
        let below = |x: &[Number], y: &[Number]| zone::is_subsumed(x, y, dim, &lower, &upper);
        for (x, y, z) in [(&first, &second, &third), (&second, &first, &third), (&third, &second, &first), (&second, &third, &first)] {
            prop_assert!(!(below(x, y) && below(y, z)) || below(x, z));
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn many_clocks_agree_with_the_definitions(((spec, zone), (_, other), lower, upper) in two(7..=22_usize)) {
        let dim = spec.dim;
        for mut zone in [zone, other] {
            zone::delay(&mut zone, dim);
            let (mut lu, mut lu_plus) = (zone.clone(), zone.clone());
            zone::extra_lu(&mut lu, dim, &lower, &upper);
            zone::extra_lu_plus(&mut lu_plus, dim, &lower, &upper);
            prop_assert_eq!(&lu, &extra_by_definition(&zone, dim, &lower, &upper, false));
            prop_assert_eq!(&lu_plus, &extra_by_definition(&zone, dim, &lower, &upper, true));
            prop_assert_eq!(zone::is_subsumed(&lu_plus, &zone, dim, &lower, &upper), true);
        }
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn subsumption_is_as_defined((a, b, lower, upper) in two(2..=3_usize), shape in 0..4) {
        let (dim, mut zone_a, mut zone_b) = (a.0.dim, a.1, b.1);
        // Two independent random zones are seldom close to each other.
        match shape {
            0 => zone::convex_hull(&mut zone_b, &zone_a),
            1 => { zone_b.clone_from(&zone_a); zone::extra_lu_plus(&mut zone_a, dim, &lower, &upper); }
            2 => zone::delay(&mut zone_b, dim),
            _ => {}
        }
        let scale = dim as i64;
        let naive = Naive::of(&zone_b, dim, scale);
        let mut points = grid(dim, scale, 16).filter(|p| zone::contains(&zone_a, dim, p, scale));
        let expected = points.all(|p| is_simulated(&p, scale, &naive, &lower, &upper));
        prop_assert_eq!(zone::is_subsumed(&zone_a, &zone_b, dim, &lower, &upper), expected);
    }
}
