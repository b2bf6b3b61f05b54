//! Lattices of a model, their bits and methods.

use std::sync::Arc;

use lattice::{Arguments, Indexing, Lattice, LatticeKind, Method, ReturnType};
use syntax::{
    Diagnostic, Span,
    ast::{Declarator, ExprId, ExprKind, Extern, Name, UnaryOp},
    nearest,
};

use super::{Checker, ModelLattice, federation};
use crate::{
    operation::Arith,
    symbols::SymbolKind,
    types::{Index, Ty, TyKind, Types},
};

/// What to do about a class of a program.
const REGISTER: &str = "if it is a class in Python, run `python -m merkhet` instead; a program registers one by \
                        `merkhet.load(…, lattices=[…])`, or in Rust by `Source::with_lattice`";

/// A type that `extern` declares.
#[derive(Clone, Debug)]
pub(crate) enum ExternInfo {
    /// A lattice of the library.
    Library(LibraryLattice),
    /// A lattice that functions of the model define.
    Model(ModelLattice),
}

/// A lattice of the library, without the arguments of each variable.
#[derive(Clone, Debug)]
pub(crate) struct LibraryLattice {
    /// Its integer arguments.
    pub(crate) values: Vec<i32>,
    /// Its lattice arguments.
    pub(crate) lattices: Vec<Arc<dyn Lattice>>,
    /// Whether the dimensions after a variable's name belong to the lattice.
    pub(crate) has_dimensions: bool,
    /// The keyword that declares members.
    pub(crate) member: Option<&'static str>,
    /// The largest number in the text of the model.
    pub(crate) largest: i32,
    /// Its constructor.
    pub(crate) kind: LatticeKind,
    /// The lattice of the smallest variable; all have the same methods.
    pub(crate) prototype: Arc<dyn Lattice>,
}

