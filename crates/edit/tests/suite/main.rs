//! Tests of edits on real and on hostile models.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod buffer;
mod corpus;
mod hostile;
mod names;
mod net_limits;
mod nets;
mod sequences;
mod shape;
mod steps;
mod tck;
mod xta;
