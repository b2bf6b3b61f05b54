//! Compiles options that have expressions of the model in them.

mod error;
mod heuristic;
mod join;

pub use join::read_join;

use model::{LoweredQuery, Model, System};
use syntax::{Diagnostic, Sources};
use verify::{Guidance, Order, Threads, Wanted};

use crate::{
    OptionsError,
    options::{Choices, Monotone, Options, TraceChoice},
    reading,
};

/// The greatest number of threads of a search.
const MAX_THREADS: usize = 256;

/// What expressions are compiled with.
pub(crate) struct Compiler<'c> {
    /// Gets the texts of expressions.
    pub sources: &'c mut Sources,
    /// The model that expressions are about.
    pub model: &'c mut Model,
    /// Gets the code of expressions.
    pub system: &'c mut System,
}

impl Compiler<'_> {
    /// Compiles options to those of the search engine.
    pub(crate) fn options(&mut self, options: &Options) -> Result<verify::Options, OptionsError> {
        let compiled = self.compile(options);
        // What was not read to its end is not known to be wrong.
        compiled.map_err(|error| self.model.tree.signal.raised().map_or(error, OptionsError::Stopped))
    }

    fn compile(&mut self, options: &Options) -> Result<verify::Options, OptionsError> {
        let functions = &options.functions;
        let heuristics = match (&options.heuristic, options.order) {
            _ if functions.heuristic.is_some() => self.function(options)?,
            (None, _) => Vec::new(),
            (Some(_), Some(order)) if !order.is_directed() => return Err(OptionsError::BlindOrder(order.name())),
            (Some(text), _) => self.heuristics(text).map_err(OptionsError::Heuristic)?,
        };
        let (update, mut joining) = self.joining(options)?;
        joining.widen_after = options.widen;
        joining.refines = options.refine;
        joining.guide.clone_from(&options.guide);
        joining.function.clone_from(&functions.join);
        joining.trusts = options.monotone == Monotone::Assume;
        let order = match options.order {
            _ if functions.order.is_some() => functions.check_order(options, !heuristics.is_empty())?,
            Some(order) => order,
            None if options.cluster.is_some() => Order::Bfs,
            None if !heuristics.is_empty() => Order::Greedy,
            None if options.trace != TraceChoice::None => Order::Auto,
            None => Order::Adaptive,
        };
        Ok(verify::Options {
            order,
            guidance: Guidance {
                heuristics,
                weight: options.weight,
                helpful: options.helpful,
                useless: options.useless,
                ties: options.ties,
                covers_shorter: options.cover_shorter,
                table: options.heuristic_table,
                budget: options.heuristic_budget,
            },
            passing: options.state_space_reduction,
            abstraction: options.abstraction,
            update: Some(update),
            joining,
            seed: options.seed,
            wanted: match options.trace {
                TraceChoice::None | TraceChoice::Some => Wanted::Some,
                TraceChoice::Short => Wanted::Short,
                TraceChoice::Shortest => Wanted::Shortest,
                TraceChoice::Fastest => Wanted::Fastest,
            },
            symmetry: options.symmetry,
            local_time: options.local_time,
            wide: false,
            threads: threads(options.threads),
            cluster: options.cluster.clone(),
            user_order: functions.order.clone(),
        })
    }

    /// Compiles expressions as a query for their bounds. Messages call their text `name`.
    fn values(&mut self, text: &str, name: &str) -> Result<LoweredQuery, Vec<Diagnostic>> {
        let query = reading::read_one(text, name, syntax::read_values, self.sources, &mut self.model.tree)?;
        self.model.query(&query)
    }
}

/// Returns the number of threads: that of the user soon, or all cores for large searches.
fn threads(chosen: Option<usize>) -> Threads {
    match chosen {
        Some(count) => Threads::soon(count.clamp(1, MAX_THREADS)),
        None => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            Threads::late(cores.min(MAX_THREADS))
        }
    }
}

/// Joins the messages of diagnostics.
fn messages<'d>(list: impl IntoIterator<Item = &'d str>) -> String {
    list.into_iter().collect::<Vec<_>>().join("; ")
}
