//! Figures of other tools, with their sources.

use verify::{Abstraction, Order};

/// Where TChecker's figures come from.
pub const TCHECKER: &str = "TChecker d711ace on its own files of these systems: \
    tck-reach, the whole state space; instructions by valgrind --tool=callgrind; MB and seconds of the whole process";

/// Where the figures of the other zone libraries come from.
pub const UDBM: &str = "UPPAAL's own library, the same operations on other zones and another machine";

/// What a run of TChecker counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recorded {
    family: &'static str,
    size: u32,
    abstraction: Abstraction,
    order: Order,
    /// Nodes that are stored at the end.
    pub stored: usize,
    /// Nodes that were taken from the waiting list.
    pub visited: usize,
    /// Successors that were computed.
    pub transitions: Option<usize>,
    /// Instructions, in millions.
    pub instructions: Option<f64>,
    /// Seconds.
    pub seconds: Option<f64>,
    /// Megabytes.
    pub megabytes: Option<f64>,
}

impl Recorded {
    const fn instructions(mut self, millions: f64) -> Recorded {
        self.instructions = Some(millions);
        self
    }

    const fn seconds(mut self, seconds: f64) -> Recorded {
        self.seconds = Some(seconds);
        self
    }

    const fn megabytes(mut self, megabytes: f64) -> Recorded {
        self.megabytes = Some(megabytes);
        self
    }

    const fn transitions(mut self, transitions: usize) -> Recorded {
        self.transitions = Some(transitions);
        self
    }

    const fn alu(mut self) -> Recorded {
        self.abstraction = Abstraction::Alu;
        self
    }

    const fn dfs(mut self) -> Recorded {
        self.order = Order::Dfs;
        self
    }
}

/// Breadth-first with Extra+_LU, unless the entry has other settings.
const fn entry(family: &'static str, size: u32, stored: usize, visited: usize) -> Recorded {
    Recorded {
        family,
        size,
        abstraction: Abstraction::ExtraLuPlus,
        order: Order::Bfs,
        stored,
        visited,
        transitions: None,
        instructions: None,
        seconds: None,
        megabytes: None,
    }
}

const ALL: [Recorded; 32] = [
    entry("fischer", 6, 2378, 3458).transitions(9132).instructions(392.0),
    entry("fischer", 7, 7737, 11951).transitions(35266).instructions(1848.0),
    entry("fischer", 8, 25080, 40536).transitions(132_592),
    entry("fischer", 9, 81035, 135_485).transitions(487_458).megabytes(54.0),
    entry("fischer", 10, 260_998, 447_598).seconds(33.0).megabytes(141.0),
    entry("csma-cd", 6, 2594, 2594).transitions(6081).instructions(408.0),
    entry("csma-cd", 7, 7490, 7490).transitions(17511).instructions(1394.0),
    entry("csma-cd", 8, 20738, 20738).transitions(48091),
    entry("csma-cd", 10, 144_898, 144_898).seconds(7.5).megabytes(78.0),
    entry("csma-cd", 11, 369_666, 369_666).seconds(24.0).megabytes(163.0),
    entry("fddi", 6, 197, 691).transitions(924).instructions(450.0),
    entry("fddi", 8, 341, 2635).transitions(3588).instructions(2281.0),
    entry("fddi", 12, 749, 40291).seconds(10.0),
    entry("fddi", 12, 749, 749).seconds(0.7).dfs(),
    entry("corsso", 2, 573, 573).transitions(1480).instructions(44.0),
    entry("corsso", 3, 61948, 64378).transitions(242_418),
    entry("corsso", 3, 8746, 8746).transitions(33972).alu(),
    entry("corsso", 4, 384_825, 384_825).seconds(14.0).megabytes(161.0).alu(),
    entry("critical-region", 3, 3015, 3872).transitions(16675).instructions(324.0),
    entry("critical-region", 4, 53697, 76130).transitions(436_444).megabytes(36.0),
    entry("critical-region", 5, 1_100_933, 1_721_845).seconds(198.0).megabytes(562.0),
    entry("train-gate", 4, 12000, 12000).transitions(28800).instructions(599.0),
    entry("train-gate", 5, 215_375, 215_375).transitions(608_275).megabytes(70.0),
    entry("train-gate", 6, 4_386_528, 4_386_528).seconds(92.0).megabytes(2293.0),
    entry("leader-election", 5, 12166, 12166).transitions(29655).instructions(1264.0),
    entry("leader-election", 6, 97888, 97888).transitions(287_789).megabytes(43.0),
    entry("leader-election", 7, 779_115, 779_115).seconds(32.0).megabytes(246.0),
    entry("dining-philosophers", 5, 911, 911).transitions(4145).instructions(169.0),
    entry("dining-philosophers", 6, 5480, 5480).transitions(30042),
    entry("dining-philosophers", 7, 38179, 38179).seconds(4.9),
    entry("parallel", 5, 1631, 1631).transitions(9460).instructions(367.0),
    entry("parallel", 6, 11743, 11743).transitions(80244),
];

/// The recorded figures of TChecker for a model with these settings.
pub fn tchecker(family: &str, size: u32, abstraction: Abstraction, order: Order) -> Option<Recorded> {
    let is = |r: &&Recorded| (r.family, r.size, r.abstraction, r.order) == (family, size, abstraction, order);
    ALL.iter().find(is).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAMILIES;

    #[test]
    fn every_entry_belongs_to_a_family() {
        for entry in ALL {
            let family = FAMILIES.iter().find(|f| f.name == entry.family).unwrap();
            let known = family.standard.iter().chain(family.large).any(|n| *n == entry.size);
            assert!(known, "{} {} is in no table", entry.family, entry.size);
            let found = tchecker(entry.family, entry.size, entry.abstraction, entry.order);
            assert_eq!(found, Some(entry), "one entry for each setting");
        }
    }
}
