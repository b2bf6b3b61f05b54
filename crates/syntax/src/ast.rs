//! The tree: what was written, before names mean anything.
//!
//! Expressions, statements and types live in arenas of a [`Tree`] and point to each other by number. Building and
//! dropping them needs no recursion, whatever the input; passes that do recurse rely on [`MAX_HEIGHT`].

use rustc_hash::FxHashSet;

use crate::{
    Signal,
    diagnostic::Diagnostic,
    lexer::Comment,
    names::{Names, Sym},
    source::{FileId, Span},
};

/// The height beyond which an expression, statement or type is refused.
///
/// UPPAAL's own parser gives up at a comparable depth. Recursive passes use [`crate::grow`], so that this height is
/// safe on any stack.
pub const MAX_HEIGHT: u32 = 10_000;

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);
    )*};
}

ids! {
    /// An expression of a [`Tree`].
    ExprId,
    /// A statement of a [`Tree`].
    StmtId,
    /// A type expression of a [`Tree`].
    TypeId
}

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The interned text.
    pub sym: Sym,
    /// Its place.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    height: u32,
}

/// A run of [`Tree::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    start: u32,
    len: u32,
}

/// The kinds of expressions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer.
    Int(i32),
    /// A number beyond 32 bits, with which only clocks can be compared.
    Wide(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(Sym),
    /// A name.
    Name(Sym),
    /// `op e`.
    Unary(UnaryOp, ExprId),
    /// `a op b`.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a op= b`; without an operator, `a = b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `++e`, `--e`, `e++` or `e--`.
    Step {
        /// Whether it counts up.
        up: bool,
        /// Whether the operator stands in front.
        prefix: bool,
        /// What is changed.
        target: ExprId,
    },
    /// `c ? a : b`.
    Conditional(ExprId, ExprId, ExprId),
    /// `a[i]`.
    Index(ExprId, ExprId),
    /// `e.name`.
    Member(ExprId, Name),
    /// `f(args)`.
    Call(ExprId, List),
    /// `forall (name : type) body`, and the like.
    Quantifier(Quantifier, Name, TypeId, ExprId),
    /// `x'`, the rate of a clock.
    Rate(ExprId),
    /// `deadlock`.
    Deadlock,
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// `{a, f: b}`, an initialiser; its items are [`ExprKind::Field`] where they are named.
    Braces(List),
    /// `f: e` in an initialiser.
    Field(Name, ExprId),
    /// `spawn T(args)`, `exit()`, `numOf(T)`: dynamic templates.
    Dynamic(Sym, List),
    /// Something that could not be read; already reported.
    Wrong,
}

/// Operators in front of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Minus,
    Plus,
    Not,
}

/// Operators between expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Imply,
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Ge,
    Gt,
    Min,
    Max,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

impl BinaryOp {
    /// Whether it compares numbers.
    #[must_use]
    pub fn compares(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Ge | Gt)
    }

    /// How tightly it binds; UTAP's levels, all of them left-associative.
    ///
    /// Note that `or`, `xor` and `imply` share one level: `a imply b or c` is `(a imply b) or c`.
    #[must_use]
    pub fn precedence(self) -> u8 {
        use BinaryOp::*;
        match self {
            Imply | Or | Xor => 1,
            And => 2,
            BitOr => 3,
            BitXor => 4,
            BitAnd => 5,
            Eq | Ne => 6,
            Lt | Le | Ge | Gt => 7,
            Min | Max => 8,
            Shl | Shr => 9,
            Add | Sub => 10,
            Mul | Div | Mod => 11,
            Pow => 12,
        }
    }

    /// The symbol, as the printer writes it.
    #[must_use]
    pub fn text(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Imply => "imply",
            Or => "||",
            Xor => "xor",
            And => "&&",
            BitOr => "|",
            BitXor => "^",
            BitAnd => "&",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Ge => ">=",
            Gt => ">",
            Min => "<?",
            Max => ">?",
            Shl => "<<",
            Shr => ">>",
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Mod => "%",
            Pow => "**",
        }
    }
}

/// Binders with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
    /// Over the instances of a dynamic template.
    Foreach,
}

impl Quantifier {
    /// The word.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
            Quantifier::Sum => "sum",
            Quantifier::Foreach => "foreach",
        }
    }
}

/// A type expression with its place.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Words in front.
    pub prefix: Prefix,
    /// What it is.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// Words in front of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Prefix {
    pub constant: bool,
    pub meta: bool,
    pub urgent: bool,
    pub broadcast: bool,
    pub hybrid: bool,
}

