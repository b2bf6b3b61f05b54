//! Quantifiers and iterations: loops over the values of a type, or unrolled bodies.

use std::sync::Arc;

use syntax::{
    Diagnostic, Span,
    ast::{ExprId, ExprKind, Name, Quantifier, TypeId},
};

use super::{Binding, Lowerer, MAX_UNROLLED, NotLowered, Object, Result, expr::ExprValue};
use crate::{
    code::Op,
    operation::{Arith, Cmp},
    system::Shape,
};

impl Lowerer<'_> {
    /// Compiles the loop `for (name : type)`; `body` compiles its body.
    pub(super) fn iterate(&mut self, name: Name, ty: TypeId, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (low, high) = self.values(self.checked.type_expr(ty))?;
        if low > high {
            return Ok(());
        }
        let id = self.checked.symbols.at(name.span).ok_or(NotLowered)?;
        let at = self.temp();
        let shape = Arc::new(Shape::Int(low, high));
        self.bind(id, Binding::Object(Object { ints: at, clocks: 0, channels: 0, shape }));
        let (first, last, one) = (self.literal(low), self.literal(high), self.literal(1));
        self.emit(Op::Move { to: at, from: first });
        let top = self.chunk.ops.len();
        body(self)?;
        let end = self.emit(Op::JumpIf { cmp: Cmp::Ge, a: at, b: last, by: 0 });
        self.emit(Op::Arith { op: Arith::Add, to: at, a: at, b: one });
        let by = self.back(top);
        self.emit_at(Op::Jump { by }, name.span);
        self.land(end);
        Ok(())
    }

    pub(super) fn sum(&mut self, e: ExprId) -> Result<ExprValue> {
        let ExprKind::Quantifier(_, name, ty, body) = self.tree.kind(e) else { return Err(NotLowered) };
        let span = self.tree.span(e);
        if self.mentions_process(body) {
            let mut total = ExprValue::known(0);
            for value in self.unrolled(ty, span)? {
                self.bind_value(name, value)?;
                let term = self.value(body)?;
                total = self.compute(Arith::Add, total, term, span)?;
            }
            return Ok(total);
        }
        let total = self.temp();
        let zero = self.literal(0);
        self.emit(Op::Move { to: total, from: zero });
        self.iterate(name, ty, |l| {
            let term = l.value(body)?;
            let b = l.address(term);
            l.emit(Op::Arith { op: Arith::Add, to: total, a: total, b });
            Ok(())
        })?;
        Ok(ExprValue::at(total, i32::MIN, i32::MAX))
    }

    pub(super) fn branch_quantifier(
        &mut self,
        q: Quantifier,
        name: Name,
        ty: TypeId,
        body: ExprId,
        when: bool,
    ) -> Result<Vec<usize>> {
        self.note_order(ty, body);
        // The truth value that decides the quantifier at once.
        let decisive = q == Quantifier::Exists;
        if self.mentions_process(body) {
            let mut decided = Vec::new();
            for value in self.unrolled(ty, self.tree.ty(ty).span)? {
                self.bind_value(name, value)?;
                decided.extend(self.branch(body, decisive)?);
            }
            if when == decisive {
                return Ok(decided);
            }
            let jump = self.emit(Op::Jump { by: 0 });
            self.land_all(decided);
            return Ok(vec![jump]);
        }
        let mut decided = Vec::new();
        self.iterate(name, ty, |l| {
            decided = l.branch(body, decisive)?;
            Ok(())
        })?;
        if when == decisive {
            return Ok(decided);
        }
        let jump = self.emit(Op::Jump { by: 0 });
        self.land_all(decided);
        Ok(vec![jump])
    }

    /// Returns all values of a type, for quantifiers that are unrolled.
    pub(super) fn unrolled(&mut self, ty: TypeId, span: Span) -> Result<Vec<i32>> {
        let (low, high) = self.values(self.checked.type_expr(ty))?;
        let count = i64::from(high) - i64::from(low) + 1;
        if count > MAX_UNROLLED {
            return Err(self.report(
                Diagnostic::error("too-large", span, format!("goes through {count} values"))
                    .help(format!("at most {MAX_UNROLLED} are possible here")),
            ));
        }
        Ok((low..=high).collect())
    }

    /// Binds the variable of a quantifier to a constant.
    pub(super) fn bind_value(&mut self, name: Name, value: i32) -> Result<()> {
        // Nested quantifiers multiply the number of copies.
        self.check_memory(0, name.span)?;
        let id = self.checked.symbols.at(name.span).ok_or(NotLowered)?;
        self.bind(id, Binding::Const(value));
        Ok(())
    }
}
