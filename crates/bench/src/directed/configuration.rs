//! The searches that are compared, table by table.

use std::ops::Range;

use explore::guided::TieBreak;
use verify::{Abstraction, Guidance, Heuristic, Options, Order};

/// The abstraction of the paper's searches.
pub(crate) const PAPER_ABSTRACTION: Abstraction = Abstraction::ExtraLu;

/// What a search has in common with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The abstraction, the order of states with the same rank, and covering. Ties are broken as
    /// given, else as the paper does.
    Paper(Option<TieBreak>),
    /// The order and the heuristic alone: all else is what users get.
    Ours,
}

/// How often a search in a random order is run.
pub const RANDOM_RUNS: u64 = 3;

/// A search order with its heuristic.
#[derive(Debug)]
pub struct Configuration {
    /// A stable name for programs.
    pub name: &'static str,
    /// What the tables call it.
    pub label: &'static str,
    search: SearchKind,
}

/// What is explored first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchKind {
    Bfs,
    RandomDfs,
    /// Several strategies in turn.
    Auto,
    /// The least value of a heuristic.
    Greedy(&'static str),
    /// The same, with transitions of the heuristic's own plan first among equals.
    Helpful(&'static str),
    /// The least sum of the depth and the value of a heuristic.
    Astar(&'static str),
    /// Downhill, with random steps.
    Local(&'static str),
}

impl Configuration {
    const fn new(name: &'static str, label: &'static str, search: SearchKind) -> Configuration {
        Configuration { name, label, search }
    }

    /// The order, as the command line calls it.
    pub fn order(&self) -> &'static str {
        match self.search {
            SearchKind::Bfs => "bfs",
            SearchKind::RandomDfs => "random-dfs",
            SearchKind::Auto => "auto",
            SearchKind::Greedy(_) | SearchKind::Helpful(_) => "greedy",
            SearchKind::Astar(_) => "astar",
            SearchKind::Local(_) => "local",
        }
    }

    /// The heuristic, if the order needs one.
    pub fn heuristic(&self) -> Option<&'static str> {
        match self.search {
            SearchKind::Bfs | SearchKind::RandomDfs | SearchKind::Auto => None,
            SearchKind::Greedy(heuristic)
            | SearchKind::Helpful(heuristic)
            | SearchKind::Astar(heuristic)
            | SearchKind::Local(heuristic) => Some(heuristic),
        }
    }

    /// Whether helpful transitions come first.
    pub fn helpful(&self) -> bool {
        matches!(self.search, SearchKind::Helpful(_))
    }

    /// The seeds to run it with. Of a random order the median of several runs counts.
    pub fn seeds(&self) -> Range<u64> {
        match self.search {
            SearchKind::RandomDfs => 0..RANDOM_RUNS,
            _ => 0..1,
        }
    }

    /// The options of such a search, which keeps at most `table` values of its heuristic. Without
    /// an abstraction it has the one that users get.
    pub fn options(&self, table: Option<usize>, seed: u64, abstraction: Option<Abstraction>) -> Options {
        let heuristics = self.heuristic().and_then(Heuristic::named).into_iter().collect();
        let guidance = Guidance { heuristics, helpful: self.helpful(), table, ..Guidance::default() };
        let order = match self.search {
            SearchKind::Bfs => Order::Bfs,
            SearchKind::RandomDfs => Order::RandomDfs,
            SearchKind::Auto => Order::Auto,
            SearchKind::Greedy(_) | SearchKind::Helpful(_) => Order::Greedy,
            SearchKind::Astar(_) => Order::Astar,
            SearchKind::Local(_) => Order::Local,
        };
        Options { order, guidance, abstraction, seed, ..Options::default() }
    }
}

impl Configuration {
    /// The options of such a search in a setting.
    pub fn options_in(&self, setting: Setting, table: Option<usize>, seed: u64) -> Options {
        let Setting::Paper(ties) = setting else { return self.options(table, seed, None) };
        let options = self.options(table, seed, Some(PAPER_ABSTRACTION));
        let is_astar = options.order == Order::Astar;
        let usual = if is_astar { TieBreak::Place } else { TieBreak::Youngest };
        let guidance = Guidance { ties: ties.unwrap_or(usual), covers_shorter: is_astar, ..options.guidance.clone() };
        Options { guidance, ..options }
    }
}

/// A table of searches.
#[derive(Debug)]
pub struct DirectedTable {
    /// Its number in the paper; `None`: it is in no paper.
    pub number: Option<u32>,
    /// What it is about.
    pub title: &'static str,
    /// The searches, in the order of the columns.
    pub configurations: &'static [Configuration],
}

impl DirectedTable {
    /// The settings that its searches are run in. The tables of the paper have the paper's first,
    /// so that equal searches are compared, and then the one that users get.
    pub fn settings(&self, ties: Option<TieBreak>) -> Vec<Setting> {
        if self.number.is_some() { vec![Setting::Paper(ties), Setting::Ours] } else { vec![Setting::Ours] }
    }
}

/// The tables of the paper.
pub const TABLES: [DirectedTable; 3] = [
    DirectedTable {
        number: Some(1),
        title: "any trace to the error: randomised depth-first, and greedy by h^L and h^U",
        configurations: &[
            Configuration::new("random-dfs", "rDF", SearchKind::RandomDfs),
            Configuration::new("greedy-hl", "hL", SearchKind::Greedy("hl")),
            Configuration::new("greedy-hu", "hU", SearchKind::Greedy("hu")),
        ],
    },
    DirectedTable {
        number: Some(2),
        title: "any trace to the error: greedy by d^L and d^U",
        configurations: &[
            Configuration::new("greedy-dl", "dL", SearchKind::Greedy("dl")),
            Configuration::new("greedy-du", "dU", SearchKind::Greedy("du")),
        ],
    },
    DirectedTable {
        number: Some(3),
        title: "a shortest trace: breadth-first, and A* by h^L and d^L",
        configurations: &[
            Configuration::new("bfs", "BF", SearchKind::Bfs),
            Configuration::new("astar-hl", "hL", SearchKind::Astar("hl")),
            Configuration::new("astar-dl", "dL", SearchKind::Astar("dl")),
        ],
    },
];

/// Searches that are not in the paper.
pub const LATER: DirectedTable = DirectedTable {
    number: None,
    title: "orders that came later",
    configurations: &[
        Configuration::new("greedy-hff", "greedy hff", SearchKind::Greedy("hff")),
        Configuration::new("greedy-hadd", "greedy hadd", SearchKind::Greedy("hadd")),
        Configuration::new("greedy-hamming", "greedy hamming", SearchKind::Greedy("hamming")),
        Configuration::new("greedy-coverage", "greedy coverage", SearchKind::Greedy("coverage")),
        Configuration::new("greedy-hl-loc", "greedy hl-loc", SearchKind::Greedy("hl-loc")),
        Configuration::new("greedy-hu-loc", "greedy hu-loc", SearchKind::Greedy("hu-loc")),
        Configuration::new("greedy-hu-helpful", "greedy hU, helpful", SearchKind::Helpful("hu")),
        Configuration::new("greedy-hff-helpful", "greedy hff, helpful", SearchKind::Helpful("hff")),
        Configuration::new("astar-pdb", "A* pdb", SearchKind::Astar("pdb")),
        Configuration::new("astar-symbolic-pdb", "A* symbolic-pdb", SearchKind::Astar("symbolic-pdb")),
        Configuration::new("local-hu", "local hU", SearchKind::Local("hu")),
        Configuration::new("auto", "auto", SearchKind::Auto),
    ],
};

/// The search of this name.
pub fn configuration(name: &str) -> Option<&'static Configuration> {
    TABLES
        .iter()
        .chain([&LATER])
        .flat_map(|table| table.configurations)
        .find(|configuration| configuration.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_search_has_a_name_of_its_own() {
        let all = TABLES.iter().chain([&LATER]).flat_map(|table| table.configurations);
        let names: HashSet<&str> = all.clone().map(|c| c.name).collect();
        assert_eq!(names.len(), all.count());
    }

    #[test]
    fn the_papers_searches_differ_in_all_that_is_known_of_them() {
        let astar = configuration("astar-hl").unwrap();
        let paper = astar.options_in(Setting::Paper(None), None, 0);
        assert_eq!((paper.abstraction, paper.guidance.ties), (Some(Abstraction::ExtraLu), TieBreak::Place));
        assert!(paper.guidance.covers_shorter);
        assert_eq!(astar.options_in(Setting::Ours, None, 0), astar.options(None, 0, None));
        let greedy = configuration("greedy-hl").unwrap();
        let ties = |given| greedy.options_in(Setting::Paper(given), None, 0).guidance.ties;
        assert_eq!((ties(None), ties(Some(TieBreak::Auto))), (TieBreak::Youngest, TieBreak::Auto));
    }

    #[test]
    fn every_heuristic_has_its_name() {
        for configuration in TABLES.iter().chain([&LATER]).flat_map(|table| table.configurations) {
            let named = configuration.options(None, 0, None).guidance.heuristics.len();
            assert_eq!(named, usize::from(configuration.heuristic().is_some()), "{}", configuration.name);
        }
    }
}
