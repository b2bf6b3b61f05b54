//! The one search loop. Orders, stores and goals are values given to it.

use std::sync::atomic::{AtomicBool, Ordering};
use zone::Bound;

use model::system::EdgeId;

use crate::{
    batch::{Batch, Reached},
    chain::{Chains, Kept},
    graph::{BATCH, RunError, ZoneGraph},
    heuristic::Failures,
    merging::{Disorder, Judgement, Merging},
    open::{Arrival, OpenList},
    store::{Insert, NodeId, Origin, Store, Stored},
    symmetry::Reduction,
    tally::Phase,
    zones::ZoneId,
};

/// When to give up.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Asked now and then: whether the time is over.
    pub expired: Option<&'a dyn Fn() -> bool>,
    /// Not with more bytes of stored states.
    pub bytes: Option<usize>,
    /// Not with more stored states.
    pub states: Option<usize>,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
}

pub use model::Stop;

/// What a search counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Taken from the open list and expanded.
    pub explored: usize,
    /// Successors computed, duplicates included, the initial state not.
    pub generated: usize,
    /// Ever put into the store.
    pub added: usize,
    /// In the store at the end.
    pub stored: usize,
    /// The store's size at the end.
    pub bytes: usize,
}

impl Counts {
    /// What two searches counted, the stores of both together.
    #[must_use]
    pub fn and(&self, other: &Counts) -> Counts {
        Counts {
            explored: self.explored + other.explored,
            generated: self.generated + other.generated,
            added: self.added + other.added,
            stored: self.stored + other.stored,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A state of the goal was found: the successors to take, one after the other, the first among
    /// the initial states.
    Found(Vec<u32>),
    /// There is none.
    Exhausted,
    /// It gave up.
    Stopped(Stop),
    /// The model has a run-time error: the successors to take, then the edges that fail.
    Error(Vec<u32>, RunError),
    /// A lattice does what it must not.
    Disorder(Disorder),
    /// There are too many elements below those of a state for which guards have to be tried: they
    /// have to be told apart.
    Apart,
}

/// Something that wants to know how far a search is.
pub trait Observer {
    /// Called now and then, and before a state of the goal is handed out, with what the innermost
    /// search has counted.
    fn progress(&mut self, counts: &Counts, waiting: usize);

    /// Searches that begin from now on belong to this phase.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A search begins, and counts from zero. Another one may pause for it.
    fn begin(&mut self) {}

    /// The innermost search has ended, having counted this.
    fn end(&mut self, counts: &Counts) {
        let _ = counts;
    }

    /// Expressions that were to guide the search that has ended have failed.
    fn failed(&mut self, failures: &Failures) {
        let _ = failures;
    }

    /// Called when a search is about to start, and all that directs it is there.
    fn prepared(&mut self) {}

    /// Whether [`Observer::arrived`] is to be called.
    fn follows(&self) -> bool {
        false
    }

    /// Called for every transition that is taken.
    fn arrived(&mut self, step: &Taken<'_>) {
        let _ = step;
    }
}

/// A transition that was taken, and what became of the state behind it.
pub struct Taken<'s> {
    /// The state that it leaves; `None`: what is behind it is initial.
    pub from: Option<NodeId>,
    /// Its edges.
    pub edges: &'s [EdgeId],
    /// The row behind it.
    pub row: &'s [i32],
    /// The zone behind it.
    pub zone: &'s [i64],
    /// The state is in a stored one, or new and maybe joined with others.
    pub inserted: Insert,
    /// All states, the new one among them.
    pub store: &'s dyn Stored,
}

impl Observer for () {
    fn progress(&mut self, _: &Counts, _: usize) {}
}

/// The part of a zone that is in a goal, if there is one.
pub type Part<B = i32> = Result<Option<Vec<B>>, RunError>;

/// Says of a row and zone which part of the zone, if any, ends the search.
pub type Goal<'g, B = i32> = dyn FnMut(&mut ZoneGraph<'_, B>, &[i32], &[B]) -> Part<B> + 'g;

/// Something that is done once when a search has become large.
pub struct Interlude<'s> {
    /// So many states are stored then.
    pub after: usize,
    /// Returns whether the search is to be given up.
    pub play: &'s mut dyn FnMut(&mut dyn Observer) -> bool,
}

/// The state that a transition leaves, and its zone while that has a number.
type Before = (Option<NodeId>, Option<ZoneId>);

/// What a search works with, kept from one state to the next for its room.
struct Desk<B> {
    batch: Batch<B>,
    kept: Kept<B>,
    row: Vec<i32>,
    zone: Vec<B>,
    /// Totals are looked at when so many states were added.
    next_look: usize,
    /// How often transitions were taken again.
    again: usize,
}

