//! What was measured on random runs.

use std::sync::Arc;

use serde::{Serialize, Serializer};

/// What was measured on random runs. If a limit was reached, it is that of the runs before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The middle of the interval of a probability, or the mean of the values of runs; null for
    /// simulations without a condition.
    pub estimate: Option<f64>,
    /// The lower end of the interval; null if there is none.
    pub low: Option<f64>,
    /// The upper end of the interval; null if there is none.
    pub high: Option<f64>,
    /// The probability with which such an interval contains the true value.
    pub level: f64,
    /// The number of runs.
    pub runs: u64,
    /// The number of runs with the property; null for means, and for simulations without a
    /// condition.
    pub successes: Option<u64>,
    /// The number of transitions of all runs.
    pub transitions: u64,
    /// The probability that it is compared with; null unless the query compares two.
    pub against: Option<Box<Estimate>>,
    /// The kept runs of a simulation; null for other queries.
    pub trajectories: Option<Vec<RunTrajectory>>,
    /// How the moments are distributed at which runs reached what a probability asks for, or
    /// violated it if it is that something always holds; of a mean, how the values of runs are.
    /// Null where there is nothing.
    pub distribution: Option<Distribution>,
    /// Where runs were split, if a rare event was estimated so; otherwise null.
    pub splitting: Option<SplitRuns>,
    /// Why the probability is certainly 0 or 1, if that is known without any run; otherwise null.
    pub certain: Option<String>,
}

/// How numbers are distributed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Distribution {
    /// What the numbers are: `time`, `transitions`, or an expression.
    pub of: String,
    /// The width of each bin.
    pub width: f64,
    /// The bins with numbers, in their order.
    pub bins: Vec<DistributionBin>,
}

/// The numbers from one on, up to the width of bins beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DistributionBin {
    /// The least number that belongs to the bin.
    pub from: f64,
    /// How many runs have such a number.
    pub runs: u64,
}

/// Where runs were split.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SplitRuns {
    /// The levels: runs were split in states that are at least that near to the goal.
    pub levels: Vec<i64>,
    /// The number of independent estimates, of which the mean is taken.
    pub estimates: u64,
}

/// The values of expressions along a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunTrajectory {
    /// The number of the run: with the same seed, it is the same again.
    pub run: u64,
    /// The expressions, as they were written.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    #[serde(serialize_with = "each")]
    pub expressions: Arc<[String]>,
    /// The moments and values where something changes. Between two moments, values are linear.
    #[cfg_attr(test, schemars(with = "Vec<RunPoint>"))]
    #[serde(serialize_with = "points")]
    pub points: statistical::Samples,
}

/// Writes texts that several values share.
fn each<S: Serializer>(texts: &Arc<[String]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(texts.iter())
}

/// Writes points one by one: millions of runs may have some.
fn points<S: Serializer>(samples: &statistical::Samples, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(samples.iter().map(|(time, values)| RunPoint { time, values }))
}

/// The values of expressions at a moment.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunPoint<'s> {
    /// The moment.
    time: f64,
    /// The values, in the order of the expressions.
    values: &'s [f64],
}
