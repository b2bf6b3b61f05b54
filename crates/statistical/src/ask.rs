//! From a query to what is measured.

use explore::cluster::{Cluster, FlatReader, FlatWriter, Malformed};
use model::{
    Stop,
    replay::{TimedStep, Trace},
    stochastic::{Measurement, PathGoal, PathProperty, RealTerm, RunBound, RunFormula, StochasticSystem},
    system::{ClockConstraint, ClockTerm, LocationId, Operand},
};

use crate::{
    grid::Grid,
    histogram::Histogram,
    interval::{Confidence, Sequential, clopper_pearson},
    mean::Mean,
    network::{DISCRETIZATION, Network},
    problem::RunProblem,
    run::Runner,
    sent::Sent,
    split::Splitting,
    wald::{Comparison, RatioTest},
    watch::{ExtremeWatch, PathWatch, Samples, Trajectory},
    work::{Amount, make_runs},
};

/// How runs are made, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The probability that an interval does not contain the true value, or that a test finds no
    /// where yes is true.
    pub alpha: f64,
    /// The probability that a test finds yes where no is true.
    pub beta: f64,
    /// How far the ends of an interval may be from the share of successes.
    pub epsilon: f64,
    /// How far from its threshold a test decides nothing.
    pub delta: f64,
    /// The ratio of odds up to which a comparison says no, and from which on it says yes.
    pub ratios: (f64, f64),
    /// The distance of samples of what is not linear in time, in time units.
    pub discretization: f64,
    /// The number of runs, where a query does not say it.
    pub runs: Option<u64>,
    /// The seed of random numbers.
    pub seed: u64,
    /// The number of threads of this process.
    pub threads: usize,
    /// The processes that make the runs, if there are several. They have begun the same request.
    pub cluster: Option<Cluster>,
    /// The most memory that kept runs may take, in bytes.
    pub bytes: Option<usize>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            alpha: 0.05,
            beta: 0.05,
            epsilon: 0.05,
            delta: 0.01,
            ratios: (0.9, 1.1),
            discretization: DISCRETIZATION,
            runs: None,
            seed: 0,
            threads: 1,
            cluster: None,
            bytes: None,
        }
    }
}

/// The number of runs of a mean, if neither the query nor an option says it.
const MEAN_RUNS: u64 = 1000;
/// The number of pairs of runs after which a comparison is given up.
const MAX_PAIRS: u64 = 1_000_000;

/// The number of runs of a simulation that each thread makes before those that are kept are
/// counted.
const SIMULATED_AT_ONCE: u64 = 64;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// The probability of a property.
    Probability(Share),
    /// Whether a probability is beyond a threshold; `None`: that is undecided.
    Test {
        /// The verdict.
        holds: Option<bool>,
        /// The runs so far.
        share: Share,
    },
    /// Whether a probability is at least another one; `None`: that is undecided.
    Comparison {
        /// The verdict.
        holds: Option<bool>,
        /// The runs of both.
        shares: [Share; 2],
    },
    /// The probability of a rare event.
    Splitting(Splitting),
    /// The mean of extreme values.
    Mean {
        /// The values.
        mean: Mean,
        /// Half of the width of the interval; `None`: there are too few runs.
        deviation: Option<f64>,
    },
    /// Values along runs.
    Simulation {
        /// The runs that are kept.
        runs: Vec<KeptRun>,
        /// The number of runs that were made.
        made: u64,
        /// How many runs have reached the condition, if there is one.
        reached: Option<Share>,
    },
}

/// The share of runs with a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The number of runs with the property.
    pub successes: u64,
    /// The number of runs.
    pub runs: u64,
    /// The interval for the probability.
    pub interval: Confidence,
}

/// The values of expressions along a run that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// The number of the run.
    pub number: u64,
    /// The values where they change, or where their slope does.
    pub samples: Samples,
}

impl Share {
    /// Returns the share of runs that were successful, with the interval of Clopper and Pearson.
    #[must_use]
    pub fn new(successes: u64, runs: u64, alpha: f64) -> Share {
        let interval =
            if runs == 0 { Confidence { low: 0.0, high: 1.0 } } else { clopper_pearson(successes, runs, alpha) };
        Share { successes, runs, interval }
    }
}

