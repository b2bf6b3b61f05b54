//! `Octagon`: several integers with bounds on each, and on the sums and differences of any two. All
//! are initially 0.
//!
//! An element stores the bounds of a closed [`Matrix`] in 32 bits, each bound once. Order:
//! inclusion, which is that of the bounds; join: the greater bounds, which is the octagon hull. A
//! bound of more than 32 bits is weakened, and the element stores the weakened bounds of the closed
//! matrix. So equal octagons have equal elements, and a greater octagon has greater bounds.
//!
//! Comparisons and assignments of sums and differences of two members and a constant are exact. Of
//! other terms the linear part is used, with bounds for the rest.
//!
//! See A. Miné: *The octagon abstract domain* (Higher-Order and Symbolic Computation 19, 2006).

mod linear;
mod matrix;

use std::sync::Arc;

use self::{
    linear::Linear,
    matrix::{Matrix, NONE, vertex},
};
use crate::{
    Comparison, Lattice, LibraryEntry, Method, Misuse, Numeric, SlotOrder, Term, method,
    numeric::{Environment, Interval, Intervals, JOINT_METHODS, some_integer},
    widening,
};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "Octagon",
    aliases: &["ApronOctagon"],
    signature: "Octagon",
    has_dimensions: false,
    member: Some("intvar"),
    help: "Several integers, initially all 0, with bounds on each, and on the sums and differences of any two.",
    laws: "Order: inclusion. Join: the smallest octagon around both.",
    example: "extern Octagon;\nOctagon oct;\noct.intvar i;\noct.intvar j;\n// guard: i < j    update: i = i + 1",
    make: |arguments| {
        arguments.only_values(0)?;
        let members = arguments.members()?;
        let boxes = Environment::joint(String::new(), Intervals::default(), members);
        Ok(Arc::new(Octagon { members, boxes }))
    },
}];

#[derive(Debug)]
struct Octagon {
    members: usize,
    /// The interval domain, for nonlinear terms.
    boxes: Environment<Intervals>,
}

/// The absence of a bound in an element.
const UNBOUNDED: i32 = i32::MAX;

/// All bounds of the bottom element.
const BOTTOM: i32 = i32::MIN;

/// The largest absolute value of a bound. It is even, as a bound on twice a member has to be.
const LARGEST: i64 = i32::MAX as i64 - 1;

/// Enumerates the entries that an element stores: of two equivalent entries the one with the
/// smaller column, row by row.
fn places(members: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..2 * members).flat_map(|i| (0..=(i | 1)).map(move |j| (i, j)))
}

impl Octagon {
    /// Reads the closed matrix of an element; `None`: it is bottom.
    fn load(&self, element: &[i32]) -> Option<Matrix> {
        if self.is_bottom(element) {
            return None;
        }
        let mut matrix = Matrix::unbounded(self.members);
        let mut is_small = true;
        for ((i, j), &bound) in places(self.members).zip(element) {
            if bound != UNBOUNDED {
                matrix.put(i, j, i64::from(bound));
                is_small &= i64::from(bound).abs() <= LARGEST / 2;
            }
        }
        // Only a weakened bound can be tightened by the others, and then one of those is large.
        (is_small || matrix.close()).then_some(matrix)
    }

    /// Writes a closed matrix.
    fn store(&self, matrix: Option<&Matrix>, element: &mut [i32]) {
        let Some(matrix) = matrix else { return element.fill(BOTTOM) };
        for ((i, j), slot) in places(self.members).zip(element) {
            *slot = match matrix.get(i, j) {
                bound if bound > LARGEST => UNBOUNDED,
                bound => bound.max(-LARGEST) as i32,
            };
        }
    }

    fn update(&self, element: &mut [i32], change: impl FnOnce(Matrix) -> Option<Matrix>) -> bool {
        let after = self.load(element).and_then(change);
        self.store(after.as_ref(), element);
        after.is_some()
    }

