//! The graph of all states.

use model::{machine::Fault, system::EdgeId};
use rustc_hash::FxHashMap;

use super::{
    ExplicitOptions, RunStep, UnknownReason,
    clocks::Widen,
    network::{ExplicitNetwork, ExplicitState, StepError},
};

/// A state with its successors.
pub(super) struct GraphNode {
    pub state: ExplicitState,
    /// The number of transitions on a shortest run to it; delays do not count.
    pub depth: u32,
    /// Its predecessor on such a run, and the edges taken; none for a delay.
    parent: Option<(usize, Vec<EdgeId>)>,
    /// The reason why some successors are unknown.
    pub unknown: Option<UnknownReason>,
    /// The successor after a delay.
    pub delay: Option<usize>,
    /// The successors after transitions.
    pub actions: Vec<usize>,
    /// Whether a transition is possible at a moment before the delay successor, or at any later
    /// moment if there is none.
    acts_within: bool,
    /// Whether no transition is possible, now or after a delay. It is computed on demand only.
    pub deadlock: Result<bool, UnknownReason>,
}

/// All states that were found, ordered by depth.
pub(super) struct StateGraph {
    pub nodes: Vec<GraphNode>,
    /// The first run-time error.
    pub fault: Option<Fault>,
    refused: Option<UnknownReason>,
}

impl StateGraph {
    /// Creates an empty graph.
    pub(super) fn refused(reason: UnknownReason) -> StateGraph {
        StateGraph { nodes: Vec::new(), fault: None, refused: Some(reason) }
    }

    /// Explores all states, layer by layer: a layer is closed under delays before transitions
    /// produce the next one. Deadlocks are computed if `deadlock` is set.
    pub(super) fn explore(
        network: &mut ExplicitNetwork<'_>,
        options: ExplicitOptions,
        deadlock: bool,
    ) -> Result<StateGraph, Widen> {
        let mut builder = Builder {
            graph: StateGraph { nodes: Vec::new(), fault: None, refused: None },
            index: FxHashMap::default(),
            key: Vec::new(),
            identity: network.system.identity,
            limit: options.states,
        };
        match network.initial() {
            Ok(Some(state)) => {
                builder.insert(state, 0, None);
            }
            Ok(None) => return Ok(StateGraph::refused(UnknownReason::NoInitialState)),
            Err(StepError::Fault(fault)) => {
                return Ok(StateGraph { fault: Some(fault), ..StateGraph::refused(UnknownReason::Fault(fault)) });
            }
            Err(StepError::Widen) => return Err(Widen),
            Err(StepError::Many) => return Ok(StateGraph::refused(UnknownReason::States)),
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

    /// Computes the deadlocks.
    ///
    /// The manual says that a state (L, v) is a deadlock if "for all d ≥ 0 there is no action
    /// successor of (L, v+d)". This means all delays that the semantics permits. By the manual an
    /// urgent location has an invariant that forbids delays, so a guard there that only a delay
    /// would satisfy does not count; if time is stopped, a state is a deadlock unless a transition
    /// is possible at once.
    fn find_deadlocks(&mut self) {
        let mut settled = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            let found = loop {
                // If delays end or form a cycle, no further state is reachable by delays.
                let Some(i) = at else { break Ok(true) };
                let node = &self.nodes[i];
                if settled[i] {
                    // On the current path it still has its initial value.
                    break if path.contains(&i) { Ok(true) } else { node.deadlock };
                }
                settled[i] = true;
                path.push(i);
                if !node.actions.is_empty() || node.acts_within {
                    break Ok(false);
                }
                if let Some(reason) = node.unknown {
                    break Err(reason);
                }
                at = node.delay;
            };
            for i in path {
                self.nodes[i].deadlock = found;
            }
        }
    }

    /// Returns the reason why some states or transitions may be missing.
    pub(super) fn missing(&self) -> Option<UnknownReason> {
        self.refused.or_else(|| self.nodes.iter().find_map(|n| n.unknown))
    }

    /// Returns whether the states below this depth are completely known.
    pub(super) fn is_complete_below(&self, depth: u32) -> bool {
        self.nodes.iter().take_while(|n| n.depth < depth).all(|n| n.unknown.is_none())
    }

    /// Returns the run to a node.
    pub(super) fn run(&self, node: usize) -> Vec<RunStep> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((parent, edges)) = &self.nodes[at].parent {
            steps.push(RunStep { edges: edges.clone(), row: self.nodes[at].state.row.clone() });
            at = *parent;
        }
        steps.reverse();
        steps
    }
}

struct Builder {
    graph: StateGraph,
    index: FxHashMap<Box<[i64]>, usize>,
    key: Vec<i64>,
    identity: usize,
    limit: usize,
}

impl Builder {
    /// Returns the node of a state; `None` if the limit is reached.
    fn insert(&mut self, state: ExplicitState, depth: u32, parent: Option<(usize, Vec<EdgeId>)>) -> Option<usize> {
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
        self.graph.nodes.push(GraphNode {
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

    /// Records that the successors of a node are unknown, unless the bounds are too small.
    fn give_up(&mut self, node: usize, halt: StepError) -> Result<(), Widen> {
        self.graph.nodes[node].unknown = Some(match halt {
            StepError::Fault(fault) => {
                self.graph.fault.get_or_insert(fault);
                UnknownReason::Fault(fault)
            }
            StepError::Many => UnknownReason::States,
            StepError::Widen => return Err(Widen),
        });
        Ok(())
    }

    fn delay(&mut self, network: &mut ExplicitNetwork<'_>, i: usize, deadlock: bool) -> Result<(), Widen> {
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
                node.unknown = Some(UnknownReason::States);
            }
        }
        Ok(())
    }

    fn act(&mut self, network: &mut ExplicitNetwork<'_>, i: usize) -> Result<(), Widen> {
        let depth = self.graph.nodes[i].depth;
        let found = match network.successors(&self.graph.nodes[i].state) {
            Ok(found) => found,
            Err(halt) => return self.give_up(i, halt),
        };
        if let Some(fault) = network.fault.take() {
            self.graph.fault.get_or_insert(fault);
            // A transition that fails is not a missing one.
            self.graph.nodes[i].acts_within = true;
        }
        let mut actions = Vec::with_capacity(found.len());
        for (edges, state) in found {
            match self.insert(state, depth + 1, Some((i, edges))) {
                Some(next) => actions.push(next),
                None => self.graph.nodes[i].unknown = Some(UnknownReason::States),
            }
        }
        self.graph.nodes[i].actions = actions;
        Ok(())
    }
}
