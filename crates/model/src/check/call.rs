//! Calls of functions, and sets of processes in queries.

use syntax::{
    Diagnostic, Span,
    ast::{ExprId, ExprKind, List, Name},
    print, word,
};

use super::{Checker, hint::Wanted};
use crate::{
    builtin::{self, Builtin},
    symbols::{SymbolId, SymbolKind},
    types::{Ty, TyKind, Types},
};

impl Checker<'_> {
    pub(super) fn call(&mut self, e: ExprId, callee: ExprId, args: List) -> Ty {
        let list: Vec<ExprId> = self.tree.list(args).to_vec();
        if let ExprKind::Member(of, name) = self.tree.kind(callee) {
            let of_ty = self.expr(of);
            if of_ty == Types::WRONG {
                list.into_iter().for_each(|arg| _ = self.expr(arg));
                return Types::WRONG;
            }
            if let TyKind::Lattice(lattice, ..) = *self.kind(of_ty) {
                return self.method_call(e, of, name, lattice, &list);
            }
        }
        if let ExprKind::Member(of, name) = self.tree.kind(callee)
            && self.out.ty(of) == Types::PROCESS
            && let Some((_, template)) = self.process_template(of)
            && let Some(&id) = self.out.templates[template as usize].scope.get(&name.sym)
            && let SymbolKind::Function(f) = self.symbol(id).kind
        {
            // `P.f(…)`: a function of a process.
            self.out.names[callee.0 as usize] = Some(id);
            return self.function_call(e, id, f, &list);
        }
        let ExprKind::Name(sym) = self.tree.kind(callee) else {
            let ty = self.expr(callee);
            if ty != Types::WRONG {
                let found = self.describe(ty);
                self.error("type", self.tree.span(callee), format!("only functions can be called, this is {found}"));
            }
            return Types::WRONG;
        };
        let name = Name { sym, span: self.tree.span(callee) };
        let found = self.out.symbols.find(sym);
        if sym == word::LABEL && self.in_query && !self.is_callable(found) {
            return self.label_call(e, &list);
        }
        if found.is_none() {
            if let Some((builtin, arity)) = builtin::function(self.text(sym)) {
                return self.builtin_call(e, name, builtin, arity, &list);
            }
            if sym == word::EXIT || sym == word::NUM_OF {
                return Types::INT;
            }
        }
        let Some(id) = self.lookup(name, Wanted::Function) else {
            for arg in list {
                self.expr(arg);
            }
            return Types::WRONG;
        };
        self.out.names[callee.0 as usize] = Some(id);
        let symbol = self.symbol(id);
        match symbol.kind {
            SymbolKind::Function(f) => self.function_call(e, id, f, &list),
            SymbolKind::Template(_) | SymbolKind::Instance(_) if self.in_query => {
                self.out.tys[callee.0 as usize] = Types::PROCESS;
                self.process_call(e, id, &list)
            }
            _ => {
                let text = self.text(sym);
                self.report(
                    Diagnostic::error("type", name.span, format!("`{text}` is not a function"))
                        .also(symbol.span, "declared here"),
                );
                Types::WRONG
            }
        }
    }

    fn builtin_call(&mut self, e: ExprId, name: Name, builtin: Builtin, arity: usize, args: &[ExprId]) -> Ty {
        let tys: Vec<Ty> = args.iter().map(|&a| self.operand(a)).collect();
        if args.len() != arity {
            let text = self.text(name.sym);
            self.wrong_count(self.tree.span(e), text, arity, args.len(), Span::NONE);
            return Types::WRONG;
        }
        if tys.contains(&Types::WRONG) {
            return Types::WRONG;
        }
        for (&arg, &ty) in args.iter().zip(&tys) {
            let types = &self.out.types;
            let fits = if builtin == Builtin::Abs { types.is_integral(ty) } else { types.is_number(ty) };
            if !fits {
                let (found, text) = (self.describe(ty), self.text(name.sym));
                self.error("type", self.tree.span(arg), format!("`{text}` needs a number, not {found}"));
            }
        }
        match builtin {
            Builtin::Abs | Builtin::ToInt => Types::INT,
            Builtin::ToBool => Types::BOOL,
            Builtin::ToDouble => Types::DOUBLE,
        }
    }

    pub(super) fn wrong_count(&mut self, span: Span, name: &str, expected: usize, found: usize, declared: Span) {
        let s = if expected == 1 { "" } else { "s" };
        self.report(
            Diagnostic::error("arguments", span, format!("`{name}` takes {expected} argument{s}, not {found}"))
                .also(declared, "declared here"),
        );
    }

    fn function_call(&mut self, e: ExprId, id: SymbolId, f: u32, args: &[ExprId]) -> Ty {
        let symbol = self.symbol(id);
        if self.body.as_ref().is_some_and(|b| b.name == symbol.name) && f as usize + 1 == self.out.functions.len() {
            let text = self.text(symbol.name);
            self.report(
                Diagnostic::error("recursion", self.tree.span(e), format!("`{text}` calls itself"))
                    .help("UPPAAL's language has no recursion; use a loop"),
            );
            return Types::WRONG;
        }
        let info = &self.out.functions[f as usize];
        let (params, writes, reads) = (info.params.clone(), info.writes, info.reads);
        let tys: Vec<Ty> = args.iter().enumerate().map(|(i, &a)| self.argument(a, params.get(i))).collect();
        if writes {
            self.note_write();
        }
        if let Some(read) = reads {
            self.note_read(read);
        }
        if let Some(body) = &mut self.body {
            body.calls.push(id);
        }
        if params.len() != args.len() {
            let text = self.text(symbol.name);
            self.wrong_count(self.tree.span(e), text, params.len(), args.len(), symbol.span);
            return symbol.ty;
        }
        self.arguments(self.text(symbol.name), &params, args, &tys);
        symbol.ty
    }

    /// Returns the type of an argument. An integer parameter takes the number of an element.
    fn argument(&mut self, arg: ExprId, param: Option<&SymbolId>) -> Ty {
        let param = param.map(|&id| self.symbol(id));
        match param {
            Some(p) if !is_reference(p.kind) && self.out.types.is_integral(p.ty) => self.operand(arg),
            _ => self.expr(arg),
        }
    }

    /// Checks arguments against the parameters of `name`. Returns whether all of them fit.
    pub(super) fn arguments(&mut self, name: &str, params: &[SymbolId], args: &[ExprId], tys: &[Ty]) -> bool {
        let of = |i: usize, j: usize| self.misfit(params[i], args[j], tys[j]);
        let wrong: Vec<usize> = (0..params.len().min(args.len())).filter(|&i| of(i, i).is_some()).collect();
        if let Some(d) = self.swapped(name, params, args, tys, &wrong) {
            self.report(d);
            return false;
        }
        let found: Vec<Diagnostic> = wrong.iter().filter_map(|&i| of(i, i)).collect();
        self.diagnostics.extend(found);
        for (i, (&param, &arg)) in params.iter().zip(args).enumerate() {
            let p = self.symbol(param);
            let reference = is_reference(p.kind) && !self.out.types.is_constant(p.ty);
            if reference
                && !wrong.contains(&i)
                && self.is_modifiable(arg)
                && !matches!(self.kind(p.ty), TyKind::Chan { .. })
            {
                self.note_target(arg);
            }
        }
        wrong.is_empty()
    }

    /// Reports that two arguments are swapped, if all fit once they are exchanged.
    fn swapped(
        &self,
        name: &str,
        params: &[SymbolId],
        args: &[ExprId],
        tys: &[Ty],
        wrong: &[usize],
    ) -> Option<Diagnostic> {
        let fits = |i: usize, j: usize| tys[j] != Types::WRONG && self.misfit(params[i], args[j], tys[j]).is_none();
        let &first = wrong.first()?;
        let count = params.len();
        if args.len() != count {
            return None;
        }
        let partner = |j: usize| {
            let rest = wrong.iter().all(|&w| w == first || w == j);
            j != first && rest && fits(first, j) && fits(j, first)
        };
        // With more arguments there are too many pairs to try for each call.
        let j = (0..count.min(64)).find(|&j| partner(j))?;
        let (left, right) = (first.min(j), first.max(j));
        let text = |i: usize| self.text(self.symbol(params[i]).name);
        let mut written: Vec<String> = args.iter().map(|&arg| print::expression(self.tree, arg)).collect();
        written.swap(left, right);
        let message = format!("the arguments for `{}` and `{}` are swapped", text(left), text(right));
        let d = Diagnostic::error("arguments", self.tree.span(args[left]), message)
            .label(format!("this fits `{}`", text(right)))
            .also(self.tree.span(args[right]), format!("this fits `{}`", text(left)));
        Some(d.help(format!("write `{name}({})`", written.join(", "))))
    }

    /// Returns the error of an argument that does not fit its parameter.
    fn misfit(&self, param: SymbolId, arg: ExprId, ty: Ty) -> Option<Diagnostic> {
        let p = self.symbol(param);
        if ty == Types::WRONG || p.ty == Types::WRONG {
            return None;
        }
        let reference = is_reference(p.kind);
        let constant = self.out.types.is_constant(p.ty);
        let span = self.tree.span(arg);
        let name = self.text(p.name);
        if let (TyKind::Chan { .. }, TyKind::Chan { .. }) = (self.kind(p.ty), self.kind(ty)) {
            let d = Diagnostic::error("arguments", span, format!("parameter `{name}` needs a plainer channel"))
                .also(p.span, "declared here")
                .help("an urgent or broadcast channel can't be passed as a plain one");
            return (self.capability(ty) < self.capability(p.ty)).then_some(d);
        }
        let modifiable = self.is_modifiable(arg);
        if reference && !constant && !modifiable && !matches!(self.kind(ty), TyKind::Array(..) | TyKind::Clock { .. }) {
            let message = format!("parameter `{name}` needs a variable that can change");
            return Some(Diagnostic::error("arguments", span, message).also(p.span, "it is a reference"));
        }
        let types = &self.out.types;
        let fits = if reference && modifiable {
            types.equivalent(self.tree, p.ty, ty)
        } else {
            types.assignable(self.tree, p.ty, ty)
        };
        if fits {
            return None;
        }
        let (to, found) = (self.describe(p.ty), self.describe(ty));
        let d = Diagnostic::error("arguments", span, format!("parameter `{name}` needs {to}, this is {found}"))
            .also(p.span, "declared here");
        let d = self.not_known(d, ty);
        Some(if to == found {
            d.help("a reference needs a variable of the same type, with the same range or size")
        } else {
            d
        })
    }

    /// Returns the rank of a channel type: urgent 0, broadcast 1, plain 2.
    fn capability(&self, ty: Ty) -> u8 {
        match self.kind(ty) {
            TyKind::Chan { urgent: true, .. } => 0,
            TyKind::Chan { broadcast: true, .. } => 1,
            _ => 2,
        }
    }

    /// Checks `T(1, 2)` in a query: one of the processes of a set.
    fn process_call(&mut self, e: ExprId, id: SymbolId, args: &[ExprId]) -> Ty {
        let params = self.params_of(id);
        let tys: Vec<Ty> = args.iter().map(|&a| self.expr(a)).collect();
        if params.len() != args.len() {
            let symbol = self.symbol(id);
            let text = self.text(symbol.name);
            self.wrong_count(self.tree.span(e), text, params.len(), args.len(), symbol.span);
            return Types::WRONG;
        }
        for (&param, (&arg, &ty)) in params.iter().zip(args.iter().zip(&tys)) {
            let p = self.symbol(param);
            if ty != Types::WRONG && !self.out.types.assignable(self.tree, p.ty, ty) {
                let found = self.describe(ty);
                self.error("arguments", self.tree.span(arg), format!("a process can't be chosen by {found}"));
            }
        }
        Types::PROCESS
    }
}

fn is_reference(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Param { reference: true } | SymbolKind::FunctionParam { reference: true })
}
