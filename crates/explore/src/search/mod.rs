//! The one search loop. The transition system, the goal, the order and the store are its
//! parameters.

mod again;
mod borrowed;
mod counts;
mod frugal;
mod held;
mod limits;
mod observer;
mod saved;
mod workers;

pub use counts::Counts;
pub use limits::{Limits, Stop};
pub use observer::{Observer, Taken};
pub use workers::WorkerLoad;

pub(crate) use again::reopen;
pub(crate) use frugal::drop_caches;
pub(crate) use held::HeldZone;

use std::ops::ControlFlow::{self, Break, Continue};
use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    goal::{AfterGoal, Goal},
    graph::{RunError, ZoneGraph},
    heuristic::Failures,
    merging::{Disorder, SpuriousPath},
    open::{Arrival, OpenList},
    seen::{Incomplete, Seen, Worth},
    shard::{Packet, Parent, RemoteOrigin, Shard, WithoutWork},
    store::{Discrete, Insert, NodeId, Origin, Path, Store},
    transitions::{Cursor, SourceState, SuccessorError, Transitions},
    zones::ZoneId,
};

/// The result of a search.
#[derive(Clone, Debug)]
pub enum SearchOutcome {
    /// A goal state was found, by this path.
    Found(Path),
    /// A goal state was found that only joined states lead to.
    Spurious(Box<SpuriousPath>),
    /// No goal state is reachable.
    Exhausted,
    /// A limit was exceeded.
    Stopped(Stop),
    /// The model has a run-time error: the path to it as for `Found`, and the edges that fail.
    Error(Path, RunError),
    /// A lattice violates its laws.
    Disorder(Disorder),
    /// Too many elements below those of a state have to be tried in guards. The search has to
    /// distinguish the elements.
    TooManyElements,
}

/// A search that is ready to start or to resume.
pub(crate) struct Search<'s, 'a, B = i32> {
    /// The transition system.
    pub transitions: &'s mut dyn Transitions<'a, B>,
    /// The goal.
    pub goal: &'s mut dyn Goal<B>,
    /// The states seen so far.
    pub seen: &'s mut Seen<'a, B>,
    /// The open list.
    pub open: &'s mut dyn OpenList<B>,
    /// The limits.
    pub limits: &'s Limits<'s>,
    /// The observer of its progress.
    pub observer: &'s mut dyn Observer,
    /// What it knows of the other workers, if there are several.
    pub(crate) shard: Option<&'s mut Shard<B>>,
    /// Whether the goal wants it to pause.
    pub(crate) pauses: bool,
    /// Whether its state is to be saved.
    pub(crate) is_due: bool,
}

/// The progress of a search, with buffers that it reuses.
pub struct Progress<B = i32> {
    /// The counters.
    pub counts: Counts,
    pub(crate) is_begun: bool,
    batch: Batch<B>,
    /// The expanded state.
    row: Vec<i32>,
    source: HeldZone<B>,
    /// A buffer for another zone.
    zone: Vec<B>,
    buffer: StateBuffer<B>,
    /// The ids of a packet's zones.
    ids: Vec<ZoneId>,
    /// Limits are checked when this number of states was added.
    next_check: usize,
    /// The number of transitions that were taken again.
    again: usize,
    /// Whether it was stopped while a state was stored, so that the search can't go on.
    pub(crate) is_torn: bool,
    /// The state whose expansion is not complete.
    expanding: Option<Expansion>,
    /// The same, of the saved search that this one continues.
    restored: Option<Expansion>,
}

/// An expansion that was begun.
#[derive(Clone, Copy)]
struct Expansion {
    node: NodeId,
    /// The number of states that were expanded before it.
    explored: usize,
    /// The number of successors that were computed before it.
    generated: usize,
}

/// Buffers for a new state.
struct StateBuffer<B> {
    row: Vec<i32>,
    zone: HeldZone<B>,
    /// The state that was stored last, as long as the goal is not compared with it and it is not in
    /// the open list.
    unjudged: Option<NodeId>,
}

impl<B: Bound> Progress<B> {
    /// Creates the progress of a search that has not begun, with an empty list for successors.
    #[must_use]
    pub fn new(batch: Batch<B>) -> Progress<B> {
        Progress {
            counts: Counts::default(),
            is_begun: false,
            batch,
            row: Vec::new(),
            source: HeldZone::new(),
            zone: Vec::new(),
            buffer: StateBuffer { row: Vec::new(), zone: HeldZone::new(), unjudged: None },
            ids: Vec::new(),
            next_check: 1 << 14,
            again: 0,
            is_torn: false,
            expanding: None,
            restored: None,
        }
    }

