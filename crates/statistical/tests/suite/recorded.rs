//! The intervals that UPPAAL has recorded in public models are those of these runs.

use std::fs;

use statistical::{Measured, Settings};
use syntax::Format;

use crate::common::load_as;

/// A recorded answer: the ends of its interval, and what was observed.
struct Row {
    model: String,
    query: String,
    interval: (f64, f64),
}

/// Rows that are left out, by a part of the query, and why.
const LEFT_OUT: &[(&str, &str)] = &[(" under ", "strategies are not built")];

fn rows(table: &str) -> Vec<Row> {
    let number = |text: &str| text.trim().parse::<f64>().unwrap();
    let interval = |value: &str| {
        let value = value.strip_suffix("(95% CI)")?;
        Some(match (value.split_once('±'), value.strip_prefix('≥'), value.strip_prefix('≤')) {
            (Some((middle, half)), ..) => (number(middle) - number(half), number(middle) + number(half)),
            (_, Some(low), _) => (number(low), 1.0),
            (.., Some(high)) => (0.0, number(high)),
            _ => return None,
        })
    };
    let row = |line: &str| {
        let [model, query, _, value, _] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        // A hundred thousand runs say more than is needed here.
        let query = query.replace(";100000]", ";2000]");
        interval(value).map(|interval| Row { model: model.to_owned(), query, interval })
    };
    table.lines().skip(1).filter_map(row).collect()
}

#[test]
fn recorded_intervals_overlap() {
    let Some(corpus) = oracle::corpora("uppaal").into_iter().find(|corpus| corpus.is_shared) else { return };
    let rows = rows(&fs::read_to_string(corpus.folder.join("statistical.tsv")).unwrap());
    // As many runs as UPPAAL makes take long.
    let runs = if std::env::var_os("MERKHET_CASES").is_some() { None } else { Some(40) };
    let settings = Settings { runs, ..Settings::default() };
    let (mut compared, mut left_out, mut apart) = (0, Vec::new(), Vec::new());
    for Row { model, query, interval: (low, high) } in &rows {
        if let Some((part, why)) = LEFT_OUT.iter().find(|(part, _)| query.contains(part)) {
            left_out.push(*part);
            let refused = load_as(&fs::read_to_string(corpus.folder.join(model)).unwrap(), Format::Xml, query);
            assert!(refused.is_err(), "{query}: {why}, and is answered");
            continue;
        }
        let text = fs::read_to_string(corpus.folder.join(model)).unwrap();
        let (system, asked) =
            load_as(&text, Format::Xml, query).unwrap_or_else(|why| panic!("{model}: {query}: {why}"));
        let report = statistical::ask(&system, &asked.measurement, &settings)
            .unwrap_or_else(|problem| panic!("{model}: {query}: {}", problem.describe(&system.system)));
        let (from, to) = match report.measured {
            Measured::Probability(share) => (share.interval.low, share.interval.high),
            Measured::Mean { mean, deviation: Some(d) } => (mean.mean() - d, mean.mean() + d),
            other => panic!("{query}: {other:?}"),
        };
        compared += 1;
        if from > *high || *low > to {
            apart.push(format!("{model}: {query}: {from} to {to}, recorded {low} to {high}"));
        }
    }
    assert_eq!((compared, left_out.len()), (20, 3));
    assert!(apart.len() * 20 <= compared, "{}", apart.join("\n"));
}
