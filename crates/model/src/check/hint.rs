//! Suggestions: similar names of the right kind, existing processes, `==` for `=`.

use syntax::{
    Diagnostic, Span, Sym,
    ast::{BinaryOp, ExprId, ExprKind, Name, UnaryOp},
    nearest,
    net::NetWords,
    print,
};

use super::Checker;
use crate::{
    builtin,
    symbols::{SymbolId, SymbolKind},
    types::{Ty, TyKind, Types},
};

/// The kind of symbol that a name is looked up as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Value,
    Variable,
    Function,
    Type,
    Template,
    Process,
}

impl Wanted {
    fn text(self) -> &'static str {
        match self {
            Wanted::Value => "name",
            Wanted::Variable => "variable",
            Wanted::Function => "function",
            Wanted::Type => "type",
            Wanted::Template => "template",
            Wanted::Process => "process",
        }
    }

    fn fits(self, kind: SymbolKind) -> bool {
        use SymbolKind::*;
        match self {
            Wanted::Value => {
                !matches!(kind, Function(_) | Type | Template(_) | Instance(_) | DynamicTemplate | Chart | Branchpoint)
            }
            Wanted::Variable => kind == Var,
            Wanted::Function => matches!(kind, Function(_)),
            Wanted::Type => kind == Type,
            Wanted::Template | Wanted::Process => matches!(kind, Template(_) | Instance(_)),
        }
    }

    /// Returns the words of the language that denote such a symbol.
    fn words(self, in_query: bool) -> &'static [&'static str] {
        match self {
            Wanted::Value if in_query => &["deadlock", "true", "false"],
            Wanted::Value => &["true", "false"],
            Wanted::Type => &["int", "bool", "clock", "chan", "double", "string", "scalar", "struct", "void"],
            Wanted::Function => &["abs"],
            Wanted::Variable | Wanted::Template | Wanted::Process => &[],
        }
    }
}

