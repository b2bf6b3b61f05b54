//! Constants, texts and functions that were compiled once and are used again.
//!
//! Each query has a cache of its own, so that no query depends on those before it.

use rustc_hash::FxHashMap;
use syntax::Sym;

use super::{Lowerer, function::Compiled, monotonicity::Monotonicity};
use crate::code::Addr;

/// Compiled parts that code shares.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeCache {
    /// The addresses of constants.
    pub literals: FxHashMap<i32, Addr>,
    /// The addresses of tuples of constants.
    pub tuples: FxHashMap<Vec<i32>, Addr>,
    /// The numbers of texts.
    pub texts: FxHashMap<Sym, i32>,
    /// Functions by their number and process.
    pub compiled: FxHashMap<(u32, Option<u32>), Compiled>,
    /// The monotonicity of the results of functions.
    pub monotonicities: FxHashMap<(u32, Option<u32>), Monotonicity>,
}

impl Lowerer<'_> {
    /// Finds something in the cache of the code being made, or else in that of the model.
    pub(super) fn cached<'s, T>(&'s self, find: impl Fn(&'s CodeCache) -> Option<&'s T>) -> Option<&'s T> {
        find(&self.own).or_else(|| find(&self.s.cache))
    }
}
