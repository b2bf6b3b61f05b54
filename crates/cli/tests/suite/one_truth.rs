//! Models that `check` rejects are rejected by every command that answers queries, with the same
//! messages. No other model is. The models are small ones with every feature in every place, and
//! real ones.
//!
//! `MERKHET_CASES=1 cargo test -p merkhet-cli --test suite one_truth::` tries all pairs of features
//! and places.

use std::path::PathBuf;

use crate::common::{Run, run_in, run_with};

/// Conditions of every kind: legal and illegal, supported and unsupported.
const CONDITIONS: &[&str] = &[
    "true",
    "n == 1",
    "x < 3",
    "x - y <= 2",
    "b",
    "a[n] > 0",
    "n",
    "P",
    "go",
    // Floating-point numbers.
    "d < 1.5",
    "d == 0",
    "1.5 < 2",
    "x < 1.5",
    "x <= d",
    "x - y < 0.5",
    "d",
    "1.5",
    "fabs(d) > 1.0",
    "sqrt(2.0) > 1",
    "random(3.0) < 1",
    "fint(d) == 1",
    "fint(n) == 1",
    "abs(n) == 1",
    "(n == 0 ? 1.0 : d) < 2",
    "twice(n) < 3.0",
    "pair.d > 0",
    "ds[n] > 0",
    "exists (i : int[0,1]) ds[i] > 0",
    "(sum (i : int[0,1]) ds[i]) > 0",
    "M_PI > 3",
    "half() == 1",
    // Clocks.
    "x' == 2",
    "x' == 0",
    "x' == 1.5",
    "x' == n",
    "h' == 2",
    "h < 2",
    "h == 1",
    "x + y < 3",
    "x * 2 < 5",
    "x != 3",
    "x != y",
    "x < y",
    "x + 1 < y",
    "-x < 3",
    "x == 2",
    "xs[n] < 2",
    "x < 3 || y < 3",
    "!(x < 3)",
    "b || x < 3",
    "b imply x < 3",
    "forall (i : int[0,1]) xs[i] < 2",
    "exists (i : int[0,1]) xs[i] < 2",
    "(n == 0 ? x : y) < 2",
    "late(x)",
    "x < 300000000",
    "x < 2147483647",
    "x >= n * 100000000",
    "timed.c < 3",
    // Strings.
    "s == \"a\"",
    "s != t[n]",
    "s < \"a\"",
    "s",
    "same(s, \"b\")",
    "s == n",
    // Names that are unknown, or values that are not constant.
    "outside(1) == 1",
    "numof(D) > 0",
    "deadlock",
    "1 / 0 == 1",
    "a[7] == 1",
    "forall (i : int) i == i",
    "nobody == 1",
];

/// Updates of every kind.
const UPDATES: &[&str] = &[
    "n = 1",
    "b = x < 3",
    "d = 1.5",
    "d = n",
    "n = d",
    "n = fint(d)",
    "x = 3",
    "x = 1.5",
    "x = d",
    "x = y",
    "x = y + 1",
    "x = n",
    "x = -1",
    "x = 2147483647",
    "h = 1",
    "h = 1.5",
    "y = h",
    "xs[n] = 2",
    "xs = xs",
    "timed = timed",
    "pair = pair",
    "pair.d = 1.5",
    "d = half()",
    "d = (n = 1)",
    "spawn D()",
    "exit()",
    "outside(1)",
    "s = \"b\"",
    "n = 1 / 0",
    "n = 9",
    "a[9] = 1",
    "n = random(2.0) < 1 ? 1 : 0",
    "d = random(2.0)",
    "(n == 0 ? x : y) = 1",
    "n++, d = d * 2",
    "void_d(1.5)",
    "void_x(x)",
];

/// Places for a condition, which is written as `@`.
const PLACES: &[&str] = &[
    "bool q() { return @; } process P(int p) { state l; init l; trans l -> l { guard q(); }; } Q = P(1); system Q;",
    "bool q() { return @; } process P(int p) { state l; init l; } Q = P(1); system Q;",
    "process P(int p) { state l, m; init l; trans l -> m { guard @; }; } Q = P(1); system Q;",
    "process P(int p) { state l { @ }; init l; } Q = P(1); system Q;",
    "process P(int p) { state l; init l; trans l -> l { assign n = @ ? 1 : 0; }; } Q = P(1); system Q;",
    "process P(int p) { state l; init l; trans l -> l { sync go[@ ? 1 : 0]!; }; } Q = P(1); system Q;",
    "process P(int p) { state l; init l; trans l -> l { select i : int[0, @ ? 1 : 2]; }; } Q = P(1); system Q;",
    "process P(bool p) { state l; init l; trans l -> l { guard p; }; } Q = P(@); system Q;",
    "const bool c = @; process P(int p) { state l; init l; trans l -> l { guard c; }; } Q = P(1); system Q;",
    "process P(int p) { bool c = @; state l; init l; trans l -> l { guard c; }; } Q = P(1); system Q;",
    "process P(int p) { state l { @ }; init l; } process R() { state l; init l; } system R;",
    "after_update { n = @ ? 1 : 0 } process P(int p) { state l; init l; } Q = P(1); system Q;",
];

