//! Maximal runs that satisfy a formula at every moment, by depth-first search.
//!
//! A run is maximal if it has infinitely many transitions, if time diverges in its last state, or
//! if it ends in a deadlock.
//!
//! A *node* is a row and a zone of valuations in which the next transition may be taken: what is
//! reached after a transition by delays while the formula holds, abstracted. The abstraction adds
//! to a zone only valuations that others in it simulate, so every valuation of a node is simulated
//! by a successor of one of the previous node. Whatever a valuation does while the formula holds,
//! one that simulates it does as well, with the same delays: it has an infinite run, or lets time
//! diverge, if the first one does. A deadlock says nothing about valuations that simulate it. They
//! have one as well if the simulation is an equivalence, that is, if the bounds of the abstraction
//! are the same from above and from below. Else a deadlock in a node has to be shown by a run.
//!
//! **Cycles.** If a node includes an earlier one on its path, there is an infinite run. Take any
//! valuation *v₀* of the earlier node. It is in the later one too, so there is a *v₁* in the
//! earlier node from which the cycle leads to a valuation that simulates *v₀*. The same holds for
//! *v₁*, and so on. There are finitely many regions, so *vₘ* and *vₙ* are in one for some *m* <
//! *n*. From *vₙ*, *n* - *m* rounds lead to a valuation that simulates *vₘ*, and so *vₙ*: it can
//! take as many rounds again, infinitely often. The other inclusion shows nothing: a zone that
//! shrinks along a cycle may become empty. For Büchi automata this is from Li, *Checking timed
//! Büchi automata emptiness using LU-abstractions* (2009).
//!
//! **Done nodes.** A node is *done* when all its successors are done and no run ends in it. A
//! successor that is included in a done node is skipped. So the successors of a done node are in
//! nodes that were done before it, and since there is no infinite descent, no maximal run starts in
//! a done node. Nothing else is skipped. In particular, a node that is strictly included in one on
//! its path is expanded. The nodes from which [`crate::acyclic`] has reached no cycle are done at
//! the start. This is how Laarman, Olesen, Dalsgaard, Larsen and van de Pol (2013) use inclusion.
//!
//! **Evidence.** The order in which nodes were done is a rank that decreases from each node to its
//! successors. This needs nodes that are included in later ones, so they are kept on request.

use model::{Formula, System, replay::Ending, system::EdgeId};
use zone::{Bound, Federation};

use crate::{
    acyclic::Settled,
    batch::{Batch, ReachedZone},
    graph::{RunError, ZoneGraph},
    parts::parts_without,
    ranked::{Ranked, RankedNode},
    rows::RowStore,
    search::{Counts, Limits, Observer, Stop, drop_caches},
    time::Time,
    transitions::{SymbolicStep, SymbolicTrace},
};

/// A symbolic maximal run; its first step has no edges. A cycle starts at the node with its index,
/// which the last node includes.
pub type Lasso<B = i32> = (SymbolicTrace<B>, Ending);

/// The result of a search.
#[derive(Clone, Debug)]
pub enum LivenessOutcome<B = i32> {
    /// A run was found.
    Found(Lasso<B>),
    /// No run exists.
    Exhausted,
    /// A limit was exceeded.
    Stopped(Stop),
    /// The model has a run-time error after these steps.
    Error(SymbolicTrace<B>, RunError),
}

struct LivenessNode<B> {
    zone: Box<[B]>,
    state: VisitStatus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitStatus {
    /// At this index of the path.
    OnPath(u32),
    /// After this number of other nodes.
    Done(u32),
}

impl<B> LivenessNode<B> {
    fn is_done(&self) -> bool {
        matches!(self.state, VisitStatus::Done(_))
    }
}

/// A node of the path, with its remaining successors.
struct Frame<B> {
    edges: Vec<EdgeId>,
    row: Vec<i32>,
    zone: Vec<B>,
    list: u32,
    successors: Batch<B>,
    next: usize,
}

/// The search for maximal runs that satisfy a formula at every moment. It can be started from
/// several nodes, and keeps the done nodes.
pub struct Always<'f, B = i32> {
    formula: &'f Formula,
    /// Nodes that are done from the start on.
    settled: Option<Settled<'f, B>>,
    rows: RowStore,
    /// The nodes of each row.
    lists: Vec<Vec<LivenessNode<B>>>,
    path: Vec<Frame<B>>,
    /// The number of done nodes, and whether all of them are kept.
    done: u32,
    keeps: bool,
    /// A buffer.
    entries: Option<Batch<B>>,
    /// The counters, over all starts.
    pub counts: Counts,
}

