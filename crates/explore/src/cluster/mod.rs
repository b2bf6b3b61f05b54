//! Several processes that answer a request together.
//!
//! All of them run the same program on the same model with the same options: they start the same
//! searches in the same order, each with its own workers. What they do next depends only on what
//! all of them know, so that they stay in step. For that they [`Cluster::gather`]: each contributes
//! bytes, process 0 collects them, and all get all of them. Within a search, workers send packets
//! to those of other processes (see [`crate::shard`]); process 0 finds out when all of them rest.
//!
//! Process 0 alone has limits on time, and is interrupted. When it stops working on a request, the
//! others do. When a process is lost, all stop. Bytes travel by [`Peers`], which someone else
//! implements: nothing here knows sockets.

mod agree;
mod flat;
mod memory;
mod outcome;
mod parts;
mod rounds;
mod states;

pub use agree::{Disagreement, Hindrance};
pub use flat::{FlatReader, FlatWriter, Malformed};
pub use memory::Resident;
pub(crate) use outcome::{read_counts, read_fault, read_outcome, write_counts, write_fault, write_outcome};
pub use outcome::{read_path, read_stop, write_path, write_stop};
pub use parts::PART;
pub(crate) use rounds::{AfterReport, Quiet, Rounds};
pub use states::{SentStates, collect};

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::search::{Limits, Stop};

/// How long a process waits until it looks at its limits.
pub(crate) const PATIENCE: Duration = Duration::from_millis(20);

/// After a loss, so many times that.
const PATIENCE_AFTER_LOSS: u32 = 150;

/// How a frame travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It is accepted at once.
    Urgent,
    /// The sender may have to wait until earlier ones are gone.
    Patient,
}

/// The other processes, as far as frames can be sent to them. Frames from one process to another
/// arrive in order, by [`Cluster::receive`].
pub trait Peers: Send + Sync {
    /// Sends a frame. If the process is lost, nothing happens.
    fn send(&self, to: usize, frame: Vec<u8>, delivery: Delivery);
}

/// A search that takes part in what other processes send.
pub(crate) trait Participant: Send + Sync {
    /// Takes what a process has sent to this search.
    fn receive(&self, from: usize, frame: FlatReader<'_>) -> Result<(), Malformed>;

    /// Makes all workers pause.
    fn pause(&self);
}

/// What processes gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// They begin a request.
    Begin,
    /// They start or resume a search.
    Start,
    /// A search has paused or ended.
    Outcome,
    /// A part of a path.
    Path,
    /// What goals have found.
    Goals,
    /// States, for process 0 alone.
    States,
    /// Results of random runs, for process 0 alone.
    Runs,
    /// They write a checkpoint.
    Save,
    /// They go back to a checkpoint.
    Restore,
}

impl Step {
    /// Whether process 0 alone gets what others contribute.
    fn is_for_first(self) -> bool {
        matches!(self, Step::States | Step::Runs)
    }
}

/// How the work of all processes has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is done.
    Done,
    /// Something is left, which may be done later.
    Unfinished,
}

/// The position of a contribution among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    request: u32,
    number: u32,
    step: u8,
}

impl Position {
    fn write(self, out: &mut FlatWriter) {
        out.small(self.request).small(self.number).byte(self.step);
    }

    fn read(from: &mut FlatReader<'_>) -> Result<Position, Malformed> {
        Ok(Position { request: from.small()?, number: from.small()?, step: from.byte()? })
    }
}

/// The kinds of frames.
const CONTRIBUTION: u8 = 0;
const GATHERED: u8 = 1;
const SEARCH: u8 = 2;
const STOP: u8 = 3;
const END: u8 = 4;

/// A process of a cluster, as it sees the others. Copies are the same process.
#[derive(Clone)]
pub struct Cluster(Arc<Shared>);

struct Shared {
    number: usize,
    /// The number of workers of each process.
    workers: Vec<usize>,
    peers: Box<dyn Peers>,
    state: Mutex<State>,
    changed: Condvar,
    /// Whether the work on the current request has to stop.
    stops: AtomicBool,
    /// Measures the memory of this process.
    meter: OnceLock<fn() -> Resident>,
}

