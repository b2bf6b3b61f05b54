//! What systems for random runs have besides: rates of locations, weights of branches, clocks with
//! other values than whole numbers.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syntax::{
    Diagnostic,
    ast::{BinaryOp, ExprId, ExprKind, Location, UnaryOp},
};

use super::{
    Lowerer, NotLowered, Result,
    place::{MemoryPlace, Root},
};
use crate::{
    code::{Op, Pc, RealCode, RealOp},
    stochastic::{ClockFlow, RealTerm, RunFormula, TimedCondition},
    system::{ClockId, ClockTerm, System},
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
    /// The rates of clocks that are not integers, by location.
    pub flows: Vec<Vec<ClockFlow>>,
    /// The conditions on clocks that the system itself can't express, by edge and by location.
    pub guards: Vec<Option<Box<TimedCondition>>>,
    pub invariants: Vec<Option<Box<TimedCondition>>>,
    /// The clocks that may have other values than whole numbers.
    analog: Vec<Range<u32>>,
    /// The initial values that are not whole numbers.
    pub starts: Vec<(ClockId, f64)>,
    /// Those of the variable that is being declared, by their indices in it.
    unplaced: Vec<(u32, f64)>,
}

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
                Some(over) => RealTerm::arith(RealOp::DIVIDE, first, self.real(over).ok()?),
                None => first,
            };
            // Where nothing can be taken, the rate 0 does no harm; elsewhere, runs say so.
            if let RealTerm::Number(number) = value
                && !(number >= 0.0 && number.is_finite())
            {
                let message = format!("the rate {number} of this location is not a positive number");
                self.report(Diagnostic::error("rate", self.tree.span(rate), message));
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

    /// Compiles an expression with a floating-point value.
    pub(super) fn real(&mut self, e: ExprId) -> Result<RealTerm> {
        syntax::grow(|| self.real_here(e))
    }

    fn real_here(&mut self, e: ExprId) -> Result<RealTerm> {
        if !self.depends_on_clocks(e) {
            return self.real_code(e, RealTerm::Real);
        }
        Ok(match self.tree.kind(e) {
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) => RealTerm::Clock(self.clock_term(e)?),
            ExprKind::Unary(UnaryOp::Plus, a) => self.real(a)?,
            ExprKind::Unary(UnaryOp::Minus, a) => RealTerm::Negation(Box::new(self.real(a)?)),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div), a, b) => {
                let op = RealOp::of(op).ok_or(NotLowered)?;
                RealTerm::arith(op, self.real(a)?, self.real(b)?)
            }
            ExprKind::Conditional(c, a, b) if !self.depends_on_clocks(c) => {
                match self.fresh(&[c], |l| l.known_condition(c))? {
                    Some(known) => self.real(if known { a } else { b })?,
                    None => {
                        let parts = Box::new([self.real(a)?, self.real(b)?]);
                        RealTerm::Choice(self.condition_code(c, false)?, parts)
                    }
                }
            }
            _ => self.real_code(e, RealTerm::Timed)?,
        })
    }

    /// Compiles an expression to code; a known value needs none.
    fn real_code(&mut self, e: ExprId, term: fn(Pc) -> RealTerm) -> Result<RealTerm> {
        self.fresh(&[e], |l| {
            if !l.is_real(e) {
                let value = l.value(e)?;
                if let Some(known) = value.known {
                    return Ok(RealTerm::Number(f64::from(known)));
                }
                let a = l.address(value);
                l.emit(Op::Yield { a });
                return Ok(RealTerm::Integer(l.finish()));
            }
            let value = l.real_value(e)?;
            if let Some(known) = value.known {
                return Ok(RealTerm::Number(known));
            }
            let a = l.real_address(value);
            l.emit(Op::Real { code: RealCode::Yield, to: a, a, b: a });
            Ok(term(l.finish()))
        })
    }

    /// Compiles a condition, negated if `negated`.
    pub(super) fn condition_code(&mut self, c: ExprId, negated: bool) -> Result<Pc> {
        self.fresh(&[c], |l| {
            let no = l.branch(c, negated)?;
            l.emit(Op::Answer { truth: true });
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            Ok(l.finish())
        })
    }

    /// Returns whether an expression reads clocks, perhaps in a function.
    pub(super) fn depends_on_clocks(&mut self, e: ExprId) -> bool {
        self.reads_clock(e, &mut Vec::new())
    }

    fn reads_clock(&mut self, e: ExprId, known: &mut Vec<u32>) -> bool {
        syntax::grow(|| {
            if matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Clock { .. } | TyKind::Diff) {
                return true;
            }
            let kind = self.tree.kind(e);
            if let ExprKind::Call(callee, _) = kind
                && let Ok(Some((f, _))) = self.callee(callee)
                && !known.contains(&f)
            {
                known.push(f);
                let mut inside = Vec::new();
                if let Some(body) = self.body_of(f) {
                    self.expressions(body, &mut inside);
                }
                if inside.into_iter().any(|e| self.reads_clock(e, known)) {
                    return true;
                }
            }
            let mut children = Vec::new();
            self.tree.children(kind, |_, child| children.push(child));
            children.into_iter().any(|child| self.reads_clock(child, known))
        })
    }

    /// Notes that a clock may have a value that is not a whole number.
    pub(super) fn note_analog(&mut self, place: &MemoryPlace) {
        let number = self.clock_number(place).known;
        let clocks = match (number, place.root) {
            (Some(known), _) => known as u32..known as u32 + 1,
            // Any of the array, or any at all.
            (None, Root::Fixed { clocks, .. }) => clocks..self.system.clocks.len() as u32,
            (None, Root::Reference { .. }) => 1..u32::MAX,
        };
        self.note_analog_clocks(clocks);
    }

    fn note_analog_clocks(&mut self, clocks: Range<u32>) {
        if let Some(chances) = &mut self.s.chances {
            chances.analog.push(clocks);
        }
    }

    /// Notes the initial value of a clock, which is number `index` of its variable. Returns the
    /// integer that the system has instead.
    pub(super) fn note_start(&mut self, index: usize, value: f64) -> i32 {
        if value >= 0.0 && value <= f64::from(i32::MAX) && value.fract() == 0.0 {
            return value as i32;
        }
        if let Some(chances) = &mut self.s.chances {
            chances.unplaced.push((index as u32, value));
        }
        0
    }

    /// Notes where the clocks of the last variable are.
    pub(super) fn note_starts(&mut self, first: u32) {
        let Some(chances) = &mut self.s.chances else { return };
        for (index, value) in chances.unplaced.drain(..) {
            chances.starts.push((ClockId(first + index), value));
            chances.analog.push(first + index..first + index + 1);
        }
    }

    /// Notes a rate that is not an integer.
    pub(super) fn note_flow_of(&mut self, clock: ClockTerm) {
        self.note_analog_clocks(match clock {
            ClockTerm::Clock(c) => c.0..c.0 + 1,
            ClockTerm::Element { first, count, .. } => first.0..first.0 + count,
        });
    }

    /// Notes what the location that was just added has beyond integers.
    pub(super) fn note_location(&mut self, flows: Vec<ClockFlow>, rest: Vec<TimedCondition>) {
        if let Some(chances) = &mut self.s.chances {
            chances.flows.push(flows);
            chances.invariants.push(joined(rest));
        }
    }

    /// Notes what the edge that was just added has beyond integers.
    pub(super) fn note_guard(&mut self, rest: &[TimedCondition]) {
        if let Some(chances) = &mut self.s.chances {
            chances.guards.push(joined(rest.to_vec()));
        }
    }
}

