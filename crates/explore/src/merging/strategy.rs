//! Join strategies.

use model::{
    System,
    code::{Arith, Cmp, Pc},
    machine::{Fault, FaultKind, Machine},
    system::{LocationId, ProcessId},
};
use zone::Bound;

use super::{ElementValues, orders::Orders};
use crate::{
    heuristic::{Failures, Purpose},
    user::{Decide, StateView, UserJoin, WidenedZone, ask},
};

/// What messages call the function of the user.
const ASKED: &str = "the join strategy of the user";

/// The discrete parts in which states are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinLocations {
    /// All of them.
    Everywhere,
    /// Those in which some process is at one of these locations.
    At(Vec<LocationId>),
}

/// One of two states that may be joined, or their join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The stored one.
    Stored,
    /// The new one.
    New,
    /// Their join.
    Joined,
}

/// An expression over two states that may be joined, and their join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwoStates {
    /// A number.
    Number(i32),
    /// The value of an expression in one of them.
    Of(Which, Pc),
    /// Whether something is zero.
    Not(Box<TwoStates>),
    /// Arithmetic.
    Arith(Arith, Box<TwoStates>, Box<TwoStates>),
    /// A comparison.
    Compare(Cmp, Box<TwoStates>, Box<TwoStates>),
    /// Whether both are not zero.
    And(Box<TwoStates>, Box<TwoStates>),
    /// Whether one is not zero.
    Or(Box<TwoStates>, Box<TwoStates>),
}

impl TwoStates {
    /// Appends the expression in postfix order. Expressions of the model are added to a list and
    /// replaced by their indices.
    fn flatten(&self, leaves: &mut Vec<Pc>, out: &mut Vec<PostfixOp>) {
        let mut of = |part: &TwoStates, out: &mut Vec<PostfixOp>| part.flatten(leaves, out);
        let mut both = |a: &TwoStates, b: &TwoStates, step: PostfixOp, out: &mut Vec<PostfixOp>| {
            of(a, out);
            of(b, out);
            out.push(step);
        };
        match self {
            TwoStates::Number(number) => out.push(PostfixOp::Number(*number)),
            TwoStates::Of(which, pc) => {
                let known = leaves.iter().position(|leaf| leaf == pc);
                let place = known.unwrap_or_else(|| {
                    leaves.push(*pc);
                    leaves.len() - 1
                });
                out.push(PostfixOp::Of(*which, place));
            }
            TwoStates::Not(a) => {
                of(a, out);
                out.push(PostfixOp::Not);
            }
            TwoStates::Arith(op, a, b) => both(a, b, PostfixOp::Arith(*op), out),
            TwoStates::Compare(cmp, a, b) => both(a, b, PostfixOp::Compare(*cmp), out),
            TwoStates::And(a, b) => both(a, b, PostfixOp::And, out),
            TwoStates::Or(a, b) => both(a, b, PostfixOp::Or, out),
        }
    }
}

/// An operation of an expression in postfix order, over the values of the model's expressions.
#[derive(Clone, Copy)]
enum PostfixOp {
    Number(i32),
    Of(Which, usize),
    Not,
    Arith(Arith),
    Compare(Cmp),
    And,
    Or,
}

/// The number of cached results.
const CACHED_RESULTS: usize = 64;

/// A condition on two states.
struct JoinCondition {
    steps: Vec<PostfixOp>,
    /// The expressions of the model in it.
    leaves: Vec<Pc>,
    /// Whether it depends on the join, so that it can be evaluated only when that is known.
    needs_join: bool,
    stack: Vec<i32>,
    /// The values of the expressions in the announced state, and cached results by the first
    /// expression's value in stored states. Many of them have equal values.
    new: Vec<i32>,
    known: [Option<(i32, bool)>; CACHED_RESULTS],
    failures: Failures,
}

