//! Breadth-first regression from the goal.

use super::rules::BitRules;
use crate::diagram::{Diagram, DiagramResult, DiagramStop, Diagrams, NumberDiagram};

/// The distance of rows that were not reached.
pub(super) const FAR: u32 = u32::MAX;

/// The distances of rows to the goal.
pub(super) struct Distances {
    /// The distance of each row; [`FAR`]: it was not reached.
    pub numbers: NumberDiagram,
    /// The least distance of rows that were not reached; `None`: they are dead ends.
    pub beyond: Option<u32>,
    /// Why not all rows were reached.
    pub stop: Option<DiagramStop>,
}

/// The rows at some distance, and those at smaller ones.
struct Regression {
    rules: BitRules,
    /// The rows at the greatest distance.
    frontier: Diagram,
    /// All rows so far.
    reached: Diagram,
    distances: Diagram,
    /// The rows at the next distance.
    next: Diagram,
}

/// Computes the distances of all rows. Each layer has the rows at one distance.
pub(super) fn regress(diagrams: &mut Diagrams<'_>, rules: BitRules) -> Distances {
    let goal = rules.goal;
    let mut regression =
        Regression { rules, frontier: goal, reached: goal, distances: Diagram::FALSE, next: Diagram::FALSE };
    let mut beyond = 0;
    let done = (|| -> DiagramResult<()> {
        let far = diagrams.number(FAR)?;
        regression.distances = diagrams.choose(goal, Diagram::FALSE, far)?;
        beyond = 1;
        while regression.layer(diagrams, beyond)? {
            beyond += 1;
        }
        Ok(())
    })();
    if beyond == 0 {
        // Not even the goal has fit.
        regression.distances = Diagram::FALSE;
    }
    let numbers = diagrams.numbers(regression.distances);
    Distances { numbers, beyond: done.is_err().then_some(beyond), stop: done.err() }
}

impl Regression {
    /// Adds the rows at a distance, which is one more than that of the frontier. Returns whether
    /// there are any.
    fn layer(&mut self, diagrams: &mut Diagrams<'_>, distance: u32) -> DiagramResult<bool> {
        self.retry(diagrams, |own, diagrams| {
            let before = diagrams.predecessors(&own.rules.rules, own.frontier)?;
            let valid = diagrams.and(before, own.rules.valid)?;
            own.next = diagrams.without(valid, own.reached)?;
            Ok(())
        })?;
        self.retry(diagrams, |own, diagrams| {
            let number = diagrams.number(distance)?;
            let distances = diagrams.choose(own.next, number, own.distances)?;
            let reached = diagrams.or(own.next, own.reached)?;
            (own.frontier, own.distances, own.reached) = (own.next, distances, reached);
            Ok(())
        })?;
        Ok(self.frontier != Diagram::FALSE)
    }

    /// Does some work. If there are too many nodes, it is tried once more without those that are
    /// not needed any more.
    fn retry(
        &mut self,
        diagrams: &mut Diagrams<'_>,
        work: impl Fn(&mut Self, &mut Diagrams<'_>) -> DiagramResult<()>,
    ) -> DiagramResult<()> {
        if diagrams.has_garbage() {
            self.collect(diagrams);
        }
        match work(self, diagrams) {
            Err(DiagramStop::Nodes) => {
                self.collect(diagrams);
                work(self, diagrams)
            }
            done => done,
        }
    }

    fn collect(&mut self, diagrams: &mut Diagrams<'_>) {
        let own = [&mut self.frontier, &mut self.reached, &mut self.distances, &mut self.next];
        let mut roots: Vec<&mut Diagram> = self.rules.diagrams().chain(own).collect();
        diagrams.collect(&mut roots);
    }
}
