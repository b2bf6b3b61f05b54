//! The system that every engine works on.
//!
//! Everything has a dense number; names are kept for reports only. The discrete part of a state is
//! a *row* of integers, its *slots*: the location of each process, then the variables, then the
//! meta variables, which are not part of a state's identity.
//!
//! A [`Network`] is the model itself. All [`System`]s of a model share it: queries add code, and
//! drop the symmetries that they break.

mod constraint;
mod edges;
mod names;
mod network;
mod reads;
mod uses;
mod variable;

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use syntax::Span;

use crate::{
    code::{Code, Pc},
    symmetry::Symmetry,
};

pub use constraint::{ClockConstraint, ClockTerm, Guard, Operand, Rate};
pub use network::{
    Channel, ChannelId, Clock, ClockId, Edge, EdgeId, EventId, LabelId, Location, LocationId, Network, Process,
    ProcessId, Sync, VectorId,
};
pub use uses::Uses;
pub use variable::{LatticeOrder, LatticeVariable, ModelOrder, Shape, ShapeSize, Variable};

/// A network with its code, ready to be explored.
///
/// Copies share the network, so they are cheap. A copy that is changed gets a network of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    network: Arc<Network>,
    /// The symmetry of scalar sets whose members neither the model nor the queries of this system
    /// distinguish.
    pub symmetry: Arc<Symmetry>,
    /// The code of all expressions.
    pub code: Code,
    /// The conditions, bounds and quantities of queries that are not known to be monotone: smaller
    /// elements may satisfy them and greater ones may not. States are distinguished by the values
    /// of the elements that they read.
    pub non_monotone_goals: Vec<Pc>,
    /// The numbers of variables that are not part of a state's identity although they are not meta
    /// variables: see [`System::find_unread`].
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

impl System {
    /// Returns the span of the text that the instruction `pc` was compiled from.
    #[must_use]
    pub fn site(&self, pc: u32) -> Span {
        self.code.site(pc)
    }

    /// Removes all spans, so that two models with the same meaning are equal.
    #[must_use]
    pub fn without_places(mut self) -> System {
        self.code.forget_sites();
        self
    }
}
