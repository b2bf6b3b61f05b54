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

mod ahead;
mod kept;
mod meter;

use model::{
    Ratio,
    machine::Fault,
    random::RunRandom,
    replay::ConcreteState,
    simulate::Simulator,
    stochastic::{RealTerm, RunBound},
    system::{EdgeId, LocationId},
};

use crate::{
    choose::Chooser,
    grid::{Grid, Ticks},
    network::{Network, OutputKind},
    problem::{RunFault, RunProblem},
    state::{RunState, StateCopy},
    watch::Watch,
};
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
    /// Whether the end was looked for up to a horizon only, and may be later.
    is_open: bool,
}

impl Outlook {
    /// Returns whether it must move now if it can.
    fn is_due(&self) -> bool {
        self.is_urgent || self.end == Some(0) || self.urgent == Some(0)
    }
}

/// An outlook in moments of the run, as long as nothing changes that it depends on.
#[derive(Clone, Copy, Debug)]
struct KeptOutlook {
    /// With moments instead of delays.
    outlook: Outlook,
    /// The last moment at which it is right.
    until: Ticks,
}

/// Makes runs of a network, one at a time.
pub struct Runner<'a> {
    network: &'a Network<'a>,
    state: RunState<'a>,
    chooser: Chooser,
    outlooks: Vec<Outlook>,
    /// Those that are still right.
    kept: Vec<Option<KeptOutlook>>,
    /// The processes that could not move at this moment.
    barred: Vec<bool>,
    /// How often a process could not move in this state although its guards held.
    misses: u32,
    /// The first moment at which each process can move, if that was computed exactly.
    exact: Option<Vec<Option<Ticks>>>,
    /// The processes that the next one to move is chosen from.
    ready: Vec<usize>,
    /// The last transitions, in their order.
    last: Vec<(Ticks, Vec<EdgeId>)>,
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
            outlooks: vec![Outlook::default(); processes],
            kept: vec![None; processes],
            barred: vec![false; processes],
            misses: 0,
            exact: None,
            ready: Vec::new(),
            last: Vec::new(),
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
        self.last.clear();
        match self.make(start, &mut random, (seed, number), bound, watch) {
            Ok(()) => Ok(self.state.steps),
            Err(fault) => Err(self.problem(number, fault)),
        }
    }

    fn problem(&self, run: u64, fault: RunFault) -> RunProblem {
        let at = |ticks: Ticks| self.state.grid.time(ticks);
        let last = self.last.iter().map(|(t, edges)| (at(*t), edges.clone()));
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
        self.kept.fill(None);
        let mut meter = Meter::new(bound);
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
                    self.forget_changed();
                    self.note_step();
                }
            }
        }
    }

    /// Keeps the last transitions, or all of them.
    fn note_step(&mut self) {
        let (time, edges) = (self.state.time, &self.chooser.chosen);
        if self.last.len() < LAST {
            self.last.push((time, edges.clone()));
        } else {
            self.last.rotate_left(1);
            self.last[LAST - 1].0 = time;
            self.last[LAST - 1].1.clone_from(edges);
        }
        if let Some(record) = &mut self.record {
            record.steps.push((time - record.before, edges.clone()));
            record.draws.push(self.state.machine.environment.drawn.clone());
            record.before = time;
        }
    }

    /// Lets time pass and one process move.
    fn step(&mut self, random: &mut RunRandom, left: Left, watch: &mut dyn Watch) -> Result<Next, RunFault> {
        self.barred.fill(false);
        (self.misses, self.exact) = (0, None);
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
                self.barred.fill(false);
            }
            match winner {
                Some(process) => {
                    if self.chooser.act(&mut self.state, random, process)? {
                        return Ok(Next::Transition);
                    }
                    self.barred[process] = true;
                    self.miss();
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

    /// Lets the processes race where all moments are known.
    fn race_exactly(&mut self, random: &mut RunRandom) -> Result<Race, RunFault> {
        let latest = self.look_ahead()?;
        let raced = if latest == Some(0) { None } else { self.race(random, latest)? };
        Ok(Race { latest, winner: raced, seen: None })
    }

    /// Finds out what all processes can do. Returns the last delay that is allowed, if there is
    /// one.
    fn look_ahead(&mut self) -> Result<Option<Ticks>, RunFault> {
        let mut latest: Option<Ticks> = None;
        for process in 0..self.outlooks.len() {
            let outlook = self.current_outlook(process)?;
            let stops = if outlook.is_urgent { Some(0) } else { None };
            for end in [outlook.end, outlook.urgent, stops].into_iter().flatten() {
                latest = Some(latest.map_or(end, |latest| latest.min(end)));
            }
            self.outlooks[process] = outlook;
        }
        Ok(latest)
    }

    /// Drops the outlooks that the last transition may have changed.
    fn forget_changed(&mut self) {
        if self.network.is_hybrid {
            return;
        }
        let changed = self.state.changed();
        for process in 0..self.kept.len() {
            let reads = self.network.place(self.state.location(process)).reads;
            if reads.is_none_or(|reads| reads.slots & changed.slots != 0 || reads.clocks & changed.clocks != 0) {
                self.kept[process] = None;
            }
        }
        for e in &self.chooser.chosen {
            self.kept[self.network.system.edges[e.0 as usize].process.0 as usize] = None;
        }
    }

    fn current_outlook(&mut self, process: usize) -> Result<Outlook, Fault> {
        let now = self.state.time;
        let moved = |outlook: Outlook, by: Ticks| {
            let at = |moment: Option<Ticks>| moment.map(|moment| (moment + by).max(0));
            Outlook { first: at(outlook.first), end: at(outlook.end), urgent: at(outlook.urgent), ..outlook }
        };
        let mut outlook = match self.kept[process] {
            Some(kept) if now <= kept.until => moved(kept.outlook, -now),
            _ => {
                let (outlook, last) = self.outlook(process)?;
                let is_steady = self.network.place(self.state.location(process)).reads.is_some();
                let kept = || KeptOutlook { outlook: moved(outlook, now), until: now.saturating_add(last) };
                self.kept[process] = is_steady.then(kept);
                outlook
            }
        };
        if let Some(exact) = &self.exact {
            outlook.first = exact[process].map(|at| (at - now).max(0));
        }
        // What was tried at this moment, and is not possible, may be so a little later.
        if self.barred[process] {
            outlook.first = outlook.first.map(|first| first.max(1));
        }
        Ok(outlook)
    }

    /// Returns what a process can do, and the last delay after which that is the same.
    fn outlook(&mut self, process: usize) -> Result<(Outlook, Ticks), Fault> {
        let (network, state) = (self.network, &mut self.state);
        let system = network.system;
        let location = state.location(process);
        let place = &system.locations[location.0 as usize];
        let mut outlook = Outlook {
            first: None,
            end: state.end_of_invariant(location)?,
            urgent: None,
            is_urgent: place.urgent || place.committed,
            is_open: false,
        };
        let note = |at: Ticks, first: &mut Option<Ticks>| *first = Some(first.map_or(at, |first| first.min(at)));
        let mut last = Ticks::MAX;
        for output in &network.place(location).outputs {
            let Some(sends) = state.guard(&system.edges[output.edge.0 as usize].guard)? else { continue };
            last = last.min(sends.to.unwrap_or(last));
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
        Ok((outlook, last))
    }

    /// Notes that a process could not move: the targets of its edges do not allow it, or others go
    /// first. If that happens often, all moments at which something is possible are computed, so
    /// that nobody tries in vain for ever.
    fn miss(&mut self) {
        self.misses += 1;
        if self.misses < MAX_MISSES || self.network.has_other_rates || self.network.is_hybrid {
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
            None if self.network.common == Some(self.network.system.locations[location.0 as usize].process) => {
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
