//! Checks that a set of states proves that no state of a goal is reachable. `ranks.rs` has proofs
//! about runs.

use model::{Formula, Property, System, net::Net, system::EdgeId};

use crate::{
    Answer,
    cover::Cover,
    formula::holds,
    markings::check_markings,
    names::Names,
    network::{LocatedFault, NetworkSemantics},
    proof::Proof,
    rejection::{Rejection, RejectionReason},
    union::Uncovered,
    zone::{DifferenceConstraint, Zone},
};

/// The size of a checked proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// The number of discrete states.
    pub rows: usize,
    /// The number of symbolic states.
    pub states: usize,
    /// The number of transitions from them, or of those that clauses were checked for.
    pub transitions: usize,
    /// The number of clauses about the marking of a net.
    pub clauses: usize,
}

/// Checks that a proof proves an answer to a query. `net` is the net that the system represents, if
/// it represents one.
///
/// # Errors
/// The first reason why it does not.
pub fn check(
    system: &System,
    net: Option<&Net>,
    property: &Property,
    answer: Answer,
    proof: &Proof,
) -> Result<Proved, Box<Rejection>> {
    // A proof shows that there is no state or run of a kind.
    let refutes = answer == Answer::NotSatisfied;
    let mut checker = Checker { network: NetworkSemantics::new(system), names: None, transitions: 0 };
    match (proof, property) {
        (Proof::Marking(clauses), Property::State { goal, exists }) if *exists == refutes => {
            let Some(net) = net else {
                let why = "clauses about the marking prove nothing about a model that is not a net";
                return Err(Rejection::new(RejectionReason::WrongKind(why)));
            };
            return check_markings(system, net, goal, clauses);
        }
        (Proof::Cover(cover), Property::State { goal, exists }) if *exists == refutes => checker.closed(goal, cover)?,
        (Proof::Ranks { reached, ranked }, Property::Run { after, always, exists })
            if *exists == refutes && reached.is_some() == after.is_some() =>
        {
            checker.no_run(after.as_ref().zip(reached.as_ref()), always, ranked)?;
        }
        (Proof::Invariant(clauses), Property::State { goal, exists }) if *exists == refutes => {
            let counts = checker.invariant(goal, clauses)?;
            let transitions = checker.transitions;
            return Ok(Proved { rows: counts.rows, states: counts.zones, transitions, clauses: 0 });
        }
        _ => return Err(Rejection::new(RejectionReason::WrongKind(wrong_kind(proof, property)))),
    }
    Ok(Proved { rows: proof.rows(), states: proof.states(), transitions: checker.transitions, clauses: 0 })
}

/// Describes why no proof of this kind proves the claimed answer.
fn wrong_kind(proof: &Proof, property: &Property) -> &'static str {
    match (proof, property) {
        (Proof::Cover(_), Property::State { exists: true, .. }) => {
            "states that cover all others do not prove that `E<>` is satisfied"
        }
        (Proof::Cover(_), Property::State { .. }) => {
            "states that cover all others do not prove that `A[]` is not satisfied"
        }
        (Proof::Cover(_), _) => "states that cover all others prove nothing about a query of this kind",
        (Proof::Ranks { reached: Some(_), .. }, Property::Run { after: None, .. }) => {
            "only a proof about `-->` has states that cover all others"
        }
        (Proof::Ranks { reached: None, .. }, Property::Run { after: Some(_), .. }) => {
            "a proof about `-->` needs states that cover all others"
        }
        (Proof::Ranks { .. }, Property::Run { after: Some(_), .. }) => "ranks do not prove that `-->` is not satisfied",
        (Proof::Ranks { .. }, Property::Run { exists: true, .. }) => "ranks do not prove that `E[]` is satisfied",
        (Proof::Ranks { .. }, Property::Run { .. }) => "ranks do not prove that `A<>` is not satisfied",
        (Proof::Ranks { .. }, _) => "ranks prove nothing about a query of this kind",
        (Proof::Invariant(_) | Proof::Marking(_), Property::State { exists: true, .. }) => {
            "an invariant does not prove that `E<>` is satisfied"
        }
        (Proof::Invariant(_) | Proof::Marking(_), Property::State { .. }) => {
            "an invariant does not prove that `A[]` is not satisfied"
        }
        (Proof::Invariant(_) | Proof::Marking(_), _) => "an invariant proves nothing about a query of this kind",
    }
}

/// The source state of a transition; none for the initial states.
pub(crate) type Origin<'s> = Option<(&'s [i32], &'s Zone)>;

