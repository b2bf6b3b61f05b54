//! Instances, edges and guards of lowered models.

use model::{
    Formula, Model, Property,
    machine::Machine,
    system::{ClockTerm, Guard, LocationId, Operand, ProcessId, Sync},
};
use syntax::Sources;

use crate::common::load;

fn show(guard: &Guard) -> String {
    let term = |t: ClockTerm| match t {
        ClockTerm::Clock(c) => format!("c{}", c.0),
        ClockTerm::Element { first, count, .. } => format!("c{}..{}", first.0, first.0 + count),
    };
    let mut parts: Vec<String> = guard
        .clocks
        .iter()
        .map(|c| {
            let bound = match c.bound {
                Operand::Const(n) => n.to_string(),
                Operand::Code { low, high, .. } => format!("[{low},{high}]"),
            };
            let when = if c.condition.is_some() { "if " } else { "" };
            format!("{when}{}-{}{}{bound}", term(c.left), term(c.right), if c.strict { "<" } else { "<=" })
        })
        .collect();
    if guard.condition.is_some() {
        parts.insert(0, "int".to_owned());
    }
    parts.join(" ")
}

#[track_caller]
fn guard(decls: &str, text: &str, expected: &str) {
    let model = load(&format!(
        "clock x, y; int i; {decls} process P() {{ state L; init L; trans L -> L {{ guard {text}; }}; }} system P;"
    ));
    let shown = model.system.edges.first().map_or("never".to_owned(), |e| show(&e.guard));
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn guards_are_split_into_integers_and_clocks() {
    guard("", "x <= 3", "c1-c0<=3");
    guard("", "x > 3 && i == 0", "int c0-c1<-3");
    guard("", "3 < x", "c0-c1<-3");
    guard("", "x == 4", "c1-c0<=4 c0-c1<=-4");
    guard("", "x - y < 2", "c1-c2<2");
    guard("", "x < y", "c1-c2<0");
    guard("", "x + 1 < y", "c1-c2<-1");
    guard("", "y - x >= 1 + 2", "c1-c2<=-3");
    guard("const int K = 5;", "x < K * 2 && K == 5", "c1-c0<10");
    guard("const int K = 5;", "K == 4 && x < 3", "never");
    guard("int[0,9] n = 2;", "x >= n + 1", "c0-c1<=[-3,-3]");
    guard("", "i > 0 || x < 3", "if c1-c0<3");
    guard("", "i > 0 imply x < 3 && y > 1", "if c1-c0<3 if c0-c2<-1");
    guard("const bool B = true;", "B || x < 3", "");
    guard("const bool B = true;", "B imply x < 3", "c1-c0<3");
    guard("clock z[2];", "forall (k : int[0,1]) z[k] <= k", "c3-c0<=0 c4-c0<=1");
    guard("clock z[2]; int[0,1] k;", "z[k] <= 4", "c3..5-c0<=4");
    guard("int a[2]; clock z[2];", "forall (k : int[0,1]) (a[k] == 0 && z[k] > 1)", "int c0-c3<-1 c0-c4<-1");
    guard("", "true", "");
    guard("", "false", "never");
}

#[test]
fn templates_become_processes() {
    let model = load(
        "typedef int[0,2] id_t; chan c[id_t]; int shared[3];
         process P(const id_t i, int &v) { int own = i; state a; init a; trans a -> a { sync c[i]!; assign v = own; }; }
         process Q(const id_t i, const id_t j) { state a; init a; trans a -> a { guard i < j; sync c[j]?; }; }
         One(const id_t k) = P(k, shared[k]); Two = P(2, shared[0]);
         system One, Two, Q;",
    );
    let system = &model.system;
    let names: Vec<&str> = system.processes.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "One(0)", "One(1)", "One(2)", "Two", "Q(0,0)", "Q(0,1)", "Q(0,2)", "Q(1,0)", "Q(1,1)", "Q(1,2)", "Q(2,0)",
            "Q(2,1)", "Q(2,2)"
        ]
    );
    // Only three of the nine Qs have an edge whose guard is satisfiable.
    assert_eq!(system.edges.len(), 4 + 3);
    let mut machine = Machine::new(&system.code, system.initial.len());
    let mut row = system.initial.clone();
    for edge in system.edges.iter().filter(|e| e.process.0 < 4) {
        machine.load(&row);
        machine.execute(edge.update.unwrap()).unwrap();
        row = machine.row().to_vec();
    }
    // One(0) writes 0 into shared[0], which Two overwrites with 2.
    assert_eq!(row[13..16], [2, 1, 2]);
}

