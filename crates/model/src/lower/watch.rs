//! Elements of lattices that more depends on than what is possible.
//!
//! A greater element may only add to what the model does. So what is written into plain variables and clocks, which branch code
//! takes and which element of an array it means must not depend on elements, and bits may only be set to what goes the way of
//! their vector. Elements for which that is not so *vary*: they are told apart by their values.
//!
//! What is made of an element of a lattice that the model itself defines, and becomes one again, is its own business.

use syntax::ast::{BinaryOp, Decl, ExprId, ExprKind, List, StmtId, StmtKind};

use super::{Binding, Lowerer, sway::Sway};
use crate::{
    code::Region,
    symbols::{SymbolId, SymbolKind},
    system::{LatticeOrder, Sync},
    types::Kind,
};

/// Elements that an expression names.
#[derive(Default)]
struct Named {
    /// Where they are among the variables, and how many numbers that is.
    ranges: Vec<(u32, u32)>,
    /// Whether there are others, behind references or in functions.
    others: bool,
    functions: Vec<(u32, Option<u32>)>,
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

    /// The elements that an expression names, functions that it calls included.
    fn named(&mut self, e: ExprId) -> Named {
        let mut named = Named::default();
        self.collect(e, &mut named);
        named
    }

    fn collect(&mut self, e: ExprId, named: &mut Named) {
        syntax::grow(|| {
            let kind = self.tree.kind(e);
            match kind {
                ExprKind::Name(_) => self.collect_name(e, None, named),
                ExprKind::Member(of, _) => {
                    if let Ok(Some(process)) = self.process_of(of) {
                        return self.collect_name(e, Some(process), named);
                    }
                }
                ExprKind::Call(callee, _) => {
                    if let Ok(Some((f, process))) = self.callee(callee) {
                        let _ = self.within(process, |l| {
                            l.collect_function(f, named);
                            Ok(())
                        });
                    }
                }
                _ => {}
            }
            let mut children = Vec::new();
            self.tree.children(kind, |_, child| children.push(child));
            children.into_iter().for_each(|child| self.collect(child, named));
        });
    }

    fn collect_name(&mut self, e: ExprId, process: Option<u32>, named: &mut Named) {
        let Some(id) = self.checked.name(e) else { return };
        let id = self.checked.member(id).map_or(id, |(of, _)| of);
        if !matches!(self.checked.symbols.get(id).kind, SymbolKind::Type | SymbolKind::Function(_))
            && self.has_elements(self.checked.symbols.get(id).ty)
        {
            let binding = match process {
                Some(process) => self.s.processes[process as usize].get(&id),
                None => self.binding(id),
            };
            match binding {
                Some(Binding::Object(object)) if Region::split(object.ints).0 == Region::Variables => {
                    named.ranges.push((Region::split(object.ints).1, object.shape.size().ints));
                }
                _ => named.others = true,
            }
        }
    }

    fn collect_function(&mut self, f: u32, named: &mut Named) {
        let key = self.key(f);
        if named.functions.contains(&key) {
            return;
        }
        named.functions.push(key);
        if let Some(body) = self.body_of(f) {
            let mut exprs = Vec::new();
            self.expressions(body, &mut exprs);
            exprs.into_iter().for_each(|e| self.collect(e, named));
        }
    }

    /// All expressions of a statement.
    fn expressions(&self, s: StmtId, out: &mut Vec<ExprId>) {
        syntax::grow(|| match &self.tree.stmt(s).kind {
            StmtKind::Empty | StmtKind::Return(None) => {}
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Return(Some(e)) => out.push(*e),
            StmtKind::Block(decls, body) => {
                out.extend(decls.iter().filter_map(|d| if let Decl::Var(d) = d { d.init } else { None }));
                body.iter().for_each(|s| self.expressions(*s, out));
            }
            StmtKind::If(c, yes, no) => {
                out.push(*c);
                self.expressions(*yes, out);
                no.iter().for_each(|s| self.expressions(*s, out));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) => {
                out.push(*c);
                self.expressions(*body, out);
            }
            StmtKind::For(init, c, step, body) => {
                out.extend([*init, *c, *step]);
                self.expressions(*body, out);
            }
            StmtKind::Iterate(_, body) => self.expressions(*body, out),
        });
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

    /// Whether a place is an element of a lattice of the model, or a part of one.
    fn is_of_model(&self, e: ExprId) -> bool {
        self.checked.types.order(self.checked.ty(e)).is_some()
            || match self.tree.kind(e) {
                ExprKind::Index(of, _) | ExprKind::Member(of, _) => syntax::grow(|| self.is_of_model(of)),
                _ => false,
            }
    }

    fn watch_assignment(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) {
        if self.is_of_model(target) {
            return self.vary_if(value, |order| matches!(order, LatticeOrder::Library(_)));
        }
        if self.is_abstract(target) {
            return self.watch_term(value);
        }
        if matches!(self.checked.types.kind(self.checked.ty(target)), Kind::Lattice(..)) {
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
        // Whether anything but elements of the model's own lattices may be changed by what the function is given.
        let leaks = writes || params.iter().zip(&list).any(|(&p, &arg)| is_changed(self, p) && !self.is_of_model(arg));
        for arg in list {
            self.watch_place(arg);
            match self.checked.types.kind(self.checked.ty(arg)) {
                Kind::Lattice(..) => {}
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

    /// With priorities, what is possible may keep others from being so.
    pub(super) fn watch_priorities(&mut self) {
        if self.system.has_priorities {
            for &number in &self.s.guarded {
                self.system.lattices[number].varies = true;
            }
        }
    }
}

impl Named {
    /// Whether the element that starts at a number of all variables is named.
    fn has(&self, first: u32) -> bool {
        self.others || self.ranges.iter().any(|&(start, len)| (start..start + len).contains(&first))
    }
}
