//! The one form that every engine works on.
//!
//! Everything has a dense number; names are kept for reports only. A state's discrete part is a
//! *row* of integers: the location of each process, then the variables, then the meta variables,
//! which are no part of a state's identity.
//!
//! A [`Network`] is what the model says. It is shared by all [`System`]s that are made from it:
//! queries add code, and leave out symmetries that they break.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use syntax::Span;

use crate::{
    Formula,
    code::{Addr, Code, LatticeRef, Op, Pc},
    symmetry::Symmetry,
    unread::of_formula,
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
    /// A location of a process; locations of one process have consecutive numbers.
    LocationId,
    /// An edge of a process.
    EdgeId,
    /// A clock. Number 0 is the reference, which is always zero.
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

/// How a value is laid out, with all sizes known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An integer in a range.
    Int(i32, i32),
    /// A boolean.
    Bool,
    /// A member of a scalar set.
    Scalar {
        /// Which set; the number tells sets of the same size apart.
        set: u32,
        /// How many members it has.
        size: i32,
    },
    /// A clock.
    Clock,
    /// A channel.
    Channel,
    /// An element of a lattice.
    Lattice {
        /// The lattice.
        lattice: LatticeRef,
        /// How many numbers an element has.
        width: u32,
        /// The first index in each dimension of its bits.
        low: Vec<i32>,
    },
    /// Something without a meaning in symbolic analysis: doubles, hybrid clocks.
    Opaque,
    /// `length` elements, the first of which has index `low`.
    Array {
        /// The index of the first element.
        low: i32,
        /// How many there are.
        length: u32,
        /// The scalar set whose members are the indices.
        by: Option<u32>,
        /// What they are.
        element: Arc<Shape>,
        /// How much room all of them take.
        size: ShapeSize,
    },
    /// Named fields.
    Struct {
        /// The fields.
        fields: Vec<(Arc<str>, Arc<Shape>)>,
        /// How much room all of them take.
        size: ShapeSize,
    },
}

/// How many integers, clocks and channels a value consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ShapeSize {
    pub ints: u32,
    pub clocks: u32,
    pub channels: u32,
}

impl Shape {
    /// How much room a value takes.
    #[must_use]
    pub fn size(&self) -> ShapeSize {
        match self {
            Shape::Int(..) | Shape::Bool | Shape::Scalar { .. } => ShapeSize { ints: 1, ..ShapeSize::default() },
            Shape::Clock => ShapeSize { clocks: 1, ..ShapeSize::default() },
            Shape::Channel => ShapeSize { channels: 1, ..ShapeSize::default() },
            Shape::Lattice { width, .. } => ShapeSize { ints: *width, ..ShapeSize::default() },
            Shape::Opaque => ShapeSize::default(),
            Shape::Array { size, .. } | Shape::Struct { size, .. } => *size,
        }
    }

    /// The legal values of a single integer.
    #[must_use]
    pub fn range(&self) -> (i32, i32) {
        match self {
            Shape::Int(low, high) => (*low, *high),
            Shape::Scalar { size, .. } => (0, size - 1),
            _ => (0, 1),
        }
    }
}

/// An integer variable of any shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, with its process in front: `P(1).count`.
    pub name: String,
    /// Where it starts in the row.
    pub first: u32,
    /// How it is laid out.
    pub shape: Arc<Shape>,
    /// Whether it is no part of a state's identity.
    pub meta: bool,
}

/// A variable, or an element of an array, whose values are ordered: greater ones allow more. It is
/// a part of the row as any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeVariable {
    /// Its name, with its process in front and indices behind.
    pub name: String,
    /// Where it starts in the row.
    pub first: u32,
    /// How many numbers of the row it takes.
    pub width: u32,
    /// How its values are ordered.
    pub order: LatticeOrder,
    /// The names of its members, if it has some.
    pub members: Vec<String>,
    /// Whether the model may do less with a greater value than with a smaller one, for all that is
    /// known: something other than a guard depends on the value in a way that is not monotone. Such
    /// a variable is told apart by its value.
    pub varies: bool,
}

/// How values are ordered and joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatticeOrder {
    /// By a lattice of the library, by its place in [`Network::library`].
    Library(u32),
    /// By functions of the model.
    Model(ModelOrder),
}

/// The order of a lattice that the model defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelOrder {
    /// Where two elements have to be in a machine's memory before code is run.
    pub left: Addr,
    /// The second of them.
    pub right: Addr,
    /// Where an element is behind it, if it makes one.
    pub result: Addr,
    /// Whether the first is less than or equal to the second.
    pub leq: Pc,
    /// Makes their least upper bound.
    pub join: Pc,
    /// Makes an upper bound such that no sequence grows for ever.
    pub widen: Option<Pc>,
}

