//! Checked tree to system: instantiates templates, computes sizes, and compiles expressions.
//!
//! Each process is lowered separately with its parameters known, so that guards, ranges and indices
//! that depend on them fold to constants.

mod allocate;
mod assign;
mod branch;
mod cache;
mod chance;
mod clock;
mod emit;
mod event;
mod expr;
mod federation;
mod frozen;
mod function;
mod guard;
mod hint;
mod initial;
mod lattice;
mod member_order;
mod memory;
mod monotonicity;
mod named;
mod narrow;
mod net_deadlock;
mod number;
mod order;
mod place;
mod process;
mod quantifier;
mod query;
mod real;
mod run_formula;
mod shape;
mod statistics;
mod stmt;
mod symmetry;
mod system;
mod term;
mod watch;

use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Diagnostic, Span, Sym, Tree, ast::ExprId};

use crate::{
    LoadLimits, Stop,
    check::Checked,
    code::{Addr, Code, Op, Segment},
    symbols::SymbolId,
    system::{LabelId, LatticeVariable, ModelOrder, Shape, System},
    types::Ty,
};

use cache::CodeCache;
pub(crate) use chance::Chances;
use federation::ElementClocks;
use narrow::{Narrowing, Stay};
pub(crate) use query::lower_query;
pub(crate) use statistics::{about_runs, lower_statistics};
use symmetry::Scalars;
use watch::Flow;

/// The meaning of a name in an instance.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A constant.
    Const(i32),
    /// An object.
    Object(Object),
    /// The target of a reference parameter.
    Reference {
        /// The address that holds the address of its integers.
        ints: Addr,
        /// The address that holds the number of its first clock.
        clocks: Addr,
        shape: Arc<Shape>,
    },
}

/// A value at fixed positions among integers, clocks and channels.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub ints: Addr,
    pub clocks: u32,
    pub channels: u32,
    pub shape: Arc<Shape>,
}

/// The results of lowering the model, which the lowering of queries extends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lowered {
    /// The model's code, not linked.
    code: Segment,
    /// The compiled parts that the code of queries can use.
    cache: CodeCache,
    bindings: Vec<Option<Binding>>,
    /// The bindings of each process.
    processes: Vec<FxHashMap<SymbolId, Binding>>,
    /// The processes by the symbol in the system line and their arguments.
    by_name: FxHashMap<(SymbolId, Vec<i32>), u32>,
    variables: u32,
    meta: u32,
    initial: Vec<i32>,
    initial_meta: Vec<i32>,
    ranges: Vec<(i32, i32)>,
    ranges_meta: Vec<(i32, i32)>,
    /// The lattice variables, in the order of the row; their slots are counted from the first
    /// variable.
    lattices: Vec<LatticeVariable>,
    /// Their declarations.
    pub lattice_spans: Vec<Span>,
    /// The orders that functions define, by their indices in `Checked::externs`; their addresses
    /// are not linked.
    pub orders: FxHashMap<u32, ModelOrder>,
    /// The narrowings of elements by edges.
    narrowings: Vec<Narrowing>,
    /// The narrowings by invariants of processes, if time passes for elements with clocks.
    stays: Vec<Stay>,
    /// The clocks of elements by their declarations.
    element_clocks: FxHashMap<SymbolId, ElementClocks>,
    /// The flows between elements.
    flows: Vec<Flow>,
    /// The numbers of elements that guards of edges read.
    guarded: BTreeSet<usize>,
    /// For each variable, whether it never changes; empty if that is unknown.
    frozen: Vec<bool>,
    /// The events of vectors by template, and whether their participant is weak in one of them.
    synchronised: FxHashMap<(u32, u32), bool>,
    /// The scalar sets.
    scalars: Scalars,
    /// The labels of locations.
    labels: FxHashMap<Sym, LabelId>,
    /// The declared channels: symbol, first number and count.
    pub channels: Vec<(SymbolId, u32, u32)>,
    /// The limits on resources.
    pub limits: LoadLimits,
    /// The rates and weights, if the system is for statistical queries.
    pub chances: Option<Chances>,
    /// The number of bindings of all processes.
    named: usize,
    /// The number of clock constraints in guards of edges.
    constraints: usize,
    /// The size of the segments of queries in bytes.
    queries: usize,
    /// The edges that could not be lowered: template and index.
    pub failed: FxHashSet<(u32, u32)>,
    /// Features of the model that symbolic analysis lacks.
    pub unsupported: Vec<Diagnostic>,
}

/// The error that something could not be lowered. It has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotLowered;

type Result<T, E = NotLowered> = std::result::Result<T, E>;

/// The limits on the row, the constants, and the variables of functions.
const MAX_ROW: u32 = 1 << 22;
const MAX_CONSTANTS: u32 = 1 << 24;
const MAX_SCRATCH: u32 = 1 << 24;
const MAX_CLOCKS: u32 = 1 << 14;
const MAX_CHANNELS: u32 = 1 << 20;
/// The limits on processes, and on edges of all of them together.
const MAX_PROCESSES: u64 = 1 << 16;
const MAX_EDGES: usize = 1 << 22;
/// The limit on values of a quantifier that is unrolled.
const MAX_UNROLLED: i64 = 1 << 16;

