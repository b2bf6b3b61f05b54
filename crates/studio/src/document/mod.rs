//! The document of a session: the text of a model and of the queries beside it, what it means, and
//! how to go back.

pub mod load;
pub mod patch;
pub mod problem;
mod queries;
mod rename;
pub mod view;

use std::sync::Arc;

use edit::{Drawing, EditError, Operation};
use merkhet::{Limits, Model};
use serde::Serialize;
use syntax::Format;
use thiserror::Error;

use crate::encoding::{Encoding, EncodingError};
use load::Loaded;
use patch::Patch;
use problem::Problem;
pub use queries::QueryEdit;
use rename::TextChanges;
use view::View;

/// The path of the file of queries among the fragments.
pub const QUERIES: &str = "queries";

/// The most text that the past of a document may take, in bytes; older steps are forgotten.
const MAX_PAST: usize = 64 << 20;

/// A text with its file.
#[derive(Clone, Debug)]
pub struct EditedFile {
    /// Its path within the served folder; `None`: it was never saved.
    pub path: Option<String>,
    text: String,
    /// How it was encoded.
    pub encoding: Encoding,
    /// The hash of the bytes in the file.
    pub stored: Option<blake3::Hash>,
}

impl EditedFile {
    /// Decodes a file.
    ///
    /// # Errors
    /// It is not text.
    pub fn read(path: &str, bytes: &[u8]) -> Result<EditedFile, EncodingError> {
        let (text, encoding) = Encoding::read(bytes)?;
        Ok(EditedFile { path: Some(path.to_owned()), text, encoding, stored: Some(blake3::hash(bytes)) })
    }

    /// Creates a file that is not stored.
    #[must_use]
    pub fn new(path: Option<String>, text: String) -> EditedFile {
        EditedFile { path, text, encoding: Encoding::Utf8, stored: None }
    }

    /// Creates a file that does not exist yet, and need not be saved while it is empty.
    #[must_use]
    pub fn absent(path: Option<String>) -> EditedFile {
        EditedFile { stored: Some(blake3::hash(b"")), ..EditedFile::new(path, String::new()) }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the bytes to save.
    ///
    /// # Errors
    /// A character can't be encoded.
    pub fn bytes(&self) -> Result<Vec<u8>, EncodingError> {
        self.encoding.write(&self.text)
    }

    /// Notes that the file has this text now.
    ///
    /// # Errors
    /// A character can't be encoded.
    pub fn mark_saved(&mut self) -> Result<(), EncodingError> {
        self.stored = Some(blake3::hash(&self.bytes()?));
        Ok(())
    }

    /// Returns whether it differs from what is stored.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let hash = self.bytes().ok().map(|bytes| blake3::hash(&bytes));
        self.stored.is_none() || hash != self.stored
    }
}

/// One of the texts of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The model.
    Model,
    /// The queries beside it.
    Queries,
}

/// Changes that are undone together.
#[derive(Clone, Debug)]
struct Undo {
    /// What to do, in this order.
    changes: Vec<(Which, Vec<Patch>)>,
    /// Changes of one group, such as typing, are one step.
    group: Option<String>,
}

impl Undo {
    fn bytes(&self) -> usize {
        self.changes.iter().flat_map(|(_, patches)| patches).map(|patch| patch.text.len() + 64).sum()
    }
}

