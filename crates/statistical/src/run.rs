//! A random run: races between processes.
//!
//! Every process draws a delay, and the shortest wins: time passes, and the winner starts a
//! transition. A delay is at least `first`, the first moment at which the process has an edge whose
//! guard holds. It is uniform from there to the end of its invariant if that bounds it, else
//! exponential with the rate of its location. Drawing from 0 on, and again whenever nothing is
//! possible at the moment that was drawn, as UPPAAL's documentation says, gives the same
//! distribution: both distributions have no memory of the time that has passed without a
//! transition. For the same reason a process may keep the moment that it has drawn, or draw again
//! after a transition of another one, as long as nothing changes for it.
//!
//! Time can't pass in committed and urgent locations, while an urgent synchronisation is possible,
//! and where an invariant ends. The processes that this concerns go first, and if none of them can,
//! any other; if nothing is possible at all, the run is time-locked.

mod ahead;
mod exact;
mod kept;
mod meter;

use model::{
    random::RunRandom,
    stochastic::{RealTerm, RunBound},
    system::EdgeId,
};

use crate::{
    choose::Chooser,
    grid::{Grid, Ticks},
    holding::Holding,
    network::Network,
    problem::{RunFault, RunProblem},
    state::{RunState, StateCopy},
    watch::Watch,
};
use ahead::Outlook;
use exact::Seats;
use kept::Record;
use meter::{Left, MAX_AT_ONCE, Meter};

pub use kept::{RecordedRun, Step};

/// The rate of locations for which none is written, as in UPPAAL.
const DEFAULT_RATE: f64 = 1.0;
/// The number of races between two looks at the signal that stops the work.
const POLL: u64 = 256;
/// The number of vain attempts to move in a state after which it is analysed.
const MAX_MISSES: u32 = 4;
/// How often a run waits as long as can be seen, if its bound is not one on time.
const MAX_IDLE: u32 = 64;
/// The number of transitions that a report of a problem has.
const LAST: usize = 3;

/// Makes runs of a network, one at a time.
pub struct Runner<'a> {
    network: &'a Network<'a>,
    state: RunState<'a>,
    chooser: Chooser,
    /// What each process can do: where all moments are known, and where they are looked for.
    seats: Seats,
    outlooks: Vec<Outlook>,
    /// Which edges of a location have conditions that hold.
    holding: Holding,
    /// The processes that could not move at this moment, if there are any.
    barred: Vec<bool>,
    has_barred: bool,
    /// How often a process could not move in this state although its guards held.
    misses: u32,
    /// The first moment at which each process can move, if that was computed exactly.
    exact: Option<Vec<Option<Ticks>>>,
    /// The processes that the next one to move is chosen from.
    ready: Vec<usize>,
    /// The last transitions; number `i` of the run is at `i % LAST`.
    last: Vec<(Ticks, Vec<EdgeId>)>,
    /// The number of transitions in this run.
    made: usize,
    /// The delays that processes have drawn as shares of what is possible.
    shares: Vec<Option<f64>>,
    /// All transitions, if they are recorded.
    record: Option<Record>,
    /// The number of races, to look at the signal from time to time.
    races: u64,
}

