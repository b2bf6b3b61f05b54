//! A random run: races between processes.
//!
//! Every process draws a delay, and the shortest wins: time passes, and the winner starts a
//! transition. A delay is at least `first`, the first moment at which the process has an edge whose
//! guard holds. It is uniform from there to the end of its invariant if that bounds it, else
//! exponential with the rate of its location. Drawing from 0 on, and again whenever nothing is
//! possible at the moment that was drawn, as UPPAAL's documentation says, gives the same
//! distribution: both distributions have no memory of the time that has passed without a
//! transition. For the same reason all processes draw again after each transition.
//!
//! Time can't pass in committed and urgent locations, while an urgent synchronisation is possible,
//! and where an invariant ends. The processes that this concerns go first, and if none of them can,
//! any other; if nothing is possible at all, the run is time-locked.

use model::{
    Ratio,
    machine::Fault,
    replay::ConcreteState,
    simulate::Simulator,
    stochastic::{RealTerm, RunBound, RunMeasure},
    system::{EdgeId, LocationId},
};

use crate::{
    choose::Chooser,
    grid::{Grid, Ticks},
    network::{Network, OutputKind},
    problem::{RunFault, RunProblem},
    random::RunRandom,
    state::RunState,
    watch::Watch,
};

/// The number of transitions without any time passing after which a run is taken to be a Zeno run.
const MAX_AT_ONCE: u64 = 1_000_000;
/// The number of transitions after which a run is given up if the clock that bounds it has not
/// grown.
const MAX_WITHOUT_GROWTH: u64 = 10_000_000;
/// The rate of locations for which none is written, as in UPPAAL.
const DEFAULT_RATE: f64 = 1.0;
/// The number of races between two looks at the signal that stops the work.
const POLL: u64 = 256;
/// The number of vain attempts to move in a state after which it is analysed.
const MAX_MISSES: u32 = 4;
/// The number of transitions that a report of a problem has.
const LAST: usize = 3;

/// What a process can do, in delays from now.
#[derive(Clone, Copy, Debug, Default)]
struct Outlook {
    /// The first moment at which it can start a transition.
    first: Option<Ticks>,
    /// The end of its invariant.
    end: Option<Ticks>,
    /// The first moment at which it can start an urgent transition.
    urgent: Option<Ticks>,
    /// Whether its location is committed or urgent.
    is_urgent: bool,
}

impl Outlook {
    /// Returns whether it must move now if it can.
    fn is_due(&self) -> bool {
        self.is_urgent || self.end == Some(0) || self.urgent == Some(0)
    }
}

/// A transition of a run, with the delay before it.
pub type Step = (Ticks, Vec<EdgeId>);

/// A run that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// Its transitions.
    pub steps: Vec<Step>,
    /// The delay after the last one.
    pub last_delay: Ticks,
    /// Why it has ended before its bound, if it has.
    pub problem: Option<RunProblem>,
}

