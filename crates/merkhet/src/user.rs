//! Lattices and functions of the user.

pub use lattice::{
    Resolver, ReturnType, Trend,
    user::{
        Access, ClassArguments, Element, Interface, Protection, UserClass, UserError, UserFailure, UserLattice,
        UserMethod,
    },
};
