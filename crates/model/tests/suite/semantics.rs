//! Executes the compiled code of updates and guards.

use model::machine::{ClockChange, FaultKind, Machine};

use crate::common::{load, one_edge, try_load};

/// Runs `update` on the initial state of a one-edge model; returns the variables that changed, by
/// name.
fn run(decls: &str, update: &str) -> Result<(Vec<String>, Vec<ClockChange>), FaultKind> {
    let text = one_edge(decls, &format!("assign {update};"));
    let (sources, model) = try_load(&text).unwrap_or_else(|wrong| panic!("{wrong:#?}\n{text}"));
    let system = &model.system;
    let mut machine = Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    if let Some(pc) = system.edges[0].update {
        machine.execute(pc).map_err(|fault| {
            let span = fault.span(&system.code);
            assert!(sources.locate(span).is_some(), "a run-time error without its place");
            fault.kind
        })?;
    }
    let changed = (system.processes.len()..system.initial.len())
        .filter(|&i| machine.row()[i] != system.initial[i])
        .map(|i| format!("{}={}", system.slot_name(i as u32), machine.row()[i]))
        .collect();
    Ok((changed, machine.changes.clone()))
}

#[track_caller]
fn check(decls: &str, update: &str, expected: &str) {
    let (changed, _) = run(decls, update).unwrap_or_else(|fault| panic!("{update}: {fault}"));
    assert_eq!(changed.join(" "), expected, "{decls} | {update}");
}

#[track_caller]
fn fails(decls: &str, update: &str, expected: FaultKind) {
    assert_eq!(run(decls, update), Err(expected), "{decls} | {update}");
}

#[test]
fn updates_run_from_left_to_right() {
    check("int x, y;", "x = 1, y = x + 1, x = y * 10", "x=20 y=2");
    check("int x = 3, y;", "y = x++ + x", "x=4 y=7");
    check("int x = 3, y;", "y = x + x++", "x=4 y=6");
    check("int x = 3, y;", "y = ++x + x", "x=4 y=8");
    check("int x = 3, y;", "y = x-- - --x", "x=1 y=2");
    check("int x, y;", "x = y = 5", "x=5 y=5");
    check("int x = 1, y;", "x += 4, y = x -= 2", "x=3 y=3");
    check("int x = 7;", "x *= 3, x /= 2, x %= 4, x <<= 3, x |= 1, x ^= 3, x &= 6", "x=2");
}

#[test]
fn arithmetic_is_that_of_c_in_32_bits() {
    check("int x;", "x = -7 / 2", "x=-3");
    check("int x;", "x = -7 % 3", "x=-1");
    check("int x;", "x = 2 ** 10", "x=1024");
    check("int x; int32_t y = 2147483647;", "x = y + 1 < 0", "x=1");
    check("int x;", "x = 5 <? 3, x += 4 >? 9", "x=12");
    check("int x = -4;", "x = abs(x) + abs(-1)", "x=5");
    check(
        "int x = -4; bool b, c = true, d = true;",
        "b = signbit(x), c = signbit(x + 4), d = signbit(-x)",
        "b=1 c=0 d=0",
    );
    check("int x;", "x = 1 + 2 * 3 - 4 / 2 % 3", "x=5");
    check("int x;", "x = 6 & 3 | 8 ^ 1", "x=11");
    check("int x;", "x = (1 == 1) + (2 > 3) + !0", "x=2");
}

#[test]
fn booleans_are_zero_and_one() {
    check("bool b; int i = 5;", "b = i", "b=1");
    check("bool b = true; int i;", "i = b + b", "i=2");
    check("int i;", "i = (5 == true)", "");
    check("bool b; int i = 3;", "b = i && 4", "b=1");
    check("bool a = true, b; ", "b = a xor b", "b=1");
    check("bool b;", "b = (false imply false)", "b=1");
    // `or` and `imply` share a level and group to the left.
    check("bool b;", "b = (false imply false imply false)", "");
    check("bool b;", "b = (true imply false or true)", "b=1");
}

