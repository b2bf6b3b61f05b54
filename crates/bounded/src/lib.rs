//! Nets and networks of automata as formulas, for bounded and unbounded checking.

pub mod net;
