//! Printed expressions parse to the same tree.

use crate::common::{Model, read};
use proptest::prelude::*;
use syntax::{
    Format, Span, Tree,
    ast::{BinaryOp, ExprId, ExprKind, MAX_HEIGHT, Name, Prefix, Quantifier, TypeExpr, TypeId, TypeKind, UnaryOp},
    print,
};

/// An expression outside of a tree.
#[derive(Clone, Debug)]
enum E {
    Int(i32),
    Float(f64),
    Bool(bool),
    Text,
    Name(&'static str),
    Unary(UnaryOp, Box<E>),
    Binary(BinaryOp, Box<E>, Box<E>),
    Assign(Option<BinaryOp>, Box<E>, Box<E>),
    Step(bool, bool, Box<E>),
    Conditional(Box<E>, Box<E>, Box<E>),
    Index(Box<E>, Box<E>),
    Member(Box<E>),
    Call(Box<E>, Vec<E>),
    Quantifier(Quantifier, Option<Box<E>>, Box<E>),
    Rate(Box<E>),
    Spawn(Vec<E>),
}

/// An expression on the left of the `=` of an assignment.
fn assigning() -> Vec<Option<BinaryOp>> {
    BinaryOp::each().filter(|op| op.assigns()).map(Some).chain([None]).collect()
}

const QUANTIFIERS: [Quantifier; 4] = [Quantifier::Forall, Quantifier::Exists, Quantifier::Sum, Quantifier::Foreach];

fn any_expression() -> impl Strategy<Value = E> {
    let leaf = prop_oneof![
        (0..5).prop_map(E::Int),
        Just(E::Int(i32::MAX)),
        Just(E::Int(i32::MIN)),
        prop_oneof![Just(0.0), Just(1.5), Just(1e300), Just(1e-9), Just(f64::INFINITY)].prop_map(E::Float),
        any::<bool>().prop_map(E::Bool),
        Just(E::Text),
        prop::sample::select(vec!["a", "b", "sum", "xor", "E", "u", "location"]).prop_map(E::Name),
    ];
    leaf.prop_recursive(8, 80, 3, |inner| {
        let e = || inner.clone().prop_map(Box::new);
        let list = prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            3 => (prop::sample::select(vec![UnaryOp::Minus, UnaryOp::Plus, UnaryOp::Not]), e())
                .prop_map(|(op, a)| E::Unary(op, a)),
            6 => (prop::sample::select(BinaryOp::each().collect::<Vec<_>>()), e(), e()).prop_map(|(op, a, b)| E::Binary(op, a, b)),
            2 => (prop::sample::select(assigning()), e(), e()).prop_map(|(op, a, b)| E::Assign(op, a, b)),
            2 => (any::<bool>(), any::<bool>(), e()).prop_map(|(up, prefix, a)| E::Step(up, prefix, a)),
            2 => (e(), e(), e()).prop_map(|(a, b, c)| E::Conditional(a, b, c)),
            1 => (e(), e()).prop_map(|(a, b)| E::Index(a, b)),
            1 => e().prop_map(E::Member),
            1 => (e(), list.clone()).prop_map(|(f, args)| E::Call(f, args)),
            2 => (prop::sample::select(QUANTIFIERS.to_vec()), prop::option::of(e()), e())
                .prop_map(|(q, bound, body)| E::Quantifier(q, bound, body)),
            1 => e().prop_map(E::Rate),
            1 => list.prop_map(E::Spawn),
        ]
    })
}

fn name(tree: &mut Tree, text: &str) -> Name {
    Name { sym: tree.names.intern(text), span: Span::NONE }
}

