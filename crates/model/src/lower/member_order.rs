//! Independence of the order of scalar members: quantifiers that may fail, and loops whose body
//! treats each member alike.

use std::collections::{BTreeMap, BTreeSet};

use syntax::ast::{ExprId, ExprKind, Name, StmtId, StmtKind, TypeId};

use super::{Binding, Lowerer};
use crate::{
    operation::{ALL, Arith},
    symbols::{SymbolId, SymbolKind},
    types::TyKind,
};

impl Lowerer<'_> {
    /// Records that a quantifier over members stops at the first decisive one. If its body may
    /// fail, the order of members decides whether it does.
    pub(super) fn note_order(&mut self, ty: TypeId, body: ExprId) {
        if let Some(set) = self.scalar_set(self.checked.type_expr(ty))
            && self.may_fail(body)
        {
            self.s.scalars.breaks(set);
        }
    }

    fn may_fail(&self, e: ExprId) -> bool {
        let kind = self.tree.kind(e);
        match kind {
            ExprKind::Binary(op, ..) if Arith::of(op).is_some_and(|op| op.may_fail(ALL)) => return true,
            ExprKind::Call(callee, _) if *self.checked.types.kind(self.checked.ty(e)) != TyKind::Process => {
                // Labels are not functions, but models with scalar sets have no labels.
                return self.checked.name(callee).is_some();
            }
            ExprKind::Index(_, index) if !self.is_safe_index(index) => return true,
            _ => {}
        }
        let mut found = false;
        self.tree.children(kind, |_, child| found = found || syntax::grow(|| self.may_fail(child)));
        found
    }

    fn is_safe_index(&self, index: ExprId) -> bool {
        if self.scalar_set(self.checked.ty(index)).is_some() {
            return true;
        }
        match self.tree.kind(index) {
            ExprKind::Int(_) => true,
            ExprKind::Name(_) => {
                let binding = self.checked.name(index).and_then(|id| self.binding(id));
                matches!(binding, Some(Binding::Const(_)))
            }
            _ => false,
        }
    }

    /// Returns whether the body of a loop over a scalar set is independent of the order of members:
    /// it changes only elements that the member indexes, and reads nothing that it changes for
    /// other members.
    pub(super) fn is_elementwise(&self, member: Name, body: StmtId) -> bool {
        let Some(member) = self.checked.symbols.at(member.span) else { return false };
        let mut exprs = Vec::new();
        if !self.is_plain(body, &mut exprs) {
            return false;
        }
        let mut changed: BTreeMap<SymbolId, BTreeSet<Option<usize>>> = BTreeMap::new();
        exprs.iter().for_each(|e| self.changed(*e, member, &mut changed));
        let same = |places: &BTreeSet<Option<usize>>| places.len() == 1 && !places.contains(&None);
        changed.values().all(same) && exprs.iter().all(|e| self.reads_own(*e, member, &changed))
    }

    /// Returns whether a statement always runs to its end; collects its expressions.
    fn is_plain(&self, s: StmtId, exprs: &mut Vec<ExprId>) -> bool {
        syntax::grow(|| match &self.tree.stmt(s).kind {
            StmtKind::Empty => true,
            StmtKind::Expr(e) => {
                exprs.push(*e);
                true
            }
            StmtKind::Block(decls, body) => decls.is_empty() && body.iter().all(|s| self.is_plain(*s, exprs)),
            StmtKind::If(c, yes, no) => {
                exprs.push(*c);
                self.is_plain(*yes, exprs) && no.is_none_or(|no| self.is_plain(no, exprs))
            }
            StmtKind::Iterate(_, body) => self.is_plain(*body, exprs),
            _ => false,
        })
    }

    /// Returns the variable that an expression is part of, and the position of the first index that
    /// is the member.
    fn part_of(&self, e: ExprId, member: SymbolId) -> (Option<SymbolId>, Option<usize>) {
        let mut indices = Vec::new();
        let mut root = e;
        loop {
            match self.tree.kind(root) {
                ExprKind::Index(of, index) => {
                    indices.push(index);
                    root = of;
                }
                ExprKind::Member(of, _) => root = of,
                _ => break,
            }
        }
        let is_member =
            |e: &ExprId| matches!(self.tree.kind(*e), ExprKind::Name(_)) && self.checked.name(*e) == Some(member);
        let symbol = matches!(self.tree.kind(root), ExprKind::Name(_)).then(|| self.checked.name(root)).flatten();
        (symbol, indices.iter().rev().position(is_member))
    }

    fn changed(&self, e: ExprId, member: SymbolId, out: &mut BTreeMap<SymbolId, BTreeSet<Option<usize>>>) {
        let kind = self.tree.kind(e);
        if let ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } = kind {
            let (symbol, place) = self.part_of(target, member);
            // An expression without a name may denote anything.
            out.entry(symbol.unwrap_or(member)).or_default().insert(place.filter(|_| symbol.is_some()));
        }
        self.tree.children(kind, |_, child| syntax::grow(|| self.changed(child, member, out)));
    }

    fn reads_own(&self, e: ExprId, member: SymbolId, changed: &BTreeMap<SymbolId, BTreeSet<Option<usize>>>) -> bool {
        let kind = self.tree.kind(e);
        match kind {
            // Functions are not analysed, and a reference may denote another variable.
            ExprKind::Call(..) => return false,
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) => {
                let (Some(symbol), place) = self.part_of(e, member) else { return false };
                let is_reference = matches!(
                    self.checked.symbols.get(symbol).kind,
                    SymbolKind::Param { reference: true } | SymbolKind::FunctionParam { reference: true }
                );
                if is_reference || changed.get(&symbol).is_some_and(|places| !places.contains(&place)) {
                    return false;
                }
                // The indices of the path, but not the prefixes that denote the same variable.
                let mut at = e;
                loop {
                    match self.tree.kind(at) {
                        ExprKind::Index(of, index) => {
                            if !syntax::grow(|| self.reads_own(index, member, changed)) {
                                return false;
                            }
                            at = of;
                        }
                        ExprKind::Member(of, _) => at = of,
                        _ => return true,
                    }
                }
            }
            _ => {}
        }
        let mut own = true;
        self.tree.children(kind, |_, child| own = own && syntax::grow(|| self.reads_own(child, member, changed)));
        own
    }

    /// Returns whether every path through a statement ends in `return`.
    pub(super) fn surely_returns(&self, s: StmtId) -> bool {
        syntax::grow(|| match &self.tree.stmt(s).kind {
            StmtKind::Return(_) => true,
            StmtKind::Block(_, body) => body.last().is_some_and(|last| self.surely_returns(*last)),
            StmtKind::If(_, yes, Some(no)) => self.surely_returns(*yes) && self.surely_returns(*no),
            _ => false,
        })
    }
}
