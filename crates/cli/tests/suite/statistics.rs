//! Statistical queries on the command line: text, JSON, `verifyta`, and models that only they can
//! be asked about.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::common::{Run, run_in, scratch};

const MODEL: &str = "
    clock cost;
    process P() {
        state a{cost' == 2; 1:2}, b; branchpoint m; init a;
        trans a -> m { }, m -> b { probability 3; }, m -> a { probability 1; };
    }
    system P;";

/// Runs a command in a folder with the model.
fn run(name: &str, args: &[&str]) -> Run {
    let folder = scratch(name);
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    fs::write(folder.join("m.q"), "Pr[<=0](<> P.b)\nPr[<=100](<> P.b) >= 0.5\nE[<=0; 3](max: cost)\n").unwrap();
    run_in(&folder, args)
}

#[test]
fn answers_have_values_intervals_and_runs() {
    let all =
        run("statistics_json", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "-qE[<=2; 50](max: cost)", "--format=json"]);
    let report: Value = serde_json::from_str(all.succeeds()).unwrap();
    let value = |number: usize, key: &str| report["results"][number]["value"][key].as_f64().unwrap();
    // The rate of success is 3/8.
    let truth = 1.0 - (-0.75_f64).exp();
    assert!(value(0, "low") < truth && truth < value(0, "high"), "{all:?}");
    assert!((value(0, "estimate") - truth).abs() < 0.1 && (value(0, "level") - 0.95).abs() < 1e-12);
    assert!(value(0, "successes") < value(0, "runs"));
    assert_eq!(value(1, "runs"), 50.0);
    // The same again, whatever the number of threads.
    let again = |threads| {
        let args = ["verify", "m.xta", "-qPr[<=2](<> P.b)", "--threads", threads];
        run("statistics_threads", &args).succeeds().to_owned()
    };
    assert_eq!(again("1"), again("3"));
}

#[test]
fn a_model_may_be_for_random_runs_only() {
    let both = run("statistics_only", &["verify", "m.xta", "-qE<> P.b", "-qPr[<=100](<> P.b)"]);
    assert_eq!(both.status, 3, "{both:?}");
    assert!(both.out.contains("clock rates other than 0 and 1 are not supported in symbolic analysis"), "{both:?}");
    assert!(both.out.contains("(95% CI), 72 of 72 runs"), "{both:?}");
    // Without a statistical query it is refused as a whole.
    run("statistics_whole", &["verify", "m.xta", "-qE<> P.b"]).refuses("clock rates other than 0 and 1");
}

#[test]
fn verifyta_prints_the_lines_of_uppaal() {
    let lines = run("statistics_verifyta", &["verifyta", "-sq", "m.xta", "m.q"]);
    let expected = "\nVerifying formula 1 at m.q:1\n -- Formula is satisfied.\n(0/72 runs) Pr(<> ...) in [0,0.0499441] (95% CI)\n\
        \nVerifying formula 2 at m.q:2\n -- Formula is satisfied.\n";
    assert!(lines.succeeds().starts_with(expected), "{lines:?}");
    assert!(lines.out.contains("runs) H0: Pr(<> ...) >= 0.5\nwith confidence 0.95.\n"), "{lines:?}");
    assert!(lines.out.ends_with("(3 runs) E(max) = ≈ 0\n"), "{lines:?}");
}

#[test]
fn options_are_checked() {
    for (option, why) in
        [("--alpha=0", "is not between 0 and 1"), ("--epsilon=x", "is not a number"), ("--runs=0", "is not in")]
    {
        run("statistics_options", &["verify", "m.xta", "-qPr[<=2](<> P.b)", option]).refuses(why);
    }
    let few = run("statistics_few", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "--runs=10", "--alpha=0.01"]);
    assert!(few.succeeds().contains("(99% CI)") && few.out.contains("of 10 runs"), "{few:?}");
}

