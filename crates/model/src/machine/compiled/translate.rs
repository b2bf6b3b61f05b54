//! Instructions as steps.

use super::{
    inline::Inst,
    simplify::{Cells, Constants, leaders, lives},
    steps::{Compound, Steps},
};
use crate::{
    code::{Addr, Op},
    machine::numbers::FUEL,
    operation::{Arith, Cmp},
};

/// The greatest number of backward jumps of a run. The interpreter polls the signal to stop.
const MAX_ROUNDS: u32 = 1 << 16;

/// Translates instructions. `work` is the most that they spend between two backward jumps, as the
/// interpreter counts.
pub(super) fn translate(insts: &[Inst], work: u32, cells: &Cells, constants: &Constants<'_>) -> Option<Steps> {
    let mut translator = Translator {
        insts,
        leaders: leaders(insts),
        constants,
        steps: Vec::new(),
        jumps: Vec::new(),
        has_loops: false,
    };
    let before = lives(insts, cells);
    // The step of each instruction; of those in the middle of a step, nothing is asked.
    let mut places = vec![0u16; insts.len() + 1];
    let mut at = 0;
    while at < insts.len() {
        places[at] = u16::try_from(translator.steps.len()).ok()?;
        let dead = |addr: Addr, after: usize| cells.get(addr).is_some_and(|cell| !before[after].contains(cell));
        at += translator.translate(at, dead)?;
    }
    places[at] = u16::try_from(translator.steps.len()).ok()?;
    let Translator { mut steps, jumps, has_loops, .. } = translator;
    for (step, target) in jumps {
        let place = places[target as usize];
        if let Compound::Jump { to }
        | Compound::JumpEq { to, .. }
        | Compound::JumpNe { to, .. }
        | Compound::JumpLt { to, .. }
        | Compound::JumpLe { to, .. }
        | Compound::Back { to }
        | Compound::BackIf { to, .. } = &mut steps[step]
        {
            *to = place;
        }
    }
    let may_give_up = has_loops || steps.iter().any(|step| step.may_fail(constants));
    let rounds = MAX_ROUNDS.min((FUEL / work.max(1)).saturating_sub(1));
    Some(Steps { steps, rounds, has_loops, may_give_up })
}

struct Translator<'i> {
    insts: &'i [Inst],
    leaders: Vec<bool>,
    constants: &'i Constants<'i>,
    steps: Vec<Compound>,
    /// Steps that jump, with the instructions to which they do.
    jumps: Vec<(usize, u32)>,
    has_loops: bool,
}

