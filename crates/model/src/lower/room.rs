//! What lowering takes is counted while it grows, and refused at the place that grows.

use syntax::{Diagnostic, Span};

use super::{Binding, Lowerer, Result, symmetry::Placed};
use crate::{
    DEFAULT_ROOM, Stop,
    code::{Op, Segment},
    symbols::SymbolId,
    system::{Channel, Clock, ClockConstraint, Edge, EdgeId, Location, Process, Shape, Variable},
};

/// An edge: itself, its place in the lists of its location, and its values of select labels.
const EDGE: usize = size_of::<Edge>() + 2 * size_of::<EdgeId>() + 16;
/// Code is made first and linked then, so that there are two copies of it. Of a query's code there
/// is the copy that it keeps, and another one in the system that it is asked of.
const OP: usize = 2 * size_of::<Op>();
const SITE: usize = 2 * size_of::<(u32, Span)>();
/// A constant: those of the code being made, of the code that is linked, and of a machine.
const CONSTANT: usize = 3 * size_of::<i32>();
/// A number of the row: its initial value and range, each twice, and a machine's.
const NUMBER: usize = 7 * size_of::<i32>();
/// A short name, as the allocator keeps it.
const NAME: usize = 32;
/// A variable: its names, what it consists of, and its cells.
const VARIABLE: usize = size_of::<Variable>() + size_of::<Placed>() + 2 * size_of::<Shape>() + 2 * NAME;
/// What a name of a process stands for.
const BINDING: usize = size_of::<(SymbolId, Binding)>() + 1;

impl Segment {
    /// Returns how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.ops.len() * OP + self.sites.len() * SITE + self.constants.len() * CONSTANT
    }
}

impl Lowerer<'_> {
    /// Returns how many bytes were made so far.
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

    /// Whether there is room for what was made, and for so many bytes to come at a place.
    pub(super) fn has_room(&mut self, more: usize, span: Span) -> Result<()> {
        if let Some(stop) = self.s.room.signal.raised() {
            return Err(self.report(stop.while_loading(span)));
        }
        let most = self.s.room.bytes.unwrap_or(DEFAULT_ROOM);
        if self.taken().saturating_add(more) <= most {
            return Ok(());
        }
        // One place is enough: all that comes now is too much.
        if self.is_over {
            return Err(super::NotLowered);
        }
        let takes = format!("the model takes more than {}", size(most));
        let (code, message) = match self.s.room.bytes {
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
