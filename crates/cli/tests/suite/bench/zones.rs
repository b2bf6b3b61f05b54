//! Model families: both of their texts, what was recorded, and wrong sizes.

use std::{fs, path::Path};

use super::{bench, json, root, words};
use crate::common::{run_in, scratch};

/// Returns how many states an exhaustive search of a model stores.
fn stored(folder: &Path, file: &str, abstraction: &str) -> u64 {
    let settings = ["--abstraction", abstraction, "--local-time", "off"];
    let run =
        run_in(folder, &[&["verify", file, "-q", "E<> false", "--stats", "--format", "json"], &settings[..]].concat());
    assert_eq!(run.status, 1, "{file}: {run:?}");
    json(&run)["results"][0]["stats"]["stored"].as_u64().unwrap()
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
