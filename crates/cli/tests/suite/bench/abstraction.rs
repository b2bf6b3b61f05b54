//! Searches by abstractions, and refinements one by one.

use std::fs;

use super::{bench, line, words};
use crate::common::{run_in, scratch};

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
