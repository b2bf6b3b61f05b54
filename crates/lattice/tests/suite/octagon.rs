//! Octagons are compared with all points of a small range.

use std::sync::Arc;

use lattice::{Arguments, Comparison, Lattice, Library, Numeric, Term, TermOp};
use proptest::prelude::*;

const MEMBERS: usize = 3;
const RANGE: i32 = 4;

type Point = [i32; MEMBERS];

/// `factor * x + factor * y <= bound`, where the second factor may be 0.
#[derive(Clone, Debug)]
struct Constraint {
    first: (usize, i32),
    second: (usize, i32),
    bound: i32,
}

impl Constraint {
    fn holds(&self, point: &Point) -> bool {
        point[self.first.0] * self.first.1 + point[self.second.0] * self.second.1 <= self.bound
    }

    fn left(&self) -> Vec<TermOp> {
        combination(self.first, self.second)
    }
}

fn combination(first: (usize, i32), second: (usize, i32)) -> Vec<TermOp> {
    let part = |(member, factor): (usize, i32)| [TermOp::Member(member as u32), TermOp::Const(factor), TermOp::Mul];
    [&part(first)[..], &part(second)[..], &[TermOp::Add]].concat()
}

fn term(ops: &[TermOp]) -> Term<'_> {
    Term { ops, values: &[] }
}

fn constraint() -> impl Strategy<Value = Constraint> {
    let sign = || prop_oneof![Just(1), Just(-1)];
    (0..MEMBERS, sign(), 0..MEMBERS, prop_oneof![2 => sign(), 1 => Just(0)], -3..7)
        .prop_map(|(x, s, y, t, bound)| Constraint { first: (x, s), second: (y, t), bound })
}

fn constraints() -> impl Strategy<Value = Vec<Constraint>> {
    prop::collection::vec(constraint(), 0..6)
}

fn octagon() -> Arc<dyn Lattice> {
    let make = Library::standard().find("ApronOctagon").unwrap().make;
    make(&Arguments { members: MEMBERS as u32, ..Arguments::default() }).unwrap()
}

fn numeric(lattice: &dyn Lattice) -> &dyn Numeric {
    lattice.numeric().unwrap()
}

/// Returns the element of all points in the range that satisfy the constraints, and these points.
fn build(octagon: &dyn Lattice, constraints: &[Constraint]) -> (Vec<i32>, Vec<Point>) {
    let mut element = vec![0; octagon.width()];
    octagon.initial(&mut element);
    let between = octagon.methods().iter().position(|method| method.name == "between").unwrap();
    for member in 0..MEMBERS as i32 {
        octagon.call(between, &mut element, &[member, -RANGE, RANGE]).unwrap();
    }
    for constraint in constraints {
        numeric(octagon).assume(
            &mut element,
            &term(&constraint.left()),
            Comparison::Le,
            &term(&[TermOp::Const(constraint.bound)]),
        );
    }
    let all = || -RANGE..=RANGE;
    let points = all().flat_map(|x| all().flat_map(move |y| all().map(move |z| [x, y, z])));
    let points = points.filter(|point| constraints.iter().all(|constraint| constraint.holds(point)));
    (element, points.collect())
}

