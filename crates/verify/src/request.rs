//! The one entry point: a request names a system, what is asked of it, and the engine.

use std::sync::Arc;

use explore::search::{self, Limits};
use model::{Property, System, net::Net};
use smt::Solver;

use crate::{
    Answer, FormulaOptions, FormulaStats, Marking, Options, Reason, Trace, Unproved, Verdict, certified, formulas,
    proof, shared, space,
};

/// What is asked of a system.
#[derive(Clone, Copy)]
pub enum Target<'r> {
    /// Whether these properties hold. One search answers all of them; [`crate::groups`] says which
    /// properties can share a search.
    Properties(&'r [&'r Property]),
    /// All symbolic states and the transitions between them. States may be marked by a formula.
    StateSpace(Option<Marking<'r>>),
}

/// What answers.
#[derive(Clone, Copy)]
pub enum Engine<'r> {
    /// A search through the zone graph.
    Zones(&'r Options),
    /// Formulas for a solver.
    Formulas {
        /// Which formulas.
        options: &'r FormulaOptions,
        /// The net, if the system represents one.
        net: Option<&'r Net>,
        /// Makes solvers.
        solvers: &'r dyn Fn() -> Box<dyn Solver>,
    },
}

/// Receives the progress of an answer.
pub trait Observer: search::Observer {
    /// A solver is about to be asked about a formula.
    fn formula(&mut self, _: &FormulaStats) {}
}

impl Observer for () {}

/// A request to an engine.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The system, with the code of the properties.
    pub system: &'r System,
    /// What is asked of it.
    pub target: Target<'r>,
    /// What answers.
    pub engine: Engine<'r>,
    /// Whether answers that no trace shows need a proof. A proof is checked by [`certify`] before
    /// the answer is given; a proof that is refused makes the verdict unknown.
    pub proves: bool,
}

/// Takes answers, by the numbers of their properties, as soon as they are known.
pub(crate) type OnAnswer<'k> = dyn FnMut(usize, Answer) + 'k;

impl<'r> Request<'r> {
    /// Creates a request for a search through the zone graph, without proofs.
    #[must_use]
    pub fn new(system: &'r System, properties: &'r [&'r Property], options: &'r Options) -> Request<'r> {
        Request { system, target: Target::Properties(properties), engine: Engine::Zones(options), proves: false }
    }

    /// Answers everything that is asked. Calls `known` with each answer as soon as it is known.
    pub fn run(&self, limits: &Limits<'_>, observer: &mut dyn Observer, known: &mut dyn FnMut(usize, Answer)) {
        let failures = &self.system.code.failures;
        failures.begin();
        // Nothing that was found by a function that has failed is an answer.
        let known = &mut |number: usize, answer: Answer| match failures.reason() {
            Some(failure) => {
                let verdict = Verdict::Unknown(Reason::User(Arc::new(failure), None));
                // The state in which it has failed may be one of joined states alone.
                let trace = answer.trace.filter(Trace::is_replayed);
                let answer = Answer { verdict, values: None, trace, blame: None, proof: None, ..answer };
                failures.while_stopped(|| known(number, answer));
            }
            None => known(number, answer),
        };
        self.run_with(limits, observer, known);
        failures.end();
    }

    fn run_with(&self, limits: &Limits<'_>, observer: &mut dyn Observer, known: &mut dyn FnMut(usize, Answer)) {
        let Request { system, target, engine, proves } = *self;
        let properties = match (target, engine) {
            (Target::Properties(properties), _) => properties,
            (Target::StateSpace(marking), Engine::Zones(options)) => {
                return known(0, space::state_space(system, marking, options, limits));
            }
            (Target::StateSpace(_), Engine::Formulas { .. }) => {
                let verdict = Verdict::Unknown(Reason::Refused("drawings of state spaces".to_owned()));
                return known(0, Answer { verdict, ..formulas::blank(system) });
            }
        };
        match engine {
            Engine::Zones(options) if !proves => {
                shared::answer_each(system, properties, options, limits, observer, known)
            }
            Engine::Zones(options) => {
                for (number, property) in properties.iter().enumerate() {
                    let answer = proof::prove(system, property, options, limits, observer);
                    // Process 0 of a cluster has all states.
                    let has_all = options.cluster.as_ref().is_none_or(|cluster| cluster.number() == 0);
                    known(number, if has_all { certify(system, None, property, answer) } else { answer });
                }
            }
            Engine::Formulas { options, net, solvers } => {
                for (number, property) in properties.iter().enumerate() {
                    let mut answer = formulas::answer(system, net, property, options, solvers, limits, observer);
                    answer =
                        if proves { certify(system, net, property, answer) } else { Answer { proof: None, ..answer } };
                    known(number, answer);
                }
            }
        }
    }

    /// Answers everything that is asked, and returns the answers in the order of the properties.
    pub fn answers(&self, limits: &Limits<'_>, observer: &mut dyn Observer) -> Vec<Answer> {
        let mut answers: Vec<(usize, Answer)> = Vec::new();
        self.run(limits, observer, &mut |number, answer| answers.push((number, answer)));
        answers.sort_by_key(|(number, _)| *number);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// Answers one property by a search through the zone graph: the shortest form of a [`Request`].
pub fn answer(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let answer = Request::new(system, &[property], options).answers(limits, observer).pop();
    answer.unwrap_or_else(|| formulas::blank(system))
}

/// Checks the proof of an answer. Without a proof that holds, its verdict is unknown.
fn certify(system: &System, net: Option<&Net>, property: &Property, mut answer: Answer) -> Answer {
    let Some(Ok(proof)) = &answer.proof else { return answer };
    let satisfied = answer.verdict == Verdict::Satisfied;
    let Err(refusal) = certified::check(system, net, property, satisfied, proof) else { return answer };
    let (reason, missing) = match system.code.stopped() {
        Some(stop) => (Reason::Limit(stop), Unproved::Stopped),
        None if refusal.is_undecided() => (Reason::Formula(refusal.reason.to_string()), Unproved::TooLarge),
        None => (Reason::Uncertified(refusal.reason.to_string()), Unproved::Refused),
    };
    answer.verdict = Verdict::Unknown(reason);
    answer.proof = Some(Err(missing));
    answer
}
