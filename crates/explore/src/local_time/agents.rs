//! Who has a time of its own, and which of them a transition needs at once.
//!
//! An *agent* is a process, or something that several processes share: variables or clocks. A
//! shared thing is an automaton of its own with one location and no invariant, and whoever uses it
//! synchronises with it. So the network is one of agents that have nothing in common, and a
//! transition is a joint action of its agents:
//!
//! - the processes of its edges;
//! - what these edges read, write, compare or set, unless it belongs to one of the processes;
//! - the processes whose invariants depend on what it writes or sets;
//! - for a broadcast, whoever might receive, with what decides about it, and for a vector, whoever
//!   might take part: that they do not is a fact about them at that time.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use model::{
    System,
    system::{ChannelId, ClockTerm, EdgeId, EventId, Guard, ProcessId, Sync, Uses},
    vector::Participant,
};
use rustc_hash::FxBuildHasher;

/// Why the times of a model's processes have to be the same all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// What has priority depends on all processes.
    Priorities,
    /// Committed locations hold up all processes.
    Committed,
    /// Urgent channels hold up all processes.
    UrgentChannels,
    /// Clocks may be stopped.
    Stopwatches,
    /// Clocks decide who receives a broadcast.
    Receivers,
    /// Clocks of several processes are compared.
    Diagonals,
    /// Clocks are set to the values of others.
    Copies,
    /// The invariants of several processes bound one clock.
    SharedInvariant,
    /// Values of lattices are merged.
    Lattices,
    /// Code runs with every transition, or meta variables go from one to the next.
    Global,
    /// Variables are not distinguished.
    Unread,
    /// There is a function of the user.
    Function,
    /// There are too many edges, clocks or shared variables.
    Size,
}

/// The greatest dimension of local zones, which have an index for each agent.
const MAX_DIM: usize = 64 * size_of::<AgentSet>() / 8;
/// The greatest number of edges: pairs of them are compared.
const MAX_EDGES: usize = 2000;

/// A set of agents.
type AgentSet = [u64; 4];

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::Priorities => "there are priorities",
            Obstacle::Committed => "there are committed locations",
            Obstacle::UrgentChannels => "there are urgent channels",
            Obstacle::Stopwatches => "clocks may be stopped",
            Obstacle::Receivers => "clocks decide who receives a broadcast",
            Obstacle::Diagonals => "differences of clocks are compared",
            Obstacle::Copies => "clocks are set to the values of others",
            Obstacle::SharedInvariant => "invariants of several processes bound one clock",
            Obstacle::Lattices => "there are values of lattices",
            Obstacle::Global => "transitions share updates or meta variables",
            Obstacle::Unread => "variables that nothing reads are not distinguished",
            Obstacle::Function => "a function decides about transitions",
            Obstacle::Size => "there are too many edges, clocks or shared variables",
        })
    }
}

/// The agents of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agents {
    /// The number of processes, which are the first agents.
    pub(super) processes: u32,
    /// The number of agents.
    pub(super) count: usize,
    /// The agent whose time each clock shows. That of the reference clock is meaningless.
    pub(super) owners: Vec<u32>,
    /// The agents of each edge, with what a transition with it needs besides.
    edges: Vec<Vec<u32>>,
    /// Whether each edge may set clocks.
    sets: Vec<bool>,
}

impl Agents {
    /// Finds the agents of a system.
    ///
    /// # Errors
    /// Something depends on all processes at once.
    pub fn new(system: &System) -> Result<Agents, Obstacle> {
        exclude(system)?;
        let function = || Obstacle::Function;
        let edges: Vec<Uses> =
            system.edges.iter().map(|e| system.uses_of_edge(e).ok_or_else(function)).collect::<Result<_, _>>()?;
        if edges.iter().any(|uses| uses.copies) {
            return Err(Obstacle::Copies);
        }
        let mut invariants = vec![Uses::default(); system.processes.len()];
        for location in &system.locations {
            let uses = system.uses_of_invariant(&location.invariant).ok_or_else(function)?;
            let own = &mut invariants[location.process.0 as usize];
            own.read.extend(uses.read);
            own.clocks.extend(uses.clocks);
        }
        let found = Sharing::new(system, &edges, &invariants)?;
        let own: Vec<Vec<u32>> = (0..edges.len()).map(|e| found.agents(e, &edges[e])).collect();
        // Whoever might take part does so in a way.
        let mut receivers = vec![Vec::new(); system.channels.len()];
        for (edge, agents) in system.edges.iter().zip(&own) {
            if let Sync::Receive(channel) = edge.sync {
                receivers[channel.0 as usize].extend(agents);
            }
        }
        let mut weak: BTreeMap<(ProcessId, EventId), Vec<u32>> = BTreeMap::new();
        for vector in &system.vectors {
            let others = || vector.participants.iter().filter(|p| p.weak).map(|p| p.process.0);
            vector.participants.iter().for_each(|p| weak.entry((p.process, p.event)).or_default().extend(others()));
        }
        let mut all = own;
        for (edge, agents) in system.edges.iter().zip(&mut all) {
            match edge.sync {
                Sync::Send(channel) if system.channels[channel.0 as usize].broadcast => {
                    agents.extend(&receivers[channel.0 as usize]);
                }
                Sync::Event(event) => agents.extend(weak.get(&(edge.process, event)).into_iter().flatten()),
                Sync::Internal | Sync::Send(_) | Sync::Receive(_) => {}
            }
        }
        for agents in &mut all {
            agents.sort_unstable();
            agents.dedup();
        }
        let sets = edges.iter().map(|uses| uses.sets).collect();
        let agents = Agents {
            processes: system.processes.len() as u32,
            count: found.count,
            owners: found.owners,
            edges: all,
            sets,
        };
        if agents.dim() > MAX_DIM { Err(Obstacle::Size) } else { Ok(agents) }
    }

