//! What the processes of a system can do by themselves, location by location.

use model::{
    code::{Op, Pc, RealCode},
    net::{Net, Timing},
    stochastic::{ClockFlow, RealTerm, StochasticSystem, TimedCondition},
    system::{ChannelId, ClockId, ClockTerm, Edge, EdgeId, Guard, LocationId, Operand, ProcessId, Sync, System},
};

/// The number of samples by which something is looked for that changes while time passes, where
/// nothing else bounds it. An invariant that does not end within so many is taken to end never.
pub(crate) const LOOK_AHEAD: i64 = 1 << 12;
/// The distance of samples, as in UPPAAL.
pub(crate) const DISCRETIZATION: f64 = 0.01;

/// A system, prepared for random runs.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    pub(crate) system: &'a System,
    places: Vec<LocationOutputs<'a>>,
    weights: &'a [RealTerm],
    stems: &'a [u32],
    flows: &'a [Vec<ClockFlow>],
    guards: &'a [Option<Box<TimedCondition>>],
    invariants: &'a [Option<Box<TimedCondition>>],
    /// Which clocks have other values than multiples of a step of the grid, and the initial values
    /// of some.
    pub(crate) analog: &'a [bool],
    pub(crate) starts: &'a [(ClockId, f64)],
    /// Whether there are such clocks.
    pub(crate) has_analog: bool,
    /// Whether there are such clocks, or conditions on clocks beyond windows of delays.
    pub(crate) is_hybrid: bool,
    /// Whether updates read or set clocks as floating-point numbers.
    pub(crate) shows_clocks: bool,
    /// Whether updates draw random numbers.
    pub(crate) draws: bool,
    /// The greatest distance in time of samples of what is not linear in time, and the longest step
    /// of solutions of differential equations.
    pub discretization: f64,
    /// The process of a net whose edges are transitions that fire at any time: each of them has a
    /// delay of its own.
    pub(crate) common: Option<ProcessId>,
    /// Whether a location stops a clock or lets it run at a rate of its own.
    pub(crate) has_rates: bool,
    /// Whether a rate may be neither 0 nor 1.
    pub(crate) has_other_rates: bool,
    /// Whether all rates are numbers, and those of each clock belong to one process, one to a
    /// location.
    pub(crate) has_plain_rates: bool,
    /// What each edge changes, beside clocks.
    changes: Vec<Touched>,
    /// The processes that may depend on that, and on each clock.
    affected: Vec<Vec<u32>>,
    clock_readers: Vec<Vec<u32>>,
    /// Who may receive on each channel, in the order of processes.
    receivers: Vec<Vec<Receiver>>,
    /// The edges by which they do.
    receiving: Vec<EdgeId>,
}

/// A process that may receive on a channel.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    pub process: usize,
    first_location: u32,
    /// Its edges at each of its locations, as a range.
    edges: Vec<(u32, u32)>,
}

/// Slots and clocks, as bits of their numbers modulo 64: what something depends on, or what
/// changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touched {
    pub slots: u64,
    pub clocks: u64,
}

impl Touched {
    #[inline]
    pub(crate) fn bit(number: usize) -> u64 {
        1 << (number % 64)
    }

    /// Returns whether both have a slot or a clock in common. That may be wrong if it is true.
    #[inline]
    pub(crate) fn meets(self, other: Touched) -> bool {
        self.slots & other.slots | self.clocks & other.clocks != 0
    }

    #[inline]
    pub(crate) fn join(&mut self, other: Touched) {
        self.slots |= other.slots;
        self.clocks |= other.clocks;
    }

    fn add_slots(&mut self, system: &System, code: impl IntoIterator<Item = Pc>) {
        system.slots_in(code).into_iter().for_each(|slot| self.slots |= Touched::bit(slot as usize));
    }

    fn add_clock(&mut self, term: ClockTerm) {
        match term {
            ClockTerm::Clock(clock) => self.clocks |= Touched::bit(clock.0 as usize),
            ClockTerm::Element { first, count, .. } => {
                (first.0..first.0 + count).for_each(|clock| self.clocks |= Touched::bit(clock as usize));
            }
        }
    }

