//! Terms as trees: forward evaluation and backward refinement.
//!
//! Values propagate from the members up to the root; a restriction of the root propagates back down
//! and restricts each member (F. Benhamou et al., *Revising hull and box consistency*, ICLP 1999,
//! there for intervals).

use super::{Domain, Operation};
use crate::{Term, TermOp};

/// A node of a term. It comes after its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermNode {
    Constant(i32),
    Member(usize),
    /// An operand that the term lacks: any integer.
    Unknown,
    Negate(usize),
    Apply(Operation, usize, usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<TermNode>,
}

impl Tree {
    pub(crate) fn new(term: &Term<'_>) -> Tree {
        let mut nodes = Vec::with_capacity(term.ops.len());
        let mut stack = Vec::new();
        for &op in term.ops {
            let node = match op {
                TermOp::Const(number) => TermNode::Constant(number),
                TermOp::Value(place) => {
                    term.values.get(place as usize).map_or(TermNode::Unknown, |&v| TermNode::Constant(v))
                }
                TermOp::Member(member) => TermNode::Member(member as usize),
                TermOp::Neg => stack.pop().map_or(TermNode::Unknown, TermNode::Negate),
                TermOp::Add => apply(Operation::Add, &mut stack),
                TermOp::Sub => apply(Operation::Sub, &mut stack),
                TermOp::Mul => apply(Operation::Mul, &mut stack),
                TermOp::Div => apply(Operation::Div, &mut stack),
                TermOp::Mod => apply(Operation::Mod, &mut stack),
            };
            stack.push(nodes.len());
            nodes.push(node);
        }
        if nodes.is_empty() {
            nodes.push(TermNode::Unknown);
        }
        Tree { nodes }
    }

    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Evaluates each node; `None`: one has no value.
    pub(crate) fn evaluate<D: Domain>(&self, domain: &D, members: &[D::Value]) -> Option<Vec<D::Value>> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            values.push(match node {
                TermNode::Constant(number) => domain.constant(number),
                TermNode::Member(member) => members.get(member).copied().unwrap_or_else(|| domain.top()),
                TermNode::Unknown => domain.top(),
                TermNode::Negate(part) => domain.negate(values[part]),
                TermNode::Apply(operation, a, b) => domain.apply(operation, values[a], values[b])?,
            });
        }
        Some(values)
    }

    /// Restricts the members to what agrees with the values of the nodes, after the root's value
    /// was restricted. Returns `false` if no values are left.
    pub(crate) fn refine<D: Domain>(&self, domain: &D, values: &mut [D::Value], members: &mut [D::Value]) -> bool {
        self.refine_or_fail(domain, values, members).is_some()
    }

    fn refine_or_fail<D: Domain>(&self, domain: &D, values: &mut [D::Value], members: &mut [D::Value]) -> Option<()> {
        for (number, &node) in self.nodes.iter().enumerate().rev() {
            let value = values[number];
            match node {
                TermNode::Constant(_) | TermNode::Unknown => {}
                TermNode::Member(member) => {
                    if let Some(known) = members.get_mut(member) {
                        *known = domain.meet(*known, value)?;
                    }
                }
                TermNode::Negate(part) => values[part] = domain.meet(values[part], domain.negate(value))?,
                TermNode::Apply(operation, a, b) => {
                    (values[a], values[b]) = domain.refine(operation, values[a], values[b], value)?;
                }
            }
        }
        Some(())
    }
}

fn apply(operation: Operation, stack: &mut Vec<usize>) -> TermNode {
    match (stack.pop(), stack.pop()) {
        (Some(b), Some(a)) => TermNode::Apply(operation, a, b),
        _ => TermNode::Unknown,
    }
}
