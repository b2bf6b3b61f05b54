//! Integers that are abstracted by elements of a lattice.

use model::{Formula, Model, Property, machine::Machine, system::LocationId};
use syntax::Sources;

use crate::common::{elements, load, one_edge, try_load};

/// Takes the edges of a model one after the other, if their guards and the invariants after them
/// allow it.
fn take(model: &Model, edges: &[usize]) -> Option<String> {
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    for &i in edges {
        let edge = &system.edges[i];
        let before = machine.row().to_vec();
        if !edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap()) {
            return None;
        }
        assert_eq!(machine.row(), before, "guards change nothing");
        if let Some(pc) = edge.update {
            machine.execute(pc).unwrap();
        }
        let first = system.processes[edge.process.0 as usize].first_location.0;
        machine.row_mut()[edge.process.0 as usize] = (edge.target.0 - first) as i32;
        for process in &system.processes {
            let p = system.locations[process.first_location.0 as usize].process;
            let LocationId(at) = system.location(machine.row(), p);
            let invariant = system.locations[at as usize].invariant.condition;
            if !invariant.is_none_or(|pc| machine.test(pc).unwrap()) {
                return None;
            }
        }
    }
    Some(elements(model, machine.row()))
}

/// Returns the values after one edge.
#[track_caller]
fn check(decls: &str, label: &str, expected: Option<&str>) {
    let model = load(&one_edge(decls, label));
    assert_eq!(take(&model, &[0]).as_deref(), expected, "{decls} | {label}");
}

#[track_caller]
fn update(decls: &str, text: &str, expected: &str) {
    check(decls, &format!("assign {text};"), Some(expected));
}

/// Returns the only diagnostic: its message, the text under it, and the help.
#[track_caller]
fn wrong(text: &str, expected: &str, at: &str, help: &str) {
    let found = match try_load(text) {
        Ok(_) => panic!("no diagnostic for\n{text}"),
        Err(found) => found,
    };
    let errors: Vec<_> = found.iter().filter(|(d, _)| d.is_error()).collect();
    let [(d, place)] = &errors[..] else { panic!("{errors:#?}\n{text}") };
    assert_eq!((d.message.as_str(), place.as_str()), (expected, at), "{text}");
    assert_eq!(d.help.join(" / "), help, "{text}");
}

const DECLS: &str = "extern Interval; Interval x = 3, y; int n = 2; int a[4]; clock c;";

#[test]
fn assignments_calculate() {
    update(DECLS, "x = 7", "x=7 y=0");
    update(DECLS, "x = n * 2 + 1, y = x - n", "x=5 y=3");
    update(DECLS, "x++, y--", "x=4 y=-1");
    update(DECLS, "x += 2, y -= x, x *= n, x /= 3, x %= 2", "x=1 y=-5");
    update(DECLS, "x = -x, y = +x", "x=-3 y=-3");
    update(DECLS, "x.between(0, 4), y = x * 2 - n", "x=[0, 4] y=[-2, 6]");
    update(DECLS, "x = n++ + y, y = n", "x=2 y=3");
    update("extern Interval; Interval x[2] = {1, 5}; int i = 1;", "x[i] = x[1 - i] + x[i]", "x[0]=1 x[1]=6");
    // Two names for the same element.
    update("extern Interval; Interval x[2] = {1, 5}; int i = 1, j = 1;", "x[i] = x[j] + 1, x[j]++", "x[0]=1 x[1]=7");
}

#[test]
fn functions_calculate() {
    let decls = "extern Interval; Interval x = 3, y;
        void add(Interval &v, int k) { v += k; }
        void twice(Interval &v, const Interval &w) { Interval t = w; t += w; v = t; }
        void keep(Interval v) { v++; y = v; }
        void list() { Interval t[2] = {1, x}; y = t[0] + t[1]; }";
    update(decls, "add(x, 2)", "x=5 y=0");
    update(decls, "twice(y, x), twice(x, x)", "x=6 y=6");
    update(decls, "keep(x)", "x=3 y=4");
    update(decls, "list()", "x=3 y=4");
}

/// Returns `x`, initially between 0 and 9, and `y`, initially between 5 and 20, after a second
/// edge.
#[track_caller]
fn guard(text: &str, expected: Option<&str>) {
    let model = load(&format!(
        "extern Interval; Interval x, y, z[3]; int n = 2; clock c;
         process P() {{ state A, B, C; init A; trans
             A -> B {{ assign x.between(0, 9), y.between(5, 20), z[1].between(1, 9); }}, B -> C {{ guard {text}; }}; }}
         system P;"
    ));
    let found = take(&model, &[0, 1]);
    let found = found.as_deref().map(|text| text.split(" z[0]").next().unwrap());
    assert_eq!(found, expected, "{text}");
    assert!(model.system.non_monotone.is_empty() && model.system.lattices.iter().all(|v| !v.varies), "{text}");
}

