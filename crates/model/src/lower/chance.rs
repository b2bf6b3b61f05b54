//! Rates of locations, weights of branches, and other floating-point values of statistical queries.

use rustc_hash::FxHashMap;
use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, Location, UnaryOp},
};

use super::{Lowerer, NotLowered, Result};
use crate::{
    builtin,
    code::Op,
    stochastic::{FUNCTIONS, RealArith, RealTerm},
    symbols::{SymbolId, SymbolKind},
    types::TyKind,
};

/// What the branches of an edge have in common: process, edge and selected values. Each may have a
/// synchronisation of its own, and the edge may have one for each channel that an index can select.
type StemKey = (u32, u32, Box<[i32]>);

/// What a system has for random runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chances {
    /// The rates of locations.
    pub rates: Vec<Option<RealTerm>>,
    /// The weights of edges.
    pub weights: Vec<RealTerm>,
    /// The numbers of the edges before branchpoints, by edge.
    pub stems: Vec<u32>,
    /// These numbers, by what such edges have in common.
    known_stems: FxHashMap<StemKey, u32>,
    /// The values of floating-point constants and parameters.
    reals: FxHashMap<SymbolId, f64>,
}

/// Why a floating-point value could not be compiled.
pub(super) enum NotReal {
    /// It has been reported.
    Reported,
    /// A part that is not supported.
    Unsupported(Span, &'static str, &'static str),
}

impl From<NotLowered> for NotReal {
    fn from(NotLowered: NotLowered) -> NotReal {
        NotReal::Reported
    }
}

const VARIABLES: &str = "floating-point variables";
const FUNCTION: &str = "functions of this kind";

