//! The graph of all states.

use model::{machine::Fault, system::EdgeId};
use rustc_hash::FxHashMap;

use super::{
    Options, Reason, Step,
    clocks::Widen,
    network::{Halt, Network, State},
};

/// A state and what leads from it.
pub(super) struct Node {
    pub state: State,
    /// How many transitions the shortest run to it has; delays do not count.
    pub depth: u32,
    /// The node before it on such a run, and the edges from there: none for a delay.
    parent: Option<(usize, Vec<EdgeId>)>,
    /// Why the rest is not known.
    pub unknown: Option<Reason>,
    /// Where the passing of time leads.
    pub delay: Option<usize>,
    /// Where transitions lead.
    pub actions: Vec<usize>,
    /// Whether a transition is possible at a moment on the way to the next state, or to the end of time.
    acts_within: bool,
    /// Whether no transition is possible, now or after a delay. Only found out where it is asked for.
    pub deadlock: Result<bool, Reason>,
}

/// All states that were found, in the order of their depth.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// The first run-time error.
    pub fault: Option<Fault>,
    refused: Option<Reason>,
}

impl Graph {
    /// A graph of nothing.
    pub(super) fn refused(reason: Reason) -> Graph {
        Graph { nodes: Vec::new(), fault: None, refused: Some(reason) }
    }

    /// Explores all states, layer by layer: a layer is closed under delays before transitions lead to the next one.
    /// Deadlocks are found out where `deadlock` asks for them.
    pub(super) fn explore(network: &mut Network<'_>, options: Options, deadlock: bool) -> Result<Graph, Widen> {
        let mut builder = Builder {
            graph: Graph { nodes: Vec::new(), fault: None, refused: None },
            index: FxHashMap::default(),
            key: Vec::new(),
            identity: network.system.identity,
            limit: options.states,
        };
        match network.initial() {
            Ok(Some(state)) => {
                builder.insert(state, 0, None);
            }
            Ok(None) => return Ok(Graph::refused(Reason::NoInitialState)),
            Err(Halt::Fault(fault)) => {
                return Ok(Graph { fault: Some(fault), ..Graph::refused(Reason::Fault(fault)) });
            }
            Err(Halt::Widen) => return Err(Widen),
            Err(Halt::Many) => return Ok(Graph::refused(Reason::States)),
        }
        let mut layer = 0;
        while layer < builder.graph.nodes.len() {
            let mut i = layer;
            while i < builder.graph.nodes.len() {
                builder.delay(network, i, deadlock)?;
                i += 1;
            }
            for i in layer..i {
                builder.act(network, i)?;
            }
            layer = i;
        }
        if deadlock {
            builder.graph.find_deadlocks();
        }
        Ok(builder.graph)
    }

    /// The manual says that a state (L, v) is a deadlock if "for all d ≥ 0 there is no action successor of (L, v+d)".
    /// That is read as: for all delays that the semantics permits. An urgent location is by the manual one with an
    /// invariant that forbids delays, so a guard there that only a delay would satisfy does not help; and where time is
    /// stopped a state is a deadlock unless a transition is possible at once.
    fn find_deadlocks(&mut self) {
        let mut settled = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut walk = Vec::new();
            let mut at = Some(start);
            let found = loop {
                // Delays that end, or come back to where they have been, lead to nothing else.
                let Some(i) = at else { break Ok(true) };
                let node = &self.nodes[i];
                if settled[i] {
                    // On this very walk it still has the value that it started with.
                    break if walk.contains(&i) { Ok(true) } else { node.deadlock };
                }
                settled[i] = true;
                walk.push(i);
                if !node.actions.is_empty() || node.acts_within {
                    break Ok(false);
                }
                if let Some(reason) = node.unknown {
                    break Err(reason);
                }
                at = node.delay;
            };
            for i in walk {
                self.nodes[i].deadlock = found;
            }
        }
    }

    /// Why some states or steps may be missing.
    pub(super) fn missing(&self) -> Option<Reason> {
        self.refused.or_else(|| self.nodes.iter().find_map(|n| n.unknown))
    }

    /// Whether all is known about the states of less than this depth.
    pub(super) fn is_complete_below(&self, depth: u32) -> bool {
        self.nodes.iter().take_while(|n| n.depth < depth).all(|n| n.unknown.is_none())
    }

    /// The run to a node.
    pub(super) fn run(&self, node: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((parent, edges)) = &self.nodes[at].parent {
            steps.push(Step { edges: edges.clone(), row: self.nodes[at].state.row.clone() });
            at = *parent;
        }
        steps.reverse();
        steps
    }
}