/// The answer to a statistical query.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// What was measured.
    pub measured: Measured,
    /// How the moments are distributed at which runs reached what a probability asks for, or
    /// violated it if it is that something always holds; in units of what bounds the runs. Two of a
    /// comparison. Of a mean: how the values are.
    pub distributions: Vec<Histogram>,
    /// The first of these runs, of a query about one probability.
    pub first: Option<u64>,
    /// What has stopped the work before there were enough runs.
    pub stopped: Option<Stop>,
    /// The number of transitions of all runs.
    pub steps: u64,
}

impl Findings {
    /// Returns findings about complete work, of which nothing else is known.
    #[must_use]
    pub fn of(measured: Measured) -> Findings {
        Findings { measured, distributions: Vec::new(), first: None, stopped: None, steps: 0 }
    }
}

/// Prepares a system for runs with these settings.
pub(crate) fn network<'a>(system: &'a StochasticSystem, settings: &Settings) -> Network<'a> {
    let mut network = Network::new(system);
    network.discretization = settings.discretization;
    network
}

/// Returns a run that decides whether it has a property, up to the moment at which it does: that of
/// this number. `None`: it decides nothing, or is not exact, or has moments that no fraction
/// expresses.
#[must_use]
pub fn decided_run(system: &StochasticSystem, path: &PathProperty, seed: u64, number: u64) -> Option<Trace> {
    let network = Network::new(system);
    if network.is_hybrid || network.has_analog || network.draws {
        return None;
    }
    let grid = Grid::new(&network, &[path.bound]);
    let (steps, rest) = Runner::new(&network, grid).decided(seed, number, path)?;
    let step = |(delay, edges)| Some(TimedStep { delay: grid.ratio(delay)?, edges });
    Some(Trace { steps: steps.into_iter().map(step).collect::<Option<_>>()?, last_delay: Some(grid.ratio(rest)?) })
}

/// Answers a query about a system that has its code.
///
/// # Errors
/// A run can't go on. Runs with smaller numbers can.
pub fn ask(system: &StochasticSystem, measurement: &Measurement, settings: &Settings) -> Result<Findings, RunProblem> {
    let network = &network(system, settings);
    let work = Work { network, grid: Grid::new(network, &bounds(measurement)), settings };
    match measurement {
        Measurement::Probability(path) => work.probability(path),
        Measurement::Threshold { path, at_least, threshold } => work.test(path, *at_least, *threshold),
        Measurement::Comparison(first, second) => work.comparison(first, second),
        Measurement::Mean { bound, maximum, value } => work.mean(bound, *maximum, value),
        Measurement::Simulation { bound, values, filter } => {
            work.simulation(bound, values, filter.as_ref().map(|(formula, runs)| (formula, *runs)))
        }
    }
}

/// Returns the bounds of the runs of a query.
fn bounds(measurement: &Measurement) -> Vec<RunBound> {
    match measurement {
        Measurement::Probability(path) | Measurement::Threshold { path, .. } => vec![path.bound],
        Measurement::Comparison(first, second) => vec![first.bound, second.bound],
        Measurement::Mean { bound, .. } | Measurement::Simulation { bound, .. } => vec![*bound],
    }
}

/// Returns the locations in which delays have neither a bound nor a written rate, although the
/// process can start a transition there: the rate 1 is taken.
#[must_use]
pub fn without_rate(system: &StochasticSystem) -> Vec<LocationId> {
    let network = Network::new(system);
    let all = (0..system.system.locations.len() as u32).map(LocationId);
    let lacks = |l: &LocationId| {
        let (location, place) = (&system.system.locations[l.0 as usize], network.place(*l));
        let is_bounded = location.urgent || location.committed || !location.invariant.clocks.is_empty();
        let is_urgent = place.outputs.iter().all(|output| output.urgent);
        place.rate.is_none() && !is_bounded && !is_urgent
    };
    all.filter(lacks).collect()
}

/// Returns whether a process can send to one receiver: it has to wait where there is none, so that
/// its delay is not its own.
#[must_use]
pub fn has_binary_channels(system: &StochasticSystem) -> bool {
    !Network::new(system).binary_channels().is_empty()
}