#[test]
fn guards_narrow_values() {
    guard("x < 5", Some("x=[0, 4] y=[5, 20]"));
    guard("!(x < 5)", Some("x=[5, 9] y=[5, 20]"));
    guard("x == n", Some("x=2 y=[5, 20]"));
    guard("x > 9", None);
    guard("x >= y", Some("x=[5, 9] y=[5, 9]"));
    guard("3 < x && x < 6 && y > x + 10", Some("x=[4, 5] y=[15, 20]"));
    guard("x < 5 && x > 7", None);
    guard("x < 5 && !(x <= 7)", None);
    guard("!(x < 5 || y > 8)", Some("x=[5, 9] y=[5, 8]"));
    guard("!(x > 5 imply y < 8)", Some("x=[6, 9] y=[8, 20]"));
    guard("x < 5 && c <= 3", Some("x=[0, 4] y=[5, 20]"));
    guard("n < 5 && x < n", Some("x=[0, 1] y=[5, 20]"));
    guard("n > 5 && x < n", None);
    guard("forall (k : int[0,2]) z[k] < 5 + k", Some("x=[0, 9] y=[5, 20]"));
    guard("forall (k : int[0,2]) (x > k && x < 6 - k)", Some("x=3 y=[5, 20]"));
    guard("forall (k : int[0,2]) z[k] > 0", None);
}

#[test]
fn disjunctions_are_tested_only() {
    guard("x < 5 || x > 7", Some("x=[0, 9] y=[5, 20]"));
    guard("x > 9 || y < 5", None);
    guard("x > 9 || n == 2", Some("x=[0, 9] y=[5, 20]"));
    guard("x < 5 imply n == 3", Some("x=[0, 9] y=[5, 20]"));
    guard("x < 10 imply n == 3", None);
    guard("x < 5 && (x > 5 || y > 30)", None);
    guard("x < 5 && (x > 3 || y > 30)", Some("x=[0, 4] y=[5, 20]"));
    guard("exists (k : int[0,2]) z[k] > 8", Some("x=[0, 9] y=[5, 20]"));
    guard("exists (k : int[0,2]) z[k] > 9", None);
    guard("!(exists (k : int[0,2]) z[k] > 8)", Some("x=[0, 9] y=[5, 20]"));
    guard("!(forall (k : int[0,2]) z[k] < 9)", Some("x=[0, 9] y=[5, 20]"));
    // A clock constraint counts only if the rest is definitely false.
    guard("x < 5 || c > 3", Some("x=[0, 9] y=[5, 20]"));
}

#[test]
fn clock_constraints_count_if_the_rest_is_false() {
    let counts = |guard: &str| {
        let model = load(&one_edge(DECLS, &format!("guard {guard};")));
        let mut machine = Machine::new(&model.system.code, model.system.initial.len());
        machine.load(&model.system.initial);
        machine.test(model.system.edges[0].guard.clocks[0].condition.unwrap()).unwrap()
    };
    // `x` is 3.
    assert!(counts("x < 3 || c < 4"));
    assert!(!counts("x < 4 || c < 4"));
    assert!(counts("x < 4 imply c < 4"));
    assert!(!counts("x < 3 imply c < 4"));
}

#[test]
fn invariants_narrow_values_as_well() {
    let model = |invariant: &str| {
        load(&format!(
            "extern Interval; Interval x, y; clock c; process P() {{ state A, B {{ {invariant} }}; init A; trans
                 A -> B {{ assign x.between(0, 9), y.between(5, 20); }}, B -> B {{ assign x++; }}; }} system P;"
        ))
    };
    assert_eq!(take(&model("x < 6 && c <= 3"), &[0]).as_deref(), Some("x=[0, 5] y=[5, 20]"));
    assert_eq!(take(&model("x < 6"), &[0, 1, 1]).as_deref(), Some("x=[2, 5] y=[5, 20]"));
    assert_eq!(take(&model("x < 6 || y > 10"), &[0, 1]).as_deref(), Some("x=[1, 10] y=[5, 20]"));
    assert_eq!(take(&model("x > y && y > 8"), &[0]), None);
    assert_eq!(take(&model("x < 0"), &[0]), None);
}

