//! Places: the positions of variables and their parts, for loads and stores.

use std::sync::Arc;

use syntax::{
    Span,
    ast::{ExprId, ExprKind},
};

use super::{Binding, Lowerer, NotLowered, Object, Result, expr::ExprValue};
use crate::{
    code::{Addr, Arith, Cmp, LatticeRef, Op, Region},
    system::Shape,
};

/// An offset: a constant, plus the value at an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offset {
    pub fixed: u32,
    pub dynamic: Option<Addr>,
}

/// The start of a value's integers, clocks and channels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// Fixed positions, with the number of integers.
    Fixed {
        ints: Addr,
        size: u32,
        clocks: u32,
        channels: u32,
    },
    Reference {
        ints: Addr,
        clocks: Addr,
    },
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(super) struct MemoryPlace {
    pub root: Root,
    pub ints: Offset,
    pub clocks: Offset,
    pub channels: u32,
    /// The bit of a lattice element, if it is one.
    pub bit: Option<Bit>,
    /// The entry of an element whose lattice has methods behind indices, if it is one.
    pub entry: Option<Entry>,
    pub shape: Arc<Shape>,
}

/// A bit, or an array of bits if some indices are missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bit {
    pub number: Offset,
    /// The number of indices so far.
    pub indices: usize,
}

/// An entry of an element, or several if some indices are missing.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub lattice: LatticeRef,
    /// The addresses of the indices so far.
    pub indices: Vec<Addr>,
    /// The first index.
    pub span: Span,
}

impl MemoryPlace {
    pub(super) fn of(object: &Object) -> MemoryPlace {
        MemoryPlace {
            root: Root::Fixed {
                ints: object.ints,
                size: object.shape.size().ints,
                clocks: object.clocks,
                channels: object.channels,
            },
            ints: Offset::default(),
            clocks: Offset::default(),
            channels: 0,
            bit: None,
            entry: None,
            shape: object.shape.clone(),
        }
    }
}

