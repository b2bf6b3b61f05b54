//! Nets in PNML, in Romeo's and TAPAAL's files and with coordinates: supported and rejected
//! features.

use syntax::{
    Diagnostic, Format, Sources,
    ast::QueryKind,
    net::{Net, Timing, pnml_text, tapaal_text, tina},
};

fn read(name: &str, text: &str) -> (Option<Net>, Vec<String>) {
    let mut sources = Sources::new();
    let file = sources.add_file(name, text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::guess(name, text));
    let show = |d: &Diagnostic| {
        let at = sources.locate(d.primary.span).unwrap();
        format!("{}:{} {} {}", at.in_file.line, at.in_file.column, d.code, d.message)
    };
    (tree.net.map(|net| (*net).clone()), diagnostics.iter().map(show).collect())
}

fn net(name: &str, text: &str) -> Net {
    let (net, problems) = read(name, text);
    assert!(problems.is_empty(), "{problems:#?}");
    net.unwrap()
}

fn problems(name: &str, text: &str) -> Vec<String> {
    read(name, text).1
}

const PNML: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><name><text>two pages</text></name>
<page id="a">
<place id="i1"><name><text>idle</text></name><graphics><position x="10.4" y="-20"/></graphics>
  <initialMarking><text> 2 </text></initialMarking></place>
<transition id="i2"><name><text>go</text></name>
  <delay><interval xmlns="http://www.w3.org/1998/Math/MathML" closure="closed-open"><cn>4</cn><ci>infty</ci></interval></delay>
</transition>
<arc id="x1" source="i1" target="i2"><inscription><text>2</text></inscription></arc>
<arc id="x2" source="i2" target="r"/>
<page id="b">
<referencePlace id="r" ref="i3"/>
<place id="i3"><name><text>busy</text></name></place>
<transition id="i4"><name><text>stop</text></name>
  <delay><interval closure="open-closed"><cn>1</cn><cn>3</cn></interval></delay></transition>
<arc id="x3" source="i3" target="i4"><type value="test"/></arc>
<arc id="x4" source="i1" target="i4"><type value="inhibitor"/><inscription><text>3</text></inscription></arc>
</page></page></net></pnml>
"#;

#[test]
fn pnml_has_pages_references_and_intervals() {
    let net = net("n.pnml", PNML);
    assert_eq!(net.timing, Timing::Transitions);
    assert_eq!(
        tina::text(&net),
        "net {two pages}\npl idle (2)\npl busy\ntr go [4,w[ idle*2 -> busy\ntr stop ]1,3] busy?1 idle?-3 ->\n"
    );
    assert_eq!(net.places[0].at, Some((10, -20)));
    assert_eq!(Format::guess("x.xml", PNML), Format::NetXml);
    assert_eq!(Format::guess("<stdin>", PNML), Format::NetXml);
}

#[test]
fn written_pnml_is_read_again() {
    let texts = [
        "net a\npl {p.1} : {a < b} [1,2[ (1)\npl q [0,0]\ntr t : go {p.1} q?-1 -> q\n",
        "net b\npl p (3)\ntr t [1,2] p*2 -> p\ntr u [0,w[ p?3 ->\n",
        "net c\npl p (3)\ntr t p*2 -> p\n",
    ];
    for text in texts {
        let first = net("n.net", text);
        let again = net("n.pnml", &pnml_text(&first));
        assert_eq!(tina::text(&again), text);
        assert_eq!(first.timing, again.timing);
    }
}

#[test]
fn names_that_are_not_unique_give_way_to_identifiers() {
    let text = PNML.replace("busy", "idle");
    assert_eq!(net("n.pnml", &text).places[1].written, "i3");
}

