//! Operators on elements that stand for one integer, and fields of elements.

use syntax::{Format, Sources};

use crate::{
    common::{load, one_edge},
    lattices::{check, holds, wrong, wrong_update},
};

const DECLS: &str = "extern MaxInteger; extern MinInteger; extern IntRange; int i = 2; MaxInteger n, a[3]; MinInteger m;
    IntRange r, s; int twice(int k) { return 2 * k; } int get(const MaxInteger &v) { return v; } void up(MaxInteger &v) { v += i; }
    int total() { return n + m; }";

#[test]
fn assignments_change_the_number() {
    check(DECLS, "n = 3, n += 4, n -= i, n++, a[i] = n, a[1]--", "n=6 a[0]=0 a[1]=-1 a[2]=6 m=0 r=0 s=0");
    check(DECLS, "m = i, n = m, m += n, m = m + 1, m = 1 + m, n = n - m", "n=-4 a[0]=0 a[1]=0 a[2]=0 m=6 r=0 s=0");
    check(DECLS, "a[i] = i + 1, n = a[2] * a[i], a[n - 8]++, up(n)", "n=11 a[0]=0 a[1]=1 a[2]=3 m=0 r=0 s=0");
    // Numbers do not wrap around.
    check(DECLS, "n = 2147483647 - 1, n += 5, m = 3", "n=inf a[0]=0 a[1]=0 a[2]=0 m=3 r=0 s=0");
}

#[test]
fn numbers_are_read() {
    for guard in [
        "n == 7 && m == -2 && n > m",
        "n >= 3 && n < 8 && 3 <= n && n != 8",
        "n + m == 5 && -m == 2 && n * i == 14",
        "twice(n) == 14 && get(n) == 7 && total() == 5",
        "a[i] == 0 && (i > 1 ? n : 0) == 7 && sum (k : int[0,2]) a[k] == 0",
        "abs(m) == 2 && (n >? 9) == 9 && !(n < 7)",
        "forall (k : int[0,2]) a[k] < n",
        "n.value() == n",
    ] {
        holds(DECLS, "n = 7, m = 0 - 2", guard, true);
    }
    let decls = format!("{DECLS} int b[9];");
    check(&decls, "b[n] = 4, b[n + 1] = n, i = n", "n=0 a[0]=0 a[1]=0 a[2]=0 m=0 r=0 s=0");
}

#[test]
fn ranges_have_bounds() {
    check(
        DECLS,
        "r.between(1, 4), s.between(2, 3), r += s, s -= r, r -= i, s = 5",
        "n=0 a[0]=0 a[1]=0 a[2]=0 m=0 r=[1, 5] s=5",
    );
    holds(DECLS, "r.between(1, 4), s.between(2, 3), s -= r", "r.l == 1 && r.u == 4 && s.l == -2 && s.u == 2", true);
    holds(DECLS, "r.between(1, 4)", "r.l >= 2", false);
    holds(DECLS, "r.between(1, 4)", "r.u < 5 && r.l + r.u == 5", true);
    check(DECLS, "r.between(1, 4), n = r.u, m = r.l - 1", "n=4 a[0]=0 a[1]=0 a[2]=0 m=0 r=[1, 4] s=0");
}

#[test]
fn other_operators_are_refused() {
    let element = "an element of lattice `MaxInteger`";
    let help = "`=`, `+=` and `-=` with an integer, `++` and `--` change it";
    wrong_update(DECLS, "n *= 2", &format!("can't assign an integer to {element}"), "n *= 2", help);
    let clock = format!("{DECLS} clock x;");
    wrong_update(&clock, "n = x", &format!("can't assign a clock to {element}"), "n = x", help);
    let methods = "these methods change the element: `forget`, `between`";
    wrong_update(DECLS, "r.l = 3", "`r.l` can only be read", "r.l", methods);
    wrong_update(DECLS, "r.u++", "`r.u` can only be read", "r.u", methods);
    wrong_update(
        DECLS,
        "i = r.m",
        "an element of lattice `IntRange` has no method `m`",
        "m",
        "it has `forget`, `between`, `mayBe`, `low`, `high`",
    );
    wrong(
        &one_edge(&format!("{DECLS} void f(int &k) {{ k = 1; }}"), "assign f(n);"),
        &format!("parameter `k` needs an integer, this is {element}"),
        "n",
        "",
    );
}

/// Returns whether a guard wavers, and which elements vary.
fn edge(label: &str) -> (bool, String) {
    let model = load(&one_edge(DECLS, label));
    let names: Vec<&str> = model.system.lattices.iter().filter(|v| v.varies).map(|v| v.name.as_str()).collect();
    (!model.system.non_monotone.is_empty(), names.join(" "))
}

#[test]
fn guards_rise_or_fall_with_the_element() {
    for guard in
        ["n >= 3", "n > i", "2 < n", "!(n < 3)", "m <= 3", "m < n", "!(m > 1)", "r.u >= 2", "r.l < 3", "r.l <= r.u"]
    {
        assert_eq!(edge(&format!("guard {guard};")), (false, String::new()), "{guard}");
    }
    // A sum may exceed 32 bits and wrap around.
    for guard in ["n < 3", "n == 3", "m >= 3", "n < m", "n % 2 == 0", "r.u < 5", "r.l >= 2", "n + 1 > 3", "n - m > 3"] {
        assert_eq!(edge(&format!("guard {guard};")), (true, String::new()), "{guard}");
    }
}

#[test]
fn updates_keep_the_order() {
    for update in [
        "n++",
        "n += i",
        "n -= 2",
        "m -= i",
        "n = 4",
        "n = n + 1",
        "n = r.u",
        "n -= m",
        "m = r.l",
        "a[1] = n",
        "m -= n",
    ] {
        assert_eq!(edge(&format!("assign {update};")), (false, String::new()), "{update}");
    }
    for (update, names) in [
        ("n = m", "m"),
        ("m += n", "n"),
        ("n -= r.u", "r"),
        ("n = r.l", "r"),
        ("i = n", "n"),
        ("n = 2 * n", "n"),
        ("a[n] = 1", "n"),
        ("i = n > 2 ? 1 : 2", "n"),
    ] {
        assert_eq!(edge(&format!("assign {update};")), (false, names.to_owned()), "{update}");
    }
}

#[test]
fn reverse_comparisons_are_warned_of() {
    let warnings = |guard: &str| -> Vec<String> {
        let decls = "extern MaxInteger; extern MinInteger; MaxInteger n; MinInteger m;";
        let mut sources = Sources::new();
        let id = sources.add_file("model", one_edge(decls, &format!("guard {guard};")));
        let (tree, _) = syntax::read_model(&mut sources, id, Format::Xta);
        let (_, found) = model::load(tree).unwrap_or_else(|(_, wrong)| panic!("{wrong:#?}"));
        found.into_iter().map(|d| format!("{}; {}", d.message, d.help.join(" / "))).collect()
    };
    let message = "this compares numbers; opaal compares those of `MinInteger` in reverse order; \
                   write `m.value()` if numbers are meant, else turn the sign around";
    assert_eq!(warnings("n >= 3 && m <= 2 && m < 9"), [message]);
    assert_eq!(warnings("n >= 3 && m.value() <= 2 && m == 1"), [] as [&str; 0]);
}
