//! The steps of a pattern as guards and assignments of bits.

use std::collections::BTreeMap;

use super::{
    super::super::abstraction::steps::{AbstractStep, AbstractSteps},
    encoding::{Encoding, SlotBits},
    expressions::Expressions,
};
use crate::diagram::{Assigned, BitAssignment, BitRule, Diagram, DiagramResult, Diagrams};

/// The rules of a pattern.
#[derive(Clone, Debug)]
pub(super) struct BitRules {
    /// The steps; those with the same assignment are one.
    pub rules: Vec<BitRule>,
    /// The goal.
    pub goal: Diagram,
    /// The rows with values in their ranges.
    pub valid: Diagram,
    /// Whether an expression has too many values, and was relaxed.
    pub relaxes: bool,
}

impl BitRules {
    /// Makes the rules of a pattern.
    pub(super) fn new(
        steps: &AbstractSteps<'_>,
        encoding: &Encoding,
        diagrams: &mut Diagrams<'_>,
    ) -> DiagramResult<BitRules> {
        let expressions = Expressions::new(&steps.terms, encoding);
        let mut maker = RuleMaker { steps, encoding, expressions, committed: Diagram::FALSE };
        maker.committed = maker.committed(diagrams)?;
        let valid = encoding.valid(diagrams)?;
        let mut goal = Diagram::FALSE;
        for target in &steps.targets {
            let mut set = valid;
            for atom in &target.conditions {
                if let Some(condition) = maker.expressions.condition(diagrams, *atom)? {
                    set = diagrams.and(condition, set)?;
                }
            }
            goal = diagrams.or(set, goal)?;
        }
        // Regression distributes over guards.
        let mut guards: BTreeMap<BitAssignment, Diagram> = BTreeMap::new();
        for step in &steps.steps {
            let (guard, assignment) = maker.rule(diagrams, step)?;
            let known = guards.entry(assignment).or_insert(Diagram::FALSE);
            *known = diagrams.or(guard, *known)?;
        }
        // Steps that change nothing lead nowhere.
        guards.retain(|assignment, guard| *guard != Diagram::FALSE && !assignment.bits.is_empty());
        let rules = diagrams.rules(guards.into_iter().map(|(assignment, guard)| (guard, assignment)));
        Ok(BitRules { rules, goal, valid, relaxes: maker.expressions.relaxes })
    }

    /// Returns all diagrams.
    pub(super) fn diagrams(&mut self) -> impl Iterator<Item = &mut Diagram> {
        self.rules.iter_mut().flat_map(BitRule::diagrams).chain([&mut self.goal, &mut self.valid])
    }
}

struct RuleMaker<'a, 's> {
    steps: &'a AbstractSteps<'s>,
    encoding: &'a Encoding,
    expressions: Expressions<'a>,
    /// The rows with a committed location.
    committed: Diagram,
}

impl RuleMaker<'_, '_> {
    fn committed(&self, diagrams: &mut Diagrams<'_>) -> DiagramResult {
        let mut set = Diagram::FALSE;
        for (process, own) in (0..).zip(&self.steps.system.processes) {
            let Some(bits) = self.encoding.of(process) else { continue };
            for location in (0..own.locations).filter(|location| self.steps.place(process, *location).is_committed) {
                let there = bits.equals(diagrams, location)?;
                set = diagrams.or(there, set)?;
            }
        }
        Ok(set)
    }

    fn rule(&mut self, diagrams: &mut Diagrams<'_>, step: &AbstractStep) -> DiagramResult<(Diagram, BitAssignment)> {
        let mut guard = Diagram::TRUE;
        let mut bits: BTreeMap<u32, Assigned> = BTreeMap::new();
        for own in &step.moves {
            let Some(place) = self.encoding.of(own.process) else { continue };
            match own.locations {
                Some((from, to)) => {
                    let there = place.equals(diagrams, from)?;
                    guard = diagrams.and(there, guard)?;
                    let constant = |set: bool| if set { Diagram::TRUE } else { Diagram::FALSE };
                    let bit = |significance| constant(to >> significance & 1 == 1);
                    bits.extend((0..place.width).map(|s| (place.level(s), Assigned::Value(bit(s)))));
                }
                None => bits.extend(any(place)),
            }
        }
        for atom in &step.conditions {
            if let Some(condition) = self.expressions.condition(diagrams, *atom)? {
                guard = diagrams.and(condition, guard)?;
            }
        }
        for (slot, term) in &step.writes {
            let Some(place) = self.encoding.of(*slot) else { continue };
            let value = match term {
                Some(term) => self.expressions.value(diagrams, *term, place)?,
                None => None,
            };
            match value {
                Some(value) => {
                    guard = diagrams.and(value.defined, guard)?;
                    let values = (0..).zip(value.bits).map(|(s, bit)| (place.level(s), Assigned::Value(bit)));
                    bits.extend(values);
                }
                None => bits.extend(any(place)),
            }
        }
        if !step.is_committed && !step.has_others {
            guard = diagrams.without(guard, self.committed)?;
        }
        // A bit that keeps its value is not assigned.
        let mut assignment = BitAssignment::default();
        for (level, assigned) in bits {
            let own = diagrams.node(level, Diagram::FALSE, Diagram::TRUE)?;
            if assigned != Assigned::Value(own) {
                assignment.bits.push((level, assigned));
            }
        }
        Ok((guard, assignment))
    }
}

/// Returns arbitrary values for the bits of a slot.
fn any(place: &SlotBits) -> impl Iterator<Item = (u32, Assigned)> {
    (place.first_level..place.first_level + place.width).map(|level| (level, Assigned::Any))
}