    /// Adds what a guard reads.
    fn add(&mut self, system: &System, guard: &Guard) {
        let mut code: Vec<Pc> = guard.condition.into_iter().collect();
        for c in &guard.clocks {
            code.extend(c.condition);
            if let Operand::Code { pc, .. } = c.bound {
                code.push(pc);
            }
            for term in [c.left, c.right] {
                self.add_clock(term);
                if let ClockTerm::Element { pc, .. } = term {
                    code.push(pc);
                }
            }
        }
        self.add_slots(system, code);
    }
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct LocationOutputs<'a> {
    /// What its process can do, and when, depends on these; `None`: on more.
    pub reads: Option<Touched>,
    /// Whether time may not pass there.
    pub is_urgent: bool,
    /// What its invariant depends on.
    pub invariant: Touched,
    /// The rate of delays without a bound, if it is a number greater than 0.
    pub constant_rate: Option<f64>,
    /// The same rate, if one is written.
    pub rate: Option<&'a RealTerm>,
    /// The edges by which its process can start a transition.
    pub outputs: Vec<Output>,
    /// The slots that the conditions of these edges read, if it is useful to keep their results.
    pub condition_slots: Option<Vec<u32>>,
}

/// The number of edges with conditions from which on their results are kept.
const MANY_CONDITIONS: usize = 4;
/// The greatest number of slots by which they are.
const MAX_KEY: usize = 16;

/// An edge that starts a transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub edge: EdgeId,
    pub kind: OutputKind,
    /// Whether time may not pass while it is possible.
    pub urgent: bool,
}

/// Who takes part in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Its process alone.
    Internal,
    /// Its process and a receiver.
    Binary(ChannelId),
    /// Its process and everyone who can receive.
    Broadcast(ChannelId),
}

impl<'a> Network<'a> {
    /// Prepares a system.
    #[must_use]
    pub fn new(stochastic: &'a StochasticSystem) -> Network<'a> {
        let system = &stochastic.system;
        let output = |e: &EdgeId| match system.edges[e.0 as usize].sync {
            Sync::Send(c) => {
                let channel = &system.channels[c.0 as usize];
                let kind = if channel.broadcast { OutputKind::Broadcast(c) } else { OutputKind::Binary(c) };
                Output { edge: *e, kind, urgent: channel.urgent }
            }
            _ => Output { edge: *e, kind: OutputKind::Internal, urgent: false },
        };
        let rates = || system.locations.iter().flat_map(|location| &location.rates);
        let has_rates = rates().next().is_some();
        let has_analog = stochastic.analog.contains(&true);
        let is_hybrid = has_analog || stochastic.guards.iter().chain(&stochastic.invariants).any(Option::is_some);
        let (receivers, receiving) = receivers(system);
        let mut rated = Touched::default();
        rates().for_each(|rate| rated.add_clock(rate.clock));
        let mut received = vec![Touched::default(); system.channels.len()];
        for edge in &system.edges {
            if let Sync::Receive(channel) = edge.sync {
                let reads = &mut received[channel.0 as usize];
                // Where the receiver is, and its guard.
                reads.slots |= Touched::bit(edge.process.0 as usize);
                reads.add(system, &edge.guard);
            }
        }
        let facts = Facts { stochastic, received, rated, is_hybrid };
        let places: Vec<LocationOutputs<'a>> =
            (0..system.locations.len() as u32).map(|l| facts.place(LocationId(l), output)).collect();
        let mut always_changed = Touched::default();
        always_changed.add_slots(system, system.before_update.into_iter().chain(system.after_update));
        let changes: Vec<Touched> = system.edges.iter().map(|edge| changes(system, edge, always_changed)).collect();
        let shows_clocks = has_analog || is_real(system, |code| matches!(code, RealCode::ReadClock));
        let readers = Readers::new(system, &places);
        let is_of_transitions = |net: &Net| matches!(net.timing, Timing::Transitions | Timing::Untimed);
        Network {
            system,
            common: system.net.as_ref().filter(|net| is_of_transitions(net)).map(|_| ProcessId(0)),
            flows: &stochastic.flows,
            guards: &stochastic.guards,
            invariants: &stochastic.invariants,
            analog: &stochastic.analog,
            starts: &stochastic.starts,
            has_analog,
            is_hybrid,
            shows_clocks,
            draws: is_real(system, |code| matches!(code, RealCode::Draw(_))),
            discretization: DISCRETIZATION,
            places,
            affected: changes.iter().map(|changes| readers.of(*changes)).collect(),
            clock_readers: (0..system.clocks.len()).map(|c| readers.of_clock(c)).collect(),
            changes,
            has_plain_rates: has_plain_rates(system),
            receivers,
            receiving,
            weights: &stochastic.weights,
            stems: &stochastic.stems,
            has_rates,
            has_other_rates: rates().any(|rate| !matches!(rate.rate, Operand::Const(0 | 1))),
        }
    }

    #[inline]
    pub(crate) fn place(&self, location: LocationId) -> &LocationOutputs<'a> {
        &self.places[location.0 as usize]
    }

