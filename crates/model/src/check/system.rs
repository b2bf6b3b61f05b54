//! The model as a whole: instances and the system line.

use syntax::{
    Diagnostic,
    ast::{Declarator, ExprId, ExprKind, Instantiation},
};

use super::{Checker, InstanceInfo, ProcessEntry, decl::Section, hint::Wanted};
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{RangeBound, TyKind, Types},
};

/// The template of an instance if it is unknown.
const UNKNOWN: SymbolId = SymbolId(u32::MAX);

impl Checker<'_> {
    pub(super) fn model(&mut self) {
        let tree = self.tree;
        self.out.symbols.open();
        self.declarations(&tree.decls, Section::Global);
        for (i, template) in tree.templates.iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.template(i as u32, template);
        }
        if tree.is_tchecker() {
            self.tchecker_names();
        }
        for chart in &tree.charts {
            self.declare(*chart, SymbolKind::Chart, Types::WRONG);
        }
        self.declarations(&tree.system_decls, Section::System);
        self.system_line();
        self.in_query = true;
        for &(guard, measure) in &tree.progress {
            for e in guard.into_iter().chain([measure]) {
                let ty = self.expr(e);
                if ty != Types::WRONG && !self.out.types.is_integral(ty) {
                    let found = self.describe(ty);
                    self.error("type", tree.span(e), format!("a progress measure must be an integer, not {found}"));
                }
            }
        }
        self.in_query = false;
    }

    /// Returns the template that a template or instance is made from.
    pub(super) fn template_of(&self, id: SymbolId) -> Option<u32> {
        let mut id = id;
        while id != UNKNOWN {
            match self.symbol(id).kind {
                SymbolKind::Template(t) => return Some(t),
                SymbolKind::Instance(i) => id = self.out.instances[i as usize].of,
                _ => return None,
            }
        }
        None
    }

    /// Returns the parameters of a template or instance that are not bound.
    pub(super) fn params_of(&self, id: SymbolId) -> Vec<SymbolId> {
        match self.symbol(id).kind {
            SymbolKind::Template(t) => self.out.templates[t as usize].params.clone(),
            SymbolKind::Instance(i) => self.out.instances[i as usize].params.clone(),
            _ => Vec::new(),
        }
    }

    pub(super) fn instantiation(&mut self, inst: &Instantiation) {
        let of = self.lookup(inst.template, Wanted::Template).filter(|&of| {
            let symbol = self.symbol(of);
            let fine = matches!(symbol.kind, SymbolKind::Template(_) | SymbolKind::Instance(_));
            if !fine && symbol.kind != SymbolKind::Chart {
                let text = self.text(inst.template.sym);
                let d = Diagnostic::error("not-a-template", inst.template.span, format!("`{text}` is not a template"))
                    .also(symbol.span, "declared here");
                self.report(self.suggest(d, inst.template.sym, Wanted::Template));
            }
            fine
        });
        self.out.symbols.open();
        let params: Vec<SymbolId> = inst.params.iter().map(|p: &Declarator| self.parameter(p, false)).collect();
        let args: Vec<ExprId> = self.tree.list(inst.args).to_vec();
        let tys: Vec<_> = args.iter().map(|&a| self.expr(a)).collect();
        if let Some(of) = of {
            let wanted = self.params_of(of);
            if wanted.len() != args.len() && !self.tree.lost.contains(&inst.template.sym) {
                let text = self.text(inst.template.sym);
                let s = if wanted.len() == 1 { "" } else { "s" };
                let message = format!("`{text}` takes {} argument{s}, not {}", wanted.len(), args.len());
                self.report(
                    Diagnostic::error("arguments", inst.span, message).also(self.symbol(of).span, "declared here"),
                );
            }
            for &arg in &args {
                self.require_pure(arg, "an argument");
            }
            // An argument that does not fit its parameter is reported once.
            if self.arguments(self.text(inst.template.sym), &wanted, &args, &tys) {
                for (&param, &arg) in wanted.iter().zip(&args) {
                    self.template_argument(param, arg);
                }
            }
        }
        self.out.symbols.close();
        let index = self.out.instances.len() as u32;
        self.declare(inst.name, SymbolKind::Instance(index), Types::PROCESS);
        // An instance of something unknown is kept, so that the system line does not report it
        // again.
        let of = of.unwrap_or(UNKNOWN);
        self.out.instances.push(InstanceInfo { params, of, args: inst.args });
    }

    /// Checks the argument of a template: a value must be constant, a reference a variable with
    /// constant indices.
    fn template_argument(&mut self, param: SymbolId, arg: ExprId) {
        let p = self.symbol(param);
        let reference = p.kind == SymbolKind::Param { reference: true };
        let is_element = matches!(self.kind(self.out.types.base(p.ty)), TyKind::Lattice(..));
        if !reference || self.out.types.is_constant(p.ty) && !is_element {
            if matches!(self.kind(self.out.ty(arg)), TyKind::Chan { .. } | TyKind::Clock { .. }) {
                let text = self.text(p.name);
                self.report(
                    Diagnostic::error("arguments", self.tree.span(arg), "clocks and channels are passed by reference")
                        .also(p.span, format!("write `&{text}` here")),
                );
                return;
            }
            return self.require_computable(arg, "an argument");
        }
        let mut at = arg;
        loop {
            match self.tree.kind(at) {
                ExprKind::Name(_) | ExprKind::Wrong => return,
                ExprKind::Member(of, _) => at = of,
                ExprKind::Index(of, index) => {
                    self.require_computable(index, "the index in a reference argument");
                    at = of;
                }
                _ => {
                    let text = self.text(p.name);
                    let message = format!("reference parameter `{text}` needs a variable");
                    return self.error("arguments", self.tree.span(arg), message);
                }
            }
        }
    }

    fn system_line(&mut self) {
        let mut priority = 0;
        for &(name, above) in &self.tree.system.processes {
            priority += i32::from(above);
            let Some(id) = self.lookup(name, Wanted::Process) else { continue };
            let symbol = self.symbol(id);
            let text = self.text(name.sym);
            match symbol.kind {
                SymbolKind::Template(_) => {}
                SymbolKind::Instance(i) if self.out.instances[i as usize].of == UNKNOWN => continue,
                SymbolKind::Instance(_) => {}
                SymbolKind::DynamicTemplate | SymbolKind::Chart => continue,
                _ => {
                    let d = Diagnostic::error("not-a-template", name.span, format!("`{text}` is not a process"))
                        .also(symbol.span, "declared here");
                    self.report(self.suggest(d, name.sym, Wanted::Process));
                    continue;
                }
            }
            if let Some(first) = self.out.processes.iter().find(|p| p.symbol == id) {
                let first = first.span;
                self.report(
                    Diagnostic::error("duplicate", name.span, format!("process `{text}` is listed twice"))
                        .also(first, "first listed here")
                        .help("give it two names: `P1 = T(); P2 = T();`"),
                );
                continue;
            }
            for param in self.params_of(id) {
                self.free_parameter(param, name.span);
            }
            self.out.processes.push(ProcessEntry { symbol: id, span: name.span, priority });
        }
    }

    /// Checks a free parameter, which ranges over all values of its type.
    fn free_parameter(&mut self, param: SymbolId, at: syntax::Span) {
        let p = self.symbol(param);
        let default = TyKind::Int(Some((RangeBound::Value(-32768), RangeBound::Value(32767))));
        let bounded = match self.kind(p.ty) {
            TyKind::Int(Some(_)) => *self.kind(p.ty) != default,
            TyKind::Scalar(..) | TyKind::Wrong => true,
            _ => false,
        };
        if !bounded || p.kind == (SymbolKind::Param { reference: true }) {
            let text = self.text(p.name);
            self.report(
                Diagnostic::error("free-parameter", at, format!("parameter `{text}` has no argument"))
                    .also(p.span, "declared here")
                    .help("instantiate the template: `P = T(…);`, or make the parameter a bounded integer or scalar"),
            );
        }
    }
}
