//! Which scalar sets are symmetric, and what breaks the symmetry.

use model::System;

use crate::common::{load, try_load};

/// A model with these declarations and processes `P`, which have one edge.
fn model(declarations: &str, edge: &str) -> String {
    format!(
        "typedef scalar[3] S; S own; int[0,2] a[S]; clock h[S]; chan c[S]; broadcast chan b;\n{declarations}\n\
         process P(const S id) {{ clock x; int[0,2] n; S p; state l, k; init l; trans l -> k {{ {edge} }},\n\
         k -> l {{ assign a[id] = 1, own = id, p = own; }}; }}\n system P;"
    )
}

fn system(declarations: &str, edge: &str) -> System {
    let text = model(declarations, edge);
    load(&text).system
}

fn sizes(system: &System) -> Vec<u32> {
    system.symmetry.sets.iter().map(|set| set.size).collect()
}

#[test]
fn what_belongs_to_members_is_known() {
    let system = system("", "");
    let symmetry = &system.symmetry;
    let mut row = Vec::new();
    let names: Vec<String> = (3..system.initial.len() as u32).map(|place| system.slot_name(place)).collect();
    assert_eq!(names[..4], ["own", "a[0]", "a[1]", "a[2]"]);
    assert_eq!(names[4..], ["P(0).n", "P(0).p", "P(1).n", "P(1).p", "P(2).n", "P(2).p"]);
    // 0 becomes 1, 1 becomes 2, 2 becomes 0.
    symmetry.rename_row(&[1, 2, 0], &[0, 1, 0, /* own */ 0, /* a */ 0, 1, 2, 0, 0, 1, 1, 2, 2], &mut row);
    assert_eq!(row, [0, 0, 1, 1, 2, 0, 1, 2, 0, 0, 1, 1, 2]);
    let clocks: Vec<&str> = system.clocks.iter().map(|clock| clock.name.as_str()).collect();
    assert_eq!(clocks, ["0", "h[0]", "h[1]", "h[2]", "P(0).x", "P(1).x", "P(2).x"]);
    assert_eq!(symmetry.renamed_clocks(&[1, 2, 0], 7), [0, 2, 3, 1, 5, 6, 4]);
}

#[test]
fn members_are_alike() {
    for (declarations, edge) in [
        ("", "select s : S; guard s != own && h[s] <= 3; sync c[s]!; assign p = s, h[id] = 0;"),
        ("const int w[S] = { 2, 2, 2 };", "guard x >= w[id];"),
        ("chan priority c < default;", "sync c[id]!;"),
        // They differ only in their initial states.
        ("int[0,2] d[S] = { 0, 1, 2 };", "guard d[id] == 1; assign d[id] = 2;"),
        ("void f() { for (i : S) { a[i] = 0; h[i] = 0; } }", "assign f();"),
        ("void f() { for (i : S) if (i != own && a[i] < 2) a[i]++; }", "assign f();"),
        ("S f() { if (a[own] == 1) return own; else return own; }", "assign p = f();"),
        ("", "guard (exists (i : S) a[i] == 1) && (forall (i : S) h[i] <= 2);"),
        ("", "guard (sum (i : S) 2 / (a[i] + 1)) > 1;"),
        ("", "sync b?; assign x = 0, n = 1, p = own;"),
        ("struct { S who; int[0,2] k[S]; } st[S][2];", "assign st[id][1].who = own, st[own][0].k[id] = 1;"),
        ("int[0,2] lim[S];", "guard x <= lim[id];"),
    ] {
        assert_eq!(sizes(&system(declarations, edge)), [3], "{declarations} {edge}");
    }
}

