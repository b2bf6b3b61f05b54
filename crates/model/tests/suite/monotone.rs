//! Which guards, updates and formulas are monotone in lattice elements.

use syntax::Sources;

use crate::common::load;

const DECLS: &str = "extern UnionBitVector; extern IntersectionBitVector; extern Users = PresentAbsent(3);
    const int N = 3; int i = 1; int a[3]; clock x; chan c[2]; urgent chan hurry; broadcast chan all;
    UnionBitVector u[N]; IntersectionBitVector w[N]; Users users[2];
    typedef struct { int low, high; } Box; int width(Box b) { return b.high - b.low; }
    bool leq(Box a, Box b) { return b.low <= a.low && a.high <= b.high; }
    Box join(Box a, Box b) { Box c; c.low = a.low <? b.low; c.high = a.high >? b.high; return c; }
    Box grow(Box b, int n) { Box c = {b.low, b.high + n}; return c; }
    void stretch(Box &b) { b.high++; }
    void measure(Box b, int &n) { n = b.high; }
    extern Region = Lattice(Box, leq, join); Region r;
    bool known(int k) { return !w[k]; }
    bool full() { int n = u.num1s(); return n == N; }
    bool either(int k) { if (k > 1) return u[k]; else return w.num0s() > k; }
    void first(UnionBitVector &v[3]) { if (v[0]) i = 1; }
    void put(UnionBitVector &v[3], int k) { v[k] = 1; }";

/// Returns whether a guard wavers, and which elements vary.
fn edge(label: &str) -> (bool, String) {
    let more = "process Q() { state A; init A; trans A -> A { sync hurry!; }, A -> A { sync all!; }, A -> A { sync c[0]!; }; }";
    let model =
        load(&format!("{DECLS} process P() {{ state A, B; init A; trans A -> B {{ {label} }}; }} {more} system P, Q;"));
    let names: Vec<&str> = model.system.lattices.iter().filter(|v| v.varies).map(|v| v.name.as_str()).collect();
    (!model.system.non_monotone.is_empty(), names.join(" "))
}

#[track_caller]
fn guard(text: &str, rises: bool) {
    assert_eq!(edge(&format!("guard {text};")), (!rises, String::new()), "{text}");
}

#[track_caller]
fn varies(label: &str, names: &str) {
    assert_eq!(edge(label), (false, names.to_owned()), "{label}");
}

#[test]
fn guards_that_are_monotone() {
    for text in [
        "u[1]",
        "u[i] && !w[i]",
        "u[0] || i > 2",
        "!(w[0] || !u[1])",
        "w[0] imply u[0]",
        "u.num1s() > 2",
        "2 <= u.num1s()",
        "u.num0s() < i",
        "w.num0s() >= 1 && w.num1s() <= i",
        "u.num1s() + 2 * w.num0s() - w.num1s() > 3",
        "-2 * w.num1s() > -3",
        "u.num1s() / 2 > i",
        "u.num1s() == N",
        "w.num0s() == N",
        "w.num1s() == 0",
        "u[1] == 1",
        "w[1] == 0",
        "u[1] != false",
        "w[1] != 1",
        "exists (k : int[0,2]) u[k]",
        "forall (k : int[0,2]) (u[k] || !w[k])",
        "sum (k : int[0,2]) u[k] > 1",
        "(i > 1 ? u[0] : !w[0])",
        "(u[0] & u[1]) > 0",
        "fint(u[0]) > 0",
        "users[i].mayContain(i) && !users[0].mustContain(2)",
        "known(i)",
        "either(i)",
        "i > 3",
    ] {
        guard(text, true);
    }
}

#[test]
fn guards_that_are_not_monotone() {
    for text in [
        "!u[1]",
        "w[i]",
        "u[0] && w[0]",
        "u[0] imply u[1]",
        "u.num1s() < 2",
        "u.num1s() == 2",
        "u.num1s() != N",
        "u.num1s() - w.num0s() > 3",
        "u.num1s() * i > 3",
        "(u[0] xor u[1])",
        "(u.num1s() & 1) > 0",
        "u.num1s() % 2 == 0",
        "(u[0] ? i : 2) > 1",
        "a[u[0]] > 1",
        "u[w.num0s()]",
        "users[u[0]].mayContain(1)",
        "users[0].mayContain(u[0])",
        "users[0].mustContain(1)",
        "!known(i)",
        "known(u[0])",
        "abs(u.num1s()) > 2",
        "r.low < 3",
        "width(r) > 2",
    ] {
        guard(text, false);
    }
    // Intermediate values are distinguished, and then the rest is fixed.
    assert_eq!(edge("guard full();"), (false, "u".to_owned()));
}

