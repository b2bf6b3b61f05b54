//! Variables whose values are lattice elements: from text to executed code.

use std::path::PathBuf;

use model::{
    Model,
    machine::{FaultKind, Machine},
    system::LatticeOrder,
};
use syntax::{Format, Sources};

use crate::common::{elements, load, one_edge, try_load};

fn machine(model: &Model) -> Machine<'_> {
    let mut machine = Machine::new(&model.system.code, model.system.initial.len());
    machine.load(&model.system.initial);
    machine
}

/// Returns the elements after an update of the initial state.
fn run(decls: &str, update: &str) -> Result<String, FaultKind> {
    let model = load(&one_edge(decls, &format!("assign {update};")));
    let mut machine = machine(&model);
    machine.execute(model.system.edges[0].update.unwrap()).map_err(|fault| fault.kind)?;
    Ok(elements(&model, machine.row()))
}

#[track_caller]
pub(crate) fn check(decls: &str, update: &str, expected: &str) {
    assert_eq!(run(decls, update).as_deref(), Ok(expected), "{decls} | {update}");
}

#[track_caller]
fn fails(decls: &str, update: &str, expected: FaultKind) {
    assert_eq!(run(decls, update), Err(expected), "{decls} | {update}");
}

/// Returns whether a guard holds after an update.
#[track_caller]
pub(crate) fn holds(decls: &str, update: &str, guard: &str, expected: bool) {
    let model = load(&one_edge(decls, &format!("guard {guard}; assign {update};")));
    let mut machine = machine(&model);
    let edge = &model.system.edges[0];
    machine.execute(edge.update.unwrap()).unwrap();
    assert_eq!(edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap()), expected, "{update} | {guard}");
}

/// Returns the only diagnostic: its message, the text under it, and the help.
#[track_caller]
pub(crate) fn wrong(text: &str, expected: &str, at: &str, help: &str) {
    let found = match try_load(text) {
        Ok(_) => panic!("no diagnostic for\n{text}"),
        Err(found) => found,
    };
    let errors: Vec<_> = found.iter().filter(|(d, _)| d.is_error()).collect();
    let [(d, place)] = &errors[..] else { panic!("{errors:#?}\n{text}") };
    assert_eq!((d.message.as_str(), place.as_str()), (expected, at), "{text}");
    assert_eq!(d.help.join(" / "), help, "{text}");
}

#[track_caller]
pub(crate) fn wrong_decls(decls: &str, expected: &str, at: &str, help: &str) {
    wrong(&one_edge(decls, ""), expected, at, help);
}

#[track_caller]
pub(crate) fn wrong_update(decls: &str, update: &str, expected: &str, at: &str, help: &str) {
    wrong(&one_edge(decls, &format!("assign {update};")), expected, at, help);
}

const UNION: &str = "extern UnionBitVector; const int N = 3; int i = 1; UnionBitVector u[N];";

#[test]
fn bits_are_set_and_read() {
    check(UNION, "u[0] = 1", "u=100");
    check(UNION, "u[i] = 1, u[N - 1] = u[i], u[i] = 0", "u=001");
    check(UNION, "u[i + 1] = 7, u[0] = u[2] && !u[1]", "u=101");
    check(UNION, "u[2] |= 1, u[2] ^= 1, u[1] |= !u[2]", "u=010");
    holds(UNION, "u[1] = 1", "u[i] && !u[0]", true);
    holds(UNION, "u[1] = 1", "u[i] && u[i + 1]", false);
    holds(UNION, "u[1] = 1", "u[0] + u[1] + u[2] == 1", true);
    holds(UNION, "u[1] = 1", "exists (k : int[0,2]) u[k] && k == 1", true);
    let decls = "extern UnionBitVector; UnionBitVector u[40];";
    check(decls, "u[31] = 1, u[32] = 1, u[39] = 1, u[31] = 0", &format!("u={}10000001", "0".repeat(32)));
}

