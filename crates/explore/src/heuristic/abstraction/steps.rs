//! The steps of a subnetwork.
//!
//! A step is one symbolic path through the guards and updates of edges that are taken together. Its
//! conditions and effects concern the subnetwork only. Everything else is relaxed, so the
//! subnetwork simulates the network.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::{
    Formula, System,
    symbolic::{Atom, Path, Symbolic, Term, TermId, Terms},
    system::{ChannelId, Edge, EdgeId, Guard, LocationId, Sync},
};
use zone::Bound;

use super::{
    super::cases::cases,
    joints::{JointEdges, joints},
    subnetwork::{Difference, Subnetwork},
};

/// The value that a clock is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// A number.
    To(i32),
    /// It is unknown, or too large for zones of 32 bits.
    Any,
}

impl Reset {
    /// Converts a number, if it fits.
    fn to(value: i32) -> Reset {
        if (0..=i32::MAX_CONSTANT).contains(&value) { Reset::To(value) } else { Reset::Any }
    }

    /// Returns the initial value of a clock.
    #[must_use]
    pub(crate) fn at_start(system: &System, clock: u32) -> Reset {
        Reset::to(system.clocks[clock as usize].initial)
    }
}

/// The move of a process; locations are indices in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProcessMove {
    /// The process.
    pub process: u32,
    /// Its source and target; `None`: both are unknown.
    pub locations: Option<(u32, u32)>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AbstractStep {
    /// The processes that move.
    pub moves: Vec<ProcessMove>,
    /// The conditions on the row.
    pub conditions: Vec<Atom>,
    /// The constraints on clocks.
    pub guard: Vec<Difference>,
    /// The values that slots of the row get; `None`: arbitrary.
    pub writes: Vec<(u32, Option<TermId>)>,
    /// The values that clocks are set to.
    pub resets: Vec<(u32, Reset)>,
    /// Whether a process outside of the subnetwork participates.
    pub(crate) has_others: bool,
    /// Whether the initiator is outside of the subnetwork.
    pub(crate) is_answer: bool,
    /// Whether it leaves a committed location.
    pub(crate) is_committed: bool,
}

/// A location of a subnetwork.
#[derive(Clone, Debug, Default)]
pub(crate) struct AbstractLocation {
    /// The bounds on clocks.
    pub invariant: Vec<Difference>,
    /// Whether no delay is possible.
    pub is_urgent: bool,
    /// Whether the next transition must leave such a location.
    pub(crate) is_committed: bool,
}

/// A disjunct of the goal, restricted to a subnetwork.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AbstractTarget {
    /// The conditions on the row.
    pub conditions: Vec<Atom>,
    /// The constraints on clocks.
    pub clocks: Vec<Difference>,
}

/// A subnetwork with its steps.
#[derive(Clone)]
pub(crate) struct AbstractSteps<'s> {
    /// The network.
    pub system: &'s System,
    /// The subnetwork.
    pub subnetwork: Subnetwork,
    /// The different steps.
    pub steps: Vec<AbstractStep>,
    /// The edges of each step; of equal steps those of the first.
    pub edges: Vec<Vec<EdgeId>>,
    /// All locations of the network.
    pub places: Vec<AbstractLocation>,
    /// The disjuncts of the goal.
    pub targets: Vec<AbstractTarget>,
    /// The terms of conditions and values.
    pub terms: Terms,
}

/// The greatest number of steps.
const MAX_STEPS: usize = 1 << 17;

