//! Elements that stand for one integer, and fields of elements.
//!
//! Where an integer is expected, such an element is read by a method of its lattice; assignments
//! call methods that change it. A field is a method without parameters by another name. The type of
//! an expression that reads a number is `int`, and [`Checked::number`] has the method.

use lattice::{Operators, ReturnType, Trend};
use syntax::{
    Diagnostic, Tree,
    ast::{BinaryOp, ExprId, ExprKind, Name},
};

use super::{Checked, Checker, ExternInfo};
use crate::{
    operation::comparison,
    types::{Ty, TyKind, Types},
};

impl Checked {
    /// Returns the methods behind operators on elements of a type.
    #[must_use]
    pub(crate) fn operators(&self, ty: Ty) -> Option<Operators> {
        let TyKind::Lattice(number, _, dims) = self.types.kind(ty) else { return None };
        match self.externs.get(*number as usize)? {
            ExternInfo::Library(lattice) if dims.is_empty() => lattice.prototype.operators(),
            _ => None,
        }
    }

    /// Returns whether a value is an element, and not the integer that it stands for.
    pub(crate) fn is_element(&self, value: ExprId) -> bool {
        matches!(self.types.kind(self.ty(value)), TyKind::Lattice(_, _, dims) if dims.is_empty())
    }

    /// Returns the lattice and the method by which an expression reads a number of an element.
    #[must_use]
    pub(crate) fn number(&self, e: ExprId) -> Option<(u32, u32)> {
        self.numbers.get(&e).copied()
    }

    /// Returns the element whose number an expression reads.
    #[must_use]
    pub(crate) fn number_owner(&self, tree: &Tree, e: ExprId) -> ExprId {
        match tree.kind(e) {
            ExprKind::Member(of, _) if matches!(self.types.kind(self.ty(of)), TyKind::Lattice(..)) => of,
            _ => e,
        }
    }

    /// Returns the method that `target = value` or `target op= value` calls, and its argument;
    /// `None` if it does not assign an integer to an element.
    #[must_use]
    pub(crate) fn number_change(
        &self,
        tree: &Tree,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
    ) -> Option<(usize, ExprId)> {
        let operators = self.operators(self.ty(target))?;
        if self.is_element(value) {
            return match op {
                Some(BinaryOp::Add) => Some((operators.add_element?, value)),
                Some(BinaryOp::Sub) => Some((operators.sub_element?, value)),
                _ => None,
            };
        }
        if !self.types.is_integral(self.ty(value)) {
            return None;
        }
        match op {
            Some(BinaryOp::Add) => return Some((operators.add?, value)),
            Some(BinaryOp::Sub) => return Some((operators.sub?, value)),
            Some(_) => return None,
            None => {}
        }
        // `n = n + 1` is `n += 1`, which is monotone however large the number is.
        let is_target = |e: ExprId| self.name(target).is_some() && self.name(e) == self.name(target);
        let (method, argument) = match tree.kind(value) {
            ExprKind::Binary(BinaryOp::Add, a, b) if is_target(a) => (operators.add, b),
            ExprKind::Binary(BinaryOp::Add, a, b) if is_target(b) => (operators.add, a),
            ExprKind::Binary(BinaryOp::Sub, a, b) if is_target(a) => (operators.sub, b),
            _ => (None, value),
        };
        match method {
            Some(method) => Some((method, argument)),
            None => Some((operators.set?, value)),
        }
    }
}

