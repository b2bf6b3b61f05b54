//! The exact output of `merkhet check` on hand-written models.
//!
//! Each case is a command line that runs in `tests/ui`; its output is in `NAME.out` there. With
//! `MERKHET_BLESS=1` in the environment the files are written instead of compared. Review the
//! difference before you commit it.

use std::fs;

fn check(name: &str, args: &[&str]) {
    let run = crate::common::run_in(&crate::common::ui(), args);
    assert_eq!(run.err, "");
    let words: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
    let found = format!("$ merkhet {}\n{}exit status {}\n", words.join(" "), run.out, run.status);
    let file = crate::common::ui().join(format!("{name}.out"));
    if std::env::var_os("MERKHET_BLESS").is_some() {
        fs::write(&file, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{} differs from:\n{found}", file.display());
}

/// Quotes an argument for a shell.
fn quoted(arg: &str) -> String {
    let plain = arg.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    if plain { arg.to_owned() } else { format!("'{arg}'") }
}

macro_rules! cases {
    ($($name:ident: $($arg:literal)*;)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), &[$($arg),*]);
        }
    )*};
}

cases! {
    // Places inside of XML: entities, CDATA, several lines, elements, names, and an invalid query.
    xml_labels: "check" "labels.xml";
    xml_labels_json: "check" "labels.xml" "--format" "json";
    xml_truncated: "check" "truncated.xml";
    xml_ill_formed: "check" "ill-formed.xml";
    xml_second_label: "check" "second-label.xml";
    // Labels of several lines are shown as in the file.
    xml_lines: "check" "lines.xml";
    slips: "check" "slips.xta";
    // A variable that `trains.q` reads is not reported as unused.
    slips_in_queries: "check" "trains.xta" "-q" "AG Train(1).safe" "-q" "EF(Main.free)" "-q" "E<> Train.cross"
        "-q" "E<> Train(0).cross" "-q" "E<> Trian(1).cross" "-q" "E<> N.cross" "-q" "E<> Gate.free" "-q" "E<> free"
        "-q" "E<> v = 1 and Main.free" "-q" "A[] Main.free => v == 1" "-q" "AG(EF Main.free)";
    // Nets: one message for each mistake, at the text that is wrong.
    nets_tina: "check" "wrong.net";
    nets_pnml: "check" "wrong.pnml";
    nets_romeo: "check" "romeo.xml";
    nets_ages: "check" "ages.tapn";
    nets_colours: "check" "colours.tapn";
    nets_queries: "check" "queries.tapn";
    xta: "check" "broken.xta";
    ta: "check" "old.ta";
    // Tabs, wide and combining characters, control characters, Windows line ends.
    odd_characters: "check" "odd.xta";
    long_line: "check" "long-line.xta";
    ok: "check" "lamp.xta" "lamp.xml";
    queries: "check" "lamp.xta" "--queries" "lamp.q" "-q" "E<> Lamp.off &&" "-q" " ";
    queries_of_a_broken_model: "check" "broken.xta" "-q" "E<> (";
    no_queries: "check" "lamp.xta" "--queries" "empty.q";
    // One is a class that nothing has registered, the other a slip.
    classes: "check" "class.xta";
    files: "check" "lamp.xta" "missing.xta" "." "broken.xta" "--queries" "missing.q";
    files_json: "check" "lamp.xta" "missing.xta" "--format" "json" "--queries" "missing.q";
}
