//! Maximal runs that satisfy a formula at every moment, by depth-first search.
//!
//! A run is maximal if it takes transitions for ever, waits for ever, or ends where no transition
//! is possible and none ever will be, however much of the time that is left passes.
//!
//! A *node* is a row and a zone of valuations at which the next transition may be taken: what is
//! reached behind a transition by waiting while the formula holds, [blurred](ZoneGraph::blurred).
//! Blurring adds to a zone only valuations that can do exactly what others in it can do, so every
//! valuation of a node is, up to that equivalence, behind one of the node before it.
//!
//! **Cycles.** If a node holds an earlier one of its own path, there is a run without end. For take
//! any valuation of the earlier node: it is in the later one too, so it lies, up to the
//! equivalence, behind another one of the earlier node, by way of the whole cycle. That one lies
//! behind another again, and so on. Time and transitions can't tell the valuations of a region
//! apart either, and there are finitely many regions, so some region comes back on this way: it
//! leads to itself. The other inclusion shows nothing: what a cycle makes smaller and smaller may
//! vanish at last.
//!
//! **What is done.** A node is *done* when all its successors are and none of its valuations ends a
//! run. A successor that is in a done node is passed over. So all that follows a done node is in
//! nodes that were done before it, and as there is no endless descent, no maximal run starts in a
//! done node. Nothing else is passed over. In particular a node that is properly in one of its own
//! path is looked into.
//!
//! **Evidence.** The order in which nodes were done is a rank that falls from each of them to all
//! that follows. A node that lies in one which was done later is needed for that, so it is kept if
//! somebody asks.

use model::{Formula, System, replay::Ending, system::EdgeId};
use zone::{Bound, Federation};

use crate::{
    batch::{Batch, ReachedZone},
    graph::{RunError, ZoneGraph},
    parts::parts_without,
    ranked::{Ranked, RankedNode},
    rows::RowStore,
    search::{Counts, Limits, Observer, Stop},
    time::Time,
    transitions::{SymbolicStep, SymbolicTrace},
};

/// A maximal run, symbolically; its first step has no edges. A cycle starts at the node with its
/// number, and the last node holds that one.
pub type Lasso<B = i32> = (SymbolicTrace<B>, Ending);

/// How a search ended.
#[derive(Clone, Debug)]
pub enum LivenessOutcome<B = i32> {
    /// There is such a run.
    Found(Lasso<B>),
    /// There is none.
    Exhausted,
    /// It gave up.
    Stopped(Stop),
    /// The model has a run-time error behind these steps.
    Error(SymbolicTrace<B>, RunError),
}

struct LivenessNode<B> {
    zone: Box<[B]>,
    state: VisitStatus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitStatus {
    /// At this place of the path.
    OnPath(u32),
    /// After so many others.
    Done(u32),
}

impl<B> LivenessNode<B> {
    fn is_done(&self) -> bool {
        matches!(self.state, VisitStatus::Done(_))
    }
}

/// A node of the path, with the successors that are still to be looked into.
struct Frame<B> {
    edges: Vec<EdgeId>,
    row: Vec<i32>,
    zone: Vec<B>,
    list: u32,
    successors: Batch<B>,
    next: usize,
}

/// The search for maximal runs that satisfy a formula throughout. It may be started from several
/// states, and remembers what is done.
pub struct Always<'f, B = i32> {
    formula: &'f Formula,
    rows: RowStore,
    /// The nodes of each row.
    lists: Vec<Vec<LivenessNode<B>>>,
    path: Vec<Frame<B>>,
    /// How many nodes were done, and whether all of them are kept.
    done: u32,
    keeps: bool,
    /// Kept from one expansion to the next.
    entries: Option<Batch<B>>,
    /// What was counted, over all starts.
    pub counts: Counts,
}

impl<'f, B: Bound> Always<'f, B> {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(formula: &'f Formula, system: &System) -> Always<'f, B> {
        let (lists, path) = (Vec::new(), Vec::new());
        let (done, keeps, entries) = (0, false, None);
        Always { formula, rows: RowStore::new(system), lists, path, done, keeps, entries, counts: Counts::default() }
    }

    /// The same, for those who want [`Self::ranked`] nodes in the end.
    #[must_use]
    pub fn keeping(self) -> Always<'f, B> {
        Always { keeps: true, ..self }
    }

