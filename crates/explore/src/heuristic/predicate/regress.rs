//! The abstract state space of a subnetwork, by regression from the goal.
//!
//! The predecessors of an abstract state by a step are described exactly: by the conditions of the
//! step and the preconditions of the literals. The literals that follow from that are kept (the
//! *Cartesian* abstraction). Breadth-first search finds each abstract state with its distance.
//! Integers and clocks are independent here, so consequences are derived for each alone.

use std::{
    cell::Cell as Counter,
    collections::{HashMap, VecDeque},
};

use model::symbolic::Atom;

use super::{
    super::{
        Budget,
        abstraction::{
            steps::{AbstractStep, AbstractSteps},
            subnetwork::Difference,
        },
    },
    ExcludedPaths, PredicateSettings,
    abstract_states::{ANYWHERE, AbstractState, AbstractStates, AbstractSuccessor, Literals},
    integers::Facts,
    predicates::{Precondition, Predicates, before, undo_resets},
};

/// The greatest average work for an abstract state, in steps and comparisons.
const WORK_PER_STATE: u64 = 20_000;

/// The work after which the time limit is checked: a few milliseconds.
const WORK_PER_CHECK: u64 = 1 << 16;

/// The greatest number of abstract goal states that differ only in locations that the goal does not
/// mention.
const MAX_LOCATIONS: usize = 1 << 10;

/// An abstract state space.
#[derive(Default)]
pub(super) struct Space {
    /// The abstract states.
    pub states: AbstractStates,
    /// A lower bound on the distance of all other states; `None`: they are dead ends.
    pub floor: Option<u32>,
    /// Why it is incomplete.
    pub stopped: Option<&'static str>,
    /// The disjuncts of the goal for the first abstract states.
    pub targets: Vec<usize>,
    /// The steps to abstract states from others that are covered or not, by the distance before
    /// the step, if they are kept.
    pub arcs: Vec<Vec<AbstractArc>>,
}

impl Space {
    fn add_arc(&mut self, arc: AbstractArc, distance: u32) {
        let at = distance as usize;
        if self.arcs.len() <= at {
            self.arcs.resize_with(at + 1, Vec::new);
        }
        self.arcs[at].push(arc);
    }
}

/// A step to an abstract state.
pub(super) struct AbstractArc {
    /// The states before it.
    pub source: AbstractState,
    /// The step and its target.
    pub successor: AbstractSuccessor,
}

/// Computes abstract state spaces of a subnetwork.
pub(crate) struct Regress<'r, 's> {
    steps: &'r mut AbstractSteps<'s>,
    predicates: &'r Predicates,
    /// The processes of the subnetwork.
    processes: Vec<u32>,
    /// The index of each process among them.
    index: Vec<Option<usize>>,
    /// The precondition of each comparison for each step.
    before: Vec<Vec<Precondition>>,
    /// The literals on integers before a step, by the step and the literals after it.
    known: HashMap<(u32, Literals), Option<Literals>>,
    costs: Vec<u32>,
    keeps_arcs: bool,
    work: Counter<u64>,
    /// The work at which the time limit is checked next.
    next_check: u64,
}

/// Returns the kept processes.
pub(super) fn processes(steps: &AbstractSteps<'_>) -> Vec<u32> {
    (0..steps.system.processes.len() as u32).filter(|p| steps.subnetwork.processes[*p as usize]).collect()
}

impl<'r, 's> Regress<'r, 's> {
    /// Creates a regression with these predicates. With [`PredicateSettings::once`], steps that
    /// other processes initiate cost nothing.
    pub(crate) fn new(
        steps: &'r mut AbstractSteps<'s>,
        predicates: &'r Predicates,
        settings: &PredicateSettings,
    ) -> Regress<'r, 's> {
        let count = steps.system.processes.len() as u32;
        let mut all = Vec::new();
        for step in &steps.steps {
            let own = predicates.integers.iter().map(|atom| before(&mut steps.terms, step, count, *atom));
            all.push(own.collect());
        }
        let processes = processes(steps);
        let mut index = vec![None; count as usize];
        processes.iter().enumerate().for_each(|(i, p)| index[*p as usize] = Some(i));
        let is_free = |step: &AbstractStep| step.moves.is_empty() || settings.once && step.is_answer;
        let cost = |step: &AbstractStep| u32::from(!is_free(step));
        let costs = steps.steps.iter().map(cost).collect();
        let (known, work) = (HashMap::new(), Counter::new(0));
        let keeps_arcs = matches!(settings.excludes, ExcludedPaths::All | ExcludedPaths::Relevant);
        Regress { steps, predicates, processes, index, before: all, known, costs, keeps_arcs, work, next_check: 0 }
    }

