//! Models: from text to something that can be asked.

use explore::snapshot::Identity;
use lattice::{Library, user::Failures};
use model::{LoweredQuery, Stop, stochastic::StatisticalQuery};
use syntax::{
    Diagnostic, Severity, Sources, Span, Tree,
    ast::{self, QueryKind},
};
use thiserror::Error;

use crate::{
    Limits, Source, Stopper, Watch, constants, reading,
    user::{self, UserGoal},
    watch::Lease,
};

/// How far a text could be read.
#[derive(Debug)]
pub enum Content {
    /// There is no text.
    Nothing,
    /// The text was read. The tree lacks what could not be read.
    Tree(Box<Tree>),
    /// The text was read and checked.
    Model(Box<model::Model>),
}

/// A text, as far as it could be read, with everything that is wrong with it.
#[derive(Debug)]
pub struct Document {
    /// What messages call it.
    pub name: String,
    /// The text.
    pub sources: Sources,
    /// The meaning of the text.
    pub content: Content,
    /// What is wrong with the model, or suspicious; nothing about its queries.
    pub diagnostics: Vec<Diagnostic>,
    watch: Lease,
    /// What distinguishes it from others.
    identity: Identity,
    /// The lattices that it may name.
    library: Library,
}

impl Document {
    /// Creates a document without text, for a file that can't be read.
    #[must_use]
    pub fn empty(name: &str, problem: Diagnostic) -> Document {
        Document {
            name: name.to_owned(),
            sources: Sources::new(),
            content: Content::Nothing,
            diagnostics: vec![problem],
            watch: Lease::new(),
            identity: Identity::new(),
            library: Library::standard(),
        }
    }

    /// Reads a text without checking it, within the limits of a watch.
    #[must_use]
    pub fn read(source: Source, watch: &'static Watch) -> Document {
        Document::read_within(source, Lease::of(watch))
    }

    fn read_within(source: Source, watch: Lease) -> Document {
        let identity = source.identity();
        let Source { name, text, format, constants, lattices } = source;
        let mut sources = Sources::new();
        let file = sources.add_file(&name, text);
        let (mut tree, mut diagnostics) =
            syntax::read_model_until(&mut sources, file, format, watch.watch().load_limits().signal);
        diagnostics.extend(constants::replace(&constants, &mut sources, &mut tree));
        Document {
            name,
            sources,
            content: Content::Tree(Box::new(tree)),
            diagnostics,
            watch,
            identity,
            library: lattices.library(),
        }
    }

    /// Checks what was read. A text with syntax errors is checked as far as it could be read, so
    /// that all mistakes are reported at once.
    #[must_use]
    pub fn check(mut self) -> Document {
        if self.has_errors() {
            let found = self.tree().map(|tree| (model::check::check_with(tree, &self.library).1, tree.signal.raised()));
            // What a limit cut short says nothing.
            if let Some((found, None)) = found {
                self.diagnostics.extend(found);
            }
            return self;
        }
        let Content::Tree(mut tree) = self.content else { return self };
        let problems = model::add_passage(&mut self.sources, &mut tree, &self.library);
        if !problems.is_empty() {
            self.diagnostics.extend(problems);
            self.content = Content::Tree(tree);
            return self;
        }
        let found = match model::load_within(*tree, &self.library, self.watch.watch().load_limits()) {
            Ok((model, found)) => {
                self.content = Content::Model(Box::new(model));
                found
            }
            Err((tree, found)) => {
                self.content = Content::Tree(Box::new(tree));
                found
            }
        };
        self.diagnostics.extend(found);
        self
    }

    /// Makes errors of features that symbolic analysis lacks: no answer would be sound. Only what
    /// rewrites a model can do without.
    #[must_use]
    pub fn deny_unsupported(mut self) -> Document {
        if let Content::Model(model) = &self.content {
            for d in &mut self.diagnostics {
                if model.unsupported().contains(d) {
                    d.severity = Severity::Error;
                }
            }
        }
        self
    }

    /// Returns whether symbolic analysis lacks a feature of the model.
    #[must_use]
    pub fn lacks_support(&self) -> bool {
        matches!(&self.content, Content::Model(model) if !model.unsupported().is_empty())
    }

