//! What was measured on random runs, with names.

use std::sync::Arc;

use merkhet::{Measured, Model, Share};
use statistical::{Findings, Histogram, KeptRun};
use syntax::{
    ast::{ExprId, PathQuery, Query, QueryKind, RunBound, RunMeasure, StatisticalQuery},
    print,
};

use crate::json::verify::{Distribution, DistributionBin, Estimate, RunTrajectory, SplitRuns};

/// Names what was measured for a query.
#[must_use]
pub fn named(model: &Model, query: &Query, alpha: f64, report: Findings) -> Estimate {
    let Findings { measured, distributions, steps, .. } = report;
    let named = distributions.iter().zip(measures(model, query)).map(|(found, of)| distribution(found, of));
    let mut named: Vec<Option<Distribution>> = named.collect();
    let mut named = named.drain(..);
    let distribution = named.next().flatten();
    let blank = Estimate {
        estimate: None,
        low: None,
        high: None,
        level: 1.0 - alpha,
        runs: 0,
        successes: None,
        transitions: steps,
        against: None,
        trajectories: None,
        distribution,
        splitting: None,
        certain: None,
    };
    let share = |share: Share| Estimate {
        estimate: Some(0.5 * (share.interval.low + share.interval.high)),
        low: Some(share.interval.low),
        high: Some(share.interval.high),
        runs: share.runs,
        successes: Some(share.successes),
        ..blank.clone()
    };
    match measured {
        Measured::Probability(found) | Measured::Test { share: found, .. } => share(found),
        Measured::Comparison { shares: [first, second], .. } => {
            let against = Estimate { distribution: named.next().flatten(), ..share(second) };
            Estimate { against: Some(Box::new(against)), ..share(first) }
        }
        Measured::Splitting(found) => Estimate {
            estimate: (found.mean.count() > 0).then(|| found.mean.mean()),
            low: Some(found.interval.low),
            high: Some(found.interval.high),
            runs: found.runs,
            splitting: Some(SplitRuns { levels: found.levels, estimates: found.mean.count() }),
            ..blank
        },
        Measured::Mean { mean, deviation } => Estimate {
            estimate: (mean.count() > 0).then(|| mean.mean()),
            low: deviation.map(|deviation| mean.mean() - deviation),
            high: deviation.map(|deviation| mean.mean() + deviation),
            runs: mean.count(),
            ..blank
        },
        Measured::Simulation { runs, made, reached } => {
            let expressions = expressions(model, query);
            let trajectory = |KeptRun { number, samples }| RunTrajectory {
                run: number,
                expressions: Arc::clone(&expressions),
                points: samples,
            };
            let trajectories = Some(runs.into_iter().map(trajectory).collect());
            match reached {
                Some(reached) => Estimate { trajectories, ..share(reached) },
                None => Estimate { runs: made, trajectories, ..blank },
            }
        }
    }
}

/// Names a distribution, if there is anything in it.
fn distribution(found: &Histogram, of: String) -> Option<Distribution> {
    let bins = || found.bins().map(|bin| DistributionBin { from: bin.from, runs: bin.count });
    (!found.is_empty()).then(|| Distribution { of, width: found.width(), bins: bins().collect() })
}

/// Returns what the numbers of each distribution are.
fn measures(model: &Model, query: &Query) -> Vec<String> {
    let QueryKind::Statistical(asked) = &query.kind else { return Vec::new() };
    let text = |e: ExprId| print::expression(&model.loaded.tree, e);
    let measure = |bound: &RunBound| match bound.measure {
        RunMeasure::Time | RunMeasure::TimeFrom(_) => "time".to_owned(),
        RunMeasure::Steps => "transitions".to_owned(),
        RunMeasure::Clock(clock) => text(clock),
    };
    let path = |path: &PathQuery| measure(&path.bound);
    match &**asked {
        StatisticalQuery::Probability(first) | StatisticalQuery::Threshold { path: first, .. } => vec![path(first)],
        StatisticalQuery::Comparison(first, second) => vec![path(first), path(second)],
        StatisticalQuery::Mean { value, .. } => vec![text(*value)],
        StatisticalQuery::Simulation { .. } => Vec::new(),
    }
}

/// Returns an interval as UPPAAL writes it: `p ± h`, or a bound where all runs agree, with its
/// level.
#[must_use]
pub fn interval(estimate: &Estimate) -> String {
    let Estimate { estimate: middle, low, high, level, runs, successes, .. } = estimate;
    let level = format!("({}% CI)", significant(100.0 * level));
    match (successes, low, high, middle) {
        (_, Some(low), Some(high), Some(middle)) if estimate.splitting.is_some() => {
            // The interval need not have the estimate in its middle.
            format!("{}, between {} and {} {level}", significant(*middle), significant(*low), significant(*high))
        }
        (Some(all), Some(low), _, _) if all == runs && *runs > 0 => format!("≥ {} {level}", significant(*low)),
        (Some(0), _, Some(high), _) if *runs > 0 => format!("≤ {} {level}", significant(*high)),
        (_, Some(low), Some(high), Some(middle)) if high > low => {
            format!("{} ± {} {level}", significant(*middle), significant(0.5 * (high - low)))
        }
        (.., Some(middle)) => format!("≈ {}", significant(*middle)),
        _ => String::new(),
    }
}

/// Returns a number with six significant digits, as C's `%g` writes it.
#[must_use]
pub fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return if number == 0.0 { "0".to_owned() } else { number.to_string() };
    }
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// Returns the expressions of a simulation, as they were written.
fn expressions(model: &Model, query: &Query) -> Arc<[String]> {
    let QueryKind::Statistical(statistical) = &query.kind else { return Arc::default() };
    let StatisticalQuery::Simulation { values, .. } = **statistical else { return Arc::default() };
    let tree = &model.loaded.tree;
    tree.list(values).iter().map(|e| print::expression(tree, *e)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        for (number, text) in [
            (0.950_056_012, "0.950056"),
            (0.049_944_1, "0.0499441"),
            (0.003_682_081, "0.00368208"),
            (142.336_000_1, "142.336"),
            (100.0, "100"),
            (0.0, "0"),
            (-2.5, "-2.5"),
            (1_234_567.0, "1.23457e+06"),
            (0.000_012_5, "1.25e-05"),
            (0.999_999_9, "1"),
        ] {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn intervals_have_the_form_of_uppaal() {
        let with = |successes, runs, low, high| Estimate {
            estimate: Some(0.5 * (low + high)),
            low: Some(low),
            high: Some(high),
            level: 0.95,
            runs,
            successes,
            transitions: 0,
            against: None,
            trajectories: None,
            distribution: None,
            splitting: None,
            certain: None,
        };
        assert_eq!(interval(&with(Some(72), 72, 0.950_056, 1.0)), "≥ 0.950056 (95% CI)");
        assert_eq!(interval(&with(Some(0), 72, 0.0, 0.049_944_1)), "≤ 0.0499441 (95% CI)");
        assert_eq!(interval(&with(Some(156), 397, 0.344_6, 0.442_902)), "0.393751 ± 0.049151 (95% CI)");
        assert_eq!(interval(&with(None, 50, 100.0, 100.0)), "≈ 100");
    }
}
