//! Whether a set of states proves that no state of a goal can be reached; `ranks.rs` has proofs
//! about runs.

use model::{Formula, Property, System, machine::Fault, system::EdgeId};

use crate::{
    Answer,
    cover::Cover,
    formula::holds,
    names::Names,
    network::{LocatedFault, NetworkSemantics},
    proof::Proof,
    union::Uncovered,
    zone::{DifferenceConstraint, Zone},
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
pub struct Rejection {
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

impl Rejection {
    /// Whether it says only that there is too much to look at: the certificate need not be wrong.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        [TOO_MANY, TOO_MANY_ENDS].contains(&self.reason.as_str())
    }
}

/// Checks that a proof is one of an answer to a query.
///
/// # Errors
/// The first reason why it is not.
pub fn check(system: &System, property: &Property, answer: Answer, proof: &Proof) -> Result<Proved, Box<Rejection>> {
    use Answer::{NotSatisfied, Satisfied};
    let mut checker = Checker { network: NetworkSemantics::new(system), names: None, transitions: 0 };
    match (proof, property, answer) {
        (Proof::Cover(cover), Property::Possibly(goal), NotSatisfied)
        | (Proof::Cover(cover), Property::Invariantly(goal), Satisfied) => checker.closed(goal, cover)?,
        (Proof::Ranks { reached: None, ranked }, Property::Eventually(always), Satisfied)
        | (Proof::Ranks { reached: None, ranked }, Property::PotentiallyAlways(always), NotSatisfied) => {
            checker.no_run(None, always, ranked)?;
        }
        (Proof::Ranks { reached: Some(reached), ranked }, Property::LeadsTo(after, always), Satisfied) => {
            checker.no_run(Some((after, reached)), always, ranked)?;
        }
        (Proof::Invariant(clauses), Property::Possibly(goal), NotSatisfied)
        | (Proof::Invariant(clauses), Property::Invariantly(goal), Satisfied) => {
            let looked = checker.invariant(goal, clauses)?;
            return Ok(Proved { rows: looked.rows, states: looked.zones, transitions: checker.transitions });
        }
        _ => return refuse(unfit(proof, property)),
    }
    Ok(Proved { rows: proof.rows(), states: proof.states(), transitions: checker.transitions })
}

/// Why a proof can't be one of the answer that is claimed.
fn unfit(proof: &Proof, property: &Property) -> &'static str {
    match (proof, property) {
        (Proof::Cover(_), Property::Possibly(_)) => "states that cover all others do not prove that `E<>` is satisfied",
        (Proof::Cover(_), Property::Invariantly(_)) => {
            "states that cover all others do not prove that `A[]` is not satisfied"
        }
        (Proof::Cover(_), _) => "states that cover all others prove nothing about a query of this kind",
        (Proof::Ranks { reached: Some(_), .. }, Property::Eventually(_) | Property::PotentiallyAlways(_)) => {
            "only a proof about `-->` has states that cover all others"
        }
        (Proof::Ranks { .. }, Property::Eventually(_)) => "ranks do not prove that `A<>` is not satisfied",
        (Proof::Ranks { .. }, Property::PotentiallyAlways(_)) => "ranks do not prove that `E[]` is satisfied",
        (Proof::Ranks { reached: None, .. }, Property::LeadsTo(..)) => {
            "a proof about `-->` needs states that cover all others"
        }
        (Proof::Ranks { .. }, Property::LeadsTo(..)) => "ranks do not prove that `-->` is not satisfied",
        (Proof::Ranks { .. }, _) => "ranks prove nothing about a query of this kind",
        (Proof::Invariant(_), Property::Possibly(_)) => "an invariant does not prove that `E<>` is satisfied",
        (Proof::Invariant(_), Property::Invariantly(_)) => "an invariant does not prove that `A[]` is not satisfied",
        (Proof::Invariant(_), _) => "an invariant proves nothing about a query of this kind",
    }
}

fn refuse<T>(reason: &str) -> Result<T, Box<Rejection>> {
    Err(Box::new(Rejection { reason: reason.to_owned(), ..Rejection::default() }))
}

pub(crate) const LEADS_OUT: &str = "a transition leads out of the certificate";
pub(crate) const TOO_MANY_ENDS: &str = "there are too many zones to tell whether a run ends in a state";
pub(crate) const TOO_MANY: &str = "the zones of a row are too many to tell whether they cover a state";

/// Where something was found: the state that a transition leaves.
pub(crate) type Origin<'s> = Option<(&'s [i32], &'s Zone)>;

/// What checks a proof.
pub(crate) struct Checker<'a> {
    pub(crate) network: NetworkSemantics<'a>,
    names: Option<Names>,
    /// How many were taken.
    pub(crate) transitions: usize,
}

