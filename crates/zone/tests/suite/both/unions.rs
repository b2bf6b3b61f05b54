//! Minimal forms, differences and unions of zones.

use super::Number;
use super::oracle::{Spec, config, dims, full, probes};
use proptest::prelude::*;
use zone::Federation;

type Drawn = (Spec, Vec<Number>);

fn pair() -> impl Strategy<Value = (Drawn, Drawn)> {
    dims().prop_flat_map(|dim| (full(dim), full(dim)))
}

/// Generates some zones over the same clocks.
fn several(most: usize) -> impl Strategy<Value = (usize, Vec<Drawn>)> {
    dims().prop_flat_map(move |dim| (Just(dim), prop::collection::vec(full(dim), 0..=most)))
}

fn union(dim: usize, zones: &[Drawn]) -> Federation<Number> {
    let mut union = Federation::new(dim);
    zones.iter().for_each(|(_, zone)| union.push(zone));
    union
}

fn overlap(a: &[Number], b: &[Number], dim: usize) -> bool {
    let mut both = a.to_vec();
    zone::intersect(&mut both, dim, b)
}

fn are_disjoint(zones: &Federation<Number>) -> bool {
    let all: Vec<&[Number]> = zones.zones().collect();
    (0..all.len()).all(|i| (0..i).all(|j| !overlap(all[i], all[j], zones.dim())))
}

fn are_closed(zones: &Federation<Number>) -> bool {
    zones.zones().all(|zone| zone::is_closed(zone, zones.dim()))
}

