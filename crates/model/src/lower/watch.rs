//! Elements of lattices that the behaviour depends on in a non-monotone way.
//!
//! A greater element may only add behaviour. So the values of plain variables and clocks, the
//! branches of code and the indices of arrays must not depend on elements, and bits may only be set
//! to values of the same monotonicity as their vector. Elements for which this is violated *vary*:
//! states are distinguished by their values.
//!
//! An element that varies is like a plain variable: what flows into it must not depend on other
//! elements, so these vary as well.
//!
//! Computations on elements of a lattice that the model defines, whose results become elements
//! again, are the responsibility of the model.

use syntax::ast::{BinaryOp, Decl, ExprId, ExprKind, List, StmtId, StmtKind};

use super::{Lowerer, monotonicity::Monotonicity, named::Named};
use crate::{
    symbols::{SymbolId, SymbolKind},
    system::{LatticeOrder, Sync},
    types::TyKind,
};

/// A flow between elements, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    to: Vec<usize>,
    from: Vec<usize>,
}

impl Lowerer<'_> {
    /// Requires that an expression does not depend on elements: those that it depends on vary.
    pub(super) fn require_fixed(&mut self, e: ExprId) {
        if self.monotonicity(e) != Monotonicity::Constant {
            self.vary(e);
        }
    }

    /// Marks all elements that an expression reads as varying.
    pub(super) fn vary(&mut self, e: ExprId) {
        self.vary_if(e, |_| true);
    }

    fn vary_if(&mut self, e: ExprId, which: impl Fn(LatticeOrder) -> bool) {
        if self.asking {
            self.is_non_monotone = true;
            return;
        }
        let named = self.named(e);
        for variable in self.s.lattices.iter_mut().filter(|v| which(v.order)) {
            variable.varies |= named.has(variable.first);
        }
    }

    /// Analyses the use of elements in an update.
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
                ExprKind::Step { up, target, .. } => {
                    self.watch_place(target);
                    let operators = self.checked.operators(self.checked.ty(target));
                    let is_number = operators.is_some();
                    let method = operators.and_then(|operators| if up { operators.add } else { operators.sub });
                    if let (Some(method), TyKind::Lattice(lattice, ..)) =
                        (method, self.checked.types.kind(self.checked.ty(target)).clone())
                    {
                        self.vary_unless_monotone(lattice, method, target);
                    }
                    if !self.is_of_model(target) && !self.is_abstract(target) && !is_number {
                        self.require_fixed(target);
                    }
                }
                ExprKind::Conditional(c, ..) => self.require_fixed(c),
                ExprKind::Call(callee, args) => self.watch_call(e, callee, args),
                _ => {}
            }
        });
    }

    /// Requires that the position of a place does not depend on elements.
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

    /// Returns whether a place is an element of a lattice that the model defines, or a part of one.
    fn is_of_model(&self, e: ExprId) -> bool {
        self.checked.types.order(self.checked.ty(e)).is_some()
            || match self.tree.kind(e) {
                ExprKind::Index(of, _) | ExprKind::Member(of, _) => syntax::grow(|| self.is_of_model(of)),
                _ => false,
            }
    }

    /// Records a flow from the elements in one expression to those in another.
    pub(super) fn note_flow(&mut self, to: ExprId, from: ExprId) {
        if self.asking {
            return;
        }
        let (to, from) = (self.named(to), self.named(from));
        if !from.symbols.is_subset(&to.symbols) || to.symbols.len() > 1 {
            let flow = Flow { to: self.numbers(&to), from: self.numbers(&from) };
            self.s.flows.push(flow);
        }
    }

    /// Records that the narrowing of each element in a condition depends on the others.
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

    /// Computes which elements vary: those that flow into varying ones do, too.
    pub(super) fn settle(&mut self) {
        if self.system.has_priorities {
            // An enabled transition may disable others.
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
        if self.checked.number_change(self.tree, op, target, value).is_some() {
            return self.watch_number(op, target, value);
        }
        if self.monotonicity(value) != Monotonicity::Constant {
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
        if let Some((element, lattice, indexing)) = self.indexed(target) {
            // An entry that is set to a number remains monotone if the method is.
            if op.is_some() {
                self.vary(element);
            }
            if let Some(method) = indexing.set {
                self.vary_unless_monotone(lattice, method, element);
            }
        }
        let (own, new) = (self.monotonicity(target), self.monotonicity(value));
        let (fits, rises) = match op {
            None => (new == Monotonicity::Constant || own != Monotonicity::Unknown && new == own, true),
            Some(op) => (
                own.with(new) == own,
                own == Monotonicity::Constant || matches!(op, BinaryOp::BitOr | BinaryOp::BitAnd),
            ),
        };
        if !fits || !rises {
            self.vary(value);
            if op.is_some() {
                self.vary(target);
            }
        }
    }

    /// Requires that the concrete parts of a term do not depend on elements.
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

    /// Lets an element vary that is changed by a method of which it is not known to be monotone.
    pub(super) fn vary_unless_monotone(&mut self, lattice: u32, method: usize, target: ExprId) {
        let is_monotone = self.prototype(lattice).is_some_and(|lattice| {
            let method = lattice.changing(method).unwrap_or(method);
            lattice.methods().get(method).is_some_and(|method| method.monotone)
        });
        if !is_monotone {
            self.vary(target);
        }
    }

    /// Returns the element that indices refer to whose lattice has methods behind them.
    fn indexed(&self, e: ExprId) -> Option<(ExprId, u32, lattice::Indexing)> {
        let ExprKind::Index(of, _) = self.tree.kind(e) else { return None };
        match *self.checked.types.kind(self.checked.ty(of)) {
            TyKind::Lattice(number, ..) => Some((of, number, self.prototype(number)?.indexing()?.clone())),
            TyKind::Bits(_) => self.indexed(of),
            _ => None,
        }
    }

    fn watch_call(&mut self, e: ExprId, callee: ExprId, args: List) {
        let list = self.tree.list(args).to_vec();
        if let Some(method) = self.checked.method(e) {
            if let ExprKind::Member(of, _) = self.tree.kind(callee) {
                self.watch_place(of);
                if self.checked.changing.contains(&e)
                    && let TyKind::Lattice(lattice, ..) = *self.checked.types.kind(self.checked.ty(of))
                {
                    self.vary_unless_monotone(lattice, method as usize, of);
                }
            }
            return list.into_iter().for_each(|arg| self.require_fixed(arg));
        }
        let Ok(Some((f, process))) = self.callee(callee) else { return };
        let _ = self.within(process, |l| Ok(l.function_monotonicity(f)));
        let info = &self.checked.functions[f as usize];
        let (params, writes) = (info.params.clone(), info.writes);
        let is_changed = |l: &Self, p: SymbolId| {
            let p = l.checked.symbols.get(p);
            p.kind == (SymbolKind::FunctionParam { reference: true }) && !l.checked.types.is_constant(p.ty)
        };
        // Whether the function may change anything but elements of the model's own lattices through
        // its arguments.
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

    /// Analyses the use of elements in a statement of a function.
    pub(super) fn watch_statement(&mut self, s: StmtId) {
        let tree = self.tree;
        syntax::grow(|| match &tree.stmt(s).kind {
            StmtKind::Empty | StmtKind::Return(None) => {}
            // The result is analysed at its uses.
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

    /// Analyses a guard: for some synchronisations it is harmful to be enabled.
    pub(super) fn watch_guard(&mut self, guards: &[ExprId], sync: Sync) {
        if self.checked.externs.is_empty() {
            return;
        }
        let forces = match sync {
            // Time may not pass while the synchronisation is possible.
            Sync::Send(c) | Sync::Receive(c) if self.system.channels[c.0 as usize].urgent => true,
            // All processes that can receive must.
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
