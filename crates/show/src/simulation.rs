//! The moves and states of a simulation, with names.

use merkhet::{
    reading,
    simulation::{Made, MoveError, Run},
};
use model::{
    System,
    replay::{self, ConcreteState},
    simulate::{self, DelayLimit, Delays},
    system::LocationId,
};
use syntax::Sources;
use thiserror::Error;

use crate::{
    json::{
        replay::TracedQuery,
        simulate::{DelayRange, RunTimeError, Situation, Transition},
        verify::{TakenEdge, TraceStep, Verdict},
    },
    net_names::{NetEvent, NetNames},
    replay::{TraceProblem, follow},
    trace,
};

/// Why a run has no trace.
#[derive(Debug, Error)]
pub enum UntracedError {
    /// Its times are too long.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The query is refused.
    #[error("`{0}` is refused as a query")]
    Query(String),
    /// It is not a run.
    #[error("this is not a run: {0}")]
    NotARun(TraceProblem),
}

/// Returns a run up to its current state as the trace of a query, and with names. It is checked as
/// by `merkhet replay`.
///
/// # Errors
/// It is not accepted.
pub fn traced(
    run: &Run,
    query: String,
    sources: &mut Sources,
    model: &mut model::Model,
) -> Result<(verify::Trace, TracedQuery), UntracedError> {
    let run = run.trace()?;
    let refused = |_| UntracedError::Query(query.clone());
    let (_, lowered) = reading::query(&query, "<query>", sources, model).map_err(refused)?;
    let (system, property) = &model.system.with(&lowered);
    let visits = replay::replay(system, &run, None).map_err(MoveError::from)?;
    let found = verify::Trace::of_run(visits, None);
    let trace = trace::named_trace(system, &found);
    let traced = TracedQuery { query, answer: Verdict::Satisfied, reason: None, trace };
    follow(system, &traced, property).map_err(|wrong| UntracedError::NotARun(wrong.problem))?;
    Ok((found, traced))
}

/// Describes a move from a state.
#[must_use]
pub fn step(system: &System, before: &ConcreteState, made: &Made) -> TraceStep {
    let Made { delay, edges, state, .. } = made;
    let NetEvent { fires, becomes_available } = NetNames::new(system).map(|net| net.event(edges)).unwrap_or_default();
    TraceStep {
        delay: Some(delay.to_string()),
        fires,
        becomes_available,
        edges: edges.iter().map(|e| trace::edge(system, *e)).collect(),
        changes: trace::changes(system, &before.row, &state.row),
        element_changes: trace::element_changes(system, &before.row, &state.row),
        clocks: Some(trace::clocks(system, &state.clocks)),
    }
}

/// Returns the state of a run and its possible transitions, without breakpoints.
#[must_use]
pub fn situation(system: &System, sources: &Sources, run: &Run) -> Situation {
    let here = run.state();
    let state = trace::state(system, &here.row, Some(&here.clocks));
    let (situation, problem) = match run.situation(system) {
        Ok(situation) => (situation, None),
        Err(wrong) => {
            let unknown = simulate::Situation {
                wait: simulate::DelayInterval::NOW,
                limit: DelayLimit::Nothing,
                choices: Vec::new(),
                failures: Vec::new(),
            };
            (unknown, Some(wrong.to_string()))
        }
    };
    let names = |edges: &[_]| edges.iter().map(|e| trace::edge(system, *e)).collect();
    let net = NetNames::new(system);
    let event = |edges: &[_]| net.as_ref().map(|net| net.event(edges)).unwrap_or_default();
    let transition = |(choice, number): (&simulate::Choice, usize)| {
        let NetEvent { fires, becomes_available } = event(&choice.edges);
        let (delays, edges) = (intervals(&choice.delays), names(&choice.edges));
        Transition { number, delays, fires, becomes_available, edges }
    };
    let error = |failure: &simulate::RunTimeError| RunTimeError {
        message: system.explain(&failure.fault),
        place: place(system, sources, failure.fault.pc),
        delays: intervals(&failure.delays),
        fires: event(&failure.edges).fires,
        edges: names(&failure.edges),
        fatal: failure.fatal,
    };
    Situation {
        moves: run.at,
        ahead: run.history.len() - run.at,
        time: run.time().to_string(),
        state,
        wait: interval(&situation.wait),
        limit: limit(system, situation.limit),
        transitions: situation.choices.iter().zip(1..).map(transition).collect(),
        errors: once(situation.failures.iter().map(error)),
        deadlock: problem.is_none() && situation.choices.is_empty() && situation.failures.is_empty(),
        problem,
        breakpoints: Vec::new(),
    }
}