impl JoinCondition {
    /// Returns whether it holds, by the values of its expressions in both states, as far as these
    /// decide.
    fn holds(&mut self, stored: &[i32], new: &[i32]) -> bool {
        if self.needs_join {
            return true;
        }
        let (stored, new) = (&stored[..self.leaves.len()], &new[..self.leaves.len()]);
        let [only] = *stored else { return self.evaluate(stored, new, &[]) };
        debug_assert_eq!(self.new, new);
        match self.known[only as usize % CACHED_RESULTS] {
            Some((value, holds)) if value == only => holds,
            _ => {
                let holds = self.evaluate(stored, new, &[]);
                self.known[only as usize % CACHED_RESULTS] = Some((only, holds));
                holds
            }
        }
    }

    /// Returns the same without the cache. A condition that fails does not hold.
    fn evaluate(&mut self, stored: &[i32], new: &[i32], joined: &[i32]) -> bool {
        match value(&self.steps, &mut self.stack, [stored, new, joined]) {
            Ok(value) => value.is_some_and(|v| v != 0),
            Err(kind) => {
                // Only operations on both states fail here, so there is an expression.
                if let Some(&leaf) = self.leaves.first() {
                    self.failures.note(Purpose::Join, leaf, Fault { kind, pc: leaf.0 });
                }
                false
            }
        }
    }
}

/// Returns the value of an expression in postfix order; `None`: one of its expressions has failed
/// before.
///
/// # Errors
/// A fault of an operation.
fn value(steps: &[PostfixOp], stack: &mut Vec<i32>, values: [&[i32]; 3]) -> Result<Option<i32>, FaultKind> {
    stack.clear();
    for step in steps {
        let value = match *step {
            PostfixOp::Number(number) => number,
            PostfixOp::Of(which, i) => {
                let value = values[which as usize][i];
                if value == FAILS {
                    return Ok(None);
                }
                value
            }
            PostfixOp::Not => i32::from(stack.pop() == Some(0)),
            PostfixOp::Arith(_) | PostfixOp::Compare(_) | PostfixOp::And | PostfixOp::Or => {
                let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else { return Ok(None) };
                match *step {
                    PostfixOp::Arith(op) => op.apply(a, b)?,
                    PostfixOp::Compare(cmp) => i32::from(cmp.holds(a, b)),
                    PostfixOp::And => i32::from(a != 0 && b != 0),
                    _ => i32::from(a != 0 || b != 0),
                }
            }
        };
        stack.push(value);
    }
    Ok(stack.pop())
}

/// The value of a failed expression.
const FAILS: i32 = i32::MIN;

/// Decides which states are joined.
pub struct JoinStrategy<'a> {
    system: &'a System,
    machine: Machine<'a>,
    /// Where.
    pub places: JoinLocations,
    /// The variables that are joined, by their indices in [`model::Network::lattices`]; the others
    /// have to be equal. `None`: all.
    pub variables: Option<Vec<usize>>,
    /// Whether zones are joined; if not they have to be equal.
    pub zones: bool,
    /// The condition on the two states.
    condition: Option<JoinCondition>,
    /// The function of the user that decides as well.
    pub function: Option<UserJoin>,
    /// The number of joins in a group after which elements are widened, and the thresholds.
    pub widening: Option<(u32, Vec<i32>)>,
}

impl<'a> JoinStrategy<'a> {
    /// Returns the strategy that joins all states.
    #[must_use]
    pub fn always(system: &'a System) -> JoinStrategy<'a> {
        JoinStrategy {
            system,
            machine: Machine::new(&system.code, system.initial.len()),
            places: JoinLocations::Everywhere,
            variables: None,
            zones: true,
            condition: None,
            function: None,
            widening: None,
        }
    }

    /// Restricts the strategy to states that satisfy a condition.
    #[must_use]
    pub fn only_if(self, condition: TwoStates) -> JoinStrategy<'a> {
        let mut leaves = Vec::new();
        let mut steps = Vec::new();
        condition.flatten(&mut leaves, &mut steps);
        let needs_join = steps.iter().any(|step| matches!(step, PostfixOp::Of(Which::Joined, _)));
        let condition = JoinCondition {
            needs_join,
            steps,
            leaves,
            stack: Vec::new(),
            new: Vec::new(),
            known: [None; CACHED_RESULTS],
            failures: Failures::default(),
        };
        JoinStrategy { condition: Some(condition), ..self }
    }

