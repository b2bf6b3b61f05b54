//! Single moments of the zone graph: transitions without the delay that follows them, and what decides about delays.
//!
//! Successors in the zone graph are closed under delay, which is all that reachability needs. Runs that must satisfy
//! something at every moment need transitions and delays apart.

use model::system::EdgeId;

use super::{Abstraction, Enabled, RunError, ZoneGraph, apply, locations};
use crate::{batch::Batch, split::split_diagonals};

impl ZoneGraph<'_> {
    /// The valuation at the start, before any delay; `None` if it violates an invariant.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn start(&mut self) -> Result<Option<Vec<i32>>, RunError> {
        self.target.load(&self.system.initial);
        let mut zone = vec![0; self.dim * self.dim];
        zone::zero(&mut zone, self.dim);
        for (x, clock) in self.system.clocks.iter().enumerate().skip(1) {
            if clock.initial != 0 {
                zone::reset(&mut zone, self.dim, x, clock.initial);
            }
        }
        Ok(self.invariants(&mut zone, &[])?.then_some(zone))
    }

    /// What single transitions lead to, before any delay and without abstraction. Returns whether one of them is possible
    /// in all of the zone.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn transitions(&mut self, row: &[i32], zone: &[i32], out: &mut Batch) -> Result<bool, RunError> {
        let enabled = self.possible(row, zone)?;
        let mut behind = vec![0; self.dim * self.dim];
        let (mut always, mut whole) = (false, Vec::new());
        for i in 0..enabled.len() {
            self.take(row, enabled.edges(i))?;
            behind.copy_from_slice(enabled.zone(i));
            for &change in &self.target.changes {
                apply(change, &mut behind, self.dim);
            }
            whole.clone_from(&behind);
            if self.invariants(&mut behind, enabled.edges(i))? {
                out.push(self.target.row(), &behind, enabled.edges(i));
                always |= enabled.zone(i) == zone && whole == behind;
            }
        }
        Ok(always)
    }

    /// The parts of a zone from which one transition leads into `behind`, whatever receivers and priorities say.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn leading_into(
        &mut self,
        row: &[i32],
        zone: &[i32],
        edges: &[EdgeId],
        behind: &[i32],
    ) -> Result<Vec<Vec<i32>>, RunError> {
        let enabled = self.possible(row, zone)?;
        let mut parts = Vec::new();
        for i in (0..enabled.len()).filter(|i| enabled.edges(*i) == edges) {
            parts.extend(self.part_before(row, edges, enabled.zone(i), behind.to_vec())?);
        }
        Ok(parts)
    }

    /// Transitions with the parts of the zone where nothing forbids them.
    fn possible(&mut self, row: &[i32], zone: &[i32]) -> Result<Enabled, RunError> {
        let mut enabled = Enabled::new(self.dim * self.dim);
        self.enumerate(row, zone, &mut enabled)?;
        if self.system.has_priorities {
            self.prioritise(row, &mut enabled)?;
        }
        Ok(enabled)
    }

    /// The valuations that the invariants of a row allow; `None`: there are none.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn invariant(&mut self, row: &[i32]) -> Result<Option<Vec<i32>>, RunError> {
        self.target.load(row);
        let mut zone = vec![0; self.dim * self.dim];
        zone::universe(&mut zone, self.dim);
        Ok(self.invariants(&mut zone, &[])?.then_some(zone))
    }

    /// Where synchronisations over urgent channels forbid delays in a row. `None`: time stands still anyway.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn urgency(&mut self, row: &[i32]) -> Result<Option<Vec<Vec<i32>>>, RunError> {
        self.target.load(row);
        let mut all = vec![0; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        self.blockers(&all, &[])
    }

    /// The clocks that stand still in a row.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn standing(&mut self, row: &[i32]) -> Result<Vec<bool>, RunError> {
        self.target.load(row);
        self.find_stopped(&[])?;
        Ok(self.stopped.clone())
    }

    /// A zone with all valuations that nothing tells apart from its own, in one or more pieces.
    ///
    /// Two valuations count as one if each clock has the same value in both or is above its bound in both, and if both
    /// are on the same side of every difference that is compared. They have the same transitions and the same delays,
    /// and lead to valuations that count as one again, so everything that maximal runs may do is the same from both.
    /// Extra⁺_M adds no other valuations: it is within aLU of equal bounds (Behrmann, Bouyer, Larsen, Pelánek, 2006), and
    /// with equal bounds that simulation is this equivalence.
    pub fn blurred(&mut self, row: &[i32], zone: &[i32]) -> Vec<Vec<i32>> {
        let mut zone = zone.to_vec();
        if self.abstraction == Abstraction::None {
            return vec![zone];
        }
        self.bounds.of(locations(self.system, row), &mut self.lower, &mut self.upper);
        let most: Vec<i32> = self.lower.iter().zip(&self.upper).map(|(l, u)| *l.max(u)).collect();
        if !self.bounds.diagonals.is_empty() {
            return split_diagonals(&zone, self.dim, &self.bounds.diagonals, &most);
        }
        zone::extra_m_plus(&mut zone, self.dim, &most);
        vec![zone]
    }
}
