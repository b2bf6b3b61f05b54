//! An answer against what the oracle knows.

use model::{Extremum, Property, Quantity, System};
use oracle::explicit::{self, OracleAnswer as Truth, is_faster_possible};
use verify::{Answer, Limit, Order, Range, Reason, Trace, Update, Verdict, Wanted};

/// Networks with more explicit states are not compared.
const ORACLE_STATES: usize = 2_500;

/// How the oracle looks.
pub fn oracle_options() -> explicit::ExplicitOptions {
    explicit::ExplicitOptions { states: ORACLE_STATES, ..explicit::ExplicitOptions::default() }
}

/// What the oracle says about a query.
pub enum OracleAnswers {
    /// About states and runs.
    Report(explicit::Report),
    /// About values, one for each quantity.
    Values(Vec<Result<explicit::ValueRange, explicit::UnknownReason>>),
}

impl OracleAnswers {
    /// About all queries of a system.
    pub fn of(system: &System, properties: &[Property]) -> Vec<OracleAnswers> {
        let mut reports = explicit::check_all(system, properties, oracle_options());
        if reports.iter().any(|report| report.answer == Truth::Unknown(explicit::UnknownReason::Stopwatches)) {
            reports = in_ticks(system, properties);
        }
        let known = properties.iter().zip(reports).map(|(property, report)| match property {
            Property::Bounds { predicate, quantities, .. } => {
                let values = |q: &Quantity| explicit::values(system, predicate, *q, oracle_options());
                OracleAnswers::Values(quantities.iter().map(values).collect())
            }
            _ => OracleAnswers::Report(report),
        });
        known.collect()
    }

    /// Whether there is something to compare answers with.
    pub fn is_known(&self) -> bool {
        let stopped = explicit::UnknownReason::States;
        match self {
            OracleAnswers::Report(report) => report.answer != Truth::Unknown(stopped),
            OracleAnswers::Values(values) => values.iter().all(|value| *value != Err(stopped)),
        }
    }
}

/// What is found in ticks of half a unit. Regions know nothing of clocks that stand still, and
/// ticks may miss something, so that what is not found is unknown, and so is how near the rest is.
fn in_ticks(system: &System, properties: &[Property]) -> Vec<explicit::Report> {
    let options = explicit::ExplicitOptions { time: explicit::Time::Ticks(2), ..oracle_options() };
    let reports = explicit::check_all(system, properties, options);
    let one_sided = |(property, report): (&Property, explicit::Report)| {
        let answer = match (property, report.answer) {
            (Property::Possibly(_), Truth::Satisfied) | (Property::Invariantly(_), Truth::NotSatisfied) => {
                report.answer
            }
            _ => Truth::Unknown(explicit::UnknownReason::Ticks),
        };
        explicit::Report { answer, length: None, ..report }
    };
    properties.iter().zip(reports).map(one_sided).collect()
}

/// What became of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The answer is right; there is no trace.
    Right,
    /// The answer is right, and so is its trace.
    Trace,
    /// The same, and the trace is best, as it was promised to be.
    Best,
    /// The answer is unknown, which it may be.
    Unknown(&'static str),
    /// The oracle does not know.
    NotCompared,
}

/// What is wrong with an answer, if anything is.
pub fn judge(
    system: &System,
    property: &Property,
    known: &OracleAnswers,
    answer: &Answer,
) -> Result<Judgement, String> {
    match known {
        OracleAnswers::Report(report) => judge_report(system, property, report, answer),
        OracleAnswers::Values(values) => judge_values(property, values, answer),
    }
}

