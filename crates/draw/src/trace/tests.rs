//! Charts and timelines of random traces: text is readable, and everything is drawn.

use super::*;
use crate::quality::{Flaws, flaws, outside};

fn time(tenths: usize) -> TraceTime {
    let text = if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{tenths}/10") };
    TraceTime { at: tenths as f64 / 10.0, text }
}

/// A trace with names and delays of all lengths.
fn random(seed: u64) -> DrawnTrace {
    let mut next = crate::layout::tests::numbers(seed);
    let names = ["P", "Gate", "Train(3)", "a.b[7].c", "a_rather_long_name_of_something", "\u{4e2d}\u{6587}", "W<&>"];
    let count = 1 + next(7);
    let is_net = next(4) == 0;
    let lengths = [2, 7, 25];
    let (clocks, variables, steps) = (next(3), next(4), lengths[next(3)]);
    let process = |i: usize, next: &mut dyn FnMut(usize) -> usize| {
        let locations = (0..2 + next(4)).map(|l| format!("{}{l}", names[next(7)])).collect();
        TraceProcess { name: format!("{}{i}", names[next(7)]), template: 0, locations }
    };
    let processes: Vec<TraceProcess> =
        if is_net { Vec::new() } else { (0..count).map(|i| process(i, &mut next)).collect() };
    let places: Vec<String> =
        if is_net { (0..count).map(|i| format!("{}{i}", names[next(7)])).collect() } else { Vec::new() };
    let mut state = TraceState {
        locations: processes.iter().map(|_| 0).collect(),
        tokens: places.iter().map(|_| next(3) as i64).collect(),
        values: (0..variables).map(|_| TraceValue::Number(0)).collect(),
        stay: None,
    };
    let has_times = next(8) > 0;
    let mut now = 0;
    let mut values = vec![0; clocks];
    let (mut states, mut taken) = (Vec::new(), Vec::new());
    for step in 0..=steps {
        let delay = [0, 0, 0, 5, 10, 35, 200, 9000][next(8)];
        let stopped: Vec<bool> = values.iter().map(|_| next(4) == 0).collect();
        let left: Vec<usize> =
            values.iter().zip(&stopped).map(|(v, stopped)| if *stopped { *v } else { v + delay }).collect();
        let pairs = values.iter().zip(&left);
        let clocks = pairs.map(|(a, b)| (next(9) > 0).then(|| (time(*a), time(*b)))).collect();
        state.stay = has_times.then(|| TraceStay { from: time(now), delay: time(delay), clocks });
        states.push(state.clone());
        now += delay;
        values = left.iter().map(|v| if next(3) == 0 { 0 } else { *v }).collect();
        if step == steps {
            break;
        }
        if let Some(value) = state.values.get_mut(next(4)) {
            *value = match (step % 5, variables) {
                (4, 3) => TraceValue::Element(format!("{{{}}}", names[next(7)])),
                _ => TraceValue::Number(next(2000) as i64 - 1000),
            };
        }
        let edge = |process| TraceEdge { process, edge: 0, branch: None };
        let mut movers: Vec<usize> = (0..count).filter(|_| next(3) == 0).collect();
        if !movers.is_empty() {
            let by = next(movers.len());
            movers.rotate_left(by);
        }
        let event = match (is_net, movers.len()) {
            (true, 0) => TraceEvent::Available { place: next(count) },
            (true, _) => TraceEvent::Fires { transition: names[next(7)].to_owned(), number: 0, places: movers.clone() },
            (false, 0) => {
                movers.push(next(count));
                TraceEvent::Internal
            }
            (false, 3) => TraceEvent::Together { names: format!("{}, {}", names[next(7)], names[next(7)]) },
            (false, _) => TraceEvent::Send { channel: names[next(7)].to_owned() },
        };
        if is_net {
            movers.iter().for_each(|p| state.tokens[*p] = next(4) as i64);
        } else {
            movers.iter().for_each(|p| state.locations[*p] = next(processes[*p].locations.len()));
        }
        taken
            .push(TraceStep { event, edges: if is_net { Vec::new() } else { movers.into_iter().map(edge).collect() } });
    }
    let ending = [None, Some(TraceEnding::Waits), Some(TraceEnding::Stops), Some(TraceEnding::Cycle(next(steps)))];
    DrawnTrace {
        title: ["", "E<> P.a", "A[] (x < 3 imply y > 4) and a title that is longer than most of them are"][next(3)]
            .to_owned(),
        processes,
        places,
        variables: (0..variables).map(|i| format!("{}{i}", names[next(7)])).collect(),
        clocks: (0..clocks).map(|i| format!("{}{i}", names[next(7)])).collect(),
        states,
        steps: taken,
        ending: ending[next(4)],
        omitted: [0, 0, 17][next(3)],
        signal: Signal::default(),
    }
}

