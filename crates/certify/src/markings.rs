//! Checks that clauses about the marking of a net prove that no state of a goal is reachable.
//!
//! The clauses hold in the initial marking, and a firing from a marking in which all of them hold
//! leads to such a marking, whatever the time is. No such firing puts a token on a marked place.
//! Time only forbids firings, so all reachable markings satisfy the clauses. None of them may
//! satisfy the goal, in which constraints on the time count as satisfied.
//!
//! Each of these conditions says that clauses and a few literals are contradictory. Unit
//! propagation shows it, with the lemmas of the certificate: each of them follows by unit
//! propagation, too, from what comes before it.

use model::{
    Formula, System,
    machine::{Fault, FaultKind, Machine},
    net::{Arc, Interval, Net, Timing, Transition},
};

use crate::{
    check::Proved,
    clauses::{ClauseLiteral, Clauses, Relation},
    names::Names,
    propagate::{PlainLiteral, Propagator},
    rejection::{Rejection, RejectionReason},
};

/// Clauses about the marking of a net, which never cease to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkingClauses {
    /// The clauses. Their literals are `p=0` and `p=1`.
    pub clauses: Clauses,
    /// Clauses that follow from them.
    pub lemmas: Clauses,
    /// Clauses that follow from them if no transition can fire.
    pub dead: Clauses,
}

/// The greatest number of places on which one condition of the goal depends.
const MAX_PLACES: usize = 12;
/// The greatest number of cases of the goal.
const MAX_CASES: usize = 1 << 14;

/// A case of the goal: literals, and whether no transition can fire.
#[derive(Clone, Debug, Default)]
struct GoalCase {
    cube: Vec<PlainLiteral>,
    dead: bool,
}

type Checked<T> = Result<T, Box<Rejection>>;

/// Checks that clauses about the marking exclude a goal.
pub(crate) fn check_markings(system: &System, net: &Net, goal: &Formula, proof: &MarkingClauses) -> Checked<Proved> {
    MarkingChecker { system, net, names: None }.check(goal, proof)
}

struct MarkingChecker<'a> {
    system: &'a System,
    net: &'a Net,
    names: Option<Names>,
}

