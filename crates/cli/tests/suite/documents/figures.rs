//! Numbers in the tables of the manual are those that `merkhet bench` prints. Times are not
//! compared.

use serde_json::Value;

use super::{Document, root};
use crate::common::run_in;

/// Returns the cells of all rows of tables in a chapter, without headings.
fn rows(chapter: &str) -> Vec<Vec<String>> {
    let document = Document::read(&root(), &format!("manual/src/{chapter}"));
    let cells = |line: &String| -> Option<Vec<String>> {
        let inner = line.strip_prefix("| ")?.strip_suffix(" |")?;
        Some(inner.split(" | ").map(|cell| cell.trim().to_owned()).collect())
    };
    document.lines.iter().filter_map(cells).collect()
}

/// Returns a number as the manual writes it: `12,016`.
fn number(cell: &str) -> u64 {
    cell.replace(',', "").parse().unwrap_or_else(|_| panic!("`{cell}` is not a number"))
}

/// Runs `merkhet bench` and returns its report.
fn bench(args: &[&str]) -> Value {
    let run = run_in(&root(), &[&["bench"], args, &["--format", "json"]].concat());
    serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {run:?}"))
}

#[test]
fn stored_states_of_families_are_those_of_the_manual() {
    let readme = Document::read(&root(), "README.md");
    let (mut compared, mut on_front) = (0, 0);
    for row in rows("measuring.md") {
        // The rows with instructions, and then those with seconds.
        let [model, stored, _, _, times] = &row[..] else { continue };
        let Some((family, size)) = model.split_once(' ') else { continue };
        if size.parse::<u32>().is_err() || times.parse::<f64>().is_err() {
            continue;
        }
        let report = bench(&["zones", "--family", family, "--size", size]);
        assert_eq!(report["runs"][0]["merkhet"]["stored"], number(stored), "{model}");
        compared += 1;
        // The README has some of them beside TChecker's: both tools store the same states.
        let name = format!("| `{family}` {size}: stored states");
        for line in readme.lines.iter().filter(|line| line.starts_with(&name)) {
            assert_eq!(line.matches(&format!(" {stored}, ")).count(), 2, "{line}");
            on_front += 1;
        }
    }
    assert_eq!((compared, on_front), (18, 2));
}

/// Returns how many states a search stores, and how many it generates.
fn counted(words: &[&str]) -> (u64, u64) {
    let run = run_in(&root(), &[&["verify"], words, &["--stats", "--format", "json"]].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {run:?}"));
    let count = |name: &str| report["results"][0]["stats"][name].as_u64().unwrap_or_else(|| panic!("{run:?}"));
    (count("stored"), count("generated"))
}

#[test]
fn states_that_options_save_are_those_of_the_manual() {
    let (mut with_symmetry, mut reduced) = (0, 0);
    for row in rows("large-systems.md") {
        let model = row[0].rsplit_once(' ').filter(|(_, size)| size.parse::<u32>().is_ok());
        if let ([processes, off, on, _, _], None) = (&row[..], model)
            && processes.parse::<u32>().is_ok_and(|processes| processes < 6)
        {
            let size = format!("N={processes}");
            for (symmetry, stored) in [("off", off), ("on", on)] {
                let words =
                    ["models/fischer_scalar.xta", "-D", &size, "-q", "A[] not deadlock", "--symmetry", symmetry];
                assert_eq!(counted(&words).0, number(stored), "{row:?}");
                with_symmetry += 1;
            }
        }
        if let (7, Some((family, size))) = (row.len(), model) {
            let (model, size) = (format!("models/zones/{family}.xta"), format!("N={size}"));
            for (column, kind) in ["none", "conservative", "aggressive"].into_iter().enumerate() {
                let option = ["--state-space-reduction", kind];
                let words = [&model, "-D", &size, "-q", "E<> false", "--order", "bfs", "--local-time", "off"];
                let words = [&words[..], if column == 0 { &[] } else { &option }].concat();
                let expected = (number(&row[1 + column]), number(&row[4 + column]));
                assert_eq!(counted(&words), expected, "{row:?}");
                reduced += 1;
            }
        }
    }
    assert_eq!((with_symmetry, reduced), (4, 12));
}

#[test]
fn states_of_lattice_automata_are_those_of_the_manual() {
    let mut compared = 0;
    for row in rows("lattices.md") {
        let Some((figure, rest)) = row[0].strip_prefix("Figure ").and_then(|name| name.split_once(", ")) else {
            continue;
        };
        let (search, size) = rest.split_once(", ").unwrap();
        let search = match search {
            "refined by hand" => "refined",
            "refined by Merkhet" => "own",
            search => search,
        };
        let size = size.split(' ').next().unwrap();
        let report = bench(&["lattice", "--figure", figure, "--size", size, "--search", search]);
        let runs = report["figures"][0]["rows"][0]["runs"].as_array().unwrap();
        let run = runs.iter().find(|run| run["search"] == *search).unwrap();
        assert_eq!(run["merkhet"]["states"], number(&row[2]), "{row:?}");
        if row[1] != "–" {
            assert_eq!(run["published"]["states"], number(&row[1]), "{row:?}");
        }
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}

#[test]
fn sizes_of_formulas_are_those_of_the_manual() {
    let report = bench(&["nets", "--table", "1", "--size", "2", "--steps", "1"]);
    let sizes = &report["sizes"][0];
    let mut compared = 0;
    for row in rows("nets.md") {
        let Some((what, rest)) =
            row[0].split_once(", ").filter(|(what, _)| ["variables", "constraints"].contains(what))
        else {
            continue;
        };
        let (ours, papers) = match rest {
            "nothing replaced (closed form)" => ("before", Some("before")),
            "unchanged ones replaced" => ("after", Some("after")),
            "constants replaced, too" => ("merkhet", None),
            other => panic!("{other}"),
        };
        for (encoding, cells) in ["la", "dl"].iter().zip(row[1..].chunks(2)) {
            let sizes = &sizes[encoding];
            assert_eq!(sizes[ours][what], number(&cells[1]), "{row:?}");
            if let Some(papers) = papers {
                assert_eq!(sizes["published"][papers][what], number(&cells[0]), "{row:?}");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
}

#[test]
fn clauses_of_invariants_are_those_of_the_manual() {
    let report = bench(&["nets", "--table", "3", "--size", "2", "--method", "invariant"]);
    let answers = report["answers"].as_array().unwrap();
    let rows = rows("nets.md");
    let row = rows.iter().find(|row| row[0] == "374/389" && row[1] == "`E<> deadlock`").unwrap();
    let circuit = answers.iter().find(|answer| answer["net"]["places"] == 374).unwrap();
    assert_eq!(circuit["runs"][0]["clauses"], number(&row[2]), "{row:?}");
    let open = answers.iter().filter(|answer| answer["runs"][0]["seconds"].is_null());
    assert_eq!((answers.len(), open.count()), (5, 0), "the net and four queries about the crossing: {answers:?}");
}