#[test]
fn conditions_stop_as_soon_as_they_are_settled() {
    let decls = "int a[3]; int i = 7; int r;";
    check(decls, "r = (i < 3 && a[i] == 0) ? 1 : 2", "r=2");
    check(decls, "r = (i >= 3 || a[i] == 0) ? 1 : 2", "r=1");
    check(decls, "r = (i < 3 imply a[i] == 5)", "r=1");
    check(decls, "r = i > 3 ? 4 : a[i]", "r=4");
    fails(decls, "r = a[i]", FaultKind::Index { index: 7, low: 0, length: 3 });
}

#[test]
fn run_time_errors_end_the_run() {
    fails("int[0,3] x = 3;", "x++", FaultKind::Range { value: 4, low: 0, high: 3 });
    fails("int x = 32767;", "x += 1", FaultKind::Range { value: 32768, low: -32768, high: 32767 });
    fails("int x;", "x = 1 / x", FaultKind::DivisionByZero);
    fails("int x;", "x = 1 % x", FaultKind::DivisionByZero);
    fails("int x = -1;", "x = 1 << x", FaultKind::Shift(-1));
    fails("int x = -1; clock c;", "c = x", FaultKind::NegativeClock(-1));
    fails("int a[int[2,4]]; int i = 1;", "a[i] = 1", FaultKind::Index { index: 1, low: 2, length: 3 });
    fails("int i; void f() { while (true) { i = 0; } }", "f()", FaultKind::Endless);
    fails("void f(int n) { assert(n > 0); }", "f(0)", FaultKind::Assertion);
    fails("int[0,5] f(int n) { return n; } int i = 9, r;", "r = f(i)", FaultKind::Range { value: 9, low: 0, high: 5 });
    fails("void f(int[0,3] n) { } int i = 9;", "f(i)", FaultKind::Range { value: 9, low: 0, high: 3 });
}

#[test]
fn functions_take_values_and_references() {
    let decls = "int g = 1;
        int add(int a, int b) { int r = a; r += b; return r; }
        void bump(int &x) { x = x + 10; }
        void swap(int &x, int &y) { int t = x; x = y; y = t; }
        int x = 3, y = 4, z[3];";
    check(decls, "x = add(add(1, 2), add(3, 4))", "x=10");
    check(decls, "bump(x), bump(z[1])", "x=13 z[1]=10");
    check(decls, "swap(x, y)", "x=4 y=3");
    check(decls, "swap(z[x - 1], y)", "y=0 z[2]=4");
    check(decls, "x = add(x++, x)", "x=7");
    check("int f(int n) { if (n > 2) return 1; else { return 2; } } int x;", "x = f(3) * 10 + f(1)", "x=12");
    check("int n; int f() { n++; return n; } int x;", "x = f() * 100 + f() * 10 + f()", "n=3 x=123");
    check(
        "int inner(int k) { return k * 2; } int outer(int k) { int a = inner(k); int b = inner(a); return a + b; }
           int x;",
        "x = outer(3)",
        "x=18",
    );
    check("const int N = 3; int f() { int s = 0; for (i : int[0,N-1]) s += i; return s; } int x;", "x = f()", "x=3");
    check("int f() { int k; k += 1; return k; } int x, y;", "x = f(), y = f()", "x=1 y=1");
}

#[test]
fn loops() {
    let f = "int s(int n) { int i, r = 0; for (i = 0; i < n; i++) { if (i % 2 == 0) r += i; } return r; } int x;";
    check(f, "x = s(7)", "x=12");
    check("int s(int n) { int r = 0; while (n > 0) { r = r * 2 + 1; n--; } return r; } int x;", "x = s(4)", "x=15");
    check("int s(int n) { int r = 0; do { r++; n--; } while (n > 0); return r; } int x;", "x = s(0)", "x=1");
    check(
        "int s() { int r = 0; for (i : int[1,2]) for (j : int[0,1]) r = r * 2 + i * j; return r; } int x;",
        "x = s()",
        "x=6",
    );
}

