//! The initial values of variables.

use std::sync::Arc;

use lattice::{Term, TermOp};
use syntax::{
    Diagnostic,
    ast::{ExprId, ExprKind, List},
};

use super::{Lowerer, NotLowered, Object, Result, place::MemoryPlace};
use crate::{
    code::{LatticeRef, Op, Region},
    real::words,
    system::Shape,
    types::TyKind,
};

impl Lowerer<'_> {
    /// Collects the numbers of an initialiser: integers first, then clocks.
    pub(super) fn initial_values(&mut self, e: ExprId, shape: &Arc<Shape>, out: &mut Vec<i32>) -> Result<()> {
        let mut clocks = Vec::new();
        self.initial_parts(e, shape, out, &mut clocks)?;
        out.extend(clocks);
        Ok(())
    }

    fn initial_parts(
        &mut self,
        e: ExprId,
        shape: &Arc<Shape>,
        ints: &mut Vec<i32>,
        clocks: &mut Vec<i32>,
    ) -> Result<()> {
        syntax::grow(|| match (&**shape, self.tree.kind(e)) {
            (Shape::Opaque, _) => Ok(()),
            (Shape::Clock, _) => {
                let value = self.initial_clock(e, clocks.len())?;
                clocks.push(value);
                Ok(())
            }
            (Shape::Double, _) => {
                ints.extend(words(self.constant_real(e)?));
                Ok(())
            }
            (Shape::Lattice { lattice, width, .. }, _) => {
                ints.extend(self.initial_element(e, lattice, *width)?);
                Ok(())
            }
            (Shape::Array { length, element, .. }, ExprKind::Braces(items)) => {
                let items = self.tree.list(items).to_vec();
                if items.len() != *length as usize {
                    let message = format!("the array has {length} elements, the initialiser {}", items.len());
                    return Err(self.report(Diagnostic::error("initialiser", self.tree.span(e), message)));
                }
                for item in items {
                    self.initial_parts(item, element, ints, clocks)?;
                }
                Ok(())
            }
            (Shape::Struct { fields, .. }, ExprKind::Braces(items)) => {
                let values = self.by_field(fields, items)?;
                for ((_, shape), value) in fields.iter().zip(values) {
                    self.initial_parts(value.ok_or(NotLowered)?, shape, ints, clocks)?;
                }
                Ok(())
            }
            (Shape::Array { .. } | Shape::Struct { .. }, _) => {
                let values = self.constant_block(e, shape)?;
                ints.extend(values);
                clocks.resize(clocks.len() + shape.size().clocks as usize, 0);
                Ok(())
            }
            _ => {
                let value = self.constant(e)?;
                let value = if **shape == Shape::Bool { i32::from(value != 0) } else { value };
                let (low, high) = shape.range();
                if value < low || value > high {
                    let message = format!("the initial value {value} is outside of the range [{low},{high}]");
                    return Err(self.report(Diagnostic::error("constant", self.tree.span(e), message)));
                }
                ints.push(value);
                Ok(())
            }
        })
    }

    /// Returns the initial value of a clock, which is the clock number `index` of its variable.
    fn initial_clock(&mut self, e: ExprId, index: usize) -> Result<i32> {
        let span = self.tree.span(e);
        if self.is_stochastic() {
            let value = self.constant_real(e)?;
            return Ok(self.note_start(index, value));
        }
        if *self.checked.types.kind(self.checked.ty(e)) == TyKind::Double {
            return Err(self.unsupported(span, "floating-point numbers", "clocks start at whole numbers"));
        }
        let value = self.constant(e)?;
        if value < 0 {
            let message = format!("a clock can't start at {value}");
            return Err(self.report(Diagnostic::error("constant", span, message)));
        }
        Ok(value)
    }

    /// Returns the element for a constant of an abstract integer.
    fn initial_element(&mut self, e: ExprId, lattice: &LatticeRef, width: u32) -> Result<Vec<i32>> {
        let value = self.constant(e)?;
        let mut element = vec![0; width as usize];
        lattice.0.initial(&mut element);
        let numeric = lattice.0.numeric().ok_or(NotLowered)?;
        numeric.assign(&mut element, 0, &Term { ops: &[TermOp::Const(value)], values: &[] });
        Ok(element)
    }

    /// Returns the items of a struct initialiser in the order of the fields.
    fn by_field(&self, fields: &[(Arc<str>, Arc<Shape>)], items: List) -> Result<Vec<Option<ExprId>>> {
        let mut values: Vec<Option<ExprId>> = vec![None; fields.len()];
        let mut next = 0;
        for &item in self.tree.list(items) {
            let mut value = item;
            if let ExprKind::Field(name, inner) = self.tree.kind(item) {
                value = inner;
                next = fields.iter().position(|f| *f.0 == *self.tree.text(name.sym)).ok_or(NotLowered)?;
            }
            *values.get_mut(next).ok_or(NotLowered)? = Some(value);
            next += 1;
        }
        Ok(values)
    }

    /// Returns the numbers of a constant array or struct.
    pub(super) fn constant_block(&mut self, e: ExprId, shape: &Arc<Shape>) -> Result<Vec<i32>> {
        self.aside(|l| l.constant_block_here(e, shape))
    }

    fn constant_block_here(&mut self, e: ExprId, shape: &Arc<Shape>) -> Result<Vec<i32>> {
        self.start(&[e])?;
        let span = self.tree.span(e);
        let count = shape.size().ints;
        let at = self.scratch(count, span)?;
        let to = Object { ints: at, clocks: 0, channels: 0, shape: shape.clone() };
        self.assign_block(&MemoryPlace::of(&to), e)?;
        self.emit(Op::End);
        let scratch = self.run_now(e)?.scratch;
        let (_, first) = Region::split(at);
        Ok((first..first + count).map(|i| scratch.get(i as usize).copied().unwrap_or(0)).collect())
    }
}

/// Collects the default values, integers first, then clocks: zero, or the least legal value if zero
/// is illegal.
pub(super) fn default_values(shape: &Shape, out: &mut Vec<i32>) {
    fn ints(shape: &Shape, out: &mut Vec<i32>) {
        match shape {
            Shape::Array { length, element, .. } => {
                let first = out.len();
                if *length > 0 {
                    ints(element, out);
                }
                let each = out.len() - first;
                for _ in 1..*length {
                    out.extend_from_within(first..first + each);
                }
            }
            Shape::Struct { fields, .. } => fields.iter().for_each(|(_, f)| ints(f, out)),
            Shape::Clock | Shape::Channel | Shape::Opaque => {}
            Shape::Double => out.extend(words(0.0)),
            Shape::Lattice { lattice, width, .. } => {
                let first = out.len();
                out.resize(first + *width as usize, 0);
                lattice.0.initial(&mut out[first..]);
            }
            _ => {
                let (low, high) = shape.range();
                out.push(if low <= 0 && high >= 0 { 0 } else { low });
            }
        }
    }
    ints(shape, out);
    out.resize(out.len() + shape.size().clocks as usize, 0);
}
