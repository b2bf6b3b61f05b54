//! UPPAAL's XML files, `flat-1_0` to `flat-1_6`.

pub mod dom;
mod read;

pub(crate) use read::read;
