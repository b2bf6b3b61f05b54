//! The cycles of a process, by depth-first search.

use model::{
    System,
    system::{LocationId, Process},
};

/// The graph of a process, with locations by their indices.
pub(crate) struct Cycles {
    /// The targets of each location's edges that do not close a cycle.
    pub(crate) ahead: Vec<Vec<usize>>,
    /// A reverse topological order of this graph.
    pub(crate) order: Vec<usize>,
    /// Whether an edge to the location closes a cycle. Every cycle has such a location.
    pub(crate) heads: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    OnPath,
    Done,
}

impl Cycles {
    /// Searches a process depth-first. An edge to a location on the search path closes a cycle.
    pub(crate) fn of(system: &System, process: &Process) -> Cycles {
        let count = process.locations as usize;
        let place = |location: LocationId| {
            let at = location.0.wrapping_sub(process.first_location.0);
            (at < process.locations).then_some(at as usize)
        };
        let mut targets = vec![Vec::new(); count];
        for edge in &system.edges {
            if let (Some(from), Some(to)) = (place(edge.source), place(edge.target)) {
                targets[from].push(to);
            }
        }
        let mut cycles = Cycles { ahead: vec![Vec::new(); count], order: Vec::new(), heads: vec![false; count] };
        let mut marks = vec![Mark::New; count];
        for root in [process.initial as usize].into_iter().chain(0..count) {
            if marks[root] == Mark::New {
                cycles.walk(root, &targets, &mut marks);
            }
        }
        cycles
    }

    fn walk(&mut self, root: usize, targets: &[Vec<usize>], marks: &mut [Mark]) {
        marks[root] = Mark::OnPath;
        let mut path = vec![(root, 0)];
        while let Some((from, next)) = path.last_mut() {
            let from = *from;
            let Some(&to) = targets[from].get(*next) else {
                marks[from] = Mark::Done;
                self.order.push(from);
                path.pop();
                continue;
            };
            *next += 1;
            if marks[to] == Mark::OnPath {
                self.heads[to] = true;
            } else {
                self.ahead[from].push(to);
            }
            if marks[to] == Mark::New {
                marks[to] = Mark::OnPath;
                path.push((to, 0));
            }
        }
    }
}
