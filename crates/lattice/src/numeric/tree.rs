//! Terms as trees: calculating with what is known, and learning from the result.
//!
//! Values go up from the members to the root; what the root is known to be goes down again, and leaves of each member what can
//! be (F. Benhamou et al., *Revising hull and box consistency*, ICLP 1999, there for intervals).

use super::{Domain, Operation};
use crate::{Term, TermOp};

/// A part of a term. It comes behind its own parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Constant(i32),
    Member(usize),
    /// Something that the term does not say: any integer.
    Unknown,
    Negate(usize),
    Apply(Operation, usize, usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    pub(crate) fn new(term: &Term<'_>) -> Tree {
        let mut nodes = Vec::with_capacity(term.ops.len());
        let mut stack = Vec::new();
        for &op in term.ops {
            let node = match op {
                TermOp::Const(number) => Node::Constant(number),
                TermOp::Value(place) => term.values.get(place as usize).map_or(Node::Unknown, |&v| Node::Constant(v)),
                TermOp::Member(member) => Node::Member(member as usize),
                TermOp::Neg => stack.pop().map_or(Node::Unknown, Node::Negate),
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
            nodes.push(Node::Unknown);
        }
        Tree { nodes }
    }

    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// What is known of each part; `None`: there is nothing that it could be.
    pub(crate) fn evaluate<D: Domain>(&self, domain: &D, members: &[D::Value]) -> Option<Vec<D::Value>> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            values.push(match node {
                Node::Constant(number) => domain.constant(number),
                Node::Member(member) => members.get(member).copied().unwrap_or_else(|| domain.top()),
                Node::Unknown => domain.top(),
                Node::Negate(part) => domain.negate(values[part]),
                Node::Apply(operation, a, b) => domain.apply(operation, values[a], values[b])?,
            });
        }
        Some(values)
    }

    /// Leaves of the members what agrees with the values of the parts, of which the root's has become less. Returns whether
    /// there is anything.
    pub(crate) fn refine<D: Domain>(&self, domain: &D, values: &mut [D::Value], members: &mut [D::Value]) -> bool {
        self.refine_or_fail(domain, values, members).is_some()
    }

    fn refine_or_fail<D: Domain>(&self, domain: &D, values: &mut [D::Value], members: &mut [D::Value]) -> Option<()> {
        for (number, &node) in self.nodes.iter().enumerate().rev() {
            let value = values[number];
            match node {
                Node::Constant(_) | Node::Unknown => {}
                Node::Member(member) => {
                    if let Some(known) = members.get_mut(member) {
                        *known = domain.meet(*known, value)?;
                    }
                }
                Node::Negate(part) => values[part] = domain.meet(values[part], domain.negate(value))?,
                Node::Apply(operation, a, b) => {
                    (values[a], values[b]) = domain.refine(operation, values[a], values[b], value)?;
                }
            }
        }
        Some(())
    }
}

fn apply(operation: Operation, stack: &mut Vec<usize>) -> Node {
    match (stack.pop(), stack.pop()) {
        (Some(b), Some(a)) => Node::Apply(operation, a, b),
        _ => Node::Unknown,
    }
}