    /// Creates the progress of a worker that continues a search with these counters.
    pub(crate) fn continued(batch: Batch<B>, counts: Counts) -> Progress<B> {
        Progress { counts, is_begun: true, ..Progress::new(batch) }
    }

    /// Returns the state whose expansion is not complete.
    pub fn interrupted_at(&self) -> Option<NodeId> {
        self.expanding.map(|expansion| expansion.node)
    }

    /// Ends a search that is not resumed. Returns the expressions that have failed.
    pub(crate) fn end(
        &mut self,
        transitions: &mut dyn Transitions<'_, B>,
        seen: &mut Seen<'_, B>,
        open: &dyn OpenList<B>,
    ) -> Failures {
        seen.store.sweep();
        count(&seen.store, transitions.graph(), open, 0, &mut self.counts);
        let mut failures = open.failures();
        failures.join(&seen.failures());
        failures
    }
}

/// Where the states of a batch come from.
#[derive(Clone, Copy)]
enum Source<'p, B> {
    /// They are initial states.
    Initial,
    /// They are successors of a state, with its zone while that has an id.
    State(NodeId, Option<ZoneId>),
    /// They are successors of a state that another worker has lent, with their common origin.
    Borrowed(u16, RemoteOrigin),
    /// Another worker has sent them.
    Packet(&'p Packet<B>),
}

impl<B: Bound> Source<'_, B> {
    /// Returns the source state and its zone, as far as they are in the same store.
    fn predecessor(self) -> (Option<NodeId>, Option<ZoneId>) {
        match self {
            Source::State(node, zone) => (Some(node), zone),
            Source::Initial | Source::Borrowed(..) | Source::Packet(_) => (None, None),
        }
    }

    /// Returns the same, if the zone may have lost its id.
    fn without_id(self) -> Self {
        match self {
            Source::State(node, _) => Source::State(node, None),
            other => other,
        }
    }

    /// Returns the path to the source state, as far as it is known here.
    fn path(self, store: &Store<B>) -> Path {
        match self {
            Source::State(node, _) => store.path(node),
            Source::Borrowed(worker, origin) => Path { after: Some(origin.parent(worker)), steps: Vec::new() },
            Source::Initial | Source::Packet(_) => Path::default(),
        }
    }

    /// Returns the origin of a state with this ordinal, and what the open list of another worker
    /// says about its parent.
    #[inline]
    fn origin(self, i: usize, ordinal: u32) -> (Origin, Option<u64>) {
        match self {
            Source::Initial => (Origin { parent: None, remote: None, ordinal }, None),
            Source::State(node, _) => (Origin { parent: Some(node), remote: None, ordinal }, None),
            Source::Borrowed(worker, origin) => (RemoteOrigin { ordinal, ..origin }.of(worker), Some(origin.stamp)),
            Source::Packet(packet) => {
                let origin = packet.origin(i);
                (origin.of(packet.from), Some(origin.stamp))
            }
        }
    }
}

impl<B: Bound> Search<'_, '_, B> {
    /// Starts the search or resumes it after a pause. Returns `None` if it pauses because of
    /// [`Limits::generated`] or [`Limits::joining`], or because the goal or another worker wants
    /// it to.
    pub fn resume(&mut self, at: &mut Progress<B>) -> Option<SearchOutcome> {
        if !at.is_begun {
            self.transitions.graph().forget_numbers();
            self.observer.begin();
        }
        self.transitions.graph().set_max_list_bytes(self.limits.bytes);
        at.source.forget();
        at.buffer.zone.forget();
        let Break(outcome) = self.explore(at) else {
            // That the state is saved changes no counter.
            if self.has_to_pause(at) {
                self.report(0, &mut at.counts);
            }
            return None;
        };
        let or_stop = |stop: Option<Stop>, outcome| stop.map_or(outcome, SearchOutcome::Stopped);
        Some(match outcome {
            SearchOutcome::Disorder(disorder) if disorder.stop().is_some() => {
                // The state was neither stored nor covered.
                at.is_torn = true;
                or_stop(disorder.stop(), SearchOutcome::Disorder(disorder))
            }
            SearchOutcome::Error(path, error) => or_stop(error.stop(), SearchOutcome::Error(path, error)),
            // A stopped computation may have left out successors.
            SearchOutcome::Exhausted => or_stop(
                self.transitions.graph().check_signal().err().and_then(|error| error.stop()),
                SearchOutcome::Exhausted,
            ),
            outcome => outcome,
        })
    }

