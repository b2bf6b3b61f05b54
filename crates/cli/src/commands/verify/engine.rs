//! Asks the engine, several queries at once where one search answers them.

use std::{
    io,
    time::{Duration, Instant},
};

use explore::search::Limits;
use model::{LoweredQuery, Model, Property, System};
use syntax::Diagnostic;
use verify::{Answer, Heuristic, Joining, Proof};

use super::formulas::Setup;
use crate::{
    args::{Symmetry, TraceKind, VerifyArgs},
    interrupt,
    output::Streams,
    progress::Console,
    watch,
};

/// What came of a query.
pub struct Outcome {
    pub answer: Answer,
    /// Given where proofs are wanted.
    pub proof: Option<Result<Proof, &'static str>>,
    /// The time until it was known.
    pub seconds: f64,
    /// How much of that was before the search.
    pub seconds_before: f64,
    /// How many queries the search answered.
    pub queries: usize,
}

/// Takes the outcome of a query, by its number, as soon as it is known.
pub type Known<'k> = dyn FnMut(usize, Outcome, &mut Streams<'_>) -> io::Result<()> + 'k;

/// Answers queries.
pub struct Engine<'a> {
    args: &'a VerifyArgs,
    model: &'a Model,
    /// The model's system with the code of options.
    system: &'a System,
    formulas: Option<&'a Setup>,
    /// The queries that are not refused, with their numbers.
    asked: Vec<(usize, &'a LoweredQuery)>,
    with_proofs: bool,
    options: verify::Options,
}

impl<'a> Engine<'a> {
    /// For these queries; those that are refused are not asked.
    pub fn new(
        args: &'a VerifyArgs,
        (model, system): (&'a Model, &'a System),
        lowered: &'a [Result<LoweredQuery, Vec<Diagnostic>>],
        heuristics: Vec<Heuristic>,
        joining: (verify::Update, Joining),
        formulas: Option<&'a Setup>,
        with_proofs: bool,
    ) -> Engine<'a> {
        let asked = lowered.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref().ok()?))).collect();
        Engine { args, model, system, formulas, asked, with_proofs, options: options(args, heuristics, joining) }
    }

    /// Answers all queries.
    ///
    /// # Errors
    /// Those of `known`.
    pub fn run(&self, streams: &mut Streams<'_>, known: &mut Known<'_>) -> io::Result<()> {
        // A certificate belongs to one query.
        if self.with_proofs || self.formulas.is_some() {
            return (0..self.asked.len()).try_for_each(|i| self.answer(&[i], streams, known));
        }
        let queries: Vec<&LoweredQuery> = self.asked.iter().map(|(_, query)| *query).collect();
        let groups = verify::groups(self.system, &queries, &self.options);
        groups.iter().try_for_each(|group| self.answer(group, streams, known))
    }

    /// Answers the queries of a group.
    fn answer(&self, group: &[usize], streams: &mut Streams<'_>, known: &mut Known<'_>) -> io::Result<()> {
        let end = watch::begin(self.args.time_limit);
        let expired = || end.is_some_and(|end| Instant::now() >= end);
        let limits = Limits {
            expired: Some(&expired),
            bytes: self.args.memory_limit,
            states: self.args.state_limit,
            interrupt: Some(interrupt::flag()),
            ..Limits::default()
        };
        let console = Console::new(self.args.progress, streams);
        let mut result = Ok(());
        let mut tell = |member: usize, answer: Answer, proof: Option<Result<Proof, &'static str>>| {
            let rounded = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
            let (seconds, seconds_before) = (rounded(console.elapsed()), rounded(console.before()));
            let outcome = Outcome { answer, proof, seconds, seconds_before, queries: group.len() };
            let told = console.print(|streams| known(self.asked[group[member]].0, outcome, streams));
            if result.is_ok() {
                result = told;
            }
        };
        let queries: Vec<&LoweredQuery> = group.iter().map(|i| self.asked[*i].1).collect();
        let (system, properties) = &self.system.with_all(&queries);
        let properties: Vec<&Property> = properties.iter().collect();
        match (self.formulas, &properties[..]) {
            (Some(formulas), [property]) => {
                let (answer, proof) =
                    formulas.answer(system, self.model.tree.net.as_deref(), property, &limits, &console);
                tell(0, answer, self.with_proofs.then_some(proof));
            }
            (None, [property]) if self.with_proofs => {
                let (answer, proof) =
                    verify::answer_with_proof(system, property, &self.options, &limits, &mut &console);
                tell(0, answer, Some(proof));
            }
            _ => verify::answer_each(system, &properties, &self.options, &limits, &mut &console, &mut |i, answer| {
                tell(i, answer, None);
            }),
        }
        watch::end();
        console.finish();
        result
    }
}

fn options(
    args: &VerifyArgs,
    heuristics: Vec<Heuristic>,
    (update, joining): (verify::Update, Joining),
) -> verify::Options {
    let asks_trace = args.trace != TraceKind::None || args.trace_file.is_some();
    let order = match args.order {
        Some(order) => order.into(),
        None if !heuristics.is_empty() => verify::Order::Greedy,
        None if asks_trace => verify::Order::Auto,
        None => verify::Order::Adaptive,
    };
    verify::Options {
        order,
        guidance: verify::Guidance {
            heuristics,
            weight: args.weight,
            helpful: args.helpful,
            useless: args.useless,
            table: args.heuristic_table,
            budget: args.heuristic_budget,
        },
        passing: args.state_space_reduction.passing(),
        abstraction: args.abstraction.chosen(),
        update: Some(update),
        joining,
        seed: args.seed,
        wanted: match args.trace {
            TraceKind::None | TraceKind::Some => verify::Wanted::Some,
            TraceKind::Short => verify::Wanted::Short,
            TraceKind::Shortest => verify::Wanted::Shortest,
            TraceKind::Fastest => verify::Wanted::Fastest,
        },
        symmetry: match args.symmetry {
            Symmetry::On => verify::Symmetry::On,
            Symmetry::Off => verify::Symmetry::Off,
        },
        wide: false,
    }
}
