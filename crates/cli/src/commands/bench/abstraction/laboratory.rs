//! Runs searches, each only once for all tables.

use std::{collections::HashMap, sync::atomic::Ordering};

use verify::Verdict;

use super::super::measure::{Budget, Measured, measure};
use crate::{
    interrupt,
    json::{
        bench::abstraction::{AbstractionFigures, AbstractionResult, Blind},
        verify::Prepared,
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    abstraction::{AbstractionSearch, Pick},
    search::Space,
};

/// The searches that were run.
pub struct Laboratory {
    budget: Budget,
    known: HashMap<(String, AbstractionSearch), SearchOutcome>,
    /// The worst status so far.
    pub status: Status,
}

/// The outcome of a search.
#[derive(Clone)]
pub struct SearchOutcome {
    /// The heuristic, if there was one.
    pub heuristic: Option<String>,
    /// States until it ended or was stopped.
    generated: usize,
    figures: Option<AbstractionFigures>,
    stopped: Option<String>,
}

impl Laboratory {
    /// A laboratory with a budget for each search.
    pub fn new(budget: Budget) -> Laboratory {
        Laboratory { budget, known: HashMap::new(), status: Status::Fine }
    }

    /// Runs a search on a model; `None` if the user has interrupted.
    pub fn run(
        &mut self,
        model: &str,
        space: &Space,
        search: &AbstractionSearch,
        streams: &mut Streams<'_>,
    ) -> Option<SearchOutcome> {
        let key = (model.to_owned(), search.clone());
        if let Some(outcome) = self.known.get(&key) {
            return Some(outcome.clone());
        }
        if interrupt::flag().load(Ordering::Relaxed) {
            self.status = self.status.max(Status::Unknown);
            return None;
        }
        let attempts = search.attempts().into_iter();
        let mut runs: Vec<(Option<String>, Measured)> = attempts
            .map(|attempt| (attempt.heuristic, measure(space, &attempt.options, self.budget, streams)))
            .collect();
        runs.sort_by_key(|(_, run)| run.rank());
        let which = match search.pick() {
            Pick::Best => 0,
            Pick::Middle => runs.len() / 2,
        };
        let (heuristic, run) = runs.into_iter().nth(which)?;
        let outcome = self.judge(heuristic, run);
        self.known.insert(key, outcome.clone());
        Some(outcome)
    }

    /// Runs breadth-first search on a model.
    pub fn blind(&mut self, model: &str, space: &Space, streams: &mut Streams<'_>) -> Option<Blind> {
        let outcome = self.run(model, space, &AbstractionSearch::Bfs, streams)?;
        Some(Blind { generated: outcome.generated, complete: outcome.figures.is_some() })
    }

    fn judge(&mut self, heuristic: Option<String>, run: Measured) -> SearchOutcome {
        let Measured { answer, seconds, before, .. } = run;
        let mut outcome = SearchOutcome { heuristic, generated: answer.counts.generated, figures: None, stopped: None };
        if let Verdict::Unknown(reason) = &answer.verdict {
            outcome.stopped = Some(reason.to_string());
            self.status = self.status.max(Status::Unknown);
            return outcome;
        }
        let transitions = answer.trace.map(|trace| trace.steps.len());
        if transitions.is_none() {
            self.status = self.status.max(Status::Unsatisfied);
        }
        outcome.figures = Some(AbstractionFigures {
            seconds,
            explored: answer.counts.explored,
            generated: answer.counts.generated,
            transitions,
            prepared: answer.prepared.map(|prepared| Prepared::new(prepared, before)),
        });
        outcome
    }
}

impl SearchOutcome {
    /// The outcome, compared with that of breadth-first search.
    pub fn result(self, blind: Option<Blind>) -> AbstractionResult {
        let loss = self.figures.as_ref().and_then(|figures| loss(figures, blind?));
        AbstractionResult { merkhet: self.figures, stopped: self.stopped, loss }
    }
}

/// Whether more abstract states were built than the search saves against breadth-first search;
/// `None`: nothing was built, or it is unknown, since breadth-first search was stopped.
fn loss(figures: &AbstractionFigures, blind: Blind) -> Option<bool> {
    let built = figures.prepared.as_ref().map(|prepared| prepared.states).filter(|states| *states > 0)?;
    let is_paid = blind.generated >= figures.generated.saturating_add(built);
    (is_paid || blind.complete).then_some(!is_paid)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The figures of a search with these numbers of generated and of abstract states.
    pub fn figures(generated: usize, built: Option<usize>) -> AbstractionFigures {
        let prepared = |states| Prepared {
            states,
            nodes: 0,
            predicates: 7,
            rounds: 2,
            lengths: vec![Some(6), None],
            stopped: None,
            seconds: 0.126,
        };
        let prepared = built.map(prepared);
        AbstractionFigures { seconds: 12.34, explored: 20, generated, transitions: Some(8), prepared }
    }

    #[test]
    fn a_database_has_to_save_what_it_cost() {
        let blind = |generated, complete| Blind { generated, complete };
        assert_eq!(loss(&figures(100, None), blind(1000, true)), None);
        assert_eq!(loss(&figures(100, Some(0)), blind(50, true)), None);
        assert_eq!(loss(&figures(100, Some(900)), blind(1000, true)), Some(false));
        assert_eq!(loss(&figures(100, Some(901)), blind(1000, true)), Some(true));
        assert_eq!(loss(&figures(100, Some(1)), blind(50, true)), Some(true), "it saves less than nothing");
        // What a search that was stopped has done is the least that it needs.
        assert_eq!(loss(&figures(100, Some(900)), blind(1000, false)), Some(false));
        assert_eq!(loss(&figures(100, Some(901)), blind(1000, false)), None);
    }
}
