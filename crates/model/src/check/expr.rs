//! The types of expressions, by UTAP's rules.

use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, Name, Quantifier, TypeId, UnaryOp},
    nearest, print, word,
};

use super::{Checker, hint::Wanted};
use crate::{
    operation::Arith,
    symbols::{SymbolId, SymbolKind},
    types::{Index, Ty, TyKind, Types},
};

impl Checker<'_> {
    /// The type of an expression; [`Types::WRONG`] if it has none, which has then been reported.
    pub(super) fn expr(&mut self, e: ExprId) -> Ty {
        let may = std::mem::take(&mut self.may);
        // What comes now is of no use to anybody.
        if self.is_over() {
            return Types::WRONG;
        }
        let ty = syntax::grow(|| self.expr_here(e, may));
        self.out.tys[e.0 as usize] = ty;
        ty
    }

    /// `may`: whether integers that are not known may be compared.
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
            ExprKind::Binary(op, a, b) => {
                let joins = may && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply);
                self.may = joins;
                let s = self.expr(a);
                self.may = joins;
                let t = self.expr(b);
                if s == Types::WRONG || t == Types::WRONG {
                    return Types::WRONG;
                }
                if self.out.source(s).or(self.out.source(t)).is_some() {
                    return self.abstract_pair(e, op, (s, t), may);
                }
                self.binary(op, s, t).unwrap_or_else(|| self.no_operator(e, op, s, t))
            }
            ExprKind::Assign(op, a, b) => self.assignment(e, op, a, b),
            ExprKind::Step { up, target, .. } => {
                let ty = self.expr(target);
                if ty == Types::WRONG {
                    return ty;
                }
                self.require_modifiable(target);
                if !self.out.types.is_integer(ty) && self.out.source(ty).is_none() {
                    let (found, op) = (self.describe(ty), if up { "++" } else { "--" });
                    self.error("type", span, format!("`{op}` needs an integer variable, not {found}"));
                }
                ty
            }
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
                self.warn_no_effect(a);
                let ty = self.expr(b);
                self.warn_no_effect(b);
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

    fn unary(&mut self, e: ExprId, op: UnaryOp, operand: ExprId) -> Ty {
        let ty = self.expr(operand);
        let types = &self.out.types;
        match op {
            _ if ty == Types::WRONG => Types::WRONG,
            UnaryOp::Minus | UnaryOp::Plus if self.out.source(ty).is_some() => {
                let kind = self.out.source(ty).map_or(TyKind::Wrong, TyKind::Abstract);
                self.out.types.add(kind)
            }
            UnaryOp::Minus | UnaryOp::Plus if types.is_integral(ty) => Types::INT,
            UnaryOp::Plus if types.is_number(ty) => ty,
            UnaryOp::Minus if types.is_number(ty) => Types::DOUBLE,
            UnaryOp::Not if types.is_integral(ty) => Types::BOOL,
            UnaryOp::Not if types.rank(ty).is_some_and(|r| r <= 3) => Types::CONSTRAINT,
            UnaryOp::Not if types.rank(ty).is_some() => Types::FORMULA,
            _ => {
                let found = self.describe(ty);
                let sign = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Not => "not",
                };
                self.error("type", self.tree.span(e), format!("`{sign}` can't be applied to {found}"));
                Types::WRONG
            }
        }
    }

    /// The type of `s op t`, where there is one.
    /// Whether an expression is a number beyond 32 bits.
    fn is_wide(&self, e: ExprId) -> bool {
        match self.tree.kind(e) {
            ExprKind::Wide(_) => true,
            ExprKind::Unary(UnaryOp::Minus, operand) => self.is_wide(operand),
            _ => false,
        }
    }

    /// The type of a comparison with a number beyond 32 bits: of clocks, or it has none.
    fn compare_with_wide(&mut self, e: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> Ty {
        let (clocks, number) = if self.is_wide(a) { (b, a) } else { (a, b) };
        let ty = self.expr(clocks);
        if ty == Types::WRONG {
            return ty;
        }
        if !self.out.types.is_clock(ty) && *self.out.types.kind(ty) != TyKind::Diff {
            return self.expr(number);
        }
        let mut inner = number;
        self.out.tys[number.0 as usize] = Types::INT;
        while let ExprKind::Unary(_, operand) = self.tree.kind(inner) {
            inner = operand;
            self.out.tys[inner.0 as usize] = Types::INT;
        }
        let (s, t) = if clocks == a { (ty, Types::INT) } else { (Types::INT, ty) };
        self.binary(op, s, t).unwrap_or_else(|| self.no_operator(e, op, s, t))
    }

    fn binary(&self, op: BinaryOp, s: Ty, t: Ty) -> Option<Ty> {
        use BinaryOp::*;
        let types = &self.out.types;
        let integral = types.is_integral(s) && types.is_integral(t);
        let numbers = types.is_number(s) && types.is_number(t);
        let is_diff = |ty: Ty| *types.kind(ty) == TyKind::Diff;
        let is_double = |ty: Ty| *types.kind(ty) == TyKind::Double;
        let timed = |ty: Ty| types.is_clock(ty) || is_diff(ty);
        let bound = |ty: Ty| types.is_integer(ty) || is_double(ty);
        Some(match op {
            _ if integral && Arith::of(op).is_some() => Types::INT,
            Add if types.is_clock(s) && types.is_integer(t) || types.is_integer(s) && types.is_clock(t) => Types::CLOCK,
            Add if is_diff(s) && types.is_integer(t) || types.is_integer(s) && is_diff(t) => Types::DIFF,
            Sub if types.is_clock(s) && types.is_integer(t) => Types::CLOCK,
            Sub if types.is_clock(s) && types.is_clock(t) => Types::DIFF,
            Sub if is_diff(s) && types.is_integer(t) || types.is_integer(s) && is_diff(t) => Types::DIFF,
            Add | Sub | Mul | Div | Pow | Min | Max if numbers => Types::DOUBLE,
            Lt | Le | Gt | Ge if integral => Types::BOOL,
            Lt | Le | Gt | Ge if types.is_clock(s) && types.is_clock(t) => Types::INVARIANT,
            Lt | Le if timed(s) && bound(t) || bound(s) && timed(t) => Types::INVARIANT,
            Gt | Ge if timed(s) && types.is_integer(t) || types.is_integer(s) && timed(t) => Types::INVARIANT,
            Lt | Le | Gt | Ge if numbers && (types.is_clock(s) || types.is_clock(t)) => Types::GUARD,
            Lt | Le | Gt | Ge if numbers => Types::BOOL,
            Eq if numbers && (timed(s) || timed(t)) => Types::GUARD,
            Eq if *types.kind(s) == TyKind::Rate && types.is_number(t) => Types::INVARIANT_RATE,
            Eq if *types.kind(t) == TyKind::Rate && types.is_number(s) => Types::INVARIANT_RATE,
            // Legal for UPPAAL's checker; there is no zone for it, so lowering says that it is not
            // supported.
            Ne if types.is_clock(s) && types.is_clock(t) => Types::GUARD,
            Ne if timed(s) && timed(t) => Types::CONSTRAINT,
            Ne if timed(s) && types.is_integer(t) || types.is_integer(s) && timed(t) => Types::CONSTRAINT,
            Eq | Ne if integral || numbers || self.comparable(s, t) => Types::BOOL,
            And => return self.conjunction(s, t),
            Or => return self.disjunction(s, t),
            // `a imply b` is `not a or b`.
            Imply => {
                let not = match types.rank(s)? {
                    0 => Types::BOOL,
                    r => Types::of_rank(r.max(3)),
                };
                return self.disjunction(not, t);
            }
            Xor if integral => Types::BOOL,
            _ => return None,
        })
    }

    /// Whether `==` makes sense between composite values.
    fn comparable(&self, s: Ty, t: Ty) -> bool {
        let types = &self.out.types;
        matches!(
            types.kind(s),
            TyKind::Scalar(..) | TyKind::Struct(_) | TyKind::Array(..) | TyKind::Process | TyKind::Text
        ) && types.equivalent(self.tree, s, t)
    }

    fn conjunction(&self, s: Ty, t: Ty) -> Option<Ty> {
        let types = &self.out.types;
        let rate = |ty: Ty| *types.kind(ty) == TyKind::InvariantRate;
        if rate(s) || rate(t) {
            let fits = |ty: Ty| rate(ty) || types.rank(ty).is_some_and(|r| r <= 1);
            return (fits(s) && fits(t)).then_some(Types::INVARIANT_RATE);
        }
        Some(Types::of_rank(types.rank(s)?.max(types.rank(t)?)))
    }

    fn disjunction(&self, s: Ty, t: Ty) -> Option<Ty> {
        let types = &self.out.types;
        let rate = |ty: Ty| *types.kind(ty) == TyKind::InvariantRate;
        if rate(s) && types.is_integral(t) || rate(t) && types.is_integral(s) {
            return Some(Types::INVARIANT_RATE);
        }
        let (r, q) = (types.rank(s)?, types.rank(t)?);
        // One side without clocks decides whether the other one counts; two sides with clocks need
        // splitting.
        Some(if r == 0 || q == 0 { Types::of_rank(r.max(q)) } else { Types::of_rank(r.max(q).max(3)) })
    }

    pub(super) fn no_operator(&mut self, e: ExprId, op: BinaryOp, s: Ty, t: Ty) -> Ty {
        let (left, right) = (self.describe(s), self.describe(t));
        let message = format!("`{}` can't join {left} and {right}", op.text());
        let mut d = Diagnostic::error("type", self.tree.span(e), message);
        if let ExprKind::Binary(_, a, b) = self.tree.kind(e) {
            d = d.also(self.tree.span(a), left).also(self.tree.span(b), right);
        }
        d = self.not_known(d, if self.out.source(s).is_some() { s } else { t });
        self.report(d);
        Types::WRONG
    }

    fn assignment(&mut self, e: ExprId, op: Option<BinaryOp>, a: ExprId, b: ExprId) -> Ty {
        if let (None, Some(what)) = (op, self.condition) {
            return self.comparison_meant(what, a, b);
        }
        let to = self.assigned(a, op);
        let from = self.expr(b);
        if to == Types::WRONG || from == Types::WRONG {
            return Types::WRONG;
        }
        let modifiable = self.require_modifiable(a);
        let types = &self.out.types;
        let fits = match (self.abstract_fits(op, to, from), op) {
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
            self.report(d);
        }
        to
    }

    /// The type of what is assigned to. Assigning is not reading, so `x = 1` alone leaves `x`
    /// unused.
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
        let condition = self.expr(c);
        let (s, t) = (self.expr(a), self.expr(b));
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

    fn index(&mut self, array: ExprId, index: ExprId) -> Ty {
        let (ty, by) = (self.expr(array), self.expr(index));
        if ty == Types::WRONG {
            return ty;
        }
        if let TyKind::Lattice(..) | TyKind::Bits(_) = self.kind(ty) {
            return self.bit(array, index, ty, by);
        }
        let TyKind::Array(indices, element) = self.kind(ty).clone() else {
            if self.is_single_element(ty, by) {
                return ty;
            }
            let found = self.describe(ty);
            let message = format!("only an array has elements, this is {found}");
            let d = Diagnostic::error("type", self.tree.span(array), message);
            self.report(match self.kind(ty) {
                TyKind::Process => {
                    let [process, number] = [array, index].map(|e| print::expression(self.tree, e));
                    d.help(format!("write `{process}({number})`"))
                }
                _ => d,
            });
            return Types::WRONG;
        };
        self.check_index(indices, index, by);
        element
    }

    /// Checks an index against what the array is indexed by.
    pub(super) fn check_index(&mut self, indices: Index, index: ExprId, by: Ty) {
        let fits = match indices {
            _ if by == Types::WRONG => true,
            Index::Type(t) if matches!(self.kind(t), TyKind::Scalar(..)) => self.out.types.equivalent(self.tree, t, by),
            _ => self.out.types.is_integral(by),
        };
        if !fits {
            let found = self.describe(by);
            let d = Diagnostic::error("type", self.tree.span(index), format!("the array can't be indexed by {found}"));
            self.report(self.not_known(d, by));
        }
    }

    fn member(&mut self, e: ExprId, of: ExprId, name: Name) -> Ty {
        if self.in_query && self.is_unknown_process(of, name) {
            return Types::WRONG;
        }
        let ty = self.expr(of);
        let text = self.text(name.sym);
        match self.kind(ty).clone() {
            TyKind::Wrong => Types::WRONG,
            TyKind::Struct(fields) => match fields.iter().find(|(field, _)| *field == name.sym) {
                Some((_, ty)) => *ty,
                None => {
                    let names: Vec<&str> = fields.iter().map(|(field, _)| self.tree.text(*field)).collect();
                    self.unknown_member(name, &format!("the struct has no field `{text}`"), &names);
                    Types::WRONG
                }
            },
            TyKind::Process => self.process_member(e, of, name),
            TyKind::Lattice(lattice, ..) => self.method_as_member(name, ty, lattice),
            _ => {
                let found = self.describe(ty);
                let message = format!("only structs and processes have members, this is {found}");
                let d = Diagnostic::error("type", self.tree.span(of), message)
                    .also(name.span, format!("`{text}` is asked for here"));
                let d = match self.tree.kind(of) {
                    ExprKind::Name(sym) if self.in_query => self.suggest_process(d, sym, Some(name.sym)),
                    _ => d,
                };
                self.report(d);
                Types::WRONG
            }
        }
    }

    pub(super) fn unknown_member(&mut self, name: Name, message: &str, names: &[&str]) {
        if self.tree.lost.contains(&name.sym) {
            return;
        }
        let mut d = Diagnostic::error("unknown-name", name.span, message);
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        if let Some(near) = nearest(self.text(name.sym), sorted) {
            d = d.help(format!("did you mean `{near}`?"));
        }
        self.report(d);
    }

    /// `P.x` or `T(1).x`: a location or a variable of a process.
    fn process_member(&mut self, e: ExprId, of: ExprId, name: Name) -> Ty {
        if name.sym == word::LOCATION {
            return Types::INT;
        }
        let Some((process, template)) = self.process_template(of) else { return Types::WRONG };
        let found = self.out.templates[template as usize].scope.get(&name.sym).copied();
        let Some(id) = found else {
            let names: Vec<&str> =
                self.out.templates[template as usize].scope.keys().map(|s| self.tree.text(*s)).collect();
            let (text, process) = (self.text(name.sym), self.text(self.symbol(process).name));
            let message = format!("process `{process}` has no location or variable `{text}`");
            match self.out.symbols.find(name.sym).map(|id| self.symbol(id).kind) {
                Some(SymbolKind::Var) => {
                    let d = Diagnostic::error("unknown-name", name.span, message);
                    self.report(d.help(format!("`{text}` belongs to no process: write `{text}` alone")));
                }
                _ => self.unknown_member(name, &message, &names),
            }
            return Types::WRONG;
        };
        self.out.names[e.0 as usize] = Some(id);
        self.out.read.insert(id);
        let symbol = self.symbol(id);
        match symbol.kind {
            SymbolKind::Location(_) => Types::BOOL,
            SymbolKind::Var | SymbolKind::Param { .. } => symbol.ty,
            _ => {
                let text = self.text(name.sym);
                self.error("type", name.span, format!("`{text}` is neither a location nor a variable"));
                Types::WRONG
            }
        }
    }

    /// The process symbol and template that a process expression speaks of.
    pub(super) fn process_template(&self, of: ExprId) -> Option<(SymbolId, u32)> {
        let callee = match self.tree.kind(of) {
            ExprKind::Call(callee, _) => callee,
            _ => of,
        };
        let process = self.out.name(callee)?;
        Some((process, self.template_of(process)?))
    }

    fn quantifier(&mut self, q: Quantifier, name: Name, ty: TypeId, body: ExprId, may: bool) -> Ty {
        let over = if q == Quantifier::Foreach || self.is_dynamic(ty) { Types::WRONG } else { self.type_of(ty) };
        self.check_iteration(over, self.tree.ty(ty).span);
        self.out.symbols.open();
        self.declare(name, SymbolKind::Bound, over);
        self.may = may;
        let inner = self.expr(body);
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
        let syntax::ast::TypeKind::Named(sym) = self.tree.ty(ty).kind else { return false };
        self.out.symbols.find(sym).is_some_and(|id| self.symbol(id).kind == SymbolKind::DynamicTemplate)
    }

    /// Checks that a type has values to go through.
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
