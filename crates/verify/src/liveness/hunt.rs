//! The search for a maximal run: from each state in which runs start as soon as it is reached.
//!
//! Nodes cover each other (`explore::acyclic`), so there are about as many as states. Meanwhile
//! bounded depth-first searches look for a run, which is often found at once. What arcs between
//! covering nodes do not decide, a depth-first search does in the end.

use explore::{
    acyclic::{Acyclic, Finding, Followed, Pause},
    goal::{AfterGoal, Goal, GoalPart},
    graph::{RunError, ZoneGraph},
    liveness::{Always, Lasso, LivenessOutcome},
    parts::{decided, parts},
    ranked::Ranked,
    search::{Counts, Limits, SearchOutcome, Stop},
    store::{NodeId, Store},
    time::Time,
    transitions::SymbolicTrace,
};
use model::{Formula, replay::Ending};
use zone::Bound;

use super::{
    End, ReachedStores,
    shared::{Shared, Turn},
};
use crate::{
    Plan,
    path::Stage,
    task::{Subject, Task},
    trace::moves,
};

/// The numbers of nodes before the first probe, and what they are multiplied by before the next
/// one.
const PROBES: (usize, usize) = (64, 4);
/// The share of the nodes that a probe may have.
const PROBE_SHARE: usize = 4;

/// A search for a maximal run with one abstraction.
pub(super) struct Hunt<'h, 'o, B> {
    graph: ZoneGraph<'h, B>,
    formula: &'h Formula,
    /// The search in which nodes cover each other; `None`: it has ended.
    cover: Option<Acyclic<'h, B>>,
    /// The search that decides what is left.
    depth: Always<'h, B>,
    next_probe: usize,
    limits: &'h Limits<'h>,
    shared: &'h Shared<'o>,
    /// What has ended it.
    found: Option<Found<B>>,
}

/// What has ended a search.
enum Found<B> {
    Finding(Finding),
    /// In a depth-first search from this node of the finished search; none: from the state with
    /// this number.
    Depth(Option<NodeId>, u32, LivenessOutcome<B>),
    Stopped(Stop),
}

/// The path from a state in which runs start.
enum Part<B> {
    Run(Lasso<B>),
    Error(SymbolicTrace<B>, RunError),
    Stopped(Stop),
}

impl<'h, 'o, B: Bound> Hunt<'h, 'o, B> {
    pub(super) fn new(
        subject: &'h Subject<'_>,
        plan: &Plan,
        proves: bool,
        limits: &'h Limits<'h>,
        shared: &'h Shared<'o>,
    ) -> Hunt<'h, 'o, B> {
        let graph = ZoneGraph::new(&subject.system, subject.bounds(), plan.abstraction);
        let formula = subject.formula();
        let depth = Always::new(formula, &subject.system);
        Hunt {
            cover: Some(Acyclic::new(formula, &graph)),
            graph,
            formula,
            depth: if proves { depth.keeping() } else { depth },
            next_probe: PROBES.0,
            limits,
            shared,
            found: None,
        }
    }

