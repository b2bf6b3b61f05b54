//! The markings that must not be reached.

use model::{Formula, System, machine::Machine, net::Net};
use smt::{Term, Terms};

use super::cube::{Firings, MarkingCube, lacking, literal, normal};
use crate::{
    EncodingError,
    code::{Stop, check_stop},
};

/// The markings of a goal, and those in which a firing puts a token on a marked place.
pub(super) struct MarkingGoal {
    /// The goal as cases, in which constraints on the time count as satisfied.
    pub cases: Vec<GoalCase>,
    /// The term "no transition can fire".
    pub dead: Term,
    /// Markings in which a firing puts a token on a marked place.
    pub contacts: Vec<MarkingCube>,
}

/// A case of the goal.
#[derive(Clone, Debug, Default)]
pub(super) struct GoalCase {
    /// The marking of some places.
    pub cube: MarkingCube,
    /// Whether no transition can fire.
    pub dead: bool,
}

/// The greatest number of places on which a condition depends, and of cases of the goal. A checker
/// of certificates enumerates them.
const MAX_PLACES: usize = 12;
const MAX_CASES: usize = 1 << 14;

impl MarkingGoal {
    /// Returns the markings of a goal; `None` if there are too many cases, or the goal may fail.
    pub(super) fn new(
        firings: &Firings<'_>,
        (system, stop): (&System, &Stop<'_>),
        goal: &Formula,
        terms: &mut Terms,
        places: &[Term],
    ) -> Result<Option<MarkingGoal>, EncodingError> {
        let net = firings.net;
        let Some(cases) = cases(net, (system, stop), goal)? else { return Ok(None) };
        let mut parts = Vec::new();
        let mut contacts = Vec::new();
        for t in &net.transitions {
            check_stop(stop)?;
            let absent = t.takes.iter().chain(&t.tests).map(|arc| !places[arc.place as usize]);
            let there = t.inhibitors.iter().map(|arc| places[arc.place as usize]);
            parts.push(terms.or(absent.chain(there)));
            for place in lacking(&t.puts, &t.takes) {
                let mut cube = firings.enabled(t);
                cube.push(literal(place, true));
                contacts.extend(normal(cube));
            }
        }
        Ok(Some(MarkingGoal { cases, dead: terms.and(parts), contacts }))
    }
}

/// Returns markings of a case in all of which no transition can fire, from one of them.
pub(super) fn dead_cube(net: &Net, case: &GoalCase, mut marked: impl FnMut(u32) -> bool) -> MarkingCube {
    let mut cube = case.cube.clone();
    for t in &net.transitions {
        let absent = t.takes.iter().chain(&t.tests).map(|arc| literal(arc.place, false));
        let reasons: Vec<_> = absent.chain(t.inhibitors.iter().map(|arc| literal(arc.place, true))).collect();
        if !reasons.iter().any(|l| cube.contains(l)) {
            cube.extend(reasons.into_iter().find(|l| marked(l.place) == l.marked));
        }
    }
    cube.sort_unstable();
    cube.dedup();
    cube
}

/// Returns cases that include all states of a goal.
fn cases(
    net: &Net,
    (system, stop): (&System, &Stop<'_>),
    goal: &Formula,
) -> Result<Option<Vec<GoalCase>>, EncodingError> {
    check_stop(stop)?;
    Ok(Some(match goal {
        Formula::False => Vec::new(),
        Formula::True
        | Formula::Clock(_)
        | Formula::Deadlock { negated: true }
        | Formula::NetDeadlock { negated: true, .. } => vec![GoalCase::default()],
        Formula::Deadlock { negated: false } | Formula::NetDeadlock { negated: false, .. } => {
            vec![GoalCase { cube: Vec::new(), dead: true }]
        }
        Formula::Condition(_) => return Ok(condition(net, system, goal)),
        Formula::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                let Some(more) = cases(net, (system, stop), part)? else { return Ok(None) };
                all.extend(more);
            }
            if all.len() > MAX_CASES {
                return Ok(None);
            }
            all
        }
        Formula::And(parts) => {
            let mut all = vec![GoalCase::default()];
            for part in parts {
                let Some(more) = cases(net, (system, stop), part)? else { return Ok(None) };
                if all.len().saturating_mul(more.len()) > MAX_CASES {
                    return Ok(None);
                }
                let both = |one: &GoalCase, other: &GoalCase| {
                    let cube = normal([&one.cube[..], &other.cube].concat())?;
                    Some(GoalCase { cube, dead: one.dead || other.dead })
                };
                all = all.iter().flat_map(|one| more.iter().filter_map(move |other| both(one, other))).collect();
            }
            all
        }
    }))
}

/// Returns the markings of the places on which a condition depends that satisfy it.
fn condition(net: &Net, system: &System, condition: &Formula) -> Option<Vec<GoalCase>> {
    let Formula::Condition(pc) = condition else { return None };
    let first = system.processes.len() as u32;
    let slots = system.slots_read(condition);
    let places: Vec<u32> = slots.iter().filter_map(|slot| slot.checked_sub(first)).collect();
    if places.len() < slots.len() || places.iter().any(|place| *place as usize >= net.places.len()) {
        // It depends on more than the marking.
        return Some(vec![GoalCase::default()]);
    }
    if places.len() > MAX_PLACES {
        return None;
    }
    let mut machine = Machine::new(&system.code, system.initial.len());
    let mut row = system.initial.clone();
    let mut cases = Vec::new();
    for number in 0..1_u32 << places.len() {
        let marked = |bit: usize| number >> bit & 1 == 1;
        for (bit, place) in places.iter().enumerate() {
            row[(first + place) as usize] = i32::from(marked(bit));
        }
        machine.load(&row);
        if machine.test(*pc).ok()? {
            let cube = places.iter().enumerate().map(|(bit, place)| literal(*place, marked(bit))).collect();
            cases.push(GoalCase { cube, dead: false });
        }
    }
    Some(cases)
}