/// An integer that is known, or found by running code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Known.
    Const(i64),
    /// Found by running code; it lies within the bounds.
    Code {
        /// The code.
        pc: Pc,
        /// No value is less.
        low: i32,
        /// No value is greater.
        high: i32,
    },
}

/// A clock that is known, or chosen by running code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockTerm {
    /// Known.
    Clock(ClockId),
    /// An element of an array of clocks.
    Element {
        /// Yields the clock's number.
        pc: Pc,
        /// The first clock of the array.
        first: ClockId,
        /// How many clocks the array has.
        count: u32,
    },
}

impl ClockTerm {
    /// The clock that is always zero.
    pub const ZERO: ClockTerm = ClockTerm::Clock(ClockId(0));
}

/// `left - right < bound`, or `<=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockConstraint {
    /// It counts only where this holds.
    pub condition: Option<Pc>,
    /// The clock that is bounded.
    pub left: ClockTerm,
    /// The clock that is subtracted.
    pub right: ClockTerm,
    /// `<` instead of `<=`.
    pub strict: bool,
    /// The bound.
    pub bound: Operand,
}

impl ClockConstraint {
    /// The code that it has.
    pub(crate) fn code(&self) -> Vec<Pc> {
        let mut out: Vec<Pc> = self.condition.into_iter().collect();
        for term in [self.left, self.right] {
            if let ClockTerm::Element { pc, .. } = term {
                out.push(pc);
            }
        }
        if let Operand::Code { pc, .. } = self.bound {
            out.push(pc);
        }
        out
    }
}

/// A guard or invariant: a condition on the row and constraints on clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guard {
    /// `None`: true.
    pub condition: Option<Pc>,
    /// The clock constraints. They are evaluated only where the condition holds.
    pub clocks: Vec<ClockConstraint>,
}

impl Guard {
    /// Whether it always holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.condition.is_none() && self.clocks.is_empty()
    }
}

/// `clock' == rate` in an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// It counts only where this holds.
    pub condition: Option<Pc>,
    /// The clock.
    pub clock: ClockTerm,
    /// How fast it goes: 0 or 1.
    pub rate: Operand,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name: `Gate`, or `Train(3)` for one of a set.
    pub name: String,
    /// Its template, by its place in the tree.
    pub template: u32,
    /// Among transitions that are enabled at once, those of a higher priority come first.
    pub priority: i32,
    /// Its first location.
    pub first_location: LocationId,
    /// How many locations it has.
    pub locations: u32,
    /// Where it starts, counted from its first location.
    pub initial: u32,
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its process.
    pub process: ProcessId,
    /// Its name.
    pub name: Arc<str>,
    /// Time may not pass here.
    pub urgent: bool,
    /// The next transition must leave a committed location.
    pub committed: bool,
    /// What must hold here.
    pub invariant: Guard,
    /// Clocks that stand still, or may do.
    pub rates: Vec<Rate>,
    /// The labels it has, in order.
    pub labels: Vec<LabelId>,
}

/// How an edge takes part in a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sync {
    /// It does not.
    Internal,
    /// `c!`
    Send(ChannelId),
    /// `c?`
    Receive(ChannelId),
    /// Together with other processes, by the vectors that hold the event.
    Event(EventId),
}

/// An edge. One edge of the text gives several here: one for each choice of its select label, each
/// branch behind a branchpoint, and each channel that an index may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its process.
    pub process: ProcessId,
    /// Where it starts.
    pub source: LocationId,
    /// Where it ends.
    pub target: LocationId,
    /// When it may be taken.
    pub guard: Guard,
    /// With whom.
    pub sync: Sync,
    /// What it does.
    pub update: Option<Pc>,
    /// The edge of the template.
    pub origin: u32,
    /// The edge of the template behind the branchpoint.
    pub branch: Option<u32>,
    /// The selected values.
    pub select: Box<[i32]>,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name, with indices.
    pub name: String,
    /// All who can, receive.
    pub broadcast: bool,
    /// Time may not pass while a synchronisation is possible.
    pub urgent: bool,
    /// Higher goes first.
    pub priority: i32,
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name, with process and indices.
    pub name: String,
    /// Its value at the start.
    pub initial: i32,
}

/// The edges that leave a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leaving {
    internal: u32,
    send: u32,
    receive: u32,
    event: u32,
    end: u32,
}

