//! Conditions and values as diagrams.
//!
//! A diagram is made along the order of its bits, by evaluation of the expression. Where intervals
//! decide a comparison, the bits that are left are not enumerated.

use std::collections::HashMap;

use model::symbolic::{Atom, Interval, TermId, Terms};
use rustc_hash::FxBuildHasher;

use super::encoding::{Encoding, SlotBits};
use crate::diagram::{Diagram, DiagramResult, DiagramStop, Diagrams};

/// The greatest number of nodes that are visited for one expression.
const MAX_VISITS: u32 = 1 << 18;
/// The greatest number of bits that an expression depends on, which is the depth of recursion.
const MAX_BITS: u32 = 512;

/// Why an expression has no diagram.
enum ExpressionRefusal {
    /// It has too many values, and is relaxed.
    TooLarge,
    /// All work ends.
    Stop(DiagramStop),
}

impl From<DiagramStop> for ExpressionRefusal {
    fn from(stop: DiagramStop) -> ExpressionRefusal {
        ExpressionRefusal::Stop(stop)
    }
}

/// The new value of a slot.
#[derive(Clone, Debug)]
pub(super) struct SlotValue {
    /// Where it is defined, and in the range of the slot.
    pub defined: Diagram,
    /// The bits of its code, the least significant first.
    pub bits: Vec<Diagram>,
}

/// The expressions of a pattern.
pub(super) struct Expressions<'a> {
    terms: &'a Terms,
    encoding: &'a Encoding,
    conditions: HashMap<Atom, Option<Diagram>, FxBuildHasher>,
    values: HashMap<(TermId, u32), Option<SlotValue>, FxBuildHasher>,
    /// Whether an expression was relaxed.
    pub relaxes: bool,
}

impl<'a> Expressions<'a> {
    pub(super) fn new(terms: &'a Terms, encoding: &'a Encoding) -> Expressions<'a> {
        let (conditions, values) = (HashMap::default(), HashMap::default());
        Expressions { terms, encoding, conditions, values, relaxes: false }
    }

    /// Returns the rows in which a comparison holds; `None`: it has too many values.
    pub(super) fn condition(&mut self, diagrams: &mut Diagrams<'_>, atom: Atom) -> DiagramResult<Option<Diagram>> {
        if let Some(known) = self.conditions.get(&atom) {
            return Ok(*known);
        }
        let support = self.terms.atom_support(atom).unwrap_or_default();
        let made = Evaluation::new(self.terms, self.encoding, &support).and_then(|mut e| e.condition(diagrams, atom));
        let made = self.relax(made)?;
        self.conditions.insert(atom, made);
        Ok(made)
    }

    /// Returns the value of a term for a slot; `None`: it has too many.
    pub(super) fn value(
        &mut self,
        diagrams: &mut Diagrams<'_>,
        term: TermId,
        target: &SlotBits,
    ) -> DiagramResult<Option<SlotValue>> {
        if let Some(known) = self.values.get(&(term, target.slot)) {
            return Ok(known.clone());
        }
        let support = self.terms.support(term).unwrap_or_default();
        let codes = Evaluation::new(self.terms, self.encoding, support)
            .and_then(|mut evaluation| evaluation.codes(diagrams, term, target));
        let made = match self.relax(codes)? {
            Some(codes) => {
                let defined = diagrams.where_number(codes, |code| code > 0)?;
                let bit = |significance: u32| move |code: u32| code > 0 && (code - 1) >> significance & 1 == 1;
                let bits = (0..target.width).map(|significance| diagrams.where_number(codes, bit(significance)));
                Some(SlotValue { defined, bits: bits.collect::<DiagramResult<_>>()? })
            }
            None => None,
        };
        self.values.insert((term, target.slot), made.clone());
        Ok(made)
    }

    fn relax(&mut self, made: Result<Diagram, ExpressionRefusal>) -> DiagramResult<Option<Diagram>> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(ExpressionRefusal::Stop(stop)) => Err(stop),
            Err(ExpressionRefusal::TooLarge) => {
                self.relaxes = true;
                Ok(None)
            }
        }
    }
}

/// The evaluation of an expression for all values of its slots.
struct Evaluation<'a> {
    terms: &'a Terms,
    /// The slots in the order of their levels, each with the codes that are left.
    slots: Vec<(SlotBits, u32, u32)>,
    visits: u32,
}

