//! Variables: their shapes, their positions in the row, and the order of lattice elements.

use std::sync::Arc;

use crate::code::{Addr, LatticeRef, Pc};

/// The layout of a value, with all sizes known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An integer in a range.
    Int(i32, i32),
    /// A boolean.
    Bool,
    /// A member of a scalar set.
    Scalar {
        /// The number of the set, which distinguishes sets of the same size.
        set: u32,
        /// The number of its members.
        size: i32,
    },
    /// A clock.
    Clock,
    /// A channel.
    Channel,
    /// An element of a lattice.
    Lattice {
        /// The lattice.
        lattice: LatticeRef,
        /// The number of integers of an element.
        width: u32,
        /// The first index in each dimension of its bits.
        low: Vec<i32>,
    },
    /// A floating-point number of two words, in systems for random runs.
    Double,
    /// A value without a meaning in symbolic analysis: a double or a hybrid clock.
    Opaque,
    /// An array of `length` elements, the first of which has index `low`.
    Array {
        /// The index of the first element.
        low: i32,
        /// The number of elements.
        length: u32,
        /// The scalar set whose members are the indices.
        by: Option<u32>,
        /// The shape of an element.
        element: Arc<Shape>,
        /// The size of all elements together.
        size: ShapeSize,
    },
    /// Named fields.
    Struct {
        /// The fields.
        fields: Vec<(Arc<str>, Arc<Shape>)>,
        /// The size of all fields together.
        size: ShapeSize,
    },
}

/// The numbers of integers, clocks and channels of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ShapeSize {
    pub ints: u32,
    pub clocks: u32,
    pub channels: u32,
}

impl Shape {
    /// Returns the size of a value.
    #[must_use]
    pub fn size(&self) -> ShapeSize {
        match self {
            Shape::Int(..) | Shape::Bool | Shape::Scalar { .. } => ShapeSize { ints: 1, ..ShapeSize::default() },
            Shape::Double => ShapeSize { ints: 2, ..ShapeSize::default() },
            Shape::Clock => ShapeSize { clocks: 1, ..ShapeSize::default() },
            Shape::Channel => ShapeSize { channels: 1, ..ShapeSize::default() },
            Shape::Lattice { width, .. } => ShapeSize { ints: *width, ..ShapeSize::default() },
            Shape::Opaque => ShapeSize::default(),
            Shape::Array { size, .. } | Shape::Struct { size, .. } => *size,
        }
    }

    /// Returns the least and the greatest legal value of a single integer.
    #[must_use]
    pub fn range(&self) -> (i32, i32) {
        match self {
            Shape::Int(low, high) => (*low, *high),
            Shape::Scalar { size, .. } => (0, size - 1),
            _ => (0, 1),
        }
    }
}

/// An integer variable of any shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, prefixed by its process: `P(1).count`.
    pub name: String,
    /// Its first slot of the row.
    pub first: u32,
    /// Its layout.
    pub shape: Arc<Shape>,
    /// Whether it is not part of a state's identity.
    pub meta: bool,
}

/// A variable, or an element of an array, whose values are ordered: greater ones allow more
/// behaviour. It is stored in the row like any other variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeVariable {
    /// Its name with process and indices.
    pub name: String,
    /// Its first slot of the row.
    pub first: u32,
    /// The number of its slots.
    pub width: u32,
    /// The order of its values.
    pub order: LatticeOrder,
    /// The names of its members, if it has any.
    pub members: Vec<String>,
    /// Whether the model may allow less with a greater value than with a smaller one: something
    /// other than a guard depends on the value and is not known to be monotone. States are
    /// distinguished by the value of such a variable.
    pub varies: bool,
}

/// The order and join of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatticeOrder {
    /// Those of a lattice of the library, by its index in [`Network::library`].
    ///
    /// [`Network::library`]: super::Network::library
    Library(u32),
    /// Those of functions of the model.
    Model(ModelOrder),
}

/// The order of a lattice that the model defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelOrder {
    /// The address of the first operand, which must be in memory before the code runs.
    pub left: Addr,
    /// The address of the second operand.
    pub right: Addr,
    /// The address of the result of `join` and `widen`.
    pub result: Addr,
    /// Tests whether the first operand is less than or equal to the second.
    pub leq: Pc,
    /// Computes the least upper bound of the operands.
    pub join: Pc,
    /// Computes an upper bound of the operands such that every ascending sequence becomes stable.
    pub widen: Option<Pc>,
}
