//! Directed searches, case studies in a folder, and Fischer's protocol as the papers have it.

use std::{fs, path::Path};

use super::{bench, json, line, root};
use crate::common::{run_in, scratch};

#[test]
fn directed_searches_are_listed_above_the_papers_results() {
    let run = bench(None, &["directed", "--row", "FA5"]);
    let text = run.succeeds();
    let paper = line(text, "Table 1:", "paper");
    assert_eq!(paper.join(" "), "5 5 1 | 0.0 0.0 0.0 | | 526 27 34 | 3 1 1 | 161 9 9");
    assert_eq!(line(text, "Table 2:", "paper").join(" "), "5 5 1 | 0.0 0.0 | | 80 80 | 1 1 | 21 21");
    assert_eq!(line(text, "Table 3:", "paper").join(" "), "5 5 1 | 0.0 0.0 0.0 | | 1467 207 1457 | 6 1 1 | 9 9 9");
    // Greedy search with h^L and h^U expands only states on the path to the error.
    let directed = line(text, "Table 1:", "FA5 ");
    assert_eq!(directed.split(|word| *word == "|").nth(3).map(|s| &s[1..]), Some(&["27", "27"][..]), "{text}");
    let ours = line(text, "Table 3:", "FA5 ");
    let groups: Vec<&[&str]> = ours.split(|word| *word == "|").collect();
    // As many states as in the paper.
    assert_eq!((groups[0], groups[2][0], groups[3][0]), (&["6", "5", "1"][..], "550", "1467"), "{text}");
    // Inclusion in aLU covers more of them.
    let own = line(text, "Table 3:", "ours ");
    assert_eq!(own.split(|word| *word == "|").nth(3).map(|s| s[0]), Some("1462"), "{text}");
    assert_eq!(groups[5][0], "9", "l is one more than the number of transitions: {text}");
    assert_eq!(line(text, "Further:", "paper        ARMC-b3-r4")[..2], ["0.3", "29"], "{text}");
    assert!(text.contains("l: transitions to the error and one"), "{text}");
    assert!(!text.contains("not at hand"), "the others were not requested: {text}");
}

#[test]
fn case_studies_are_found_in_a_folder() {
    let folder = scratch("bench-directed");
    let below = folder.join("some/where");
    fs::create_dir_all(&below).unwrap();
    let model = "process P() { state a, b; init a; trans a -> b { }; } system P;";
    fs::write(below.join("M1.xta"), model).unwrap();
    fs::write(below.join("M1.q"), "E<> P.b\n").unwrap();
    fs::write(below.join("N2.xta"), model).unwrap();
    let run = |args: &[&str]| run_in(&folder, &[&["bench", "directed"], args].concat());
    let found = run(&["--models", ".", "--row", "M1", "--plot", "plot.svg"]);
    assert_eq!(line(found.succeeds(), "Table 3:", "paper")[..3], ["3", "4", "11"], "{found:?}");
    assert_eq!(line(&found.out, "Table 3:", "M1 ")[..3], ["1", "0", "0"], "{found:?}");
    let plot = fs::read_to_string(folder.join("plot.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains(">M1</text>") && plot.contains(">bfs</text>"), "{plot}");

    run(&["--models", "nowhere"]).refuses("can't read the folder `nowhere`: ");
    run(&["--models", "some/where/M1.xta"]).refuses("can't read the folder `some/where/M1.xta`: ");
    run(&["--models", ".", "--row", "N2"]).refuses("N2.q`: ");
    run(&["--models", ".", "--row", "C9"]).refuses("there is no C9.xta or C9.xml in `.`");
    run(&["--row", "C9"]).refuses("the model C9 is not at hand; --models names the folder that has it");
    run(&["--row", "FA99"]).refuses("there is no model `FA99`; known are FA2 to FA30, ");
    run(&["--row", "FA5", "--plot", "-"]).refuses("--plot writes a file");
    run(&["--row", "FA2", "--plot", "nowhere/plot.svg"]).refuses("can't write `nowhere/plot.svg`: ");
    fs::write(below.join("N2.q"), "E<> P.c\n").unwrap();
    run(&["--models", ".", "--row", "N2"]).refuses("the model N2 is wrong: line 1 of the query: ");
    fs::write(below.join("N2.q"), "A<> P.b\n").unwrap();
    run(&["--models", ".", "--row", "N2"]).refuses("its query should begin with E<> or A[]");
    fs::write(below.join("N2.q"), "E<> P.a\nE<> P.b\n").unwrap();
    run(&["--models", ".", "--row", "N2"]).refuses("there should be one query, and there are 2");
    fs::write(below.join("N2.q"), "E<> P.a && P.b\n").unwrap();
    let none = run(&["--models", ".", "--row", "N2"]);
    assert_eq!(none.status, 1, "{none:?}");
    assert!(none.out.contains("note: there is no error: N2 random-dfs with extra-lu, "), "{none:?}");
}

#[test]
fn a_directed_search_that_was_stopped_is_a_dash() {
    let run = bench(None, &["directed", "--row", "plc3", "--memory-limit", "1"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(line(&run.out, "Table 3:", "plc3 ")[4], "-", "{run:?}");
    assert!(run.out.contains("note: the memory limit was reached: plc3 random-dfs with extra-lu, "), "{run:?}");
}

/// Returns how many states a breadth-first search generates before it reaches the goal of a query.
fn generated(folder: &Path, model: &str, query: &Path) -> u64 {
    let words = ["verify", model, &query.display().to_string(), "--order", "bfs", "--abstraction", "extra-lu"];
    let run = run_in(folder, &[&words[..], &["--stats", "--format", "json"]].concat());
    run.succeeds();
    json(&run)["results"][0]["stats"]["generated"].as_u64().unwrap()
}

#[test]
fn the_variants_of_fischers_protocol_are_those_of_the_paper() {
    let folder = scratch("bench-fischer");
    for corpus in oracle::corpora("seed/fischer") {
        let theirs = corpus.folder;
        let sizes: &[u32] = if corpus.is_shared { &[5, 10] } else { &[2] };
        for (row, family) in [("FA", "fischer-a"), ("FB", "fischer-b"), ("FC", "fischer-c")] {
            let ours = root().join(format!("models/directed/{family}.xta"));
            let text = fs::read_to_string(ours).unwrap();
            for size in sizes {
                fs::write(folder.join("m.xta"), text.replace("N = 5;", &format!("N = {size};"))).unwrap();
                let one = generated(&folder, "m.xta", &root().join(format!("models/directed/{family}.q")));
                let other = generated(&theirs, &format!("{row}{size}.xta"), &theirs.join(format!("{row}{size}.q")));
                assert_eq!(one, other, "{row}{size}");
            }
        }
    }
}
