//! Declarations of variables, functions and parameters.

use syntax::{
    Diagnostic, Span,
    ast::{Decl, Declarator, ExprId, ExprKind, Function},
};

use super::{Body, Checker, FunctionDecl, FunctionInfo};
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{Ty, TyKind, Types},
};

/// The list of declarations that is being checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Global,
    Template(u32),
    System,
}

impl Checker<'_> {
    pub(super) fn declarations(&mut self, decls: &[Decl], section: Section) {
        for (i, decl) in decls.iter().enumerate() {
            if self.is_over() {
                return;
            }
            match decl {
                Decl::Var(d) if self.is_federation_clock(d) => self.federation_clock(d),
                Decl::Var(d) => {
                    self.variable(d, SymbolKind::Var);
                }
                Decl::Typedef(d) => self.typedef(d),
                Decl::Function(f) => {
                    let place = match section {
                        Section::Global => FunctionDecl::Global(i),
                        Section::Template(t) => FunctionDecl::Template(t, i),
                        Section::System => FunctionDecl::System(i),
                    };
                    self.function(f, place);
                }
                Decl::Import(_, functions, _) => {
                    for f in functions {
                        self.function(f, FunctionDecl::External);
                    }
                }
                Decl::Instantiation(inst) => self.instantiation(inst),
                Decl::ChanPriority(items, _) => {
                    for item in items {
                        if let Some(channel) = item.channel {
                            self.priority_item(channel);
                        }
                    }
                }
                Decl::BeforeUpdate(e) | Decl::AfterUpdate(e) => {
                    self.expr(*e);
                }
                Decl::Extern(e) => self.external(e, section == Section::Global || section == Section::System),
                Decl::Dynamic(name, ..) => {
                    self.declare(*name, SymbolKind::DynamicTemplate, Types::WRONG);
                }
            }
        }
    }

    fn priority_item(&mut self, channel: ExprId) {
        let mut ty = self.expr(channel);
        while let TyKind::Array(_, element) = self.kind(ty) {
            ty = *element;
        }
        if !matches!(self.kind(ty), TyKind::Chan { .. } | TyKind::Wrong) {
            let found = self.describe(ty);
            self.error("type", self.tree.span(channel), format!("only channels have priorities, this is {found}"));
        }
        if let ExprKind::Index(_, index) = self.tree.kind(channel) {
            self.require_computable(index, "the index of a channel with a priority");
        }
    }

    pub(super) fn typedef(&mut self, d: &Declarator) {
        self.refuse_member(d, "a type");
        let ty = self.declarator_type(d);
        self.declare(d.name, SymbolKind::Type, ty);
    }

    /// Checks and declares a variable of any kind.
    pub(super) fn variable(&mut self, d: &Declarator, kind: SymbolKind) -> SymbolId {
        let ty = self.declarator_type(d);
        let ty = self.federation(d, ty, kind);
        let local = kind == SymbolKind::Local;
        if !self.lattice_variable(d, ty) {
            // Its errors have been reported.
        } else if let Some(init) = d.init {
            self.initialiser(init, ty);
            self.require_pure(init, "an initialiser");
            if !local && ty != Types::WRONG {
                self.require_computable(init, "an initialiser");
            }
        } else if self.out.types.is_constant(ty) {
            let text = self.text(d.name.sym);
            self.report(
                Diagnostic::error("constant", d.name.span, format!("the constant `{text}` has no value"))
                    .help(format!("write `{text} = …`")),
            );
        }
        let base = self.out.types.base(ty);
        let wrong = match self.kind(base) {
            TyKind::Void => true,
            TyKind::Chan { .. } | TyKind::Scalar(..) => local,
            _ => false,
        };
        if wrong {
            let found = self.describe(base);
            let whose = if local { "a variable of a function" } else { "a variable" };
            self.error("type", d.name.span, format!("{whose} can't be {found}"));
        }
        let id = self.declare(d.name, kind, ty);
        self.note_member(id, ty);
        if self.out.types.is_constant(ty) {
            self.out.constants.extend(d.init.map(|init| (id, init)));
        }
        id
    }

    fn function(&mut self, f: &Function, decl: FunctionDecl) {
        let result = self.type_of(f.result);
        self.check_result_type(f, result);
        let index = self.out.functions.len() as u32;
        let symbol = self.declare(f.name, SymbolKind::Function(index), result);
        self.out.symbols.open();
        let params: Vec<SymbolId> = f.params.iter().map(|p| self.parameter(p, true)).collect();
        self.out.functions.push(FunctionInfo { symbol, decl, params, writes: false, reads: None, calls: Vec::new() });
        if let Some(body) = f.body {
            let state = Body { result, name: f.name.sym, writes: false, reads: None, calls: Vec::new() };
            let outer = self.body.replace(state);
            self.block(body);
            if let Some(state) = std::mem::replace(&mut self.body, outer) {
                let info = &mut self.out.functions[index as usize];
                info.writes = state.writes;
                info.reads = state.reads;
                info.calls = state.calls;
            }
            let is_void = matches!(self.kind(result), TyKind::Void | TyKind::Wrong);
            if !is_void && !self.always_returns(body) {
                let text = self.text(f.name.sym);
                let end = self.tree.stmt(body).span.end;
                self.report(
                    Diagnostic::error("return", f.name.span, format!("`{text}` may end without returning a value"))
                        .also(Span { start: end - 1, end }, "the end is reached here")
                        .help("end it with `return`, or with `if … else …` where both parts return"),
                );
            }
        }
        self.out.symbols.close();
    }

    fn check_result_type(&mut self, f: &Function, result: Ty) {
        fn legal(checker: &Checker<'_>, ty: Ty) -> bool {
            match checker.kind(ty) {
                TyKind::Void | TyKind::Int(_) | TyKind::Bool | TyKind::Double | TyKind::Scalar(..) | TyKind::Wrong => {
                    true
                }
                TyKind::Struct(fields) => fields.iter().all(|(_, t)| legal(checker, *t)),
                // UPPAAL's documentation allows arrays; so do we.
                TyKind::Array(_, element) => legal(checker, *element),
                _ => false,
            }
        }
        let span = self.tree.ty(f.result).span;
        if !legal(self, result) {
            let found = self.describe(result);
            self.error("type", span, format!("a function can't return {found}"));
        } else if self.tree.ty(f.result).prefix != Default::default() {
            self.error("type", span, "the type of a result has no prefix");
        }
    }

    /// Checks and declares a parameter.
    pub(super) fn parameter(&mut self, p: &Declarator, of_function: bool) -> SymbolId {
        self.refuse_member(p, "a parameter");
        let mut ty = self.declarator_type(p);
        let reference = p.reference;
        let kind = if of_function { SymbolKind::FunctionParam { reference } } else { SymbolKind::Param { reference } };
        if matches!(self.kind(ty), TyKind::Void) {
            self.error("type", p.name.span, "a parameter can't be `void`");
        }
        if self.is_joint(ty) || *self.kind(self.out.types.base(ty)) == TyKind::Federation {
            let found = self.describe(ty);
            self.report(
                Diagnostic::error("type", p.name.span, format!("a parameter can't be {found}"))
                    .help("its members are declared beside it, so that all processes can use them"),
            );
            ty = Types::WRONG;
        } else if !of_function && !reference && matches!(self.kind(self.out.types.base(ty)), TyKind::Lattice(..)) {
            let found = self.describe(ty);
            self.report(
                Diagnostic::error("type", p.name.span, format!("a template can't have {found} as a value"))
                    .help(format!("pass it by reference: `&{}`", self.text(p.name.sym))),
            );
            ty = Types::WRONG;
        }
        self.declare(p.name, kind, ty)
    }
}
