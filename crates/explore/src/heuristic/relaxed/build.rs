//! Builds the network of a system and a goal.

mod actions;
mod time;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{
    Formula, System,
    symbolic::{Atom, Path, Symbolic, TermId},
    system::{EdgeId, LocationId, Sync},
};

use super::{
    RelaxationSettings,
    clocks::ClockRegions,
    domain::{RegionDomain, is_small},
    homes::Homes,
    network::{NodeNumber, RelaxedNetwork},
    network_builder::NetworkBuilder,
    partners::Partners,
    start::Start,
    summary::{self, Summary},
};

/// The greatest number of combinations of regions for one comparison or one value.
const MAX_TUPLES: usize = 4096;
/// The number of nodes from which on updates are relaxed to arbitrary values.
const COARSE_NODES: usize = 1 << 19;
/// The greatest number of nodes. With more, the heuristic is zero.
const MAX_NODES: usize = 1 << 21;

/// A network and its start.
pub(crate) struct Relaxation {
    pub(super) network: RelaxedNetwork,
    pub(super) start: Start,
}

/// The facts of a slot.
pub(crate) struct SlotFacts {
    pub slot: u32,
    pub domain: RegionDomain,
    /// The process whose locations the facts distinguish.
    pub home: Option<u32>,
    /// The fact of each region, for each location of the home; [`NO_FACT`] if it is irrelevant.
    pub facts: Vec<NodeNumber>,
}

/// The facts of a clock.
pub(crate) struct ClockFacts {
    pub clock: u32,
    pub regions: ClockRegions,
    pub home: u32,
    pub facts: Vec<NodeNumber>,
}

pub(crate) const NO_FACT: NodeNumber = NodeNumber::MAX;

/// The nodes of a slot.
struct SlotNodes {
    domain: RegionDomain,
    /// The slot has a value of this region.
    plain: Vec<NodeNumber>,
    /// The slot has a value of this region while its home is at a location.
    pairs: Vec<NodeNumber>,
    /// Another process than its home has set it to a value of this region.
    foreign: Vec<NodeNumber>,
}

/// The nodes of a clock.
struct ClockNodes {
    regions: ClockRegions,
    home: u32,
    pairs: Vec<NodeNumber>,
    foreign: Vec<NodeNumber>,
}

/// The regions that conditions allow, by variable.
type AllowedRegions = BTreeMap<u32, Vec<bool>>;

struct RelaxationBuilder<'s> {
    system: &'s System,
    settings: RelaxationSettings,
    symbolic: Symbolic<'s>,
    homes: Homes,
    partners: Partners<'s>,
    builder: NetworkBuilder,
    slots: Vec<SlotNodes>,
    clocks: BTreeMap<u32, ClockNodes>,
    /// The values that a process's update may read, by channel (or all vectors) and slot: those
    /// that its partners write in the same transition.
    sent: HashMap<(u32, u32), BTreeMap<u32, Vec<NodeNumber>>>,
}

/// The context in which facts about the variables of a process are looked up.
#[derive(Clone, Copy)]
struct FactContext<'c> {
    /// The channel whose sent values an update reads.
    group: u32,
    /// The process of the update.
    process: u32,
    /// The locations of processes, as far as they are known.
    at: &'c BTreeMap<u32, Vec<u32>>,
}

