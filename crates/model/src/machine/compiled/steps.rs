//! Steps: instructions on a memory of fixed size, several of the code's instructions in each.
//!
//! Addresses have 16 bits and the memory has a number for each of them, so that no access needs a
//! check. A step that would fail does nothing and ends the run; the caller then interprets the code
//! from its beginning, which finds the failure.

use super::simplify::Constants;
use crate::{
    code::Addr,
    interpret::{self, CodeResult},
    machine::ClockChange,
    operation::{ALL, Arith, Cmp, Unary},
};

/// The size of the memory.
pub(super) const SIZE: usize = 1 << 16;
/// The number of steps of long code.
const MANY: usize = 24;

/// `m[a]` is the number at an address. Jumps have the index of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compound {
    /// `m[to] = m[from]`
    Move {
        to: u16,
        from: u16,
    },
    /// The same, if it is within `m[bounds]` and `m[bounds + 1]`.
    MoveWithin {
        to: u16,
        from: u16,
        bounds: u16,
    },
    /// `m[to] = m[a] + m[b]`
    Add {
        to: u16,
        a: u16,
        b: u16,
    },
    /// The same, if it is within `m[bounds]` and `m[bounds + 1]`.
    AddWithin {
        to: u16,
        a: u16,
        b: u16,
        bounds: u16,
    },
    /// `m[to] = m[a] - m[b]`
    Sub {
        to: u16,
        a: u16,
        b: u16,
    },
    /// The same, if it is within `m[bounds]` and `m[bounds + 1]`.
    SubWithin {
        to: u16,
        a: u16,
        b: u16,
        bounds: u16,
    },
    Arith {
        op: Arith,
        to: u16,
        a: u16,
        b: u16,
    },
    Unary {
        op: Unary,
        to: u16,
        a: u16,
    },
    Compare {
        cmp: Cmp,
        to: u16,
        a: u16,
        b: u16,
    },
    Jump {
        to: u16,
    },
    JumpEq {
        a: u16,
        b: u16,
        to: u16,
    },
    JumpNe {
        a: u16,
        b: u16,
        to: u16,
    },
    JumpLt {
        a: u16,
        b: u16,
        to: u16,
    },
    JumpLe {
        a: u16,
        b: u16,
        to: u16,
    },
    /// A jump that counts, since the code may not end otherwise.
    Back {
        to: u16,
    },
    BackIf {
        cmp: Cmp,
        a: u16,
        b: u16,
        to: u16,
    },
    /// Goes on if `m[a]` is within `m[bounds]` and `m[bounds + 1]`.
    Within {
        a: u16,
        bounds: u16,
    },
    /// `m[to] = (m[index] - low) * stride`, if that is in the array of this shape.
    Index {
        to: u16,
        index: u16,
        shape: u16,
    },
    /// `m[to] = m[base + m[index]]`, if the index is less than `len`.
    LoadAt {
        to: u16,
        index: u16,
        base: u16,
        len: u16,
    },
    /// `m[base + m[index]] = m[from]`, if the index is less than `len`.
    StoreAt {
        from: u16,
        index: u16,
        base: u16,
        len: u16,
    },
    /// `m[to] = m[base + offset]` with the offset of [`Compound::Index`].
    LoadIndexed {
        to: u16,
        index: u16,
        base: u16,
        shape: u16,
    },
    /// `m[base + offset] = m[from]` with the offset of [`Compound::Index`].
    StoreIndexed {
        from: u16,
        index: u16,
        base: u16,
        shape: u16,
    },
    /// `m[to] = m[base + m[offset]]`
    Load {
        to: u16,
        base: u16,
        offset: u16,
    },
    /// `m[base + m[offset]] = m[from]`
    Store {
        from: u16,
        base: u16,
        offset: u16,
    },
    /// `m[to] = m[m[pointer] + m[offset]]`
    LoadRef {
        to: u16,
        pointer: u16,
        offset: u16,
    },
    /// `m[m[pointer] + m[offset]] = m[from]`
    StoreRef {
        from: u16,
        pointer: u16,
        offset: u16,
    },
    /// `m[to] = base + m[offset]`
    Point {
        to: u16,
        base: u16,
        offset: u16,
    },
    Copy {
        to: u16,
        from: u16,
        len: u16,
    },
    Same {
        a: u16,
        b: u16,
        len: u16,
    },
    Bit {
        to: u16,
        base: u16,
        bit: u16,
    },
    SetBit {
        base: u16,
        bit: u16,
        from: u16,
    },
    SetClock {
        clock: u16,
        value: u16,
    },
    CopyClock {
        clock: u16,
        from: u16,
        plus: u16,
    },
    /// Goes on if `m[a]` is not zero.
    Assert {
        a: u16,
    },
    Answer {
        truth: bool,
    },
    Yield {
        a: u16,
    },
    End,
}

