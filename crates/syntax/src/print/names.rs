//! Replaces names that the target format reserves, and names anonymous elements.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    ast::{Location, Template, Tree},
    lexer::{Dialect, is_reserved, is_reserved_in},
    names::Sym,
};

/// Names that are printed differently.
#[derive(Default)]
pub(super) struct Renames {
    texts: FxHashMap<Sym, String>,
}

impl Renames {
    /// Renames for XTA: models in the old language or in XML may have names that XTA reserves.
    pub(super) fn for_xta(tree: &Tree) -> Renames {
        Renames::of(tree, |_, text| is_reserved_in(text, Dialect::Model))
    }

    /// Renames for XML: models in the old language may have reserved names. Names of templates and
    /// locations are in separate elements, where other words are reserved.
    pub(super) fn for_xml(tree: &Tree) -> Renames {
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

    /// Returns whether no name is changed.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the new text of a name, if it is changed.
    pub(super) fn get(&self, sym: Sym) -> Option<&str> {
        self.texts.get(&sym).map(String::as_str)
    }

    /// Returns the new text of a word of a query; after a dot reserved words are names, too.
    pub(super) fn word(&self, tree: &Tree, word: &str, after_dot: bool) -> Option<&str> {
        if !after_dot && is_reserved_in(word, Dialect::Query) {
            return None;
        }
        self.get(tree.names.find(word)?)
    }
}

/// Returns a name similar to `text` that the tree does not use.
fn fresh(tree: &Tree, text: &str) -> String {
    let mut name = format!("{text}_");
    while tree.names.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// Returns unique names of a template's locations and branchpoints for XTA.
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

/// Returns `text` with all illegal characters replaced: `id` attributes of XML allow more than
/// names.
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
    /// Whether a location's name follows from its `id`, so that it is not written.
    pub anonymous: Vec<bool>,
}

/// Returns the `id` attributes of all templates. The name of an anonymous location was generated
/// from its `id`, so that `id` is kept unless it is in use.
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
