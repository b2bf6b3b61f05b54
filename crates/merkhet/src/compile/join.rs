//! Conditions of `--join`: expressions over two states.

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
use verify::{Joining, OptionError, Update};

use super::{Compiler, error::ExpressionError, messages};
use crate::{Options, OptionsError, reading};

impl Compiler<'_> {
    /// Returns the update and the strategy of joining that options describe.
    pub(super) fn joining(&mut self, options: &Options) -> Result<(Update, Joining), OptionsError> {
        let update = match (options.update, &options.join) {
            (Some(Update::Join) | None, Some(_)) => Update::Join,
            (Some(Update::Join) | None, None) if options.functions.join.is_some() => {
                return Ok((Update::Join, Joining::default()));
            }
            (Some(_), _) if options.functions.join.is_some() => return Err(OptionsError::NotJoined),
            (Some(_), Some(_)) => return Err(OptionsError::NotJoined),
            (update, None) => return Ok((update.unwrap_or(Update::Cover), Joining::default())),
        };
        let text = options.join.as_deref().unwrap_or_default();
        Ok(match self.strategy(text).map_err(OptionsError::Join)? {
            Some(joining) => (update, joining),
            None => (Update::Cover, Joining::default()),
        })
    }

    fn strategy(&mut self, text: &str) -> Result<Option<Joining>, OptionError> {
        let system = self.model.system.clone();
        Joining::read(text, &system, &mut |text| Ok(self.condition(text)?))
    }

    /// Compiles a condition: `x.v` is `v` in the stored state, `y.v` in the new one, `z.v` in their
    /// join.
    fn condition(&mut self, text: &str) -> Result<TwoStates, ExpressionError> {
        let file = self.sources.add_file("<join>", format!("sup: {text}"));
        let sources = &*self.sources;
        let queries = reading::complete(&mut self.model.tree, |tree| syntax::read_query(sources, file, tree));
        let [query] = &queries[..] else { return Err(ExpressionError::NotAnExpression(text.to_owned())) };
        if let Some(problem) = query.problems.first() {
            return Err(ExpressionError::Syntax(text.to_owned(), problem.message.clone()));
        }
        let QueryKind::Sup(_, list) = query.kind else { return Err(ExpressionError::NotAnExpression(text.to_owned())) };
        let [e] = *self.model.tree.list(list) else { return Err(ExpressionError::List(text.to_owned())) };
        Condition { compiler: self, known: HashMap::new() }.compile(e)
    }
}

/// Reads a strategy of joining; `None`: nothing is joined. The code of its conditions is added to
/// `system`.
///
/// # Errors
/// The first mistake.
pub fn read_join(
    text: &str,
    sources: &mut Sources,
    model: &mut Model,
    system: &mut System,
) -> Result<Option<Joining>, OptionError> {
    Compiler { sources, model, system }.strategy(text)
}

/// A condition that is being compiled.
struct Condition<'c, 'm> {
    compiler: &'c mut Compiler<'m>,
    /// The code of expressions about one state, by their text: it serves both states.
    known: HashMap<String, Pc>,
}

impl Condition<'_, '_> {
    fn compile(&mut self, e: ExprId) -> Result<TwoStates, ExpressionError> {
        let mut used = Vec::new();
        states(&self.compiler.model.tree, e, &mut used);
        if used.iter().all(|(_, which)| *which == used[0].1) {
            let which = used.first().map_or(Which::Stored, |(_, which)| *which);
            return self.single(e, which, &used);
        }
        let kind = self.compiler.model.tree.kind(e);
        let mut pair =
            |a, b| -> Result<_, ExpressionError> { Ok((Box::new(self.compile(a)?), Box::new(self.compile(b)?))) };
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
                    _ => Err(ExpressionError::Operator(op.text())),
                }
            }
            _ => Err(ExpressionError::MixedStates(
                self.compiler.sources.text(self.compiler.model.tree.span(e)).to_owned(),
            )),
        }
    }

    /// An expression that is about one state: it is that of the model without the state's name.
    fn single(&mut self, e: ExprId, which: Which, used: &[(ExprId, Which)]) -> Result<TwoStates, ExpressionError> {
        let span = self.compiler.model.tree.span(e);
        let mut text = self.compiler.sources.text(span).to_owned();
        let mut names: Vec<usize> =
            used.iter().map(|(name, _)| (self.compiler.model.tree.span(*name).start - span.start) as usize).collect();
        names.sort_unstable();
        for at in names.into_iter().rev() {
            // The name is one letter, and a dot follows it.
            if let Some(dot) = text[at..].find('.') {
                text.replace_range(at..=at + dot, "");
            }
        }
        if let Some(pc) = self.known.get(&text) {
            return Ok(TwoStates::Of(which, *pc));
        }
        let mut why = ExpressionError::Model(String::new());
        for values in [text.clone(), format!("({text}) ? 1 : 0")] {
            let lowered = self.compiler.values(&values, "<join>");
            match lowered.map(|query| self.compiler.system.with(&query)) {
                Ok((system, Property::Bounds { quantities, .. })) => match quantities[..] {
                    [Quantity::Integer(pc)] => {
                        self.known.insert(text, pc);
                        let constant = system.constant(pc);
                        *self.compiler.system = system;
                        return Ok(constant.map_or(TwoStates::Of(which, pc), TwoStates::Number));
                    }
                    _ => why = ExpressionError::NotAnInteger(text.clone()),
                },
                Ok(_) => {}
                // What is wrong with the expression itself, not with the query that is made of it
                // here.
                Err(problems) if problems.iter().any(|d| d.code == "side-effect") => {
                    return Err(ExpressionError::ConditionWrites(text));
                }
                Err(problems) if problems.iter().any(|d| d.message.ends_with("not a scalar")) => {
                    return Err(ExpressionError::Scalar(text));
                }
                Err(problems) => {
                    let mut said = messages(problems.iter().map(|d| d.message.as_str()));
                    if used.is_empty() && problems.iter().any(|d| d.code == "unknown-name") {
                        said.push_str("; the states are called `x` (stored), `y` (new) and `z` (their join)");
                    }
                    why = ExpressionError::Model(said);
                }
            }
        }
        Err(why)
    }
}

/// The names `x`, `y` and `z` of states in an expression.
fn states(tree: &Tree, e: ExprId, out: &mut Vec<(ExprId, Which)>) {
    let mut both = |a, b| {
        states(tree, a, out);
        states(tree, b, out);
    };
    match tree.kind(e) {
        ExprKind::Member(of, _) => match tree.kind(of) {
            ExprKind::Name(name) if tree.text(name) == "x" => out.push((of, Which::Stored)),
            ExprKind::Name(name) if tree.text(name) == "y" => out.push((of, Which::New)),
            ExprKind::Name(name) if tree.text(name) == "z" => out.push((of, Which::Joined)),
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