impl<'a> Runner<'a> {
    /// Creates a runner.
    #[must_use]
    pub fn new(network: &'a Network<'a>, grid: Grid) -> Runner<'a> {
        let processes = network.system.processes.len();
        Runner {
            network,
            state: RunState::new(network, grid),
            chooser: Chooser::default(),
            seats: Seats::new(processes),
            outlooks: vec![Outlook::default(); processes],
            holding: Holding::new(network),
            barred: vec![false; processes],
            has_barred: false,
            misses: 0,
            exact: None,
            ready: Vec::new(),
            last: vec![(0, Vec::new()); LAST],
            made: 0,
            shares: Vec::new(),
            record: None,
            races: 0,
        }
    }

    /// Makes a run until it is decided, or to its bound.
    /// Returns the number of its transitions.
    pub(crate) fn run(
        &mut self,
        numbers: (u64, u64),
        bound: &RunBound,
        watch: &mut dyn Watch,
    ) -> Result<u64, RunProblem> {
        self.run_from(None, numbers, bound, watch)
    }

    /// Makes a run from a state on, or from the initial one, until it is decided, or to its bound.
    /// Returns the number of its transitions, with those before the state.
    pub(crate) fn run_from(
        &mut self,
        start: Option<&StateCopy>,
        (seed, number): (u64, u64),
        bound: &RunBound,
        watch: &mut dyn Watch,
    ) -> Result<u64, RunProblem> {
        let mut random = RunRandom::new(seed, number);
        self.made = 0;
        match self.make(start, &mut random, (seed, number), bound, watch) {
            Ok(()) => Ok(self.state.steps),
            Err(fault) => Err(self.problem(number, fault)),
        }
    }

    fn problem(&self, run: u64, fault: RunFault) -> RunProblem {
        let at = |ticks: Ticks| self.state.grid.time(ticks);
        let last = (self.made.saturating_sub(LAST)..self.made).map(|i| &self.last[i % LAST]);
        let last = last.map(|(t, edges)| (at(*t), edges.clone()));
        RunProblem { run, fault, time: at(self.state.time), steps: self.state.steps, last: last.collect() }
    }

    fn make(
        &mut self,
        start: Option<&StateCopy>,
        random: &mut RunRandom,
        numbers: (u64, u64),
        bound: &RunBound,
        watch: &mut dyn Watch,
    ) -> Result<(), RunFault> {
        match start {
            None => self.state.start(numbers)?,
            Some(copy) => self.state.resume(copy, numbers)?,
        }
        self.seats.forget_all();
        self.free_all();
        let mut meter = Meter::new(bound, self.state.grid);
        loop {
            let Some(left) = meter.left(&mut self.state)? else { return Ok(()) };
            if left == Left::LastState {
                watch.look(&mut self.state, Some(0))?;
                return Ok(());
            }
            match self.step(random, left, watch)? {
                Next::Over => return Ok(()),
                Next::Waited => {}
                Next::Transition => {
                    if !self.network.is_hybrid {
                        self.seats.forget(self.state.changed, &self.state.affected);
                    }
                    self.note_step();
                }
            }
        }
    }

    /// Keeps the last transitions, or all of them.
    fn note_step(&mut self) {
        let (time, edges) = (self.state.time, &self.chooser.chosen);
        let last = &mut self.last[self.made % LAST];
        last.0 = time;
        last.1.clone_from(edges);
        self.made += 1;
        if let Some(record) = &mut self.record {
            record.steps.push((time - record.before, edges.clone()));
            record.draws.push(self.state.machine.environment.drawn.clone());
            record.before = time;
        }
    }

    /// Lets time pass and one process move.
    fn step(&mut self, random: &mut RunRandom, left: Left, watch: &mut dyn Watch) -> Result<Next, RunFault> {
        if self.misses > 0 {
            // What was found out about processes takes account of vain attempts.
            self.seats.forget_all();
            self.free_all();
            (self.misses, self.exact) = (0, None);
        }
        let (mut left, at_end) = match left {
            Left::Delay(left) => (Some(left), Next::Over),
            Left::AtLeast(left) => (Some(left), Next::Waited),
            Left::Unbounded | Left::LastState => (None, Next::Over),
        };
        let (mut vain, mut idle) = (0, 0);
        loop {
            self.races += 1;
            if self.races.is_multiple_of(POLL)
                && let Some(stop) = self.network.system.code.stopped()
            {
                return Err(RunFault::Stopped(stop));
            }
            let Race { latest, winner: raced, seen } =
                if self.network.is_hybrid { self.race_ahead(random, left)? } else { self.race_exactly(random)? };
            let (delay, winner) = match (raced, latest) {
                (Some((delay, winner)), _) => (delay, Some(winner)),
                // Nobody moves before time may not pass any more.
                (None, Some(latest)) => (latest, None),
                // Nothing happens as far as can be seen.
                (None, None) => match (seen, left) {
                    (Some(seen), Some(left)) if seen < left => (seen, None),
                    (Some(seen), None) if idle < MAX_IDLE => {
                        idle += 1;
                        (seen, None)
                    }
                    (_, Some(left)) if at_end == Next::Waited => (left, None),
                    _ => {
                        watch.look(&mut self.state, left)?;
                        return Ok(Next::Over);
                    }
                },
            };
            if let Some(end) = left.filter(|left| *left < delay) {
                let decided = watch.look(&mut self.state, Some(end))?;
                if at_end == Next::Waited && !decided {
                    self.state.wait(end)?;
                    return Ok(Next::Waited);
                }
                return Ok(Next::Over);
            }
            if watch.look(&mut self.state, Some(delay))? {
                return Ok(Next::Over);
            }
            self.state.wait(delay)?;
            left = left.map(|left| left - delay);
            if delay > 0 {
                self.free_all();
            }
            match winner {
                Some(process) => {
                    if self.act(random, process)? {
                        return Ok(Next::Transition);
                    }
                    (self.barred[process], self.has_barred) = (true, true);
                    self.miss(process);
                    vain += 1;
                    if vain > MAX_AT_ONCE {
                        return Err(RunFault::Vain(vain));
                    }
                }
                None if latest == Some(0) => match self.act_at_once(random) {
                    // The run is over, so it does not matter that it can't go on.
                    Err(RunFault::TimeLock) if left == Some(0) && at_end == Next::Over => return Ok(Next::Over),
                    done => return done.map(|()| Next::Transition),
                },
                None if at_end == Next::Waited && left == Some(0) => return Ok(Next::Waited),
                None => {}
            }
        }
    }

    /// Lets processes try to move again.
    #[inline]
    fn free_all(&mut self) {
        if self.has_barred {
            self.barred.fill(false);
            self.has_barred = false;
        }
    }

    /// Lets a process take a transition now. Returns whether it has one.
    fn act(&mut self, random: &mut RunRandom, process: usize) -> Result<bool, RunFault> {
        let offers = if self.network.is_hybrid { None } else { Some(self.seats.offers(process)) };
        self.chooser.act(&mut self.state, random, process, offers)
    }

    /// Returns the rate at which a process moves, where nothing bounds its delay.
    fn rate(&mut self, process: usize) -> Result<f64, RunFault> {
        let location = self.state.location(process);
        match self.network.place(location).rate {
            None if self.network.common.is_some_and(|common| common.0 as usize == process) => {
                // The shortest of several delays with rate 1.
                let mut count = 0.0;
                for output in &self.network.place(location).outputs {
                    count += f64::from(u8::from(self.state.is_enabled(output.edge)?));
                }
                Ok(count.max(1.0))
            }
            None => Ok(DEFAULT_RATE),
            Some(RealTerm::Number(rate)) if *rate > 0.0 => Ok(*rate),
            Some(term) => {
                let rate = self.state.value(term, 0)?;
                if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(RunFault::Rate(location, rate)) }
            }
        }
    }

    /// Lets a process move at a moment at which time may not pass: one that has to, else any other.
    fn act_at_once(&mut self, random: &mut RunRandom) -> Result<(), RunFault> {
        for must in [true, false] {
            self.ready.clear();
            for process in 0..self.barred.len() {
                let standing = if self.network.is_hybrid {
                    self.outlooks[process].standing()
                } else {
                    self.seats.standing(process, self.state.time)
                };
                if standing == (true, must) {
                    self.ready.push(process);
                }
            }
            while !self.ready.is_empty() {
                let at = if self.ready.len() == 1 { 0 } else { random.below(self.ready.len() as u64) as usize };
                let process = self.ready.remove(at);
                if self.act(random, process)? {
                    return Ok(());
                }
            }
        }
        Err(RunFault::TimeLock)
    }
}

/// What a race has shown.
#[derive(Clone, Copy, Debug)]
struct Race {
    /// The last delay that is allowed, if there is one.
    latest: Option<Ticks>,
    /// The shortest delay, if it is allowed, with its process.
    winner: Option<(Ticks, usize)>,
    /// What happens is known up to here only.
    seen: Option<Ticks>,
}

/// How a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// By a transition, which was taken.
    Transition,
    /// By time, which has passed.
    Waited,
    /// Not at all: it is decided, or has reached its bound.
    Over,
}
