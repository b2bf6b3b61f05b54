//! Who of those that wait for others can be taken.

use super::{
    network::{Action, Network, Node, Role},
    plan::{NOBODY, VECTOR},
};

/// An action, and its process.
type Own = (Node, u32);

/// Nobody is ready.
const NONE: [Own; 2] = [(NOBODY, NOBODY); 2];

/// The ready actions of a channel.
#[derive(Clone, Debug)]
struct Channel {
    /// On each side the first ready action, and the first one of another process.
    ready: [[Own; 2]; 2],
    /// Those that wait for somebody on the other side.
    waiting: [Vec<Node>; 2],
    used: bool,
}

/// The ready actions of a vector.
#[derive(Clone, Debug)]
struct Vector {
    /// The first ready action of each strong participant.
    ready: Vec<Node>,
    missing: u32,
    waiting: Vec<Node>,
}

/// Who is ready on each channel and vector.
pub struct Meetings {
    channels: Vec<Channel>,
    /// The channels that something has happened on.
    used: Vec<u32>,
    vectors: Vec<Vector>,
    /// With whom each action that waited is taken, from the first of them on.
    partner: Vec<Node>,
    /// The channels of actions that wait, their sides and processes, from the first of them on; `None`: on a vector, or free.
    places: Vec<Option<(u32, u8, u32)>>,
    /// Who can be taken since the last one became ready.
    pub taken: Vec<Node>,
}

impl Meetings {
    /// For a network.
    pub fn new(network: &Network) -> Meetings {
        let channel = Channel { ready: [NONE; 2], waiting: [Vec::new(), Vec::new()], used: false };
        let place = |node| match network.action(node) {
            Some(Action { process, role: Role::Channel { channel, side, free: false }, .. }) => Some((*channel, *side, *process)),
            _ => None,
        };
        let vector = |strong: &u32| Vector { ready: vec![NOBODY; *strong as usize], missing: *strong, waiting: Vec::new() };
        Meetings {
            channels: vec![channel; network.channels],
            used: Vec::new(),
            vectors: network.vectors.iter().map(vector).collect(),
            partner: vec![NOBODY; network.len() - network.first_waiting as usize],
            places: (network.first_waiting..network.len() as Node).map(place).collect(),
            taken: Vec::new(),
        }
    }

    /// Nobody is ready.
    pub fn reset(&mut self) {
        for channel in self.used.drain(..) {
            let channel = &mut self.channels[channel as usize];
            channel.ready = [NONE; 2];
            channel.waiting.iter_mut().for_each(Vec::clear);
            channel.used = false;
        }
        for vector in &mut self.vectors {
            vector.missing = vector.ready.len() as u32;
            vector.ready.fill(NOBODY);
            vector.waiting.clear();
        }
    }

    /// With whom an action that waits for others is taken.
    pub fn partner(&self, network: &Network, node: Node) -> Node {
        self.partner[(node - network.first_waiting) as usize]
    }

    /// The strong participants of a vector, as they are taken.
    pub fn participants(&self, vector: u32) -> &[Node] {
        &self.vectors[vector as usize].ready
    }

    /// Whether an action that is ready can be taken at once and makes no difference to others: most often both sides have met
    /// before.
    #[inline]
    pub fn is_simple(&mut self, network: &Network, node: Node) -> bool {
        let place = (node - network.first_waiting) as usize;
        let Some((channel, side, process)) = self.places[place] else { return false };
        let ready = &self.channels[channel as usize].ready;
        let (own, [first, second]) = (ready[usize::from(side)], ready[usize::from(1 - side)]);
        let partner = if first.1 == process { second.0 } else { first.0 };
        self.partner[place] = partner;
        partner != NOBODY && (own[0].1 == process || own[1].0 != NOBODY)
    }

    /// An action is ready: finds who can be taken now.
    pub fn ready(&mut self, network: &Network, node: Node) {
        self.taken.clear();
        let Some(&Action { process, role, .. }) = network.action(node) else { return };
        let process_of = |node: Node| network.action(node).map_or(u32::MAX, |action| action.process);
        let place = |node: Node| (node - network.first_waiting) as usize;
        match role {
            Role::Alone => self.taken.push(node),
            Role::Channel { channel: number, side, free } => {
                let own = usize::from(side);
                let channel = &mut self.channels[number as usize];
                if !std::mem::replace(&mut channel.used, true) {
                    self.used.push(number);
                }
                let others = channel.ready[1 - own].into_iter();
                let partner = others.filter(|other| other.0 != NOBODY && other.1 != process).map(|other| other.0).next();
                if free || partner.is_some() {
                    self.partner[place(node)] = partner.filter(|_| !free).unwrap_or(NOBODY);
                    self.taken.push(node);
                } else {
                    channel.waiting[own].push(node);
                }
                let free_place = match channel.ready[own] {
                    [(NOBODY, _), _] => 0,
                    [first, (NOBODY, _)] if first.1 != process => 1,
                    _ => return,
                };
                channel.ready[own][free_place] = (node, process);
                channel.waiting[1 - own].retain(|other| {
                    let stays = process_of(*other) == process;
                    if !stays {
                        self.partner[place(*other)] = node;
                        self.taken.push(*other);
                    }
                    stays
                });
            }
            Role::Vector { vector: number, strong } => {
                let vector = &mut self.vectors[number as usize];
                if let Some(at) = strong
                    && vector.ready[at as usize] == NOBODY
                {
                    vector.ready[at as usize] = node;
                    vector.missing -= 1;
                }
                self.partner[place(node)] = VECTOR | number;
                vector.waiting.push(node);
                if vector.missing == 0 {
                    self.taken.append(&mut vector.waiting);
                }
            }
        }
    }
}
