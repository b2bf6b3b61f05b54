//! How states are joined, as the command line says it.

use std::collections::HashMap;

use explore::merging::{TwoStates, Which};
use model::{
    Model, Property, Quantity, System,
    code::{Arith, Cmp, Pc},
    operation::comparison,
};
use syntax::{
    Sources, Tree,
    ast::{BinaryOp, ExprId, ExprKind, QueryKind, UnaryOp},
};
use verify::Joining;

use crate::{
    args::{Monotone, Update, VerifyArgs},
    queries,
};

/// What a command line says about joining.
pub struct Wishes<'a> {
    pub update: Option<Update>,
    pub join: Option<&'a str>,
    pub widen: Option<u32>,
    pub refine: bool,
    pub monotone: Monotone,
}

impl VerifyArgs {
    /// What it says about joining.
    pub fn wishes(&self) -> Wishes<'_> {
        Wishes {
            update: self.update,
            join: self.join.as_deref(),
            widen: self.widen,
            refine: !self.no_refine,
            monotone: self.monotone,
        }
    }
}

/// The update and the way of joining that the command line asks for. The code of its expressions is
/// added to `system`.
///
/// # Errors
/// What is wrong, in words.
pub fn joining(
    args: &Wishes<'_>,
    sources: &mut Sources,
    model: &mut Model,
    system: &mut System,
) -> Result<(verify::Update, Joining), String> {
    let mut update = match args.update {
        // A strategy is a wish to join.
        None if args.join.is_some() => verify::Update::Join,
        None | Some(Update::Cover) => verify::Update::Cover,
        Some(Update::Simple) => verify::Update::Simple,
        Some(Update::Join) => verify::Update::Join,
    };
    let mut joining = Joining::default();
    if let Some(text) = args.join {
        if update != verify::Update::Join {
            return Err("--join is about `--update join`, and has no use with another one".to_owned());
        }
        match read(text, sources, model, system).map_err(|why| format!("--join: {why}"))? {
            Some(chosen) => joining = chosen,
            None => update = verify::Update::Cover,
        }
    }
    joining.widen_after = args.widen;
    joining.refines = args.refine;
    joining.trusts = args.monotone == Monotone::Assume;
    Ok((update, joining))
}

/// The way of joining that the words of `--join` ask for; `None`: nothing is joined. The code of
/// its expressions is added to `system`.
///
/// # Errors
/// What is wrong, in words.
pub fn read(
    text: &str,
    sources: &mut Sources,
    model: &mut Model,
    system: &mut System,
) -> Result<Option<Joining>, String> {
    Joining::read(text, &model.system.clone(), &mut |text| condition(text, sources, model, system))
}

/// An expression over two states: `x.v` is `v` in the stored one, `y.v` in the new one.
fn condition(text: &str, sources: &mut Sources, model: &mut Model, system: &mut System) -> Result<TwoStates, String> {
    let file = sources.add_file("<join>", format!("sup: {text}"));
    let queries = queries::whole(&mut model.tree, |tree| syntax::read_query(sources, file, tree));
    let [query] = &queries[..] else { return Err(format!("`{text}` is no expression")) };
    if let Some(problem) = query.problems.first() {
        return Err(format!("`{text}`: {}", problem.message));
    }
    let QueryKind::Sup(_, list) = query.kind else { return Err(format!("`{text}` is no expression")) };
    let [e] = *model.tree.list(list) else { return Err(format!("`{text}` is more than one expression")) };
    Compiler { sources, model, system, known: HashMap::new() }.compile(e)
}

struct Compiler<'c> {
    sources: &'c mut Sources,
    model: &'c mut Model,
    /// What the code of expressions is added to.
    system: &'c mut System,
    /// What was compiled, by its text: what is said of both states is one expression.
    known: HashMap<String, Pc>,
}

