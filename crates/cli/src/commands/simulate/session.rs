//! A run that grows and shrinks with every command.

use std::{path::PathBuf, time::Duration};

use merkhet::{
    plain,
    simulation::{MoveError, Random, Run},
};
use model::{
    Formula, Model, Ratio, System,
    machine::Fault,
    replay::{ConcreteState, Refusal},
};
use show::simulation;
use syntax::{Diagnostic, Sources};

use super::command::{HELP, SimulatorCommand};
use crate::{commands::count, json::simulate as json};

/// Why a command is not executed.
#[derive(Debug, Default)]
pub struct CommandError {
    /// One sentence.
    pub message: String,
    /// What the user could do.
    pub help: Option<String>,
    /// The errors of an expression; they are shown instead of the message.
    pub diagnostics: Vec<Diagnostic>,
    /// The run-time error that the message is about.
    pub fault: Option<Fault>,
}

impl CommandError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), ..CommandError::default() }
    }

    /// Adds help.
    pub fn help(self, help: impl Into<String>) -> CommandError {
        CommandError { help: Some(help.into()), ..self }
    }
}

impl From<Refusal> for CommandError {
    fn from(why: Refusal) -> CommandError {
        let fault = if let Refusal::Fault(_, fault) = &why { Some(*fault) } else { None };
        CommandError { fault, ..CommandError::new(merkhet::Flaw::from(why).to_string()) }
    }
}

/// The reply to a command.
#[derive(Default)]
pub struct Reply {
    /// A sentence.
    pub message: Option<String>,
    /// The moves to show, as a range of the history.
    pub moves: std::ops::Range<usize>,
    /// The values to show.
    pub values: Vec<json::ExpressionValue>,
    /// Whether to list the breakpoints.
    pub breakpoints: bool,
    /// Whether to show the current state.
    pub now: bool,
    /// Whether the session ends.
    pub end: bool,
}

/// An expression to stop at.
pub struct Break {
    pub number: usize,
    pub text: String,
    pub formula: Formula,
}

/// A simulation.
pub struct Session {
    /// The name of the model in messages.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    pub sources: Sources,
    pub model: Box<Model>,
    /// The model's system with the code of breakpoints.
    pub system: System,
    pub run: Run,
    pub breaks: Vec<Break>,
    /// The number of the last breakpoint.
    pub broken: usize,
    pub random: Random,
    /// The name of expressions in messages.
    pub origin: String,
    /// The time limit of a command.
    pub time_limit: Option<Duration>,
}

impl Session {
    /// Starts a session.
    ///
    /// # Errors
    /// There is no initial state.
    pub fn new(
        name: String,
        path: PathBuf,
        sources: Sources,
        model: Box<Model>,
        seed: u64,
    ) -> Result<Session, CommandError> {
        let run = Run::new(&model.system)?;
        Ok(Session {
            name,
            path,
            sources,
            system: model.system.clone(),
            model,
            run,
            breaks: Vec::new(),
            broken: 0,
            random: Random::new(seed),
            origin: "<expression>".to_owned(),
            time_limit: None,
        })
    }

    /// The current state.
    pub fn state(&self) -> &ConcreteState {
        self.run.state()
    }

    /// Executes a command.
    ///
    /// # Errors
    /// The command can't be executed; nothing has changed.
    pub fn execute(&mut self, command: SimulatorCommand) -> Result<Reply, CommandError> {
        self.perform(command).map_err(|wrong| self.explained(wrong))
    }

    /// Describes a run-time error in words of the model.
    pub fn explained(&self, wrong: CommandError) -> CommandError {
        match &wrong.fault {
            Some(fault) => CommandError { message: format!("run-time error: {}", self.system.explain(fault)), ..wrong },
            None => wrong,
        }
    }

