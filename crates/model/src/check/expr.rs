//! The types of expressions, by UTAP's rules.

use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, Name, Quantifier, TypeId, TypeKind, UnaryOp},
};

use super::{Checker, hint::Wanted};
use crate::{
    symbols::SymbolKind,
    types::{Ty, TyKind, Types},
};

impl Checker<'_> {
    /// Returns the type of an expression; [`Types::WRONG`] if it has an error, which was reported.
    pub(super) fn expr(&mut self, e: ExprId) -> Ty {
        let may = std::mem::take(&mut self.may);
        // The rest is not needed.
        if self.is_over() {
            return Types::WRONG;
        }
        let ty = syntax::grow(|| self.expr_here(e, may));
        self.out.tys[e.0 as usize] = ty;
        ty
    }

    /// `may`: whether abstract integers may be compared.
    fn expr_here(&mut self, e: ExprId, may: bool) -> Ty {
        let span = self.tree.span(e);
        match self.tree.kind(e) {
            ExprKind::Int(_) => Types::INT,
            ExprKind::Wide(_) => {
                self.report(Diagnostic::error("number-too-large", span, "number does not fit into 32 bits").help(
                    "integers range from -2147483648 to 2147483647; only clocks are compared with larger numbers",
                ));
                Types::WRONG
            }
            ExprKind::Binary(op, a, b) if self.is_wide(a) != self.is_wide(b) && op.compares() => {
                self.compare_with_wide(e, op, a, b)
            }
            ExprKind::Bool(_) => Types::BOOL,
            ExprKind::Float(_) => Types::DOUBLE,
            ExprKind::Text(_) => Types::TEXT,
            ExprKind::Name(sym) => self.name_expr(e, Name { sym, span }),
            ExprKind::Unary(op, operand) => {
                self.may = may && op == UnaryOp::Not;
                self.unary(e, op, operand)
            }
            ExprKind::Binary(op, a, b) => self.binary_expr(e, op, (a, b), may),
            ExprKind::Assign(op, a, b) => self.assignment(e, op, a, b),
            ExprKind::Step { up, target, .. } => self.step(up, target, span),
            ExprKind::Conditional(c, a, b) => self.conditional(e, c, a, b),
            ExprKind::Index(array, index) => self.index(array, index),
            ExprKind::Member(of, name) => self.member(e, of, name),
            ExprKind::Call(callee, args) => self.call(e, callee, args),
            ExprKind::Quantifier(q, name, ty, body) => self.quantifier(q, name, ty, body, may && q != Quantifier::Sum),
            ExprKind::Rate(of) => {
                let ty = self.expr(of);
                if ty != Types::WRONG && !self.out.types.is_clock(ty) {
                    let found = self.describe(ty);
                    self.error("type", span, format!("only a clock has a rate, not {found}"));
                    return Types::WRONG;
                }
                Types::RATE
            }
            ExprKind::Deadlock => Types::FORMULA,
            ExprKind::Comma(a, b) => {
                self.expr(a);
                self.unused_value(a);
                let ty = self.expr(b);
                self.unused_value(b);
                ty
            }
            ExprKind::Braces(_) | ExprKind::Field(..) => {
                self.error("syntax", span, "a list can only initialise a variable");
                Types::WRONG
            }
            ExprKind::Dynamic(_, items) => {
                let args: Vec<ExprId> = self.tree.list(items).iter().skip(1).copied().collect();
                for arg in args {
                    self.expr(arg);
                }
                self.note_write();
                Types::INT
            }
            ExprKind::Wrong => Types::WRONG,
        }
    }

    fn step(&mut self, up: bool, target: ExprId, span: Span) -> Ty {
        let ty = self.expr(target);
        if ty == Types::WRONG {
            return ty;
        }
        self.require_modifiable(target);
        let method = self.out.operators(ty).and_then(|operators| if up { operators.add } else { operators.sub });
        let is_number = self.out.source(ty).is_some() || method.is_some();
        if !self.out.types.is_integer(ty) && !is_number {
            let (found, op) = (self.describe(ty), if up { "++" } else { "--" });
            self.error("type", span, format!("`{op}` needs an integer variable, not {found}"));
        }
        ty
    }

    fn name_expr(&mut self, e: ExprId, name: Name) -> Ty {
        let Some(id) = self.lookup(name, Wanted::Value) else { return Types::WRONG };
        self.out.names[e.0 as usize] = Some(id);
        self.out.read.insert(id);
        let symbol = self.symbol(id);
        let text = self.text(name.sym);
        match symbol.kind {
            SymbolKind::Var | SymbolKind::Param { .. } | SymbolKind::Select => {
                if !self.out.types.is_constant(symbol.ty) {
                    self.note_read(id);
                }
                symbol.ty
            }
            SymbolKind::Local | SymbolKind::FunctionParam { .. } | SymbolKind::Bound => symbol.ty,
            SymbolKind::Predeclared(_) | SymbolKind::PredeclaredDouble => symbol.ty,
            SymbolKind::Location(_) => {
                self.note_read(id);
                Types::BOOL
            }
            SymbolKind::Template(_) | SymbolKind::Instance(_) if self.in_query => Types::PROCESS,
            SymbolKind::Template(_) | SymbolKind::Instance(_) | SymbolKind::DynamicTemplate | SymbolKind::Chart => {
                self.error("type", name.span, format!("`{text}` is a process, not a value"));
                Types::WRONG
            }
            SymbolKind::Branchpoint => {
                self.error("type", name.span, format!("`{text}` is a branchpoint, not a value"));
                Types::WRONG
            }
            SymbolKind::Type => {
                self.report(
                    Diagnostic::error("type", name.span, format!("`{text}` is a type, not a value"))
                        .also(symbol.span, "declared here"),
                );
                Types::WRONG
            }
            SymbolKind::Function(_) => {
                self.report(
                    Diagnostic::error("type", name.span, format!("`{text}` is a function"))
                        .help(format!("call it: `{text}(…)`")),
                );
                Types::WRONG
            }
        }
    }

    fn assignment(&mut self, e: ExprId, op: Option<BinaryOp>, a: ExprId, b: ExprId) -> Ty {
        if let (None, Some(what)) = (op, self.condition) {
            return self.comparison_meant(what, a, b);
        }
        let to = self.assigned(a, op);
        if self.out.intersections.contains(&e) {
            return self.intersection(to, b);
        }
        let from = self.expr(b);
        let is_copy = op.is_none() && self.out.types.equivalent(self.tree, to, from);
        let from = if is_copy { from } else { self.as_number(b, from) };
        if to == Types::WRONG || from == Types::WRONG {
            return Types::WRONG;
        }
        let modifiable = self.require_modifiable(a);
        let types = &self.out.types;
        let fits = match (self.abstract_fits(op, to, from).or(self.number_fits(op, to, from)), op) {
            (Some(fits), _) => fits,
            (None, None) => types.assignable(self.tree, to, from),
            (None, Some(BinaryOp::Add)) => types.is_integer(to) && types.is_integral(from),
            (None, Some(_)) => types.is_integral(to) && types.is_integral(from),
        };
        if !fits && modifiable {
            let (left, right) = (self.describe(to), self.describe(from));
            let mut d = Diagnostic::error("type", self.tree.span(e), format!("can't assign {right} to {left}"));
            if self.out.types.is_clock(from) && self.out.types.is_integral(to) {
                d = d.help("a clock's value is not a number that a model may read; compare it in a guard");
            }
            if self.out.source(to).is_none() {
                d = self.not_known(d, from);
            }
            if self.out.federations.contains(&to) {
                d = d.help(if op == Some(BinaryOp::BitAnd) {
                    "only the first updates of an edge that does not receive can be intersections: write a guard, or \
                     an invariant"
                } else {
                    "a guard or an invariant restricts the clocks: write the constraint there"
                });
            }
            if self.out.operators(to).is_some() {
                d = d.help("`=`, `+=` and `-=` with an integer, `++` and `--` change it");
            }
            self.report(d);
        }
        to
    }

    /// Returns the type of the target of an assignment. Assigning is not reading, so `x = 1` alone
    /// leaves `x` unused.
    fn assigned(&mut self, target: ExprId, op: Option<BinaryOp>) -> Ty {
        let mut root = target;
        while let ExprKind::Index(of, _) | ExprKind::Member(of, _) = self.tree.kind(root) {
            root = of;
        }
        let ExprKind::Name(sym) = self.tree.kind(root) else { return self.expr(target) };
        let read_before =
            self.out.symbols.find(sym).filter(|_| op.is_none()).map(|id| (id, self.out.read.contains(&id)));
        let ty = self.expr(target);
        if let Some((id, false)) = read_before {
            self.out.read.remove(&id);
        }
        ty
    }

    fn conditional(&mut self, e: ExprId, c: ExprId, a: ExprId, b: ExprId) -> Ty {
        let condition = self.operand(c);
        let (mut s, mut t) = (self.expr(a), self.expr(b));
        if !self.out.types.equivalent(self.tree, s, t) {
            (s, t) = (self.as_number(a, s), self.as_number(b, t));
        }
        if [condition, s, t].contains(&Types::WRONG) {
            return Types::WRONG;
        }
        if self.out.types.rank(condition).is_none_or(|r| r > 2) {
            let found = self.describe(condition);
            self.error("type", self.tree.span(c), format!("a condition must be a boolean, not {found}"));
        }
        if self.out.source(s).or(self.out.source(t)).is_some() {
            let found = self.describe(if self.out.source(s).is_some() { s } else { t });
            let message = format!("`? :` can't choose {found}");
            self.report(Diagnostic::error("type", self.tree.span(e), message).help("use one edge for each case"));
            return Types::WRONG;
        }
        let types = &self.out.types;
        if types.is_integral(s) && types.is_integral(t) {
            return if types.equivalent(self.tree, s, t) { s } else { Types::INT };
        }
        if types.is_clock(s) != types.is_clock(t) && types.is_number(s) && types.is_number(t) {
            return Types::DOUBLE;
        }
        let value = |ty: Ty| types.rank(ty).is_none_or(|r| r == 0) && *types.kind(ty) != TyKind::InvariantRate;
        if value(s) && value(t) && types.assignable(self.tree, s, t) {
            return s;
        }
        if value(s) && value(t) && types.assignable(self.tree, t, s) {
            return t;
        }
        let (left, right) = (self.describe(s), self.describe(t));
        let message = format!("`? :` can't choose between {left} and {right}");
        let mut d = Diagnostic::error("type", self.tree.span(e), message);
        if !value(s) || !value(t) {
            d = d
                .help("write `(c && x < 3) || (!c && …)` with the clock constraints of one case on an edge of its own");
        }
        self.report(d);
        Types::WRONG
    }

    fn quantifier(&mut self, q: Quantifier, name: Name, ty: TypeId, body: ExprId, may: bool) -> Ty {
        let over = if q == Quantifier::Foreach || self.is_dynamic(ty) { Types::WRONG } else { self.type_of(ty) };
        self.check_iteration(over, self.tree.ty(ty).span);
        self.out.symbols.open();
        self.declare(name, SymbolKind::Bound, over);
        self.may = may;
        let inner = self.operand(body);
        self.out.symbols.close();
        self.require_pure(body, "the body of a quantifier");
        if inner == Types::WRONG {
            return inner;
        }
        let types = &self.out.types;
        let found = match q {
            Quantifier::Sum if types.is_integral(inner) => Some(Types::INT),
            Quantifier::Sum if types.is_number(inner) => Some(Types::DOUBLE),
            Quantifier::Sum => None,
            Quantifier::Forall if *types.kind(inner) == TyKind::InvariantRate => Some(inner),
            Quantifier::Forall | Quantifier::Foreach => types.rank(inner).map(Types::of_rank),
            Quantifier::Exists => {
                types.rank(inner).map(|r| if r == 0 { Types::BOOL } else { Types::of_rank(r.max(3)) })
            }
        };
        found.unwrap_or_else(|| {
            let (found, word) = (self.describe(inner), q.text());
            let need = if q == Quantifier::Sum { "a number" } else { "a condition" };
            self.error("type", self.tree.span(body), format!("`{word}` needs {need}, not {found}"));
            Types::WRONG
        })
    }

    fn is_dynamic(&self, ty: TypeId) -> bool {
        let TypeKind::Named(sym) = self.tree.ty(ty).kind else { return false };
        self.out.symbols.find(sym).is_some_and(|id| self.symbol(id).kind == SymbolKind::DynamicTemplate)
    }

    /// Checks that a type has finitely many values to iterate over.
    pub(super) fn check_iteration(&mut self, ty: Ty, span: Span) {
        if !matches!(self.kind(ty), TyKind::Int(Some(_)) | TyKind::Scalar(..) | TyKind::Wrong) {
            let found = self.describe(ty);
            self.report(
                Diagnostic::error("type", span, format!("needs a bounded integer type or a scalar set, not {found}"))
                    .help("write `int[0,3]`, for instance"),
            );
        }
    }
}