#[test]
fn members_are_distinguished() {
    for (declarations, edge) in [
        // The last member wins, or the first.
        ("void f() { for (i : S) own = i; }", "assign f();"),
        ("S f() { for (i : S) if (a[i] == 1) return i; return own; }", "assign p = f();"),
        ("void f() { for (i : S) if (a[i] == 1) a[own] = 2; }", "assign f();"),
        ("void f() { for (i : S) for (j : S) a[j] = a[i]; }", "assign f();"),
        ("void g(S i) { own = i; } void f() { for (i : S) g(i); }", "assign f();"),
        ("void f(int[0,2] &d[S]) { for (i : S) d[i] = a[own]; }", "assign f(a);"),
        // Constants.
        ("const int w[S] = { 1, 2, 2 };", "guard x >= w[id];"),
        ("int f() { int d[S] = { 1, 2, 3 }; return d[own]; }", "guard f() == 1;"),
        // A local variable of a function is initialised with the first member.
        ("typedef struct { S who; } T; S f() { T t; return t.who; }", "assign p = f();"),
        // The last receiver of a broadcast decides.
        ("", "sync b?; assign own = id;"),
        ("int[0,9] total;", "sync b?; assign total = 2 * total;"),
        ("", "sync b?; assign a[own] = 1, n = a[id];"),
        ("", "sync b?; assign h[own] = 0;"),
        // A variable that never changes counts as a constant if clocks are compared with it.
        ("int[0,2] lim[S] = { 1, 2, 2 };", "guard x <= lim[id];"),
        ("S first; int[0,2] lim[S];", "guard x <= lim[id] && id == first;"),
        // Whether it fails depends on which member comes first.
        ("", "guard exists (i : S) 2 / a[i] == 1;"),
        ("int[0,2] d[2];", "guard forall (i : S) d[a[i]] == 1;"),
        ("bool f(S i) { return a[i] == 1; }", "guard exists (i : S) f(i);"),
    ] {
        assert_eq!(sizes(&system(declarations, edge)), [0; 0], "{declarations} {edge}");
    }
}

#[test]
fn functions_that_return_nothing_return_what_is_left() {
    let text = "S f() { if (a[own] == 1) { } else return own; }";
    assert_eq!(sizes(&system(text, "assign p = f();")), [0; 0]);
}

#[test]
fn sets_are_distinguished() {
    let both = "typedef scalar[2] T; int[0,1] t2[T]; T q[S];";
    assert_eq!(sizes(&system(both, "select t : T; assign q[id] = t, t2[t] = 1;")), [3, 2]);
    // Breaking the symmetry of one set keeps that of the other.
    let one = format!("{both} void f() {{ for (t : T) q[own] = t; }}");
    assert_eq!(sizes(&system(&one, "assign f();")), [3]);
    let same_size = "typedef scalar[3] T; T t;";
    assert!(try_load(&model(same_size, "assign t = own;")).is_err());
    assert!(try_load(&model("int[0,2] d[3];", "assign d = a;")).is_err());
    assert!(try_load(&model("void f(int[0,2] d[3]) { }", "assign f(a);")).is_err());
}

#[test]
fn instances_pass_members_on() {
    let text = "typedef scalar[2] S; int[0,1] a[S];
        process P(const S id, int[0,1] &mine) { clock x; state l; init l; trans l -> l { assign mine = 1, a[id] = 0; }; }
        Q(const S i) = P(i, a[i]);
        system Q;";
    assert_eq!(sizes(&load(text).system), [2]);
    let constant = text.replace("process", "const int w[S] = { 0, 1 }; process").replace("guard", "");
    let unlike = constant
        .replace("int[0,1] &mine", "const int lim[S]")
        .replace("mine = 1", "a[id] = lim[id]")
        .replace("a[i]", "w");
    assert_eq!(sizes(&load(&unlike).system), [0; 0]);
}

#[test]
fn queries_name_no_members() {
    let ask = |query: &str| {
        let (mut sources, mut model) = try_load(&model("", "")).unwrap();
        let file = sources.add_file("query", query.to_owned());
        let parsed = syntax::read_queries(&sources, file, &mut model.tree);
        model.query(&parsed[0]).map(|query| sizes(&model.system.with(&query).0)).ok()
    };
    assert_eq!(ask("E<> exists (i : S) P(i).k && own == i"), Some(vec![3]));
    // UPPAAL rejects these as well.
    assert_eq!(ask("E<> P(0).k"), None);
    assert_eq!(ask("E<> own == 0"), None);
    assert_eq!(ask("E<> exists (i : scalar[2]) P(i).k"), None);
    assert_eq!(ask("E<> exists (i : S) 2 / a[i] == 1"), Some(Vec::new()));
}

#[test]
fn clocks_that_nothing_compares_are_left_out() {
    let system = system("", "guard x <= 2;");
    let projection = system.project(&[]).unwrap();
    assert_eq!(projection.system.clocks.len(), 4);
    assert_eq!(projection.system.symmetry.renamed_clocks(&[1, 2, 0], 4), [0, 2, 3, 1]);
}
