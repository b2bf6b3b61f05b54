//! Runs of random hybrid models are runs of the model, to within a tolerance: each is executed
//! again by an implementation that integrates and evaluates in another way.

use std::fmt::Write;

use model::{
    random::RunRandom,
    replay::{HybridStep, replay_hybrid},
    stochastic::{RunBound, RunMeasure},
};
use statistical::{Grid, Network, RunFault, Runner};

use crate::common::load;

#[derive(Default)]
struct Seen {
    runs: u64,
    steps: u64,
    draws: u64,
    curved: u64,
    faults: u64,
}

/// Returns a model with some processes that share clocks and numbers.
fn text(seed: u64) -> String {
    let mut random = RunRandom::new(seed, 0);
    let mut pick = |choices: &[&'static str]| choices[random.below(choices.len() as u64) as usize];
    let mut text = "clock x = 1.5, y, z; hybrid clock h = 0.5; double d = 0.7, e = -1.2; int n = 2;
        double soft(double a) { return a / (1 + fabs(a)); }
        broadcast chan c; urgent broadcast chan u;\n"
        .to_owned();
    let rates = [
        "x' == 0.4",
        "x' == -0.5 * x",
        "x' == soft(h)",
        "y' == 2",
        "y' == 0",
        "z' == 1.5 - z",
        "z' == d",
        "h' == e - h",
        "h' == y - h",
        "h' == sin(x)",
        "x' == n",
    ];
    let guards = [
        "x >= 0.3",
        "y >= 1",
        "z > d",
        "h <= 1.5",
        "d < 2.5",
        "y - z >= -2",
        "n > 0 && x <= 3.75",
        "x * x < 9",
        "true",
    ];
    let updates = [
        "d = random(2.0)",
        "e = random_normal(0, 1)",
        "x = d",
        "x = 0",
        "y = 0",
        "z = z / 2",
        "h = x - 1",
        "n = n % 3 + 1",
        "d = soft(y) + h * 0.25",
        "d = x <? 2, y = 0",
        "z = 0, e = -e",
    ];
    for process in 0..2 + seed % 2 {
        // Its own clock bounds the time in each location.
        write!(text, "process P{process}() {{ clock w; state ").unwrap();
        for location in 0..3 {
            let mut invariant =
                vec![pick(&rates), pick(&["w <= 1.5", "w <= d + 2", "w * w <= 2", "w' == 0.7 && w <= 1"])];
            // The rates of one clock in two processes would contradict each other.
            invariant.retain(|part| process == 0 || !part.starts_with('x') && !part.starts_with('h'));
            write!(text, "{}s{location}{{{}; 1}}", if location > 0 { ", " } else { "" }, invariant.join(" && "))
                .unwrap();
        }
        text.push_str("; init s0; trans ");
        for source in ["s0", "s1", "s2"] {
            writeln!(text, "{source} -> {} {{ guard w >= 0.25; assign w = 0; }},", pick(&["s0", "s1", "s2"])).unwrap();
        }
        for edge in 0..4 {
            let (source, target) = (pick(&["s0", "s1", "s2"]), pick(&["s0", "s1", "s2"]));
            let sync = pick(&["", "", "sync c!;", "sync c?;", "sync u!;"]);
            // Nothing urgent is possible again at once.
            let (guard, update) = match sync {
                "sync u!;" => (pick(&["h <= 1", "x >= 2", "z >= 1.2", "y >= 3"]), "x = 0, y = 0, z = 0, h = 2.0"),
                _ => (pick(&guards), pick(&updates)),
            };
            let comma = if edge > 0 { ", " } else { "" };
            write!(text, "{comma}{source} -> {target} {{ guard {guard}; {sync} assign w = 0, {update}; }}").unwrap();
        }
        text.push_str("; }\n");
    }
    text.push_str(if seed.is_multiple_of(2) { "system P0, P1;" } else { "system P0, P1, P2;" });
    text
}

fn examine(seed: u64) -> Result<Seen, String> {
    let text = text(seed);
    let system = load(&text, "Pr[<=8](<> false)").map_err(|why| format!("{why}\n{text}"))?.0;
    let network = Network::new(&system);
    let bound = RunBound { measure: RunMeasure::Time { from: 0.0 }, limit: 8.0, runs: None };
    let grid = Grid::new(&network, &[bound]);
    let time = |ticks| grid.ratio(ticks).map(|r| r.numerator() as f64 / r.denominator() as f64);
    let mut seen = Seen::default();
    for number in 0..2 {
        let run = Runner::new(&network, grid).recorded(seed, number, &bound);
        let steps: Option<Vec<HybridStep>> = run
            .steps
            .into_iter()
            .zip(run.draws)
            .map(|((delay, edges), draws)| Some(HybridStep { delay: time(delay)?, edges, draws }))
            .collect();
        let steps = steps.ok_or("a delay does not fit")?;
        seen.runs += 1;
        seen.steps += steps.len() as u64;
        seen.draws += steps.iter().map(|step| step.draws.len() as u64).sum::<u64>();
        seen.curved += u64::from(system.flows.iter().flatten().any(|flow| !flow.rate.is_constant_in_time()));
        match run.problem.map(|problem| problem.fault) {
            Some(RunFault::Initial) => continue,
            Some(_) => seen.faults += 1,
            None => {}
        }
        let last = time(run.last_delay).ok_or("a delay does not fit")?;
        replay_hybrid(&system, &steps, last, 1e-4)
            .map_err(|why| format!("run {number}: {why:?}\n{steps:?}\n{text}"))?;
    }
    Ok(seen)
}

#[test]
fn runs_are_runs_of_the_model() {
    let seen = oracle::campaign(30, examine, |all: &mut Seen, new| {
        all.runs += new.runs;
        all.steps += new.steps;
        all.draws += new.draws;
        all.curved += new.curved;
        all.faults += new.faults;
    });
    assert!(seen.steps >= oracle::expected(150, 30), "only {} steps of {} runs", seen.steps, seen.runs);
    assert!(seen.draws >= oracle::expected(10, 30), "only {} draws", seen.draws);
    assert!(seen.curved >= oracle::expected(20, 30), "only {} runs with equations", seen.curved);
    assert!(seen.faults <= seen.runs / 2, "{} of {} runs can't go on", seen.faults, seen.runs);
}
