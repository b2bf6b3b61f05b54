//! Shapes of types.

use std::sync::Arc;

use syntax::{Diagnostic, Span, Sym};

use super::{Lowerer, MAX_CONSTANTS, NotLowered, Result};
use crate::{
    system::{Shape, ShapeSize},
    types::{Index, RangeBound, Ty, TyKind},
};

impl Lowerer<'_> {
    fn bound(&mut self, bound: RangeBound) -> Result<i32> {
        match bound {
            RangeBound::Value(value) => Ok(value),
            RangeBound::Expr(e) => self.constant(e),
        }
    }

    /// Returns the first and the last value of a type; the first is greater than the last if there
    /// are none.
    pub(super) fn values(&mut self, ty: Ty) -> Result<(i32, i32)> {
        match self.checked.types.kind(ty).clone() {
            TyKind::Int(Some((low, high))) => Ok((self.bound(low)?, self.bound(high)?)),
            TyKind::Int(None) => Ok((i32::MIN, i32::MAX)),
            TyKind::Scalar(set, size) => {
                let size = self.constant(size)?;
                self.s.scalars.has_size(set, size);
                Ok((0, size.saturating_sub(1)))
            }
            TyKind::Bool => Ok((0, 1)),
            // A query may have texts that the model lacks, so there is no last one.
            TyKind::Text => Ok((0, i32::MAX)),
            _ => Err(NotLowered),
        }
    }

    /// Returns the shape of a type.
    pub(super) fn shape(&mut self, ty: Ty, span: Span) -> Result<Arc<Shape>> {
        // The shapes of another process may have other sizes.
        self.shapes.clear();
        self.inner_shape(ty, span)
    }

    fn inner_shape(&mut self, ty: Ty, span: Span) -> Result<Arc<Shape>> {
        if let Some(known) = self.shapes.get(&ty) {
            return Ok(known.clone());
        }
        let shape = syntax::grow(|| self.shape_here(ty, span))?;
        self.shapes.insert(ty, shape.clone());
        Ok(shape)
    }

    fn shape_here(&mut self, ty: Ty, span: Span) -> Result<Arc<Shape>> {
        Ok(Arc::new(match self.checked.types.kind(ty).clone() {
            TyKind::Int(_) => {
                let (low, high) = self.values(ty)?;
                if low > high {
                    return Err(self.report(Diagnostic::error(
                        "empty-range",
                        span,
                        format!("the range [{low},{high}] has no values"),
                    )));
                }
                Shape::Int(low, high)
            }
            TyKind::Scalar(set, _) => {
                let (_, last) = self.values(ty)?;
                if last < 0 {
                    return Err(self.report(Diagnostic::error("empty-range", span, "the scalar set is empty")));
                }
                Shape::Scalar { set, size: last + 1 }
            }
            TyKind::Bool => Shape::Bool,
            TyKind::Clock { hybrid } if !hybrid || self.is_stochastic() => Shape::Clock,
            TyKind::Double if self.is_stochastic() => Shape::Double,
            TyKind::Chan { .. } => Shape::Channel,
            TyKind::Text => {
                let (low, high) = self.values(ty)?;
                Shape::Int(low, high)
            }
            TyKind::Clock { .. } | TyKind::Double => Shape::Opaque,
            TyKind::Array(index, element) => self.array_shape(index, element, span)?,
            TyKind::Struct(fields) => self.struct_shape(fields, span)?,
            TyKind::Lattice(number, _, dims) => self.lattice_shape(number, &dims, span)?,
            _ => return Err(NotLowered),
        }))
    }

    fn array_shape(&mut self, index: Index, element: Ty, span: Span) -> Result<Shape> {
        let element = self.inner_shape(element, span)?;
        let (low, length) = self.indices(index)?;
        if length < 0 || length == 0 && matches!(index, Index::Size(_)) {
            let at = if let Index::Size(e) = index { self.tree.span(e) } else { span };
            let message = format!("an array can't have {length} elements");
            return Err(self.report(Diagnostic::error("array-size", at, message)));
        }
        let by = match index {
            Index::Type(t) => self.scalar_set(t),
            Index::Size(_) => None,
        };
        let each = element.size();
        let total = |n: u32| u32::try_from(i64::from(n).saturating_mul(length)).unwrap_or(u32::MAX);
        let size = ShapeSize { ints: total(each.ints), clocks: total(each.clocks), channels: total(each.channels) };
        let largest = size.ints.max(size.clocks).max(size.channels);
        if largest > MAX_CONSTANTS || length > i64::from(MAX_CONSTANTS) {
            let all = i64::from(each.ints.max(each.clocks).max(each.channels)).saturating_mul(length);
            return Err(self.too_large(span, &format!("an array of {all} numbers"), MAX_CONSTANTS));
        }
        Ok(Shape::Array { low, length: length as u32, by, element, size })
    }

    fn struct_shape(&mut self, fields: Vec<(Sym, Ty)>, span: Span) -> Result<Shape> {
        let mut size = ShapeSize::default();
        let mut shapes = Vec::new();
        for (name, ty) in fields {
            let shape = self.inner_shape(ty, span)?;
            let s = shape.size();
            size.ints = size.ints.saturating_add(s.ints);
            size.clocks = size.clocks.saturating_add(s.clocks);
            shapes.push((Arc::from(self.tree.text(name)), shape));
        }
        if size.ints.max(size.clocks) > MAX_CONSTANTS {
            return Err(self.too_large(span, "a struct", MAX_CONSTANTS));
        }
        Ok(Shape::Struct { fields: shapes, size })
    }

    /// Returns the first index, and the number of indices.
    pub(super) fn indices(&mut self, index: Index) -> Result<(i32, i64)> {
        Ok(match index {
            Index::Size(e) => (0, i64::from(self.constant(e)?)),
            Index::Type(t) => {
                let (low, high) = self.values(t)?;
                (low, i64::from(high) - i64::from(low) + 1)
            }
        })
    }

    pub(super) fn too_large(&mut self, span: Span, what: &str, limit: u32) -> NotLowered {
        self.report(
            Diagnostic::error("too-large", span, format!("{what} is too large"))
                .help(format!("at most {limit} numbers are possible")),
        )
    }

    /// Reports that the model has too many of something, where the limit is exceeded first.
    pub(super) fn too_many(&mut self, span: Span, what: &'static str, limit: u32) -> NotLowered {
        if self.reported.insert((what, Span::NONE)) {
            self.report(
                Diagnostic::error("too-large", span, format!("there are too many {what}"))
                    .help(format!("at most {limit} are possible")),
            );
        }
        NotLowered
    }
}