impl Compiler<'_> {
    fn compile(&mut self, e: ExprId) -> Result<TwoStates, String> {
        let mut used = Vec::new();
        states(&self.model.tree, e, &mut used);
        if used.iter().all(|(_, which)| *which == used[0].1) {
            let which = used.first().map_or(Which::Stored, |(_, which)| *which);
            return self.single(e, which, &used);
        }
        let kind = self.model.tree.kind(e);
        let mut pair = |a, b| -> Result<_, String> { Ok((Box::new(self.compile(a)?), Box::new(self.compile(b)?))) };
        match kind {
            ExprKind::Unary(UnaryOp::Not, a) => Ok(TwoStates::Not(Box::new(self.compile(a)?))),
            ExprKind::Unary(UnaryOp::Plus, a) => self.compile(a),
            ExprKind::Unary(UnaryOp::Minus, a) => {
                Ok(TwoStates::Arith(Arith::Sub, Box::new(TwoStates::Number(0)), Box::new(self.compile(a)?)))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = pair(a, b)?;
                match (op, Arith::of(op), comparison(op)) {
                    (_, Some(op), _) => Ok(TwoStates::Arith(op, a, b)),
                    (_, _, Some(cmp)) => Ok(TwoStates::Compare(cmp, a, b)),
                    (BinaryOp::And, ..) => Ok(TwoStates::And(a, b)),
                    (BinaryOp::Or, ..) => Ok(TwoStates::Or(a, b)),
                    (BinaryOp::Imply, ..) => Ok(TwoStates::Or(Box::new(TwoStates::Not(a)), b)),
                    (BinaryOp::Xor, ..) => {
                        Ok(TwoStates::Compare(Cmp::Ne, Box::new(TwoStates::Not(a)), Box::new(TwoStates::Not(b))))
                    }
                    _ => Err(format!("`{}` is not possible here", op.text())),
                }
            }
            _ => Err(format!(
                "`{}` mixes both states; keep each argument, index and branch to one of them",
                self.sources.text(self.model.tree.span(e))
            )),
        }
    }

    /// An expression that is about one state: it is that of the model without the state's name.
    fn single(&mut self, e: ExprId, which: Which, used: &[(ExprId, Which)]) -> Result<TwoStates, String> {
        let span = self.model.tree.span(e);
        let mut text = self.sources.text(span).to_owned();
        let mut names: Vec<usize> =
            used.iter().map(|(name, _)| (self.model.tree.span(*name).start - span.start) as usize).collect();
        names.sort_unstable();
        for at in names.into_iter().rev() {
            // The name is one letter, and a dot comes behind it.
            if let Some(dot) = text[at..].find('.') {
                text.replace_range(at..=at + dot, "");
            }
        }
        if let Some(pc) = self.known.get(&text) {
            return Ok(TwoStates::Of(which, *pc));
        }
        let mut told = String::new();
        for values in [text.clone(), format!("({text}) ? 1 : 0")] {
            let lowered = queries::values(&values, "<join>", self.sources, self.model);
            match lowered.map(|query| self.system.with(&query)) {
                Ok((system, Property::Bounds { quantities, .. })) => match quantities[..] {
                    [Quantity::Integer(pc)] => {
                        self.known.insert(text, pc);
                        let constant = system.constant(pc);
                        *self.system = system;
                        return Ok(constant.map_or(TwoStates::Of(which, pc), TwoStates::Number));
                    }
                    _ => told = format!("`{text}` is no integer"),
                },
                Ok(_) => {}
                // What is wrong with the expression itself, not with the query that is made of it
                // here.
                Err(problems) if problems.iter().any(|d| d.code == "side-effect") => {
                    return Err(format!("`{text}` changes something, and a condition may only read"));
                }
                Err(problems) if problems.iter().any(|d| d.message.ends_with("not a scalar")) => {
                    return Err(format!(
                        "`{text}` is a scalar, which has no number to compare; states that are joined agree on it anyway"
                    ));
                }
                Err(problems) => {
                    let all: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
                    told = all.join("; ");
                    if used.is_empty() && problems.iter().any(|d| d.code == "unknown-name") {
                        told.push_str("; the two states are called `x` (stored) and `y` (new)");
                    }
                }
            }
        }
        Err(told)
    }
}

/// The names `x` and `y` of states in an expression.
fn states(tree: &Tree, e: ExprId, out: &mut Vec<(ExprId, Which)>) {
    let mut both = |a, b| {
        states(tree, a, out);
        states(tree, b, out);
    };
    match tree.kind(e) {
        ExprKind::Member(of, _) => match tree.kind(of) {
            ExprKind::Name(name) if tree.text(name) == "x" => out.push((of, Which::Stored)),
            ExprKind::Name(name) if tree.text(name) == "y" => out.push((of, Which::New)),
            _ => states(tree, of, out),
        },
        ExprKind::Unary(_, a) => states(tree, a, out),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => both(a, b),
        ExprKind::Conditional(a, b, c) => {
            both(a, b);
            states(tree, c, out);
        }
        ExprKind::Call(f, args) => {
            states(tree, f, out);
            tree.list(args).iter().for_each(|arg| states(tree, *arg, out));
        }
        ExprKind::Quantifier(_, _, _, body) => states(tree, body, out),
        _ => {}
    }
}