impl Translator<'_> {
    /// Translates an instruction, if possible with those after it. Returns their number. `dead`
    /// tells whether a cell is not read from an instruction on.
    fn translate(&mut self, at: usize, dead: impl Fn(Addr, usize) -> bool) -> Option<usize> {
        // Only the first instruction of a step may be jumped to.
        let next = |i: usize| (!self.leaders[at + i]).then(|| self.insts.get(at + i).map(|inst| inst.op)).flatten();
        let (second, third) = (next(1), next(1).and_then(|_| next(2)));
        let a16 = |addr: Addr| u16::try_from(addr).ok();
        let (step, count) = match (self.insts[at].op, second, third) {
            (
                Op::Arith { op: op @ (Arith::Add | Arith::Sub), to, a, b },
                Some(Op::Range { a: checked, bounds }),
                third,
            ) if checked == to => {
                let (to, count) = match third {
                    Some(Op::Move { to: last, from }) if from == to && dead(to, at + 3) => (last, 3),
                    _ => (to, 2),
                };
                let (to, a, b, bounds) = (a16(to)?, a16(a)?, a16(b)?, a16(bounds)?);
                let sum = op == Arith::Add;
                (
                    if sum {
                        Compound::AddWithin { to, a, b, bounds }
                    } else {
                        Compound::SubWithin { to, a, b, bounds }
                    },
                    count,
                )
            }
            (Op::Range { a, bounds }, Some(Op::Move { to, from }), _) if from == a => {
                (Compound::MoveWithin { to: a16(to)?, from: a16(a)?, bounds: a16(bounds)? }, 2)
            }
            (Op::Index { to: between, index, shape }, Some(Op::Load { to, base, offset }), _)
                if offset == between && (to == between || dead(between, at + 2)) =>
            {
                let (to, index, base) = (a16(to)?, a16(index)?, a16(base)?);
                (
                    match self.plain_length(shape) {
                        Some(len) => Compound::LoadAt { to, index, base, len },
                        None => Compound::LoadIndexed { to, index, base, shape: a16(shape)? },
                    },
                    2,
                )
            }
            (Op::Index { to: between, index, shape }, Some(Op::Store { base, offset, from }), _)
                if offset == between && from != between && dead(between, at + 2) =>
            {
                let (from, index, base) = (a16(from)?, a16(index)?, a16(base)?);
                (
                    match self.plain_length(shape) {
                        Some(len) => Compound::StoreAt { from, index, base, len },
                        None => Compound::StoreIndexed { from, index, base, shape: a16(shape)? },
                    },
                    2,
                )
            }
            (op, ..) => {
                self.single(at, op)?;
                return Some(1);
            }
        };
        self.steps.push(step);
        Some(count)
    }

    /// Returns the length of an array with indices from 0 on and elements of one number.
    fn plain_length(&self, shape: Addr) -> Option<u16> {
        let [low, length, stride] = [0, 1, 2].map(|i| self.constants.value(shape + i));
        u16::try_from(length?).ok().filter(|_| low == Some(0) && stride == Some(1))
    }

    fn single(&mut self, at: usize, op: Op) -> Option<()> {
        let a16 = |addr: Addr| u16::try_from(addr).ok();
        let target = self.insts[at].target;
        let step = match op {
            Op::Move { to, from } => Compound::Move { to: a16(to)?, from: a16(from)? },
            Op::Unary { op, to, a } => Compound::Unary { op, to: a16(to)?, a: a16(a)? },
            Op::Arith { op, to, a, b } => {
                let (to, a, b) = (a16(to)?, a16(a)?, a16(b)?);
                match op {
                    Arith::Add => Compound::Add { to, a, b },
                    Arith::Sub => Compound::Sub { to, a, b },
                    op => Compound::Arith { op, to, a, b },
                }
            }
            Op::Compare { cmp, to, a, b } => Compound::Compare { cmp, to: a16(to)?, a: a16(a)?, b: a16(b)? },
            Op::Jump { .. } => return self.jump(at, target),
            Op::JumpIf { cmp, a, b, .. } => return self.jump_if(at, cmp, (a, b), target),
            Op::Range { a, bounds } => Compound::Within { a: a16(a)?, bounds: a16(bounds)? },
            Op::Index { to, index, shape } => Compound::Index { to: a16(to)?, index: a16(index)?, shape: a16(shape)? },
            Op::Load { to, base, offset } => Compound::Load { to: a16(to)?, base: a16(base)?, offset: a16(offset)? },
            Op::Store { base, offset, from } => {
                Compound::Store { from: a16(from)?, base: a16(base)?, offset: a16(offset)? }
            }
            Op::LoadRef { to, pointer, offset } => {
                Compound::LoadRef { to: a16(to)?, pointer: a16(pointer)?, offset: a16(offset)? }
            }
            Op::StoreRef { pointer, offset, from } => {
                Compound::StoreRef { from: a16(from)?, pointer: a16(pointer)?, offset: a16(offset)? }
            }
            Op::Point { to, base, offset } => Compound::Point { to: a16(to)?, base: a16(base)?, offset: a16(offset)? },
            Op::Copy { to, from, len } => Compound::Copy { to: a16(to)?, from: a16(from)?, len: a16(len)? },
            Op::Same { a, b, len } => Compound::Same { a: a16(a)?, b: a16(b)?, len: a16(len)? },
            Op::Bit { to, base, bit } => Compound::Bit { to: a16(to)?, base: a16(base)?, bit: a16(bit)? },
            Op::SetBit { base, bit, from } => Compound::SetBit { base: a16(base)?, bit: a16(bit)?, from: a16(from)? },
            Op::SetClock { clock, value } => Compound::SetClock { clock: a16(clock)?, value: a16(value)? },
            Op::CopyClock { clock, from, plus } => {
                Compound::CopyClock { clock: a16(clock)?, from: a16(from)?, plus: a16(plus)? }
            }
            Op::Assert { a } => Compound::Assert { a: a16(a)? },
            Op::Answer { truth } => Compound::Answer { truth },
            Op::Yield { a } => Compound::Yield { a: a16(a)? },
            Op::End => Compound::End,
            Op::Lattice { .. } | Op::Ask { .. } | Op::Real { .. } => return None,
            Op::Call { .. } | Op::Return | Op::Trap => return None,
        };
        self.steps.push(step);
        Some(())
    }

    fn jump(&mut self, at: usize, target: u32) -> Option<()> {
        let is_back = target as usize <= at;
        // A loop tests its condition at its end, so that it has one jump for each round.
        if is_back
            && let Inst { op: Op::JumpIf { cmp, a, b, .. }, target: exit } = self.insts[target as usize]
            && (target as usize) < at
            && exit as usize > at
        {
            let (a, b) = (u16::try_from(a).ok()?, u16::try_from(b).ok()?);
            self.push_jump(Compound::BackIf { cmp: cmp.negate(), a, b, to: 0 }, target + 1, true);
            if exit as usize != at + 1 {
                self.push_jump(Compound::Jump { to: 0 }, exit, false);
            }
            return Some(());
        }
        self.push_jump(if is_back { Compound::Back { to: 0 } } else { Compound::Jump { to: 0 } }, target, is_back);
        Some(())
    }

    fn jump_if(&mut self, at: usize, cmp: Cmp, (a, b): (Addr, Addr), target: u32) -> Option<()> {
        let (a, b) = (u16::try_from(a).ok()?, u16::try_from(b).ok()?);
        let is_back = target as usize <= at;
        let step = match cmp {
            cmp if is_back => Compound::BackIf { cmp, a, b, to: 0 },
            Cmp::Eq => Compound::JumpEq { a, b, to: 0 },
            Cmp::Ne => Compound::JumpNe { a, b, to: 0 },
            Cmp::Lt => Compound::JumpLt { a, b, to: 0 },
            Cmp::Le => Compound::JumpLe { a, b, to: 0 },
            Cmp::Gt => Compound::JumpLt { a: b, b: a, to: 0 },
            Cmp::Ge => Compound::JumpLe { a: b, b: a, to: 0 },
        };
        self.push_jump(step, target, is_back);
        Some(())
    }

    fn push_jump(&mut self, step: Compound, target: u32, is_back: bool) {
        self.jumps.push((self.steps.len(), target));
        self.has_loops |= is_back;
        self.steps.push(step);
    }
}