    /// The nodes that are done. Their ranks show that there is no run if all of them were kept.
    #[must_use]
    pub fn ranked(self) -> Ranked<B> {
        let mut nodes = Vec::new();
        for (list, row) in self.lists.into_iter().zip(0..) {
            for LivenessNode { zone, state } in list {
                if let VisitStatus::Done(rank) = state {
                    nodes.push(RankedNode { row, zone, rank });
                }
            }
        }
        Ranked::new(self.rows, nodes)
    }

    /// Looks for a maximal run that starts in a zone of a row, before any delay.
    pub fn search(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> LivenessOutcome<B> {
        self.path.clear();
        graph.set_room(limits.bytes);
        match self.run(graph, row, zone, limits, observer) {
            Ok(outcome) => outcome,
            Err(error) => LivenessOutcome::Error(self.trace(), error),
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
        let mut first = graph.batch();
        self.arrive(graph, row, zone, &[], &mut first)?;
        for i in 0..first.len() {
            let step = (Vec::new(), first.row(i).to_vec(), first.zone(i).to_vec());
            if let Some(ending) = self.visit(graph, step)? {
                return Ok(LivenessOutcome::Found((self.trace(), ending)));
            }
            loop {
                if let Some(stop) = past(&self.counts, graph.bytes(), self.path.len(), limits, observer) {
                    return Ok(LivenessOutcome::Stopped(stop));
                }
                let Some(frame) = self.path.last_mut() else { break };
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
        Ok(LivenessOutcome::Exhausted)
    }

    /// Adds the nodes behind a transition that are not done.
    fn arrive(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        for piece in behind(graph, self.formula, row, zone)? {
            if !self.is_done(row, &piece) {
                out.push(row, ReachedZone::Fresh(&piece), edges, None);
            }
        }
        Ok(())
    }

    /// The number of a row's list.
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
        let list = self.list(row);
        self.lists[list as usize].iter().any(|e| e.is_done() && zone::is_included(zone, &e.zone))
    }

    /// Puts a node at the end of the path, unless it is done. Returns how a run through it ends, if
    /// one does.
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
        // What is needed of the frame while it can't be borrowed.
        let (row, zone) = (std::mem::take(&mut self.path[depth].row), std::mem::take(&mut self.path[depth].zone));
        self.rows.approach(list, &row);
        let expanded = self.expand(graph, &row, &zone);
        let room = |successors: &Batch<B>| room(&row, &zone, successors.len());
        let result = expanded.map(|expanded| match expanded {
            Ok(successors) => {
                self.counts.bytes += room(&successors);
                self.path[depth].successors = successors;
                None
            }
            Err(ending) => Some(ending),
        });
        (self.path[depth].row, self.path[depth].zone) = (row, zone);
        result
    }

    /// The successors of a node; or how a run ends in it, if one does.
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

    /// Takes the last node off the path: it is done.
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
        self.counts.bytes -= room(&frame.row, &frame.zone, frame.successors.len());
    }

    fn trace(&self) -> SymbolicTrace<B> {
        self.path.iter().map(|f| (f.edges.clone(), f.row.clone(), f.zone.clone())).collect()
    }
}

/// The zones of the nodes behind a transition that leads to this zone of a row: time passes while
/// the formula holds.
pub(crate) fn behind<B: Bound>(
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
    Ok(time.wait(zone, &avoided).zones().flat_map(|reached| graph.blurred(row, reached)).collect())
}

/// How many bytes the path needs for a node and its successors.
fn room<B: Bound>(row: &[i32], zone: &[B], successors: usize) -> usize {
    size_of::<Frame<B>>() + (successors + 1) * (size_of_val(row) + size_of_val(zone))
}

/// A part of a node where a maximal run may end, or wait for ever, while the formula holds.
/// `goes_on`: a transition is possible in all of it.
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
    if goes_on && !time.is_endless() {
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
    let last = time.stays_out(zone, possible.iter().map(Vec::as_slice).chain(avoided.zones()));
    Ok((!last.is_empty()).then_some((last, Ending::Stops)))
}

/// Whether it is time to give up. What the graph remembers takes memory, too.
pub(crate) fn past(
    counts: &Counts,
    remembered: usize,
    waiting: usize,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Option<Stop> {
    let is_past = |most: Option<usize>, count: usize| most.is_some_and(|most| count > most);
    if is_past(limits.states, counts.stored) || is_past(limits.generated, counts.generated) {
        return Some(Stop::States);
    }
    let counts = Counts { bytes: counts.bytes + remembered, ..*counts };
    let stop = limits.reached(counts.bytes);
    if stop.is_some() || counts.explored & 0xFF == 0 {
        observer.progress(&counts, waiting);
    }
    stop
}
