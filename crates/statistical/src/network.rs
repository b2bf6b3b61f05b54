//! What the processes of a system can do by themselves, location by location.

use model::{
    code::{Op, Pc, RealCode},
    net::{Net, Timing},
    stochastic::{ClockFlow, RealTerm, StochasticSystem, TimedCondition},
    system::{ChannelId, ClockId, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, Sync, System},
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
}

/// What the outlook of a process depends on, as bits of numbers modulo 64.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reads {
    pub slots: u64,
    pub clocks: u64,
}

impl Reads {
    pub(crate) fn bit(number: usize) -> u64 {
        1 << (number % 64)
    }

    fn add(&mut self, system: &System, guard: &Guard) {
        let mut code: Vec<Pc> = guard.condition.into_iter().collect();
        for c in &guard.clocks {
            code.extend(c.condition);
            if let Operand::Code { pc, .. } = c.bound {
                code.push(pc);
            }
            for term in [c.left, c.right] {
                match term {
                    ClockTerm::Clock(clock) => self.clocks |= Reads::bit(clock.0 as usize),
                    ClockTerm::Element { pc, first, count } => {
                        code.push(pc);
                        (first.0..first.0 + count).for_each(|clock| self.clocks |= Reads::bit(clock as usize));
                    }
                }
            }
        }
        system.slots_in(code).into_iter().for_each(|slot| self.slots |= Reads::bit(slot as usize));
    }
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct LocationOutputs<'a> {
    /// What its process can do depends on these; `None`: on others, or on rates.
    pub reads: Option<Reads>,
    /// The rate of delays without a bound, if one is written.
    pub rate: Option<&'a RealTerm>,
    /// The edges by which its process can start a transition.
    pub outputs: Vec<Output>,
}

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
        let place = |l: usize| {
            let location = LocationId(l as u32);
            let outputs: Vec<Output> =
                system.internal(location).iter().chain(system.sending(location)).map(output).collect();
            let edges = || outputs.iter().map(|output: &Output| &system.edges[output.edge.0 as usize].guard);
            let is_alone = outputs.iter().all(|output| !matches!(output.kind, OutputKind::Binary(_)));
            let reads = (is_alone && !has_rates && !is_hybrid).then(|| {
                let mut reads = Reads::default();
                reads.add(system, &system.locations[l].invariant);
                edges().for_each(|guard| reads.add(system, guard));
                reads
            });
            LocationOutputs { reads, rate: stochastic.rates.get(l).and_then(Option::as_ref), outputs }
        };
        let is_real = |wanted: fn(RealCode) -> bool| {
            system.code.ops().any(|op| matches!(op, Op::Real { code, .. } if wanted(code)))
        };
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
            shows_clocks: has_analog || is_real(|code| matches!(code, RealCode::ReadClock)),
            draws: is_real(|code| matches!(code, RealCode::Draw(_))),
            discretization: DISCRETIZATION,
            places: (0..system.locations.len()).map(place).collect(),
            weights: &stochastic.weights,
            stems: &stochastic.stems,
            has_rates,
            has_other_rates: rates().any(|rate| !matches!(rate.rate, Operand::Const(0 | 1))),
        }
    }

    pub(crate) fn place(&self, location: LocationId) -> &LocationOutputs<'a> {
        &self.places[location.0 as usize]
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
            Some(RealTerm::Number(rate)) => Some(*rate),
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
