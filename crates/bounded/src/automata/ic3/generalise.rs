//! Larger cubes that are out of reach for the same reason.

use super::{
    Ic3Search, StateLiteral,
    queries::{Cube, QueryError},
};

/// So many literals in a row that can't be dropped, and the others stay too.
const MOST_FAILURES: usize = 12;

impl Ic3Search<'_, '_> {
    fn excludes_start(&self, cube: &[StateLiteral]) -> bool {
        cube.iter().any(|literal| !literal.holds_at_start(self.system))
    }

    /// What is left of `cube` for which `core` is the reason that it is out of reach, so that the
    /// initial state is not in it.
    fn with_start_out(&self, cube: &[StateLiteral], mut core: Cube) -> Cube {
        if !self.excludes_start(&core) {
            core.extend(cube.iter().find(|literal| !literal.holds_at_start(self.system)));
            core.sort_unstable();
        }
        core
    }

    /// A cube that is out of reach in a level and holds all of this one, for which `core` says why
    /// it is.
    pub(super) fn generalise(&mut self, cube: &[StateLiteral], core: Cube, level: usize) -> Result<Cube, QueryError> {
        let mut kept = self.with_start_out(cube, core);
        let (mut at, mut failures) = (0, 0);
        while at < kept.len() && failures < MOST_FAILURES {
            let mut fewer = kept.clone();
            fewer.remove(at);
            if !self.excludes_start(&fewer) {
                at += 1;
                continue;
            }
            match self.queries.out_of_reach(&fewer, level - 1)? {
                Some(core) => {
                    kept = self.with_start_out(&fewer, core);
                    // What came before was needed; the order of the rest is the same.
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
