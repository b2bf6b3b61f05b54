//! The searches that are compared, table by table.

use std::ops::Range;

use verify::{Abstraction, Guidance, Heuristic, Options, Order};

/// How often a search in a random order is run.
pub const RANDOM_RUNS: u64 = 3;

/// A way to search.
#[derive(Debug)]
pub struct Configuration {
    /// A stable name for programs.
    pub name: &'static str,
    /// What the tables call it.
    pub label: &'static str,
    search: Search,
}

/// What is explored first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Bfs,
    RandomDfs,
    /// Several strategies by turns.
    Auto,
    /// The least value of a heuristic.
    Greedy(&'static str),
    /// The same, and among equals what the heuristic's own solution would do next.
    Helpful(&'static str),
    /// The least sum of the way so far and the value of a heuristic.
    Astar(&'static str),
    /// Downhill, with random steps.
    Local(&'static str),
}

impl Configuration {
    const fn new(name: &'static str, label: &'static str, search: Search) -> Configuration {
        Configuration { name, label, search }
    }

    /// The order, as the command line calls it.
    pub fn order(&self) -> &'static str {
        match self.search {
            Search::Bfs => "bfs",
            Search::RandomDfs => "random-dfs",
            Search::Auto => "auto",
            Search::Greedy(_) | Search::Helpful(_) => "greedy",
            Search::Astar(_) => "astar",
            Search::Local(_) => "local",
        }
    }

    /// The heuristic, if the order needs one.
    pub fn heuristic(&self) -> Option<&'static str> {
        match self.search {
            Search::Bfs | Search::RandomDfs | Search::Auto => None,
            Search::Greedy(heuristic)
            | Search::Helpful(heuristic)
            | Search::Astar(heuristic)
            | Search::Local(heuristic) => Some(heuristic),
        }
    }

    /// Whether helpful transitions come first.
    pub fn helpful(&self) -> bool {
        matches!(self.search, Search::Helpful(_))
    }

    /// The seeds to run it with. Where luck decides, one run says little: the one in the middle
    /// counts.
    pub fn seeds(&self) -> Range<u64> {
        match self.search {
            Search::RandomDfs => 0..RANDOM_RUNS,
            _ => 0..1,
        }
    }

    /// The options of such a search, which keeps at most `table` values of its heuristic.
    ///
    /// Blind searches have the paper's abstraction, so that their numbers of states are those of
    /// the paper's; directed ones have what users get.
    pub fn options(&self, table: Option<usize>, seed: u64) -> Options {
        let heuristics = self.heuristic().and_then(Heuristic::named).into_iter().collect();
        let guidance = Guidance { heuristics, helpful: self.helpful(), table, ..Guidance::default() };
        let order = match self.search {
            Search::Bfs => Order::Bfs,
            Search::RandomDfs => Order::RandomDfs,
            Search::Auto => Order::Auto,
            Search::Greedy(_) | Search::Helpful(_) => Order::Greedy,
            Search::Astar(_) => Order::Astar,
            Search::Local(_) => Order::Local,
        };
        let abstraction = if order.is_directed() { None } else { Some(Abstraction::ExtraLu) };
        Options { order, guidance, abstraction, seed, ..Options::default() }
    }
}

/// Searches that stand side by side.
#[derive(Debug)]
pub struct Table {
    /// Its number in the paper; `None`: it is in no paper.
    pub number: Option<u32>,
    /// What it is about.
    pub title: &'static str,
    /// The searches, in the order of the columns.
    pub configurations: &'static [Configuration],
}

/// The tables of the paper.
pub const TABLES: [Table; 3] = [
    Table {
        number: Some(1),
        title: "any way to the error: randomised depth-first, and greedy by h^L and h^U",
        configurations: &[
            Configuration::new("random-dfs", "rDF", Search::RandomDfs),
            Configuration::new("greedy-hl", "hL", Search::Greedy("hl")),
            Configuration::new("greedy-hu", "hU", Search::Greedy("hu")),
        ],
    },
    Table {
        number: Some(2),
        title: "any way to the error: greedy by d^L and d^U",
        configurations: &[
            Configuration::new("greedy-dl", "dL", Search::Greedy("dl")),
            Configuration::new("greedy-du", "dU", Search::Greedy("du")),
        ],
    },
    Table {
        number: Some(3),
        title: "a shortest way: breadth-first, and A* by h^L and d^L",
        configurations: &[
            Configuration::new("bfs", "BF", Search::Bfs),
            Configuration::new("astar-hl", "hL", Search::Astar("hl")),
            Configuration::new("astar-dl", "dL", Search::Astar("dl")),
        ],
    },
];

/// What came later.
pub const LATER: Table = Table {
    number: None,
    title: "orders that came later",
    configurations: &[
        Configuration::new("greedy-hff", "greedy hff", Search::Greedy("hff")),
        Configuration::new("greedy-hadd", "greedy hadd", Search::Greedy("hadd")),
        Configuration::new("greedy-hamming", "greedy hamming", Search::Greedy("hamming")),
        Configuration::new("greedy-coverage", "greedy coverage", Search::Greedy("coverage")),
        Configuration::new("greedy-hl-loc", "greedy hl-loc", Search::Greedy("hl-loc")),
        Configuration::new("greedy-hu-loc", "greedy hu-loc", Search::Greedy("hu-loc")),
        Configuration::new("greedy-hu-helpful", "greedy hU, helpful", Search::Helpful("hu")),
        Configuration::new("greedy-hff-helpful", "greedy hff, helpful", Search::Helpful("hff")),
        Configuration::new("local-hu", "local hU", Search::Local("hu")),
        Configuration::new("auto", "auto", Search::Auto),
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
    fn every_heuristic_has_its_name() {
        for configuration in TABLES.iter().chain([&LATER]).flat_map(|table| table.configurations) {
            let named = configuration.options(None, 0).guidance.heuristics.len();
            assert_eq!(named, usize::from(configuration.heuristic().is_some()), "{}", configuration.name);
        }
    }
}