/// A search that is ready to start.
pub struct Search<'s, 'a, B = i32> {
    /// What is searched.
    pub graph: &'s mut ZoneGraph<'a, B>,
    /// What is searched for.
    pub goal: &'s mut Goal<'s, B>,
    /// What was seen.
    pub store: &'s mut Store<B>,
    /// What comes next.
    pub open: &'s mut dyn OpenList<B>,
    /// What passes states that need not be stored; `None`: all are stored.
    pub chains: Option<&'s mut Chains<B>>,
    /// What decides how states that differ in elements of lattices and zones cover each other and
    /// are joined; `None`: states cover others with the same discrete part.
    pub merging: Option<&'s mut Merging<'a, B>>,
    /// What finds representatives of states that differ in the names of scalars; `None`: states
    /// stand for themselves.
    pub symmetry: Option<&'s mut Reduction<B>>,
    /// Whether the store covers by aLU.
    pub alu: bool,
    /// When to give up.
    pub limits: &'s Limits<'s>,
    /// What is tried in between, if it takes long.
    pub interlude: Option<Interlude<'s>>,
    /// Who is told how far it is.
    pub observer: &'s mut dyn Observer,
}

impl<B: Bound> Search<'_, '_, B> {
    /// Runs it to its end.
    pub fn run(mut self) -> (Outcome, Counts) {
        let mut counts = Counts::default();
        self.graph.forget_numbers();
        self.graph.set_room(self.limits.bytes);
        self.observer.begin();
        let outcome = match self.explore(&mut counts) {
            Outcome::Error(path, error) => error.stop().map_or(Outcome::Error(path, error), Outcome::Stopped),
            // Whoever was told to stop may have left something out.
            Outcome::Exhausted => {
                self.graph.ask().err().and_then(|e| e.stop()).map_or(Outcome::Exhausted, Outcome::Stopped)
            }
            outcome => outcome,
        };
        count(self.store, self.graph, self.open, 0, &mut counts);
        self.observer.end(&counts);
        let mut failures = self.open.failures();
        failures.join(&self.merging.as_deref().map_or(Failures::default(), Merging::failures));
        if !failures.is_empty() {
            self.observer.failed(&failures);
        }
        (outcome, counts)
    }

    fn explore(&mut self, counts: &mut Counts) -> Outcome {
        let mut desk = Desk {
            batch: self.graph.batch(),
            kept: Kept::new(self.graph),
            row: Vec::new(),
            zone: Vec::new(),
            next_look: 1 << 14,
            again: 0,
        };
        if let Err(error) = self.graph.initial(&mut desk.batch) {
            return Outcome::Error(Vec::new(), error);
        }
        if let Some(end) = self.add(&desk.batch, (None, None), 0, None, counts) {
            return end;
        }
        loop {
            if let Some(node) = self.open.decided() {
                return Outcome::Found(path(self.store, node));
            }
            // What was taken back comes first, so that states are there again where others may be
            // covered by them.
            while let Some((from, ordinals)) = self.merging.as_deref_mut().and_then(Merging::next_again) {
                if let Some(end) = self.take_again(from, &ordinals, &mut desk.batch, counts) {
                    return end;
                }
                // What is taken again may lead to the goal by another join, which is taken back,
                // and so on: nothing is explored.
                desk.again += 1;
                if desk.again & 0xFF == 0
                    && let Some(stop) = self.look(counts, desk.batch.bytes(), &mut desk.next_look)
                {
                    return Outcome::Stopped(stop);
                }
            }
            let Some(node) = self.open.pop() else { return Outcome::Exhausted };
            if self.store.is_gone(node) || self.merging.as_deref_mut().is_some_and(|merging| !merging.expand(node)) {
                continue;
            }
            if let Some(stop) = self.past(counts, &mut desk) {
                return Outcome::Stopped(stop);
            }
            counts.explored += 1;
            if let Some(end) = self.expand(node, &mut desk, counts) {
                return end;
            }
        }
    }

    /// Stores what is new behind a state. Successors come in batches, since there may be very many.
    fn expand(&mut self, node: NodeId, desk: &mut Desk<B>, counts: &mut Counts) -> Option<Outcome> {
        let Desk { batch, kept, row, zone, next_look, .. } = desk;
        let id = self.store.zone(node);
        self.store.zones().read(id, zone);
        kept.visited = 0;
        let (mut from, mut first, mut end) = (Some(0), 0, None);
        while let (Some(at), None) = (from, &end) {
            (from, end) = match self.some_successors(node, (at, id), row, zone, batch) {
                Err(outcome) => (None, Some(outcome)),
                Ok(next) => {
                    let before = (Some(node), (at == 0).then_some(id));
                    (next, self.add_passed(before, first, batch, kept, counts))
                }
            };
            first += batch.len() as u32;
            if from.is_some() && end.is_none() {
                end = self.look(counts, batch.bytes(), next_look).map(Outcome::Stopped);
            }
        }
        end
    }