#[test]
fn there_are_no_checkpoints_of_random_runs() {
    let kept = ["verify", "m.xta", "-qPr[<=2](<> P.b)", "--checkpoint=kept"];
    run("statistics_kept", &kept).refuses("there are no checkpoints of statistical queries");
}

/// A walk towards 6, in which each step is ten times less likely than the end.
const RARE: &str = "
    int[0,9] n = 0;
    clock x;
    process P() {
        state a{x <= 1}, dead; branchpoint m; init a;
        trans a -> m { guard n < 9 && x >= 1; assign x = 0; },
              m -> a { probability 1; assign n++; }, m -> dead { probability 9; };
    }
    system P;";

/// Runs a command in a folder with that model.
fn rare(name: &str, args: &[&str]) -> (PathBuf, Run) {
    let folder = scratch(name);
    fs::write(folder.join("m.xta"), RARE).unwrap();
    let run = run_in(&folder, args);
    (folder, run)
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {run:?}"))
}

#[test]
fn what_is_certain_is_known_without_runs() {
    for (query, probability) in [
        ("Pr[<=100](<> n > 9)", Some(0.0)),
        ("Pr[<=3](<> n == 4)", Some(0.0)),
        ("Pr[<=4](<> n == 4)", None),
        ("Pr[#<=100]([] n <= 9)", Some(1.0)),
        ("Pr[<=1](<> n == 1 || P.dead)", Some(1.0)),
        ("Pr[<=0.5](<> n == 1 || P.dead)", None),
        ("Pr(<>[2,3] P.a && n < 2)", None),
        ("Pr[<=1.5]([] n == 0 && P.a)", Some(0.0)),
        ("Pr[<=100](P.a U n > 9)", Some(0.0)),
        ("Pr[<=3](<> n == 4) >= 0.5", Some(0.0)),
    ] {
        let (_, all) = rare("statistics_certain", &["verify", "m.xta", "-q", query, "--certain", "--format=json"]);
        let result = &report(&all)["results"][0];
        let value = &result["value"];
        assert_eq!(value["certain"].is_string(), probability.is_some(), "{query}: {result}");
        if let Some(probability) = probability {
            assert_eq!((value["estimate"].as_f64(), value["runs"].as_u64()), (Some(probability), Some(0)), "{query}");
            assert_eq!((&value["low"], &value["high"]), (&value["estimate"], &value["estimate"]), "{query}");
        }
        let expected = if query.ends_with(">= 0.5") { "not satisfied" } else { "satisfied" };
        assert_eq!(result["answer"], expected, "{query}");
    }
}

#[test]
fn certainty_has_limits_and_certificates() {
    let proved = ["verify", "m.xta", "-qPr[<=100](<> n > 9)", "--certain", "--certificate=c.cert"];
    let (folder, all) = rare("statistics_certificate", &proved);
    assert!(all.succeeds().contains("certificate with"), "{all:?}");
    assert!(run_in(&folder, &["certify", "m.xta", "c.cert"]).succeeds().contains("proved: not satisfied"));
    // The search is too large, and random runs answer.
    let (_, few) =
        rare("statistics_certain_limit", &["verify", "m.xta", "-qPr[<=3](<> n == 4)", "--certain", "--state-limit=2"]);
    assert!(few.succeeds().contains("too large") && few.out.contains("0 of 72 runs"), "{few:?}");
    // Random runs with other rates are not those that symbolic queries are about.
    let rates = run("statistics_certain_rates", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "--certain"]);
    assert!(rates.succeeds().contains("clock rates other than 0 and 1") && rates.out.contains(" runs"), "{rates:?}");
    let mean = run("statistics_certain_mean", &["verify", "m.xta", "-qE[<=2; 9](max: cost)", "--certain"]);
    assert!(mean.succeeds().contains("it is for `Pr` of one property"), "{mean:?}");
}

