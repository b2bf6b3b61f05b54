//! Monotonicity of expressions in the elements of lattices.
//!
//! A condition that stays true when elements grow is monotone: states with greater elements have
//! all behaviour of those with smaller ones. The analysis works on expressions, not on code, where
//! `and`, `or` and comparisons are no longer visible. It is approximate: [`Monotonicity::Unknown`]
//! is always a sound answer.

use lattice::Trend;
use syntax::ast::{BinaryOp, ExprId, ExprKind, List, Quantifier, StmtId, StmtKind, UnaryOp};

use super::{Lowerer, expr::ExprValue};
use crate::{
    builtin::{self, Builtin},
    check::ExternInfo,
    types::{Ty, TyKind},
};

/// The change of a value when elements grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Monotonicity {
    /// It does not depend on elements.
    Constant,
    /// It never decreases.
    Increasing,
    /// It never increases.
    Decreasing,
    /// It may do either.
    Unknown,
}

impl Monotonicity {
    /// Returns the monotonicity of the negation.
    pub(super) fn flip(self) -> Monotonicity {
        match self {
            Monotonicity::Increasing => Monotonicity::Decreasing,
            Monotonicity::Decreasing => Monotonicity::Increasing,
            other => other,
        }
    }

    /// Returns the monotonicity of a function that increases with both values.
    pub(super) fn with(self, other: Monotonicity) -> Monotonicity {
        match (self, other) {
            (Monotonicity::Constant, other) => other,
            (own, Monotonicity::Constant) => own,
            (own, other) if own == other => own,
            _ => Monotonicity::Unknown,
        }
    }

    /// Returns the monotonicity of an unknown function of both values.
    pub(super) fn mixed(self, other: Monotonicity) -> Monotonicity {
        if (self, other) == (Monotonicity::Constant, Monotonicity::Constant) {
            Monotonicity::Constant
        } else {
            Monotonicity::Unknown
        }
    }

    /// Returns whether a condition stays true when elements grow.
    pub(crate) fn is_monotone(self) -> bool {
        matches!(self, Monotonicity::Constant | Monotonicity::Increasing)
    }
}

impl From<Trend> for Monotonicity {
    fn from(trend: Trend) -> Monotonicity {
        match trend {
            Trend::Rises => Monotonicity::Increasing,
            Trend::Falls => Monotonicity::Decreasing,
            Trend::Varies => Monotonicity::Unknown,
        }
    }
}