    /// Some successors of a state, from the transition with a number on; returns that of the
    /// transition that comes next.
    fn some_successors(
        &mut self,
        node: NodeId,
        (from, id): (usize, ZoneId),
        row: &mut Vec<i32>,
        zone: &[B],
        batch: &mut Batch<B>,
    ) -> Result<Option<usize>, Outcome> {
        batch.clear();
        let fails = |store: &Store<B>, error| Outcome::Error(path(store, node), error);
        if from > 0 {
            // The zone may have lost its number meanwhile. Transitions that were taken are skipped,
            // so batches grow with the store.
            let most = BATCH.max(self.store.bytes() / 32);
            return self.graph.successors_from(from, row, zone, most, batch).map_err(|error| fails(self.store, error));
        }
        let discrete = self.store.discrete(node);
        let mut next = None;
        if !self.graph.successors_listed(discrete, zone, (id, self.store.zones()), batch) {
            self.store.read_row(discrete, row);
            // What is joined may be split, and taken back by the numbers of all successors.
            let at_once = self.merging.is_some();
            let made = self.graph.successors_of(discrete, row, zone, (id, self.store.zones()), at_once, batch);
            next = made.map_err(|error| fails(self.store, error))?;
        }
        if let Some(merging) = self.merging.as_deref_mut().filter(|merging| merging.is_wide(node)) {
            self.store.read_row(discrete, row);
            merging.split(node, self.graph, row, zone, batch).map_err(|error| fails(self.store, error))?;
            if merging.gives_up() {
                return Err(Outcome::Apart);
            }
        }
        Ok(next)
    }

    /// Stores what is new in a batch of successors, the first of which has this number, but for
    /// states that are passed.
    fn add_passed(
        &mut self,
        before: Before,
        first: u32,
        batch: &Batch<B>,
        kept: &mut Kept<B>,
        counts: &mut Counts,
    ) -> Option<Outcome> {
        let Some(chains) = self.chains.as_deref_mut() else {
            counts.generated += batch.len();
            return self.add(batch, before, first, None, counts);
        };
        let visited = kept.visited;
        if let Err((number, error)) = chains.pass(self.graph, self.store.zones(), batch, self.goal, kept) {
            let mut path = before.0.map_or(Vec::new(), |node| path(self.store, node));
            path.push(number);
            return Some(Outcome::Error(path, error));
        }
        counts.generated += (kept.visited - visited) as usize;
        let lists = [(batch, &kept.own), (&kept.behind, &kept.numbers)];
        lists.into_iter().find_map(|(batch, numbers)| self.add(batch, before, first, Some(numbers), counts))
    }

    /// Takes transitions of a state, or of the start, again, whose targets are gone.
    fn take_again(
        &mut self,
        from: Option<NodeId>,
        ordinals: &[u32],
        batch: &mut Batch<B>,
        counts: &mut Counts,
    ) -> Option<Outcome> {
        batch.clear();
        let mut before = (None, None);
        let made = match from {
            None => self.graph.initial(batch),
            Some(node) if self.store.is_gone(node) => return None,
            Some(node) => {
                let (mut row, mut zone) = (Vec::new(), Vec::new());
                self.store.get(node, &mut row, &mut zone);
                before = (Some(node), Some(self.store.zone(node)));
                let own = self.graph.successors(&row, &zone, batch);
                match self.merging.as_deref_mut() {
                    Some(merging) => own.and_then(|()| merging.split(node, self.graph, &row, &zone, batch)),
                    None => own,
                }
            }
        };
        if let Err(error) = made {
            return Some(Outcome::Error(from.map_or(Vec::new(), |node| path(self.store, node)), error));
        }
        counts.generated += ordinals.len();
        let mut numbers = vec![None; batch.len()];
        ordinals.iter().for_each(|i| numbers[*i as usize] = Some(*i));
        self.add(batch, before, 0, Some(&numbers), counts)
    }