/// Joins conditions that all have to hold.
fn joined(mut rest: Vec<TimedCondition>) -> Option<Box<TimedCondition>> {
    if rest.len() < 2 {
        return rest.pop().map(Box::new);
    }
    let holds = RunFormula::join(true, rest.iter().map(|c| c.holds.clone()));
    let fails = RunFormula::join(false, rest.into_iter().map(|c| c.fails));
    Some(Box::new(TimedCondition { holds, fails }))
}

impl Chances {
    /// Returns which clocks have values that are no multiples of a step of time.
    pub(crate) fn analog(&self, system: &System) -> Vec<bool> {
        let mut analog = vec![false; system.clocks.len()];
        let mark = |analog: &mut [bool], clocks: Range<u32>| {
            let end = (clocks.end as usize).min(analog.len());
            analog[(clocks.start as usize).min(end)..end].fill(true);
        };
        self.analog.iter().for_each(|clocks| mark(&mut analog, clocks.clone()));
        // A copy of such a clock is one.
        let copies = || {
            system.code.ops().filter_map(|op| {
                if let Op::CopyClock { clock, from, .. } = op {
                    Some((system.code.constant(clock), system.code.constant(from)))
                } else {
                    None
                }
            })
        };
        loop {
            let before = analog.clone();
            for (to, from) in copies() {
                if from.map_or(analog.contains(&true), |from| analog[from as usize]) {
                    mark(&mut analog, to.map_or(1..u32::MAX, |to| to as u32..to as u32 + 1));
                }
            }
            if analog == before {
                return analog;
            }
        }
    }
}
