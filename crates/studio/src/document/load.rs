//! What the text of a document means.

use std::sync::{Arc, OnceLock};

use merkhet::{Content, Limits, Model, Source, is_query, reading::complete};
use model::names::NameTable;
use serde::Serialize;
use syntax::{
    Diagnostic, Format, Sources, Tree,
    ast::{Query, RecordedResult},
    source::{FileId, Fragment},
};

use super::{
    ChangeError, EditedFile, FragmentEntry, QUERIES, Which, beside,
    problem::{Problem, TextPlace},
    view::View,
};

/// A query of a document.
#[derive(Clone, Debug, Serialize)]
pub struct QueryEntry {
    /// The text.
    pub text: String,
    /// The comment.
    pub comment: String,
    /// The name that the comment gives it.
    pub name: String,
    /// Where it is.
    pub at: Option<TextPlace>,
    /// The answer that is expected.
    pub expect: Option<String>,
    /// The answers that are recorded in the file.
    pub recorded: Vec<String>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A text that was read and checked.
pub struct Loaded {
    content: Reading,
    /// What is wrong with the model.
    pub problems: Vec<Problem>,
    /// The texts that can be edited.
    pub fragments: Vec<FragmentEntry>,
    /// The names of the templates.
    pub templates: Vec<String>,
    /// The queries.
    pub queries: Vec<QueryEntry>,
    /// Whether the model is a Petri net.
    pub is_net: bool,
    /// The file of queries, in the sources.
    beside: Option<FileId>,
    names: OnceLock<NameTable>,
}

/// How far a text could be read.
enum Reading {
    Model(Arc<Model>),
    Wrong(Box<merkhet::Document>),
}

impl Loaded {
    /// Reads and checks the text of a document.
    #[must_use]
    pub fn read(
        name: &str,
        format: Format,
        file: &EditedFile,
        queries: Option<&EditedFile>,
        limits: &Limits,
    ) -> Loaded {
        let source = Source::text(name, file.text()).with_format(format);
        let beside_name = queries.map(|_| beside(name));
        let about = beside_name.as_deref();
        let queries = queries.map(|queries| (beside(name), queries.text().to_owned()));
        let mut loaded = Loaded {
            content: Reading::Wrong(Box::new(merkhet::Document::empty(
                name,
                Diagnostic::error("empty", syntax::Span::NONE, ""),
            ))),
            problems: Vec::new(),
            fragments: Vec::new(),
            templates: Vec::new(),
            queries: Vec::new(),
            is_net: false,
            beside: None,
            names: OnceLock::new(),
        };
        match Model::open_within(source, limits) {
            Ok(mut model) => {
                let Model { sources, loaded: of, .. } = &mut model;
                let list = loaded.own_queries(sources, &mut of.tree, queries);
                let checked: Vec<Vec<Diagnostic>> =
                    list.iter().map(|query| model.check(query.clone()).err().unwrap_or_default()).collect();
                let sources = &model.sources;
                let entries = list.iter().zip(&checked).map(|(query, found)| entry(sources, query, found, about));
                loaded.queries = entries.collect();
                // As `merkhet check` says them; queries may use names that the model does not.
                let mut found = model.diagnostics.clone();
                found.extend(model.loaded.violated_at_start());
                found.extend(model.loaded.warnings());
                loaded.problems = Problem::list(sources, &found, about);
                loaded.outline(name, &model.loaded.tree, format);
                loaded.content = Reading::Model(Arc::new(model));
            }
            Err(error) => {
                let mut document = error.document;
                let mut nothing = Tree::default();
                let tree = match &mut document.content {
                    Content::Nothing => &mut nothing,
                    Content::Tree(tree) => tree,
                    Content::Model(model) => &mut model.tree,
                };
                let list = loaded.own_queries(&mut document.sources, tree, queries);
                loaded.outline(name, tree, format);
                let sources = &document.sources;
                loaded.queries = list.iter().map(|query| entry(sources, query, &query.problems, about)).collect();
                loaded.problems = Problem::list(sources, &document.diagnostics, about);
                loaded.content = Reading::Wrong(document);
            }
        }
        let exists: Vec<bool> = loaded.fragments.iter().map(|entry| loaded.fragment(&entry.path).is_some()).collect();
        loaded.fragments.iter_mut().zip(exists).for_each(|(entry, exists)| entry.exists = exists);
        loaded
    }