#[test]
fn a_run_that_random_ones_miss_is_shown_and_replays() {
    let args = ["verify", "m.xta", "-qPr[<=50](<> n == 9)", "--certain", "--trace-file=t.json"];
    let (folder, all) = rare("statistics_missed", &args);
    assert!(all.succeeds().contains("none of 72 random runs reached it"), "{all:?}");
    assert!(all.out.contains("trace with 9 transitions"), "{all:?}");
    assert!(run_in(&folder, &["replay", "m.xta", "t.json"]).succeeds().contains("ok: satisfied"));
    // The time bound belongs to the claim.
    let text = fs::read_to_string(folder.join("t.json")).unwrap();
    fs::write(folder.join("t.json"), text.replace("[<=50]", "[<=8]")).unwrap();
    let late = run_in(&folder, &["replay", "m.xta", "t.json"]);
    assert!(late.status == 1 && late.out.contains("moments don't count"), "{late:?}");
}

#[test]
fn runs_that_decide_are_kept_and_replay() {
    let args = [
        "verify",
        "m.xta",
        "-qPr[<=9](<> n == 1)",
        "-qPr[#<=9]([] n < 1)",
        "-qPr[<=9](P.a U n == 1)",
        "--trace-file=t.json",
    ];
    let (folder, all) = rare("statistics_kept_runs", &args);
    assert!(all.succeeds().contains("3 queries: 3 satisfied") && all.err.contains("wrote 2 traces"), "{all:?}");
    let replayed = run_in(&folder, &["replay", "m.xta", "t.json"]);
    assert!(
        replayed.succeeds().contains("ok: satisfied") && replayed.out.contains("ok: not satisfied"),
        "{replayed:?}"
    );
    let text = fs::read_to_string(folder.join("t.json")).unwrap();
    fs::write(folder.join("t.json"), text.replace("n == 1)", "n == 2)")).unwrap();
    assert_eq!(run_in(&folder, &["replay", "m.xta", "t.json"]).status, 1);
    // Neither does UPPAAL have traces of random runs.
    fs::write(folder.join("m.q"), "Pr[<=9](<> n == 1)\n").unwrap();
    let like = run_in(&folder, &["verifyta", "-sq", "-t0", "m.xta", "m.q"]);
    assert!(like.succeeds().ends_with("CI)\n"), "{like:?}");
}

#[test]
fn rare_events_are_split() {
    for levels in ["n", "hu", "hl"] {
        let args = ["verify", "m.xta", "-qPr[<=50](<> n == 6)", "--splitting", levels, "--format=json", "--runs=30000"];
        let (_, all) = rare("statistics_splitting", &args);
        let value = &report(&all)["results"][0]["value"];
        let estimate = value["estimate"].as_f64().unwrap();
        assert!((5e-7..2e-6).contains(&estimate), "{levels}: {value}");
        assert!(value["splitting"]["levels"].as_array().unwrap().len() >= 4, "{levels}: {value}");
        assert!(value["low"].as_f64().unwrap() < estimate && estimate < value["high"].as_f64().unwrap(), "{value}");
    }
    let with =
        |levels| rare("statistics_levels", &["verify", "m.xta", "-qPr[<=50](<> n == 6)", "--splitting", levels]).1;
    with("x").refuses("may not depend on clocks");
    with("m").refuses("--splitting: `m` says nothing about levels");
    with("").refuses("--splitting");
    let mean = rare("statistics_no_levels", &["verify", "m.xta", "-qE[<=5; 9](max: n)", "--splitting=n"]).1;
    assert!(mean.succeeds().contains("`--splitting` is for `Pr` without a comparison"), "{mean:?}");
}

