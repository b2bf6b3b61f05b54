//! Valid models with one common mistake each: exactly one error is reported, with the correction.

use std::{fs, path::Path};

use syntax::{Diagnostic, Format, Sources};

/// The models that come with the project, in XTA.
fn models() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut found = Vec::new();
    for folder in ["", "zones", "directed", "lattice"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "xta") {
                found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20);
    found
}

/// Returns the errors of a model, or of its queries if the model has none.
fn errors(text: &str, queries: &str) -> Vec<Diagnostic> {
    let mut sources = Sources::new();
    let file = sources.add_file("m.xta", text.to_owned());
    let (tree, mut found) = syntax::read_model(&mut sources, file, Format::Xta);
    if found.iter().any(Diagnostic::is_error) {
        found.extend(model::check::check(&tree).1);
    } else {
        match model::load(tree) {
            Err((_, more)) => found.extend(more),
            Ok((mut model, _)) => {
                let file = sources.add_file("m.q", queries.to_owned());
                let queries = syntax::read_queries(&sources, file, &mut model.tree);
                found.extend(queries.iter().filter_map(|query| model.query(query).err()).flatten());
            }
        }
    }
    found.retain(Diagnostic::is_error);
    found
}

/// Checks that exactly one error is reported, and that its help contains `hint`.
#[track_caller]
fn expect(name: &str, text: &str, queries: &str, hint: &str) {
    let found = errors(text, queries);
    let [d] = &found[..] else { panic!("{name}: {} errors for {hint:?}: {found:#?}\n{text}", found.len()) };
    assert!(d.help.iter().any(|help| help.contains(hint)), "{name}: {hint:?} is not in {d:#?}\n{text}");
}

/// Returns the positions of a word in a text, outside of comments.
fn places(text: &str, word: &str) -> Vec<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let whole = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next()) && !in_comment(before)
    };
    text.match_indices(word).map(|(at, _)| at).filter(whole).collect()
}

fn in_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.contains("//") || before.rfind("/*") > before.rfind("*/")
}

fn replaced(text: &str, at: usize, length: usize, by: &str) -> String {
    format!("{}{by}{}", &text[..at], &text[at + length..])
}

/// Returns the word with two letters exchanged, one left out, or one doubled.
fn misspelt(word: &str) -> Vec<String> {
    let mut out = Vec::new();
    for i in 1..word.len() - 1 {
        let (left, right) = word.split_at(i);
        let mut exchanged: Vec<char> = word.chars().collect();
        exchanged.swap(i, i + 1);
        out.push(exchanged.into_iter().collect());
        out.push(format!("{left}{}", &right[1..]));
        out.push(format!("{left}{}{right}", &right[..1]));
    }
    out.retain(|text| text != word && text != "int");
    out
}