/// Builds the network of a system and a goal.
pub(crate) fn build(system: &System, goal: &Formula, settings: RelaxationSettings) -> Relaxation {
    let mut symbolic = Symbolic::new(system);
    let sent = summary::written_before(system);
    let summaries = summary::edges(system, &mut symbolic, &sent);
    let goals = summary::goal(&mut symbolic, goal);
    let homes = if settings.places { Homes::find(system, &symbolic.terms, &summaries) } else { Homes::default() };
    let domains = cut(system, &symbolic, &summaries, goals.as_deref().unwrap_or_default());
    let mut builder = NetworkBuilder::default();
    let mut build = RelaxationBuilder {
        system,
        settings,
        symbolic,
        homes,
        partners: Partners::new(system, &mut builder),
        builder,
        slots: Vec::new(),
        clocks: BTreeMap::new(),
        sent: HashMap::new(),
    };
    domains.into_iter().enumerate().for_each(|(slot, domain)| build.add_slot(slot as u32, domain));
    build.add_clocks();
    build.add_sent(&summaries);
    for (number, (edge, summary)) in system.edges.iter().zip(&summaries).enumerate() {
        if build.builder.len() > MAX_NODES {
            break;
        }
        build.add_edge(EdgeId(number as u32), edge, summary);
    }
    let mut given = build.written_by_hooks();
    let goal = build.builder.any();
    if build.builder.len() > MAX_NODES {
        given.push(goal);
    }
    match goals {
        None => given.push(goal),
        Some(paths) => paths.iter().for_each(|path| build.add_goal(path, goal, &mut given)),
    }
    build.finish(goal, given)
}

/// Partitions the values of all slots into regions.
fn cut(system: &System, symbolic: &Symbolic<'_>, summaries: &[Summary], goals: &[Path]) -> Vec<RegionDomain> {
    let row = system.ranges.len();
    let mut cuts: Vec<BTreeSet<i32>> = vec![BTreeSet::new(); row];
    let mut add = |var: u32, terms: &[TermId]| {
        let slot = var as usize % row;
        if !is_small(system.ranges[slot]) {
            terms.iter().for_each(|term| symbolic.terms.constants(*term, &mut |n| _ = cuts[slot].insert(n)));
        }
    };
    for path in summaries.iter().flat_map(|s| &s.paths).chain(goals) {
        for atom in &path.conditions {
            if let Some(support) = symbolic.terms.atom_support(*atom) {
                support.iter().for_each(|var| add(*var, &[atom.left, atom.right]));
            }
        }
        path.writes.iter().for_each(|(slot, term)| add(*slot, &[*term]));
    }
    for (slot, cuts) in cuts.iter_mut().enumerate() {
        cuts.insert(system.initial[slot]);
    }
    system.ranges.iter().zip(cuts).map(|(range, cuts)| RegionDomain::new(*range, cuts)).collect()
}

