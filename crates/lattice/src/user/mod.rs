//! Lattices of the user, given as trait objects when a model is opened.
//!
//! A [`UserClass`] is what `extern Name;` finds. It makes a [`UserLattice`] for each combination of
//! arguments, and that has the operations. Elements are opaque. The engines work with integers, so
//! each element that occurs gets a number: equal elements have equal numbers. All results are kept,
//! so that each question is asked once, and the functions of the user need not be fast.
//!
//! Functions of the user may fail, change what they must not, or return nonsense. The first failure
//! ends the work, and no verdict is drawn; see [`Failures`].

mod class;
mod clocks;
mod elements;
mod failure;
mod interned;
mod results;

use std::{any::Any, sync::Arc};

pub(crate) use class::UserEntry;
pub use class::{ClassArguments, Interface, UserClass, UserMethod};
pub use clocks::{ElementConstraint, may_compare, may_set};
pub use failure::{FailureId, Failures, UserError, UserFailure, guarded};
pub use interned::Interned;

/// An element of a lattice of the user.
pub type Element = Arc<dyn Any + Send + Sync>;

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// In a guard or another expression: it must not change the element.
    Read,
    /// In an update: it may change the element, which is a copy.
    Change,
}

/// How it is made sure that functions do not change elements that they must not change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protection {
    /// They get copies, which are compared with the elements afterwards.
    #[default]
    Copies,
    /// They get the elements. The lattice itself returns an error if one was changed.
    Reports,
    /// They get the elements, which nothing can change.
    Immutable,
}

/// A lattice of the user. All functions may be called by several threads at once, and none is
/// called while a lock is held. All may fail.
#[allow(clippy::missing_errors_doc, reason = "which errors there are, only the user knows")]
pub trait UserLattice: Send + Sync {
    /// Returns the initial element of a variable.
    fn initial(&self) -> Result<Element, UserError>;

    /// Returns a copy that shares nothing with the element that could change.
    fn copy(&self, element: &Element) -> Result<Element, UserError>;

    /// Returns the least upper bound of two elements.
    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError>;

    /// Returns whether the first element is greater than the second, or equal to it. By default
    /// that is so if their join is equal to the first.
    fn covers(&self, large: &Element, small: &Element) -> Result<bool, UserError> {
        let join = self.join(large, small)?;
        self.equals(&join, large)
    }

    /// Returns whether two elements are equal.
    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError>;

    /// Returns a hash; `None`: there is none. Then each new element is compared with all others.
    fn hash(&self, element: &Element) -> Result<Option<u64>, UserError> {
        let _ = element;
        Ok(None)
    }

    /// Returns a key: elements with equal keys are equal. Elements with different keys may be equal
    /// as well. Elements that are known by their key are not compared.
    fn key(&self, element: &Element) -> Option<Vec<u8>> {
        let _ = element;
        None
    }

    /// Returns an upper bound of two elements such that every sequence of widenings is finite;
    /// `None`: the join is one.
    fn widen(&self, old: &Element, new: &Element, thresholds: &[i32]) -> Result<Option<Element>, UserError> {
        let _ = (old, new, thresholds);
        Ok(None)
    }

    /// Returns the greatest lower bound of two elements; `None`: it is not known. Only checks of
    /// laws ask for it.
    fn meet(&self, a: &Element, b: &Element) -> Result<Option<Element>, UserError> {
        let _ = (a, b);
        Ok(None)
    }

    /// Returns the element that allows no behaviour; `None`: there is none.
    fn bottom(&self) -> Result<Option<Element>, UserError> {
        Ok(None)
    }

    /// Calls a method by its index in [`Interface::methods`]. `None`: it returns nothing.
    fn call(
        &self,
        method: usize,
        this: &mut Element,
        arguments: &[i32],
        access: Access,
    ) -> Result<Option<i64>, UserError>;

    /// Calls a method that changes an element by another one, [`Interface::add_element`] for
    /// example.
    fn combine(&self, method: usize, this: &mut Element, other: &Element) -> Result<(), UserError> {
        let _ = (method, this, other);
        Err(UserError::new("it takes no element"))
    }

    /// Restricts an element to the values of its clocks that satisfy a constraint, if
    /// [`Interface::has_clocks`] is set.
    fn constrain(&self, this: &mut Element, constraint: &ElementConstraint) -> Result<(), UserError> {
        let _ = (this, constraint);
        Err(UserError::new("it has no clocks"))
    }

    /// Sets a clock, given by its place in [`ClassArguments::clocks`].
    fn set_clock(&self, this: &mut Element, clock: usize, value: i32) -> Result<(), UserError> {
        let _ = (this, clock, value);
        Err(UserError::new("it has no clocks"))
    }

    /// Returns whether the clocks of an element have no values.
    fn is_empty(&self, element: &Element) -> Result<bool, UserError> {
        let _ = element;
        Ok(false)
    }

    /// Renders an element.
    fn show(&self, element: &Element) -> Result<String, UserError>;

    /// Returns how elements are protected from changes.
    fn protection(&self) -> Protection {
        Protection::Copies
    }
}
