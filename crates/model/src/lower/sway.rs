//! What values do when elements of lattices grow.
//!
//! A condition that can only become true is monotone: states with greater elements can do all that
//! those with smaller ones can. This looks at expressions, not at code: there `and`, `or` and
//! comparisons are still to be seen. Where it can't tell, it says so.

use lattice::Trend;
use syntax::ast::{BinaryOp, ExprId, ExprKind, List, Quantifier, StmtId, StmtKind, UnaryOp};

use super::{Lowerer, expr::ExprValue};
use crate::{
    builtin::{self, Builtin},
    check::ExternInfo,
    types::{Ty, TyKind},
};

/// What a value does when elements grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sway {
    /// Nothing: it does not depend on them.
    Fixed,
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// It may do both, for all that is known.
    Varies,
}

impl Sway {
    /// That of what falls where this rises.
    pub(super) fn flip(self) -> Sway {
        match self {
            Sway::Rises => Sway::Falls,
            Sway::Falls => Sway::Rises,
            other => other,
        }
    }

    /// That of what is made of two values and rises with each.
    pub(super) fn with(self, other: Sway) -> Sway {
        match (self, other) {
            (Sway::Fixed, other) => other,
            (own, Sway::Fixed) => own,
            (own, other) if own == other => own,
            _ => Sway::Varies,
        }
    }

    /// That of what is made of two values in an unknown way.
    pub(super) fn mixed(self, other: Sway) -> Sway {
        if (self, other) == (Sway::Fixed, Sway::Fixed) { Sway::Fixed } else { Sway::Varies }
    }

    /// Returns whether a condition that holds goes on to hold when elements grow.
    pub(crate) fn is_monotone(self) -> bool {
        matches!(self, Sway::Fixed | Sway::Rises)
    }
}

impl From<Trend> for Sway {
    fn from(trend: Trend) -> Sway {
        match trend {
            Trend::Rises => Sway::Rises,
            Trend::Falls => Sway::Falls,
            Trend::Varies => Sway::Varies,
        }
    }
}