/// Returns whether a guard or an invariant compares a clock for equality whose values are any
/// numbers.
#[must_use]
pub fn has_equalities(system: &StochasticSystem) -> bool {
    let network = &system.system;
    let is_analog = |term: ClockTerm| match term {
        ClockTerm::Clock(c) => system.analog[c.0 as usize],
        ClockTerm::Element { first, count, .. } => system.analog[first.0 as usize..][..count as usize].contains(&true),
    };
    // `x <= c` and `-x <= -c`; what is computed may be equal.
    let meet = |a: Operand, b: Operand| match (a, b) {
        (Operand::Const(a), Operand::Const(b)) => a == -b,
        _ => true,
    };
    let guards = network.edges.iter().map(|e| &e.guard).chain(network.locations.iter().map(|l| &l.invariant));
    let is_equality = |clocks: &[ClockConstraint]| {
        clocks.iter().enumerate().any(|(i, a)| {
            (is_analog(a.left) || is_analog(a.right))
                && clocks[..i].iter().any(|b| (a.left, a.right) == (b.right, b.left) && meet(a.bound, b.bound))
        })
    };
    let rests = system.guards.iter().chain(&system.invariants).flatten();
    guards.map(|guard| &guard.clocks).any(|clocks| is_equality(clocks))
        || rests.map(|rest| &rest.holds).any(RunFormula::has_equality)
}

struct Work<'a> {
    network: &'a Network<'a>,
    grid: Grid,
    settings: &'a Settings,
}

impl<'a> Work<'a> {
    /// Makes a run for a property.
    fn path(&self, runner: &mut Runner<'a>, path: &PathProperty, number: u64) -> Result<PathRun, RunProblem> {
        let mut watch = PathWatch::new(path);
        let steps = runner.run((self.settings.seed, number), &path.bound, &mut watch)?;
        let reached = watch.measured.filter(|_| watch.holds != matches!(path.path, PathGoal::Never(_)));
        Ok(PathRun { holds: watch.verdict(), reached, steps })
    }

    fn probability(self, path: &PathProperty) -> Result<Findings, RunProblem> {
        let Settings { alpha, epsilon, .. } = *self.settings;
        let fixed = path.bound.runs.or(self.settings.runs);
        let (mut rule, mut seen) = (Sequential::new(alpha, epsilon), PathRuns::default());
        let stopped = make_runs(
            self.network,
            self.grid,
            Amount::of(self.settings, fixed.unwrap_or(u64::MAX)),
            |runner, number| self.path(runner, path, number),
            |number, run| {
                seen.add(number, run);
                fixed.is_some() || rule.add(run.holds).is_none()
            },
        )?;
        Ok(Findings { stopped, ..seen.findings(|seen| Measured::Probability(seen.share(alpha))) })
    }

    fn test(self, path: &PathProperty, at_least: bool, threshold: f64) -> Result<Findings, RunProblem> {
        let Settings { alpha, beta, delta, runs, .. } = *self.settings;
        if threshold == if at_least { 0.0 } else { 1.0 } {
            // Every probability is within these.
            return Ok(Findings::of(Measured::Test { holds: Some(true), share: Share::new(0, 0, alpha) }));
        }
        let (above, below) = ((threshold + delta).min(1.0), (threshold - delta).max(0.0));
        let (yes, no) = if at_least { (above, below) } else { (below, above) };
        let mut rule = RatioTest::new(yes, no, alpha, beta);
        let (mut holds, mut seen) = (None, PathRuns::default());
        let stopped = make_runs(
            self.network,
            self.grid,
            Amount::of(self.settings, runs.unwrap_or(u64::MAX)),
            |runner, number| self.path(runner, path, number),
            |number, run| {
                seen.add(number, run);
                holds = rule.add(run.holds);
                holds.is_none()
            },
        )?;
        Ok(Findings { stopped, ..seen.findings(|seen| Measured::Test { holds, share: seen.share(alpha) }) })
    }

    fn comparison(self, first: &PathProperty, second: &PathProperty) -> Result<Findings, RunProblem> {
        let Settings { alpha, beta, ratios, runs, .. } = *self.settings;
        let mut rule = Comparison::new(ratios.0, ratios.1, alpha, beta);
        let (mut holds, mut seen) = (None, [PathRuns::default(), PathRuns::default()]);
        let stopped = make_runs(
            self.network,
            self.grid,
            Amount::of(self.settings, runs.unwrap_or(MAX_PAIRS)),
            |runner, pair| {
                // The two runs of a pair have random numbers of their own.
                Ok([self.path(runner, first, 2 * pair)?, self.path(runner, second, 2 * pair + 1)?])
            },
            |pair, both| {
                seen.iter_mut().zip(both).for_each(|(seen, run)| seen.add(pair, run));
                holds = rule.add(both[0].holds, both[1].holds);
                holds.is_none()
            },
        )?;
        let shares = seen.each_ref().map(|seen| seen.share(alpha));
        let steps = seen.iter().map(|seen| seen.steps).sum();
        let distributions = seen.map(|seen| seen.reached).into();
        let measured = Measured::Comparison { holds, shares };
        Ok(Findings { stopped, steps, distributions, ..Findings::of(measured) })
    }

