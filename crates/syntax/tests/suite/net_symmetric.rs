//! Symmetric nets: what they unfold to, and mistakes in them.

use syntax::{Sources, net::tina};

const HEAD: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><name><text>n</text></name>
<declaration><structure><declarations>
<namedsort id="pair" name="Pair"><productsort><usersort declaration="c"/><usersort declaration="r"/></productsort></namedsort>
<namedsort id="c" name="C"><cyclicenumeration><feconstant id="c1" name="a"/><feconstant id="c2" name="b"/></cyclicenumeration></namedsort>
<namedsort id="r" name="R"><finiteintrange start="1" end="2"/></namedsort>
<variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
<variabledecl id="y" name="y"><usersort declaration="r"/></variabledecl>
</declarations></structure></declaration><page id="g">
"#;
const TAIL: &str = "</page></net></pnml>\n";

fn read(body: &str) -> (String, Vec<String>) {
    let mut sources = Sources::new();
    let file = sources.add_file("n.pnml", format!("{HEAD}{body}{TAIL}"));
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, syntax::Format::NetXml);
    let messages = diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
    (tree.net.map(|net| tina::text(&net)).unwrap_or_default(), messages)
}

fn place(id: &str, sort: &str, initial: &str) -> String {
    format!(
        "<place id='{id}'><type><structure><usersort declaration='{sort}'/></structure></type>\
         <hlinitialMarking><structure>{initial}</structure></hlinitialMarking></place>\n"
    )
}

fn arc(source: &str, target: &str, term: &str) -> String {
    format!(
        "<arc id='{source}{target}' source='{source}' target='{target}'><hlinscription><structure>{term}</structure>\
         </hlinscription></arc>\n"
    )
}

const X: &str = "<variable refvariable='x'/>";
const Y: &str = "<variable refvariable='y'/>";

fn tuple(parts: &[&str]) -> String {
    let parts = parts.iter().map(|part| format!("<subterm>{part}</subterm>"));
    format!("<tuple>{}</tuple>", parts.collect::<String>())
}

#[test]
fn places_and_transitions_are_named_after_colours() {
    let all = tuple(&["<useroperator declaration='c2'/>", "<all><usersort declaration='r'/></all>"]);
    let body = place("p", "pair", &all)
        + &place("q", "c", "<empty><usersort declaration='c'/></empty>")
        + "<transition id='t'><condition><structure><equality><subterm><variable refvariable='y'/></subterm><subterm>\
           <finiteintrangeconstant value='2'><finiteintrange start='1' end='2'/></finiteintrangeconstant></subterm>\
           </equality></structure></condition></transition>\n"
        + &arc("p", "t", &tuple(&[X, Y]))
        + &arc("t", "q", &format!("<successor><subterm>{X}</subterm></successor>"));
    let (text, problems) = read(&body);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(
        text,
        "net n\npl {p(a,1)}\npl {p(a,2)}\npl {p(b,1)} (1)\npl {p(b,2)} (1)\npl {q(a)}\npl {q(b)}\n\
         tr {t(a,2)} {p(a,2)} -> {q(b)}\ntr {t(b,2)} {p(b,2)} -> {q(a)}\n"
    );
}

#[test]
fn identifiers_and_sums_are_for_queries() {
    let mut sources = Sources::new();
    let body = place("p", "c", "<all><usersort declaration='c'/></all>");
    let file = sources.add_file("n.pnml", format!("{HEAD}{body}{TAIL}"));
    let (tree, _) = syntax::read_model(&mut sources, file, syntax::Format::NetXml);
    let net = tree.net.unwrap();
    assert_eq!(net.places.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["p_a", "p_b"]);
    assert_eq!((net.sums[0].name.as_str(), &net.sums[0].places[..]), ("p", &[0, 1][..]));
}

#[test]
fn mistakes_are_found_at_once() {
    let body = place("p", "d", X)
        + &place("q", "c", X)
        + &place("s", "c", "<useroperator declaration='c3'/>")
        + &place("u", "c", "<cardinality/>")
        + "<transition id='t'><condition><structure><lessthan><subterm><variable refvariable='x'/></subterm><subterm>\
           <variable refvariable='y'/></subterm></lessthan></structure></condition></transition>\n"
        + &arc("q", "t", Y)
        + &arc("t", "q", "<variable refvariable='z'/>");
    assert_eq!(
        read(&body).1,
        [
            "unknown-name no sort has the identifier `d`",
            "syntax an initial marking can't have variables",
            "unknown-name no constant has the identifier `c3`",
            "unsupported terms <cardinality> are not supported",
            "type a comparison of the sort c with r",
            "type colours of the sort r, where the place has those of c",
            "unknown-name no variable has the identifier `z`",
        ]
    );
}

#[test]
fn no_more_tokens_are_subtracted_than_there_are() {
    let less =
        format!("<subtract><subterm><useroperator declaration='c1'/></subterm><subterm>{X}</subterm></subtract>");
    let body = place("q", "c", "<empty><usersort declaration='c'/></empty>")
        + "<transition id='t'/>\n"
        + &arc("q", "t", &less);
    let (text, problems) = read(&body);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(text, "net n\npl {q(a)}\npl {q(b)}\ntr {t(a)} ->\ntr {t(b)} {q(a)} ->\n");
}

#[test]
fn unfoldings_that_are_too_large_are_refused() {
    let product = |id: &str, of: &str| {
        format!(
            "<namedsort id='{id}' name='{id}'><productsort><usersort declaration='{of}'/><usersort declaration='{of}'/>\
             </productsort></namedsort>"
        )
    };
    let range = "<namedsort id='big' name='Big'><finiteintrange start='1' end='1000'/></namedsort>".to_owned();
    let refused = |sorts: &str, sort: &str| {
        let mut sources = Sources::new();
        let head = HEAD.replace("<variabledecl id=\"x\"", &format!("{sorts}<variabledecl id=\"x\""));
        let body = place("p", sort, &format!("<all><usersort declaration='{sort}'/></all>"));
        let file = sources.add_file("n.pnml", format!("{head}{body}{TAIL}"));
        let (_, diagnostics) = syntax::read_model(&mut sources, file, syntax::Format::NetXml);
        diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect::<Vec<String>>()
    };
    let huge = range.clone() + &product("huge", "big");
    assert_eq!(refused(&huge, "huge"), ["too-large the unfolding of the net is too large: 1000000 places"]);
    let endless = huge + &product("endless", "huge");
    assert_eq!(refused(&endless, "big"), ["too-large a sort with 1000000000000 colours is too large"]);
}
