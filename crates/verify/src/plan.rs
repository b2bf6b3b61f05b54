//! Which settings a query needs, and what the user may choose.

use explore::{
    bounds::ClockBounds,
    chain::Skipping,
    cluster::Cluster,
    goal::{asks_deadlock, witness},
    graph::{Abstraction, RunError, ZoneGraph},
    guided::{CachePolicy, Guided, QueueStrategy, Rank, TieBreak},
    heuristic::{ABSTRACT_STATES, Budget},
    local::Local,
    merging::Merging,
    open::{Earliest, Fifo, Levels, Lifo, OpenList, RandomLifo},
    search::Limits,
    store::{Store, Update},
    symmetry::Reduction,
    user::UserOrder,
    waiting::Waiting,
};
use model::{Formula, Property, System};
use zone::Bound;

use crate::{
    CommonTime, Heuristic, Joining, LocalTime, Reason,
    joining::may_cover,
    portfolio::portfolio,
    trace::{Aim, Move, run_to},
};

/// The order in which states are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Breadth-first.
    #[default]
    Bfs,
    /// Breadth-first; where that takes long, probes by other orders come in between. See
    /// `shared`.
    Adaptive,
    /// Several directed strategies by turns; see [`crate::portfolio`].
    Auto,
    /// Depth-first.
    Dfs,
    /// Depth-first, with the successors of each state in random order.
    RandomDfs,
    /// States wait for those that may cover them; see [`explore::waiting`].
    Waiting,
    /// By the length of the path so far plus the estimate of the rest.
    Astar,
    /// By the estimate alone.
    Greedy,
    /// Downhill as the heuristic says, with random steps and restarts; see [`explore::local`].
    Local,
}

impl Order {
    /// Returns an empty open list of this order for a search without a goal that guides it.
    #[must_use]
    pub fn open_list<B: Bound>(self, system: &System, seed: u64) -> Box<dyn OpenList<B>> {
        match self {
            Order::Dfs => Box::<Lifo>::default(),
            Order::RandomDfs => Box::new(RandomLifo::new(seed)),
            Order::Waiting => Box::new(Waiting::new(system)),
            Order::Bfs | Order::Adaptive | Order::Auto | Order::Astar | Order::Greedy | Order::Local => {
                Box::<Fifo>::default()
            }
        }
    }

    /// Whether it depends on what is searched for.
    #[must_use]
    pub fn is_directed(self) -> bool {
        matches!(self, Order::Auto | Order::Astar | Order::Greedy | Order::Local)
    }
}

/// What guides a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// The heuristics; several take turns. None: what suits the order.
    pub heuristics: Vec<Heuristic>,
    /// The weight of the estimate in A*.
    pub weight: u32,
    /// Whether states after helpful transitions have a queue of their own.
    pub helpful: bool,
    /// Whether states after useless transitions come later.
    pub useless: bool,
    /// Which of several states with the same rank comes first.
    pub ties: TieBreak,
    /// Whether in A* a state may cover another with a shorter path. Traces need not be shortest.
    pub covers_shorter: bool,
    /// The number of values of each heuristic that are kept; `None`: all, each by what it depends
    /// on.
    pub table: Option<usize>,
    /// The number of abstract states that may be built before the search.
    pub budget: usize,
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance {
            heuristics: Vec::new(),
            weight: 1,
            helpful: false,
            useless: false,
            ties: TieBreak::default(),
            covers_shorter: false,
            table: None,
            budget: ABSTRACT_STATES,
        }
    }
}

