//! Diagrams with numbers at their ends.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxBuildHasher;

use super::{Diagram, DiagramNode, DiagramResult, Diagrams, END};

/// One diagram, apart from all others.
#[derive(Clone, Debug)]
pub(crate) struct NumberDiagram {
    nodes: Vec<DiagramNode>,
}

impl NumberDiagram {
    /// Returns the number for some bits, which are given by their levels.
    pub(crate) fn look_up(&self, bit: impl Fn(u32) -> bool) -> u32 {
        let mut node = self.nodes.last();
        while let Some(DiagramNode { level, low, high }) = node.copied() {
            if level == END {
                return low.0;
            }
            node = self.nodes.get(if bit(level) { high.0 } else { low.0 } as usize);
        }
        0
    }

    /// Returns the number of nodes, including ends.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl Diagrams<'_> {
    /// Copies a diagram.
    pub(crate) fn numbers(&self, diagram: Diagram) -> NumberDiagram {
        let mut new: HashMap<u32, u32, FxBuildHasher> = HashMap::default();
        let mut nodes = Vec::new();
        for number in self.below(diagram) {
            let node = self.get(Diagram(number));
            let renamed = |diagram: Diagram| Diagram(new[&diagram.0]);
            let node = match node.level {
                END => node,
                level => DiagramNode { level, low: renamed(node.low), high: renamed(node.high) },
            };
            new.insert(number, nodes.len() as u32);
            nodes.push(node);
        }
        NumberDiagram { nodes }
    }

    /// Returns the set in which a condition holds for the number of a diagram.
    pub(crate) fn where_number(&mut self, diagram: Diagram, holds: impl Fn(u32) -> bool) -> DiagramResult {
        let mut sets: HashMap<u32, Diagram, FxBuildHasher> = HashMap::default();
        for number in self.below(diagram) {
            let node = self.get(Diagram(number));
            let set = match node.level {
                END if holds(node.low.0) => Diagram::TRUE,
                END => Diagram::FALSE,
                level => {
                    self.visit()?;
                    self.node(level, sets[&node.low.0], sets[&node.high.0])?
                }
            };
            sets.insert(number, set);
        }
        Ok(sets[&diagram.0])
    }

    /// Returns the nodes of a diagram, children before their parents.
    fn below(&self, diagram: Diagram) -> Vec<u32> {
        let mut seen: HashSet<u32, FxBuildHasher> = HashSet::default();
        let mut open = vec![diagram];
        while let Some(next) = open.pop() {
            if seen.insert(next.0) {
                let node = self.get(next);
                if node.level != END {
                    open.extend([node.low, node.high]);
                }
            }
        }
        let mut nodes: Vec<u32> = seen.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }
}
