//! Compares answers with those of the oracle.

use model::{Extremum, Property, Quantity, System};
use oracle::explicit::{self, OracleAnswer as Truth, is_faster_possible};
use verify::{Answer, Limit, Order, Range, Reason, Trace, Update, Verdict, Wanted};

use super::wrong::WrongAnswer;

/// Networks with more explicit states are not compared.
const ORACLE_STATES: usize = 2_500;

/// Returns the options of the oracle.
pub fn oracle_options() -> explicit::ExplicitOptions {
    explicit::ExplicitOptions { states: ORACLE_STATES, ..explicit::ExplicitOptions::default() }
}

/// The answer of the oracle to a query.
pub enum ExpectedAnswer {
    /// To a query about states or runs.
    Report(explicit::Report),
    /// To a query about values, one for each quantity.
    Values(Vec<Result<explicit::ValueRange, explicit::UnknownReason>>),
}

impl ExpectedAnswer {
    /// Returns the answers to all queries of a system.
    pub fn of(system: &System, properties: &[Property]) -> Vec<ExpectedAnswer> {
        let mut reports = explicit::check_all(system, properties, oracle_options());
        if reports.iter().any(|report| report.answer == Truth::Unknown(explicit::UnknownReason::Stopwatches)) {
            reports = in_ticks(system, properties);
        }
        let known = properties.iter().zip(reports).map(|(property, report)| match property {
            Property::Bounds { predicate, quantities, .. } => {
                let values = |q: &Quantity| explicit::values(system, predicate, *q, oracle_options());
                ExpectedAnswer::Values(quantities.iter().map(values).collect())
            }
            _ => ExpectedAnswer::Report(report),
        });
        known.collect()
    }

    /// Returns whether answers can be compared with it.
    pub fn is_known(&self) -> bool {
        let stopped = explicit::UnknownReason::States;
        match self {
            ExpectedAnswer::Report(report) => report.answer != Truth::Unknown(stopped),
            ExpectedAnswer::Values(values) => values.iter().all(|value| *value != Err(stopped)),
        }
    }
}

/// Answers queries with ticks of half a time unit: regions do not support stopped clocks. Ticks are
/// an underapproximation, so negative answers and shortest lengths are unknown.
fn in_ticks(system: &System, properties: &[Property]) -> Vec<explicit::Report> {
    let options = explicit::ExplicitOptions { time: explicit::Time::Ticks(2), ..oracle_options() };
    let reports = explicit::check_all(system, properties, options);
    let one_sided = |(property, report): (&Property, explicit::Report)| {
        let answer = match (property, report.answer) {
            (Property::State { exists: true, .. }, Truth::Satisfied)
            | (Property::State { exists: false, .. }, Truth::NotSatisfied) => report.answer,
            _ => Truth::Unknown(explicit::UnknownReason::Ticks),
        };
        explicit::Report { answer, length: None, ..report }
    };
    properties.iter().zip(reports).map(one_sided).collect()
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The answer is correct; there is no trace.
    Right,
    /// The answer and its trace are correct.
    Trace,
    /// The same, and the trace is optimal, as claimed.
    Best,
    /// The answer is unknown, for a legitimate reason.
    Unknown(&'static str),
    /// The oracle has no answer.
    NotCompared,
}

/// Compares an answer with that of the oracle.
///
/// # Errors
/// The answer is wrong.
pub fn judge(
    system: &System,
    property: &Property,
    known: &ExpectedAnswer,
    answer: &Answer,
) -> Result<Judgement, WrongAnswer> {
    match known {
        ExpectedAnswer::Report(report) => judge_report(system, property, report, answer),
        ExpectedAnswer::Values(values) => judge_values(property, values, answer),
    }
}

fn judge_report(
    system: &System,
    property: &Property,
    report: &explicit::Report,
    answer: &Answer,
) -> Result<Judgement, WrongAnswer> {
    // If the oracle has not explored all states, there may be an error in the others.
    let may_fail = report.fault.is_some() || !report.complete;
    if let Some(judgement) = unknown(answer, may_fail)? {
        return Ok(judgement);
    }
    let found = match property {
        Property::State { exists, .. } => Some(Verdict::if_found(*exists)),
        _ => None,
    };
    let expected = match report.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        // A complete search must have found the error. A search that has found a run need not.
        Truth::Unknown(explicit::UnknownReason::Fault(fault))
            if found.as_ref().is_some_and(|v| *v != answer.verdict) =>
        {
            return Err(WrongAnswer::MissedFault { found: answer.verdict.clone(), fault: fault.kind });
        }
        Truth::Unknown(_) => return Ok(Judgement::NotCompared),
    };
    if answer.verdict != expected {
        return Err(WrongAnswer::Verdict { found: answer.verdict.clone(), expected });
    }
    let Some(found) = found else { return Ok(Judgement::Right) };
    match &answer.trace {
        Some(trace) if expected == found => judge_trace(system, property, report, answer, trace),
        None if expected == found => Err(WrongAnswer::NoTrace),
        Some(_) => Err(WrongAnswer::UnexpectedTrace),
        None => Ok(Judgement::Right),
    }
}

