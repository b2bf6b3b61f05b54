//! Pattern databases: the distance to the goal in a part of the network, looked up.
//!
//! A *pattern* is what is kept: some numbers of the row and some clocks. Whatever the network does,
//! what is kept of it can do as well, in as many steps or fewer. So the distances there are
//! admissible, and where no step leads to the goal, none does in the network.
//!
//! A state of a pattern stands for all that it simulates: Z ⊆ aLU(Z'). The distance of any state
//! that stands for what a search looks at is a lower bound, so the greatest counts.
//!
//! Kupferschmid, Hoffmann and Larsen, "Fast directed model checking via Russian doll abstraction",
//! TACAS 2008; without clocks Qian and Nymeyer, "Guided invariant model checking based on
//! abstraction and symbolic pattern databases", TACAS 2004.
//!
//! Nobody there says which clocks to keep. Here, they are chosen by what is wrong with abstract
//! ways: see `choice`. And a pattern is explored by A*, led by what coarser patterns say, so that
//! one that keeps more need not be explored as a whole.

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

pub use keep::Pattern;
pub use pdb::Pdb;
