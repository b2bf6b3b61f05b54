//! Variables that influence nothing.

use model::{Formula, Property};
use syntax::{Format, Sources};

/// Returns the variables that neither the model nor a query reads.
fn unread(text: &str, query: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add_file("model.xta", text.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::Xta);
    assert!(problems.iter().all(|p| !p.is_error()), "{problems:?}");
    let (mut model, _) = model::load(tree).map_err(|(_, problems)| problems).unwrap();
    let file = sources.add_file("query", query.to_owned());
    let query = syntax::read_queries(&sources, file, &mut model.tree).pop().unwrap();
    let query = model.query(&query).unwrap();
    let (system, property) = model.system.with(&query);
    let Property::State { goal, .. } = &property else { return Vec::new() };
    let goals: [&Formula; 1] = [goal];
    let found = system.find_unread(&goals);
    found.into_iter().map(|i| system.variables[i as usize].name.clone()).collect()
}

/// Returns a process with one edge that has this update, after these declarations.
fn edge(declarations: &str, labels: &str) -> Vec<String> {
    let text = format!("{declarations}\nprocess P() {{ state A; init A; trans A -> A {{ {labels} }}; }}\nsystem P;");
    unread(&text, "E<> P.A")
}

#[test]
fn counters_are_not_read() {
    assert_eq!(edge("int n;", "assign n = n + 1;"), ["n"]);
    assert_eq!(edge("int n;", "assign n++;"), ["n"]);
    assert_eq!(edge("int n, m;", "assign n = n + m, m = m + 1;"), ["n", "m"]);
    assert_eq!(edge("int a[2];", "select i : int[0,1]; assign a[i] = a[i] + 1;"), ["a"]);
    assert_eq!(edge("int n; void f(int by) { int k = by; n = n + k; }", "assign f(3);"), ["n"]);
    assert_eq!(edge("int n; int a[3];", "assign n = a[0] > 2 ? 1 : n;"), ["n"], "only `a` is compared");
}

#[test]
fn variables_with_influence_are_read() {
    let none = Vec::<String>::new();
    assert_eq!(edge("int n;", "guard n < 3; assign n = n + 1;"), none);
    assert_eq!(edge("int n; int a[2];", "assign a[n] = 1, n = 1 - n;"), ["a"], "`n` may leave the array");
    assert_eq!(edge("int n, m;", "guard m < 3; assign m = n, n = n + 1;"), none);
    assert_eq!(edge("int n = 1, m;", "assign m = m / n, n = n + 1;"), ["m"], "`n` may become zero");
    assert_eq!(edge("int n; clock x;", "assign x = n, n = n + 1;"), none);
    assert_eq!(edge("int n; void f(int& r) { r = r + 1; }", "assign f(n);"), none, "pointers are not followed");
    assert_eq!(edge("int n; int m; void f() { int k[2] = { n, 0 }; m = k[m]; }", "assign f(), n = 1;"), none);
    assert_eq!(edge("meta int m; int n;", "assign m = n, n = n + 1;"), none, "meta variables may be read later");
    assert_eq!(edge("const int n = 3; int m;", ""), none, "constants are not stored");
}

#[test]
fn queries_read() {
    let text = "int n; process P() { state A; init A; trans A -> A { assign n = n + 1; }; } system P;";
    assert_eq!(unread(text, "E<> P.A"), ["n"]);
    assert_eq!(unread(text, "E<> n == 3"), Vec::<String>::new());
    assert_eq!(unread(text, "A[] not deadlock"), ["n"]);
}