#[test]
fn edges_are_found_by_location_and_channel() {
    let model = load(
        "chan a, b; broadcast chan c[2]; int[0,1] k;
         process P() { state s, t; init s; trans s -> t { sync b?; }, s -> t { sync a?; }, s -> s { },
           s -> t { sync c[k]!; }, t -> s { select i : int[0,2]; sync a!; assign k = i > 1; }; }
         system P;",
    );
    let system = &model.system;
    let s = system.location(&system.initial, ProcessId(0));
    let count = |list: &[model::system::EdgeId]| list.len();
    assert_eq!(count(system.internal(s)), 1);
    // `c[k]!` is one edge for each channel that k may choose.
    assert_eq!(count(system.sending(s)), 2);
    let channel =
        |name: &str| model::system::ChannelId(system.channels.iter().position(|c| c.name == name).unwrap() as u32);
    assert_eq!(count(system.receiving(s, channel("a"))), 1);
    assert_eq!(count(system.receiving(s, channel("b"))), 1);
    assert_eq!(count(system.receiving(s, channel("c[0]"))), 0);
    let t = LocationId(s.0 + 1);
    assert_eq!(count(system.sending(t)), 3);
    assert!(system.channels.iter().filter(|c| c.broadcast).count() == 2);
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    let enabled: Vec<Sync> = system
        .sending(s)
        .iter()
        .map(|e| &system.edges[e.0 as usize])
        .filter(|e| e.guard.condition.is_none_or(|pc| machine.test(pc).unwrap()))
        .map(|e| e.sync)
        .collect();
    assert_eq!(enabled, [Sync::Send(channel("c[0]"))]);
}

#[test]
fn branches_join_stem_and_branch() {
    let model = load(
        "int x; process P() { state a, b; branchpoint m; init a;
           trans a -> m { guard x < 5; assign x = x + 1; }, m -> a { assign x = x * 2; probability 3; },
                 m -> b { probability 1; }; } system P;",
    );
    let system = &model.system;
    assert_eq!(system.edges.len(), 2);
    let mut machine = Machine::new(&system.code, system.initial.len());
    let after: Vec<i32> = system
        .edges
        .iter()
        .map(|e| {
            machine.load(&system.initial);
            machine.execute(e.update.unwrap()).unwrap();
            machine.row()[1]
        })
        .collect();
    assert_eq!(after, [2, 1]);
    assert_eq!(system.edges[0].branch, Some(1));
}

#[test]
fn priorities() {
    let model = load(
        "chan a, b[2], c; chan priority a < default < b[1], c;
         process P() { state s; init s; } Q = P(); R = P(); system Q < R;",
    );
    let priorities: Vec<i32> = model.system.channels.iter().map(|c| c.priority).collect();
    assert_eq!(priorities, [0, 1, 2, 2]);
    assert_eq!(model.system.internal_priority, 1);
    assert_eq!(model.system.processes.iter().map(|p| p.priority).collect::<Vec<_>>(), [0, 1]);
    assert!(model.system.has_priorities);
}

/// Evaluates a state formula in the initial state, in which all clocks are zero.
fn initially(model: &mut Model, text: &str) -> bool {
    let mut sources = Sources::new();
    let file = sources.add_file("q", text.to_owned());
    let query = syntax::read_queries(&sources, file, &mut model.tree).pop().unwrap();
    let query = model.query(&query).unwrap_or_else(|d| panic!("{text}: {d:#?}"));
    let (system, property) = model.system.with(&query);
    let (formula, truth) = match property {
        Property::State { goal: formula, exists: true } => (formula, true),
        Property::State { goal: violation, exists: false } => (violation, false),
        _ => panic!("{text}"),
    };
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    fn holds(f: &Formula, machine: &mut Machine<'_>) -> bool {
        match f {
            Formula::True => true,
            Formula::False => false,
            Formula::Condition(pc) => machine.test(*pc).unwrap(),
            Formula::Clock(c) => {
                let Operand::Const(bound) = c.bound else { panic!() };
                if c.strict { 0 < bound } else { 0 <= bound }
            }
            Formula::Deadlock { negated } => *negated,
            Formula::NetDeadlock { states, .. } => holds(states, machine),
            Formula::And(parts) => parts.iter().all(|p| holds(p, machine)),
            Formula::Or(parts) => parts.iter().any(|p| holds(p, machine)),
        }
    }
    holds(&formula, &mut machine) == truth
}