/// Steps that begin with the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub steps: Vec<Compound>,
    /// The greatest number of backward jumps.
    pub rounds: u32,
    pub has_loops: bool,
    /// Whether a run may end without a result.
    pub may_give_up: bool,
}

impl Compound {
    /// Returns whether it may end a run without a result.
    pub(super) fn may_fail(&self, constants: &Constants<'_>) -> bool {
        match *self {
            Compound::SetClock { value, .. } => constants.value(value.into()).is_none_or(|value| value < 0),
            Compound::Arith { op, b, .. } => constants.value(b.into()).map_or(op.may_fail(ALL), |b| op.fails(b)),
            Compound::MoveWithin { .. }
            | Compound::AddWithin { .. }
            | Compound::SubWithin { .. }
            | Compound::Within { .. } => true,
            Compound::Index { .. } | Compound::LoadAt { .. } | Compound::StoreAt { .. } => true,
            Compound::LoadIndexed { .. } | Compound::StoreIndexed { .. } => true,
            Compound::Assert { .. } => true,
            Compound::Copy { .. } | Compound::Same { .. } => true,
            _ => false,
        }
    }
}

impl interpret::Memory for [i32; SIZE] {
    #[inline]
    fn get(&self, at: Addr) -> i32 {
        self[at as usize]
    }
    #[inline]
    fn set(&mut self, at: Addr, value: i32) {
        self[at as usize] = value;
    }
}

impl Steps {
    /// Returns whether a run takes so long that it pays to look its result up.
    pub(super) fn are_many(&self) -> bool {
        self.has_loops || self.steps.len() >= MANY
    }