    /// Returns whether local times may save more than they cost: of two transitions that set
    /// clocks, many have no agent in common. Their order is what zones remember.
    #[must_use]
    pub fn commute(&self, system: &System) -> bool {
        let kinds = self.setting_clocks(system);
        let (mut pairs, mut free) = (0, 0);
        for (i, (agents, count)) in kinds.iter().enumerate() {
            pairs += count * (count - 1) / 2;
            for (others, other_count) in &kinds[i + 1..] {
                pairs += count * other_count;
                if agents.iter().zip(others).all(|(own, other)| own & other == 0) {
                    free += count * other_count;
                }
            }
        }
        free > 0 && free * 4 >= pairs
    }

    /// Returns the sets of agents of transitions that set clocks, and about how many have each.
    fn setting_clocks(&self, system: &System) -> Vec<(AgentSet, u64)> {
        let mut edges: HashMap<Sync, Vec<usize>, FxBuildHasher> = HashMap::default();
        for (number, edge) in system.edges.iter().enumerate() {
            edges.entry(edge.sync).or_default().push(number);
        }
        let on = |sync: Sync| edges.get(&sync).into_iter().flatten().copied();
        let process = |e: usize| system.edges[e].process;
        let mut kinds: BTreeMap<AgentSet, u64> = BTreeMap::new();
        let mut add = |edges: &[usize]| {
            if edges.iter().any(|e| self.sets[*e]) {
                let mut set = AgentSet::default();
                for agent in edges.iter().flat_map(|e| &self.edges[*e]) {
                    set[*agent as usize / 64] |= 1 << (agent % 64);
                }
                *kinds.entry(set).or_default() += 1;
            }
        };
        on(Sync::Internal).for_each(|e| add(&[e]));
        for (channel, number) in system.channels.iter().zip((0..).map(ChannelId)) {
            for sender in on(Sync::Send(number)) {
                if channel.broadcast {
                    add(&[sender]);
                } else {
                    let others = on(Sync::Receive(number)).filter(|e| process(*e) != process(sender));
                    others.for_each(|receiver| add(&[sender, receiver]));
                }
            }
        }
        for vector in &system.vectors {
            let own = |p: &Participant| -> Vec<usize> {
                on(Sync::Event(p.event)).filter(|e| process(*e) == p.process).collect()
            };
            let edges: Vec<Vec<usize>> = vector.participants.iter().map(own).collect();
            // One transition for each edge of the participant that has most.
            for i in 0..edges.iter().map(Vec::len).max().unwrap_or(0) {
                let joint: Vec<usize> = edges.iter().filter_map(|own| own.get(i).or(own.first())).copied().collect();
                add(&joint);
            }
        }
        kinds.into_iter().collect()
    }

    /// Finds the agents of a transition, each once.
    pub(super) fn of(&self, edges: &[EdgeId], out: &mut Vec<u32>) {
        out.clear();
        for e in edges {
            for agent in &self.edges[e.0 as usize] {
                if !out.contains(agent) {
                    out.push(*agent);
                }
            }
        }
    }

    /// Returns the dimension of local zones: a time for each agent, then the clocks.
    pub(super) fn dim(&self) -> usize {
        self.count + self.owners.len() - 1
    }

    /// Returns the number of bounds of a local zone.
    #[must_use]
    pub fn area(&self) -> usize {
        self.dim() * self.dim()
    }

    /// Returns the index of a clock in local zones.
    pub(super) fn clock(&self, clock: u32) -> usize {
        self.count + clock as usize - 1
    }
}

