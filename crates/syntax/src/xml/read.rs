//! Reads a model from an XML document.

mod query;
mod template;

use super::dom::{Document, Element, parse};
use crate::{
    ast::{Name, Tree},
    diagnostic::Diagnostic,
    lexer::{Dialect, is_reserved},
    parser::{Parser, Section},
    source::{DocumentPath, FileId, Sources, Span},
};

/// Reads an XML model.
pub(crate) fn read(sources: &mut Sources, file: FileId, tree: &mut Tree, diagnostics: &mut Vec<Diagnostic>) {
    let whole = sources.fragment(sources.whole(file));
    let base = whole.span().start;
    let document = match parse(whole.text(), base, tree.signal) {
        Ok(document) => document,
        Err(d) => return diagnostics.push(*d),
    };
    ModelReader { sources, file, tree, diagnostics, document }.model();
}

struct ModelReader<'a> {
    sources: &'a mut Sources,
    file: FileId,
    tree: &'a mut Tree,
    diagnostics: &'a mut Vec<Diagnostic>,
    document: Document,
}

/// The path to an element, for people and for programs.
#[derive(Clone)]
struct Context {
    path: String,
    what: String,
}

impl Context {
    fn inside(&self, path: &str, what: &str) -> Context {
        let what = if self.what.is_empty() { what.to_owned() } else { format!("{}, {what}", self.what) };
        Context { path: format!("{}/{path}", self.path), what }
    }
}

impl ModelReader<'_> {
    fn element(&self, id: usize) -> &Element {
        &self.document.elements[id]
    }

    /// Returns whether the work was stopped.
    fn is_over(&self) -> bool {
        self.tree.signal.raised().is_some()
    }

    fn model(&mut self) {
        let Some(root) = self.document.elements.first() else {
            let start = self.sources.fragment(self.sources.whole(self.file)).span().start;
            let span = Span { start, end: start };
            return self.diagnostics.push(Diagnostic::error("xml", span, "the file has no elements"));
        };
        if root.name != "nta" && root.name != "project" {
            self.diagnostics.push(
                Diagnostic::error("xml", root.span, format!("the root element is <{}>, not <nta>", root.name))
                    .help("this is XML, but not an UPPAAL model"),
            );
            return;
        }
        let root_span = root.span;
        let context = Context { path: format!("/{}", root.name), what: String::new() };
        if let Some(id) = self.document.child(0, "declaration") {
            self.section(id, Section::Global, &context.inside("declaration", "global declarations"));
        }
        let templates: Vec<usize> = self.document.children(0, "template").collect();
        for (i, id) in templates.into_iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.template(id, i + 1, &context);
        }
        for id in self.document.children(0, "lsc").chain(self.document.children(0, "lscTemplate")) {
            let element = &self.document.elements[id];
            self.tree.ignored.push(("live sequence charts", element.span));
            if let Some(name) = self.document.child(id, "name") {
                let text = self.document.elements[name].text.text.trim();
                let name = Name { sym: self.tree.names.intern(text), span: self.document.elements[name].span };
                self.tree.charts.push(name);
            }
        }
        if let Some(id) = self.document.child(0, "instantiation") {
            self.section(id, Section::System, &context.inside("instantiation", "instantiations"));
        }
        match self.document.child(0, "system") {
            Some(id) => {
                self.section(id, Section::System, &context.inside("system", "system declarations"));
                if self.tree.system.span.is_none() && !self.diagnostics.iter().any(Diagnostic::is_error) {
                    self.no_system(self.element(id).span);
                }
            }
            None => self.no_system(root_span),
        }
        if let Some(id) = self.document.child(0, "queries") {
            self.queries(id, &context);
        }
    }

    fn no_system(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error("no-system", span, "the model has no `system` line")
                .help("name the processes that run: `system P, Q;`"),
        );
    }

    /// Makes an element's text a fragment; `None` if it is empty.
    fn fragment(&mut self, id: usize, context: &Context) -> Option<usize> {
        let text = std::mem::take(&mut self.document.elements[id].text);
        if text.is_blank() {
            return None;
        }
        let place = DocumentPath { path: context.path.clone(), what: context.what.clone() };
        Some(self.sources.add_fragment(self.file, text.text, text.map, place))
    }

    fn parser(&mut self, fragment: usize) -> Parser<'_> {
        Parser::new(self.tree, self.diagnostics, self.sources.fragment(fragment), Dialect::Model)
    }

    fn section(&mut self, id: usize, section: Section, context: &Context) {
        if let Some(fragment) = self.fragment(id, context) {
            let mut parser = self.parser(fragment);
            parser.section(section);
            parser.finish();
        }
    }

    /// Returns a name; `None`, after reporting, if it is illegal.
    fn name(&mut self, id: usize, context: &Context) -> Option<Name> {
        let fragment = self.fragment(id, context)?;
        let (text, all) = (self.sources.fragment(fragment).text(), self.sources.fragment(fragment).span());
        let trimmed = text.trim();
        let start = all.start + (text.len() - text.trim_start().len()) as u32;
        let span = Span { start, end: start + trimmed.len() as u32 };
        let mut letters = trimmed.bytes();
        let legal = letters.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#'));
        if !legal {
            let fixed: String =
                trimmed.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
            self.diagnostics.push(
                Diagnostic::error("wrong-name", span, format!("`{trimmed}` is not a name"))
                    .help("a name has letters, digits and `_` only, and does not start with a digit")
                    .help(format!("perhaps `{fixed}`")),
            );
            return None;
        }
        if is_reserved(trimmed) {
            self.diagnostics.push(
                Diagnostic::error("wrong-name", span, format!("`{trimmed}` is a reserved word"))
                    .help("choose another name"),
            );
        }
        Some(Name { sym: self.tree.names.intern(trimmed), span })
    }

    /// Reports a child that follows one that it must precede. UPPAAL reads the elements in the
    /// order of its document type and stops at the first one that is out of order.
    fn order(&mut self, parent: usize, order: &[&str]) {
        let rank = |id: &usize| order.iter().position(|name| *name == self.element(*id).name);
        let mut highest: Option<(usize, usize)> = None;
        for child in &self.element(parent).children {
            let Some(rank) = rank(child) else { continue };
            if let Some((before, first)) = highest.filter(|(before, _)| *before > rank) {
                let (late, early) = (order[rank], order[before]);
                let d = Diagnostic::error("xml", self.element(*child).span, format!("<{late}> comes after <{early}>"))
                    .also(self.element(first).span, format!("this <{early}> must come later"))
                    .help("UPPAAL stops reading at an element that is out of order");
                return self.diagnostics.push(d);
            }
            highest = Some((rank, *child));
        }
    }
}
