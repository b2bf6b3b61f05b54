//! Random networks with synchronisation vectors, in TChecker's format with queries.

use std::{collections::BTreeSet, fmt::Write};

use super::{RandomModel, rng::Rng};

const EVENTS: [&str; 4] = ["a", "b", "c", "d"];

/// Generates a network from a seed.
#[must_use]
pub fn vectors(seed: u64) -> RandomModel {
    let rng = &mut Rng::new(seed ^ 0x7EC7_0125);
    let (processes, locations) = (2 + rng.below(3), 2 + rng.below(2));
    let mut syncs = String::new();
    // Weak participants of a vector have no guards.
    let mut weak = BTreeSet::new();
    let mut known = BTreeSet::new();
    for _ in 0..1 + rng.below(4) {
        let mut order: Vec<usize> = (0..processes).filter(|_| rng.chance(70)).collect();
        if order.is_empty() {
            order.push(rng.below(processes));
        }
        if rng.chance(50) {
            order.reverse();
        }
        let part = |process: usize| (process, rng.below(3), rng.chance(35));
        let parts: Vec<(usize, usize, bool)> = order.into_iter().map(part).collect();
        // A vector must not occur twice.
        let mut events: Vec<(usize, usize)> = parts.iter().map(|(process, event, _)| (*process, *event)).collect();
        events.sort_unstable();
        if !known.insert(events) {
            continue;
        }
        weak.extend(parts.iter().filter(|part| part.2).map(|(process, event, _)| (*process, *event)));
        let names =
            parts.iter().map(|(p, event, weak)| format!("P{p}@{}{}", EVENTS[*event], if *weak { "?" } else { "" }));
        let _ = writeln!(syncs, "sync:{}", names.collect::<Vec<String>>().join(":"));
    }
    let mut text = "system:s\nclock:1:x\nclock:1:y\nint:1:0:2:0:v\nint:1:0:2:1:w\n".to_owned();
    EVENTS.iter().for_each(|event| text.push_str(&format!("event:{event}\n")));
    for process in 0..processes {
        let _ = writeln!(text, "process:P{process}");
        for location in 0..locations {
            let _ = writeln!(text, "location:P{process}:l{location}{{{}}}", attributes(rng, location == 0));
        }
        for number in 0..locations + 1 + rng.below(3) {
            let (source, target) = if number < locations {
                (number, (number + 1) % locations)
            } else {
                (rng.below(locations), rng.below(locations))
            };
            let event = rng.below(EVENTS.len());
            let guard = if weak.contains(&(process, event)) { String::new() } else { guard(rng) };
            let labels: Vec<String> = [guard, update(rng)].into_iter().filter(|label| !label.is_empty()).collect();
            let event = EVENTS[event];
            let _ = writeln!(text, "edge:P{process}:l{source}:l{target}:{event}{{{}}}", labels.join(" : "));
        }
    }
    let queries = (0..3).map(|_| query(rng, processes, locations)).collect();
    RandomModel { text: text + &syncs, queries }
}

fn attributes(rng: &mut Rng, initial: bool) -> String {
    let mut out: Vec<&str> = if initial { vec!["initial:"] } else { Vec::new() };
    match rng.below(10) {
        0 if !initial => out.push("committed:"),
        1 => out.push("urgent:"),
        2..=4 => out.push("invariant: x <= 3"),
        _ => {}
    }
    out.join(" : ")
}

fn guard(rng: &mut Rng) -> String {
    let mut parts = Vec::new();
    if rng.chance(30) {
        parts.push((*rng.pick(&["x >= 1", "x <= 2", "y > 2", "y < 3", "x == 3"])).to_owned());
    }
    if rng.chance(35) {
        parts.push(format!("{} {} {}", rng.pick(&["v", "w"]), rng.pick(&["==", "!=", "<="]), rng.below(3)));
    }
    if rng.chance(10) {
        parts.push("v <= w".to_owned());
    }
    if parts.is_empty() { String::new() } else { format!("provided: {}", parts.join(" && ")) }
}

fn update(rng: &mut Rng) -> String {
    let choices = ["x = 0", "y = 0", "v = (v + 1) % 3", "w = v", "v = w", "w = (v + w) % 3", "v = 0", "w = 2"];
    let parts: Vec<&str> = (0..rng.below(3)).map(|_| *rng.pick(&choices)).collect();
    if parts.is_empty() { String::new() } else { format!("do: {}", parts.join("; ")) }
}

fn query(rng: &mut Rng, processes: usize, locations: usize) -> String {
    let mut parts = Vec::new();
    for process in 0..processes {
        if rng.chance(60) {
            parts.push(format!("P{process}.l{}", rng.below(locations)));
        }
    }
    if parts.is_empty() || rng.chance(50) {
        parts.push(format!("{} == {}", rng.pick(&["v", "w"]), rng.below(3)));
    }
    format!("E<> {}", parts.join(" && "))
}