impl MarkingChecker<'_> {
    fn check(&mut self, goal: &Formula, proof: &MarkingClauses) -> Checked<Proved> {
        let arcs =
            |t: &Transition| [&t.takes, &t.puts, &t.tests, &t.inhibitors].into_iter().flatten().copied().collect();
        let mut arcs = self.net.transitions.iter().flat_map(|t| -> Vec<Arc> { arcs(t) });
        if self.net.places.iter().any(|p| p.tokens > 1) || arcs.any(|arc| arc.weight != 1) {
            return Err(Rejection::new(RejectionReason::WrongKind(
                "clauses about the marking are for nets with one token on a place and arcs of weight 1",
            )));
        }
        let clauses = self.literals(&proof.clauses)?;
        for clause in &clauses {
            if !clause.iter().any(|l| is_marked(*l) == (self.net.places[place(*l)].tokens > 0)) {
                return Err(self.violated(RejectionReason::InitialViolation, clause, None));
            }
        }
        let mut known = Propagator::new(self.net.places.len());
        clauses.iter().for_each(|clause| known.add(clause.clone()));
        self.derive(&mut known, &proof.lemmas)?;
        let transitions = self.inductive(&mut known, &clauses)?;
        self.excludes(known, goal, &proof.dead)?;
        Ok(Proved { clauses: clauses.len(), transitions, ..Proved::default() })
    }

    /// Fails if a limit was reached.
    fn check_stop(&self) -> Checked<()> {
        match self.system.code.stopped() {
            None => Ok(()),
            Some(stop) => Err(failed(Fault { kind: FaultKind::Stopped(stop), pc: u32::MAX })),
        }
    }

    /// Returns clauses as literals of places.
    fn literals(&self, clauses: &Clauses) -> Checked<Vec<Vec<PlainLiteral>>> {
        let first = self.system.processes.len();
        let literal = |literal: &ClauseLiteral| match *literal {
            ClauseLiteral::Number { slot, relation: Relation::Is, value: value @ (0 | 1) } => {
                let place = (slot as usize).checked_sub(first).filter(|place| *place < self.net.places.len());
                place.map(|place| literal_of(place, value == 1))
            }
            _ => None,
        };
        let clause = |clause: &Vec<ClauseLiteral>| clause.iter().map(literal).collect::<Option<Vec<_>>>();
        clauses.list.iter().map(clause).collect::<Option<Vec<_>>>().ok_or_else(|| {
            Rejection::new(RejectionReason::WrongKind(
                "clauses about the marking say that places have one token, or none",
            ))
        })
    }

    /// Adds lemmas, each of which must follow.
    fn derive(&mut self, known: &mut Propagator, lemmas: &Clauses) -> Checked<()> {
        for lemma in self.literals(lemmas)? {
            self.check_stop()?;
            if !known.refutes(lemma.iter().map(|l| l ^ 1)) {
                return Err(self.violated(RejectionReason::Lemma, &lemma, None));
            }
            known.add(lemma);
        }
        Ok(())
    }

    /// Checks that no firing violates a clause or puts a token on a marked place. Returns the
    /// number of pairs of a transition and a clause that it could violate.
    fn inductive(&mut self, known: &mut Propagator, clauses: &[Vec<PlainLiteral>]) -> Checked<usize> {
        // The clauses with each literal.
        let mut with = vec![Vec::new(); 2 * self.net.places.len()];
        for (number, clause) in clauses.iter().enumerate() {
            clause.iter().for_each(|l| with[*l as usize].push(number));
        }
        let net = self.net;
        let mut pairs = 0;
        for t in &net.transitions {
            self.check_stop()?;
            let mut enabled = self.enabled(t);
            if known.refutes(enabled.iter().copied()) {
                continue;
            }
            let has = |arcs: &[Arc], place: usize| arcs.iter().any(|arc| arc.place as usize == place);
            // The literals that a firing falsifies.
            let mut falsified = Vec::new();
            for arc in t.puts.iter().filter(|arc| !has(&t.takes, arc.place as usize)) {
                let full = literal_of(arc.place as usize, true);
                if !known.refutes(enabled.iter().copied().chain([full])) {
                    return Err(self.violated(RejectionReason::Contact, &[full], Some(t)));
                }
                falsified.push(full ^ 1);
            }
            enabled.extend(&falsified);
            let taken = t.takes.iter().filter(|arc| !has(&t.puts, arc.place as usize));
            falsified.extend(taken.map(|arc| literal_of(arc.place as usize, true)));
            let mut touched: Vec<usize> = falsified.iter().flat_map(|l| with[*l as usize].iter().copied()).collect();
            touched.sort_unstable();
            touched.dedup();
            for number in touched {
                pairs += 1;
                let clause = &clauses[number];
                // The marking before a firing after which no literal holds.
                let before = clause.iter().filter_map(|l| match (has(&t.takes, place(*l)), has(&t.puts, place(*l))) {
                    (_, true) => is_marked(*l).then_some(None),
                    (true, false) => (!is_marked(*l)).then_some(None),
                    (false, false) => Some(Some(*l ^ 1)),
                });
                let Some(before) = before.collect::<Option<Vec<_>>>() else { continue };
                if !known.refutes(enabled.iter().copied().chain(before)) {
                    return Err(self.violated(RejectionReason::LeadsOut, clause, Some(t)));
                }
            }
        }
        Ok(pairs)
    }

    /// Checks that no case of the goal is possible.
    fn excludes(&mut self, mut known: Propagator, goal: &Formula, dead: &Clauses) -> Checked<()> {
        let cases = self.cases(goal)?;
        let (dead_cases, others): (Vec<GoalCase>, Vec<GoalCase>) = cases.into_iter().partition(|case| case.dead);
        for case in others {
            if !known.refutes(case.cube.iter().copied()) {
                return Err(self.violated(RejectionReason::InvariantReachesGoal, &case.cube, None));
            }
        }
        if dead_cases.is_empty() {
            return Ok(());
        }
        for t in &self.net.transitions {
            let needs = t.takes.iter().chain(&t.tests).map(|arc| literal_of(arc.place as usize, false));
            let hinders = t.inhibitors.iter().map(|arc| literal_of(arc.place as usize, true));
            known.add(needs.chain(hinders).collect());
        }
        self.derive(&mut known, dead)?;
        for case in dead_cases {
            if !known.refutes(case.cube.iter().copied()) {
                return Err(self.violated(RejectionReason::InvariantReachesGoal, &case.cube, None));
            }
        }
        Ok(())
    }

    /// Returns the literals that hold where a transition fires. A token that is not available yet
    /// does not inhibit.
    fn enabled(&self, t: &Transition) -> Vec<PlainLiteral> {
        let needs = t.takes.iter().chain(&t.tests).map(|arc| literal_of(arc.place as usize, true));
        let is_instant = |arc: &&Arc| {
            self.net.timing != Timing::Places || self.net.places[arc.place as usize].delay == Interval::NOW
        };
        let hinders = t.inhibitors.iter().filter(is_instant).map(|arc| literal_of(arc.place as usize, false));
        needs.chain(hinders).collect()
    }

    /// Returns cases that include all states of a goal.
    fn cases(&self, goal: &Formula) -> Checked<Vec<GoalCase>> {
        self.check_stop()?;
        Ok(match goal {
            Formula::False => Vec::new(),
            Formula::True
            | Formula::Clock(_)
            | Formula::Deadlock { negated: true }
            | Formula::NetDeadlock { negated: true, .. } => vec![GoalCase::default()],
            Formula::Deadlock { negated: false } | Formula::NetDeadlock { negated: false, .. } => {
                vec![GoalCase { cube: Vec::new(), dead: true }]
            }
            Formula::Condition(_) => self.condition(goal)?,
            Formula::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.cases(part)?);
                    limited(all.len())?;
                }
                all
            }
            Formula::And(parts) => {
                let mut all = vec![GoalCase::default()];
                for part in parts {
                    let more = self.cases(part)?;
                    limited(all.len().saturating_mul(more.len()))?;
                    all = all.iter().flat_map(|one| more.iter().map(|other| both(one, other))).collect();
                }
                all
            }
        })
    }

    /// Returns the markings of the places on which a condition depends that satisfy it.
    fn condition(&self, condition: &Formula) -> Checked<Vec<GoalCase>> {
        let Formula::Condition(pc) = condition else { return Ok(vec![GoalCase::default()]) };
        let first = self.system.processes.len();
        let slots = self.system.slots_read(condition);
        let places: Vec<usize> = slots.iter().filter_map(|slot| (*slot as usize).checked_sub(first)).collect();
        if places.len() < slots.len() || places.iter().any(|place| *place >= self.net.places.len()) {
            // It depends on more than the marking.
            return Ok(vec![GoalCase::default()]);
        }
        if places.len() > MAX_PLACES {
            return Err(Rejection::new(RejectionReason::TooManyCases));
        }
        let mut machine = Machine::new(&self.system.code, self.system.initial.len());
        let mut row = self.system.initial.clone();
        let mut cases = Vec::new();
        for number in 0..1_u32 << places.len() {
            for (bit, place) in places.iter().enumerate() {
                row[first + place] = (number >> bit & 1) as i32;
            }
            machine.load(&row);
            if machine.test(*pc).map_err(failed)? {
                let cube = places.iter().map(|place| literal_of(*place, row[first + place] == 1)).collect();
                cases.push(GoalCase { cube, dead: false });
            }
        }
        Ok(cases)
    }

    /// Rejects a certificate because of a clause or of a marking, and of a transition.
    fn violated(
        &mut self,
        reason: RejectionReason,
        literals: &[PlainLiteral],
        t: Option<&Transition>,
    ) -> Box<Rejection> {
        let first = self.system.processes.len();
        let names = self.names.get_or_insert_with(|| Names::new(self.system));
        let number = |l: &PlainLiteral| ClauseLiteral::Number {
            slot: (first + place(*l)) as u32,
            relation: Relation::Is,
            value: i32::from(is_marked(*l)),
        };
        let text = names.clause(&literals.iter().map(number).collect::<Vec<_>>());
        let transition = t.map(|t| t.written.clone()).into_iter().collect();
        Box::new(Rejection { state: Some(text), transition, ..*Rejection::new(reason) })
    }
}

fn literal_of(place: usize, marked: bool) -> PlainLiteral {
    (place as u32) << 1 | u32::from(!marked)
}

fn place(literal: PlainLiteral) -> usize {
    (literal >> 1) as usize
}

fn is_marked(literal: PlainLiteral) -> bool {
    literal & 1 == 0
}

fn both(one: &GoalCase, other: &GoalCase) -> GoalCase {
    GoalCase { cube: one.cube.iter().chain(&other.cube).copied().collect(), dead: one.dead || other.dead }
}

fn limited(cases: usize) -> Checked<()> {
    if cases > MAX_CASES { Err(Rejection::new(RejectionReason::TooManyCases)) } else { Ok(()) }
}

fn failed(fault: Fault) -> Box<Rejection> {
    Box::new(Rejection { fault: Some(fault), ..*Rejection::new(RejectionReason::Fault(fault.kind)) })
}
