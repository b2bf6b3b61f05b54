//! TChecker's format: the parsed models, and the diagnostics of wrong ones.

use syntax::{
    Diagnostic, Format, Sources, Tree,
    ast::{Decl, ExprId, ExprKind, StmtId, StmtKind},
};

fn read(text: &str) -> (Tree, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let file = sources.add_file("m.tck", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::guess("m.tck", text));
    (tree, diagnostics, sources)
}

/// Returns a model of one process with one location, and these attributes on its loop.
fn with_edge(attributes: &str) -> String {
    format!(
        "system:s\nevent:a\nclock:1:x\nclock:2:y\nint:1:0:9:0:i\nint:3:0:9:0:v\nprocess:P\nlocation:P:l{{initial:}}\n\
         edge:P:l:l:a{{{attributes}}}\n"
    )
}

/// Renders an expression with all its parentheses.
fn show(tree: &Tree, e: ExprId) -> String {
    match tree.kind(e) {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Name(sym) => tree.text(sym).to_owned(),
        ExprKind::Unary(op, a) => format!("{op:?}({})", show(tree, a)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", show(tree, a), op.text(), show(tree, b)),
        ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", show(tree, c), show(tree, a), show(tree, b)),
        ExprKind::Index(a, i) => format!("{}[{}]", show(tree, a), show(tree, i)),
        ExprKind::Assign(_, a, b) => format!("{} = {}", show(tree, a), show(tree, b)),
        ExprKind::Comma(a, b) => format!("{}, {}", show(tree, a), show(tree, b)),
        other => panic!("{other:?}"),
    }
}

fn show_statement(tree: &Tree, s: StmtId) -> String {
    match &tree.stmt(s).kind {
        StmtKind::Empty => "nop".to_owned(),
        StmtKind::Expr(e) => show(tree, *e),
        StmtKind::If(c, yes, None) => format!("if {} {}", show(tree, *c), show_statement(tree, *yes)),
        StmtKind::If(c, yes, Some(no)) => {
            format!("if {} {} else {}", show(tree, *c), show_statement(tree, *yes), show_statement(tree, *no))
        }
        StmtKind::While(c, body) => format!("while {} {}", show(tree, *c), show_statement(tree, *body)),
        StmtKind::Block(decls, body) => {
            let mut parts = Vec::new();
            for decl in decls {
                let Decl::Var(d) = decl else { panic!() };
                let init = d.init.map_or(String::new(), |e| format!(" = {}", show(tree, e)));
                parts.push(format!("local {}{}{init}", tree.text(d.name.sym), "[]".repeat(d.dims.len())));
            }
            parts.extend(body.iter().map(|s| show_statement(tree, *s)));
            format!("{{{}}}", parts.join("; "))
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn guard(text: &str, expected: &str) {
    let (tree, diagnostics, _) = read(&with_edge(&format!("provided: {text}")));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(show(&tree, tree.templates[0].edges[0].guard.unwrap()), expected);
}

#[test]
fn formulas_have_tcheckers_precedence() {
    guard("x<=3 && i == 0&&x>1", "(((x <= 3) && (i == 0)) && (x > 1))");
    guard("i + 2 * v[i%3] - 1 == -i*2", "(((i + (2 * v[(i % 3)])) - 1) == (Minus(i) * 2))");
    guard("!i == 2", "Not((i == 2))");
    guard("!!i && !v[0] < 3", "(Not(Not(i)) && Not((v[0] < 3)))");
    guard("1 <= x < 5 && i", "(((1 <= x) && (x < 5)) && i)");
    guard("i--1 > 0", "((i - Minus(1)) > 0)");
    guard("(x - y[1]) < (if i == 0 && v[1] then i else (if i then 1 else 2))", {
        "((x - y[1]) < (((i == 0) && v[1]) ? i : (i ? 1 : 2)))"
    });
    guard("i\n  == 1 : provided: x < 2", "((i == 1) && (x < 2))");
}

#[track_caller]
fn update(text: &str, expected: &str) {
    let (tree, diagnostics, _) = read(&with_edge(&format!("do: {text}")));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let edge = &tree.templates[0].edges[0];
    let shown = edge.update.map(|e| show(&tree, e)).or(edge.program.map(|s| show_statement(&tree, s)));
    assert_eq!(shown.unwrap_or_default(), expected);
}

#[test]
fn statements() {
    update("x=0", "x = 0");
    update("x = 0; i = i+1; nop; v[i] = 2;", "x = 0, i = (i + 1), v[i] = 2");
    update("nop", "");
    update("x = 0 : do: y[1] = x + 2", "x = 0, y[1] = (x + 2)");
    update("if i == 0 then i = 1; x = 0 end", "{if (i == 0) {i = 1; x = 0}}");
    update("if i then nop; else i = 1; end; x = 0", "{if i {nop} else {i = 1}; x = 0}");
    update("while i < 3 do i = i + 1 end", "{while (i < 3) {i = (i + 1)}}");
    update("i = 1; local k = i; local w[4]; local u[1]; w[k] = 2; u = 1", {
        "{i = 1; {local k = i; {local w[]; {local u; w[k] = 2; u = 1}}}}"
    });
}

#[test]
fn declarations() {
    let (tree, diagnostics, sources) = read(
        "# a comment\n\n  system : s # more\nprocess:P\nevent:a.b\nclock:1:x\nint:4:-2:+9:7:v\nprocess:Q{}\n\
         location:P:init{initial: : labels: one, two : invariant: x<1}\nlocation:P:Q { urgent:\n  :\n committed: }\n\
         location:Q:m{initial:}\nedge : P : init : Q : a.b\nedge:Q:m:m:a.b{do: x=0}\nsync:P@a.b:Q@a.b?\n",
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert!(tree.is_tchecker());
    let names: Vec<&str> = tree.system.processes.iter().map(|(name, _)| tree.text(name.sym)).collect();
    assert_eq!(names, ["P", "Q"]);
    let p = &tree.templates[0];
    assert_eq!((p.locations.len(), p.init, p.edges.len(), p.edges[0].event), (2, Some(0), 1, Some(0)));
    let labels: Vec<&str> = p.locations[0].labels.iter().map(|label| sources.text(label.span)).collect();
    assert_eq!(labels, ["one", "two"]);
    // A committed location is urgent as well.
    assert_eq!((p.locations[1].committed, p.locations[1].urgent), (true, false));
    let events = tree.events.as_ref().unwrap();
    assert_eq!((events.names.len(), events.syncs.len()), (1, 1));
    let participants = &events.syncs[0].participants;
    assert_eq!(
        participants.iter().map(|p| (p.process, p.event, p.weak)).collect::<Vec<_>>(),
        [(0, 0, false), (1, 0, true)]
    );
    assert_eq!(sources.text(participants[1].span), "Q@a.b?");
    let Decl::Var(v) = &tree.decls[1] else { panic!() };
    let ExprKind::Braces(items) = tree.kind(v.init.unwrap()) else { panic!() };
    assert_eq!((v.dims.len(), tree.list(items).len()), (1, 4));
}

#[test]
fn the_format_is_recognised_by_name_or_text() {
    assert_eq!(Format::guess("a.TCK", ""), Format::Tck);
    assert_eq!(Format::guess("<stdin>", "# x\n\n system:s\n"), Format::Tck);
    assert_eq!(Format::guess("<stdin>", "process P() {} system P;"), Format::Xta);
    assert_eq!(Format::guess("a.xta", "system:s"), Format::Xta);
}

/// Checks that exactly these errors and warnings are reported:
/// `line:column text under the caret: part of the message`.
#[track_caller]
fn problems(text: &str, expected: &[&str]) {
    let (_, mut diagnostics, sources) = read(text);
    diagnostics.sort_by_key(|d| d.primary.span);
    let shown: Vec<String> = diagnostics
        .iter()
        .map(|d| {
            let at = sources.locate(d.primary.span).unwrap();
            let help = d.help.first().map_or(String::new(), |h| format!(" ({h})"));
            let under = sources.text(d.primary.span);
            format!("{}:{} `{under}`: {}{help}", at.in_file.line, at.in_file.column, d.message)
        })
        .collect();
    assert_eq!(shown.len(), expected.len(), "{shown:#?}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert!(shown.contains(expected), "expected {expected}\n   found {shown}");
    }
}

#[test]
fn all_mistakes_are_reported_at_their_spans() {
    problems(
        "system:s\nproces:P\nprocess:Q\nlocation:Q:l{initial: : labls: a}\nlocation:Q:edge\nlocation:R:l\n\
         edge:Q:l:k:tau\nevent:tau\nclock:0:x\nint:1:0:5:7:i\nint:1:3:2:0:j\nint:1:0:99999999999:0:k\nint:1:0\n\
         sync:Q@tau:Q@tau\nsync:Q@tua:Z@tau\nsync:Q@tau\n",
        &[
            "2:1 `proces`: unknown declaration `proces` (did you mean `process`?)",
            "4:25 `labls`: attribute `labls` of a location is ignored (did you mean `labels`?)",
            "5:12 `edge`: `edge` is a reserved word",
            "6:10 `R`: unknown process `R`",
            "7:10 `k`: unknown location `k` of process `Q`",
            "7:12 `tau`: event `tau` is used before it is declared",
            "9:7 `0`: the size must be at least 1",
            "10:11 `7`: the initial value 7 is outside of the range [0,5]",
            "11:7 `3:2`: the range [3,2] is empty",
            "12:9 `99999999999`: number does not fit into 32 bits",
            "13:8 ``: unexpected end of the line, expected `:`",
            "14:12 `Q@tau`: process `Q` takes part twice",
            "15:8 `tua`: unknown event `tua` (did you mean `tau`?)",
            "15:12 `Z`: unknown process `Z`",
            "16:1 `sync:Q@tau`: a synchronisation of one process",
        ],
    );
}

#[test]
fn mistakes_in_attributes() {
    problems(&with_edge("provided: x < 3 || i == 0"), &["9:30 `||`: TChecker's language has no `||`"]);
    problems(&with_edge("provided: x == 3 == i"), &["9:31 `==`: only `<` and `<=` can be chained"]);
    problems(&with_edge("provided: "), &["9:23 ``: unexpected end of the text, expected an expression"]);
    problems(&with_edge("provided: i + : do: i == 1"), &["expected an expression", "unexpected `==`, expected `=`"]);
    problems(&with_edge("do: if i then i = 1"), &["9:33 ``: unexpected end of the text, expected `end`"]);
    problems(&with_edge("do: i = 1 i = 2"), &["9:24 `i`: unexpected `i`, expected the end of the text"]);
    problems(&with_edge("do: local end"), &["9:24 `end`: `end` is a reserved word"]);
    problems(&with_edge("do: i = 1 # why\n}"), &["9:24 ``: unexpected a comment, expected `:` or `}`"]);
    problems(&with_edge("provided x < 1"), &["9:23 `x`: unexpected `x`, expected `:`"]);
    problems(&with_edge("do: i = 1 :"), &["9:25 `}`: unexpected `}`, expected the name of an attribute"]);
    problems(&with_edge("provided: x // 2"), &["9:27 `/`: unexpected `/`, expected an expression"]);
}

#[test]
fn an_open_brace_is_reported_at_its_position() {
    problems(
        "system:s\nevent:a\nprocess:P\nlocation:P:l{initial: : invariant: x < 3\nlocation:P:m{}\nclock:1:x\n\
         edge:P:l:m:a{do: x = 0\nedge:P:m:l:a\nevent:a\n",
        &[
            "4:13 `{`: attributes are not closed",
            "7:13 `{`: attributes are not closed",
            "9:7 `a`: event `a` is declared twice",
        ],
    );
}

#[test]
fn a_model_needs_a_name_and_processes_an_initial_location() {
    problems("", &["1:1 ``: the first declaration must name the system"]);
    problems("system:s\n", &["2:1 ``: the model has no process"]);
    problems(
        "process:P\nsystem:s\nlocation:P:l\nsystem:t\n",
        &[
            "1:1 `process:P`: the first declaration must name the system",
            "1:9 `P`: process `P` has no initial location",
            "4:1 `system:t`: the system has two names",
        ],
    );
}

#[test]
fn all_processes_choose_among_several_initial_locations_in_one_step() {
    let text = "system:s\nevent:start\nprocess:P\nlocation:P:l{initial:}\nlocation:P:start{initial:}\n\
                process:Q\nlocation:Q:k{initial:}\n";
    let (tree, diagnostics, _) = read(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let events = tree.events.as_ref().unwrap();
    assert_eq!(events.starts, [2, 1]);
    assert_eq!(events.syncs.len(), 1);
    let names = |t: usize| tree.templates[t].locations.iter().map(|l| tree.text(l.name.sym)).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec!["l", "start", "start_"], vec!["k", "start"]));
    assert_eq!(tree.templates.iter().map(|t| t.edges.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(tree.text(events.names[1].sym), "start_");
}

#[test]
fn floods_of_mistakes_and_deep_nesting_end() {
    let text = format!("system:s\n{}", "bad\n".repeat(5_000));
    let (_, diagnostics, _) = read(&text);
    assert_eq!(diagnostics.len(), 1_002);
    let text = with_edge(&format!("provided: {}1{}", "(".repeat(200_000), ")".repeat(200_000)));
    assert_eq!(read(&text).1[0].code, "too-deep");
    let text = with_edge(&"do: local k; : ".repeat(3).replace("k;", &"k; local k ;".repeat(50_000)));
    assert!(!read(&text).1.is_empty());
    let text = format!("system:s\n{}", "int:4000000:0:1:1:v\n".repeat(100));
    assert!(read(&text).1.iter().any(|d| d.code == "too-large"));
}
