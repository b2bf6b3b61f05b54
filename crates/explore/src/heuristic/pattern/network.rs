//! The network that patterns are taken from.

use model::{Formula, System, symbolic::Symbolic};

use super::{
    super::abstraction::{
        steps::{AbstractStep, AbstractSteps},
        subnetwork::{Writes, writes},
    },
    keep::Pattern,
    neighbours::Neighbours,
};

/// The greatest number of values of a variable that may get an arbitrary value.
const MAX_VALUES: i64 = 8;
/// The greatest number of rows that a step leads to.
const MAX_CHOICES: i64 = 64;

/// A network and a goal.
pub(crate) struct PatternNetwork<'s, 'g> {
    pub system: &'s System,
    pub goal: &'g Formula,
    /// The variables and clocks that each process changes.
    pub writes: Vec<Writes>,
    symbolic: Symbolic<'s>,
}

impl<'s, 'g> PatternNetwork<'s, 'g> {
    pub(crate) fn new(system: &'s System, goal: &'g Formula) -> PatternNetwork<'s, 'g> {
        let mut symbolic = Symbolic::new(system);
        let writes = writes(system, &mut symbolic);
        PatternNetwork { system, goal, writes, symbolic }
    }

    /// Computes the interactions between processes.
    pub(crate) fn neighbours(&mut self) -> Neighbours {
        Neighbours::new(self.system, &mut self.symbolic, self.goal)
    }

    /// Returns the steps of a pattern. Variables with too many values and irrelevant ones are left
    /// out. `None`: there are too many steps.
    pub(crate) fn steps(&mut self, pattern: &Pattern) -> Option<AbstractSteps<'s>> {
        self.steps_without(pattern, |steps| {
            let unknown_slots = too_many_values(steps);
            if unknown_slots.is_empty() { irrelevant(steps) } else { unknown_slots }
        })
    }

    /// Returns the same, also without variables that never get a known value.
    pub(crate) fn known_steps(&mut self, pattern: &Pattern) -> Option<AbstractSteps<'s>> {
        self.steps_without(pattern, |steps| [too_many_values(steps), irrelevant(steps), unknown(steps)].concat())
    }

    /// Returns the steps of a pattern, without the variables that `drops` returns repeatedly.
    fn steps_without(
        &mut self,
        pattern: &Pattern,
        drops: impl Fn(&AbstractSteps<'_>) -> Vec<u32>,
    ) -> Option<AbstractSteps<'s>> {
        let mut pattern = pattern.clone();
        loop {
            let subnetwork = pattern.subnetwork(self.system, &self.writes);
            let steps = AbstractSteps::new(self.system, &mut self.symbolic, subnetwork, self.goal)?;
            let dropped = drops(&steps);
            if dropped.is_empty() {
                return Some(steps);
            }
            pattern.slots.clone_from(&steps.subnetwork.slots);
            dropped.iter().for_each(|slot| pattern.slots[*slot as usize] = false);
        }
    }
}

/// Returns the slots that may get too many values at once.
fn too_many_values(steps: &AbstractSteps<'_>) -> Vec<u32> {
    let system = steps.system;
    let mut out = Vec::new();
    for step in &steps.steps {
        let mut choices = 1_i64;
        for slot in unknown_slots(step, &steps.subnetwork.slots) {
            let is_location = (slot as usize) < system.processes.len();
            let size = if is_location {
                i64::from(system.processes[slot as usize].locations)
            } else {
                let (low, high) = system.ranges[slot as usize];
                i64::from(high) - i64::from(low) + 1
            };
            choices = choices.saturating_mul(size);
            if choices > MAX_CHOICES || !is_location && size > MAX_VALUES {
                out.push(slot);
            }
        }
    }
    out
}

/// Returns the slots that a step assigns an unknown value.
fn unknown_slots<'a>(step: &'a AbstractStep, slots: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
    let moves = step.moves.iter().filter(|m| m.locations.is_none()).map(|m| m.process);
    let writes = step.writes.iter().filter(|(_, term)| term.is_none()).map(|(slot, _)| *slot);
    moves.chain(writes).filter(|slot| slots[*slot as usize])
}

/// Returns the variables that are assigned unknown values only.
fn unknown(steps: &AbstractSteps<'_>) -> Vec<u32> {
    let mut known = vec![false; steps.subnetwork.slots.len()];
    let mut written = known.clone();
    for (slot, term) in steps.steps.iter().flat_map(|step| &step.writes) {
        written[*slot as usize] = true;
        known[*slot as usize] |= term.is_some();
    }
    (0..written.len() as u32).filter(|slot| written[*slot as usize] && !known[*slot as usize]).collect()
}

/// Returns the variables that are irrelevant, directly and via others.
fn irrelevant(steps: &AbstractSteps<'_>) -> Vec<u32> {
    let mut decides = vec![false; steps.subnetwork.slots.len()];
    decides[..steps.system.processes.len()].fill(true);
    let targets = steps.targets.iter().flat_map(|target| &target.conditions);
    let conditions = steps.steps.iter().flat_map(|step| &step.conditions).chain(targets);
    for slot in conditions.flat_map(|atom| steps.terms.atom_support(*atom).unwrap_or_default()) {
        decides[slot as usize] = true;
    }
    loop {
        let mut changed = false;
        for (slot, term) in steps.steps.iter().flat_map(|step| &step.writes) {
            let Some(term) = term.filter(|_| decides[*slot as usize]) else { continue };
            for from in steps.terms.support(term).unwrap_or_default() {
                changed |= !std::mem::replace(&mut decides[*from as usize], true);
            }
        }
        if !changed {
            break;
        }
    }
    let kept = (0..).zip(&steps.subnetwork.slots).filter(|(_, kept)| **kept).map(|(slot, _)| slot);
    kept.filter(|slot: &u32| !decides[*slot as usize]).collect()
}
