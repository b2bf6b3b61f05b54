//! Asks the engine, several queries at once where one search answers them.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use explore::search::Limits;
use model::{Model, Property};
use syntax::Diagnostic;
use verify::{Answer, Group, Heuristic, Joining, Proof};

use super::formulas::Setup;
use crate::{
    args::{Symmetry, TraceKind, VerifyArgs},
    interrupt,
    memory::Meter,
    output::Streams,
    progress::Progress,
};

/// What came of a query.
pub struct Outcome {
    pub answer: Answer,
    /// Given where proofs are wanted.
    pub proof: Option<Result<Proof, &'static str>>,
    pub seconds: f64,
    /// How much of that was before the search.
    pub seconds_before: f64,
    pub peak_bytes: usize,
    /// How many queries the search answered.
    pub queries: usize,
}

/// Answers queries, one after the other.
pub struct Engine<'a> {
    args: &'a VerifyArgs,
    model: &'a Model,
    formulas: Option<&'a Setup>,
    properties: Vec<Property>,
    groups: Vec<Group>,
    /// What is already known, by the numbers of the queries.
    known: HashMap<usize, Outcome>,
    next: usize,
    with_proofs: bool,
    options: verify::Options,
}

impl<'a> Engine<'a> {
    /// For these queries; those that are refused are not asked.
    pub fn new(
        args: &'a VerifyArgs,
        model: &'a Model,
        properties: &[Result<Property, Vec<Diagnostic>>],
        heuristics: Vec<Heuristic>,
        joining: (verify::Update, Joining),
        formulas: Option<&'a Setup>,
        with_proofs: bool,
    ) -> Engine<'a> {
        let properties: Vec<Property> = properties.iter().filter_map(|p| p.as_ref().ok().cloned()).collect();
        // A certificate belongs to one query.
        let options = options(args, heuristics, joining);
        let alone = with_proofs || formulas.is_some();
        let groups = if alone { Vec::new() } else { verify::groups(&model.system, &properties, &options) };
        Engine { args, model, formulas, properties, groups, known: HashMap::new(), next: 0, with_proofs, options }
    }

    /// The outcome of the next query; `None` if it is refused.
    pub fn answer(&mut self, property: Option<&Property>, streams: &mut Streams<'_>) -> Option<Outcome> {
        let property = property?;
        let number = self.next;
        self.next += 1;
        if let Some(known) = self.known.remove(&number) {
            return Some(known);
        }
        let single = vec![number];
        let group = self.groups.iter().find(|group| group.contains(&number)).unwrap_or(&single);
        let count = group.len();
        // A moment too far away for the clock never comes.
        let limit = self.args.time_limit.map(|limit| limit.saturating_mul(count as u32));
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let expired = || end.is_some_and(|end| Instant::now() >= end);
        let meter = Meter::default();
        let resident = || meter.resident();
        let limits = Limits {
            expired: Some(&expired),
            bytes: self.args.memory_limit,
            states: self.args.state_limit,
            interrupt: Some(interrupt::flag()),
            resident: Some(&resident),
        };
        let mut progress = Progress::new(self.args.progress, streams);
        let system = &self.model.system;
        let (answers, mut proof) = if let Some(formulas) = self.formulas {
            let (answer, proof) = formulas.answer(self.model, property, &limits, &mut progress);
            (vec![answer], self.with_proofs.then_some(proof))
        } else if self.with_proofs {
            let (answer, proof) = verify::answer_with_proof(system, property, &self.options, &limits, &mut progress);
            (vec![answer], Some(proof))
        } else {
            let properties: Vec<&Property> = group.iter().map(|i| &self.properties[*i]).collect();
            (verify::answer_group(system, &properties, &self.options, &limits, &mut progress), None)
        };
        let peak = progress.peak;
        let rounded = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
        let seconds_before = rounded(progress.before);
        let seconds = rounded(progress.finish());
        for (number, answer) in group.iter().zip(answers) {
            let peak_bytes = peak.max(answer.counts.bytes);
            let outcome = Outcome { answer, proof: proof.take(), seconds, seconds_before, peak_bytes, queries: count };
            self.known.insert(*number, outcome);
        }
        self.known.remove(&number)
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
    }
}
