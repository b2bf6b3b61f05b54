//! The synchronisations of a subnetwork.

use model::{
    System,
    system::{ChannelId, EdgeId, EventId, ProcessId, Sync},
};

use super::subnetwork::Subnetwork;

/// Edges that are taken together, as far as they are in the subnetwork.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JointEdges {
    /// The edges of kept processes, in the order of their updates.
    pub edges: Vec<EdgeId>,
    /// Edges that may be taken as well, at most one of each process. Their processes have no other
    /// edge here.
    pub perhaps: Vec<EdgeId>,
    /// Whether a process outside of the subnetwork participates.
    pub(crate) has_others: bool,
    /// Whether the initiator is outside of the subnetwork.
    pub(crate) is_answer: bool,
}

/// The greatest number of synchronisations.
const MAX_JOINTS: usize = 1 << 16;
/// The greatest number of choices of receivers for one broadcast sender.
const MAX_CHOICES: usize = 64;

/// Returns all synchronisations of a subnetwork; `None`: there are too many.
#[must_use]
pub(crate) fn joints(system: &System, subnetwork: &Subnetwork) -> Option<Vec<JointEdges>> {
    let mut found = JointFinder { system, subnetwork, all: Vec::new() };
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
        if found.all.len() > MAX_JOINTS {
            return None;
        }
    }
    for vector in &system.vectors {
        found.vector(&vector.participants)?;
    }
    (found.all.len() <= MAX_JOINTS).then_some(found.all)
}

struct JointFinder<'s> {
    system: &'s System,
    subnetwork: &'s Subnetwork,
    all: Vec<JointEdges>,
}

impl JointFinder<'_> {
    fn keeps(&self, process: ProcessId) -> bool {
        self.subnetwork.processes[process.0 as usize]
    }

    /// Returns the kept edges with a synchronisation, and whether other edges have it.
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
                if self.process(sender) != self.process(receiver) && self.all.len() <= MAX_JOINTS {
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

    /// Adds all choices of receivers, whether or not they can receive.
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
        // Edges are sorted by process, like their updates.
        for of_process in receivers.chunk_by(|a, b| self.process(*a) == self.process(*b)) {
            if choices.len() * (of_process.len() + 1) > MAX_CHOICES {
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
            if choices.len() + self.all.len() > MAX_JOINTS {
                return None;
            }
        }
        // If all are weak, the first participant may be outside of the subnetwork.
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
