//! The observer of searches that take turns. Together they are one search.

use std::cell::RefCell;

use explore::{
    search::{Counts, Observer},
    tally::Phase,
};

/// One of the searches that take turns.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// The search for states in which runs start.
    States,
    /// The search in which nodes cover each other.
    Cover,
    /// The depth-first search.
    Depth,
}

/// An observer, and what each of the searches has counted.
pub(super) struct Shared<'o>(RefCell<Inner<'o>>);

struct Inner<'o> {
    observer: &'o mut dyn Observer,
    phase: Phase,
    counts: [Counts; 3],
}

impl<'o> Shared<'o> {
    /// The searches begin, in this phase.
    pub(super) fn new(observer: &'o mut dyn Observer, phase: Phase) -> Shared<'o> {
        observer.enter(phase);
        observer.begin();
        Shared(RefCell::new(Inner { observer, phase, counts: [Counts::default(); 3] }))
    }

    /// Notes what one of the searches has counted.
    pub(super) fn note(&self, turn: Turn, counts: &Counts) {
        self.0.borrow_mut().counts[turn as usize] = *counts;
    }

    /// What all searches have counted.
    pub(super) fn total(&self) -> Counts {
        let Inner { counts: [first, second, third], .. } = &*self.0.borrow();
        first.and(second).and(third)
    }

    /// Returns how many states and bytes the others have stored.
    pub(super) fn beside(&self, turn: Turn) -> (usize, usize) {
        let all = &self.0.borrow().counts;
        let others = || all.iter().enumerate().filter(|(number, _)| *number != turn as usize).map(|(_, counts)| counts);
        (others().map(|counts| counts.stored).sum(), others().map(|counts| counts.bytes).sum())
    }

    /// Returns the observer of one of the searches.
    pub(super) fn side(&self, turn: Turn) -> Side<'_, 'o> {
        Side { all: self, turn }
    }

    /// Runs another search within these. It returns what it has counted, too.
    pub(super) fn probe<R>(&self, probe: impl FnOnce(&mut dyn Observer) -> (R, Counts)) -> R {
        let Inner { observer, phase, .. } = &mut *self.0.borrow_mut();
        observer.enter(Phase::Probe);
        observer.begin();
        let (result, counts) = probe(*observer);
        observer.end(&counts);
        observer.enter(*phase);
        result
    }

    /// The searches end. Returns what all have counted.
    pub(super) fn end(&self) -> Counts {
        let total = self.total();
        self.0.borrow_mut().observer.end(&total);
        total
    }
}

/// The observer of one of the searches.
pub(super) struct Side<'b, 'o> {
    all: &'b Shared<'o>,
    turn: Turn,
}

impl Observer for Side<'_, '_> {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        self.all.note(self.turn, counts);
        let total = self.all.total();
        self.all.0.borrow_mut().observer.progress(&total, waiting);
    }
}