/// A checker of proofs.
pub(crate) struct Checker<'a> {
    pub(crate) network: NetworkSemantics<'a>,
    names: Option<Names>,
    /// The number of transitions that were computed.
    pub(crate) transitions: usize,
}

impl<'a> Checker<'a> {
    /// Checks that the initial states and all their successors are covered, and no state of the
    /// goal is.
    pub(crate) fn closed(&mut self, goal: &Formula, cover: &Cover) -> Result<(), Box<Rejection>> {
        let system = self.network.system;
        if let Some(zone) = self.start()? {
            self.covered(cover, &system.initial, &zone, None, &[])?;
        }
        for (row, constraints) in cover.iter() {
            if let Some(zone) = self.zone(row, constraints)? {
                self.state(goal, cover, row, &zone)?;
            }
        }
        Ok(())
    }

    /// Returns the initial zone; none if it violates an invariant.
    pub(crate) fn start(&mut self) -> Result<Option<Zone>, Box<Rejection>> {
        let system: &'a System = self.network.system;
        let clocks: Vec<i64> = system.clocks.iter().map(|c| i64::from(c.initial)).collect();
        // A model whose initial state violates an invariant has no states.
        let start = self.network.invariants(&system.initial, &Zone::point(&clocks));
        start.map_err(|failure| self.fails(failure, None))
    }

    /// Returns the zone of a state of a certificate, without the valuations that violate an
    /// invariant; none if it is empty. Empty zones are allowed.
    pub(crate) fn zone(
        &mut self,
        row: &[i32],
        constraints: &[DifferenceConstraint],
    ) -> Result<Option<Zone>, Box<Rejection>> {
        let Some(zone) = Zone::of(self.network.system.clocks.len(), constraints) else { return Ok(None) };
        self.network.invariants(row, &zone).map_err(|failure| self.fails(failure, Some((row, &zone))))
    }

    /// Checks that a state is not in the goal, and that its successors are covered.
    fn state(&mut self, goal: &Formula, cover: &Cover, row: &[i32], zone: &Zone) -> Result<(), Box<Rejection>> {
        let found = holds(&mut self.network, goal, row, zone);
        let found = found.map_err(|failure| self.fails(failure, Some((row, zone))))?;
        if let Some(part) = found.first() {
            return Err(self.holds(RejectionReason::HoldsGoal, row, part));
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            checker.covered(cover, target, entry, Some((row, zone)), edges)
        })
    }

    /// Calls `visit` with the successors of a state, before any delay.
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
            let target = self.network.successor(&transition, &effect).map_err(|failure| self.fails(failure, from))?;
            if let Some(target) = target {
                visit(self, &effect.row, &target, &transition.edges)?;
            }
        }
        Ok(())
    }

    /// Checks that a state and its delay successors are covered.
    fn covered(
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
                Uncovered::Some(part) if from.is_none() => (RejectionReason::MissingInitialState, part),
                Uncovered::Some(part) => (RejectionReason::LeadsOut, part),
                Uncovered::Unknown => (RejectionReason::TooManyZones, zone),
            };
            return Err(self.misses(reason, (row, &part), from, edges));
        }
        Ok(())
    }

    /// Rejects a certificate that lacks states.
    pub(crate) fn misses(
        &mut self,
        reason: RejectionReason,
        missing: (&[i32], &Zone),
        from: Origin<'_>,
        edges: &[EdgeId],
    ) -> Box<Rejection> {
        let names = self.names();
        Box::new(Rejection {
            reason,
            state: from.map(|(row, zone)| names.state(row, zone)),
            transition: edges.iter().map(|e| names.edge(*e)).collect(),
            missing: Some(names.state(missing.0, missing.1)),
            fault: None,
        })
    }

    /// Rejects a certificate because of a state in it.
    pub(crate) fn holds(&mut self, reason: RejectionReason, row: &[i32], zone: &Zone) -> Box<Rejection> {
        let state = Some(self.names().state(row, zone));
        Box::new(Rejection { state, ..*Rejection::new(reason) })
    }

    /// Rejects a certificate because of a run-time error of the model.
    pub(crate) fn fails(&mut self, failure: LocatedFault, from: Origin<'_>) -> Box<Rejection> {
        let names = self.names();
        Box::new(Rejection {
            reason: RejectionReason::Fault(failure.fault.kind),
            state: from.map(|(row, zone)| names.state(row, zone)),
            transition: failure.edges.iter().map(|e| names.edge(*e)).collect(),
            missing: None,
            fault: Some(failure.fault),
        })
    }

    /// Returns the names, which are created on demand: most certificates are correct.
    fn names(&mut self) -> &Names {
        let system = self.network.system;
        self.names.get_or_insert_with(|| Names::new(system))
    }
}