impl<'s> AbstractSteps<'s> {
    /// Computes the steps of a subnetwork; `None`: there are too many.
    #[must_use]
    pub(crate) fn new(
        system: &'s System,
        symbolic: &mut Symbolic<'_>,
        subnetwork: Subnetwork,
        goal: &Formula,
    ) -> Option<AbstractSteps<'s>> {
        let mut build = StepBuilder { system, subnetwork: &subnetwork, symbolic };
        let targets = build.targets(goal);
        let mut known = HashSet::new();
        let (mut steps, mut edges) = (Vec::new(), Vec::new());
        for joint in joints(system, build.subnetwork)? {
            for step in build.steps(&joint) {
                if known.insert(step.clone()) {
                    steps.push(step);
                    edges.push(joint.edges.clone());
                }
            }
            if steps.len() > MAX_STEPS {
                return None;
            }
        }
        let places = (0..system.locations.len() as u32).map(|l| build.place(LocationId(l))).collect();
        let terms = symbolic.terms.clone();
        Some(AbstractSteps { system, subnetwork, steps, edges, places, targets, terms })
    }

    /// Returns the steps of the same network in which only some processes are watched: the
    /// locations of the others are unknown, but what they change is known. What is irrelevant to
    /// the watched processes is left out. With `alone`, synchronisations with other processes are
    /// left out on channels on which the watched ones can synchronise with each other; this is not
    /// an over-approximation.
    #[must_use]
    pub(crate) fn watch(&self, watched: &[bool], alone: bool) -> AbstractSteps<'s> {
        let mut own = self.clone();
        if alone {
            own.drop_mixed(watched);
        }
        own.narrow(watched)
    }

    /// Returns the steps without synchronisations with processes outside on channels on which those
    /// inside can synchronise with each other; `None`: there are none. It is not an
    /// over-approximation.
    #[must_use]
    pub(crate) fn alone(&self) -> Option<AbstractSteps<'s>> {
        let channel = |edges: &[EdgeId]| match self.system.edges[edges.first()?.0 as usize].sync {
            Sync::Send(channel) | Sync::Receive(channel) if !self.system.channels[channel.0 as usize].broadcast => {
                Some(channel)
            }
            _ => None,
        };
        let inside: HashSet<ChannelId> =
            self.edges.iter().filter(|edges| edges.len() > 1).filter_map(|edges| channel(edges)).collect();
        let is_mixed = |(step, edges): &(&AbstractStep, &Vec<EdgeId>)| {
            step.has_others && channel(edges).is_some_and(|channel| inside.contains(&channel))
        };
        let kept: Vec<_> = self.steps.iter().zip(&self.edges).filter(|step| !is_mixed(step)).collect();
        if kept.len() == self.steps.len() {
            return None;
        }
        let (steps, edges) = kept.into_iter().map(|(step, edges)| (step.clone(), edges.clone())).unzip();
        Some(AbstractSteps { steps, edges, ..self.clone() })
    }

    /// Drops steps of watched and other processes on channels on which the watched ones can
    /// synchronise with each other.
    fn drop_mixed(&mut self, watched: &[bool]) {
        let sides = |edges: &[EdgeId]| {
            let own = edges.iter().filter(|e| watched[self.system.edges[e.0 as usize].process.0 as usize]).count();
            (own, edges.len() - own)
        };
        let channel = |edges: &[EdgeId]| match self.system.edges[edges.first()?.0 as usize].sync {
            Sync::Send(channel) if !self.system.channels[channel.0 as usize].broadcast => Some(channel),
            _ => None,
        };
        let inside: HashSet<ChannelId> =
            self.edges.iter().filter(|edges| sides(edges).0 > 1).filter_map(|edges| channel(edges)).collect();
        let keep: Vec<bool> = self
            .edges
            .iter()
            .map(|edges| {
                let (own, others) = sides(edges);
                own == 0 || others == 0 || channel(edges).is_none_or(|channel| !inside.contains(&channel))
            })
            .collect();
        let mut kept = keep.iter();
        self.steps.retain(|_| kept.next().copied().unwrap_or(true));
        let mut kept = keep.iter();
        self.edges.retain(|_| kept.next().copied().unwrap_or(true));
    }

    fn narrow(mut self, watched: &[bool]) -> AbstractSteps<'s> {
        let is_own = |process: u32| watched[process as usize];
        let starter = |edges: &[EdgeId]| edges.first().map(|edge| self.system.edges[edge.0 as usize].process.0);
        let answers: Vec<bool> = self.edges.iter().map(|edges| !starter(edges).is_some_and(is_own)).collect();
        let outside = |atom: &Atom| {
            let vars = self.terms.atom_support(*atom).unwrap_or_default();
            vars.iter().any(|var| watched.get(*var as usize) == Some(&false))
        };
        self.targets.iter_mut().for_each(|target| target.conditions.retain(|atom| !outside(atom)));
        for (step, is_answer) in self.steps.iter_mut().zip(answers) {
            step.is_answer = is_answer;
            step.conditions.retain(|atom| !outside(atom));
            step.moves.retain(|moved| is_own(moved.process));
        }
        let slots = self.relevant_slots();
        let clocks = self.relevant_clocks(watched);
        let terms = &self.terms;
        let keeps = |atom: &Atom| terms.atom_support(*atom).is_some_and(|vars| vars.iter().all(|v| slots[*v as usize]));
        let mut known = HashSet::new();
        let (mut steps, mut edges) = (Vec::new(), Vec::new());
        for (mut step, own) in std::mem::take(&mut self.steps).into_iter().zip(std::mem::take(&mut self.edges)) {
            step.conditions.retain(keeps);
            step.writes.retain(|(slot, _)| slots[*slot as usize]);
            step.guard.retain(|d| clocks[d.left as usize] && clocks[d.right as usize]);
            step.resets.retain(|(clock, _)| clocks[*clock as usize]);
            let idle = step.moves.is_empty() && step.writes.is_empty() && step.resets.is_empty();
            if !idle && known.insert(step.clone()) {
                steps.push(step);
                edges.push(own);
            }
        }
        self.subnetwork.processes = watched.to_vec();
        AbstractSteps { steps, edges, ..self }
    }

    /// Returns the slots of the row on which the moves of watched processes or the goal depend.
    fn relevant_slots(&self) -> Vec<bool> {
        let mut relevant = vec![false; self.system.initial.len()];
        let own = self.steps.iter().filter(|step| !step.moves.is_empty()).flat_map(|step| &step.conditions);
        for atom in own.chain(self.targets.iter().flat_map(|target| &target.conditions)) {
            let vars = self.terms.atom_support(*atom).unwrap_or_default();
            vars.into_iter().for_each(|var| relevant[var as usize] = true);
        }
        loop {
            let mut more = Vec::new();
            for (_, term) in self.steps.iter().flat_map(|s| &s.writes).filter(|(slot, _)| relevant[*slot as usize]) {
                let vars = term.and_then(|term| self.terms.support(term)).unwrap_or_default();
                more.extend(vars.iter().copied().filter(|var| !relevant[*var as usize]));
            }
            if more.is_empty() {
                return relevant;
            }
            more.into_iter().for_each(|var| relevant[var as usize] = true);
        }
    }

    /// Returns the clocks that watched processes or the goal compare.
    fn relevant_clocks(&self, watched: &[bool]) -> Vec<bool> {
        let mut relevant = vec![false; self.subnetwork.dim()];
        relevant[0] = true;
        let guards = self.steps.iter().filter(|step| !step.moves.is_empty()).flat_map(|step| &step.guard);
        let goal = self.targets.iter().flat_map(|target| &target.clocks);
        let places = self.places.iter().zip(&self.system.locations);
        let own = places.filter(|(_, location)| watched[location.process.0 as usize]);
        for d in guards.chain(goal).chain(own.flat_map(|(place, _)| &place.invariant)) {
            relevant[d.left as usize] = true;
            relevant[d.right as usize] = true;
        }
        relevant
    }

    /// Returns a location of a process.
    #[must_use]
    pub(crate) fn place(&self, process: u32, location: u32) -> &AbstractLocation {
        &self.places[(self.system.processes[process as usize].first_location.0 + location) as usize]
    }
}

