//! One small case for each construct.

use crate::common::{check, check_as, read, round_trip};
use syntax::{Format, print};

const TAIL: &str = "process P() {\n    state a;\n    init a;\n}\n\nsystem P;\n";

/// Checks declarations.
#[track_caller]
fn check_decls(text: &str, expected: &str) {
    check(&format!("{text}\n{TAIL}"), &format!("{}\n\n{TAIL}", expected.trim_end()));
}

/// Checks the text between `init` and the end of a process with the locations `a` and `b`.
#[track_caller]
fn check_process(text: &str, expected: &str) {
    let around = |inner: &str| format!("process P() {{\n{inner}\n}}\n\nsystem P;\n");
    check(&around(text), &around(expected.trim_end()));
}

#[test]
fn declarations_of_one_type_share_a_line() {
    check_decls("int a, b=2, c[3]; int d;", "int a, b = 2, c[3];\nint d;");
}

#[test]
fn types_and_prefixes() {
    check_decls(
        "const int[0,3] N=1; meta bool m; urgent broadcast chan c[N]; hybrid clock h; double d; string s; \
         typedef scalar[3] S; typedef int[-1,N+1] T; clock x[S][T]; int g[int[0,2]];",
        "const int[0, 3] N = 1;\nmeta bool m;\nurgent broadcast chan c[N];\nhybrid clock h;\ndouble d;\nstring s;\n\
         typedef scalar[3] S;\ntypedef int[-1, N + 1] T;\nclock x[S][T];\nint g[int[0, 2]];",
    );
}

#[test]
fn structs_and_initialisers_with_field_names() {
    check_decls(
        "typedef struct { int a, b; struct { bool c; } d[2]; } T; T t = { a: 1, 2, { {true}, {c: false} } };",
        "typedef struct {\n    int a, b;\n    struct {\n        bool c;\n    } d[2];\n} T;\n\
         T t = {a: 1, 2, {{true}, {c: false}}};",
    );
}

#[test]
fn long_initialisers_are_broken() {
    let row = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let model = read(&format!("int a[40] = {{{row}}}; int b[2][40] = {{{{{row}}}, {{{row}}}}}; {TAIL}"), Format::Xta);
    let text = model.print(Format::Xta);
    assert!(text.starts_with("int a[40] = {\n    0, 1, 2, 3,"), "{text}");
    assert!(text.contains(&format!("int b[2][40] = {{\n    {{{row}}},\n    {{{row}}}\n}};\n")), "{text}");
    round_trip(&model, Format::Xta).unwrap();
}

#[test]
fn functions_and_statements() {
    check_decls(
        "int f(const int &a[2], int b) { int i = 0; int s; typedef int T; ; for (i=0; i<3; i++) s += a[i]; \
         for (j : int[0,2]) { s--; } while (s > 0) { s -= 1; } do s++; while (s < 3); do { } while (false); \
         if (s) return 1; else if (b) { return 2; } else return 3; assert s == 2; if (b) if (i) s = 1; else s = 2; \
         { s = 3; } return s > 1 ? 2 : 3; } void g() {}",
        "int f(const int &a[2], int b) {
    int i = 0;
    int s;
    typedef int T;
    ;
    for (i = 0; i < 3; i++)
        s += a[i];
    for (j : int[0, 2]) {
        s--;
    }
    while (s > 0) {
        s -= 1;
    }
    do
        s++;
    while (s < 3);
    do { } while (false);
    if (s)
        return 1;
    else if (b) {
        return 2;
    } else
        return 3;
    assert s == 2;
    if (b)
        if (i)
            s = 1;
        else
            s = 2;
    {
        s = 3;
    }
    return s > 1 ? 2 : 3;
}

void g() { }",
    );
}

#[test]
fn words_that_start_other_statements_stay_names() {
    check_decls(
        "void f() { (break); (assert) + 1; assert (++x); }",
        "void f() {\n    (break);\n    (assert + 1);\n    assert (++x);\n}",
    );
}

#[test]
fn channel_priorities_updates_imports_and_dynamic_templates() {
    check_decls(
        "chan a, b[2]; chan priority a, b[0] < default < b[1]; dynamic D(int i, const bool b);
         before_update { x = 1, y = 2 } after_update { z = 3 }
         import \"libm\" { double pow(double x, double y); root = double sqrt(double x); };",
        "chan a, b[2];
chan priority a, b[0] < default < b[1];
dynamic D(int i, const bool b);

before_update { x = 1, y = 2 }

after_update { z = 3 }

import \"libm\" { double pow(double x, double y); root = double sqrt(double x); };",
    );
}