impl Checker<'_> {
    /// Returns the visible symbol with a name. Reports an error if there is none.
    pub(super) fn lookup(&mut self, name: Name, wanted: Wanted) -> Option<SymbolId> {
        let found = self.out.symbols.find(name.sym);
        if found.is_none() && self.is_first_complaint(name.sym) {
            let (text, what) = (self.text(name.sym), wanted.text());
            let d = Diagnostic::error("unknown-name", name.span, format!("unknown {what} `{text}`"));
            let d = self.suggest(d.label("not declared"), name.sym, wanted);
            self.report(d);
        }
        // Expressions have a column of their own.
        if let (Some(id), false) = (found, wanted == Wanted::Value) {
            self.out.uses.push((name.span, id));
        }
        found
    }

    /// Returns whether to report an unknown name: once in a template, and not if its declaration
    /// could not be parsed.
    fn is_first_complaint(&mut self, sym: Sym) -> bool {
        !self.tree.lost.contains(&sym) && self.unknown.insert((self.template, sym))
    }

    /// Suggests the nearest symbol of the right kind.
    pub(super) fn suggest(&self, d: Diagnostic, sym: Sym, wanted: Wanted) -> Diagnostic {
        let text = self.text(sym);
        if self.in_query && wanted == Wanted::Value && !self.owners(sym).is_empty() {
            return self.suggest_member(d, sym);
        }
        let net = self.tree.net.as_deref().map(NetWords::new);
        let fits = |s: &Sym| {
            self.out.symbols.find(*s).is_some_and(|id| wanted.fits(self.symbol(id).kind))
                && net.as_ref().is_none_or(|words| words.plain.contains(self.tree.text(*s)))
        };
        let visible = self.out.symbols.visible().filter(fits).map(|s| self.tree.text(s));
        let mut candidates: Vec<&str> = visible.chain(wanted.words(self.in_query).iter().copied()).collect();
        candidates.sort_unstable();
        match nearest(text, candidates) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d,
        }
    }

    /// Returns the processes with a location or variable of this name, and its kind.
    fn owners(&self, member: Sym) -> Vec<(&str, &'static str)> {
        let mut owners = Vec::new();
        for process in self.processes {
            let scope = self.out.templates.get(process.template as usize).map(|template| &template.scope);
            let what = match scope.and_then(|scope| scope.get(&member)).map(|id| self.symbol(*id).kind) {
                Some(SymbolKind::Location(_)) => "location",
                Some(SymbolKind::Var) => "variable",
                _ => continue,
            };
            if !self.is_chosen_by_scalar(process.template) {
                owners.push((&*process.name, what));
            }
        }
        owners
    }

    /// Returns whether a scalar selects among the processes of a template, so that they can't be
    /// named by numbers.
    fn is_chosen_by_scalar(&self, template: u32) -> bool {
        let params = self.out.templates.get(template as usize).map(|template| &template.params[..]).unwrap_or_default();
        params.iter().any(|p| matches!(self.kind(self.symbol(*p).ty), TyKind::Scalar(..)))
    }

    /// Suggests the processes of a member that a query names without one.
    fn suggest_member(&self, d: Diagnostic, sym: Sym) -> Diagnostic {
        let (owners, text) = (self.owners(sym), self.text(sym));
        match &owners[..] {
            [] => d,
            [(owner, what)] => d.help(format!("`{text}` is a {what} of `{owner}`: write `{owner}.{text}`")),
            [(first, what), .., (last, _)] => {
                let joint = if owners.len() == 2 { "and" } else { "to" };
                d.help(format!("`{text}` is a {what} of `{first}` {joint} `{last}`: write `{first}.{text}`"))
            }
        }
    }

    /// Suggests the process that a query probably refers to: one with a similar name, or else one
    /// that has the member.
    pub(super) fn suggest_process(&self, d: Diagnostic, sym: Sym, member: Option<Sym>) -> Diagnostic {
        let whole = |name: &str| name.split('(').next().unwrap_or(name).to_owned();
        let mut names: Vec<String> = self.processes.iter().map(|p| whole(&p.name)).collect();
        names.sort_unstable();
        names.dedup();
        let near = nearest(self.text(sym), names.iter().map(String::as_str));
        let first = |name: &str| {
            self.processes.iter().find(|p| whole(&p.name) == name && !self.is_chosen_by_scalar(p.template))
        };
        match near {
            Some(near) => {
                let name = first(near).map_or(near, |process| &*process.name);
                d.help(format!("did you mean `{name}`?"))
            }
            None => match member.map(|member| self.suggest_member(d.clone(), member)) {
                Some(better) if better != d => better,
                _ if names.is_empty() || names.len() > 6 => d,
                _ => {
                    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    d.help(format!("the processes are {}", names.join(", ")))
                }
            },
        }
    }

    /// Suggests a location of a process that is used as a formula.
    pub(super) fn suggest_location(&self, d: Diagnostic, of: ExprId) -> Diagnostic {
        let Some((symbol, template)) = self.process_template(of) else { return d };
        let locations = self.tree.templates.get(template as usize).map(|t| &t.locations[..]).unwrap_or_default();
        let Some(location) = locations.first().map(|l| self.text(l.name.sym)) else { return d };
        let text = print::expression(self.tree, of);
        let set = format!("{}(", self.text(self.symbol(symbol).name));
        let one =
            self.processes.iter().find(|p| text != p.name && format!("{text}(") == set && p.name.starts_with(&set));
        let process = one.map_or(&*text, |process| &*process.name);
        d.help(format!("ask for one of its locations: `{process}.{location}`"))
    }

    /// Returns whether the owner of a member in a query is unknown, which is then reported.
    pub(super) fn is_unknown_process(&mut self, of: ExprId, member: Name) -> bool {
        let (callee, args) = match self.tree.kind(of) {
            ExprKind::Call(callee, args) => (callee, self.tree.list(args).to_vec()),
            _ => (of, Vec::new()),
        };
        let ExprKind::Name(sym) = self.tree.kind(callee) else { return false };
        if self.out.symbols.find(sym).is_some() || !args.is_empty() && builtin::function(self.text(sym)).is_some() {
            return false;
        }
        for arg in args {
            self.expr(arg);
        }
        if self.is_first_complaint(sym) {
            let message = format!("unknown process `{}`", self.text(sym));
            let d = Diagnostic::error("unknown-name", self.tree.span(callee), message).label("not declared");
            let d = self.suggest_process(d, sym, Some(member.sym));
            self.report(d);
        }
        true
    }

    /// Reports `a = b` where a condition is expected: `==` was meant. The parser reads `p && a = b`
    /// as `(p && a) = b`.
    pub(super) fn comparison_meant(&mut self, what: &str, a: ExprId, b: ExprId) -> Ty {
        let before = self.diagnostics.len();
        let (ty, _) = (self.expr(a), self.expr(b));
        // The operands are not the intended ones, so only their unknown names are reported.
        let names = self.diagnostics.split_off(before).into_iter().filter(|d| d.code == "unknown-name");
        self.diagnostics.extend(names);
        let bounds = what == "an invariant" && self.out.types.is_clock(ty);
        let help = if bounds { "write `<=` to bound the clock" } else { "write `==` to compare" };
        let span = self.beside(a, true).to(self.beside(b, false));
        self.report(
            Diagnostic::error("side-effect", span, format!("{what} can't change anything"))
                .label("`=` assigns")
                .help(help),
        );
        Types::WRONG
    }

    /// Returns the last or first operand of the logical operators in an expression.
    fn beside(&self, e: ExprId, last: bool) -> Span {
        let mut at = e;
        loop {
            at = match self.tree.kind(at) {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Imply | BinaryOp::Xor, a, b) => {
                    if last {
                        b
                    } else {
                        a
                    }
                }
                ExprKind::Unary(UnaryOp::Not, a) if last => a,
                ExprKind::Assign(_, a, _) if !last => a,
                _ => return self.tree.span(at),
            };
        }
    }

    /// Returns an assignment that is used as a condition: C's classical mistake.
    pub(super) fn assignment_in(&self, e: ExprId) -> Option<ExprId> {
        match self.tree.kind(e) {
            ExprKind::Assign(None, ..) => Some(e),
            ExprKind::Unary(UnaryOp::Not, a) => syntax::grow(|| self.assignment_in(a)),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Imply, a, b) => {
                syntax::grow(|| self.assignment_in(a).or_else(|| self.assignment_in(b)))
            }
            _ => None,
        }
    }
}