/// What a model says: processes, clocks, channels and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The processes.
    pub processes: Vec<Process>,
    /// The locations of all processes.
    pub locations: Vec<Location>,
    /// The edges of all processes, in the order of processes and text.
    pub edges: Vec<Edge>,
    /// The clocks; number 0 is the reference.
    pub clocks: Vec<Clock>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The names of the events.
    pub events: Vec<String>,
    /// Who takes which events together; see [`crate::vector`].
    pub vectors: Vec<SyncVector>,
    /// The labels that locations have.
    pub labels: Vec<String>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The variables whose values are elements of lattices, in the order of the row.
    pub lattices: Vec<LatticeVariable>,
    /// The lattices of the library that variables have.
    pub library: Vec<LatticeRef>,
    /// The conditions of guards and invariants for which it is not known that they hold of greater
    /// elements wherever they hold of smaller ones.
    pub wavering: Vec<Pc>,
    /// Those of them that hold of smaller elements wherever they hold of greater ones.
    pub falling: Vec<Pc>,
    /// The legal values of each number of the row.
    pub ranges: Vec<(i32, i32)>,
    /// The row at the start.
    pub initial: Vec<i32>,
    /// How many numbers of the row are a state's identity; the rest is meta.
    pub identity: usize,
    /// What runs before every transition's updates.
    pub before_update: Option<Pc>,
    /// What runs after every transition's updates.
    pub after_update: Option<Pc>,
    /// The priority of transitions without a channel.
    pub internal_priority: i32,
    /// Whether channels or processes have different priorities.
    pub has_priorities: bool,
    /// No clock is ever set to a greater number.
    pub largest_reset: i32,
    /// When a clock is set to another one, what is added to it lies between these.
    pub offsets: (i32, i32),
    leaving: Vec<Leaving>,
    by_location: Vec<EdgeId>,
    pub(crate) calls: Calls,
}

/// A network with its code, ready to be explored.
///
/// Copies share the network, so that they cost little. A copy that is changed gets a network of
/// its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    network: Arc<Network>,
    /// What renaming the members of scalar sets does to states, for those sets whose members are
    /// alike, also to the queries that the system is extended by.
    pub symmetry: Arc<Symmetry>,
    /// The code of all expressions.
    pub code: Code,
    /// The conditions, bounds and quantities of queries for which it is not known that greater
    /// elements satisfy them wherever smaller ones do. What they read is distinguished by its
    /// value.
    pub wavering_goals: Vec<Pc>,
    /// Variables, by their numbers, that are not part of a state's identity though they are among
    /// the first: see [`System::find_unread`].
    pub unread: Vec<u32>,
}

impl Deref for System {
    type Target = Network;

    #[inline]
    fn deref(&self) -> &Network {
        &self.network
    }
}

impl DerefMut for System {
    fn deref_mut(&mut self) -> &mut Network {
        Arc::make_mut(&mut self.network)
    }
}

impl Network {
    /// Sorts the edges by location, kind and channel or event, so that successors need no search by
    /// name.
    pub(crate) fn index_edges(&mut self) {
        let mut order: Vec<EdgeId> = (0..self.edges.len() as u32).map(EdgeId).collect();
        let key = |e: &EdgeId| {
            let edge = &self.edges[e.0 as usize];
            let (kind, channel) = match edge.sync {
                Sync::Internal => (0, 0),
                Sync::Send(c) => (1, c.0),
                Sync::Receive(c) => (2, c.0),
                Sync::Event(e) => (3, e.0),
            };
            (edge.source, kind, channel, *e)
        };
        order.sort_unstable_by_key(key);
        let mut leaving = vec![Leaving::default(); self.locations.len()];
        let mut at = 0;
        for (i, slot) in leaving.iter_mut().enumerate() {
            let count = |at: usize, kind: u8| {
                order[at..].iter().take_while(|e| key(e).0.0 as usize == i && key(e).1 == kind).count()
            };
            slot.internal = at as u32;
            at += count(at, 0);
            slot.send = at as u32;
            at += count(at, 1);
            slot.receive = at as u32;
            at += count(at, 2);
            slot.event = at as u32;
            at += count(at, 3);
            slot.end = at as u32;
        }
        self.leaving = leaving;
        self.by_location = order;
    }

    /// The edges that leave `location` without a synchronisation.
    #[must_use]
    pub fn internal(&self, location: LocationId) -> &[EdgeId] {
        let l = self.leaving[location.0 as usize];
        &self.by_location[l.internal as usize..l.send as usize]
    }

    /// The edges that leave `location` and send, by channel.
    #[must_use]
    pub fn sending(&self, location: LocationId) -> &[EdgeId] {
        let l = self.leaving[location.0 as usize];
        &self.by_location[l.send as usize..l.receive as usize]
    }

    /// The edges that leave `location` and receive on `channel`.
    #[must_use]
    pub fn receiving(&self, location: LocationId, channel: ChannelId) -> &[EdgeId] {
        let l = self.leaving[location.0 as usize];
        let all = &self.by_location[l.receive as usize..l.event as usize];
        let on = |e: &EdgeId| match self.edges[e.0 as usize].sync {
            Sync::Receive(c) => c,
            _ => ChannelId(u32::MAX),
        };
        let from = all.partition_point(|e| on(e) < channel);
        let len = all[from..].partition_point(|e| on(e) == channel);
        &all[from..from + len]
    }