#[test]
fn locations_with_everything() {
    check_process(
        "state a { x<=3; 1:2 }, b { ;5 }, c, d { x' == 0 && x <= 2 }; commit b; urgent c, a; init d;",
        "    state
        a { x <= 3; 1 : 2 },
        b { ; 5 },
        c,
        d { x' == 0 && x <= 2 };
    commit b;
    urgent a, c;
    init d;",
    );
}

#[test]
fn edges_with_everything() {
    check_process(
        "state a, b; branchpoint p, q; init a; trans
         a -> p { select i : int[0,3], j : T; guard i > j; sync c[i]!; assign x := i, f(j); },
         p -> b { probability 3; }, -> a { probability 1+n; }, q -u-> b { }, b -> q { sync d?; }, a -> a { sync e; },
         a -> b { guard forall (i : int[0,2]) x[i] == 0; sync some_channel_of_many[i][j][k]!; assign y = y + 1, z = 3, w = 2; };",
        "    state a, b;
    branchpoint p, q;
    init a;
    trans
        a -> p { select i : int[0, 3], j : T; guard i > j; sync c[i]!; assign x = i, f(j); },
        p -> b { probability 3; },
        p -> a { probability 1 + n; },
        q -u-> b { },
        b -> q { sync d?; },
        a -> a { sync e; },
        a -> b {
            guard forall (i : int[0, 2]) x[i] == 0;
            sync some_channel_of_many[i][j][k]!;
            assign y = y + 1, z = 3, w = 2;
        };",
    );
}

#[test]
fn instantiations_follow_the_processes() {
    check(
        "Q = P(1); R(const int k) = P(k); process P(int &i) { state a; init a; } S() = R(3); int late; \
         system Q, R < S, P; progress { a: b; c + 1; }",
        "process P(int &i) {
    state a;
    init a;
}

Q = P(1);
R(const int k) = P(k);
S() = R(3);
int late;

system Q, R < S, P;

progress {
    a : b;
    c + 1;
}",
    );
}

#[test]
fn empty_templates_read_back_as_xta() {
    let model = read("process P() { int x; } process Q() { } system P, Q;", Format::Xta);
    round_trip(&model, Format::Xta).unwrap();
}

#[test]
fn gantt_charts_and_io_declarations_are_copied() {
    check(
        &format!("{TAIL}gantt {{ G(i : int[0,1]): P.a -> i; }}").replace("system", "IO P(x) { a! }\nsystem"),
        "process P() {
    state a;
    init a;
}

IO P(x) { a! }

system P;

gantt { G(i : int[0,1]): P.a -> i; }",
    );
}