#[test]
fn guards_that_never_become_true() {
    let antitone = |guard: &str| {
        let model = load(&format!(
            "{DECLS} extern Interval; Interval z; process P() {{ state A {{ !u[1] }}; init A; trans A -> A {{ guard {guard}; }}; }}
             system P;"
        ));
        assert_eq!(model.system.non_monotone.len(), 2);
        model.system.antitone.len()
    };
    assert_eq!(antitone("!u[0]"), 1);
    // `z < 3` is monotone and `xor` is neither, so these guards are not antitone.
    assert_eq!(antitone("!u[0] && z < 3"), 0);
    assert_eq!(antitone("u[0] xor u[1]"), 0);
}

#[test]
fn updates_that_are_monotone() {
    for text in [
        "u[i] = 1, u[0] = 0, w[2] = 1",
        "u[0] = u[1], w[0] = w[i]",
        "u[0] = !w[1], w[1] = !u[0] && w[2]",
        "u[0] |= u[1], u[0] &= 1, w[1] |= i > 1",
        "u.clear(), users[i].insert(i + 1)",
        "users[0] = users[i]",
        "i = i + 1, a[i] = 3, x = i",
        "r.low = 3, r.high += i",
        "r = grow(r, 1), stretch(r)",
        "put(u, i)",
    ] {
        varies(&format!("assign {text};"), "");
    }
}

#[test]
fn elements_that_decide_more_than_what_is_possible_vary() {
    varies("assign u[0] = w[0];", "w");
    varies("assign u[0] = !u[1];", "u");
    varies("assign w[0] = u.num1s() > 1;", "u");
    varies("assign u[0] ^= 1;", "u");
    varies("assign i = u.num1s();", "u");
    varies("assign i = known(1);", "w");
    varies("assign a[u[0]] = 1;", "u");
    varies("assign u[w[0]] = 1;", "w");
    varies("assign x = u[0];", "u");
    varies("assign users[0].insert(u[1]);", "u");
    varies("assign users[u[1]].insert(1);", "u");
    varies("assign i = users[1].mayContain(1) ? 1 : 2;", "users[0] users[1]");
    varies("assign u[0] ? i++ : i--;", "u");
    varies("assign first(u);", "u w users[0] users[1] r");
    varies("assign r.low = u[0];", "u");
    varies("assign i = r.low;", "r");
    varies("assign i = width(r);", "r");
    varies("assign measure(r, i);", "r");
    varies("sync c[u[0]]?;", "u");
    varies("guard x < u.num1s();", "u");
    varies("guard u[0] || x < 3;", "");
    varies("guard u[0] imply x < 3;", "u");
    varies("guard w[0] imply x < 3;", "");
}

#[test]
fn greater_elements_may_stop_time() {
    varies("guard u[0]; sync hurry?;", "u");
    varies("guard u[0]; sync all?;", "u");
    varies("guard u[0]; sync c[0]?;", "");
    let model = load(&format!(
        "{DECLS} process P() {{ state A; init A; trans A -> A {{ guard u[0]; sync c[0]!; }}, A -> A {{ sync c[1]!; }}; }}
         process Q() {{ state A; init A; trans A -> A {{ sync c[0]?; }}, A -> A {{ sync c[1]?; }}; }}
         chan priority c[1] < c[0]; system P, Q;"
    ));
    assert!(model.system.lattices[0].varies);
}

#[test]
fn invariants_are_conditions_as_well() {
    let with = |invariant: &str| {
        load(&format!("{DECLS} process P() {{ state A {{ {invariant} }}; init A; }} system P;")).system
    };
    assert!(with("u[0] && x <= 3").non_monotone.is_empty());
    assert!(!with("!u[0] && x <= 3").non_monotone.is_empty());
    assert!(with("x' == u[0]").lattices[0].varies);
}

#[test]
fn formulas_may_waver() {
    let mut model = load(&format!("{DECLS} process P() {{ state A; init A; }} system P;"));
    for (text, wavers) in [
        ("E<> u[0] && P.A", false),
        ("E<> !u[0]", true),
        ("A[] !u[0]", false),
        ("A[] u[0] || x < 3", true),
        ("A[] w[0] || x < 3", false),
        ("E<> x < u.num1s()", true),
        ("E<> i > 2", false),
        ("E<> r.low > 2", true),
    ] {
        let mut sources = Sources::new();
        let file = sources.add_file("q", text.to_owned());
        let queries = syntax::read_queries(&sources, file, &mut model.tree);
        let query = model.query(&queries[0]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        let (system, property) = model.system.with(&query);
        let found = property.code().iter().any(|pc| system.non_monotone_goals.contains(pc));
        assert_eq!(found, wavers, "{text}");
    }
    assert!(model.system.lattices.iter().all(|v| !v.varies));
}