impl Guidance {
    /// An empty open list for a directed order.
    fn open_list<'s, B: Bound>(
        &self,
        order: Order,
        system: &'s System,
        goal: &Formula,
        seed: u64,
        limits: &Limits<'_>,
    ) -> Box<dyn OpenList<B> + 's> {
        let budget = Budget { states: self.budget, limits: *limits };
        let memory = self.table.map_or(CachePolicy::Each { drops: !system.may_fail(&[goal]) }, CachePolicy::Table);
        if order == Order::Auto {
            return Box::new(portfolio(system, goal, &self.heuristics, memory, seed, &budget));
        }
        let named = |name: &str| Heuristic::named(name).into_iter().collect();
        let chosen: Vec<Heuristic> = match (&self.heuristics[..], order) {
            ([], Order::Astar) => named("hl"),
            ([], _) => named("hu"),
            (chosen, _) => chosen.to_vec(),
        };
        let evaluators: Vec<_> = chosen.iter().map(|heuristic| heuristic.build(system, goal, &budget)).collect();
        if order == Order::Local {
            return Box::new(Local::new(evaluators, memory, seed));
        }
        let rank = match order {
            Order::Astar => Rank::Total { weight: self.weight },
            _ if self.useless => Rank::Useless,
            _ => Rank::Estimate,
        };
        let mut strategies = Vec::new();
        for heuristic in 0..evaluators.len() {
            strategies.push(QueueStrategy { heuristic, rank, helpful: false, cost: 1 });
            if self.helpful {
                strategies.push(QueueStrategy { heuristic, rank, helpful: true, cost: 1 });
            }
        }
        Box::new(Guided::new(evaluators, memory, &strategies, seed).with_ties(self.ties))
    }
}

/// Which of several traces to a goal is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Any.
    #[default]
    Some,
    /// One with as few transitions as there can be.
    Shortest,
    /// One with few transitions, without a search for the fewest; a directed one is followed by two
    /// small ones.
    Short,
    /// One that takes as little time as there can be.
    Fastest,
}

/// A search that computes more transitions is large.
pub(crate) const LARGE: usize = 1 << 18;

/// In how many threads states are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The number.
    pub count: usize,
    /// The number of transitions that a search computes before it has more than one.
    pub after: usize,
}

impl Threads {
    /// One thread.
    pub const ONE: Threads = Threads { count: 1, after: 0 };

    /// The numbers of transitions after which it is known how to distribute states. The second one
    /// is for searches whose first states are too much alike.
    pub(crate) const SAMPLES: [usize; 2] = [1 << 12, 1 << 14];

    /// So many as soon as it is known how to distribute states to them.
    #[must_use]
    pub fn soon(count: usize) -> Threads {
        Threads { count, after: Threads::SAMPLES[0] }
    }

    /// So many once a search is large.
    #[must_use]
    pub fn late(count: usize) -> Threads {
        Threads { count, after: LARGE }
    }
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::ONE
    }
}

/// What is done with states that differ in the names of scalars only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// One of them is explored for all of them, where the members of scalar sets are alike.
    #[default]
    On,
    /// Each is explored.
    Off,
}

/// What the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The order.
    pub order: Order,
    /// What guides it.
    pub guidance: Guidance,
    /// The abstraction; `None`: what the query needs.
    pub abstraction: Option<Abstraction>,
    /// The update; `None`: cover.
    pub update: Option<Update>,
    /// How states are joined.
    pub joining: Joining,
    /// The seed of random orders.
    pub seed: u64,
    /// The trace that is wanted. It decides about the order where not just any will do.
    pub wanted: Wanted,
    /// Which states need not be stored; `None`: all are.
    pub passing: Option<Skipping>,
    /// Whether states are distinguished by the names of scalars.
    pub symmetry: Symmetry,
    /// Whether each process has a time of its own.
    pub local_time: LocalTime,
    /// Whether zones have bounds of 64 bits even where 32 are enough, so that both can be compared.
    pub wide: bool,
    /// In how many threads states are explored.
    pub threads: Threads,
    /// The processes that answer together.
    pub cluster: Option<Cluster>,
    /// An order of the user, which takes the place of `order`.
    pub user_order: Option<UserOrder>,
}

/// How a query is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The order.
    pub order: Order,
    /// What guides it.
    pub guidance: Guidance,
    /// The abstraction.
    pub abstraction: Abstraction,
    /// The update.
    pub update: Update,
    /// How states are joined.
    pub joining: Joining,
    /// The variables in [`model::Network::lattices`] that need not be equal for a state to cover
    /// another or to be joined with it.
    pub merged: Vec<usize>,
    /// The seed of random orders.
    pub seed: u64,
    /// The trace that is wanted.
    pub wanted: Wanted,
    /// Whether clocks may stand still, so that zones are too large.
    pub stopwatches: bool,
    /// Which states are not stored.
    pub passing: Option<Skipping>,
    /// Whether one state is explored for all that differ in the names of scalars only.
    pub symmetry: bool,
    /// Whether each process has a time of its own. `Plan::settled` decides what is left open.
    pub local_time: LocalTime,
    /// Why that is not so, if it is wanted.
    pub common_time: Option<CommonTime>,
    /// In how many threads states are explored, if the order allows several.
    pub threads: Threads,
    /// The processes that search together, if the order allows several.
    pub cluster: Option<Cluster>,
    /// An order of the user, which takes the place of `order`.
    pub user_order: Option<UserOrder>,
}

