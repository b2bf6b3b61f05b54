//! Functions: compiled once for each process that calls them, with fixed addresses for their
//! variables.
//!
//! There is no recursion, so a function's variables directly follow those of the functions that it
//! calls.

use std::sync::Arc;

use syntax::{
    Diagnostic,
    ast::{Decl, Declarator, ExprId, ExprKind, Function, StmtId},
};

use super::{Binding, Lowerer, NotLowered, Object, Result, expr::ExprValue, place::MemoryPlace};
use crate::{
    check::FunctionDecl,
    code::{Addr, Op, Pc},
    symbols::SymbolKind,
    system::{Shape, ShapeSize},
    types::TyKind,
};

/// A compiled function.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pc: Pc,
    params: Vec<Parameter>,
    result: Option<Object>,
    /// The end of its variables in the scratch space.
    end: u32,
}

/// How an argument is passed.
#[derive(Clone, Debug)]
enum Parameter {
    /// By value.
    Value(Object),
    /// By reference: the address of its integers and the number of its first clock.
    Reference { ints: Addr, clocks: Addr, shape: Arc<Shape> },
}

impl<'a> Lowerer<'a> {
    /// Compiles the functions that `e` calls. Returns the end of their variables.
    pub(super) fn compile_callees(&mut self, e: ExprId) -> Result<u32> {
        if self.checked.functions.is_empty() {
            return Ok(0);
        }
        syntax::grow(|| {
            let kind = self.tree.kind(e);
            let mut end = 0;
            if let ExprKind::Quantifier(_, name, ty, body) = kind
                && self.mentions_process(body)
            {
                // The processes depend on the value of the variable.
                for value in self.unrolled(ty, self.tree.span(e))? {
                    self.bind_value(name, value)?;
                    end = end.max(self.compile_callees(body)?);
                }
                return Ok(end);
            }
            if let ExprKind::Call(callee, _) = kind
                && let Some((f, process)) = self.callee(callee)?
            {
                let span = self.tree.span(e);
                end = self.within(process, |l| l.compile(f, span))?;
            }
            let mut children = Vec::new();
            self.tree.children(kind, |_, child| children.push(child));
            for child in children {
                end = end.max(self.compile_callees(child)?);
            }
            Ok(end)
        })
    }

    /// Returns the function that is called, and its process if the call names one.
    pub(super) fn callee(&mut self, callee: ExprId) -> Result<Option<(u32, Option<u32>)>> {
        let Some(id) = self.checked.name(callee) else { return Ok(None) };
        let SymbolKind::Function(f) = self.checked.symbols.get(id).kind else { return Ok(None) };
        let process = match self.tree.kind(callee) {
            ExprKind::Member(of, _) => self.process_of(of)?,
            _ => None,
        };
        Ok(Some((f, process)))
    }

    /// Runs `f` with the names of a process bound.
    pub(super) fn within<T>(&mut self, process: Option<u32>, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let Some(process) = process else { return f(self) };
        for (id, binding) in self.s.processes[process as usize].clone() {
            self.bind(id, binding);
        }
        let before = std::mem::replace(&mut self.current, process);
        let result = f(self);
        self.current = before;
        result
    }

    /// Returns the key of a function in the cache: functions of templates are compiled for each
    /// process.
    pub(super) fn key(&self, f: u32) -> (u32, Option<u32>) {
        let own = matches!(self.checked.functions[f as usize].decl, FunctionDecl::Template(..));
        (f, own.then_some(self.current))
    }

    /// Compiles a function unless it is cached. Returns the end of its variables.
    pub(super) fn compile(&mut self, f: u32, call: syntax::Span) -> Result<u32> {
        let key = self.key(f);
        if let Some(compiled) = self.cached(|cache| cache.compiled.get(&key)) {
            return Ok(compiled.end);
        }
        let info = &self.checked.functions[f as usize];
        let Some(function) = self.declaration(f) else {
            let name = self.tree.text(self.checked.symbols.get(info.symbol).name).to_owned();
            let why = format!("`{name}` is defined in a library, not in the model");
            return Err(self.unsupported(call, "external functions", &why));
        };
        let mut base = self.lowest;
        for &callee in &info.calls {
            if let SymbolKind::Function(g) = self.checked.symbols.get(callee).kind {
                base = base.max(self.compile(g, call)?);
            }
        }
        let outer = self.result.take();
        let result = self.aside(|l| {
            l.chunk.frame = base;
            l.compile_body(function)
        });
        self.result = outer;
        let compiled = result?;
        let end = compiled.end;
        self.own.compiled.insert(key, compiled);
        Ok(end)
    }