    fn perform(&mut self, command: SimulatorCommand) -> Result<Reply, CommandError> {
        let from = self.run.at;
        let here = Reply { now: true, ..Reply::default() };
        let message_reply = |message: String| Reply { message: Some(message), ..Reply::default() };
        match command {
            SimulatorCommand::Nothing => Ok(Reply::default()),
            SimulatorCommand::Quit => Ok(Reply { end: true, ..Reply::default() }),
            SimulatorCommand::Help => Ok(message_reply(HELP.to_owned())),
            SimulatorCommand::State => Ok(here),
            SimulatorCommand::Trace => Ok(Reply { moves: 0..self.run.at, ..Reply::default() }),
            SimulatorCommand::Take(number, delay) => {
                let ahead = self.run.take(&self.model.system, number, delay)?;
                Ok(Reply { moves: from..self.run.at, message: dropped(ahead), ..here })
            }
            SimulatorCommand::Delay(delay) => {
                let ahead = self.delay(delay)?;
                Ok(Reply { moves: from..self.run.at, message: dropped(ahead), ..here })
            }
            SimulatorCommand::Undo(n) if n > self.run.at => Err(match self.run.at {
                0 => CommandError::new("there is nothing to undo"),
                moves => CommandError::new(format!("no more than {} can be undone", count(moves, "move"))),
            }),
            SimulatorCommand::Undo(n) => {
                self.run.at -= n;
                Ok(here)
            }
            SimulatorCommand::Redo(n) if n > self.run.history.len() - self.run.at => {
                Err(match self.run.history.len() - self.run.at {
                    0 => CommandError::new("there are no moves ahead").help("`undo` and `load` leave some"),
                    moves => CommandError::new(format!("no more than {} can be made again", count(moves, "move"))),
                })
            }
            SimulatorCommand::Redo(n) => {
                self.run.at += n;
                Ok(Reply { moves: from..self.run.at, ..here })
            }
            SimulatorCommand::Goto(to) => {
                let to = to.unwrap_or(self.run.history.len());
                if to > self.run.history.len() {
                    let moves = count(self.run.history.len(), "move");
                    return Err(CommandError::new(format!("there is no move {to}; the run has {moves}")));
                }
                self.run.at = to;
                Ok(here)
            }
            SimulatorCommand::Random(n) => self.random(n),
            SimulatorCommand::Run(until) => self.run(until.as_deref()),
            SimulatorCommand::Break(text) => {
                let (system, formula) = self.formula(&text)?;
                self.system = system;
                self.broken += 1;
                self.breaks.push(Break { number: self.broken, text: plain(&text), formula });
                Ok(Reply { breakpoints: true, ..Reply::default() })
            }
            SimulatorCommand::Breaks => Ok(Reply { breakpoints: true, ..Reply::default() }),
            SimulatorCommand::Delete(number) => {
                let Some(i) = self.breaks.iter().position(|b| b.number == number) else {
                    return Err(
                        CommandError::new(format!("there is no breakpoint {number}")).help("`breaks` lists them")
                    );
                };
                self.breaks.remove(i);
                Ok(Reply { breakpoints: true, ..Reply::default() })
            }
            SimulatorCommand::Show(text) => Ok(Reply { values: self.show(&text)?, ..Reply::default() }),
            SimulatorCommand::Save(path, force) => Ok(message_reply(self.save(&path, force)?)),
            SimulatorCommand::Load(path, number) => Ok(Reply { message: Some(self.load(&path, number)?), ..here }),
        }
    }

    /// Lets time pass. Returns the number of moves ahead that are dropped.
    fn delay(&mut self, delay: Ratio) -> Result<usize, CommandError> {
        let waited = self.run.wait(&self.model.system, delay);
        waited.map_err(|why| match (&why, self.run.situation(&self.model.system)) {
            (MoveError::Refused(_), Ok(situation)) => {
                let help = simulation::wait(&simulation::interval(&situation.wait));
                CommandError::from(why).help(help)
            }
            _ => why.into(),
        })
    }
}

impl From<MoveError> for CommandError {
    fn from(why: MoveError) -> CommandError {
        let wrong = CommandError { fault: why.fault(), ..CommandError::new(why.to_string()) };
        match &why {
            MoveError::Full { .. } => wrong.help("`undo` and `goto` free some"),
            MoveError::NoTransition { count, .. } => wrong.help(match count {
                0 => "none is possible; `undo` goes back".to_owned(),
                1 => "there is one, with the number 1; `state` shows it".to_owned(),
                n => format!("there are {n}; `state` lists them"),
            }),
            MoveError::NotThen { delays, .. } => {
                wrong.help(format!("it is possible {}", simulation::delays(&simulation::intervals(delays))))
            }
            MoveError::Refused(_) | MoveError::Trouble(_) => wrong,
        }
    }
}

fn dropped(ahead: usize) -> Option<String> {
    (ahead > 0).then(|| format!("{} ahead {} dropped", count(ahead, "move"), if ahead == 1 { "is" } else { "are" }))
}
