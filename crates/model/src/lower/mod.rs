//! Checked tree to system: instances are made, sizes become numbers, expressions become code.
//!
//! Each process is lowered on its own with its parameters known, so that guards, ranges and indices
//! that depend on them fold to constants.

mod assign;
mod branch;
mod cache;
mod clock;
mod event;
mod expr;
mod frozen;
mod function;
mod guard;
mod hint;
mod lattice;
mod named;
mod narrow;
mod order;
mod place;
mod process;
mod quantifier;
mod query;
mod room;
mod shape;
mod stmt;
mod sway;
mod symmetry;
mod system;
mod term;
mod watch;

use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Diagnostic, Span, Sym, Tree, ast::ExprId};

use crate::{
    Room, Stop,
    check::Checked,
    code::{Addr, Code, Op, Pc, Region, Segment},
    interpret::CodeResult,
    machine::{self, FaultKind, Unlinked},
    symbols::SymbolId,
    system::{LabelId, LatticeVariable, ModelOrder, Shape, System},
    types::Ty,
};

use cache::CodeCache;
use narrow::Narrowing;
pub(crate) use query::lower_query;
use symmetry::Scalars;
use watch::Flow;

/// What a name stands for, once everything is known.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A number.
    Const(i32),
    /// Something with a fixed place.
    Object(Object),
    /// Something that a reference parameter leads to.
    Reference {
        /// Holds the address of its integers.
        ints: Addr,
        /// Holds the number of its first clock.
        clocks: Addr,
        shape: Arc<Shape>,
    },
}

/// Something with a fixed place among integers, clocks and channels.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub ints: Addr,
    pub clocks: u32,
    pub channels: u32,
    pub shape: Arc<Shape>,
}

/// What lowering the model has made; queries go on where it ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lowered {
    /// The model's code, which is not linked.
    code: Segment,
    /// What the model's code has, and code of queries uses again.
    cache: CodeCache,
    bindings: Vec<Option<Binding>>,
    /// The names of each process's template.
    processes: Vec<FxHashMap<SymbolId, Binding>>,
    /// The processes by the symbol of the system line and their arguments.
    by_name: FxHashMap<(SymbolId, Vec<i32>), u32>,
    variables: u32,
    meta: u32,
    initial: Vec<i32>,
    initial_meta: Vec<i32>,
    ranges: Vec<(i32, i32)>,
    ranges_meta: Vec<(i32, i32)>,
    /// The variables that are elements of lattices, in the order of the row; they start among the
    /// variables.
    lattices: Vec<LatticeVariable>,
    /// Where each of them is declared.
    pub lattice_spans: Vec<Span>,
    /// The orders that functions define, by their places in `Checked::externs`, with addresses that
    /// are not linked.
    pub orders: FxHashMap<u32, ModelOrder>,
    /// What is left of elements when edges are taken.
    narrowings: Vec<Narrowing>,
    /// What gets from elements into others.
    flows: Vec<Flow>,
    /// The elements that guards of edges name, by their numbers.
    guarded: BTreeSet<usize>,
    /// The variables that are known never to change, by their numbers; none: nothing is known.
    frozen: Vec<bool>,
    /// The events of processes that take part in vectors, by template, and whether weakly in one of
    /// them.
    synchronised: FxHashMap<(u32, u32), bool>,
    /// What is known of scalar sets.
    scalars: Scalars,
    /// The labels of locations.
    labels: FxHashMap<Sym, LabelId>,
    /// The declared channels: symbol, first number, how many.
    pub channels: Vec<(SymbolId, u32, u32)>,
    /// What all of this may take.
    room: Room,
    /// How many names of processes stand for something.
    named: usize,
    /// How many constraints on clocks the guards of edges have.
    constraints: usize,
    /// How many bytes the segments of queries take.
    queries: usize,
    /// Edges that could not be lowered: template and number.
    pub failed: FxHashSet<(u32, u32)>,
    /// What the model uses and symbolic analysis lacks.
    pub unsupported: Vec<Diagnostic>,
}