/// Checks that an element is the octagon hull of some points.
fn check_is_hull(octagon: &dyn Lattice, element: &[i32], points: &[Point]) -> Result<(), TestCaseError> {
    prop_assert_eq!(octagon.is_bottom(element), points.is_empty());
    for x in 0..MEMBERS {
        for y in 0..MEMBERS {
            for factors in [(1, 0), (1, 1), (1, -1)] {
                // Twice a member is not bounded by itself.
                if points.is_empty() || (x == y && factors.1 != 0) {
                    continue;
                }
                let values = || points.iter().map(|point| i64::from(factors.0 * point[x] + factors.1 * point[y]));
                let bounds = numeric(octagon).bounds(element, &term(&combination((x, factors.0), (y, factors.1))));
                prop_assert_eq!(bounds, (values().min().unwrap(), values().max().unwrap()));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bounds_are_tight(constraints in constraints()) {
        let octagon = octagon();
        let (element, points) = build(&*octagon, &constraints);
        check_is_hull(&*octagon, &element, &points)?;
    }

    #[test]
    fn joins_are_hulls_and_order_is_inclusion(a in constraints(), b in constraints()) {
        let octagon = octagon();
        let ((mut joined, points_a), (other, points_b)) = (build(&*octagon, &a), build(&*octagon, &b));
        let is_part = points_a.iter().all(|point| points_b.contains(point));
        prop_assert_eq!(octagon.leq(&joined, &other), is_part);
        octagon.join(&mut joined, &other);
        check_is_hull(&*octagon, &joined, &[points_a, points_b].concat())?;
    }

    #[test]
    fn assignments_of_a_member_are_exact(
        constraints in constraints(), to in 0..MEMBERS, from in 0..MEMBERS, factor in -1..2, plus in -3..4
    ) {
        let octagon = octagon();
        let (mut element, mut points) = build(&*octagon, &constraints);
        let mut ops = combination((from, factor), (from, 0));
        ops.extend([TermOp::Const(plus), TermOp::Add]);
        numeric(&*octagon).assign(&mut element, to, &term(&ops));
        points.iter_mut().for_each(|point| point[to] = factor * point[from] + plus);
        check_is_hull(&*octagon, &element, &points)?;
    }

    #[test]
    fn assignments_of_sums_are_sound(
        constraints in constraints(), to in 0..MEMBERS, factors in prop::collection::vec(-2..3, MEMBERS), plus in -3..4
    ) {
        let octagon = octagon();
        let (mut element, mut points) = build(&*octagon, &constraints);
        let mut ops = vec![TermOp::Const(plus)];
        for (member, &factor) in factors.iter().enumerate() {
            ops.extend([TermOp::Member(member as u32), TermOp::Const(factor), TermOp::Mul, TermOp::Add]);
        }
        numeric(&*octagon).assign(&mut element, to, &term(&ops));
        for point in &mut points {
            point[to] = plus + factors.iter().zip(&*point).map(|(f, v)| f * v).sum::<i32>();
            prop_assert!(has(&*octagon, &element, point));
        }
    }

    #[test]
    fn comparisons_of_two_members_are_exact(
        constraints in constraints(), x in 0..MEMBERS, y in 0..MEMBERS, plus in -3..4, sign: bool,
        cmp in prop::sample::select(vec![Comparison::Eq, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge])
    ) {
        let octagon = octagon();
        let (mut element, mut points) = build(&*octagon, &constraints);
        let factor = if sign { 1 } else { -1 };
        let right = [TermOp::Member(y as u32), TermOp::Const(factor), TermOp::Mul, TermOp::Const(plus), TermOp::Add];
        let left = [TermOp::Member(x as u32)];
        let some = numeric(&*octagon).assume(&mut element, &term(&left), cmp, &term(&right));
        points.retain(|point| cmp.holds(&point[x], &(factor * point[y] + plus)));
        prop_assert_eq!(some, !points.is_empty());
        check_is_hull(&*octagon, &element, &points)?;
    }

    #[test]
    fn other_comparisons_are_sound(
        constraints in constraints(), factors in prop::collection::vec(-2..3, MEMBERS), right in -6..7, divisor in 2..4,
        cmp in prop::sample::select(vec![Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Ge])
    ) {
        let octagon = octagon();
        let (element, points) = build(&*octagon, &constraints);
        let mut ops = vec![TermOp::Member(0), TermOp::Const(divisor), TermOp::Mod];
        for (member, &factor) in factors.iter().enumerate() {
            ops.extend([TermOp::Member(member as u32), TermOp::Const(factor), TermOp::Mul, TermOp::Add]);
        }
        let mut cut = element.clone();
        numeric(&*octagon).assume(&mut cut, &term(&ops), cmp, &term(&[TermOp::Const(right)]));
        prop_assert!(octagon.leq(&cut, &element));
        for point in &points {
            let left = point[0] % divisor + factors.iter().zip(point).map(|(f, v)| f * v).sum::<i32>();
            prop_assert!(!cmp.holds(&left, &right) || has(&*octagon, &cut, point));
        }
    }

    #[test]
    fn widening_terminates(steps in prop::collection::vec(constraints(), 30), thresholds in prop::collection::btree_set(-9..9, 0..4)) {
        let octagon = octagon();
        let thresholds: Vec<i32> = thresholds.into_iter().collect();
        let (mut element, _) = build(&*octagon, &steps[0]);
        let mut changes = 0;
        for (number, step) in steps.iter().enumerate() {
            // Each element is further away than the one before.
            let (mut next, _) = build(&*octagon, step);
            for member in 0..MEMBERS {
                let ops = [TermOp::Member(member as u32), TermOp::Const(number as i32 * member as i32), TermOp::Add];
                numeric(&*octagon).assign(&mut next, member, &term(&ops));
            }
            let before = element.clone();
            let is_changed = octagon.widen(&mut element, &next, &thresholds);
            prop_assert_eq!(is_changed, before != element);
            prop_assert!(octagon.leq(&before, &element) && octagon.leq(&next, &element));
            changes += i32::from(is_changed);
        }
        prop_assert!(changes <= 20, "{}", changes);
    }
}

fn has(octagon: &dyn Lattice, element: &[i32], point: &Point) -> bool {
    let mut element = element.to_vec();
    point.iter().enumerate().all(|(member, &value)| {
        let left = [TermOp::Member(member as u32)];
        numeric(octagon).assume(&mut element, &term(&left), Comparison::Eq, &term(&[TermOp::Const(value)]))
    })
}

#[test]
fn a_loop_keeps_its_relation() {
    use TermOp::{Add, Const, Member};
    let octagon = octagon();
    let mut element = vec![0; octagon.width()];
    octagon.initial(&mut element);
    let mut rounds = 0;
    loop {
        let mut next = element.clone();
        // While the first member is less than 10, both are incremented.
        if numeric(&*octagon).assume(&mut next, &term(&[Member(0)]), Comparison::Lt, &term(&[Const(10)])) {
            numeric(&*octagon).assign(&mut next, 0, &term(&[Member(0), Const(1), Add]));
            numeric(&*octagon).assign(&mut next, 1, &term(&[Member(1), Const(1), Add]));
        }
        rounds += 1;
        if !octagon.widen(&mut element, &next, &[10]) {
            break;
        }
    }
    assert_eq!(octagon.show(&element), "m0: [0, 10], m1: [0, 10], m2: 0, m1-m0 <= 0, -m1+m0 <= 0");
    assert!(rounds <= 3);
}

#[test]
fn large_bounds_become_infinite() {
    use TermOp::{Add, Const, Member};
    let octagon = octagon();
    let mut element = vec![0; octagon.width()];
    octagon.initial(&mut element);
    numeric(&*octagon).assign(&mut element, 0, &term(&[Const(i32::MAX)]));
    numeric(&*octagon).assign(&mut element, 1, &term(&[Member(0), Member(0), Add]));
    for (member, value) in [(0, i64::from(i32::MAX)), (1, 2 * i64::from(i32::MAX))] {
        let (low, high) = numeric(&*octagon).bounds(&element, &term(&[Member(member)]));
        assert!(low <= value && value <= high, "{low} {high}");
        assert!(low > 1_000_000_000);
    }
}

#[test]
fn consequences_of_large_bounds_are_kept() {
    use TermOp::{Const, Member};
    let octagon = octagon();
    let mut element = vec![0; octagon.width()];
    octagon.initial(&mut element);
    // Twice the number exceeds 32 bits, but its difference to 0 does not.
    numeric(&*octagon).assign(&mut element, 0, &term(&[Const(i32::MAX - 1)]));
    let exactly = i64::from(i32::MAX - 1);
    assert_eq!(numeric(&*octagon).bounds(&element, &term(&[Member(0)])), (exactly, exactly));
}