#[test]
fn several_dimensions_are_one_element() {
    let decls = "extern UnionBitVector; int i = 1; UnionBitVector u[2][3];";
    check(decls, "u[0][2] = 1, u[i][i] = 1, u[i][0] = u[0][i + 1]", "u=001 110");
    holds(decls, "u[1][2] = 1", "u[i][2] && !u[0][2]", true);
    let model = load(&one_edge(decls, ""));
    let v = &model.system.lattices[0];
    assert_eq!((v.name.as_str(), v.first, v.width, v.varies), ("u", 2, 1, false));
    assert_eq!(model.system.ranges[2], (0, 63));
}

#[test]
fn indices_are_checked_in_each_dimension() {
    fails(UNION, "u[i + 2] = 1", FaultKind::Index { index: 3, low: 0, length: 3 });
    fails(UNION, "u[-i] = 1", FaultKind::Index { index: -1, low: 0, length: 3 });
    let decls = "extern UnionBitVector; int i = 3; UnionBitVector u[2][3]; UnionBitVector w[int[2,4]];";
    fails(decls, "u[0][i] = 1", FaultKind::Index { index: 3, low: 0, length: 3 });
    fails(decls, "i = u[0][5]", FaultKind::Index { index: 5, low: 0, length: 3 });
    fails(decls, "w[1] = 1", FaultKind::Index { index: 1, low: 2, length: 3 });
    check(decls, "w[i] = 1, w[4] = 1", "u=000 000 w=011");
}

#[test]
fn methods_are_called() {
    check(UNION, "u.fill(), u[1] = 0", "u=101");
    check(UNION, "u.fill(), i = u.num1s(), u.clear(), u[i - 2] = 1", "u=010");
    holds(UNION, "u[1] = 1", "u.num1s() == 1 && u.num0s() == 2", true);
    let decls = "extern Users = PresentAbsent(3); Users a; int i = 1;";
    holds(decls, "a.insert(i)", "a.mustContain(1) && a.unknown(0)", true);
    fails(decls, "a.insert(i + 2)", FaultKind::Argument { value: 3, low: 0, high: 2 });
}

#[test]
fn lattices_of_opaal_need_no_arguments() {
    let cache = "extern lattices.caches.AbstractCache; AbstractCache v; const int largest = 5;";
    holds(cache, "v.access(5)", "v.ishit(5) && !v.ishit(2)", true);
    assert!(run(cache, "v.access(3 + 3)").is_err());
    let clock = "extern T = opaal.DiscreteClock; T v; const int largest = 5;";
    holds(clock, "v.tick()", "v.mayBeAtLeast(1) && !v.mayBeAtLeast(5)", true);
    check("extern W = a.WideningIntRange(1, 2, 3, 9); W v;", "v = 3, v = v + 1", "v=4");
    holds("extern UnionBitVector; UnionBitVector v;", "v.setall()", "v.num1s() == 1", true);
    holds("extern UnionBitVector; UnionBitVector v[3];", "v.setall(), v.clearall()", "v.num0s() == 3", true);
    holds("extern MaxInteger; MaxInteger v;", "v.set(4), v.add(3)", "v.value() == 7", true);
}

#[test]
fn elements_are_copied_whole() {
    let decls = "extern UnionBitVector; UnionBitVector u[3]; UnionBitVector w[3];";
    check(decls, "u.fill(), w = u, u[1] = 0", "u=101 w=111");
}

#[test]
fn arrays_of_elements() {
    let decls = "extern UnionBitVector; typedef UnionBitVector vec_t[3]; vec_t a[2]; int i = 1;";
    check(decls, "a[i][i] = 1, a[0][2] = a[i][1], a[1].fill()", "a[0]=001 a[1]=111");
    check(decls, "a[1][0] = 1, a[i - 1] = a[i], a[i][2] = 1", "a[0]=100 a[1]=101");
    let decls = "extern UnionBitVector; typedef UnionBitVector vec_t[40]; vec_t a[2]; int i = 1;";
    holds(decls, "a[i][39] = 1", "a[1][39] && !a[0][39] && a[i].num1s() == 1", true);
    let decls = "extern Users = PresentAbsent(2); Users a[2][2]; int i = 1;";
    holds(decls, "a[i][0].insert(1)", "a[1][i - 1].mustContain(i) && !a[0][0].mustContain(1)", true);
}