impl<'f, B: Bound> Always<'f, B> {
    /// Creates a search without done nodes.
    #[must_use]
    pub fn new(formula: &'f Formula, system: &System) -> Always<'f, B> {
        let (lists, path) = (Vec::new(), Vec::new());
        let (done, keeps, entries) = (0, false, None);
        let rows = RowStore::new(system);
        Always { formula, settled: None, rows, lists, path, done, keeps, entries, counts: Counts::default() }
    }

    /// Takes these nodes as done.
    pub fn settle(&mut self, settled: Settled<'f, B>) {
        self.settled = Some(settled);
    }

    /// Returns the nodes that were done from the start on.
    #[must_use]
    pub fn settled(&self) -> Option<&Settled<'f, B>> {
        self.settled.as_ref()
    }

    /// Keeps all done nodes, for [`Self::ranked`].
    #[must_use]
    pub fn keeping(self) -> Always<'f, B> {
        Always { keeps: true, ..self }
    }

    /// Returns the done nodes. If all of them were kept, their ranks prove that no run exists.
    #[must_use]
    pub fn ranked(self) -> Ranked<B> {
        let Always { mut rows, lists, settled, .. } = self;
        let mut nodes = Vec::new();
        // A done node may lead to a settled one, but not back.
        let first = settled.map_or(0, |settled| settled.rank(&mut rows, &mut nodes));
        for (list, row) in lists.into_iter().zip(0..) {
            for LivenessNode { zone, state } in list {
                if let VisitStatus::Done(rank) = state {
                    nodes.push(RankedNode { row, zone, rank: first + rank });
                }
            }
        }
        Ranked::new(rows, nodes)
    }

    /// Searches for a maximal run that starts in a node. A search that has found none can go on
    /// with another node.
    pub fn search(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> LivenessOutcome<B> {
        self.path.clear();
        graph.set_max_list_bytes(limits.bytes);
        match self.run(graph, row, zone, limits, observer) {
            Ok(outcome) => outcome,
            Err(error) => match error.stop() {
                Some(stop) => LivenessOutcome::Stopped(stop),
                None => LivenessOutcome::Error(self.trace(), error),
            },
        }
    }

    fn run(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Result<LivenessOutcome<B>, RunError> {
        // A deadlock that violates an invariant is none of a run.
        let Some(time) = Time::of(graph, row)? else { return Ok(LivenessOutcome::Exhausted) };
        let mut zone = zone.to_vec();
        if !zone::intersect(&mut zone, graph.dim(), &time.invariant) || self.is_done(row, &zone) {
            return Ok(LivenessOutcome::Exhausted);
        }
        if let Some(ending) = self.visit(graph, (Vec::new(), row.to_vec(), zone))? {
            return Ok(LivenessOutcome::Found((self.trace(), ending)));
        }
        loop {
            if let Some(stop) = exceeded(&mut self.counts, graph, self.path.len(), limits, observer) {
                return Ok(LivenessOutcome::Stopped(stop));
            }
            let Some(frame) = self.path.last_mut() else { return Ok(LivenessOutcome::Exhausted) };
            let i = frame.next;
            if i == frame.successors.len() {
                self.leave();
                continue;
            }
            frame.next += 1;
            let next = &frame.successors;
            let step = (next.edges(i).to_vec(), next.row(i).to_vec(), next.zone(i).to_vec());
            if let Some(ending) = self.visit(graph, step)? {
                return Ok(LivenessOutcome::Found((self.trace(), ending)));
            }
        }
    }

    /// Adds the nodes after a transition that are not done.
    fn arrive(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        for piece in nodes_after(graph, self.formula, row, zone)? {
            if !self.is_done(row, &piece) {
                out.push(row, ReachedZone::Fresh(&piece), edges, None);
            }
        }
        Ok(())
    }

    /// Returns the index of a row's list.
    fn list(&mut self, row: &[i32]) -> u32 {
        let before = self.rows.bytes();
        let (list, is_new) = self.rows.intern(row);
        if is_new {
            self.lists.push(Vec::new());
            self.counts.bytes += self.rows.bytes() - before + size_of::<Vec<LivenessNode<B>>>();
        }
        list
    }

    fn is_done(&mut self, row: &[i32], zone: &[B]) -> bool {
        if self.settled.as_mut().is_some_and(|settled| settled.covers(row, zone)) {
            return true;
        }
        let list = self.list(row);
        self.lists[list as usize].iter().any(|e| e.is_done() && zone::is_included(zone, &e.zone))
    }

    /// Appends a node to the path, unless it is done. Returns the ending of a run that ends in it,
    /// if there is one.
    fn visit(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        (edges, row, zone): SymbolicStep<B>,
    ) -> Result<Option<Ending>, RunError> {
        let list = self.list(&row);
        let depth = self.path.len();
        let mut cycle = None;
        for entry in &self.lists[list as usize] {
            match entry.state {
                VisitStatus::Done(_) if zone::is_included(&zone, &entry.zone) => return Ok(None),
                VisitStatus::OnPath(start) if zone::is_included(&entry.zone, &zone) => cycle = Some(start as usize),
                _ => {}
            }
        }
        self.lists[list as usize]
            .push(LivenessNode { zone: zone.as_slice().into(), state: VisitStatus::OnPath(depth as u32) });
        self.counts.added += 1;
        self.counts.stored += 1;
        self.counts.bytes += zone.len() * size_of::<B>() + size_of::<LivenessNode<B>>();
        self.path.push(Frame { edges, row, zone, list, successors: graph.batch(), next: 0 });
        if let Some(start) = cycle {
            return Ok(Some(Ending::Cycle(start)));
        }
        self.counts.explored += 1;
        // The frame can't be borrowed meanwhile.
        let (row, zone) = (std::mem::take(&mut self.path[depth].row), std::mem::take(&mut self.path[depth].zone));
        self.rows.approach(list, &row);
        let expanded = self.expand(graph, &row, &zone);
        let frame_bytes = |successors: &Batch<B>| frame_bytes(&row, &zone, successors.len());
        let result = expanded.map(|expanded| match expanded {
            Ok(successors) => {
                self.counts.bytes += frame_bytes(&successors);
                self.path[depth].successors = successors;
                None
            }
            Err(ending) => Some(ending),
        });
        (self.path[depth].row, self.path[depth].zone) = (row, zone);
        result
    }

    /// Returns the successors of a node; or the ending of a run that ends in it, if there is one.
    fn expand(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
    ) -> Result<Result<Batch<B>, Ending>, RunError> {
        let mut entries = std::mem::take(&mut self.entries).unwrap_or_else(|| graph.batch());
        entries.clear();
        let goes_on = graph.transitions(row, zone, &mut entries)?;
        if let Some((_, ending)) = ends(graph, self.formula, row, zone, goes_on)? {
            return Ok(Err(ending));
        }
        self.counts.generated += entries.len();
        let mut successors = graph.batch();
        for i in 0..entries.len() {
            self.arrive(graph, entries.row(i), entries.zone(i), entries.edges(i), &mut successors)?;
        }
        self.entries = Some(entries);
        Ok(Ok(successors))
    }

    /// Removes the last node from the path and marks it as done.
    fn leave(&mut self) {
        let Some(frame) = self.path.pop() else { return };
        let depth = self.path.len() as u32;
        let list = &mut self.lists[frame.list as usize];
        let before = list.len();
        let covered = list.iter().any(|e| e.is_done() && zone::is_included(&frame.zone, &e.zone));
        let (rank, all) = (self.done, covered || self.keeps);
        self.done += 1;
        list.retain_mut(|entry| {
            if entry.state == VisitStatus::OnPath(depth) {
                entry.state = VisitStatus::Done(rank);
                return !covered;
            }
            all || !entry.is_done() || !zone::is_included(&entry.zone, &frame.zone)
        });
        let gone = before - list.len();
        self.counts.stored -= gone;
        self.counts.bytes -= gone * (frame.zone.len() * size_of::<B>() + size_of::<LivenessNode<B>>());
        self.counts.bytes -= frame_bytes(&frame.row, &frame.zone, frame.successors.len());
    }

    fn trace(&self) -> SymbolicTrace<B> {
        self.path.iter().map(|f| (f.edges.clone(), f.row.clone(), f.zone.clone())).collect()
    }
}

/// Returns the zones of the nodes after a transition to this zone of a row: time passes while the
/// formula holds.
///
/// # Errors
/// A run-time error of the model.
pub(crate) fn nodes_after<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    formula: &Formula,
    row: &[i32],
    zone: &[B],
) -> Result<Vec<Vec<B>>, RunError> {
    let Some(time) = Time::of(graph, row)? else { return Ok(Vec::new()) };
    let avoided = parts_without(graph, &time, formula, row, &time.future(zone))?;
    if avoided.includes(zone) {
        return Ok(Vec::new());
    }
    let mut nodes: Vec<Vec<B>> =
        time.wait(zone, &avoided).zones().flat_map(|reached| graph.abstracted(row, reached)).collect();
    // Valuations that violate an invariant are on no run.
    nodes.retain_mut(|node| zone::intersect(node, graph.dim(), &time.invariant));
    Ok(nodes)
}

