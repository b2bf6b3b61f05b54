//! Nets: the models of `models/nets`, and the commands on nets.

use std::fs;

use crate::common::{models, run_in, scratch};

fn names() -> Vec<String> {
    let files = fs::read_dir(models("nets")).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter_map(|f| f.strip_suffix(".net").map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn all_queries_about_the_examples_hold() {
    assert!(names().len() >= 5);
    for name in names() {
        run_in(&models("nets"), &["verify", &format!("{name}.net"), &format!("{name}.q")]).succeeds();
    }
}

/// Conversions preserve the answers: to automata in UPPAAL's languages, and to nets.
#[test]
fn conversions_keep_the_answers() {
    let folder = scratch("nets-convert");
    for name in names() {
        let model = models("nets").join(format!("{name}.net"));
        let queries = models("nets").join(format!("{name}.q"));
        let mut printed = Vec::new();
        for ending in ["xta", "xml", "net", "pnml"] {
            let file = folder.join(format!("{name}.{ending}"));
            let run = run_in(&folder, &["convert".as_ref(), model.as_os_str(), "-o".as_ref(), file.as_os_str()]);
            assert_eq!(run.status, 0, "{run:?}");
            run_in(&folder, &["verify".as_ref(), file.as_os_str(), queries.as_os_str()]).succeeds();
            if ending == "net" || ending == "pnml" {
                let words = [
                    "convert".as_ref(),
                    file.as_os_str(),
                    "-o".as_ref(),
                    "-".as_ref(),
                    "--to".as_ref(),
                    "net".as_ref(),
                ];
                printed.push(run_in(&folder, &words).succeeds().to_owned());
            }
        }
        assert_eq!(printed[0], printed[1], "{name}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nets_with_ages_are_answered_and_converted() {
    let folder = scratch("nets-ages");
    let model = models("nets").join("relay.tapn");
    let convert = |file: &str| run_in(&folder, &["convert", model.to_str().unwrap(), "-o", file]);
    run_in(&folder, &["verify", model.to_str().unwrap()]).succeeds();
    for file in ["relay.xta", "relay.xml", "relay.tapn"] {
        convert(file).succeeds();
        run_in(&folder, &["verify", file, "-q", "A[] near + far + late <= 1 && not deadlock"]).succeeds();
        run_in(&folder, &["verify", file, "-q", "A[] late == 1 imply time > 7"]).succeeds();
        run_in(&folder, &["verify", file, "-q", "E<> late == 1 && time < 8"]).succeeds();
        run_in(&folder, &["verify", file, "-q", "E<> late == 1", "--engine", "smt", "--bound", "4"]).succeeds();
    }
    let said = run_in(&folder, &["convert", model.to_str().unwrap(), "-o", "relay.tapn", "--force"]);
    assert!(said.err.contains("note: not written: 3 queries\n"), "{said:?}");
    let coloured = models("nets").join("kitchen.tapn");
    let convert_coloured = |file: &str| run_in(&folder, &["convert", coloured.to_str().unwrap(), "-o", file]).err;
    let colours = "note: not written: colours: each is a place of its own, such as `raw(soup)`";
    assert!(convert_coloured("kitchen.tapn").contains(&format!("{colours}; 2 queries\n")));
    assert!(convert_coloured("kitchen.xml").contains(&format!("{colours}\n")));
    convert("relay.net").refuses("TINA's format has no ages of tokens");
    convert("relay.pnml").refuses("PNML has no ages of tokens");
    let run = run_in(&models("nets"), &["convert", "race.net", "-o", "-", "--to", "tapn"]);
    run.refuses("TAPAAL's format has no intervals on places");
    for (text, what) in [("pr t > u", "priorities"), ("tr t p!2 ->", "stopwatch arcs"), ("tr t p?1 ->", "test arcs")] {
        fs::write(folder.join("m.net"), format!("pl p (1)\ntr t p -> q\ntr u q -> p\n{text}\n")).unwrap();
        run_in(&folder, &["convert", "m.net", "-o", "m.tapn"]).refuses(&format!("TAPAAL's format has no {what}"));
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn traces_speak_of_transitions_and_tokens() {
    let run = run_in(&models("nets"), &["verify", "race.net", "-q", "E<> q1 == 1 && time >= 1", "--trace", "short"]);
    assert_eq!(
        run.succeeds(),
        "E<> q1 == 1 && time >= 1\n  satisfied\n\n  trace with 2 transitions\n  start\n    p1 = 1 (age 0), p2 = 1 (age 0), r = 1\n    time = 0\n\
         \x20 step 1\n    the token of p1 becomes available\n  step 2\n    t1 fires\n      p1: 1 -> 0\n      r: 1 -> 0\n\
         \x20     q1: 0 -> 1\n  end, after a delay of 1\n    p2 = 1 (age 1), q1 = 1\n    time = 1\n\n"
    );
    let run = run_in(&models("nets"), &["simulate", "race.net", "--random", "3", "--seed", "1"]);
    assert!(run.succeeds().contains("t1 fires"), "{run:?}");
}

#[test]
fn evidence_about_nets_is_checked_as_any_other() {
    let folder = scratch("nets-evidence");
    let model = models("nets").join("pipeline.net");
    let model = model.to_str().unwrap();
    let words =
        ["verify", model, "-q", "A[] safe()", "--certificate", "c", "-q", "E<> full4 == 1", "--trace-file", "t"];
    run_in(&folder, &words).succeeds();
    run_in(&folder, &["certify", model, "c"]).succeeds();
    run_in(&folder, &["replay", model, "t"]).succeeds();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_answer_about_an_unsafe_net_is_that_it_is_unsafe() {
    let folder = scratch("nets-unsafe");
    fs::write(folder.join("n.net"), "pl a [1,2] (1)\npl b [3,3] (1)\npl c\ntr t a -> b\ntr u b -> c\n").unwrap();
    let run = run_in(&folder, &["verify", "n.net", "-q", "A[] safe()"]);
    assert_eq!(run.status, 1, "{run:?}");
    let run = run_in(&folder, &["verify", "n.net", "-q", "A[] c == 0"]);
    assert_eq!(run.status, 2, "{run:?}");
    // The error is reported at the transition in the file.
    assert!(run.out.contains("n.net:4:4"), "{run:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nets_are_drawn_as_nets_or_as_automata() {
    let svg = |words: &[&str]| run_in(&models("nets"), words).succeeds().to_owned();
    let net = svg(&["graph", "crossing.net"]);
    assert!(net.contains("[5,7]") && !net.contains("enter_age"), "{net}");
    let automata = svg(&["graph", "crossing.net", "--automata"]);
    assert!(automata.contains("enter_age"), "{automata}");
    assert!(svg(&["graph", "crossing.net", "--format", "dot"]).contains("shape=circle"));
    run_in(&models("nets"), &["check", "crossing.net", "--queries", "crossing.q"]).succeeds();
}
