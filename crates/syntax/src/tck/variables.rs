//! Declares clocks and integers.

use super::{build::Builder, scan::Number};
use crate::{
    ast::{Decl, Declarator, Dimension, ExprKind, Name, Prefix, TypeExpr, TypeId, TypeKind},
    diagnostic::Diagnostic,
    source::Span,
};

/// The greatest number of elements in all arrays together, which limits memory.
const MAX_ELEMENTS: i64 = 1 << 22;

impl Builder<'_, '_> {
    pub(super) fn clock(&mut self, size: Number, name: Name, span: Span) {
        let ty = self.ty(TypeKind::Clock, span);
        if let Some(dims) = self.dimensions(size) {
            self.tree.decls.push(Decl::Var(Declarator { ty, name, reference: false, dims, init: None }));
        } else {
            self.tree.lost.insert(name.sym);
        }
    }

    /// Declares an integer with its bounds and its initial value, which is that of all elements of
    /// an array.
    pub(super) fn int(&mut self, size: Number, [low, high, init]: [Number; 3], name: Name, span: Span) {
        let legal = self.bounds(low, high, init);
        let (Some(dims), true) = (self.dimensions(size), legal) else {
            self.tree.lost.insert(name.sym);
            return;
        };
        let mut literal = |n: Number| self.tree.expr(ExprKind::Int(n.value as i32), n.span);
        let (low, high, value) = (literal(low), literal(high), literal(init));
        let ty = self.ty(TypeKind::Int(Some((low, high))), span);
        let init = if dims.is_empty() {
            value
        } else {
            let items = self.tree.add_list(&vec![value; size.value as usize]);
            self.tree.expr(ExprKind::Braces(items), init.span)
        };
        self.tree.decls.push(Decl::Var(Declarator { ty, name, reference: false, dims, init: Some(init) }));
    }

    fn bounds(&mut self, low: Number, high: Number, init: Number) -> bool {
        for number in [low, high, init] {
            if i32::try_from(number.value).is_err() {
                self.problems.report(
                    Diagnostic::error("number-too-large", number.span, "number does not fit into 32 bits")
                        .help("integers range from -2147483648 to 2147483647"),
                );
                return false;
            }
        }
        if low.value > high.value {
            let message = format!("the range [{},{}] is empty", low.value, high.value);
            self.error("constant", low.span.to(high.span), message);
            return false;
        }
        if init.value < low.value || init.value > high.value {
            let message =
                format!("the initial value {} is outside of the range [{},{}]", init.value, low.value, high.value);
            self.error("constant", init.span, message);
            return false;
        }
        true
    }

    /// Returns the dimensions. `x` of size 1 is not an array, but `x[0]` is legal; users of the
    /// tree handle that.
    fn dimensions(&mut self, size: Number) -> Option<Vec<Dimension>> {
        if size.value < 1 {
            self.error("constant", size.span, "the size must be at least 1");
            return None;
        }
        if size.value == 1 {
            return Some(Vec::new());
        }
        self.elements = self.elements.saturating_add(size.value);
        if self.elements > MAX_ELEMENTS {
            self.elements = 0;
            self.problems.report(
                Diagnostic::error("too-large", size.span, "the arrays of the model are too large")
                    .help(format!("at most {MAX_ELEMENTS} elements are possible")),
            );
            return None;
        }
        Some(vec![Dimension::Size(self.tree.expr(ExprKind::Int(size.value as i32), size.span))])
    }

    fn ty(&mut self, kind: TypeKind, span: Span) -> TypeId {
        self.tree.types.push(TypeExpr { prefix: Prefix::default(), kind, span });
        TypeId(self.tree.types.len() as u32 - 1)
    }
}
