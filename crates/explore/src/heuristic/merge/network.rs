//! Splits a network into factors: one for each process, and one for each slot with few values.

use std::collections::{BTreeMap, HashMap};

use model::{Formula, System, symbolic::Symbolic};

use super::{
    super::abstraction::{
        steps::{AbstractStep, AbstractSteps},
        subnetwork::{self, Subnetwork},
    },
    cascade::Cascade,
    factor::{Factor, Hop, unreached},
    ground::{Change, Domains, Fixed},
    pool::{FactorLabel, Pool},
    starts::starts,
};

/// Slots with more values are not factors, unless they are locations.
const MAX_VALUES: i64 = 64;
/// Processes with more locations are not factors.
const MAX_LOCATIONS: u32 = 1 << 14;
/// The greatest number of labels of a step.
const MAX_CHOICES: usize = 64;
/// The number of labels from which on steps are not grounded.
const GROUNDED_LABELS: usize = 1 << 16;
/// The number of distinguished disjuncts of the goal.
const MAX_GOALS: usize = 64;

/// Returns the factors of a network, and the tables from rows to their states; `None`: the network
/// has too many steps.
pub(super) fn factors(system: &System, goal: &Formula) -> Option<(Pool, Cascade)> {
    let mut symbolic = Symbolic::new(system);
    let writes = subnetwork::writes(system, &mut symbolic);
    let processes = system.processes.len();
    let mut subnetwork = Subnetwork::new(system, &writes, vec![true; processes]);
    subnetwork.clocks.truncate(1);
    for slot in processes..subnetwork.slots.len() {
        let (low, high) = system.ranges[slot];
        subnetwork.slots[slot] &= i64::from(high) - i64::from(low) < MAX_VALUES;
    }
    // These may have any value in a row.
    for variable in system.unread.iter().map(|number| &system.variables[*number as usize]) {
        subnetwork.slots[variable.first as usize..][..variable.shape.size().ints as usize].fill(false);
    }
    let steps = AbstractSteps::new(system, &mut symbolic, subnetwork, goal)?;
    let mut builder = FactorBuilder { domains: domains(&steps), steps: &steps, labels: Vec::new(), groups: Vec::new() };
    builder.groups = vec![HashMap::new(); builder.domains.slots.len()];
    steps.steps.iter().for_each(|step| builder.add(step));
    Some(builder.finish())
}

/// Returns the slots that are factors.
fn domains(steps: &AbstractSteps<'_>) -> Domains {
    let system = steps.system;
    let mut slots = vec![None; system.initial.len()];
    for (slot, domain) in slots.iter_mut().enumerate().filter(|(slot, _)| steps.subnetwork.slots[*slot]) {
        let count = |(low, high): (i32, i32)| u32::try_from(i64::from(high) - i64::from(low) + 1).ok();
        *domain = match system.processes.get(slot) {
            Some(process) => Some((0, process.locations)).filter(|(_, count)| *count <= MAX_LOCATIONS),
            None => count(system.ranges[slot]).map(|count| (system.ranges[slot].0, count)),
        };
        let is_inside = |(low, count): &(i32, u32)| {
            (0..i64::from(*count)).contains(&(i64::from(system.initial[slot]) - i64::from(*low)))
        };
        *domain = domain.filter(is_inside);
    }
    // If a process may move from anywhere to anywhere, there are too many hops.
    for step in &steps.steps {
        for other in step.moves.iter().filter(|other| other.locations.is_none()) {
            let domain = &mut slots[other.process as usize];
            *domain = domain.filter(|(_, count)| i64::from(*count) <= MAX_VALUES);
        }
    }
    Domains { slots }
}

struct FactorBuilder<'s> {
    steps: &'s AbstractSteps<'s>,
    domains: Domains,
    labels: Vec<FactorLabel>,
    /// The groups of each slot.
    groups: Vec<HashMap<Vec<Hop>, u32>>,
}

