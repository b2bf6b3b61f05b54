//! Delays packets, lets them overtake each other and sends them early, at random.
//!
//! Answers must not depend on when packets come. In tests, which switch the feature `disturbance`
//! on, teams that are created within [`disturbed`] have a disturbance; in other builds it does
//! nothing and takes no space.

#[cfg(feature = "disturbance")]
use std::{
    cell::RefCell,
    sync::{Mutex, PoisonError},
};

#[cfg(feature = "disturbance")]
use crate::random::SplitMix;

#[cfg(feature = "disturbance")]
thread_local! {
    /// Seeds of the teams that this thread creates.
    static SEEDS: RefCell<Option<SplitMix>> = const { RefCell::new(None) };
}

/// Disturbs the teams that `work` creates in this thread.
#[cfg(feature = "disturbance")]
pub fn disturbed<R>(seed: u64, work: impl FnOnce() -> R) -> R {
    SEEDS.set(Some(SplitMix::new(seed)));
    let result = work();
    SEEDS.set(None);
    result
}

/// What happens to the packets of a team.
pub(super) struct Disturbance {
    #[cfg(feature = "disturbance")]
    random: Option<Mutex<SplitMix>>,
}

#[cfg(feature = "disturbance")]
impl Disturbance {
    pub(super) fn new() -> Disturbance {
        let seed = SEEDS.with_borrow_mut(|seeds| seeds.as_mut().map(SplitMix::next));
        Disturbance { random: seed.map(|seed| Mutex::new(SplitMix::new(seed))) }
    }

    /// Returns a number below `count`, or `None` if nothing is disturbed.
    fn below(&self, count: usize) -> Option<usize> {
        let random = self.random.as_ref()?;
        Some(random.lock().unwrap_or_else(PoisonError::into_inner).below(count))
    }

    /// Returns whether a packet is sent although it is not full.
    pub(super) fn sends_early(&self) -> bool {
        self.below(8) == Some(0)
    }

    /// Returns whether a worker lends although it has few states.
    pub(super) fn lends_few(&self) -> bool {
        self.below(2) == Some(0)
    }

    /// Lets other threads go on, perhaps often.
    pub(super) fn delay(&self) {
        let often = match self.below(16) {
            Some(0) => 20,
            Some(1..4) => 1,
            _ => 0,
        };
        (0..often).for_each(|_| std::thread::yield_now());
    }

    /// Moves packets to `out`: all, or some of them in any order. The others come later.
    pub(super) fn take<T>(&self, packets: &mut Vec<T>, out: &mut Vec<T>) {
        let Some(count) = self.below(packets.len() + 1) else { return out.append(packets) };
        for _ in 0..count {
            let chosen = self.below(packets.len()).unwrap_or(0);
            out.push(packets.swap_remove(chosen));
        }
    }
}

#[cfg(not(feature = "disturbance"))]
impl Disturbance {
    pub(super) fn new() -> Disturbance {
        Disturbance {}
    }

    #[inline]
    pub(super) fn sends_early(&self) -> bool {
        false
    }

    #[inline]
    pub(super) fn lends_few(&self) -> bool {
        false
    }

    #[inline]
    pub(super) fn delay(&self) {}

    #[inline]
    pub(super) fn take<T>(&self, packets: &mut Vec<T>, out: &mut Vec<T>) {
        out.append(packets);
    }
}