/// Returns points in and around each of the zones.
fn looks(zones: &[Drawn], dim: usize, seed: u64) -> Vec<Vec<i64>> {
    zones.iter().flat_map(|(_, zone)| probes(zone, dim, dim as i64, 20, seed)).collect()
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn minimal_forms((spec, drawn) in prop_oneof![20 => 2..=6_usize, 1 => 7..=20_usize].prop_flat_map(full), fixed: prop::sample::Index, at: prop::sample::Index) {
        let dim = spec.dim;
        let mut zone = drawn.clone();
        // Clocks with a constant difference are the hard case.
        zone::copy(&mut zone, dim, 1 + fixed.index(dim - 1), at.index(dim), 2);
        for zone in [drawn, zone] {
            let (mut form, mut back) = (Vec::new(), vec![0; dim * dim]);
            zone::reduce(&zone, dim, &mut form);
            zone::restore(&form, &mut back, dim);
            prop_assert_eq!(&back, &zone);
            // No constraint is redundant.
            for spared in 0..form.len() / 2 {
                let mut fewer = form.clone();
                fewer.drain(2 * spared..2 * spared + 2);
                zone::restore(&fewer, &mut back, dim);
                prop_assert_ne!(&back, &zone);
            }
        }
    }

    #[test]
    fn compact_forms((spec, drawn) in prop_oneof![20 => 2..=6_usize, 1 => 7..=20_usize].prop_flat_map(full), fixed: prop::sample::Index, at: prop::sample::Index, other: prop::sample::Index) {
        let dim = spec.dim;
        let mut zone = drawn.clone();
        zone::copy(&mut zone, dim, 1 + fixed.index(dim - 1), at.index(dim), 2);
        let mut compactor = zone::Compactor::default();
        for zone in [drawn, zone] {
            let (mut narrow, mut back) = (vec![0; dim * dim], vec![0; dim * dim]);
            if !zone::narrow(&zone, &mut narrow) {
                continue;
            }
            let form = compactor.form(&narrow, dim);
            zone::restore_compact(&form, &mut back, dim);
            prop_assert_eq!(&back, &zone);
            prop_assert!(zone::is_compact_form(&form, &narrow, dim));
            // It is not the form of zones in this one, or around it.
            for change in 0..4 {
                let (mut changed, x) = (zone.clone(), 1 + other.index(dim - 1));
                match change {
                    0 => zone::free(&mut changed, dim, x),
                    1 => zone::delay(&mut changed, dim),
                    2 => zone::reset(&mut changed, dim, x, 1),
                    _ => {
                        let bound = zone[x * dim] - 2;
                        if bound + zone[x] < 2 || !zone::constrain(&mut changed, dim, x, 0, bound) {
                            continue;
                        }
                    }
                }
                let mut narrow = vec![0; dim * dim];
                let is_same = zone::narrow(&changed, &mut narrow) && zone::is_compact_form(&form, &narrow, dim);
                prop_assert_eq!(is_same, changed == zone);
            }
        }
    }

    #[test]
    fn inclusion_in_a_minimal_form(((a, zone_a), (_, mut zone_b)) in pair(), related: bool) {
        if related {
            zone::convex_hull(&mut zone_b, &zone_a);
        }
        let mut form = Vec::new();
        zone::reduce(&zone_b, a.dim, &mut form);
        prop_assert_eq!(zone::is_included_in_reduced(&zone_a, &form), zone::is_included(&zone_a, &zone_b));
    }

    #[test]
    fn a_difference_and_the_subtracted_zones_cover_the_whole(((a, zone_a), (b, zone_b)) in pair(), seed: u64) {
        let dim = a.dim;
        let mut rest = Federation::new(dim);
        zone::subtract(&zone_a, &zone_b, dim, &mut rest);
        prop_assert!(are_closed(&rest) && are_disjoint(&rest));
        prop_assert!(rest.zones().all(|piece| zone::is_included(piece, &zone_a) && !overlap(piece, &zone_b, dim)));
        let scale = dim as i64;
        for point in looks(&[(a.clone(), zone_a.clone()), (b.clone(), zone_b.clone())], dim, seed) {
            prop_assert_eq!(rest.contains(&point, scale), a.holds(&point, scale) && !b.holds(&point, scale));
        }
        rest.push(&zone_b);
        prop_assert!(rest.includes(&zone_a));
    }

    #[test]
    fn unions_are_sets((dim, zones) in several(3), split in 0..4_usize, seed: u64) {
        let (left, right) = zones.split_at(split.min(zones.len()));
        let (a, b) = (union(dim, left), union(dim, right));
        let (mut both, mut minus, mut all) = (a.clone(), a.clone(), a.clone());
        both.intersect(&b);
        minus.subtract(&b);
        all.append(&b);
        let mut short = all.clone();
        short.shorten();
        prop_assert!(are_closed(&both) && are_closed(&minus) && are_closed(&short));
        prop_assert!(short.len() <= all.len());
        prop_assert!(all.zones().all(|zone| short.includes(zone)) && short.zones().all(|zone| all.includes(zone)));
        for (_, zone) in left {
            let mut rest = Federation::new(dim);
            rest.push(zone);
            rest.subtract(&b);
            prop_assert_eq!(b.includes(zone), rest.is_empty());
        }
        let scale = dim as i64;
        let holds = |zones: &[Drawn], point: &[i64]| zones.iter().any(|(spec, _)| spec.holds(point, scale));
        for point in looks(&zones, dim, seed) {
            let (in_a, in_b) = (holds(left, &point), holds(right, &point));
            prop_assert_eq!(both.contains(&point, scale), in_a && in_b);
            prop_assert_eq!(minus.contains(&point, scale), in_a && !in_b);
            prop_assert_eq!(all.contains(&point, scale), in_a || in_b);
            prop_assert_eq!(short.contains(&point, scale), in_a || in_b);
        }
    }

    #[test]
    fn cutting_and_merging((spec, zone) in dims().prop_flat_map(full), x: prop::sample::Index, y: prop::sample::Index, value in -4..6 as Number) {
        let dim = spec.dim;
        let (x, y) = (x.index(dim), y.index(dim));
        let (mut low, mut high) = (zone.clone(), zone.clone());
        if x != y && zone::constrain(&mut low, dim, x, y, zone::le(value)) && zone::constrain(&mut high, dim, y, x, zone::lt(-value)) {
            prop_assert!(zone::merge(&mut low, &high, dim));
            prop_assert_eq!(&low, &zone);
        }
    }

    #[test]
    fn merging_adds_nothing(((a, zone_a), (_, zone_b)) in pair()) {
        let dim = a.dim;
        let mut merged = zone_a.clone();
        let mut both = Federation::new(dim);
        both.push(&zone_a);
        both.push(&zone_b);
        if zone::merge(&mut merged, &zone_b, dim) {
            prop_assert!(both.includes(&merged));
            prop_assert!(zone::is_included(&zone_a, &merged) && zone::is_included(&zone_b, &merged));
        } else {
            prop_assert_eq!(&merged, &zone_a);
            zone::convex_hull(&mut merged, &zone_b);
            prop_assert!(!both.includes(&merged));
        }
    }
}

#[test]
fn zones_changed_in_place() {
    let (mut zone, mut zones) = (vec![0; 4], Federation::new(2));
    for low in 0..4 {
        zone::universe(&mut zone, 2);
        assert!(zone::constrain(&mut zone, 2, 0, 1, zone::le(-low)));
        assert!(zone::constrain(&mut zone, 2, 1, 0, zone::le(low)));
        zones.push(&zone);
    }
    zones.retain(|zone| zone::constrain(zone, 2, 1, 0, zone::le(2)));
    assert_eq!(zones.len(), 3);
    zones.retain(|zone| {
        zone::delay(zone, 2);
        true
    });
    zones.shorten();
    zone::universe(&mut zone, 2);
    assert_eq!(zones.zones().collect::<Vec<_>>(), [&zone]);
}