/// Why a document can't be changed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ChangeError {
    /// It has changed meanwhile.
    #[error("the document has changed meanwhile: it has revision {0}")]
    Revision(u64),
    /// There is no such fragment, or it is empty.
    #[error("there is no text `{0}` to change")]
    NoFragment(String),
    /// The patches do not fit the text.
    #[error("the change does not fit the text")]
    Unfit,
    /// There is nothing to undo or redo.
    #[error("there is nothing to {0}")]
    Nothing(&'static str),
    /// The drawing can't be edited so.
    #[error("{0}{help}", help = .0.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default())]
    Refused(#[from] EditError),
    /// The text becomes too large.
    #[error("the text would be larger than {} MiB", merkhet::source::MAX_BYTES >> 20)]
    TooLarge,
}

/// A fragment of a document that can be edited as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FragmentEntry {
    /// Its path: an XPath in XML; empty for the whole file; `queries` for the file of queries.
    pub path: String,
    /// Its name for people.
    pub name: String,
    /// The number of its template, if it belongs to one.
    pub template: Option<usize>,
    /// Whether the file has it. If not, it begins with an edit of its whole text.
    pub exists: bool,
}

/// What a page shows of a document.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentSummary {
    /// The name of the file.
    pub name: String,
    /// The path of the file within the served folder; null if it was never saved.
    pub path: Option<String>,
    /// The name of the format.
    pub format: &'static str,
    /// Grows with every change.
    pub revision: u64,
    /// Whether there is something to save.
    pub changed: bool,
    /// Whether there is something to undo.
    pub undo: bool,
    /// Whether there is something to redo.
    pub redo: bool,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Whether queries can be answered.
    pub valid: bool,
    /// The texts that can be edited.
    pub fragments: Vec<FragmentEntry>,
    /// The names of the templates.
    pub templates: Vec<String>,
    /// Whether the model is a Petri net.
    pub net: bool,
    /// The queries.
    pub queries: Vec<load::QueryEntry>,
    /// The name of the file of queries; null if they are in the model.
    pub beside: Option<String>,
}

/// A document.
pub struct OpenDocument {
    name: String,
    format: Format,
    model: EditedFile,
    /// The file of queries, unless they are inside the model.
    queries: Option<EditedFile>,
    revision: u64,
    past: Vec<Undo>,
    future: Vec<Undo>,
    limits: Limits,
    loaded: Loaded,
}

impl OpenDocument {
    /// Opens a model with the queries beside it. The limits are those of checking it.
    #[must_use]
    pub fn open(
        name: &str,
        format: Format,
        model: EditedFile,
        queries: Option<EditedFile>,
        limits: Limits,
    ) -> OpenDocument {
        let queries = queries.or_else(|| {
            let path = model.path.as_ref().map(|path| beside(path));
            (format != Format::Xml).then(|| EditedFile::absent(path))
        });
        let loaded = Loaded::read(name, format, &model, queries.as_ref(), &limits);
        let (past, future) = (Vec::new(), Vec::new());
        OpenDocument { name: name.to_owned(), format, model, queries, revision: 1, past, future, limits, loaded }
    }

    /// Returns its format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of the current text.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns what the text means.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Returns the model, if nothing is wrong with it.
    #[must_use]
    pub fn checked(&self) -> Option<Arc<Model>> {
        self.loaded.model()
    }

    /// Returns the text of the file that a fragment belongs to.
    #[must_use]
    pub fn text_of(&self, path: &str) -> Option<&str> {
        if path == QUERIES { self.queries.as_ref().map(EditedFile::text) } else { Some(self.model.text()) }
    }

    /// Returns the name of the file of queries, if they are not in the model.
    #[must_use]
    pub fn beside(&self) -> Option<String> {
        self.queries.as_ref().map(|_| beside(&self.name))
    }

    /// Returns the files, to be saved.
    pub fn files_mut(&mut self) -> (&mut EditedFile, Option<&mut EditedFile>) {
        (&mut self.model, self.queries.as_mut())
    }

    /// Gives the document another name. What it is in does not change.
    pub fn rename(&mut self, path: &str) {
        self.name = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.model.path = Some(path.to_owned());
        self.model.stored = None;
        if let Some(queries) = &mut self.queries {
            queries.path = Some(beside(path));
            queries.stored = queries.text.is_empty().then(|| blake3::hash(b""));
        }
        self.loaded.rename(&self.name, self.format);
    }