#[test]
fn states_without_a_value_do_not_exist() {
    // The guard of the sender and that of the receiver are both possible, but not together.
    let model = load(
        "extern Interval; Interval x; chan c; process P() { state A { true }, B; init A; trans
             A -> B { assign x.between(0, 9); }, B -> A { guard x < 5; sync c!; }; }
         process Q() { state A; init A; trans A -> A { guard x > 5; sync c?; }; } system P, Q;",
    );
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    for edge in &system.edges {
        assert!(edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap()) || edge.update.is_some());
        machine.execute(edge.update.unwrap()).unwrap();
    }
    assert_eq!(elements(&model, machine.row()), "x=nothing");
    for location in 0..2 {
        machine.row_mut()[0] = location;
        let invariant = &system.locations[location as usize].invariant;
        assert!(!machine.test(invariant.condition.unwrap()).unwrap());
    }
    assert!(system.locations[2].invariant.condition.is_none(), "one process is enough");
}

/// Returns `x`, initially between 0 and 9, after a synchronisation.
fn synchronised(channel: &str, send: &str, receive: &str, invariant: &str) -> String {
    let model = load(&format!(
        "extern Interval; Interval x, y; int n; {channel} c; process P() {{ state A, B {{ {invariant} }}; init A; trans
             A -> B {{ {send} }}; }}
         process Q() {{ state A; init A; trans A -> A {{ {receive} }}; }}
         process R() {{ state A; init A; trans A -> A {{ assign x.between(0, 9); }}; }} system P, Q, R;"
    ));
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    for edge in [2, 0, 1] {
        if let Some(pc) = system.edges[edge].update {
            machine.execute(pc).unwrap();
        }
    }
    elements(&model, machine.row()).split(' ').take_while(|t| !t.starts_with('y')).collect::<Vec<_>>().join(" ")
}

#[test]
fn values_that_others_change_are_not_narrowed() {
    // No update changes the variables of the guards.
    assert_eq!(synchronised("chan", "guard x < 6; sync c!;", "guard x > 3; sync c?;", "true"), "x=[4, 5]");
    assert_eq!(synchronised("chan", "sync c!; assign y = 3;", "guard x > 3; sync c?;", "true"), "x=[4, 9]");
    // The guard of the receiver is evaluated before the update of the sender.
    assert_eq!(synchronised("chan", "sync c!; assign x++;", "guard x < 3; sync c?;", "true"), "x=[1, 10]");
    assert_eq!(synchronised("chan", "sync c!; assign n = 5;", "guard x < n + 3; sync c?;", "true"), "x=[0, 9]");
    // The invariant of the sender's target is evaluated after the update of the receiver.
    assert_eq!(synchronised("chan", "sync c!;", "sync c?; assign x++;", "x < 3"), "x=[1, 10]");
    assert_eq!(synchronised("chan", "sync c!;", "sync c?;", "x < 3"), "x=[0, 2]");
    assert_eq!(synchronised("broadcast chan", "sync c!; assign x--;", "guard x < 3; sync c?;", "true"), "x=[-1, 8]");
}

#[test]
fn updates_of_every_transition_count_too() {
    let model = |hook: &str| {
        load(&format!(
            "extern Interval; Interval x; {hook} {{ x++ }}
             process P() {{ state A, B {{ x < 7 }}; init A; trans A -> A {{ assign x.between(0, 9); }},
                 A -> B {{ guard x < 5; }}; }} system P;"
        ))
    };
    // Hooks run outside of the updates of edges.
    assert_eq!(take(&model("before_update"), &[0, 1]).as_deref(), Some("x=[0, 6]"));
    assert_eq!(take(&model("after_update"), &[0, 1]).as_deref(), Some("x=[0, 4]"));
}

const OCTAGON: &str = "extern ApronOctagon; ApronOctagon oct; oct.intvar i, j = 2; int n = 1;";

#[test]
fn members_are_related() {
    update(OCTAGON, "i = j + n", "oct=m0: 3, m1: 2");
    let model = load(&format!(
        "{OCTAGON} process P() {{ state A, B, C; init A; trans A -> B {{ assign oct.forget(i), j = i + 1; }},
             B -> C {{ guard i >= j; }}, B -> C {{ guard i + 1 >= j && oct.low(j) < 0 && i == 4; }}; }} system P;"
    ));
    assert_eq!(take(&model, &[0, 1]), None);
    assert!(take(&model, &[0, 2]).is_some());
    let warnings: Vec<String> = model.warnings().into_iter().map(|d| d.message).collect();
    assert_eq!(warnings, ["variable `n` is never used"]);
}

