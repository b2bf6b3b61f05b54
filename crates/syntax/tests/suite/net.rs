//! Nets in TINA's format: the parsed nets, and the diagnostics of wrong ones.

use syntax::{
    Diagnostic, Format, Sources, Tree,
    net::{Interval, Net, Timing, tina},
};

fn read(text: &str) -> (Tree, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let file = sources.add_file("some/m.net", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::guess("m.net", text));
    (tree, diagnostics, sources)
}

fn net(text: &str) -> Net {
    let (tree, diagnostics, _) = read(text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:#?}");
    (*tree.net.unwrap()).clone()
}

/// Returns the diagnostics as `line:column code message`.
fn problems(text: &str) -> Vec<String> {
    let (_, diagnostics, sources) = read(text);
    let show = |d: &Diagnostic| {
        let at = sources.locate(d.primary.span).unwrap();
        format!("{}:{} {} {}", at.in_file.line, at.in_file.column, d.code, d.message)
    };
    diagnostics.iter().map(show).collect()
}

const ALL: &str = r"# A comment
net {my net}
pl p1 : {a label} (2K)   # and one behind
tr t1 : go [2,5] p1*2 p2?3 {p.3}?-1 -> p2 p1
tr t1 p1 ->
pl p2 (1) t2 -> t1*2
tr t2 ]1,w[
    p2
  -> {p.3}
tr {t\}3} ]0,4[ {p.3} ->
lb t2 late
nt n1 0 {any {text\}}
";

#[test]
fn a_net_may_be_called_net() {
    let net = net("net net\npl p (1)\n");
    assert_eq!(net.name, "net");
    assert!(tina::text(&net).starts_with("net {net}\n"), "{}", tina::text(&net));
    assert_eq!(problems("net\nnet m\npl p\n"), ["2:1 syntax unexpected `net`, expected the name of the net"]);
}

#[test]
fn declarations_accumulate() {
    let text = ALL.replace("{any {text\\}}", "{any \\{text\\}}");
    let net = net(&text);
    assert_eq!((net.name.as_str(), net.timing), ("my net", Timing::Transitions));
    let places: Vec<_> = net.places.iter().map(|p| (p.written.as_str(), p.name.as_str(), p.tokens)).collect();
    assert_eq!(places, [("p1", "p1", 2000), ("p2", "p2", 1), ("p.3", "p_3", 0)]);
    assert_eq!(net.places[0].label.as_deref(), Some("a label"));
    assert_eq!(
        tina::text(&net),
        "net {my net}\npl p1 : {a label} (2000)\npl p2 (1)\npl {p.3}\n\
         tr t1 : go [2,5] p1*3 p2*2 p2?3 {p.3}?-1 -> p1 p2\n\
         tr t2 : late ]1,w[ p2 -> p2 {p.3}\n\
         tr {t\\}3} ]0,4[ {p.3} ->\n"
    );
    let again = self::net(&tina::text(&net));
    assert_eq!(tina::text(&again), tina::text(&net));
}

#[test]
fn missing_intervals_on_places_are_zero() {
    let net = net("pl a [1,2] (1)\npl b\ntr t a -> b\n");
    assert_eq!((net.name.as_str(), net.timing), ("m", Timing::Places));
    assert_eq!(net.places[0].delay, Interval { low: 1, low_open: false, high: Some(2), high_open: false });
    assert_eq!(net.places[1].delay, Interval::NOW);
    assert_eq!(tina::text(&net), "net m\npl a [1,2] (1)\npl b [0,0]\ntr t a -> b\n");
}

#[test]
fn unbounded_intervals_make_an_untimed_net() {
    assert_eq!(net("pl a (1)\ntr t [0,w[ a -> a\n").timing, Timing::Untimed);
}

#[test]
fn the_first_variables_are_the_places() {
    let (tree, ..) = read("pl time (1)\npl int\npl t\ntr t time -> int t\ntr u [1,2] t -> \n");
    let names: Vec<String> = tree
        .decls
        .iter()
        .filter_map(|d| match d {
            syntax::ast::Decl::Var(d) => Some(tree.text(d.name.sym).to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["time", "int_p", "t", "u_age", "time_2", "t_t", "u"]);
    let net = tree.net.unwrap();
    assert_eq!(syntax::net::time_name(&net), "time_2");
    assert_eq!(net.transitions[0].name, "t_t");
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = "net a\nnet b\nplace p1 (1)\npl p2 (1) (2)\ntr t1 [5,2] p2 -> p3\ntr t2 [0,w] p2 -> p3\n\
                tr t3 p2!2 -> p3?1\npr t1 < t2 ttt\nlb tt x\ntr t4 p2*0 -> p.3\ntr t5 [0,99999999999] p2\n";
    assert_eq!(
        problems(text),
        [
            "10:16 syntax unknown symbol `.`",
            "2:5 duplicate the net has two names",
            "3:1 syntax unknown declaration `place`",
            "4:11 syntax unexpected `(`, expected a declaration",
            "6:11 syntax unexpected `]`, expected `[` after `w`",
            "7:15 syntax an arc to a place can't be a test, inhibitor or stopwatch arc",
            "10:10 constant the weight of an arc must be at least 1",
            "11:25 syntax unexpected end of the text, expected `->`",
            "9:4 unknown-name no place or transition is called `tt`",
            "8:12 unknown-name no transition is called `ttt`",
            "5:7 empty-interval the interval is empty",
        ]
    );
}

#[test]
fn illegal_nets_are_rejected_with_advice() {
    let help = |text: &str| {
        let (_, diagnostics, _) = read(text);
        diagnostics.iter().flat_map(|d| d.help.clone()).collect::<Vec<String>>()
    };
    assert_eq!(problems("pl a [1,2] (1)\ntr t [0,1] a ->\n")[0].split(' ').next(), Some("2:6"));
    assert_eq!(problems("pl a [1,2] (2)\n"), ["1:12 unsafe-net 2 tokens in a net with intervals on places"]);
    assert_eq!(
        problems("pl a [1,2] (1)\npl b\ntr t a*2 -> b\ntr u a a ->\n"),
        [
            "3:6 unsafe-net weight 2 in a net with intervals on places",
            "4:6 unsafe-net weight 2 in a net with intervals on places"
        ]
    );
    assert_eq!(problems("pl a [0,134217728] (1)\n"), ["1:6 number-too-large 134217728 is too large for a time bound"]);
    assert_eq!(
        problems("pl a (1)\npl a (2)\n"),
        ["2:6 duplicate place `a` has two initial numbers of tokens, 1 and 2"]
    );
    assert_eq!(problems("pl a ]1,1] (1)\n"), ["1:6 empty-interval the interval is empty"]);
    assert_eq!(help("pl a [3,1] (1)\n"), ["did you mean [1,3]?"]);
    assert_eq!(help("pl free (1)\ntr t fre -> free\n"), ["did you mean `free`?"]);
    assert_eq!(help("tx t fre -> free\n"), ["did you mean `tr`?"]);
    assert_eq!(help("pl p (1)\ntr a p -> q tr\n"), ["`tr` starts a declaration; a name is written `{tr}`"]);
    assert_eq!(problems("pl {p (1)\n"), ["1:4 syntax name in braces is not closed"]);
}

#[test]
fn priorities_are_transitive_and_have_no_cycle() {
    let text = "net n\npl p (1)\ntr t p ->\ntr u p ->\ntr v p ->\npr t > u\npr u > v\n";
    assert_eq!(tina::text(&net(text)), text);
    assert_eq!(net(text).higher(), [vec![], vec![0], vec![0, 1]]);
    assert_eq!(net("pl p (1)\ntr t p ->\ntr u p ->\npr t t < u\n").higher(), [vec![1], vec![]]);
    assert_eq!(
        problems("tr t p -> p\ntr u p ->\npr t > u\npr u > t\n"),
        ["4:8 priority-cycle transition `t` has a higher priority than itself"]
    );
    assert_eq!(problems("tr t p -> p\npr t > u\n"), ["2:8 unknown-name no transition is called `u`"]);
    assert_eq!(problems("tr t p -> p\npr t u\n"), ["2:7 syntax unexpected end of the text, expected `<` or `>`"]);
    assert_eq!(
        problems("pl p [1,2] (1)\ntr t p ->\ntr u p p!1 ->\npr t > u\n"),
        [
            "3:4 unsupported stopwatch arcs in nets with intervals on places are not supported",
            "4:8 unsupported priorities in nets with intervals on places are not supported",
        ]
    );
}

#[test]
fn several_intervals_of_a_transition_intersect() {
    let text = tina::text(&net("tr t [1,3[ p -> p\ntr t ]2,6[\ntr t [0,w[\n"));
    assert!(text.contains("tr t ]2,3[ p -> p"), "{text}");
    assert_eq!(
        problems("tr t [1,2[ p -> p\ntr t [2,3]\n"),
        ["2:6 empty-interval the intervals have no moment in common"]
    );
}

#[test]
fn a_note_sets_the_token_limit() {
    let text = "net n\nnt merkhet 0 {tokens 2000}\npl p (3)\ntr t p -> p*2\n";
    assert_eq!(net(text).token_limit(), 2000);
    assert_eq!(tina::text(&net(text)), text);
    assert_eq!(net("pl p (3)\ntr t p -> p*2\n").token_limit(), 255);
    assert_eq!(net("pl p (300)\ntr t p -> p*2\n").token_limit(), 600);
    assert_eq!(net("pl p (2)\ntr t p -> q*300\ntr u q -> r*2\n").token_limit(), 1200);
    assert_eq!(net("tr s -> p*100\ntr t p*900 ->\n").token_limit(), 1000);
    assert_eq!(net("pl p [1,1] (1)\n").token_limit(), 1);
    assert_eq!(problems("nt merkhet 0 {token 3}\n"), ["1:14 syntax unknown note to merkhet"]);
}

#[test]
fn nets_are_recognised_by_extension_or_first_line() {
    assert_eq!(Format::guess("a.NET", ""), Format::Net);
    assert_eq!(Format::guess("<stdin>", "# x\n\n pl p (1)\n"), Format::Net);
    assert_eq!(Format::guess("<stdin>", "net {a b}"), Format::Net);
    assert_eq!(Format::guess("<stdin>", "int pl;"), Format::Xta);
}

#[test]
fn spans_of_the_automata_map_to_the_net() {
    let (tree, _, sources) = read("pl a [1,2] (1)\npl b\ntr go a -> b\n");
    let places: Vec<String> = tree
        .templates
        .iter()
        .flat_map(|t| &t.edges)
        .map(|e| {
            let at = sources.locate(e.span).unwrap();
            format!("{}:{} {}", at.in_file.line, at.in_file.column, &at.text[at.range])
        })
        .collect();
    assert_eq!(places, ["3:4 go", "1:4 a"]);
}

#[test]
fn reserved_words_can_be_names_of_nodes() {
    let words = [
        "A", "E", "location", "query", "progress", "label", "extern", "sup", "deadlock", "abs", "clock", "U", "M", "w",
    ];
    let text: String = words.iter().map(|w| format!("pl {w}\n")).collect();
    let names: Vec<String> = net(&text).places.into_iter().map(|p| p.name).collect();
    assert_eq!(
        names,
        [
            "A",
            "E",
            "location",
            "query",
            "progress",
            "label",
            "extern",
            "sup_p",
            "deadlock_p",
            "abs_p",
            "clock_p",
            "U",
            "M",
            "w"
        ]
    );
}

#[test]
fn transitions_with_very_many_arcs_are_rejected_by_name() {
    let many = |count: usize| (0..count).map(|i| format!(" p{i}")).collect::<String>();
    for interval in ["", " [1,2]"] {
        let all = many(4095);
        assert_eq!(problems(&format!("pl s (1)\ntr t{interval} s ->{all}\ntr u{all} -> s\n")), Vec::<String>::new());
        let found = problems(&format!("pl s (1)\ntr t{interval} s ->{}\n", many(12_000)));
        assert_eq!(found, ["2:4 too-large transition `t` has 12001 arcs"]);
    }
}