#[allow(clippy::disallowed_methods, reason = "tests read how many cases they try")]
fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// Returns the attribute of the first element that starts like this.
fn number(element: &str, key: &str) -> f64 {
    let value = element.split_once(&format!(" {key}=\"")).expect("the attribute").1;
    value.split('"').next().unwrap().parse().unwrap()
}

/// The lines of clocks have their exact values at the start and at the end of each column, whether
/// a clock runs or is stopped.
#[test]
fn clocks_are_drawn_at_their_values() {
    let mut points = 0;
    for seed in oracle::seeds(0..cases()) {
        let trace = random(seed);
        let svg = trace.timeline();
        let column = |step: usize| {
            let rect = svg.split(&format!("<g data-step=\"{step}\">")).nth(1).unwrap().split("<rect").nth(1).unwrap();
            (number(rect, "x"), number(rect, "x") + number(rect, "width"))
        };
        // Each clock has a base line, and after it its values.
        let base_line = format!("stroke=\"{}\" stroke-width=\"0.8\"", crate::palette::GRID);
        let lanes: Vec<&str> = svg.lines().filter(|line| line.contains("<path")).collect();
        let bases: Vec<usize> = (0..lanes.len()).filter(|i| lanes[*i].contains(&base_line)).collect();
        let data = |line: &str| -> Vec<(f64, f64)> {
            let d = line.split(" d=\"M").nth(1).unwrap().split('"').next().unwrap();
            let point = |p: &str| p.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap();
            d.split('L').map(point).collect()
        };
        let drawn = lanes::Lanes::new(&trace).clocks;
        assert_eq!(bases.len(), if trace.states[0].stay.is_some() { drawn.len() } else { 0 });
        for (&base, &clock) in bases.iter().zip(&drawn) {
            let y = data(lanes[base])[0].1;
            let own = lanes[base + 1..].iter().take_while(|line| line.contains(crate::palette::ACTIVE_LINE));
            let own: Vec<(f64, f64)> = own.flat_map(|line| data(line)).collect();
            let stays = || trace.states.iter().filter_map(|state| state.stay.as_ref());
            let most =
                stays().filter_map(|s| s.clocks[clock].as_ref()).map(|(a, b)| a.at.max(b.at)).fold(0.0, f64::max);
            for (step, stay) in stays().enumerate() {
                let Some((entered, left)) = &stay.clocks[clock] else { continue };
                for (x, value) in [(column(step).0, entered.at), (column(step).1, left.at)] {
                    let height = if most > 0.0 { value / most * 38.0 } else { 0.0 };
                    let is_there = |(a, b): &(f64, f64)| (a - x).abs() < 0.2 && (b - (y - height)).abs() < 0.2;
                    assert!(own.iter().any(is_there), "clock {clock} after step {step}: no {x} {}", y - height);
                    points += 1;
                }
            }
        }
    }
    assert!(points as u64 >= oracle::expected(1000, 150), "{points}");
}

#[test]
fn random_traces_are_drawn_without_flaws() {
    for seed in oracle::seeds(0..cases()) {
        let trace = random(seed);
        for (what, svg) in [("chart", trace.sequence_chart()), ("timeline", trace.timeline())] {
            let found = flaws(&svg);
            // Arrows of one step start at one lifeline, and clocks at their axis.
            let bad = Flaws { met: 0, joined: 0, ..found };
            if bad.total() > 0 {
                panic!("{what}, {bad:?}:\n{svg}");
            }
            assert!(found.texts > trace.steps.len(), "{found:?}");
            assert_eq!(outside(&svg), 0, "{what}:\n{svg}");
        }
    }
}
