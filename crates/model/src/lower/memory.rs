//! The memory of lowering: it is counted as it grows, and an error is reported where it exceeds the
//! limit.

use syntax::{Diagnostic, Span};

use super::{Binding, Lowerer, Result, symmetry::Placed};
use crate::{
    DEFAULT_MEMORY, Stop,
    code::{Op, Segment},
    symbols::SymbolId,
    system::{Channel, Clock, ClockConstraint, Edge, EdgeId, Location, Process, Shape, Variable},
};

/// The memory of an edge: itself, its entries in the edge index, and its selected values.
const EDGE: usize = size_of::<Edge>() + 2 * size_of::<EdgeId>() + 16;
/// The memory of an instruction. Code exists twice while it is linked. The code of a query is kept,
/// and copied into the system that it extends.
const OP: usize = 2 * size_of::<Op>();
const SITE: usize = 2 * size_of::<(u32, Span)>();
/// The memory of a constant: in the code being compiled, in the linked code, and in a machine.
const CONSTANT: usize = 3 * size_of::<i32>();
/// The memory of a slot: its initial value and range, each twice, and its value in a machine.
const NUMBER: usize = 7 * size_of::<i32>();
/// The memory of a short name in the allocator.
const NAME: usize = 32;
/// The memory of a variable: its names, its shape, and its symmetric arrays.
const VARIABLE: usize = size_of::<Variable>() + size_of::<Placed>() + 2 * size_of::<Shape>() + 2 * NAME;
/// The memory of a binding of a process.
const BINDING: usize = size_of::<(SymbolId, Binding)>() + 1;

impl Segment {
    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ops.len() * OP + self.sites.len() * SITE + self.constants.len() * CONSTANT
    }
}

impl Lowerer<'_> {
    /// Returns the memory so far in bytes.
    fn taken(&self) -> usize {
        let (system, s) = (&self.system, &self.s);
        let numbers = s.variables as usize + s.meta as usize + system.processes.len();
        system.edges.len() * EDGE
            + system.locations.len() * (size_of::<Location>() + NAME)
            + system.processes.len() * (size_of::<Process>() + 3 * NAME)
            + system.clocks.len() * (size_of::<Clock>() + NAME)
            + system.channels.len() * (size_of::<Channel>() + NAME)
            + s.code.bytes()
            + self.chunk.ops.len() * OP
            + self.chunk.sites.len() * SITE
            + s.queries
            + numbers * NUMBER
            + system.variables.len() * VARIABLE
            + s.constraints * size_of::<ClockConstraint>()
            + s.named * BINDING
    }

    /// Checks that there is enough memory for the current results and `more` bytes.
    pub(super) fn check_memory(&mut self, more: usize, span: Span) -> Result<()> {
        if let Some(stop) = self.s.limits.signal.raised() {
            return Err(self.report(stop.while_loading(span)));
        }
        let limit = self.s.limits.bytes.unwrap_or(DEFAULT_MEMORY);
        if self.taken().saturating_add(more) <= limit {
            return Ok(());
        }
        // It is reported once: everything after it exceeds the limit too.
        if self.is_over {
            return Err(super::NotLowered);
        }
        let takes = format!("the model takes more than {}", size(limit));
        let (code, message) = match self.s.limits.bytes {
            Some(_) => (Stop::Memory.code(), format!("{}: {takes}", Stop::Memory)),
            None => ("too-large", takes),
        };
        let [processes, edges, ops] =
            [self.system.processes.len(), self.system.edges.len(), self.s.code.ops.len() + self.chunk.ops.len()];
        let d = Diagnostic::error(code, span, message)
            .label(format!("with {processes} processes, {edges} edges and {ops} instructions so far"))
            .help("make ranges, arrays and select labels smaller, or allow more with `--memory-limit`");
        let failed = self.report(d);
        self.is_over = true;
        Err(failed)
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