/// The kinds of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `int`, or `int[l,u]`.
    Int(Option<(ExprId, ExprId)>),
    /// `bool`.
    Bool,
    /// `clock`.
    Clock,
    /// `chan`.
    Chan,
    /// `void`.
    Void,
    /// `double`.
    Double,
    /// `string`.
    Text,
    /// `scalar[n]`.
    Scalar(ExprId),
    /// `struct { … }`.
    Struct(Vec<Declarator>),
    /// A type by its name.
    Named(Sym),
    /// `oct.intvar`: a member of the variable `oct`, whose lattice relates integers.
    Member(Name, Name),
    /// Something that could not be read; already reported.
    Wrong,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// `[e]`: a size, or the name of a type.
    Size(ExprId),
    /// `[int[l,u]]` and other types that are not just a name.
    Type(TypeId),
}

/// `type name[dims] = init`: a variable, constant, field or parameter.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The type, shared by all declarators of one declaration.
    pub ty: TypeId,
    /// The name.
    pub name: Name,
    /// `&name`, for parameters.
    pub reference: bool,
    /// The array dimensions, outermost first.
    pub dims: Vec<Dimension>,
    /// The initialiser.
    pub init: Option<ExprId>,
}

/// `name : type` in a select label or iteration.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The name.
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// What it returns.
    pub result: TypeId,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Declarator>,
    /// Its body, a [`StmtKind::Block`]; `None` for functions of an external library.
    pub body: Option<StmtId>,
    /// The whole declaration.
    pub span: Span,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `e;`
    Expr(ExprId),
    /// `{ declarations statements }`
    Block(Vec<Decl>, Vec<StmtId>),
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) body`
    While(ExprId, StmtId),
    /// `do body while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (a; c; b) body`
    For(ExprId, ExprId, ExprId, StmtId),
    /// `for (name : type) body`
    Iterate(Binding, StmtId),
    /// `return e;`
    Return(Option<ExprId>),
    /// `assert e;`
    Assert(ExprId),
}

/// `name(params) = template(args);`
#[derive(Clone, Debug)]
pub struct Instantiation {
    /// The new name.
    pub name: Name,
    /// Its own parameters, for partial instantiation.
    pub params: Vec<Declarator>,
    /// Whether a list of parameters was written, though it may be empty.
    pub has_params: bool,
    /// The template, or another instance.
    pub template: Name,
    /// The arguments.
    pub args: List,
    /// The whole.
    pub span: Span,
}

/// `extern name;` or `extern name = of(args);`: a lattice that variables can have as their type.
#[derive(Clone, Copy, Debug)]
pub struct Extern {
    /// What variables are declared with.
    pub name: Name,
    /// The lattice that it stands for; `None`: the one of that name.
    pub of: Option<Name>,
    /// What the lattice is made with: constants, and the names of lattices, types and functions.
    pub args: List,
    /// The whole.
    pub span: Span,
}

/// One element of `chan priority`: a channel expression or `default`, and whether `<` stands before it.
#[derive(Clone, Copy, Debug)]
pub struct PriorityItem {
    /// The channel; `None` for `default`.
    pub channel: Option<ExprId>,
    /// Whether it ranks above the item before it (`<`), not beside it (`,`).
    pub above: bool,
}

/// A declaration.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Decl {
    /// A variable, constant, clock or channel.
    Var(Declarator),
    /// `typedef type name[dims];`
    Typedef(Declarator),
    /// A function.
    Function(Function),
    /// `name = template(args);`
    Instantiation(Instantiation),
    /// `chan priority …;`
    ChanPriority(Vec<PriorityItem>, Span),
    /// `before_update { e }`
    BeforeUpdate(ExprId),
    /// `after_update { e }`
    AfterUpdate(ExprId),
    /// `import "library" { … }`
    Import(Sym, Vec<Function>, Span),
    /// `dynamic T(params);`
    Dynamic(Name, Vec<Declarator>, Span),
    /// `extern name;`
    Extern(Extern),
}

/// A point of a drawing.
pub type Point = (i32, i32);

/// A text label of a drawing: its kind as in the XML, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLayout {
    /// `name`, `invariant`, `guard`, …
    pub kind: String,
    /// Where it stands.
    pub at: Point,
}

/// How a location or edge is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Where a location stands.
    pub at: Option<Point>,
    /// Where an edge bends.
    pub nails: Vec<Point>,
    /// Where the labels stand.
    pub labels: Vec<LabelLayout>,
    /// `#rrggbb`, where one is given.
    pub color: Option<String>,
}

