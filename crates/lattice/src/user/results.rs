//! Results that functions of the user have returned.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{PoisonError, RwLock},
};

use super::{FailureId, Failures};

/// The greatest number of results of a function that are kept.
const MAX_RESULTS: usize = 1 << 20;

/// The results of a function by what it was asked. It is asked again for what was forgotten, and
/// for what has failed in earlier work.
pub(super) struct Results<Q, A>(RwLock<HashMap<Q, Result<A, FailureId>>>);

impl<Q, A> Default for Results<Q, A> {
    fn default() -> Self {
        Results(RwLock::default())
    }
}

impl<Q: Hash + Eq, A: Copy> Results<Q, A> {
    /// Returns the result, which is computed if it is not known.
    pub(super) fn get(
        &self,
        question: Q,
        failures: &Failures,
        ask: impl FnOnce(&Q) -> Result<A, FailureId>,
    ) -> Result<A, FailureId> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&question).copied();
        match known {
            Some(Ok(result)) => return Ok(result),
            Some(Err(id)) if failures.is_of_now(id) => return Err(id),
            _ => {}
        }
        let result = ask(&question);
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_RESULTS {
            all.clear();
        }
        all.insert(question, result);
        result
    }

    /// Returns all questions that have a result, and the results.
    pub(super) fn all(&self) -> Vec<(Q, A)>
    where
        Q: Clone,
    {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(|(question, result)| Some((question.clone(), (*result).ok()?))).collect()
    }
}