impl Lowerer<'_> {
    /// What the value of an expression does. The names in it must be bound.
    pub(super) fn sway(&mut self, e: ExprId) -> Sway {
        if self.checked.externs.is_empty() {
            return Sway::Fixed;
        }
        syntax::grow(|| self.sway_here(e))
    }

    /// Returns whether values of a type are elements, or rows of their bits.
    pub(super) fn is_element(&self, ty: Ty) -> bool {
        self.checked.types.order(ty).is_some()
            || matches!(self.checked.types.kind(ty), TyKind::Lattice(..) | TyKind::Bits(_) | TyKind::Abstract(_))
    }

    fn sway_here(&mut self, e: ExprId) -> Sway {
        if self.is_element(self.checked.ty(e)) {
            return Sway::Varies;
        }
        match self.tree.kind(e) {
            ExprKind::Member(of, _) if *self.checked.types.kind(self.checked.ty(of)) == TyKind::Process => Sway::Fixed,
            ExprKind::Member(of, _) | ExprKind::Unary(UnaryOp::Plus, of) => self.sway(of),
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Not, a) => self.sway(a).flip(),
            ExprKind::Index(of, index) => self.sway_of_part(of, index),
            ExprKind::Binary(op, a, b) => self.sway_of_pair(op, a, b),
            ExprKind::Conditional(c, a, b) => {
                let chosen = self.sway(a).with(self.sway(b));
                if self.sway(c) == Sway::Fixed { chosen } else { Sway::Varies }
            }
            ExprKind::Quantifier(Quantifier::Forall | Quantifier::Exists | Quantifier::Sum, _, _, body) => {
                self.sway(body)
            }
            ExprKind::Assign(_, a, b) => self.sway(a).mixed(self.sway(b)),
            ExprKind::Step { target, .. } => self.sway(target).mixed(Sway::Fixed),
            ExprKind::Comma(_, b) => self.sway(b),
            ExprKind::Call(callee, args) => self.sway_of_call(e, callee, args),
            _ => Sway::Fixed,
        }
    }

    /// `of[index]`.
    fn sway_of_part(&mut self, of: ExprId, index: ExprId) -> Sway {
        let mut sway = self.sway(index).mixed(Sway::Fixed);
        let mut root = of;
        loop {
            if let TyKind::Lattice(number, ..) = *self.checked.types.kind(self.checked.ty(root)) {
                let trend = self.prototype(number).map_or(Trend::Varies, |lattice| lattice.bit_trend());
                return sway.with(self.sway_of_place(root)).with(trend.into());
            }
            match self.tree.kind(root) {
                ExprKind::Index(of, index) if self.is_element(self.checked.ty(root)) => {
                    sway = sway.mixed(self.sway(index));
                    root = of;
                }
                _ => return sway.with(self.sway(root)),
            }
        }
    }

    /// What the place of an element does: only indices may change it.
    fn sway_of_place(&mut self, e: ExprId) -> Sway {
        match self.tree.kind(e) {
            ExprKind::Name(_) => Sway::Fixed,
            ExprKind::Member(of, _) if *self.checked.types.kind(self.checked.ty(of)) == TyKind::Process => Sway::Fixed,
            ExprKind::Member(of, _) => syntax::grow(|| self.sway_of_place(of)),
            ExprKind::Index(of, index) => {
                let index = self.sway(index);
                syntax::grow(|| self.sway_of_place(of)).mixed(index)
            }
            _ => Sway::Varies,
        }
    }

    /// What the known parts of a term do.
    pub(super) fn sway_of_term(&mut self, e: ExprId) -> Sway {
        if !self.is_abstract(e) {
            return self.sway(e);
        }
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Unary(_, a) => self.sway_of_term(a),
            ExprKind::Binary(_, a, b) => self.sway_of_term(a).mixed(self.sway_of_term(b)),
            ExprKind::Comma(_, b) => self.sway_of_term(b),
            _ => self.sway_of_place(e),
        })
    }

    pub(super) fn prototype(&self, number: u32) -> Option<&dyn lattice::Lattice> {
        match &self.checked.externs[number as usize] {
            ExternInfo::Library(library) => Some(&*library.prototype),
            ExternInfo::Model(_) => None,
        }
    }

    fn sway_of_pair(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Sway {
        use BinaryOp::*;
        if self.is_abstract(a) || self.is_abstract(b) {
            // More may hold of greater elements, whatever is compared.
            return self.sway_of_term(a).mixed(self.sway_of_term(b));
        }
        let (x, y) = (self.sway(a), self.sway(b));
        if (x, y) == (Sway::Fixed, Sway::Fixed) {
            return Sway::Fixed;
        }
        match op {
            And | Or | Add | Min | Max => x.with(y),
            Sub | Gt | Ge => x.with(y.flip()),
            Imply | Lt | Le => x.flip().with(y),
            BitAnd | BitOr if self.is_truth(a) && self.is_truth(b) => x.with(y),
            Mul if x == Sway::Fixed => self.scaled(y, a),
            Mul if y == Sway::Fixed => self.scaled(x, b),
            Div if y == Sway::Fixed && self.bounds_of(b).is_some_and(|v| v.low > 0) => x,
            Eq => self.sway_of_equality(a, x, b, y),
            Ne => self.sway_of_equality(a, x, b, y).flip(),
            _ => Sway::Varies,
        }
    }

    fn is_truth(&self, e: ExprId) -> bool {
        matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Bool)
    }

    /// Returns bounds of a value, if they can be had.
    fn bounds_of(&mut self, e: ExprId) -> Option<ExprValue> {
        self.aside(|l| {
            l.start(&[e]).ok()?;
            l.value(e).ok()
        })
    }

    /// Returns a value times a fixed one.
    fn scaled(&mut self, sway: Sway, by: ExprId) -> Sway {
        match self.bounds_of(by) {
            Some(by) if by.low >= 0 => sway,
            Some(by) if by.high <= 0 => sway.flip(),
            _ => Sway::Varies,
        }
    }

    /// `a == b`: at the end of what a value can be, it is an inequality.
    fn sway_of_equality(&mut self, a: ExprId, x: Sway, b: ExprId, y: Sway) -> Sway {
        let (Some(left), Some(right)) = (self.bounds_of(a), self.bounds_of(b)) else { return Sway::Varies };
        if left.high <= right.low {
            x.with(y.flip())
        } else if left.low >= right.high {
            x.flip().with(y)
        } else {
            Sway::Varies
        }
    }

    fn sway_of_call(&mut self, e: ExprId, callee: ExprId, args: List) -> Sway {
        let list = self.tree.list(args).to_vec();
        if let Some(method) = self.checked.method(e) {
            let ExprKind::Member(of, _) = self.tree.kind(callee) else { return Sway::Varies };
            let TyKind::Lattice(number, ..) = *self.checked.types.kind(self.checked.ty(of)) else {
                return Sway::Varies;
            };
            let methods = self.prototype(number).map_or(&[][..], |lattice| lattice.methods());
            let trend = methods.get(method as usize).map_or(Trend::Varies, |m| m.trend);
            let fixed = list.into_iter().fold(self.sway_of_place(of), |all, arg| all.mixed(self.sway(arg)));
            return fixed.with(trend.into());
        }
        let mut sway = Sway::Fixed;
        for &arg in &list {
            // An element is passed as it is; what the function does with it is seen there.
            let is_whole = matches!(self.checked.types.kind(self.checked.ty(arg)), TyKind::Lattice(..));
            sway = sway.mixed(if is_whole { self.sway_of_place(arg) } else { self.sway(arg) });
        }
        match self.callee(callee) {
            Ok(Some((f, process))) => {
                let own = self.within(process, |l| Ok(l.function_sway(f))).unwrap_or(Sway::Varies);
                sway.with(own)
            }
            _ => match self.tree.kind(callee) {
                ExprKind::Name(sym) if builtin::function(self.tree.text(sym)).map(|b| b.0) == Some(Builtin::ToInt) => {
                    list.first().map_or(Sway::Fixed, |&arg| self.sway(arg))
                }
                _ => sway,
            },
        }
    }

    /// What the result of a function does, where its arguments are fixed. What it does with
    /// elements is watched.
    pub(super) fn function_sway(&mut self, f: u32) -> Sway {
        let key = self.key(f);
        if let Some(&known) = self.cached(|cache| cache.sways.get(&key)) {
            return known;
        }
        // There is no recursion; nothing is asked for twice.
        self.own.sways.insert(key, Sway::Varies);
        let sway = match self.body_of(f) {
            Some(body) => {
                self.watch_statement(body);
                self.sway_of_returns(body)
            }
            None => Sway::Varies,
        };
        self.own.sways.insert(key, sway);
        sway
    }

    fn sway_of_returns(&mut self, s: StmtId) -> Sway {
        let tree = self.tree;
        syntax::grow(|| match &tree.stmt(s).kind {
            StmtKind::Return(Some(e)) => self.sway(*e),
            StmtKind::Block(_, body) => body.iter().fold(Sway::Fixed, |all, s| all.with(self.sway_of_returns(*s))),
            StmtKind::If(_, yes, no) => {
                let own = self.sway_of_returns(*yes);
                no.map_or(own, |no| own.with(self.sway_of_returns(no)))
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::For(_, _, _, body)
            | StmtKind::Iterate(_, body) => self.sway_of_returns(*body),
            StmtKind::Return(None) | StmtKind::Empty | StmtKind::Expr(_) | StmtKind::Assert(_) => Sway::Fixed,
        })
    }
}
