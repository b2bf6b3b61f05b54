//! Emission of code: constants, instructions, jumps and scratch space; evaluation of constants.

use syntax::{Diagnostic, Span, Sym, ast::ExprId};

use super::{Chunk, Lowerer, MAX_SCRATCH, NotLowered, Result};
use crate::{
    code::{Addr, Code, Op, Pc, Region},
    interpret::CodeResult,
    machine::{self, FaultKind, RealContext, Unlinked},
};

/// What code that reads only constants has computed.
pub(super) struct Evaluated {
    pub end: CodeResult<i32>,
    pub scratch: Vec<i32>,
    /// The floating-point number that it has ended with, if it has.
    pub real: f64,
}

impl Lowerer<'_> {
    /// Returns the address of a constant.
    pub(super) fn literal(&mut self, value: i32) -> Addr {
        if let Some(&addr) = self.cached(|cache| cache.literals.get(&value)) {
            return addr;
        }
        let addr = Region::Constants.at(self.s.code.constants.len() as u32);
        self.s.code.constants.push(value);
        self.own.literals.insert(value, addr);
        addr
    }

    /// Returns the number of a text. Strings are constants that can only be compared, so any
    /// numbering will do.
    pub(super) fn text_number(&mut self, text: Sym) -> i32 {
        if let Some(&number) = self.cached(|cache| cache.texts.get(&text)) {
            return number;
        }
        let number = (self.s.cache.texts.len() + self.own.texts.len()) as i32;
        self.own.texts.insert(text, number);
        number
    }

    /// Returns the address of a tuple of constants.
    pub(super) fn tuple(&mut self, values: &[i32]) -> Addr {
        if let Some(&addr) = self.cached(|cache| cache.tuples.get(values)) {
            return addr;
        }
        let addr = Region::Constants.at(self.s.code.constants.len() as u32);
        self.s.code.constants.extend_from_slice(values);
        self.own.tuples.insert(values.to_vec(), addr);
        addr
    }

    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.chunk.ops.push(op);
        self.chunk.ops.len() - 1
    }

    /// Emits an instruction that may fail, with its span.
    pub(super) fn emit_at(&mut self, op: Op, span: Span) -> usize {
        self.chunk.sites.push((self.chunk.ops.len() as u32, span));
        self.emit(op)
    }

    /// Sets the target of the jump at `from` to the next instruction.
    pub(super) fn land(&mut self, from: usize) {
        self.chunk.landing = Some(self.chunk.ops.len());
        let distance = (self.chunk.ops.len() - from - 1) as i32;
        if let Op::Jump { by } | Op::JumpIf { by, .. } = &mut self.chunk.ops[from] {
            *by = distance;
        }
    }

    pub(super) fn land_all(&mut self, jumps: Vec<usize>) {
        for jump in jumps {
            self.land(jump);
        }
    }

    /// Returns the distance of a jump from the next instruction back to `to`.
    pub(super) fn back(&self, to: usize) -> i32 {
        to as i32 - (self.chunk.ops.len() as i32 + 1)
    }

    /// Allocates `count` numbers of scratch space.
    pub(super) fn scratch(&mut self, count: u32, span: Span) -> Result<Addr> {
        let at = self.chunk.frame;
        self.chunk.frame = at.saturating_add(count);
        if self.chunk.frame - self.lowest > MAX_SCRATCH {
            self.chunk.frame = at;
            let message = format!("needs {count} numbers of working space");
            return Err(self.report(
                Diagnostic::error("too-large", span, message).help(format!("at most {MAX_SCRATCH} are possible")),
            ));
        }
        self.s.code.scratch = self.s.code.scratch.max(self.chunk.frame);
        if count > 1 {
            self.s.code.wide.push((at, count));
        }
        Ok(Region::Scratch.at(at))
    }

    pub(super) fn temp(&mut self) -> Addr {
        // A single number always fits: the limit is far below the region's size.
        let at = self.chunk.frame;
        self.chunk.frame += 1;
        self.s.code.scratch = self.s.code.scratch.max(self.chunk.frame);
        Region::Scratch.at(at)
    }

    /// Starts the code of a label, after compiling the functions that `exprs` call.
    pub(super) fn start(&mut self, exprs: &[ExprId]) -> Result<()> {
        let mut base = self.lowest;
        for &e in exprs {
            base = base.max(self.compile_callees(e)?);
        }
        self.chunk = Chunk { frame: base, ..Chunk::default() };
        Ok(())
    }

    /// Appends the code of a label to the rest.
    pub(super) fn finish(&mut self) -> Pc {
        let pc = self.s.code.ops.len() as u32;
        self.s.code.ops.append(&mut self.chunk.ops);
        self.s.code.sites.extend(self.chunk.sites.drain(..).map(|(at, span)| (pc + at, span)));
        Pc(pc)
    }

    /// Runs the code that was just compiled for `e`, and drops it. It may read constants only.
    pub(super) fn run_now(&mut self, e: ExprId) -> Result<Evaluated> {
        let ops_before = self.s.code.ops.len();
        let sites_before = self.s.code.sites.len();
        let pc = self.finish();
        let code = Code::unlinked(std::mem::take(&mut self.s.code), self.s.limits.signal);
        let constants = &code.base().constants;
        let mut memory = Unlinked { constants, scratch: Vec::new(), variable: false.into() };
        let mut environment = RealContext::default();
        let end = machine::run(&code, pc, &mut memory, &mut Vec::new(), &mut Vec::new(), &mut environment);
        let (scratch, variable) = (memory.scratch, memory.variable.get());
        let result = match end {
            _ if variable => {
                let d =
                    Diagnostic::error("constant", self.tree.span(e), "the value is not known before the model runs");
                Err(self.report(d))
            }
            Ok(end) => Ok(Evaluated { end, scratch, real: environment.result }),
            Err(fault) => {
                let kind = if let FaultKind::Stopped(stop) = fault.kind { stop.code() } else { "constant" };
                let d = Diagnostic::error(kind, fault.span(&code), fault.kind.to_string());
                Err(self.report(d))
            }
        };
        self.s.code = code.into_base();
        self.s.code.ops.truncate(ops_before);
        self.s.code.sites.truncate(sites_before);
        result
    }

    /// Lowers something else, and then continues with the current label.
    pub(super) fn aside<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let other = Chunk { frame: self.lowest, ..Chunk::default() };
        let chunk = std::mem::replace(&mut self.chunk, other);
        let result = f(self);
        self.chunk = chunk;
        result
    }

    /// Evaluates a constant expression.
    pub(super) fn constant(&mut self, e: ExprId) -> Result<i32> {
        self.aside(|l| l.constant_here(e))
    }

    fn constant_here(&mut self, e: ExprId) -> Result<i32> {
        self.start(&[e])?;
        let value = self.value(e)?;
        if let Some(known) = value.known {
            return Ok(known);
        }
        let a = self.address(value);
        self.emit(Op::Yield { a });
        match self.run_now(e)?.end {
            CodeResult::Value(value) => Ok(value),
            CodeResult::Truth(truth) => Ok(i32::from(truth)),
            CodeResult::Nothing => Err(NotLowered),
        }
    }
}
