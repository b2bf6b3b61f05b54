//! Order and join of elements of lattices.

use lattice::{Lattice, SlotOrder, Trend};
use model::{
    Stop, System,
    machine::{Fault, FaultKind, Machine},
    system::{LatticeOrder, ModelOrder},
};

use super::{ElementKey, ElementMark};
use crate::pages::hash_integers;

/// A violation of the laws by a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// The variable, by its index in [`model::Network::lattices`].
    pub variable: usize,
    /// The violated law.
    pub kind: DisorderKind,
    /// The two elements.
    pub elements: [Vec<i32>; 2],
}

impl Disorder {
    /// Returns the reason if a function was stopped.
    pub(crate) fn stop(&self) -> Option<Stop> {
        match &self.kind {
            DisorderKind::Fails(Fault { kind: FaultKind::Stopped(stop), .. }) => Some(*stop),
            _ => None,
        }
    }
}

/// A law that two elements violate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisorderKind {
    /// Their join is not an upper bound.
    Join(Vec<i32>),
    /// They differ, but each is less than or equal to the other.
    Equal,
    /// A function of the model fails on them.
    Fails(Fault),
}

enum ElementOrder<'a> {
    /// Greater elements have more bits.
    MoreBits,
    /// Greater elements have fewer bits.
    FewerBits,
    Library(&'a dyn Lattice),
    Model(ModelOrder),
}

/// A variable that may be joined.
struct VariableOrder<'a> {
    variable: usize,
    /// Its offset among all elements.
    at: usize,
    width: usize,
    order: ElementOrder<'a>,
    /// Whether the order is one of the model, or a lattice of the user.
    is_of_user: bool,
}

/// The orders of all variables that may be joined. Their elements are concatenated.
pub(super) struct Orders<'a> {
    parts: Vec<VariableOrder<'a>>,
    /// If all elements are bit sets: a mask for each integer, with all bits set if greater elements
    /// have fewer bits.
    bits: Option<Vec<i32>>,
    /// The order of each integer, if it has one.
    slots: Vec<Option<SlotOrder>>,
    /// The number of integers that have one.
    ordered: usize,
    machine: Machine<'a>,
}

impl<'a> Orders<'a> {
    pub(super) fn new(system: &'a System, merged: &[usize]) -> Orders<'a> {
        let mut at = 0;
        let mut parts = Vec::new();
        for (variable, v) in merged.iter().map(|i| (*i, &system.lattices[*i])) {
            let order = match v.order {
                LatticeOrder::Library(number) => {
                    let lattice = &*system.library[number as usize].0;
                    match lattice.bit_trend() {
                        // Lattices whose bits have a trend are ordered like sets. This is fast.
                        _ if lattice.bits().is_empty() => ElementOrder::Library(lattice),
                        Trend::Rises => ElementOrder::MoreBits,
                        Trend::Falls => ElementOrder::FewerBits,
                        Trend::Varies => ElementOrder::Library(lattice),
                    }
                }
                LatticeOrder::Model(order) => ElementOrder::Model(order),
            };
            let is_of_user = match order {
                ElementOrder::MoreBits | ElementOrder::FewerBits => false,
                ElementOrder::Library(lattice) => lattice.is_of_user(),
                ElementOrder::Model(_) => true,
            };
            parts.push(VariableOrder { variable, at, width: v.width as usize, order, is_of_user });
            at += v.width as usize;
        }
        let flips = |part: &VariableOrder<'_>| match part.order {
            ElementOrder::MoreBits => Some(vec![0; part.width]),
            ElementOrder::FewerBits => Some(vec![-1; part.width]),
            ElementOrder::Library(_) | ElementOrder::Model(_) => None,
        };
        let bits = parts.iter().map(flips).collect::<Option<Vec<_>>>().map(|flips| flips.concat());
        let slots: Vec<Option<SlotOrder>> = parts.iter().flat_map(VariableOrder::slots).collect();
        let ordered = slots.iter().flatten().count();
        Orders { parts, bits, slots, ordered, machine: Machine::new(&system.code, system.initial.len()) }
    }

    /// Returns the variables with their ranges among all elements.
    pub(super) fn variables(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        self.parts.iter().map(|part| (part.variable, part.at..part.at + part.width))
    }

    /// Returns whether elements are less than or equal to others.
    #[inline]
    pub(super) fn leq(&mut self, a: &[i32], b: &[i32]) -> Result<bool, Disorder> {
        if let Some(flips) = &self.bits {
            return Ok(is_subset(a, b, flips));
        }
        self.leq_by_parts(a, b)
    }

    /// Returns the first of several concatenated lists of elements, starting at an index, that may
    /// be above others, or below them. For bit sets this skips most lists.
    pub(super) fn next(&self, of: &[i32], lists: &[i32], from: usize, above: bool) -> usize {
        let (Some(flips), false) = (&self.bits, of.is_empty()) else { return from };
        let is_related = |list: &[i32]| {
            let (small, large) = if above { (of, list) } else { (list, of) };
            is_subset(small, large, flips)
        };
        let mut rest = lists.chunks_exact(of.len()).skip(from);
        rest.position(is_related).map_or(lists.len() / of.len(), |i| from + i)
    }

