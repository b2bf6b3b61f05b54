//! Abstract operations on terms and comparisons are sound for concrete integers.

use std::sync::Arc;

use lattice::{Arguments, Comparison, Lattice, Library, Numeric, Term, TermOp};
use proptest::prelude::*;

/// The semantics of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Integers {
    Mathematical,
    Machine,
}

/// All lattices of integers with their semantics. Non-relational ones come with two elements.
fn lattices() -> Vec<(Arc<dyn Lattice>, Integers)> {
    use Integers::{Machine, Mathematical};
    let cases: &[(&str, &[i32], &[Integers])] = &[
        ("Interval", &[], &[Mathematical]),
        ("Interval", &[-3, 4], &[Mathematical]),
        ("Interval", &[2, 5], &[Mathematical]),
        ("WideningInterval", &[], &[Mathematical]),
        ("WrappingInterval", &[], &[Machine]),
        ("Box", &[], &[Mathematical]),
        ("Octagon", &[], &[Mathematical]),
        ("Constant", &[], &[Mathematical, Machine]),
        ("Sign", &[], &[Mathematical]),
        ("Parity", &[], &[Mathematical, Machine]),
        ("Congruence", &[], &[Mathematical]),
        ("Congruence", &[12], &[Mathematical]),
        ("Congruence", &[64], &[Mathematical, Machine]),
    ];
    let library = Library::standard();
    let mut all = Vec::new();
    for &(name, values, integers) in cases {
        let entry = library.find(name).unwrap();
        let made = (entry.make)(&Arguments { values, members: 2, ..Arguments::default() }).unwrap();
        all.extend(integers.iter().map(|&integers| (Arc::clone(&made), integers)));
    }
    all
}

/// Evaluates a term; `None`: it has no value.
fn evaluate(ops: &[TermOp], point: &[i32], integers: Integers) -> Option<i128> {
    let mut stack: Vec<i128> = Vec::new();
    for &op in ops {
        let value = match op {
            TermOp::Const(number) => i128::from(number),
            TermOp::Value(_) => return None,
            TermOp::Member(member) => i128::from(point[member as usize]),
            TermOp::Neg => -stack.pop()?,
            _ => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                match op {
                    TermOp::Add => a + b,
                    TermOp::Sub => a - b,
                    TermOp::Mul => a.checked_mul(b)?,
                    TermOp::Div => a.checked_div(b)?,
                    _ => a.checked_rem(b)?,
                }
            }
        };
        stack.push(if integers == Integers::Machine { i128::from(value as i32) } else { value });
    }
    stack.pop()
}

fn number() -> impl Strategy<Value = i32> {
    prop_oneof![8 => -5..6, 1 => -100..100, 1 => prop::sample::select(vec![i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX])]
}

fn term() -> impl Strategy<Value = Vec<TermOp>> {
    let leaf =
        prop_oneof![(0..2_u32).prop_map(|m| vec![TermOp::Member(m)]), number().prop_map(|n| vec![TermOp::Const(n)])];
    leaf.prop_recursive(3, 12, 2, |part| {
        let two = [TermOp::Add, TermOp::Sub, TermOp::Mul, TermOp::Div, TermOp::Mod];
        prop_oneof![
            1 => part.clone().prop_map(|a| [a, vec![TermOp::Neg]].concat()),
            6 => (part.clone(), part, prop::sample::select(two.to_vec())).prop_map(|(a, b, op)| [a, b, vec![op]].concat()),
        ]
    })
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge])
}

fn points() -> impl Strategy<Value = Vec<Vec<i32>>> {
    prop::collection::vec(prop::collection::vec(number(), 2), 1..4)
}

fn as_term(ops: &[TermOp]) -> Term<'_> {
    Term { ops, values: &[] }
}

fn numeric(lattice: &dyn Lattice) -> &dyn Numeric {
    lattice.numeric().unwrap()
}

/// Returns the number of integers that two members take.
fn width(lattice: &dyn Lattice) -> usize {
    2 * lattice.width() / numeric(lattice).members()
}

/// Returns the environment in which the members have the given values.
fn exactly(lattice: &dyn Lattice, point: &[i32]) -> Vec<i32> {
    let mut environment = vec![0; width(lattice)];
    environment.chunks_exact_mut(lattice.width()).for_each(|element| lattice.initial(element));
    for (member, &value) in point.iter().enumerate() {
        numeric(lattice).assign(&mut environment, member, &as_term(&[TermOp::Const(value)]));
    }
    environment
}