/// A location.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; made from the identifier (`_id3`) where the drawing has none.
    pub name: Name,
    /// Whether the name was made up.
    pub anonymous: bool,
    /// The invariant.
    pub invariant: Option<ExprId>,
    /// The exponential rate, `e` or `e : e`; symbolic analysis ignores it.
    pub rate: Option<(ExprId, Option<ExprId>)>,
    /// Time may not pass here.
    pub urgent: bool,
    /// The next transition must leave a committed location.
    pub committed: bool,
    /// Labels by which queries may ask for it; TChecker's only.
    pub labels: Vec<Name>,
    /// The text of its comment and test-code labels, by kind.
    pub notes: Vec<(String, String)>,
    /// How it is drawn.
    pub layout: Layout,
    /// The whole.
    pub span: Span,
}

/// A branchpoint.
#[derive(Clone, Debug)]
pub struct Branchpoint {
    /// Its name.
    pub name: Name,
    /// How it is drawn.
    pub layout: Layout,
}

/// Where an edge starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The index of a location of the template.
    Location(u32),
    /// The index of a branchpoint of the template.
    Branchpoint(u32),
}

/// Which side of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
    /// `c`, as in CSP: the first one there sends.
    Both,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: Endpoint,
    /// Where it ends.
    pub target: Endpoint,
    /// `false` for edges of the environment in a game; symbolic analysis ignores it.
    pub controllable: bool,
    /// The selected values.
    pub select: Vec<Binding>,
    /// The guard.
    pub guard: Option<ExprId>,
    /// The synchronisation.
    pub sync: Option<(ExprId, Direction)>,
    /// The event, as an index into [`Events::names`]; TChecker's only.
    pub event: Option<u32>,
    /// The update.
    pub update: Option<ExprId>,
    /// The update, where it takes more than expressions: TChecker's has loops and variables.
    pub program: Option<StmtId>,
    /// The weight of a branch; symbolic analysis ignores it.
    pub probability: Option<ExprId>,
    /// The text of its comment and test-code labels, by kind.
    pub notes: Vec<(String, String)>,
    /// How it is drawn.
    pub layout: Layout,
    /// The whole.
    pub span: Span,
}

/// `P@a` or `P@a?` of a synchronisation.
#[derive(Clone, Copy, Debug)]
pub struct Participant {
    /// The process, as an index of a template.
    pub process: u32,
    /// The event, as an index into [`Events::names`].
    pub event: u32,
    /// Whether the others may go without it.
    pub weak: bool,
    /// The whole.
    pub span: Span,
}

/// `sync:P@a:Q@b?`: edges that are taken together.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    /// Who takes part, each process once.
    pub participants: Vec<Participant>,
    /// The whole.
    pub span: Span,
}

/// The events of a TChecker model, which are to it what channels are to UPPAAL's.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The events.
    pub names: Vec<Name>,
    /// Who takes them together.
    pub syncs: Vec<Synchronisation>,
}

/// A template.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Declarator>,
    /// Its declarations.
    pub decls: Vec<Decl>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its branchpoints.
    pub branchpoints: Vec<Branchpoint>,
    /// The index of its initial location.
    pub init: Option<u32>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The whole.
    pub span: Span,
    /// The text that its local declarations were read from, comments included.
    pub body: Span,
}

/// The `system` line.
#[derive(Clone, Debug, Default)]
pub struct SystemLine {
    /// The processes, with whether `<` stands before them.
    pub processes: Vec<(Name, bool)>,
    /// The whole; `None` if there is no such line.
    pub span: Option<Span>,
}

/// A key and its value.
pub type OptionPair = (String, String);

/// An answer that is recorded beside a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedResult {
    /// `success`, `failure`, `maybe_true`, …
    pub outcome: String,
    /// `quality`, `quantity`, …
    pub kind: String,
    /// A number, for `sup` and `inf`.
    pub value: String,
    /// When it was found.
    pub timestamp: String,
    /// The text of its `details`.
    pub details: String,
}

/// A query, as it is stored in a model or a query file.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text, without the comments around it.
    pub text: String,
    /// What it asks.
    pub kind: QueryKind,
    /// Its place.
    pub span: Span,
    /// The user's remark.
    pub comment: String,
    /// What that calls it, on one line: without what stands apart from the query, such as the head of a file.
    pub name: String,
    /// Options that hold for this query alone.
    pub options: Vec<OptionPair>,
    /// What the user expects.
    pub expect: Option<RecordedResult>,
    /// What was answered before.
    pub results: Vec<RecordedResult>,
    /// What is wrong with its syntax. They are kept apart from the model's: a wrong query spoils no other.
    pub problems: Vec<Diagnostic>,
    /// The names in it, where they are all that could be read.
    pub names: Vec<Sym>,
}