/// The code of the label or function that is being lowered.
#[derive(Default)]
struct Chunk {
    ops: Vec<Op>,
    sites: Vec<(u32, Span)>,
    /// The target of the last jump that was closed: code from there on is reachable.
    landing: Option<usize>,
    /// The next free address of scratch space.
    frame: u32,
}

pub(crate) struct Lowerer<'a> {
    tree: &'a Tree,
    checked: &'a Checked,
    s: Lowered,
    /// The compiled parts of the current segment; those of the model are in [`Lowered::cache`].
    own: CodeCache,
    /// The start of the scratch space of the current segment.
    lowest: u32,
    system: System,
    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(&'static str, Span)>,
    chunk: Chunk,
    /// The result of the function that is being lowered.
    result: Option<Object>,
    /// The process whose names are bound.
    current: u32,
    /// The polarity of the current condition: the truth value that is tested, where abstract
    /// integers allow both.
    polarity: bool,
    /// The copies of variables, which comparisons use instead of the variables.
    copies: FxHashMap<Addr, Addr>,
    /// The names of the members of the variable that is being declared.
    member_names: Vec<String>,
    /// The shapes of types that were computed as parts of another one: structs may contain others
    /// many times.
    shapes: FxHashMap<Ty, Arc<Shape>>,
    /// Whether the time or memory limit was exceeded, which was reported. Later errors would repeat
    /// it.
    is_over: bool,
    /// Whether a query is being lowered.
    asking: bool,
    /// Whether part of the query depends on elements and is not monotone.
    is_non_monotone: bool,
}

/// Lowers a checked model, for statistical queries if `stochastic`.
pub(crate) fn lower(
    tree: &Tree,
    checked: &Checked,
    limits: LoadLimits,
    stochastic: bool,
) -> (System, Lowered, Vec<Diagnostic>) {
    let with = |frozen| {
        let chances = stochastic.then(Chances::default);
        let known = Lowered { frozen, limits, chances, ..Lowered::default() };
        let mut lowerer = Lowerer::new(tree, checked, known, System::default());
        lowerer.model();
        lowerer
    };
    let mut lowerer = with(Vec::new());
    if let Some(frozen) = lowerer.frozen() {
        // Two systems at a time would take twice the memory.
        drop(lowerer);
        lowerer = with(frozen);
    }
    lowerer.link();
    if !lowerer.s.narrowings.is_empty() {
        lowerer.compose();
        lowerer.link();
    }
    if !stochastic {
        lowerer.system.symmetry = Arc::new(lowerer.symmetry());
    }
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
            polarity: true,
            copies: FxHashMap::default(),
            member_names: Vec::new(),
            shapes: FxHashMap::default(),
            is_over: false,
            asking: false,
            is_non_monotone: false,
            s,
        }
    }

    /// Links the code of the system.
    fn link(&mut self) {
        let layout = [self.system.processes.len() as u32, self.s.variables, self.s.meta];
        let code = Code::new(self.s.code.clone(), layout, self.s.limits.signal);
        self.link_orders(&code);
        self.system.code = code;
    }

    /// Reports a diagnostic once for all instances, and an exceeded limit once for the model.
    fn report(&mut self, d: Diagnostic) -> NotLowered {
        if Stop::of_code(d.code).is_some() && std::mem::replace(&mut self.is_over, true) {
            return NotLowered;
        }
        if self.reported.insert((d.code, d.primary.span)) {
            self.diagnostics.push(d);
        }
        NotLowered
    }

    /// Reports a feature that symbolic analysis lacks; code that uses it is a trap.
    fn unsupported(&mut self, span: Span, feature: &'static str, why: &str) -> NotLowered {
        if self.reported.insert((feature, span)) {
            let message = format!("{feature} are not supported in symbolic analysis");
            self.s.unsupported.push(Diagnostic::warning("unsupported", span, message).label(why.to_owned()));
        }
        NotLowered
    }

    /// Records that something could not be lowered, so the system lacks it. Adds a diagnostic
    /// unless there is one: nothing may be left out silently.
    fn give_up(&mut self, span: Span, what: &'static str) {
        if self.s.unsupported.is_empty() && !self.diagnostics.iter().any(Diagnostic::is_error) {
            let _ = self.unsupported(span, what, "the engine has no form for it");
        }
    }

    /// Allocates a declared variable and binds its name.
    fn declare(&mut self, id: SymbolId, init: Option<ExprId>, name: &str) -> Result<()> {
        let symbol = *self.checked.symbols.get(id);
        if let Some((of, number)) = self.checked.member(id) {
            if let Some(init) = init {
                let (place, value) = (self.place_of_symbol(of)?, self.constant(init)?);
                self.start_member(&place, number, value);
            }
            return Ok(());
        }
        self.name_members(id)?;
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
}
