//! Tests that the zones of random traces can be read back from every format.

use std::collections::HashMap;

use explore::search::Limits;
use model::Model;
use oracle::random::{self, Rng};
use verify::Trace;
use zone::Bound;

use super::{intermediate::ZERO, text, xml, xtr};

/// A matrix of bounds on differences, and whether they are strict. `None`: there is no bound.
type Matrix = Vec<Vec<Option<(i64, bool)>>>;

/// The matrix without any bounds, not even those that clocks are not negative.
fn unknown(dim: usize) -> Matrix {
    let cell = |i, j| (i == j).then_some((0, false));
    (0..dim).map(|i| (0..dim).map(|j| cell(i, j)).collect()).collect()
}

/// Adds all that follows from the bounds.
fn closed(mut matrix: Matrix) -> Matrix {
    let dim = matrix.len();
    for k in 0..dim {
        for i in 0..dim {
            for j in 0..dim {
                let (Some(first), Some(second)) = (matrix[i][k], matrix[k][j]) else { continue };
                let sum = (first.0 + second.0, first.1 || second.1);
                // Of equal bounds the strict one is tighter.
                if matrix[i][j].is_none_or(|old| (sum.0, !sum.1) < (old.0, !old.1)) {
                    matrix[i][j] = Some(sum);
                }
            }
        }
    }
    matrix
}

fn of_engine(zone: &[i64], dim: usize) -> Matrix {
    let cell = |bound: i64| (bound < i64::INFINITY).then(|| (zone::value(bound), zone::is_strict(bound)));
    zone.chunks(dim).map(|row| row.iter().map(|&bound| cell(bound)).collect()).collect()
}

/// The zones of an `.xtr` file.
fn from_xtr(text: &str, dim: usize) -> Vec<Matrix> {
    let mut lines = text.lines().map(str::trim);
    let mut zones = Vec::new();
    while lines.next().is_some_and(|locations| locations != ".") {
        assert_eq!(lines.next(), Some("."));
        let mut zone = unknown(dim);
        while let Some(line) = lines.next().filter(|line| *line != ".") {
            let words: Vec<i64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            zone[words[0] as usize][words[1] as usize] = Some((words[2] >> 1, words[2] & 1 == 1));
            assert_eq!(lines.next(), Some("."));
        }
        // The variables, and the transition that leads here.
        let rest = if zones.is_empty() { 1 } else { 2 };
        for _ in 0..rest {
            lines.next();
            assert_eq!(lines.next(), Some("."));
        }
        zones.push(closed(zone));
    }
    zones
}

/// The zones of a text.
fn from_text(text: &str, clocks: &HashMap<&str, usize>) -> Vec<Matrix> {
    let mut zones = Vec::new();
    for line in text.lines().filter(|line| line.contains(" #depth=") || line.starts_with("#depth=")) {
        let mut zone = unknown(clocks.len());
        for (sides, bound) in line.split(' ').filter_map(|word| word.split_once('<')) {
            let (strict, bound) = bound.strip_prefix('=').map_or((true, bound), |bound| (false, bound));
            let (left, right) = sides.split_once('-').unwrap_or((sides, ZERO));
            zone[clocks[left]][clocks[right]] = Some((bound.parse().unwrap(), strict));
        }
        zones.push(closed(zone));
    }
    zones
}

/// The zones of an XML document, one for each state.
fn from_xml(text: &str, clocks: &HashMap<String, usize>) -> Vec<Matrix> {
    fn attribute<'t>(line: &'t str, name: &str) -> &'t str {
        line.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0.trim()
    }
    let mut zones: HashMap<&str, Matrix> = HashMap::new();
    let mut current = "";
    for line in text.lines() {
        if line.starts_with("<dbm_instance ") {
            current = attribute(line, "id");
            zones.insert(current, vec![vec![None; clocks.len()]; clocks.len()]);
        }
        if line.starts_with("<clockbound ") {
            let strict = attribute(line, "comp") == "&lt;";
            let bound = attribute(line, "bound");
            assert!(strict || bound != "inf", "{line}");
            zones.get_mut(current).unwrap()[clocks[attribute(line, "clock1")]][clocks[attribute(line, "clock2")]] =
                bound.parse().ok().map(|bound| (bound, strict));
        }
    }
    text.lines().filter(|l| l.starts_with("<node ")).map(|l| zones[attribute(l, "dbm_instance")].clone()).collect()
}

/// How many zones were compared, and how many of them do not bound some clock from below by more
/// than zero.
fn compare(model: &Model, trace: &Trace, stable: bool, about: &str) -> Result<[usize; 2], String> {
    let Some(zones) = trace.zones(&model.system, stable) else { return Ok([0, 0]) };
    let clocks = &model.system.clocks;
    let name = |i: usize| if i == 0 { ZERO } else { clocks[i].name.as_str() };
    let names: HashMap<&str, usize> = (0..clocks.len()).map(|i| (name(i), i)).collect();
    let is_global = |i: usize| i == 0 || !name(i).contains('.');
    let ids: HashMap<String, usize> = (0..clocks.len())
        .map(|i| (if is_global(i) { format!("sys.{}", name(i)) } else { name(i).to_owned() }, i))
        .collect();
    let expected: Vec<Matrix> = zones.iter().map(|zone| of_engine(zone, clocks.len())).collect();
    let written = [
        ("xtr", from_xtr(&xtr::write(model, trace, &zones), clocks.len())),
        ("text", from_text(&text::symbolic(model, trace, &zones), &names)),
        ("XML", from_xml(&xml::write(model, trace, &zones), &ids)),
    ];
    for (format, found) in written {
        if found != expected {
            return Err(format!("{format} of {about}: {found:?} instead of {expected:?}"));
        }
    }
    let low = |zone: &&Matrix| zone[0][1..].contains(&Some((0, false)));
    Ok([expected.len(), expected.iter().filter(low).count()])
}

#[test]
fn zones_come_back_from_every_format() {
    let examine = |seed: u64| {
        let limits = Limits { states: Some(2_000), ..Limits::default() };
        let mut rng = Rng::new(seed);
        let features =
            random::NetworkFeatures { stopwatches: rng.chance(10), ..random::NetworkFeatures::all().some(&mut rng) };
        let net = random::network(seed, &features);
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
        let mut counts = [0, 0];
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let options = verify::Options::default();
            let answers = verify::Request::new(&loaded.system, &[property], &options).answers(&limits, &mut ());
            for trace in answers.iter().filter_map(|answer| answer.trace.as_ref()) {
                let about = format!("`{query}`, seed {seed}\n{text}");
                let more = compare(&loaded.model, trace, rng.chance(50), &about)?;
                counts = [counts[0] + more[0], counts[1] + more[1]];
            }
        }
        Ok::<_, String>(counts)
    };
    let [zones, low] = oracle::campaign(200, examine, |all, one| *all = [all[0] + one[0], all[1] + one[1]]);
    assert!(zones > 300 && low > 100, "{zones} zones, {low} with a clock that may be zero");
}