#[test]
fn members_of_processes() {
    let mut model = load(
        "process P(const int id) { extern Octagon; Octagon oct; oct.intvar i = id, j; state A; init A; trans
             A -> A { guard i > 2; assign j = i + 1; }; } P1 = P(1); P4 = P(4); system P1, P4;",
    );
    let names: Vec<&str> = model.system.lattices.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["P1.oct", "P4.oct"]);
    assert_eq!(take(&model, &[0]), None);
    assert!(take(&model, &[1]).is_some());
    assert!(asks(&mut model, "E<> P4.i == 4 && P1.i < P1.j + 2"));
    assert!(!asks(&mut model, "E<> P4.i == 4 && P4.i < 3"));
}

/// Returns whether the goal of a query may hold initially.
fn asks(model: &mut Model, text: &str) -> bool {
    let mut sources = Sources::new();
    let file = sources.add_file("q", text.to_owned());
    let queries = syntax::read_queries(&sources, file, &mut model.tree);
    let query = model.query(&queries[0]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let (system, property) = model.system.with(&query);
    assert_eq!(system.non_monotone_goals, [], "{text}");
    let Property::State { goal: formula, .. } = property else { panic!() };
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    fn holds(machine: &mut Machine<'_>, formula: &Formula) -> bool {
        match formula {
            Formula::True => true,
            Formula::Condition(pc) => machine.test(*pc).unwrap(),
            Formula::And(parts) => parts.iter().all(|part| holds(machine, part)),
            Formula::Or(parts) => parts.iter().any(|part| holds(machine, part)),
            _ => false,
        }
    }
    holds(&mut machine, &formula)
}

#[test]
fn queries_ask_for_possible_values() {
    let mut model = load(
        "extern Interval; Interval x, y; process P(const int k) { Interval z[2] = {k, k}; state A; init A; trans
             A -> A { assign x.between(0, 9), y.between(5, 20); }; } P0 = P(5); system P0;",
    );
    let row = {
        let mut machine = Machine::new(&model.system.code, model.system.initial.len());
        machine.load(&model.system.initial);
        machine.execute(model.system.edges[0].update.unwrap()).unwrap();
        machine.row().to_vec()
    };
    model.system.initial = row;
    for (text, expected) in [
        ("E<> x < 5", true),
        ("E<> !(x < 5)", true),
        ("E<> x < 5 && x > 6", false),
        ("E<> x < 5 && y > 6", true),
        ("E<> x < 0", false),
        ("A[] x < 5", true),
        ("A[] x < 10", false),
        ("A[] x < 10 && y > 5", true),
        ("A[] x < 10 || y > 30", false),
        ("E<> P0.z[1] == x", true),
        ("E<> P0.z[1] == x && x < 5", false),
        ("E<> exists (k : int[0,1]) P0.z[k] > x", true),
        ("E<> forall (k : int[0,1]) P0.z[k] > x + 4", true),
        ("E<> forall (k : int[0,1]) P0.z[k] > x + 5", false),
        ("E<> P0.A imply x > 8", true),
    ] {
        assert_eq!(asks(&mut model, text), expected, "{text}");
    }
}

