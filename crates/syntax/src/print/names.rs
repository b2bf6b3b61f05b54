//! Names that the target can't hold, and names for what has none.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    ast::{Location, Template, Tree},
    lexer::{Dialect, is_reserved, is_reserved_in},
    names::Sym,
};

/// Names that are printed differently from how they were written.
#[derive(Default)]
pub(super) struct Renames {
    texts: FxHashMap<Sym, String>,
}

impl Renames {
    /// For XTA: a model in the old language, or a drawing, may use words as names that the text reserves.
    pub fn for_xta(tree: &Tree) -> Renames {
        Renames::of(tree, |_, text| is_reserved_in(text, Dialect::Model))
    }

    /// For XML: the same for a model in the old language. Names of templates and locations stand in elements of their
    /// own, where other words are reserved.
    pub fn for_xml(tree: &Tree) -> Renames {
        let mut elements = FxHashSet::default();
        for template in &tree.templates {
            elements.insert(template.name.sym);
            elements.extend(template.locations.iter().map(|l| l.name.sym));
        }
        Renames::of(tree, |sym, text| {
            tree.old && is_reserved_in(text, Dialect::Model) || elements.contains(&sym) && is_reserved(text)
        })
    }

    fn of(tree: &Tree, wrong: impl Fn(Sym, &str) -> bool) -> Renames {
        let wrong = tree.names.iter().filter(|&(sym, text)| wrong(sym, text));
        Renames { texts: wrong.map(|(sym, text)| (sym, fresh(tree, text))).collect() }
    }

    /// Whether no name is changed.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The new text of a name, if it has one.
    pub fn get(&self, sym: Sym) -> Option<&str> {
        self.texts.get(&sym).map(String::as_str)
    }

    /// The new text of a word of a query; behind a dot reserved words are names, too.
    pub fn word(&self, tree: &Tree, word: &str, behind_dot: bool) -> Option<&str> {
        if !behind_dot && is_reserved_in(word, Dialect::Query) {
            return None;
        }
        self.get(tree.names.find(word)?)
    }
}

/// A name like `text` that the tree does not use.
fn fresh(tree: &Tree, text: &str) -> String {
    let mut name = format!("{text}_");
    while tree.names.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// The names of a template's locations and branchpoints in XTA, where each needs one of its own.
pub(super) fn places(tree: &Tree, template: &Template, renames: &Renames) -> (Vec<String>, Vec<String>) {
    let mut used = FxHashSet::default();
    let mut name = |sym: Sym| {
        let text = renames.get(sym).unwrap_or_else(|| tree.text(sym));
        let mut name = legal(text);
        while used.contains(&name) || name != text && tree.names.find(&name).is_some() {
            name.push('_');
        }
        used.insert(name.clone());
        name
    };
    let locations = template.locations.iter().map(|l| name(l.name.sym)).collect();
    let branchpoints = template.branchpoints.iter().map(|b| name(b.name.sym)).collect();
    (locations, branchpoints)
}

/// `text` with all that a name can't hold replaced: identifiers of XML elements are less strict.
fn legal(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if name.is_empty() && !(c.is_ascii_alphabetic() || c == '_') {
            name.push('_');
        }
        name.push(if c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#') { c } else { '_' });
    }
    name
}

/// The `id` attributes of one template.
pub(super) struct Ids {
    pub locations: Vec<String>,
    pub branchpoints: Vec<String>,
    /// Whether a location's name follows from its `id`, so that none need be written.
    pub anonymous: Vec<bool>,
}

/// The `id` attributes of all templates. Where a location is anonymous its name was made from its `id`, so that `id`
/// is kept unless it is taken.
pub(super) fn ids(tree: &Tree) -> Vec<Ids> {
    let mut used: FxHashSet<&str> = FxHashSet::default();
    let mut kept = |sym: Sym| match tree.text(sym).strip_prefix('_') {
        Some(id) if !id.trim().is_empty() && used.insert(id) => id.to_owned(),
        _ => String::new(),
    };
    let mut all: Vec<Ids> = Vec::new();
    for template in &tree.templates {
        let own = |l: &Location| if l.anonymous { kept(l.name.sym) } else { String::new() };
        let locations: Vec<String> = template.locations.iter().map(own).collect();
        let branchpoints = template.branchpoints.iter().map(|b| kept(b.name.sym)).collect();
        let anonymous = locations.iter().map(|id| !id.is_empty()).collect();
        all.push(Ids { locations, branchpoints, anonymous });
    }
    let mut new = (0u32..).map(|n| format!("id{n}")).filter(|id| !used.contains(id.as_str()));
    for ids in &mut all {
        for id in ids.locations.iter_mut().chain(&mut ids.branchpoints).filter(|id| id.is_empty()) {
            *id = new.next().unwrap_or_default();
        }
    }
    all
}