    /// Returns the key of elements for an index; `None`: none of their integers has an order.
    pub(super) fn key(&self, elements: &[i32]) -> Option<ElementKey> {
        let mark = match &self.bits {
            Some(flips) => ElementMark::of_bits(elements, flips),
            None if self.ordered == 0 => return None,
            None => ElementMark::new(elements, &self.slots),
        };
        Some(ElementKey { mark, hash: hash_integers(elements), is_ordered: self.ordered == self.slots.len() })
    }

    fn leq_by_parts(&mut self, a: &[i32], b: &[i32]) -> Result<bool, Disorder> {
        for part in &self.parts {
            let (a, b) = (part.of(a), part.of(b));
            // An element covers itself, whatever a function of the model returns. This is sound.
            if a == b {
                continue;
            }
            if !part.leq(a, b, &mut self.machine)? {
                return Ok(false);
            }
            // The laws of the library are tested elsewhere.
            if part.is_of_user && part.leq(b, a, &mut self.machine)? {
                return Err(part.disorder(DisorderKind::Equal, a, b));
            }
        }
        Ok(true)
    }

    /// Joins elements, or widens them where thresholds are given.
    pub(super) fn join(&mut self, into: &mut [i32], other: &[i32], widen: Option<&[i32]>) -> Result<(), Disorder> {
        for part in &self.parts {
            let into = &mut into[part.at..part.at + part.width];
            let other = part.of(other);
            if into == other {
                continue;
            }
            let before = into.to_vec();
            part.join(into, other, widen, &mut self.machine)?;
            for operand in [&before[..], other] {
                if operand != into && !part.leq(operand, into, &mut self.machine)? {
                    return Err(part.disorder(DisorderKind::Join(into.to_vec()), &before, other));
                }
            }
        }
        Ok(())
    }
}

/// Returns whether bits, of which some are inverted, are a subset of others.
#[inline]
fn is_subset(a: &[i32], b: &[i32], flips: &[i32]) -> bool {
    let extra = |((a, b), flip): ((&i32, &i32), &i32)| (a ^ flip) & !(b ^ flip);
    if a.len() < 8 {
        return a.iter().zip(b).zip(flips).all(|one| extra(one) == 0);
    }
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let (flips, flips_rest) = flips.as_chunks::<8>();
    // Blocks of integers are compared at once.
    let blocks = a.iter().zip(b).zip(flips);
    blocks.into_iter().all(|((a, b), flips)| a.iter().zip(b).zip(flips).map(extra).fold(0, |all, one| all | one) == 0)
        && a_rest.iter().zip(b_rest).zip(flips_rest).all(|one| extra(one) == 0)
}

impl VariableOrder<'_> {
    fn of<'e>(&self, elements: &'e [i32]) -> &'e [i32] {
        &elements[self.at..self.at + self.width]
    }

    /// Returns the orders of its integers.
    fn slots(&self) -> impl Iterator<Item = Option<SlotOrder>> {
        (0..self.width).map(|slot| match self.order {
            ElementOrder::MoreBits => Some(SlotOrder::MoreBits),
            ElementOrder::FewerBits => Some(SlotOrder::FewerBits),
            ElementOrder::Library(lattice) => lattice.slot_order(slot),
            ElementOrder::Model(_) => None,
        })
    }

    fn disorder(&self, kind: DisorderKind, a: &[i32], b: &[i32]) -> Disorder {
        Disorder { variable: self.variable, kind, elements: [a.to_vec(), b.to_vec()] }
    }

    fn leq(&self, a: &[i32], b: &[i32], machine: &mut Machine<'_>) -> Result<bool, Disorder> {
        match self.order {
            ElementOrder::MoreBits => Ok(a.iter().zip(b).all(|(a, b)| a & !b == 0)),
            ElementOrder::FewerBits => Ok(a.iter().zip(b).all(|(a, b)| b & !a == 0)),
            ElementOrder::Library(lattice) => Ok(lattice.leq(a, b)),
            ElementOrder::Model(order) => {
                let fails = |fault| self.disorder(DisorderKind::Fails(fault), a, b);
                machine.is_leq(&order, a, b).map_err(fails)
            }
        }
    }

    fn join(
        &self,
        into: &mut [i32],
        other: &[i32],
        widen: Option<&[i32]>,
        machine: &mut Machine<'_>,
    ) -> Result<(), Disorder> {
        match self.order {
            ElementOrder::MoreBits => into.iter_mut().zip(other).for_each(|(a, b)| *a |= b),
            ElementOrder::FewerBits => into.iter_mut().zip(other).for_each(|(a, b)| *a &= b),
            ElementOrder::Library(lattice) => {
                match widen {
                    Some(thresholds) => lattice.widen(into, other, thresholds),
                    None => lattice.join(into, other),
                };
            }
            ElementOrder::Model(order) => {
                let made = match widen {
                    Some(_) => machine.widen(&order, into, other),
                    None => machine.join(&order, into, other),
                };
                let made = made.map_err(|fault| self.disorder(DisorderKind::Fails(fault), into, other))?;
                into.copy_from_slice(made);
            }
        }
        Ok(())
    }
}
