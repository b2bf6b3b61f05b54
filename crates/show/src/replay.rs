//! Traces with names, replayed: what `verify --trace-file` wrote, and whether it is a run.

use merkhet::{Flaw, PathClaim, Shown, check_run, check_transitions};
use model::{
    Property, Ratio, System,
    replay::{self, Ending, Visit},
    system::EdgeId,
};
use thiserror::Error;

use crate::{
    json::{
        VERSION,
        certify::Malformed,
        replay::{ReplayOutcome, ReplayResult, TraceFile, TracedQuery},
        verify::{self as json, TakenEdge, Trace, Verdict},
    },
    render::count,
    trace,
};

/// Reads a file of traces. Unknown fields are errors.
///
/// # Errors
/// The file is malformed.
pub fn parse(text: &str) -> Result<TraceFile, Malformed> {
    let at = |e: &serde_json::Error| Malformed {
        line: Some(e.line()),
        column: Some(e.column()),
        message: e.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
    };
    let whole = |message: String| Malformed { line: None, column: None, message };
    if text.starts_with("merkhet certificate") {
        return Err(whole("this is a certificate, not a file of traces; `merkhet certify` checks it".to_owned()));
    }
    if !matches!(text.trim_start().chars().next(), None | Some('{')) {
        let message = "this is not a file of traces, which `verify --trace-file` writes".to_owned();
        return Err(Malformed { line: Some(1), column: Some(1), message });
    }
    let file: TraceFile = serde_json::from_str(text).map_err(|e| at(&e))?;
    if file.version != VERSION {
        return Err(whole(format!("version {VERSION} is the only one that is known here, not {}", file.version)));
    }
    if file.traces.is_empty() {
        return Err(whole("there is no trace in this file".to_owned()));
    }
    let given: serde_json::Value = serde_json::from_str(text).map_err(|e| at(&e))?;
    let understood = serde_json::to_value(&file).map_err(|e| at(&e))?;
    match difference(&given, &understood) {
        None => Ok(file),
        Some(path) => Err(whole(format!("`{}` is unknown here, or occurs twice", path.trim_start_matches('.')))),
    }
}

/// The path to the first difference between two values.
fn difference(given: &serde_json::Value, understood: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match (given, understood) {
        (Value::Object(a), Value::Object(b)) => a.iter().find_map(|(key, value)| match b.get(key) {
            None => Some(format!(".{key}")),
            Some(other) => difference(value, other).map(|rest| format!(".{key}{rest}")),
        }),
        (Value::Array(a), Value::Array(b)) => {
            let inner = |(i, (a, b))| difference(a, b).map(|rest| format!("[{i}]{rest}"));
            a.iter().zip(b).enumerate().find_map(inner)
        }
        (a, b) => (a != b).then(String::new),
    }
}

/// Why a trace is not accepted, and at which step.
#[derive(Debug)]
pub struct TraceError {
    /// The step, counted from 1; `None`: the trace as a whole.
    pub step: Option<usize>,
    /// What is wrong.
    pub problem: TraceProblem,
}

/// Why a trace is not accepted; the messages say what each means.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TraceProblem {
    #[error("there are {} here, not {given}", count(*found, "step"))]
    Length { found: usize, given: usize },
    #[error("the cycle starts at no step of the run")]
    NoSuchCycle,
    #[error("a run that does not end in a cycle has no step at which one starts")]
    NeedlessCycle,
    #[error("the delay is not known")]
    UnknownDelay,
    #[error("`{0}` is not a time; expected a whole number, or a fraction such as `7/2`")]
    NotATime(String),
    #[error("there is no process `{0}`")]
    NoProcess(String),
    #[error("process `{0}` has several edges of this description")]
    SeveralEdges(String),
    #[error("process `{process}` has no edge {edge} from `{from}` to `{to}`{sync} of this description")]
    NoEdge { process: String, edge: u32, from: String, to: String, sync: String },
    #[error("the model starts in another state")]
    OtherStart,
    #[error("the variables after the transition differ")]
    OtherVariables,
    #[error("the clocks after the transition differ")]
    OtherClocks,
    #[error("the run ends in another state")]
    OtherEnd,
    /// It is not a run, or does not decide the query.
    #[error(transparent)]
    Flaw(Flaw),
}