    /// A state of the goal was found. Where states are joined it may be out of reach: then the join
    /// that is to blame is taken back. Otherwise the search ends with it, unless the goal becomes
    /// smaller.
    fn found(&mut self, node: NodeId) -> Result<(), Outcome> {
        let Some(merging) = self.merging.as_deref_mut().filter(|merging| merging.refines()) else {
            return Err(Outcome::Found(path(self.store, node)));
        };
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        self.store.get(node, &mut row, &mut zone);
        let blamed = loop {
            match merging.judge(self.store, node) {
                Judgement::Spurious(blamed) => break blamed,
                Judgement::Real(path) if !merging.goes_on(&path) => return Err(Outcome::Found(path)),
                Judgement::Real(path) => match (self.goal)(self.graph, &row, &zone) {
                    // The goal is smaller now, and the state may still be in it.
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        self.open_again(node);
                        return Ok(());
                    }
                    Err(error) => return Err(Outcome::Error(path, error)),
                },
            }
        };
        for node in merging.cut(self.store, blamed) {
            self.open_again(node);
        }
        Ok(())
    }

    /// Puts a state that is stored into the open list.
    fn open_again(&mut self, node: NodeId) {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        self.store.get(node, &mut row, &mut zone);
        self.open.push(&Arrival {
            node,
            parent: self.store.parent(node).0,
            zone_before: None,
            row: &row,
            zone: &zone,
            edges: &[],
            discrete: self.store.discrete(node),
            store: &*self.store,
        });
    }

    /// Stores what a batch has that is new, behind a state and its zone; returns if it holds a
    /// state of the goal. `numbers`: those of the states, if they do not count from `first`; `None`
    /// for states that are passed.
    fn add(
        &mut self,
        batch: &Batch<B>,
        (parent, zone_before): Before,
        first: u32,
        numbers: Option<&Vec<Option<u32>>>,
        counts: &mut Counts,
    ) -> Option<Outcome> {
        let (mut zone, mut joined) = (Vec::new(), Vec::new());
        let mut end = None;
        let (plain, follows) = (self.symmetry.is_none(), self.observer.follows());
        for i in 0..batch.len() {
            // States of one row are compared with each other, so that large batches take long.
            if i % 256 == 255
                && let Err(error) = self.graph.ask()
            {
                end = Some(Outcome::Error(Vec::new(), error));
                break;
            }
            let Some(ordinal) = numbers.map_or(Some(first + i as u32), |numbers| numbers[i]) else { continue };
            let (mut row, mut reached) = (batch.row(i), batch.reached(i));
            let mut discrete = batch.discrete(i);
            let mut renamed = false;
            if let Some(reduction) = self.symmetry.as_deref_mut() {
                let bounds = match reached {
                    Reached::Fresh(bounds) => bounds,
                    Reached::Known(id) => {
                        self.store.zones().read(id, &mut zone);
                        &zone
                    }
                };
                renamed = reduction.represent(row, bounds);
                if renamed {
                    let (new_row, new_zone) = reduction.representative();
                    (row, reached) = (new_row, Reached::Fresh(new_zone));
                }
                // Which representative a row has depends on the zone, too.
                discrete = None;
            }
            let alu = self.alu.then(|| self.graph.bounds(row));
            let origin = Origin { parent, ordinal };
            let inserted = if let Some(merging) = self.merging.as_deref_mut() {
                let (inserted, reached) = self.store.merge(row, reached, alu, origin, merging);
                self.graph.remember_zone(batch, i, (reached, self.store.zones()));
                if let Some(disorder) = merging.disorder() {
                    end = Some(Outcome::Disorder(disorder.clone()));
                    break;
                }
                inserted
            } else {
                let discrete = discrete.unwrap_or_else(|| self.store.intern(row));
                let (inserted, reached) = self.store.insert(discrete, reached, alu, origin);
                if plain {
                    self.graph.remember(batch, i, discrete, (reached, self.store.zones()));
                } else if !renamed {
                    // What lies behind a transition is remembered by its own zone.
                    self.graph.remember_zone(batch, i, (reached, self.store.zones()));
                }
                inserted
            };
            if follows {
                tell(self.store, self.observer, (batch, i), parent, inserted);
            }
            let Insert::New(node) = inserted else { continue };
            if self.merging.is_some() {
                self.store.row(node, &mut joined);
                row = &joined;
            }
            self.store.zones().read(self.store.zone(node), &mut zone);
            let (edges, discrete) = (batch.edges(i), self.store.discrete(node));
            let arrival = Arrival { node, parent, zone_before, row, zone: &zone, edges, discrete, store: &*self.store };
            match (self.goal)(self.graph, row, &zone) {
                Ok(None) => self.open.push(&arrival),
                Ok(Some(part)) => {
                    count(self.store, self.graph, self.open, 0, counts);
                    self.observer.progress(counts, self.open.len());
                    if !self.open.found(node, &part, self.store) {
                        self.open.push(&arrival);
                        continue;
                    }
                    if let Err(outcome) = self.found(node) {
                        end = Some(outcome);
                        break;
                    }
                    // What is behind a state that is gone is not looked at any more.
                    if self.merging.as_deref().zip(parent).is_some_and(|(m, parent)| m.is_removed(parent)) {
                        break;
                    }
                }
                Err(error) => {
                    end = Some(Outcome::Error(path(self.store, node), error));
                    break;
                }
            }
        }
        self.store.sweep();
        end
    }

    fn past(&mut self, counts: &mut Counts, desk: &mut Desk<B>) -> Option<Stop> {
        let limits = self.limits;
        if limits.states.is_some_and(|most| self.store.stored() > most) {
            return Some(Stop::States);
        }
        if self.store.is_full() {
            return Some(Stop::Memory);
        }
        if let Some(Interlude { play, .. }) = self.interlude.take_if(|i| self.store.stored() > i.after) {
            count(self.store, self.graph, self.open, 0, counts);
            self.observer.progress(counts, self.open.len());
            if play(self.observer) {
                return Some(Stop::States);
            }
        }
        if let Some(stop) = self.graph.ask().err().and_then(|error| error.stop()) {
            return Some(stop);
        }
        // Clocks and totals are looked at now and then only: after some states, or when a few have
        // brought many.
        if counts.explored & 0xFF != 0 && self.store.added() < desk.next_look {
            return None;
        }
        self.look(counts, desk.batch.bytes(), &mut desk.next_look)
    }

    /// Whether there is enough time and memory, with what lists of successors take.
    fn look(&mut self, counts: &mut Counts, lists: usize, next_look: &mut usize) -> Option<Stop> {
        let limits = self.limits;
        *next_look = self.store.added() + (1 << 14);
        count(self.store, self.graph, self.open, lists, counts);
        self.observer.progress(counts, self.open.len());
        if limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stop::Interrupted);
        }
        if limits.expired.is_some_and(|is| is()) {
            return Some(Stop::Time);
        }
        if limits.bytes.is_some_and(|most| counts.bytes > most) {
            return Some(Stop::Memory);
        }
        None
    }
}