    /// Runs the steps; `None`: one of them fails, or there is no end in sight.
    pub(super) fn run(&self, m: &mut [i32; SIZE], changes: &mut Vec<ClockChange>) -> Option<CodeResult<i32>> {
        let steps = &self.steps[..];
        let mut rounds = self.rounds;
        let mut at = 0;
        macro_rules! m {
            ($a:expr) => {
                m[usize::from($a)]
            };
        }
        macro_rules! within {
            ($value:expr, $bounds:expr) => {
                let (low, high) = (m![$bounds], m![$bounds.wrapping_add(1)]);
                if $value < low || $value > high {
                    return None;
                }
            };
        }
        macro_rules! jump_if {
            ($holds:expr, $to:expr) => {
                if $holds {
                    at = usize::from($to);
                }
            };
        }
        loop {
            let step = &steps[at];
            at += 1;
            match *step {
                Compound::Move { to, from } => m![to] = m![from],
                Compound::MoveWithin { to, from, bounds } => {
                    let value = m![from];
                    within!(value, bounds);
                    m![to] = value;
                }
                Compound::Add { to, a, b } => m![to] = m![a].wrapping_add(m![b]),
                Compound::AddWithin { to, a, b, bounds } => {
                    let value = m![a].wrapping_add(m![b]);
                    within!(value, bounds);
                    m![to] = value;
                }
                Compound::Sub { to, a, b } => m![to] = m![a].wrapping_sub(m![b]),
                Compound::SubWithin { to, a, b, bounds } => {
                    let value = m![a].wrapping_sub(m![b]);
                    within!(value, bounds);
                    m![to] = value;
                }
                Compound::Arith { op, to, a, b } => m![to] = op.apply(m![a], m![b]).ok()?,
                Compound::Unary { op, to, a } => m![to] = op.apply(m![a]),
                Compound::Compare { cmp, to, a, b } => m![to] = i32::from(cmp.holds(m![a], m![b])),
                Compound::Jump { to } => at = usize::from(to),
                Compound::JumpEq { a, b, to } => jump_if!(m![a] == m![b], to),
                Compound::JumpNe { a, b, to } => jump_if!(m![a] != m![b], to),
                Compound::JumpLt { a, b, to } => jump_if!(m![a] < m![b], to),
                Compound::JumpLe { a, b, to } => jump_if!(m![a] <= m![b], to),
                Compound::Back { to } => {
                    rounds = rounds.checked_sub(1)?;
                    at = usize::from(to);
                }
                Compound::BackIf { cmp, a, b, to } => {
                    if cmp.holds(m![a], m![b]) {
                        rounds = rounds.checked_sub(1)?;
                        at = usize::from(to);
                    }
                }
                Compound::Within { a, bounds } => {
                    let value = m![a];
                    within!(value, bounds);
                }
                Compound::Index { to, index, shape } => m![to] = offset(m, index, shape)?,
                Compound::LoadAt { to, index, base, len } => {
                    let index = m![index] as u32;
                    if index >= u32::from(len) {
                        return None;
                    }
                    m![to] = m![base.wrapping_add(index as u16)];
                }
                Compound::StoreAt { from, index, base, len } => {
                    let index = m![index] as u32;
                    if index >= u32::from(len) {
                        return None;
                    }
                    m![base.wrapping_add(index as u16)] = m![from];
                }
                Compound::LoadIndexed { to, index, base, shape } => {
                    m![to] = m![base.wrapping_add(offset(m, index, shape)? as u16)];
                }
                Compound::StoreIndexed { from, index, base, shape } => {
                    m![base.wrapping_add(offset(m, index, shape)? as u16)] = m![from];
                }
                Compound::Load { to, base, offset } => m![to] = m![base.wrapping_add(m![offset] as u16)],
                Compound::Store { from, base, offset } => m![base.wrapping_add(m![offset] as u16)] = m![from],
                Compound::LoadRef { to, pointer, offset } => m![to] = m![m![pointer].wrapping_add(m![offset]) as u16],
                Compound::StoreRef { from, pointer, offset } => {
                    m![m![pointer].wrapping_add(m![offset]) as u16] = m![from]
                }
                Compound::Point { to, base, offset } => m![to] = i32::from(base).wrapping_add(m![offset]),
                Compound::Copy { to, from, len } => {
                    let (to, from) = (m![to] as u32 as usize, m![from] as u32 as usize);
                    copy(m, to, from, usize::from(len))?;
                }
                Compound::Same { a, b, len } => {
                    let (x, y, len) = (m![a] as u32 as usize, m![b] as u32 as usize, usize::from(len));
                    m![a] = i32::from(m.get(x..x + len)? == m.get(y..y + len)?);
                }
                Compound::Bit { to, base, bit } => {
                    interpret::read_bit(m, u32::from(to), u32::from(base), u32::from(bit));
                }
                Compound::SetBit { base, bit, from } => {
                    interpret::write_bit(m, u32::from(base), u32::from(bit), u32::from(from));
                }
                Compound::SetClock { clock, value } => {
                    let (clock, value) = (m![clock] as u32, m![value]);
                    if value < 0 {
                        return None;
                    }
                    changes.push(ClockChange::Set { clock, value });
                }
                Compound::CopyClock { clock, from, plus } => {
                    let (clock, from) = (m![clock] as u32, m![from] as u32);
                    changes.push(ClockChange::Copy { clock, from, plus: m![plus] });
                }
                Compound::Assert { a } => {
                    if m![a] == 0 {
                        return None;
                    }
                }
                Compound::Answer { truth } => return Some(CodeResult::Truth(truth)),
                Compound::Yield { a } => return Some(CodeResult::Value(m![a])),
                Compound::End => return Some(CodeResult::Nothing),
            }
        }
    }
}

/// Returns the offset of an element of an array, if the index is legal.
#[inline(always)]
fn offset(m: &[i32; SIZE], index: u16, shape: u16) -> Option<i32> {
    let (low, length) = (m[usize::from(shape)], m[usize::from(shape.wrapping_add(1))]);
    let stride = m[usize::from(shape.wrapping_add(2))];
    let at = i64::from(m[usize::from(index)]) - i64::from(low);
    (0..i64::from(length)).contains(&at).then(|| (at as i32).wrapping_mul(stride))
}

/// Copies numbers one after the other, as the code does: the ranges may overlap.
#[inline]
fn copy(m: &mut [i32; SIZE], to: usize, from: usize, len: usize) -> Option<()> {
    if to <= from || to >= from + len {
        // Nothing is overwritten before it is read.
        if from + len > SIZE || to + len > SIZE {
            return None;
        }
        m.copy_within(from..from + len, to);
        return Some(());
    }
    (0..len).try_for_each(|i| {
        *m.get_mut(to + i)? = *m.get(from + i)?;
        Some(())
    })
}
