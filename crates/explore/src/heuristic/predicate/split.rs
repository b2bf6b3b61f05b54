//! Splits a network into loosely coupled subnetworks.
//!
//! An effect of one process *may affect* a condition of another one if a variable or clock that it
//! changes, or one that depends on that through assignments, is in the condition; a sender may
//! affect a receiver. The processes with the strongest interaction are put together first, as long
//! as a subnetwork has no more processes than a bound. Only subnetworks with a process that the
//! goal concerns are useful.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    Formula, System,
    symbolic::{Path, Symbolic},
    system::{ClockConstraint, ClockTerm, Guard, Sync},
};

use super::super::cases::cases;

/// The conditions and effects of a process.
#[derive(Default)]
struct ProcessInteraction {
    /// The changed variables and clocks, with the number of edges.
    effects: BTreeMap<u32, u64>,
    /// The variables and clocks of each condition.
    conditions: Vec<BTreeSet<u32>>,
    /// The number of edges that send and receive on each channel.
    sends: BTreeMap<u32, u64>,
    receives: BTreeMap<u32, u64>,
    /// The number of edges with each event.
    events: BTreeMap<u32, u64>,
}

/// The interactions between processes.
pub(crate) struct NetworkSplit<'s> {
    system: &'s System,
    /// The processes that the goal concerns.
    wanted: Vec<bool>,
    weights: Vec<Vec<u64>>,
    /// The variables and clocks that each one may affect through assignments, including itself.
    affected: Vec<BTreeSet<u32>>,
}

/// With more processes, each is a subnetwork.
const MAX_PROCESSES: usize = 512;

impl<'s> NetworkSplit<'s> {
    /// Computes the interactions in a system with a goal.
    pub(crate) fn new(system: &'s System, symbolic: &mut Symbolic<'_>, goal: &Formula) -> NetworkSplit<'s> {
        let wanted = wanted(system, symbolic, goal);
        let affected = reach(&flows(system, symbolic), (system.initial.len() + system.clocks.len()) as u32);
        let few = system.processes.len() <= MAX_PROCESSES;
        let weights = if few { interactions(system, symbolic, &affected) } else { Vec::new() };
        NetworkSplit { system, wanted, weights, affected }
    }

    /// Returns the variables that a variable may affect through assignments, including itself.
    pub(crate) fn affected(&self, var: u32) -> &BTreeSet<u32> {
        &self.affected[var as usize]
    }

    /// Returns subnetworks of at most `bound` processes: for each one, whether it has each process.
    /// Those that the goal does not concern are left out.
    pub(crate) fn parts(&self, bound: usize) -> Vec<Vec<bool>> {
        let count = self.system.processes.len();
        if bound >= count {
            return vec![vec![true; count]];
        }
        let mut parts: Vec<Vec<usize>> = (0..count).map(|process| vec![process]).collect();
        let mut wanted = self.wanted.clone();
        let mut weights = self.weights.clone();
        while !weights.is_empty() {
            let mut best = None;
            for i in 0..parts.len() {
                for j in i + 1..parts.len() {
                    let fits = (wanted[i] || wanted[j]) && parts[i].len() + parts[j].len() <= bound;
                    if fits && weights[i][j] > best.map_or(0, |(max, _, _)| max) {
                        best = Some((weights[i][j], i, j));
                    }
                }
            }
            let Some((_, i, j)) = best else { break };
            let other = parts.remove(j);
            parts[i].extend(other);
            wanted[i] |= wanted.remove(j);
            let gone = weights.remove(j);
            weights.iter_mut().for_each(|row| {
                row.remove(j);
            });
            for (k, weight) in gone.into_iter().enumerate().filter(|(k, _)| *k != j) {
                let k = if k > j { k - 1 } else { k };
                weights[i][k] += weight;
                weights[k][i] += weight;
            }
        }
        let part = |own: Vec<usize>| (0..count).map(|process| own.contains(&process)).collect();
        parts.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(own, _)| part(own)).collect()
    }
}

/// Returns the processes that the goal concerns: by their locations, or by what they change.
fn wanted(system: &System, symbolic: &mut Symbolic<'_>, goal: &Formula) -> Vec<bool> {
    let mut vars = BTreeSet::new();
    for case in cases(symbolic, goal).unwrap_or_default() {
        vars.extend(case.path.conditions.iter().filter_map(|atom| symbolic.terms.atom_support(*atom)).flatten());
    }
    let mut wanted: Vec<bool> = (0..system.processes.len() as u32).map(|process| vars.contains(&process)).collect();
    for edge in &system.edges {
        let written = edge.update.map(|update| system.written(update)).unwrap_or_default();
        wanted[edge.process.0 as usize] |= !written.is_disjoint(&vars);
    }
    wanted
}