    /// Adds the values that the condition needs.
    pub(super) fn values(&mut self, row: &[i32], out: &mut Vec<i32>) {
        if let Some(JoinCondition { leaves, failures, .. }) = &mut self.condition {
            self.machine.load(row);
            out.extend(leaves.iter().map(|&pc| {
                self.machine.value(pc).unwrap_or_else(|fault| {
                    failures.note(Purpose::Join, pc, fault);
                    FAILS
                })
            }));
        }
    }

    /// Returns the expressions of the condition that have failed. States for which one fails are
    /// not joined.
    pub(super) fn failures(&self) -> Failures {
        self.condition.as_ref().map_or(Failures::default(), |condition| condition.failures.clone())
    }

    /// Sets the expressions that have failed before.
    pub(super) fn set_failures(&mut self, failures: Failures) {
        if let Some(condition) = &mut self.condition {
            condition.failures = failures;
        }
    }

    /// Announces the values of a state that is compared with many others.
    pub(super) fn consider(&mut self, new: &[i32]) {
        if let Some(condition) = &mut self.condition {
            let new = &new[..condition.leaves.len()];
            if condition.new != new {
                new.clone_into(&mut condition.new);
                condition.known = [None; CACHED_RESULTS];
            }
        }
    }

    /// Returns whether two states of a group may be joined, as far as discrete parts decide. The
    /// second is the announced one.
    pub(super) fn allows(
        &mut self,
        orders: &Orders<'_>,
        row: &[i32],
        old: ElementValues<'_>,
        new: ElementValues<'_>,
    ) -> bool {
        if self.condition.as_mut().is_some_and(|condition| !condition.holds(old.1, new.1)) {
            return false;
        }
        if let JoinLocations::At(places) = &self.places {
            let here = |p: u32| places.contains(&self.system.location(row, ProcessId(p)));
            if !(0..self.system.processes.len() as u32).any(here) {
                return false;
            }
        }
        let Some(joined) = &self.variables else { return true };
        let differs = |(variable, at): (usize, std::ops::Range<usize>)| {
            !joined.contains(&variable) && old.0[at.clone()] != new.0[at]
        };
        !orders.variables().any(differs)
    }

    /// Returns whether two states may be joined, given the values of both and of their join.
    pub(super) fn allows_join(&mut self, stored: &[i32], new: &[i32], joined: &[i32]) -> bool {
        match &mut self.condition {
            Some(condition) if condition.needs_join => condition.evaluate(stored, new, joined),
            _ => true,
        }
    }

    /// Returns whether the function of the user allows a join, as far as the stored state and the
    /// new one decide. They are given as rows and zones.
    pub(super) fn is_allowed_before<B: Bound>(&self, states: [(&[i32], &[B]); 2]) -> bool {
        let Some(UserJoin(function)) = &self.function else { return true };
        let Decide::Without(function) = &**function else { return true };
        let zones = states.map(|(_, zone)| WidenedZone::new(zone));
        let view = |i: usize| StateView::new(self.system, states[i].0, Some(&zones[i]));
        ask(self.system, ASKED, || function(&view(0), &view(1))).unwrap_or(false)
    }

    /// Returns whether the function of the user allows a join that is known.
    pub(super) fn is_allowed_after<B: Bound>(&self, states: [(&[i32], &[B]); 3]) -> bool {
        let Some(UserJoin(function)) = &self.function else { return true };
        let Decide::With(function) = &**function else { return true };
        let zones = states.map(|(_, zone)| WidenedZone::new(zone));
        let view = |i: usize| StateView::new(self.system, states[i].0, Some(&zones[i]));
        ask(self.system, ASKED, || function(&view(0), &view(1), &view(2))).unwrap_or(false)
    }

    /// Returns whether joins are counted.
    pub(super) fn counts(&self) -> bool {
        self.widening.is_some()
    }

    /// Returns the thresholds of widening, if a group is widened now.
    pub(super) fn widens(&self, group: u32, joins: &[u32]) -> Option<&[i32]> {
        let (after, thresholds) = self.widening.as_ref()?;
        (joins.get(group as usize).is_some_and(|joins| joins >= after)).then_some(thresholds)
    }
}