/// Says that something can't be lowered and that this has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotLowered;

type Result<T, E = NotLowered> = std::result::Result<T, E>;

/// The most numbers that the row, the constants and a function's variables may take.
const MAX_ROW: u32 = 1 << 22;
const MAX_CONSTANTS: u32 = 1 << 24;
const MAX_SCRATCH: u32 = 1 << 24;
const MAX_CLOCKS: u32 = 1 << 14;
const MAX_CHANNELS: u32 = 1 << 20;
/// The most processes, and the most edges of all of them together.
const MAX_PROCESSES: u64 = 1 << 16;
const MAX_EDGES: usize = 1 << 22;
/// The most values that a quantifier may go through when it is written out.
const MAX_UNROLLED: i64 = 1 << 16;

/// The code of the label or function that is being lowered.
#[derive(Default)]
struct Chunk {
    ops: Vec<Op>,
    sites: Vec<(u32, Span)>,
    /// Where the last jump was made to land: code from there on can be reached, whatever stands
    /// before it.
    landing: Option<usize>,
    /// The next free number of scratch space.
    frame: u32,
}

pub(crate) struct Lowerer<'a> {
    tree: &'a Tree,
    checked: &'a Checked,
    s: Lowered,
    /// What code made now has: what the model has already is in [`Lowered::cache`].
    own: CodeCache,
    /// Where the scratch space of code made now starts.
    lowest: u32,
    system: System,
    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(&'static str, Span)>,
    chunk: Chunk,
    /// Where the function being lowered returns its value.
    result: Option<Object>,
    /// The process whose names are bound.
    current: u32,
    /// The truth value of a condition that is asked for, where integers are not known and both may
    /// be.
    positive: bool,
    /// The variables that are copied, and where to: comparisons are about the copies.
    copies: FxHashMap<Addr, Addr>,
    /// The names of the members of the variable that is being declared.
    member_names: Vec<String>,
    /// The shapes of types that were found on the way to that of another: structs may hold others
    /// many times over.
    shapes: FxHashMap<Ty, Arc<Shape>>,
    /// Whether there is no time or no room any more, which was reported. All that comes now would
    /// say so too.
    is_over: bool,
    /// Whether a query is being lowered.
    asking: bool,
    /// Whether something in it depends on elements that should not.
    wavers: bool,
}

/// Lowers a checked model.
pub(crate) fn lower(tree: &Tree, checked: &Checked, room: Room) -> (System, Lowered, Vec<Diagnostic>) {
    let with = |frozen| {
        let known = Lowered { frozen, room, ..Lowered::default() };
        let mut lowerer = Lowerer::new(tree, checked, known, System::default());
        lowerer.model();
        lowerer
    };
    let mut lowerer = with(Vec::new());
    if let Some(frozen) = lowerer.frozen() {
        // Two of them at a time would take twice the room.
        drop(lowerer);
        lowerer = with(frozen);
    }
    lowerer.link();
    if !lowerer.s.narrowings.is_empty() {
        lowerer.compose();
        lowerer.link();
    }
    lowerer.system.symmetry = Arc::new(lowerer.symmetry());
    lowerer.s.cache = lowerer.own;
    (lowerer.system, lowerer.s, lowerer.diagnostics)
}