#[test]
fn queries_speak_of_processes() {
    let mut model = load(
        "typedef int[0,2] id_t; clock x; int a[3] = {5, 6, 7};
         process P(const id_t i) { int own = i * 10; clock y; int twice() { return own * 2; }
           state home, away; init home; trans home -> away { }; }
         process Solo() { state start; init start; }
         system P, Solo;",
    );
    for (text, expected) in [
        ("E<> P(1).home", true),
        ("E<> P(1).away", false),
        ("E<> P(2).own == 20 && Solo.start", true),
        ("A[] forall (i : id_t) P(i).home", true),
        ("A[] forall (i : id_t) P(i).own == i * 10", true),
        ("E<> exists (i : id_t) P(i).away", false),
        ("E<> (sum (i : id_t) P(i).own) == 30", true),
        ("E<> forall (i : id_t) forall (j : id_t) (i == j || P(i).own != P(j).own)", true),
        ("E<> forall (i : id_t) P(i).twice() == i * 20", true),
        ("E<> x > 0 || P(0).y >= 1", false),
        ("E<> not (x > 0 || P(0).y >= 1)", true),
        ("E<> x != 0", false),
        ("E<> !(x != 0)", true),
        ("A[] not deadlock", true),
        ("A[] (P(0).home imply x < 1) and a[P(1).own / 10] == 6", true),
        ("E<> P(0).location == 0", true),
        ("E<> x - P(0).y > 0", false),
    ] {
        assert_eq!(initially(&mut model, text), expected, "{text}");
    }
}

#[test]
fn wrong_queries_are_rejected_and_do_not_affect_others() {
    let mut model = load("int n; process P() { state s; init s; } system P;");
    for text in [
        "E<> P.t",
        "E<> Q.s",
        "E<> P(0).s",
        "E<> m == 1",
        "E<> n = 1",
        "A<> deadlock",
        "E<> P",
        "E[] n == 1.5",
        "sup: P.s.t",
        "n == 1",
        "E <> n == 1",
        "A[] (n == 1 && A<> n == 2)",
        "Pr[<=10](<> n == 1)",
        "E<> n ==",
        "E<> n == 1; E<> n == 2",
    ] {
        let mut sources = Sources::new();
        let file = sources.add_file("q", text.to_owned());
        let query = syntax::read_queries(&sources, file, &mut model.tree).pop().unwrap();
        assert!(model.query(&query).is_err(), "{text}");
    }
    assert!(initially(&mut model, "E<> P.s && n == 0"));
}

/// Returns the bound of the only constraint in a model with these declarations, whose second edge
/// has this update.
#[track_caller]
fn bound(decls: &str, text: &str, update: &str, expected: &str) {
    let model = load(&format!(
        "clock x; int[0,1] i; {decls} process P() {{ state L; init L; trans L -> L {{ guard x <= {text}; }}, \
         L -> L {{ assign {update}; }}; }} system P;"
    ));
    assert_eq!(show(&model.system.edges[0].guard), format!("c1-c0<={expected}"), "{decls} {text} {update}");
}

#[test]
fn bounds_that_nothing_changes_are_known() {
    bound("const int C[2] = {8, 5};", "20 - C[i]", "i = 1", "[12,15]");
    bound("int d = 7;", "d", "i = 1", "[7,7]");
    bound("int d[2] = {7, 9};", "d[i]", "i = 1", "[7,9]");
    bound("int e; int d[2] = {7, 9}; int f;", "d[i]", "e = 1, f = 1", "[7,9]");
    bound("struct { int a; int b; } d = {3, 4};", "d.b", "d.a = 9", "[4,4]");
}

#[test]
fn bounds_that_something_may_change_are_not() {
    let any = "[-32768,32767]";
    bound("int d = 7;", "d", "d = 3", any);
    bound("int[0,9] d = 7;", "d + 1", "d++", "[1,10]");
    bound("int d[2] = {7, 9};", "d[0]", "d[i] = 3", any);
    bound("int d[2] = {7, 9};", "d[1 - i]", "d[0] = 3", any);
    bound("int d = 7; void f(int& p) { p = 1; }", "d", "f(d)", any);
    bound("int d[2]; void f(int& p[2]) { p[i] = 1; }", "d[i]", "f(d)", any);
    bound("struct { int a; int b; } d, e = {3, 4};", "d.b", "d = e", any);
    bound("int d = 7; void f() { d = i; }", "d", "f()", any);
}