#[test]
fn functions_work_with_elements() {
    let decls = format!(
        "{UNION} void set(int k) {{ u[k] = 1; }} bool get(const UnionBitVector &v[3], int k) {{ return v[k]; }}
         void flip(UnionBitVector &v[3]) {{ int k; for (k = 0; k < 3; k++) v[k] = !v[k]; }}
         int ones(UnionBitVector v[3]) {{ v[0] = 1; return v.num1s(); }}
         void keep() {{ UnionBitVector old[3]; old = u; u.fill(); u[1] = old[1]; }}"
    );
    check(&decls, "set(2), flip(u)", "u=110");
    check(&decls, "set(1), u[2] = get(u, i)", "u=011");
    check(&decls, "set(2), i = ones(u), u[i] = 0", "u=000");
    check(&decls, "keep()", "u=101");
}

#[test]
fn templates_have_elements_of_their_own_and_of_others() {
    let model = load(
        "extern UnionBitVector; UnionBitVector u[2];
         process P(int id, UnionBitVector &v[2], const UnionBitVector &w[2]) {
             UnionBitVector own[2]; state A; init A; trans A -> A { guard !w[id]; assign own[id] = 1, v[id] = 1; };
         }
         P0 = P(0, u, u); P1 = P(1, u, u); system P0, P1;",
    );
    let names: Vec<&str> = model.system.lattices.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["u", "P0.own", "P1.own"]);
    let mut machine = machine(&model);
    machine.execute(model.system.edges[1].update.unwrap()).unwrap();
    assert_eq!(elements(&model, machine.row()), "u=01 P0.own=00 P1.own=01");
    assert!(!machine.test(model.system.edges[1].guard.condition.unwrap()).unwrap());
    assert!(machine.test(model.system.edges[0].guard.condition.unwrap()).unwrap());
}

#[test]
fn lattices_must_be_known() {
    let listed = "`merkhet list lattices` shows all of them";
    let define =
        |name| format!("to define it, write a struct and functions: `extern {name} = Lattice(type, leq, join);`");
    wrong_decls(
        "extern UnionBitVectr; UnionBitVectr v[3];",
        "unknown lattice `UnionBitVectr`",
        "UnionBitVectr",
        &format!("did you mean `UnionBitVector`? / {listed} / {}", define("UnionBitVectr")),
    );
    let register = "if it is a class in Python, run `python -m merkhet` instead; a program registers one by \
                    `merkhet.load(…, lattices=[…])`, or in Rust by `Source::with_lattice`";
    let help = format!("{listed} / {} / {register}", define("A"));
    wrong_decls("extern A = a.b.Zebra(3); A v;", "unknown lattice `Zebra`", "Zebra", &help);
    wrong_decls(
        "UnionBitVector v[3];",
        "lattice `UnionBitVector` is not declared",
        "UnionBitVector",
        "write `extern UnionBitVector;` before",
    );
}

#[test]
fn arguments_must_fit() {
    let made = "it is made like this: `PresentAbsent(size[, empty])`";
    wrong_decls(
        "extern A = PresentAbsent(0);",
        "`PresentAbsent`: `size` must be between 1 and 1048576, but is 0",
        "extern A = PresentAbsent(0);",
        made,
    );
    wrong_decls(
        "int n; extern A = PresentAbsent(n);",
        "the argument of a lattice must be known where it is declared",
        "n",
        "numbers, global constants and arithmetic are possible",
    );
    wrong_decls(
        "clock x; extern A = PresentAbsent(x);",
        "a lattice is made with integers and lattices, not with a clock",
        "x",
        "",
    );
    load(&one_edge("const int N = 2; extern A = PresentAbsent(N * 2 + 1, true); A a;", ""));
}

