//! What the processes of a system can do by themselves, location by location.

use model::{
    stochastic::{RealTerm, StochasticSystem},
    system::{ChannelId, EdgeId, LocationId, Operand, Sync, System},
};

/// A system, prepared for random runs.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    pub(crate) system: &'a System,
    places: Vec<LocationOutputs<'a>>,
    weights: &'a [RealTerm],
    stems: &'a [u32],
    /// Whether a location stops a clock or lets it run at a rate of its own.
    pub(crate) has_rates: bool,
    /// Whether a rate may be neither 0 nor 1.
    pub(crate) has_other_rates: bool,
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct LocationOutputs<'a> {
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
        let place = |l: usize| {
            let location = LocationId(l as u32);
            let outputs = system.internal(location).iter().chain(system.sending(location)).map(output).collect();
            LocationOutputs { rate: stochastic.rates.get(l).and_then(Option::as_ref), outputs }
        };
        let rates = || system.locations.iter().flat_map(|location| &location.rates);
        Network {
            system,
            places: (0..system.locations.len()).map(place).collect(),
            weights: &stochastic.weights,
            stems: &stochastic.stems,
            has_rates: rates().next().is_some(),
            has_other_rates: rates().any(|rate| !matches!(rate.rate, Operand::Const(0 | 1))),
        }
    }

    pub(crate) fn place(&self, location: LocationId) -> &LocationOutputs<'a> {
        &self.places[location.0 as usize]
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