/// Makes runs of a network, one at a time.
pub struct Runner<'a> {
    network: &'a Network<'a>,
    state: RunState<'a>,
    chooser: Chooser,
    outlooks: Vec<Outlook>,
    /// The processes that could not move at this moment.
    barred: Vec<bool>,
    /// How often a process could not move in this state although its guards held.
    misses: u32,
    /// The first moment at which each process can move, if that was computed exactly.
    exact: Option<Vec<Option<Ticks>>>,
    /// The processes that the next one to move is chosen from.
    ready: Vec<usize>,
    /// The last transitions, in a ring.
    last: Vec<(Ticks, Vec<EdgeId>)>,
    /// All transitions, if they are recorded, and the moment of the last one.
    record: Option<(Vec<Step>, Ticks)>,
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
            outlooks: vec![Outlook::default(); processes],
            barred: vec![false; processes],
            misses: 0,
            exact: None,
            ready: Vec::new(),
            last: Vec::new(),
            record: None,
            races: 0,
        }
    }

    /// Makes a run until it is decided, or to its bound.
    /// Returns the number of its transitions.
    pub(crate) fn run(
        &mut self,
        (seed, number): (u64, u64),
        bound: &RunBound,
        watch: &mut dyn Watch,
    ) -> Result<u64, RunProblem> {
        let mut random = RunRandom::new(seed, number);
        self.last.clear();
        match self.make(&mut random, bound, watch) {
            Ok(()) => Ok(self.state.steps),
            Err(fault) => Err(self.problem(number, fault)),
        }
    }

    /// Makes a run to its bound, and keeps its transitions.
    pub fn recorded(&mut self, seed: u64, number: u64, bound: &RunBound) -> RecordedRun {
        self.record = Some(Default::default());
        let mut passed = Passed::default();
        let problem = self.run((seed, number), bound, &mut passed).err();
        let (steps, _) = self.record.take().unwrap_or_default();
        RecordedRun { steps, last_delay: passed.delay, problem }
    }

    fn problem(&self, run: u64, fault: RunFault) -> RunProblem {
        let at = |ticks: Ticks| self.state.grid.time(ticks);
        let count = self.last.len();
        // The ring starts after the place that was written last.
        let first = if count < LAST { 0 } else { (self.state.steps % LAST as u64) as usize };
        let last = (0..count).map(|i| &self.last[(first + i) % count]).map(|(t, edges)| (at(*t), edges.clone()));
        RunProblem { run, fault, time: at(self.state.time), steps: self.state.steps, last: last.collect() }
    }

    fn make(&mut self, random: &mut RunRandom, bound: &RunBound, watch: &mut dyn Watch) -> Result<(), RunFault> {
        self.state.start()?;
        let mut meter = Meter::new(bound);
        loop {
            let Some(left) = meter.left(&mut self.state)? else { return Ok(()) };
            if left == Left::LastState {
                watch.look(&mut self.state, Some(0))?;
                return Ok(());
            }
            if !self.step(random, left, watch)? {
                return Ok(());
            }
            self.note_step();
        }
    }

    /// Keeps the last transitions, or all of them.
    fn note_step(&mut self) {
        let (time, edges) = (self.state.time, &self.chooser.chosen);
        if self.last.len() < LAST {
            self.last.push((time, edges.clone()));
        } else {
            let at = ((self.state.steps - 1) % LAST as u64) as usize;
            self.last[at].0 = time;
            self.last[at].1.clone_from(edges);
        }
        if let Some((record, before)) = &mut self.record {
            record.push((time - *before, edges.clone()));
            *before = time;
        }
    }

    /// Lets time pass and one process move. Returns `false` if the run is decided, or ends before.
    fn step(&mut self, random: &mut RunRandom, left: Left, watch: &mut dyn Watch) -> Result<bool, RunFault> {
        self.barred.fill(false);
        (self.misses, self.exact) = (0, None);
        let mut left = match left {
            Left::Delay(left) => Some(left),
            Left::Unbounded | Left::LastState => None,
        };
        loop {
            self.races += 1;
            if self.races.is_multiple_of(POLL)
                && let Some(stop) = self.network.system.code.stopped()
            {
                return Err(RunFault::Stopped(stop));
            }
            let latest = self.look_ahead()?;
            let (delay, winner) = match latest {
                Some(0) => (0, None),
                _ => match self.race(random, latest)? {
                    Some((delay, winner)) => (delay, Some(winner)),
                    // Nobody moves before time may not pass any more.
                    None => match latest {
                        Some(latest) => (latest, None),
                        None => {
                            watch.look(&mut self.state, left)?;
                            return Ok(false);
                        }
                    },
                },
            };
            if let Some(end) = left.filter(|left| *left < delay) {
                watch.look(&mut self.state, Some(end))?;
                return Ok(false);
            }
            if watch.look(&mut self.state, Some(delay))? {
                return Ok(false);
            }
            self.state.wait(delay)?;
            left = left.map(|left| left - delay);
            if delay > 0 {
                self.barred.fill(false);
            }
            match winner {
                Some(process) => {
                    if self.chooser.act(&mut self.state, random, process)? {
                        return Ok(true);
                    }
                    self.barred[process] = true;
                    self.miss();
                }
                None if latest == Some(0) => match self.act_at_once(random) {
                    // The run is over, so it does not matter that it can't go on.
                    Err(RunFault::TimeLock) if left == Some(0) => return Ok(false),
                    done => return done.map(|()| true),
                },
                None => {}
            }
        }
    }

    /// Finds out what all processes can do. Returns the last delay that is allowed, if there is
    /// one.
    fn look_ahead(&mut self) -> Result<Option<Ticks>, RunFault> {
        let mut latest: Option<Ticks> = None;
        for process in 0..self.outlooks.len() {
            let outlook = self.outlook(process)?;
            let stops = if outlook.is_urgent { Some(0) } else { None };
            for end in [outlook.end, outlook.urgent, stops].into_iter().flatten() {
                latest = Some(latest.map_or(end, |latest| latest.min(end)));
            }
            self.outlooks[process] = outlook;
        }
        Ok(latest)
    }

    fn outlook(&mut self, process: usize) -> Result<Outlook, Fault> {
        let (network, state) = (self.network, &mut self.state);
        let system = network.system;
        let location = state.location(process);
        let place = &system.locations[location.0 as usize];
        let mut outlook = Outlook {
            first: None,
            end: state.end_of_invariant(location)?,
            urgent: None,
            is_urgent: place.urgent || place.committed,
        };
        let note = |at: Ticks, first: &mut Option<Ticks>| *first = Some(first.map_or(at, |first| first.min(at)));
        for output in &network.place(location).outputs {
            let Some(sends) = state.guard(&system.edges[output.edge.0 as usize].guard)? else { continue };
            let OutputKind::Binary(channel) = output.kind else {
                note(sends.from, &mut outlook.first);
                if output.urgent {
                    note(sends.from, &mut outlook.urgent);
                }
                continue;
            };
            for other in (0..system.processes.len()).filter(|other| *other != process) {
                for &receive in system.receiving(state.location(other), channel) {
                    let receives = state.guard(&system.edges[receive.0 as usize].guard)?;
                    if let Some(both) = receives.and_then(|receives| receives.and(sends)) {
                        note(both.from, &mut outlook.first);
                        if output.urgent {
                            note(both.from, &mut outlook.urgent);
                        }
                    }
                }
            }
        }
        if let Some(exact) = &self.exact {
            outlook.first = exact[process].map(|at| (at - state.time).max(0));
        }
        // What was tried at this moment, and is not possible, may be so a little later.
        if self.barred[process] {
            outlook.first = outlook.first.map(|first| first.max(1));
        }
        Ok(outlook)
    }

    /// Notes that a process could not move: the targets of its edges do not allow it, or others go
    /// first. If that happens often, all moments at which something is possible are computed, so
    /// that nobody tries in vain for ever.
    fn miss(&mut self) {
        self.misses += 1;
        if self.misses < MAX_MISSES || self.network.has_other_rates {
            return;
        }
        let (state, system) = (&self.state, self.network.system);
        let clocks: Option<Vec<Ratio>> = state.clocks.iter().map(|value| state.grid.ratio(*value)).collect();
        let Some(clocks) = clocks else { return };
        let here = ConcreteState { row: state.machine.row().to_vec(), clocks };
        let Ok(situation) = Simulator::new(system).situation(&here) else { return };
        let mut first: Vec<Option<Ticks>> = vec![None; self.outlooks.len()];
        for choice in &situation.choices {
            let process = system.edges[choice.edges[0].0 as usize].process.0 as usize;
            let intervals = choice.delays.intervals().iter();
            let starts = intervals.filter_map(|interval| state.grid.first_after(interval.from));
            first[process] = starts.chain(first[process]).min();
        }
        let at = |delay: Ticks| state.time.saturating_add(delay);
        self.exact = Some(first.into_iter().map(|first| first.map(at)).collect());
    }

    /// Lets each process draw a delay. Returns the shortest and who has drawn it, if it is allowed.
    fn race(&mut self, random: &mut RunRandom, latest: Option<Ticks>) -> Result<Option<(Ticks, usize)>, RunFault> {
        let mut shortest: Option<Ticks> = None;
        self.ready.clear();
        for process in 0..self.outlooks.len() {
            let Some(delay) = self.draw(random, process)? else { continue };
            if shortest.is_none_or(|shortest| delay < shortest) {
                shortest = Some(delay);
                self.ready.clear();
            }
            if shortest == Some(delay) {
                self.ready.push(process);
            }
        }
        let Some(delay) = shortest.filter(|delay| latest.is_none_or(|latest| *delay <= latest)) else {
            return Ok(None);
        };
        let winner = match self.ready[..] {
            [only] => only,
            _ => self.ready[random.below(self.ready.len() as u64) as usize],
        };
        Ok(Some((delay, winner)))
    }

    /// Draws the delay of a process; `None` if it can't move.
    fn draw(&mut self, random: &mut RunRandom, process: usize) -> Result<Option<Ticks>, RunFault> {
        let Outlook { first: Some(first), end, urgent, .. } = self.outlooks[process] else { return Ok(None) };
        let drawn = match end {
            Some(end) if end < first => return Ok(None),
            Some(end) => first + random.below((end - first) as u64 + 1) as Ticks,
            None => {
                let rate = self.rate(self.state.location(process))?;
                let delay = random.exponential() / rate;
                first.saturating_add(self.state.grid.floor(delay))
            }
        };
        Ok(Some(urgent.map_or(drawn, |urgent| drawn.min(urgent.max(first)))))
    }

    /// Returns the rate of a location.
    fn rate(&mut self, location: LocationId) -> Result<f64, RunFault> {
        match self.network.place(location).rate {
            None => Ok(DEFAULT_RATE),
            Some(RealTerm::Number(rate)) => Ok(*rate),
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
            let ready = (0..self.outlooks.len()).filter(|process| {
                let outlook = &self.outlooks[*process];
                outlook.first == Some(0) && outlook.is_due() == must
            });
            self.ready.extend(ready);
            while !self.ready.is_empty() {
                let at = if self.ready.len() == 1 { 0 } else { random.below(self.ready.len() as u64) as usize };
                let process = self.ready.remove(at);
                if self.chooser.act(&mut self.state, random, process)? {
                    return Ok(());
                }
            }
        }
        Err(RunFault::TimeLock)
    }
}