impl TraceProblem {
    /// The error of this step.
    fn at(self, step: usize) -> TraceError {
        TraceError { step: Some(step), problem: self }
    }
}

impl From<Flaw> for TraceError {
    fn from(flaw: Flaw) -> TraceError {
        TraceError { step: flaw.step, problem: TraceProblem::Flaw(flaw) }
    }
}

/// Replays a trace of a query.
#[must_use]
pub fn replayed(system: &System, traced: &TracedQuery, property: &Property) -> ReplayResult {
    let mut result = ReplayResult {
        query: traced.query.clone(),
        answer: traced.answer,
        ok: false,
        outcome: ReplayOutcome::Spurious,
        length: traced.trace.length,
        step: None,
        reason: Some("not a run of the model".to_owned()),
    };
    if traced.trace.spurious {
        return result;
    }
    match follow(system, traced, property) {
        Ok(()) => (result.ok, result.outcome, result.reason) = (true, ReplayOutcome::Ok, None),
        Err(TraceError { step, problem }) => {
            let undecided = matches!(&problem, TraceProblem::Flaw(flaw) if flaw.is_undecided());
            result.outcome = if undecided { ReplayOutcome::Unknown } else { ReplayOutcome::Wrong };
            (result.step, result.reason) = (step, Some(problem.to_string()));
        }
    }
    result
}

/// Replays a trace: checks that every step is possible, that its states are correct, and that its
/// end decides the query.
///
/// # Errors
/// The trace is not accepted.
pub fn follow(system: &System, traced: &TracedQuery, property: &Property) -> Result<(), TraceError> {
    let (run, ending) = checked(system, &traced.trace)?;
    let shown = match traced.answer {
        Verdict::Satisfied => Shown::Satisfied,
        Verdict::NotSatisfied => Shown::NotSatisfied,
        Verdict::Unknown => Shown::RunTimeError,
    };
    Ok(check_run(system, (&run, ending), shown, property)?)
}

/// Replays a trace of a query about a probability, on a system with its claim: checks that it is a
/// run that reaches what is asked for, or violates what always has to hold, within the bound.
#[must_use]
pub fn replayed_claim(system: &System, traced: &TracedQuery, property: &Property, claim: &PathClaim) -> ReplayResult {
    let shows = if matches!(property, Property::State { exists: true, .. }) {
        Verdict::Satisfied
    } else {
        Verdict::NotSatisfied
    };
    let answered = TracedQuery { answer: shows, ..traced.clone() };
    let mut result = replayed(system, &answered, property);
    let within = match checked(system, &traced.trace) {
        Ok((run, ending)) if result.ok => claim.is_within(&verify::Trace::of_run(run, ending)),
        _ => return result,
    };
    (result.ok, result.outcome, result.reason) = match within {
        Some(true) => return result,
        Some(false) => (false, ReplayOutcome::Wrong, Some("the run ends where its moments don't count".to_owned())),
        None => (false, ReplayOutcome::Unknown, Some("the bound is one of a clock, which is not measured".to_owned())),
    };
    result
}

/// A run, and how it continues.
pub type ReplayedRun = (Vec<Visit>, Option<Ending>);

/// The run that a trace describes: checks that every step is possible and that its states are
/// correct.
///
/// # Errors
/// The trace is not a run.
pub fn checked(system: &System, given: &Trace) -> Result<ReplayedRun, TraceError> {
    if given.length != given.steps.len() {
        let problem = TraceProblem::Length { found: given.steps.len(), given: given.length };
        return Err(TraceError { step: None, problem });
    }
    let run = rebuild(system, given)?;
    let ending = ending(given)?;
    let run = replay::replay(system, &run, None).map_err(Flaw::from)?;
    check_transitions(system, &run)?;
    agree(given, &trace::named_trace(system, &verify::Trace::of_run(run.clone(), ending)))?;
    Ok((run, ending))
}