    /// Returns what an edge changes, beside clocks.
    #[inline]
    pub(crate) fn changes(&self, edge: EdgeId) -> Touched {
        self.changes[edge.0 as usize]
    }

    /// Returns the processes that may depend on what an edge changes, beside clocks.
    #[inline]
    pub(crate) fn affected(&self, edge: EdgeId) -> &[u32] {
        &self.affected[edge.0 as usize]
    }

    /// Returns the processes that may depend on a clock.
    #[inline]
    pub(crate) fn clock_readers(&self, clock: usize) -> &[u32] {
        &self.clock_readers[clock]
    }

    /// Returns the processes that may receive on a channel, without its sender.
    #[inline]
    pub(crate) fn receivers(&self, channel: ChannelId, sender: usize) -> impl Iterator<Item = &Receiver> {
        self.receivers[channel.0 as usize].iter().filter(move |receiver| receiver.process != sender)
    }

    /// Returns the edges by which a process may receive where it is.
    #[inline]
    pub(crate) fn receiving(&self, receiver: &Receiver, location: LocationId) -> &[EdgeId] {
        let (first, end) = receiver.edges[(location.0 - receiver.first_location) as usize];
        &self.receiving[first as usize..end as usize]
    }

    /// Returns the rates of clocks at a location that are not integers.
    pub(crate) fn flows(&self, location: LocationId) -> &'a [ClockFlow] {
        &self.flows[location.0 as usize]
    }

    /// Returns the rest of the guard of an edge.
    pub(crate) fn guard(&self, edge: EdgeId) -> Option<&'a TimedCondition> {
        self.guards[edge.0 as usize].as_deref()
    }

    /// Returns the rest of the invariant of a location.
    pub(crate) fn invariant(&self, location: LocationId) -> Option<&'a TimedCondition> {
        self.invariants[location.0 as usize].as_deref()
    }

    /// Returns the weight of an edge among the branches of its branchpoint.
    pub(crate) fn weight(&self, edge: EdgeId) -> &'a RealTerm {
        &self.weights[edge.0 as usize]
    }

    /// Returns a number that an edge shares with the other branches of its branchpoint.
    pub(crate) fn stem(&self, edge: EdgeId) -> u32 {
        self.stems[edge.0 as usize]
    }

    /// Returns the greatest constant rate of delays.
    pub(crate) fn greatest_rate(&self) -> f64 {
        let rates = self.places.iter().filter_map(|place| match place.rate {
            Some(RealTerm::Number(rate)) if *rate > 0.0 => Some(*rate),
            _ => None,
        });
        rates.fold(0.0, f64::max)
    }

    /// Returns the binary channels that an edge sends on.
    #[must_use]
    pub(crate) fn binary_channels(&self) -> Vec<ChannelId> {
        let mut found: Vec<ChannelId> = Vec::new();
        for output in self.places.iter().flat_map(|place| &place.outputs) {
            if let OutputKind::Binary(c) = output.kind
                && !found.contains(&c)
            {
                found.push(c);
            }
        }
        found
    }
}

/// What is known of a system before its locations are.
struct Facts<'a> {
    stochastic: &'a StochasticSystem,
    /// What decides whether someone can receive on each channel.
    received: Vec<Touched>,
    /// The clocks that have rates of their own somewhere.
    rated: Touched,
    is_hybrid: bool,
}

