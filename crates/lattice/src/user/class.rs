//! Classes of lattices, and what models can do with their elements.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Failures, Interned, UserError, UserLattice};
use crate::{ArgumentError, Arguments, Lattice, ReturnType, Trend};

/// A class of lattices, which models find by `extern Name;`.
pub trait UserClass: Send + Sync {
    /// Returns its name, as models write it.
    fn name(&self) -> &str;

    /// Returns what models can do with its elements.
    fn interface(&self) -> Interface;

    /// Returns where a method is defined, as a file and a line; `None`: that is not known.
    fn place(&self, method: &str) -> Option<String> {
        let _ = method;
        None
    }

    /// Makes a lattice.
    ///
    /// # Errors
    /// Something is wrong with the arguments.
    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError>;
}

/// The arguments of a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassArguments<'a> {
    /// The integers of `extern Alias = Name(1, 2);`.
    pub values: &'a [i32],
    /// The sizes of `Alias v[3][4];`, if [`Interface::has_dimensions`] is set.
    pub dimensions: &'a [u32],
    /// The names of the clocks of a variable, if [`Interface::has_clocks`] is set: `x`, `y[0]`.
    pub clocks: &'a [String],
    /// The largest number in the text of the model.
    pub largest: i32,
}

/// What models can do with elements of a class, besides covering and joining. Methods are given by
/// their indices.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The methods.
    pub methods: Vec<UserMethod>,
    /// Whether the dimensions after a variable's name belong to the lattice instead of making an
    /// array.
    pub has_dimensions: bool,
    /// The names that models read like fields: `r.low`. The methods have no parameters.
    pub fields: Vec<(String, usize)>,
    /// Returns the integer that an element stands for where one is expected.
    pub value: Option<usize>,
    /// Performs `e = 3`.
    pub set: Option<usize>,
    /// Performs `e += 3` and `e++`.
    pub add: Option<usize>,
    /// Performs `e -= 3` and `e--`.
    pub sub: Option<usize>,
    /// Performs `e += other` with another element of the same lattice: a method that takes one.
    pub add_element: Option<usize>,
    /// Performs `e -= other`.
    pub sub_element: Option<usize>,
    /// Returns `e[i][j]`: the parameters are the indices, which begin with 0.
    pub get_item: Option<usize>,
    /// Performs `e[i][j] = n`: the last parameter is the number.
    pub set_item: Option<usize>,
    /// Lets time pass: a method without parameters that a model which does not call it itself calls
    /// as time passes.
    pub delay: Option<usize>,
    /// Whether an element after `delay` stands for all delays, including none. Otherwise `delay`
    /// lets one unit of time pass.
    pub delay_is_inclusive: bool,
    /// Whether variables have clocks, which models declare as `DBMClock v.x;`. Then the lattice has
    /// [`UserLattice::constrain`], [`UserLattice::set_clock`] and [`UserLattice::is_empty`].
    pub has_clocks: bool,
}

/// A method of a class. It is called to read an element, or as a statement that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMethod {
    /// Its name in models.
    pub name: String,
    /// The number of its parameters, all of them integers.
    pub parameters: usize,
    /// How many of the last ones may be left out.
    pub optional: usize,
    /// The type of its result.
    pub result: ReturnType,
    /// How the result changes when the element grows.
    pub trend: Trend,
    /// Whether a greater element remains greater when the method changes both. If it is not known,
    /// states are distinguished by the elements that it changes.
    pub monotone: bool,
}

impl UserMethod {
    /// Creates a method that returns an integer, and of which nothing else is known.
    #[must_use]
    pub fn new(name: impl Into<String>, parameters: usize) -> UserMethod {
        UserMethod {
            name: name.into(),
            parameters,
            optional: 0,
            result: ReturnType::Int,
            trend: Trend::Varies,
            monotone: false,
        }
    }
}

/// The integers, the dimensions and the clocks that a lattice was made with.
pub(super) type Shape = (Vec<i32>, Vec<u32>, Vec<String>);

/// A class that was registered for a model.
pub(crate) struct UserEntry {
    pub class: Arc<dyn UserClass>,
    pub interface: Interface,
    failures: Failures,
    /// The lattices made so far. Variables with the same arguments share the numbers of elements.
    made: Mutex<HashMap<Shape, Arc<Interned>>>,
}

impl UserEntry {
    pub(crate) fn new(class: Arc<dyn UserClass>, failures: Failures) -> UserEntry {
        let interface = class.interface();
        UserEntry { class, interface, failures, made: Mutex::default() }
    }

    /// Returns the lattice for some arguments. `is_prototype`: only its methods matter, and the
    /// class is not asked yet.
    pub(crate) fn make(
        &self,
        arguments: &Arguments<'_>,
        is_prototype: bool,
    ) -> Result<Arc<dyn Lattice>, ArgumentError> {
        if !arguments.lattices.is_empty() {
            return Err(ArgumentError::UnexpectedLattices);
        }
        let shape = (arguments.values.to_vec(), arguments.dimensions.to_vec(), arguments.clocks.to_vec());
        let lattice = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || {
                let (class, largest) = (self.class.clone(), arguments.largest);
                Arc::new(Interned::new(class, &self.interface, shape.clone(), largest, &self.failures))
            };
            made.entry(shape.clone()).or_insert_with(new).clone()
        };
        if !is_prototype {
            lattice.begin().map_err(|failure| ArgumentError::Failed(failure.to_string()))?;
        }
        Ok(lattice)
    }
}