#[test]
fn methods_must_fit() {
    wrong_update(
        UNION,
        "i = u.num0()",
        "an element of lattice `UnionBitVector` has no method `num0`",
        "num0",
        "did you mean `num0s`?",
    );
    wrong_update(
        UNION,
        "i = u.length()",
        "an element of lattice `UnionBitVector` has no method `length`",
        "length",
        "it has `num0s`, `num1s`, `clear`, `clearall`, `fill`, `setall`",
    );
    wrong_update(UNION, "i = u.num0s", "`num0s` is a method", "num0s", "call it: `num0s(…)`");
    wrong_update(UNION, "i = u.num0s(1)", "`num0s` takes 0 arguments, not 1", "u.num0s(1)", "");
    let users = "extern Users = PresentAbsent(3); Users a; clock x;";
    wrong_update(users, "a.insert(x)", "argument `i` of `insert` must be an integer, not a clock", "x", "");
    let message = "an element of lattice `Users` has no parts that an index could choose";
    wrong_update(users, "a[1].insert(2)", message, "a", "");
    wrong(
        &one_edge(users, "guard a.assumePresent(1);"),
        "a guard can't change anything",
        "a.assumePresent(1)",
        "move the change to the update of an edge",
    );
}

#[test]
fn elements_stand_only_where_they_mean_something() {
    let element = "an element of lattice `UnionBitVector`";
    wrong_update(UNION, "u = 1", &format!("can't assign an integer to {element}"), "u = 1", "");
    wrong_update(UNION, "i = u", &format!("can't assign {element} to an integer"), "i = u", "");
    wrong_update(UNION, "u++", &format!("`++` needs an integer variable, not {element}"), "u++", "");
    wrong_update(
        "extern Users = PresentAbsent(3); Users a; int i;",
        "i = a[1]",
        "an element of lattice `Users` has no parts that an index could choose",
        "a",
        "",
    );
    wrong_decls(
        "extern UnionBitVector; const UnionBitVector v[3];",
        "`v` is an element of a lattice and can't be `const`",
        "const UnionBitVector",
        "",
    );
    wrong_decls(
        "extern UnionBitVector; meta UnionBitVector v[3];",
        "`v` is an element of a lattice and can't be `meta`",
        "meta UnionBitVector",
        "",
    );
    wrong_decls(
        &format!("{UNION} int b[u];"),
        &format!("the size of an array must be an integer, not {element}"),
        "u",
        "",
    );
    wrong_decls(
        &format!("{UNION} int[0,u] b;"),
        &format!("the bound of a range must be an integer, not {element}"),
        "u",
        "",
    );
    wrong_decls(
        "extern UnionBitVector; struct { UnionBitVector v[3]; } s;",
        &format!("a field of a struct can't be {element}"),
        "v",
        "",
    );
    wrong_decls(
        "extern UnionBitVector; UnionBitVector v[2] = {0, 1};",
        &format!("{element} has no initialiser"),
        "{0, 1}",
        "set it in the update of a first edge",
    );
    wrong_decls("extern UnionBitVector; UnionBitVector v[0];", "an element can't have 0 parts", "v", "");
    wrong(
        &one_edge(UNION, "select k : UnionBitVector;"),
        &format!("needs a bounded integer type or a scalar set, not {element}"),
        "UnionBitVector",
        "write `int[0,3]`, for instance",
    );
    wrong(
        "extern UnionBitVector; process P(UnionBitVector v[3]) { state L; init L; } system P;",
        &format!("a template can't have {element} as a value"),
        "v",
        "pass it by reference: `&v`",
    );
    wrong(
        &one_edge(&format!("{UNION} void f(bool &b) {{ b = 1; }}"), "assign f(u[1]);"),
        "a bit of an element can't be referred to",
        "u[1]",
        "copy it into a variable first, or pass the whole element",
    );
    wrong(&one_edge(UNION, "guard u == u;"), &format!("`==` can't join {element} and {element}"), "u == u", "");
}

#[test]
fn externs_stand_only_beside_variables() {
    wrong(
        &one_edge("void f() { extern UnionBitVector; }", ""),
        "a function can't declare an `extern`",
        "extern",
        "declare it beside the variables of the model or template",
    );
    // It is not a reserved word.
    load(&one_edge("typedef int[0,3] extern; extern a = 1, b[2]; int f(int extern) { return extern; }", ""));
}

