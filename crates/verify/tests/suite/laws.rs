//! Lattices that violate the laws are reported, with the smallest elements as a counterexample.
//! Guards and updates that are not monotone are reported too.

use explore::search::Limits;
use syntax::Severity;
use verify::{Joining, Laws, Options, Reason, Update, Verdict, answer, check_laws};

/// A model with boxes that have this order and join.
fn boxes(leq: &str, join: &str, more: &str) -> String {
    format!(
        "typedef struct {{ int[0,5] low, high; }} Box;
         bool leq(Box a, Box b) {{ return {leq}; }}
         Box join(Box a, Box b) {{ Box c = {join}; return c; }}
         Box wide(Box a, Box b) {{ Box c = {{0, 4}}; return c; }}
         Box up(Box a) {{ Box c = {{a.low, a.high + 1 <? 5}}; return c; }}
         {more}
         Region r; int n;
         process P() {{
             state A; init A;
             trans A -> A {{ guard r.high >= 0; assign r = up(r); }}, A -> A {{ assign r.low = 0; }};
         }}
         system P;"
    )
}

const INSIDE: &str = "b.low <= a.low && a.high <= b.high";
const AROUND: &str = "{a.low <? b.low, a.high >? b.high}";
const REGION: &str = "extern Region = Lattice(Box, leq, join);";

fn laws(text: &str) -> Laws {
    check_laws(&oracle::load::<&str>(text, &[]).unwrap().model)
}

#[track_caller]
fn wrong(leq: &str, join: &str, more: &str, expected: &str) {
    let laws = laws(&boxes(leq, join, more));
    let [d] = &laws.diagnostics[..] else { panic!("{laws:#?}") };
    assert_eq!((d.severity, d.code, d.message.as_str()), (Severity::Error, "lattice-law", expected));
    assert_eq!(laws.lattices[0].violations, 1);
}

#[test]
fn a_correct_lattice_passes() {
    let laws = laws(&boxes(INSIDE, AROUND, REGION));
    assert_eq!(laws.diagnostics, [], "{laws:#?}");
    let [region] = &laws.lattices[..] else { panic!("{laws:#?}") };
    assert_eq!((region.name.as_str(), region.elements, region.complete), ("Region", 36, true));
    assert_eq!((region.variables.join(" "), laws.lost), ("r".to_owned(), 0));
}

#[test]
fn wrong_joins() {
    wrong(
        INSIDE,
        "{a.low <? b.low, a.high <? b.high}",
        REGION,
        "`Region` is no lattice: the join of (low = 0, high = 0) and (low = 0, high = 1) is (low = 0, high = 0), which is not above both",
    );
    wrong(
        INSIDE,
        "{0, 5}",
        REGION,
        "`Region` is no lattice: the join of (low = 0, high = 0) and (low = 0, high = 0) is (low = 0, high = 5), which is not less than \
         or equal to (low = 0, high = 0), though that is above both",
    );
    wrong(
        INSIDE,
        "{a.low <? b.low, a.high + b.high}",
        REGION,
        "the functions of `Region` fail for (low = 0, high = 3) and (low = 0, high = 3): value 6 is outside of the range [0,5]",
    );
}

#[test]
fn wrong_orders() {
    wrong(
        "b.low <= a.low",
        AROUND,
        REGION,
        "`Region` is no lattice: (low = 0, high = 0) and (low = 0, high = 1) differ, and each is less than or equal to the other",
    );
    wrong(
        "b.low < a.low && a.high <= b.high",
        AROUND,
        REGION,
        "`Region` is no lattice: (low = 0, high = 0) is not less than or equal to itself",
    );
    wrong(
        "b.low == a.low && (a.high == b.high || a.high + 1 == b.high)",
        AROUND,
        REGION,
        "`Region` is no lattice: (low = 0, high = 0) is less than or equal to (low = 0, high = 1), and that to (low = 0, high = 2), \
         but the first is not to the last",
    );
}

#[test]
fn wrong_widenings() {
    wrong(
        INSIDE,
        AROUND,
        "extern Region = Lattice(Box, leq, join, wide);",
        "`Region` is no lattice: the widening of (low = 0, high = 0) and (low = 0, high = 5) is (low = 0, high = 4), which is not above \
         both",
    );
}

#[test]
fn types_with_many_values_are_sampled() {
    let text = boxes(INSIDE, AROUND, REGION).replace("int[0,5]", "int[-1000,1000]");
    let found = laws(&text);
    assert!(
        found.diagnostics.is_empty() && !found.lattices[0].complete && found.lattices[0].elements > 100,
        "{found:#?}"
    );
    let found = laws(&text.replace("a.low <? b.low", "a.low"));
    assert!(found.diagnostics[0].message.contains("which is not above both"), "{found:#?}");
}

