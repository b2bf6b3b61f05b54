//! User text with terminal control sequences, in every place that a report may quote. None of them
//! is printed.

use std::fs;

/// Returns whether a terminal might interpret the character. Line breaks and tabs are part of the
/// layout.
fn is_obeyed(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[test]
fn no_report_has_terminal_control_sequences() {
    let folder = std::env::temp_dir().join(format!("merkhet-hostile-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for evil in
        ["\u{9b}2J", "\u{1b}[2J", "\u{85}", "\u{90}q", "\u{202e}", "\u{2066}", "\u{7}", "\u{c}", "\r", "\u{9d}0;x"]
    {
        let right =
            format!("// {evil}\nprocess P() {{ state a; init a; trans a -> a {{ }}; /* {evil} */ }}\nsystem P;");
        let wrong = format!("int v{evil}; process P() {{ state a{evil}; init a; }} system P, Q{evil};");
        let name = format!("m{}.xta", evil.replace('/', ""));
        for (file, text) in [("right.xta", &right), ("wrong.xta", &wrong), (&*name, &wrong)] {
            fs::write(folder.join(file), text).unwrap();
        }
        let query = format!("E<> P.a && \"{evil}\" // {evil}");
        fs::write(folder.join("bad.txt"), format!("{{\"version\": \"{evil}\"}} {evil}")).unwrap();
        fs::write(folder.join("bad.q"), format!("{query}\n// {evil}\nE<> P.{evil}\n")).unwrap();
        let commands: [&[&str]; 27] = [
            &["verify", "right.xta", "--widen", evil],
            &["--color", "always", "graph", "right.xta", "--order", evil],
            &["check", "wrong.xta"],
            &["check", &name],
            &["check", "right.xta", "-q", &query],
            &["verify", "right.xta", "-q", &query],
            &["verify", "right.xta", "-q", "E<> P.a", "--trace", "some"],
            &["verify", "right.xta", "--heuristic", evil],
            &["verify", "right.xta", "--join", evil],
            &["verify", evil],
            &["simulate", "right.xta", "--random", "2"],
            &["replay", "right.xta", "bad.txt"],
            &["certify", "right.xta", "bad.txt"],
            &["convert", &name, "-o", evil],
            &["graph", "wrong.xta"],
            &["graph", &name, "-o", evil],
            &["graph", "right.xta", "--template", evil],
            &["graph", "right.xta", "--states", "--join", evil],
            &["graph", "right.xta", "--states", "-o", "-"],
            &["list", evil],
            &["list", "lattices", evil],
            &["bench", "zones", "--family", evil],
            &["bench", "directed", "--row", evil],
            &["verifyta", "-q", "-s", "wrong.xta"],
            &["verifyta", "-q", "-s", "right.xta", "bad.q"],
            &["verifyta", "-q", "-s", &name],
            &["verifyta", evil],
        ];
        for args in commands {
            let run = crate::common::run_in(&folder, args);
            for text in [&run.out, &run.err] {
                let found = text.chars().find(|c| is_obeyed(*c));
                assert_eq!(found, None, "{args:?} of {evil:?}: {text:?}");
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn evidence_is_called_what_it_is_and_help_is_whole() {
    let folder = std::env::temp_dir().join(format!("merkhet-evidence-names-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let model = "int v; process P() { state a, b; init a; trans a -> b { assign v = 1; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let run = |args: &[&str]| crate::common::run_in(&folder, args);
    let wrote = run(&["verify", "m.xta", "-q", "E<> P.b", "--trace-file", "t.json"]);
    assert!(wrote.err.contains("wrote 1 trace to `t.json`"), "{}", wrote.err);
    let wrote = run(&["verify", "m.xta", "-q", "A[] v < 2", "--certificate", "c.cert"]);
    assert!(wrote.err.contains("wrote 1 certificate to `c.cert`"), "{}", wrote.err);
    let refused = run(&["replay", "m.xta", "c.cert"]);
    assert!(refused.err.contains("`merkhet certify`") && refused.status == 3, "{}", refused.err);
    let refused = run(&["certify", "m.xta", "t.json"]);
    assert!(refused.err.contains("`merkhet replay`") && refused.status == 3, "{}", refused.err);
    assert!(run(&["help"]).out.contains("verify"));
    let help = run(&["help", "verify"]).out;
    assert!(["Search:", "State space:", "Evidence:", "Limits:", "Output:"].iter().all(|group| help.contains(group)));
    fs::remove_dir_all(&folder).unwrap();
}
