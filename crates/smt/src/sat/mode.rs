//! When to start anew.
//!
//! Two ways of searching take turns, as in CaDiCaL: one that starts anew as soon as clauses get worse, which is good at
//! showing that there is no solution, and one that stays where it is for long and goes back to the largest part of a
//! solution that it has seen, which is good at finding one.

use super::average::Average;

/// The first turn ends after this many conflicts. Others take as much work as this one did, and more and more.
const FIRST: u64 = 1000;
/// So many conflicts lie between two starts at least.
const HASTE: u64 = 2;
/// So many, times Luby's sequence, while the search is to stay.
const REST: u64 = 1024;
/// How much worse clauses must have become.
const MARGIN: f64 = 1.1;

/// Which way of searching is on, and how well it goes.
#[derive(Clone, Debug)]
pub struct Mode {
    stays: bool,
    turns: u64,
    /// How much work the first turn was.
    length: u64,
    /// After how much work the turn is over; with the first: after how many conflicts.
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
            stays: false,
            turns: 0,
            length: 0,
            end: FIRST,
            luby: (1, 1),
            next: 0,
            fast: Average::new(1.0 / 33.0),
            slow: Average::new(1e-5),
        }
    }
}

impl Mode {
    /// Whether the search is to stay where it is for long.
    pub fn stays(&self) -> bool {
        self.stays
    }

    /// A clause was learnt.
    pub fn learnt(&mut self, levels: u32) {
        self.fast.add(f64::from(levels));
        self.slow.add(f64::from(levels));
    }

    /// Whether it is time to start anew.
    pub fn is_over(&self, conflicts: u64) -> bool {
        conflicts >= self.next && (self.stays || self.fast.get() > MARGIN * self.slow.get())
    }

    /// The search starts anew. The answer is whether another way of searching begins.
    pub fn restart(&mut self, conflicts: u64, work: u64) -> bool {
        let turn = work.max(1);
        let ends = if self.turns == 0 { conflicts >= self.end } else { turn >= self.end };
        if ends {
            if self.turns == 0 {
                self.length = turn;
            }
            self.turns += 1;
            let round = self.turns.div_ceil(2);
            self.end = turn.saturating_add(self.length.saturating_mul(round * round));
            self.stays = !self.stays;
            self.luby = (1, 1);
        } else if self.stays {
            let (u, v) = self.luby;
            self.luby = if u & u.wrapping_neg() == v { (u + 1, 1) } else { (u, 2 * v) };
        }
        self.next = conflicts + if self.stays { REST * self.luby.1 } else { HASTE };
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_become_longer_and_rests_follow_luby() {
        let mut mode = Mode::default();
        assert!(!mode.restart(999, 5000) && !mode.stays());
        assert!(mode.restart(1000, 6000) && mode.stays());
        let mut rests = vec![mode.next - 1000];
        for _ in 0..7 {
            assert!(!mode.restart(2000, 6001) && !mode.is_over(mode.next - 1) && mode.is_over(mode.next));
            rests.push(mode.next - 2000);
        }
        assert_eq!(rests, [1, 1, 2, 1, 1, 2, 4, 1].map(|n| n * REST));
        assert!(mode.restart(3000, 12_000) && !mode.stays());
        assert!(!mode.restart(3000, 17_999) && mode.restart(3000, 18_000));
        assert!(!mode.restart(4000, 41_999) && mode.restart(4000, 42_000));
    }
}
