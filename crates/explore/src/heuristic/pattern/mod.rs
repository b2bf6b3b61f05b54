//! Pattern databases: precomputed distances to the goal in a subnetwork.
//!
//! A *pattern* is the kept part of the network: some slots of the row and some clocks. It simulates
//! the network in at most as many steps. So the distances are admissible, and dead ends of the
//! pattern are dead ends of the network.
//!
//! A state of a pattern covers all states that it simulates: Z ⊆ aLU(Z'). The distance of every
//! covering state is a lower bound, so the greatest one is used.
//!
//! Kupferschmid, Hoffmann and Larsen, "Fast directed model checking via Russian doll abstraction",
//! TACAS 2008; without clocks Qian and Nymeyer, "Guided invariant model checking based on
//! abstraction and symbolic pattern databases", TACAS 2004, whose decision diagrams are in
//! `symbolic`.
//!
//! These papers do not choose the clocks automatically. Here, they are chosen by spurious abstract
//! paths: see `choice`. A pattern is explored by A*, guided by coarser patterns, so that a fine
//! pattern need not be explored completely.

mod backward;
mod choice;
mod keep;
mod ladder;
mod layer;
mod layer_search;
mod neighbours;
mod network;
mod pdb;
mod refute;
mod rows;
mod rules;
mod successors;
mod symbolic;

pub use keep::Pattern;
pub use pdb::Pdb;
pub use symbolic::SymbolicPdb;
