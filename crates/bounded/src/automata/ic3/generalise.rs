//! Generalisation of blocked cubes.

use super::{
    Ic3Search, StateLiteral,
    queries::{Cube, QueryError},
};

/// After this many literals in a row that can't be dropped, the others are kept.
const MAX_FAILURES: usize = 12;

impl Ic3Search<'_> {
    fn excludes_start(&self, cube: &[StateLiteral]) -> bool {
        cube.iter().any(|literal| !literal.holds_at_start(self.system))
    }

    /// Adds a literal of `cube` to `core`, if necessary, so that the initial state is not in it.
    fn excluding_start(&self, cube: &[StateLiteral], mut core: Cube) -> Cube {
        if !self.excludes_start(&core) {
            core.extend(cube.iter().find(|literal| !literal.holds_at_start(self.system)));
            core.sort_unstable();
        }
        core
    }

    /// Returns a cube that contains this one and can be blocked in a level. `core` has the literals
    /// by which this one can be blocked.
    pub(super) fn generalise(&mut self, cube: &[StateLiteral], core: Cube, level: usize) -> Result<Cube, QueryError> {
        let mut kept = self.excluding_start(cube, core);
        let (mut at, mut failures) = (0, 0);
        while at < kept.len() && failures < MAX_FAILURES {
            let mut fewer = kept.clone();
            fewer.remove(at);
            if !self.excludes_start(&fewer) {
                at += 1;
                continue;
            }
            match self.queries.unreachable(&fewer, level - 1)? {
                Some(core) => {
                    kept = self.excluding_start(&fewer, core);
                    // The literals before were needed; the order of the rest is the same.
                    at = at.min(kept.len());
                    failures = 0;
                }
                None => {
                    at += 1;
                    failures += 1;
                }
            }
        }
        Ok(kept)
    }
}
