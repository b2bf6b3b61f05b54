//! Initialisers of variables.

use syntax::{
    Diagnostic, Sym,
    ast::{ExprId, ExprKind, List},
    nearest,
};

use super::Checker;
use crate::types::{Ty, TyKind, Types};

impl Checker<'_> {
    /// Checks an initialiser against its type.
    pub(super) fn initialiser(&mut self, init: ExprId, ty: Ty) {
        let ExprKind::Braces(items) = self.tree.kind(init) else {
            let from = if self.out.types.is_integral(ty) { self.operand(init) } else { self.expr(init) };
            if from == Types::WRONG || ty == Types::WRONG {
                return;
            }
            let types = &self.out.types;
            let fits = match (self.abstract_fits(None, ty, from), types.kind(ty)) {
                (Some(fits), _) => fits,
                (None, TyKind::Clock { .. } | TyKind::Double) => {
                    types.is_integral(from) || matches!(types.kind(from), TyKind::Double)
                }
                (None, TyKind::Chan { .. } | TyKind::Scalar(..)) => false,
                _ => types.assignable(self.tree, ty, from),
            };
            if !fits {
                let (to, found) = (self.describe(ty), self.describe(from));
                self.error("type", self.tree.span(init), format!("can't initialise {to} with {found}"));
            }
            return;
        };
        match self.kind(ty).clone() {
            TyKind::Array(_, element) => {
                for &item in self.tree.list(items) {
                    let item = match self.tree.kind(item) {
                        ExprKind::Field(name, value) => {
                            self.error("initialiser", name.span, "the elements of an array have no names");
                            value
                        }
                        _ => item,
                    };
                    syntax::grow(|| self.initialiser(item, element));
                }
            }
            TyKind::Struct(fields) => self.struct_initialiser(init, items, &fields),
            TyKind::Wrong => {}
            _ => {
                let to = self.describe(ty);
                self.error("initialiser", self.tree.span(init), format!("a list can't initialise {to}"));
                // The values may have errors of their own.
                for &item in self.tree.list(items) {
                    if !matches!(self.tree.kind(item), ExprKind::Braces(_) | ExprKind::Field(..)) {
                        self.expr(item);
                    }
                }
            }
        }
        self.out.tys[init.0 as usize] = ty;
    }

    /// Checks the fields in order; a named item belongs to its field.
    fn struct_initialiser(&mut self, init: ExprId, items: List, fields: &[(Sym, Ty)]) {
        let mut filled = vec![false; fields.len()];
        let mut next = 0;
        for &item in self.tree.list(items) {
            let mut value = item;
            if let ExprKind::Field(name, inner) = self.tree.kind(item) {
                value = inner;
                match fields.iter().position(|(field, _)| *field == name.sym) {
                    Some(i) => next = i,
                    None => {
                        let text = self.text(name.sym);
                        let near = nearest(text, fields.iter().map(|(field, _)| self.tree.text(*field)));
                        let mut d = Diagnostic::error("unknown-name", name.span, format!("no field `{text}`"));
                        if let Some(near) = near {
                            d = d.help(format!("did you mean `{near}`?"));
                        }
                        self.report(d);
                        continue;
                    }
                }
            }
            let Some(&(field, ty)) = fields.get(next) else {
                self.error("initialiser", self.tree.span(item), "more values than the struct has fields");
                break;
            };
            if std::mem::replace(&mut filled[next], true) {
                let text = self.text(field);
                self.error("initialiser", self.tree.span(item), format!("field `{text}` has two values"));
            }
            syntax::grow(|| self.initialiser(value, ty));
            next += 1;
        }
        if let Some(missing) = filled.iter().position(|f| !f) {
            let text = self.text(fields[missing].0);
            self.error("initialiser", self.tree.span(init), format!("field `{text}` has no value"));
        }
    }
}