    fn mean(self, bound: &RunBound, maximum: bool, value: &RealTerm) -> Result<Findings, RunProblem> {
        let runs = bound.runs.or(self.settings.runs).unwrap_or(MEAN_RUNS);
        let (mut mean, mut values, mut steps) = (Mean::default(), Histogram::default(), 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            Amount::of(self.settings, runs),
            |runner, number| {
                let mut watch = ExtremeWatch::new(value, maximum);
                let made = runner.run((self.settings.seed, number), bound, &mut watch)?;
                Ok((watch.extreme, made))
            },
            |_, (extreme, made)| {
                if let Some(extreme) = extreme {
                    mean.add(extreme);
                    values.add(extreme);
                }
                steps += made;
                true
            },
        )?;
        let deviation = mean.deviation(self.settings.alpha);
        let measured = Measured::Mean { mean, deviation };
        Ok(Findings { stopped, steps, distributions: vec![values], ..Findings::of(measured) })
    }

    fn simulation(
        self,
        bound: &RunBound,
        values: &[RealTerm],
        filter: Option<(&RunFormula, Option<u64>)>,
    ) -> Result<Findings, RunProblem> {
        let runs = bound.runs.or(self.settings.runs).unwrap_or(1);
        let formula = filter.map(|(formula, _)| formula);
        let wanted = filter.and_then(|(_, wanted)| wanted).unwrap_or(u64::MAX);
        let most = self.settings.bytes.unwrap_or(usize::MAX);
        let (mut kept, mut made, mut steps, mut bytes) = (Vec::<KeptRun>::new(), 0, 0, 0);
        let mut is_full = false;
        let stopped = make_runs(
            self.network,
            self.grid,
            Amount { at_once: SIMULATED_AT_ONCE, ..Amount::of(self.settings, runs) },
            |runner, number| {
                let mut watch = Trajectory::new(values, formula);
                let steps = runner.run((self.settings.seed, number), bound, &mut watch)?;
                Ok((watch.is_kept.then(|| watch.samples.into_numbers()), steps))
            },
            |number, (numbers, transitions)| {
                let samples = numbers.map(|numbers| Samples::of_numbers(values.len(), numbers));
                if let Some(samples) = &samples {
                    bytes += samples.bytes() + size_of::<KeptRun>();
                    is_full = bytes > most;
                }
                if is_full {
                    return false;
                }
                made += 1;
                steps += transitions;
                kept.extend(samples.map(|samples| KeptRun { number, samples }));
                (kept.len() as u64) < wanted
            },
        )?;
        let stopped = stopped.or(is_full.then_some(Stop::Memory));
        let reached = formula.map(|_| Share::new(kept.len() as u64, made, self.settings.alpha));
        Ok(Findings { stopped, steps, ..Findings::of(Measured::Simulation { runs: kept, made, reached }) })
    }
}

/// A run that was made for a property.
#[derive(Clone, Copy, Debug)]
struct PathRun {
    holds: bool,
    /// When it reached what is asked for, or violated what always has to hold.
    reached: Option<f64>,
    steps: u64,
}

impl Sent for PathRun {
    fn write(&self, out: &mut FlatWriter) {
        ((self.holds, self.reached), self.steps).write(out);
    }

    fn read(from: &mut FlatReader<'_>) -> Result<PathRun, Malformed> {
        let ((holds, reached), steps) = Sent::read(from)?;
        Ok(PathRun { holds, reached, steps })
    }
}

/// The runs for a property.
#[derive(Debug, Default)]
struct PathRuns {
    successes: u64,
    runs: u64,
    steps: u64,
    reached: Histogram,
    first: Option<u64>,
}

impl PathRuns {
    fn add(&mut self, number: u64, PathRun { holds, reached, steps }: PathRun) {
        self.successes += u64::from(holds);
        self.runs += 1;
        self.steps += steps;
        if let Some(moment) = reached {
            self.reached.add(moment);
            self.first = self.first.or(Some(number));
        }
    }

    fn share(&self, alpha: f64) -> Share {
        Share::new(self.successes, self.runs, alpha)
    }

    fn findings(self, measured: impl FnOnce(&PathRuns) -> Measured) -> Findings {
        let measured = measured(&self);
        let PathRuns { steps, reached, first, .. } = self;
        Findings { steps, first, distributions: vec![reached], ..Findings::of(measured) }
    }
}
