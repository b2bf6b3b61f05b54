//! Describes the state of a simulation, as values and as text.

use show::simulation;

use super::session::{CommandError, Reply, Session};
use crate::json::{
    DiagnosticEntry, VERSION,
    simulate::{Breakpoint, Move, SimulateLine, Situation},
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
    let made = &session.run.history[i];
    let step = simulation::step(&session.model.system, session.run.state_at(i), made);
    Move { number: i + 1, time: made.time.to_string(), step }
}

fn now(session: &Session) -> Situation {
    let here = session.state();
    let holds = |b: &&super::session::Break| session.holds(&b.formula, here).unwrap_or(false);
    let breakpoints = session.breaks.iter().filter(holds).map(breakpoint).collect();
    Situation { breakpoints, ..simulation::situation(&session.model.system, &session.sources, &session.run) }
}
