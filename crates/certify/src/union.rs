//! Unions of zones.

use crate::zone::{DifferenceConstraint, Zone};

/// The greatest number of pieces in a subtraction.
const MAX_PIECES: usize = 200_000;
/// The greatest number of comparisons of a piece with a zone in a subtraction.
const MAX_COMPARISONS: usize = 50_000_000;

/// The part of a zone outside of a union of zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncovered {
    /// The zone is included in the union.
    Nothing,
    /// This part is outside.
    Some(Zone),
    /// Undecided: there are too many pieces.
    Unknown,
}

/// Returns a part of a zone that is in none of the others, each given by its constraints.
pub fn outside<'a>(zone: &Zone, others: impl Iterator<Item = &'a [DifferenceConstraint]> + Clone) -> Uncovered {
    // Usually one of them contains the zone.
    if others.clone().any(|other| zone.satisfies(other)) {
        return Uncovered::Nothing;
    }
    outside_within(zone, &others.collect::<Vec<&[DifferenceConstraint]>>(), MAX_PIECES, MAX_COMPARISONS)
}

/// Does the same within limits on pieces and comparisons.
fn outside_within(zone: &Zone, others: &[&[DifferenceConstraint]], pieces: usize, mut work: usize) -> Uncovered {
    // A piece, and the first of the others that was not subtracted from it yet.
    let mut open = vec![(zone.clone(), 0)];
    let mut seen = 0;
    while let Some((piece, from)) = open.pop() {
        seen += 1;
        let Some(left) = work.checked_sub(2 * (others.len() - from)).filter(|_| seen <= pieces) else {
            return Uncovered::Unknown;
        };
        work = left;
        if others[from..].iter().any(|other| piece.satisfies(other)) {
            continue;
        }
        let Some(at) = (from..others.len()).find(|i| meets(&piece, others[*i])) else { return Uncovered::Some(piece) };
        open.extend(piece.without(others[at]).into_iter().map(|piece| (piece, at + 1)));
    }
    Uncovered::Nothing
}

fn meets(zone: &Zone, constraints: &[DifferenceConstraint]) -> bool {
    let mut both = zone.clone();
    constraints.iter().all(|c| both.constrain(c.left as usize, c.right as usize, c.bound))
}

/// Subtracts a zone from zones.
pub(crate) fn subtract(zones: Vec<Zone>, other: &Zone) -> Vec<Zone> {
    let constraints = other.constraints();
    let mut left = Vec::new();
    for zone in zones {
        // A zone that is disjoint from the other stays in one piece. Otherwise the number of pieces
        // would grow with each zone that is subtracted.
        if meets(&zone, &constraints) {
            left.extend(zone.without(&constraints));
        } else {
            left.push(zone);
        }
    }
    left
}

