//! The effects of transitions on zones, each stored once.
//!
//! The *effect* of a transition depends on the guards of its edges and its clock resets, the
//! *action*, and on the invariants, clock bounds and urgency of its *target*; on nothing else of
//! the rows. So many transitions share them. Each is looked up by a key, in which a signature
//! represents the locations, and holds all that is needed to compute zones.

use model::{machine::ClockChange, system::EdgeId};
use std::ops::Range;
use zone::Bound;

use super::{
    RunError, TimeProgress, ZoneGraph,
    keys::KeySet,
    memo::MemoLookup,
    prepared::{DifferenceBound, evaluate_others},
    steps::EffectParts,
};
use crate::{
    batch::{ReachedZone, Ticket},
    zones::{ZoneId, Zones},
};

/// The greatest number of cached actions or targets, and the same where memory is scarce. Then the
/// cache is cleared.
const MAX_EFFECTS: [usize; 2] = [1 << 14, 1 << 10];
/// The numbers of recent actions and targets that are found without their keys.
const RECENT: [usize; 2] = [1 << 7, 1 << 9];

/// The effect of a transition, valid until the cache is cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EffectId {
    pub action: u32,
    pub target: u32,
}

/// The effect of a transition, if it is uniform in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EffectLookup {
    Effect(EffectId),
    /// The delay depends on the valuation.
    Uneven,
}

impl EffectLookup {
    /// Returns the id of an effect that is uniform.
    pub(super) fn id(self) -> Option<EffectId> {
        match self {
            EffectLookup::Effect(id) => Some(id),
            EffectLookup::Uneven => None,
        }
    }
}

/// What the edges of a transition do to a zone.
struct ZoneAction {
    guards: Range<usize>,
    changes: Range<usize>,
}

/// What the target of a transition does to a zone.
struct ZoneTarget {
    limits: Range<usize>,
    /// The limits that bound clocks from above.
    ceilings: Range<usize>,
    passes: bool,
}

/// The effects of transitions.
pub(super) struct Effects<B> {
    max: usize,
    action_keys: KeySet,
    actions: Vec<ZoneAction>,
    target_keys: KeySet,
    targets: Vec<ZoneTarget>,
    // The lists that actions and targets have ranges of.
    limits: Vec<DifferenceBound<B>>,
    ceilings: Vec<(usize, B)>,
    changes: Vec<ClockChange>,
    /// The lower and upper clock bounds of each target.
    bounds: Vec<B>,
    /// Recent actions without dynamic bounds, by edges. A slot of zeros is free.
    recent_actions: Vec<[u64; 2]>,
    /// Recent targets without dynamic bounds, by signature: four times the index, plus two if time
    /// passes, plus one. A slot of zeros is free.
    recent_targets: Vec<[u64; 2]>,
    /// The number of times that the cache was cleared.
    pub(crate) generation: u32,
    /// The key that is looked up, and the bounds of guards that depend on variables.
    key: Vec<u64>,
    dynamic: Vec<DifferenceBound<B>>,
}

