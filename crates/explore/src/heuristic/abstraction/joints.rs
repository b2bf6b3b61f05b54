//! The edges of a part of a network that are taken together.

use model::{
    System,
    system::{ChannelId, EdgeId, EventId, ProcessId, Sync},
};

use super::subnetwork::Subnetwork;

/// Edges that are taken together, as far as a part of the network has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointEdges {
    /// The edges of processes that are kept, in the order of their updates.
    pub edges: Vec<EdgeId>,
    /// Edges of which any may be taken as well, at most one of each process. They are of processes
    /// that have no other edge here.
    pub perhaps: Vec<EdgeId>,
    /// Whether somebody takes part who is left out.
    pub has_others: bool,
    /// Whether whoever starts it is left out.
    pub is_answer: bool,
}

/// There are more than so many.
const MOST_JOINTS: usize = 1 << 16;
/// The most choices of receivers that are told apart for one who sends to all.
const MOST_CHOICES: usize = 64;

/// All edges that a part takes together; `None`: there are too many.
#[must_use]
pub fn joints(system: &System, part: &Subnetwork) -> Option<Vec<JointEdges>> {
    let mut found = JointFinder { system, part, all: Vec::new() };
    for (number, edge) in system.edges.iter().enumerate() {
        if found.keeps(edge.process) && edge.sync == Sync::Internal {
            found.all.push(JointEdges { edges: vec![EdgeId(number as u32)], ..JointEdges::default() });
        }
    }
    for channel in 0..system.channels.len() as u32 {
        if system.channels[channel as usize].broadcast {
            found.broadcast(ChannelId(channel));
        } else {
            found.handshake(ChannelId(channel));
        }
        if found.all.len() > MOST_JOINTS {
            return None;
        }
    }
    for vector in &system.vectors {
        found.vector(&vector.participants)?;
    }
    (found.all.len() <= MOST_JOINTS).then_some(found.all)
}

struct JointFinder<'s> {
    system: &'s System,
    part: &'s Subnetwork,
    all: Vec<JointEdges>,
}

impl JointFinder<'_> {
    fn keeps(&self, process: ProcessId) -> bool {
        self.part.processes[process.0 as usize]
    }

    /// The edges that are kept with a synchronisation, and whether others have it.
    fn edges(&self, sync: Sync) -> (Vec<EdgeId>, bool) {
        let all = (0..).map(EdgeId).zip(&self.system.edges).filter(|(_, edge)| edge.sync == sync);
        let (kept, others): (Vec<_>, Vec<_>) = all.partition(|(_, edge)| self.keeps(edge.process));
        (kept.into_iter().map(|(id, _)| id).collect(), !others.is_empty())
    }

    fn process(&self, edge: EdgeId) -> ProcessId {
        self.system.edges[edge.0 as usize].process
    }

    fn handshake(&mut self, channel: ChannelId) {
        let (senders, others_send) = self.edges(Sync::Send(channel));
        let (receivers, others_receive) = self.edges(Sync::Receive(channel));
        for &sender in &senders {
            for &receiver in &receivers {
                if self.process(sender) != self.process(receiver) && self.all.len() <= MOST_JOINTS {
                    self.all.push(JointEdges { edges: vec![sender, receiver], ..JointEdges::default() });
                }
            }
            if others_receive {
                self.all.push(JointEdges { edges: vec![sender], has_others: true, ..JointEdges::default() });
            }
        }
        if others_send {
            let alone = |edge: &EdgeId| JointEdges {
                edges: vec![*edge],
                has_others: true,
                is_answer: true,
                ..JointEdges::default()
            };
            self.all.extend(receivers.iter().map(alone));
        }
    }

    /// Whoever can receive does. Which of them can is not told apart here.
    fn broadcast(&mut self, channel: ChannelId) {
        let (senders, others_send) = self.edges(Sync::Send(channel));
        let (receivers, others_receive) = self.edges(Sync::Receive(channel));
        for sender in senders {
            let own = self.process(sender);
            let others: Vec<EdgeId> = receivers.iter().copied().filter(|edge| self.process(*edge) != own).collect();
            let first = JointEdges { edges: vec![sender], has_others: others_receive, ..JointEdges::default() };
            self.add_receivers(&first, &others);
        }
        if others_send && !receivers.is_empty() {
            let first = JointEdges { has_others: true, is_answer: true, ..JointEdges::default() };
            self.add_receivers(&first, &receivers);
        }
    }

    fn add_receivers(&mut self, first: &JointEdges, receivers: &[EdgeId]) {
        let mut choices = vec![first.clone()];
        // Edges are sorted by process, and so are updates.
        for of_process in receivers.chunk_by(|a, b| self.process(*a) == self.process(*b)) {
            if choices.len() * (of_process.len() + 1) > MOST_CHOICES {
                choices = vec![JointEdges { perhaps: receivers.to_vec(), ..first.clone() }];
                break;
            }
            let with = |joint: &JointEdges, edge: &EdgeId| {
                let mut joint = joint.clone();
                joint.edges.push(*edge);
                joint
            };
            let more: Vec<JointEdges> =
                choices.iter().flat_map(|joint| of_process.iter().map(move |edge| with(joint, edge))).collect();
            choices.extend(more);
        }
        self.all.extend(choices.into_iter().filter(|joint| !(joint.edges.is_empty() && joint.perhaps.is_empty())));
    }

    fn vector(&mut self, participants: &[model::vector::Participant]) -> Option<()> {
        let mut choices = vec![JointEdges::default()];
        for (place, participant) in participants.iter().enumerate() {
            if !self.keeps(participant.process) {
                let starts = participants[..place].iter().all(|p| p.weak) && !participant.weak;
                for joint in &mut choices {
                    joint.has_others = true;
                    joint.is_answer |= starts;
                }
                continue;
            }
            let edges = self.of_event(participant.process, participant.event);
            let mut next = if participant.weak { choices.clone() } else { Vec::new() };
            for joint in &choices {
                for edge in &edges {
                    let mut joint = joint.clone();
                    joint.edges.push(*edge);
                    next.push(joint);
                }
            }
            choices = next;
            if choices.len() + self.all.len() > MOST_JOINTS {
                return None;
            }
        }
        // Where all are weak, the first that takes part may be one that is left out.
        let all_weak = participants.iter().all(|p| p.weak);
        choices.iter_mut().for_each(|joint| joint.is_answer |= all_weak && joint.has_others);
        self.all.extend(choices.into_iter().filter(|joint| !joint.edges.is_empty()));
        Some(())
    }

    fn of_event(&self, process: ProcessId, event: EventId) -> Vec<EdgeId> {
        let own = (0..).map(EdgeId).zip(&self.system.edges);
        own.filter(|(_, edge)| edge.process == process && edge.sync == Sync::Event(event)).map(|(id, _)| id).collect()
    }
}
