//! Renaming: every use of a name changes with its declaration, in the model and in the queries
//! beside it, and nothing else does.
//!
//! The uses are those that the checker has found, so scopes are its scopes. Whether another
//! declaration would capture a use is not predicted: the new text is checked, and each of its words
//! has to refer to the same declaration as before.

use std::collections::BTreeSet;

use edit::{EditError, Node, Operation};
use model::names::{DeclaredName, NameBinding, NameKind};
use syntax::{Span, ast::Template};

use super::{ChangeError, OpenDocument, QUERIES, Which, load::Loaded, patch, patch::Patch, problem::TextPlace};
use crate::words;

/// TextChanges of both texts.
pub type TextChanges = Vec<(Which, Vec<Patch>)>;

impl OpenDocument {
    /// Renames what is declared or used at a position of a fragment. Returns the new revision.
    ///
    /// # Errors
    /// There is no such name, or renaming it would change what something means.
    pub fn rename_at(&mut self, revision: u64, path: &str, at: usize, name: &str) -> Result<u64, ChangeError> {
        self.expect(revision)?;
        let changes = self.renamed(path, at, name)?;
        self.change_all(changes, None)
    }

    /// Returns the changes that rename what is at a position.
    fn renamed(&self, path: &str, at: usize, name: &str) -> Result<TextChanges, ChangeError> {
        if self.loaded.model().is_none() {
            return Err(refused("the model has errors", "correct them first: names can't be told from others before"));
        }
        let found = words::named(self, path, at)
            .ok_or_else(|| refused("there is no name of the model here", "put the caret on a declared name"))?;
        if found.name == name {
            return Ok(Vec::new());
        }
        if found.span == Span::NONE {
            return Err(refused(&format!("`{}` is predeclared", found.name), "only names of the model can change"));
        }
        if let Some(operation) = self.operation(found, name) {
            return self.changes(&operation);
        }
        edit::legal_name(name)?;
        self.known_everywhere(&found.name)?;
        let spans = std::iter::once(found.span).chain(self.loaded.names().uses(found.span).iter().copied());
        let changes = self.replaced(spans, &found.name, name)?;
        self.verify(&changes, name)?;
        Ok(changes)
    }

    /// Returns the edit of the drawing that renames a location, a template or a place.
    fn operation(&self, found: &DeclaredName, name: &str) -> Option<Operation> {
        let (tree, name) = (self.loaded.tree()?, name.to_owned());
        if tree.net.is_some() {
            let sheets = self.drawings();
            return sheets.iter().enumerate().find_map(|(template, sheet)| {
                let is = |written: &str| self.in_queries(written).as_deref() == Some(&*found.name);
                let place = sheet.places.iter().position(|place| is(&place.name))?;
                Some(Operation::RenameNode { template, node: Node::Place(place), name: name.clone() })
            });
        }
        let is_here = |span: Span| span.start == found.span.start;
        let in_template = |(template, t): (usize, &Template)| {
            if is_here(t.name.span) {
                return Some(Operation::RenameTemplate { template, name: name.clone() });
            }
            let location = t.locations.iter().position(|l| is_here(l.name.span))?;
            Some(Operation::RenameLocation { template, location, name: name.clone() })
        };
        let is_node = matches!(found.kind, NameKind::Template | NameKind::Location);
        tree.templates.iter().enumerate().filter(|_| is_node).find_map(in_template)
    }

    /// Returns the name in queries of a place of a net.
    fn in_queries(&self, written: &str) -> Option<String> {
        let net = self.loaded.tree()?.net.as_ref()?;
        let place = net.places.iter().find(|place| place.written == written);
        place.map(|place| place.name.clone())
    }

    /// Returns the changes that an edit of the drawing makes. One that renames something also
    /// changes the queries beside the model.
    pub(super) fn changes(&self, operation: &Operation) -> Result<TextChanges, ChangeError> {
        let patches = edit::apply(&self.model.text, self.format, operation)?;
        let mut changes = vec![(Which::Model, patches)];
        let Some((declared, old, new)) = self.renames(operation) else { return Ok(changes) };
        let has_queries = self.queries.as_ref().is_some_and(|file| mentions(file.text(), &old));
        if self.loaded.model().is_none() {
            return match has_queries {
                true => Err(refused("the queries of the model use this name, too", "correct the model first")),
                false => Ok(changes),
            };
        }
        if has_queries {
            // A place has another name in queries if its own one is no identifier.
            let new = match self.after(&changes).tree().and_then(|tree| tree.net.as_ref()) {
                Some(net) => {
                    net.places.iter().find(|place| place.written == new).map_or(new, |place| place.name.clone())
                }
                None => new,
            };
            let uses = self.loaded.names().uses(declared).iter().copied();
            let beside = self.replaced(
                uses.filter(|&span| self.place(span).is_some_and(|(w, _)| w == Which::Queries)),
                &old,
                &new,
            )?;
            changes.extend(beside);
        }
        self.verify(&changes, &new_name(operation))?;
        Ok(changes)
    }