#[test]
fn charts_and_tables_are_files() {
    let queries = ["-qPr[<=9](<> n == 1)", "-qE[<=9; 50](max: n)", "-qsimulate[<=3; 4]{n, x}", "-qE<> n == 1"];
    let args = [&["verify", "m.xta", "--plot=out"], &queries[..]].concat();
    let (folder, all) = rare("statistics_plot", &args);
    all.succeeds();
    let names = || {
        let entries = fs::read_dir(folder.join("out")).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    };
    let expected = "query-1-cumulative.svg query-1-histogram.svg query-1.csv query-2-cumulative.svg \
        query-2-histogram.svg query-2.csv query-3-runs.svg query-3.csv";
    assert_eq!(names(), expected);
    let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
    assert!(read("query-3.csv").starts_with("run,time,n,x\n0,0,0,0\n"), "{}", read("query-3.csv"));
    assert!(read("query-1.csv").starts_with("curve,of,from,to,runs,runs_up_to,share,low,high\nruns,time,1,"));
    for name in ["query-1-cumulative.svg", "query-1-histogram.svg", "query-3-runs.svg"] {
        assert!(read(name).starts_with("<svg ") && read(name).ends_with("</svg>\n"), "{name}");
    }
    // The same again is the same, and a note says that files were replaced.
    let before = read("query-1.csv");
    let again = run_in(&folder, &args);
    again.succeeds();
    assert!(
        again.err.contains("replaced `out/query-1.csv` with a table") && read("query-1.csv") == before,
        "{again:?}"
    );
    // No input is replaced, and nothing is left where something can't be written.
    fs::write(folder.join("out/query-1.csv"), "Pr[<=9](<> n == 1)\n").unwrap();
    let input = run_in(&folder, &["verify", "m.xta", "out/query-1.csv", "--plot=out"]);
    input.refuses("is an input of this command");
    assert_eq!(names(), expected);
    run_in(&folder, &["verify", "m.xta", "-qPr[<=9](<> n == 1)", "--plot=a/b"]).refuses("there is no folder `a`");
    let nothing = run_in(&folder, &["verify", "m.xta", "-qE<> n == 1", "--plot=none"]);
    assert!(nothing.succeeds().contains("satisfied") && nothing.err.contains("no answer has anything to plot"));
    assert!(!folder.join("none").exists());
    // Reports have the same charts.
    let args = ["report", "m.xta", "-qPr[<=9](<> n == 1)", "-o=r.html"];
    run_in(&folder, &args).succeeds();
    let page = fs::read_to_string(folder.join("r.html")).unwrap();
    assert_eq!(page.matches("aria-label=\"Chart of Pr[&lt;=9](&lt;&gt; n == 1)\"").count(), 2);
}

#[test]
fn many_trajectories_are_within_the_limit_on_memory() {
    let args = ["verify", "m.xta", "-qsimulate[<=3; 100000000]{n, x}", "--memory-limit=20M"];
    let (_, all) = rare("statistics_memory", &args);
    assert!(all.status == 2 && all.out.contains("unknown: the memory limit was reached"), "{all:?}");
    assert!(all.out.contains("run 0, to time") && all.out.contains("more runs: --format json has all"), "{all:?}");
    let (_, all) = rare("statistics_memory", &[&args[..], &["--format=json"]].concat());
    assert_eq!(all.status, 2, "{all:?}");
    // It is megabytes long.
    assert!(all.out.contains("\"reason\": \"the memory limit was reached\""), "{all:?}");
    assert!(all.out.matches("\"run\": ").count() > 1000 && all.out.ends_with("\n  ]\n}\n"), "{all:?}");
}

#[test]
fn options_that_have_no_effect_are_named() {
    let smt = run("statistics_smt", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "--engine=smt"]);
    assert!(smt.succeeds().contains("random runs answer this query; `--engine smt`"), "{smt:?}");
    run("statistics_negative", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "--alpha", "-0.1"])
        .refuses("`-0.1` is not between 0 and 1");
    run("statistics_minus", &["verify", "m.xta", "-qPr[<=2](<> P.b)", "--runs", "-5"]).refuses("`-5`");
    let (_, bound) = rare("statistics_bound", &["verify", "m.xta", "-qPr[<2](<> P.dead)"]);
    assert!(bound.out.contains("write `<= T` for time"), "{bound:?}");
}
