//! Tree to system: names, types, instances and compiled expressions.
//!
//! [`load`] checks a tree and lowers it to the [`System`] that all engines work on.
//! [`Model::query`] does the same for a query, and [`System::with`] extends the system by it.

mod builtin;
pub mod check;
pub mod code;
mod constants;
mod elements;
mod features;
pub mod interpret;
mod lower;
pub mod machine;
pub mod names;
pub mod net_reduce;
mod net_words;
pub mod operation;
mod passage;
mod project;
mod property;
pub mod random;
mod ratio;
pub mod real;
pub mod replay;
pub mod simulate;
pub mod stochastic;
pub mod symbolic;
mod symbols;
pub mod symmetry;
pub mod system;
mod types;
mod unread;
pub mod vector;
mod warn;

use syntax::{
    Diagnostic, Span, Tree,
    ast::{ExprId, Query, QueryKind},
    net::Timing,
};

pub use features::{FEATURES, Feature, Support};
pub use passage::add_passage;
pub use project::Projection;
pub use property::{Extremum, Formula, LoweredQuery, Property, Quantity};
pub use ratio::Ratio;
pub use syntax::{Alarm, Signal, Stop, net};
pub use system::{Network, System};

use check::{Checked, ExternInfo};
use lower::{Chances, Lowered};
use stochastic::{StatisticalQuery, StochasticSystem};
use system::ModelOrder;

/// A checked and lowered model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tree of the text.
    pub tree: Tree,
    /// The system. Queries do not change it.
    pub system: System,
    checked: Checked,
    lowered: Lowered,
    /// The same for statistical queries, once there was one.
    stochastic: Option<Box<Stochastic>>,
}

/// A model as it was lowered for statistical queries.
#[derive(Clone, Debug)]
struct Stochastic {
    system: StochasticSystem,
    lowered: Lowered,
}

/// Checks and lowers a tree. Returns the model with its warnings.
///
/// # Errors
/// Returns the tree with all diagnostics, at least one of which is an error.
#[allow(clippy::result_large_err)] // The error returns the tree to the caller.
pub fn load(tree: Tree) -> Result<(Model, Vec<Diagnostic>), (Tree, Vec<Diagnostic>)> {
    load_within(tree, &lattice::Library::standard(), LoadLimits::default())
}

/// The resources that loading may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadLimits {
    /// The limit on memory in bytes; 1 GiB if it is `None`.
    pub bytes: Option<usize>,
    /// The signal that stops loading. The code of the model polls it whenever it runs.
    pub signal: Signal,
}

/// The default limit on the memory of a model in bytes. The largest known models need a hundredth
/// of it.
pub(crate) const DEFAULT_MEMORY: usize = 1 << 30;

/// Checks and lowers a tree that may name these lattices.
///
/// # Errors
/// Returns the tree with all diagnostics, at least one of which is an error.
#[allow(clippy::result_large_err)]
pub fn load_with(tree: Tree, library: &lattice::Library) -> Result<(Model, Vec<Diagnostic>), (Tree, Vec<Diagnostic>)> {
    load_within(tree, library, LoadLimits::default())
}

/// Checks and lowers a tree within limits.
///
/// # Errors
/// Returns the tree with all diagnostics, at least one of which is an error.
#[allow(clippy::result_large_err)]
pub fn load_within(
    tree: Tree,
    library: &lattice::Library,
    limits: LoadLimits,
) -> Result<(Model, Vec<Diagnostic>), (Tree, Vec<Diagnostic>)> {
    let (mut checked, mut diagnostics) = check::check_with(&tree, library);
    if let Some(stop) = tree.signal.raised() {
        return Err((tree, vec![stop.while_loading(Span::NONE)]));
    }
    check::note_mentions(&mut checked, &tree.mentioned);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err((tree, diagnostics));
    }
    let (mut system, lowered, more) = lower::lower(&tree, &checked, limits, false);
    system.code.failures = library.failures().clone();
    diagnostics.extend(more);
    diagnostics.extend(lowered.unsupported.iter().cloned());
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err((tree, diagnostics));
    }
    if let Some(net) = &tree.net {
        net_words::rename(net, &mut system);
    }
    Ok((Model { tree, system, checked, lowered, stochastic: None }, diagnostics))
}

impl Model {
    /// Checks and lowers a query, whose expressions were parsed into [`Model::tree`]. The query is
    /// evaluated on a system that is extended by it: see [`System::with`].
    ///
    /// # Errors
    /// Returns all diagnostics of the query.
    pub fn query(&mut self, query: &Query) -> Result<LoweredQuery, Vec<Diagnostic>> {
        self.check_query(query)?;
        lower::lower_query(&self.tree, &self.checked, &mut self.lowered, &self.system, query)
    }

    /// Checks and lowers a statistical query, whose expressions were parsed into [`Model::tree`].
    /// It is about the system of [`Model::stochastic`].
    ///
    /// # Errors
    /// Returns all diagnostics of the query, and the features of the model that random runs lack.
    pub fn statistical_query(&mut self, query: &Query) -> Result<StatisticalQuery, Vec<Diagnostic>> {
        self.statistical_query_towards(query, None)
    }

