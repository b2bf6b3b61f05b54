//! The figures of opaal.

use super::{bench, json};

#[test]
fn the_figures_of_opaal_are_reproduced() {
    let run =
        bench(None, &["lattice", "--quick", "--figure", "4", "--figure", "5", "--figure", "6", "--format", "json"]);
    run.succeeds();
    let report = json(&run);
    let figures = report["figures"].as_array().unwrap();
    let (mut predicted, mut printed) = (0, 0);
    for figure in figures {
        for row in figure["rows"].as_array().unwrap() {
            for run in row["runs"].as_array().unwrap().iter().filter(|run| run["merkhet"].is_object()) {
                let states = &run["merkhet"]["states"];
                if run["expected"].is_number() {
                    assert_eq!(*states, run["expected"], "{} {run}", row["row"]);
                    predicted += 1;
                }
                // Two numbers of the paper belong to another list.
                let differs = run["search"] == "refined" && (row["row"] == "8" || row["row"] == "10");
                if run["published"].is_object() && !differs {
                    assert_eq!(*states, run["published"]["states"], "{} {run}", row["row"]);
                    printed += 1;
                }
                assert_eq!(run["merkhet"]["conclusive"], run["search"] != "naive", "{run}");
            }
        }
    }
    assert_eq!((figures.len(), predicted, printed), (3, 6 + 10 + 13, 6 + 12 + 13));
    assert!(report["notes"].to_string().contains("Figure 6: 13 of the paper's 13"), "{}", report["notes"]);
}

#[test]
fn bounds_on_the_time_of_programs_depend_on_the_search() {
    let run = bench(None, &["lattice", "--quick", "--figure", "cache", "--figure", "overhead", "--format", "json"]);
    run.succeeds();
    let report = json(&run);
    let bounds = |row: usize| -> Vec<u64> {
        let runs = report["figures"][0]["rows"][row]["runs"].as_array().unwrap();
        runs.iter().map(|run| run["merkhet"]["bound"].as_u64().unwrap()).collect()
    };
    assert_eq!((bounds(0), bounds(1)), (vec![75; 4], vec![75; 4]));
    assert_eq!(bounds(2), [111, 111, 120, 111]);
    assert_eq!(report["overhead"].as_array().unwrap().len(), 2, "{report}");
}

#[test]
fn a_stopped_figure_is_not_a_result() {
    let run = bench(None, &["lattice", "--quick", "--figure", "6", "--memory-limit", "1"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.out.contains("note: the memory limit was reached: 6, 5, explicit"), "{run:?}");
    bench(None, &["lattice", "--figure", "7"]).refuses("invalid value '7'");
}
