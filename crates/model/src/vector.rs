//! Synchronisation of any number of processes by events.
//!
//! The semantics is TChecker's (version 0.8; `doc/file-format.md`,
//! `src/syncprod/edges_iterators.cc`, `src/ta/ta.cc`):
//!
//! - An edge whose event is in no vector of its process is taken alone; it is [`Sync::Internal`]
//!   here.
//! - A vector is enabled if every strong participant has an edge with its event from its
//!   *location*. A weak participant takes part if it has one, and is left out if not; at least one
//!   must take part. Guards do not decide who takes part: TChecker refuses guards on the edges of
//!   weak participants, unless they are constant, and so do we.
//! - Every choice of one edge for each participant is a separate transition. It can be taken if the
//!   guards of all its edges hold in the state before it, the updates succeed, and the state after
//!   it satisfies all invariants.
//! - The updates run in the order of the participants, each on the result of the one before it.
//! - Where a process is in a committed location, one of the edges must leave a committed location,
//!   as in UPPAAL.

use std::convert::Infallible;

use crate::system::{EdgeId, EventId, LocationId, Network, ProcessId, Sync, System, VectorId};

/// A participant of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// The event of its edge.
    pub event: EventId,
    /// Whether the others synchronise without it if it has no such edge.
    pub weak: bool,
}

/// A synchronisation vector: events that processes take together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncVector {
    /// The participants, each process once, in the order of their updates.
    pub participants: Vec<Participant>,
}

impl SyncVector {
    /// Returns the participants that can trigger the vector: the first strong one, or each of them
    /// if all are weak.
    fn callers(&self) -> impl Iterator<Item = &Participant> {
        let strong = self.participants.iter().position(|p| !p.weak);
        let range = strong.map_or(0..self.participants.len(), |i| i..i + 1);
        self.participants[range].iter()
    }
}

/// The vectors that are triggered from each location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// The vectors, by the process and event of their trigger.
    vectors: Vec<VectorId>,
    /// Ranges of `vectors`, one for each location and event that triggers some.
    runs: Vec<(u32, u32)>,
    /// The index of the first range of each location, and the number of all ranges at the end.
    starts: Vec<u32>,
}

impl Network {
    /// Sorts the vectors by the locations from which they are triggered. The edges must be sorted.
    pub(crate) fn index_vectors(&mut self) {
        if self.vectors.is_empty() {
            return;
        }
        let numbered = self.vectors.iter().zip((0..).map(VectorId));
        let mut callers: Vec<(ProcessId, EventId, VectorId)> =
            numbered.flat_map(|(v, id)| v.callers().map(move |c| (c.process, c.event, id))).collect();
        callers.sort_unstable();
        let (mut runs, mut starts) = (Vec::new(), vec![0]);
        for (location, id) in self.locations.iter().zip((0..).map(LocationId)) {
            let mut last = None;
            for edge in self.with_events(id) {
                let Sync::Event(event) = self.edges[edge.0 as usize].sync else { continue };
                if last.replace(event) != Some(event) {
                    let from = callers.partition_point(|c| (c.0, c.1) < (location.process, event));
                    let to = callers.partition_point(|c| (c.0, c.1) <= (location.process, event));
                    runs.push((from as u32, to as u32));
                }
            }
            starts.push(runs.len() as u32);
        }
        self.calls = Calls { vectors: callers.into_iter().map(|c| c.2).collect(), runs, starts };
    }

    /// Returns the vectors that the process of `location` triggers from there. A vector is
    /// triggered by its first strong participant, or by each participant if all are weak; one that
    /// is never triggered is never enabled.
    pub(crate) fn called_from(&self, location: LocationId) -> impl Iterator<Item = VectorId> {
        let l = location.0 as usize;
        let runs = match self.calls.starts.get(l..l + 2) {
            Some(&[from, to]) => &self.calls.runs[from as usize..to as usize],
            _ => &[],
        };
        runs.iter().flat_map(|&(from, to)| self.calls.vectors[from as usize..to as usize].iter().copied())
    }

    /// Returns the edges that leave `location` with `event`, which takes part in a vector.
    #[must_use]
    pub fn on_event(&self, location: LocationId, event: EventId) -> &[EdgeId] {
        let all = self.with_events(location);
        let of = |e: &EdgeId| match self.edges[e.0 as usize].sync {
            Sync::Event(event) => event,
            _ => EventId(u32::MAX),
        };
        let from = all.partition_point(|e| of(e) < event);
        let len = all[from..].partition_point(|e| of(e) == event);
        &all[from..from + len]
    }
}

/// Enumerates the joint transitions of the vectors of a system; reuses its lists from one state to
/// the next.
#[derive(Clone, Debug)]
pub struct Joint<'a> {
    system: &'a System,
    /// For each location, the vectors that its process triggers from there, and those that it
    /// disables, because its process is a strong participant without an edge from there: bit sets
    /// of `words` words.
    ready: Vec<Ready>,
    words: usize,
    /// For each participant of each vector, the edges that it chooses from, by its location.
    offered: Vec<&'a [EdgeId]>,
    /// The index of the first participant of each vector, and of the first entry of each
    /// participant in `offered`.
    first: Vec<u32>,
    participants: Vec<Offer>,
    choices: Vec<&'a [EdgeId]>,
    at: Vec<usize>,
    edges: Vec<EdgeId>,
}