    fn count(&mut self, work: u64) {
        *self.work.get_mut() += work;
    }

    /// Returns the reason to stop. It is checked after each step, since a single abstract state may
    /// take very long.
    fn is_stopped(&mut self, budget: &Budget<'_>) -> Option<&'static str> {
        let work = *self.work.get_mut();
        if work > WORK_PER_STATE.saturating_mul(budget.states as u64) {
            return Some("the budget of abstract states is spent");
        }
        if work >= self.next_check {
            self.next_check = work + WORK_PER_CHECK;
            if budget.is_over() {
                return Some("the time is over");
            }
        }
        None
    }

    /// Computes the whole state space.
    pub(crate) fn run(mut self, budget: &Budget<'_>) -> Space {
        let mut space = Space::default();
        let mut open: VecDeque<u32> = VecDeque::new();
        for (number, target) in self.steps.targets.clone().into_iter().enumerate() {
            for state in self.target(&target.conditions, &target.clocks) {
                if let Some(state) = space.states.insert(state, 0, None, self.work.get_mut()) {
                    open.push_back(state);
                    space.targets.push(number);
                }
            }
            space.stopped = self.is_stopped(budget);
            if space.stopped.is_some() {
                // The goal may hold anywhere.
                space.floor = Some(0);
                return space;
            }
        }
        let free = self.costs.contains(&0);
        while let Some(number) = open.pop_front() {
            let distance = space.states.distances[number as usize];
            if space.states.all.len() >= budget.states {
                space.stopped = Some("the budget of abstract states is spent");
            } else {
                let state = space.states.all[number as usize].clone();
                let (found, stopped) = self.expand(&state, budget);
                space.stopped = stopped;
                for (step, earlier) in found {
                    let cost = self.costs[step as usize];
                    let next = AbstractSuccessor { step, state: number };
                    if self.keeps_arcs {
                        space.add_arc(AbstractArc { source: earlier.clone(), successor: next }, distance + cost);
                    }
                    if let Some(new) = space.states.insert(earlier, distance + cost, Some(next), self.work.get_mut()) {
                        if cost == 0 {
                            open.push_front(new);
                        } else {
                            open.push_back(new);
                        }
                    }
                }
            }
            if space.stopped.is_some() {
                // All nearer states were found.
                space.floor = Some(if free { distance } else { distance + 1 });
                break;
            }
        }
        space
    }

    fn words(&self) -> usize {
        (2 * self.predicates.len()).div_ceil(64).max(1)
    }

    /// Adds the literals that follow from facts about integers.
    fn follow_integers(&self, facts: &Facts<'_>, out: &mut [u64]) {
        let mut about = vec![false; self.steps.system.initial.len()];
        facts.variables().for_each(|var| about[var as usize] = true);
        for (i, atom) in self.predicates.integers.iter().enumerate() {
            let support = self.steps.terms.atom_support(*atom).unwrap_or_default();
            if !support.iter().any(|var| about[*var as usize]) {
                continue;
            }
            if !facts.allow(Atom { cmp: atom.cmp.negate(), ..*atom }) {
                set(out, 2 * i);
            } else if !facts.allow(*atom) {
                set(out, 2 * i + 1);
            }
        }
    }

    /// Adds the literals that follow from a zone.
    fn follow_clocks(&self, zone: &[i32], out: &mut [u64]) {
        let (dim, first) = (self.steps.subnetwork.dim(), self.predicates.integers.len());
        for (i, difference) in self.predicates.clocks.iter().enumerate() {
            if difference.holds(zone, dim) {
                set(out, 2 * (first + i));
            } else if difference.negate().holds(zone, dim) {
                set(out, 2 * (first + i) + 1);
            }
        }
    }

    /// Returns the abstract states of a disjunct of the goal.
    fn target(&self, conditions: &[Atom], clocks: &[Difference]) -> Vec<AbstractState> {
        let Some(facts) = Facts::new(&self.steps.terms, &self.steps.system.ranges, conditions, &self.work) else {
            return Vec::new();
        };
        let mut literals = vec![0; self.words()];
        self.follow_integers(&facts, &mut literals);
        let mut places = vec![ANYWHERE; self.processes.len()];
        for (i, process) in self.processes.iter().enumerate() {
            if let Some(only) = facts.only_value(*process) {
                places[i] = only as u16;
            }
        }
        let mut all = vec![places];
        for (i, process) in self.processes.iter().enumerate().filter(|(_, p)| self.predicates.located.contains(p)) {
            let count = self.steps.system.processes[*process as usize].locations as u16;
            if all.len() * count as usize > MAX_LOCATIONS || all.iter().any(|places| places[i] != ANYWHERE) {
                continue;
            }
            let at = |places: &Vec<u16>, place: u16| {
                let mut places = places.clone();
                places[i] = place;
                places
            };
            all = all.iter().flat_map(|places| (0..count).map(move |place| at(places, place))).collect();
        }
        let state = |places: Vec<u16>| self.target_at(places, clocks, literals.clone());
        all.into_iter().filter_map(state).collect()
    }

    /// Returns the abstract goal state at some locations; `None`: clock constraints exclude it.
    fn target_at(&self, places: Vec<u16>, clocks: &[Difference], mut literals: Vec<u64>) -> Option<AbstractState> {
        let dim = self.steps.subnetwork.dim();
        let mut zone = vec![0; dim * dim];
        zone::universe(&mut zone, dim);
        let constrain = |zone: &mut Vec<i32>, d: &Difference| {
            zone::constrain(zone, dim, d.left as usize, d.right as usize, d.bound)
        };
        if !clocks.iter().all(|d| constrain(&mut zone, d)) || !self.keep_invariants(&places, &mut zone) {
            return None;
        }
        self.follow_clocks(&zone, &mut literals);
        Some(AbstractState { places: places.into(), literals: literals.into() })
    }

    /// Constrains a zone by the invariants of locations. Returns whether it is not empty.
    fn keep_invariants(&self, places: &[u16], zone: &mut [i32]) -> bool {
        let dim = self.steps.subnetwork.dim();
        if dim == 1 {
            return true;
        }
        self.processes.iter().zip(places).filter(|(_, place)| **place != ANYWHERE).all(|(process, place)| {
            let invariant = &self.steps.place(*process, u32::from(*place)).invariant;
            invariant.iter().all(|d| zone::constrain(zone, dim, d.left as usize, d.right as usize, d.bound))
        })
    }

    /// Returns the clock values after a transition to some locations from which a delay leads to an
    /// abstract state's literals.
    fn arrive(&self, places: &[u16], state: &AbstractState) -> Option<Vec<i32>> {
        let (dim, first) = (self.steps.subnetwork.dim(), self.predicates.integers.len());
        let mut zone = vec![0; dim * dim];
        zone::universe(&mut zone, dim);
        for (i, difference) in self.predicates.clocks.iter().enumerate() {
            let (holds, fails) = (2 * (first + i), 2 * (first + i) + 1);
            let d = match (has(&state.literals, holds), has(&state.literals, fails)) {
                (true, _) => *difference,
                (_, true) => difference.negate(),
                _ => continue,
            };
            if !zone::constrain(&mut zone, dim, d.left as usize, d.right as usize, d.bound) {
                return None;
            }
        }
        if !self.keep_invariants(places, &mut zone) {
            return None;
        }
        let stays = |(process, place): (&u32, &u16)| {
            *place != ANYWHERE && self.steps.place(*process, u32::from(*place)).is_urgent
        };
        if !self.processes.iter().zip(places).any(stays) {
            zone::past(&mut zone, dim);
            if !self.keep_invariants(places, &mut zone) {
                return None;
            }
        }
        Some(zone)
    }

    /// Returns the steps that may lead to an abstract state, with their sources; incomplete if
    /// there is a reason to stop.
    fn expand(
        &mut self,
        state: &AbstractState,
        budget: &Budget<'_>,
    ) -> (Vec<(u32, AbstractState)>, Option<&'static str>) {
        let mut out = Vec::new();
        let whole = self.arrive(&state.places, state);
        let Some(whole) = whole else { return (out, None) };
        let mut integers = state.literals.clone();
        let cut = 2 * self.predicates.integers.len();
        for bit in cut..2 * self.predicates.len() {
            clear(&mut integers, bit);
        }
        for number in 0..self.steps.steps.len() {
            self.count(1);
            if let Some(earlier) = self.back(number, state, &integers, &whole) {
                self.count(4 * self.predicates.len() as u64);
                out.push((number as u32, earlier));
            }
            let stopped = self.is_stopped(budget);
            if stopped.is_some() {
                return (out, stopped);
            }
        }
        (out, None)
    }

    fn back(
        &mut self,
        number: usize,
        state: &AbstractState,
        integers: &Literals,
        whole: &[i32],
    ) -> Option<AbstractState> {
        let step = &self.steps.steps[number];
        let mut after = None;
        for (i, moved) in self.moves(step) {
            match moved {
                None => {}
                Some((_, target)) if state.places[i] == target => {}
                Some((_, target)) if state.places[i] == ANYWHERE => {
                    after.get_or_insert_with(|| state.places.clone())[i] = target;
                }
                Some(_) => return None,
            }
        }
        let mut places = state.places.clone();
        for (i, moved) in self.moves(step) {
            places[i] = moved.map_or(ANYWHERE, |(source, _)| source);
        }
        // If a location is committed, the step must leave a committed location.
        if !step.is_committed && !step.has_others {
            let committed = |(process, place): (&u32, &u16)| {
                *place != ANYWHERE && self.steps.place(*process, u32::from(*place)).is_committed
            };
            if self.processes.iter().zip(&places).any(committed) {
                return None;
            }
        }
        let mut literals = self.integers_before(number, integers)?;
        let dim = self.steps.subnetwork.dim();
        if dim > 1 {
            // Each process may bound clocks, and each bound traverses the whole zone.
            self.count((dim * dim * (4 + self.processes.len()) / 64) as u64);
            let step = &self.steps.steps[number];
            let mut zone = match &after {
                None => whole.to_vec(),
                Some(after) => self.arrive(after, state)?,
            };
            if !undo_resets(&mut zone, dim, &step.resets) {
                return None;
            }
            let guard = &step.guard;
            if !guard.iter().all(|d| zone::constrain(&mut zone, dim, d.left as usize, d.right as usize, d.bound))
                || !self.keep_invariants(&places, &mut zone)
            {
                return None;
            }
            self.follow_clocks(&zone, &mut literals);
        }
        Some(AbstractState { places, literals })
    }

    /// Returns the processes of the subnetwork that a step moves, with their moves.
    fn moves<'a>(&'a self, step: &'a AbstractStep) -> impl Iterator<Item = (usize, Option<(u16, u16)>)> + 'a {
        step.moves.iter().filter_map(|moved| {
            let locations = moved.locations.map(|(source, target)| (source as u16, target as u16));
            self.index[moved.process as usize].map(|i| (i, locations))
        })
    }

    /// Returns the literals on integers before a step, given those after it.
    fn integers_before(&mut self, number: usize, after: &Literals) -> Option<Literals> {
        let key = (number as u32, after.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        self.count(16 * self.predicates.integers.len() as u64);
        let found = self.derive_integers(number, after);
        self.known.insert(key, found.clone());
        found
    }

    fn derive_integers(&self, number: usize, after: &Literals) -> Option<Literals> {
        let mut atoms = self.steps.steps[number].conditions.clone();
        for (i, before) in self.before[number].iter().enumerate() {
            let (holds, fails) = (has(after, 2 * i), has(after, 2 * i + 1));
            if !holds && !fails {
                continue;
            }
            match before {
                Precondition::Known(truth) if *truth != holds => return None,
                Precondition::Known(_) | Precondition::Unknown => {}
                Precondition::Atom(atom) if holds => atoms.push(*atom),
                Precondition::Atom(atom) => atoms.push(Atom { cmp: atom.cmp.negate(), ..*atom }),
            }
        }
        let facts = Facts::new(&self.steps.terms, &self.steps.system.ranges, &atoms, &self.work)?;
        let mut literals = vec![0; self.words()];
        self.follow_integers(&facts, &mut literals);
        Some(literals.into())
    }
}

/// Returns whether a literal is in a set.
pub(super) fn has(literals: &[u64], literal: usize) -> bool {
    literals[literal / 64] >> (literal % 64) & 1 == 1
}

/// Adds a literal to a set.
pub(super) fn set(literals: &mut [u64], literal: usize) {
    literals[literal / 64] |= 1 << (literal % 64);
}

fn clear(literals: &mut [u64], literal: usize) {
    literals[literal / 64] &= !(1 << (literal % 64));
}