/// Returns the hull of some points.
fn around(lattice: &dyn Lattice, points: &[Vec<i32>]) -> Vec<i32> {
    let mut all = exactly(lattice, &points[0]);
    for point in &points[1..] {
        let one = exactly(lattice, point);
        for (into, other) in all.chunks_exact_mut(lattice.width()).zip(one.chunks_exact(lattice.width())) {
            lattice.join(into, other);
        }
    }
    all
}

fn allows(lattice: &dyn Lattice, environment: &[i32], point: &[i128]) -> bool {
    let mut rest = environment.to_vec();
    point.iter().enumerate().all(|(member, &value)| {
        // Values of more than 32 bits can't be constants of a term and are not checked.
        let Ok(value) = i32::try_from(value) else { return true };
        numeric(lattice).assume(
            &mut rest,
            &as_term(&[TermOp::Member(member as u32)]),
            Comparison::Eq,
            &as_term(&[TermOp::Const(value)]),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn assignments_are_sound(points in points(), member in 0..2_usize, term in term()) {
        for (lattice, integers) in lattices() {
            let lattice = &*lattice;
            let mut environment = around(lattice, &points);
            let bounds = numeric(lattice).bounds(&environment, &as_term(&term));
            numeric(lattice).assign(&mut environment, member, &as_term(&term));
            for point in &points {
                let Some(value) = evaluate(&term, point, integers) else { continue };
                let mut after: Vec<i128> = point.iter().map(|&v| i128::from(v)).collect();
                after[member] = value;
                prop_assert!(
                    allows(lattice, &environment, &after),
                    "{}: {:?} is not in {}", lattice.name(), after, lattice.show(&environment)
                );
                let within = |low, high| {
                    (low == i64::MIN || i128::from(low) <= value) && (high == i64::MAX || value <= i128::from(high))
                };
                prop_assert!(within(bounds.0, bounds.1), "{}: {} is not in {:?}", lattice.name(), value, bounds);
            }
        }
    }

    #[test]
    fn assumptions_are_sound(points in points(), left in term(), cmp in comparison(), right in term()) {
        for (lattice, integers) in lattices() {
            let lattice = &*lattice;
            let before = around(lattice, &points);
            let mut environment = before.clone();
            let (l, r) = (as_term(&left), as_term(&right));
            let some = numeric(lattice).assume(&mut environment, &l, cmp, &r);
            let elements = || environment.chunks_exact(lattice.width());
            prop_assert_eq!(some, numeric(lattice).may(&before, &l, cmp, &r));
            prop_assert_eq!(!some, elements().any(|element| lattice.is_bottom(element)));
            for (less, more) in elements().zip(before.chunks_exact(lattice.width())) {
                prop_assert!(lattice.leq(less, more));
            }
            for point in &points {
                let (Some(a), Some(b)) = (evaluate(&left, point, integers), evaluate(&right, point, integers)) else { continue };
                if cmp.holds(&a, &b) {
                    let point: Vec<i128> = point.iter().map(|&v| i128::from(v)).collect();
                    prop_assert!(
                        some && allows(lattice, &environment, &point),
                        "{}: {:?} is not in {}", lattice.name(), point, lattice.show(&environment)
                    );
                }
            }
        }
    }

    #[test]
    fn operations_are_monotone(
        points in points(), more in points(), member in 0..2_usize, left in term(), cmp in comparison(), right in term()
    ) {
        for (lattice, _) in lattices() {
            let lattice = &*lattice;
            let small = around(lattice, &points);
            let large = around(lattice, &[points.clone(), more.clone()].concat());
            let leq = |a: &[i32], b: &[i32]| {
                a.chunks_exact(lattice.width()).zip(b.chunks_exact(lattice.width())).all(|(a, b)| lattice.leq(a, b))
            };
            prop_assert!(leq(&small, &large));
            let (mut a, mut b) = (small.clone(), large.clone());
            numeric(lattice).assign(&mut a, member, &as_term(&left));
            numeric(lattice).assign(&mut b, member, &as_term(&left));
            prop_assert!(leq(&a, &b), "{}: {:?} {:?}", lattice.name(), a, b);
            let (mut a, mut b) = (small.clone(), large.clone());
            numeric(lattice).assume(&mut a, &as_term(&left), cmp, &as_term(&right));
            numeric(lattice).assume(&mut b, &as_term(&left), cmp, &as_term(&right));
            prop_assert!(leq(&a, &b), "{}: {:?} {:?}", lattice.name(), a, b);
            let (a, b) = (numeric(lattice).bounds(&small, &as_term(&left)), numeric(lattice).bounds(&large, &as_term(&left)));
            prop_assert!(b.0 <= a.0 && a.1 <= b.1, "{}: {:?} {:?}", lattice.name(), a, b);
        }
    }
}

#[test]
fn guards_and_updates() {
    use TermOp::{Add, Const, Member, Mul};
    let library = Library::standard();
    let make = |name: &str, values: &[i32]| {
        (library.find(name).unwrap().make)(&Arguments { values, members: 2, ..Arguments::default() }).unwrap()
    };
    let box_of_two = make("Box", &[]);
    let mut element = around(&*box_of_two, &[vec![0, 5], vec![9, 7]]);
    assert_eq!(box_of_two.show(&element), "([0, 9], [5, 7])");
    assert!(numeric(&*box_of_two).assume(
        &mut element,
        &as_term(&[Member(0), Const(2), Mul]),
        Comparison::Gt,
        &as_term(&[Member(1), Const(6), Add])
    ));
    assert_eq!(box_of_two.show(&element), "([6, 9], [5, 7])");

    let few = make("Interval", &[0, 10]);
    let mut counter = exactly(&*few, &[9, 0]);
    let next = [Member(0), Const(1), Add];
    numeric(&*few).assign(&mut counter, 0, &as_term(&next));
    assert_eq!(few.show(&counter[..2]), "10");
    numeric(&*few).assign(&mut counter, 0, &as_term(&next));
    assert_eq!(few.show(&counter[..2]), ">=10");
    assert_eq!(numeric(&*few).bounds(&counter, &as_term(&next)), (11, i64::MAX));
}

#[test]
fn widening_jumps_to_thresholds() {
    let widening = (Library::standard().find("WideningInterval").unwrap().make)(&Arguments::default()).unwrap();
    let mut element = [0, 0];
    let mut steps = Vec::new();
    for high in [1, 2, 9, 11, 12] {
        widening.widen(&mut element, &[0, high], &[-7, 10]);
        steps.push(widening.show(&element));
    }
    assert_eq!(steps, ["[0, 10]", "[0, 10]", "[0, 10]", ">=0", ">=0"]);
    widening.widen(&mut element, &[-1, 0], &[-7, 10]);
    assert_eq!(widening.show(&element), ">=-7");
}

#[test]
fn values_of_terms() {
    use TermOp::{Add, Const, Div, Member, Mod, Mul, Neg};
    let library = Library::standard();
    let known = |name: &str, points: &[[i32; 2]], ops: &[TermOp]| {
        let lattice = (library.find(name).unwrap().make)(&Arguments { members: 2, ..Arguments::default() }).unwrap();
        let points: Vec<Vec<i32>> = points.iter().map(|point| point.to_vec()).collect();
        let mut environment = around(&*lattice, &points);
        numeric(&*lattice).assign(&mut environment, 0, &as_term(ops));
        lattice.show(&environment[..lattice.width()])
    };
    let (three, modulo) = ([[0, 2], [10, 3]], [Member(0), Const(3), Mod]);
    assert_eq!(known("Interval", &three, &modulo), "[0, 2]");
    assert_eq!(known("Interval", &[[-10, 0], [1, 0]], &modulo), "[-2, 1]");
    assert_eq!(known("Interval", &three, &[Member(0), Member(1), Div]), "[0, 5]");
    assert_eq!(known("Interval", &three, &[Member(0), Member(1), Neg, Mul]), "[-30, 0]");
    assert_eq!(known("Congruence", &[[2, 0], [8, 0], [14, 0]], &[Member(0), Const(3), Mul]), "6 mod 18");
    assert_eq!(known("Congruence", &[[2, 0], [8, 0]], &[Member(0), Const(1), Add, Const(3), Div]), "1 mod 2");
    assert_eq!(known("Sign", &[[2, 0], [0, 0]], &[Member(0), Neg]), "negative or zero");
    assert_eq!(known("Parity", &[[2, 1], [4, 7]], &[Member(0), Member(1), Add]), "odd");
    assert_eq!(known("Constant", &[[2, 1], [4, 1]], &[Member(1), Const(6), Add]), "7");
    assert_eq!(known("Constant", &three, &modulo), "any");
}