#[test]
fn unused_elements_are_suspicious() {
    let model = load(&one_edge(&format!("{UNION} UnionBitVector w[3];"), "assign u[i] = 1;"));
    let warnings: Vec<String> = model.warnings().into_iter().map(|d| d.message).collect();
    assert_eq!(warnings, ["variable `u` is assigned but never read", "variable `w` is never used"]);
    assert_eq!(model.system.find_unread(&[]), [] as [u32; 0]);
}

#[test]
fn models_of_opaal_load() {
    for corpus in oracle::corpora("opaal") {
        let is_model = |path: &&PathBuf| path.parent() == Some(&corpus.folder);
        // Folders contain fragments of declarations, which are not models.
        for path in corpus.files(&["xml"]).iter().filter(is_model) {
            let mut sources = Sources::new();
            let id = sources.add_file("model", std::fs::read_to_string(path).unwrap());
            let (tree, diagnostics) = syntax::read_model(&mut sources, id, Format::Xml);
            assert!(diagnostics.is_empty(), "{}: {diagnostics:#?}", path.display());
            let (model, diagnostics) = model::load(tree).unwrap_or_else(|(_, wrong)| panic!("{wrong:#?}"));
            assert!(diagnostics.is_empty(), "{}: {diagnostics:#?}", path.display());
            assert!(!model.system.lattices.is_empty(), "{}", path.display());
        }
    }
}

const BOX: &str = "typedef struct { int low, high; } Box;
    bool boxLeq(Box a, Box b) { return b.low <= a.low && a.high <= b.high; }
    Box boxJoin(const Box &a, const Box &b) { Box c; c.low = a.low <? b.low; c.high = a.high >? b.high; return c; }
    Box boxWiden(Box a, Box &b) { Box c = {-9, 9}; return c; }
    extern Region = Lattice(Box, boxLeq, boxJoin, boxWiden); extern Other = Lattice(Box, boxLeq, boxJoin);
    int width(Box b) { return b.high - b.low; }";

#[test]
fn functions_of_the_model_define_lattices() {
    let decls = format!("{BOX} int i; Region r = {{1, 2}}; Box plain; Other a[2];");
    check(&decls, "r.high = 5, a[1] = r, i = width(r), a[0].high = i", "r=[1, 5] a[0]=[0, 4] a[1]=[1, 5]");
    let mut model = load(&one_edge(&decls, ""));
    // Elements move when queries add constants.
    let mut sources = Sources::new();
    let file = sources.add_file("q", "E<> r.low == 4711 && width(r) > 0815".to_owned());
    let queries = syntax::read_queries(&sources, file, &mut model.tree);
    model.query(&queries[0]).unwrap();
    let names: Vec<(&str, u32)> = model.system.lattices.iter().map(|v| (v.name.as_str(), v.width)).collect();
    assert_eq!(names, [("r", 2), ("a[0]", 2), ("a[1]", 2)]);
    let LatticeOrder::Model(order) = model.system.lattices[0].order else { panic!() };
    let mut machine = machine(&model);
    assert_eq!(machine.is_leq(&order, &[1, 2], &[0, 2]), Ok(true));
    assert_eq!(machine.is_leq(&order, &[0, 2], &[1, 2]), Ok(false));
    assert_eq!(machine.join(&order, &[1, 2], &[3, 4]), Ok(&[1, 4][..]));
    assert_eq!(machine.widen(&order, &[1, 2], &[3, 4]), Ok(&[-9, 9][..]));
    let LatticeOrder::Model(order) = model.system.lattices[2].order else { panic!() };
    assert_eq!(machine.widen(&order, &[1, 2], &[3, 4]), Ok(&[1, 4][..]));
    assert_eq!(machine.row(), &model.system.initial[..]);
}