fn build(tree: &mut Tree, e: &E) -> ExprId {
    let kind = match e {
        E::Int(n) => ExprKind::Int(*n),
        E::Float(x) => ExprKind::Float(*x),
        E::Bool(b) => ExprKind::Bool(*b),
        E::Text => ExprKind::Text(tree.names.intern("a // text")),
        E::Name(text) => ExprKind::Name(tree.names.intern(text)),
        E::Unary(op, a) => ExprKind::Unary(*op, build(tree, a)),
        E::Binary(op, a, b) => ExprKind::Binary(*op, build(tree, a), build(tree, b)),
        E::Assign(op, a, b) => ExprKind::Assign(*op, build(tree, a), build(tree, b)),
        E::Step(up, prefix, a) => ExprKind::Step { up: *up, prefix: *prefix, target: build(tree, a) },
        E::Conditional(a, b, c) => ExprKind::Conditional(build(tree, a), build(tree, b), build(tree, c)),
        E::Index(a, b) => ExprKind::Index(build(tree, a), build(tree, b)),
        E::Member(a) => ExprKind::Member(build(tree, a), name(tree, "for")),
        E::Call(f, args) => {
            let callee = build(tree, f);
            let args: Vec<ExprId> = args.iter().map(|a| build(tree, a)).collect();
            ExprKind::Call(callee, tree.add_list(&args))
        }
        E::Quantifier(q, bound, body) => {
            let kind = match bound {
                Some(bound) => TypeKind::Int(Some((build(tree, &E::Int(0)), build(tree, bound)))),
                None => TypeKind::Named(tree.names.intern("T")),
            };
            tree.types.push(TypeExpr { prefix: Prefix::default(), kind, span: Span::NONE });
            let ty = TypeId(tree.types.len() as u32 - 1);
            ExprKind::Quantifier(*q, name(tree, "i"), ty, build(tree, body))
        }
        E::Rate(a) => ExprKind::Rate(build(tree, a)),
        E::Spawn(args) => {
            let mut items = vec![build(tree, &E::Name("T"))];
            items.extend(args.iter().map(|a| build(tree, a)));
            ExprKind::Dynamic(syntax::word::SPAWN, tree.add_list(&items))
        }
    };
    tree.expr(kind, Span::NONE)
}

/// Returns the structure in Lisp's notation, which needs no precedence.
fn dump(tree: &Tree, e: ExprId) -> String {
    let kind = tree.kind(e);
    let head = match kind {
        ExprKind::Int(n) => format!("{n}"),
        ExprKind::Float(x) => format!("{x:?}"),
        ExprKind::Bool(b) => format!("{b}"),
        ExprKind::Text(s) => format!("{:?}", tree.text(s)),
        ExprKind::Name(s) => tree.text(s).to_owned(),
        ExprKind::Unary(op, _) => format!("{op:?}"),
        ExprKind::Binary(op, ..) => format!("{op:?}"),
        ExprKind::Assign(op, ..) => format!("Assign{op:?}"),
        ExprKind::Step { up, prefix, .. } => format!("Step {up} {prefix}"),
        ExprKind::Member(_, name) => format!("Member {}", tree.text(name.sym)),
        ExprKind::Quantifier(q, name, ty, _) => {
            let ty = match &tree.ty(ty).kind {
                TypeKind::Int(Some((low, high))) => format!("int {} {}", dump(tree, *low), dump(tree, *high)),
                TypeKind::Named(sym) => tree.text(*sym).to_owned(),
                other => format!("{other:?}"),
            };
            format!("{q:?} {} [{ty}]", tree.text(name.sym))
        }
        other => format!("{other:?}").split('(').next().unwrap_or_default().to_owned(),
    };
    let mut out = format!("({head}");
    tree.children(kind, |tree, child| {
        out.push(' ');
        out.push_str(&dump(tree, child));
    });
    out + ")"
}

/// Parses `text` as the update of an edge.
fn parse(text: &str) -> Result<(Tree, ExprId), String> {
    parse_update(text).map(|(model, e)| (model.tree, e))
}

