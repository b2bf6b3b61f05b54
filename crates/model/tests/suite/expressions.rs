//! Compares compiled random expressions with a plain evaluator that shares no code with the
//! compiler.

use model::machine::Machine;
use proptest::prelude::*;
use syntax::{Format, Sources};

/// An expression over the variables `v0` to `v3`, the array `t` and constants.
#[derive(Clone, Debug)]
enum E {
    Lit(i32),
    Var(usize),
    At(Box<E>),
    Un(&'static str, Box<E>),
    Bin(&'static str, Box<E>, Box<E>),
    If(Box<E>, Box<E>, Box<E>),
    Quant(&'static str, Box<E>, Box<E>),
    PostInc(usize),
    Set(usize, Box<E>),
}

const VARS: usize = 4;
const TABLE: [i32; 3] = [7, -2, 4];

fn expr() -> impl Strategy<Value = E> {
    let leaf = prop_oneof![(-9i32..10).prop_map(E::Lit), (0..VARS).prop_map(E::Var), (0..VARS).prop_map(E::PostInc)];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let b = |e| Box::new(e);
        let ops = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "<?", ">?", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&",
            "||", "imply", "xor", "**",
        ]);
        prop_oneof![
            6 => (ops, inner.clone(), inner.clone()).prop_map(move |(op, x, y)| E::Bin(op, b(x), b(y))),
            1 => (prop::sample::select(vec!["-", "!", "not "]), inner.clone()).prop_map(move |(op, x)| E::Un(op, b(x))),
            1 => inner.clone().prop_map(move |x| E::At(b(x))),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(move |(c, x, y)| E::If(b(c), b(x), b(y))),
            1 => (prop::sample::select(vec!["forall", "exists", "sum"]), inner.clone(), inner.clone())
                .prop_map(move |(q, x, y)| E::Quant(q, b(strip(x)), b(strip(y)))),
            1 => (0..VARS, inner).prop_map(move |(v, x)| E::Set(v, b(x))),
        ]
    })
}

/// Returns the same without side effects, which are not allowed in quantifiers.
fn strip(e: E) -> E {
    let s = |e: Box<E>| Box::new(strip(*e));
    match e {
        E::PostInc(v) => E::Var(v),
        E::Set(_, e) => strip(*e),
        E::At(e) => E::At(s(e)),
        E::Un(op, e) => E::Un(op, s(e)),
        E::Bin(op, x, y) => E::Bin(op, s(x), s(y)),
        E::If(c, x, y) => E::If(s(c), s(x), s(y)),
        E::Quant(q, x, y) => E::Quant(q, s(x), s(y)),
        e => e,
    }
}

fn print(e: &E, depth: usize) -> String {
    let p = |e: &E| print(e, depth);
    match e {
        E::Lit(n) if *n < 0 => format!("({n})"),
        E::Lit(n) => n.to_string(),
        E::Var(v) => format!("v{v}"),
        E::At(e) => format!("t[{}]", p(e)),
        E::Un(op, e) => format!("({op}({}))", p(e)),
        E::Bin(op, x, y) => format!("({} {op} {})", p(x), p(y)),
        E::If(c, x, y) => format!("({} ? {} : {})", p(c), p(x), p(y)),
        E::Quant(q, x, y) => {
            // Quantifiers need a condition, sums a number. The bound variable replaces the first
            // variable of the second operand.
            let body = format!("({} + i{depth} > {})", print(x, depth + 1), print(y, depth + 1));
            format!("({q} (i{depth} : int[-1,2]) {body})")
        }
        E::PostInc(v) => format!("v{v}++"),
        E::Set(v, e) => format!("(v{v} = {})", p(e)),
    }
}

