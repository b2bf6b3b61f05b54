//! Hostile models: each gets a clear error, fast and with little memory.

use syntax::{Diagnostic, Format, Sources};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut sources = Sources::new();
    let file = sources.add_file("test.xta", text.to_owned());
    let (tree, mut found) = syntax::read_model(&mut sources, file, Format::Xta);
    let (Ok((_, more)) | Err((_, more))) = model::load(tree);
    found.extend(more);
    found
}

/// Checks that a model is rejected for this reason.
#[track_caller]
fn refused(text: &str, message: &str) {
    let found = diagnostics(text);
    assert!(found.iter().any(|d| d.is_error() && d.message.contains(message)), "{message}: {found:#?}");
}

const P: &str = "process P() { state L; init L; } system P;";

#[test]
fn arrays_that_fit_nowhere() {
    refused(&format!("int a[2147483647]; {P}"), "too large");
    refused(&format!("int a[65536][65536]; {P}"), "too large");
    refused(&format!("int a[1000][1000][1000][1000]; {P}"), "too large");
    refused(&format!("clock x[100000]; {P}"), "there are too many clocks");
    // Each failure gives exactly one diagnostic.
    let clocks = diagnostics(&format!("clock x[60000]; clock y[60000]; clock z[60000]; {P}"));
    assert_eq!(clocks.iter().filter(|d| d.is_error()).count(), 1, "{clocks:#?}");
    refused(&format!("chan c[10000000]; {P}"), "there are too many channels");
    refused(&format!("int a[5000000]; {P}"), "there are too many numbers in a state");
    refused(&format!("bool a[int[-2147483648,2147483647]]; {P}"), "too large");
    refused(&format!("int a[-1]; {P}"), "-1 elements");
    refused(&format!("int a[0]; {P}"), "0 elements");
    refused(
        "void f() { int a[16777217]; } process Q() { state L; init L; trans L -> L { assign f(); }; } system Q;",
        "too large",
    );
}

#[test]
fn unbounded_processes() {
    refused(
        "process P(int[1,1000] a, int[1,1000] b, int[1,1000] c) { state L; init L; } system P;",
        "1000000000 processes",
    );
    refused("process P(int[-2147483648,2147483647] a) { state L; init L; } system P;", "4294967296 processes");
}

#[test]
fn unbounded_choices() {
    refused(
        "process P() { state L; init L; trans L -> L { select i : int[0,2147483647]; }; } system P;",
        "2147483648 choices",
    );
    refused(
        "int i; process P() { state L; init L; trans L -> L { select a : int[0,9999], b : int[0,9999]; assign i = 1; }; } system P;",
        "100000000 choices",
    );
    refused(
        "clock x[2]; process P() { state L; init L; trans L -> L { guard forall (i : int[0,99999999]) x[0] < 5; }; } system P;",
        "goes through 100000000 values",
    );
}

#[test]
fn recursion_and_cycles() {
    refused(&format!("int f(int n) {{ return n == 0 ? 1 : n * f(n - 1); }} {P}"), "calls itself");
    refused(&format!("int f(int n) {{ return g(n); }} int g(int n) {{ return f(n); }} {P}"), "unknown function `g`");
    refused(&format!("typedef struct {{ T next; }} T; {P}"), "unknown type `T`");
    refused(&format!("typedef T T; {P}"), "unknown type `T`");
    refused(&format!("const int N = N + 1; {P}"), "unknown name `N`");
    refused(&format!("const int N = M; const int M = N; {P}"), "unknown name `M`");
    refused("P = P(); system P;", "unknown template `P`");
}

#[test]
fn constants_that_diverge() {
    refused(
        &format!("int f() {{ int i = 0; while (true) {{ i = 1 - i; }} return i; }} const int N = f(); {P}"),
        "no end",
    );
    refused(&format!("const int N = 1 / 0; {P}"), "division by zero");
    refused(&format!("const int a[2] = {{1, 2}}; const int N = a[5]; {P}"), "outside of the array");
    refused(&format!("int[0,3] x = 7; {P}"), "outside of the range");
    refused(&format!("int[5,3] x; {P}"), "has no values");
    refused(&format!("int a[3] = {{1, 2}}; {P}"), "3 elements");
    refused(
        "clock x; process P() { state L { x <= -2147483648 }; init L; } system P;",
        "too large for a clock constraint",
    );
}

#[test]
fn nesting() {
    let deep = |n: usize| format!("int x = {}1{}; {P}", "(".repeat(n), ")".repeat(n));
    assert!(diagnostics(&deep(5_000)).iter().all(|d| !d.is_error()));
    refused(&deep(1_000_000), "nested more than");
    refused(&format!("int x = {}1; {P}", "-".repeat(1_000_000)), "nested more than");
    refused(&format!("int x = 1{}; {P}", " + 1".repeat(100_000)), "nested more than");
    let statements = |n: usize| format!("void f() {{ int i; {} i = 1; }} {P}", "if (i == 0) ".repeat(n));
    assert!(diagnostics(&statements(5_000)).iter().all(|d| !d.is_error()));
    refused(&statements(1_000_000), "nested more than");
    refused(&format!("typedef {} int a; {} T; {P}", "struct { ".repeat(100_000), "} x; ".repeat(100_000)), "nested");
    // A long sum is not deeply nested for its author, so it must work.
    let sum = format!(
        "int a[9]; int x; process Q() {{ state L; init L; trans L -> L {{ assign x = a[0]{}; }}; }} system Q;",
        " + a[1]".repeat(9_000)
    );
    assert!(diagnostics(&sum).iter().all(|d| !d.is_error()));
    // Right-leaning chains are common in generated models.
    let chain = format!(
        "int x; int f(int k) {{ return {} 0; }} {P}",
        (0..3000).map(|i| format!("k == {i} ? {i} : ")).collect::<String>()
    );
    assert!(diagnostics(&chain).iter().all(|d| !d.is_error()));
}

#[test]
fn all_mistakes_are_shown_at_once() {
    let found = diagnostics(
        "int cnt; clock x; chan go;
         process P(const int id) {
             state a { x == 5 }, b;
             init a;
             trans a -> b { guard cnut == 0; sync cnt!; assign cnt = x; },
                   b -> c { guard x > 3 || x < 1; };
         }
         Q = P(); R = S(1);
         system Q, R;",
    );
    let messages: Vec<&str> = found.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
    for expected in [
        "no location `c`",
        "can't be an invariant",
        "unknown name `cnut`",
        "needs a channel",
        "can't assign a clock",
        "takes 1 argument, not 0",
        "unknown template `S`",
    ] {
        assert!(messages.iter().any(|m| m.contains(expected)), "{expected}: {messages:#?}");
    }
}
