//! Lattice variables: their positions, bits and methods.

use std::sync::Arc;

use lattice::{Arguments, ReturnType};
use syntax::{
    Diagnostic, Span,
    ast::{ExprId, ExprKind},
};

use super::{
    Lowerer, MAX_CONSTANTS, NotLowered, Result,
    expr::ExprValue,
    place::{Bit, Entry, MemoryPlace, Offset, Root},
};
use crate::{
    check::ExternInfo,
    code::{Addr, Arith, CallKind, LatticeCall, LatticeRef, Op},
    system::{LatticeOrder, LatticeVariable, Shape},
    types::{Index, Ty, TyKind},
};

impl Lowerer<'_> {
    /// Returns the shape of an element with known dimensions.
    pub(super) fn lattice_shape(&mut self, number: u32, dims: &[Index], span: Span) -> Result<Shape> {
        let checked = self.checked;
        let ExternInfo::Library(library) = &checked.externs[number as usize] else { return Err(NotLowered) };
        let (mut low, mut dimensions, mut all) = (Vec::new(), Vec::new(), 1_i64);
        for &index in dims {
            let (first, length) = self.indices(index)?;
            if length <= 0 {
                let message = format!("an element can't have {length} parts");
                return Err(self.report(Diagnostic::error("array-size", span, message)));
            }
            all = all.saturating_mul(length);
            if all > i64::from(MAX_CONSTANTS) {
                return Err(self.too_large(span, "this element", MAX_CONSTANTS));
            }
            low.push(first);
            dimensions.push(length as u32);
        }
        let arguments = Arguments {
            values: &library.values,
            lattices: &library.lattices,
            dimensions: &dimensions,
            members: self.member_names.len() as u32,
            clocks: if library.kind.has_clocks() { &self.member_names } else { &[] },
            largest: library.largest,
        };
        let lattice = match library.kind.make(&arguments) {
            Ok(lattice) => LatticeRef(lattice),
            Err(error) => return Err(self.report(Diagnostic::error("lattice", span, error.to_string()))),
        };
        let width = u32::try_from(lattice.0.width()).unwrap_or(u32::MAX);
        if width > MAX_CONSTANTS {
            return Err(self.too_large(span, "this element", MAX_CONSTANTS));
        }
        Ok(Shape::Lattice { lattice, width, low })
    }

    fn lattice_number(&mut self, lattice: &LatticeRef) -> u32 {
        let known = &mut self.system.library;
        known.iter().position(|l| l == lattice).unwrap_or_else(|| {
            known.push(lattice.clone());
            known.len() - 1
        }) as u32
    }

    /// Registers the elements in a variable whose first slot is `first`, counted from the first
    /// variable.
    pub(super) fn note_lattices(&mut self, shape: &Arc<Shape>, ty: Ty, name: &str, first: u32) {
        syntax::grow(|| {
            let order = self.checked.types.order(ty).and_then(|number| self.model_order(number));
            let order = match &**shape {
                Shape::Lattice { lattice, .. } => Some(LatticeOrder::Library(self.lattice_number(lattice))),
                _ => order.map(LatticeOrder::Model),
            };
            if let Some(order) = order {
                let (name, width) = (name.to_owned(), shape.size().ints);
                let members = std::mem::take(&mut self.member_names);
                self.s.lattices.push(LatticeVariable { name, first, width, order, members, varies: false });
                return;
            }
            match (&**shape, self.checked.types.kind(ty).clone()) {
                (Shape::Array { low, length, element, .. }, TyKind::Array(_, inner)) if self.has_elements(inner) => {
                    let each = element.size().ints;
                    for i in 0..*length {
                        let name = format!("{name}[{}]", low + i as i32);
                        self.note_lattices(element, inner, &name, first + i * each);
                    }
                }
                (Shape::Struct { fields, .. }, TyKind::Struct(tys)) => {
                    let mut at = first;
                    for ((field, shape), (_, ty)) in fields.iter().zip(tys) {
                        self.note_lattices(shape, ty, &format!("{name}.{field}"), at);
                        at += shape.size().ints;
                    }
                }
                _ => {}
            }
        });
    }

    /// Returns whether values of a type contain elements of lattices.
    pub(super) fn has_elements(&self, ty: Ty) -> bool {
        self.checked.types.order(ty).is_some()
            || syntax::grow(|| match self.checked.types.kind(ty) {
                TyKind::Lattice(..) => true,
                TyKind::Array(_, element) => self.has_elements(*element),
                TyKind::Struct(fields) => fields.iter().any(|(_, field)| self.has_elements(*field)),
                _ => false,
            })
    }

    /// Compiles the access to a bit of an element, or to an array of bits.
    pub(super) fn bit(&mut self, mut place: MemoryPlace, index: ExprValue, span: Span) -> Result<MemoryPlace> {
        let shape = place.shape.clone();
        let Shape::Lattice { lattice, low, .. } = &*shape else { return Err(NotLowered) };
        if let Some(indexing) = lattice.0.indexing() {
            let at = self.entry_index(&indexing.dimensions, low, place.entry.as_ref(), index, span);
            let entry =
                place.entry.get_or_insert_with(|| Entry { lattice: lattice.clone(), indices: Vec::new(), span });
            entry.indices.push(at);
            if entry.indices.len() == indexing.dimensions.len().max(1) {
                place.shape = Arc::new(Shape::Int(i32::MIN, i32::MAX));
            }
            return Ok(place);
        }
        let dims = lattice.0.bits();
        let mut bit = place.bit.unwrap_or_default();
        let (Some(&length), Some(&low)) = (dims.get(bit.indices), low.get(bit.indices)) else { return Err(NotLowered) };
        let stride: u32 = dims[bit.indices + 1..].iter().product();
        bit.indices += 1;
        let at = index.known.map(|known| i64::from(known) - i64::from(low));
        match at.filter(|at| (0..i64::from(length)).contains(at)) {
            Some(at) => bit.number.fixed += at as u32 * stride,
            None => {
                let index = self.address(index);
                self.advance(&mut bit.number, index, [low, length as i32, stride as i32], span);
            }
        }
        if bit.indices == dims.len() {
            place.shape = Arc::new(Shape::Bool);
        }
        place.bit = Some(bit);
        Ok(place)
    }

    /// Compiles the next index of an entry. It is checked if its dimension has a size, and begins
    /// with 0.
    fn entry_index(
        &mut self,
        dimensions: &[u32],
        low: &[i32],
        entry: Option<&Entry>,
        index: ExprValue,
        span: Span,
    ) -> Addr {
        let at = entry.map_or(0, |entry| entry.indices.len());
        let index = self.address(index);
        let to = self.temp();
        match (dimensions.get(at), low.get(at)) {
            (Some(&length), Some(&low)) => {
                let shape = self.tuple(&[low, length as i32, 1]);
                self.emit_at(Op::Index { to, index, shape }, span);
            }
            _ => _ = self.emit(Op::Move { to, from: index }),
        }
        to
    }

    /// Calls the method behind an index, with the value that the entry is set to, if any.
    fn call_entry(&mut self, place: &MemoryPlace, entry: &Entry, value: Option<Addr>, span: Span) -> ExprValue {
        let indexing = entry.lattice.0.indexing();
        let method = indexing.and_then(|indexing| if value.is_some() { indexing.set } else { Some(indexing.get) });
        let mut operands = vec![self.pointer(place)];
        operands.extend(entry.indices.iter().copied().chain(value));
        let result = match method {
            Some(method) => self.call_method(&entry.lattice, method as u32, &operands, span),
            None => Err(self.report(
                Diagnostic::error("assignment", span, "the entries of this element can only be read")
                    .label(format!("`{}` has no method that sets one", entry.lattice.0.name())),
            )),
        };
        // Without a result, an error was reported.
        result.unwrap_or(ExprValue::known(0))
    }

    pub(super) fn load_entry(&mut self, place: &MemoryPlace, entry: &Entry) -> ExprValue {
        self.call_entry(place, entry, None, entry.span)
    }

    pub(super) fn store_entry(&mut self, place: &MemoryPlace, entry: &Entry, value: Addr, span: Span) {
        self.call_entry(place, entry, Some(value), span);
    }

    /// Returns the base address and the bit number for a bit of a fixed variable.
    fn bit_address(&mut self, ints: Addr, offset: Offset, bit: Bit) -> (Addr, Addr) {
        let mut number = bit.number;
        if let Some(words) = offset.dynamic {
            let (b, to) = (self.literal(32), self.temp());
            self.emit(Op::Arith { op: Arith::Mul, to, a: words, b });
            number.dynamic = Some(match number.dynamic {
                None => to,
                Some(a) => {
                    let sum = self.temp();
                    self.emit(Op::Arith { op: Arith::Add, to: sum, a, b: to });
                    sum
                }
            });
        }
        (ints + offset.fixed, self.offset(number))
    }

    /// Returns the offset of the word of a bit that is accessed through a reference, and the bit's
    /// number in it.
    fn bit_through_reference(&mut self, offset: Offset, bit: Bit) -> (Addr, Addr) {
        let (before, number) = (self.offset(offset), self.offset(bit.number));
        let (five, mask) = (self.literal(5), self.literal(31));
        let (word, at, sum) = (self.temp(), self.temp(), self.temp());
        self.emit(Op::Arith { op: Arith::Shr, to: word, a: number, b: five });
        self.emit(Op::Arith { op: Arith::And, to: at, a: number, b: mask });
        self.emit(Op::Arith { op: Arith::Add, to: sum, a: before, b: word });
        (sum, at)
    }

    pub(super) fn load_bit(&mut self, place: &MemoryPlace, bit: Bit) -> ExprValue {
        let to = match place.root {
            Root::Fixed { ints, .. } => {
                let (base, bit) = self.bit_address(ints, place.ints, bit);
                let to = self.temp();
                self.emit(Op::Bit { to, base, bit });
                to
            }
            Root::Reference { ints: pointer, .. } => {
                let (offset, at) = self.bit_through_reference(place.ints, bit);
                let (to, one) = (self.temp(), self.literal(1));
                self.emit(Op::LoadRef { to, pointer, offset });
                self.emit(Op::Arith { op: Arith::Shr, to, a: to, b: at });
                self.emit(Op::Arith { op: Arith::And, to, a: to, b: one });
                to
            }
        };
        ExprValue::at(to, 0, 1)
    }

    /// Sets a bit to the value at `from`, which is 0 or 1.
    pub(super) fn store_bit(&mut self, place: &MemoryPlace, bit: Bit, from: Addr) {
        match place.root {
            Root::Fixed { ints, .. } => {
                let (base, bit) = self.bit_address(ints, place.ints, bit);
                self.emit(Op::SetBit { base, bit, from });
            }
            Root::Reference { ints: pointer, .. } => {
                let (offset, at) = self.bit_through_reference(place.ints, bit);
                let (word, set, one) = (self.temp(), self.temp(), self.literal(1));
                self.emit(Op::LoadRef { to: word, pointer, offset });
                // The bit is set, and cleared again if the value is 0.
                self.emit(Op::Arith { op: Arith::Shl, to: set, a: one, b: at });
                self.emit(Op::Arith { op: Arith::Or, to: word, a: word, b: set });
                let kept = self.temp();
                self.emit(Op::Arith { op: Arith::Xor, to: kept, a: from, b: one });
                self.emit(Op::Arith { op: Arith::Shl, to: kept, a: kept, b: at });
                self.emit(Op::Arith { op: Arith::Xor, to: word, a: word, b: kept });
                self.emit(Op::StoreRef { pointer, offset, from: word });
            }
        }
    }

    /// Reports an error if a place is a bit, since there are no pointers to bits.
    pub(super) fn refuse_bit(&mut self, place: &MemoryPlace, span: Span) -> Result<()> {
        if place.bit.is_none() && place.entry.is_none() {
            return Ok(());
        }
        let d = Diagnostic::error("arguments", span, "a bit of an element can't be referred to");
        Err(self.report(d.help("copy it into a variable first, or pass the whole element")))
    }

    /// Compiles a call of a method.
    pub(super) fn method_call(&mut self, e: ExprId) -> Result<ExprValue> {
        let span = self.tree.span(e);
        let method = self.checked.method(e).ok_or(NotLowered)?;
        let ExprKind::Call(callee, args) = self.tree.kind(e) else { return Err(NotLowered) };
        let ExprKind::Member(of, _) = self.tree.kind(callee) else { return Err(NotLowered) };
        let place = self.place_of(of)?;
        let shape = place.shape.clone();
        let Shape::Lattice { lattice, .. } = &*shape else { return Err(NotLowered) };
        let changing = self.checked.changing.contains(&e).then(|| lattice.0.changing(method as usize)).flatten();
        let method = changing.map_or(method, |changing| changing as u32);
        let pointer = self.pointer(&place);
        let mut operands = vec![pointer];
        for &arg in self.tree.list(args) {
            let value = match self.member_argument(arg) {
                Some(number) => ExprValue::known(number),
                None => self.value(arg)?,
            };
            let (from, to) = (self.address(value), self.temp());
            self.emit(Op::Move { to, from });
            operands.push(to);
        }
        self.call_method(lattice, method, &operands, span)
    }

    /// Compiles the call of a method with a pointer to the element and its arguments.
    pub(super) fn call_method(
        &mut self,
        lattice: &LatticeRef,
        method: u32,
        operands: &[Addr],
        span: Span,
    ) -> Result<ExprValue> {
        let arguments = operands.len() as u32 - 1;
        let call = LatticeCall { lattice: lattice.clone(), elements: 1, arguments, kind: CallKind::Method(method) };
        let to = self.lattice_call(call, operands, span)?;
        let (low, high) = match lattice.0.methods().get(method as usize).map(|m| m.result) {
            Some(ReturnType::Bool) => (0, 1),
            _ => lattice.0.bounds(method as usize),
        };
        Ok(ExprValue::at(to, low, high))
    }

    /// Compiles an operation on elements, whose pointers and arguments are at these addresses.
    /// Returns the address of the result.
    pub(super) fn lattice_call(&mut self, call: LatticeCall, operands: &[Addr], span: Span) -> Result<Addr> {
        let known = &mut self.s.code.calls;
        let call = known.iter().position(|c| *c == call).unwrap_or_else(|| {
            known.push(call);
            known.len() - 1
        }) as u32;
        let at = self.scratch(operands.len() as u32, span)?;
        for (&from, i) in operands.iter().zip(0..) {
            self.emit(Op::Move { to: at + i, from });
        }
        let to = self.temp();
        self.emit_at(Op::Lattice { call, at, to }, span);
        Ok(to)
    }
}