    /// Lowers a statistical query as [`Model::statistical_query`] does, with the first expression
    /// of a list ([`syntax::read_values`]), if there is one: it grows towards what is asked for.
    ///
    /// # Errors
    /// Returns all diagnostics of both.
    pub fn statistical_query_towards(
        &mut self,
        query: &Query,
        importance: Option<&Query>,
    ) -> Result<StatisticalQuery, Vec<Diagnostic>> {
        self.check_query(query)?;
        importance.map_or(Ok(()), |importance| self.check_query(importance))?;
        if self.stochastic.is_none() {
            self.stochastic = Some(Box::new(self.lower_stochastic(query.span)?));
        }
        let Model { tree, checked, stochastic: Some(stochastic), .. } = self else { return Err(Vec::new()) };
        let importance = importance.and_then(|values| match values.kind {
            QueryKind::Sup(_, list) | QueryKind::Inf(_, list) | QueryKind::Bounds(_, list) => {
                tree.list(list).first().copied()
            }
            _ => None,
        });
        lower::lower_statistics(tree, checked, &mut stochastic.lowered, &stochastic.system.system, query, importance)
    }

    /// Returns the system that statistical queries are about, if there was one.
    #[must_use]
    pub fn stochastic(&self) -> Option<&StochasticSystem> {
        self.stochastic.as_deref().map(|stochastic| &stochastic.system)
    }

    /// Sets the signal that stops work on this model.
    pub fn set_signal(&mut self, signal: Signal) {
        (self.tree.signal, self.system.code.signal) = (signal, signal);
        // What is lowered later, for statistical queries, polls the same signal.
        self.lowered.limits.signal = signal;
        if let Some(stochastic) = &mut self.stochastic {
            (stochastic.lowered.limits.signal, stochastic.system.system.code.signal) = (signal, signal);
        }
    }

    /// Lowers the model for statistical queries.
    fn lower_stochastic(&self, asked: Span) -> Result<Stochastic, Vec<Diagnostic>> {
        let refused = |what: &str| {
            let message = format!("statistical queries about {what} are not supported");
            vec![Diagnostic::error("unsupported", asked, message)]
        };
        if self.tree.net.as_ref().is_some_and(|net| net.timing == Timing::Arcs) {
            return Err(refused("nets with timed arcs"));
        }
        if self.tree.events.is_some() {
            return Err(refused("TChecker's models"));
        }
        if !self.system.lattices.is_empty() {
            return Err(refused("models with lattices"));
        }
        let (mut system, lowered, mut found) = lower::lower(&self.tree, &self.checked, self.lowered.limits, true);
        if let Some(stop) = self.tree.signal.raised() {
            return Err(vec![stop.while_loading(asked)]);
        }
        let lacking = lowered.unsupported.iter().cloned().map(lower::about_runs);
        found.extend(lacking.map(|d| Diagnostic { severity: syntax::Severity::Error, ..d }));
        found.retain(Diagnostic::is_error);
        if !found.is_empty() {
            return Err(found);
        }
        system.code.failures = self.system.code.failures.clone();
        if let Some(net) = &self.tree.net {
            net_words::rename(net, &mut system);
        }
        let chances = lowered.chances.clone().unwrap_or_default();
        let analog = chances.analog(&system);
        let Chances { rates, weights, stems, flows, guards, invariants, starts, .. } = chances;
        let system = StochasticSystem { system, rates, weights, stems, flows, guards, invariants, analog, starts };
        Ok(Stochastic { system, lowered })
    }

    /// Checks the names and types of a query.
    fn check_query(&mut self, query: &Query) -> Result<(), Vec<Diagnostic>> {
        check::note_mentions(&mut self.checked, &query.names);
        if !query.problems.is_empty() {
            return Err(query.problems.clone());
        }
        // Queries about a net do not name its automata.
        let processes = if self.tree.net.is_some() { &[] } else { &self.system.processes[..] };
        let problems = check::check_query(&self.tree, &mut self.checked, processes, query);
        // A query that was not checked to its end has no meaning.
        if let Some(stop) = self.tree.signal.raised() {
            return Err(vec![stop.while_loading(query.span)]);
        }
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        Ok(())
    }

    /// Returns the meaning of the names in the model.
    #[must_use]
    pub fn names(&self) -> names::NameTable {
        names::NameTable::new(&self.tree, &self.checked)
    }

    /// Returns whether an expression of a checked query is a boolean.
    #[must_use]
    pub fn is_bool(&self, e: ExprId) -> bool {
        matches!(self.checked.types.kind(self.checked.ty(e)), types::TyKind::Bool)
    }

    /// Returns the declaration of a lattice variable, by its index in [`Network::lattices`].
    #[must_use]
    pub fn lattice_span(&self, variable: usize) -> Span {
        self.lowered.lattice_spans.get(variable).copied().unwrap_or(Span::NONE)
    }

    /// Returns the name of a lattice that the model defines, and its declaration.
    #[must_use]
    pub fn order_name(&self, order: &ModelOrder) -> Option<(&str, Span)> {
        let (number, _) = self.lowered.orders.iter().find(|(_, known)| known.leq == order.leq)?;
        match self.checked.externs.get(*number as usize)? {
            ExternInfo::Model(lattice) => Some((self.tree.text(lattice.name.sym), lattice.name.span)),
            ExternInfo::Library(_) => None,
        }
    }

    /// Returns warnings about suspicious parts of the model. Queries that were checked before count
    /// as uses of the names that they mention.
    #[must_use]
    pub fn warnings(&self) -> Vec<Diagnostic> {
        warn::warnings(&self.tree, &self.checked, &self.lowered, &self.system)
    }

    /// Returns the invariants that the initial state violates, as warnings. If there is one, the
    /// model has no run.
    #[must_use]
    pub fn violated_at_start(&self) -> Vec<Diagnostic> {
        warn::violated_at_start(&self.tree, &self.system)
    }

    /// Returns the features of the model that symbolic analysis lacks. If there are any, no query
    /// has a sound answer.
    #[must_use]
    pub fn unsupported(&self) -> &[Diagnostic] {
        &self.lowered.unsupported
    }
}