    /// Returns the model, if nothing is wrong with it.
    #[must_use]
    pub fn model(&self) -> Option<Arc<Model>> {
        match &self.content {
            Reading::Model(model) => Some(Arc::clone(model)),
            Reading::Wrong(_) => None,
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        match &self.content {
            Reading::Model(model) => &model.sources,
            Reading::Wrong(document) => &document.sources,
        }
    }

    /// Returns the tree, as far as the text could be read.
    #[must_use]
    pub fn tree(&self) -> Option<&Tree> {
        match &self.content {
            Reading::Model(model) => Some(&model.loaded.tree),
            Reading::Wrong(document) => document.tree(),
        }
    }

    /// Returns the names of the model, as far as it could be read.
    #[must_use]
    pub fn names(&self) -> &NameTable {
        self.names.get_or_init(|| match &self.content {
            Reading::Model(model) => model.loaded.names(),
            Reading::Wrong(document) => document.tree().map(NameTable::of_tree).unwrap_or_default(),
        })
    }

    /// Returns what is wrong with the model, or suspicious.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.content {
            Reading::Model(model) => &model.diagnostics,
            Reading::Wrong(document) => &document.diagnostics,
        }
    }

    /// Returns the fragment with a path, if the file has it.
    #[must_use]
    pub fn fragment(&self, path: &str) -> Option<&Fragment> {
        let (sources, tree) = (self.sources(), self.tree()?);
        match path {
            "" => Some(sources.fragment(sources.whole(tree.file?))),
            QUERIES => Some(sources.fragment(sources.whole(self.beside?))),
            path => sources.fragments(tree.file?).find(|fragment| fragment.place().path == path),
        }
    }

    pub(super) fn view(&self, path: &str, model: &str, queries: Option<&str>) -> Result<(Which, View), ChangeError> {
        let missing = || ChangeError::NoFragment(path.to_owned());
        let which = if path == QUERIES { Which::Queries } else { Which::Model };
        let file = if which == Which::Queries { queries.ok_or_else(missing)? } else { model };
        match self.fragment(path) {
            Some(fragment) => Ok((which, View::new(file, fragment))),
            None if self.fragments.iter().any(|entry| entry.path == path) => Ok((which, View::empty(file))),
            None => Err(missing()),
        }
    }

    /// Returns the queries of the model, or those of the file beside it.
    fn own_queries(&mut self, sources: &mut Sources, tree: &mut Tree, file: Option<(String, String)>) -> Vec<Query> {
        let mut list: Vec<Query> = tree.queries.clone();
        if let Some((name, text)) = file {
            let file = sources.add_file(&name, text);
            self.beside = Some(file);
            list.extend(complete(tree, |tree| syntax::read_queries(sources, file, tree)));
            list.retain(is_query);
        }
        list
    }

    /// Lists what can be edited as text.
    fn outline(&mut self, name: &str, tree: &Tree, format: Format) {
        self.is_net = tree.net.is_some();
        self.templates = tree.templates.iter().map(|template| tree.text(template.name.sym).to_owned()).collect();
        let mut entries = Vec::new();
        let mut add = |path: &str, name: String, template| {
            entries.push(FragmentEntry { path: path.to_owned(), name, template, exists: true });
        };
        if format == Format::Xml {
            add("/nta/declaration", "Declarations".to_owned(), None);
            for (i, template) in self.templates.iter().enumerate() {
                let path = format!("/nta/template[{}]", i + 1);
                add(&format!("{path}/parameter"), format!("{template}: parameters"), Some(i));
                add(&format!("{path}/declaration"), format!("{template}: declarations"), Some(i));
            }
            add("/nta/system", "System".to_owned(), None);
            add("", "The whole file".to_owned(), None);
        } else {
            add("", String::new(), None);
        }
        if self.beside.is_some() {
            add(QUERIES, String::new(), None);
        }
        self.fragments = entries;
        self.rename(name, format);
    }

    /// Names the texts that have names of files.
    pub fn rename(&mut self, name: &str, format: Format) {
        for entry in &mut self.fragments {
            match &*entry.path {
                QUERIES => entry.name = beside(name),
                "" if format != Format::Xml => name.clone_into(&mut entry.name),
                _ => {}
            }
        }
    }
}

fn entry(sources: &Sources, query: &Query, problems: &[Diagnostic], beside: Option<&str>) -> QueryEntry {
    QueryEntry {
        text: query.text.replace("\r\n", "\n"),
        comment: query.comment.replace("\r\n", "\n"),
        name: query.name.clone(),
        at: TextPlace::of(sources, query.span, beside),
        expect: query.expect.as_ref().map(recorded),
        recorded: query.results.iter().map(recorded).collect(),
        problems: problems.iter().map(|d| Problem::new(sources, d, beside)).collect(),
    }
}

fn recorded(result: &RecordedResult) -> String {
    let RecordedResult { outcome, value, timestamp, .. } = result;
    let parts = [outcome, value, timestamp].into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join(", ")
}