/// The symbolic paths through edges that are taken together.
struct JointPaths {
    paths: Vec<Path>,
    /// The slots that get unknown values.
    unknown: Vec<u32>,
    /// Whether the resets of clocks are known.
    knows_clocks: bool,
}

struct StepBuilder<'b, 't> {
    system: &'b System,
    subnetwork: &'b Subnetwork,
    symbolic: &'b mut Symbolic<'t>,
}

impl StepBuilder<'_, '_> {
    fn place(&self, location: LocationId) -> AbstractLocation {
        let location = &self.system.locations[location.0 as usize];
        AbstractLocation {
            invariant: self.differences(&location.invariant),
            is_urgent: location.urgent || location.committed,
            is_committed: location.committed,
        }
    }

    fn differences(&self, guard: &Guard) -> Vec<Difference> {
        guard.clocks.iter().filter_map(|constraint| self.subnetwork.difference(constraint)).collect()
    }

    /// Returns the conditions of a path on kept variables.
    fn known(&self, path: &Path) -> Vec<Atom> {
        let mut known: Vec<Atom> =
            path.conditions.iter().copied().filter(|a| self.subnetwork.knows_atom(&self.symbolic.terms, *a)).collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    fn targets(&mut self, goal: &Formula) -> Vec<AbstractTarget> {
        // A goal without known disjuncts may be anywhere.
        let Some(cases) = cases(self.symbolic, goal) else { return vec![AbstractTarget::default()] };
        let mut targets: Vec<AbstractTarget> = Vec::new();
        for case in cases {
            let clocks = case.clocks.iter().filter_map(|constraint| self.subnetwork.difference(constraint)).collect();
            let target = AbstractTarget { conditions: self.known(&case.path), clocks };
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    fn steps(&mut self, joint: &JointEdges) -> Vec<AbstractStep> {
        let edges = |ids: &[EdgeId]| ids.iter().map(|e| &self.system.edges[e.0 as usize]).collect::<Vec<_>>();
        let (edges, perhaps) = (edges(&joint.edges), edges(&joint.perhaps));
        let JointPaths { paths, unknown, knows_clocks } = self.paths(joint, &edges, &perhaps);
        let moves = self.moves(&edges, &perhaps);
        let is_committed = edges.iter().chain(&perhaps).any(|e| self.system.locations[e.source.0 as usize].committed);
        let mut guard: Vec<Difference> = edges.iter().flat_map(|edge| self.differences(&edge.guard)).collect();
        guard.sort_unstable();
        guard.dedup();
        let mut out = Vec::new();
        for path in paths {
            let mut writes: BTreeMap<u32, Option<TermId>> = BTreeMap::new();
            for (slot, term) in &path.writes {
                writes.insert(*slot, Some(*term).filter(|term| self.subnetwork.knows(&self.symbolic.terms, *term)));
            }
            writes.extend(unknown.iter().map(|slot| (*slot, None)));
            writes.retain(|slot, _| self.subnetwork.slots[*slot as usize]);
            out.push(AbstractStep {
                moves: moves.clone(),
                conditions: self.known(&path),
                guard: guard.clone(),
                writes: writes.into_iter().collect(),
                resets: self.resets(&path, knows_clocks),
                has_others: joint.has_others,
                is_answer: joint.is_answer,
                is_committed,
            });
        }
        out
    }

    /// Executes the guards, updates and target invariants of edges that are taken together.
    fn paths(&mut self, joint: &JointEdges, edges: &[&Edge], perhaps: &[&Edge]) -> JointPaths {
        let mut paths = vec![Path::default()];
        for condition in edges.iter().filter_map(|edge| edge.guard.condition) {
            paths = self.test(paths, condition);
        }
        let mut unknown: Vec<u32> = Vec::new();
        let mut knows_clocks = true;
        let volatile = self.volatile(joint);
        for update in edges.iter().filter_map(|edge| edge.update) {
            self.forget(&mut paths, &volatile);
            let next: Option<Vec<Vec<Path>>> =
                paths.iter().map(|path| self.symbolic.update(path, update, &Default::default())).collect();
            match next {
                Some(next) if knows_clocks => paths = next.into_iter().flatten().collect(),
                // Later updates may read what it has written.
                _ => {
                    unknown.extend(self.system.written(update));
                    knows_clocks = false;
                }
            }
        }
        for update in perhaps.iter().filter_map(|edge| edge.update) {
            unknown.extend(self.system.written(update));
            knows_clocks = false;
        }
        // Conditions on unknown values are relaxed.
        if knows_clocks {
            self.forget(&mut paths, &volatile);
            for edge in edges {
                if let Some(condition) = self.system.locations[edge.target.0 as usize].invariant.condition {
                    paths = self.test(paths, condition);
                }
            }
        }
        JointPaths { paths, unknown, knows_clocks }
    }

    /// Returns the moves of the processes of edges that are taken together.
    fn moves(&self, edges: &[&Edge], perhaps: &[&Edge]) -> Vec<ProcessMove> {
        let mut moves: Vec<ProcessMove> = Vec::new();
        for edge in edges {
            let first = self.system.processes[edge.process.0 as usize].first_location.0;
            moves.push(ProcessMove {
                process: edge.process.0,
                locations: Some((edge.source.0 - first, edge.target.0 - first)),
            });
        }
        moves.extend(perhaps.iter().map(|edge| ProcessMove { process: edge.process.0, locations: None }));
        moves.dedup();
        moves
    }

    /// Returns the slots of the row that may change between the guards, updates and invariants of a
    /// synchronisation.
    fn volatile(&self, joint: &JointEdges) -> Vec<u32> {
        let hooks = [self.system.before_update, self.system.after_update];
        let mut volatile: BTreeSet<u32> = hooks.into_iter().flatten().flat_map(|pc| self.system.written(pc)).collect();
        if joint.has_others {
            let variables = self.system.processes.len() as u32..self.subnetwork.slots.len() as u32;
            volatile.extend(variables.filter(|slot| !self.subnetwork.slots[*slot as usize]));
        }
        volatile.into_iter().collect()
    }

    /// Makes slots of the row unknown. None of them is kept.
    fn forget(&mut self, paths: &mut [Path], volatile: &[u32]) {
        let terms = &mut self.symbolic.terms;
        let unknown = terms.intern(Term::Unknown);
        for path in paths.iter_mut().filter(|_| !volatile.is_empty()) {
            let is_about = |term| terms.support(term).is_none_or(|vars| vars.iter().any(|var| volatile.contains(var)));
            path.conditions.retain(|atom| !is_about(atom.left) && !is_about(atom.right));
            path.writes.extend(volatile.iter().map(|slot| (*slot, unknown)));
        }
    }

    /// Extends paths by a condition; one that can't be evaluated symbolically is relaxed to true.
    fn test(&mut self, paths: Vec<Path>, condition: model::code::Pc) -> Vec<Path> {
        let next: Option<Vec<Vec<Path>>> = paths.iter().map(|path| self.symbolic.test(path, condition)).collect();
        next.map_or(paths, |next| next.into_iter().flatten().collect())
    }

    fn resets(&self, path: &Path, all_known: bool) -> Vec<(u32, Reset)> {
        if !all_known {
            return (1..self.subnetwork.dim() as u32).map(|clock| (clock, Reset::Any)).collect();
        }
        let mut resets = Vec::new();
        for (clock, value) in &path.clocks {
            let Some(clock) = self.subnetwork.clock(*clock) else { continue };
            let known = value.and_then(|term| self.symbolic.terms.known(term));
            let reset = known.map_or(Reset::Any, Reset::to);
            resets.push((clock, reset));
        }
        resets
    }
}