impl FactorBuilder<'_> {
    /// Adds the labels of a step. Their factors are slots here.
    fn add(&mut self, step: &AbstractStep) {
        let terms = &self.steps.terms;
        let mut changes: BTreeMap<u32, Change> = BTreeMap::new();
        for other in &step.moves {
            let change = other.locations.map_or(Change::Any, |(from, to)| Change::Goes(from as i32, to as i32));
            changes.insert(other.process, change);
        }
        changes.extend(step.writes.iter().map(|(slot, term)| (*slot, term.map_or(Change::Any, Change::Becomes))));
        for atom in &step.conditions {
            for slot in self.domains.of_atom(terms, *atom).unwrap_or_default() {
                changes.entry(slot).or_insert(Change::Stays);
            }
        }
        changes.retain(|slot, _| self.domains.slots[*slot as usize].is_some());
        let max = if self.labels.len() < GROUNDED_LABELS { MAX_CHOICES } else { 1 };
        for fixed in self.domains.choices(terms, &step.conditions, &step.writes, max) {
            fixed.keys().for_each(|slot| _ = changes.entry(*slot).or_insert(Change::Stays));
            self.label(step, &fixed, &changes);
        }
    }

    fn label(&mut self, step: &AbstractStep, fixed: &Fixed, changes: &BTreeMap<u32, Change>) {
        let mut label = FactorLabel { is_committed: step.is_committed, places: Vec::new() };
        for (&slot, &change) in changes {
            let mut hops = self.domains.hops(&self.steps.terms, &step.conditions, slot, fixed, change);
            if !step.is_committed {
                hops.retain(|hop| !self.is_committed(slot, hop.0));
            }
            if hops.is_empty() {
                return;
            }
            let next = self.groups[slot as usize].len() as u32;
            label.places.push((slot, *self.groups[slot as usize].entry(hops).or_insert(next)));
        }
        self.labels.push(label);
    }

    fn is_committed(&self, slot: u32, state: u32) -> bool {
        (slot as usize) < self.steps.system.processes.len() && self.steps.place(slot, state).is_committed
    }

    /// Returns for each slot and each value the disjuncts of the goal, and the bits of all
    /// disjuncts.
    fn goals(&self) -> (Vec<Vec<u64>>, u64) {
        let terms = &self.steps.terms;
        let disjuncts = |max: usize| {
            let targets = self.steps.targets.iter().map(|target| &target.conditions);
            let all = targets.flat_map(|conditions| {
                let choices = self.domains.choices(terms, conditions, &[], max);
                choices.into_iter().map(move |fixed| (conditions, fixed))
            });
            all.collect::<Vec<_>>()
        };
        let mut all = disjuncts(MAX_CHOICES);
        if all.len() > MAX_GOALS {
            all = disjuncts(1);
        }
        // With more disjuncts, several share a bit.
        let bit = |number: usize| 1_u64 << (number % MAX_GOALS);
        let bits = (0..all.len()).fold(0, |bits, number| bits | bit(number));
        let of_slot = |slot: u32| {
            let Some((low, count)) = self.domains.slots[slot as usize] else { return Vec::new() };
            let mut own = vec![0; count as usize];
            for (number, (conditions, fixed)) in all.iter().enumerate() {
                for value in self.domains.left(terms, conditions, slot, fixed) {
                    own[(value - low) as usize] |= bit(number);
                }
            }
            own
        };
        ((0..self.domains.slots.len() as u32).map(of_slot).collect(), bits)
    }

    fn finish(self) -> (Pool, Cascade) {
        let (goals, all_goals) = self.goals();
        let mut pool = Pool { goals: all_goals, ..Pool::default() };
        let mut cascade = Cascade::default();
        let starts = starts(self.steps.system);
        let mut numbers = vec![u32::MAX; goals.len()];
        for (slot, goals) in goals.into_iter().enumerate() {
            let Some((low, count)) = self.domains.slots[slot] else { continue };
            let state = |value: i32| {
                let state = u32::try_from(i64::from(value) - i64::from(low)).ok();
                state.filter(|state| *state < count).unwrap_or(unreached(0))
            };
            let mut groups = vec![Vec::new(); self.groups[slot].len()];
            self.groups[slot].iter().for_each(|(hops, group)| groups[*group as usize].clone_from(hops));
            numbers[slot] = pool.factors.len() as u32;
            pool.live.push(numbers[slot]);
            pool.factors.push(Factor {
                goals,
                committed: (0..count).map(|state| self.is_committed(slot as u32, state)).collect(),
                starts: starts.iter().map(|row| state(row[slot])).collect(),
                groups,
                distances: Vec::new(),
                node: cascade.slot(slot, low, count as usize),
            });
        }
        pool.labels = self.labels;
        pool.labels.iter_mut().flat_map(|l| &mut l.places).for_each(|place| place.0 = numbers[place.0 as usize]);
        (pool, cascade)
    }
}