    /// Searches for a run from the start; `None`: there is none.
    pub(super) fn search_from_start<'f>(&mut self, always: &'f Formula) -> Option<End<'f>> {
        let zone = match self.graph.start() {
            Ok(zone) => zone?,
            Err(error) => return Some(End::Error(Vec::new(), error)),
        };
        let row = &self.graph.system().initial;
        self.start(row, &zone, 0, false);
        self.finish();
        Some(match self.part(row)? {
            Part::Run((steps, ending)) => {
                End::Found(moves(steps).into_iter().map(|step| Stage::new(step, always)).collect(), ending)
            }
            Part::Error(steps, error) => End::Error(moves(steps), error),
            Part::Stopped(stop) => End::Stopped(stop),
        })
    }

    /// Searches from every state that can be reached and satisfies `start`, which is `after` for
    /// the system of the graph; `None`: there is no run. Returns the states that can be reached as
    /// well.
    pub(super) fn search_from_states<'f>(
        &mut self,
        subject: &Subject<'_>,
        plan: &Plan,
        start: &Formula,
        (after, always): (&'f Formula, &'f Formula),
    ) -> (Option<End<'f>>, Option<ReachedStores<B>>) {
        let mut task = Task::new(subject, &plan.undirected(), subject.bounds());
        let (limits, shared) = (self.limits, self.shared);
        let mut goal = Starts { start, hunt: self, row: Vec::new(), parts: Vec::new() };
        let outcome = task.run(&mut goal, limits, &mut shared.side(Turn::States));
        shared.note(Turn::States, &task.counts());
        if matches!(outcome, SearchOutcome::Exhausted) {
            self.finish();
        }
        let Some(source) = self.source() else {
            return match outcome {
                SearchOutcome::Stopped(stop) => (Some(End::Stopped(stop)), None),
                SearchOutcome::Error(path, error) => {
                    (Some(End::Error(moves(task.follow(&path).unwrap_or_default()), error)), None)
                }
                _ => match self.found {
                    Some(Found::Stopped(stop)) => (Some(End::Stopped(stop)), None),
                    _ => (None, Some(task.into_stores())),
                },
            };
        };
        let path = task.path_to(NodeId(source));
        let before = task.follow(&path).unwrap_or_default();
        let row = before.last().map_or_else(|| subject.system.initial.clone(), |(_, row, _)| row.clone());
        let end = self.part(&row).map(|part| match part {
            Part::Run(run) => joined(before, run, after, always),
            Part::Error(more, error) => {
                End::Error(moves(before.into_iter().chain(more.into_iter().skip(1)).collect()), error)
            }
            Part::Stopped(stop) => End::Stopped(stop),
        });
        (end, None)
    }

    /// Returns the nodes that show that there is no run.
    pub(super) fn ranked(self) -> Ranked<B> {
        self.depth.ranked()
    }

    /// Searches for runs from a zone of a row, before any delay; see [`Acyclic::start`].
    fn start(&mut self, row: &[i32], zone: &[B], source: u32, whole: bool) {
        let Some(cover) = &mut self.cover else { return };
        self.found = cover.start(&mut self.graph, row, zone, source, whole).map(|finding| match finding {
            Finding::Error(_, _, error) if error.stop().is_some() => {
                Found::Stopped(error.stop().unwrap_or(Stop::Interrupted))
            }
            finding => Found::Finding(finding),
        });
        while self.found.is_none()
            && let Some(cover) = &mut self.cover
        {
            let limits = rest(self.limits, self.shared, Turn::Cover);
            let pause = cover.explore(&mut self.graph, self.next_probe, &limits, &mut self.shared.side(Turn::Cover));
            self.shared.note(Turn::Cover, &cover.counts);
            match pause {
                Pause::Closed => break,
                Pause::Large => self.probe(),
                Pause::Found(finding) => self.found = Some(Found::Finding(finding)),
                Pause::Stopped(stop) => self.found = Some(Found::Stopped(stop)),
            }
        }
    }

    /// Returns the limit that all searches together exceed.
    fn exceeded(&self) -> Option<Stop> {
        let Counts { stored, bytes, .. } = self.shared.total();
        if self.limits.states.is_some_and(|max| stored > max) {
            return Some(Stop::States);
        }
        self.limits.bytes.is_some_and(|max| bytes > max).then_some(Stop::Memory)
    }

    /// Searches depth-first from the node that was added last of those in which runs start.
    fn probe(&mut self) {
        let Some(cover) = &self.cover else { return };
        let budget = PROBES.0.max(cover.added() / PROBE_SHARE);
        self.next_probe = cover.added() * PROBES.1;
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let Some(source) = cover.newest_root(&mut row, &mut zone) else { return };
        let limits = rest(self.limits, self.shared, Turn::Depth);
        let few = Limits { states: Some(limits.states.map_or(budget, |max| max.min(budget))), ..limits };
        let mut search = Always::new(self.formula, self.graph.system());
        let graph = &mut self.graph;
        let outcome = self.shared.probe(|observer| {
            let outcome = search.search(graph, &row, &zone, &few, observer);
            (outcome, search.counts)
        });
        match outcome {
            LivenessOutcome::Exhausted | LivenessOutcome::Stopped(Stop::States | Stop::Memory) => {}
            LivenessOutcome::Stopped(stop) => self.found = Some(Found::Stopped(stop)),
            outcome => self.found = Some(Found::Depth(None, source, outcome)),
        }
    }

    /// Decides whether there is a run when all nodes are expanded.
    fn finish(&mut self) {
        self.decide();
        // A stopped computation may have left out nodes.
        if self.found.is_none() {
            self.found = self.graph.system().code.stopped().map(Found::Stopped);
        }
    }

    fn decide(&mut self) {
        if self.found.is_some() {
            return;
        }
        let Some(cover) = self.cover.take_if(|cover| cover.cycle().is_none()) else {
            self.found = self.cover.as_ref().and_then(Acyclic::cycle).map(Found::Finding);
            return;
        };
        let settled = cover.settle();
        let open = settled.open();
        self.depth.settle(settled);
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        for node in open {
            let Some(settled) = self.depth.settled() else { return };
            settled.read(node, &mut row, &mut zone);
            let source = settled.source(node);
            let limits = rest(self.limits, self.shared, Turn::Depth);
            let mut side = self.shared.side(Turn::Depth);
            let outcome = self.depth.search(&mut self.graph, &row, &zone, &limits, &mut side);
            self.shared.note(Turn::Depth, &self.depth.counts);
            match outcome {
                LivenessOutcome::Exhausted => continue,
                LivenessOutcome::Stopped(stop) => self.found = Some(Found::Stopped(stop)),
                outcome => self.found = Some(Found::Depth(Some(node), source, outcome)),
            }
            return;
        }
    }

    /// Returns the number of the state from which something was found.
    fn source(&self) -> Option<u32> {
        match (self.found.as_ref()?, &self.cover) {
            (Found::Finding(finding), Some(cover)) => Some(cover.source(finding)),
            (Found::Depth(_, source, _), _) => Some(*source),
            _ => None,
        }
    }

    /// Returns what was found, on the path from its source with this row on.
    fn part(&mut self, row: &[i32]) -> Option<Part<B>> {
        let (node, outcome) = match (self.found.take()?, &mut self.cover) {
            (Found::Finding(finding), Some(cover)) => {
                return Some(match cover.follow(&mut self.graph, row, finding) {
                    Followed::Run(run) => Part::Run(run),
                    Followed::Error(steps, error) => Part::Error(steps, error),
                    Followed::Stopped(stop) => Part::Stopped(stop),
                });
            }
            (Found::Finding(_), None) => return None,
            (Found::Depth(node, _, outcome), _) => (node, outcome),
            (Found::Stopped(stop), _) => return Some(Part::Stopped(stop)),
        };
        let before = match (node, self.depth.settled()) {
            (Some(node), Some(settled)) => settled.path(&mut self.graph, row, node),
            _ => Ok(Vec::new()),
        };
        let mut steps = match before {
            Ok(steps) => steps,
            Err(error) => return Some(error.stop().map_or(Part::Error(Vec::new(), error), Part::Stopped)),
        };
        // Both parts have the node.
        let shift = steps.len().saturating_sub(1);
        let mut join = |more: SymbolicTrace<B>| {
            let skipped = usize::from(!steps.is_empty());
            steps.extend(more.into_iter().skip(skipped));
            std::mem::take(&mut steps)
        };
        match outcome {
            LivenessOutcome::Found((more, ending)) => {
                let ending = match ending {
                    Ending::Cycle(start) => Ending::Cycle(shift + start),
                    other => other,
                };
                Some(Part::Run((join(more), ending)))
            }
            LivenessOutcome::Error(more, error) => Some(Part::Error(join(more), error)),
            LivenessOutcome::Stopped(stop) => Some(Part::Stopped(stop)),
            LivenessOutcome::Exhausted => None,
        }
    }
}