#[test]
fn mistakes_in_pnml_are_found_at_once() {
    let text = PNML
        .replace("source=\"i2\"", "source=\"i5\"")
        .replace("value=\"test\"", "value=\"reset\"")
        .replace("closure=\"open-closed\"", "closure=\"shut\"")
        .replace("<text> 2 </text>", "<text>many</text>");
    assert_eq!(
        problems("n.pnml", &text),
        [
            "6:19 syntax a marking must be a natural number, not `many`",
            "16:29 xml unknown closure `shut`",
            "11:22 unknown-name no place or transition has the identifier `i5`",
            "17:51 unsupported arcs of the type `reset` are not supported",
        ]
    );
    assert_eq!(problems("n.pnml", "<pnml></pnml>"), ["1:1 xml the file has no net"]);
    assert!(problems("n.pnml", "<pnml><net>")[0].contains("the file ends inside of <net>"));
    assert!(problems("n.pnml", "<nta/>")[0].contains("not <nta>"));
}

const ROMEO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<TPN name="/home/someone/gate.xml">
<place id="1" identifier="P1" label="far" initialMarking="1" eft="0" lft="inf">
  <graphics><position x="5" y="6"/></graphics><scheduling gamma="0" omega="0"/></place>
<place id="2" identifier="P2" label="near" initialMarking="0"/>
<transition id="1" identifier="T1" label="come" eft="3" lft="5" speed="1" priority="0" cost="0"><update><![CDATA[]]></update></transition>
<transition id="2" identifier="T2" label="go" eft="2" lft="infini"/>
<arc place="1" transition="1" type="PlaceTransition" weight="1"/>
<arc place="2" transition="1" type="TransitionPlace" weight="2"/>
<arc place="2" transition="2" type="read" weight="2"/>
<arc place="1" transition="2" type="logicalInhibitor" weight="1"/>
</TPN>"#;

#[test]
fn romeo_files_are_read() {
    let net = net("gate.xml", ROMEO);
    assert_eq!(
        tina::text(&net),
        "net gate\npl far (1)\npl near\ntr come [3,5] far -> near*2\ntr go [2,w[ near?2 far?-1 ->\n"
    );
    assert_eq!(net.places[0].at, Some((5, 6)));
}

#[test]
fn other_features_of_romeo_are_rejected_by_name() {
    let text = ROMEO
        .replace("type=\"read\"", "type=\"flush\"")
        .replace("type=\"logicalInhibitor\"", "type=\"timedInhibitor\"")
        .replace("cost=\"0\"", "cost=\"3*far\"")
        .replace("<![CDATA[]]>", "far = 3;")
        .replace("omega=\"0\"", "omega=\"2\"");
    assert_eq!(
        problems("gate.xml", &text),
        [
            "3:1 unsupported schedulers are not supported",
            "6:1 unsupported costs are not supported",
            "6:1 unsupported updates of transitions are not supported",
            "10:1 unsupported arcs that empty a place are not supported",
            "11:1 unsupported arcs that stop the clock of a transition are not supported",
        ]
    );
}

const TAPAAL: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb">
<constant name="k" value="2"/>
<net active="true" id="comp" type="P/T net">
<place id="P0" name="P0" initialMarking="3" invariant="&lt; inf" positionX="15" positionY="30"/>
<place id="P1" name="P1" initialMarking="0" invariant="&lt; inf" positionX="15" positionY="30"/>
<transition id="T0" name="T0" urgent="false" priority="0"/>
<arc id="a" inscription="[0,inf)" source="P0" target="T0" type="timed" weight="k"/>
<arc id="b" inscription="1" source="T0" target="P1" type="normal" weight="1"/>
<arc id="c" inscription="[0,inf)" source="P1" target="T0" type="tapnInhibitor" weight="1"/>
</net></pnml>"#;

#[test]
fn tapaal_nets_without_ages_are_nets_without_time() {
    let net = net("n.tapn", TAPAAL);
    assert_eq!(net.timing, Timing::Untimed);
    assert_eq!(tina::text(&net), "net comp\npl P0 (3)\npl P1\ntr T0 P0*2 P1?-1 -> P1\n");
}