impl RelaxationBuilder<'_> {
    fn nodes(&mut self, count: usize) -> Vec<NodeNumber> {
        (0..count).map(|_| self.builder.any()).collect()
    }

    fn locations(&self, process: u32) -> u32 {
        self.system.processes[process as usize].locations
    }

    /// Returns the index of a location in its process.
    fn within(&self, location: LocationId) -> u32 {
        let process = self.system.locations[location.0 as usize].process;
        location.0 - self.system.processes[process.0 as usize].first_location.0
    }

    fn add_slot(&mut self, slot: u32, domain: RegionDomain) {
        let plain = self.nodes(domain.len());
        let (mut pairs, mut foreign) = (Vec::new(), Vec::new());
        if let Some(home) = self.homes.of_slot(slot) {
            let count = self.locations(home);
            (pairs, foreign) = self.add_pairs(home, count, domain.len());
            for (i, pair) in pairs.iter().enumerate() {
                self.builder.connect(*pair, plain[i % domain.len()]);
            }
        }
        self.slots.push(SlotNodes { domain, plain, pairs, foreign });
    }

    /// Adds nodes for the regions of a variable or clock at each location of its home, and for
    /// those that other processes set it to.
    fn add_pairs(&mut self, home: u32, locations: u32, regions: usize) -> (Vec<NodeNumber>, Vec<NodeNumber>) {
        let pairs = self.nodes(locations as usize * regions);
        let foreign = self.nodes(regions);
        for (i, pair) in pairs.iter().enumerate() {
            let place = self.slots[home as usize].plain[i / regions];
            let both = self.builder.shared(true, vec![place, foreign[i % regions]]);
            self.builder.connect(both, *pair);
        }
        (pairs, foreign)
    }

    fn group(&self, sync: Sync) -> u32 {
        match sync {
            Sync::Send(c) | Sync::Receive(c) => c.0,
            Sync::Event(_) => self.system.channels.len() as u32,
            Sync::Internal => u32::MAX,
        }
    }

    /// Adds the nodes of sent values.
    fn add_sent(&mut self, summaries: &[Summary]) {
        let row = self.system.ranges.len() as u32;
        let mut wanted = BTreeSet::new();
        for (edge, summary) in self.system.edges.iter().zip(summaries) {
            let group = self.group(edge.sync);
            for path in &summary.paths {
                let conditions = path.conditions.iter().filter_map(|atom| self.symbolic.terms.atom_support(*atom));
                let writes =
                    path.writes.values().filter_map(|term| self.symbolic.terms.support(*term).map(<[u32]>::to_vec));
                for var in conditions.chain(writes).flatten().filter(|var| *var >= row) {
                    wanted.insert((group, var - row, edge.process.0));
                }
            }
        }
        for (group, slot, process) in wanted {
            let nodes = self.nodes(self.slots[slot as usize].domain.len());
            for (region, node) in nodes.iter().enumerate() {
                self.builder.connect(self.slots[slot as usize].plain[region], *node);
            }
            self.sent.entry((group, slot)).or_default().insert(process, nodes);
        }
    }

    fn domain(&self, var: u32) -> &RegionDomain {
        &self.slots[var as usize % self.slots.len()].domain
    }

    /// Returns the node of "a variable has a value of a region".
    fn fact(&mut self, context: FactContext<'_>, var: u32, region: usize) -> NodeNumber {
        let row = self.slots.len() as u32;
        if let Some(slot) = var.checked_sub(row) {
            return self.sent[&(context.group, slot)][&context.process][region];
        }
        let slot = &self.slots[var as usize];
        let places = self.homes.of_slot(var).and_then(|home| context.at.get(&home));
        match places {
            None => slot.plain[region],
            Some(places) => {
                let pairs = places.iter().map(|l| slot.pairs[*l as usize * slot.domain.len() + region]).collect();
                self.builder.shared(false, pairs)
            }
        }
    }

    /// Returns the regions of a variable in which a comparison on it alone may hold.
    fn satisfying(&self, var: u32, atom: Atom) -> Vec<bool> {
        let domain = self.domain(var);
        (0..domain.len()).map(|r| self.symbolic.terms.may_hold(atom, &|_| domain.interval(r))).collect()
    }

    /// Returns the regions that the conditions on single variables allow; `None`: a variable has
    /// none.
    fn allowed(&self, path: &Path) -> Option<AllowedRegions> {
        let mut allowed = AllowedRegions::new();
        for atom in &path.conditions {
            let Some(support) = self.symbolic.terms.atom_support(*atom) else { continue };
            let [var] = support[..] else { continue };
            let own = self.satisfying(var, *atom);
            let all = allowed.entry(var).or_insert_with(|| vec![true; own.len()]);
            all.iter_mut().zip(own).for_each(|(all, own)| *all &= own);
        }
        allowed.values().all(|left| left.contains(&true)).then_some(allowed)
    }

    /// Returns the combinations of regions of some variables; `None`: there are too many.
    fn tuples(&self, vars: &[u32], allowed: &AllowedRegions) -> Option<Vec<Vec<usize>>> {
        let choices: Vec<Vec<usize>> = vars
            .iter()
            .map(|var| {
                let left = allowed.get(var);
                (0..self.domain(*var).len()).filter(|r| left.is_none_or(|left| left[*r])).collect()
            })
            .collect();
        choices.iter().try_fold(1_usize, |all, c| all.checked_mul(c.len()).filter(|n| *n <= MAX_TUPLES))?;
        let mut tuples = vec![Vec::new()];
        for choice in &choices {
            let longer = |tuple: &Vec<usize>, r: &usize| [&tuple[..], &[*r]].concat();
            tuples = tuples.iter().flat_map(|tuple| choice.iter().map(move |r| longer(tuple, r))).collect();
        }
        Some(tuples)
    }

    /// Returns the nodes that the conditions of a path need; `None`: they can't hold.
    fn needs(&mut self, path: &Path, allowed: &AllowedRegions, context: FactContext<'_>) -> Option<Vec<NodeNumber>> {
        let mut needs = Vec::new();
        for (var, left) in allowed {
            if left.contains(&false) {
                let regions = (0..left.len()).filter(|r| left[*r]);
                let facts: Vec<NodeNumber> = regions.map(|r| self.fact(context, *var, r)).collect();
                needs.push(self.builder.shared(false, facts));
            }
        }
        for atom in &path.conditions {
            let Some(support) = self.symbolic.terms.atom_support(*atom).filter(|s| s.len() > 1) else { continue };
            let Some(tuples) = self.tuples(&support, allowed) else { continue };
            let holds = |tuple: &&Vec<usize>| {
                let of = |var: u32| {
                    let i = support.binary_search(&var).unwrap_or(0);
                    self.domain(support[i]).interval(tuple[i])
                };
                self.symbolic.terms.may_hold(*atom, &of)
            };
            let good: Vec<&Vec<usize>> = tuples.iter().filter(holds).collect();
            if good.is_empty() {
                return None;
            }
            if good.len() == tuples.len() {
                continue;
            }
            let mut choices = Vec::new();
            for tuple in good {
                let facts = support.iter().zip(tuple).map(|(var, r)| self.fact(context, *var, *r)).collect();
                choices.push(self.builder.shared(true, facts));
            }
            needs.push(self.builder.shared(false, choices));
        }
        Some(needs)
    }

    /// Returns the facts of slots that are changed before or after each transition: all are given.
    fn written_by_hooks(&self) -> Vec<NodeNumber> {
        let hooks = [self.system.before_update, self.system.after_update];
        let slots = hooks.into_iter().flatten().flat_map(|pc| self.system.written(pc));
        let mut given = Vec::new();
        for slot in slots {
            let slot = &self.slots[slot as usize];
            given.extend(slot.plain.iter().chain(&slot.pairs));
        }
        given
    }

    fn add_goal(&mut self, path: &Path, goal: NodeNumber, given: &mut Vec<NodeNumber>) {
        let Some(allowed) = self.allowed(path) else { return };
        let mut at = BTreeMap::new();
        for process in 0..self.system.processes.len() as u32 {
            if let Some(left) = allowed.get(&process) {
                at.insert(process, (0..left.len() as u32).filter(|l| left[*l as usize]).collect());
            }
        }
        let Some(needs) = self.needs(path, &allowed, FactContext { group: u32::MAX, process: u32::MAX, at: &at })
        else {
            return;
        };
        if needs.is_empty() {
            given.push(goal);
        } else {
            let both = self.builder.all(needs, None);
            self.builder.connect(both, goal);
        }
    }

    fn finish(self, goal: NodeNumber, given: Vec<NodeNumber>) -> Relaxation {
        let (network, numbers) = self.builder.finish(goal);
        let new = |nodes: &[NodeNumber]| -> Vec<NodeNumber> {
            nodes.iter().map(|n| numbers[*n as usize].unwrap_or(NO_FACT)).collect()
        };
        let matters = |facts: &[NodeNumber]| facts.iter().any(|fact| *fact != NO_FACT);
        let mut slots = Vec::new();
        for (slot, nodes) in self.slots.into_iter().enumerate() {
            let home = self.homes.of_slot(slot as u32);
            let facts = new(if home.is_some() { &nodes.pairs } else { &nodes.plain });
            if matters(&facts) {
                slots.push(SlotFacts { slot: slot as u32, domain: nodes.domain, home, facts });
            }
        }
        let mut clocks = Vec::new();
        for (clock, nodes) in self.clocks {
            let facts = new(&nodes.pairs);
            if matters(&facts) {
                clocks.push(ClockFacts { clock, regions: nodes.regions, home: nodes.home, facts });
            }
        }
        let given = new(&given).into_iter().filter(|fact| *fact != NO_FACT).collect();
        Relaxation { network, start: Start { slots, clocks, given, facts: Vec::new() } }
    }
}
