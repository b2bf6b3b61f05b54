//! Types and declarations.

use super::{ExprId, List, Name, StmtId, TypeId};
use crate::{names::Sym, source::Span};

/// A type expression with its span.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Its prefixes.
    pub prefix: Prefix,
    /// Its kind.
    pub kind: TypeKind,
    /// Where it occurs.
    pub span: Span,
}

/// Prefixes of a type.
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
    /// A named type.
    Named(Sym),
    /// `oct.intvar`: a member of the variable `oct` of a relational lattice.
    Member(Name, Name),
    /// A type that could not be parsed; already reported.
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
    /// The type of the result.
    pub result: TypeId,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Declarator>,
    /// Its body, a [`StmtKind::Block`](super::StmtKind::Block); `None` for functions of an external
    /// library.
    pub body: Option<StmtId>,
    /// The whole declaration.
    pub span: Span,
}

/// `name(params) = template(args);`
#[derive(Clone, Debug)]
pub struct Instantiation {
    /// The new name.
    pub name: Name,
    /// Its parameters, for partial instantiation.
    pub params: Vec<Declarator>,
    /// Whether a list of parameters was written, even an empty one.
    pub has_params: bool,
    /// The template, or another instance.
    pub template: Name,
    /// The arguments.
    pub args: List,
    /// The whole instantiation.
    pub span: Span,
}

/// `extern name;` or `extern name = of(args);`: a lattice as the type of variables.
#[derive(Clone, Debug)]
pub struct Extern {
    /// The name of the type.
    pub name: Name,
    /// The lattice; `None`: the one of the same name.
    pub of: Option<Name>,
    /// The package and the modules before the name of the lattice, as in opaal's models. They have
    /// no meaning here.
    pub path: Vec<Name>,
    /// The arguments of the lattice: constants, and the names of lattices, types and functions.
    pub args: List,
    /// The whole declaration.
    pub span: Span,
}

/// One element of `chan priority`: a channel expression or `default`, and whether `<` precedes it.
#[derive(Clone, Copy, Debug)]
pub struct PriorityItem {
    /// The channel; `None` for `default`.
    pub channel: Option<ExprId>,
    /// Whether it has a higher priority than the element before it (`<`), or the same (`,`).
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