#[test]
fn tapaal_nets_have_ages() {
    let text = TAPAAL
        .replacen("&lt; inf", "&lt;= 5", 1)
        .replacen("[0,inf)", "(k,4]", 1)
        .replace("type=\"tapnInhibitor\"", "type=\"transport\"")
        .replace(
            "</net>",
            "<arc id=\"d\" inscription=\"[0,inf):\" source=\"T0\" target=\"P0\" type=\"transport\"/></net>",
        );
    let net = net("n.tapn", &text);
    assert_eq!(net.timing, Timing::Arcs);
    assert_eq!((net.places[0].invariant.to_string(), net.aged_limit()), ("[0,5]".to_owned(), 11));
    let aged = net.transitions[0].aged.iter().map(|a| (a.place, a.weight, a.ages.to_string(), a.to));
    assert_eq!(aged.collect::<Vec<_>>(), [(0, 2, "]2,4]".to_owned(), None), (1, 1, "[0,w[".to_owned(), Some(0))]);
    let again = self::net("n.tapn", &tapaal_text(&net));
    assert_eq!(tapaal_text(&again), tapaal_text(&net));
}

const COMPONENTS: &str = r#"<pnml xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb">
<shared-place name="S" initialMarking="2" invariant="&lt;= d"/>
<shared-transition name="T" urgent="true"/>
<constant name="d" value="7"/>
<net active="true" id="A"><place id="S" name="S" initialMarking="0" invariant="&lt; inf"/>
<place id="P" name="P" initialMarking="1" invariant="&lt; inf"/><transition id="T" name="T" urgent="false"/>
<arc inscription="[0,inf)" source="S" target="T" type="timed"/></net>
<net active="true" id="B"><place id="P" name="P" initialMarking="0" invariant="&lt; inf"/>
<transition id="T" name="T"/><arc inscription="1" source="T" target="P" type="normal" weight="2"/></net>
<net active="false" id="C"><place id="Q" name="Q" initialMarking="0"/></net>
<query name="x" capacity="4" query="EF (A.P = 1 and S &lt; 2) or B.P&gt;=2"/>
<query name="y" capacity="1"><formula><all-paths><globally><negation><deadlock/></negation></globally></all-paths></formula></query>
<query name="off" active="false" query="EF S = 1"/><query name="game" query="control: AF S = 0"/>
<query name="nested" query="EF (EG S = 0)"/><k-bound bound="3"/></pnml>"#;

#[test]
fn components_share_places_and_transitions() {
    let net = net("n.tapn", COMPONENTS);
    let places = net.places.iter().map(|p| (p.written.as_str(), p.name.as_str(), p.tokens, p.invariant.high));
    let expected = [("S", "S", 2, Some(7)), ("A.P", "A_P", 1, None), ("B.P", "B_P", 0, None)];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    let [t] = &net.transitions[..] else { panic!("{:?}", net.transitions) };
    assert_eq!((t.written.as_str(), t.is_urgent, t.takes.len(), t.puts[0].weight), ("T", true, 1, 2));
    assert_eq!(net.max_aged, Some(3 + 4));
}

#[test]
fn queries_of_tapaal_are_read() {
    let mut sources = Sources::new();
    let file = sources.add_file("n.tapn", COMPONENTS.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::NetXml);
    assert!(problems.is_empty(), "{problems:?}");
    let queries = tree.queries.iter().map(|q| match &q.kind {
        QueryKind::Unsupported(feature) => format!("{}: no {feature}", q.name),
        _ => format!("{}: {}", q.name, q.text),
    });
    assert_eq!(
        queries.collect::<Vec<_>>(),
        [
            "x: E<> ( A_P == 1 and S < 2 ) or B_P >= 2",
            "y: A[] ! ( deadlock )",
            "game: no games",
            "nested: no nested path quantifiers",
        ]
    );
}