const UPDATE_PLACES: &[&str] = &[
    "process P(int p) { state l; init l; trans l -> l { assign @; }; } Q = P(1); system Q;",
    "void u() { @; } process P(int p) { state l; init l; trans l -> l { assign u(); }; } Q = P(1); system Q;",
    "void u() { if (b) { @; } } process P(int p) { state l; init l; } Q = P(1); system Q;",
    "before_update { @ } process P(int p) { state l; init l; } Q = P(1); system Q;",
];

const DECLARATIONS: &str = "
int[0,8] n; bool b; int a[2]; double d = 0.5, ds[2]; clock x, y, xs[2]; hybrid clock h; chan go[2];
struct { int i; double d; } pair; struct { int i; clock c; } timed;
const string s = \"a\", t[2] = {\"a\", \"b\"};
bool same(const string v, const string w) { return v == w; }
double half() { return 0.5; }
double twice(double v) { return 2 * v; }
bool late(clock &c) { return n == 1; }
void void_d(double v) { n = 1; }
void void_x(clock &c) { c = 0; }
";

/// Declarations for some conditions only, because their presence alone is rejected.
fn declarations(text: &str) -> String {
    let mut out = DECLARATIONS.to_owned();
    if text.contains("outside(") {
        out += "import \"library\" { int outside(int i); };\n";
    }
    if text.contains("D)") || text.contains("D(") {
        out += "dynamic D();\n";
    }
    out
}

/// Returns the errors that a run reports, each with its place.
fn errors(run: &Run) -> Vec<String> {
    let text = format!("{}\n{}", run.out, run.err);
    let mut lines = text.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        // A run-time error is an answer.
        if line.starts_with("error") && !line.starts_with("error[run-time-error]") {
            let place = lines.peek().map_or("", |next| next.trim());
            // Only one of the commands numbers the queries.
            let place = place.split(['<', '>']).next_back().unwrap_or("");
            found.push(format!("{line} {place}"));
        }
    }
    found.sort();
    found
}

#[track_caller]
fn compare(name: &str, checked: &Run, others: &[(&str, Run)]) {
    for (command, run) in others {
        let same = (checked.status == 3) == (run.status == 3) && errors(checked) == errors(run);
        assert!(same, "{name}\ncheck: {checked:?}\n{command}: {run:?}");
    }
}

/// Runs the commands on a model from the standard input. Returns whether it was rejected.
fn agree(text: &str) -> bool {
    let run = |args: &[&str]| run_with(text.as_bytes(), args);
    let checked = run(&["check", "-"]);
    let verify = run(&["verify", "-", "-q", "E<> true"]);
    compare(text, &checked, &[("verify", verify)]);
    if checked.status == 3 {
        compare(text, &checked, &[("simulate", run(&["simulate", "-", "--random", "0"]))]);
    }
    checked.status == 3
}

fn pairs<'a>(places: &'a [&str], texts: &'a [&str], every: usize) -> impl Iterator<Item = (&'a str, &'a str)> {
    let all = places
        .iter()
        .enumerate()
        .flat_map(move |(i, place)| texts.iter().enumerate().map(move |(j, t)| (i, place, j, t)));
    all.filter(move |(i, _, j, _)| (i + j) % every == 0).map(|(_, place, _, text)| (*place, *text))
}

#[test]
fn features_in_every_place() {
    let mut counts = [0; 2];
    // One third of all pairs, a different third in each place.
    let every = if std::env::var_os("MERKHET_CASES").is_some() { 1 } else { 3 };
    for (place, text) in pairs(PLACES, CONDITIONS, every).chain(pairs(UPDATE_PLACES, UPDATES, every)) {
        let model = format!("{}{}", declarations(text), place.replace('@', text));
        counts[usize::from(agree(&model))] += 1;
    }
    println!("{counts:?} accepted and refused");
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

#[test]
fn queries() {
    // A model that is rejected gets no queries.
    for condition in CONDITIONS.iter().filter(|c| !c.contains("(D)")) {
        let place = "process P(int p) { state l; init l; } Q = P(1); system Q;";
        let model = format!("{}{place}", declarations(condition));
        for query in [format!("E<> {condition}"), format!("sup{{{condition}}}: n"), format!("sup: {condition}")] {
            let run = |command| run_with(model.as_bytes(), &[command, "-", "-q", &query]);
            compare(&format!("{query}\n{model}"), &run("check"), &[("verify", run("verify"))]);
        }
    }
}

#[test]
fn real_models() {
    let mut counts = [0; 2];
    let mut folders: Vec<PathBuf> = oracle::corpora("").into_iter().map(|corpus| corpus.folder).collect();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        let models = entries.iter().filter(|path| {
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            ["xml", "xta", "ta", "tck"].contains(&ending) && path.metadata().is_ok_and(|m| m.len() < 100_000)
        });
        // Models of one folder are similar.
        for path in models.take(3) {
            let name = path.to_str().unwrap();
            let verify = run_in(&folder, &["verify", name, "-q", "E<> true"]);
            // Queries in the model are checked as well, and only cause warnings.
            let checked = run_in(&folder, &["check", name]);
            compare(name, &checked, &[("verify", verify)]);
            counts[usize::from(checked.status == 3)] += 1;
        }
        folders.extend(entries.into_iter().filter(|path| path.is_dir()));
    }
    println!("{counts:?} accepted and refused");
    assert!(counts[0] > 0);
}