impl<B> Default for Effects<B> {
    fn default() -> Self {
        Effects {
            max: MAX_EFFECTS[0],
            action_keys: KeySet::default(),
            actions: Vec::new(),
            target_keys: KeySet::default(),
            targets: Vec::new(),
            limits: Vec::new(),
            ceilings: Vec::new(),
            changes: Vec::new(),
            bounds: Vec::new(),
            recent_actions: vec![[0; 2]; RECENT[0]],
            recent_targets: vec![[0; 2]; RECENT[1]],
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
        self.action_keys.bytes()
            + self.actions.capacity() * size_of::<ZoneAction>()
            + self.target_keys.bytes()
            + self.targets.capacity() * size_of::<ZoneTarget>()
            + self.limits.capacity() * size_of::<DifferenceBound<B>>()
            + self.ceilings.capacity() * size_of::<(usize, B)>()
            + self.changes.capacity() * size_of::<ClockChange>()
            + self.bounds.capacity() * size_of::<B>()
            + (self.recent_actions.capacity() + self.recent_targets.capacity()) * size_of::<[u64; 2]>()
    }

    fn is_full(&self) -> bool {
        self.actions.len() >= self.max || self.targets.len() >= self.max
    }

    fn clear(&mut self) {
        *self = Effects { max: self.max, generation: self.generation + 1, ..Effects::default() };
    }

    /// Returns a recent action of these edges with these clock changes.
    #[inline]
    fn recent_action(&self, edges: u64, changes: &[ClockChange]) -> Option<u32> {
        let [key, action] = self.recent_actions[recent_slot(edges) % RECENT[0]];
        if key != edges {
            return None;
        }
        let own = &self.changes[self.actions[action as usize].changes.clone()];
        (own.len() == changes.len() && own.iter().zip(changes).all(|(a, b)| a == b)).then_some(action as u32)
    }

    /// Returns a recent target with this signature.
    #[inline]
    fn recent_target(&self, signature: u64, passes: bool) -> Option<u32> {
        let [key, target] = self.recent_targets[recent_slot(signature) % RECENT[1]];
        (key == signature && target & 3 == target_mark(passes)).then_some((target >> 2) as u32)
    }

    /// Returns whether a zone satisfies each bound of the guards, not necessarily all of them at
    /// once.
    #[inline]
    pub(super) fn may_pass(&self, effect: EffectId, zone: &[B], dim: usize) -> bool {
        self.limits[self.actions[effect.action as usize].guards.clone()].iter().all(|l| l.is_met(zone, dim))
    }

    /// Returns the lower and upper clock bounds of the target.
    fn bounds(&self, effect: EffectId, dim: usize) -> (&[B], &[B]) {
        self.bounds[effect.target as usize * 2 * dim..][..2 * dim].split_at(dim)
    }

    /// Returns what an effect does.
    pub(super) fn parts(&self, effect: EffectId, dim: usize) -> EffectParts<'_, B> {
        let (lower, upper) = self.bounds(effect, dim);
        let ZoneAction { guards, changes } = &self.actions[effect.action as usize];
        EffectParts {
            guards: &self.limits[guards.clone()],
            changes: &self.changes[changes.clone()],
            limits: &self.limits[self.targets[effect.target as usize].limits.clone()],
            lower,
            upper,
        }
    }