#[test]
fn other_features_of_tapaal_are_rejected_by_name() {
    let text = TAPAAL
        .replace("urgent=\"false\"", "urgent=\"true\"")
        .replacen("[0,inf)", "[2,4]", 1)
        .replace("inscription=\"[0,inf)\"", "inscription=\"[1,inf)\"")
        .replace(
            "</net>",
            "<arc id=\"d\" inscription=\"[0,3]:1\" source=\"P1\" target=\"T0\" type=\"transport\"/></net>",
        )
        .replace("</pnml>", "<feature isStochastic=\"true\"/></pnml>");
    assert_eq!(
        problems("n.tapn", &text),
        [
            "11:83 unsupported stochastic nets are not supported",
            "10:1 unsupported intervals on inhibitor arcs are not supported",
            "11:1 syntax the second half of this transport arc is missing",
            "7:1 unsupported intervals on input arcs of urgent transitions are not supported (`T0` is urgent)",
        ]
    );
    let ages = "<initialMarkingAge><token age=\"2\"/></initialMarkingAge></place>";
    let text = TAPAAL.replacen("positionY=\"30\"/>", &format!("positionY=\"30\">{ages}"), 1);
    assert_eq!(problems("n.tapn", &text), ["5:1 unsupported initial ages of tokens are not supported"]);
}

const COLOURED: &str = r#"<pnml xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb">
<declaration><structure><declarations><namedsort id="dot" name="dot"><dot/></namedsort>
<namedsort id="C" name="C"><cyclicenumeration><feconstant id="a" name="C"/><feconstant id="b" name="C"/></cyclicenumeration></namedsort>
<variabledecl id="x" name="x"><usersort declaration="C"/></variabledecl></declarations></structure></declaration>
<net active="true" id="n">
<place id="p" name="p" initialMarking="3" invariant="&lt;= 5"><type><structure><usersort declaration="C"/></structure></type>
<colorinvariant><inscription inscription="&lt; 9"/><colortype name="C"><color value="b"/></colortype></colorinvariant>
<hlinitialMarking><structure><add><subterm><numberof><subterm><numberconstant value="3"><positive/></numberconstant></subterm>
<subterm><useroperator declaration="a"/></subterm></numberof></subterm></add></structure></hlinitialMarking></place>
<place id="q" name="q" initialMarking="0" invariant="&lt; inf"><type><structure><usersort declaration="C"/></structure></type></place>
<place id="r" name="r" initialMarking="2" invariant="&lt; inf"><hlinitialMarking><structure><numberof><subterm>
<numberconstant value="2"><positive/></numberconstant></subterm><subterm><useroperator declaration="dot"/></subterm></numberof></structure></hlinitialMarking></place>
<transition id="t" name="t" urgent="false"/>
<arc source="p" target="t" inscription="[1,2]:1" type="transport"><colorinterval><inscription inscription="(0,inf)"/>
<colortype name="C"><color value="b"/></colortype></colorinterval><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
<arc source="t" target="q" inscription="[1,2]:1" type="transport"><hlinscription><structure><successor><subterm>
<variable refvariable="x"/></subterm></successor></structure></hlinscription></arc>
<arc source="q" target="t" inscription="[0,inf)" type="tapnInhibitor"/><arc source="r" target="t" inscription="[0,inf)" type="timed" weight="2"/>
</net><query name="some" query="EF n.q = 1 and p &gt; 0"/>
<query name="fires"><formula><exists-path><finally><is-fireable><transition>n.t</transition></is-fireable></finally></exists-path></formula></query>
<k-bound bound="1"/><feature isColored="true"/></pnml>"#;

