//! Searches and random runs in several threads and processes, beside copies.

use std::fs;

use serde_json::Value;

use super::json;
use crate::common::{run_in, scratch};

#[test]
fn threads_are_measured_beside_copies() {
    let folder = scratch("bench-scale");
    let run = |args: &[&str]| run_in(&folder, &[&["bench", "scale"], args].concat());
    let measured = run(&[
        "--size",
        "3",
        "--threads",
        "2,250",
        "--processes",
        "2,60",
        "--runs",
        "20",
        "--repeat",
        "2",
        "--plot",
        "plot.svg",
        "--format",
        "json",
    ]);
    measured.succeeds();
    let report = json(&measured);
    let cores = report["cores"].as_u64().unwrap();
    let left_out = if cores > 1 { "left out: 250 threads" } else { "left out: 2, 250 threads" };
    assert!(report["notes"].to_string().contains(left_out), "{report}");
    let left_out = if cores > 1 { "left out: 60 processes" } else { "left out: 2, 60 processes" };
    assert!(cores >= 60 || report["notes"].to_string().contains(left_out), "{report}");
    let models = report["models"].as_array().unwrap();
    let families: Vec<&Value> = models.iter().map(|model| &model["family"]).collect();
    let random = ["runs-fischer", "runs-train-gate", "runs-bluetooth"];
    assert_eq!(families, [&["fischer", "train-gate", "critical-region"], &random[..]].concat());
    for model in models {
        let runs = model["runs"].as_array().unwrap();
        let shapes: Vec<(u64, u64)> = runs
            .iter()
            .map(|run| (run["threads"].as_u64().unwrap(), run["processes"].as_u64().unwrap()))
            .filter(|(threads, processes)| threads * processes <= 2)
            .collect();
        let is_random = model["random_runs"] == 20;
        assert_eq!(is_random, random.contains(&model["family"].as_str().unwrap()), "{model}");
        let most = match (cores, is_random) {
            (1, _) => 1,
            (_, true) => 2,
            (_, false) => 3,
        };
        assert_eq!(shapes, [(1, 1), (2, 1), (1, 2)][..most], "{model}");
        for run in runs {
            let number = run["threads"].as_u64().unwrap() * run["processes"].as_u64().unwrap();
            let alone = runs[0]["search"]["generated"].as_u64().unwrap();
            assert_eq!(run["copies"]["generated"].as_u64(), Some(alone * number), "{model}");
            assert!(run["search"]["generated_per_second"].as_f64().unwrap() > 0.0, "{model}");
        }
        assert_eq!((&runs[0]["search"]["speed_up"], &runs[0]["share"]), (&1.0.into(), &1.0.into()));
    }
    let plot = fs::read_to_string(folder.join("plot.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains(">fischer 3, 1 thread</text>"), "{plot}");
    let text = run(&["--family", "fischer", "--size", "3", "--threads", "1", "--processes", "2"]);
    let line = text.succeeds().lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((words[1], words[4], words[7], words[8]), ("1", "1.00", "1.00", "100%"), "{text:?}");
    let text = run(&["--family", "runs-bluetooth", "--threads", "1", "--runs", "3"]);
    assert!(text.succeeds().starts_with("runs-bluetooth 4, 3 random runs\n"), "{text:?}");
    // A search that is stopped has no figures.
    let stopped = run(&["--family", "train-gate", "--threads", "1", "--time-limit", "0.01"]);
    assert_eq!(stopped.status, 2, "{stopped:?}");
    assert!(stopped.out.contains("note: train-gate 6, 1 thread: the time limit was reached"), "{stopped:?}");
    run(&["--size", "99"]).refuses("there is no model of size 99: fischer has 1 to 16");
    run(&["--threads", "0"]).refuses("invalid value '0'");
    run(&["--processes", "1"]).refuses("invalid value '1'");
    run(&["--large", "--size", "3"]).refuses("cannot be used with");
    run(&["--plot", "-"]).refuses("--plot writes a file");
}