    /// Returns the model if nothing is wrong with it.
    ///
    /// # Errors
    /// The document itself.
    pub fn into_model(self) -> Result<Model, Box<Document>> {
        match self {
            Document { name, sources, content: Content::Model(loaded), diagnostics, watch, identity, .. }
                if !diagnostics.iter().any(Diagnostic::is_error) =>
            {
                Ok(Model { name, sources, loaded: *loaded, diagnostics, watch, identity })
            }
            other => Err(Box::new(other)),
        }
    }

    /// Returns the tree, if there is one.
    #[must_use]
    pub fn tree(&self) -> Option<&Tree> {
        match &self.content {
            Content::Nothing => None,
            Content::Tree(tree) => Some(tree),
            Content::Model(model) => Some(&model.tree),
        }
    }

    /// Returns the limit that was reached before the model was loaded, if nothing else is wrong.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        Stop::of_errors(&self.diagnostics)
    }

    /// Returns whether the model can't be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A model that can be asked.
#[derive(Debug)]
pub struct Model {
    /// What messages call it.
    pub name: String,
    /// The text of the model, and of all queries and expressions about it.
    pub sources: Sources,
    /// The model as the engines have it.
    pub loaded: model::Model,
    /// What is suspicious about it.
    pub diagnostics: Vec<Diagnostic>,
    watch: Lease,
    /// What distinguishes it from others.
    pub(crate) identity: Identity,
}

/// Why a model can't be used.
#[derive(Debug, Error)]
#[error("{}", describe(&.document.sources, &.document.diagnostics))]
pub struct ModelError {
    /// The text, with everything that is wrong with it.
    pub document: Box<Document>,
}

/// Why a query can't be answered.
#[derive(Debug, Error)]
#[error("{}", .diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("; "))]
pub struct QueryError {
    /// Everything that is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A line for each error.
fn describe(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| match sources.locate(d.primary.span) {
        Some(at) => format!("{}:{}:{}: {}", at.file, at.start.line, at.start.column, d.message),
        None => d.message.clone(),
    };
    diagnostics.iter().filter(|d| d.is_error()).map(line).collect::<Vec<_>>().join("\n")
}

/// A query that was checked.
#[derive(Clone, Debug)]
pub struct Query {
    /// What was written, with its name and place.
    pub written: ast::Query,
    /// What it is about, with its code.
    pub lowered: QueryCode,
    /// Whether it is a predicate of the user, which the text only names.
    pub(crate) predicate: bool,
}

/// What a query is about, with its code.
#[derive(Clone, Debug)]
pub enum QueryCode {
    /// The states of the model.
    States(LoweredQuery),
    /// Random runs.
    Runs(Box<StatisticalQuery>),
}

impl Query {
    /// Returns the code of a query about states.
    #[must_use]
    pub fn about_states(&self) -> Option<&LoweredQuery> {
        match &self.lowered {
            QueryCode::States(lowered) => Some(lowered),
            QueryCode::Runs(_) => None,
        }
    }

    /// Returns the code of a query about random runs.
    #[must_use]
    pub fn about_runs(&self) -> Option<&StatisticalQuery> {
        match &self.lowered {
            QueryCode::States(_) => None,
            QueryCode::Runs(lowered) => Some(lowered),
        }
    }
}

impl Model {
    /// Reads and checks a model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open(source: Source) -> Result<Model, ModelError> {
        Model::open_within(source, &Limits::default())
    }

    /// Reads and checks a model within limits.
    ///
    /// # Errors
    /// Everything that is wrong with it, or the limit that was reached.
    pub fn open_within(source: Source, limits: &Limits) -> Result<Model, ModelError> {
        let lease = Lease::new();
        let watch = lease.watch();
        watch.begin(limits.time, limits.memory);
        let document = Document::read_within(source, lease).check().deny_unsupported();
        watch.end();
        document.into_model().map_err(|document| ModelError { document })
    }

    /// Returns the queries that the model itself has.
    ///
    /// # Errors
    /// What is wrong with the first that is wrong.
    pub fn queries(&mut self) -> Result<Vec<Query>, QueryError> {
        let own: Vec<ast::Query> = self.loaded.tree.queries.iter().filter(|q| is_query(q)).cloned().collect();
        own.into_iter().map(|query| self.check(query).map_err(|diagnostics| QueryError { diagnostics })).collect()
    }