impl Checker<'_> {
    /// Checks an `extern` and declares its type.
    pub(super) fn external(&mut self, e: &Extern, is_global: bool) {
        let of = e.of.unwrap_or(e.name);
        let path: Vec<&str> = e.path.iter().map(|part| self.text(part.sym)).collect();
        let is_user = self.library.has_class(&path, self.text(of.sym));
        if !is_user && let Some(ty) = self.federation_type(e, of) {
            self.declare(e.name, SymbolKind::Type, ty);
            return;
        }
        let ty = match self.library.resolve(&path, self.text(of.sym)) {
            Ok(Some(kind)) => self.library_lattice(e, of, &kind),
            Ok(None) if self.text(of.sym) == "Lattice" => self.model_lattice(e, of, is_global),
            Ok(None) => self.unknown_lattice(e, of),
            Err(error) => {
                self.error("unknown-lattice", of.span, format!("`{}`: {error}", self.text(of.sym)));
                None
            }
        };
        self.declare(e.name, SymbolKind::Type, ty.unwrap_or(Types::WRONG));
    }

    fn unknown_lattice(&mut self, e: &Extern, of: Name) -> Option<Ty> {
        let text = self.text(of.sym);
        let own = self.library.class_names();
        let names = self.library.entries().iter().flat_map(|entry| entry.aliases.iter().chain([&entry.name])).copied();
        let names = names.chain(federation::NAMES).chain(own.iter().map(String::as_str));
        let mut d = Diagnostic::error("unknown-lattice", of.span, format!("unknown lattice `{text}`"));
        let near = nearest(text, names);
        if let Some(near) = near {
            d = d.help(format!("did you mean `{near}`?"));
        }
        let name = self.text(e.name.sym);
        let define = format!("to define it, write a struct and functions: `extern {name} = Lattice(type, leq, join);`");
        d = d.help("`merkhet list lattices` shows all of them").help(define);
        if near.is_none() {
            d = d.help(REGISTER);
        }
        self.report(d);
        None
    }

    fn library_lattice(&mut self, e: &Extern, of: Name, kind: &LatticeKind) -> Option<Ty> {
        let (mut values, mut lattices) = (Vec::new(), Vec::new());
        for &arg in self.tree.list(e.args) {
            match self.lattice_argument(arg) {
                Some(lattice) => lattices.push(lattice?),
                None => values.push(self.known_number(arg)?),
            }
        }
        let own = if kind.has_dimensions() { &[1][..] } else { &[] };
        let largest = self.largest_number();
        let arguments =
            Arguments { values: &values, lattices: &lattices, dimensions: own, members: 1, clocks: &[], largest };
        let prototype = match kind.prototype(&arguments) {
            Ok(prototype) => prototype,
            Err(error) => {
                let d = Diagnostic::error("arguments", e.span, format!("`{}`: {error}", self.text(of.sym)));
                self.report(match kind.signature() {
                    Some(signature) => d.help(format!("it is made like this: `{signature}`")),
                    None => d,
                });
                return None;
            }
        };
        let info = LibraryLattice {
            values,
            lattices,
            has_dimensions: kind.has_dimensions(),
            member: kind.member(),
            largest,
            kind: kind.clone(),
            prototype,
        };
        let number = self.extern_number(info);
        Some(self.out.types.add(TyKind::Lattice(number, e.name.sym, Vec::new())))
    }

    /// Returns the largest number in the text of the model.
    fn largest_number(&self) -> i32 {
        let numbers = self.tree.exprs.iter().filter_map(|e| if let ExprKind::Int(n) = e.kind { Some(n) } else { None });
        numbers.max().unwrap_or(0)
    }

    /// Returns the number of a lattice; equal ones share a number.
    fn extern_number(&mut self, info: LibraryLattice) -> u32 {
        let name = info.prototype.name();
        let same = |known: &ExternInfo| matches!(known, ExternInfo::Library(l) if l.prototype.name() == name);
        if let Some(i) = self.out.externs.iter().position(same) {
            return i as u32;
        }
        self.out.externs.push(ExternInfo::Library(info));
        self.out.externs.len() as u32 - 1
    }

    /// Returns the lattice that an argument names; the inner `None` is an error that was reported.
    fn lattice_argument(&mut self, arg: ExprId) -> Option<Option<Arc<dyn Lattice>>> {
        let ExprKind::Name(sym) = self.tree.kind(arg) else { return None };
        let symbol = self.out.symbols.find(sym).map(|id| self.symbol(id));
        match symbol {
            Some(symbol) if symbol.kind == SymbolKind::Type => match self.kind(symbol.ty) {
                TyKind::Lattice(number, ..) => Some(self.prototype(*number)),
                TyKind::Wrong => Some(None),
                _ => {
                    let message = format!("`{}` is not a lattice", self.text(sym));
                    self.report(
                        Diagnostic::error("type", self.tree.span(arg), message).also(symbol.span, "declared here"),
                    );
                    Some(None)
                }
            },
            None if self.undeclared_lattice(Name { sym, span: self.tree.span(arg) }) => Some(None),
            _ => None,
        }
    }

    /// Returns whether a name is that of a lattice of the library without an `extern`; reports an
    /// error if so.
    pub(super) fn undeclared_lattice(&mut self, name: Name) -> bool {
        let text = self.text(name.sym);
        let is_federation = federation::NAMES.contains(&text);
        let is_known = self.library.find(text).is_some() || self.library.has_class(&[], text) || is_federation;
        let what = if is_federation { "type" } else { "lattice" };
        if is_known && !self.tree.lost.contains(&name.sym) && self.unknown.insert((self.template, name.sym)) {
            self.report(
                Diagnostic::error("unknown-name", name.span, format!("{what} `{text}` is not declared"))
                    .help(format!("write `extern {text};` before")),
            );
        }
        is_known
    }

    pub(super) fn prototype(&self, number: u32) -> Option<Arc<dyn Lattice>> {
        match self.out.externs.get(number as usize)? {
            ExternInfo::Library(lattice) => Some(lattice.prototype.clone()),
            ExternInfo::Model(_) => None,
        }
    }

    /// Returns the value of an argument; reports an error if it is not constant.
    fn known_number(&mut self, e: ExprId) -> Option<i32> {
        let ty = self.expr(e);
        if ty == Types::WRONG {
            return None;
        }
        let span = self.tree.span(e);
        if !self.out.types.is_integral(ty) {
            let found = self.describe(ty);
            self.error("type", span, format!("a lattice is made with integers and lattices, not with {found}"));
            return None;
        }
        let known = self.number(e);
        if known.is_none() {
            self.report(
                Diagnostic::error("constant", span, "the argument of a lattice must be known where it is declared")
                    .help("numbers, global constants and arithmetic are possible"),
            );
        }
        known
    }

    /// Returns the value of a simple constant, the only integers that are arguments of lattices.
    fn number(&self, e: ExprId) -> Option<i32> {
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Int(n) => Some(n),
            ExprKind::Bool(b) => Some(i32::from(b)),
            ExprKind::Unary(UnaryOp::Minus, a) => self.number(a).map(i32::wrapping_neg),
            ExprKind::Unary(UnaryOp::Plus, a) => self.number(a),
            ExprKind::Binary(op, a, b) => Arith::of(op)?.apply(self.number(a)?, self.number(b)?).ok(),
            ExprKind::Name(_) => {
                let id = self.out.name(e)?;
                match self.symbol(id).kind {
                    SymbolKind::Predeclared(value) => Some(value),
                    _ => self.number(*self.out.constants.get(&id)?),
                }
            }
            _ => None,
        })
    }

    /// Returns the type of a variable whose dimensions belong to its lattice.
    pub(super) fn with_dimensions(&mut self, ty: Ty, indices: &[Index]) -> Option<Ty> {
        let TyKind::Lattice(number, name, own) = self.kind(ty).clone() else { return None };
        let ExternInfo::Library(lattice) = &self.out.externs[number as usize] else { return None };
        if indices.is_empty() || !own.is_empty() || !lattice.has_dimensions {
            return None;
        }
        let (constant, meta) = (self.out.types.is_constant(ty), self.out.types.is_meta(ty));
        Some(self.out.types.with_prefix(TyKind::Lattice(number, name, indices.to_vec()), constant, meta))
    }

    /// Returns whether a variable may have its type; reports an error if it is a lattice and may
    /// not.
    pub(super) fn lattice_variable(&mut self, d: &Declarator, ty: Ty) -> bool {
        let base = self.out.types.base(ty);
        let is_element = matches!(self.kind(base), TyKind::Lattice(..) | TyKind::Abstract(_));
        if !is_element && self.out.types.order(base).is_none() {
            return true;
        }
        let prefix = self.tree.ty(d.ty).prefix;
        let text = self.text(d.name.sym);
        if prefix.constant || prefix.meta {
            let word = if prefix.constant { "const" } else { "meta" };
            let message = format!("`{text}` is an element of a lattice and can't be `{word}`");
            self.error("type", self.tree.ty(d.ty).span, message);
            return false;
        }
        if matches!(self.kind(base), TyKind::Abstract(_)) && base != ty {
            self.error("type", d.name.span, format!("`{text}` is a member of another variable and can't be an array"));
            return false;
        }
        if self.is_joint(ty) && (base != ty || self.body.is_some()) {
            let found = self.describe(base);
            self.error("type", d.name.span, format!("only a variable of its own can be {found}"));
            return false;
        }
        if let (true, Some(init), None) = (is_element, d.init, self.out.source(base)) {
            let found = self.describe(base);
            self.report(
                Diagnostic::error("initialiser", self.tree.span(init), format!("{found} has no initialiser"))
                    .help("set it in the update of a first edge"),
            );
            return false;
        }
        true
    }

    /// Returns the type of `array[index]`, where that is a bit or an array of bits.
    pub(super) fn bit(&mut self, array: ExprId, index: ExprId, ty: Ty, by: Ty) -> Ty {
        let indexing = self.indexing_of(array);
        if let (Some(Indexing { dimensions, .. }), TyKind::Lattice(_, _, dims)) = (&indexing, self.kind(ty))
            && (dimensions.is_empty() || dims.is_empty())
        {
            if by != Types::WRONG && !self.out.types.is_integral(by) {
                let found = self.describe(by);
                self.error("type", self.tree.span(index), format!("an index must be an integer, not {found}"));
            }
            return Types::INT;
        }
        let dims = match self.kind(ty).clone() {
            TyKind::Lattice(number, _, dims) => {
                let has_bits = self.prototype(number).is_some_and(|lattice| !lattice.bits().is_empty());
                if has_bits || indexing.is_some() { dims } else { Vec::new() }
            }
            TyKind::Bits(dims) => dims,
            _ => Vec::new(),
        };
        let Some((&first, rest)) = dims.split_first() else {
            let found = self.describe(ty);
            self.error("type", self.tree.span(array), format!("{found} has no parts that an index could choose"));
            return Types::WRONG;
        };
        self.check_index(first, index, by);
        match rest {
            [] if indexing.is_some() => Types::INT,
            [] => Types::BOOL,
            rest => self.out.types.add(TyKind::Bits(rest.to_vec())),
        }
    }

    /// Returns the methods behind the indices of an element, for an expression that is one or has
    /// some of its indices.
    fn indexing_of(&self, mut e: ExprId) -> Option<Indexing> {
        loop {
            match (self.kind(self.out.ty(e)), self.tree.kind(e)) {
                (TyKind::Lattice(number, ..), _) => return self.prototype(*number)?.indexing().cloned(),
                (TyKind::Bits(_), ExprKind::Index(of, _)) => e = of,
                _ => return None,
            }
        }
    }

    /// Notes that an expression stands where its value is not used: there a method of the user may
    /// change its element.
    pub(super) fn note_statement(&mut self, e: ExprId) {
        let (Some(number), ExprKind::Call(callee, _)) = (self.out.method(e), self.tree.kind(e)) else { return };
        let ExprKind::Member(of, _) = self.tree.kind(callee) else { return };
        let TyKind::Lattice(lattice, ..) = *self.kind(self.out.ty(of)) else { return };
        let has_both = self.prototype(lattice).is_some_and(|lattice| lattice.changing(number as usize).is_some());
        if has_both && self.condition.is_none() && self.out.changing.insert(e) {
            self.require_modifiable(of);
        }
    }

    /// Returns whether a call is that of a method that changes the element.
    pub(super) fn changes_element(&self, call: ExprId) -> bool {
        let (Some(number), ExprKind::Call(callee, _)) = (self.out.method(call), self.tree.kind(call)) else {
            return false;
        };
        let ExprKind::Member(of, _) = self.tree.kind(callee) else { return false };
        let TyKind::Lattice(lattice, ..) = self.kind(self.out.ty(of)) else { return false };
        self.out.changing.contains(&call)
            || self.prototype(*lattice).is_some_and(|l| l.methods().get(number as usize).is_some_and(|m| m.changes))
    }

    fn method(&self, lattice: u32, name: &str) -> Option<(u32, Method)> {
        let prototype = self.prototype(lattice)?;
        let number = prototype.methods().iter().position(|m| m.name == name)?;
        Some((number as u32, prototype.methods()[number].clone()))
    }

    fn unknown_method(&mut self, name: Name, of: Ty, lattice: u32) {
        let Some(prototype) = self.prototype(lattice) else { return };
        let methods = prototype.methods();
        let (of, text) = (self.describe(of), self.text(name.sym));
        let mut d = Diagnostic::error("unknown-name", name.span, format!("{of} has no method `{text}`"));
        d = match nearest(text, methods.iter().map(|m| &*m.name)) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None if methods.is_empty() => d.help("it has no methods at all"),
            None => {
                let mut all: Vec<String> = Vec::new();
                // Operators of Python have no names in models.
                let callable = methods.iter().filter(|m| !m.name.starts_with("__"));
                for name in callable.map(|m| format!("`{}`", m.name)) {
                    if !all.contains(&name) {
                        all.push(name);
                    }
                }
                d.help(format!("it has {}", all.join(", ")))
            }
        };
        self.report(d);
    }

    /// Reports `v.name` without a call.
    pub(super) fn method_as_member(&mut self, name: Name, of: Ty, lattice: u32) -> Ty {
        let text = self.text(name.sym);
        if self.method(lattice, text).is_some() {
            self.report(
                Diagnostic::error("type", name.span, format!("`{text}` is a method"))
                    .help(format!("call it: `{text}(…)`")),
            );
        } else {
            self.unknown_method(name, of, lattice);
        }
        Types::WRONG
    }

    /// Returns whether an argument names a member of the variable whose method is called.
    fn is_member_of(&self, arg: ExprId, of: ExprId) -> bool {
        let variable = self.out.name(of);
        variable.is_some() && self.out.name(arg).and_then(|id| self.out.member(id)).map(|m| m.0) == variable
    }

    /// Checks `of.name(args)`.
    pub(super) fn method_call(&mut self, e: ExprId, of: ExprId, name: Name, lattice: u32, args: &[ExprId]) -> Ty {
        let tys: Vec<Ty> = args.iter().map(|&a| self.operand(a)).collect();
        let text = self.text(name.sym);
        let Some((number, method)) = self.method(lattice, text) else {
            self.unknown_method(name, self.out.ty(of), lattice);
            return Types::WRONG;
        };
        self.out.methods.insert(e, number);
        if method.changes {
            self.require_modifiable(of);
        }
        let count = method.parameters.len();
        if !(count - method.optional.min(count)..=count).contains(&args.len()) {
            self.wrong_count(self.tree.span(e), text, method.parameters.len(), args.len(), Span::NONE);
        } else {
            for ((&arg, &ty), parameter) in args.iter().zip(&tys).zip(method.parameters.iter()) {
                if *parameter == "member" && self.is_member_of(arg, of) {
                    continue;
                }
                if ty != Types::WRONG && !self.out.types.is_integral(ty) {
                    let found = self.describe(ty);
                    let message = format!("argument `{parameter}` of `{text}` must be an integer, not {found}");
                    let d = Diagnostic::error("arguments", self.tree.span(arg), message);
                    self.report(self.not_known(d, ty));
                }
            }
        }
        match method.result {
            ReturnType::Nothing => Types::VOID,
            ReturnType::Bool => Types::BOOL,
            ReturnType::Int => Types::INT,
        }
    }
}