    fn assume_all(&self, matrix: Matrix, left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> Option<Matrix> {
        let below = |cmp| self.assume_all(matrix.clone(), left, cmp, right);
        match cmp {
            Comparison::Ge => return self.assume_all(matrix, right, Comparison::Le, left),
            Comparison::Gt => return self.assume_all(matrix, right, Comparison::Lt, left),
            Comparison::Ne => return join(below(Comparison::Lt), below(Comparison::Gt)),
            Comparison::Eq => return self.assume_all(below(Comparison::Le)?, left, Comparison::Ge, right),
            Comparison::Lt | Comparison::Le => {}
        }
        let mut matrix = self.assume_in_boxes(matrix, left, cmp, right)?;
        let (left, right) = (Linear::new(left, &matrix)?, Linear::new(right, &matrix)?);
        let gap = Interval::constant(i64::from(cmp == Comparison::Lt));
        if let Some(mut difference) = left.plus(&right, -1) {
            difference.rest = difference.rest.add(gap);
            if !difference.impose(&mut matrix) {
                return None;
            }
        }
        matrix.close().then_some(matrix)
    }

    /// Restricts each member by interval reasoning.
    fn assume_in_boxes(
        &self,
        mut matrix: Matrix,
        left: &Term<'_>,
        cmp: Comparison,
        right: &Term<'_>,
    ) -> Option<Matrix> {
        let mut members: Vec<Interval> = (0..self.members).map(|member| matrix.interval(member)).collect();
        self.boxes.assume_all(&mut members, left, cmp, right)?;
        members.iter().enumerate().for_each(|(member, &interval)| matrix.impose_interval(member, interval));
        matrix.close().then_some(matrix)
    }

    /// Returns the least threshold that is not less than a bound.
    fn threshold(thresholds: &[i32], is_twice: bool, bound: i32) -> i32 {
        let times = if is_twice { 2 } else { 1 };
        let thresholds = thresholds.iter().flat_map(|&t| [i64::from(t), -i64::from(t)]).chain([0]);
        let above = thresholds.map(|t| times * t).filter(|&t| i64::from(bound) <= t && t <= LARGEST);
        above.min().map_or(UNBOUNDED, |threshold| threshold as i32)
    }
}

/// Returns the hull of two closed octagons.
fn join(a: Option<Matrix>, b: Option<Matrix>) -> Option<Matrix> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            for (i, j) in places(a.members()) {
                a.put(i, j, a.get(i, j).max(b.get(i, j)));
            }
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

impl Lattice for Octagon {
    fn name(&self) -> String {
        format!("Octagon({})", self.members)
    }

    fn width(&self) -> usize {
        2 * self.members * (self.members + 1)
    }

    fn initial(&self, out: &mut [i32]) {
        out.fill(0);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        a.iter().zip(b).all(|(a, b)| a <= b)
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(SlotOrder::Rises)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let changes = !self.leq(other, into);
        into.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
        changes
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        let before = into.to_vec();
        if !self.join(into, other) {
            return false;
        }
        if self.is_bottom(&before) {
            return true;
        }
        let is_twice: Vec<bool> = places(self.members).map(|(i, j)| j == i ^ 1).collect();
        let threshold = |slot: usize, bound| Octagon::threshold(thresholds, is_twice[slot], bound);
        let wider = widening::widen(&before, into, threshold, |element| {
            self.update(element, |mut matrix| matrix.close().then_some(matrix));
        });
        into.copy_from_slice(&wider);
        true
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        // The first entry is on the diagonal.
        element.first() == Some(&BOTTOM)
    }

    fn methods(&self) -> &[Method] {
        &JOINT_METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let member = method::index(args, 0, self.members)?;
        let matrix = self.load(this);
        let known = matrix.as_ref().map(|matrix| matrix.interval(member));
        let number = |place| method::argument(args, place, i32::MIN, i32::MAX);
        let becomes = match method {
            0 => Interval::ALL,
            1 => {
                let low = number(1)?;
                let high = method::argument(args, 2, low, i32::MAX)?;
                Interval::constant(i64::from(low)).join(Interval::constant(i64::from(high)))
            }
            2 => {
                let value = i64::from(number(1)?);
                return Ok(i32::from(known.is_some_and(|known| known.contains(value))));
            }
            3 => return Ok(known.map_or(i32::MAX, |known| known.low.max(i64::from(i32::MIN)) as i32)),
            _ => return Ok(known.map_or(i32::MIN, |known| known.high.min(i64::from(i32::MAX)) as i32)),
        };
        self.update(this, |mut matrix| {
            matrix.forget(member);
            matrix.impose_interval(member, becomes);
            matrix.close().then_some(matrix)
        });
        Ok(0)
    }