#[test]
fn queries_keep_their_text_and_comments() {
    let text = format!(
        "{TAIL}query {{ // Never stuck.\n A[] not deadlock\n /* EXPECT: F in some cases */\n E<> P.a and\\\n x>1\n }}\
         query {{ sup{{P.a}}: x, y\n A[]A<> P.a\n E<>E[] P.a\n Pr[<=10](<> P.a)\n A[] ((\n }}"
    );
    let model = read(&text, Format::Xta);
    let kinds: Vec<_> = model.tree.queries.iter().map(|q| print::query(&model.tree, q)).collect();
    assert_eq!(
        kinds,
        [
            "A[] !deadlock",
            "E<> P.a && x > 1",
            "sup{P.a}: x, y",
            "A[] A<> P.a",
            "E<> E[] P.a",
            "Pr[<=10](<> P.a)",
            "A[] (("
        ]
    );
    check(
        &text,
        "process P() {
    state a;
    init a;
}

system P;

query {
    // Never stuck.
    A[] not deadlock
    // EXPECT: F in some cases
}

query {
    E<> P.a and x>1
}

query {
    sup{P.a}: x, y
}

query {
    A[]A<> P.a
}

query {
    E<>E[] P.a
}

query {
    Pr[<=10](<> P.a)
}

query {
    A[] ((
}",
    );
}

#[test]
fn queries_that_no_block_can_hold_become_comments() {
    let xml = "<nta><template><name>P</name><location id='id0'/><init ref='id0'/></template><system>system P;</system>
        <queries><query><formula>sup{ x</formula><comment>odd</comment></query><query><formula/><comment>idea</comment>
        </query></queries></nta>";
    let model = read(xml, Format::Xml);
    let printed = print::xta(&model.tree, &model.sources);
    assert_eq!(printed.dropped, ["queries with unbalanced braces"]);
    assert!(printed.text.ends_with("system P;\n\n// odd\n// sup{ x\n\n// idea\n"), "{}", printed.text);
    round_trip(&read(&printed.text, Format::Xta), Format::Xta).unwrap();
}

#[test]
fn old_models_lose_reserved_names() {
    check_as(
        "const for 3; int if, if_; chan select; process while(clock do; const void) { state struct { do =< void }, \
         default; init struct; trans struct -> default { guard do => for, if == 1; sync select!; assign if := 2; }; } \
         p := while(x, 1); clock x; system p; query { E<> p.default and if == 3\n A[] forall (i : int[0,1]) if == i }",
        Format::Ta,
        "const int for_ = 3;
int if__, if_;
chan select_;

process while_(clock &do_, const int void_) {
    state
        struct_ { do_ <= void_ },
        default_;
    init struct_;
    trans
        struct_ -> default_ { guard do_ >= for_ && if__ == 1; sync select_!; assign if__ = 2; };
}

p = while_(x, 1);
clock x;

system p;

query {
    E<> p.default_ and if__ == 3
}

query {
    A[] forall (i : int[0,1]) if__ == i
}",
    );
}

#[test]
fn comments_stay_beside_their_items() {
    check(
        "/* head
   of the file */

// A clock
clock x, // fast
      y; // slow
/* table */ int t[2] = { 1, // one
  2 /* two */ };
int /* odd */ f(int a /* in */) // why
{ // body
  if (a /* c */ > 1) // then
    return 1; // yes
  else // no
    return 2;
  // end
}

// The process
process P() {
  clock z; // local
  // last
  state // places
    a, // first
    b { x <= 1 /* inv */ };
  init a; // start
  trans // edges
    // go
    a -> b { // labels
      guard x > 1 /* g */; // guard
      assign x = 0, // reset
             y = 0;
    }, // done
    b -> a { };
  // bottom
}
// the rest
system P; // all
// end of file",
        "/* head
   of the file */

// A clock
clock x, // fast
    y; // slow
/* table */
int t[2] = {
    1, // one
    2 /* two */
};

int f(int a /* odd */ /* in */) {
    // why
    // body
    if (a > 1 /* c */)
        // then
        return 1; // yes
    else
        // no
        return 2;
    // end
}

// The process
process P() {
    clock z; // local
    // last

    state
        // places
        a, // first
        b { x <= 1 }; /* inv */
    init a;
    trans
        // start
        // edges
        // go
        a -> b {
            // labels
            guard x > 1; /* g */ // guard
            assign x = 0, // reset
                y = 0;
        }, // done
        b -> a { };
    // bottom
}

// the rest
system P; // all

// end of file
",
    );
}

#[test]
fn lattices_and_members() {
    check_decls(
        "extern UnionBitVector; extern I=Interval( 0,N+1 ); extern P = Product(I,I); extern Same = I; extern Q = I(); extern a . b.C; extern D=a.b.C(1);\n\
         UnionBitVector u[2][3] ; I x=3,y; Octagon oct; oct . intvar i , j=2; // related\n\
         bool f() { return u[0][1] && u . num0s() < 3; }",
        "extern UnionBitVector;\nextern I = Interval(0, N + 1);\nextern P = Product(I, I);\nextern Same = I;\nextern Q = I;\nextern a.b.C;\nextern D = a.b.C(1);\n\
         UnionBitVector u[2][3];\nI x = 3, y;\nOctagon oct;\noct.intvar i, j = 2; // related\n\n\
         bool f() {\n    return u[0][1] && u.num0s() < 3;\n}",
    );
    check_decls(
        "extern R /* of boxes */ = Lattice(Box, leq, // order\n join, widen); // done\nR r;",
        "extern R = Lattice(Box, leq, join, widen); /* of boxes */ /* order */ // done\nR r;",
    );
}

#[test]
fn extern_can_be_a_name() {
    check_decls(
        "typedef int extern; extern a = 2, b[3]; int f(int extern) { return extern + 1; }",
        "typedef int extern;\nextern a = 2, b[3];\n\nint f(int extern) {\n    return extern + 1;\n}",
    );
}

#[test]
fn members_are_not_types_in_expressions() {
    check_decls(
        "bool f() { a.b xor c; a.b = 2; return a.b; }",
        "bool f() {\n    a.b xor c;\n    a.b = 2;\n    return a.b;\n}",
    );
}

#[test]
fn init_can_be_a_function() {
    let model = read(
        "void init() { n = 1; } process P() { state a; init a; trans a -> a { assign init(); }; } system P;",
        Format::Xta,
    );
    assert_eq!(model.errors(), Vec::<String>::new());
    assert!(model.print(Format::Xml).contains("void init()"));
    assert!(model.print(Format::Xta).contains("assign init_()"));
    let model = read("int init; process P() { state a; init a; } system P;", Format::Xta);
    assert_eq!(model.errors(), ["`init` is a reserved word, not a name at `init`"]);
}
