//! The laws of lattices of integers: abstract operations are sound for concrete integers.
//!
//! An element *allows* integers if they can be assumed one after the other. Calculations that
//! exceed 32 bits are left out: some lattices have unbounded integers, others those of a machine.

use super::{Findings, Law, RandomSource, elements::few};
use crate::{Comparison, Lattice, Numeric, Term, TermOp};

/// The number of terms that are tried.
const TERMS: usize = 40;

/// The number of environments that are checked.
const ENVIRONMENTS: usize = 24;

/// The number of concrete points of each environment that are checked.
const POINTS: usize = 8;

const COMPARISONS: [Comparison; 6] =
    [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge];

/// An environment and points that it allows.
struct NumericCase {
    environment: Vec<i32>,
    points: Vec<Vec<i32>>,
}

struct Check<'l> {
    lattice: &'l dyn Lattice,
    numeric: &'l dyn Numeric,
    /// The number of members of an environment.
    members: usize,
}

pub(super) fn check(
    lattice: &dyn Lattice,
    numeric: &dyn Numeric,
    elements: &[Vec<i32>],
    random: RandomSource<'_>,
    findings: &mut Findings<'_>,
) {
    // Elements that form environments by concatenation come in pairs, so that members can be
    // compared.
    let together = if numeric.is_joint() { 1 } else { 2 };
    let check = Check { lattice, numeric, members: numeric.members() * together };
    let some = few(elements);
    let mut environments: Vec<Vec<i32>> = Vec::new();
    for number in 0..ENVIRONMENTS.min(some.len() * together) {
        let mut environment = some[number % some.len()].to_vec();
        if together == 2 {
            environment.extend(some[random(some.len() as u32) as usize]);
        }
        environments.push(environment);
    }
    let cases: Vec<NumericCase> = environments
        .into_iter()
        .take_while(|_| !findings.is_over())
        .map(|environment| NumericCase { points: check.points(&environment, random), environment })
        .collect();
    let pairs: Vec<(&NumericCase, &NumericCase)> = cases
        .iter()
        .flat_map(|a| cases.iter().map(move |b| (a, b)))
        .filter(|(a, b)| !findings.is_over() && check.leq(&a.environment, &b.environment))
        .collect();
    for &(a, b) in &pairs {
        if findings.is_over() {
            return;
        }
        if let Some(point) = a.points.iter().find(|point| !check.allows(&b.environment, point)) {
            findings
                .note(Law::Meaning, "", &check.elements(&[&a.environment, &b.environment]), || format!("{point:?}"));
        }
    }
    for _ in 0..TERMS {
        let (left, right) = (some_term(check.members, 2, random), some_term(check.members, 1, random));
        let (left, right) = (Term { ops: &left, values: &[] }, Term { ops: &right, values: &[] });
        let member = random(check.members as u32) as usize;
        let cmp = COMPARISONS[random(6) as usize];
        for case in &cases {
            if findings.is_over() {
                return;
            }
            check.bounds(case, &left, findings);
            check.assign(case, member, &left, findings);
            check.assume(case, &left, cmp, &right, findings);
        }
        for &(a, b) in &pairs {
            if findings.is_over() {
                return;
            }
            check.monotone(a, b, member, &left, cmp, &right, findings);
        }
    }
}

