//! Instructions as steps.

use super::{
    inline::Inst,
    simplify::{Cells, Constants, leaders, lives},
    steps::{Step, Steps},
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
        if let Step::Jump { to }
        | Step::JumpEq { to, .. }
        | Step::JumpNe { to, .. }
        | Step::JumpLt { to, .. }
        | Step::JumpLe { to, .. }
        | Step::Back { to }
        | Step::BackIf { to, .. } = &mut steps[step]
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
    steps: Vec<Step>,
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
                (if sum { Step::AddWithin { to, a, b, bounds } } else { Step::SubWithin { to, a, b, bounds } }, count)
            }
            (Op::Range { a, bounds }, Some(Op::Move { to, from }), _) if from == a => {
                (Step::MoveWithin { to: a16(to)?, from: a16(a)?, bounds: a16(bounds)? }, 2)
            }
            (Op::Index { to: between, index, shape }, Some(Op::Load { to, base, offset }), _)
                if offset == between && (to == between || dead(between, at + 2)) =>
            {
                let (to, index, base) = (a16(to)?, a16(index)?, a16(base)?);
                (
                    match self.plain_length(shape) {
                        Some(len) => Step::LoadAt { to, index, base, len },
                        None => Step::LoadIndexed { to, index, base, shape: a16(shape)? },
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
                        Some(len) => Step::StoreAt { from, index, base, len },
                        None => Step::StoreIndexed { from, index, base, shape: a16(shape)? },
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
            Op::Move { to, from } => Step::Move { to: a16(to)?, from: a16(from)? },
            Op::Unary { op, to, a } => Step::Unary { op, to: a16(to)?, a: a16(a)? },
            Op::Arith { op, to, a, b } => {
                let (to, a, b) = (a16(to)?, a16(a)?, a16(b)?);
                match op {
                    Arith::Add => Step::Add { to, a, b },
                    Arith::Sub => Step::Sub { to, a, b },
                    op => Step::Arith { op, to, a, b },
                }
            }
            Op::Compare { cmp, to, a, b } => Step::Compare { cmp, to: a16(to)?, a: a16(a)?, b: a16(b)? },
            Op::Jump { .. } => return self.jump(at, target),
            Op::JumpIf { cmp, a, b, .. } => return self.jump_if(at, cmp, (a, b), target),
            Op::Range { a, bounds } => Step::Within { a: a16(a)?, bounds: a16(bounds)? },
            Op::Index { to, index, shape } => Step::Index { to: a16(to)?, index: a16(index)?, shape: a16(shape)? },
            Op::Load { to, base, offset } => Step::Load { to: a16(to)?, base: a16(base)?, offset: a16(offset)? },
            Op::Store { base, offset, from } => {
                Step::Store { from: a16(from)?, base: a16(base)?, offset: a16(offset)? }
            }
            Op::LoadRef { to, pointer, offset } => {
                Step::LoadRef { to: a16(to)?, pointer: a16(pointer)?, offset: a16(offset)? }
            }
            Op::StoreRef { pointer, offset, from } => {
                Step::StoreRef { from: a16(from)?, pointer: a16(pointer)?, offset: a16(offset)? }
            }
            Op::Point { to, base, offset } => Step::Point { to: a16(to)?, base: a16(base)?, offset: a16(offset)? },
            Op::Copy { to, from, len } => Step::Copy { to: a16(to)?, from: a16(from)?, len: a16(len)? },
            Op::Same { a, b, len } => Step::Same { a: a16(a)?, b: a16(b)?, len: a16(len)? },
            Op::Bit { to, base, bit } => Step::Bit { to: a16(to)?, base: a16(base)?, bit: a16(bit)? },
            Op::SetBit { base, bit, from } => Step::SetBit { base: a16(base)?, bit: a16(bit)?, from: a16(from)? },
            Op::SetClock { clock, value } => Step::SetClock { clock: a16(clock)?, value: a16(value)? },
            Op::CopyClock { clock, from, plus } => {
                Step::CopyClock { clock: a16(clock)?, from: a16(from)?, plus: a16(plus)? }
            }
            Op::Assert { a } => Step::Assert { a: a16(a)? },
            Op::Answer { truth } => Step::Answer { truth },
            Op::Yield { a } => Step::Yield { a: a16(a)? },
            Op::End => Step::End,
            Op::Lattice { .. } | Op::Ask { .. } | Op::Call { .. } | Op::Return | Op::Trap => return None,
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
            self.push_jump(Step::BackIf { cmp: cmp.negate(), a, b, to: 0 }, target + 1, true);
            if exit as usize != at + 1 {
                self.push_jump(Step::Jump { to: 0 }, exit, false);
            }
            return Some(());
        }
        self.push_jump(if is_back { Step::Back { to: 0 } } else { Step::Jump { to: 0 } }, target, is_back);
        Some(())
    }

    fn jump_if(&mut self, at: usize, cmp: Cmp, (a, b): (Addr, Addr), target: u32) -> Option<()> {
        let (a, b) = (u16::try_from(a).ok()?, u16::try_from(b).ok()?);
        let is_back = target as usize <= at;
        let step = match cmp {
            cmp if is_back => Step::BackIf { cmp, a, b, to: 0 },
            Cmp::Eq => Step::JumpEq { a, b, to: 0 },
            Cmp::Ne => Step::JumpNe { a, b, to: 0 },
            Cmp::Lt => Step::JumpLt { a, b, to: 0 },
            Cmp::Le => Step::JumpLe { a, b, to: 0 },
            Cmp::Gt => Step::JumpLt { a: b, b: a, to: 0 },
            Cmp::Ge => Step::JumpLe { a: b, b: a, to: 0 },
        };
        self.push_jump(step, target, is_back);
        Some(())
    }

    fn push_jump(&mut self, step: Step, target: u32, is_back: bool) {
        self.jumps.push((self.steps.len(), target));
        self.has_loops |= is_back;
        self.steps.push(step);
    }
}