#[test]
fn values_that_are_not_known_can_not_be_used() {
    let known = "its value is not known: compare it in a guard, an invariant or a query";
    let here = "compare it in a guard or an invariant, joined by `and`, `or` and `not`; use two edges";
    let decls = "extern Interval; extern Sign; Interval x, y; Sign s; int n; int a[4]; clock c; bool b;
        extern UnionBitVector; UnionBitVector u[3]; void f(int k) { n = k; } extern Octagon; Octagon o; o.intvar i;";
    let element = "an element of lattice `Interval`";
    let joint = "what one lattice knows says nothing to another; declare both with the same one";
    for (label, message, at, help) in [
        ("assign n = x;", format!("can't assign {element} to an integer"), "n = x", known),
        ("assign n = x + 1;", "can't assign an integer of `Interval` to an integer".to_owned(), "n = x + 1", known),
        ("assign c = x;", format!("can't assign {element} to a clock"), "c = x", known),
        ("assign a[x] = 1;", format!("the array can't be indexed by {element}"), "x", known),
        ("assign u[x + 1] = 1;", "the array can't be indexed by an integer of `Interval`".to_owned(), "x + 1", known),
        ("assign f(x);", format!("parameter `k` needs an integer, this is {element}"), "x", known),
        ("assign o.forget(x);", format!("argument `member` of `forget` must be an integer, not {element}"), "x", known),
        ("guard c < x;", format!("`<` can't join a clock and {element}"), "c < x", known),
        ("assign b = x < 5;", "whether this holds is not known here".to_owned(), "x < 5", here),
        ("guard (x < 5) == b;", "whether this holds is not known here".to_owned(), "x < 5", here),
        ("guard (x < 5 ? b : !b);", "whether this holds is not known here".to_owned(), "x < 5", here),
        ("guard (sum (k : int[0,1]) (x < k)) > 1;", "whether this holds is not known here".to_owned(), "x < k", here),
        ("assign x = b ? x : y;", format!("`? :` can't choose {element}"), "b ? x : y", "use one edge for each case"),
        ("assign x = s;", format!("can't assign an element of lattice `Sign` to {element}"), "x = s", ""),
        ("assign x = i;", format!("can't assign an integer of `o` to {element}"), "x = i", ""),
        ("guard x < s;", format!("`<` can't join {element} and an element of lattice `Sign`"), "x < s", joint),
        ("assign x = y + i;", format!("`+` can't join {element} and an integer of `o`"), "y + i", joint),
        (
            "assign x = x << 1;",
            format!("`<<` can't be applied to {element}"),
            "x << 1",
            "`+`, `-`, `*`, `/`, `%` and comparisons can",
        ),
        ("assign x |= 1;", format!("can't assign an integer to {element}"), "x |= 1", ""),
        ("guard !x;", format!("`not` can't be applied to {element}"), "!x", ""),
        (
            "assign y = x++;",
            "an integer of a lattice can't be changed in the middle of an expression".to_owned(),
            "x++",
            "change it before or after, separated by a comma",
        ),
        (
            "assign i = 3, i.low();",
            "only structs and processes have members, this is an integer of `o`".to_owned(),
            "i",
            "",
        ),
    ] {
        wrong(&one_edge(decls, label), &message, at, help);
    }
    wrong(
        &one_edge("extern Interval; Interval x; void f() { if (x < 3) x = 4; }", ""),
        "whether this holds is not known here",
        "x < 3",
        here,
    );
}

#[test]
fn members_must_fit() {
    let oct = "extern Octagon; extern Interval; Octagon oct; Interval x; int n;";
    for (decl, message, at, help) in [
        ("oct.intvr i;", "a member of `oct` is declared with `intvar`", "intvr", "write `oct.intvar`"),
        (
            "x.intvar i;",
            "variables of lattice `Interval` have no members",
            "x.intvar",
            "those of `Box`, `Octagon` have",
        ),
        ("n.intvar i;", "`n` has no members that could be declared", "n.intvar", ""),
        ("ot.intvar i;", "unknown variable `ot`", "ot", "did you mean `oct`?"),
        ("oct.intvar i[3];", "`i` is a member of another variable and can't be an array", "i", ""),
        ("const oct.intvar i = 2;", "`i` is an element of a lattice and can't be `const`", "const oct.intvar", ""),
        ("typedef oct.intvar num;", "a type can't be a member of another variable", "oct.intvar", ""),
        ("void f(oct.intvar &k) { }", "a parameter can't be a member of another variable", "oct.intvar", ""),
        ("void f() { oct.intvar k; }", "members of `oct` are declared beside it", "oct.intvar", ""),
        ("oct.intvar i = n;", "an initialiser must be constant", "n", "declare `n` with `const`"),
        ("Octagon many[2];", "only a variable of its own can be an element of lattice `Octagon`", "many", ""),
        ("void f() { Octagon o; }", "only a variable of its own can be an element of lattice `Octagon`", "o", ""),
        (
            "void f(Octagon &o) { }",
            "a parameter can't be an element of lattice `Octagon`",
            "o",
            "its members are declared beside it, so that all processes can use them",
        ),
        ("oct.intvar j; struct { oct.intvar i; } s;", "a field of a struct can't be an integer of `oct`", "i", ""),
    ] {
        wrong(&one_edge(&format!("{oct} oct.intvar own; {decl}"), ""), message, at, help);
    }
    wrong(
        "extern Octagon; Octagon oct; oct.intvar j; process P() { oct.intvar i; state A; init A; } system P;",
        "members of `oct` are declared beside it",
        "oct.intvar",
        "",
    );
}