/// Merges equal errors. An edge on a channel with an index represents one edge for each channel. If
/// the index fails, all of them fail with the same error.
fn once(errors: impl Iterator<Item = RunTimeError>) -> Vec<RunTimeError> {
    let mut kept: Vec<RunTimeError> = Vec::new();
    for error in errors {
        let same = |other: &&mut RunTimeError| {
            let parts = |e: &RunTimeError| (e.message.clone(), e.place.clone(), e.fatal, delays(&e.delays));
            let edges = |e: &RunTimeError| {
                e.edges.iter().map(|edge| TakenEdge { sync: None, ..edge.clone() }).collect::<Vec<_>>()
            };
            error.edges.len() == 1 && parts(other) == parts(&error) && edges(other) == edges(&error)
        };
        match kept.iter_mut().find(same) {
            Some(other) => other.edges.iter_mut().for_each(|edge| edge.sync = None),
            None => kept.push(error),
        }
    }
    kept
}

/// The position of an instruction in the model.
fn place(system: &System, sources: &Sources, pc: u32) -> Option<String> {
    let at = sources.locate(system.site(pc))?;
    Some(format!("{}:{}:{}", at.file, at.in_file.line, at.in_file.column))
}

fn limit(system: &System, limit: DelayLimit) -> Option<String> {
    if let Some(why) = NetNames::new(system).and_then(|net| net.limit(limit)) {
        return Some(why);
    }
    let location = |l: LocationId| {
        let location = &system.locations[l.0 as usize];
        (format!("{}.{}", system.processes[location.process.0 as usize].name, location.name), location.committed)
    };
    match limit {
        DelayLimit::Nothing => None,
        DelayLimit::Location(l) => {
            let (name, committed) = location(l);
            Some(format!("{name} is {}", if committed { "committed" } else { "urgent" }))
        }
        DelayLimit::Invariant(l) => Some(format!("invariant of {}", location(l).0)),
        DelayLimit::Synchronisation(c) => Some(format!("{} is urgent", system.channels[c.0 as usize].name)),
        DelayLimit::Fault(fault) => Some(format!("run-time error: {}", system.explain(&fault))),
    }
}

/// Returns a set of delays.
#[must_use]
pub fn intervals(delays: &Delays) -> Vec<DelayRange> {
    delays.intervals().iter().map(interval).collect()
}

/// Returns an interval.
#[must_use]
pub fn interval(i: &simulate::DelayInterval) -> DelayRange {
    DelayRange {
        from: i.from.at.to_string(),
        from_included: !i.from.after,
        to: i.to.map(|to| to.at.to_string()),
        to_included: i.to.is_some_and(|to| to.after),
    }
}

/// Returns delays as text: `now`, `at any time`, `after 2..5`, `after >3`.
#[must_use]
pub fn delays(intervals: &[DelayRange]) -> String {
    if let [DelayRange { from, from_included: true, to, .. }] = intervals
        && from == "0"
    {
        match to.as_deref() {
            None => return "at any time".to_owned(),
            Some("0") => return "now".to_owned(),
            Some(_) => {}
        }
    }
    let words = |i: &DelayRange| {
        let more = if i.from_included { "" } else { ">" };
        match &i.to {
            Some(to) if *to == i.from => to.clone(),
            Some(to) => format!("{more}{}..{}{to}", i.from, if i.to_included { "" } else { "<" }),
            None => format!(">{}{}", if i.from_included { "=" } else { "" }, i.from),
        }
    };
    format!("after {}", intervals.iter().map(words).collect::<Vec<_>>().join(" or "))
}

/// Returns the delays that are allowed, as text.
#[must_use]
pub fn wait(i: &DelayRange) -> String {
    match (i.to.as_deref(), i.to_included) {
        (None, _) => "time may pass without bound".to_owned(),
        (Some("0"), _) => "time may not pass".to_owned(),
        (Some(to), true) => format!("time may pass for at most {to}"),
        (Some(to), false) => format!("time may pass for less than {to}"),
    }
}
