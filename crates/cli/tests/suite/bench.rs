//! The models of `merkhet bench zones`, `directed`, `abstraction` and `lattice`, and the external
//! tools. No test depends on execution times.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{Run, command, finish, run_in, scratch};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `merkhet bench` where no external tool can be found, except those in a given folder.
fn bench(tools: Option<&Path>, args: &[&str]) -> Run {
    let mut command = command(Path::new("."));
    command.arg("bench").args(args);
    match tools {
        // The tools are scripts, which need a shell and its commands.
        Some(folder) => command.env("PATH", format!("{}:/usr/bin:/bin", folder.display())),
        None => command.env("PATH", ""),
    };
    finish(&mut command, b"")
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {run:?}"))
}

/// Returns how many states an exhaustive search of a model stores.
fn stored(folder: &Path, file: &str, abstraction: &str) -> u64 {
    let run = run_in(
        folder,
        &["verify", file, "-q", "E<> false", "--abstraction", abstraction, "--stats", "--format", "json"],
    );
    assert_eq!(run.status, 1, "{file}: {run:?}");
    json(&run)["results"][0]["stats"]["stored"].as_u64().unwrap()
}

/// Returns the words after a name in a table.
fn words<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).split_whitespace().collect()
}

/// A family, a small size, and which labels of its TChecker text can hold at once.
type Small = (&'static str, u32, &'static [(&'static str, bool)]);

const SMALL: [Small; 9] = [
    ("fischer", 3, &[("inside1,inside2", false), ("inside3", true)]),
    ("csma-cd", 3, &[("sending1,sending2", true), ("sending1,sending2,sending3", false)]),
    ("fddi", 3, &[("extra1,extra2", false), ("extra3", true), ("late3", true)]),
    ("corsso", 2, &[("inside1,inside2", true)]),
    ("critical-region", 3, &[("critical1,critical2", true), ("failed1", true), ("done1,done2,done3", true)]),
    ("train-gate", 3, &[("crossing1,crossing2", false), ("crossing1,stopped2,stopped3", true)]),
    ("leader-election", 4, &[("leading1,leading2", false), ("reading1,reading2", false), ("late", true)]),
    ("dining-philosophers", 3, &[("eating1,eating2", false), ("hungry1,hungry2,hungry3", true), ("eating3", true)]),
    ("parallel", 3, &[("holding1,holding2", false), ("holding3", true)]),
];

#[test]
fn both_texts_of_a_family_are_one_system() {
    let folder = scratch("families");
    for (family, size, labels) in SMALL {
        let n = size.to_string();
        let run = run_in(&folder, &["bench", "zones", "--family", family, "--size", &n, "--write", "out"]);
        let names: Vec<&str> = run.succeeds().lines().collect();
        let [xta, tck] = names[..] else { panic!("{run:?}") };
        for abstraction in ["extra-lu-plus", "extra-lu", "extra-m"] {
            let (one, other) = (stored(&folder, xta, abstraction), stored(&folder, tck, abstraction));
            assert_eq!(one, other, "{family} {size} with {abstraction}");
        }
        let queries = root().join(format!("models/zones/{family}.q"));
        let run = run_in(&folder, &["verify".as_ref(), Path::new(xta), &queries]);
        assert_eq!(run.status, 0, "every query of {family} holds: {run:?}");
        for (labels, holds) in labels {
            let run = run_in(&folder, &["verify", tck, "-l", labels]);
            assert_eq!(run.status, i32::from(!holds), "{family}: {labels}: {run:?}");
        }
    }
}

/// TChecker's models: family, size and file.
const TCHECKER: [(&str, u32, &str); 9] = [
    ("fischer", 6, "fischer_6"),
    ("csma-cd", 6, "csmacd_6"),
    ("fddi", 6, "fddi_6"),
    ("corsso", 2, "corsso_2"),
    ("critical-region", 3, "critical-region_3"),
    ("train-gate", 4, "train_gate_4"),
    ("leader-election", 5, "leader-election_5_4"),
    ("dining-philosophers", 5, "dining-philosophers_5"),
    ("parallel", 5, "parallel-c_5"),
];

#[test]
fn the_families_are_those_of_tchecker() {
    for corpus in oracle::corpora("tchecker") {
        let families = if corpus.is_shared { &TCHECKER[..] } else { &[("fischer", 3, "fischer_3")] };
        for &(family, size, file) in families {
            for abstraction in ["extra-lu-plus", "extra-lu"] {
                let n = size.to_string();
                let args =
                    ["zones", "--family", family, "--size", &n, "--abstraction", abstraction, "--format", "json"];
                let run = bench(None, &args);
                let ours = json(&run)["runs"][0]["merkhet"]["stored"].as_u64().unwrap();
                assert_eq!(
                    ours,
                    stored(&corpus.folder, &format!("{file}.tck"), abstraction),
                    "{file} with {abstraction}"
                );
            }
        }
    }
}

#[test]
fn the_standard_sizes_agree_with_what_was_recorded() {
    let run = bench(None, &["zones", "--format", "json"]);
    run.succeeds();
    let report = json(&run);
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 12);
    for run in runs {
        assert_eq!(run["merkhet"]["stored"], run["recorded"]["stored"], "{run}");
        assert!(run["recorded"]["million_instructions"].is_number(), "{run}");
    }
    assert!(report["notes"].to_string().contains("tck-reach is not on the PATH"), "{report}");
    let text = bench(None, &["zones", "--family", "corsso"]);
    assert_eq!(words(text.succeeds(), "TChecker, recorded"), ["573", "573", "1480", "44"], "{text:?}");
    assert!(text.out.contains("note: tck-reach is not on the PATH"), "{text:?}");
}

#[test]
fn wrong_sizes_are_refused() {
    let run = bench(None, &["zones", "--family", "corsso", "--family", "fddi", "--size", "99"]);
    run.refuses("there is no model of size 99: fddi has 1 to 24, corsso has 1 to 8");
    bench(None, &["zones", "--scaling", "--family", "fddi", "--family", "corsso"]).refuses("--scaling runs one family");
    bench(None, &["zones", "--size", "2", "--instructions"]).refuses("needs valgrind");
    let folder = scratch("bench-write");
    fs::write(folder.join("file"), "").unwrap();
    run_in(&folder, &["bench", "zones", "--size", "2", "--write", "file"]).refuses("can't make the folder `file`");
    // A size that only some families have is enough.
    let run = run_in(&folder, &["bench", "zones", "--size", "13", "--write", "out"]);
    assert_eq!(run.succeeds().lines().count(), 6, "{run:?}");
}

#[test]
fn a_stopped_search_is_not_a_result() {
    let run = bench(None, &["zones", "--family", "fischer", "--size", "6", "--memory-limit", "1"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.out.contains("note: fischer 6: the memory limit was reached"), "{run:?}");
}

/// Returns the words of a line of a table, after a heading.
fn line<'a>(text: &'a str, heading: &str, name: &str) -> Vec<&'a str> {
    let (_, table) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading} in {text}"));
    words(table, name)
}

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
fn sizes_of_formulas_are_compared_with_the_papers() {
    let run = bench(None, &["nets", "--table", "1", "--size", "2", "--steps", "1", "--steps", "5"]);
    let text = run.succeeds();
    assert_eq!(line(text, "are replaced\n", "variables").join(" "), "| 292469 3815 242 | 292859 3442 56", "{text}");
    assert_eq!(line(text, "are replaced\n", "paper").join(" "), "| 292469 3815 | 292859 3442", "{text}");
    assert!(text.contains("Of 8 numbers of variables 8 are the paper's"), "{text}");
    assert!(text.contains("as many constraints as in the paper in 4 of 4 formulas"), "{text}");
}

