//! Tests of edits on real and on hostile models.

mod corpus;
mod hostile;
mod sequences;
mod shape;
mod steps;