    /// Returns the search loop. It continues until the search ends or pauses.
    fn explore(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        if !at.is_begun {
            let initial = self.transitions.initial(&mut at.batch);
            or_break(initial.map_err(|error| SearchOutcome::Error(Path::default(), error)))?;
            self.add(Source::Initial, &at.batch, &mut at.buffer, &mut at.counts)?;
            at.is_begun = true;
        }
        if let Some(node) = at.buffer.unjudged.take() {
            self.judge_restored(node, at)?;
        }
        // A saved search may have been stopped in an expansion. The successors that it has stored
        // cover themselves now, and if one covers the state, its own successors cover the others.
        at.expanding = at.restored.take();
        if let Some(Expansion { node, .. }) = at.expanding {
            self.begin_expansion(at)?;
            if !self.seen.store.is_gone(node) {
                self.expand(node, at)?;
            }
            at.expanding = None;
        }
        loop {
            if let Some(node) = self.open.best() {
                self.found(node)?;
                return Break(SearchOutcome::Found(self.seen.store.path(node)));
            }
            self.take_undone_again(at)?;
            self.receive(at)?;
            if self.pauses(at) {
                return Continue(());
            }
            self.lend(at);
            let Some(node) = self.open.pop() else {
                if !self.expand_borrowed(at)? {
                    self.rest()?;
                }
                continue;
            };
            if self.seen.expand(node) {
                let Counts { explored, generated, .. } = at.counts;
                at.expanding = Some(Expansion { node, explored, generated });
                self.begin_expansion(at)?;
                self.expand(node, at)?;
                // It is known now at which state a function of the user has failed.
                if self.transitions.graph().system().code.failures.stops() {
                    return Break(SearchOutcome::Stopped(Stop::User));
                }
                at.expanding = None;
            }
        }
    }

    /// Returns whether the search pauses.
    fn pauses(&self, at: &Progress<B>) -> bool {
        self.is_due || self.has_to_pause(at)
    }

    /// Returns whether the work is done that limits allow, or a pause is wanted.
    fn has_to_pause(&self, at: &Progress<B>) -> bool {
        self.pauses
            || self.limits.generated.is_some_and(|max| at.counts.generated > max)
            || self.limits.joining.is_some_and(|max| self.seen.joining_cost(&at.counts) > max)
            || self.shard.as_ref().is_some_and(|shard| shard.pauses())
    }

    /// Stores the states that other workers have sent.
    #[inline]
    fn receive(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        while let Some(shard) = &mut self.shard
            && let Some(packet) = shard.receive()
        {
            let Progress { counts, batch, buffer, ids, next_check, .. } = at;
            batch.clear();
            packet.unpack(&mut self.seen.store, ids, batch);
            let added = self.add(Source::Packet(&packet), batch, buffer, counts);
            if let Some(shard) = &mut self.shard {
                if added.is_break() {
                    shard.take_back(packet);
                } else {
                    shard.stored(packet);
                }
            }
            added?;
            if self.seen.store.added() >= *next_check {
                self.check_limits(counts, batch.bytes(), next_check)?;
            }
        }
        Continue(())
    }

    /// Ends the search if no state is open, or waits for other workers.
    fn rest(&mut self) -> ControlFlow<SearchOutcome> {
        let Some(shard) = &mut self.shard else { return Break(SearchOutcome::Exhausted) };
        match shard.rest(!self.open.is_empty()) {
            WithoutWork::Continue => {}
            WithoutWork::NextLevel => self.open.advance(&self.seen.store),
            WithoutWork::End => return Break(SearchOutcome::Exhausted),
        }
        Continue(())
    }

    /// Expands a state and stores its new successors. They come in batches, since there may be very
    /// many.
    fn expand(&mut self, node: NodeId, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        let store = &self.seen.store;
        let ids = (store.discrete(node), store.zone(node));
        self.expand_as(Source::State(node, Some(ids.1)), ids, at)
    }

