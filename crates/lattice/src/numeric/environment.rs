//! Non-relational environments: each member has its own abstract value.
//!
//! An element is the concatenation of the values of its members. Members are independent, so a
//! concatenation of elements is again an environment. Terms can therefore use the elements of
//! different variables.

use std::borrow::Cow;

use super::{Domain, Tree};
use crate::{Comparison, Lattice, Method, Misuse, Numeric, SlotOrder, Term, Trend, method};

/// A lattice that abstracts each member by a value of a domain.
#[derive(Debug)]
pub(crate) struct Environment<D> {
    name: String,
    domain: D,
    members: usize,
    /// Whether methods take a member as their first argument.
    is_joint: bool,
}

/// How often a comparison is propagated through its terms. More rounds would gain little.
const ROUNDS: usize = 3;

static METHODS: [Method; 5] = [
    Method::change("forget", &[], "lets it be any integer"),
    Method::change("between", &["low", "high"], "lets it be any integer between low and high"),
    Method::test("mayBe", &["value"], Trend::Rises, "whether it may have a value"),
    Method::measure("low", &[], Trend::Falls, "its least value, also `v.l`; the least 32-bit integer if there is none"),
    Method::measure(
        "high",
        &[],
        Trend::Rises,
        "its greatest value, also `v.u`; the greatest 32-bit integer if there is none",
    ),
];