#[test]
fn colours_of_tapaal_have_ages_of_their_own() {
    let net = net("n.tapn", COLOURED);
    let places = net.places.iter().map(|p| format!("{} {} {}", p.written, p.tokens, p.invariant));
    let expected = ["p(a) 3 [0,5]", "p(b) 0 [0,9[", "q(a) 0 [0,w[", "q(b) 0 [0,w[", "r 2 [0,w["];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    let shown = |t: &syntax::net::Transition| {
        let aged: Vec<String> = t.aged.iter().map(|a| format!("{} {} {:?}", a.place, a.ages, a.to)).collect();
        let list = |arcs: &[syntax::net::Arc]| arcs.iter().map(|a| (a.place, a.weight)).collect::<Vec<_>>();
        format!("{} {aged:?} {:?} {:?}", t.written, list(&t.takes), list(&t.inhibitors))
    };
    assert_eq!(
        net.transitions.iter().map(shown).collect::<Vec<_>>(),
        [
            "t(a) [\"0 [1,2] Some(3)\"] [(0, 1), (4, 2)] [(2, 1), (3, 1)]",
            "t(b) [\"1 ]0,w[ Some(2)\"] [(1, 1), (4, 2)] [(2, 1), (3, 1)]",
        ]
    );
    let mut sources = Sources::new();
    let text = COLOURED.replace("[1,2]", "[0,inf)").replace("(0,inf)", "[0,inf)");
    let file = sources.add_file("n.tapn", text);
    let (tree, _) = syntax::read_model(&mut sources, file, Format::NetXml);
    let queries = tree.queries.iter().map(|q| q.text.as_str()).collect::<Vec<_>>();
    let [a, b] = ["p_a", "p_b"].map(|p| format!("({p} >= 1 && r >= 2 && q_a < 1 && q_b < 1)"));
    assert_eq!(queries, ["E<> q() == 1 and p() > 0".to_owned(), format!("E<> ( ({a} || {b}) )")]);
}

#[test]
fn mistakes_in_colours_of_tapaal_are_found() {
    let text = COLOURED
        .replace("<color value=\"b\"/>", "<color value=\"c\"/>")
        .replace("type=\"tapnInhibitor\"", "type=\"tapnInhibitor\" weight=\"2\"")
        .replace(
            "<successor><subterm>\n<variable refvariable=\"x\"/></subterm></successor>",
            "<all><usersort declaration=\"C\"/></all>",
        );
    assert_eq!(
        problems("n.tapn", &text),
        [
            "7:86 unknown-name `c` is no colour of the sort C",
            "17:1 unsupported inhibitor arcs with weights of places with colours are not supported",
            "15:35 unknown-name `c` is no colour of the sort C",
            "14:1 syntax a transport arc must move tokens of one colour, to one colour",
        ]
    );
}

#[test]
fn too_many_tokens_with_ages_are_an_error() {
    let text = TAPAAL.replace("\"3\"", "\"100000\"").replacen("[0,inf)", "[2,4]", 1);
    assert_eq!(problems("n.tapn", &text), ["5:1 too-large `P0` can have too many tokens whose ages matter"]);
    let text = TAPAAL.replace("\"3\"", "\"40\"").replace("\"2\"", "\"9\"").replacen("[0,inf)", "[2,4]", 1);
    assert_eq!(problems("n.tapn", &text), ["7:1 too-large `T0` can choose its tokens in 273438880 ways"]);
}

#[test]
fn nets_with_coordinates() {
    let text = "# drawn\nt 50.0 20.0 t1 0 w n\nt 50.0 80.0 {t 2} c -1 -4 n {a label} ne\np 20.0 20.0 p1 1 n\n\
                p 80.0 20.0 p2 2K e {b} w\ne p1 t1 2 n\ne t1 0.5 20 p2 0.25 30 1 n\ne p2 {t 2} ?-3 n\nh drawn\n";
    let net = net("n.ndr", text);
    assert_eq!(
        tina::text(&net),
        "net drawn\npl p1 (1)\npl p2 : b (2000)\ntr t1 [0,w[ p1*2 -> p2\ntr {t 2} : {a label} ]1,4[ p2?-3 ->\n"
    );
    assert_eq!((net.places[1].at, net.transitions[0].at), (Some((80, 20)), Some((50, 20))));
    let wrong = "t 1 1 t1 0 w n\nt 1 1 t2 0 w n\np 1 1\nq 2\ne t1 t2 1 n\ne p1 t1 1 n\n";
    assert_eq!(
        problems("n.ndr", wrong),
        [
            "3:1 syntax unknown declaration",
            "4:1 syntax unknown declaration",
            "6:1 unknown-name an edge must connect a place and a transition that are declared before it",
        ]
    );
}