    /// Expands a state, given the ids of its discrete part and of its zone.
    fn expand_as(
        &mut self,
        from: Source<'_, B>,
        ids: (Discrete, ZoneId),
        at: &mut Progress<B>,
    ) -> ControlFlow<SearchOutcome> {
        let Progress { counts, batch, row, source, buffer, next_check, .. } = at;
        let zone = source.whole(ids.1, self.seen.store.zones());
        let mut cursor = Cursor::START;
        loop {
            let is_first = cursor.next == Some(0);
            batch.clear();
            let at_once = self.seen.needs_all_successors();
            let source = SourceState { store: &mut self.seen.store, ids, zone, row, at_once };
            let made = self.transitions.successors(source, &mut cursor, &mut *self.goal, batch);
            or_break(made.map_err(|failure| failed(from.path(&self.seen.store), failure)))?;
            let own = batch.len();
            if let Source::State(node, _) = from {
                let split = self.seen.split(node, self.transitions.graph(), row, zone, batch);
                or_break(split.map_err(|why| incomplete(&self.seen.store, Some(node), why)))?;
            }
            counts.generated += cursor.generated + batch.len() - own;
            // The zone may lose its id later.
            self.add(if is_first { from } else { from.without_id() }, batch, buffer, counts)?;
            if cursor.next.is_none() {
                return Continue(());
            }
            self.check_limits(counts, batch.bytes(), next_check)?;
        }
    }

    /// Stores the new states of a batch.
    fn add(
        &mut self,
        source: Source<'_, B>,
        batch: &Batch<B>,
        StateBuffer { row: row_buffer, zone, unjudged }: &mut StateBuffer<B>,
        counts: &mut Counts,
    ) -> ControlFlow<SearchOutcome> {
        let follows = self.observer.follows();
        let (parent, zone_before) = source.predecessor();
        for i in 0..batch.len() {
            // States with equal rows are compared with each other, so large batches take long.
            if i % 256 == 255 {
                or_break(
                    self.transitions
                        .graph()
                        .check_signal()
                        .map_err(|error| SearchOutcome::Error(Path::default(), error)),
                )?;
            }
            let Some(ordinal) = batch.ordinal(i) else { continue };
            let graph = self.transitions.graph();
            if let Some(shard) = &mut self.shard {
                let parent = match source {
                    Source::Packet(_) => None,
                    Source::Initial => Some(Parent::None),
                    Source::State(node, _) => Some(Parent::Own(node)),
                    Source::Borrowed(_, origin) => Some(Parent::Borrowed(origin)),
                };
                if let Some(parent) = parent
                    && shard.passes_on(self.seen, graph, batch, i, (parent, ordinal), |node| self.open.stamp(node))
                {
                    continue;
                }
            }
            let (origin, stamp) = source.origin(i, ordinal);
            let inserted = self.seen.insert(graph, batch, i, origin);
            let inserted = or_break(inserted.map_err(SearchOutcome::Disorder))?;
            if follows {
                report_transition(&self.seen.store, self.observer, (batch, i), parent, inserted);
            }
            let Insert::New(node) = inserted else { continue };
            *unjudged = Some(node);
            let row = self.seen.row(node, batch.row(i), row_buffer);
            let zone = self.seen.zone(node, batch.reached(i), zone);
            let store = &self.seen.store;
            let (edges, discrete) = (batch.edges(i), store.discrete(node));
            let mut arrival =
                Arrival { node, parent, stamp, zone_before, row, zone, edges, goal: None, discrete, store };
            let part = self.goal.part(graph, row, zone);
            let part = or_break(part.map_err(|error| SearchOutcome::Error(store.path(node), error)))?;
            if let Some(part) = &part {
                count(store, graph, self.open, 0, counts);
                self.observer.progress(counts, self.open.len());
                match self.goal.found(node, store) {
                    AfterGoal::Continue => {}
                    AfterGoal::Pause => {
                        self.pauses = true;
                        self.shard.iter().for_each(|shard| shard.pause());
                    }
                    AfterGoal::Stop if self.open.seeks_best() => arrival.goal = Some(part),
                    AfterGoal::Stop => {
                        self.found(node)?;
                        *unjudged = None;
                        // The other successors of a removed state are dropped.
                        if parent.is_some_and(|parent| self.seen.is_removed(parent)) {
                            break;
                        }
                        continue;
                    }
                }
            }
            self.open.push(&arrival);
            *unjudged = None;
        }
        self.seen.store.sweep();
        Continue(())
    }

    /// Handles a goal state with which the search may end.
    fn found(&mut self, node: NodeId) -> ControlFlow<SearchOutcome> {
        match self.seen.judge(node, self.transitions.graph(), self.goal) {
            Worth::Real(path) => return Break(SearchOutcome::Found(path)),
            Worth::Spurious(path) => return Break(SearchOutcome::Spurious(path)),
            Worth::Error(path, error) => return Break(SearchOutcome::Error(path, error)),
            Worth::Waiting(nodes) => reopen(&self.seen.store, self.open, nodes.into_iter().map(|node| (node, None))),
        }
        Continue(())
    }