impl<'a> Checker<'a> {
    /// The initial states and all that follow them are covered, and no state of the goal is.
    pub(crate) fn closed(&mut self, goal: &Formula, cover: &Cover) -> Result<(), Box<Rejection>> {
        let system = self.network.system;
        if let Some(zone) = self.start()? {
            self.arrives(cover, &system.initial, &zone, None, &[])?;
        }
        for (row, constraints) in cover.iter() {
            if let Some(zone) = self.zone(row, constraints)? {
                self.state(goal, cover, row, &zone)?;
            }
        }
        Ok(())
    }

    /// The initial valuation.
    pub(crate) fn start(&mut self) -> Result<Option<Zone>, Box<Rejection>> {
        let system: &'a System = self.network.system;
        let clocks: Vec<i64> = system.clocks.iter().map(|c| i64::from(c.initial)).collect();
        // A model whose initial state violates an invariant has no states at all.
        let start = self.network.invariants(&system.initial, &Zone::point(&clocks));
        start.map_err(|failure| self.fails(failure, None))
    }

    /// A state of a certificate. What no valuation satisfies does no harm, and states that violate
    /// an invariant do not exist, whoever lists them.
    pub(crate) fn zone(
        &mut self,
        row: &[i32],
        constraints: &[DifferenceConstraint],
    ) -> Result<Option<Zone>, Box<Rejection>> {
        let Some(zone) = Zone::of(self.network.system.clocks.len(), constraints) else { return Ok(None) };
        self.network.invariants(row, &zone).map_err(|failure| self.fails(failure, Some((row, &zone))))
    }

    /// No state of the goal is here, and all transitions lead to states that are covered.
    fn state(&mut self, goal: &Formula, cover: &Cover, row: &[i32], zone: &Zone) -> Result<(), Box<Rejection>> {
        let found = holds(&mut self.network, goal, row, zone);
        let found = found.map_err(|failure| self.fails(failure, Some((row, zone))))?;
        if let Some(part) = found.first() {
            return Err(self.holds("the certificate holds a state that should not be reached", row, part));
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            checker.arrives(cover, target, entry, Some((row, zone)), edges)
        })
    }

    /// Calls `visit` with what each transition from a state leads to, before any delay.
    pub(crate) fn each_transition(
        &mut self,
        row: &[i32],
        zone: &Zone,
        mut visit: impl FnMut(&mut Self, &[i32], &Zone, &[EdgeId]) -> Result<(), Box<Rejection>>,
    ) -> Result<(), Box<Rejection>> {
        let from = Some((row, zone));
        let all = self.network.possible(row, zone);
        for transition in all.map_err(|failure| self.fails(failure, from))? {
            self.transitions += 1;
            let effect = self.network.effect(row, &transition).map_err(|failure| self.fails(failure, from))?;
            let target = self.network.arrive(&transition, &effect).map_err(|failure| self.fails(failure, from))?;
            if let Some(target) = target {
                visit(self, &effect.row, &target, &transition.edges)?;
            }
        }
        Ok(())
    }

    /// The states of a row and a zone, and those that delays lead to, are covered.
    fn arrives(
        &mut self,
        cover: &Cover,
        row: &[i32],
        zone: &Zone,
        from: Origin<'_>,
        edges: &[EdgeId],
    ) -> Result<(), Box<Rejection>> {
        let delays = self.network.delays(row, zone);
        let delays = delays.map_err(|failure| self.fails(LocatedFault { edges: edges.to_vec(), ..failure }, from))?;
        for zone in delays {
            let (reason, part) = match cover.outside(row, &zone) {
                Uncovered::Nothing => continue,
                Uncovered::Some(part) if from.is_none() => ("an initial state is not in the certificate", part),
                Uncovered::Some(part) => (LEADS_OUT, part),
                Uncovered::Unknown => (TOO_MANY, zone),
            };
            return Err(self.misses(reason, (row, &part), from, edges));
        }
        Ok(())
    }

    /// Some states should be in the certificate.
    pub(crate) fn misses(
        &mut self,
        reason: &str,
        missing: (&[i32], &Zone),
        from: Origin<'_>,
        edges: &[EdgeId],
    ) -> Box<Rejection> {
        let names = self.names();
        Box::new(Rejection {
            reason: reason.to_owned(),
            state: from.map(|(row, zone)| names.state(row, zone)),
            transition: edges.iter().map(|e| names.edge(*e)).collect(),
            missing: Some(names.state(missing.0, missing.1)),
            fault: None,
        })
    }

    /// The certificate holds a state that it should not.
    pub(crate) fn holds(&mut self, reason: &str, row: &[i32], zone: &Zone) -> Box<Rejection> {
        let state = Some(self.names().state(row, zone));
        Box::new(Rejection { reason: reason.to_owned(), state, ..Rejection::default() })
    }

    /// The model has a run-time error.
    pub(crate) fn fails(&mut self, failure: LocatedFault, from: Origin<'_>) -> Box<Rejection> {
        let names = self.names();
        Box::new(Rejection {
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
