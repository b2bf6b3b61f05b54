//! Tests of reports as whole documents.

#![allow(clippy::unwrap_used)]

mod hostile;
mod pages;
