//! The model as a whole: globals, processes, priorities.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syntax::{
    Diagnostic, Span,
    ast::{Decl, ExprId, ExprKind, PriorityItem},
};

use super::{
    Binding, Lowerer, MAX_PROCESSES, NotLowered, Object, Result,
    place::{MemoryPlace, Root},
};
use crate::{
    check::ProcessEntry,
    code::{Op, Pc},
    real::words,
    symbols::{SymbolId, SymbolKind},
    system::{Clock, Shape},
    types::TyKind,
};

impl Lowerer<'_> {
    pub(super) fn model(&mut self) {
        let (tree, checked) = (self.tree, self.checked);
        self.system.clocks.push(Clock { name: "0".to_owned(), initial: 0 });
        self.globals(&tree.decls);
        self.globals(&tree.system_decls);
        self.note_features();
        for decl in tree.decls.iter().chain(&tree.system_decls) {
            if let Decl::ChanPriority(items, _) = decl {
                self.priorities(items);
            }
        }
        self.events();
        let mut total = 0u64;
        for entry in &checked.processes {
            // Lowering continues, to report the errors of other processes.
            if self.entry(*entry, &mut total).is_err() {
                self.give_up(entry.span, "processes of this kind");
            }
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for decl in tree.decls.iter().chain(&tree.system_decls) {
            match decl {
                Decl::BeforeUpdate(e) => before.push(*e),
                Decl::AfterUpdate(e) => after.push(*e),
                _ => {}
            }
        }
        self.system.before_update = self.hook(&before);
        self.system.after_update = self.hook(&after);
        self.complete();
    }

    fn hook(&mut self, exprs: &[ExprId]) -> Option<Pc> {
        if exprs.is_empty() {
            return None;
        }
        self.fresh(exprs, |l| {
            for &e in exprs {
                l.effects(e)?;
                l.watch(e);
            }
            l.emit(Op::End);
            Ok(l.finish())
        })
        .map_err(|NotLowered| self.give_up(self.tree.span(exprs[0]), "updates of this kind"))
        .ok()
    }

    /// Assembles the row and moves the variables to their final positions.
    fn complete(&mut self) {
        let processes = self.system.processes.len();
        self.system.initial = self.system.processes.iter().map(|p| p.initial as i32).collect();
        self.system.initial.extend_from_slice(&self.s.initial);
        self.system.identity = self.system.initial.len();
        self.system.initial.extend_from_slice(&self.s.initial_meta);
        self.system.ranges = self.system.processes.iter().map(|p| (0, p.locations as i32 - 1)).collect();
        self.system.ranges.extend_from_slice(&self.s.ranges);
        self.system.ranges.extend_from_slice(&self.s.ranges_meta);
        let identity = self.system.identity as u32;
        for variable in &mut self.system.variables {
            variable.first += if variable.meta { identity } else { processes as u32 };
        }
        self.system.variables.sort_by_key(|v| v.first);
        let channels = self.system.channels.iter().map(|c| c.priority).chain([self.system.internal_priority]);
        let differ = |mut all: Box<dyn Iterator<Item = i32> + '_>| {
            let first = all.next();
            all.any(|p| Some(p) != first)
        };
        self.system.has_priorities =
            differ(Box::new(channels)) || differ(Box::new(self.system.processes.iter().map(|p| p.priority)));
        self.require_alive();
        self.settle();
        self.system.lattices = self.s.lattices.clone();
        for variable in &mut self.system.lattices {
            variable.first += processes as u32;
        }
        self.vectors();
        self.system.index_edges();
        self.system.index_vectors();
    }

    fn globals(&mut self, decls: &[Decl]) {
        for decl in decls {
            if let Decl::Var(d) = decl
                && let Some(id) = self.checked.symbols.at(d.name.span)
            {
                // Lowering continues, to report the errors of other variables.
                if self.declare(id, d.init, self.tree.text(d.name.sym)).is_err() {
                    self.give_up(d.name.span, "variables of this kind");
                }
            }
        }
    }

    /// Reports declared features that make symbolic analysis impossible.
    fn note_features(&mut self) {
        for decl in self.tree.decls.iter().chain(&self.tree.system_decls) {
            if let Decl::Dynamic(_, _, span) = decl {
                let why = "the number of processes is not known beforehand";
                let _ = self.unsupported(*span, "dynamic templates", why);
            }
        }
    }

    fn priorities(&mut self, items: &[PriorityItem]) {
        // `a, b < default < c`: priorities increase from left to right. Channels that are not
        // listed are `default`.
        let mut level = 0;
        let mut listed: Vec<(u32, u32, i32)> = Vec::new();
        let mut default = 0;
        for item in items {
            level += i32::from(item.above);
            match item.channel {
                None => default = level,
                Some(e) => match self.fresh(&[e], |l| l.place_of(e)) {
                    Ok(MemoryPlace { root: Root::Fixed { channels, .. }, channels: offset, shape, .. }) => {
                        listed.push((channels + offset, shape.size().channels, level));
                    }
                    _ => self.give_up(self.tree.span(e), "priorities of this kind"),
                },
            }
        }
        for channel in &mut self.system.channels {
            channel.priority = default;
        }
        self.system.internal_priority = default;
        for (first, count, level) in listed {
            for channel in &mut self.system.channels[first as usize..][..count as usize] {
                channel.priority = level;
            }
        }
    }

    /// Adds all processes of an entry of the system line: one for each value of its free
    /// parameters.
    fn entry(&mut self, entry: ProcessEntry, total: &mut u64) -> Result<()> {
        let params = self.params_of(entry.symbol);
        let mut ranges = Vec::new();
        let mut count = 1u64;
        for &param in &params {
            let (low, high) = self.values(self.checked.symbols.get(param).ty)?;
            let size = (i64::from(high) - i64::from(low) + 1).max(0) as u64;
            count = count.saturating_mul(size);
            ranges.push((low, high));
        }
        *total = total.saturating_add(count);
        if *total > MAX_PROCESSES {
            return Err(self.report(
                Diagnostic::error("too-many-processes", entry.span, format!("the system has {total} processes"))
                    .help(format!("at most {MAX_PROCESSES} are possible; bound the free parameters")),
            ));
        }
        let mut args: Vec<i32> = ranges.iter().map(|r| r.0).collect();
        for _ in 0..count {
            for (&param, &value) in params.iter().zip(&args) {
                self.bind(param, Binding::Const(value));
            }
            self.process(entry, &args)?;
            for (value, &(low, high)) in args.iter_mut().zip(&ranges).rev() {
                if *value < high {
                    *value += 1;
                    break;
                }
                *value = low;
            }
        }
        Ok(())
    }

    pub(super) fn params_of(&self, id: SymbolId) -> Vec<SymbolId> {
        match self.checked.symbols.get(id).kind {
            SymbolKind::Template(t) => self.checked.templates[t as usize].params.clone(),
            SymbolKind::Instance(i) => self.checked.instances[i as usize].params.clone(),
            _ => Vec::new(),
        }
    }

    /// Binds the parameters of `symbol`'s template, through all instances in between.
    pub(super) fn bind_arguments(&mut self, symbol: SymbolId) -> Result<u32> {
        let mut symbol = symbol;
        loop {
            match self.checked.symbols.get(symbol).kind {
                SymbolKind::Template(t) => return Ok(t),
                SymbolKind::Instance(i) => {
                    let instance = &self.checked.instances[i as usize];
                    let args = self.tree.list(instance.args).to_vec();
                    let of = instance.of;
                    let params = self.params_of(of);
                    // Arguments are evaluated before any is bound, since instances may pass on
                    // parameters.
                    let mut bindings = Vec::new();
                    for (&param, &arg) in params.iter().zip(&args) {
                        bindings.push((param, self.template_argument(param, arg)?));
                    }
                    for (param, binding) in bindings {
                        self.bind(param, binding);
                    }
                    symbol = of;
                }
                _ => return Err(NotLowered),
            }
        }
    }

    fn template_argument(&mut self, param: SymbolId, arg: ExprId) -> Result<Binding> {
        let p = *self.checked.symbols.get(param);
        let span = self.tree.span(arg);
        // An element of a lattice is not a constant, even if nothing may change it.
        let is_element = matches!(self.checked.types.kind(self.checked.types.base(p.ty)), TyKind::Lattice(..));
        let by_reference =
            p.kind == SymbolKind::Param { reference: true } && (is_element || !self.checked.types.is_constant(p.ty));
        if by_reference {
            let place = self.fresh(&[arg], |l| l.place_of(arg))?;
            self.refuse_bit(&place, span)?;
            let Root::Fixed { ints, clocks, channels, .. } = place.root else { return Err(NotLowered) };
            if place.ints.dynamic.is_some() || place.clocks.dynamic.is_some() {
                let message = "the index in this argument is outside of the array";
                return Err(self.report(Diagnostic::error("arguments", span, message)));
            }
            return Ok(Binding::Object(Object {
                ints: ints + place.ints.fixed,
                clocks: clocks + place.clocks.fixed,
                channels: channels + place.channels,
                shape: place.shape,
            }));
        }
        match self.checked.types.kind(p.ty) {
            TyKind::Double if self.is_stochastic() => {
                let ints = self.constant_real(arg)?;
                let (ints, shape) = (self.tuple(&words(ints)), Arc::new(Shape::Double));
                Ok(Binding::Object(Object { ints, clocks: 0, channels: 0, shape }))
            }
            TyKind::Double => {
                let shape = Arc::new(Shape::Opaque);
                Ok(Binding::Object(Object { ints: 0, clocks: 0, channels: 0, shape }))
            }
            TyKind::Array(..) | TyKind::Struct(_) => {
                let shape = self.shape(p.ty, p.span)?;
                let values = self.constant_block(arg, &shape)?;
                self.s.scalars.constant(&shape, &values);
                let ints = self.tuple(&values);
                Ok(Binding::Object(Object { ints, clocks: 0, channels: 0, shape }))
            }
            _ => {
                let value = self.constant(arg)?;
                let value = if *self.checked.types.kind(p.ty) == TyKind::Bool { i32::from(value != 0) } else { value };
                self.check_argument(p.ty, value, span, p.span)?;
                Ok(Binding::Const(value))
            }
        }
    }

    fn check_argument(&mut self, ty: crate::types::Ty, value: i32, span: Span, declared: Span) -> Result<()> {
        let (low, high) = self.values(ty)?;
        if value < low || value > high {
            return Err(self.report(
                Diagnostic::error("arguments", span, format!("{value} is outside of the range [{low},{high}]"))
                    .also(declared, "of this parameter"),
            ));
        }
        Ok(())
    }

    /// Returns the process that an expression of a query denotes; `None` if it denotes none.
    pub(super) fn process_of(&mut self, e: ExprId) -> Result<Option<u32>> {
        if *self.checked.types.kind(self.checked.ty(e)) != TyKind::Process {
            return Ok(None);
        }
        let (callee, args) = match self.tree.kind(e) {
            ExprKind::Call(callee, args) => (callee, self.tree.list(args).to_vec()),
            _ => (e, Vec::new()),
        };
        let symbol = self.checked.name(callee).ok_or(NotLowered)?;
        let mut values = Vec::new();
        for &arg in &args {
            values.push(self.constant(arg)?);
        }
        let key = (symbol, values);
        if let Some(&process) = self.s.by_name.get(&key) {
            return Ok(Some(process));
        }
        let d = self.no_process(symbol, &key.1, self.tree.span(e));
        Err(self.report(d))
    }

    /// Stores the bindings of a process for queries.
    pub(super) fn remember(&mut self, template: u32, entry: ProcessEntry, args: &[i32]) {
        let scope = &self.checked.templates[template as usize].scope;
        let names: FxHashMap<SymbolId, Binding> =
            scope.values().filter_map(|&id| Some((id, self.binding(id)?.clone()))).collect();
        self.s.named += names.capacity();
        let process = self.s.processes.len() as u32;
        let kinds: Vec<Option<u32>> =
            self.params_of(entry.symbol).iter().map(|p| self.scalar_set(self.checked.symbols.get(*p).ty)).collect();
        self.s.scalars.process(entry.symbol.0, kinds.into_iter().zip(args.iter().copied()).collect());
        self.s.by_name.insert((entry.symbol, args.to_vec()), process);
        self.s.processes.push(names);
    }
}