    fn numeric(&self) -> Option<&dyn Numeric> {
        Some(self)
    }

    fn show(&self, element: &[i32]) -> String {
        let Some(matrix) = self.load(element) else { return "nothing".to_owned() };
        let mut parts: Vec<String> = (0..self.members)
            .map(|member| (member, matrix.interval(member)))
            .filter(|(_, interval)| *interval != Interval::ALL)
            .map(|(member, interval)| format!("m{member}: {interval}"))
            .collect();
        for (i, j) in places(self.members).filter(|(i, j)| i / 2 != j / 2) {
            let (bound, first, second) = (matrix.get(i, j), matrix.get(i, i ^ 1), matrix.get(j ^ 1, j));
            // Bounds that follow from those of the single members are left out.
            if bound != NONE && (first == NONE || second == NONE || bound < (first + second) / 2) {
                let sign = |vertex: usize| ['+', '-'][vertex & 1];
                let text = format!("{}m{}{}m{} <= {bound}", sign(i), i / 2, sign(j ^ 1), j / 2);
                parts.push(text.trim_start_matches('+').to_owned());
            }
        }
        if parts.is_empty() { "any".to_owned() } else { parts.join(", ") }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        let mut matrix = Matrix::unbounded(self.members);
        for _ in 0..random(4 * self.members as u32 + 1) {
            let mut end = || vertex(random(self.members as u32) as usize, random(2) == 0);
            let (i, j) = (end(), end());
            if i != j {
                // Mostly bounds that are consistent with each other.
                let bound = if random(16) == 0 { i128::from(some_integer(random)) } else { i128::from(random(9)) - 1 };
                matrix.impose(i, j, bound);
            }
        }
        let is_some = matrix.close();
        self.store(is_some.then_some(&matrix), out);
    }
}

impl Numeric for Octagon {
    fn members(&self) -> usize {
        self.members
    }

    fn is_joint(&self) -> bool {
        true
    }

    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>) {
        self.update(environment, |before| {
            let form = Linear::new(term, &before)?;
            if member >= self.members {
                return Some(before);
            }
            let mut after = before.clone();
            after.forget(member);
            let (plus, minus) = (vertex(member, false), vertex(member, true));
            let mut bound = |i, j, form: Option<Linear>| {
                if let Some(bound) = form.and_then(|form| form.upper_bound(&before)) {
                    after.impose(i, j, bound);
                }
            };
            let zero = Linear { coefficients: Vec::new(), rest: Interval::constant(0) };
            let negated = zero.plus(&form, -1);
            for (i, form) in [(plus, Some(form)), (minus, negated)] {
                let Some(form) = form else { continue };
                bound(i, i ^ 1, form.plus(&form, 1));
                for other in (0..self.members).filter(|&other| other != member) {
                    bound(i, vertex(other, false), form.plus_member(other, -1));
                    bound(i, vertex(other, true), form.plus_member(other, 1));
                }
            }
            after.close().then_some(after)
        });
    }

    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        self.update(environment, |matrix| self.assume_all(matrix, left, cmp, right))
    }

    fn bounds(&self, environment: &[i32], term: &Term<'_>) -> (i64, i64) {
        let Some(matrix) = self.load(environment) else { return (i64::MAX, i64::MIN) };
        let Some(form) = Linear::new(term, &matrix) else { return (i64::MAX, i64::MIN) };
        let bounds = Interval::between(form.lower_bound(&matrix), form.upper_bound(&matrix));
        (bounds.low, bounds.high)
    }
}