impl Check<'_> {
    /// Splits environments into their elements.
    fn elements<'e>(&self, environments: &[&'e [i32]]) -> Vec<&'e [i32]> {
        environments.iter().flat_map(|environment| environment.chunks_exact(self.lattice.width())).collect()
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        let width = self.lattice.width();
        a.chunks_exact(width).zip(b.chunks_exact(width)).all(|(a, b)| self.lattice.leq(a, b))
    }

    fn allows(&self, environment: &[i32], point: &[i32]) -> bool {
        let mut rest = environment.to_vec();
        point.iter().enumerate().all(|(member, &value)| {
            let (left, right) = ([TermOp::Member(member as u32)], [TermOp::Const(value)]);
            let (left, right) = (Term { ops: &left, values: &[] }, Term { ops: &right, values: &[] });
            self.numeric.assume(&mut rest, &left, Comparison::Eq, &right)
        })
    }

    /// Samples points that an environment allows.
    fn points(&self, environment: &[i32], random: RandomSource<'_>) -> Vec<Vec<i32>> {
        let mut points: Vec<Vec<i32>> = Vec::new();
        for _ in 0..8 * POINTS {
            let mut point = Vec::with_capacity(self.members);
            for member in 0..self.members {
                let ops = [TermOp::Member(member as u32)];
                let (low, high) = self.numeric.bounds(environment, &Term { ops: &ops, values: &[] });
                let near = match random(4) {
                    0 => low.saturating_add(i64::from(random(3))),
                    1 => high.saturating_sub(i64::from(random(3))),
                    _ => i64::from(random(7)) - 3,
                };
                point.push(i32::try_from(near).unwrap_or(0));
            }
            if points.len() < POINTS && !points.contains(&point) && self.allows(environment, &point) {
                points.push(point);
            }
        }
        points
    }

    fn bounds(&self, case: &NumericCase, term: &Term<'_>, findings: &mut Findings<'_>) {
        let (low, high) = self.numeric.bounds(&case.environment, term);
        for point in &case.points {
            if let Some(value) = term.value(point)
                && !(low..=high).contains(&i64::from(value))
            {
                findings.note(Law::Bounds, "", &self.elements(&[&case.environment]), || {
                    format!("{term} is {value} for {point:?}, and between {low} and {high}")
                });
            }
        }
    }

    fn assign(&self, case: &NumericCase, member: usize, term: &Term<'_>, findings: &mut Findings<'_>) {
        let mut after = case.environment.clone();
        self.numeric.assign(&mut after, member, term);
        for point in &case.points {
            let Some(value) = term.value(point) else { continue };
            let mut next = point.clone();
            next[member] = value;
            if !self.allows(&after, &next) {
                findings.note(Law::Assign, "", &self.elements(&[&case.environment]), || {
                    format!("m{member} = {term} makes {next:?} of {point:?}")
                });
            }
        }
    }

    fn assume(
        &self,
        case: &NumericCase,
        left: &Term<'_>,
        cmp: Comparison,
        right: &Term<'_>,
        findings: &mut Findings<'_>,
    ) {
        let mut after = case.environment.clone();
        let some = self.numeric.assume(&mut after, left, cmp, right);
        let is_bottom = after.chunks_exact(self.lattice.width()).any(|element| self.lattice.is_bottom(element));
        if some == is_bottom || !self.leq(&after, &case.environment) {
            findings.note(Law::Cut, "", &self.elements(&[&case.environment]), || format!("{left} {cmp} {right}"));
        }
        for point in &case.points {
            let (Some(a), Some(b)) = (left.value(point), right.value(point)) else { continue };
            if cmp.holds(&a, &b) && !self.allows(&after, point) {
                findings.note(Law::Assume, "", &self.elements(&[&case.environment]), || {
                    format!("{left} {cmp} {right} for {point:?}")
                });
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "each argument is of a different kind")]
    fn monotone(
        &self,
        a: &NumericCase,
        b: &NumericCase,
        member: usize,
        left: &Term<'_>,
        cmp: Comparison,
        right: &Term<'_>,
        findings: &mut Findings<'_>,
    ) {
        let elements: [&[i32]; 2] = [&a.environment, &b.environment];
        let all = self.elements(&elements);
        let [mut less, mut more] = elements.map(<[i32]>::to_vec);
        self.numeric.assign(&mut less, member, left);
        self.numeric.assign(&mut more, member, left);
        if !self.leq(&less, &more) {
            findings.note(Law::NumericMonotone, "assign", &all, || format!("m{member} = {left}"));
        }
        let [mut less, mut more] = elements.map(<[i32]>::to_vec);
        self.numeric.assume(&mut less, left, cmp, right);
        self.numeric.assume(&mut more, left, cmp, right);
        if !self.leq(&less, &more) {
            findings.note(Law::NumericMonotone, "assume", &all, || format!("{left} {cmp} {right}"));
        }
        let [(low, high), (lower, higher)] = elements.map(|element| self.numeric.bounds(element, left));
        if low < lower || higher < high {
            findings.note(Law::NumericMonotone, "bounds", &all, || left.to_string());
        }
        let [before, after] = elements.map(|element| self.numeric.may(element, left, cmp, right));
        if before && !after {
            findings.note(Law::NumericMonotone, "may", &all, || format!("{left} {cmp} {right}"));
        }
    }
}

/// Samples a term, mostly with small constants.
fn some_term(members: usize, depth: u32, random: RandomSource<'_>) -> Vec<TermOp> {
    const OPERATIONS: [TermOp; 7] =
        [TermOp::Add, TermOp::Sub, TermOp::Add, TermOp::Sub, TermOp::Mul, TermOp::Div, TermOp::Mod];
    match random(if depth == 0 { 3 } else { 8 }) {
        0 | 1 => vec![TermOp::Member(random(members as u32))],
        2 => vec![TermOp::Const(random(9) as i32 - 3)],
        3 => [some_term(members, depth - 1, random), vec![TermOp::Neg]].concat(),
        _ => {
            let (a, b) = (some_term(members, depth - 1, random), some_term(members, depth - 1, random));
            [a, b, vec![OPERATIONS[random(7) as usize]]].concat()
        }
    }
}