    /// The edges that leave `location` together with other processes, by event.
    #[must_use]
    pub(crate) fn with_events(&self, location: LocationId) -> &[EdgeId] {
        let l = self.leaving[location.0 as usize];
        &self.by_location[l.event as usize..l.end as usize]
    }

    /// The location of a process in a row.
    #[must_use]
    pub fn location(&self, row: &[i32], process: ProcessId) -> LocationId {
        let p = process.0 as usize;
        LocationId(self.processes[p].first_location.0 + row[p] as u32)
    }
}

impl System {
    /// An element of a lattice variable, by its place in [`Network::lattices`], as text.
    #[must_use]
    pub fn show_element(&self, variable: usize, element: &[i32]) -> String {
        let v = &self.lattices[variable];
        match v.order {
            LatticeOrder::Library(number) => self.library[number as usize].0.show(element),
            LatticeOrder::Model(_) => {
                let field = |i: usize| {
                    let full = self.slot_name(v.first + i as u32);
                    let name = full.strip_prefix(v.name.as_str()).unwrap_or(&full).trim_start_matches('.').to_owned();
                    format!("{name} = {}", element[i])
                };
                format!("({})", (0..element.len()).map(field).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The value of an expression that is the same in all states, if that is easy to see.
    #[must_use]
    pub fn constant(&self, pc: Pc) -> Option<i32> {
        let Op::Yield { a } = self.code.op(pc.0) else { return None };
        self.code.constant(a)
    }

    /// The numbers of the row, those of locations among them, that a formula may depend on.
    #[must_use]
    pub fn slots_read(&self, formula: &Formula) -> Vec<u32> {
        let mut roots = Vec::new();
        of_formula(formula, &mut roots);
        self.slots_in(roots)
    }

    /// The numbers of the row that code has to do with, in order.
    fn slots_in(&self, roots: impl IntoIterator<Item = Pc>) -> Vec<u32> {
        let mut slots = Vec::new();
        for pc in self.code.reach(roots) {
            self.code.op(pc).uses(|_, addr| {
                let own = self.slots_of(addr);
                slots.extend(if own.is_empty() { addr..addr + 1 } else { own });
            });
        }
        slots.retain(|slot| (*slot as usize) < self.initial.len());
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The lattice variables, by their places in [`Network::lattices`], whose elements code may
    /// read.
    #[must_use]
    pub fn lattices_read(&self, pc: Pc) -> Vec<usize> {
        if self.lattices.is_empty() {
            return Vec::new();
        }
        let slots = self.slots_in([pc]);
        let is_read = |v: &LatticeVariable| slots.iter().any(|slot| (v.first..v.first + v.width).contains(slot));
        (0..self.lattices.len()).filter(|i| is_read(&self.lattices[*i])).collect()
    }

    /// Whether what code does may depend on elements of lattices.
    #[must_use]
    pub fn reads_lattices(&self, pc: Pc) -> bool {
        !self.lattices_read(pc).is_empty()
    }

    /// The name of a number of the row, behind the locations: `P.a[2].f`.
    #[must_use]
    pub fn slot_name(&self, slot: u32) -> String {
        let i = self.variables.partition_point(|v| v.first <= slot).saturating_sub(1);
        let Some(variable) = self.variables.get(i) else { return String::new() };
        let mut text = variable.name.clone();
        let mut at = slot - variable.first;
        let mut shape = &*variable.shape;
        loop {
            match shape {
                Shape::Array { low, element, .. } => {
                    let each = element.size().ints.max(1);
                    text.push_str(&format!("[{}]", *low + (at / each) as i32));
                    at %= each;
                    shape = element;
                }
                Shape::Struct { fields, .. } => {
                    let Some((field, inner)) = fields.iter().find(|(_, f)| {
                        let size = f.size().ints;
                        let found = at < size;
                        if !found {
                            at -= size;
                        }
                        found
                    }) else {
                        return text;
                    };
                    text.push_str(&format!(".{field}"));
                    shape = inner;
                }
                Shape::Lattice { width: 2.., .. } => return format!("{text}#{at}"),
                _ => return text,
            }
        }
    }

    /// Where the text is that the instruction `pc` was made from.
    #[must_use]
    pub fn site(&self, pc: u32) -> Span {
        self.code.site(pc)
    }

    /// The same system without its places in the text: two models that mean the same are then
    /// equal.
    #[must_use]
    pub fn without_places(mut self) -> System {
        self.code.forget_sites();
        self
    }
}
