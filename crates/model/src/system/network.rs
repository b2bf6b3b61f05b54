//! The network: processes, clocks, channels and variables of a model, which all its systems share.

use std::sync::Arc;

use syntax::net::Net;

use super::{Guard, LatticeVariable, Rate, Variable, edges::EdgeIndex};
use crate::{
    code::{LatticeRef, Pc},
    vector::{Calls, SyncVector},
};

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);
    )*};
}

ids! {
    /// A process.
    ProcessId,
    /// A location of a process; the locations of one process have consecutive numbers.
    LocationId,
    /// An edge of a process.
    EdgeId,
    /// A clock. Number 0 is the reference clock, which is always zero.
    ClockId,
    /// A channel.
    ChannelId,
    /// An event.
    EventId,
    /// A synchronisation of several processes.
    VectorId,
    /// A label of locations.
    LabelId
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name: `Gate`, or `Train(3)` for one of a set.
    pub name: String,
    /// The index of its template in the tree.
    pub template: u32,
    /// Its priority: of the enabled transitions, only those of the highest priority can be taken.
    pub priority: i32,
    /// Its first location.
    pub first_location: LocationId,
    /// The number of its locations.
    pub locations: u32,
    /// Its initial location, counted from its first one.
    pub initial: u32,
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its process.
    pub process: ProcessId,
    /// Its name.
    pub name: Arc<str>,
    /// Whether time may not pass here.
    pub urgent: bool,
    /// Whether the next transition must leave a committed location.
    pub committed: bool,
    /// Its invariant.
    pub invariant: Guard,
    /// The rates of clocks that are stopped here, always or under a condition.
    pub rates: Vec<Rate>,
    /// Its labels, in order.
    pub labels: Vec<LabelId>,
}

/// The synchronisation of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sync {
    /// None.
    Internal,
    /// `c!`
    Send(ChannelId),
    /// `c?`
    Receive(ChannelId),
    /// An event, which other processes take together with this one by a vector.
    Event(EventId),
}

/// An edge. One edge of the template gives several: one for each choice of its select label, each
/// branch of its branchpoint, and each channel that an index may select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its process.
    pub process: ProcessId,
    /// Its source.
    pub source: LocationId,
    /// Its target.
    pub target: LocationId,
    /// Its guard.
    pub guard: Guard,
    /// Its synchronisation.
    pub sync: Sync,
    /// Its update.
    pub update: Option<Pc>,
    /// The index of the edge in the template.
    pub origin: u32,
    /// The index of the edge that leaves the branchpoint, in the template.
    pub branch: Option<u32>,
    /// The selected values.
    pub select: Box<[i32]>,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name, with indices.
    pub name: String,
    /// Whether all processes that can receive do so.
    pub broadcast: bool,
    /// Whether time may not pass while a synchronisation is possible.
    pub urgent: bool,
    /// Its priority; higher ones go first.
    pub priority: i32,
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name, with process and indices.
    pub name: String,
    /// Its initial value.
    pub initial: i32,
}

/// A network of timed automata: processes, clocks, channels and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The processes.
    pub processes: Vec<Process>,
    /// The locations of all processes.
    pub locations: Vec<Location>,
    /// The edges of all processes, in the order of processes and text.
    pub edges: Vec<Edge>,
    /// The clocks; number 0 is the reference clock.
    pub clocks: Vec<Clock>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The names of the events.
    pub events: Vec<String>,
    /// The synchronisation vectors of events; see [`crate::vector`].
    pub vectors: Vec<SyncVector>,
    /// The labels of locations.
    pub labels: Vec<String>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The net that the network was generated from. Its places are the first variables.
    pub net: Option<Arc<Net>>,
    /// The variables whose values are elements of lattices, in the order of the row.
    pub lattices: Vec<LatticeVariable>,
    /// The lattices of the library that variables use.
    pub library: Vec<LatticeRef>,
    /// The conditions of guards and invariants that are not known to be monotone: they may hold for
    /// smaller elements and not for greater ones.
    pub non_monotone: Vec<Pc>,
    /// Those of them that are antitone: they hold for smaller elements wherever they hold for
    /// greater ones.
    pub antitone: Vec<Pc>,
    /// The least and the greatest legal value of each slot of the row.
    pub ranges: Vec<(i32, i32)>,
    /// The initial row.
    pub initial: Vec<i32>,
    /// The number of slots that are part of a state's identity; the rest are meta variables.
    pub identity: usize,
    /// The code that runs before the updates of every transition.
    pub before_update: Option<Pc>,
    /// The code that runs after the updates of every transition.
    pub after_update: Option<Pc>,
    /// The priority of transitions without a channel.
    pub internal_priority: i32,
    /// Whether channels or processes have different priorities.
    pub has_priorities: bool,
    /// The largest number that a clock is ever set to.
    pub largest_reset: i32,
    /// The least and the greatest number that is added when a clock is set to another one.
    pub offsets: (i32, i32),
    pub(super) edge_index: EdgeIndex,
    pub(crate) calls: Calls,
}

impl Network {
    /// Returns the location of a process in a row.
    #[must_use]
    pub fn location(&self, row: &[i32], process: ProcessId) -> LocationId {
        let p = process.0 as usize;
        LocationId(self.processes[p].first_location.0 + row[p] as u32)
    }
}
