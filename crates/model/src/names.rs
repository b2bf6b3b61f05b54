//! The meaning of the names in a model, for editors: where each is declared and used, and which are
//! visible.

use rustc_hash::FxHashMap;
use syntax::{
    Span, Tree,
    ast::{ExprId, ExprKind},
};

use crate::{
    check::{Checked, check},
    symbols::{Symbol, SymbolKind},
    types::{Ty, TyKind},
};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A clock.
    Clock,
    /// A channel.
    Channel,
    /// A constant.
    Constant,
    /// Any other variable, or a parameter.
    Variable,
    /// A type.
    Type,
    /// A function.
    Function,
    /// A template, or an instance of one.
    Template,
    /// A location or branchpoint.
    Location,
}

impl NameKind {
    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            NameKind::Clock => "clock",
            NameKind::Channel => "channel",
            NameKind::Constant => "constant",
            NameKind::Variable => "variable",
            NameKind::Type => "type",
            NameKind::Function => "function",
            NameKind::Template => "template",
            NameKind::Location => "location",
        }
    }
}

/// A declared or predeclared name.
#[derive(Clone, Debug)]
pub struct DeclaredName {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: NameKind,
    /// Its type in words.
    pub ty: String,
    /// Its declaration; [`Span::NONE`] for predeclared names.
    pub span: Span,
    /// The number of its template, if it belongs to one.
    pub template: Option<u32>,
    /// Whether it is visible in a function, a quantifier or an edge only.
    pub is_local: bool,
}

/// The names of a model, as far as it could be checked.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    names: Vec<DeclaredName>,
    /// The number of the name that is used or declared at an address.
    at: FxHashMap<u32, u32>,
    /// Where each name is used, in the order of the text.
    uses: FxHashMap<u32, Vec<Span>>,
}

/// What a word of the text refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameBinding {
    /// The word.
    pub span: Span,
    /// The number of the declaration, in the order of the text; `None` for predeclared names.
    pub declaration: Option<u32>,
}

impl NameTable {
    /// Finds the names of a checked tree.
    pub(crate) fn new(tree: &Tree, checked: &Checked) -> NameTable {
        let mut table = NameTable { names: Vec::new(), at: FxHashMap::default(), uses: FxHashMap::default() };
        for (id, symbol) in checked.symbols.iter() {
            table.names.push(declared(tree, checked, symbol));
            if symbol.span != Span::NONE {
                table.at.insert(symbol.span.start, id.0);
            }
        }
        let expressions = (0..tree.exprs.len() as u32).map(ExprId).filter_map(|e| {
            // A member is named by its last word.
            let span = match tree.kind(e) {
                ExprKind::Member(_, name) => name.span,
                _ => tree.span(e),
            };
            Some((span, checked.name(e)?))
        });
        for (span, id) in expressions.chain(checked.uses.iter().copied()) {
            table.at.insert(span.start, id.0);
            table.uses.entry(id.0).or_default().push(span);
        }
        for uses in table.uses.values_mut() {
            uses.sort_unstable_by_key(|span| span.start);
            uses.dedup();
        }
        table
    }

    /// Finds the names of a tree that has errors.
    #[must_use]
    pub fn of_tree(tree: &Tree) -> NameTable {
        NameTable::new(tree, &check(tree).0)
    }

    /// Returns the name at an address, which its declaration or its use begins with.
    #[must_use]
    pub fn at(&self, start: u32) -> Option<&DeclaredName> {
        self.names.get(*self.at.get(&start)? as usize)
    }

    /// Returns the name with a text that is visible in a template, or globally.
    #[must_use]
    pub fn find(&self, template: Option<u32>, text: &str) -> Option<&DeclaredName> {
        let visible = || self.visible(template).filter(|name| name.name == text);
        visible().find(|name| name.template.is_some()).or_else(|| visible().last())
    }

    /// Returns the names that are visible in a template, or globally.
    pub fn visible(&self, template: Option<u32>) -> impl Iterator<Item = &DeclaredName> {
        let is_visible = move |name: &&DeclaredName| name.template.is_none() || name.template == template;
        self.names.iter().filter(|name| !name.is_local).filter(is_visible)
    }

    /// Returns the names that are visible in pieces of text, such as functions, and are declared in
    /// a range of addresses.
    pub fn local(&self, range: Span) -> impl Iterator<Item = &DeclaredName> {
        let is_within = move |name: &&DeclaredName| range.start <= name.span.start && name.span.end <= range.end;
        self.names.iter().filter(|name| name.is_local).filter(is_within)
    }

    /// Returns what each word of the text refers to, in the order of the text. Renaming keeps it as
    /// it is, except for the places.
    #[must_use]
    pub fn bindings(&self) -> Vec<NameBinding> {
        let mut numbers = vec![None; self.names.len()];
        let mut declared: Vec<usize> = (0..self.names.len()).filter(|&i| self.names[i].span != Span::NONE).collect();
        declared.sort_by_key(|&i| self.names[i].span.start);
        declared.iter().zip(0..).for_each(|(&i, number)| numbers[i] = Some(number));
        let declarations = declared.iter().map(|&i| NameBinding { span: self.names[i].span, declaration: numbers[i] });
        let uses = self.uses.iter().flat_map(|(&id, spans)| {
            let declaration = numbers[id as usize];
            spans.iter().map(move |&span| NameBinding { span, declaration })
        });
        let mut all: Vec<NameBinding> = declarations.chain(uses).collect();
        all.sort_by_key(|binding| (binding.span.start, binding.declaration));
        all
    }

    /// Returns where the name that is declared at a span is used.
    #[must_use]
    pub fn uses(&self, declaration: Span) -> &[Span] {
        self.at.get(&declaration.start).and_then(|id| self.uses.get(id)).map_or(&[], Vec::as_slice)
    }
}

fn declared(tree: &Tree, checked: &Checked, symbol: &Symbol) -> DeclaredName {
    let kind = match symbol.kind {
        SymbolKind::Type => NameKind::Type,
        SymbolKind::Function(_) => NameKind::Function,
        SymbolKind::Template(_) | SymbolKind::Instance(_) | SymbolKind::DynamicTemplate | SymbolKind::Chart => {
            NameKind::Template
        }
        SymbolKind::Location(_) | SymbolKind::Branchpoint => NameKind::Location,
        SymbolKind::Predeclared(_) | SymbolKind::PredeclaredDouble => NameKind::Constant,
        _ => of_type(checked, symbol.ty),
    };
    let is_local = matches!(
        symbol.kind,
        SymbolKind::Local | SymbolKind::FunctionParam { .. } | SymbolKind::Select | SymbolKind::Bound
    );
    let has_type = !matches!(kind, NameKind::Template | NameKind::Location | NameKind::Type);
    DeclaredName {
        name: tree.text(symbol.name).to_owned(),
        kind,
        ty: if has_type { checked.types.describe(tree, symbol.ty) } else { kind.word().to_owned() },
        span: symbol.span,
        template: symbol.template,
        is_local,
    }
}

/// Returns what a variable of this type is.
fn of_type(checked: &Checked, ty: Ty) -> NameKind {
    match checked.types.kind(ty) {
        TyKind::Clock { .. } => NameKind::Clock,
        TyKind::Chan { .. } => NameKind::Channel,
        TyKind::Array(_, of) => match of_type(checked, *of) {
            NameKind::Constant if !checked.types.is_constant(ty) => NameKind::Variable,
            kind => kind,
        },
        _ if checked.types.is_constant(ty) => NameKind::Constant,
        _ => NameKind::Variable,
    }
}
