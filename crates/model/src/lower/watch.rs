//! Elements of lattices that more depends on than what is possible.
//!
//! A greater element may only add to what the model does. So what is written into plain variables
//! and clocks, which branch code takes and which element of an array it means must not depend on
//! elements, and bits may only be set to what goes the way of their vector. Elements for which that
//! is not so *vary*: they are told apart by their values.
//!
//! An element that varies is no better than a plain variable: what gets into it from others must
//! not depend on these, so that they vary as well.
//!
//! What is made of an element of a lattice that the model itself defines, and becomes one again, is
//! its own business.

use syntax::ast::{BinaryOp, Decl, ExprId, ExprKind, List, StmtId, StmtKind};

use super::{Lowerer, named::Named, sway::Sway};
use crate::{
    symbols::{SymbolId, SymbolKind},
    system::{LatticeOrder, Sync},
    types::TyKind,
};

/// Elements, by their numbers, that get something from others.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    to: Vec<usize>,
    from: Vec<usize>,
}

impl Lowerer<'_> {
    /// Says that an expression must not depend on elements: those that it depends on vary.
    pub(super) fn require_fixed(&mut self, e: ExprId) {
        if self.sway(e) != Sway::Fixed {
            self.vary(e);
        }
    }

    /// Says that all elements that an expression names vary.
    pub(super) fn vary(&mut self, e: ExprId) {
        self.vary_if(e, |_| true);
    }

    fn vary_if(&mut self, e: ExprId, which: impl Fn(LatticeOrder) -> bool) {
        if self.asking {
            self.wavers = true;
            return;
        }
        let named = self.named(e);
        for variable in self.s.lattices.iter_mut().filter(|v| which(v.order)) {
            variable.varies |= named.has(variable.first);
        }
    }

    /// Watches what an update does with elements.
    pub(super) fn watch(&mut self, e: ExprId) {
        if self.checked.externs.is_empty() {
            return;
        }
        syntax::grow(|| {
            let kind = self.tree.kind(e);
            let mut children = Vec::new();
            self.tree.children(kind, |_, child| children.push(child));
            children.into_iter().for_each(|child| self.watch(child));
            match kind {
                ExprKind::Assign(op, target, value) => {
                    self.watch_place(target);
                    self.watch_assignment(op, target, value);
                }
                ExprKind::Step { target, .. } => {
                    self.watch_place(target);
                    if !self.is_of_model(target) && !self.is_abstract(target) {
                        self.require_fixed(target);
                    }
                }
                ExprKind::Conditional(c, ..) => self.require_fixed(c),
                ExprKind::Call(callee, args) => self.watch_call(e, callee, args),
                _ => {}
            }
        });
    }

    /// Which part of a variable is meant must not depend on elements.
    fn watch_place(&mut self, e: ExprId) {
        match self.tree.kind(e) {
            ExprKind::Index(of, index) => {
                self.require_fixed(index);
                syntax::grow(|| self.watch_place(of));
            }
            ExprKind::Member(of, _) => syntax::grow(|| self.watch_place(of)),
            _ => {}
        }
    }

    /// Returns whether a place is an element of a lattice of the model, or a part of one.
    fn is_of_model(&self, e: ExprId) -> bool {
        self.checked.types.order(self.checked.ty(e)).is_some()
            || match self.tree.kind(e) {
                ExprKind::Index(of, _) | ExprKind::Member(of, _) => syntax::grow(|| self.is_of_model(of)),
                _ => false,
            }
    }

    /// Notes that something of the elements in one expression gets into those of another.
    fn note_flow(&mut self, to: ExprId, from: ExprId) {
        if self.asking {
            return;
        }
        let (to, from) = (self.named(to), self.named(from));
        if !from.symbols.is_subset(&to.symbols) || to.symbols.len() > 1 {
            let flow = Flow { to: self.numbers(&to), from: self.numbers(&from) };
            self.s.flows.push(flow);
        }
    }

    /// Notes that what is left of each element in a condition depends on the others.
    pub(super) fn note_cut(&mut self, condition: ExprId) {
        let named = self.named(condition);
        if named.others || named.symbols.len() > 1 || named.ranges.iter().any(|range| range.1 > 1) {
            let all = self.numbers(&named);
            self.s.flows.push(Flow { to: all.clone(), from: all });
        }
    }

    fn numbers(&self, named: &Named) -> Vec<usize> {
        (0..self.s.lattices.len()).filter(|i| named.has(self.s.lattices[*i].first)).collect()
    }

    /// Says of all elements whether they vary: those that get into others that vary do so, too.
    pub(super) fn settle(&mut self) {
        if self.system.has_priorities {
            // What is possible may keep others from being so.
            for &number in &self.s.guarded {
                self.s.lattices[number].varies = true;
            }
        }
        loop {
            let mut stable = true;
            for flow in &self.s.flows {
                if flow.to.iter().any(|i| self.s.lattices[*i].varies) {
                    for &i in &flow.from {
                        stable &= std::mem::replace(&mut self.s.lattices[i].varies, true);
                    }
                }
            }
            if stable {
                return;
            }
        }
    }

    fn watch_assignment(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) {
        if self.sway(value) != Sway::Fixed {
            self.note_flow(target, value);
        }
        if self.is_of_model(target) {
            return self.vary_if(value, |order| matches!(order, LatticeOrder::Library(_)));
        }
        if self.is_abstract(target) {
            return self.watch_term(value);
        }
        if matches!(self.checked.types.kind(self.checked.ty(target)), TyKind::Lattice(..)) {
            // Elements are copied whole.
            return self.watch_place(value);
        }
        let (own, new) = (self.sway(target), self.sway(value));
        let (fits, rises) = match op {
            None => (new == Sway::Fixed || own != Sway::Varies && new == own, true),
            Some(op) => (own.with(new) == own, own == Sway::Fixed || matches!(op, BinaryOp::BitOr | BinaryOp::BitAnd)),
        };
        if !fits || !rises {
            self.vary(value);
            if op.is_some() {
                self.vary(target);
            }
        }
    }

    /// The known parts of a term must not depend on elements.
    fn watch_term(&mut self, e: ExprId) {
        if !self.is_abstract(e) {
            return self.require_fixed(e);
        }
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Unary(_, a) | ExprKind::Comma(_, a) => self.watch_term(a),
            ExprKind::Binary(_, a, b) => {
                self.watch_term(a);
                self.watch_term(b);
            }
            _ => self.watch_place(e),
        });
    }

    fn watch_call(&mut self, e: ExprId, callee: ExprId, args: List) {
        let list = self.tree.list(args).to_vec();
        if self.checked.method(e).is_some() {
            if let ExprKind::Member(of, _) = self.tree.kind(callee) {
                self.watch_place(of);
            }
            return list.into_iter().for_each(|arg| self.require_fixed(arg));
        }
        let Ok(Some((f, process))) = self.callee(callee) else { return };
        let _ = self.within(process, |l| Ok(l.function_sway(f)));
        let info = &self.checked.functions[f as usize];
        let (params, writes) = (info.params.clone(), info.writes);
        let is_changed = |l: &Self, p: SymbolId| {
            let p = l.checked.symbols.get(p);
            p.kind == (SymbolKind::FunctionParam { reference: true }) && !l.checked.types.is_constant(p.ty)
        };
        // Whether anything but elements of the model's own lattices may be changed by what the
        // function is given.
        let leaks = writes || params.iter().zip(&list).any(|(&p, &arg)| is_changed(self, p) && !self.is_of_model(arg));
        for arg in list {
            self.watch_place(arg);
            match self.checked.types.kind(self.checked.ty(arg)) {
                TyKind::Lattice(..) => {}
                _ if self.is_of_model(arg) => {
                    if leaks {
                        self.vary(arg);
                    }
                }
                _ => self.require_fixed(arg),
            }
        }
    }

    /// Watches what the statement of a function does with elements.
    pub(super) fn watch_statement(&mut self, s: StmtId) {
        let tree = self.tree;
        syntax::grow(|| match &tree.stmt(s).kind {
            StmtKind::Empty | StmtKind::Return(None) => {}
            // What is returned is judged by those who use it.
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) => self.watch(*e),
            StmtKind::Block(decls, body) => {
                for decl in decls {
                    if let Decl::Var(d) = decl
                        && let Some(init) = d.init
                    {
                        self.watch(init);
                        self.watch_term(init);
                    }
                }
                body.iter().for_each(|s| self.watch_statement(*s));
            }
            StmtKind::If(c, yes, no) => {
                self.watch_condition(*c);
                self.watch_statement(*yes);
                no.iter().for_each(|s| self.watch_statement(*s));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) => {
                self.watch_condition(*c);
                self.watch_statement(*body);
            }
            StmtKind::For(init, c, step, body) => {
                self.watch(*init);
                self.watch_condition(*c);
                self.watch(*step);
                self.watch_statement(*body);
            }
            StmtKind::Iterate(_, body) => self.watch_statement(*body),
            StmtKind::Assert(e) => self.watch_condition(*e),
        });
    }

    fn watch_condition(&mut self, e: ExprId) {
        self.watch(e);
        self.require_fixed(e);
    }

    /// Watches a guard: with some synchronisations it does harm that more is possible.
    pub(super) fn watch_guard(&mut self, guards: &[ExprId], sync: Sync) {
        if self.checked.externs.is_empty() {
            return;
        }
        let forces = match sync {
            // Time may not pass where the synchronisation is possible.
            Sync::Send(c) | Sync::Receive(c) if self.system.channels[c.0 as usize].urgent => true,
            // Who can receive, must.
            Sync::Receive(c) => self.system.channels[c.0 as usize].broadcast,
            _ => false,
        };
        for &guard in guards {
            if forces {
                self.vary(guard);
            }
            let named = self.named(guard);
            for (variable, number) in self.s.lattices.iter().zip(0..) {
                if named.has(variable.first) {
                    self.s.guarded.insert(number);
                }
            }
        }
    }
}