impl Checker<'_> {
    /// Returns the type of an operand, where an element may stand for an integer.
    pub(super) fn operand(&mut self, e: ExprId) -> Ty {
        let ty = self.expr(e);
        self.as_number(e, ty)
    }

    /// Reads an element that stands for an integer as that integer. Other types stay as they are.
    pub(super) fn as_number(&mut self, e: ExprId, ty: Ty) -> Ty {
        let is_place = matches!(self.tree.kind(e), ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..));
        let operators = self.out.operators(ty).filter(|_| is_place);
        let (Some(value), &TyKind::Lattice(lattice, ..)) = (operators.and_then(|o| o.value), self.kind(ty)) else {
            return ty;
        };
        self.out.numbers.insert(e, (lattice, value as u32));
        self.out.tys[e.0 as usize] = Types::INT;
        Types::INT
    }

    /// Returns whether a value may be assigned to an element that stands for an integer; `None` if
    /// the target is no such element or the value is an element, too.
    pub(super) fn number_fits(&self, op: Option<BinaryOp>, to: Ty, from: Ty) -> Option<bool> {
        let operators = self.out.operators(to)?;
        if op.is_none() && self.out.types.equivalent(self.tree, to, from) {
            return None;
        }
        if self.out.types.equivalent(self.tree, to, from) {
            let method = if op == Some(BinaryOp::Add) { operators.add_element } else { operators.sub_element };
            return Some(method.is_some() && matches!(op, Some(BinaryOp::Add | BinaryOp::Sub)));
        }
        let method = match op {
            None => operators.set,
            Some(BinaryOp::Add) => operators.add,
            Some(BinaryOp::Sub) => operators.sub,
            Some(_) => None,
        };
        Some(method.is_some() && self.out.types.is_integral(from))
    }

    /// Warns, once, that numbers are compared whose lattice has the reverse order: opaal compares
    /// by that order.
    pub(super) fn warn_reverse(&mut self, e: ExprId, op: BinaryOp, operands: [(ExprId, Ty); 2]) {
        if self.has_warned || !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            return;
        }
        for (operand, ty) in operands {
            let (TyKind::Lattice(number, name, _), Some(operators)) = (self.kind(ty), self.out.operators(ty)) else {
                continue;
            };
            let (name, prototype) = (*name, self.prototype(*number));
            if prototype.is_some_and(|l| {
                operators.value.and_then(|m| l.methods().get(m)).is_some_and(|m| m.trend == Trend::Falls)
            }) {
                let [text, lattice] = [syntax::print::expression(self.tree, operand), self.text(name).to_owned()];
                let message = format!("this compares numbers; opaal compares those of `{lattice}` in reverse order");
                let d = Diagnostic::warning("reverse-order", self.tree.span(e), message);
                self.report(d.help(format!("write `{text}.value()` if numbers are meant, else turn the sign around")));
                self.has_warned = true;
                return;
            }
        }
    }

    /// Requires that a query does not compare an element for which time passes with a number above
    /// all those of the model, which its class was told of: it need not count so far.
    pub(super) fn require_within_reach(&mut self, op: BinaryOp, operands: [(ExprId, Ty); 2]) {
        if !self.in_query || comparison(op).is_none() {
            return;
        }
        let [left, right] = operands;
        for ((_, ty), (other, _)) in [(left, right), (right, left)] {
            let TyKind::Lattice(number, ..) = *self.kind(ty) else { continue };
            let Some(ExternInfo::Library(lattice)) = self.out.externs.get(number as usize) else { continue };
            let (largest, passes) = (lattice.largest, lattice.prototype.delay().is_some());
            let Some(n) = self.largest_in(other).filter(|n| passes && *n > largest) else { continue };
            let message = format!("{n} is larger than all numbers of the model, up to which time is counted");
            let d = Diagnostic::error("delay", self.tree.span(other), message);
            self.report(d.help(format!("declare a constant in the model, such as `const int LARGEST = {n};`")));
        }
    }

    /// Returns the largest literal in an expression.
    fn largest_in(&self, e: ExprId) -> Option<i32> {
        let kind = self.tree.kind(e);
        let mut largest = if let ExprKind::Int(n) = kind { Some(n) } else { None };
        self.tree.children(kind, |_, child| largest = largest.max(syntax::grow(|| self.largest_in(child))));
        largest
    }

    /// Checks `v.name` without a call: a field of an element.
    pub(super) fn field_of_element(&mut self, e: ExprId, name: Name, of: Ty, lattice: u32) -> Ty {
        let prototype = self.prototype(lattice);
        let text = self.text(name.sym);
        let field = prototype.as_ref().and_then(|l| l.fields().iter().find(|field| field.0 == text));
        let Some(&(_, method)) = field else { return self.method_as_member(name, of, lattice) };
        self.out.numbers.insert(e, (lattice, method as u32));
        match prototype.and_then(|l| l.methods().get(method).map(|m| m.result)) {
            Some(ReturnType::Bool) => Types::BOOL,
            _ => Types::INT,
        }
    }

    /// Returns the error that a field is assigned to.
    pub(super) fn read_only(&self, e: ExprId) -> Option<Diagnostic> {
        let ExprKind::Member(of, _) = self.tree.kind(e) else { return None };
        let TyKind::Lattice(number, ..) = self.kind(self.out.ty(of)) else { return None };
        let prototype = self.prototype(*number)?;
        let text = syntax::print::expression(self.tree, e);
        let d = Diagnostic::error("assignment", self.tree.span(e), format!("`{text}` can only be read"));
        let changing: Vec<String> =
            prototype.methods().iter().filter(|m| m.changes).map(|m| format!("`{}`", m.name)).collect();
        Some(d.help(format!("these methods change the element: {}", changing.join(", "))))
    }
}
