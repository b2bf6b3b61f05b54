//! The types of the checker. Bounds and sizes are still expressions, since a template's parameters
//! are unknown until it is instantiated.

use crate::symbols::SymbolId;
use syntax::{
    Sym, Tree,
    ast::{ExprId, ExprKind},
};

/// A type of a [`Types`] pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ty(u32);

/// A bound of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeBound {
    /// A number.
    Value(i32),
    /// An expression that is constant once the template is instantiated.
    Expr(ExprId),
}

/// The indices of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// `0` to the size minus one.
    Size(ExprId),
    /// The values of a type.
    Type(Ty),
}

/// The origin of an abstract integer. Operations combine only integers of the same origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AbstractSource {
    /// A lattice of which each integer has its own element: its index in
    /// [`crate::check::Checked::externs`], and its name.
    Elements(u32, Sym),
    /// A variable whose element describes all its members.
    Members(SymbolId, Sym),
}

/// The kinds of types. Those from [`TyKind::Diff`] on are types of expressions only.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub(crate) enum TyKind {
    /// `None` is a constant without a range.
    Int(Option<(RangeBound, RangeBound)>),
    Bool,
    Clock {
        hybrid: bool,
    },
    Chan {
        urgent: bool,
        broadcast: bool,
    },
    Void,
    Double,
    Text,
    /// A scalar set; the number distinguishes sets of the same size.
    Scalar(u32, ExprId),
    Array(Index, Ty),
    Struct(Vec<(Sym, Ty)>),
    /// An element of a lattice: its index in [`crate::check::Checked::externs`], its name, and its
    /// own dimensions.
    Lattice(u32, Sym, Vec<Index>),
    /// An array of bits of an element, with the remaining dimensions.
    Bits(Vec<Index>),
    /// An abstract integer, of which only an element of a lattice is known: a member of a variable,
    /// or the result of operations on such integers.
    Abstract(AbstractSource),
    /// opaal's federation of clocks; a variable of it is a struct.
    Federation,
    /// A difference of two clocks.
    Diff,
    /// The rate of a clock.
    Rate,
    /// Clock constraints that are legal in invariants.
    Invariant,
    /// Clock constraints and rates that are legal in invariants.
    InvariantRate,
    /// Clock constraints that are legal in guards.
    Guard,
    /// Any combination of clock constraints, which is legal in queries only.
    Constraint,
    /// Formulas with `deadlock`, which are legal in queries only.
    Formula,
    /// A process, which is legal in queries and progress measures only.
    Process,
    /// A type, template or function where a value is expected, or an expression with an error that
    /// was reported.
    Wrong,
}

#[derive(Clone, Debug)]
struct Data {
    kind: TyKind,
    constant: bool,
    meta: bool,
    /// The lattice of the model whose functions order the values, by its index in
    /// `Checked::externs`.
    order: Option<u32>,
}

/// All types of a model.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    data: Vec<Data>,
}

macro_rules! basic_types {
    ($($name:ident = $kind:expr),* $(,)?) => {
        #[allow(missing_docs)]
        impl Types { basic_types!(@ 0u32, $($name)*); }
        fn basic_kinds() -> Vec<TyKind> { vec![$($kind),*] }
    };
    (@ $n:expr, $name:ident $($rest:ident)*) => {
        /// A type without components.
        pub(crate) const $name: Ty = Ty($n);
        basic_types!(@ $n + 1, $($rest)*);
    };
    (@ $n:expr,) => {};
}

basic_types! {
    INT = TyKind::Int(None), BOOL = TyKind::Bool, CLOCK = TyKind::Clock { hybrid: false }, VOID = TyKind::Void,
    DOUBLE = TyKind::Double, TEXT = TyKind::Text, DIFF = TyKind::Diff, RATE = TyKind::Rate, INVARIANT = TyKind::Invariant,
    INVARIANT_RATE = TyKind::InvariantRate, GUARD = TyKind::Guard, CONSTRAINT = TyKind::Constraint,
    FORMULA = TyKind::Formula, PROCESS = TyKind::Process, WRONG = TyKind::Wrong,
}

impl Default for Types {
    fn default() -> Types {
        let data =
            basic_kinds().into_iter().map(|kind| Data { kind, constant: false, meta: false, order: None }).collect();
        Types { data }
    }
}

impl Types {
    /// Adds a type.
    pub(crate) fn add(&mut self, kind: TyKind) -> Ty {
        self.with_prefix(kind, false, false)
    }

    /// Adds a type with the prefix `const` or `meta`.
    pub(crate) fn with_prefix(&mut self, kind: TyKind, constant: bool, meta: bool) -> Ty {
        self.data.push(Data { kind, constant, meta, order: None });
        Ty(self.data.len() as u32 - 1)
    }

