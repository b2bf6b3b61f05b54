//! The searches of the tables.

use explore::guided::TieBreak;
use verify::{Guidance, Options, Order};

use crate::directed::{PAPER_ABSTRACTION, configuration};

/// A search of the tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AbstractionSearch {
    /// Breadth-first, as the base line.
    Bfs,
    /// Depth-first, in random order.
    RandomDfs,
    /// Greedy by the better of h^L and h^U.
    Best,
    /// Greedy by a heuristic, as the command line calls it.
    Greedy(String),
    /// The same as the paper searches: with its abstraction, and of equal states the youngest
    /// first.
    AsPaper(String),
    /// Several strategies in turn.
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
    /// The median.
    Middle,
}

impl AbstractionSearch {
    /// Greedy search by a heuristic.
    pub fn greedy(heuristic: impl Into<String>) -> AbstractionSearch {
        AbstractionSearch::Greedy(heuristic.into())
    }

    /// Greedy search by a heuristic, as the paper searches.
    pub(super) fn as_paper(heuristic: impl Into<String>) -> AbstractionSearch {
        AbstractionSearch::AsPaper(heuristic.into())
    }

    /// A stable name for programs.
    pub fn name(&self) -> &str {
        match self {
            AbstractionSearch::Bfs => "bfs",
            AbstractionSearch::RandomDfs => "random-dfs",
            AbstractionSearch::Best => "greedy-best",
            AbstractionSearch::Greedy(heuristic) | AbstractionSearch::AsPaper(heuristic) => heuristic,
            AbstractionSearch::Auto => "auto",
        }
    }

    /// The order, as the command line calls it.
    pub fn order(&self) -> &'static str {
        match self {
            AbstractionSearch::Bfs => "bfs",
            AbstractionSearch::RandomDfs => "random-dfs",
            AbstractionSearch::Best | AbstractionSearch::Greedy(_) | AbstractionSearch::AsPaper(_) => "greedy",
            AbstractionSearch::Auto => "auto",
        }
    }

    /// Which of its attempts counts.
    pub fn pick(&self) -> Pick {
        if *self == AbstractionSearch::Best { Pick::Best } else { Pick::Middle }
    }

    /// The runs of which one counts.
    pub fn attempts(&self) -> Vec<Attempt> {
        let known = |name: &str, abstraction| {
            let found = configuration(name).into_iter();
            let runs =
                found.flat_map(|c| c.seeds().map(move |seed| (c.heuristic(), c.options(None, seed, abstraction))));
            runs.collect::<Vec<_>>()
        };
        let attempts = match self {
            // With the abstraction of directed searches, so that only the heuristic makes a
            // difference.
            AbstractionSearch::Bfs => vec![(None, Options { order: Order::Bfs, ..Options::default() })],
            AbstractionSearch::RandomDfs => known("random-dfs", Some(PAPER_ABSTRACTION)),
            AbstractionSearch::Best => [known("greedy-hl", None), known("greedy-hu", None)].concat(),
            AbstractionSearch::Auto => known("auto", None),
            AbstractionSearch::Greedy(text) | AbstractionSearch::AsPaper(text) => {
                let own = |_: Option<&str>| {
                    Err(verify::OptionError::Expression("there is no heuristic of the model".to_owned()))
                };
                let heuristics = verify::heuristics(text, &mut { own }).unwrap_or_default();
                let (abstraction, ties) = match self {
                    AbstractionSearch::AsPaper(_) => (Some(PAPER_ABSTRACTION), TieBreak::Youngest),
                    _ => (None, TieBreak::default()),
                };
                let guidance = Guidance { heuristics, ties, ..Guidance::default() };
                let options = Options { order: Order::Greedy, guidance, abstraction, ..Options::default() };
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
        for search in all.chain(steps).chain([AbstractionSearch::Bfs]) {
            let attempts = search.attempts();
            assert!(!attempts.is_empty(), "{search:?}");
            for attempt in attempts {
                let heuristics = &attempt.options.guidance.heuristics;
                assert_eq!(heuristics.len(), usize::from(attempt.heuristic.is_some()), "{search:?}");
            }
        }
    }
}