/// Returns the number of interactions between each pair of processes.
fn interactions(system: &System, symbolic: &mut Symbolic<'_>, affected: &[BTreeSet<u32>]) -> Vec<Vec<u64>> {
    let row = system.initial.len() as u32;
    let mut deeds: Vec<ProcessInteraction> = system.processes.iter().map(|_| ProcessInteraction::default()).collect();
    for location in &system.locations {
        let found = conditions(symbolic, &location.invariant, row);
        deeds[location.process.0 as usize].conditions.extend(found);
    }
    for edge in &system.edges {
        let own = &mut deeds[edge.process.0 as usize];
        own.conditions.extend(conditions(symbolic, &edge.guard, row));
        match edge.sync {
            Sync::Internal => {}
            Sync::Send(channel) => *own.sends.entry(channel.0).or_default() += 1,
            Sync::Receive(channel) => *own.receives.entry(channel.0).or_default() += 1,
            Sync::Event(event) => *own.events.entry(event.0).or_default() += 1,
        }
        let Some(update) = edge.update else { continue };
        let mut written: BTreeSet<u32> = system.written(update);
        for path in symbolic.update(&Path::default(), update, &BTreeSet::new()).unwrap_or_default() {
            written.extend(path.clocks.keys().map(|clock| row + clock));
        }
        written.into_iter().for_each(|var| *own.effects.entry(var).or_default() += 1);
    }
    let count = deeds.len();
    let mut weights = vec![vec![0; count]; count];
    for i in 0..count {
        for j in 0..count {
            if i != j {
                let weight =
                    affects(&deeds[i], &deeds[j], affected) + synchronisations(system, (i, &deeds[i]), (j, &deeds[j]));
                weights[i][j] += weight;
                weights[j][i] += weight;
            }
        }
    }
    weights
}

/// Returns the pairs of variables of which the second is assigned a value of the first.
fn flows(system: &System, symbolic: &mut Symbolic<'_>) -> BTreeSet<(u32, u32)> {
    let mut flows = BTreeSet::new();
    for update in system.edges.iter().filter_map(|edge| edge.update) {
        for path in symbolic.update(&Path::default(), update, &BTreeSet::new()).unwrap_or_default() {
            for (slot, term) in &path.writes {
                let support = symbolic.terms.support(*term).unwrap_or_default();
                flows.extend(support.iter().filter(|var| *var != slot).map(|var| (*var, *slot)));
            }
        }
    }
    flows
}

/// Returns the variables and clocks of each condition of a guard.
fn conditions(symbolic: &mut Symbolic<'_>, guard: &Guard, row: u32) -> Vec<BTreeSet<u32>> {
    let mut atoms = BTreeSet::new();
    if let Some(condition) = guard.condition {
        for path in symbolic.test(&Path::default(), condition).unwrap_or_default() {
            atoms.extend(path.conditions);
        }
    }
    let integers = atoms.into_iter().filter_map(|atom| symbolic.terms.atom_support(atom));
    let mut found: Vec<BTreeSet<u32>> = integers.map(|support| support.into_iter().collect()).collect();
    for ClockConstraint { left, right, .. } in &guard.clocks {
        let clocks = [left, right].into_iter().filter_map(|term| match term {
            ClockTerm::Clock(clock) => Some(clock.0).filter(|clock| *clock != 0),
            ClockTerm::Element { first, .. } => Some(first.0),
        });
        found.push(clocks.map(|clock| row + clock).collect());
    }
    found
}

/// Returns the variables and clocks that each one may affect, including itself.
fn reach(flows: &BTreeSet<(u32, u32)>, count: u32) -> Vec<BTreeSet<u32>> {
    (0..count)
        .map(|var| {
            let (mut all, mut open) = (BTreeSet::from([var]), vec![var]);
            while let Some(from) = open.pop() {
                for (_, to) in flows.range((from, 0)..=(from, u32::MAX)) {
                    if all.insert(*to) {
                        open.push(*to);
                    }
                }
            }
            all
        })
        .collect()
}

fn affects(who: &ProcessInteraction, whom: &ProcessInteraction, affected: &[BTreeSet<u32>]) -> u64 {
    let mut all = 0;
    for (var, times) in &who.effects {
        let reached = &affected[*var as usize];
        let met = whom.conditions.iter().filter(|condition| !condition.is_disjoint(reached)).count();
        all += times * met as u64;
    }
    all
}

/// Returns the number of pairs of edges of two processes that may synchronise, with the first one
/// as the initiator.
fn synchronisations(
    system: &System,
    (i, who): (usize, &ProcessInteraction),
    (j, whom): (usize, &ProcessInteraction),
) -> u64 {
    let sends = who.sends.iter().map(|(channel, times)| times * whom.receives.get(channel).copied().unwrap_or(0));
    let mut all: u64 = sends.sum();
    for vector in &system.vectors {
        let of = |process: usize, deeds: &ProcessInteraction| {
            let own = vector.participants.iter().find(|p| p.process.0 as usize == process);
            own.and_then(|p| deeds.events.get(&p.event.0)).copied().unwrap_or(0)
        };
        all += of(i, who) * of(j, whom);
    }
    all
}
