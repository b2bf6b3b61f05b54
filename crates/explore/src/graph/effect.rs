//! The effects of transitions on zones, each stored once.
//!
//! The *effect* of a transition depends on the guards of its edges, on its clock resets, and on the
//! invariants, clock bounds and urgency of its target; on nothing else of the rows. So many
//! transitions share an effect. It is looked up by a key in which a signature represents the
//! locations, and holds all that is needed to compute zones.

use hashbrown::HashTable;
use model::{machine::ClockChange, system::EdgeId};
use rustc_hash::FxHasher;
use std::{hash::Hasher, ops::Range};
use zone::Bound;

use super::{
    RunError, TimeProgress, ZoneGraph,
    memo::MemoLookup,
    prepared::{DifferenceBound, evaluate_others},
};
use crate::{
    batch::{ReachedZone, Ticket},
    pages::table_bytes,
    zones::{ZoneId, Zones},
};

/// The greatest number of cached effects, and the same where memory is scarce. Then the cache is
/// cleared.
const MAX_EFFECTS: [usize; 2] = [1 << 14, 1 << 10];

/// The effect of a transition, if it is uniform in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EffectLookup {
    /// The index of the effect, valid until the cache is cleared.
    Effect(u32),
    /// The delay depends on the valuation.
    Uneven,
}

#[derive(Clone)]
struct ZoneEffect {
    key: Range<usize>,
    guards: Range<usize>,
    changes: Range<usize>,
    limits: Range<usize>,
    passes: bool,
}

/// The effects of transitions.
pub(super) struct Effects<B> {
    table: HashTable<u32>,
    max: usize,
    all: Vec<ZoneEffect>,
    // The lists that effects have ranges of.
    keys: Vec<u64>,
    limits: Vec<DifferenceBound<B>>,
    changes: Vec<ClockChange>,
    /// The lower and upper clock bounds of each effect.
    bounds: Vec<B>,
    /// The number of times that the cache was cleared.
    pub(crate) generation: u32,
    /// The key of the effect that is looked up, and the bounds of its guards that depend on
    /// variables.
    key: Vec<u64>,
    dynamic: Vec<DifferenceBound<B>>,
}

impl<B> Default for Effects<B> {
    fn default() -> Self {
        Effects {
            table: HashTable::new(),
            max: MAX_EFFECTS[0],
            all: Vec::new(),
            keys: Vec::new(),
            limits: Vec::new(),
            changes: Vec::new(),
            bounds: Vec::new(),
            generation: 0,
            key: Vec::new(),
            dynamic: Vec::new(),
        }
    }
}

impl<B: Bound> Effects<B> {
    /// Creates a small cache that takes the place of another.
    pub(super) fn frugal(generation: u32) -> Effects<B> {
        Effects { max: MAX_EFFECTS[1], generation, ..Effects::default() }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        table_bytes(&self.table)
            + self.all.capacity() * size_of::<ZoneEffect>()
            + self.keys.capacity() * 8
            + self.limits.capacity() * size_of::<DifferenceBound<B>>()
            + self.changes.capacity() * size_of::<ClockChange>()
            + self.bounds.capacity() * size_of::<B>()
    }

    fn clear(&mut self) {
        self.table.clear();
        self.all.clear();
        self.keys.clear();
        self.limits.clear();
        self.changes.clear();
        self.bounds.clear();
        self.generation += 1;
    }

    fn find(&self, hash_value: u64) -> Option<u32> {
        self.table.find(hash_value, |i| self.keys[self.all[*i as usize].key.clone()] == self.key).copied()
    }

    /// Returns whether a zone satisfies each bound of the guards, not necessarily all of them at
    /// once.
    #[inline]
    pub(super) fn may_pass(&self, effect: u32, zone: &[B], dim: usize) -> bool {
        self.limits[self.all[effect as usize].guards.clone()].iter().all(|l| l.is_met(zone, dim))
    }

    /// Returns the lower and upper clock bounds of the target.
    fn bounds(&self, effect: u32, dim: usize) -> (&[B], &[B]) {
        self.bounds[effect as usize * 2 * dim..][..2 * dim].split_at(dim)
    }

    /// Applies the transition and its delay to a zone. Returns `false` if it becomes empty.
    fn apply(&self, effect: u32, zone: &mut [B], dim: usize) -> bool {
        let effect = &self.all[effect as usize];
        if !self.limits[effect.guards.clone()].iter().all(|l| l.constrain(zone, dim)) {
            return false;
        }
        change(&self.changes[effect.changes.clone()], zone, dim);
        let limits = &self.limits[effect.limits.clone()];
        if !limits.iter().all(|l| l.constrain(zone, dim)) {
            return false;
        }
        if effect.passes {
            zone::delay(zone, dim);
            limits.iter().all(|l| l.constrain(zone, dim));
        }
        true
    }
}

