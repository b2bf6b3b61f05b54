//! The types of elements and members: `a[i]`, `s.f`, `P.x`.

use syntax::{
    Diagnostic,
    ast::{ExprId, ExprKind, Name},
    nearest, print, word,
};

use super::Checker;
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{Index, Ty, TyKind, Types},
};

impl Checker<'_> {
    pub(super) fn index(&mut self, array: ExprId, index: ExprId) -> Ty {
        let (ty, by) = (self.expr(array), self.operand(index));
        if ty == Types::WRONG {
            return ty;
        }
        if let TyKind::Lattice(..) | TyKind::Bits(_) = self.kind(ty) {
            return self.bit(array, index, ty, by);
        }
        let TyKind::Array(indices, element) = self.kind(ty).clone() else {
            if self.is_single_element(ty, by) {
                return ty;
            }
            let found = self.describe(ty);
            let message = format!("only an array has elements, this is {found}");
            let d = Diagnostic::error("type", self.tree.span(array), message);
            self.report(match self.kind(ty) {
                TyKind::Process => {
                    let [process, number] = [array, index].map(|e| print::expression(self.tree, e));
                    d.help(format!("write `{process}({number})`"))
                }
                _ => d,
            });
            return Types::WRONG;
        };
        self.check_index(indices, index, by);
        element
    }

    /// Checks an index against the indices of the array.
    pub(super) fn check_index(&mut self, indices: Index, index: ExprId, by: Ty) {
        let fits = match indices {
            _ if by == Types::WRONG => true,
            Index::Type(t) if matches!(self.kind(t), TyKind::Scalar(..)) => self.out.types.equivalent(self.tree, t, by),
            _ => self.out.types.is_integral(by),
        };
        if !fits {
            let found = self.describe(by);
            let d = Diagnostic::error("type", self.tree.span(index), format!("the array can't be indexed by {found}"));
            self.report(self.not_known(d, by));
        }
    }

    pub(super) fn member(&mut self, e: ExprId, of: ExprId, name: Name) -> Ty {
        if self.in_query && self.is_unknown_process(of, name) {
            return Types::WRONG;
        }
        let ty = self.expr(of);
        let text = self.text(name.sym);
        match self.kind(ty).clone() {
            TyKind::Wrong => Types::WRONG,
            TyKind::Struct(fields) => match fields.iter().find(|(field, _)| *field == name.sym) {
                Some((_, ty)) => *ty,
                None => {
                    let names: Vec<&str> = fields.iter().map(|(field, _)| self.tree.text(*field)).collect();
                    self.unknown_member(name, &format!("the struct has no field `{text}`"), &names);
                    Types::WRONG
                }
            },
            TyKind::Process => self.process_member(e, of, name),
            TyKind::Lattice(lattice, ..) => match self.clock_of_element(e, of, name) {
                Some(clock) => clock,
                None => self.field_of_element(e, name, ty, lattice),
            },
            _ => {
                let found = self.describe(ty);
                let message = format!("only structs and processes have members, this is {found}");
                let d = Diagnostic::error("type", self.tree.span(of), message)
                    .also(name.span, format!("`{text}` is used here"));
                let d = match self.tree.kind(of) {
                    ExprKind::Name(sym) if self.in_query => self.suggest_process(d, sym, Some(name.sym)),
                    _ => d,
                };
                self.report(d);
                Types::WRONG
            }
        }
    }

    pub(super) fn unknown_member(&mut self, name: Name, message: &str, names: &[&str]) {
        if self.tree.lost.contains(&name.sym) {
            return;
        }
        let mut d = Diagnostic::error("unknown-name", name.span, message);
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        if let Some(near) = nearest(self.text(name.sym), sorted) {
            d = d.help(format!("did you mean `{near}`?"));
        }
        self.report(d);
    }

    /// Checks `P.x` or `T(1).x`: a location or a variable of a process.
    fn process_member(&mut self, e: ExprId, of: ExprId, name: Name) -> Ty {
        if name.sym == word::LOCATION {
            return Types::INT;
        }
        let Some((process, template)) = self.process_template(of) else { return Types::WRONG };
        let found = self.out.templates[template as usize].scope.get(&name.sym).copied();
        let Some(id) = found else {
            let names: Vec<&str> =
                self.out.templates[template as usize].scope.keys().map(|s| self.tree.text(*s)).collect();
            let (text, process) = (self.text(name.sym), self.text(self.symbol(process).name));
            let message = format!("process `{process}` has no location or variable `{text}`");
            match self.out.symbols.find(name.sym).map(|id| self.symbol(id).kind) {
                Some(SymbolKind::Var) => {
                    let d = Diagnostic::error("unknown-name", name.span, message);
                    self.report(d.help(format!("`{text}` belongs to no process: write `{text}` alone")));
                }
                _ => self.unknown_member(name, &message, &names),
            }
            return Types::WRONG;
        };
        self.out.names[e.0 as usize] = Some(id);
        self.out.read.insert(id);
        let symbol = self.symbol(id);
        match symbol.kind {
            SymbolKind::Location(_) => Types::BOOL,
            SymbolKind::Var | SymbolKind::Param { .. } => symbol.ty,
            _ => {
                let text = self.text(name.sym);
                self.error("type", name.span, format!("`{text}` is neither a location nor a variable"));
                Types::WRONG
            }
        }
    }

    /// Returns the symbol and template of a process expression.
    pub(super) fn process_template(&self, of: ExprId) -> Option<(SymbolId, u32)> {
        let callee = match self.tree.kind(of) {
            ExprKind::Call(callee, _) => callee,
            _ => of,
        };
        let process = self.out.name(callee)?;
        Some((process, self.template_of(process)?))
    }
}
