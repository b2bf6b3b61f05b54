//! Single steps of the zone graph: transitions without the delay that follows them, and the
//! conditions on delays.
//!
//! Successors in the zone graph are closed under delay, which suffices for reachability. For runs
//! that satisfy a formula at every moment, transitions and delays are separate steps.

use model::system::EdgeId;
use zone::Bound;

use super::{
    GuardedTransition, RunError, TimeProgress, ZoneGraph, change,
    enabled::{TransitionVisitor, VisitEnd},
};
use crate::batch::{Batch, ReachedZone};

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns the initial valuation, before any delay; `None` if it violates an invariant.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn start(&mut self) -> Result<Option<Vec<B>>, RunError> {
        self.target.load(&self.system.initial);
        let mut zone = self.zero();
        let fits = self.conditions(&[])?.is_some() && self.limit(&mut zone);
        Ok(fits.then_some(zone))
    }

    /// Adds the successors by transitions, before any delay and without abstraction. Returns
    /// whether one of them is enabled in all of the zone.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn transitions(&mut self, row: &[i32], zone: &[B], out: &mut Batch<B>) -> Result<bool, RunError> {
        let possible = self.possible(row, zone)?;
        self.enter(row, zone, possible, out)
    }

    /// Adds the successors by one transition only. Run-time errors of others are not evaluated.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn transitions_by(
        &mut self,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        let possible = self.possible_by(row, zone, edges)?;
        self.enter(row, zone, possible, out).map(|_| ())
    }

    /// Adds the targets of transitions, each from a part of the zone.
    fn enter(
        &mut self,
        row: &[i32],
        zone: &[B],
        possible: Vec<GuardedTransition<B>>,
        out: &mut Batch<B>,
    ) -> Result<bool, RunError> {
        let (mut always, mut whole) = (false, Vec::new());
        for (edges, mut part) in possible {
            let everywhere = part == zone;
            self.take(row, &edges)?;
            change(&self.target.changes, &mut part, self.dim);
            whole.clone_from(&part);
            if self.conditions(&edges)?.is_some() && self.limit(&mut part) {
                out.push(self.target.row(), ReachedZone::Fresh(&part), &edges, None);
                always |= everywhere && whole == part;
            }
        }
        Ok(always)
    }

    /// Returns the parts of a zone from which one transition leads into `after`, regardless of
    /// receivers and priorities.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn leading_into(
        &mut self,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        after: &[B],
    ) -> Result<Vec<Vec<B>>, RunError> {
        let mut parts = Vec::new();
        for (_, part) in self.possible_by(row, zone, edges)? {
            parts.extend(self.part_before(row, edges, &part, after.to_vec())?);
        }
        Ok(parts)
    }

    /// Returns the part of a zone where the clock constraints of some edges' guards hold; `None`:
    /// it is empty.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn guarded(&mut self, row: &[i32], edges: &[EdgeId], zone: &[B]) -> Result<Option<Vec<B>>, RunError> {
        self.source.load(row);
        self.cut(edges, zone)
    }

    /// Returns the transitions with the parts of the zone in which they are enabled.
    fn possible(&mut self, row: &[i32], zone: &[B]) -> Result<Vec<GuardedTransition<B>>, RunError> {
        if self.system.has_priorities {
            return Ok(self.allowed_by_priority(row, zone, None)?.into_iter().map(GuardedTransition::from).collect());
        }
        let mut all = TransitionCollector(Vec::new());
        self.for_each_enabled(row, zone, &mut all)?;
        Ok(all.0)
    }

    /// Returns the valuations that satisfy the invariants of a row; `None`: there are none.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn invariant(&mut self, row: &[i32]) -> Result<Option<Vec<B>>, RunError> {
        self.target.load(row);
        let mut zone = vec![B::LE_ZERO; self.dim * self.dim];
        zone::universe(&mut zone, self.dim);
        let fits = self.conditions(&[])?.is_some() && self.limit(&mut zone);
        Ok(fits.then_some(zone))
    }

    /// Returns the zones in which synchronisations over urgent channels forbid delays in a row;
    /// `None`: no delay is possible anyway.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn urgent_parts(&mut self, row: &[i32]) -> Result<Option<Vec<Vec<B>>>, RunError> {
        self.target.load(row);
        if self.context(&[])? == Some(TimeProgress::Stands) {
            return Ok(None);
        }
        Ok(Some(if self.has_urgent_channels { self.blockers(&[])? } else { Vec::new() }))
    }

    /// Returns the stopped clocks of a row.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn stopped_clocks(&mut self, row: &[i32]) -> Result<Vec<bool>, RunError> {
        self.target.load(row);
        self.find_stopped(&[])?;
        Ok(self.stopped.clone())
    }

    /// Abstracts a zone of a row. It may have to be split.
    ///
    /// With equal lower and upper bounds, the added valuations are equivalent to others in the
    /// zone: each clock has the same value in both or is above its bound in both, and both are on
    /// the same side of every compared difference. They have the same transitions and delays, which
    /// lead to equivalent valuations again, so the same maximal runs start in both. Extra⁺_M adds
    /// no other valuations: it is within aLU of equal bounds (Behrmann, Bouyer, Larsen, Pelánek,
    /// 2006), and with equal bounds that simulation is this equivalence. With different bounds,
    /// others simulate the added valuations, which have the same infinite runs then, but may be
    /// deadlocks.
    pub(crate) fn abstracted(&mut self, row: &[i32], zone: &[B]) -> Vec<Vec<B>> {
        self.bounds.of(row, &mut self.lower, &mut self.upper);
        self.merge_bounds();
        let mut zone = zone.to_vec();
        self.extrapolate(&mut zone, (&self.lower, &self.upper)).unwrap_or_else(|| vec![zone])
    }
}

/// Collects transitions with the parts of the zone in which their guards hold.
pub(super) struct TransitionCollector<B>(pub Vec<GuardedTransition<B>>);

impl<B: Bound> TransitionVisitor<B> for TransitionCollector<B> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        _: bool,
    ) -> Result<(), VisitEnd> {
        self.0.extend(graph.cut(edges, zone)?.map(|part| (edges.to_vec(), part)));
        Ok(())
    }
}
