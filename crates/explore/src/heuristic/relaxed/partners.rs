//! Partners of edges in synchronisations.
//!
//! A sender needs a receiver of another process that is ready, and vice versa. On one side of a
//! channel an edge announces that it is ready before it can be taken; edges on the other side can
//! be taken as soon as one is announced, and are the partners of the first side in turn.
//! Participants of a vector announce themselves too.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    System,
    system::{ChannelId, Edge, EdgeId, Sync},
};

use super::{
    network::{Action, NodeNumber, Role},
    network_builder::NetworkBuilder,
};

/// The greatest number of processes on both sides of a channel for which synchronisation with
/// themselves is excluded; beyond, it is relaxed.
const MAX_TWO_SIDED: usize = 64;

/// One side of a channel.
#[derive(Default)]
struct ChannelSide {
    /// An edge is ready.
    any: NodeNumber,
    /// An edge of another process is ready, for processes that are on both sides.
    but: BTreeMap<u32, NodeNumber>,
}

impl ChannelSide {
    /// Returns the node of "a partner of this process is ready".
    fn partner_of(&self, process: u32) -> NodeNumber {
        self.but.get(&process).copied().unwrap_or(self.any)
    }

    /// Announces that an edge of a process is ready.
    fn announce(&self, builder: &mut NetworkBuilder, node: NodeNumber, process: u32) {
        builder.connect(node, self.any);
        self.but.iter().filter(|(other, _)| **other != process).for_each(|(_, to)| builder.connect(node, *to));
    }
}

/// The announcements on channels and vectors.
pub(crate) struct Partners<'s> {
    system: &'s System,
    /// The senders and the receivers of each channel.
    channels: Vec<[ChannelSide; 2]>,
    /// The side of each channel that announces.
    announcing: Vec<usize>,
    /// The strong participants of each vector.
    vectors: Vec<Vec<NodeNumber>>,
}

fn side(sync: Sync) -> Option<(ChannelId, usize)> {
    match sync {
        Sync::Send(channel) => Some((channel, 0)),
        Sync::Receive(channel) => Some((channel, 1)),
        Sync::Internal | Sync::Event(_) => None,
    }
}

impl<'s> Partners<'s> {
    /// Creates the partner nodes of a system's channels and vectors.
    pub(crate) fn new(system: &'s System, builder: &mut NetworkBuilder) -> Partners<'s> {
        let mut processes: Vec<[BTreeSet<u32>; 2]> = vec![<[BTreeSet<u32>; 2]>::default(); system.channels.len()];
        let mut counts = vec![[0_usize; 2]; system.channels.len()];
        for edge in &system.edges {
            if let Some((channel, side)) = side(edge.sync) {
                processes[channel.0 as usize][side].insert(edge.process.0);
                counts[channel.0 as usize][side] += 1;
            }
        }
        let mut channels = Vec::new();
        for [senders, receivers] in &processes {
            let both: Vec<u32> = senders.intersection(receivers).copied().collect();
            let both = if both.len() <= MAX_TWO_SIDED { both } else { Vec::new() };
            channels.push([0, 1].map(|_| ChannelSide {
                any: builder.partner(),
                but: both.iter().map(|process| (*process, builder.partner())).collect(),
            }));
        }
        let strong = |v: &model::vector::SyncVector| v.participants.iter().filter(|p| !p.weak).count();
        let vectors = system.vectors.iter().map(|v| (0..strong(v)).map(|_| builder.partner()).collect()).collect();
        let announcing = counts.iter().map(|[send, receive]| usize::from(receive <= send)).collect();
        Partners { system, channels, announcing, vectors }
    }

    /// Returns the actions of an edge, one for each of its vectors.
    pub(crate) fn actions(
        &self,
        builder: &mut NetworkBuilder,
        number: EdgeId,
        edge: &Edge,
        needs: &[NodeNumber],
    ) -> Vec<(NodeNumber, Action)> {
        let own = Action { edge: number, role: Role::Meets };
        if let Sync::Event(event) = edge.sync {
            return self.joint(builder, number, edge, event, needs);
        }
        let Some((channel, side)) = side(edge.sync) else { return vec![(builder.all(needs.to_vec(), Some(own)), own)] };
        let process = edge.process.0;
        let sides = &self.channels[channel.0 as usize];
        if self.system.channels[channel.0 as usize].broadcast {
            // A broadcast sender needs no partner.
            let own = Action { role: if side == 0 { Role::Meets } else { Role::Follows }, ..own };
            let mut needs = needs.to_vec();
            needs.extend((side == 1).then(|| sides[0].partner_of(process)));
            let node = builder.all(needs, Some(own));
            if side == 0 {
                sides[0].announce(builder, node, process);
            }
            return vec![(node, own)];
        }
        let partner = sides[1 - side].partner_of(process);
        let node = if side == self.announcing[channel.0 as usize] {
            let ready = builder.all(needs.to_vec(), Some(own));
            sides[side].announce(builder, ready, process);
            builder.all(vec![ready, partner], Some(own))
        } else {
            let node = builder.all([needs, &[partner]].concat(), Some(own));
            sides[side].announce(builder, node, process);
            node
        };
        vec![(node, own)]
    }

    fn joint(
        &self,
        builder: &mut NetworkBuilder,
        number: EdgeId,
        edge: &Edge,
        event: model::system::EventId,
        needs: &[NodeNumber],
    ) -> Vec<(NodeNumber, Action)> {
        let own = Action { edge: number, role: Role::Joins };
        let mut actions = Vec::new();
        for (vector, places) in self.system.vectors.iter().zip(&self.vectors) {
            let mut place = 0;
            for p in &vector.participants {
                if p.process == edge.process && p.event == event {
                    let ready = builder.all(needs.to_vec(), Some(own));
                    let mut all = vec![ready];
                    all.extend(places.iter().enumerate().filter(|(i, _)| p.weak || *i != place).map(|(_, node)| *node));
                    if !p.weak {
                        builder.connect(ready, places[place]);
                    }
                    actions.push((builder.all(all, Some(own)), own));
                }
                place += usize::from(!p.weak);
            }
        }
        actions
    }
}