impl Plan {
    /// An empty open list for the states of a system, in which something is searched for. `clock`
    /// shows the time since the start, where that matters.
    #[must_use]
    pub fn open_list<'s, B: Bound>(
        &self,
        system: &'s System,
        goal: &Formula,
        clock: usize,
        limits: &Limits<'_>,
    ) -> Box<dyn OpenList<B> + 's> {
        match self.wanted {
            Wanted::Some if self.order.is_directed() => {
                self.guidance.open_list(self.order, system, goal, self.seed, limits)
            }
            Wanted::Some => self.plain_open_list(system),
            Wanted::Shortest | Wanted::Short => Box::<Fifo>::default(),
            Wanted::Fastest => Box::new(Earliest::new(clock)),
        }
    }

    /// Returns an empty open list for a search without a goal that guides it.
    pub(crate) fn plain_open_list<'s, B: Bound>(&self, system: &'s System) -> Box<dyn OpenList<B> + 's> {
        match &self.user_order {
            Some(order) => explore::user::open_list(system, order),
            None => self.order.open_list(system, self.seed),
        }
    }

    /// Whether several workers may share the search: its order does not depend on the goal.
    #[must_use]
    pub(crate) fn may_spread(&self) -> bool {
        let plain = match self.wanted {
            Wanted::Some => !self.order.is_directed() && self.user_order.is_none(),
            Wanted::Shortest => true,
            Wanted::Short | Wanted::Fastest => false,
        };
        (self.threads.count > 1 || self.cluster.is_some()) && plain
    }

    /// Whether its strategies may have a thread each.
    #[must_use]
    pub(crate) fn may_race(&self) -> bool {
        self.order == Order::Auto && self.wanted == Wanted::Some && self.threads.count > 1
    }

    /// The same, in one thread, which each process of a cluster has.
    pub(crate) fn alone(&self) -> Plan {
        Plan { threads: Threads::ONE, cluster: None, ..self.clone() }
    }

    /// The number of the first worker of this process.
    pub(crate) fn first_worker(&self) -> usize {
        self.cluster.as_ref().map_or(0, |cluster| cluster.first_worker(cluster.number()))
    }

    /// The number of workers of this process, if the search has several.
    pub(crate) fn own_workers(&self) -> usize {
        self.cluster.as_ref().map_or(self.threads.count, Cluster::own_workers)
    }

    /// An empty open list for one of several workers.
    pub(crate) fn open_list_of_worker<B: Bound>(&self, system: &System, number: usize) -> Box<dyn OpenList<B>> {
        match self.order {
            Order::Dfs | Order::RandomDfs | Order::Waiting if self.wanted == Wanted::Some => {
                self.order.open_list(system, self.seed.wrapping_add(number as u64))
            }
            _ => Box::<Levels>::default(),
        }
    }

    /// Whether the last of several open states is expanded first.
    pub(crate) fn takes_last_first(&self) -> bool {
        self.wanted == Wanted::Some && matches!(self.order, Order::Dfs | Order::RandomDfs)
    }

    /// Returns whether the search has to find a shortest path to the goal.
    #[must_use]
    pub fn by_length(&self) -> bool {
        match self.wanted {
            Wanted::Some => self.order == Order::Astar,
            Wanted::Shortest => true,
            Wanted::Short | Wanted::Fastest => false,
        }
    }

    /// An empty store for the states of a system.
    #[must_use]
    pub fn store<B: Bound>(&self, system: &System) -> Store<B> {
        let mut store = Store::new(system, self.update);
        if let Some(agents) = self.agents(system) {
            store = store.with_tails(agents.area());
        }
        if self.merges() {
            store = store.with_groups(system, &self.merged);
        }
        let any_length = self.wanted == Wanted::Some && self.guidance.covers_shorter;
        if self.by_length() && !any_length { store.with_depths() } else { store }
    }

    /// What decides about covering and joining, where that is not a matter of zones alone.
    #[must_use]
    pub fn merging<'s, B: Bound>(
        &self,
        system: &'s System,
        goal: &'s Formula,
        bounds: &ClockBounds<B>,
    ) -> Option<Merging<'s, B>> {
        let graph = || ZoneGraph::new(system, bounds.clone(), self.abstraction);
        let mut merging = self.merging_of_worker(system)?;
        if self.update == Update::Join {
            let in_goal = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| witness(graph, goal, row, zone);
            merging = merging.with_probe(graph(), Box::new(in_goal));
            if self.refines() {
                merging = merging.with_refinement(self.joining.guide.clone());
            }
        }
        Some(merging)
    }

    /// The same for one of several workers. What joined states lead to is not judged.
    pub(crate) fn merging_of_worker<'s, B: Bound>(&self, system: &'s System) -> Option<Merging<'s, B>> {
        if !self.merges() {
            return None;
        }
        let strategy = (self.update == Update::Join).then(|| self.joining.strategy(system));
        let merging = Merging::new(system, &self.merged, strategy);
        Some(if self.splits() { merging.with_splits(system, &self.merged) } else { merging })
    }

    /// Whether states that differ in more than zones may cover each other, or states are joined.
    fn merges(&self) -> bool {
        self.update == Update::Join || !self.merged.is_empty()
    }

    /// Whether transitions are taken from smaller elements as well where their guards are lost on
    /// the way up.
    #[must_use]
    pub fn splits(&self) -> bool {
        self.update == Update::Join && !self.joining.trusts
    }

    /// Whether joins that have led to a goal out of reach are undone.
    #[must_use]
    pub fn refines(&self) -> bool {
        // A trace that is to be best is chosen among goals, of which any may be out of reach.
        self.joining.refines && !self.by_length() && self.wanted != Wanted::Fastest
    }

    /// Whether stored zones may hold valuations that no run reaches.
    #[must_use]
    pub(crate) fn update_is_imprecise(&self) -> bool {
        self.update == Update::Join
    }

    /// Returns whether no run is known to meet an error to which these steps lead: it may be one of
    /// joined states alone. If a transition fails, its guards hold at the end of such a run.
    pub(crate) fn may_be_spurious(&self, system: &System, steps: Option<&[Move]>, error: &RunError) -> bool {
        let is_met = |steps: &[Move]| run_to(system, steps, Aim::Guards(&error.edges)).is_some();
        self.update_is_imprecise() && error.stop().is_none() && !steps.is_some_and(is_met)
    }

    /// The same, where neither states are joined nor elements merged.
    pub(crate) fn distinguishing(&self) -> Plan {
        Plan { merged: Vec::new(), update: Update::Cover, ..self.clone() }
    }

    /// The same, where states are not joined.
    #[must_use]
    pub(crate) fn without_joins(&self, system: &System, goal: &Formula) -> Plan {
        let merged = self.joining.merged(system, &Property::possibly(goal.clone()), Update::Cover);
        // Elements by which no state may be joined cover no others either.
        let merged = merged.into_iter().filter(|i| self.merged.contains(i)).collect();
        Plan { update: Update::Cover, merged, ..self.clone() }
    }

    /// The same, where neither an order nor the trace that is wanted depends on a goal.
    pub(crate) fn undirected(&self) -> Plan {
        let order = if self.order.is_directed() { Order::Bfs } else { self.order };
        Plan { order, wanted: Wanted::Some, ..self.clone() }
    }

    /// Whether all that a search finds is there, run or run-time error.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.update_is_imprecise() && !self.stopwatches
    }

    /// Why something that was found may not be there.
    #[must_use]
    pub(crate) fn doubt(&self) -> Reason {
        Reason::Imprecise(if self.stopwatches { "stopwatches" } else { "joined states" })
    }
}