    /// Reads and checks a query.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn query(&mut self, text: &str) -> Result<Query, QueryError> {
        self.named_query(text, "<query>").map_err(|diagnostics| QueryError { diagnostics })
    }

    /// Reads and checks a query from a text that messages call `name`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn named_query(&mut self, text: &str, name: &str) -> Result<Query, Vec<Diagnostic>> {
        let written = reading::one(text, name, &mut self.sources, &mut self.loaded)?;
        self.check(written)
    }

    /// Reads and checks a query about states from a text that messages call `name`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn state_query(&mut self, text: &str, name: &str) -> Result<LoweredQuery, Vec<Diagnostic>> {
        reading::query(text, name, &mut self.sources, &mut self.loaded).map(|(_, lowered)| lowered)
    }

    /// Checks a query whose expressions were read into the tree of this model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(&mut self, written: ast::Query) -> Result<Query, Vec<Diagnostic>> {
        let lowered = if matches!(written.kind, QueryKind::Statistical(_)) {
            QueryCode::Runs(Box::new(self.loaded.statistical_query(&written)?))
        } else {
            // What is wrong with the query itself comes before what the model has.
            let lowered = self.loaded.query(&written)?;
            let lacking = self.unsupported();
            if !lacking.is_empty() {
                return Err(lacking);
            }
            QueryCode::States(lowered)
        };
        Ok(Query { written, lowered, predicate: false })
    }

    /// Returns the features of the model that symbolic analysis lacks, as errors. If there are any,
    /// only statistical queries can be answered.
    #[must_use]
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        let lacking = self.loaded.unsupported().iter().cloned();
        lacking.map(|d| Diagnostic { severity: Severity::Error, ..d }).collect()
    }

    /// Returns a query for states that satisfy a predicate of the user: whether there is one
    /// (`E<>`), or none (`A[] not`). Messages call the predicate `name`. It sees the discrete part
    /// of states.
    ///
    /// # Errors
    /// The query can't be made.
    pub fn goal(&mut self, name: &str, exists: bool, predicate: UserGoal) -> Result<Query, QueryError> {
        if self.loaded.tree.events.as_ref().is_some_and(|events| !events.starts.is_empty()) {
            // There is a state before the first one of the model, which formulas exclude.
            let what = "goals that are predicates are not supported for processes with several initial locations";
            let diagnostics = vec![Diagnostic::error("unsupported", Span::NONE, what)];
            return Err(QueryError { diagnostics });
        }
        let mut query = self.query(if exists { "E<> true" } else { "A[] true" })?;
        query.written.text = format!("{} {name}", if exists { "E<>" } else { "A[] not" });
        query.lowered = QueryCode::States(predicate.lowered(&self.loaded.system, exists));
        query.predicate = true;
        Ok(query)
    }

    /// Returns the same model with limits of its own: both can be asked at the same time, and what
    /// one is asked does not add to the other. Elements of lattices of the user are shared, so that
    /// such a model and its forks can't be asked at the same time.
    #[must_use]
    pub fn fork(&self) -> Model {
        let watch = Lease::new();
        let signal = watch.watch().load_limits().signal;
        let mut loaded = self.loaded.clone();
        loaded.set_signal(signal);
        if !user::has_lattices(&loaded.system) {
            loaded.system.code.failures = Failures::default();
        }
        Model {
            name: self.name.clone(),
            sources: self.sources.clone(),
            loaded,
            diagnostics: self.diagnostics.clone(),
            watch,
            identity: self.identity.clone(),
        }
    }

    /// Returns whether lattices of the user are in it.
    #[must_use]
    pub fn has_user_lattices(&self) -> bool {
        user::has_lattices(&self.loaded.system)
    }

    /// Returns what stops the work on this model, from another thread as well.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { watch: self.watch.watch() }
    }

    pub(crate) fn watch(&self) -> &'static Watch {
        self.watch.watch()
    }
}

/// Returns whether there is something to answer or to refuse; editors leave empty queries behind.
#[must_use]
pub fn is_query(query: &ast::Query) -> bool {
    query.kind != QueryKind::Empty || !query.problems.is_empty()
}
