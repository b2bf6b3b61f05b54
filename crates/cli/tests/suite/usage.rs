//! Options, streams and exit statuses.

use std::{fs, path::Path, process::Stdio};

use crate::common::{command, finish, run_in, run_with, scratch, ui};

#[test]
fn wrong_usage_ends_with_status_3() {
    for args in [
        &[][..],
        &["frobnicate"],
        &["check"],
        &["verify"],
        &["verify", "a.xml", "--time-limit", "soon"],
        &["verify", "a.xml", "--memory-limit", "4X"],
        &["check", "--format", "yaml", "a.xml"],
        &["check", "--frob", "a.xml"],
        &["convert", "a.xml"],
        &["graph"],
        &["bench"],
        &["bench", "everything"],
        &["bench", "zones", "--family", "fisher"],
        &["bench", "zones", "--scaling", "--size", "3"],
        &["bench", "zones", "--large", "--size", "3"],
        &["bench", "abstraction", "--table", "4"],
        &["certify", "a.xml"],
        &["replay", "a.xml"],
        &["simulate"],
        &["simulate", "a.xml", "--random", "100001"],
        &["simulate", "a.xml", "--random", "3", "--trace", "t"],
        &["list"],
        &["list", "everything"],
        &["completions", "cmd"],
    ] {
        let run = run_with(b"", args);
        assert_eq!((run.status, run.out.as_str()), (3, ""), "{args:?}");
        assert!(run.err.contains("--help"), "{args:?}: {}", run.err);
    }
}

#[test]
fn help_and_version_are_not_errors() {
    let version = run_with(b"", &["--version"]);
    assert_eq!(version.succeeds(), concat!("merkhet ", env!("CARGO_PKG_VERSION"), "\n"));
    assert!(run_with(b"", &["--help"]).succeeds().contains("Exit status:"));
    let names = [
        "verify",
        "certify",
        "replay",
        "simulate",
        "serve",
        "check",
        "convert",
        "graph",
        "bench",
        "list",
        "completions",
        "man",
    ];
    for name in names {
        assert!(run_with(b"", &[name, "--help"]).succeeds().contains("Usage: merkhet "), "{name}");
    }
}

#[test]
fn the_standard_input_is_a_file_too() {
    let model = fs::read(ui().join("lamp.xta")).unwrap();
    assert_eq!(
        run_with(&model, &["check", "-"]).succeeds(),
        run_in(&ui(), &["check", "lamp.xta"]).out.replace("lamp.xta", "<stdin>")
    );
    let model = fs::read(ui().join("labels.xml")).unwrap();
    run_with(&model, &["check", "-"]).refuses("--> <stdin>:6:19");
    let folder = ui();
    let run = finish(command(&folder).args(["check", "lamp.xta", "--queries", "-"]), b"E<> Lamp.off &&");
    run.refuses("--> <stdin>:1:16");
}

#[test]
fn warnings_are_denied_on_demand_but_not_those_about_stored_queries() {
    let warned = |args: &[&str]| {
        let run = run_in(&ui(), args);
        assert!(run.out.contains("1 warning"), "{run:?}");
        run.status
    };
    assert_eq!(warned(&["check", "second-label.xml"]), 0);
    assert_eq!(warned(&["check", "second-label.xml", "--deny-warnings"]), 3);
    let folder = scratch("stored-query");
    let model = fs::read_to_string(ui().join("lamp.xml")).unwrap().replace("not deadlock", "not");
    fs::write(folder.join("lamp.xml"), model).unwrap();
    let run = run_in(&folder, &["check", "lamp.xml", "--deny-warnings"]);
    assert!(run.succeeds().contains("`verify` would refuse this query"), "{run:?}");
}

