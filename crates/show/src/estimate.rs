//! What was measured on random runs, with names.

use merkhet::{Measured, Model, Share};
use syntax::ast::{Query, QueryKind, StatisticalQuery};

use crate::json::verify::{Estimate, RunPoint, RunTrajectory};

/// Names what was measured for a query.
#[must_use]
pub fn named(model: &Model, query: &Query, alpha: f64, report: statistical::Findings) -> Estimate {
    let statistical::Findings { measured, steps, .. } = report;
    let share = |share: Share| Estimate {
        estimate: Some(0.5 * (share.interval.low + share.interval.high)),
        low: Some(share.interval.low),
        high: Some(share.interval.high),
        level: 1.0 - alpha,
        runs: share.runs,
        successes: Some(share.successes),
        transitions: steps,
        against: None,
        trajectories: None,
    };
    match measured {
        Measured::Probability(found) | Measured::Test { share: found, .. } => share(found),
        Measured::Comparison { shares: [first, second], .. } => {
            Estimate { against: Some(Box::new(share(second))), ..share(first) }
        }
        Measured::Mean { mean, deviation } => Estimate {
            estimate: (mean.count() > 0).then(|| mean.mean()),
            low: deviation.map(|deviation| mean.mean() - deviation),
            high: deviation.map(|deviation| mean.mean() + deviation),
            level: 1.0 - alpha,
            runs: mean.count(),
            successes: None,
            transitions: steps,
            against: None,
            trajectories: None,
        },
        Measured::Simulation { runs, made, reached } => {
            let expressions = expressions(model, query);
            let trajectory = |(run, samples): (u64, Vec<merkhet::Sample>)| RunTrajectory {
                run,
                expressions: expressions.clone(),
                points: samples.into_iter().map(|s| RunPoint { time: s.time, values: s.values }).collect(),
            };
            let trajectories = Some(runs.into_iter().map(trajectory).collect());
            match reached {
                Some(reached) => Estimate { trajectories, ..share(reached) },
                None => Estimate {
                    estimate: None,
                    low: None,
                    high: None,
                    level: 1.0 - alpha,
                    runs: made,
                    successes: None,
                    transitions: steps,
                    against: None,
                    trajectories,
                },
            }
        }
    }
}

/// Returns an interval as UPPAAL writes it: `p ± h`, or a bound where all runs agree, with its
/// level.
#[must_use]
pub fn interval(estimate: &Estimate) -> String {
    let Estimate { estimate: middle, low, high, level, runs, successes, .. } = estimate;
    let level = format!("({}% CI)", significant(100.0 * level));
    match (successes, low, high, middle) {
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
fn expressions(model: &Model, query: &Query) -> Vec<String> {
    let QueryKind::Statistical(statistical) = &query.kind else { return Vec::new() };
    let StatisticalQuery::Simulation { values, .. } = **statistical else { return Vec::new() };
    let tree = &model.loaded.tree;
    let text = |e: &syntax::ast::ExprId| syntax::print::expression(tree, *e);
    tree.list(values).iter().map(text).collect()
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
        };
        assert_eq!(interval(&with(Some(72), 72, 0.950_056, 1.0)), "≥ 0.950056 (95% CI)");
        assert_eq!(interval(&with(Some(0), 72, 0.0, 0.049_944_1)), "≤ 0.0499441 (95% CI)");
        assert_eq!(interval(&with(Some(156), 397, 0.344_6, 0.442_902)), "0.393751 ± 0.049151 (95% CI)");
        assert_eq!(interval(&with(None, 50, 100.0, 100.0)), "≈ 100");
    }
}