#[derive(Default)]
struct State {
    /// Counts the requests.
    request: u32,
    /// Counts what was gathered for the request.
    number: u32,
    /// Counts the searches for the request.
    search: u32,
    /// What was contributed and not gathered, by processes. Process 0 has it.
    contributions: Vec<VecDeque<(Position, Vec<u8>)>>,
    /// What process 0 has gathered.
    gathered: VecDeque<(Position, Vec<Vec<u8>>)>,
    /// Why the work on the current request stops.
    stop: Option<Stop>,
    /// The last request that process 0 has stopped.
    stopped: u32,
    loss: Option<(usize, String)>,
    /// How process 0 has ended the work.
    end: Option<Ending>,
    /// The memory of the other processes.
    memory: Vec<Resident>,
    participant: Option<Weak<dyn Participant>>,
}

impl State {
    /// Returns the number of the current search. It differs from those of other requests.
    fn current_search(&self) -> u64 {
        u64::from(self.request) << 32 | u64::from(self.search)
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("number", &self.0.number).field("workers", &self.0.workers).finish()
    }
}

impl PartialEq for Cluster {
    fn eq(&self, other: &Cluster) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cluster {}

impl Cluster {
    /// Creates the process with a number among processes with these numbers of workers.
    #[must_use]
    pub fn new(number: usize, workers: Vec<usize>, peers: Box<dyn Peers>) -> Cluster {
        let (contributions, memory) = (vec![VecDeque::new(); workers.len()], vec![Resident::default(); workers.len()]);
        let state = Mutex::new(State { contributions, memory, ..State::default() });
        Cluster(Arc::new(Shared {
            number,
            workers,
            peers,
            state,
            changed: Condvar::new(),
            stops: AtomicBool::new(false),
            meter: OnceLock::new(),
        }))
    }

    /// Returns the number of this process.
    #[must_use]
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.0.workers.len()
    }