impl<'a> Evaluation<'a> {
    fn new(terms: &'a Terms, encoding: &Encoding, support: &[u32]) -> Result<Evaluation<'a>, ExpressionRefusal> {
        let bits: Option<Vec<SlotBits>> = support.iter().map(|slot| encoding.of(*slot).copied()).collect();
        let mut bits = bits.ok_or(ExpressionRefusal::TooLarge)?;
        bits.sort_by_key(|bits| bits.first_level);
        if bits.iter().map(|bits| bits.width).sum::<u32>() > MAX_BITS {
            return Err(ExpressionRefusal::TooLarge);
        }
        Ok(Evaluation { terms, slots: bits.into_iter().map(|bits| (bits, 0, bits.max)).collect(), visits: 0 })
    }

    fn interval(&self, slot: u32) -> Interval {
        let own = self.slots.iter().find(|(bits, ..)| bits.slot == slot);
        own.map_or(model::operation::ALL, |(bits, first, last)| {
            (i64::from(bits.low) + i64::from(*first), i64::from(bits.low) + i64::from(*last))
        })
    }

    /// Returns the value of a term, if all slots have one value.
    fn evaluate(&self, term: TermId) -> Option<i32> {
        self.terms.value(term, &|slot| self.interval(slot).0 as i32)
    }

    fn visit(&mut self, diagrams: &mut Diagrams<'_>) -> Result<(), ExpressionRefusal> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return Err(ExpressionRefusal::TooLarge);
        }
        Ok(diagrams.visit()?)
    }

    fn condition(&mut self, diagrams: &mut Diagrams<'_>, atom: Atom) -> Result<Diagram, ExpressionRefusal> {
        self.visit(diagrams)?;
        let terms = self.terms;
        let of = |slot| self.interval(slot);
        if !terms.may_hold(atom, &of) {
            return Ok(Diagram::FALSE);
        }
        let negated = Atom { cmp: atom.cmp.negate(), ..atom };
        if !terms.may_hold(negated, &of) && !terms.may_fail(atom.left, &of) && !terms.may_fail(atom.right, &of) {
            return Ok(Diagram::TRUE);
        }
        self.fork(diagrams, &mut |own, diagrams| own.condition(diagrams, atom), &mut |own, _| {
            let sides = own.evaluate(atom.left).zip(own.evaluate(atom.right));
            let holds = sides.is_some_and(|(left, right)| atom.cmp.holds(left, right));
            Ok(if holds { Diagram::TRUE } else { Diagram::FALSE })
        })
    }

    /// Returns the code of a term's value for a slot, plus one; 0: it is not defined, or out of the
    /// range.
    fn codes(
        &mut self,
        diagrams: &mut Diagrams<'_>,
        term: TermId,
        target: &SlotBits,
    ) -> Result<Diagram, ExpressionRefusal> {
        self.visit(diagrams)?;
        self.fork(diagrams, &mut |own, diagrams| own.codes(diagrams, term, target), &mut |own, diagrams| {
            let code = own.evaluate(term).and_then(|value| target.code(value));
            let number = code.map_or(Some(0), |code| code.checked_add(1)).ok_or(ExpressionRefusal::TooLarge)?;
            Ok(diagrams.number(number)?)
        })
    }

    /// Makes a node for the first bit that is not known, or an end if all are.
    fn fork(
        &mut self,
        diagrams: &mut Diagrams<'_>,
        part: &mut dyn FnMut(&mut Self, &mut Diagrams<'_>) -> Result<Diagram, ExpressionRefusal>,
        end: &mut dyn FnMut(&mut Self, &mut Diagrams<'_>) -> Result<Diagram, ExpressionRefusal>,
    ) -> Result<Diagram, ExpressionRefusal> {
        let Some(at) = self.slots.iter().position(|(_, first, last)| first < last) else { return end(self, diagrams) };
        let (bits, first, last) = self.slots[at];
        // The first bit in which the codes differ; all before it are known.
        let significance = u32::BITS - 1 - (first ^ last).leading_zeros();
        let middle = last >> significance << significance;
        self.slots[at] = (bits, first, middle - 1);
        let low = part(self, diagrams)?;
        self.slots[at] = (bits, middle, last);
        let high = part(self, diagrams)?;
        self.slots[at] = (bits, first, last);
        Ok(diagrams.node(bits.level(significance), low, high)?)
    }
}