/// The bounds by opaal's names.
static FIELDS: [(Cow<'static, str>, usize); 2] = [(Cow::Borrowed("l"), 3), (Cow::Borrowed("u"), 4)];

/// The same for lattices whose elements have several members.
pub(crate) static JOINT_METHODS: [Method; 5] = [
    Method::change("forget", &["member"], "lets a member be any integer"),
    Method::change("between", &["member", "low", "high"], "lets a member be any integer between low and high"),
    Method::test("mayBe", &["member", "value"], Trend::Rises, "whether a member may have a value"),
    Method::measure(
        "low",
        &["member"],
        Trend::Falls,
        "a member's least value, or the least 32-bit integer if there is none",
    ),
    Method::measure(
        "high",
        &["member"],
        Trend::Rises,
        "a member's greatest value, or the greatest 32-bit integer if there is none",
    ),
];

impl<D: Domain> Environment<D> {
    /// Elements with one member each.
    pub(crate) fn single(name: String, domain: D) -> Environment<D> {
        Environment { name, domain, members: 1, is_joint: false }
    }

    /// Elements with several members.
    pub(crate) fn joint(name: String, domain: D, members: usize) -> Environment<D> {
        Environment { name, domain, members, is_joint: true }
    }

    /// Reads the values of all members; `None`: one is bottom.
    fn load(&self, environment: &[i32]) -> Option<Vec<D::Value>> {
        environment.chunks_exact(self.domain.width()).map(|slots| self.domain.load(slots)).collect()
    }

    /// Writes the values of all members. If one is bottom, all are.
    fn store(&self, members: Option<&[D::Value]>, environment: &mut [i32]) {
        for (member, slots) in environment.chunks_exact_mut(self.domain.width()).enumerate() {
            self.domain.store(members.map(|members| members[member]), slots);
        }
    }

    fn evaluate(&self, members: &[D::Value], term: &Term<'_>) -> Option<D::Value> {
        Tree::new(term).evaluate(&self.domain, members)?.pop()
    }

    /// Restricts the members to values that satisfy a comparison, or to a superset of them; `None`:
    /// no values do.
    pub(crate) fn assume_all(
        &self,
        members: &mut [D::Value],
        left: &Term<'_>,
        cmp: Comparison,
        right: &Term<'_>,
    ) -> Option<()> {
        let (left, right) = (Tree::new(left), Tree::new(right));
        for _ in 0..ROUNDS {
            let mut left_values = left.evaluate(&self.domain, members)?;
            let mut right_values = right.evaluate(&self.domain, members)?;
            let (a, b) = self.domain.compare(cmp, left_values[left.root()], right_values[right.root()])?;
            left_values[left.root()] = a;
            right_values[right.root()] = b;
            if !left.refine(&self.domain, &mut left_values, members)
                || !right.refine(&self.domain, &mut right_values, members)
            {
                return None;
            }
        }
        Some(())
    }

    /// Enumerates the values of two elements, member by member.
    fn pairs(&self, a: &[i32], b: &[i32]) -> impl Iterator<Item = (Option<D::Value>, Option<D::Value>)> {
        let width = self.domain.width();
        a.chunks_exact(width).zip(b.chunks_exact(width)).map(|(a, b)| (self.domain.load(a), self.domain.load(b)))
    }

    /// Combines the values of two elements by `f`, which returns an upper bound. Returns whether
    /// any value changed.
    fn combine(&self, into: &mut [i32], other: &[i32], f: impl Fn(D::Value, D::Value) -> D::Value) -> bool {
        let width = self.domain.width();
        let mut changes = false;
        for (slots, other) in into.chunks_exact_mut(width).zip(other.chunks_exact(width)) {
            let Some(b) = self.domain.load(other) else { continue };
            let before = self.domain.load(slots);
            let after = before.map_or(b, |a| f(a, b));
            if before != Some(after) {
                self.domain.store(Some(after), slots);
                changes = true;
            }
        }
        changes
    }

    /// Returns the abstraction of all integers between two.
    fn between(&self, low: i32, high: i32) -> D::Value {
        let domain = &self.domain;
        if low == high {
            return domain.constant(low);
        }
        let above = domain.compare(Comparison::Ge, domain.top(), domain.constant(low));
        let above = above.map_or_else(|| domain.top(), |(value, _)| value);
        domain.compare(Comparison::Le, above, domain.constant(high)).map_or(above, |(value, _)| value)
    }
}

impl<D: Domain> Lattice for Environment<D> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn width(&self) -> usize {
        self.domain.width() * self.members
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        self.domain.range(slot % self.domain.width())
    }

    fn initial(&self, out: &mut [i32]) {
        self.store(Some(&vec![self.domain.constant(0); self.members]), out);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        self.pairs(a, b).all(|(a, b)| match (a, b) {
            (None, _) => true,
            (_, None) => false,
            (Some(a), Some(b)) => self.domain.leq(a, b),
        })
    }

    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        self.domain.slot_order(slot % self.domain.width())
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        self.combine(into, other, |a, b| self.domain.join(a, b))
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        self.combine(into, other, |a, b| self.domain.widen(a, b, thresholds))
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        element.chunks_exact(self.domain.width()).any(|slots| self.domain.load(slots).is_none())
    }

    fn methods(&self) -> &[Method] {
        if self.is_joint { &JOINT_METHODS } else { &METHODS }
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let first = usize::from(self.is_joint);
        let member = if self.is_joint { method::index(args, 0, self.members)? } else { 0 };
        let members = self.load(this);
        let value = members.as_ref().and_then(|members| members.get(member)).copied();
        let bounds = value.map_or((i64::MAX, i64::MIN), |value| self.domain.bounds(value));
        let becomes = match method {
            0 => self.domain.top(),
            1 => {
                let low = method::argument(args, first, i32::MIN, i32::MAX)?;
                self.between(low, method::argument(args, first + 1, low, i32::MAX)?)
            }
            2 => {
                let number = self.domain.constant(method::argument(args, first, i32::MIN, i32::MAX)?);
                return Ok(i32::from(
                    value.is_some_and(|value| self.domain.compare(Comparison::Eq, value, number).is_some()),
                ));
            }
            3 => return Ok(narrow(bounds.0)),
            _ => return Ok(narrow(bounds.1)),
        };
        if let Some(mut members) = members {
            members[member] = becomes;
            self.store(Some(&members), this);
        }
        Ok(0)
    }

    fn numeric(&self) -> Option<&dyn Numeric> {
        Some(self)
    }

    fn fields(&self) -> &[(Cow<'static, str>, usize)] {
        if self.is_joint { &[] } else { &FIELDS }
    }

    fn show(&self, element: &[i32]) -> String {
        let Some(members) = self.load(element) else { return "nothing".to_owned() };
        let texts: Vec<String> = members.iter().map(|&value| self.domain.show(value)).collect();
        if self.is_joint { format!("({})", texts.join(", ")) } else { texts.join(", ") }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        if random(16) == 0 {
            return self.store(None, out);
        }
        let members: Vec<D::Value> = (0..self.members).map(|_| self.domain.sample(random)).collect();
        self.store(Some(&members), out);
    }
}

impl<D: Domain> Numeric for Environment<D> {
    fn members(&self) -> usize {
        self.members
    }

    fn is_joint(&self) -> bool {
        self.is_joint
    }

    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>) {
        let mut members = self.load(environment);
        let value = members.as_ref().and_then(|members| self.evaluate(members, term));
        match (&mut members, value) {
            (Some(members), Some(value)) if member < members.len() => members[member] = value,
            _ => members = None,
        }
        self.store(members.as_deref(), environment);
    }

    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        let mut members = self.load(environment);
        if let Some(some) = &mut members
            && self.assume_all(some, left, cmp, right).is_none()
        {
            members = None;
        }
        self.store(members.as_deref(), environment);
        members.is_some()
    }

    fn bounds(&self, environment: &[i32], term: &Term<'_>) -> (i64, i64) {
        let value = self.load(environment).and_then(|members| self.evaluate(&members, term));
        value.map_or((i64::MAX, i64::MIN), |value| self.domain.bounds(value))
    }
}

/// Clamps a bound to 32 bits.
fn narrow(bound: i64) -> i32 {
    bound.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}