/// What a query asks.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryKind {
    /// `E<> p`
    Possibly(ExprId),
    /// `A[] p`
    Invariantly(ExprId),
    /// `E[] p`
    PotentiallyAlways(ExprId),
    /// `A<> p`
    Eventually(ExprId),
    /// `p --> q`
    LeadsTo(ExprId, ExprId),
    /// `sup{p}: list`
    Sup(Option<ExprId>, List),
    /// `inf{p}: list`
    Inf(Option<ExprId>, List),
    /// `bounds{p}: list`
    Bounds(Option<ExprId>, List),
    /// A query of another branch of UPPAAL, with the name of its feature.
    Unsupported(&'static str),
    /// No query, only blanks or comments.
    Empty,
    /// Something that could not be read; already reported.
    Wrong,
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Whether to go on. What reads, checks, prints or draws a tree asks it.
    pub signal: Signal,
    /// The names.
    pub names: Names,
    /// The expressions.
    pub exprs: Vec<Expr>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The types.
    pub types: Vec<TypeExpr>,
    /// Arguments and the like, in runs.
    pub lists: Vec<ExprId>,
    /// The comments, by place.
    pub comments: Vec<Comment>,
    /// Global declarations, with the templates' places among them.
    pub decls: Vec<Decl>,
    /// The templates, in the order of the text.
    pub templates: Vec<Template>,
    /// Declarations that templates can't see: those of the system section.
    pub system_decls: Vec<Decl>,
    /// The system line.
    pub system: SystemLine,
    /// `progress { … }` measures: guard and expression.
    pub progress: Vec<(Option<ExprId>, ExprId)>,
    /// The names of live sequence charts: observers that can be listed as processes and change nothing.
    pub charts: Vec<Name>,
    /// `query { … }` blocks behind the system line of an XTA file.
    pub query_blocks: Vec<Span>,
    /// Features that were read and have no meaning in symbolic analysis: name and place.
    pub ignored: Vec<(&'static str, Span)>,
    /// Names in blocks that have no meaning in symbolic analysis: what they name is used.
    pub mentioned: Vec<Sym>,
    /// Names in text that could not be read. Something of that name may well be declared there, so nobody should
    /// complain that it is not.
    pub lost: FxHashSet<Sym>,
    /// The queries.
    pub queries: Vec<Query>,
    /// The events of a TChecker model; `None` for UPPAAL's languages.
    pub events: Option<Events>,
    /// The net that the templates stand for.
    pub net: Option<std::sync::Arc<crate::net::Net>>,
    /// Whether the model is in the old language.
    pub old: bool,
    /// The file that it was read from.
    pub file: Option<FileId>,
}

impl Tree {
    /// Adds an expression.
    pub fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let mut height = 0;
        self.children(kind, |tree, child| height = height.max(tree.exprs[child.0 as usize].height));
        self.exprs.push(Expr { kind, span, height: height + 1 });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// The height of an expression's tree.
    #[must_use]
    pub fn height(&self, e: ExprId) -> u32 {
        self.exprs[e.0 as usize].height
    }

    /// Calls `f` for each direct part of an expression.
    pub fn children(&self, kind: ExprKind, mut f: impl FnMut(&Tree, ExprId)) {
        use ExprKind::*;
        match kind {
            Unary(_, e) | Member(e, _) | Rate(e) | Field(_, e) | Step { target: e, .. } => f(self, e),
            Quantifier(_, _, _, e) => f(self, e),
            Binary(_, a, b) | Assign(_, a, b) | Index(a, b) | Comma(a, b) => {
                f(self, a);
                f(self, b);
            }
            Conditional(a, b, c) => {
                f(self, a);
                f(self, b);
                f(self, c);
            }
            Call(e, args) => {
                f(self, e);
                self.list(args).iter().for_each(|&a| f(self, a));
            }
            Braces(items) | Dynamic(_, items) => self.list(items).iter().for_each(|&a| f(self, a)),
            Int(_) | Wide(_) | Bool(_) | Float(_) | Text(_) | Name(_) | Deadlock | Wrong => {}
        }
    }

    /// Adds a run of expressions.
    pub fn add_list(&mut self, items: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    /// The expressions of a run.
    #[must_use]
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    /// An expression's kind.
    #[must_use]
    pub fn kind(&self, e: ExprId) -> ExprKind {
        self.exprs[e.0 as usize].kind
    }

    /// An expression's place.
    #[must_use]
    pub fn span(&self, e: ExprId) -> Span {
        self.exprs[e.0 as usize].span
    }

    /// A type expression.
    #[must_use]
    pub fn ty(&self, t: TypeId) -> &TypeExpr {
        &self.types[t.0 as usize]
    }

    /// A statement.
    #[must_use]
    pub fn stmt(&self, s: StmtId) -> &Stmt {
        &self.stmts[s.0 as usize]
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.names.text(sym)
    }

    /// Whether the model is TChecker's, whose rules differ from UPPAAL's here and there.
    #[must_use]
    pub fn is_tchecker(&self) -> bool {
        self.events.is_some()
    }
}