#[test]
fn functions_of_lattices_must_fit() {
    let write = "write `Lattice(type, leq, join)` or `Lattice(type, leq, join, widen)`";
    let structs = "the elements of a lattice of the model are structs";
    let name = "name a type: `typedef struct { … } Box;`";
    for (text, message, at, help) in [
        ("Lattice(Box, boxLeq)", "a lattice of the model takes a type and two or three functions", "", write),
        ("Lattice(Box, boxLeq, 3)", "a lattice of the model needs a function here", "3", write),
        ("Lattice(Box, Box, boxJoin)", "a lattice of the model needs a function here", "Box", write),
        ("Lattice(Bax, boxLeq, boxJoin)", "unknown type `Bax`", "Bax", "did you mean `Box`?"),
        ("Lattice(Box, boxLeq, boxJon)", "unknown function `boxJon`", "boxJon", "did you mean `boxJoin`?"),
        ("Lattice(n, boxLeq, boxJoin)", structs, "n", name),
        ("Lattice(num, boxLeq, boxJoin)", structs, "num", name),
        (
            "Lattice(timed, boxLeq, boxJoin)",
            "the elements of a lattice have integers and booleans, and nothing else",
            "timed",
            "",
        ),
        (
            "Lattice(Box, boxJoin, boxJoin)",
            "`boxJoin` must take two of a struct { low, high } and return a boolean",
            "boxJoin",
            "",
        ),
        (
            "Lattice(Box, boxLeq, width)",
            "`width` must take two of a struct { low, high } and return a struct { low, high }",
            "width",
            "",
        ),
        ("Lattice(Box, count, boxJoin)", "`count` orders elements and can't change variables", "count", ""),
        ("Lattice(Box, look, boxJoin)", "`look` orders elements and can't depend on other variables", "look", ""),
    ] {
        let decls = format!(
            "{BOX} int n; typedef int num; typedef struct {{ clock x; }} timed;
             bool count(Box a, Box b) {{ n++; return true; }} bool look(Box a, Box b) {{ return n > 0; }}
             extern Wrong = {text};"
        );
        let whole = format!("extern Wrong = {text};");
        wrong_decls(&decls, message, if at.is_empty() { &whole } else { at }, help);
    }
    wrong(
        &format!("{BOX} process P() {{ extern R = Lattice(Box, boxLeq, boxJoin); state L; init L; }} system P;"),
        "a template can't define a lattice by functions",
        "extern R = Lattice(Box, boxLeq, boxJoin);",
        "move it to the global declarations",
    );
    wrong_decls(
        &format!("{BOX} const Region r = {{1, 2}};"),
        "`r` is an element of a lattice and can't be `const`",
        "const Region",
        "",
    );
}

#[test]
fn elements_are_shown_with_names() {
    let decls = format!(
        "{BOX} Region r = {{1, 2}}; struct {{ int n; Region in[2]; }} s; extern Octagon; Octagon oct; oct.intvar i, j;
         extern UnionBitVector; UnionBitVector u[40];"
    );
    let model = load(&one_edge(&decls, "assign s.in[1].high = 3, oct.forget(i), j = i + 1, u[39] = 1;"));
    let mut machine = machine(&model);
    machine.execute(model.system.edges[0].update.unwrap()).unwrap();
    let shown: Vec<String> = (model.system.lattices.iter())
        .map(|v| format!("{} = {}", v.name, model.system.show(v, machine.row())))
        .collect();
    assert_eq!(
        shown,
        [
            "r = {low: 1, high: 2}",
            "s.in[0] = {low: 0, high: 0}",
            "s.in[1] = {low: 0, high: 3}",
            "oct = j-i <= 1, -j+i <= -1",
            &format!("u = {}1", "0".repeat(39)),
        ]
    );
    let u = &model.system.lattices[4];
    let at = |slot: u32| model.system.element_at(slot).map(|v| v.name.as_str());
    assert_eq!((at(u.first + 1), at(model.system.lattices[1].first - 1)), (Some("u"), None));
    let names: Vec<String> = (u.first..u.first + 2).map(|slot| model.system.slot_name(slot)).collect();
    assert_eq!(names, ["u#0", "u#1"]);
}