/// Excludes systems with something that is not a matter of some agents.
fn exclude(system: &System) -> Result<(), Obstacle> {
    let guards = || system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
    let is_diagonal =
        |guard: &Guard| guard.clocks.iter().any(|c| c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO);
    let receives = system.edges.iter().any(|e| {
        matches!(e.sync, Sync::Receive(c) if system.channels[c.0 as usize].broadcast) && !e.guard.clocks.is_empty()
    });
    let obstacles = [
        (system.has_priorities, Obstacle::Priorities),
        (system.locations.iter().any(|l| l.committed), Obstacle::Committed),
        (system.channels.iter().any(|c| c.urgent), Obstacle::UrgentChannels),
        (system.locations.iter().any(|l| !l.rates.is_empty()), Obstacle::Stopwatches),
        (receives, Obstacle::Receivers),
        (guards().any(is_diagonal), Obstacle::Diagonals),
        (!system.lattices.is_empty(), Obstacle::Lattices),
        (system.before_update.is_some() || system.after_update.is_some(), Obstacle::Global),
        (system.identity < system.initial.len(), Obstacle::Global),
        (!system.unread.is_empty(), Obstacle::Unread),
        (system.edges.len() > MAX_EDGES || system.processes.len() > MAX_DIM, Obstacle::Size),
    ];
    obstacles.into_iter().find(|(is_there, _)| *is_there).map_or(Ok(()), |(_, obstacle)| Err(obstacle))
}

/// What processes share.
struct Sharing {
    count: usize,
    owners: Vec<u32>,
    /// For each slot, who has to be there when an edge uses it, and when it writes it.
    slots: Vec<[Vec<u32>; 2]>,
    processes: Vec<u32>,
    /// Whether something besides its own edges depends on the location of each process.
    reads_location: Vec<bool>,
}

impl Sharing {
    fn new(system: &System, edges: &[Uses], invariants: &[Uses]) -> Result<Sharing, Obstacle> {
        let processes = system.processes.len();
        let process = |e: usize| system.edges[e].process.0;
        // Which processes use each slot by edges, which write it, and whose invariants read it.
        let slots = system.initial.len();
        let (mut users, mut is_written) = (vec![Vec::new(); slots], vec![false; slots]);
        for (e, uses) in edges.iter().enumerate() {
            for slot in uses.read.iter().chain(&uses.written) {
                users[*slot as usize].push(process(e));
            }
            uses.written.iter().for_each(|slot| is_written[*slot as usize] = true);
        }
        for p in 0..processes {
            // Every edge sets the location of its process.
            users[p].push(p as u32);
            is_written[p] = true;
        }
        let mut watchers = vec![Vec::new(); slots];
        for (p, uses) in invariants.iter().enumerate() {
            uses.read.iter().for_each(|slot| watchers[*slot as usize].push(p as u32));
        }
        for list in users.iter_mut().chain(&mut watchers) {
            list.sort_unstable();
            list.dedup();
        }
        let mut found = Sharing {
            count: processes,
            owners: vec![0; system.clocks.len()],
            slots: vec![[Vec::new(), Vec::new()]; slots],
            processes: (0..edges.len()).map(process).collect(),
            reads_location: (0..processes)
                .map(|p| users[p].len() > 1 || watchers[p].iter().any(|q| *q != p as u32))
                .collect(),
        };
        // Slots that the same processes use are one thing: an agent for each would cost more.
        let mut things: BTreeMap<&[u32], u32> = BTreeMap::new();
        for slot in (0..slots).filter(|slot| is_written[*slot]) {
            if users[slot].len() > 1 {
                let next = found.count as u32;
                let thing = *things.entry(&users[slot]).or_insert(next);
                found.count += usize::from(thing == next);
                found.slots[slot][0].push(thing);
            }
            found.slots[slot][1].clone_from(&watchers[slot]);
        }
        let (mut bounded, mut used) = (vec![Vec::new(); system.clocks.len()], vec![Vec::new(); system.clocks.len()]);
        for (p, uses) in invariants.iter().enumerate() {
            uses.clocks.iter().for_each(|clock| bounded[clock.0 as usize].push(p as u32));
        }
        for (e, uses) in edges.iter().enumerate() {
            uses.clocks.iter().for_each(|clock| used[clock.0 as usize].push(process(e)));
        }
        for (owner, (mut bounded, mut used)) in found.owners.iter_mut().zip(bounded.into_iter().zip(used)).skip(1) {
            bounded.dedup();
            used.sort_unstable();
            used.dedup();
            *owner = match (&bounded[..], &used[..]) {
                ([_, _, ..], _) => return Err(Obstacle::SharedInvariant),
                ([process], _) | ([], [process]) => *process,
                ([], [_, _, ..]) => {
                    found.count += 1;
                    found.count as u32 - 1
                }
                // Only queries compare it.
                ([], []) => 0,
            };
        }
        Ok(found)
    }

    /// Returns the agents of an edge.
    fn agents(&self, edge: usize, uses: &Uses) -> Vec<u32> {
        let process = self.processes[edge];
        let mut agents = vec![process];
        for slot in uses.read.iter().chain(&uses.written) {
            agents.extend(&self.slots[*slot as usize][0]);
        }
        for slot in &uses.written {
            agents.extend(&self.slots[*slot as usize][1]);
        }
        if self.reads_location[process as usize] {
            self.slots[process as usize].iter().for_each(|more| agents.extend(more));
        }
        agents.extend(uses.clocks.iter().map(|clock| self.owners[clock.0 as usize]));
        agents
    }
}