/// How a trace continues.
fn ending(given: &Trace) -> Result<Option<Ending>, TraceError> {
    let end = given.length + 1;
    match (given.ending, given.cycle) {
        (Some(json::Ending::Cycle), Some(step)) if (1..=given.length).contains(&step) => {
            Ok(Some(Ending::Cycle(step - 1)))
        }
        (Some(json::Ending::Cycle), _) => Err(TraceProblem::NoSuchCycle.at(end)),
        (_, Some(_)) => Err(TraceProblem::NeedlessCycle.at(end)),
        (Some(json::Ending::Waits), None) => Ok(Some(Ending::Waits)),
        (Some(json::Ending::Stops), None) => Ok(Some(Ending::Stops)),
        (None, None) => Ok(None),
    }
}

/// The run that a trace describes, in numbers.
fn rebuild(system: &System, given: &Trace) -> Result<replay::Trace, TraceError> {
    let mut run = replay::Trace::default();
    for (step, number) in given.steps.iter().zip(1..) {
        let at = |problem: TraceProblem| problem.at(number);
        let delay = time(step.delay.as_deref()).map_err(at)?;
        let edges: Result<Vec<EdgeId>, TraceProblem> = step.edges.iter().map(|edge| find(system, edge)).collect();
        run.steps.push(replay::TimedStep { delay, edges: edges.map_err(at)? });
    }
    let last_delay = time(given.last_delay.as_deref()).map_err(|problem| problem.at(given.length + 1))?;
    run.last_delay = Some(last_delay);
    Ok(run)
}

/// `3`, `7/2`
fn time(text: Option<&str>) -> Result<Ratio, TraceProblem> {
    let text = text.ok_or(TraceProblem::UnknownDelay)?;
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let number = numerator.parse().ok().zip(denominator.parse().ok());
    // Each time has one notation.
    let time = number.and_then(|(n, d)| Ratio::new(n, d)).filter(|time| time.to_string() == text);
    time.ok_or_else(|| TraceProblem::NotATime(text.to_owned()))
}

/// Returns the path of a trace that need not be a run: the edges that it names, and the row after
/// each step, by the updates alone.
///
/// # Errors
/// An edge is not in the model, or an update fails.
pub fn path(system: &System, given: &Trace) -> Result<Vec<verify::Move>, TraceError> {
    let mut replayer = replay::Replayer::new(system);
    let mut path = vec![(Vec::new(), system.initial.clone())];
    let mut row = system.initial.clone();
    for (step, number) in given.steps.iter().zip(1..) {
        let edges: Result<Vec<EdgeId>, TraceProblem> = step.edges.iter().map(|edge| find(system, edge)).collect();
        let edges = edges.map_err(|problem| problem.at(number))?;
        let updated = replayer.update(&row, &edges);
        let (next, _) = updated.map_err(|fault| Flaw::from(replay::Refusal::Fault(number, fault)))?;
        row.clone_from(&next);
        path.push((edges, next));
    }
    Ok(path)
}

/// The edge of this description.
fn find(system: &System, given: &TakenEdge) -> Result<EdgeId, TraceProblem> {
    let same = |e: &EdgeId| trace::edge(system, *e) == *given;
    let mut found = (0..system.edges.len() as u32).map(EdgeId).filter(same);
    if let Some(edge) = found.next() {
        return match found.next() {
            None => Ok(edge),
            Some(_) => Err(TraceProblem::SeveralEdges(given.process.clone())),
        };
    }
    let TakenEdge { process, source, target, edge, sync, .. } = given.clone();
    if !system.processes.iter().any(|p| p.name == process) {
        return Err(TraceProblem::NoProcess(process));
    }
    let sync = sync.map_or(String::new(), |sync| format!(" with `{sync}`"));
    Err(TraceProblem::NoEdge { process, edge, from: source, to: target, sync })
}

/// Checks the states of a trace.
fn agree(given: &Trace, truth: &Trace) -> Result<(), TraceError> {
    if given.start != truth.start {
        return Err(TraceProblem::OtherStart.at(0));
    }
    for ((a, b), number) in given.steps.iter().zip(&truth.steps).zip(1..) {
        if a.changes != b.changes || a.element_changes != b.element_changes {
            return Err(TraceProblem::OtherVariables.at(number));
        }
        if a.clocks != b.clocks {
            return Err(TraceProblem::OtherClocks.at(number));
        }
    }
    if given.end != truth.end {
        return Err(TraceProblem::OtherEnd.at(given.length + 1));
    }
    Ok(())
}
