//! Orders that functions of the model define.
//!
//! Each order has pieces of code that call its functions with two elements, which the caller writes
//! into the scratch space before.

use syntax::Span;

use super::{Lowerer, NotLowered, Object, Result, place::MemoryPlace};
use crate::{
    check::{ExternInfo, ModelLattice},
    code::{Code, Op, Pc},
    system::{LatticeOrder, ModelOrder},
};

impl Lowerer<'_> {
    /// Returns the order of a lattice that the model defines; `None` if its functions can't be
    /// compiled, which was reported.
    pub(super) fn model_order(&mut self, number: u32) -> Option<ModelOrder> {
        if let Some(order) = self.s.orders.get(&number) {
            return Some(*order);
        }
        let ExternInfo::Model(lattice) = self.checked.externs.get(number as usize)? else { return None };
        let order = self.aside(|l| l.make_order(*lattice)).ok()?;
        self.s.orders.insert(number, order);
        Some(order)
    }

    fn make_order(&mut self, lattice: ModelLattice) -> Result<ModelOrder> {
        let shape = self.shape(lattice.ty, Span::NONE)?;
        let width = shape.size().ints;
        let mut end = 0;
        for f in [Some(lattice.leq), Some(lattice.join), lattice.widen].into_iter().flatten() {
            let symbol = self.checked.functions[f as usize].symbol;
            end = end.max(self.compile(f, self.checked.symbols.get(symbol).span)?);
        }
        self.chunk.frame = end;
        let element = |l: &mut Self| -> Result<Object> {
            Ok(Object { ints: l.scratch(width, Span::NONE)?, clocks: 0, channels: 0, shape: shape.clone() })
        };
        let elements = [element(self)?, element(self)?];
        let made = element(self)?;
        let leq = self.order_call(lattice.leq, &elements, None)?;
        let join = self.order_call(lattice.join, &elements, Some(&made))?;
        let widen = match lattice.widen {
            Some(widen) => Some(self.order_call(widen, &elements, Some(&made))?),
            None => None,
        };
        let [left, right] = elements;
        Ok(ModelOrder { left: left.ints, right: right.ints, result: made.ints, leq, join, widen })
    }

    /// Compiles a call of a function with two elements, which yields the result or writes it to
    /// `made`.
    fn order_call(&mut self, f: u32, elements: &[Object], made: Option<&Object>) -> Result<Pc> {
        let result = self.call_with(f, elements)?.ok_or(NotLowered)?;
        match made {
            None => {
                self.emit(Op::Yield { a: result.ints });
            }
            Some(made) => {
                let (to, from) = (self.pointer(&MemoryPlace::of(made)), self.pointer(&MemoryPlace::of(&result)));
                self.emit(Op::Copy { to, from, len: made.shape.size().ints });
                self.emit(Op::End);
            }
        }
        Ok(self.finish())
    }

    /// Links the orders of the system's variables.
    pub(super) fn link_orders(&mut self, code: &Code) {
        for (variable, unlinked) in self.system.lattices.iter_mut().zip(&self.s.lattices) {
            if let LatticeOrder::Model(order) = unlinked.order {
                variable.order = LatticeOrder::Model(ModelOrder {
                    left: code.plain(order.left),
                    right: code.plain(order.right),
                    result: code.plain(order.result),
                    ..order
                });
            }
        }
    }
}
