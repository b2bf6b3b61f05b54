//! The elements of lattices that an expression reads.

use std::collections::BTreeSet;

use syntax::ast::{Decl, ExprId, ExprKind, StmtId, StmtKind};

use super::{Binding, Lowerer};
use crate::{
    code::Region,
    symbols::{SymbolId, SymbolKind},
};

/// The elements that an expression reads.
#[derive(Default)]
pub(super) struct Named {
    /// Their first slots, counted from the first variable, and their widths.
    pub ranges: Vec<(u32, u32)>,
    /// Whether it reads others, through references or in functions.
    pub others: bool,
    /// The symbols.
    pub symbols: BTreeSet<SymbolId>,
    functions: Vec<(u32, Option<u32>)>,
}

impl Lowerer<'_> {
    /// Returns the elements that an expression reads, including the functions that it calls.
    pub(super) fn named(&mut self, e: ExprId) -> Named {
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
            named.symbols.insert(id);
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

    /// Collects all expressions of a statement.
    pub(super) fn expressions(&self, s: StmtId, out: &mut Vec<ExprId>) {
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
}

impl Named {
    /// Returns whether it reads the element with a first slot, counted from the first variable.
    pub(super) fn has(&self, first: u32) -> bool {
        self.others || self.ranges.iter().any(|&(start, len)| (start..start + len).contains(&first))
    }
}
