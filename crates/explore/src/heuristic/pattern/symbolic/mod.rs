//! Symbolic pattern databases: distances to the goal in a pattern without clocks, as a decision
//! diagram.
//!
//! The rows of the pattern are encoded in bits, and its steps as guards and assignments of bits.
//! Breadth-first regression from the goal computes all rows at distance 0, 1, 2 and so on, whether
//! they can be reached from the initial state or not. Sets of rows are diagrams, whose size does
//! not depend on the number of rows. So patterns can be much larger than those that are explored
//! state by state.
//!
//! Qian and Nymeyer, "Guided invariant model checking based on abstraction and symbolic pattern
//! databases", TACAS 2004. There, each layer is a diagram; here, one diagram with numbers has all
//! of them, in which a state is looked up once.

mod encoding;
mod expressions;
mod order;
mod pdb;
mod regression;
mod rules;

pub use pdb::SymbolicPdb;