    /// Sets the lattice of the model whose functions order the values of a type that was just
    /// added.
    pub(crate) fn set_order(&mut self, ty: Ty, order: Option<u32>) {
        self.data[ty.0 as usize].order = order;
    }

    /// Adds a field to a struct type. Returns `false` if it has that field already.
    pub(crate) fn add_field(&mut self, ty: Ty, name: Sym, field: Ty) -> bool {
        let TyKind::Struct(fields) = &mut self.data[ty.0 as usize].kind else { return false };
        let is_new = fields.iter().all(|(known, _)| *known != name);
        if is_new {
            fields.push((name, field));
        }
        is_new
    }

    /// Returns the lattice of the model whose functions order the values of a type.
    #[must_use]
    pub(crate) fn order(&self, ty: Ty) -> Option<u32> {
        self.data[ty.0 as usize].order
    }

    /// Returns the innermost element type of an array, or the type itself.
    #[must_use]
    pub(crate) fn base(&self, mut ty: Ty) -> Ty {
        while let TyKind::Array(_, element) = self.kind(ty) {
            ty = *element;
        }
        ty
    }

    /// Returns the kind of a type.
    #[must_use]
    pub(crate) fn kind(&self, ty: Ty) -> &TyKind {
        &self.data[ty.0 as usize].kind
    }

    /// Returns whether values of this type can't change.
    #[must_use]
    pub(crate) fn is_constant(&self, ty: Ty) -> bool {
        let data = &self.data[ty.0 as usize];
        data.constant || matches!(data.kind, TyKind::Array(_, element) if self.is_constant(element))
    }

    /// Returns whether variables of this type are not part of a state's identity.
    #[must_use]
    pub(crate) fn is_meta(&self, ty: Ty) -> bool {
        let data = &self.data[ty.0 as usize];
        data.meta || matches!(data.kind, TyKind::Array(_, element) if self.is_meta(element))
    }

