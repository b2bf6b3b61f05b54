//! Abstract integers: terms, assignments and comparisons.

use lattice::{Term, TermOp, user};
use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, UnaryOp},
};

use super::{
    Lowerer, NotLowered, Result,
    expr::ExprValue,
    place::{MemoryPlace, Root},
};
use crate::{
    code::{Addr, CallKind, Cmp, LatticeCall, Op},
    operation::comparison,
    system::Shape,
    types::TyKind,
};

/// The environment of terms: elements, and concrete numbers at run time.
#[derive(Default)]
pub(super) struct Environment {
    elements: Vec<MemoryPlace>,
    values: Vec<Addr>,
}

impl Environment {
    /// Returns whether the members are clocks of an element.
    fn has_clocks(&self) -> bool {
        let lattice = |place: &MemoryPlace| match &*place.shape {
            Shape::Lattice { lattice, .. } => lattice.0.is_of_user(),
            _ => false,
        };
        self.elements.first().is_some_and(lattice)
    }

    /// Returns a term, to see its form.
    fn term<'t>(&self, ops: &'t [TermOp]) -> Term<'t> {
        const ANY: [i32; 64] = [0; 64];
        Term { ops, values: &ANY[..self.values.len().min(ANY.len())] }
    }
}

impl Lowerer<'_> {
    /// Returns whether an expression is an abstract integer.
    pub(super) fn is_abstract(&self, e: ExprId) -> bool {
        !self.checked.externs.is_empty() && self.checked.source(self.checked.ty(e)).is_some()
    }

    /// Returns whether an expression compares abstract integers.
    pub(super) fn compares_abstract(&self, e: ExprId) -> bool {
        match self.tree.kind(e) {
            ExprKind::Binary(op, a, b) => comparison(op).is_some() && (self.is_abstract(a) || self.is_abstract(b)),
            _ => false,
        }
    }

    /// Returns the member of an environment for a variable, or a part of one.
    fn member(&mut self, e: ExprId, environment: &mut Environment) -> Result<u32> {
        if let Some((place, number)) = self.element_clock(e)? {
            self.element_of(place, environment);
            return Ok(number);
        }
        let member = self.checked.name(e).and_then(|id| self.checked.member(id));
        let place = match (member, self.tree.kind(e)) {
            (Some((of, _)), ExprKind::Member(process, _)) => {
                let process = self.process_of(process)?.ok_or(NotLowered)?;
                let binding = self.s.processes[process as usize].get(&of).cloned().ok_or(NotLowered)?;
                self.place_of_binding(&binding)
            }
            (Some((of, _)), _) => self.place_of_symbol(of)?,
            (None, _) => self.place_of(e)?,
        };
        let element = self.element_of(place, environment);
        // If a variable has members, its element is the only one in the environment.
        Ok(member.map_or(element, |(_, number)| number))
    }

    /// Returns the index of an element in an environment. Guards are tested on copies.
    fn element_of(&mut self, mut place: MemoryPlace, environment: &mut Environment) -> u32 {
        if let Root::Fixed { ints, .. } = &mut place.root
            && let Some(copy) = self.copies.get(ints)
        {
            *ints = *copy;
        }
        let known = environment.elements.iter().position(|other| place.is_same(other));
        known.unwrap_or_else(|| {
            environment.elements.push(place);
            environment.elements.len() - 1
        }) as u32
    }

    /// Compiles a term, and adds its operands to the environment.
    fn term(&mut self, e: ExprId, environment: &mut Environment, out: &mut Vec<TermOp>) -> Result<()> {
        if !self.is_abstract(e) {
            let value = self.value(e)?;
            out.push(match value.known {
                Some(known) => TermOp::Const(known),
                None => {
                    let (from, to) = (self.address(value), self.temp());
                    self.emit(Op::Move { to, from });
                    environment.values.push(to);
                    TermOp::Value(environment.values.len() as u32 - 1)
                }
            });
            return Ok(());
        }
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) => {
                let member = self.member(e, environment)?;
                out.push(TermOp::Member(member));
                Ok(())
            }
            ExprKind::Unary(op, a) => {
                self.term(a, environment, out)?;
                out.extend((op == UnaryOp::Minus).then_some(TermOp::Neg));
                Ok(())
            }
            ExprKind::Binary(op, a, b) => {
                self.term(a, environment, out)?;
                self.term(b, environment, out)?;
                out.push(term_op(op).ok_or(NotLowered)?);
                Ok(())
            }
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.term(b, environment, out)
            }
            _ => {
                let message = "an integer of a lattice can't be changed in the middle of an expression";
                let d = Diagnostic::error("abstract", self.tree.span(e), message);
                Err(self.report(d.help("change it before or after, separated by a comma")))
            }
        })
    }

    /// Compiles an operation on an environment. Returns the address of the result.
    fn work(&mut self, environment: &Environment, kind: CallKind, span: Span) -> Result<Addr> {
        let Some(Shape::Lattice { lattice, .. }) = environment.elements.first().map(|place| &*place.shape) else {
            return Err(NotLowered);
        };
        let (elements, arguments) = (environment.elements.len() as u32, environment.values.len() as u32);
        let call = LatticeCall { lattice: lattice.clone(), elements, arguments, kind };
        let mut operands: Vec<Addr> = environment.elements.iter().map(|place| self.pointer(place)).collect();
        operands.extend(&environment.values);
        self.lattice_call(call, &operands, span)
    }

    /// Compiles a term for its effects alone.
    pub(super) fn evaluate_term(&mut self, e: ExprId) -> Result<()> {
        self.term(e, &mut Environment::default(), &mut Vec::new())
    }

    /// Compiles `target = value`, or `target op= value`.
    pub(super) fn assign_abstract(
        &mut self,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> Result<MemoryPlace> {
        let (mut environment, mut term) = (Environment::default(), Vec::new());
        let member = self.member(target, &mut environment)?;
        if let Some(op) = op {
            term.push(TermOp::Member(member));
            self.term(value, &mut environment, &mut term)?;
            term.push(term_op(op).ok_or(NotLowered)?);
        } else {
            self.term(value, &mut environment, &mut term)?;
        }
        self.require_settable(&environment, &term, span)?;
        self.work(&environment, CallKind::Assign { member, term }, span)?;
        environment.elements.into_iter().next().ok_or(NotLowered)
    }

    /// Requires that a clock of an element is set to an integer.
    fn require_settable(&mut self, environment: &Environment, term: &[TermOp], span: Span) -> Result<()> {
        if !environment.has_clocks() || user::may_set(&environment.term(term)) {
            return Ok(());
        }
        let message = "a clock of an element can only be set to an integer";
        Err(self.report(Diagnostic::error("assignment", span, message)))
    }

    /// Compiles `target++` or `target--`.
    pub(super) fn step_abstract(&mut self, up: bool, target: ExprId, span: Span) -> Result<()> {
        let mut environment = Environment::default();
        let member = self.member(target, &mut environment)?;
        let op = if up { TermOp::Add } else { TermOp::Sub };
        let term = vec![TermOp::Member(member), TermOp::Const(1), op];
        self.require_settable(&environment, &term, span)?;
        self.work(&environment, CallKind::Assign { member, term }, span)?;
        Ok(())
    }

    /// Initialises a variable of a function, or a part of one.
    pub(super) fn start_element(&mut self, place: &MemoryPlace, value: ExprId) -> Result<()> {
        let mut values = Vec::new();
        super::initial::default_values(&place.shape, &mut values);
        self.copy_constants(place, &values);
        let (mut environment, mut term) = (Environment::default(), Vec::new());
        environment.elements.push(place.clone());
        self.term(value, &mut environment, &mut term)?;
        self.work(&environment, CallKind::Assign { member: 0, term }, self.tree.span(value))?;
        Ok(())
    }

    /// Compiles a comparison of terms, or its negation. The result is whether some values may
    /// satisfy it.
    pub(super) fn compare_abstract(
        &mut self,
        e: ExprId,
        holds: bool,
        kind: impl FnOnce(Vec<TermOp>, Cmp, Vec<TermOp>) -> CallKind,
    ) -> Result<ExprValue> {
        let ExprKind::Binary(op, a, b) = self.tree.kind(e) else { return Err(NotLowered) };
        let cmp = comparison(op).ok_or(NotLowered)?;
        let cmp = if holds { cmp } else { cmp.negate() };
        let (mut environment, mut left, mut right) = (Environment::default(), Vec::new(), Vec::new());
        self.term(a, &mut environment, &mut left)?;
        self.term(b, &mut environment, &mut right)?;
        if environment.has_clocks() && !user::may_compare(&environment.term(&left), &environment.term(&right)) {
            let message = "a clock of an element, or the difference of two, is compared with an integer";
            return Err(self.report(Diagnostic::error("type", self.tree.span(e), message)));
        }
        let to = self.work(&environment, kind(left, cmp, right), self.tree.span(e))?;
        Ok(ExprValue::at(to, 0, 1))
    }

    /// Compiles a jump by a comparison. Both a comparison and its negation may be possible:
    /// `positive` selects one.
    pub(super) fn branch_abstract(&mut self, e: ExprId, when: bool) -> Result<Vec<usize>> {
        let positive = self.polarity;
        let may = self.compare_abstract(e, positive, CallKind::May)?;
        Ok(self.jump_if(if when == positive { Cmp::Ne } else { Cmp::Eq }, may, ExprValue::known(0)))
    }

    /// Returns the number of a member that is an argument of a method.
    pub(super) fn member_argument(&self, e: ExprId) -> Option<i32> {
        if !matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Abstract(_)) {
            return None;
        }
        let (_, number) = self.checked.name(e).and_then(|id| self.checked.member(id))?;
        Some(number as i32)
    }
}

impl MemoryPlace {
    /// Returns whether two places are certainly the same.
    fn is_same(&self, other: &MemoryPlace) -> bool {
        let base = |place: &MemoryPlace| match place.root {
            Root::Fixed { ints, .. } if place.ints.dynamic.is_none() => Some(ints + place.ints.fixed),
            _ => None,
        };
        base(self).is_some() && base(self) == base(other)
    }
}

fn term_op(op: BinaryOp) -> Option<TermOp> {
    Some(match op {
        BinaryOp::Add => TermOp::Add,
        BinaryOp::Sub => TermOp::Sub,
        BinaryOp::Mul => TermOp::Mul,
        BinaryOp::Div => TermOp::Div,
        BinaryOp::Mod => TermOp::Mod,
        _ => return None,
    })
}