#[test]
fn too_many_diagnostics_are_counted_and_errors_come_before_warnings() {
    let folder = scratch("many");
    let twice = "<transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">true</label>\
                 <label kind=\"guard\">true</label></transition>\n";
    let model = format!(
        "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/>{}\
         <transition><source ref=\"b\"/><target ref=\"a\"/></transition></template><system>system P;</system></nta>",
        twice.repeat(150)
    );
    fs::write(folder.join("many.xml"), model).unwrap();
    let run = run_in(&folder, &["check", "many.xml"]);
    run.refuses("\u{2026} and 51 more\n\nmany.xml: 1 error, 150 warnings\n");
    assert!(run.out.contains("error[unknown-reference]"));
    assert_eq!(run.out.matches("warning[second-label]").count(), 99);
    let run = run_in(&folder, &["check", "many.xml", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let listed = report["files"][0]["diagnostics"].as_array().unwrap();
    assert_eq!(listed.len(), 101, "one line counts the omitted ones");
    assert_eq!(listed[100]["code"], "left-out");
}

#[test]
fn colours_are_for_terminals() {
    let colored = |args: &[&str], variable: Option<&str>| {
        let mut command = command(&ui());
        command.args(args).arg("broken.xta");
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        finish(&mut command, b"").out.contains('\x1b')
    };
    assert!(!colored(&["check"], None));
    assert!(!colored(&["check", "--color", "never"], Some("CLICOLOR_FORCE")));
    assert!(!colored(&["check"], Some("NO_COLOR")));
    assert!(colored(&["check"], Some("CLICOLOR_FORCE")));
    assert!(colored(&["check", "--color=always"], Some("NO_COLOR")));
    assert!(colored(&["--color=always", "check"], None));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = scratch("pipe");
    // More than a pipe holds.
    fs::write(folder.join("many.xta"), "int @;\n".repeat(900)).unwrap();
    for (args, status) in [(&["check", "many.xta"][..], 3), (&["completions", "bash"], 0), (&["list", "features"], 0)] {
        let mut child = command(&folder)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(status), 0), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(Path::new(".")).args(["list", "features"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can't write the output: No space left on device"));
}

#[test]
fn features_are_listed() {
    let table = run_with(b"", &["list", "features"]);
    assert!(table.succeeds().lines().count() > 2);
    let json = run_with(b"", &["list", "features", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(json.succeeds()).unwrap();
    assert_eq!(json["features"].as_array().unwrap().len(), table.out.lines().count());
}

#[test]
fn lattices_are_listed() {
    let table = run_with(b"", &["list", "lattices"]);
    assert!(table.succeeds().contains("MustCache(blocks, ways[, sets[, empty]])"), "{table:?}");
    assert!(table.out.contains("Lattice(type, leq, join[, widen])"), "those of models are there too: {table:?}");
    let one = run_with(b"", &["list", "lattices", "UnionBitVector"]);
    for line in [
        "  Order: the ones of the smaller are ones of the greater. Join: the ones of either.",
        "    [i]: bool     a bit (rises)",
        "    num0s(): int  how many bits are 0 (falls)",
        "    UnionBitVector pool[N][N];",
    ] {
        assert!(one.succeeds().lines().any(|l| l == line), "{line}: {one:?}");
    }
    assert!(
        run_with(b"", &["list", "lattices", "Map"]).succeeds().starts_with("Vector(A, size)\n  Also called Map.\n")
    );
    run_with(b"", &["list", "lattices", "Octagn"]).refuses("there is no lattice `Octagn`; did you mean `Octagon`?");
    run_with(b"", &["list", "orders", "bfs"]).refuses("only `lattices` takes a name");
    assert!(run_with(b"", &["list", "joins"]).succeeds().contains("at(P.A,Q.B)"));
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(run_with(b"", &["completions", shell]).succeeds().contains("deny-warnings"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let main = run_with(b"", &["man"]);
    assert!(main.succeeds().contains(".TH merkhet 1"), "{}", main.out);
    let folder = scratch("man");
    assert_eq!(run_in(&folder, &["man", "--out", "pages/man1"]).succeeds(), "");
    let mut names: Vec<String> = fs::read_dir(folder.join("pages/man1"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let commands = [
        "bench",
        "cluster",
        "cluster-run",
        "bench-abstraction",
        "bench-directed",
        "bench-kernels",
        "bench-lattice",
        "bench-nets",
        "bench-scale",
        "bench-zones",
        "check",
        "completions",
        "convert",
        "graph",
        "list",
        "man",
        "replay",
        "report",
        "serve",
        "simulate",
        "certify",
        "verify",
        "verifyta",
    ];
    let mut expected = commands.map(|c| format!("merkhet-{c}.1")).to_vec();
    expected.push("merkhet.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    let page = fs::read_to_string(folder.join("pages/man1/merkhet-check.1")).unwrap();
    assert!(page.contains("deny\\-warnings") && page.contains("merkhet check"), "{page}");
    let page = fs::read_to_string(folder.join("pages/man1/merkhet-verifyta.1")).unwrap();
    assert!(page.contains("search\\-order") && page.contains("UPPAAL_COMPILE_ONLY"), "{page}");
    fs::write(folder.join("file"), "").unwrap();
    run_in(&folder, &["man", "--out", "file"]).refuses("can't write into `file`");
}