/// What is left of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// This much time.
    Delay(Ticks),
    /// Any time, as things are now.
    Unbounded,
    /// The state that was just entered, and no time in it.
    LastState,
}

/// Measures a run against its bound, and notices runs that never reach it.
struct Meter<'b> {
    bound: &'b RunBound,
    /// What was measured when it last grew, and the number of transitions then.
    grown: (Ticks, u64),
}

impl Meter<'_> {
    fn new(bound: &RunBound) -> Meter<'_> {
        Meter { bound, grown: (Ticks::MIN, 0) }
    }

    /// Returns what is left of the run; `None` if it has ended.
    fn left(&mut self, state: &mut RunState<'_>) -> Result<Option<Left>, RunFault> {
        let limit = state.grid.floor(self.bound.limit);
        match self.bound.measure {
            RunMeasure::Steps => {
                let is_last = state.steps as f64 >= self.bound.limit.floor();
                Ok(Some(if is_last { Left::LastState } else { Left::Unbounded }))
            }
            RunMeasure::Time { .. } => {
                if self.has_stalled(state.time, state.steps, MAX_AT_ONCE) {
                    return Err(RunFault::Zeno(MAX_AT_ONCE));
                }
                Ok((state.time <= limit).then(|| Left::Delay(limit - state.time)))
            }
            RunMeasure::Clock(clock) => {
                let clock = state.clock(clock)?;
                let (value, rate) = (state.clocks[clock], i64::from(state.rate_of(clock)));
                if self.has_stalled(value, state.steps, MAX_WITHOUT_GROWTH) {
                    return Err(RunFault::Endless(MAX_WITHOUT_GROWTH));
                }
                if value > limit {
                    return Ok(None);
                }
                Ok(Some(if rate > 0 { Left::Delay((limit - value) / rate) } else { Left::Unbounded }))
            }
        }
    }

    fn has_stalled(&mut self, value: Ticks, steps: u64, most: u64) -> bool {
        if value > self.grown.0 {
            self.grown = (value, steps);
        }
        steps - self.grown.1 > most
    }
}

/// Measures the time since the last transition.
#[derive(Default)]
struct Passed {
    delay: Ticks,
    /// The number of transitions before the delay.
    steps: u64,
}

impl Watch for Passed {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        if self.steps != state.steps {
            (self.delay, self.steps) = (0, state.steps);
        }
        self.delay += delay.unwrap_or(0);
        Ok(false)
    }
}
