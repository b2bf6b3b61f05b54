//! What was made once and is used again: constants, texts, functions.
//!
//! What a query adds is its own, so that no query depends on those before it.

use rustc_hash::FxHashMap;
use syntax::Sym;

use super::{Lowerer, function::Compiled, sway::Sway};
use crate::code::Addr;

/// What code has.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeCache {
    /// The addresses of constants.
    pub literals: FxHashMap<i32, Addr>,
    /// The addresses of constants that stand side by side.
    pub tuples: FxHashMap<Vec<i32>, Addr>,
    /// The numbers of texts.
    pub texts: FxHashMap<Sym, i32>,
    /// Functions by their number and the process that they belong to.
    pub compiled: FxHashMap<(u32, Option<u32>), Compiled>,
    /// What the results of functions do when elements grow.
    pub sways: FxHashMap<(u32, Option<u32>), Sway>,
}

impl Lowerer<'_> {
    /// Finds something among what the model has, and among what was made after it.
    pub(super) fn cached<'s, T>(&'s self, find: impl Fn(&'s CodeCache) -> Option<&'s T>) -> Option<&'s T> {
        find(&self.own).or_else(|| find(&self.s.cache))
    }
}
