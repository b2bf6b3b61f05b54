//! The policy for output files, checked for every command and option that writes one.

use std::{fs, path::Path};

use crate::common::{Run, command, finish, run_in, scratch, ui};

/// A command line that writes one file, named `OUT`; the file that contains the model; and the
/// standard input.
struct Case {
    words: &'static str,
    ending: &'static str,
    /// Whether an existing file is replaced only with `--force`, which then replaces `FORCE` in the
    /// line.
    force: bool,
    input: &'static str,
}

const fn case(words: &'static str, ending: &'static str) -> Case {
    Case { words, ending, force: false, input: "" }
}

const CASES: [Case; 11] = [
    case("verify m.xta q.q --trace-file OUT", "json"),
    case("verify m.xta q.q --certificate OUT", "cert"),
    case("verify m.xta q.q --bound 2 --smt-lib OUT", "smt2"),
    case("report m.xta q.q -o OUT", "html"),
    case("graph m.xta -o OUT", "svg"),
    case("graph m.xta -o OUT --states", "dot"),
    case("bench directed --row FA2 --plot OUT", "svg"),
    case("verifyta -q -t0 -f PREFIX m.xta q.q", "-1.xtr"),
    case("verifyta -q -t0 -X PREFIX m.xta q.q", "1.xml"),
    Case { force: true, ..case("convert m.xta -o OUT FORCE", "xml") },
    Case { force: true, input: "1\nsave FORCE OUT\n", ..case("simulate m.xta", "json") },
];

const MODEL: &str = "process P() { state a, b; init a; trans a -> b { }; } system P;\n";

fn folder(name: &str) -> std::path::PathBuf {
    let folder = scratch(name);
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    fs::write(folder.join("q.q"), "E<> P.b\nA[] P.a or P.b\n").unwrap();
    folder
}

impl Case {
    /// Returns the name of the output for this prefix.
    fn name(&self, start: &str) -> String {
        if self.words.contains("PREFIX") {
            format!("{start}{}", self.ending)
        } else {
            format!("{start}.{}", self.ending)
        }
    }

    fn run(&self, folder: &Path, output: &str, force: bool) -> Run {
        self.run_words(self.words, folder, output, force)
    }