/// Evaluates an expression. Returns `None` if it fails.
fn eval(e: &E, vars: &mut [i32; VARS]) -> Option<i32> {
    let truth = |b: bool| Some(i32::from(b));
    Some(match e {
        E::Lit(n) => *n,
        E::Var(v) => vars[*v],
        E::At(e) => *TABLE.get(usize::try_from(eval(e, vars)?).ok()?)?,
        E::Un("-", e) => eval(e, vars)?.wrapping_neg(),
        E::Un(_, e) => i32::from(eval(e, vars)? == 0),
        E::Bin("&&", x, y) => return truth(eval(x, vars)? != 0 && eval(y, vars)? != 0),
        E::Bin("||", x, y) => return truth(eval(x, vars)? != 0 || eval(y, vars)? != 0),
        E::Bin("imply", x, y) => return truth(eval(x, vars)? == 0 || eval(y, vars)? != 0),
        E::Bin(op, x, y) => {
            let (x, y) = (eval(x, vars)?, eval(y, vars)?);
            let shift = u32::try_from(y).ok().filter(|n| *n < 32);
            match *op {
                "+" => x.wrapping_add(y),
                "-" => x.wrapping_sub(y),
                "*" => x.wrapping_mul(y),
                "/" if y == 0 => return None,
                "/" => x.wrapping_div(y),
                "%" if y == 0 => return None,
                "%" => x.wrapping_rem(y),
                "<?" => x.min(y),
                ">?" => x.max(y),
                "<<" => x << shift?,
                ">>" => x >> shift?,
                "&" => x & y,
                "|" => x | y,
                "^" => x ^ y,
                "==" => i32::from(x == y),
                "!=" => i32::from(x != y),
                "<" => i32::from(x < y),
                "<=" => i32::from(x <= y),
                ">" => i32::from(x > y),
                ">=" => i32::from(x >= y),
                "xor" => i32::from((x != 0) != (y != 0)),
                "**" => x.wrapping_pow(u32::try_from(y).ok()?),
                _ => unreachable!(),
            }
        }
        E::If(c, x, y) => return if eval(c, vars)? != 0 { eval(x, vars) } else { eval(y, vars) },
        E::Quant(q, x, y) => {
            let mut count = 0;
            for i in -1..=2 {
                let left = eval(x, vars)?.wrapping_add(i);
                let holds = left > eval(y, vars)?;
                count += i32::from(holds);
                match *q {
                    "forall" if !holds => return Some(0),
                    "exists" if holds => return Some(1),
                    _ => {}
                }
            }
            match *q {
                "forall" => 1,
                "exists" => 0,
                _ => count,
            }
        }
        E::PostInc(v) => {
            let old = vars[*v];
            vars[*v] = old.wrapping_add(1);
            old
        }
        E::Set(v, e) => {
            vars[*v] = eval(e, vars)?;
            vars[*v]
        }
    })
}

/// Returns the number of cases; `MERKHET_CASES` overrides it.
fn cases() -> u32 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]
    #[test]
    fn compiled_code_agrees_with_a_plain_evaluator(e in expr(), start in prop::array::uniform4(-5i32..6)) {
        let text = format!(
            "int32_t v0 = {}, v1 = {}, v2 = {}, v3 = {}, r; const int t[3] = {{7, -2, 4}};
             process P() {{ state L; init L; trans L -> L {{ assign r = {}; }}; }} system P;",
            start[0], start[1], start[2], start[3], print(&e, 0)
        );
        let mut sources = Sources::new();
        let file = sources.add_file("e.xta", text.clone());
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xta);
        prop_assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
        let (model, _) = model::load(tree).map_err(|(_, d)| TestCaseError::fail(format!("{text}\n{d:?}")))?;
        let system = &model.system;
        let mut machine = Machine::new(&system.code, system.initial.len());
        machine.load(&system.initial);
        let mut vars = start;
        let expected = eval(&e, &mut vars);
        let found = system.edges[0].update.map_or(Ok(()), |pc| machine.execute(pc));
        prop_assert_eq!(found.is_ok(), expected.is_some(), "{}", text);
        if let Some(value) = expected {
            prop_assert_eq!(machine.row()[5], value, "{}", text);
            prop_assert_eq!(&machine.row()[1..5], &vars[..], "{}", text);
        }
    }
}
