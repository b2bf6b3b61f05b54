//! Describes the state of a simulation, as values and as text.

use model::{
    simulate::{self, DelayLimit, Delays},
    system::LocationId,
};

use super::session::{CommandError, Made, Reply, Session};
use crate::{
    json::{
        DiagnosticEntry, VERSION,
        simulate::{Breakpoint, DelayRange, Move, RunTimeError, SimulateLine, Situation, Transition},
        verify::{NamedState, TakenEdge, TraceStep},
    },
    net_names::{NetEvent, NetNames},
    trace,
};

/// An empty reply.
pub fn line(command: Option<&str>) -> SimulateLine {
    SimulateLine {
        version: VERSION,
        command: command.map(str::to_owned),
        ok: true,
        message: None,
        help: None,
        diagnostics: Vec::new(),
        hidden: 0,
        moves: Vec::new(),
        values: Vec::new(),
        breakpoints: None,
        now: None,
    }
}

/// The reply to a command, without its first `hidden` moves.
///
/// # Errors
/// A limit was reached before all moves were described.
pub fn reply(
    session: &Session,
    command: Option<&str>,
    reply: Reply,
    hidden: usize,
    stops: &dyn Fn() -> bool,
) -> Result<SimulateLine, CommandError> {
    let mut moves = Vec::with_capacity(reply.moves.len());
    for i in reply.moves {
        if stops() {
            return Err(CommandError::new("a limit was reached before all moves were described"));
        }
        moves.push(describe_move(session, i));
    }
    Ok(SimulateLine {
        message: reply.message,
        hidden,
        moves,
        values: reply.values,
        breakpoints: reply.breakpoints.then(|| session.breaks.iter().map(breakpoint).collect()),
        now: reply.now.then(|| now(session)),
        ..line(command)
    })
}

/// The reply to a command that failed.
pub fn wrong(session: &Session, command: Option<&str>, wrong: &CommandError) -> SimulateLine {
    let entry = |d| DiagnosticEntry::new(&session.sources, &session.origin, d);
    SimulateLine {
        ok: false,
        message: Some(wrong.message.clone()),
        help: wrong.help.clone(),
        diagnostics: wrong.diagnostics.iter().map(entry).collect(),
        ..line(command)
    }
}

fn breakpoint(b: &super::session::Break) -> Breakpoint {
    Breakpoint { number: b.number, expression: b.text.clone() }
}

fn describe_move(session: &Session, i: usize) -> Move {
    let system = &session.model.system;
    let Made { delay, edges, state, time } = &session.history[i];
    let NetEvent { fires, becomes_available } = NetNames::new(system).map(|net| net.event(edges)).unwrap_or_default();
    let step = TraceStep {
        delay: Some(delay.to_string()),
        fires,
        becomes_available,
        edges: edges.iter().map(|e| trace::edge(system, *e)).collect(),
        changes: trace::changes(system, &session.state_at(i).row, &state.row),
        element_changes: trace::element_changes(system, &session.state_at(i).row, &state.row),
        clocks: Some(trace::clocks(system, &state.clocks)),
    };
    Move { number: i + 1, time: time.to_string(), step }
}

fn now(session: &Session) -> Situation {
    let system = &session.model.system;
    let here = session.state();
    let state: NamedState = trace::state(system, &here.row, Some(&here.clocks));
    let holds = |b: &&super::session::Break| session.holds(&b.formula, here).unwrap_or(false);
    let breakpoints = session.breaks.iter().filter(holds).map(breakpoint).collect();
    let (situation, problem) = match session.situation() {
        Ok(situation) => (situation, None),
        Err(wrong) => {
            let unknown = simulate::Situation {
                wait: simulate::DelayInterval::NOW,
                limit: DelayLimit::Nothing,
                choices: Vec::new(),
                failures: Vec::new(),
            };
            (unknown, Some(wrong.message))
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
        place: place(session, failure.fault.pc),
        delays: intervals(&failure.delays),
        fires: event(&failure.edges).fires,
        edges: names(&failure.edges),
        fatal: failure.fatal,
    };
    Situation {
        moves: session.at,
        ahead: session.history.len() - session.at,
        time: session.time().to_string(),
        state,
        wait: interval(&situation.wait),
        limit: limit(session, situation.limit),
        transitions: situation.choices.iter().zip(1..).map(transition).collect(),
        errors: once(situation.failures.iter().map(error)),
        deadlock: problem.is_none() && situation.choices.is_empty() && situation.failures.is_empty(),
        problem,
        breakpoints,
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
fn place(session: &Session, pc: u32) -> Option<String> {
    let at = session.sources.locate(session.model.system.site(pc))?;
    Some(format!("{}:{}:{}", at.file, at.in_file.line, at.in_file.column))
}

fn limit(session: &Session, limit: DelayLimit) -> Option<String> {
    let system = &session.model.system;
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

/// A set of delays.
pub fn intervals(delays: &Delays) -> Vec<DelayRange> {
    delays.intervals().iter().map(interval).collect()
}

/// An interval.
pub fn interval(i: &simulate::DelayInterval) -> DelayRange {
    DelayRange {
        from: i.from.at.to_string(),
        from_included: !i.from.after,
        to: i.to.map(|to| to.at.to_string()),
        to_included: i.to.is_some_and(|to| to.after),
    }
}

/// Delays as text: `now`, `at any time`, `after 2..5`, `after >3`.
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

/// The delays that are allowed, as text.
pub fn wait(i: &DelayRange) -> String {
    match (i.to.as_deref(), i.to_included) {
        (None, _) => "time may pass without bound".to_owned(),
        (Some("0"), _) => "time may not pass".to_owned(),
        (Some(to), true) => format!("time may pass for at most {to}"),
        (Some(to), false) => format!("time may pass for less than {to}"),
    }
}