    fn run_words(&self, words: &str, folder: &Path, output: &str, force: bool) -> Run {
        let prefix = output.strip_suffix(self.ending).unwrap_or(output);
        let fill = |text: &str| {
            let text = text.replace("FORCE", if force { "--force" } else { "" });
            text.replace("OUT", output).replace("PREFIX", prefix)
        };
        let words = fill(words);
        finish(command(folder).args(words.split_whitespace()), fill(self.input).as_bytes())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_written_whole_and_replacements_are_reported() {
    for case in &CASES {
        let folder = folder("outputs-replace");
        let name = case.name("new");
        let run = case.run(&folder, &name, false);
        assert!(run.status < 3, "{}: {run:?}", case.words);
        let printed = format!("{}{}", run.err, run.out);
        assert!(
            printed.contains("wrote ") || printed.contains("Writing ") || printed.contains("outputted to"),
            "{printed}"
        );
        let first = fs::read(folder.join(&name)).unwrap();
        assert!(!first.is_empty() && names(&folder).len() == 3, "{}: {:?}", case.words, names(&folder));
        fs::write(folder.join(&name), "old").unwrap();
        if case.force {
            let run = case.run(&folder, &name, false);
            assert!(run.status == 3 && format!("{}{}", run.err, run.out).contains("--force"), "{run:?}");
            assert_eq!(fs::read_to_string(folder.join(&name)).unwrap(), "old", "{}", case.words);
        }
        let run = case.run(&folder, &name, true);
        assert!(run.status < 3, "{}: {run:?}", case.words);
        let printed = format!("{}{}", run.err, run.out);
        assert!(printed.contains(&format!("replaced `{name}` with")) || case.words.contains("verifyta"), "{printed}");
        assert!(fs::read(folder.join(&name)).unwrap() != b"old" && names(&folder).len() == 3, "{}", case.words);
    }
}

#[test]
fn inputs_are_never_written() {
    for case in &CASES {
        let folder = folder("outputs-inputs");
        if case.words.starts_with("bench") {
            continue;
        }
        let model = case.name("in");
        let mut words = case.words.to_owned();
        if case.ending.ends_with("xml") {
            let xml = run_in(&folder, &["convert", "m.xta", "-o", "-", "--to", "xml"]);
            fs::write(folder.join(&model), xml.succeeds()).unwrap();
            words = words.replace("m.xta", &model);
        } else if cfg!(unix) {
            // Another name of the model, with the extension that the output needs.
            fs::hard_link(folder.join("m.xta"), folder.join(&model)).unwrap();
        } else {
            continue;
        }
        let before = fs::read(folder.join(&model)).unwrap();
        fs::create_dir(folder.join("sub")).unwrap();
        for path in [model.clone(), format!("./sub/../{model}")] {
            let run = case.run_words(&words, &folder, &path, true);
            assert_eq!(run.status, 3, "{}: {run:?}", case.words);
            assert!(
                format!("{}{}", run.err, run.out).contains("is an input of this command"),
                "{}: {run:?}",
                case.words
            );
            assert_eq!(fs::read(folder.join(&model)).unwrap(), before, "{}", case.words);
        }
    }
    let folder = folder("outputs-queries");
    for option in ["--trace-file", "--certificate"] {
        run_in(&folder, &["verify", "m.xta", "q.q", option, "q.q"]).refuses("`q.q` is an input of this command");
        fs::copy(folder.join("q.q"), folder.join("m.q")).unwrap();
        run_in(&folder, &["verify", "m.xta", option, "m.q"]).refuses("`m.q` is an input of this command");
    }
    run_in(&folder, &["verify", "m.xta", "q.q", "--bound", "2", "--smt-lib", "m.xta"]).refuses("is an input");
    assert_eq!(fs::read_to_string(folder.join("m.xta")).unwrap(), MODEL);
    let query = fs::read_to_string(folder.join("q.q")).unwrap();
    assert_eq!(query, "E<> P.b\nA[] P.a or P.b\n");
}

#[test]
fn one_file_can_not_hold_two_outputs() {
    let folder = folder("outputs-two");
    let options = ["--trace-file", "--certificate", "--smt-lib"];
    for (i, one) in options.iter().enumerate() {
        for other in &options[i + 1..] {
            for name in ["f", "./f"] {
                let run = run_in(&folder, &["verify", "m.xta", "q.q", "--engine", "smt", one, "f", other, name]);
                run.refuses("can't hold two outputs; name a file for each");
                assert_eq!((run.out.as_str(), names(&folder).len()), ("", 2), "{one} {other}");
            }
        }
    }
}

#[test]
fn unwritable_outputs_are_reported_before_anything_runs() {
    for case in &CASES {
        let folder = folder("outputs-bad");
        let name = case.name("x");
        fs::create_dir(folder.join(&name)).unwrap();
        for (output, why) in
            [(name.clone(), "it is a directory"), (format!("none/{name}"), "there is no folder `none`")]
        {
            let run = case.run(&folder, &output, true);
            let printed = format!("{}{}", run.err, run.out);
            assert!(
                run.status == 3 && printed.contains(&format!("can't write `{output}`: {why}")),
                "{}: {run:?}",
                case.words
            );
            assert!(!run.out.contains("satisfied") && names(&folder).len() == 3, "{}: {run:?}", case.words);
        }
    }
}

#[cfg(unix)]
#[test]
fn read_only_folders_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    for case in &CASES {
        let folder = folder("outputs-read-only");
        let closed = folder.join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(closed.join("probe"), "").is_ok() {
            return oracle::skip("this user may write everywhere");
        }
        let run = case.run(&folder, &format!("closed/{}", case.name("x")), true);
        assert!(run.status == 3 && format!("{}{}", run.err, run.out).contains("ermission denied"), "{run:?}");
        assert!(names(&closed).is_empty(), "{}", case.words);
    }
}

#[test]
fn the_standard_output_is_for_drawings_and_models_only() {
    let folder = folder("outputs-dash");
    for option in ["--trace-file", "--certificate", "--smt-lib"] {
        let run = run_in(&folder, &["verify", "m.xta", "q.q", "--engine", "smt", option, "-"]);
        run.refuses("the standard output is for the answers; name a file");
    }
    assert!(run_in(&folder, &["graph", "m.xta", "-o", "-"]).succeeds().starts_with("<"));
    let text = run_in(&folder, &["convert", "m.xta", "-o", "-", "--to", "xta"]);
    assert!(text.succeeds().contains("process P") && text.err.is_empty(), "{text:?}");
    assert_eq!(names(&folder), ["m.xta", "q.q"]);
}

#[test]
fn folders_of_files_report_replacements() {
    let folder = folder("outputs-folders");
    for (words, first, again) in [
        (&["bench", "zones", "--family", "fischer", "--size", "2", "--write", "d"][..], "", "replaced 2 files in `d`"),
        (&["bench", "nets", "--size", "2", "--write", "e/f"], "", "replaced "),
        (&["man", "--out", "g"], "wrote ", "are replaced"),
    ] {
        let run = run_in(&folder, words);
        assert!(run.status == 0 && run.err.contains(first) && !run.err.contains("replaced"), "{run:?}");
        let run = run_in(&folder, words);
        assert!(run.status == 0 && run.err.contains(again), "{run:?}");
    }
    let run = run_in(&ui(), &["graph", "lamp.xta", "-o", "/dev/null", "--format", "dot"]);
    assert!(
        cfg!(not(unix)) || run.succeeds().is_empty() && run.err.contains("wrote the drawing to `/dev/null`"),
        "{run:?}"
    );
}