/// Applies clock changes in order.
pub(super) fn change<B: Bound>(changes: &[ClockChange], zone: &mut [B], dim: usize) {
    for change in changes {
        match *change {
            ClockChange::Set { clock, value } => zone::reset(zone, dim, clock as usize, B::from(value)),
            ClockChange::Copy { clock, from, plus } => {
                zone::copy(zone, dim, clock as usize, from as usize, B::from(plus))
            }
        }
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns the effect of a transition whose updates the target machine has run; `None`: the
    /// condition of an invariant does not hold.
    pub(super) fn effect(&mut self, edges: &[EdgeId]) -> Result<Option<EffectLookup>, RunError> {
        let Some(time) = self.context(edges)? else { return Ok(None) };
        if time == TimeProgress::Depends {
            return Ok(Some(EffectLookup::Uneven));
        }
        self.effects.dynamic.clear();
        for e in edges.iter().filter(|e| self.prepared.edges[e.0 as usize].limits.is_dynamic()) {
            let guard = &self.system.edges[e.0 as usize].guard;
            evaluate_others(guard, &mut self.source, &mut self.effects.dynamic).map_err(RunError::at(&[*e]))?;
        }
        self.write_key(edges, time);
        let hash_value = hash(&self.effects.key);
        if let Some(found) = self.effects.find(hash_value) {
            return Ok(Some(EffectLookup::Effect(found)));
        }
        Ok(Some(EffectLookup::Effect(self.add_effect(edges, time, hash_value))))
    }

    fn write_key(&mut self, edges: &[EdgeId], time: TimeProgress) {
        let Effects { key, dynamic, .. } = &mut self.effects;
        let changes = &self.target.changes;
        let guards = edges.len().div_ceil(2);
        key.clear();
        key.resize(1 + guards + changes.len() + self.signatures.words, 0);
        let (lengths, rest) = key.split_at_mut(1);
        let (guard_words, rest) = rest.split_at_mut(guards);
        let (change_words, signature) = rest.split_at_mut(changes.len());
        let count = |n: usize, shift: u32| (n as u64) << shift;
        lengths[0] = count(edges.len(), 48)
            | count(changes.len(), 32)
            | count(dynamic.len(), 16)
            | count(self.limits.len(), 1)
            | u64::from(time == TimeProgress::Passes);
        for (i, e) in edges.iter().enumerate() {
            let guard = u64::from(self.prepared.edges[e.0 as usize].limits.number());
            guard_words[i / 2] = guard_words[i / 2] << 32 | guard;
        }
        let mut copies = false;
        for (i, change) in changes.iter().enumerate() {
            change_words[i] = match *change {
                ClockChange::Set { clock, value } => u64::from(clock) << 32 | u64::from(value as u32),
                // The offsets come at the end.
                ClockChange::Copy { clock, from, .. } => {
                    copies = true;
                    1 << 63 | u64::from(clock) << 32 | u64::from(from)
                }
            };
        }
        let row = self.target.row();
        for p in &self.signatures.processes {
            let location = p.first as usize + row[p.process as usize] as usize;
            signature[p.word as usize] |= self.signatures.of[location];
        }
        for limits in [&*dynamic, &self.limits] {
            for limit in limits {
                key.push(u64::from(limit.left) << 32 | u64::from(limit.right));
                key.push(limit.bound.into() as u64);
            }
        }
        if copies {
            key.extend(changes.iter().filter_map(|change| match *change {
                ClockChange::Set { .. } => None,
                ClockChange::Copy { plus, .. } => Some(plus as u64),
            }));
        }
    }

    fn add_effect(&mut self, edges: &[EdgeId], time: TimeProgress, hash_value: u64) -> u32 {
        if self.effects.all.len() == self.effects.max {
            self.effects.clear();
            self.memo.clear();
            self.moves.clear();
        }
        self.find_bounds();
        let effects = &mut self.effects;
        let start = effects.limits.len();
        for e in edges {
            effects.limits.extend_from_slice(self.prepared.constant(self.prepared.edges[e.0 as usize].limits));
        }
        effects.limits.extend_from_slice(&effects.dynamic);
        let guards = start..effects.limits.len();
        let row = self.target.row();
        for p in &self.limited {
            let location = &self.prepared.locations[p.first as usize + row[p.process as usize] as usize];
            effects.limits.extend_from_slice(self.prepared.constant(location.limits));
        }
        effects.limits.extend_from_slice(&self.limits);
        let limits = guards.end..effects.limits.len();
        let changes = effects.changes.len()..effects.changes.len() + self.target.changes.len();
        effects.changes.extend_from_slice(&self.target.changes);
        effects.bounds.extend_from_slice(&self.lower);
        effects.bounds.extend_from_slice(&self.upper);
        let key = effects.keys.len()..effects.keys.len() + effects.key.len();
        effects.keys.extend_from_slice(&effects.key);
        let new = effects.all.len() as u32;
        effects.all.push(ZoneEffect { key, guards, changes, limits, passes: time == TimeProgress::Passes });
        let (all, keys) = (&effects.all, &effects.keys);
        effects.table.insert_unique(hash_value, new, |i| hash(&keys[all[*i as usize].key.clone()]));
        new
    }

    /// Calls `push` for the zones, mostly one, that an effect makes of a zone. Results for zones
    /// with ids are cached.
    #[inline]
    pub(super) fn pass(
        &mut self,
        effect: u32,
        zone: &[B],
        known: Option<(ZoneId, &Zones<B>)>,
        mut push: impl FnMut(&Self, ReachedZone<'_, B>, Option<Ticket>),
    ) {
        let mut ticket = None;
        if let Some((id, zones)) = known {
            match self.memo.look_up(id, effect, zones) {
                MemoLookup::Nothing => return,
                MemoLookup::Zone(target) => return push(self, ReachedZone::Known(target), None),
                MemoLookup::Unknown(found) => ticket = found,
            }
        }
        let mut part = std::mem::take(&mut self.zone);
        part.copy_from_slice(zone);
        if self.effects.apply(effect, &mut part, self.dim) {
            match self.extrapolate(&mut part, self.effects.bounds(effect, self.dim)) {
                None => push(self, ReachedZone::Fresh(&part), ticket),
                Some(pieces) => pieces.iter().for_each(|piece| push(self, ReachedZone::Fresh(piece), None)),
            }
        } else {
            ticket.into_iter().for_each(|t| self.memo.nothing(t));
        }
        self.zone = part;
    }
}