/// Counts what there is, and what lists of successors take.
fn count<B: Bound>(
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

/// Tells an observer where a transition, the state of a batch with this number, has led.
fn tell<B: Bound>(
    store: &Store<B>,
    observer: &mut dyn Observer,
    (batch, i): (&Batch<B>, usize),
    from: Option<NodeId>,
    inserted: Insert,
) {
    let mut zone = Vec::new();
    match batch.reached(i) {
        Reached::Fresh(bounds) => bounds.clone_into(&mut zone),
        Reached::Known(id) => store.zones().read(id, &mut zone),
    }
    let zone: Vec<i64> = zone.into_iter().map(Bound::widest).collect();
    observer.arrived(&Taken { from, edges: batch.edges(i), row: batch.row(i), zone: &zone, inserted, store });
}

/// The successors that lead to a node.
#[must_use]
pub fn path<B: Bound>(store: &Store<B>, node: NodeId) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        let (parent, ordinal) = store.parent(node);
        path.push(ordinal);
        at = parent;
    }
    path.reverse();
    path
}

/// A step of a symbolic trace: the edges taken, and the row and zone behind them.
pub type SymbolicStep<B = i32> = (Vec<EdgeId>, Vec<i32>, Vec<B>);

/// A symbolic trace; the first step has no edges.
pub type SymbolicTrace<B = i32> = Vec<SymbolicStep<B>>;

/// Runs a path again: for each step the edges taken, and the row and zone behind them. `None`: the
/// path leads through joined zones and can't be taken.
pub fn follow<B: Bound>(graph: &mut ZoneGraph<'_, B>, path: &[u32]) -> Option<SymbolicTrace<B>> {
    let mut trace: SymbolicTrace<B> = Vec::new();
    let mut batch = graph.batch();
    for &ordinal in path {
        let mut i = ordinal as usize;
        let mut from = Some(0);
        batch.clear();
        // Successors come in batches.
        while let Some(at) = from {
            i -= batch.len();
            batch.clear();
            from = match trace.last() {
                None => graph.initial(&mut batch).map(|()| None).ok()?,
                Some((_, row, zone)) => graph.successors_from(at, row, zone, BATCH, &mut batch).ok()?,
            };
            if i < batch.len() {
                break;
            }
        }
        if i >= batch.len() {
            return None;
        }
        trace.push((batch.edges(i).to_vec(), batch.row(i).to_vec(), batch.zone(i).to_vec()));
    }
    Some(trace)
}