/// Returns the size in bytes of a node and its successors on the path.
fn frame_bytes<B: Bound>(row: &[i32], zone: &[B], successors: usize) -> usize {
    size_of::<Frame<B>>() + (successors + 1) * (size_of_val(row) + size_of_val(zone))
}

/// Returns a part of a node where a maximal run may end, or time may diverge, while the formula
/// holds. With `goes_on`, a transition is enabled in all of it.
///
/// # Errors
/// A run-time error of the model.
pub fn ends<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    formula: &Formula,
    row: &[i32],
    zone: &[B],
    goes_on: bool,
) -> Result<Option<(Federation<B>, Ending)>, RunError> {
    let Some(time) = Time::of(graph, row)? else { return Ok(None) };
    if goes_on && !time.may_diverge() {
        return Ok(None);
    }
    let future = time.future(zone);
    let avoided = parts_without(graph, &time, formula, row, &future)?;
    let waiting = time.waits(zone, &avoided);
    if !waiting.is_empty() {
        return Ok(Some((waiting, Ending::Waits)));
    }
    if goes_on {
        return Ok(None);
    }
    let possible = graph.enabled_parts(row, &future)?;
    let last = time.avoiding(zone, possible.iter().map(Vec::as_slice).chain(avoided.zones()));
    Ok((!last.is_empty()).then_some((last, Ending::Stops)))
}

/// Returns the limit that is exceeded. The caches of the graph count as memory, too.
pub(crate) fn exceeded<B: Bound>(
    counts: &mut Counts,
    graph: &mut ZoneGraph<'_, B>,
    waiting: usize,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Option<Stop> {
    let is_past = |max: Option<usize>, count: usize| max.is_some_and(|max| count > max);
    if is_past(limits.states, counts.stored) || is_past(limits.generated, counts.generated) {
        return Some(Stop::States);
    }
    // Time and memory are checked now and then only.
    if counts.explored & 0x1F != 0 {
        return None;
    }
    if !graph.is_frugal() && limits.is_near(counts.bytes + graph.bytes()) {
        drop_caches(graph, None, counts);
    }
    let counts = Counts { bytes: counts.bytes + graph.bytes(), ..*counts };
    let stop = limits.reached(counts.bytes);
    if stop.is_some() || counts.explored & 0xFF == 0 {
        observer.progress(&counts, waiting);
    }
    stop
}