fn judge_report(
    system: &System,
    property: &Property,
    report: &explicit::Report,
    answer: &Answer,
) -> Result<Judgement, String> {
    // Where the oracle has not seen all states, there may be an error in the others.
    let may_fail = report.fault.is_some() || !report.complete;
    if let Some(judgement) = unknown(answer, may_fail)? {
        return Ok(judgement);
    }
    let found = match property {
        Property::Possibly(_) => Some(Verdict::Satisfied),
        Property::Invariantly(_) => Some(Verdict::NotSatisfied),
        _ => None,
    };
    let expected = match report.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        // A search that has come to its end must have met the error. One that has found a run need
        // not have.
        Truth::Unknown(explicit::UnknownReason::Fault(fault))
            if found.as_ref().is_some_and(|v| *v != answer.verdict) =>
        {
            return Err(format!("{:?}, though a run has the error {:?}", answer.verdict, fault.kind));
        }
        Truth::Unknown(_) => return Ok(Judgement::NotCompared),
    };
    if answer.verdict != expected {
        return Err(format!("{:?}, not {expected:?}", answer.verdict));
    }
    let Some(found) = found else { return Ok(Judgement::Right) };
    match &answer.trace {
        Some(trace) if expected == found => judge_trace(system, property, report, answer, trace),
        None if expected == found => Err("there is no trace".to_owned()),
        Some(_) => Err("there is a trace to what can't be reached".to_owned()),
        None => Ok(Judgement::Right),
    }
}

/// Whether an unknown answer may be unknown; `None`: it is known.
fn unknown(answer: &Answer, fails: bool) -> Result<Option<Judgement>, String> {
    let Verdict::Unknown(reason) = &answer.verdict else { return Ok(None) };
    let joins = answer.plan.update == Update::Join;
    Ok(Some(Judgement::Unknown(match reason {
        Reason::Limit(_) => "a limit was reached",
        Reason::RunTime(..) if fails => "a run-time error",
        Reason::Imprecise(_) if joins && !answer.plan.refines() => "joined states, without refinement",
        Reason::Imprecise(_) if answer.plan.stopwatches => "stopwatches",
        // Formulas have limits of their own.
        Reason::Bound(_) if answer.asked.is_some() => "no run up to a bound",
        Reason::Refused(_) if answer.asked.is_some() => "no formulas for it",
        Reason::Formula(_) if answer.asked.is_some() => "a formula that was not decided",
        Reason::Imprecise("variables that nothing reads") => "variables that nothing reads",
        reason => return Err(format!("unknown, for no good reason: {reason:?}")),
    })))
}

fn judge_trace(
    system: &System,
    property: &Property,
    report: &explicit::Report,
    answer: &Answer,
    trace: &Trace,
) -> Result<Judgement, String> {
    if !trace.is_replayed() {
        return Err("the trace does not replay".to_owned());
    }
    let Some(least) = report.length else { return Ok(Judgement::Trace) };
    let length = trace.steps.len();
    let is_shortest = promises_shortest(answer);
    if length < least as usize || is_shortest && length > least as usize {
        return Err(format!("a trace of {length} transitions, but a shortest one has {least}"));
    }
    let is_fastest = answer.plan.wanted == Wanted::Fastest && answer.plan.why_not_best().is_none();
    if is_fastest {
        let total = trace.duration().ok_or("the delays of the trace have no sum")?;
        if is_faster_possible(system, property, total, oracle_options()) {
            return Err("there is a faster trace".to_owned());
        }
    }
    Ok(if is_shortest || is_fastest { Judgement::Best } else { Judgement::Trace })
}

/// Whether a trace has to be a shortest one.
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
        // A deeper state may cover one that still waits, so only plain breadth-first search finds a
        // shortest path.
        (Wanted::Some, Order::Bfs) => plan.update == Update::Simple,
        _ => false,
    }
}

fn judge_values(
    property: &Property,
    values: &[Result<explicit::ValueRange, explicit::UnknownReason>],
    answer: &Answer,
) -> Result<Judgement, String> {
    let Property::Bounds { extremum, .. } = property else { return Ok(Judgement::NotCompared) };
    let fails = values.iter().any(|value| matches!(value, Err(explicit::UnknownReason::Fault(_))));
    if matches!(answer.verdict, Verdict::Unknown(Reason::Growth(_))) {
        return Ok(Judgement::Unknown("a clock that grows"));
    }
    if let Some(judgement) = unknown(answer, fails)? {
        return Ok(judgement);
    }
    let found = answer.values.as_deref().ok_or("there are no values")?;
    for (value, range) in values.iter().zip(found) {
        let Ok(value) = value else { return Ok(Judgement::NotCompared) };
        if !agrees(*extremum, *value, range) {
            return Err(format!("{range:?}, not {value:?}"));
        }
    }
    Ok(Judgement::Right)
}

/// Whether an engine's bounds are those of the oracle.
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