    /// Returns whether it is an integer or boolean type.
    #[must_use]
    pub(crate) fn is_integral(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Int(_) | TyKind::Bool)
    }

    /// Returns whether it is an integer type.
    #[must_use]
    pub(crate) fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Int(_))
    }

    /// Returns whether it is a clock of any kind.
    #[must_use]
    pub(crate) fn is_clock(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Clock { .. })
    }

    /// Returns whether its values are numbers: integers, booleans, doubles, clocks and their
    /// differences.
    #[must_use]
    pub(crate) fn is_number(&self, ty: Ty) -> bool {
        self.is_integral(ty) || self.is_clock(ty) || matches!(self.kind(ty), TyKind::Double | TyKind::Diff)
    }

    /// Returns the position of a type in the chain integral < invariant < guard < constraint <
    /// formula.
    #[must_use]
    pub(crate) fn rank(&self, ty: Ty) -> Option<u8> {
        Some(match self.kind(ty) {
            TyKind::Int(_) | TyKind::Bool => 0,
            TyKind::Invariant => 1,
            TyKind::Guard => 2,
            TyKind::Constraint => 3,
            TyKind::Formula => 4,
            _ => return None,
        })
    }

    /// Returns the type of a rank.
    #[must_use]
    pub(crate) fn of_rank(rank: u8) -> Ty {
        [Types::BOOL, Types::INVARIANT, Types::GUARD, Types::CONSTRAINT, Types::FORMULA][usize::from(rank.min(4))]
    }

    /// Returns whether two types have the same values; bounds are compared as expressions.
    #[must_use]
    pub(crate) fn equivalent(&self, tree: &Tree, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        match (self.kind(a), self.kind(b)) {
            (TyKind::Int(Some(x)), TyKind::Int(Some(y))) => same_bound(tree, x.0, y.0) && same_bound(tree, x.1, y.1),
            (TyKind::Int(_), TyKind::Int(_)) => true,
            (TyKind::Clock { .. }, TyKind::Clock { .. }) => true,
            (TyKind::Scalar(x, _), TyKind::Scalar(y, _)) => x == y,
            (TyKind::Array(i, x), TyKind::Array(j, y)) => {
                self.same_index(tree, *i, *j) && self.equivalent(tree, *x, *y)
            }
            (TyKind::Lattice(x, _, i), TyKind::Lattice(y, _, j)) => {
                x == y && i.len() == j.len() && i.iter().zip(j).all(|(i, j)| self.same_index(tree, *i, *j))
            }
            (TyKind::Bits(_), TyKind::Bits(_)) => false,
            (TyKind::Struct(f), TyKind::Struct(g)) => {
                f.len() == g.len() && f.iter().zip(g).all(|(x, y)| x.0 == y.0 && self.equivalent(tree, x.1, y.1))
            }
            (x, y) => x == y,
        }
    }

    fn same_index(&self, tree: &Tree, i: Index, j: Index) -> bool {
        match (i, j) {
            (Index::Size(m), Index::Size(n)) => same_expr(tree, m, n),
            (Index::Type(s), Index::Type(t)) => self.equivalent(tree, s, t),
            // `a[3]` and `a[int[0,2]]` have the same indices; lowering compares the numbers.
            // Members of a scalar set are not numbers.
            (Index::Size(_), Index::Type(t)) | (Index::Type(t), Index::Size(_)) => {
                !matches!(self.kind(t), TyKind::Scalar(..))
            }
        }
    }

    /// Returns whether a value of type `from` may be assigned to a variable of type `to`.
    #[must_use]
    pub(crate) fn assignable(&self, tree: &Tree, to: Ty, from: Ty) -> bool {
        if self.is_clock(to) || matches!(self.kind(to), TyKind::Double) {
            return self.is_integral(from) || self.is_clock(from) || matches!(self.kind(from), TyKind::Double);
        }
        (self.is_integral(to) && self.is_integral(from)) || self.equivalent(tree, to, from)
    }

    /// Describes a type, for messages.
    #[must_use]
    pub(crate) fn describe(&self, tree: &Tree, ty: Ty) -> String {
        match self.kind(ty) {
            TyKind::Int(_) => "an integer".to_owned(),
            TyKind::Bool => "a boolean".to_owned(),
            TyKind::Clock { hybrid: false } => "a clock".to_owned(),
            TyKind::Clock { hybrid: true } => "a hybrid clock".to_owned(),
            TyKind::Chan { .. } => "a channel".to_owned(),
            TyKind::Void => "nothing (`void`)".to_owned(),
            TyKind::Double => "a floating-point number".to_owned(),
            TyKind::Text => "a string".to_owned(),
            TyKind::Scalar(..) => "a scalar".to_owned(),
            TyKind::Lattice(_, name, _) => format!("an element of lattice `{}`", tree.text(*name)),
            TyKind::Bits(_) => "a row of bits".to_owned(),
            TyKind::Abstract(AbstractSource::Elements(_, name) | AbstractSource::Members(_, name)) => {
                format!("an integer of `{}`", tree.text(*name))
            }
            TyKind::Array(_, element) if matches!(self.kind(self.base(*element)), TyKind::Lattice(..)) => {
                self.describe(tree, self.base(*element)).replacen("an element", "an array of elements", 1)
            }
            TyKind::Array(_, element) => {
                let inner = self.describe(tree, *element);
                format!("an array of {}", inner.trim_start_matches("an ").trim_start_matches("a ").to_owned() + "s")
            }
            TyKind::Struct(fields) => {
                let names: Vec<&str> = fields.iter().take(4).map(|(f, _)| tree.text(*f)).collect();
                let more = if fields.len() > 4 { ", …" } else { "" };
                format!("a struct {{ {}{more} }}", names.join(", "))
            }
            TyKind::Federation => "a federation of clocks".to_owned(),
            TyKind::Diff => "a difference of clocks".to_owned(),
            TyKind::Rate => "the rate of a clock".to_owned(),
            TyKind::Invariant | TyKind::Guard => "a clock constraint".to_owned(),
            TyKind::InvariantRate => "a condition on the rate of a clock".to_owned(),
            TyKind::Constraint => "a combination of clock constraints that is not a conjunction of bounds".to_owned(),
            TyKind::Formula => "a state formula".to_owned(),
            TyKind::Process => "a process".to_owned(),
            TyKind::Wrong => "something wrong".to_owned(),
        }
    }
}

fn same_bound(tree: &Tree, a: RangeBound, b: RangeBound) -> bool {
    match (a, b) {
        (RangeBound::Value(x), RangeBound::Value(y)) => x == y,
        (RangeBound::Expr(x), RangeBound::Expr(y)) => same_expr(tree, x, y),
        (RangeBound::Value(x), RangeBound::Expr(y)) | (RangeBound::Expr(y), RangeBound::Value(x)) => match tree.kind(y)
        {
            ExprKind::Int(n) => n == x,
            // A name may have that value; lowering compares the numbers.
            _ => true,
        },
    }
}

/// Returns whether two bounds may be equal: literals must agree, anything else is compared when the
/// numbers are known.
fn same_expr(tree: &Tree, a: ExprId, b: ExprId) -> bool {
    match (tree.kind(a), tree.kind(b)) {
        (ExprKind::Int(x), ExprKind::Int(y)) => x == y,
        _ => true,
    }
}