impl Lowerer<'_> {
    /// Returns whether the system is for statistical queries.
    pub(super) fn is_stochastic(&self) -> bool {
        self.s.chances.is_some()
    }

    /// Notes the rate of a location that was just added.
    pub(super) fn note_rate(&mut self, location: &Location) {
        if !self.is_stochastic() {
            return;
        }
        let rate = location.rate.and_then(|(rate, over)| {
            let first = self.real(rate).ok()?;
            let value = match over {
                Some(over) => RealTerm::arith(RealArith::Divide, first, self.real(over).ok()?),
                None => first,
            };
            if let RealTerm::Number(number) = value
                && !(number > 0.0 && number.is_finite())
            {
                let message = format!("the rate {number} of this location is not a positive number");
                let mut d = Diagnostic::error("rate", self.tree.span(rate), message);
                if number == 0.0 && over.is_none() {
                    d = d.help("the division of integers is an integer: write `1:10` for a rate of a tenth");
                }
                self.report(d);
            }
            Some(value)
        });
        if let Some(chances) = &mut self.s.chances {
            chances.rates.push(rate);
        }
    }

    /// Returns the weight of a branch; 1 if none is written.
    pub(super) fn weight(&mut self, written: Option<ExprId>) -> RealTerm {
        let one = RealTerm::Number(1.0);
        let Some(e) = written.filter(|_| self.is_stochastic()) else { return one };
        let Ok(weight) = self.real(e) else { return one };
        if let RealTerm::Number(number) = weight
            && !(number >= 0.0 && number.is_finite())
        {
            let message = format!("the weight {number} of this branch is negative or infinite");
            self.report(Diagnostic::error("weight", self.tree.span(e), message));
        }
        weight
    }

    /// Notes the weight of the edge that was just added. The first `selected` of its selected
    /// values are those of the edge before the branchpoint.
    pub(super) fn note_weight(&mut self, weight: &RealTerm, selected: usize) {
        let (Some(chances), Some(edge)) = (&mut self.s.chances, self.system.edges.last()) else { return };
        let key = (edge.process.0, edge.origin, edge.select[..selected].into());
        let next = chances.known_stems.len() as u32;
        chances.stems.push(*chances.known_stems.entry(key).or_insert(next));
        chances.weights.push(weight.clone());
    }

    /// Notes the value of a floating-point constant or parameter.
    pub(super) fn note_real(&mut self, id: SymbolId, value: ExprId) {
        if !self.is_stochastic() {
            return;
        }
        let value = match self.real_quietly(value) {
            Ok(RealTerm::Number(value)) => Some(value),
            _ => None,
        };
        let Some(chances) = &mut self.s.chances else { return };
        match value {
            Some(value) => chances.reals.insert(id, value),
            None => chances.reals.remove(&id),
        };
    }

    /// Compiles a floating-point value.
    pub(super) fn real(&mut self, e: ExprId) -> Result<RealTerm> {
        self.real_quietly(e).map_err(|why| match why {
            NotReal::Reported => NotLowered,
            NotReal::Unsupported(span, what, why) => self.unsupported(span, what, why),
        })
    }

    fn real_quietly(&mut self, e: ExprId) -> Result<RealTerm, NotReal> {
        syntax::grow(|| self.real_here(e))
    }

    fn real_here(&mut self, e: ExprId) -> Result<RealTerm, NotReal> {
        let span = self.tree.span(e);
        match self.checked.types.kind(self.checked.ty(e)) {
            TyKind::Int(_) | TyKind::Bool => return Ok(self.integer(e)?),
            TyKind::Clock { hybrid: false } => return Ok(RealTerm::Clock(self.clock_term(e)?)),
            TyKind::Clock { hybrid: true } => {
                return Err(NotReal::Unsupported(span, "hybrid clocks", "their value is not tracked"));
            }
            TyKind::Double | TyKind::Diff => {}
            _ => return Err(NotReal::Reported),
        }
        match self.tree.kind(e) {
            ExprKind::Float(x) => Ok(RealTerm::Number(x)),
            ExprKind::Name(sym) => self.real_name(e, self.tree.text(sym), span),
            ExprKind::Unary(UnaryOp::Plus, a) => self.real_quietly(a),
            ExprKind::Unary(UnaryOp::Minus, a) => Ok(match self.real_quietly(a)? {
                RealTerm::Number(x) => RealTerm::Number(-x),
                other => RealTerm::Negation(Box::new(other)),
            }),
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Add => RealArith::Add,
                    BinaryOp::Sub => RealArith::Subtract,
                    BinaryOp::Mul => RealArith::Multiply,
                    BinaryOp::Div => RealArith::Divide,
                    BinaryOp::Pow => RealArith::Power,
                    BinaryOp::Min => RealArith::Minimum,
                    BinaryOp::Max => RealArith::Maximum,
                    _ => return Err(NotReal::Unsupported(span, "operators of this kind", "on floating-point numbers")),
                };
                Ok(RealTerm::arith(op, self.real_quietly(a)?, self.real_quietly(b)?))
            }
            ExprKind::Conditional(c, a, b) => {
                let (a, b) = (self.real_quietly(a)?, self.real_quietly(b)?);
                match self.fresh(&[c], |l| l.known_condition(c))? {
                    Some(known) => Ok(if known { a } else { b }),
                    None => Ok(RealTerm::Choice(self.condition_code(c)?, Box::new([a, b]))),
                }
            }
            ExprKind::Call(callee, args) => {
                let args = self.tree.list(args).to_vec();
                let ExprKind::Name(name) = self.tree.kind(callee) else { return Err(NotReal::Reported) };
                self.real_call(self.tree.text(name), self.checked.name(callee).is_some(), &args, span)
            }
            _ => Err(NotReal::Unsupported(span, VARIABLES, "only constants are supported here")),
        }
    }

    fn real_name(&self, e: ExprId, text: &str, span: Span) -> Result<RealTerm, NotReal> {
        let id = self.checked.name(e).ok_or(NotReal::Reported)?;
        if self.checked.symbols.get(id).kind == SymbolKind::PredeclaredDouble
            && let Some((_, value)) = builtin::DOUBLES.iter().find(|(name, _)| *name == text)
        {
            return Ok(RealTerm::Number(*value));
        }
        match self.s.chances.as_ref().and_then(|chances| chances.reals.get(&id)) {
            Some(value) => Ok(RealTerm::Number(*value)),
            None => Err(NotReal::Unsupported(span, VARIABLES, "only constants are supported here")),
        }
    }

    fn real_call(&mut self, name: &str, of_user: bool, args: &[ExprId], span: Span) -> Result<RealTerm, NotReal> {
        let unsupported = Err(NotReal::Unsupported(span, FUNCTION, "in statistical queries"));
        if of_user {
            return unsupported;
        }
        let two = match name {
            "pow" => Some(RealArith::Power),
            "fmin" => Some(RealArith::Minimum),
            "fmax" => Some(RealArith::Maximum),
            _ => None,
        };
        match (args, FUNCTIONS.iter().find(|f| f.name == name), two) {
            ([a], Some(function), _) => Ok(match self.real_quietly(*a)? {
                RealTerm::Number(x) => RealTerm::Number((function.apply)(x)),
                other => RealTerm::Function(*function, Box::new(other)),
            }),
            ([a, b], None, Some(op)) => Ok(RealTerm::arith(op, self.real_quietly(*a)?, self.real_quietly(*b)?)),
            _ => unsupported,
        }
    }

    /// Compiles an integer as a floating-point value.
    fn integer(&mut self, e: ExprId) -> Result<RealTerm> {
        self.fresh(&[e], |l| {
            let value = l.value(e)?;
            if let Some(known) = value.known {
                return Ok(RealTerm::Number(f64::from(known)));
            }
            let a = l.address(value);
            l.emit(Op::Yield { a });
            Ok(RealTerm::Integer(l.finish()))
        })
    }

    fn condition_code(&mut self, c: ExprId) -> Result<crate::code::Pc> {
        self.fresh(&[c], |l| {
            let no = l.branch(c, false)?;
            l.emit(Op::Answer { truth: true });
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            Ok(l.finish())
        })
    }
}