/// Returns why an answer may be unknown; `None` if it is known.
fn unknown(answer: &Answer, fails: bool) -> Result<Option<Judgement>, WrongAnswer> {
    let Verdict::Unknown(reason) = &answer.verdict else { return Ok(None) };
    let joins = answer.plan.update == Update::Join;
    Ok(Some(Judgement::Unknown(match reason {
        Reason::Limit(_) => "a limit was reached",
        Reason::RunTime(..) | Reason::User(..) if fails => "a run-time error",
        Reason::Imprecise(_) if joins && !answer.plan.refines() => "joined states, without refinement",
        Reason::Imprecise(_) if answer.plan.stopwatches => "stopwatches",
        // Formulas have limits of their own.
        Reason::Bound(_) if answer.formulas.is_some() => "no run up to a bound",
        Reason::Refused(_) if answer.formulas.is_some() => "no formulas for it",
        Reason::Formula(_) if answer.formulas.is_some() => "a formula that was not decided",
        Reason::Imprecise("variables that nothing reads") => "variables that nothing reads",
        reason => return Err(WrongAnswer::Unknown(reason.clone())),
    })))
}

fn judge_trace(
    system: &System,
    property: &Property,
    report: &explicit::Report,
    answer: &Answer,
    trace: &Trace,
) -> Result<Judgement, WrongAnswer> {
    if !trace.is_replayed() {
        return Err(WrongAnswer::Replay);
    }
    let Some(shortest) = report.length else { return Ok(Judgement::Trace) };
    let length = trace.steps.len();
    let is_shortest = promises_shortest(answer);
    if length < shortest as usize || is_shortest && length > shortest as usize {
        return Err(WrongAnswer::Length { length, shortest });
    }
    let is_fastest = answer.plan.wanted == Wanted::Fastest && answer.plan.why_not_best().is_none();
    if is_fastest {
        let total = trace.duration().ok_or(WrongAnswer::NoDuration)?;
        if is_faster_possible(system, property, total, oracle_options()) {
            return Err(WrongAnswer::NotFastest);
        }
    }
    Ok(if is_shortest || is_fastest { Judgement::Best } else { Judgement::Trace })
}

/// Returns whether a trace must be a shortest one.
fn promises_shortest(answer: &Answer) -> bool {
    let plan = &answer.plan;
    if plan.why_not_best().is_some() {
        return false;
    }
    match (plan.wanted, plan.order) {
        (Wanted::Shortest, _) => true,
        (Wanted::Some, Order::Astar) => {
            plan.guidance.weight == 1 && plan.guidance.heuristics.iter().all(verify::Heuristic::is_admissible)
        }
        // A deeper state may cover a waiting one, so only plain breadth-first search finds a
        // shortest path.
        (Wanted::Some, Order::Bfs) => plan.update == Update::Simple,
        _ => false,
    }
}

fn judge_values(
    property: &Property,
    values: &[Result<explicit::ValueRange, explicit::UnknownReason>],
    answer: &Answer,
) -> Result<Judgement, WrongAnswer> {
    let Property::Bounds { extremum, .. } = property else { return Ok(Judgement::NotCompared) };
    let fails = values.iter().any(|value| matches!(value, Err(explicit::UnknownReason::Fault(_))));
    if matches!(answer.verdict, Verdict::Unknown(Reason::Growth(_))) {
        return Ok(Judgement::Unknown("a clock that grows"));
    }
    if let Some(judgement) = unknown(answer, fails)? {
        return Ok(judgement);
    }
    let found = answer.values.as_deref().ok_or(WrongAnswer::NoValues)?;
    for (value, range) in values.iter().zip(found) {
        let Ok(value) = value else { return Ok(Judgement::NotCompared) };
        if !agrees(*extremum, *value, range) {
            return Err(WrongAnswer::Values { found: *range, expected: *value });
        }
    }
    Ok(Judgement::Right)
}

/// Returns whether the bounds of an engine are those of the oracle.
fn agrees(extremum: Extremum, values: explicit::ValueRange, range: &Range) -> bool {
    let Some((least, greatest)) = values else { return *range == Range::default() };
    let is_one = |limit: Option<Limit>, truth: explicit::ExtremeValue| match (limit, truth) {
        (Some(Limit::Number { value, strict }), explicit::ExtremeValue::Number(n, open)) => {
            (value, strict) == (i64::from(n), open)
        }
        (Some(Limit::Number { value, strict }), explicit::ExtremeValue::Beyond) => {
            value > i64::from(explicit::MAX_CLOCK_VALUE) || value == i64::from(explicit::MAX_CLOCK_VALUE) && strict
        }
        (Some(Limit::Infinite), explicit::ExtremeValue::Beyond) => true,
        _ => false,
    };
    (if extremum == Extremum::Sup { range.least.is_none() } else { is_one(range.least, least) })
        && (if extremum == Extremum::Inf { range.greatest.is_none() } else { is_one(range.greatest, greatest) })
}