struct Builder {
    graph: Graph,
    index: FxHashMap<Box<[i64]>, usize>,
    key: Vec<i64>,
    identity: usize,
    limit: usize,
}

impl Builder {
    /// The node of a state; `None` if there is no room for it.
    fn insert(&mut self, state: State, depth: u32, parent: Option<(usize, Vec<EdgeId>)>) -> Option<usize> {
        self.key.clear();
        self.key.extend(state.row[..self.identity].iter().map(|n| i64::from(*n)));
        self.key.extend_from_slice(&state.clocks[1..]);
        if let Some(&node) = self.index.get(self.key.as_slice()) {
            return Some(node);
        }
        let node = self.graph.nodes.len();
        if node >= self.limit {
            return None;
        }
        self.index.insert(self.key.as_slice().into(), node);
        let (unknown, delay, actions) = (None, None, Vec::new());
        self.graph.nodes.push(Node {
            state,
            depth,
            parent,
            unknown,
            delay,
            actions,
            acts_within: false,
            deadlock: Ok(false),
        });
        Some(node)
    }

    /// Notes that a node's steps are not known, unless the bounds are at fault.
    fn give_up(&mut self, node: usize, halt: Halt) -> Result<(), Widen> {
        self.graph.nodes[node].unknown = Some(match halt {
            Halt::Fault(fault) => {
                self.graph.fault.get_or_insert(fault);
                Reason::Fault(fault)
            }
            Halt::Many => Reason::States,
            Halt::Widen => return Err(Widen),
        });
        Ok(())
    }

    fn delay(&mut self, network: &mut Network<'_>, i: usize, deadlock: bool) -> Result<(), Widen> {
        let node = &self.graph.nodes[i];
        let depth = node.depth;
        let step = match network.delay(&node.state) {
            Ok(step) => step,
            Err(halt) => return self.give_up(i, halt),
        };
        if deadlock && let Some(within) = step.within {
            match network.successors(&within) {
                Ok(found) => self.graph.nodes[i].acts_within = !found.is_empty(),
                Err(halt) => return self.give_up(i, halt),
            }
        }
        if let Some(next) = step.next {
            let next = self.insert(next, depth, Some((i, Vec::new())));
            let node = &mut self.graph.nodes[i];
            node.delay = next;
            if next.is_none() {
                node.unknown = Some(Reason::States);
            }
        }
        Ok(())
    }

    fn act(&mut self, network: &mut Network<'_>, i: usize) -> Result<(), Widen> {
        let depth = self.graph.nodes[i].depth;
        let found = match network.successors(&self.graph.nodes[i].state) {
            Ok(found) => found,
            Err(halt) => return self.give_up(i, halt),
        };
        if let Some(fault) = network.fault.take() {
            self.graph.fault.get_or_insert(fault);
            // A transition that fails is none that is missing.
            self.graph.nodes[i].acts_within = true;
        }
        let mut actions = Vec::with_capacity(found.len());
        for (edges, state) in found {
            match self.insert(state, depth + 1, Some((i, edges))) {
                Some(next) => actions.push(next),
                None => self.graph.nodes[i].unknown = Some(Reason::States),
            }
        }
        self.graph.nodes[i].actions = actions;
        Ok(())
    }
}
