//! The cycles of a process: its locations without the edges that close one.

use model::{
    System,
    system::{LocationId, Process},
};

/// The locations of a process, by their places in it.
pub(crate) struct Cycles {
    /// Where the edges of each location lead, but for those that close a cycle.
    pub(crate) ahead: Vec<Vec<usize>>,
    /// An order in which all of those lead backwards.
    pub(crate) order: Vec<usize>,
    /// Whether an edge that closes a cycle leads to the location. Every cycle has one.
    pub(crate) heads: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    OnTheWay,
    Done,
}

impl Cycles {
    /// Walks through a process depth-first. An edge to a location on the way closes a cycle.
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
        marks[root] = Mark::OnTheWay;
        let mut way = vec![(root, 0)];
        while let Some((from, next)) = way.last_mut() {
            let from = *from;
            let Some(&to) = targets[from].get(*next) else {
                marks[from] = Mark::Done;
                self.order.push(from);
                way.pop();
                continue;
            };
            *next += 1;
            if marks[to] == Mark::OnTheWay {
                self.heads[to] = true;
            } else {
                self.ahead[from].push(to);
            }
            if marks[to] == Mark::New {
                marks[to] = Mark::OnTheWay;
                way.push((to, 0));
            }
        }
    }
}