/// The diagnostics of a model with these declarations and an edge: severity, message and label.
fn edge(decls: &str, label: &str) -> Vec<(Severity, String, String)> {
    let text = format!("{decls} process P() {{ state A, B; init A; trans A -> B {{ {label} }}; }} system P;");
    let reported = laws(&text).diagnostics.into_iter().map(|d| {
        assert_eq!(d.code, "not-monotone");
        (d.severity, d.message, d.primary.text)
    });
    reported.collect()
}

#[track_caller]
fn one(decls: &str, label: &str, severity: Severity, message: &str, remark: &str) {
    assert_eq!(edge(decls, label), [(severity, message.to_owned(), remark.to_owned())], "{label}");
}

const BITS: &str = "extern UnionBitVector; UnionBitVector u[3]; UnionBitVector w[3]; int i; clock x; int a[2] = {1, 2};
    int limit() { return u[0] ? 1 : 3; }";

#[test]
fn monotone_edges_pass() {
    for label in ["guard u[1] && w.num1s() > 1; assign w[0] = u[1], i = 3, x = 0;", "assign u.clear(), w.fill();", ""] {
        assert_eq!(edge(BITS, label), [], "{label}");
    }
}

#[test]
fn guards_that_are_lost() {
    one(
        BITS,
        "guard !u[1];",
        Severity::Warning,
        "this guard is lost where an element is greater",
        "it holds where `u` is 000, and not where it is 010",
    );
    one(
        BITS,
        "guard u.num1s() == 2 && i == 0;",
        Severity::Warning,
        "this guard is lost where an element is greater",
        "it holds where `u` is 110, and not where it is 111",
    );
}

#[test]
fn updates_that_are_not_monotone() {
    one(
        BITS,
        "assign i = a[u[0]];",
        Severity::Warning,
        "this update leads elsewhere where an element is greater",
        "`i` becomes 1 where `u` is 000, and 2 where it is 100",
    );
    one(
        BITS,
        "assign w[0] = !u[0];",
        Severity::Warning,
        "this update makes of a greater element one that is not greater",
        "`w` becomes 100 where `u` is 000, and 000 where it is 100",
    );
    one(
        BITS,
        "assign x = limit();",
        Severity::Warning,
        "this update sets clocks in another way where an element is greater",
        "other clocks where `u` is 000 than where it is 100",
    );
    one(
        BITS,
        "guard x < limit();",
        Severity::Warning,
        "this guard allows other clocks where an element is greater",
        "some values are lost when `u` grows from 000 to 100",
    );
}

#[test]
fn a_violation_that_searches_rely_on_is_an_error() {
    let decls = format!(
        "typedef struct {{ int[0,5] low, high; }} Box; bool leq(Box a, Box b) {{ return {INSIDE}; }}
         Box join(Box a, Box b) {{ Box c = {AROUND}; return c; }} {REGION} Region r;
         Box turn(Box b) {{ Box c = {{b.high, b.low}}; return c; }}"
    );
    one(
        &decls,
        "assign r = turn(r);",
        Severity::Error,
        "this update makes of a greater element one that is not greater",
        "`r` becomes (low = 0, high = 0) where `r` is (low = 0, high = 0), and (low = 1, high = 0) where it is (low = 0, high = 1)",
    );
}

/// The verdict of a search on a model with this order and join.
fn search(leq: &str, join: &str, update: Update) -> Verdict {
    let loaded = oracle::load(&boxes(leq, join, REGION), &["A[] n == 0".to_owned()]).unwrap();
    // The guard reads the box, so values are distinguished unless monotonicity is assumed.
    let joining = Joining { trusts: true, ..Joining::default() };
    let options = Options { update: Some(update), joining, ..Options::default() };
    answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ()).verdict
}

#[test]
fn searches_report_wrong_orders_and_joins() {
    for update in [Update::Simple, Update::Cover, Update::Join] {
        assert_eq!(search(INSIDE, AROUND, update), Verdict::Satisfied, "{update:?}");
    }
    let why = |verdict| match verdict {
        Verdict::Unknown(Reason::Disorder(why)) => why,
        other => panic!("{other:?}"),
    };
    let join = "{a.low <? b.low, a.high <? b.high}";
    // With covering only, nothing is joined.
    assert_eq!(search(INSIDE, join, Update::Cover), Verdict::Satisfied);
    assert_eq!(
        why(search("a.high <= b.high && a.high - b.high != -1 && a.low == b.low", join, Update::Join)),
        "the values of `r` are no lattice: the join of (low = 0, high = 0) and (low = 0, high = 1) is (low = 0, high = 0), which is \
         not above both"
    );
    for update in [Update::Cover, Update::Join] {
        assert_eq!(
            why(search("b.low <= a.low", AROUND, update)),
            "the values of `r` are no lattice: (low = 0, high = 1) and (low = 0, high = 0) differ, and each is less than or equal to the \
             other"
        );
        // An element covers itself, whatever the function returns.
        assert_eq!(
            search("b.low <= a.low && a.high <= b.high && a.high != b.high", AROUND, update),
            Verdict::Satisfied
        );
    }
}