    /// Applies the transition and its delay to a zone. Returns `false` if it becomes empty.
    fn apply(&self, effect: EffectId, zone: &mut [B], dim: usize) -> bool {
        let action = &self.actions[effect.action as usize];
        if !self.limits[action.guards.clone()].iter().all(|l| l.constrain(zone, dim)) {
            return false;
        }
        change(&self.changes[action.changes.clone()], zone, dim);
        let target = &self.targets[effect.target as usize];
        if !self.limits[target.limits.clone()].iter().all(|l| l.constrain(zone, dim)) {
            return false;
        }
        if target.passes {
            zone::delay_within(zone, dim, &self.ceilings[target.ceilings.clone()]);
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

#[inline]
fn recent_slot(key: u64) -> usize {
    ((key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}

/// Returns what distinguishes targets in which time passes from others among the recent ones.
#[inline]
fn target_mark(passes: bool) -> u64 {
    u64::from(passes) << 1 | 1
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns the effect of a transition whose updates the target machine has run, and whose
    /// target has the signature in `self.signature`; `None`: the condition of an invariant does not
    /// hold.
    #[inline]
    pub(super) fn effect(&mut self, edges: &[EdgeId]) -> Result<Option<EffectLookup>, RunError> {
        let Some(time) = self.context(edges)? else { return Ok(None) };
        if time == TimeProgress::Depends {
            return Ok(Some(EffectLookup::Uneven));
        }
        let passes = time == TimeProgress::Passes;
        let edges_key = match *edges {
            [e] => Some(u64::from(e.0) << 32 | u64::from(u32::MAX)),
            [e, r] => Some(u64::from(e.0) << 32 | u64::from(r.0)),
            _ => None,
        };
        let signature = match *self.signature {
            [signature] if self.limits.is_empty() => Some(signature),
            _ => None,
        };
        let mut action = edges_key.and_then(|key| self.effects.recent_action(key, &self.target.changes));
        let mut target = signature.and_then(|signature| self.effects.recent_target(signature, passes));
        if (action.is_none() || target.is_none()) && self.effects.is_full() {
            self.effects.clear();
            self.memo.clear();
            self.moves.clear();
            (action, target) = (None, None);
        }
        let action = match action {
            Some(action) => action,
            None => self.find_action(edges, edges_key)?,
        };
        let target = target.unwrap_or_else(|| self.find_target(signature, passes));
        Ok(Some(EffectLookup::Effect(EffectId { action, target })))
    }

    /// Returns the action of a transition, and notes it among the recent ones.
    fn find_action(&mut self, edges: &[EdgeId], recent: Option<u64>) -> Result<u32, RunError> {
        let edge = |e: &EdgeId| &self.prepared.edges[e.0 as usize];
        let Effects { key, dynamic, .. } = &mut self.effects;
        dynamic.clear();
        for e in edges.iter().filter(|e| edge(e).limits.is_dynamic()) {
            let guard = &self.system.edges[e.0 as usize].guard;
            evaluate_others(guard, &mut self.source, dynamic).map_err(RunError::at(&[*e]))?;
        }
        let changes = &self.target.changes;
        key.clear();
        key.push((edges.len() as u64) << 32 | changes.len() as u64);
        key.extend(edges.iter().map(|e| u64::from(edge(e).limits.number())));
        for change in changes {
            match *change {
                ClockChange::Set { clock, value } => key.push(u64::from(clock) << 32 | u64::from(value as u32)),
                ClockChange::Copy { clock, from, plus } => {
                    key.extend([1 << 63 | u64::from(clock) << 32 | u64::from(from), plus as u64]);
                }
            }
        }
        write_limits(dynamic, key);
        let (action, is_new) = self.effects.action_keys.intern(&self.effects.key);
        let effects = &mut self.effects;
        if is_new {
            let start = effects.limits.len();
            for e in edges {
                effects.limits.extend_from_slice(self.prepared.constant(edge(e).limits));
            }
            effects.limits.extend_from_slice(&effects.dynamic);
            let guards = start..effects.limits.len();
            let start = effects.changes.len();
            effects.changes.extend_from_slice(changes);
            effects.actions.push(ZoneAction { guards, changes: start..effects.changes.len() });
        }
        if let Some(key) = recent.filter(|_| !edges.iter().any(|e| edge(e).limits.is_dynamic())) {
            effects.recent_actions[recent_slot(key) % RECENT[0]] = [key, action.into()];
        }
        Ok(action)
    }

    /// Returns what the target machine's state does to zones, and notes it among the recent ones.
    fn find_target(&mut self, recent: Option<u64>, passes: bool) -> u32 {
        let key = &mut self.effects.key;
        key.clear();
        key.push(u64::from(passes));
        key.extend(self.signature.iter());
        write_limits(&self.limits, key);
        let (target, is_new) = self.effects.target_keys.intern(&self.effects.key);
        if is_new {
            self.add_target(passes);
        }
        if let Some(signature) = recent {
            self.effects.recent_targets[recent_slot(signature) % RECENT[1]] =
                [signature, u64::from(target) << 2 | target_mark(passes)];
        }
        target
    }

    fn add_target(&mut self, passes: bool) {
        self.find_bounds();
        let effects = &mut self.effects;
        let start = effects.limits.len();
        let row = self.target.row();
        for p in &self.limited {
            let location = &self.prepared.locations[p.first as usize + row[p.process as usize] as usize];
            effects.limits.extend_from_slice(self.prepared.constant(location.limits));
        }
        effects.limits.extend_from_slice(&self.limits);
        let limits = start..effects.limits.len();
        effects.bounds.extend_from_slice(&self.lower);
        effects.bounds.extend_from_slice(&self.upper);
        let start = effects.ceilings.len();
        effects.ceilings.extend(effects.limits[limits.clone()].iter().filter_map(|limit| limit.ceiling()));
        effects.targets.push(ZoneTarget { limits, ceilings: start..effects.ceilings.len(), passes });
    }

    /// Calls `push` for the zones, mostly one, that an effect makes of a zone. Results for zones
    /// with ids are cached.
    #[inline]
    pub(super) fn pass(
        &mut self,
        effect: EffectId,
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

/// Appends the bounds of constraints that depend on variables to a key.
fn write_limits<B: Bound>(limits: &[DifferenceBound<B>], key: &mut Vec<u64>) {
    for limit in limits {
        key.push(u64::from(limit.left) << 32 | u64::from(limit.right));
        key.push(limit.bound.into() as u64);
    }
}
