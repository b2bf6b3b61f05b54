//! Commands that write files: `convert` and `graph`.

use std::fs;

use crate::common::{run_in, scratch, ui};

#[test]
fn models_survive_a_round_trip() {
    let folder = scratch("convert");
    fs::copy(ui().join("lamp.xml"), folder.join("lamp.xml")).unwrap();
    let verdict = run_in(&folder, &["check", "lamp.xml"]).out.replace("lamp.xml", "");
    assert_eq!(run_in(&folder, &["convert", "lamp.xml", "-o", "lamp.xta"]).succeeds(), "");
    assert_eq!(run_in(&folder, &["convert", "lamp.xta", "-o", "again.xml"]).succeeds(), "");
    for name in ["lamp.xta", "again.xml"] {
        assert_eq!(run_in(&folder, &["check", name]).succeeds().replace(name, ""), verdict);
    }
    let text = fs::read_to_string(folder.join("lamp.xta")).unwrap();
    assert_eq!(run_in(&folder, &["convert", "again.xml", "-o", "-", "--to", "xta"]).succeeds(), text);
    run_in(&folder, &["convert", "lamp.xml", "-o", "lamp.xta"]).refuses("--force");
    run_in(&folder, &["convert", "lamp.xml", "-o", "lamp.xml", "--force"])
        .refuses("`lamp.xml` is an input of this command");
}

#[test]
fn features_that_a_format_lacks_are_reported() {
    let folder = scratch("convert-notes");
    let model = fs::read_to_string(ui().join("lamp.xml")).unwrap().replace("id=\"id0\"", "id=\"id0\" x=\"1\" y=\"2\"");
    fs::write(folder.join("lamp.xml"), model).unwrap();
    let run = run_in(&folder, &["convert", "lamp.xml", "-o", "-", "--to", "xta"]);
    assert!(run.succeeds().contains("process Lamp"));
    assert_eq!(run.err, "note: XTA has no room for: layout\n");
}

#[test]
fn a_wrong_model_is_not_converted() {
    let folder = scratch("convert-wrong");
    fs::copy(ui().join("labels.xml"), folder.join("labels.xml")).unwrap();
    let run = run_in(&folder, &["convert", "labels.xml", "-o", "labels.xta"]);
    assert_eq!(run.refuses("error[syntax]").out, "");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn automata_are_drawn() {
    assert!(run_in(&ui(), &["graph", "lamp.xta"]).succeeds().contains("<svg"));
    let dot = run_in(&ui(), &["graph", "lamp.xta", "--format", "dot", "--template", "User"]);
    assert!(dot.succeeds().contains("digraph") && !dot.out.contains("bright"), "{dot:?}");
    let folder = scratch("graph");
    let file = folder.join("lamp.svg");
    assert_eq!(run_in(&ui(), &["graph", "lamp.xml", "-o", file.to_str().unwrap()]).succeeds(), "");
    assert!(fs::read_to_string(file).unwrap().trim_end().ends_with("</svg>"));
    run_in(&ui(), &["graph", "lamp.xta", "--template", "Usr"]).refuses("did you mean `User`?");
    run_in(&ui(), &["graph", "labels.xml"]).refuses("error[syntax]");
}