#[cfg(unix)]
#[test]
fn other_tools_for_nets_are_run_and_missing_ones_named() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("bench-net-tools");
    let program = |name: &str, script: &str| {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("tina", "echo '# abstraction count props psets dead live #'; echo '# states 77 5 5 1 0 #'");
    program("romeo-cli", "echo 'cannot read this' >&2");
    let args = ["nets", "--tools", "--family", "philosophers", "--size", "3", "--time-limit", "20"];
    let run = bench(Some(&folder), &args);
    let text = &run.out;
    assert_eq!(run.status, 2, "one tool gave no answer: {run:?}");
    assert!(text.contains("philosophers 3, `E<> deadlock`, tina: 77 states"), "{text}");
    assert!(text.contains("romeo-cli: gave no answer; it said: cannot read this"), "{text}");
    assert!(text.contains("not run: `verifytapn` (TAPAAL), `verifydtapn` (TAPAAL, discrete time)"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("philosophers 3") && line.ends_with(" satisfied")), "{text}");
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

#[test]
fn searches_by_abstractions_are_listed_above_the_papers_results() {
    let run = bench(None, &["abstraction", "--row", "FA5", "--table", "2", "--table", "3"]);
    let text = run.succeeds();
    assert_eq!(line(text, "Table 2:", "bfs ").join(" "), "Syntax-b1 Syntax-b2 Syntax-b3 Syntax-b4 Syntax-all");
    let ours = line(text, "Table 2:", "FA5 ");
    // Seconds before the search, states + abstract states, seconds in total.
    let states = |cell: &str| {
        let parts: Vec<&str> = cell.split('/').collect();
        let [_, states, _] = parts[..] else { panic!("{cell} in {text}") };
        let (search, built) = states.split_once('+').unwrap();
        (search.parse::<u64>().unwrap(), built.parse::<u64>().unwrap())
    };
    assert_eq!(ours.len(), 6, "{text}");
    let blind: u64 = ours[0].parse().unwrap();
    for cell in &ours[1..] {
        let (search, built) = states(cell);
        assert!(search > 0 && built > 0, "{cell}");
        assert_eq!(cell.contains('!'), search + built > blind, "{cell} beside {blind}");
    }
    assert_eq!(line(text, "Table 2:", "paper").join(" "), "0.1/80/0.1 0.0/80/0.1 0.3/80/0.3 0.2/80/0.2 1.5/27/1.5");
    let bounds: Vec<&str> = text.split_once("Table 3:").unwrap().1.lines().skip(3).take(5).collect();
    let bound = |line: &str| line.split_whitespace().nth(1).map(str::to_owned);
    assert!(bounds.iter().map(|line| bound(line).unwrap()).eq(["1", "2", "3", "4", "all"]), "{text}");
    assert!(!text.contains("Table 1") && !text.contains("Series") && !text.contains("not at hand"), "{text}");
    assert!(text.contains("!: a loss: more abstract states than the search saves against bfs."), "{text}");
}

#[test]
fn without_case_studies_the_third_table_has_no_rows() {
    let run = bench(None, &["abstraction", "--table", "3"]);
    let text = run.succeeds();
    assert!(
        text.contains("note: not at hand: M1, M2, M3, M4, N1, N2, N3, N4, C1, C2, C3, C4, C5, C6; --models "),
        "{text}"
    );
    assert!(text.contains("note: Table 3: none of its models is at hand\n"), "{text}");
}

#[test]
fn refinements_are_followed_one_by_one() {
    let folder = scratch("bench-series");
    let model = "process P() { clock x; state a, b, c; init a; trans a -> b { guard x > 1; assign x = 0; }, \
                 b -> c { guard x > 1; }; } system P;";
    fs::write(folder.join("C4.xta"), model).unwrap();
    fs::write(folder.join("C4.q"), "E<> P.c\n").unwrap();
    let run = |args: &[&str]| run_in(&folder, &[&["bench", "abstraction"], args].concat());
    let series = run(&["--series", "FB5", "--plot", "plot.svg"]);
    let text = series.succeeds();
    assert!(
        !text.contains("Table 2:")
            && !text.contains("paper: states")
            && text.contains("Series: FB5, greedy by pa-refine(3,r) and pa-auto\n"),
        "{text}"
    );
    for rounds in 0..=10 {
        let words = words(text, &format!("pa-refine(3,{rounds})"));
        assert!(words[0].parse::<u32>().unwrap() <= rounds, "{text}");
        assert!(words.len() >= 6, "no figures of the paper, and a length for each part: {text}");
    }
    let plot = fs::read_to_string(folder.join("plot.svg")).unwrap();
    for name in ["pa-refine(3,10)", "pa-auto", "generated states", "abstract states", "length, part 1"] {
        assert!(plot.contains(&format!(">{name}</text>")), "no {name} in {plot}");
    }
    // The steps of the paper are shown next to those of its model.
    let theirs = run(&["--models", ".", "--series", "C4"]);
    assert!(words(theirs.succeeds(), "pa-refine(3,2)").ends_with(&["49384", "13", "10"]), "{theirs:?}");
    assert!(words(&theirs.out, "pa-refine(3,10)").ends_with(&["50060", "16"]), "{theirs:?}");
    // `--plot` includes the series of C4, if the model is available.
    let drawn = run(&["--models", ".", "--row", "C4", "--table", "2", "--plot", "plot.svg"]);
    assert!(drawn.succeeds().contains("Table 2:") && drawn.out.contains("Series: C4, "), "{drawn:?}");
    assert!(fs::read_to_string(folder.join("plot.svg")).unwrap().contains(">generated states, paper</text>"));

    run(&["--table", "2", "--row", "FA2", "--plot", "p.svg"]).refuses("--plot draws a series, and C4 is not run");
    run(&["--series", "C4"]).refuses("the model C4 is not at hand; --models names the folder that has it");
    run(&["--series", "FA2", "--plot", "-"]).refuses("--plot writes a file");
    run(&["--series", "FA2", "--plot", "nowhere/p.svg"]).refuses("can't write `nowhere/p.svg`: ");
    run(&["--models", "nowhere"]).refuses("can't read the folder `nowhere`: ");
}

#[test]
fn a_search_by_an_abstraction_that_was_stopped_is_a_dash() {
    let run = bench(None, &["abstraction", "--row", "plc3", "--table", "2", "--memory-limit", "1"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(line(&run.out, "Table 2:", "plc3 ")[1..], ["-"; 5], "{run:?}");
    assert!(run.out.contains("note: the memory limit was reached: plc3 pa-syntax(1), plc3 pa-syntax(2), "), "{run:?}");
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

#[cfg(unix)]
mod tools {
    use std::{
        os::unix::fs::PermissionsExt,
        process::{Command, Stdio},
        thread::sleep,
        time::Duration,
    };

    use super::*;

    /// Creates a folder with a script in place of a tool.
    fn tool(folder: &str, name: &str, script: &str) -> PathBuf {
        let folder = scratch(folder);
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    /// Returns the output of `tck-reach`.
    fn statistics(stored: u32) -> String {
        format!(
            "cat > \"$(dirname \"$0\")/input\"; echo \"$@\" > \"$(dirname \"$0\")/words\"\n\
             echo COVERED_STATES 1; echo MEMORY_MAX_RSS 2500; echo REACHABLE false; echo RUNNING_TIME_SECONDS 1000\n\
             echo STORED_STATES {stored}; echo VISITED_STATES 4000; echo VISITED_TRANSITIONS 9000"
        )
    }

    const FISCHER: [&str; 5] = ["zones", "--family", "fischer", "--size", "6"];

    #[test]
    fn tck_reach_is_given_the_same_model() {
        let folder = tool("tck-same", "tck-reach", &statistics(2378));
        let run = bench(Some(&folder), &[&FISCHER[..], &["--format", "json"]].concat());
        run.succeeds();
        let report = json(&run);
        let there = &report["runs"][0]["tck_reach"];
        assert_eq!(
            (&there["stored"], &there["visited"], &there["transitions"]),
            (&2378.into(), &4000.into(), &9000.into())
        );
        assert_eq!((&there["seconds"], &there["megabytes"]), (&1000.0.into(), &2.5.into()));
        assert_eq!(report["notes"].to_string().matches("tck-reach").count(), 0, "{report}");
        assert_eq!(fs::read_to_string(folder.join("words")).unwrap(), "-a covreach -s bfs\n");
        let input = fs::read_to_string(folder.join("input")).unwrap();
        assert!(input.starts_with("system:fischer_6\n") && input.contains("process:Process6\n"), "{input}");
        // A thousand seconds are many times the time of merkhet.
        let text = bench(Some(&folder), &FISCHER);
        let line = text.succeeds().lines().find(|line| line.contains("tck-reach, here")).unwrap();
        assert!(line.ends_with('x') && line.contains(" 2378 "), "{text:?}");
        let alu = bench(Some(&folder), &[&FISCHER[..], &["--abstraction", "alu", "--order", "dfs"]].concat());
        assert_eq!(fs::read_to_string(folder.join("words")).unwrap(), "-a aLU-covreach -s dfs\n", "{alu:?}");
        let other = bench(Some(&folder), &[&FISCHER[..], &["--abstraction", "extra-m"]].concat());
        assert!(other.succeeds().contains("note: tck-reach has no such abstraction or order"), "{other:?}");
    }

    #[test]
    fn a_tool_with_other_counts_is_a_finding() {
        let folder = tool("tck-other", "tck-reach", &statistics(2379));
        let run = bench(Some(&folder), &FISCHER);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.out.contains("note: fischer 6: merkhet stores 2378 states, and TChecker 2379"), "{run:?}");
    }

    #[test]
    fn a_tool_that_fails_is_not_a_finding() {
        let folder = tool("tck-fails", "tck-reach", "echo 'ERROR: out of memory' >&2; exit 1");
        let run = bench(Some(&folder), &FISCHER);
        let note = "note: fischer 6: tck-reach gave no statistics; it said: ERROR: out of memory\n";
        assert!(run.succeeds().contains(note), "{run:?}");
    }

    #[test]
    fn instructions_are_counted_by_valgrind() {
        let folder = tool(
            "valgrind",
            "valgrind",
            "echo \"$@\" > \"$(dirname \"$0\")/words\"; cat > /dev/null\n\
             echo '==7== Collected : 98000000' >&2",
        );
        let run = bench(Some(&folder), &[&FISCHER[..], &["--instructions", "--format", "json"]].concat());
        run.succeeds();
        let report = json(&run);
        assert_eq!(report["runs"][0]["merkhet"]["million_instructions"], 98.0);
        let words = fs::read_to_string(folder.join("words")).unwrap();
        assert!(words.starts_with("--tool=callgrind --callgrind-out-file=/dev/null "), "{words}");
        assert!(
            words.contains("verify - -q E<> false --progress never --abstraction extra-lu-plus --order bfs"),
            "{words}"
        );
        let text = bench(Some(&folder), &[&FISCHER[..], &["--instructions"]].concat());
        let line = ["2378", "3458", "9132", "392", "4.0x"];
        assert_eq!(super::words(text.succeeds(), "TChecker, recorded"), line, "{text:?}");
    }

    #[test]
    fn an_interrupted_run_ends_its_tools() {
        let folder = tool("tck-sleeps", "tck-reach", "echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 1000");
        let mut child = command(Path::new("."))
            .arg("bench")
            .args(FISCHER)
            .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = loop {
            // The file exists before the number is written to it.
            match fs::read_to_string(folder.join("pid")) {
                Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
                _ if child.try_wait().unwrap().is_some() => panic!("it ended too early"),
                _ => sleep(Duration::from_millis(10)),
            }
        };
        let alive = || Command::new("kill").args(["-0", &pid]).stderr(Stdio::null()).status().unwrap().success();
        assert!(alive());
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert!(out.contains("note: fischer 6: tck-reach interrupted"), "{out}");
        assert!(!alive(), "{pid} still runs");
    }
}

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
    assert_eq!(families, ["fischer", "train-gate", "critical-region"]);
    for model in models {
        let runs = model["runs"].as_array().unwrap();
        let shapes: Vec<(u64, u64)> = runs
            .iter()
            .map(|run| (run["threads"].as_u64().unwrap(), run["processes"].as_u64().unwrap()))
            .filter(|(threads, processes)| threads * processes <= 2)
            .collect();
        assert_eq!(shapes, [(1, 1), (2, 1), (1, 2)][..if cores > 1 { 3 } else { 1 }], "{model}");
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