/// Chooses settings. Abstractions that are not sound for the query are not taken, whoever asks for
/// them: aLU and LU bounds forget deadlocks, and all but the split Extra_M are wrong where
/// differences of clocks are compared. For runs, LU bounds are right where no deadlock is found;
/// aLU is not, since a zone that it covers may have deadlocks that no stored zone has.
#[must_use]
pub fn plan<B: Bound>(system: &System, property: &Property, bounds: &ClockBounds<B>, options: &Options) -> Plan {
    let deadlock = match property {
        Property::State { goal: p, .. } | Property::Bounds { predicate: p, .. } => asks_deadlock(p),
        Property::Run { after, always, .. } => asks_deadlock(always) || after.as_ref().is_some_and(asks_deadlock),
    };
    let stopwatches = system.locations.iter().any(|l| !l.rates.is_empty());
    let asks_runs = matches!(property, Property::Run { .. });
    // Where priorities decide, what a valuation can't do matters as well.
    let strict = deadlock || system.has_priorities || needs_equivalence(system) || asks_runs && stopwatches;
    // aLU works by covering, so it needs an update that covers; without one the search would not
    // end.
    let covers = options.update.is_none_or(|u| u == Update::Cover);
    let abstraction = match options.abstraction {
        Some(Abstraction::None) => Abstraction::None,
        _ if !bounds.diagonals.is_empty() => Abstraction::ExtraM,
        Some(Abstraction::Am) if covers => Abstraction::Am,
        None | Some(Abstraction::Alu) if covers && strict => Abstraction::Am,
        None | Some(Abstraction::Alu) if asks_runs && !strict => Abstraction::ExtraLuPlus,
        None | Some(Abstraction::Alu) if covers => Abstraction::Alu,
        _ if strict => Abstraction::ExtraM,
        None | Some(Abstraction::Alu | Abstraction::Am) => Abstraction::ExtraLuPlus,
        Some(chosen) => chosen,
    };
    let mut update = options.update.unwrap_or(Update::Cover);
    // Where what a state can't do matters, elements are distinguished as locations are.
    let merged = if update == Update::Simple || !may_cover(system, property) {
        Vec::new()
    } else {
        options.joining.merged(system, property, update)
    };
    if !system.lattices.is_empty() && !may_cover(system, property) && update == Update::Join {
        update = Update::Cover;
    }
    // Infinite runs are not searched among representatives, and a path through joined zones can't
    // be followed with them.
    let asks_states = matches!(property, Property::State { .. });
    let may_rename = options.symmetry == Symmetry::On && asks_states && update != Update::Join && merged.is_empty();
    let symmetry = may_rename && Reduction::new(system, bounds).is_some();
    // Levels are counted by stored states, and a path has names or passed states, not both.
    let by_length = options.wanted != Wanted::Some || options.order == Order::Astar;
    let passes = !by_length && covers && asks_states && !symmetry && merged.is_empty();
    let plan = Plan {
        passing: options.passing.filter(|_| passes),
        local_time: LocalTime::Off,
        common_time: None,
        order: options.order,
        guidance: options.guidance.clone(),
        abstraction,
        update,
        joining: options.joining.clone(),
        merged,
        seed: options.seed,
        wanted: options.wanted,
        stopwatches,
        symmetry,
        threads: options.threads,
        cluster: options.cluster.clone(),
        user_order: options.user_order.clone(),
    };
    plan.with_local_time(system, options, asks_states && !deadlock, bounds.diagonals.is_empty())
}

impl Plan {
    /// For answers that no search through symbolic states has found. Clock bounds, which a plan
    /// needs, take more memory in large nets than all formulas.
    pub(crate) fn unused(system: &System) -> Plan {
        let options = Options::default();
        Plan {
            passing: None,
            order: options.order,
            guidance: options.guidance,
            abstraction: Abstraction::None,
            update: Update::Cover,
            joining: options.joining,
            merged: Vec::new(),
            seed: options.seed,
            wanted: options.wanted,
            stopwatches: system.locations.iter().any(|l| !l.rates.is_empty()),
            symmetry: false,
            local_time: LocalTime::Off,
            common_time: None,
            threads: Threads::ONE,
            cluster: None,
            user_order: None,
        }
    }
}

/// Whether a larger zone may allow less: where clock guards decide who receives a broadcast, or
/// whether time may pass.
fn needs_equivalence(system: &System) -> bool {
    system.edges.iter().any(|e| {
        use model::system::Sync;
        let (Sync::Send(c) | Sync::Receive(c)) = e.sync else { return false };
        let channel = &system.channels[c.0 as usize];
        let receives = matches!(e.sync, Sync::Receive(_));
        !e.guard.clocks.is_empty() && (channel.urgent || channel.broadcast && receives)
    })
}
