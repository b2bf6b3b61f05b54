//! Statements of functions.

use std::sync::Arc;

use syntax::{
    Span,
    ast::{Decl, Declarator, ExprId, ExprKind, StmtId, StmtKind},
};

use super::{Binding, Lowerer, NotLowered, Object, Result, initial::default_values, place::MemoryPlace};
use crate::{
    code::{Op, Region},
    system::Shape,
};

impl Lowerer<'_> {
    pub(super) fn statement(&mut self, s: StmtId) -> Result<()> {
        // Temporaries of one statement are reused by the next.
        let frame = self.chunk.frame;
        let result = syntax::grow(|| self.statement_here(s));
        self.chunk.frame = frame;
        result
    }

    fn statement_here(&mut self, s: StmtId) -> Result<()> {
        let tree = self.tree;
        let span = tree.stmt(s).span;
        match &tree.stmt(s).kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(e) => self.effects(*e),
            StmtKind::Block(decls, body) => {
                for decl in decls {
                    if let Decl::Var(d) = decl {
                        self.local(d)?;
                    }
                }
                body.iter().try_for_each(|&s| self.statement(s))
            }
            StmtKind::If(c, yes, no) => self.if_statement(*c, *yes, *no),
            StmtKind::While(c, body) => {
                let top = self.chunk.ops.len();
                let end = self.branch(*c, false)?;
                self.statement(*body)?;
                self.close_loop(top, end, span);
                Ok(())
            }
            StmtKind::DoWhile(body, c) => {
                let top = self.chunk.ops.len();
                self.statement(*body)?;
                let end = self.branch(*c, false)?;
                self.close_loop(top, end, span);
                Ok(())
            }
            StmtKind::For(init, c, step, body) => {
                self.effects(*init)?;
                let top = self.chunk.ops.len();
                let end = self.branch(*c, false)?;
                self.statement(*body)?;
                self.effects(*step)?;
                self.close_loop(top, end, span);
                Ok(())
            }
            StmtKind::Iterate(binding, body) => {
                if let Some(set) = self.scalar_set(self.checked.type_expr(binding.ty))
                    && !self.is_elementwise(binding.name, *body)
                {
                    self.s.scalars.breaks(set);
                }
                self.iterate(binding.name, binding.ty, |l| l.statement(*body))
            }
            StmtKind::Return(value) => self.return_statement(*value),
            StmtKind::Assert(e) => {
                let value = self.value(*e)?;
                let a = self.address(value);
                self.emit_at(Op::Assert { a }, tree.span(*e));
                Ok(())
            }
        }
    }

    fn if_statement(&mut self, c: ExprId, yes: StmtId, no: Option<StmtId>) -> Result<()> {
        let skip = self.branch(c, false)?;
        self.statement(yes)?;
        match no {
            None => self.land_all(skip),
            Some(no) => {
                let end = self.emit(Op::Jump { by: 0 });
                self.land_all(skip);
                self.statement(no)?;
                self.land(end);
            }
        }
        Ok(())
    }

    /// Emits the backward jump of a loop; the jumps in `end` leave it.
    fn close_loop(&mut self, top: usize, end: Vec<usize>, span: Span) {
        let by = self.back(top);
        self.emit_at(Op::Jump { by }, span);
        self.land_all(end);
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Result<()> {
        if let (Some(e), Some(result)) = (value, self.result.clone()) {
            let place = MemoryPlace::of(&result);
            match &*result.shape {
                Shape::Opaque => {}
                Shape::Double => self.assign_real(&place, None, e)?,
                Shape::Array { .. } | Shape::Struct { .. } | Shape::Lattice { .. } => self.assign_block(&place, e)?,
                _ => {
                    let value = self.value(e)?;
                    self.store(&place, value, self.tree.span(e));
                }
            }
        }
        self.emit(Op::Return);
        Ok(())
    }

    /// Compiles a variable of a function, which is initialised every time.
    fn local(&mut self, d: &Declarator) -> Result<()> {
        let span = d.name.span;
        let id = self.checked.symbols.at(span).ok_or(NotLowered)?;
        let ty = self.checked.symbols.get(id).ty;
        let shape = self.shape(ty, span)?;
        if shape.size().clocks > 0 {
            return Err(self.unsupported(span, "clocks in functions", "declare it in the template"));
        }
        let at = self.scratch(shape.size().ints, span)?;
        let object = Object { ints: at, clocks: 0, channels: 0, shape };
        let place = MemoryPlace::of(&object);
        match d.init {
            Some(init) if matches!(self.tree.kind(init), ExprKind::Braces(_)) => {
                self.s.scalars.listed(&object.shape);
                self.fill(&place, init)?;
            }
            Some(init) => match &*object.shape {
                Shape::Opaque => {}
                Shape::Double => self.assign_real(&place, None, init)?,
                Shape::Lattice { .. } => self.start_element(&place, init)?,
                Shape::Array { .. } | Shape::Struct { .. } => self.assign_block(&place, init)?,
                _ => {
                    let value = self.value(init)?;
                    self.store(&place, value, self.tree.span(init));
                }
            },
            None => {
                let mut values = Vec::new();
                default_values(&object.shape, &mut values);
                self.s.scalars.constant(&object.shape, &values);
                self.copy_constants(&place, &values);
            }
        }
        self.bind(id, Binding::Object(object));
        Ok(())
    }

    pub(super) fn copy_constants(&mut self, place: &MemoryPlace, values: &[i32]) {
        match values {
            [] => {}
            [value] => {
                let from = self.literal(*value);
                let to = self.pointer_free(place);
                self.emit(Op::Move { to, from });
            }
            _ => {
                let base = self.tuple(values);
                let (to, from, zero) = (self.pointer(place), self.temp(), self.literal(0));
                self.emit(Op::Point { to: from, base, offset: zero });
                self.emit(Op::Copy { to, from, len: values.len() as u32 });
            }
        }
    }

    /// Returns the address of a single number at a fixed position.
    fn pointer_free(&self, place: &MemoryPlace) -> u32 {
        match place.root {
            super::place::Root::Fixed { ints, .. } => ints + place.ints.fixed,
            super::place::Root::Reference { .. } => Region::Scratch.at(0),
        }
    }

    /// Compiles `{a, b}` for a variable of a function; the values need not be constant.
    fn fill(&mut self, place: &MemoryPlace, init: ExprId) -> Result<()> {
        let ExprKind::Braces(items) = self.tree.kind(init) else {
            return match &*place.shape {
                Shape::Opaque => Ok(()),
                Shape::Double => self.assign_real(place, None, init),
                Shape::Lattice { .. } => self.start_element(place, init),
                Shape::Array { .. } | Shape::Struct { .. } => self.assign_block(place, init),
                _ => {
                    let value = self.value(init)?;
                    self.store(place, value, self.tree.span(init));
                    Ok(())
                }
            };
        };
        let items = self.tree.list(items).to_vec();
        let shape = place.shape.clone();
        let parts: Vec<(u32, Arc<Shape>)> = match &*shape {
            Shape::Array { length, element, .. } => {
                if items.len() != *length as usize {
                    let message = format!("the array has {length} elements, the initialiser {}", items.len());
                    let span = self.tree.span(init);
                    return Err(self.report(syntax::Diagnostic::error("initialiser", span, message)));
                }
                (0..*length).map(|i| (i * element.size().ints, element.clone())).collect()
            }
            Shape::Struct { fields, .. } => {
                let mut at = 0;
                let starts: Vec<(u32, Arc<Shape>)> = fields
                    .iter()
                    .map(|(_, shape)| {
                        let start = at;
                        at += shape.size().ints;
                        (start, shape.clone())
                    })
                    .collect();
                // The items are in order, or named.
                let mut next = 0;
                let mut order = Vec::new();
                for &item in &items {
                    if let ExprKind::Field(name, _) = self.tree.kind(item) {
                        next = fields.iter().position(|f| *f.0 == *self.tree.text(name.sym)).ok_or(NotLowered)?;
                    }
                    order.push(starts.get(next).cloned().ok_or(NotLowered)?);
                    next += 1;
                }
                order
            }
            _ => return Err(NotLowered),
        };
        for ((start, shape), item) in parts.into_iter().zip(items) {
            let item = if let ExprKind::Field(_, value) = self.tree.kind(item) { value } else { item };
            let mut part = place.clone();
            part.ints.fixed += start;
            part.shape = shape;
            syntax::grow(|| self.fill(&part, item))?;
        }
        Ok(())
    }
}