    /// Returns the declaration of a function; `None` if it is in a library.
    fn declaration(&self, f: u32) -> Option<&'a Function> {
        let (decls, i) = match self.checked.functions[f as usize].decl {
            FunctionDecl::Global(i) => (&self.tree.decls, i),
            FunctionDecl::System(i) => (&self.tree.system_decls, i),
            FunctionDecl::Template(t, i) => (&self.tree.templates[t as usize].decls, i),
            FunctionDecl::External => return None,
        };
        if let Decl::Function(function) = decls.get(i)? { Some(function) } else { None }
    }

    /// Returns the body of a function.
    pub(super) fn body_of(&self, f: u32) -> Option<StmtId> {
        self.declaration(f)?.body
    }

    fn compile_body(&mut self, function: &Function) -> Result<Compiled> {
        let span = function.name.span;
        let id = self.checked.symbols.at(span).ok_or(NotLowered)?;
        let result_ty = self.checked.symbols.get(id).ty;
        self.result = match self.checked.types.kind(result_ty) {
            TyKind::Void => None,
            _ => {
                let shape = self.shape(result_ty, span)?;
                Some(Object { ints: self.scratch(shape.size().ints, span)?, clocks: 0, channels: 0, shape })
            }
        };
        let result = self.result.clone();
        if let Some(object) = &result
            && function.body.is_none_or(|body| !self.surely_returns(body))
        {
            // The result may be left from another call.
            self.s.scalars.breaks_all(&object.shape);
        }
        let mut params = Vec::new();
        for p in &function.params {
            params.push(self.parameter(p)?);
        }
        let first = self.chunk.frame;
        let mut highest = first;
        if let Some(body) = function.body {
            self.highest_frame(&mut highest, |l| l.statement(body))?;
        }
        self.emit(Op::Return);
        let pc = self.finish();
        Ok(Compiled { pc, params, result, end: highest })
    }

    /// Runs `f` and updates the highest end of scratch space.
    fn highest_frame(&mut self, highest: &mut u32, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let before = std::mem::replace(&mut self.s.code.scratch, self.chunk.frame);
        let result = f(self);
        *highest = self.s.code.scratch.max(self.chunk.frame);
        self.s.code.scratch = self.s.code.scratch.max(before);
        result
    }

    fn parameter(&mut self, p: &Declarator) -> Result<Parameter> {
        let span = p.name.span;
        let id = self.checked.symbols.at(span).ok_or(NotLowered)?;
        let shape = self.shape(self.checked.symbols.get(id).ty, span)?;
        if p.reference {
            let (ints, clocks) = (self.temp(), self.temp());
            self.bind(id, Binding::Reference { ints, clocks, shape: shape.clone() });
            return Ok(Parameter::Reference { ints, clocks, shape });
        }
        if shape.size().clocks > 0 {
            return Err(self.unsupported(span, "clocks as values", "pass a clock with `&`"));
        }
        let object = Object { ints: self.scratch(shape.size().ints, span)?, clocks: 0, channels: 0, shape };
        self.bind(id, Binding::Object(object.clone()));
        Ok(Parameter::Value(object))
    }

    /// Compiles a call. Returns the place of its result.
    pub(super) fn call_place(&mut self, e: ExprId) -> Result<MemoryPlace> {
        self.call(e)?.map(|object| MemoryPlace::of(&object)).ok_or(NotLowered)
    }

    /// Compiles a call. Returns its result.
    pub(super) fn call(&mut self, e: ExprId) -> Result<Option<Object>> {
        let ExprKind::Call(callee, args) = self.tree.kind(e) else { return Err(NotLowered) };
        let (f, process) = self.callee(callee)?.ok_or(NotLowered)?;
        let key = self.within(process, |l| Ok(l.key(f)))?;
        // If it is missing, its compilation has failed, which was reported.
        let compiled = self.cached(|cache| cache.compiled.get(&key)).cloned().ok_or(NotLowered)?;
        let args = self.tree.list(args).to_vec();
        // Arguments may contain calls: all are evaluated before any is passed.
        let mut ready = Vec::new();
        for (parameter, &arg) in compiled.params.iter().zip(&args) {
            ready.push(self.argument(parameter, arg)?);
        }
        for (parameter, passed) in compiled.params.iter().zip(ready) {
            self.pass(parameter, passed);
        }
        self.emit(Op::Call { pc: compiled.pc.0 });
        Ok(compiled.result)
    }

    /// Compiles a call of a function of the model with objects as arguments. Returns its result.
    pub(super) fn call_with(&mut self, f: u32, args: &[Object]) -> Result<Option<Object>> {
        let key = self.key(f);
        let compiled = self.cached(|cache| cache.compiled.get(&key)).cloned().ok_or(NotLowered)?;
        for (parameter, arg) in compiled.params.iter().zip(args) {
            let passed = match parameter {
                Parameter::Value(_) => Passed::Block(arg.clone()),
                Parameter::Reference { .. } => Passed::Reference(self.pointer(&MemoryPlace::of(arg)), None),
            };
            self.pass(parameter, passed);
        }
        self.emit(Op::Call { pc: compiled.pc.0 });
        Ok(compiled.result)
    }

    fn argument(&mut self, parameter: &Parameter, arg: ExprId) -> Result<Passed> {
        let span = self.tree.span(arg);
        match parameter {
            Parameter::Value(object) => match &*object.shape {
                Shape::Opaque => Ok(Passed::Nothing),
                Shape::Double => {
                    let copy = Object { ints: self.scratch(2, span)?, ..object.clone() };
                    self.assign_real(&MemoryPlace::of(&copy), None, arg)?;
                    Ok(Passed::Block(copy))
                }
                Shape::Array { .. } | Shape::Struct { .. } | Shape::Lattice { .. } => {
                    let copy = Object { ints: self.scratch(object.shape.size().ints, span)?, ..object.clone() };
                    self.assign_block(&MemoryPlace::of(&copy), arg)?;
                    Ok(Passed::Block(copy))
                }
                shape => {
                    let value = self.value(arg)?;
                    let (low, high) = shape.range();
                    let value = if *shape == Shape::Bool { self.truth(value) } else { value };
                    if value.low < low || value.high > high {
                        let (a, bounds) = (self.address(value), self.tuple(&[low, high]));
                        self.emit_at(Op::Range { a, bounds }, span);
                    }
                    let (from, to) = (self.address(value), self.temp());
                    self.emit(Op::Move { to, from });
                    Ok(Passed::Value(ExprValue::at(to, low, high)))
                }
            },
            Parameter::Reference { shape, .. } => {
                let place = self.place_of(arg)?;
                self.refuse_bit(&place, span)?;
                let (mine, theirs) = (shape.size(), place.shape.size());
                if mine != theirs {
                    return Err(self.report(Diagnostic::error(
                        "arguments",
                        span,
                        format!("the parameter has {} numbers, the argument {}", count(mine), count(theirs)),
                    )));
                }
                let ints = self.pointer(&place);
                let clocks = if mine.clocks > 0 { Some(self.clock_number(&place)) } else { None };
                Ok(Passed::Reference(ints, clocks))
            }
        }
    }

    fn pass(&mut self, parameter: &Parameter, passed: Passed) {
        match (parameter, passed) {
            (Parameter::Value(object), Passed::Value(value)) => {
                let from = self.address(value);
                self.emit(Op::Move { to: object.ints, from });
            }
            (Parameter::Value(object), Passed::Block(copy)) => {
                let (to, from) = (self.pointer(&MemoryPlace::of(object)), self.pointer(&MemoryPlace::of(&copy)));
                self.emit(Op::Copy { to, from, len: object.shape.size().ints });
            }
            (Parameter::Reference { ints, clocks, .. }, Passed::Reference(pointer, clock)) => {
                self.emit(Op::Move { to: *ints, from: pointer });
                if let Some(clock) = clock {
                    let from = self.address(clock);
                    self.emit(Op::Move { to: *clocks, from });
                }
            }
            _ => {}
        }
    }
}

/// An argument that was evaluated.
enum Passed {
    Nothing,
    Value(ExprValue),
    Block(Object),
    Reference(Addr, Option<ExprValue>),
}

fn count(size: ShapeSize) -> u32 {
    size.ints + size.clocks + size.channels
}