#[test]
fn arrays_and_structs() {
    check("int a[3] = {1, 2, 3}, b[3];", "b = a, b[0] = 9", "b[0]=9 b[1]=2 b[2]=3");
    check("int a[2][3];", "a[1][2] = 5, a[0] = a[1]", "a[0][2]=5 a[1][2]=5");
    check("typedef struct { int p; bool q; } S; S s = {3, true}, t;", "t = s, t.p++", "t.p=4 t.q=1");
    check(
        "typedef struct { int p; int v[2]; } S; S s[2] = {{1, {2, 3}}, {v: {4, 5}, p: 6}}; int x;",
        "x = s[1].p * 100 + s[1].v[0] * 10 + s[0].v[1]",
        "x=643",
    );
    check("int a[3] = {1, 2, 3}, b[3] = {1, 2, 3}; int x;", "x = (a == b) + (a != b) * 10", "x=1");
    check(
        "typedef struct { int p; } S; S f(int n) { S s; s.p = n; return s; } S a, b; int x;",
        "a = f(1), b = f(2), x = f(3).p",
        "a.p=1 b.p=2 x=3",
    );
    check("int f(int a[3]) { a[0] = 100; return a[0] + a[1]; } int z[3] = {1, 2, 3}, x;", "x = f(z)", "x=102");
    check("void f(int &a[3]) { a[0] = 100; } int z[3];", "f(z)", "z[0]=100");
    check("const int T[2][2] = {{1, 2}, {3, 4}}; int i = 1, x;", "x = T[i][0] * 10 + T[1][i]", "x=34");
    check("typedef int[2,4] I; int a[I];", "a[2] = 1, a[4] = 3", "a[2]=1 a[4]=3");
    check("int x = 1, y = 2; bool c = true;", "(c ? x : y) = 9", "x=9");
}

#[test]
fn quantifiers() {
    let decls = "const int N = 4; int a[N] = {1, 2, 3, 4}; int x;";
    check(decls, "x = sum (i : int[0,N-1]) a[i]", "x=10");
    check(decls, "x = forall (i : int[0,N-1]) a[i] > 0", "x=1");
    check(decls, "x = exists (i : int[0,N-1]) a[i] == 3", "x=1");
    check(decls, "x = exists (i : int[0,N-1]) forall (j : int[0,N-1]) a[i] >= a[j]", "x=1");
    check(decls, "x = forall (i : int[1,0]) false", "x=1");
    check(decls, "x = sum (i : int[0,1]) sum (j : int[0,1]) (i * 10 + j)", "x=22");
}

#[test]
fn clocks_are_set_copied_and_passed() {
    use ClockChange::{Copy, Set};
    let clocks = |decls, update| run(decls, update).unwrap().1;
    assert_eq!(clocks("clock x, y;", "x = 0, y = 5"), [Set { clock: 1, value: 0 }, Set { clock: 2, value: 5 }]);
    assert_eq!(clocks("clock x, y;", "x = y"), [Copy { clock: 1, from: 2, plus: 0 }]);
    assert_eq!(clocks("clock x[3]; int i = 2;", "x[i] = 1"), [Set { clock: 3, value: 1 }]);
    assert_eq!(clocks("clock x, y; void f(clock &c) { c = 7; }", "f(y)"), [Set { clock: 2, value: 7 }]);
    let all = "clock x[3]; void f() { for (i : int[0,2]) x[i] = i; }";
    assert_eq!(
        clocks(all, "f()"),
        [Set { clock: 1, value: 0 }, Set { clock: 2, value: 1 }, Set { clock: 3, value: 2 }]
    );
}

#[test]
fn initial_values() {
    let model = load(
        "const int N = 2; int f(int n) { return n * n; }
         int a = f(5); int[3,9] low; int[-5,-2] neg; bool b; int c[N] = {N, f(N)}; meta int m = 4; clock x = 3;
         process P(int p, const int q) { int r = q + 1; state s; init s; trans s -> s { assign p++; }; }
         P1 = P(7, 8); system P1;",
    );
    let system = &model.system;
    let named: Vec<String> =
        (1..system.initial.len()).map(|i| format!("{}={}", system.slot_name(i as u32), system.initial[i])).collect();
    assert_eq!(named.join(" "), "a=25 low=3 neg=-5 b=0 c[0]=2 c[1]=4 P1.p=7 P1.r=9 m=4");
    assert_eq!(system.identity, system.initial.len() - 1);
    assert_eq!(system.clocks[1].initial, 3);
}
