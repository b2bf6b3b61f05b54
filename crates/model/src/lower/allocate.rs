//! The allocation of variables.

use std::sync::Arc;

use syntax::{Span, ast::ExprId};

use super::{
    Binding, Lowerer, MAX_CHANNELS, MAX_CLOCKS, MAX_CONSTANTS, MAX_ROW, Object, Result, initial::default_values,
    symmetry::Placed,
};
use crate::{
    code::Region,
    system::{Channel, Clock, Shape, Variable},
    types::{Ty, TyKind},
};

impl Lowerer<'_> {
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
        self.check_memory((size.ints as usize + size.clocks as usize) * 16 + size.channels as usize * 64, span)?;
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
            self.note_starts(clocks);
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
        Shape::Double => out.extend([(i32::MIN, i32::MAX); 2]),
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