impl Lowerer<'_> {
    /// Returns the place of an expression; values without one are stored in temporaries.
    pub(super) fn place_of(&mut self, e: ExprId) -> Result<MemoryPlace> {
        syntax::grow(|| self.place_here(e))
    }

    fn place_here(&mut self, e: ExprId) -> Result<MemoryPlace> {
        if self.checked.number(e).is_some() {
            return self.place_of_value(e);
        }
        self.place_named(e)
    }

    /// Returns the place that an expression names, even if it is read as a number.
    pub(super) fn place_named(&mut self, e: ExprId) -> Result<MemoryPlace> {
        let span = self.tree.span(e);
        match self.tree.kind(e) {
            ExprKind::Name(_) => {
                let id = self.checked.name(e).ok_or(NotLowered)?;
                self.place_of_symbol(id)
            }
            ExprKind::Member(of, name) => {
                if let Some(process) = self.process_of(of)? {
                    let id = self.checked.name(e).ok_or(NotLowered)?;
                    let binding = self.s.processes[process as usize].get(&id).cloned().ok_or(NotLowered)?;
                    return Ok(self.place_of_binding(&binding));
                }
                let place = self.place_of(of)?;
                self.field(place, name.sym)
            }
            ExprKind::Index(of, index) => {
                let place = self.place_of(of)?;
                let index_value = self.value(index)?;
                self.element(place, index_value, self.tree.span(index))
            }
            ExprKind::Assign(..) | ExprKind::Step { prefix: true, .. } => self.assignment(e),
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.place_of(b)
            }
            ExprKind::Call(..) => self.call_place(e),
            ExprKind::Conditional(c, a, b) => self.conditional_place(c, a, b, span),
            _ => self.place_of_value(e),
        }
    }

    /// Stores a value in a temporary.
    fn place_of_value(&mut self, e: ExprId) -> Result<MemoryPlace> {
        let value = self.value(e)?;
        let (low, high) = (value.low, value.high);
        let at = self.temp();
        let from = self.address(value);
        self.emit(Op::Move { to: at, from });
        let shape = Arc::new(Shape::Int(low, high));
        Ok(MemoryPlace::of(&Object { ints: at, clocks: 0, channels: 0, shape }))
    }

    pub(super) fn place_of_symbol(&mut self, id: crate::symbols::SymbolId) -> Result<MemoryPlace> {
        let binding = self.binding(id).cloned().ok_or(NotLowered)?;
        Ok(self.place_of_binding(&binding))
    }

    pub(super) fn place_of_binding(&mut self, binding: &Binding) -> MemoryPlace {
        match binding {
            Binding::Const(value) => {
                let ints = self.literal(*value);
                let shape = Arc::new(Shape::Int(*value, *value));
                MemoryPlace::of(&Object { ints, clocks: 0, channels: 0, shape })
            }
            Binding::Object(object) => MemoryPlace::of(object),
            Binding::Reference { ints, clocks, shape } => MemoryPlace {
                root: Root::Reference { ints: *ints, clocks: *clocks },
                ints: Offset::default(),
                clocks: Offset::default(),
                channels: 0,
                bit: None,
                entry: None,
                shape: shape.clone(),
            },
        }
    }

    fn field(&mut self, mut place: MemoryPlace, name: syntax::Sym) -> Result<MemoryPlace> {
        let text = self.tree.text(name);
        let shape = place.shape.clone();
        let Shape::Struct { fields, .. } = &*shape else { return Err(NotLowered) };
        for (field, shape) in fields {
            if **field == *text {
                place.shape = shape.clone();
                return Ok(place);
            }
            let size = shape.size();
            place.ints.fixed += size.ints;
            place.clocks.fixed += size.clocks;
        }
        Err(NotLowered)
    }

    /// Returns the place of an array element. A constant index is checked now, any other one at run
    /// time.
    fn element(&mut self, mut place: MemoryPlace, index: ExprValue, span: Span) -> Result<MemoryPlace> {
        if let Shape::Lattice { .. } = *place.shape {
            return self.bit(place, index, span);
        }
        let shape = place.shape.clone();
        // In TChecker `x[0]` denotes a variable `x` of size 1.
        let (low, length, element) = match &*shape {
            Shape::Array { low, length, element, .. } => (low, length, element),
            _ => (&0, &1, &shape),
        };
        let each = element.size();
        place.shape = element.clone();
        if let Some(known) = index.known {
            let at = i64::from(known) - i64::from(*low);
            if at >= 0 && at < i64::from(*length) {
                place.ints.fixed += at as u32 * each.ints;
                place.clocks.fixed += at as u32 * each.clocks;
                place.channels += at as u32 * each.channels;
                return Ok(place);
            }
        }
        let index = self.address(index);
        for (stride, offset) in [(each.ints, &mut place.ints), (each.clocks, &mut place.clocks)] {
            if stride == 0 {
                continue;
            }
            self.advance(offset, index, [*low, *length as i32, stride as i32], span);
        }
        if each.ints == 0 && each.clocks == 0 {
            // Nothing is read, but the index is checked all the same.
            let shape = self.tuple(&[*low, *length as i32, 1]);
            let to = self.temp();
            self.emit_at(Op::Index { to, index, shape }, span);
        }
        Ok(place)
    }

    /// Advances an offset by an index into an array, given by its low index, length and stride.
    pub(super) fn advance(&mut self, offset: &mut Offset, index: Addr, shape: [i32; 3], span: Span) {
        let (shape, to) = (self.tuple(&shape), self.temp());
        self.emit_at(Op::Index { to, index, shape }, span);
        offset.dynamic = Some(match offset.dynamic {
            None => to,
            Some(before) => {
                let sum = self.temp();
                self.emit(Op::Arith { op: Arith::Add, to: sum, a: before, b: to });
                sum
            }
        });
    }

    /// Returns the address of the whole offset.
    pub(super) fn offset(&mut self, offset: Offset) -> Addr {
        match (offset.dynamic, offset.fixed) {
            (None, fixed) => self.literal(fixed as i32),
            (Some(dynamic), 0) => dynamic,
            (Some(dynamic), fixed) => {
                let (b, to) = (self.literal(fixed as i32), self.temp());
                self.emit(Op::Arith { op: Arith::Add, to, a: dynamic, b });
                to
            }
        }
    }

    /// Loads a single integer.
    pub(super) fn load(&mut self, place: &MemoryPlace) -> ExprValue {
        if let Some(bit) = place.bit {
            return self.load_bit(place, bit);
        }
        if let Some(entry) = &place.entry {
            return self.load_entry(place, entry);
        }
        let (low, high) = place.shape.range();
        match place.root {
            Root::Fixed { ints, size, .. } => {
                let base = ints + place.ints.fixed;
                let Some(offset) = place.ints.dynamic else {
                    if let (Region::Constants, i) = Region::split(base) {
                        return ExprValue::known(self.s.code.constants[i as usize]);
                    }
                    let (low, high) = self.known_range(base, 1).unwrap_or((low, high));
                    return ExprValue::at(base, low, high);
                };
                let (least, greatest) = self.known_range(ints, size).unwrap_or((low, high));
                let to = self.temp();
                self.emit(Op::Load { to, base, offset });
                ExprValue::at(to, low.max(least), high.min(greatest))
            }
            Root::Reference { ints, .. } => {
                let (offset, to) = (self.offset(place.ints), self.temp());
                self.emit(Op::LoadRef { to, pointer: ints, offset });
                ExprValue::at(to, low, high)
            }
        }
    }

    /// Stores a single integer, and checks it against the range of the variable.
    pub(super) fn store(&mut self, place: &MemoryPlace, value: ExprValue, span: Span) {
        let value = match &*place.shape {
            Shape::Bool if value.low < 0 || value.high > 1 => self.truth(value),
            Shape::Int(..) | Shape::Scalar { .. } => {
                let (low, high) = place.shape.range();
                if value.low < low || value.high > high {
                    let (a, bounds) = (self.address(value), self.tuple(&[low, high]));
                    self.emit_at(Op::Range { a, bounds }, span);
                }
                value
            }
            _ => value,
        };
        let from = self.address(value);
        if let Some(bit) = place.bit {
            return self.store_bit(place, bit, from);
        }
        if let Some(entry) = &place.entry {
            return self.store_entry(place, entry, from, span);
        }
        match place.root {
            Root::Fixed { ints, .. } => {
                let base = ints + place.ints.fixed;
                match place.ints.dynamic {
                    None if base == from => {}
                    None => {
                        self.emit(Op::Move { to: base, from });
                    }
                    Some(offset) => {
                        self.emit(Op::Store { base, offset, from });
                    }
                }
            }
            Root::Reference { ints, .. } => {
                let offset = self.offset(place.ints);
                self.emit(Op::StoreRef { pointer: ints, offset, from });
            }
        }
    }

    /// Converts a number to 0 or 1.
    pub(super) fn truth(&mut self, value: ExprValue) -> ExprValue {
        if let Some(known) = value.known {
            return ExprValue::known(i32::from(known != 0));
        }
        let (a, b, to) = (self.address(value), self.literal(0), self.temp());
        self.emit(Op::Compare { cmp: Cmp::Ne, to, a, b });
        ExprValue::at(to, 0, 1)
    }

    /// Returns a pointer to the integers of a place.
    pub(super) fn pointer(&mut self, place: &MemoryPlace) -> Addr {
        let to = self.temp();
        match place.root {
            Root::Fixed { ints, .. } => {
                let offset = match place.ints.dynamic {
                    Some(dynamic) => dynamic,
                    None => self.literal(0),
                };
                self.emit(Op::Point { to, base: ints + place.ints.fixed, offset });
            }
            Root::Reference { ints, .. } => {
                let b = self.offset(place.ints);
                self.emit(Op::Arith { op: Arith::Add, to, a: ints, b });
            }
        }
        to
    }

    /// Returns the number of the first clock of a place: a constant, or at an address.
    pub(super) fn clock_number(&mut self, place: &MemoryPlace) -> ExprValue {
        let any = |at| ExprValue::at(at, 0, i32::MAX);
        match (place.root, place.clocks.dynamic) {
            (Root::Fixed { clocks, .. }, None) => ExprValue::known((clocks + place.clocks.fixed) as i32),
            (Root::Fixed { clocks, .. }, Some(a)) => {
                let (b, to) = (self.literal((clocks + place.clocks.fixed) as i32), self.temp());
                self.emit(Op::Arith { op: Arith::Add, to, a, b });
                any(to)
            }
            (Root::Reference { clocks, .. }, _) => {
                let (b, to) = (self.offset(place.clocks), self.temp());
                self.emit(Op::Arith { op: Arith::Add, to, a: clocks, b });
                any(to)
            }
        }
    }

    /// Copies an array or struct.
    pub(super) fn assign_block(&mut self, to: &MemoryPlace, e: ExprId) -> Result<()> {
        let from = self.place_of(e)?;
        let span = self.tree.span(e);
        let (len, other) = (to.shape.size(), from.shape.size());
        if let (Shape::Lattice { lattice: a, .. }, Shape::Lattice { lattice: b, .. }) = (&*to.shape, &*from.shape)
            && a != b
        {
            return Err(self.report(syntax::Diagnostic::error("type", span, "the dimensions of the elements differ")));
        }
        if len.ints != other.ints || len.clocks != other.clocks {
            return Err(self.report(
                syntax::Diagnostic::error("type", span, "the sizes of the arrays differ")
                    .label(format!("{} numbers here, {} there", other.ints, len.ints)),
            ));
        }
        if len.clocks > 0 {
            return Err(self.unsupported(span, "assignments of whole structs with clocks", "assign the fields"));
        }
        let (to, from) = (self.pointer(to), self.pointer(&from));
        self.emit(Op::Copy { to, from, len: len.ints });
        Ok(())
    }

    /// Returns the place of `c ? a : b`: both operands are accessed through a pointer.
    fn conditional_place(&mut self, c: ExprId, a: ExprId, b: ExprId, span: Span) -> Result<MemoryPlace> {
        let pointer = self.temp();
        let no = self.branch(c, false)?;
        let first = self.place_of(a)?;
        self.refuse_bit(&first, span)?;
        if first.shape.size().clocks > 0 {
            return Err(self.unsupported(span, "choices between clocks", "name the clock"));
        }
        let from = self.pointer(&first);
        self.emit(Op::Move { to: pointer, from });
        let end = self.emit(Op::Jump { by: 0 });
        self.land_all(no);
        let second = self.place_of(b)?;
        let from = self.pointer(&second);
        self.emit(Op::Move { to: pointer, from });
        self.land(end);
        let clocks = self.literal(0);
        Ok(MemoryPlace {
            root: Root::Reference { ints: pointer, clocks },
            ints: Offset::default(),
            clocks: Offset::default(),
            channels: 0,
            bit: None,
            entry: None,
            shape: first.shape,
        })
    }
}