    /// Returns the number of workers of all processes.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.0.workers.iter().sum()
    }

    /// Returns the number of workers of this process.
    #[must_use]
    pub fn own_workers(&self) -> usize {
        self.0.workers[self.0.number]
    }

    /// Returns the number of the first worker of a process.
    #[must_use]
    pub fn first_worker(&self, process: usize) -> usize {
        self.0.workers[..process].iter().sum()
    }

    /// Returns the number of workers of a process.
    #[must_use]
    pub fn workers_of(&self, process: usize) -> usize {
        self.0.workers[process]
    }

    /// Returns the process of a worker.
    pub(crate) fn process_of(&self, worker: usize) -> Option<usize> {
        (0..self.processes()).find(|process| worker < self.first_worker(process + 1))
    }

    /// Returns the flag that is set while work on the current request has to stop.
    #[must_use]
    pub fn stops(&self) -> &AtomicBool {
        &self.0.stops
    }

    /// Returns the process that was lost, and why.
    #[must_use]
    pub fn loss(&self) -> Option<(usize, String)> {
        self.state().loss.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a request, together with all processes.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn begin(&self, limits: &Limits<'_>) -> Result<(), Stop> {
        {
            let mut state = self.state();
            state.request += 1;
            // A process that was stopped may have begun fewer searches than others.
            (state.number, state.search, state.participant) = (0, 0, None);
            state.gathered.clear();
            state.stop = state.loss.as_ref().map(|(process, _)| Stop::Lost(*process as u16));
            if state.stop.is_none() && (state.stopped >= state.request || state.end.is_some()) {
                state.stop = Some(Stop::Interrupted);
            }
            self.0.stops.store(state.stop.is_some(), Ordering::Relaxed);
        }
        self.gather(Step::Begin, Vec::new(), limits).map(|_| ())
    }

    /// Ends a request. The others stop working on it.
    pub fn finish(&self) {
        let mut state = self.state();
        let request = state.request;
        state.stop.get_or_insert(Stop::Interrupted);
        let has_loss = state.loss.is_some();
        drop(state);
        if self.number() == 0 {
            self.broadcast(FlatWriter::default().byte(STOP).small(request));
        } else if !has_loss {
            // If others still gather something, this process is out of step.
            let mut out = FlatWriter::default();
            Position { request, number: u32::MAX, step: Step::Begin as u8 }.write(out.byte(CONTRIBUTION));
            out.bytes(&[]);
            self.0.peers.send(0, out.0, Delivery::Urgent);
        }
    }

    /// Ends the work of all processes. Called by process 0.
    pub fn end(&self, how: Ending) {
        self.state().end = Some(how);
        self.broadcast(FlatWriter::default().byte(END).byte((how == Ending::Done).into()));
    }

    /// Waits until process 0 has ended the work, and returns how. `None`: it is lost, or has not
    /// noticed for a while that another one is lost, so that it will not.
    #[must_use]
    pub fn wait_for_end(&self) -> Option<Ending> {
        let mut state = self.state();
        let mut left = PATIENCE_AFTER_LOSS;
        while state.end.is_none() && left > 0 && state.loss.as_ref().is_none_or(|(process, _)| *process > 0) {
            left -= u32::from(state.loss.is_some());
            let waited = self.0.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.end
    }

    /// Lets all processes contribute bytes, and returns them in the order of the processes. Of what
    /// is for process 0 alone, the others get the first byte of each.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn gather(&self, step: Step, own: Vec<u8>, limits: &Limits<'_>) -> Result<Vec<Vec<u8>>, Stop> {
        let mut state = self.state();
        if let Some(stop) = state.stop {
            return Err(stop);
        }
        state.number += 1;
        let at = Position { request: state.request, number: state.number, step: step as u8 };
        if self.number() != 0 {
            let mut out = FlatWriter::default();
            at.write(out.byte(CONTRIBUTION));
            out.bytes(&own);
            self.0.peers.send(0, out.0, Delivery::Urgent);
        }
        loop {
            if self.number() == 0 {
                if state.stop.is_none() && self.is_complete(&mut state, at) {
                    let others = state.contributions.iter_mut().skip(1).filter_map(VecDeque::pop_front);
                    let all: Vec<Vec<u8>> = [own].into_iter().chain(others.map(|(_, bytes)| bytes)).collect();
                    drop(state);
                    self.publish(at, step, &all);
                    return Ok(all);
                }
            } else if let Some((position, all)) = state.gathered.pop_front() {
                if position == at {
                    return Ok(all);
                }
                continue;
            }
            if let Some(stop) = state.stop {
                return Err(stop);
            }
            if let Some(stop) = limits.reached(0) {
                drop(state);
                self.stop(stop);
                return Err(stop);
            }
            let waited = self.0.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns whether all other processes have contributed. One that is elsewhere is lost.
    fn is_complete(&self, state: &mut State, at: Position) -> bool {
        let mut complete = true;
        for process in 1..self.processes() {
            let list = &mut state.contributions[process];
            while list.front().is_some_and(|(position, _)| position.request < at.request) {
                list.pop_front();
            }
            match list.front() {
                Some((position, _)) if *position == at => {}
                Some(_) => {
                    self.note_loss(state, process, "it is out of step".to_owned());
                    return false;
                }
                None => complete = false,
            }
        }
        complete
    }

    fn publish(&self, at: Position, step: Step, all: &[Vec<u8>]) {
        let mut out = FlatWriter::default();
        at.write(out.byte(GATHERED));
        for bytes in all {
            out.bytes(if step.is_for_first() { &bytes[..bytes.len().min(1)] } else { bytes });
        }
        self.broadcast(&out);
    }

    /// Stops the work on the current request, here and, if this is process 0, everywhere.
    pub(crate) fn stop(&self, stop: Stop) {
        let mut state = self.state();
        let request = state.request;
        self.note_stop(&mut state, stop);
        drop(state);
        if self.number() == 0 {
            self.broadcast(FlatWriter::default().byte(STOP).small(request));
        }
    }

    /// Returns why the work on the current request stops.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.state().stop
    }

    fn note_stop(&self, state: &mut State, stop: Stop) {
        state.stop.get_or_insert(stop);
        self.0.stops.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }

    fn note_loss(&self, state: &mut State, process: usize, why: String) {
        // Without process 0, nothing goes on whatever else is lost.
        if state.end.is_none() && (state.loss.is_none() || process == 0) {
            state.loss = Some((process, why));
            self.note_stop(state, Stop::Lost(process as u16));
        }
    }

    /// A process is lost. Nothing happens if the work has ended.
    pub fn lose(&self, process: usize, why: &str) {
        let mut state = self.state();
        self.note_loss(&mut state, process, why.to_owned());
        let participant = state.participant.clone();
        drop(state);
        if let Some(participant) = participant.and_then(|participant| participant.upgrade()) {
            participant.pause();
        }
    }

    /// Registers the search that gets what other processes send to searches. Returns its number.
    pub(crate) fn enter(&self, participant: Weak<dyn Participant>) -> u64 {
        let mut state = self.state();
        state.participant = Some(participant);
        state.search += 1;
        state.current_search()
    }

    /// Sends a frame to a search of another process.
    pub(crate) fn send(&self, to: usize, search: u64, frame: &[u8], delivery: Delivery) {
        let mut out = Vec::with_capacity(frame.len() + 9);
        out.push(SEARCH);
        out.extend_from_slice(&search.to_le_bytes());
        out.extend_from_slice(frame);
        self.0.peers.send(to, out, delivery);
    }

    fn broadcast(&self, frame: &FlatWriter) {
        for process in (0..self.processes()).filter(|process| *process != self.number()) {
            self.0.peers.send(process, frame.0.clone(), Delivery::Urgent);
        }
    }

    /// Takes a frame that a process has sent.
    ///
    /// # Errors
    /// It is not one that this process could have sent.
    pub fn receive(&self, from: usize, frame: &[u8]) -> Result<(), Malformed> {
        let mut read = FlatReader::new(frame);
        match read.byte()? {
            CONTRIBUTION if self.number() == 0 && from < self.processes() => {
                let position = Position::read(&mut read)?;
                let bytes = read.bytes()?.to_vec();
                read.end()?;
                self.state().contributions[from].push_back((position, bytes));
                self.0.changed.notify_all();
            }
            GATHERED if from == 0 => {
                let position = Position::read(&mut read)?;
                let all = (0..self.processes()).map(|_| read.bytes().map(<[u8]>::to_vec)).collect::<Result<_, _>>()?;
                read.end()?;
                self.state().gathered.push_back((position, all));
                self.0.changed.notify_all();
            }
            SEARCH => {
                let search = read.number()?;
                let state = self.state();
                let (current, participant) = (state.current_search(), state.participant.clone());
                drop(state);
                if search > current {
                    return Err(Malformed);
                }
                if let Some(participant) =
                    participant.filter(|_| search == current).and_then(|participant| participant.upgrade())
                {
                    participant.receive(from, read)?;
                }
            }
            STOP if from == 0 => {
                let request = read.small()?;
                let mut state = self.state();
                state.stopped = state.stopped.max(request);
                let is_current = request == state.request;
                if is_current {
                    self.note_stop(&mut state, Stop::Interrupted);
                }
                let participant = state.participant.clone().filter(|_| is_current);
                drop(state);
                if let Some(participant) = participant.and_then(|participant| participant.upgrade()) {
                    participant.pause();
                }
            }
            END if from == 0 => {
                let how = if read.byte()? == 1 { Ending::Done } else { Ending::Unfinished };
                read.end()?;
                let mut state = self.state();
                state.end = Some(how);
                self.note_stop(&mut state, Stop::Interrupted);
            }
            _ => return Err(Malformed),
        }
        Ok(())
    }
}