/// Removes zones that are included in others.
pub(crate) fn absorb(zones: impl IntoIterator<Item = Zone>) -> Vec<Zone> {
    let mut kept: Vec<Zone> = Vec::new();
    for zone in zones {
        if !kept.iter().any(|other| zone.is_within(other)) {
            kept.retain(|other| !other.is_within(&zone));
            kept.push(zone);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use oracle::random::Rng;

    use super::*;
    use crate::DifferenceBound;

    /// Bounds are at most 2. With two clocks every nonempty set has a valuation in quarters below
    /// 7.
    const STEP: i128 = 4;

    fn points() -> impl Iterator<Item = [i128; 3]> {
        (0..=7 * STEP).flat_map(|x| (0..=7 * STEP).map(move |y| [0, x, y]))
    }

    fn has(constraints: &[DifferenceConstraint], point: &[i128]) -> bool {
        constraints.iter().all(|c| {
            let difference = point[c.left as usize] - point[c.right as usize];
            c.bound.number().is_none_or(|n| difference < n * STEP || difference == n * STEP && !c.bound.is_strict())
        })
    }

    fn random(rng: &mut Rng, clocks: usize, max: usize) -> Vec<DifferenceConstraint> {
        let count = 1 + rng.below(max);
        let one = |rng: &mut Rng| {
            let left = rng.below(clocks);
            let right = (left + 1 + rng.below(clocks - 1)) % clocks;
            let bound = DifferenceBound::new(i64::from(rng.between(-2, 2)), rng.chance(50));
            DifferenceConstraint { left: left as u32, right: right as u32, bound }
        };
        (0..count).map(|_| one(rng)).collect()
    }

    fn zones(rng: &mut Rng, max: usize) -> Vec<Zone> {
        let count = rng.below(max + 1);
        (0..count).filter_map(|_| Zone::of(3, &random(rng, 3, 3))).collect()
    }

    #[test]
    fn unions_are_those_of_their_points() {
        let (mut inside, mut outside_of) = (0, 0);
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let Some(zone) = Zone::of(3, &random(&mut rng, 3, 3)) else { continue };
            let others = zones(&mut rng, 7);
            let lists: Vec<Vec<DifferenceConstraint>> = others.iter().map(Zone::constraints).collect();
            let in_others = |point: &[i128]| lists.iter().any(|list| has(list, point));
            let own = zone.constraints();
            match outside(&zone, lists.iter().map(Vec::as_slice)) {
                Uncovered::Nothing => {
                    inside += 1;
                    assert!(points().all(|p| !has(&own, &p) || in_others(&p)), "{seed}");
                }
                Uncovered::Some(part) => {
                    outside_of += 1;
                    let part = part.constraints();
                    assert!(points().any(|p| has(&part, &p)), "{seed}");
                    assert!(points().all(|p| !has(&part, &p) || has(&own, &p) && !in_others(&p)), "{seed}");
                }
                Uncovered::Unknown => panic!("{seed}: so few zones have few pieces"),
            }
            let left = others.iter().fold(vec![zone], subtract);
            let left: Vec<Vec<DifferenceConstraint>> = left.iter().map(Zone::constraints).collect();
            let absorbed: Vec<Vec<DifferenceConstraint>> =
                absorb(others.clone()).iter().map(Zone::constraints).collect();
            for p in points() {
                let is_left = left.iter().any(|list| has(list, &p));
                assert_eq!(is_left, has(&own, &p) && !in_others(&p), "{seed} {p:?}");
                assert_eq!(absorbed.iter().any(|list| has(list, &p)), in_others(&p), "{seed} {p:?}");
            }
        }
        assert!(inside > 20 && outside_of > 100, "{inside} {outside_of}");
    }

    /// Splits a zone by constraints and their negations, again and again: the parts cover it.
    fn split(rng: &mut Rng, zone: &Zone, depth: usize, out: &mut Vec<Vec<DifferenceConstraint>>) {
        let clocks = zone.clocks();
        let c = random(rng, clocks, 1)[0];
        let (mut one, mut other) = (zone.clone(), zone.clone());
        let (left, right) = (c.left as usize, c.right as usize);
        let halves = [one.constrain(left, right, c.bound), other.constrain(right, left, c.bound.negated())];
        if depth == 0 || halves != [true, true] {
            out.push(zone.constraints());
            return;
        }
        split(rng, &one, depth - 1, out);
        split(rng, &other, depth - 1, out);
    }

    /// Parts of a zone that cover it, and all of them but one. Pieces become more with every part
    /// that is taken away in another order than that of the splits: a question about them ends by
    /// its limits, and no answer is wrong.
    #[test]
    fn questions_about_many_zones_end() {
        let (mut decided, mut given_up) = (0, 0);
        for seed in 0..12 {
            let mut rng = Rng::new(seed);
            let all = Zone::all(7);
            let mut parts = Vec::new();
            split(&mut rng, &all, 9, &mut parts);
            for i in (1..parts.len()).rev() {
                parts.swap(i, rng.below(i + 1));
            }
            let parts: Vec<&[DifferenceConstraint]> = parts.iter().map(Vec::as_slice).collect();
            for (pieces, work) in [(2_000, MAX_COMPARISONS), (MAX_PIECES, 300_000)] {
                let whole = outside_within(&all, &parts, pieces, work);
                assert!(matches!(whole, Uncovered::Nothing | Uncovered::Unknown), "{seed}: {whole:?}");
                let less = outside_within(&all, &parts[1..], pieces, work);
                match &less {
                    Uncovered::Some(part) => assert!(part.satisfies(parts[0]), "{seed}: {part:?}"),
                    less => assert_eq!(*less, Uncovered::Unknown, "{seed}"),
                }
                for rest in [whole, less] {
                    decided += usize::from(rest != Uncovered::Unknown);
                    given_up += usize::from(rest == Uncovered::Unknown);
                }
            }
        }
        assert!(decided > 3 && given_up > 3, "{decided} decided, {given_up} given up");
    }

    /// All differences of neighbours that are at least 1, and the zone that holds what they leave:
    /// a question with many pieces that has an answer, unless there is too little room for it.
    #[test]
    fn limits_are_kept() {
        let clocks = 24;
        let pairs = |x: u32| [(x, x + 1), (x + 1, x)];
        let one = |(left, right), number, strict| DifferenceConstraint {
            left,
            right,
            bound: DifferenceBound::new(number, strict),
        };
        let mut lists: Vec<Vec<DifferenceConstraint>> =
            (1..clocks as u32 - 1).flat_map(pairs).map(|pair| vec![one(pair, -1, false)]).collect();
        lists.push((1..clocks as u32 - 1).flat_map(pairs).map(|pair| one(pair, 1, true)).collect());
        let lists: Vec<&[DifferenceConstraint]> = lists.iter().map(Vec::as_slice).collect();
        assert_eq!(outside_within(&Zone::all(clocks), &lists, MAX_PIECES, MAX_COMPARISONS), Uncovered::Nothing);
        assert_eq!(outside_within(&Zone::all(clocks), &lists, 3, MAX_COMPARISONS), Uncovered::Unknown);
        assert_eq!(outside_within(&Zone::all(clocks), &lists, MAX_PIECES, 100), Uncovered::Unknown);
    }
}