#[test]
fn misspelt_keywords_are_named() {
    let words =
        ["trans", "commit", "guard", "sync", "assign", "state", "init", "process", "system", "clock", "broadcast"];
    let more = ["urgent", "const", "typedef", "select"];
    let mut tried = 0;
    for (name, text) in models() {
        for word in words.iter().chain(&more) {
            let places = places(&text, word);
            // The first and the last occurrence, each with the next kind of misspelling.
            for &at in places.first().into_iter().chain(places.last()) {
                for wrong in misspelt(word).iter().skip(at % 3).step_by(3) {
                    expect(&name, &replaced(&text, at, word.len(), wrong), "", &format!("did you mean `{word}`?"));
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn assignments_in_conditions_are_comparisons() {
    let mut tried = 0;
    for (name, text) in models() {
        for (at, _) in text.match_indices("==").filter(|(at, _)| !in_comment(&text[..*at])) {
            let statement = text[..at].rfind([';', '{', '}']).map_or("", |from| &text[from + 1..at]);
            if statement.trim_start().starts_with("guard") {
                let wrong = replaced(&text, at, 2, "=");
                expect(&name, &wrong, "", "write `==` to compare");
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn path_quantifiers_of_other_languages_are_translated() {
    let forms = [
        ("A[]", "AG", "`A[]`"),
        ("A[]", "G", "`A[]`"),
        ("A[]", "A G", "`A[]`"),
        ("A[]", "A [ ]", "`A[]`"),
        ("A[]", "[]", "`A[]`"),
        ("A[]", "always", "`A[]`"),
        ("E<>", "EF", "`E<>`"),
        ("E<>", "F", "`E<>`"),
        ("E<>", "<>", "`E<>`"),
        ("E<>", "E <>", "`E<>`"),
        ("A<>", "AF", "`A<>`"),
        ("E[]", "EG", "`E[]`"),
    ];
    let mut tried = 0;
    for (name, text) in models() {
        let Ok(queries) = fs::read_to_string(Path::new(&name).with_extension("q")) else { continue };
        for query in queries.lines() {
            for (right, wrong, hint) in forms {
                let Some(formula) = query.strip_prefix(right) else { continue };
                expect(&name, &text, &format!("{wrong} {formula}"), hint);
                if wrong.chars().all(char::is_alphabetic) && wrong != "always" {
                    expect(&name, &text, &format!("{wrong}({formula})"), hint);
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

const TRAINS: &str = "const int N = 3; int v; clock x; chan go;
process Train(const int[1,3] id, const int[5,6] k) { int[0,9] n; state safe, cross; init safe; trans safe -> cross { sync go!; }; }
process Gate(chan &c, int[0,5] room) { state free; init free; trans free -> free { sync c?; }; }
process Lamp() { state off; init off; }
int f(bool b, int a[2], clock &c) { return a[0]; }
Main = Gate(go, 3);
system Train, Main, Lamp;";

#[test]
fn hints_name_existing_items() {
    assert!(errors(TRAINS, "E<> Train(1,5).cross\nA[] Lamp.off").is_empty());
    let cases = [
        ("E<> Train.cross", "`Train(1,5)`"),
        ("E<> Train(5,1).cross", "did you mean `Train(1,5)`?"),
        ("E<> Train(0,5).cross", "the processes are `Train(1,5)` to `Train(3,6)`"),
        ("E<> train(1,5).cross", "did you mean `Train(1,5)`?"),
        ("E<> Tarin.cross", "did you mean `Train(1,5)`?"),
        ("E<> N.off", "write `Lamp.off`"),
        ("E<> M.off", "write `Lamp.off`"),
        ("E<> off", "write `Lamp.off`"),
        ("E<> Gate.free", "did you mean `Main`?"),
        ("E<> Lamp.v == 1", "write `v` alone"),
        ("E<> Lamp", "`Lamp.off`"),
        ("E<> Train", "`Train(1,5).safe`"),
        ("E<> Main.fre", "did you mean `free`?"),
        ("A[] not deadlok", "did you mean `deadlock`?"),
        ("E<> Lamp.off implies v == 1", "write `imply`"),
        ("E<> Lamp.off -> v == 1", "`imply`"),
        ("E<> Lamp.off => v == 1", "`imply`"),
        ("E<> v = 1", "write `==`"),
        ("Lamp.off --> v = 1 and x > 2", "write `==`"),
        ("Sup: v", "did you mean `sup`?"),
    ];
    for (query, hint) in cases {
        expect(query, TRAINS, query, hint);
    }
    let cases = [
        ("system Train", "system Trian", "did you mean `Train`?"),
        ("system Train", "system train", "did you mean `Train`?"),
        ("= Gate(", "= Gaet(", "did you mean `Gate`?"),
        ("Gate(go, 3)", "Gate(3, go)", "write `Gate(go, 3)`"),
        ("int[0,9] n", "itn n", "did you mean `int`?"),
        ("const int[5,6]", "const boool", "did you mean `bool`?"),
        ("state off", "clock y; state off { y = 5 }", "write `<=`"),
    ];
    for (right, wrong, hint) in cases {
        expect(wrong, &TRAINS.replacen(right, wrong, 1), "", hint);
    }
    // A constant has a similar name, but it is not a process.
    let found = errors(&TRAINS.replacen("system Train", "system NN", 1), "");
    assert!(found.iter().all(|d| d.help.is_empty()), "{found:#?}");
}

/// Every swap of two arguments that no longer fit is reported.
#[test]
fn swapped_arguments_are_put_right() {
    let args = ["go", "3", "x", "b", "w"];
    let params = ["chan &c", "int n", "clock &d", "bool &e", "int &f[2]"];
    for i in 0..args.len() {
        for j in i + 1..args.len() {
            let mut given = args;
            given.swap(i, j);
            let text = format!(
                "chan go; clock x; bool b; int w[2]; process P({}) {{ state l; init l; }} Q = P({}); system Q;",
                params.join(", "),
                given.join(", ")
            );
            expect("swapped", &text, "", &format!("write `P({})`", args.join(", ")));
        }
    }
}

#[test]
fn types_and_variables_with_such_names_are_left_alone() {
    let text = "typedef int[0,3] sate; sate v; int AG; bool G() { return AG == 1; } int[0,1] F;
        process P() { sate w; state l; init l; trans l -> l { assign w = v; }; } system P;";
    assert!(errors(text, "E<> AG == 1\nAG == 1 --> F == 1\nG() --> AG > 0\nF < 1 --> G()").is_empty());
}

#[test]
fn variables_in_queries_are_read() {
    let text = "int g; process P() { int n; int m; clock x; state l; init l; trans l -> l { assign n = 1, m = 1, g = 1, x = 0; }; } system P;";
    let unused = |queries: &str| -> Vec<String> {
        let mut sources = Sources::new();
        let file = sources.add_file("m.xta", text.to_owned());
        let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
        let (mut model, _) = model::load(tree).unwrap();
        let file = sources.add_file("m.q", queries.to_owned());
        for query in syntax::read_queries(&sources, file, &mut model.tree) {
            let _ = model.query(&query);
        }
        let unused = model.warnings().into_iter().filter(|d| d.code == "unused");
        unused.map(|d| sources.text(d.primary.span).to_owned()).collect()
    };
    assert_eq!(unused(""), ["g", "n", "m", "x"]);
    assert_eq!(unused("E<> P.n == 1 and g == 1"), ["m", "x"]);
    assert_eq!(unused("sup: P.x"), ["g", "n", "m"]);
    assert_eq!(unused("Pr[<=100](<> P.n == 1)\nsimulate [<=10] {P.m}"), ["g", "x"]);
    assert_eq!(unused("E<> P.n == and P.x"), ["g", "m"]);
}

#[test]
fn variables_in_charts_are_used() {
    let text = "int g; int h; process P() { int n; state l; init l; trans l -> l { assign n = 1, g = 1, h = 1; }; }
        const int RED = 0; const int BLUE = 1; system P; gantt { P: P.l && g > 0 -> RED, P.n == 1 -> 2; }";
    let mut sources = Sources::new();
    let file = sources.add_file("m.xta", text.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    let (model, _) = model::load(tree).unwrap();
    let unused = model.warnings().into_iter().filter(|d| d.code == "unused");
    let unused: Vec<&str> = unused.map(|d| sources.text(d.primary.span)).collect();
    assert_eq!(unused, ["h", "BLUE"]);
}

#[test]
fn operators_of_other_languages_are_translated() {
    let forms = [
        (" == ", " === ", "`==`"),
        (" == ", " <> ", "`!=`"),
        (" == ", " =< ", "`<=`"),
        (" imply ", " -> ", "`imply`"),
        (" imply ", " => ", "`imply`"),
        (" && ", " AND ", "`and`"),
        ("E<> v", "E<> NOT v", "`not`"),
    ];
    for query in ["E<> v == 1 && x > 1", "A[] x > 2 imply v == 1", "E<> v == 1", "A[] v == 1 && v == 2"] {
        let mut tried = 0;
        for (right, wrong, hint) in forms {
            if query.contains(right) {
                expect("TRAINS", TRAINS, &query.replacen(right, wrong, 1), hint);
                tried += 1;
            }
        }
        assert!(tried > 0, "{query}");
    }
}
