//! Fuzzes every reader and the phases after it: any text gives diagnostics and no panic.
//!
//! The texts are mutated examples: bytes changed, tokens inserted, pieces removed, doubled and
//! exchanged. A short run is part of the tests;
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-model --test suite fuzz::` is a campaign.

use std::path::Path;

use syntax::{Format, Sources};

/// SplitMix64: the same cases on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    ":",
    "?",
    "!",
    "'",
    "=",
    ":=",
    "==",
    "!=",
    "<",
    "<=",
    "->",
    "-->",
    "&&",
    "||",
    "imply",
    "not",
    "forall (i : int[0,3])",
    "exists (i : int[0,2147483647])",
    "sum (i : id_t)",
    "int",
    "int[5,1]",
    "clock",
    "chan",
    "broadcast chan",
    "urgent",
    "const",
    "meta",
    "struct { int a; }",
    "typedef",
    "scalar[3]",
    "void",
    "double",
    "1.5",
    "2147483647",
    "2147483648",
    "-2147483648",
    "99999999999",
    "0",
    "1",
    "x",
    "x'",
    "x++",
    "P",
    "P(0)",
    "id_t",
    "N",
    "true",
    "deadlock",
    "A[]",
    "E<>",
    "sup:",
    "return",
    "if (x)",
    "else",
    "while (1)",
    "for (i : id_t)",
    "assert",
    "state",
    "init",
    "trans",
    "guard",
    "sync",
    "assign",
    "process P() {",
    "extern UnionBitVector;",
    "UnionBitVector u[3];",
    "extern I = Interval(0, 9);",
    "I y = 3;",
    "extern Octagon; Octagon oct; oct.intvar i, j;",
    "typedef struct { int a; } B; extern L = Lattice(B, f, f);",
    "u[0] = 1",
    "u.num0s()",
    "y < 5 && y > i",
    ".low()",
    "system P;",
    "system P < Q;",
    "//",
    "/*",
    "*/",
    "\"",
    "\\",
    "&lt;",
    "&amp;",
    "&x;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<label kind=\"guard\">",
    "</label>",
    "<location id=\"id0\"/>",
    "<transition>",
    "<init ref=\"id9\"/>",
    "\u{e9}",
    "\u{0}",
    "\u{a0}",
    "\r\n",
    "int a[1000000000];",
    "int a[2][2][2][2][2];",
    "a[-1]",
    "1/0",
    "1 % 0",
    "x = y = 1",
    "import \"l\" { int f(); };",
    "chan priority a < default;",
    "dynamic D();",
    "progress { x; }",
    "before_update { x = 1 }",
    "select i : int[0,3];",
    "\nedge:P:l:l:a{",
    "\nlocation:Q:l{initial:",
    "\nint:4:0:2147483647:1:w",
    "\nsync:P@a?:Q@b:R@b\n",
    "provided:",
    "do: local k = i;",
    "if i then",
    "end",
    "#",
    "@",
];

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len() + 1);
        let length = (1 + random.below(30)).min(chars.len() - at.min(chars.len()));
        match random.below(7) {
            0 => {
                let token = TOKENS[random.below(TOKENS.len())];
                chars.splice(at..at, format!(" {token} ").chars());
            }
            1 => {
                chars.splice(at..at + length, []);
            }
            2 => {
                let piece: Vec<char> = chars[at..at + length].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, piece);
            }
            3 if at < chars.len() => chars[at] = char::from(b' ' + random.below(95) as u8),
            4 => {
                let theirs: Vec<char> = other.chars().collect();
                let from = random.below(theirs.len() + 1);
                let len = random.below(60).min(theirs.len() - from);
                chars.splice(at..at + length, theirs[from..from + len].iter().copied());
            }
            5 => chars.truncate(at),
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                chars.splice(at..at + length, token.chars());
            }
        }
    }
    chars.into_iter().collect()
}

/// Reads, checks and lowers a text, and computes joint edges. The result is ignored.
fn exercise(text: &str, format: Format) {
    let mut sources = Sources::new();
    let file = sources.add_file("fuzz", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
    for d in &diagnostics {
        let _ = sources.locate(d.primary.span);
    }
    let is_net = tree.net.is_some() && !diagnostics.iter().any(syntax::Diagnostic::is_error);
    match model::load(tree) {
        Ok((mut model, _)) => {
            for query in model.tree.queries.clone() {
                let _ = model.query(&query);
            }
            let _ = model.warnings();
            let system = &model.system;
            model::vector::Joint::new(system).for_each(&system.initial, |_, edges| assert!(!edges.is_empty()));
        }
        Err((_, diagnostics)) => assert!(!diagnostics.is_empty() && !is_net, "{diagnostics:?}"),
    }
}

fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "xta"))
        .map(|p| std::fs::read_to_string(p).unwrap())
        .collect()
}

const XML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta><declaration>const int N = 3; typedef int[0,N-1] id_t; clock x; int v[N]; chan c[id_t]; bool b;
int f(int a, int &amp;r) { int s = 0; while (s &lt; a) { s++; r += s; } return s; }</declaration>
<template><name>T</name><parameter>const id_t id, int &amp;ref</parameter><declaration>clock y; int l = id;</declaration>
<location id="id0" x="0" y="0"><name>A</name><label kind="invariant">y &lt;= 5 &amp;&amp; x' == b</label></location>
<location id="id1"><committed/></location><branchpoint id="id2"/><init ref="id0"/>
<transition><source ref="id0"/><target ref="id2"/><label kind="select">i : id_t</label>
<label kind="guard">v[i] == 0 &amp;&amp; y &gt;= 2</label><label kind="synchronisation">c[i]!</label>
<label kind="assignment">y = 0, v[i] = f(i, ref)</label></transition>
<transition><source ref="id2"/><target ref="id1"/><label kind="probability">3</label></transition>
<transition><source ref="id1"/><target ref="id0"/><label kind="synchronisation">c[id]?</label></transition></template>
<system>P(const id_t k) = T(k, v[0]); system P;</system>
<queries><query><formula>A[] forall (i : id_t) (P(i).A imply x &lt; 3 or deadlock)</formula><comment>c</comment></query>
<query><formula>sup{P(0).A}: x, v[1]</formula></query></queries></nta>"#;

const TA: &str = "clock x, y; const N 5; int[0,5] i := 0; chan a; urgent chan b;
process P(const id; clock c) { clock z; state s { x =< N, z < 3 }, t; commit t; init s;
  trans s -> t { guard x => 2, i == 0; sync a!; assign x := 0, i := i + 1; }, -> s { sync b?; }; }
process Q { state s; init s; trans s -> s { sync a?; }; }
P1 := P(1, x); system P1, Q;";

const TCK: &str = "system:s\nevent:a\nevent:b # comment\nprocess:P\nprocess:Q\nprocess:R\nclock:1:x\nclock:2:y
int:1:0:3:0:i\nint:3:-1:9:1:v\nlocation:P:l{initial: : invariant: x<=3 && i == 0}\nlocation:P:m{labels: one, two}
location:Q:l{initial: : committed:}\nlocation:R:l{urgent: : initial: : labels: one}\nedge:P:l:m:a{provided: 1 < x <= 4
  && !v[i] == 2 : do: x = 0; v[1] = (if i == 1 then v[i] else -2); y[i] = x + 1}\nedge:Q:l:l:b\nedge:R:l:l:b
edge:P:m:l:b{do: local k = 2; while k > 0 do k = k - 1; if k then local w[2]; w[k] = i else nop end end}
sync:P@a:Q@b?:R@b\nsync:Q@b?:R@b?\n";

const NET: &str =
    "net {a net} # comment\npl p1 : x (2K)\npl {p.2} (1) t2 -> t1*2\npl int\ntr t1 : go [2,5] p1*2 {p.2}?3 int?-1 -> time p1
tr t2 ]1,w[ p1 -> t1\ntr t3 [0,0] time -> \nlb t2 late\nnt merkhet 0 {tokens 9K}\nnt n 1 {b}\n";

const PLACES: &str =
    "pl p [1,2] (1)\npl q [0,3[ (1)\npl r\npl i ]0,w[ (1)\ntr t p i?-1 q?-1 -> r q\ntr u q r?1 -> q\ntr v r i -> p\n";

const NDR: &str =
    "t 50.0 20.0 t1 0 w n\nt 50 80 {t 2} c -1 -4 n {a label} ne\np 20.0 20.0 p1 1 n\np 80 2 p2 2 e {b} w\ne p1 t1 2 n
e t1 0.5 20 p2 0.25 30 1 n\ne p2 {t 2} ?-3 n\nh drawn\n";

const PNML: &str = r#"<pnml><net id="n" type="ptnet"><name><text>n</text></name><page id="g"><place id="a"><name><text>x</text></name>
<initialMarking><text>1</text></initialMarking><toolspecific tool="merkhet" version="1"><delay><interval closure="open"><cn>1</cn>
<ci>infty</ci></interval></delay></toolspecific></place><referencePlace id="r" ref="a"/><transition id="t"/>
<arc id="b" source="r" target="t"><inscription><text>1</text></inscription><type value="test"/></arc></page></net></pnml>"#;

const ROMEO: &str = r#"<TPN name="n"><place id="1" label="a" initialMarking="1" eft="0" lft="inf"/><transition id="1" label="t"
eft="1" lft="3"/><arc place="1" transition="1" type="PlaceTransition" weight="1"/></TPN>"#;

const TAPAAL: &str = r#"<pnml><constant name="k" value="2"/><net id="c"><place id="P" name="P" initialMarking="3" invariant="&lt; inf"/>
<transition id="T" name="T"/><arc inscription="[0,inf)" source="P" target="T" type="timed" weight="k"/></net></pnml>"#;

const AGES: &str = r#"<pnml><shared-place name="P" initialMarking="2" invariant="&lt;= 3"/><net id="c"><place id="P" name="P"/>
<place id="Q" name="Q" initialMarking="1"/><transition id="T" name="T" urgent="true"/><transition id="U" name="U"/>
<arc inscription="[1,2]:1" source="P" target="U" type="transport"/><arc inscription="[1,2]:1" source="U" target="Q" type="transport"/>
<inputArc inscription="(2,inf)" source="Q" target="U"/><outputArc source="T" target="P" inscription="1"/></net><k-bound bound="1"/>
<query name="q" query="EF c.Q = 1 and not deadlock"/><query name="r"><formula><all-paths><globally><integer-le><tokens-count>
<place>P</place></tokens-count><integer-constant>2</integer-constant></integer-le></globally></all-paths></formula></query></pnml>"#;

const LATTICES: &str = "const int N = 3; extern UnionBitVector; extern I = Interval(-9, N * 9); extern Users = PresentAbsent(N);
extern Octagon; Octagon oct; oct.intvar i = 2, j; UnionBitVector u[N][2]; I x = 3, y, z[N]; Users w[2]; int n = 1; chan c;
typedef struct { int a, b[2]; } Pair; bool leq(Pair p, const Pair &q) { return p.a <= q.a; }
Pair join(Pair p, Pair q) { if (p.a > q.a) return p; return q; } extern R = Lattice(Pair, leq, join, join);
R r = {1, {2, 3}}; R many[2]; void f(I &v, UnionBitVector &s[N][2], int k) { I t = v; t += k; v = t - y; s[k][0] = s[1][1]; }
process P(const int id, I &ref) { I own = id; clock q; state A { x < 9 && q <= 5 }, B; init A; trans
  A -> B { select k : int[0,2]; guard u[k][0] || z[k] < x + n && !(y > 3); sync c!; assign u[k][1] = !u[0][0], z[k] = x * n - 1; },
  A -> B { guard i < j + 2 && j > 0 imply q > 2; assign i = j + n, oct.forget(i), f(ref, u, id), w[id].insert(n); },
  B -> A { guard w[n].mayContain(id) && forall (k : int[0,2]) z[k] >= own; assign r = many[n], many[0].b[1] = r.a++, x++; },
  B -> B { sync c?; assign n = u.num1s(), own %= 3, ref = own; }; }
P0 = P(0, x); P1 = P(1, z[2]); system P0, P1;
query { E<> P0.own < x && !(i == j)
A[] u[0][1] imply P1.own + z[1] > 2 and r.a < 3
sup: x.high(), w[0].most() }";

/// The same for a model with lattices, whose code is also run.
fn exercise_code(text: &str) {
    exercise(text, Format::Xta);
    // Loops that don't terminate take long until they are given up.
    if text.contains("2147483647") || text.contains("while") {
        return;
    }
    let mut sources = Sources::new();
    let file = sources.add_file("fuzz", text.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    let Ok((model, _)) = model::load(tree) else { return };
    let system = &model.system;
    let mut machine = model::machine::Machine::new(&system.code, system.initial.len());
    machine.load(&system.initial);
    for edge in system.edges.iter().take(40) {
        if edge.guard.condition.is_none_or(|pc| machine.test(pc) == Ok(true))
            && edge.update.is_some_and(|pc| machine.execute(pc).is_err())
        {
            machine.load(&system.initial);
        }
    }
    for v in &system.lattices {
        let _ = system.show(v, machine.row());
        let slots = v.first as usize..(v.first + v.width) as usize;
        assert!(slots.clone().all(|i| (system.ranges[i].0..=system.ranges[i].1).contains(&machine.row()[i])));
    }
}

fn cases() -> usize {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

fn campaign(seeds: &[String], format: Format, seed: u64) {
    campaign_with(seeds, seed, |text| exercise(text, format));
}

fn campaign_with(seeds: &[String], seed: u64, exercise: impl Fn(&str) + std::panic::RefUnwindSafe) {
    let mut random = Random(seed);
    for _ in 0..cases() {
        let text = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let mutated = mutate(text, other, &mut random);
        let outcome = std::panic::catch_unwind(|| exercise(&mutated));
        assert!(outcome.is_ok(), "seed {seed}: panic on:\n{mutated}");
    }
}

#[test]
fn xml() {
    exercise(XML, Format::Xml);
    campaign(&[XML.to_owned()], Format::Xml, 1);
}

#[test]
fn xta() {
    campaign(&examples(), Format::Xta, 2);
}

#[test]
fn ta() {
    exercise(TA, Format::Ta);
    campaign(&[TA.to_owned()], Format::Ta, 3);
}

#[test]
fn tck() {
    exercise(TCK, Format::Tck);
    campaign(&[TCK.to_owned()], Format::Tck, 5);
}

/// A net that can be read can be checked: diagnostics must not refer to generated automata.
#[test]
fn nets() {
    let texts = [(NET, Format::Net), (PLACES, Format::Net), (NDR, Format::Ndr)];
    let documents = [PNML, ROMEO, TAPAAL, AGES].map(|text| (text, Format::NetXml));
    for ((text, format), seed) in texts.into_iter().chain(documents).zip(20..) {
        exercise(text, format);
        let (tree, problems) = read_net(text, format);
        assert!(problems.is_empty(), "{problems:?}");
        assert!(model::load(tree).is_ok(), "{text}");
        campaign(&[text.to_owned()], format, seed);
    }
}

fn read_net(text: &str, format: Format) -> (syntax::Tree, Vec<syntax::Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add_file("fuzz", text.to_owned());
    syntax::read_model(&mut sources, file, format)
}

#[test]
fn lattices() {
    let mut sources = Sources::new();
    let file = sources.add_file("m.xta", LATTICES.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xta);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert!(model::load(tree).is_ok());
    exercise_code(LATTICES);
    campaign_with(&[LATTICES.to_owned()], 6, exercise_code);
}

#[test]
fn queries() {
    let mut sources = Sources::new();
    let file = sources.add_file("m.xml", XML.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xml);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (model, _) = model::load(tree).unwrap_or_else(|(_, d)| panic!("{d:?}"));
    let seeds = [
        "A[] forall (i : id_t) (P(i).A imply x <= 3 && not deadlock)\nE<> P(0).y - x < 3 or v[1] == 2",
        "P(0).A --> P(1).A && (sum (i : id_t) v[i]) > 2 // comment\nsup{b}: x, v[0]\ninf: P(1).y",
        "E[] (b imply exists (i : id_t) !P(i)._id1) \\\n and x' == 1\nA<> f(2, v[0]) == 1",
    ];
    let mut random = Random(4);
    for _ in 0..cases() {
        let text = mutate(seeds[random.below(3)], seeds[random.below(3)], &mut random);
        let mut model = model.clone();
        let given = text.clone();
        let outcome = std::panic::catch_unwind(move || {
            let mut sources = Sources::new();
            let file = sources.add_file("q", given);
            for query in syntax::read_queries(&sources, file, &mut model.tree) {
                let _ = model.query(&query);
            }
        });
        assert!(outcome.is_ok(), "panic on:\n{text}");
    }
}
