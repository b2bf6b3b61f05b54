//! Whether a set of states proves that no state of a goal can be reached.

use model::{Formula, Property, System, machine::Fault, system::EdgeId};

use crate::{
    Answer,
    cover::Cover,
    formula::holds,
    names::Names,
    network::{Failure, Network},
    union::Rest,
    zone::Zone,
};

/// What a proof consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// Discrete states.
    pub rows: usize,
    /// Symbolic states.
    pub states: usize,
    /// Transitions that were taken from them.
    pub transitions: usize,
}

/// Why a certificate is no proof, in the model's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence.
    pub reason: String,
    /// The state that is to blame, or from which a transition is; none for the initial states.
    pub state: Option<String>,
    /// The edges of the transition that is to blame, the sender first.
    pub transition: Vec<String>,
    /// States that should be in the certificate.
    pub missing: Option<String>,
    /// The run-time error that the model has there.
    pub fault: Option<Fault>,
}

/// Checks that a set of states proves an answer to a query.
///
/// # Errors
/// The first reason why it does not.
pub fn check(system: &System, property: &Property, answer: Answer, cover: &Cover) -> Result<Proved, Box<Refusal>> {
    let goal = match (property, answer) {
        (Property::Possibly(goal), Answer::NotSatisfied) | (Property::Invariantly(goal), Answer::Satisfied) => goal,
        (Property::Possibly(_), _) => {
            return refuse("states that cover all others do not prove that `E<>` is satisfied");
        }
        (Property::Invariantly(_), _) => {
            return refuse("states that cover all others do not prove that `A[]` is not satisfied");
        }
        _ => return refuse("states that cover all others prove nothing about a query of this kind"),
    };
    let mut checker = Checker { network: Network::new(system), cover, names: None, proved: Proved::default() };
    checker.initial()?;
    for (row, constraints) in cover.iter() {
        // What no valuation satisfies does no harm.
        if let Some(zone) = Zone::of(system.clocks.len(), constraints) {
            checker.state(goal, row, &zone)?;
        }
    }
    Ok(Proved { rows: cover.rows(), states: cover.states(), ..checker.proved })
}

fn refuse<T>(reason: &str) -> Result<T, Box<Refusal>> {
    Err(Box::new(Refusal { reason: reason.to_owned(), ..Refusal::default() }))
}

struct Checker<'a> {
    network: Network<'a>,
    cover: &'a Cover,
    names: Option<Names>,
    proved: Proved,
}

impl Checker<'_> {
    /// The initial states are covered.
    fn initial(&mut self) -> Result<(), Box<Refusal>> {
        let system = self.network.system;
        let clocks: Vec<i64> = system.clocks.iter().map(|c| i64::from(c.initial)).collect();
        let start = self.network.invariants(&system.initial, &Zone::point(&clocks));
        match start.map_err(|failure| self.fails(failure, None))? {
            // A model whose initial state violates an invariant has no states at all.
            None => Ok(()),
            Some(zone) => self.arrives(&system.initial, &zone, None, &[]),
        }
    }

    /// No state of the goal is here, and all transitions lead to states that are covered.
    fn state(&mut self, goal: &Formula, row: &[i32], zone: &Zone) -> Result<(), Box<Refusal>> {
        let from = Some((row, zone));
        // States that violate an invariant do not exist, whoever lists them.
        let within = self.network.invariants(row, zone);
        let Some(zone) = within.map_err(|failure| self.fails(failure, from))? else { return Ok(()) };
        let found = holds(&mut self.network, goal, row, &zone).map_err(|failure| self.fails(failure, from))?;
        if let Some(part) = found.first() {
            let reason = "the certificate holds a state that should not be reached".to_owned();
            let state = Some(self.names().state(row, part));
            return Err(Box::new(Refusal { reason, state, ..Refusal::default() }));
        }
        let all = self.network.transitions(row, &zone).and_then(|all| self.network.prioritise(row, all));
        for transition in all.map_err(|failure| self.fails(failure, from))? {
            self.proved.transitions += 1;
            let effect = self.network.effect(row, &transition).map_err(|failure| self.fails(failure, from))?;
            let target = self.network.arrive(&transition, &effect).map_err(|failure| self.fails(failure, from))?;
            if let Some(target) = target {
                self.arrives(&effect.row, &target, from, &transition.edges)?;
            }
        }
        Ok(())
    }

    /// The states of a row and a zone, and those that delays lead to, are covered.
    fn arrives(
        &mut self,
        row: &[i32],
        zone: &Zone,
        from: Option<(&[i32], &Zone)>,
        edges: &[EdgeId],
    ) -> Result<(), Box<Refusal>> {
        let delays = self.network.delays(row, zone);
        let delays = delays.map_err(|failure| self.fails(Failure { edges: edges.to_vec(), ..failure }, from))?;
        for zone in delays {
            let (reason, part) = match self.cover.outside(row, &zone) {
                Rest::Nothing => continue,
                Rest::Some(part) if from.is_none() => ("an initial state is not in the certificate", part),
                Rest::Some(part) => ("a transition leads out of the certificate", part),
                Rest::Unknown => ("the zones of a row are too many to tell whether they cover a state", zone),
            };
            let names = self.names();
            return Err(Box::new(Refusal {
                reason: reason.to_owned(),
                state: from.map(|(row, zone)| names.state(row, zone)),
                transition: edges.iter().map(|e| names.edge(*e)).collect(),
                missing: Some(names.state(row, &part)),
                fault: None,
            }));
        }
        Ok(())
    }

    fn fails(&mut self, failure: Failure, from: Option<(&[i32], &Zone)>) -> Box<Refusal> {
        let names = self.names();
        Box::new(Refusal {
            reason: format!("the model has a run-time error: {}", failure.fault.kind),
            state: from.map(|(row, zone)| names.state(row, zone)),
            transition: failure.edges.iter().map(|e| names.edge(*e)).collect(),
            missing: None,
            fault: Some(failure.fault),
        })
    }

    /// Made when they are needed first: most certificates are right.
    fn names(&mut self) -> &Names {
        let system = self.network.system;
        self.names.get_or_insert_with(|| Names::new(system))
    }
}