impl<'a> Facts<'a> {
    fn place(&self, l: LocationId, output: impl Fn(&EdgeId) -> Output) -> LocationOutputs<'a> {
        let (system, number) = (&self.stochastic.system, l.0 as usize);
        let location = &system.locations[number];
        let outputs: Vec<Output> = system.internal(l).iter().chain(system.sending(l)).map(output).collect();
        let rate = self.stochastic.rates.get(number).and_then(Option::as_ref);
        let own = Touched { slots: Touched::bit(location.process.0 as usize), clocks: 0 };
        let mut invariant = Touched::default();
        if !location.invariant.is_true() {
            invariant = own;
            invariant.add(system, &location.invariant);
        }
        let reads = self.reads(&outputs, rate, own, invariant);
        let conditions = || outputs.iter().filter_map(|o| system.edges[o.edge.0 as usize].guard.condition);
        let condition_slots =
            (conditions().count() >= MANY_CONDITIONS && !self.is_hybrid).then(|| system.slots_in(conditions()));
        let condition_slots = condition_slots.filter(|slots| slots.len() <= MAX_KEY);
        let constant_rate = match rate {
            Some(RealTerm::Number(rate)) if *rate > 0.0 => Some(*rate),
            _ => None,
        };
        let is_urgent = location.urgent || location.committed;
        LocationOutputs { reads, is_urgent, invariant, constant_rate, rate, outputs, condition_slots }
    }

    /// Returns what a process with these edges depends on.
    fn reads(&self, outputs: &[Output], rate: Option<&RealTerm>, own: Touched, invariant: Touched) -> Option<Touched> {
        let system = &self.stochastic.system;
        let mut reads = own;
        reads.join(invariant);
        for output in outputs {
            reads.add(system, &system.edges[output.edge.0 as usize].guard);
            if let OutputKind::Binary(channel) = output.kind {
                reads.join(self.received[channel.0 as usize]);
            }
        }
        match rate {
            None | Some(RealTerm::Number(_)) => {}
            Some(RealTerm::Integer(pc) | RealTerm::Real(pc)) => reads.add_slots(system, [*pc]),
            Some(_) => return None,
        }
        let is_steady = reads.clocks & self.rated.clocks == 0 && !self.is_hybrid;
        is_steady.then_some(reads)
    }
}

/// Returns whether code does something with floating-point numbers.
fn is_real(system: &System, wanted: fn(RealCode) -> bool) -> bool {
    system.code.ops().any(|op| matches!(op, Op::Real { code, .. } if wanted(code)))
}

/// Returns what an edge changes, beside clocks.
fn changes(system: &System, edge: &Edge, always: Touched) -> Touched {
    let mut changes = always;
    changes.slots |= Touched::bit(edge.process.0 as usize);
    changes.add_slots(system, edge.update);
    changes
}

/// What each process depends on somewhere; one that depends on more is looked at again anyway.
struct Readers(Vec<Touched>);

impl Readers {
    fn new(system: &System, places: &[LocationOutputs<'_>]) -> Readers {
        let mut all = vec![Touched::default(); system.processes.len()];
        for (location, place) in system.locations.iter().zip(places) {
            let reads = &mut all[location.process.0 as usize];
            reads.join(place.invariant);
            reads.join(place.reads.unwrap_or_default());
        }
        Readers(all)
    }

    fn of(&self, changes: Touched) -> Vec<u32> {
        let meets = |process: &u32| self.0[*process as usize].meets(changes);
        (0..self.0.len() as u32).filter(meets).collect()
    }

    fn of_clock(&self, clock: usize) -> Vec<u32> {
        self.of(Touched { slots: 0, clocks: Touched::bit(clock) })
    }
}

/// Returns who may receive on each channel, and the edges by which they do.
fn receivers(system: &System) -> (Vec<Vec<Receiver>>, Vec<EdgeId>) {
    let mut all: Vec<Vec<Receiver>> = vec![Vec::new(); system.channels.len()];
    let mut receiving = Vec::new();
    // Edges are in the order of processes.
    for edge in &system.edges {
        let Sync::Receive(channel) = edge.sync else { continue };
        let receivers = &mut all[channel.0 as usize];
        if receivers.last().is_some_and(|last| last.process == edge.process.0 as usize) {
            continue;
        }
        let process = &system.processes[edge.process.0 as usize];
        let first_location = process.first_location.0;
        let edges = (first_location..first_location + process.locations).map(|l| {
            let first = receiving.len() as u32;
            receiving.extend_from_slice(system.receiving(LocationId(l), channel));
            (first, receiving.len() as u32)
        });
        let edges = edges.collect();
        receivers.push(Receiver { process: edge.process.0 as usize, first_location, edges });
    }
    (all, receiving)
}

/// Returns whether all rates are numbers, and those of each clock belong to one process.
fn has_plain_rates(system: &System) -> bool {
    let mut owner: Vec<Option<ProcessId>> = vec![None; system.clocks.len()];
    system.locations.iter().all(|location| {
        location.rates.iter().enumerate().all(|(i, rate)| match (rate.condition, rate.clock, rate.rate) {
            (None, ClockTerm::Clock(clock), Operand::Const(_)) => {
                let is_first = location.rates[..i].iter().all(|other| other.clock != rate.clock);
                is_first && *owner[clock.0 as usize].get_or_insert(location.process) == location.process
            }
            _ => false,
        })
    })
}