/// Returns the limits without what the other searches have stored.
fn rest<'l>(limits: &Limits<'l>, shared: &Shared<'_>, turn: Turn) -> Limits<'l> {
    let (stored, bytes) = shared.beside(turn);
    Limits {
        states: limits.states.map(|max| max.saturating_sub(stored)),
        bytes: limits.bytes.map(|max| max.saturating_sub(bytes)),
        ..*limits
    }
}

/// The states in which runs start, as the goal of a search for states.
struct Starts<'g, 'h, 'o, B> {
    start: &'g Formula,
    hunt: &'g mut Hunt<'h, 'o, B>,
    row: Vec<i32>,
    /// The parts of the last state, and whether each is the whole zone.
    parts: Vec<(Vec<B>, bool)>,
}

impl<B: Bound> Goal<B> for Starts<'_, '_, '_, B> {
    fn part(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]) -> GoalPart<B> {
        self.parts.clear();
        match decided(graph, self.start, row)? {
            Some(false) => return Ok(None),
            Some(true) => self.parts.push((zone.to_vec(), true)),
            None => {
                let Some(time) = Time::of(graph, row)? else { return Ok(None) };
                let found = parts(graph, &time, self.start, row, zone)?;
                self.parts.extend(found.zones().map(|part| (part.to_vec(), part == zone)));
            }
        }
        row.clone_into(&mut self.row);
        Ok(self.parts.first().map(|(part, _)| part.clone()))
    }

    fn found(&mut self, node: NodeId, _: &Store<B>) -> AfterGoal {
        for (part, whole) in &self.parts {
            self.hunt.start(&self.row, part, node.0, *whole);
            if self.hunt.found.is_none() {
                self.hunt.found = self.hunt.exceeded().map(Found::Stopped);
            }
            if self.hunt.found.is_some() {
                return AfterGoal::Stop;
            }
        }
        AfterGoal::Continue
    }
}

/// The path to a state, and a run from there. Both have that state, the run's part of it cut to
/// where it starts.
fn joined<'f, B>(path: SymbolicTrace<B>, (run, ending): Lasso<B>, after: &'f Formula, always: &'f Formula) -> End<'f> {
    let before = path.len();
    let mut stages: Vec<Stage<'f>> = moves(path).into_iter().map(|step| Stage::new(step, &Formula::True)).collect();
    stages.extend(moves(run).into_iter().map(|step| Stage::new(step, always)));
    stages[before].entry = Some(after);
    let ending = match ending {
        Ending::Cycle(start) => Ending::Cycle(before + start),
        other => other,
    };
    End::Found(stages, ending)
}
