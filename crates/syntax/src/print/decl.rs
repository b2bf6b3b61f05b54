//! Prints types and declarations.

use super::writer::Printer;
use crate::{
    ast::{
        Binding, Decl, Declarator, Dimension, Extern, Function, Instantiation, Name, Prefix, PriorityItem, TypeId,
        TypeKind,
    },
    source::Span,
};

impl Printer<'_> {
    /// Prints a type on one line.
    pub(super) fn ty(&mut self, t: TypeId) {
        crate::grow(|| {
            let ty = self.tree.ty(t);
            self.prefix_words(ty.prefix);
            match &ty.kind {
                TypeKind::Int(range) => {
                    self.write("int");
                    if let &Some((low, high)) = range {
                        self.write("[");
                        self.expr(low);
                        self.write(", ");
                        self.expr(high);
                        self.write("]");
                    }
                }
                TypeKind::Bool => self.write("bool"),
                TypeKind::Clock => self.write("clock"),
                TypeKind::Chan => self.write("chan"),
                TypeKind::Void => self.write("void"),
                TypeKind::Double => self.write("double"),
                TypeKind::Text => self.write("string"),
                &TypeKind::Scalar(size) => {
                    self.write("scalar[");
                    self.expr(size);
                    self.write("]");
                }
                TypeKind::Struct(fields) => {
                    self.write("struct { ");
                    for field in fields {
                        self.ty(field.ty);
                        self.write(" ");
                        self.declarator(field);
                        self.write("; ");
                    }
                    self.write("}");
                }
                &TypeKind::Named(sym) => self.name(sym),
                TypeKind::Member(of, word) => {
                    self.name(of.sym);
                    self.write(".");
                    self.name(word.sym);
                }
                TypeKind::Wrong => self.write("?"),
            }
        });
    }

    fn prefix_words(&mut self, prefix: Prefix) {
        // `hybrid` is last, since it is a keyword only directly before `clock`.
        let words = [
            (prefix.constant, "const "),
            (prefix.meta, "meta "),
            (prefix.urgent, "urgent "),
            (prefix.broadcast, "broadcast "),
            (prefix.hybrid, "hybrid "),
        ];
        for (_, word) in words.into_iter().filter(|(is, _)| *is) {
            self.write(word);
        }
    }

    /// Prints a type; a struct has one line for each field.
    fn type_lines(&mut self, t: TypeId) {
        let ty = self.tree.ty(t);
        let TypeKind::Struct(fields) = &ty.kind else { return self.ty(t) };
        self.prefix_words(ty.prefix);
        self.write("struct {");
        self.end_line();
        crate::grow(|| {
            self.nested(|p| {
                for group in fields.chunk_by(|a, b| a.ty == b.ty) {
                    p.declaration_line("", &group.iter().collect::<Vec<_>>());
                }
                let left = p.comments.inside(ty.span);
                p.comment_lines(left);
            });
        });
        self.open_line();
        self.write("}");
    }

    /// Prints declarations, one per line; declarators with a common type share a line.
    pub(super) fn declarations(&mut self, decls: &[&Decl]) {
        let same = |a: &&Decl, b: &&Decl| match (a, b) {
            (Decl::Var(a), Decl::Var(b)) | (Decl::Typedef(a), Decl::Typedef(b)) => a.ty == b.ty,
            _ => false,
        };
        for group in decls.chunk_by(same) {
            if self.is_over() {
                return;
            }
            let word = if matches!(group[0], Decl::Typedef(_)) { "typedef " } else { "" };
            let declarators: Vec<&Declarator> = group.iter().filter_map(|decl| declarator(decl)).collect();
            if declarators.is_empty() {
                self.other_declaration(group[0]);
            } else {
                self.declaration_line(word, &declarators);
            }
        }
    }

    fn declaration_line(&mut self, word: &str, group: &[&Declarator]) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let start = self.tree.ty(first.ty).span.start;
        self.item(Span { start, end: self.declarator_span(last).end }, |p| {
            p.write(word);
            p.type_lines(first.ty);
            p.write(" ");
            p.declarators(group);
            p.write(";");
        });
    }

    /// Prints `a, b = 2`, on several lines if there are comments between them.
    fn declarators(&mut self, group: &[&Declarator]) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let lines = self.comments.any(Span { start: first.name.span.start, end: last.name.span.start });
        for (i, declarator) in group.iter().enumerate() {
            let span = self.declarator_span(declarator);
            if i > 0 && lines {
                self.end_line();
                self.indent += 1;
                let leading = self.comments.leading(span.start);
                self.comment_lines(leading);
                self.open_line();
                self.indent -= 1;
            } else if i > 0 {
                self.write(" ");
            }
            self.declarator(declarator);
            if i + 1 < group.len() {
                self.write(",");
                if lines {
                    self.trail_all(span);
                }
            }
        }
    }

    fn declarator_span(&self, d: &Declarator) -> Span {
        let dims = d.dims.iter().map(|dim| match *dim {
            Dimension::Size(e) => self.tree.span(e),
            Dimension::Type(t) => self.tree.ty(t).span,
        });
        let init = d.init.map(|e| self.tree.span(e));
        dims.chain(init).fold(d.name.span, Span::to)
    }

    fn declarator(&mut self, d: &Declarator) {
        if d.reference {
            self.write("&");
        }
        self.name(d.name.sym);
        for dim in &d.dims {
            self.write("[");
            match *dim {
                Dimension::Size(e) => self.expr(e),
                Dimension::Type(t) => self.ty(t),
            }
            self.write("]");
        }
        if let Some(init) = d.init {
            self.write(" = ");
            self.initialiser(init);
        }
    }

    /// Prints the inside of a parameter list: `type name, type &name`.
    pub(super) fn parameters(&mut self, params: &[Declarator]) {
        for (i, param) in params.iter().enumerate() {
            if i > 0 {
                self.write(", ");
            }
            self.ty(param.ty);
            self.write(" ");
            self.declarator(param);
        }
    }

    /// Prints `name : type`.
    pub(super) fn binding(&mut self, binding: Binding) {
        self.name(binding.name.sym);
        self.write(" : ");
        self.ty(binding.ty);
    }

    fn other_declaration(&mut self, decl: &Decl) {
        match decl {
            Decl::Var(_) | Decl::Typedef(_) => {}
            Decl::Function(f) => self.spaced(|p| p.item(f.span, |p| p.function(f))),
            Decl::Instantiation(i) => self.item(i.span, |p| p.instantiation(i)),
            Decl::ChanPriority(items, span) => self.item(*span, |p| p.priorities(items)),
            &Decl::BeforeUpdate(e) | &Decl::AfterUpdate(e) => {
                let before = matches!(decl, Decl::BeforeUpdate(_));
                self.spaced(|p| {
                    p.item(p.tree.span(e), |p| {
                        p.write(if before { "before_update { " } else { "after_update { " });
                        p.content(e);
                        p.write(" }");
                    });
                });
            }
            Decl::Import(library, functions, span) => {
                if self.comments.text(*span).is_empty() {
                    self.item(*span, |p| p.import(p.tree.text(*library), functions));
                } else {
                    // The tree does not keep the aliases of imported functions.
                    self.verbatim_item(*span);
                }
            }
            Decl::Dynamic(name, params, span) => self.item(*span, |p| {
                p.write("dynamic ");
                p.name(name.sym);
                p.write("(");
                p.parameters(params);
                p.write(");");
            }),
            Decl::Extern(e) => self.item(e.span, |p| p.external(e)),
        }
    }

    fn external(&mut self, e: &Extern) {
        self.write("extern ");
        if let Some(of) = e.of {
            self.name(e.name.sym);
            self.write(" = ");
            self.path_to(&e.path, of);
            if !self.tree.list(e.args).is_empty() {
                self.arguments(e.args);
            }
        } else {
            self.path_to(&e.path, e.name);
        }
        self.write(";");
    }

    fn path_to(&mut self, path: &[Name], name: Name) {
        for part in path {
            self.name(part.sym);
            self.write(".");
        }
        self.name(name.sym);
    }

    /// Surrounds the output of `f` with blank lines.
    fn spaced(&mut self, f: impl FnOnce(&mut Self)) {
        self.space();
        f(self);
        self.space();
    }

    fn function(&mut self, f: &Function) {
        self.ty(f.result);
        self.write(" ");
        self.name(f.name.sym);
        self.write("(");
        self.parameters(&f.params);
        let Some(body) = f.body else { return self.write(")") };
        let head = Span { start: f.span.start, end: self.tree.stmt(body).span.start };
        let (inner, trailing) = self.comments.head(head);
        self.trail(inner);
        self.flush(false);
        self.write(")");
        self.body(body, trailing);
    }

    fn import(&mut self, library: &str, functions: &[Function]) {
        self.write("import \"");
        self.write(library);
        self.write("\" {");
        self.end_line();
        self.nested(|p| {
            for function in functions {
                p.open_line();
                p.function(function);
                p.write(";");
                p.end_line();
            }
        });
        self.open_line();
        self.write("};");
    }

    fn instantiation(&mut self, i: &Instantiation) {
        self.name(i.name.sym);
        if i.has_params {
            self.write("(");
            self.parameters(&i.params);
            self.write(")");
        }
        self.write(" = ");
        self.name(i.template.sym);
        self.arguments(i.args);
        self.write(";");
    }

    fn priorities(&mut self, items: &[PriorityItem]) {
        self.write("chan priority ");
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.write(if item.above { " < " } else { ", " });
            }
            match item.channel {
                Some(channel) => self.expr(channel),
                None => self.write("default"),
            }
        }
        self.write(";");
    }
}

fn declarator(decl: &Decl) -> Option<&Declarator> {
    match decl {
        Decl::Var(d) | Decl::Typedef(d) => Some(d),
        _ => None,
    }
}
