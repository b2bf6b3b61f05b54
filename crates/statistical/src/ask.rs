//! From a query to what is measured.

use model::{
    Stop,
    stochastic::{Measurement, PathProperty, RealTerm, RunBound, StochasticSystem},
    system::LocationId,
};

use crate::{
    grid::Grid,
    interval::{Confidence, Sequential, clopper_pearson},
    mean::Mean,
    network::Network,
    problem::RunProblem,
    run::Runner,
    wald::{Comparison, RatioTest},
    watch::{ExtremeWatch, PathWatch, Sample, Trajectory},
    work::make_runs,
};

/// How runs are made, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The number of runs, where a query does not say it.
    pub runs: Option<u64>,
    /// The seed of random numbers.
    pub seed: u64,
    /// The number of threads.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            alpha: 0.05,
            beta: 0.05,
            epsilon: 0.05,
            delta: 0.01,
            ratios: (0.9, 1.1),
            runs: None,
            seed: 0,
            threads: 1,
        }
    }
}

/// The number of runs of a mean, if neither the query nor an option says it.
const MEAN_RUNS: u64 = 1000;
/// The number of pairs of runs after which a comparison is given up.
const MAX_PAIRS: u64 = 1_000_000;

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
    /// The mean of extreme values.
    Mean {
        /// The values.
        mean: Mean,
        /// Half of the width of the interval; `None`: there are too few runs.
        deviation: Option<f64>,
    },
    /// Values along runs.
    Simulation {
        /// The runs that are kept, with their numbers.
        runs: Vec<(u64, Vec<Sample>)>,
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

impl Share {
    fn new(successes: u64, runs: u64, alpha: f64) -> Share {
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
    /// What has stopped the work before there were enough runs.
    pub stopped: Option<Stop>,
    /// The number of transitions of all runs.
    pub steps: u64,
}

/// Answers a query about a system that has its code.
///
/// # Errors
/// A run can't go on. Runs with smaller numbers can.
pub fn ask(system: &StochasticSystem, measurement: &Measurement, settings: &Settings) -> Result<Findings, RunProblem> {
    let network = &Network::new(system);
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

struct Work<'a> {
    network: &'a Network<'a>,
    grid: Grid,
    settings: &'a Settings,
}

impl<'a> Work<'a> {
    /// Makes a run, and returns whether it has a property, with the number of its transitions.
    fn path(&self, runner: &mut Runner<'a>, path: &PathProperty, number: u64) -> Result<(bool, u64), RunProblem> {
        let mut watch = PathWatch::new(path);
        let steps = runner.run((self.settings.seed, number), &path.bound, &mut watch)?;
        Ok((watch.holds, steps))
    }

    fn probability(self, path: &PathProperty) -> Result<Findings, RunProblem> {
        let Settings { alpha, epsilon, threads, .. } = *self.settings;
        let fixed = path.bound.runs.or(self.settings.runs);
        let (mut rule, mut share, mut steps) = (Sequential::new(alpha, epsilon), (0, 0), 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            (threads, fixed.unwrap_or(u64::MAX)),
            |runner, number| self.path(runner, path, number),
            |_, (holds, made)| {
                share = (share.0 + u64::from(holds), share.1 + 1);
                steps += made;
                fixed.is_some() || rule.add(holds).is_none()
            },
        )?;
        Ok(Findings { measured: Measured::Probability(Share::new(share.0, share.1, alpha)), stopped, steps })
    }

    fn test(self, path: &PathProperty, at_least: bool, threshold: f64) -> Result<Findings, RunProblem> {
        let Settings { alpha, beta, delta, threads, runs, .. } = *self.settings;
        if threshold == if at_least { 0.0 } else { 1.0 } {
            // Every probability is within these.
            let share = Share::new(0, 0, alpha);
            return Ok(Findings { measured: Measured::Test { holds: Some(true), share }, stopped: None, steps: 0 });
        }
        let (above, below) = ((threshold + delta).min(1.0), (threshold - delta).max(0.0));
        let (yes, no) = if at_least { (above, below) } else { (below, above) };
        let mut rule = RatioTest::new(yes, no, alpha, beta);
        let (mut holds, mut share, mut steps) = (None, (0, 0), 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            (threads, runs.unwrap_or(u64::MAX)),
            |runner, number| self.path(runner, path, number),
            |_, (success, made)| {
                share = (share.0 + u64::from(success), share.1 + 1);
                steps += made;
                holds = rule.add(success);
                holds.is_none()
            },
        )?;
        let share = Share::new(share.0, share.1, alpha);
        Ok(Findings { measured: Measured::Test { holds, share }, stopped, steps })
    }

    fn comparison(self, first: &PathProperty, second: &PathProperty) -> Result<Findings, RunProblem> {
        let Settings { alpha, beta, ratios, threads, runs, .. } = *self.settings;
        let mut rule = Comparison::new(ratios.0, ratios.1, alpha, beta);
        let (mut holds, mut pairs, mut found, mut steps) = (None, 0, [0, 0], 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            (threads, runs.unwrap_or(MAX_PAIRS)),
            |runner, pair| {
                // The two runs of a pair have random numbers of their own.
                let (a, made) = self.path(runner, first, 2 * pair)?;
                let (b, more) = self.path(runner, second, 2 * pair + 1)?;
                Ok((a, b, made + more))
            },
            |_, (a, b, made)| {
                pairs += 1;
                found = [found[0] + u64::from(a), found[1] + u64::from(b)];
                steps += made;
                holds = rule.add(a, b);
                holds.is_none()
            },
        )?;
        let shares = found.map(|successes| Share::new(successes, pairs, alpha));
        Ok(Findings { measured: Measured::Comparison { holds, shares }, stopped, steps })
    }

    fn mean(self, bound: &RunBound, maximum: bool, value: &RealTerm) -> Result<Findings, RunProblem> {
        let runs = bound.runs.or(self.settings.runs).unwrap_or(MEAN_RUNS);
        let (mut mean, mut steps) = (Mean::default(), 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            (self.settings.threads, runs),
            |runner, number| {
                let mut watch = ExtremeWatch::new(value, maximum);
                let made = runner.run((self.settings.seed, number), bound, &mut watch)?;
                Ok((watch.extreme, made))
            },
            |_, (extreme, made)| {
                extreme.iter().for_each(|extreme| mean.add(*extreme));
                steps += made;
                true
            },
        )?;
        let deviation = mean.deviation(self.settings.alpha);
        Ok(Findings { measured: Measured::Mean { mean, deviation }, stopped, steps })
    }

    fn simulation(
        self,
        bound: &RunBound,
        values: &[RealTerm],
        filter: Option<(&model::Formula, Option<u64>)>,
    ) -> Result<Findings, RunProblem> {
        let runs = bound.runs.or(self.settings.runs).unwrap_or(1);
        let formula = filter.map(|(formula, _)| formula);
        let wanted = filter.and_then(|(_, wanted)| wanted).unwrap_or(u64::MAX);
        let (mut kept, mut made, mut steps) = (Vec::new(), 0, 0);
        let stopped = make_runs(
            self.network,
            self.grid,
            (self.settings.threads, runs),
            |runner, number| {
                let mut watch = Trajectory::new(values, formula);
                let steps = runner.run((self.settings.seed, number), bound, &mut watch)?;
                Ok((watch.is_kept.then_some(watch.samples), steps))
            },
            |number, (samples, transitions)| {
                made += 1;
                steps += transitions;
                kept.extend(samples.map(|samples| (number, samples)));
                (kept.len() as u64) < wanted
            },
        )?;
        let reached = formula.map(|_| Share::new(kept.len() as u64, made, self.settings.alpha));
        Ok(Findings { measured: Measured::Simulation { runs: kept, made, reached }, stopped, steps })
    }
}