fn parse_update(text: &str) -> Result<(Model, ExprId), String> {
    let model = format!("process P() {{ state a; init a; trans a -> a {{ assign {text}; }}; }} system P;");
    let model = read(&model, Format::Xta);
    let errors = model.errors();
    let update = model.tree.templates.first().and_then(|t| t.edges.first()).and_then(|e| e.update);
    match update {
        Some(e) if errors.is_empty() => Ok((model, e)),
        _ => Err(format!("`{text}`: {errors:?}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_expressions_parse_to_the_same_tree(parts in prop::collection::vec(any_expression(), 1..3)) {
        let mut tree = Tree::default();
        let parts: Vec<ExprId> = parts.iter().map(|p| build(&mut tree, p)).collect();
        let whole = parts.into_iter().reduce(|a, b| tree.expr(ExprKind::Comma(a, b), Span::NONE)).unwrap();
        let text = print::expression(&tree, whole);
        let (back, e) = parse(&text).map_err(TestCaseError::fail)?;
        prop_assert_eq!(dump(&tree, whole), dump(&back, e), "{}", text);
        prop_assert_eq!(print::expression(&back, e), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Messages and reports show the text of an expression: it must be the expression, with all
    /// parentheses inside of it.
    #[test]
    fn the_text_of_each_expression_is_that_expression(e in any_expression()) {
        let mut tree = Tree::default();
        let e = build(&mut tree, &e);
        let text = print::expression(&tree, e);
        let (model, e) = parse_update(&text).map_err(TestCaseError::fail)?;
        let mut left = vec![e];
        while let Some(e) = left.pop() {
            let own = model.sources.text(model.tree.span(e));
            let (again, same) = parse(own).map_err(|why| TestCaseError::fail(format!("{why} in `{text}`")))?;
            prop_assert_eq!(dump(&model.tree, e), dump(&again, same), "`{}` in `{}`", own, text);
            model.tree.children(model.tree.kind(e), |_, child| left.push(child));
        }
    }
}

#[test]
fn parentheses_are_minimal() {
    for (text, expected) in [
        ("(a+b)*c", "(a + b) * c"),
        ("(a*b)+c", "a * b + c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("(-a)**2", "-a ** 2"),
        ("-(a**2)", "-(a ** 2)"),
        ("- -1", "- -1"),
        ("- --x", "- --x"),
        ("-(x--)", "-x--"),
        ("-2147483648 - -2147483648", "-2147483648 - -2147483648"),
        ("a imply (b or c)", "a imply (b || c)"),
        ("not (a and b)", "!(a && b)"),
        ("(forall (i : T) a) and b", "(forall (i : T) a) && b"),
        ("b and (forall (i : T) (a))", "b && forall (i : T) a"),
        ("(a ? b : c) ? d : (e ? f : g)", "(a ? b : c) ? d : e ? f : g"),
        ("a = (b = c)", "a = b = c"),
        ("(a ? b : c) = d", "(a ? b : c) = d"),
        ("(x)'==0, (f)(1)[2].for", "x' == 0, f(1)[2].for"),
    ] {
        let (tree, e) = parse(text).unwrap();
        assert_eq!(print::expression(&tree, e), expected);
    }
}

#[test]
fn the_highest_trees_are_printed_on_a_small_stack() {
    let kinds: [fn(&mut Tree, ExprId) -> ExprKind; 9] = [
        |_, e| ExprKind::Unary(UnaryOp::Minus, e),
        |_, e| ExprKind::Binary(BinaryOp::Sub, e, e),
        |tree, e| ExprKind::Binary(BinaryOp::Sub, e, leaf(tree)),
        |tree, e| ExprKind::Binary(BinaryOp::Sub, leaf(tree), e),
        |tree, e| ExprKind::Comma(e, leaf(tree)),
        |tree, e| ExprKind::Conditional(leaf(tree), e, leaf(tree)),
        |tree, e| ExprKind::Index(leaf(tree), e),
        |tree, e| ExprKind::Call(leaf(tree), tree.add_list(&[e])),
        |tree, e| ExprKind::Braces(tree.add_list(&[e])),
    ];
    let run = move || {
        for (i, kind) in kinds.iter().enumerate() {
            let mut tree = Tree::default();
            let mut e = leaf(&mut tree);
            // The second kind doubles with each level.
            for _ in 1..if i == 1 { 12 } else { MAX_HEIGHT } {
                let kind = kind(&mut tree, e);
                e = tree.expr(kind, Span::NONE);
            }
            let text = print::expression(&tree, e);
            if let Ok((back, e)) = parse(&text) {
                assert!(text == print::expression(&back, e));
            }
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}

fn leaf(tree: &mut Tree) -> ExprId {
    tree.expr(ExprKind::Int(1), Span::NONE)
}

#[test]
fn deep_statements_and_types_are_printed_on_a_small_stack() {
    let depth = MAX_HEIGHT as usize / 3;
    let nest = |open: &str, inner: &str, close: &str| [&open.repeat(depth), inner, &close.repeat(depth)].concat();
    let body = nest("{ if (1) while (2) ", ";", " }");
    let fields = nest("struct { ", "int a;", " } b; ");
    let text = format!(
        "typedef struct {{ {fields} }} T; void f() {{ {body} {} }} process P() {{ state a; init a; }} system P;",
        nest("if (1) ; else ", ";", "")
    );
    let run = move || {
        let model = read(&text, Format::Xta);
        assert_eq!(model.errors(), Vec::<String>::new());
        let printed = model.print(Format::Xta);
        assert!(printed == read(&printed, Format::Xta).print(Format::Xta));
        assert!(model.print(Format::Xml).len() > printed.len() / 2);
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}