/// 64 vectors.
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    /// Those that are triggered.
    called: u64,
    /// Those that are disabled.
    barred: u64,
}

/// A participant of a vector.
#[derive(Clone, Copy, Debug)]
struct Offer {
    process: u32,
    first: u32,
}

impl<'a> Joint<'a> {
    /// Creates an enumerator for a system.
    #[must_use]
    pub fn new(system: &'a System) -> Joint<'a> {
        let words = system.vectors.len().div_ceil(64);
        let mut ready = vec![Ready::default(); system.locations.len() * words];
        for location in 0..system.locations.len() {
            for vector in system.called_from(LocationId(location as u32)) {
                ready[location * words + vector.0 as usize / 64].called |= 1 << (vector.0 % 64);
            }
        }
        let (mut offered, mut first, mut participants) = (Vec::new(), vec![0], Vec::new());
        for (number, vector) in system.vectors.iter().enumerate() {
            for p in &vector.participants {
                let process = &system.processes[p.process.0 as usize];
                participants.push(Offer { process: p.process.0, first: offered.len() as u32 });
                for l in process.first_location.0..process.first_location.0 + process.locations {
                    let edges = system.on_event(LocationId(l), p.event);
                    offered.push(edges);
                    if edges.is_empty() && !p.weak {
                        ready[l as usize * words + number / 64].barred |= 1 << (number % 64);
                    }
                }
            }
            first.push(participants.len() as u32);
        }
        Joint {
            system,
            ready,
            words,
            offered,
            first,
            participants,
            choices: Vec::new(),
            at: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Calls `visit` with the edges of every transition that the locations of `row` allow, in the
    /// order of their updates: by vector, the last participant's choice changing first, as in
    /// TChecker. Guards are not evaluated.
    pub fn for_each(&mut self, row: &[i32], mut visit: impl FnMut(VectorId, &[EdgeId])) {
        let all = self.try_for_each(row, |vector, edges| {
            visit(vector, edges);
            Ok::<(), Infallible>(())
        });
        match all {
            Ok(()) => {}
        }
    }

    /// [`Joint::for_each`] up to the first error.
    ///
    /// # Errors
    /// That of `visit`.
    #[inline]
    pub fn try_for_each<E>(
        &mut self,
        row: &[i32],
        mut visit: impl FnMut(VectorId, &[EdgeId]) -> Result<(), E>,
    ) -> Result<(), E> {
        for word in 0..self.words {
            let mut ready = Ready::default();
            for (process, at) in self.system.processes.iter().zip(row) {
                let own = &self.ready[(process.first_location.0 as usize + *at as usize) * self.words + word];
                ready.called |= own.called;
                ready.barred |= own.barred;
            }
            let mut bits = ready.called & !ready.barred;
            while bits != 0 {
                let vector = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                if self.choose(vector as usize, row) {
                    visit(VectorId(vector), &self.edges)?;
                } else {
                    self.product(vector as usize, row, |edges| visit(VectorId(vector), edges))?;
                }
            }
        }
        Ok(())
    }

    /// Collects the first edges that participants choose from, in a vector that is triggered and
    /// not disabled. Returns whether there are no others.
    #[inline]
    fn choose(&mut self, vector: usize, row: &[i32]) -> bool {
        self.edges.clear();
        let mut is_single = true;
        for p in &self.participants[self.first[vector] as usize..self.first[vector + 1] as usize] {
            let edges = self.offered[p.first as usize + row[p.process as usize] as usize];
            is_single &= edges.len() <= 1;
            edges.first().into_iter().for_each(|edge| self.edges.push(*edge));
        }
        is_single
    }

    /// Visits all choices, given the first one.
    fn product<E>(
        &mut self,
        vector: usize,
        row: &[i32],
        mut visit: impl FnMut(&[EdgeId]) -> Result<(), E>,
    ) -> Result<(), E> {
        let participants = &self.participants[self.first[vector] as usize..self.first[vector + 1] as usize];
        let choices = participants.iter().map(|p| self.offered[p.first as usize + row[p.process as usize] as usize]);
        self.choices.clear();
        self.choices.extend(choices.filter(|edges| !edges.is_empty()));
        self.at.clear();
        self.at.resize(self.choices.len(), 0);
        loop {
            visit(&self.edges)?;
            let mut i = self.choices.len();
            loop {
                if i == 0 {
                    return Ok(());
                }
                i -= 1;
                self.at[i] += 1;
                if let Some(edge) = self.choices[i].get(self.at[i]) {
                    self.edges[i] = *edge;
                    break;
                }
                self.at[i] = 0;
                self.edges[i] = self.choices[i][0];
            }
        }
    }
}
