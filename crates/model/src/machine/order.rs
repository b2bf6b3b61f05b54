//! The order and join of elements by functions of the model.

use super::{Fault, Machine};
use crate::{code::Pc, system::ModelOrder};

impl Machine<'_> {
    /// Returns whether an element is less than or equal to another.
    ///
    /// # Errors
    /// A run-time error of the function.
    pub fn is_leq(&mut self, order: &ModelOrder, left: &[i32], right: &[i32]) -> Result<bool, Fault> {
        self.put(order, left, right);
        Ok(self.value(order.leq)? != 0)
    }

    /// Returns the least upper bound of two elements.
    ///
    /// # Errors
    /// A run-time error of the function.
    pub fn join(&mut self, order: &ModelOrder, left: &[i32], right: &[i32]) -> Result<&[i32], Fault> {
        self.make(order, order.join, left, right)
    }

    /// Returns an upper bound of two elements such that every ascending sequence becomes stable;
    /// their join if the model has no such function.
    ///
    /// # Errors
    /// A run-time error of the function.
    pub fn widen(&mut self, order: &ModelOrder, left: &[i32], right: &[i32]) -> Result<&[i32], Fault> {
        self.make(order, order.widen.unwrap_or(order.join), left, right)
    }

    fn make(&mut self, order: &ModelOrder, pc: Pc, left: &[i32], right: &[i32]) -> Result<&[i32], Fault> {
        self.put(order, left, right);
        self.execute(pc)?;
        Ok(&self.memory[order.result as usize..][..left.len()])
    }

    fn put(&mut self, order: &ModelOrder, left: &[i32], right: &[i32]) {
        self.memory[order.left as usize..][..left.len()].copy_from_slice(left);
        self.memory[order.right as usize..][..right.len()].copy_from_slice(right);
    }
}