    /// Describes the document.
    #[must_use]
    pub fn summary(&self) -> DocumentSummary {
        DocumentSummary {
            name: self.name.clone(),
            path: self.model.path.clone(),
            format: format_name(self.format),
            revision: self.revision,
            changed: self.is_changed(),
            undo: !self.past.is_empty(),
            redo: !self.future.is_empty(),
            problems: self.loaded.problems.clone(),
            valid: self.loaded.model().is_some(),
            fragments: self.loaded.fragments.clone(),
            templates: self.loaded.templates.clone(),
            net: self.loaded.is_net,
            queries: self.loaded.queries.clone(),
            beside: self.beside(),
        }
    }

    /// Returns whether there is something to save.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.model.is_changed() || self.queries.as_ref().is_some_and(EditedFile::is_changed)
    }

    /// Returns the view of a fragment; an empty one if the file does not have it.
    ///
    /// # Errors
    /// There is no such fragment.
    pub fn view(&self, path: &str) -> Result<(Which, View), ChangeError> {
        self.loaded.view(path, self.model.text(), self.queries.as_ref().map(EditedFile::text))
    }

    /// Changes a text by patches, which have to be in order. Returns the new revision.
    ///
    /// # Errors
    /// The revision is not the current one, or the patches do not fit.
    pub fn change(
        &mut self,
        revision: u64,
        which: Which,
        patches: &[Patch],
        group: Option<String>,
    ) -> Result<u64, ChangeError> {
        self.expect(revision)?;
        self.change_all(vec![(which, patches.to_vec())], group)
    }

    /// Makes changes of both texts, which are undone together.
    fn change_all(&mut self, changes: TextChanges, group: Option<String>) -> Result<u64, ChangeError> {
        for (which, patches) in &changes {
            let text = self.text_mut(*which).ok_or_else(|| ChangeError::NoFragment(QUERIES.to_owned()))?;
            if !patch::fit(text, patches) {
                return Err(ChangeError::Unfit);
            }
            let added: usize = patches.iter().map(|patch| patch.text.len()).sum();
            if (text.len() + added) as u64 > merkhet::source::MAX_BYTES {
                return Err(ChangeError::TooLarge);
            }
        }
        if changes.is_empty() {
            return Ok(self.revision);
        }
        let mut inverse = self.run(Undo { changes, group: None });
        match self.past.last_mut().filter(|last| group.is_some() && last.group == group) {
            Some(last) if self.future.is_empty() => {
                inverse.changes.append(&mut last.changes);
                last.changes = inverse.changes;
            }
            _ => self.past.push(Undo { group, ..inverse }),
        }
        self.future.clear();
        let mut bytes: usize = self.past.iter().map(Undo::bytes).sum();
        while bytes > MAX_PAST && self.past.len() > 1 {
            bytes -= self.past.remove(0).bytes();
        }
        self.reload();
        Ok(self.revision)
    }

    /// Replaces a range of a fragment, in UTF-16.
    ///
    /// # Errors
    /// The revision is not the current one, or there is no such range.
    pub fn type_text(
        &mut self,
        revision: u64,
        path: &str,
        (from, to, text): (usize, usize, &str),
        group: Option<String>,
    ) -> Result<u64, ChangeError> {
        self.expect(revision)?;
        let (which, view) = self.view(path)?;
        let (from, to) = view.byte(from).zip(view.byte(to)).ok_or(ChangeError::Unfit)?;
        let patches = match view.replace(from, to, text) {
            Some(patches) => patches,
            // A whole text that is empty.
            None if path.is_empty() || path == QUERIES => vec![Patch { from: 0, to: 0, text: text.to_owned() }],
            // Of an element that the file does not have, or that is empty.
            None => self.patches(&Operation::Text { path: path.to_owned(), text: text.to_owned() })?,
        };
        self.change(revision, which, &patches, group)
    }

    /// Makes an edit of the drawing. Returns the new revision.
    ///
    /// # Errors
    /// The revision is not the current one, or the edit is refused.
    pub fn edit(&mut self, revision: u64, operation: &Operation, group: Option<String>) -> Result<u64, ChangeError> {
        self.expect(revision)?;
        let changes = self.changes(operation)?;
        self.change_all(changes, group)
    }

    fn patches(&self, operation: &Operation) -> Result<Vec<Patch>, ChangeError> {
        Ok(edit::apply(&self.model.text, self.format, operation)?)
    }

    /// Returns the drawings of the templates, or of the components of a net.
    #[must_use]
    pub fn drawings(&self) -> Vec<Drawing> {
        drawings(self.model.text(), self.format, &self.loaded)
    }

    /// Returns the drawings that an edit would make, without making it.
    ///
    /// # Errors
    /// The edit is refused.
    pub fn preview(&self, operation: &Operation) -> Result<Vec<Drawing>, ChangeError> {
        let mut file = self.model.clone();
        for (_, patches) in self.changes(operation)?.iter().filter(|(which, _)| *which == Which::Model) {
            patch::apply(&mut file.text, patches);
        }
        let loaded = Loaded::read(&self.name, self.format, &file, self.queries.as_ref(), &self.limits);
        Ok(drawings(&file.text, self.format, &loaded))
    }

    /// Undoes the last step.
    ///
    /// # Errors
    /// There is none.
    pub fn undo(&mut self) -> Result<u64, ChangeError> {
        let step = self.past.pop().ok_or(ChangeError::Nothing("undo"))?;
        let inverse = self.run(step);
        self.future.push(inverse);
        self.reload();
        Ok(self.revision)
    }

    /// Makes the last step again that was undone.
    ///
    /// # Errors
    /// There is none.
    pub fn redo(&mut self) -> Result<u64, ChangeError> {
        let step = self.future.pop().ok_or(ChangeError::Nothing("redo"))?;
        let inverse = self.run(step);
        self.past.push(inverse);
        self.reload();
        Ok(self.revision)
    }

    /// Makes the changes of a step. Returns the step back.
    fn run(&mut self, step: Undo) -> Undo {
        let mut inverse = Vec::new();
        for (which, patches) in step.changes {
            if let Some(text) = self.text_mut(which) {
                inverse.insert(0, (which, patch::apply(text, &patches)));
            }
        }
        Undo { changes: inverse, group: None }
    }

    fn text_mut(&mut self, which: Which) -> Option<&mut String> {
        match which {
            Which::Model => Some(&mut self.model.text),
            Which::Queries => self.queries.as_mut().map(|file| &mut file.text),
        }
    }

    fn expect(&self, revision: u64) -> Result<(), ChangeError> {
        if revision == self.revision { Ok(()) } else { Err(ChangeError::Revision(self.revision)) }
    }

    fn reload(&mut self) {
        self.revision += 1;
        self.loaded = Loaded::read(&self.name, self.format, &self.model, self.queries.as_ref(), &self.limits);
    }
}

fn drawings(text: &str, format: Format, loaded: &Loaded) -> Vec<Drawing> {
    match loaded.tree() {
        Some(tree) => edit::drawings(text, format, tree, loaded.sources(), loaded.diagnostics()),
        None => Vec::new(),
    }
}

/// Returns the path of the file of queries beside a model.
#[must_use]
pub fn beside(path: &str) -> String {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    let stem = path[name..].rfind('.').map_or(path.len(), |at| name + at);
    format!("{}.q", &path[..stem])
}

/// Returns the name of a format for a page.
fn format_name(format: Format) -> &'static str {
    match format {
        Format::Xml => "xml",
        Format::Xta => "xta",
        Format::Ta => "ta",
        Format::Tck => "tck",
        Format::Net => "net",
        Format::Ndr => "ndr",
        Format::NetXml => "netxml",
    }
}
