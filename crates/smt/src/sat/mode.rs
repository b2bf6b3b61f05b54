//! Restarts and search modes.
//!
//! Two modes alternate, as in CaDiCaL. The focused mode restarts as soon as learnt clauses get
//! worse, which suits unsatisfiable formulas. The stable mode restarts rarely and returns to the
//! longest assignment without conflict, which suits satisfiable ones.

use super::average::Average;

/// The number of conflicts of the first phase. Later phases take as much work as the first, with
/// growing multiples.
const FIRST_PHASE_CONFLICTS: u64 = 1000;
/// The least number of conflicts between restarts in focused mode.
const FOCUSED_INTERVAL: u64 = 2;
/// The factor of Luby's sequence between restarts in stable mode.
const STABLE_INTERVAL: u64 = 1024;
/// The ratio of recent to average levels at which focused mode restarts.
const MARGIN: f64 = 1.1;

/// The current mode with its averages.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    is_stable: bool,
    turns: u64,
    /// The work of the first phase.
    length: u64,
    /// The work, or in the first phase the number of conflicts, at which the phase ends.
    end: u64,
    /// The state of Luby's sequence, after Knuth.
    luby: (u64, u64),
    next: u64,
    fast: Average,
    slow: Average,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode {
            is_stable: false,
            turns: 0,
            length: 0,
            end: FIRST_PHASE_CONFLICTS,
            luby: (1, 1),
            next: 0,
            fast: Average::new(1.0 / 33.0),
            slow: Average::new(1e-5),
        }
    }
}

impl Mode {
    /// Returns whether stable mode is on.
    pub(super) fn is_stable(&self) -> bool {
        self.is_stable
    }

    /// Records a learnt clause.
    pub(super) fn learnt(&mut self, levels: u32) {
        self.fast.add(f64::from(levels));
        self.slow.add(f64::from(levels));
    }

    /// Returns whether a restart is due.
    pub(super) fn is_restart_due(&self, conflicts: u64) -> bool {
        conflicts >= self.next && (self.is_stable || self.fast.get() > MARGIN * self.slow.get())
    }

    /// Records a restart. Returns whether the mode is switched.
    pub(super) fn restart(&mut self, conflicts: u64, work: u64) -> bool {
        let turn = work.max(1);
        let ends = if self.turns == 0 { conflicts >= self.end } else { turn >= self.end };
        if ends {
            if self.turns == 0 {
                self.length = turn;
            }
            self.turns += 1;
            let round = self.turns.div_ceil(2);
            self.end = turn.saturating_add(self.length.saturating_mul(round * round));
            self.is_stable = !self.is_stable;
            self.luby = (1, 1);
        } else if self.is_stable {
            let (u, v) = self.luby;
            self.luby = if u & u.wrapping_neg() == v { (u + 1, 1) } else { (u, 2 * v) };
        }
        self.next = conflicts + if self.is_stable { STABLE_INTERVAL * self.luby.1 } else { FOCUSED_INTERVAL };
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_grow_and_stable_restarts_follow_luby() {
        let mut mode = Mode::default();
        assert!(!mode.restart(999, 5000) && !mode.is_stable());
        assert!(mode.restart(1000, 6000) && mode.is_stable());
        let mut intervals = vec![mode.next - 1000];
        for _ in 0..7 {
            assert!(!mode.restart(2000, 6001) && !mode.is_restart_due(mode.next - 1) && mode.is_restart_due(mode.next));
            intervals.push(mode.next - 2000);
        }
        assert_eq!(intervals, [1, 1, 2, 1, 1, 2, 4, 1].map(|n| n * STABLE_INTERVAL));
        assert!(mode.restart(3000, 12_000) && !mode.is_stable());
        assert!(!mode.restart(3000, 17_999) && mode.restart(3000, 18_000));
        assert!(!mode.restart(4000, 41_999) && mode.restart(4000, 42_000));
    }
}
