//! One way to search.

use verify::{Guidance, Options, Order};

use crate::directed::configuration;

/// A way to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Breadth-first: what a heuristic has to save.
    Bfs,
    /// Depth-first, in random order.
    RandomDfs,
    /// Greedy by h^L or by h^U, whichever is better.
    Best,
    /// Greedy by a heuristic, as the command line calls it.
    Greedy(String),
    /// Several strategies by turns.
    Auto,
}

/// A run of a search.
#[derive(Debug)]
pub struct Attempt {
    /// The heuristic, if there is one.
    pub heuristic: Option<String>,
    /// The options.
    pub options: Options,
}

/// Which one of several attempts counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The one with the fewest states.
    Best,
    /// The one in the middle.
    Middle,
}

impl Search {
    /// Greedy search by a heuristic.
    pub fn greedy(heuristic: impl Into<String>) -> Search {
        Search::Greedy(heuristic.into())
    }

    /// A stable name for programs.
    pub fn name(&self) -> &str {
        match self {
            Search::Bfs => "bfs",
            Search::RandomDfs => "random-dfs",
            Search::Best => "greedy-best",
            Search::Greedy(heuristic) => heuristic,
            Search::Auto => "auto",
        }
    }

    /// The order, as the command line calls it.
    pub fn order(&self) -> &'static str {
        match self {
            Search::Bfs => "bfs",
            Search::RandomDfs => "random-dfs",
            Search::Best | Search::Greedy(_) => "greedy",
            Search::Auto => "auto",
        }
    }

    /// Which of its attempts counts.
    pub fn pick(&self) -> Pick {
        if *self == Search::Best { Pick::Best } else { Pick::Middle }
    }

    /// The runs that it takes.
    pub fn attempts(&self) -> Vec<Attempt> {
        let known = |name: &str| {
            let found = configuration(name).into_iter();
            found.flat_map(|c| c.seeds().map(|seed| (c.heuristic(), c.options(None, seed)))).collect::<Vec<_>>()
        };
        let attempts = match self {
            // With the abstraction that directed searches have: what that saves is not due to a
            // heuristic.
            Search::Bfs => vec![(None, Options { order: Order::Bfs, ..Options::default() })],
            Search::RandomDfs => known("random-dfs"),
            Search::Best => [known("greedy-hl"), known("greedy-hu")].concat(),
            Search::Auto => known("auto"),
            Search::Greedy(text) => {
                let own = |_: Option<&str>| {
                    Err(verify::OptionError::Expression("there is no heuristic of the model".to_owned()))
                };
                let heuristics = verify::heuristics(text, &mut { own }).unwrap_or_default();
                let guidance = Guidance { heuristics, ..Guidance::default() };
                let options = Options { order: Order::Greedy, guidance, ..Options::default() };
                return vec![Attempt { heuristic: Some(text.clone()), options }];
            }
        };
        let attempt = |(heuristic, options): (Option<&str>, Options)| Attempt {
            heuristic: heuristic.map(str::to_owned),
            options,
        };
        attempts.into_iter().map(attempt).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::{SERIES_MODEL, series, tables};
    use super::*;

    #[test]
    fn every_search_can_be_run() {
        let all = tables().into_iter().flat_map(|table| table.lines).flat_map(|line| line.searches);
        let steps = series(SERIES_MODEL).into_iter().map(|step| step.search);
        for search in all.chain(steps).chain([Search::Bfs]) {
            let attempts = search.attempts();
            assert!(!attempts.is_empty(), "{search:?}");
            for attempt in attempts {
                let heuristics = &attempt.options.guidance.heuristics;
                assert_eq!(heuristics.len(), usize::from(attempt.heuristic.is_some()), "{search:?}");
            }
        }
    }
}