impl Lowerer<'_> {
    /// Returns the monotonicity of an expression. The names in it must be bound.
    pub(super) fn monotonicity(&mut self, e: ExprId) -> Monotonicity {
        if self.checked.externs.is_empty() {
            return Monotonicity::Constant;
        }
        syntax::grow(|| self.sway_here(e))
    }

    /// Returns whether values of a type are elements, or arrays of their bits.
    pub(super) fn is_element(&self, ty: Ty) -> bool {
        self.checked.types.order(ty).is_some()
            || matches!(self.checked.types.kind(ty), TyKind::Lattice(..) | TyKind::Bits(_) | TyKind::Abstract(_))
    }

    fn sway_here(&mut self, e: ExprId) -> Monotonicity {
        if let Some((lattice, method)) = self.checked.number(e) {
            let owner = self.checked.number_owner(self.tree, e);
            return self.monotonicity_of_place(owner).with(self.trend(lattice, method as usize));
        }
        if self.is_element(self.checked.ty(e)) {
            return Monotonicity::Unknown;
        }
        match self.tree.kind(e) {
            ExprKind::Member(of, _) if *self.checked.types.kind(self.checked.ty(of)) == TyKind::Process => {
                Monotonicity::Constant
            }
            ExprKind::Member(of, _) | ExprKind::Unary(UnaryOp::Plus, of) => self.monotonicity(of),
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Not, a) => self.monotonicity(a).flip(),
            ExprKind::Index(of, index) => self.monotonicity_of_part(of, index),
            ExprKind::Binary(op, a, b) => self.monotonicity_of_pair(op, a, b),
            ExprKind::Conditional(c, a, b) => {
                let chosen = self.monotonicity(a).with(self.monotonicity(b));
                if self.monotonicity(c) == Monotonicity::Constant { chosen } else { Monotonicity::Unknown }
            }
            ExprKind::Quantifier(Quantifier::Forall | Quantifier::Exists | Quantifier::Sum, _, _, body) => {
                self.monotonicity(body)
            }
            ExprKind::Assign(_, a, b) => self.monotonicity(a).mixed(self.monotonicity(b)),
            ExprKind::Step { target, .. } => self.monotonicity(target).mixed(Monotonicity::Constant),
            ExprKind::Comma(_, b) => self.monotonicity(b),
            ExprKind::Call(callee, args) => self.monotonicity_of_call(e, callee, args),
            _ => Monotonicity::Constant,
        }
    }

    /// Returns the monotonicity of `of[index]`.
    fn monotonicity_of_part(&mut self, of: ExprId, index: ExprId) -> Monotonicity {
        let mut monotonicity = self.monotonicity(index).mixed(Monotonicity::Constant);
        let mut root = of;
        loop {
            if let TyKind::Lattice(number, ..) = *self.checked.types.kind(self.checked.ty(root)) {
                let trend = self.prototype(number).map_or(Trend::Varies, |lattice| lattice.bit_trend());
                return monotonicity.with(self.monotonicity_of_place(root)).with(trend.into());
            }
            match self.tree.kind(root) {
                ExprKind::Index(of, index) if self.is_element(self.checked.ty(root)) => {
                    monotonicity = monotonicity.mixed(self.monotonicity(index));
                    root = of;
                }
                _ => return monotonicity.with(self.monotonicity(root)),
            }
        }
    }

    /// Returns the monotonicity of the position of an element, which depends on indices only.
    pub(super) fn monotonicity_of_place(&mut self, e: ExprId) -> Monotonicity {
        match self.tree.kind(e) {
            ExprKind::Name(_) => Monotonicity::Constant,
            ExprKind::Member(of, _) if *self.checked.types.kind(self.checked.ty(of)) == TyKind::Process => {
                Monotonicity::Constant
            }
            ExprKind::Member(of, _) => syntax::grow(|| self.monotonicity_of_place(of)),
            ExprKind::Index(of, index) => {
                let index = self.monotonicity(index);
                syntax::grow(|| self.monotonicity_of_place(of)).mixed(index)
            }
            _ => Monotonicity::Unknown,
        }
    }

    /// Returns the monotonicity of the concrete parts of a term.
    pub(super) fn monotonicity_of_term(&mut self, e: ExprId) -> Monotonicity {
        if !self.is_abstract(e) {
            return self.monotonicity(e);
        }
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Unary(_, a) => self.monotonicity_of_term(a),
            ExprKind::Binary(_, a, b) => self.monotonicity_of_term(a).mixed(self.monotonicity_of_term(b)),
            ExprKind::Comma(_, b) => self.monotonicity_of_term(b),
            _ => self.monotonicity_of_place(e),
        })
    }

    pub(super) fn prototype(&self, number: u32) -> Option<&dyn lattice::Lattice> {
        match &self.checked.externs[number as usize] {
            ExternInfo::Library(library) => Some(&*library.prototype),
            ExternInfo::Model(_) => None,
        }
    }

    /// Returns how the result of a lattice's method changes when the element grows.
    pub(super) fn trend(&self, lattice: u32, method: usize) -> Monotonicity {
        let methods = self.prototype(lattice).map_or(&[][..], |lattice| lattice.methods());
        methods.get(method).map_or(Trend::Varies, |m| m.trend).into()
    }

    fn monotonicity_of_pair(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Monotonicity {
        use BinaryOp::*;
        if self.is_abstract(a) || self.is_abstract(b) {
            // A comparison of abstract integers is monotone, whatever it compares.
            return self.monotonicity_of_term(a).mixed(self.monotonicity_of_term(b));
        }
        let (x, y) = (self.monotonicity(a), self.monotonicity(b));
        if (x, y) == (Monotonicity::Constant, Monotonicity::Constant) {
            return Monotonicity::Constant;
        }
        match op {
            // A result beyond 32 bits wraps around.
            Add | Sub | Mul if self.may_wrap(op, a, b) => Monotonicity::Unknown,
            And | Or | Add | Min | Max => x.with(y),
            Sub | Gt | Ge => x.with(y.flip()),
            Imply | Lt | Le => x.flip().with(y),
            BitAnd | BitOr if self.is_truth(a) && self.is_truth(b) => x.with(y),
            Mul if x == Monotonicity::Constant => self.scaled(y, a),
            Mul if y == Monotonicity::Constant => self.scaled(x, b),
            Div if y == Monotonicity::Constant && self.bounds_of(b).is_some_and(|v| v.low > 0) => x,
            Eq => self.monotonicity_of_equality(a, x, b, y),
            Ne => self.monotonicity_of_equality(a, x, b, y).flip(),
            _ => Monotonicity::Unknown,
        }
    }

    /// Returns whether a sum, difference or product may exceed 32 bits.
    fn may_wrap(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        let (Some(left), Some(right)) = (self.bounds_of(a), self.bounds_of(b)) else { return true };
        let [a, b, c, d] = [left.low, left.high, right.low, right.high].map(i64::from);
        let results = match op {
            BinaryOp::Add => [a + c, b + d, 0, 0],
            BinaryOp::Sub => [a - d, b - c, 0, 0],
            _ => [a * c, a * d, b * c, b * d],
        };
        results.iter().any(|result| i32::try_from(*result).is_err())
    }

    fn is_truth(&self, e: ExprId) -> bool {
        matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Bool)
    }

    /// Returns bounds of a value, if it can be compiled.
    fn bounds_of(&mut self, e: ExprId) -> Option<ExprValue> {
        self.aside(|l| {
            l.start(&[e]).ok()?;
            l.value(e).ok()
        })
    }

    /// Returns the monotonicity of a value times a constant one.
    fn scaled(&mut self, monotonicity: Monotonicity, by: ExprId) -> Monotonicity {
        match self.bounds_of(by) {
            Some(by) if by.low >= 0 => monotonicity,
            Some(by) if by.high <= 0 => monotonicity.flip(),
            _ => Monotonicity::Unknown,
        }
    }

    /// Returns the monotonicity of `a == b`, which is an inequality if one side is a bound of the
    /// other.
    fn monotonicity_of_equality(&mut self, a: ExprId, x: Monotonicity, b: ExprId, y: Monotonicity) -> Monotonicity {
        let (Some(left), Some(right)) = (self.bounds_of(a), self.bounds_of(b)) else { return Monotonicity::Unknown };
        if left.high <= right.low {
            x.with(y.flip())
        } else if left.low >= right.high {
            x.flip().with(y)
        } else {
            Monotonicity::Unknown
        }
    }

    fn monotonicity_of_call(&mut self, e: ExprId, callee: ExprId, args: List) -> Monotonicity {
        let list = self.tree.list(args).to_vec();
        if let Some(method) = self.checked.method(e) {
            let ExprKind::Member(of, _) = self.tree.kind(callee) else { return Monotonicity::Unknown };
            let TyKind::Lattice(number, ..) = *self.checked.types.kind(self.checked.ty(of)) else {
                return Monotonicity::Unknown;
            };
            let fixed =
                list.into_iter().fold(self.monotonicity_of_place(of), |all, arg| all.mixed(self.monotonicity(arg)));
            return fixed.with(self.trend(number, method as usize));
        }
        let mut monotonicity = Monotonicity::Constant;
        for &arg in &list {
            // An element is passed whole; its use in the function is analysed there.
            let is_whole = matches!(self.checked.types.kind(self.checked.ty(arg)), TyKind::Lattice(..));
            monotonicity =
                monotonicity.mixed(if is_whole { self.monotonicity_of_place(arg) } else { self.monotonicity(arg) });
        }
        match self.callee(callee) {
            Ok(Some((f, process))) => {
                let own = self.within(process, |l| Ok(l.function_monotonicity(f))).unwrap_or(Monotonicity::Unknown);
                monotonicity.with(own)
            }
            _ => match self.tree.kind(callee) {
                ExprKind::Name(sym) if builtin::function(self.tree.text(sym)).map(|b| b.0) == Some(Builtin::ToInt) => {
                    list.first().map_or(Monotonicity::Constant, |&arg| self.monotonicity(arg))
                }
                _ => monotonicity,
            },
        }
    }

    /// Returns the monotonicity of the result of a function with constant arguments. Its use of
    /// elements is analysed too.
    pub(super) fn function_monotonicity(&mut self, f: u32) -> Monotonicity {
        let key = self.key(f);
        if let Some(&known) = self.cached(|cache| cache.monotonicities.get(&key)) {
            return known;
        }
        // There is no recursion; this entry only prevents repeated work.
        self.own.monotonicities.insert(key, Monotonicity::Unknown);
        let monotonicity = match self.body_of(f) {
            Some(body) => {
                self.watch_statement(body);
                self.monotonicity_of_returns(body)
            }
            None => Monotonicity::Unknown,
        };
        self.own.monotonicities.insert(key, monotonicity);
        monotonicity
    }

    fn monotonicity_of_returns(&mut self, s: StmtId) -> Monotonicity {
        let tree = self.tree;
        syntax::grow(|| match &tree.stmt(s).kind {
            StmtKind::Return(Some(e)) => self.monotonicity(*e),
            StmtKind::Block(_, body) => {
                body.iter().fold(Monotonicity::Constant, |all, s| all.with(self.monotonicity_of_returns(*s)))
            }
            StmtKind::If(_, yes, no) => {
                let own = self.monotonicity_of_returns(*yes);
                no.map_or(own, |no| own.with(self.monotonicity_of_returns(no)))
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::For(_, _, _, body)
            | StmtKind::Iterate(_, body) => self.monotonicity_of_returns(*body),
            StmtKind::Return(None) | StmtKind::Empty | StmtKind::Expr(_) | StmtKind::Assert(_) => {
                Monotonicity::Constant
            }
        })
    }
}
