//! Statistical queries on the command line: text, JSON, `verifyta`, and models that only they can
//! be asked about.

use std::fs;

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