    /// Returns the declaration that an edit renames, its name in queries, and the new one.
    fn renames(&self, operation: &Operation) -> Option<(Span, String, String)> {
        let tree = self.loaded.tree()?;
        let template = |number: &usize| tree.templates.get(*number);
        match operation {
            Operation::RenameLocation { template: t, location, name } if !name.is_empty() => {
                let location = template(t)?.locations.get(*location).filter(|l| !l.anonymous)?;
                Some((location.name.span, tree.text(location.name.sym).to_owned(), name.clone()))
            }
            Operation::RenameTemplate { template: t, name } => {
                let of = template(t)?.name;
                Some((of.span, tree.text(of.sym).to_owned(), name.clone()))
            }
            Operation::RenameNode { template, node: Node::Place(place), name } => {
                let sheets = self.drawings();
                let old = self.in_queries(&sheets.get(*template)?.places.get(*place)?.name)?;
                let declared = self.loaded.names().find(None, &old)?.span;
                Some((declared, old, name.clone()))
            }
            _ => None,
        }
    }

    /// Refuses to rename what is also named in text that has no meaning here.
    fn known_everywhere(&self, name: &str) -> Result<(), ChangeError> {
        let Some(tree) = self.loaded.tree() else { return Ok(()) };
        let is = |sym: &syntax::Sym| tree.text(*sym) == name;
        if tree.mentioned.iter().any(is) || tree.lost.iter().any(is) {
            return Err(refused(
                &format!("`{name}` is also used in text that can't be changed along"),
                "rename it in the text",
            ));
        }
        Ok(())
    }

    /// Returns the text in which a span is, and its offset there.
    fn place(&self, span: Span) -> Option<(Which, usize)> {
        let (file, at) = self.loaded.sources().order(span)?;
        let model = self.loaded.tree()?.file;
        Some((if Some(file) == model { Which::Model } else { Which::Queries }, at as usize))
    }

    /// Returns the changes that replace a name at some places.
    fn replaced(&self, spans: impl Iterator<Item = Span>, old: &str, new: &str) -> Result<TextChanges, ChangeError> {
        let (mut model, mut queries) = (BTreeSet::new(), BTreeSet::new());
        for span in spans {
            let Some((which, at)) = self.place(span) else { continue };
            let text = match which {
                Which::Model => Some(self.model.text()),
                Which::Queries => self.text_of(QUERIES),
            };
            if text.and_then(|text| text.get(at..at + old.len())) != Some(old) {
                return Err(refused(&format!("`{old}` is written in another way somewhere"), "rename it in the text"));
            }
            if which == Which::Model { &mut model } else { &mut queries }.insert(at);
        }
        let patches = |places: BTreeSet<usize>| -> Vec<Patch> {
            places.into_iter().map(|from| Patch { from, to: from + old.len(), text: new.to_owned() }).collect()
        };
        let all = [(Which::Model, patches(model)), (Which::Queries, patches(queries))];
        Ok(all.into_iter().filter(|(_, patches)| !patches.is_empty()).collect())
    }

    /// Reads the texts as they would be.
    fn after(&self, changes: &TextChanges) -> Loaded {
        let (mut model, mut queries) = (self.model.clone(), self.queries.clone());
        for (which, patches) in changes {
            match (which, &mut queries) {
                (Which::Model, _) => drop(patch::apply(&mut model.text, patches)),
                (Which::Queries, Some(file)) => drop(patch::apply(&mut file.text, patches)),
                (Which::Queries, None) => {}
            }
        }
        Loaded::read(&self.name, self.format, &model, queries.as_ref(), &self.limits)
    }

    /// Refuses changes after which something would be wrong, or would refer to something else.
    fn verify(&self, changes: &TextChanges, name: &str) -> Result<(), ChangeError> {
        let after = self.after(changes);
        let errors = |loaded: &Loaded| -> Vec<String> {
            let all = loaded.problems.iter().chain(loaded.queries.iter().flat_map(|query| &query.problems));
            all.filter(|p| p.severity == show::json::Level::Error).map(|p| p.message.clone()).collect()
        };
        let (known, found) = (errors(&self.loaded), errors(&after));
        if found.len() > known.len() {
            let new = found.iter().find(|message| !known.contains(message)).or(found.first());
            let why = new.map_or(String::new(), |message| format!(": {message}"));
            return Err(refused(&format!("the model would be wrong{why}"), "choose another name"));
        }
        let (old, new) = (self.loaded.names().bindings(), after.names().bindings());
        let differs = |(a, b): &(&NameBinding, &NameBinding)| a.declaration != b.declaration;
        let captured = old.iter().zip(&new).find(differs).map(|(_, b)| b.span);
        if captured.is_none() && old.len() == new.len() {
            return Ok(());
        }
        let beside = self.beside();
        let place = captured.and_then(|span| TextPlace::of(after.sources(), span, beside.as_deref()));
        let at = place.map_or(String::new(), |at| {
            let what = if at.what.is_empty() { String::new() } else { format!("{}, ", at.what) };
            format!(" ({what}line {})", at.line)
        });
        let message = format!("another `{name}` would capture a use of this name, or lose one of its own{at}");
        Err(refused(&message, "choose another name"))
    }
}

fn new_name(operation: &Operation) -> String {
    match operation {
        Operation::RenameLocation { name, .. }
        | Operation::RenameTemplate { name, .. }
        | Operation::RenameNode { name, .. } => name.clone(),
        _ => String::new(),
    }
}

/// Returns whether a word occurs in a text.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
}

fn refused(message: &str, help: &str) -> ChangeError {
    ChangeError::Refused(EditError { message: message.to_owned(), help: Some(help.to_owned()) })
}