    /// Counts the expansion of a state, if it is allowed.
    fn begin_expansion(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        self.check_expansion(at)?;
        at.counts.explored += 1;
        Continue(())
    }

    /// Checks whether the next state may be expanded.
    fn check_expansion(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        let store = &self.seen.store;
        if self.limits.states.is_some_and(|max| store.stored() > max) {
            return Break(SearchOutcome::Stopped(Stop::States));
        }
        if store.is_full() {
            return Break(SearchOutcome::Stopped(Stop::Memory));
        }
        or_break(
            self.transitions.graph().check_signal().map_err(|error| SearchOutcome::Error(Path::default(), error)),
        )?;
        // Time and memory are checked now and then only: after some expansions, or when a few of
        // them added many states.
        let is_eager = self.limits.journal.is_some_and(|journal| journal.is_eager());
        if at.counts.explored & 0xFF != 0 && store.added() < at.next_check && !is_eager {
            return Continue(());
        }
        self.check_limits(&mut at.counts, at.batch.bytes(), &mut at.next_check)
    }

    /// Checks the limits on time and memory, with the size of the lists of successors.
    fn check_limits(
        &mut self,
        counts: &mut Counts,
        lists: usize,
        next_check: &mut usize,
    ) -> ControlFlow<SearchOutcome> {
        *next_check = self.seen.store.added() + (1 << 14);
        self.report(lists, counts);
        if self.limits.is_near(counts.bytes) && !self.transitions.graph().is_frugal() {
            drop_caches(self.transitions.graph(), self.shard.as_deref_mut(), counts);
            self.report(lists, counts);
        }
        self.is_due = self.limits.journal.is_some_and(|journal| journal.is_due());
        self.limits.reached(counts.bytes).map_or(Continue(()), |stop| Break(SearchOutcome::Stopped(stop)))
    }

    /// Reports the counters, with the size of the lists of successors.
    fn report(&mut self, lists: usize, counts: &mut Counts) {
        self.count(lists, counts);
        self.observer.progress(counts, self.open.len());
    }

    fn count(&mut self, lists: usize, counts: &mut Counts) {
        let lists = lists + self.shard.as_ref().map_or(0, |shard| shard.bytes());
        count(&self.seen.store, self.transitions.graph(), self.open, lists, counts);
    }
}

fn or_break<T>(result: Result<T, SearchOutcome>) -> ControlFlow<SearchOutcome, T> {
    match result {
        Ok(value) => Continue(value),
        Err(outcome) => Break(outcome),
    }
}

/// Returns the outcome of a run-time error after a state.
fn failed(mut path: Path, SuccessorError { via, error }: SuccessorError) -> SearchOutcome {
    path.steps.extend(via);
    SearchOutcome::Error(path, error)
}

/// Returns the outcome if the successors of a state, or the initial states, are incomplete.
fn incomplete<B: Bound>(store: &Store<B>, from: Option<NodeId>, why: Incomplete) -> SearchOutcome {
    match why {
        Incomplete::Error(error) => SearchOutcome::Error(from.map_or(Path::default(), |node| store.path(node)), error),
        Incomplete::TooManyElements => SearchOutcome::TooManyElements,
    }
}

/// Updates the counters, with the size of the lists of successors.
pub(crate) fn count<B: Bound>(
    store: &Store<B>,
    graph: &ZoneGraph<'_, B>,
    open: &dyn OpenList<B>,
    lists: usize,
    counts: &mut Counts,
) {
    counts.added = store.added();
    counts.stored = store.stored();
    counts.bytes = store.bytes() + graph.bytes() + open.bytes() + lists;
}

/// Reports the transition to a state of a batch to an observer.
fn report_transition<B: Bound>(
    store: &Store<B>,
    observer: &mut dyn Observer,
    (batch, i): (&Batch<B>, usize),
    from: Option<NodeId>,
    inserted: Insert,
) {
    let mut zone = Vec::new();
    match batch.reached(i) {
        ReachedZone::Fresh(_) => batch.zone(i).clone_into(&mut zone),
        ReachedZone::Known(id) => store.zones().read(id, &mut zone),
    }
    let zone: Vec<i64> = zone.into_iter().map(Bound::widest).collect();
    observer.arrived(&Taken { from, edges: batch.edges(i), row: batch.row(i), zone: &zone, inserted, store });
}
