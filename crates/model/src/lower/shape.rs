//! Shapes of types, and the allocation of variables.

use std::sync::Arc;

use lattice::{Term, TermOp};
use syntax::{
    Diagnostic, Span,
    ast::{ExprId, ExprKind},
};

use super::{
    Binding, Lowerer, MAX_CHANNELS, MAX_CLOCKS, MAX_CONSTANTS, MAX_ROW, NotLowered, Object, Result, symmetry::Placed,
};
use crate::{
    code::Region,
    system::{Channel, Clock, Shape, ShapeSize, Variable},
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
            TyKind::Clock { hybrid: false } => Shape::Clock,
            TyKind::Chan { .. } => Shape::Channel,
            TyKind::Text => {
                let (low, high) = self.values(ty)?;
                Shape::Int(low, high)
            }
            TyKind::Clock { hybrid: true } | TyKind::Double => Shape::Opaque,
            TyKind::Array(index, element) => {
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
                let size =
                    ShapeSize { ints: total(each.ints), clocks: total(each.clocks), channels: total(each.channels) };
                let largest = size.ints.max(size.clocks).max(size.channels);
                if largest > MAX_CONSTANTS || length > i64::from(MAX_CONSTANTS) {
                    let all = i64::from(each.ints.max(each.clocks).max(each.channels)).saturating_mul(length);
                    return Err(self.too_large(span, &format!("an array of {all} numbers"), MAX_CONSTANTS));
                }
                Shape::Array { low, length: length as u32, by, element, size }
            }
            TyKind::Struct(fields) => {
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
                Shape::Struct { fields: shapes, size }
            }
            TyKind::Lattice(number, _, dims) => self.lattice_shape(number, &dims, span)?,
            _ => return Err(NotLowered),
        }))
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
    fn too_many(&mut self, span: Span, what: &'static str, limit: u32) -> NotLowered {
        if self.reported.insert((what, Span::NONE)) {
            self.report(
                Diagnostic::error("too-large", span, format!("there are too many {what}"))
                    .help(format!("at most {limit} are possible")),
            );
        }
        NotLowered
    }

    /// Allocates a variable with its initial value.
    pub(super) fn allocate(&mut self, ty: Ty, init: Option<ExprId>, name: &str, span: Span) -> Result<Binding> {
        let shape = self.shape(ty, span)?;
        let constant = self.checked.types.is_constant(ty);
        let meta = self.checked.types.is_meta(ty);
        // The limits on the row and on memory are checked before the values are computed.
        let size = shape.size();
        if !constant && size.ints > MAX_ROW {
            return Err(self.too_many(span, "numbers in a state", MAX_ROW));
        }
        self.has_room((size.ints as usize + size.clocks as usize) * 16 + size.channels as usize * 64, span)?;
        let mut values = Vec::new();
        match init {
            Some(e) => self.initial_values(e, &shape, &mut values)?,
            None => default_values(&shape, &mut values),
        }
        if constant {
            self.s.scalars.constant(&shape, &values);
            if let (Shape::Int(..) | Shape::Bool | Shape::Scalar { .. }, [value]) = (&*shape, &values[..]) {
                return Ok(Binding::Const(*value));
            }
            let first = self.s.code.constants.len() as u32;
            if first.saturating_add(shape.size().ints) > MAX_CONSTANTS {
                return Err(self.too_large(span, "this constant", MAX_CONSTANTS));
            }
            self.s.code.constants.extend(values);
            return Ok(Binding::Object(Object { ints: Region::Constants.at(first), clocks: 0, channels: 0, shape }));
        }
        self.place(ty, shape, &values, meta, name, span).map(Binding::Object)
    }

    /// Allocates a variable among integers, clocks and channels.
    fn place(
        &mut self,
        ty: Ty,
        shape: Arc<Shape>,
        values: &[i32],
        meta: bool,
        name: &str,
        span: Span,
    ) -> Result<Object> {
        let size = shape.size();
        let (first, region) = if meta { (self.s.meta, Region::Meta) } else { (self.s.variables, Region::Variables) };
        if first.saturating_add(size.ints) > MAX_ROW {
            return Err(self.too_many(span, "numbers in a state", MAX_ROW));
        }
        let clocks = self.system.clocks.len() as u32;
        if clocks.saturating_add(size.clocks) > MAX_CLOCKS {
            return Err(self.too_many(span, "clocks", MAX_CLOCKS));
        }
        let channels = self.system.channels.len() as u32;
        if channels.saturating_add(size.channels) > MAX_CHANNELS {
            return Err(self.too_many(span, "channels", MAX_CHANNELS));
        }
        if size.ints > 0 {
            let (count, initial, ranges) = if meta {
                (&mut self.s.meta, &mut self.s.initial_meta, &mut self.s.ranges_meta)
            } else {
                (&mut self.s.variables, &mut self.s.initial, &mut self.s.ranges)
            };
            *count += size.ints;
            initial.extend(values.iter().take(size.ints as usize));
            push_ranges(&shape, ranges);
            if !meta {
                self.note_lattices(&shape, ty, name, first);
                self.s.lattice_spans.resize(self.s.lattices.len(), span);
            }
            self.system.variables.push(Variable { name: name.to_owned(), first, shape: shape.clone(), meta });
        }
        if size.clocks > 0 {
            let mut names = Vec::new();
            leaf_names(&shape, name, &|s| *s == Shape::Clock, &mut names);
            // The initial values of clocks follow those of the integers.
            let initial = values[size.ints as usize..].iter().copied();
            self.system.clocks.extend(names.into_iter().zip(initial).map(|(name, initial)| Clock { name, initial }));
        }
        if size.channels > 0 {
            let mut names = Vec::new();
            leaf_names(&shape, name, &|s| *s == Shape::Channel, &mut names);
            let (urgent, broadcast) = self.channel_kind(ty);
            let channel = |name| Channel { name, broadcast, urgent, priority: 0 };
            self.system.channels.extend(names.into_iter().map(channel));
        }
        self.s.scalars.place(Placed { owner: None, ints: first, meta, clocks, channels, shape: shape.clone() });
        Ok(Object { ints: region.at(first), clocks, channels, shape })
    }

    fn channel_kind(&self, mut ty: Ty) -> (bool, bool) {
        loop {
            match self.checked.types.kind(ty) {
                TyKind::Array(_, element) => ty = *element,
                TyKind::Chan { urgent, broadcast } => return (*urgent, *broadcast),
                _ => return (false, false),
            }
        }
    }

    /// Collects the numbers of an initialiser: integers first, then clocks.
    fn initial_values(&mut self, e: ExprId, shape: &Arc<Shape>, out: &mut Vec<i32>) -> Result<()> {
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
            (Shape::Clock, _) if *self.checked.types.kind(self.checked.ty(e)) == TyKind::Double => {
                let why = "clocks start at whole numbers";
                Err(self.unsupported(self.tree.span(e), "floating-point numbers", why))
            }
            (Shape::Clock, _) => {
                let value = self.constant(e)?;
                if value < 0 {
                    let message = format!("a clock can't start at {value}");
                    return Err(self.report(Diagnostic::error("constant", self.tree.span(e), message)));
                }
                clocks.push(value);
                Ok(())
            }
            (Shape::Lattice { lattice, width, .. }, _) => {
                let value = self.constant(e)?;
                let mut element = vec![0; *width as usize];
                lattice.0.initial(&mut element);
                let numeric = lattice.0.numeric().ok_or(NotLowered)?;
                numeric.assign(&mut element, 0, &Term { ops: &[TermOp::Const(value)], values: &[] });
                ints.extend(element);
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
        self.assign_block(&super::place::MemoryPlace::of(&to), e)?;
        self.emit(crate::code::Op::End);
        let (_, scratch) = self.run_now(e)?;
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

fn push_ranges(shape: &Shape, out: &mut Vec<(i32, i32)>) {
    match shape {
        Shape::Array { length, element, .. } => {
            let first = out.len();
            if *length > 0 {
                push_ranges(element, out);
            }
            let each = out.len() - first;
            for _ in 1..*length {
                out.extend_from_within(first..first + each);
            }
        }
        Shape::Struct { fields, .. } => fields.iter().for_each(|(_, f)| push_ranges(f, out)),
        Shape::Clock | Shape::Channel | Shape::Opaque => {}
        Shape::Lattice { lattice, width, .. } => out.extend((0..*width).map(|slot| lattice.0.range(slot as usize))),
        _ => out.push(shape.range()),
    }
}

/// Returns the names of the clocks or channels in a value, in order.
fn leaf_names(shape: &Shape, name: &str, wanted: &dyn Fn(&Shape) -> bool, out: &mut Vec<String>) {
    match shape {
        Shape::Array { low, length, element, .. } => {
            for i in 0..*length {
                leaf_names(element, &format!("{name}[{}]", low + i as i32), wanted, out);
            }
        }
        Shape::Struct { fields, .. } => {
            for (field, shape) in fields {
                leaf_names(shape, &format!("{name}.{field}"), wanted, out);
            }
        }
        _ if wanted(shape) => out.push(name.to_owned()),
        _ => {}
    }
}