impl<'a> Lowerer<'a> {
    fn new(tree: &'a Tree, checked: &'a Checked, s: Lowered, system: System) -> Lowerer<'a> {
        Lowerer {
            tree,
            checked,
            lowest: s.code.scratch,
            own: CodeCache::default(),
            system,
            diagnostics: Vec::new(),
            reported: FxHashSet::default(),
            chunk: Chunk { frame: s.code.scratch, ..Chunk::default() },
            result: None,
            current: 0,
            positive: true,
            copies: FxHashMap::default(),
            member_names: Vec::new(),
            shapes: FxHashMap::default(),
            is_over: false,
            asking: false,
            wavers: false,
            s,
        }
    }

    /// Gives the system the code with plain addresses.
    fn link(&mut self) {
        let layout = [self.system.processes.len() as u32, self.s.variables, self.s.meta];
        let code = Code::new(self.s.code.clone(), layout, self.s.room.signal);
        self.link_orders(&code);
        self.system.code = code;
    }

    /// Reports something once, however many instances have it; a limit that was reached once for
    /// all.
    fn report(&mut self, d: Diagnostic) -> NotLowered {
        if Stop::of_code(d.code).is_some() && std::mem::replace(&mut self.is_over, true) {
            return NotLowered;
        }
        if self.reported.insert((d.code, d.primary.span)) {
            self.diagnostics.push(d);
        }
        NotLowered
    }

    /// Notes a feature that symbolic analysis lacks; what uses it can't run.
    fn unsupported(&mut self, span: Span, feature: &'static str, why: &str) -> NotLowered {
        if self.reported.insert((feature, span)) {
            let message = format!("{feature} are not supported in symbolic analysis");
            self.s.unsupported.push(Diagnostic::warning("unsupported", span, message).label(why.to_owned()));
        }
        NotLowered
    }

    /// Something could not be lowered, and the system lacks it. There is a diagnostic that says
    /// why, or will be from now on: nothing may be left out in silence.
    fn give_up(&mut self, span: Span, what: &'static str) {
        if self.s.unsupported.is_empty() && !self.diagnostics.iter().any(Diagnostic::is_error) {
            let _ = self.unsupported(span, what, "the engine has no form for it");
        }
    }

    /// Makes room for a declared variable and binds its name.
    fn declare(&mut self, id: SymbolId, init: Option<ExprId>, name: &str) -> Result<()> {
        let symbol = *self.checked.symbols.get(id);
        if let Some((of, number)) = self.checked.member(id) {
            if let Some(init) = init {
                let (place, value) = (self.place_of_symbol(of)?, self.constant(init)?);
                self.start_member(&place, number, value);
            }
            return Ok(());
        }
        let members = self.checked.members.get(&id).into_iter().flatten();
        self.member_names = members.map(|m| self.tree.text(self.checked.symbols.get(*m).name).to_owned()).collect();
        let binding = self.allocate(symbol.ty, init, name, symbol.span)?;
        if let Binding::Object(object) = &binding
            && object.shape.size().channels > 0
        {
            self.s.channels.push((id, object.channels, object.shape.size().channels));
        }
        self.bind(id, binding);
        Ok(())
    }

    fn bind(&mut self, id: SymbolId, binding: Binding) {
        let i = id.0 as usize;
        if i >= self.s.bindings.len() {
            self.s.bindings.resize(i + 1, None);
        }
        self.s.bindings[i] = Some(binding);
    }

    fn binding(&self, id: SymbolId) -> Option<&Binding> {
        self.s.bindings.get(id.0 as usize)?.as_ref()
    }

    /// Returns the address of a constant.
    fn literal(&mut self, value: i32) -> Addr {
        if let Some(&addr) = self.cached(|cache| cache.literals.get(&value)) {
            return addr;
        }
        let addr = Region::Constants.at(self.s.code.constants.len() as u32);
        self.s.code.constants.push(value);
        self.own.literals.insert(value, addr);
        addr
    }

    /// Returns the number of a text. Strings are constants that can only be compared, so the order
    /// in which they are met will do.
    fn text_number(&mut self, text: Sym) -> i32 {
        if let Some(&number) = self.cached(|cache| cache.texts.get(&text)) {
            return number;
        }
        let number = (self.s.cache.texts.len() + self.own.texts.len()) as i32;
        self.own.texts.insert(text, number);
        number
    }

    /// Returns the address of constants that stand side by side.
    fn tuple(&mut self, values: &[i32]) -> Addr {
        if let Some(&addr) = self.cached(|cache| cache.tuples.get(values)) {
            return addr;
        }
        let addr = Region::Constants.at(self.s.code.constants.len() as u32);
        self.s.code.constants.extend_from_slice(values);
        self.own.tuples.insert(values.to_vec(), addr);
        addr
    }

    fn emit(&mut self, op: Op) -> usize {
        self.chunk.ops.push(op);
        self.chunk.ops.len() - 1
    }

    /// Returns an instruction that may fail, with its place in the text.
    fn emit_at(&mut self, op: Op, span: Span) -> usize {
        self.chunk.sites.push((self.chunk.ops.len() as u32, span));
        self.emit(op)
    }

    /// Makes the jump at `from` lead to the next instruction.
    fn land(&mut self, from: usize) {
        self.chunk.landing = Some(self.chunk.ops.len());
        let distance = (self.chunk.ops.len() - from - 1) as i32;
        if let Op::Jump { by } | Op::JumpIf { by, .. } = &mut self.chunk.ops[from] {
            *by = distance;
        }
    }

    fn land_all(&mut self, jumps: Vec<usize>) {
        for jump in jumps {
            self.land(jump);
        }
    }

    /// Returns the distance of a jump from the next instruction back to `to`.
    fn back(&self, to: usize) -> i32 {
        to as i32 - (self.chunk.ops.len() as i32 + 1)
    }

    /// Room for `count` numbers of scratch space.
    fn scratch(&mut self, count: u32, span: Span) -> Result<Addr> {
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

    fn temp(&mut self) -> Addr {
        // A single number always fits: the limit is far below the region's size.
        let at = self.chunk.frame;
        self.chunk.frame += 1;
        self.s.code.scratch = self.s.code.scratch.max(self.chunk.frame);
        Region::Scratch.at(at)
    }

    /// Starts the code of a label that uses the functions called in `exprs`.
    fn start(&mut self, exprs: &[ExprId]) -> Result<()> {
        let mut base = self.lowest;
        for &e in exprs {
            base = base.max(self.compile_callees(e)?);
        }
        self.chunk = Chunk { frame: base, ..Chunk::default() };
        Ok(())
    }

    /// Puts the code of a label behind the rest.
    fn finish(&mut self) -> Pc {
        let pc = self.s.code.ops.len() as u32;
        self.s.code.ops.append(&mut self.chunk.ops);
        self.s.code.sites.extend(self.chunk.sites.drain(..).map(|(at, span)| (pc + at, span)));
        Pc(pc)
    }

    /// Runs the code that was just made for `e`, and forgets it. It may read only constants.
    fn run_now(&mut self, e: ExprId) -> Result<(CodeResult<i32>, Vec<i32>)> {
        let ops_before = self.s.code.ops.len();
        let sites_before = self.s.code.sites.len();
        let pc = self.finish();
        let code = Code::unlinked(std::mem::take(&mut self.s.code), self.s.room.signal);
        let constants = &code.base().constants;
        let mut memory = Unlinked { constants, scratch: Vec::new(), variable: false.into() };
        let end = machine::run(&code, pc, &mut memory, &mut Vec::new(), &mut Vec::new());
        let (scratch, variable) = (memory.scratch, memory.variable.get());
        let result = match end {
            _ if variable => {
                let d =
                    Diagnostic::error("constant", self.tree.span(e), "the value is not known before the model runs");
                Err(self.report(d))
            }
            Ok(end) => Ok((end, scratch)),
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

    /// Lowers something else; the label that is being lowered goes on afterwards.
    fn aside<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let other = Chunk { frame: self.lowest, ..Chunk::default() };
        let chunk = std::mem::replace(&mut self.chunk, other);
        let result = f(self);
        self.chunk = chunk;
        result
    }

    /// Returns the value of a constant expression.
    pub(crate) fn constant(&mut self, e: ExprId) -> Result<i32> {
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
        match self.run_now(e)?.0 {
            CodeResult::Value(value) => Ok(value),
            CodeResult::Truth(truth) => Ok(i32::from(truth)),
            CodeResult::Nothing => Err(NotLowered),
        }
    }
}
