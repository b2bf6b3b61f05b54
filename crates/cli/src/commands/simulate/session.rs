//! A run that grows and shrinks with every command.

use std::{path::PathBuf, time::Duration};

use model::{
    Formula, Model, Ratio, System,
    machine::Fault,
    replay::{ConcreteState, Refusal},
    simulate::{Simulator, Situation, Trouble},
    system::EdgeId,
};
use syntax::{Diagnostic, Sources};

use super::{
    command::{HELP, SimulatorCommand},
    describe,
    random::{self, Random},
};
use crate::{commands::count, json::simulate as json};

/// The largest number of moves that is kept.
const MAX_MOVES: usize = 100_000;

/// The largest total size of the states that are kept, in numbers.
const MAX_NUMBERS: usize = 1 << 27;

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

/// A move that was made.
pub struct Made {
    /// How much time passed.
    pub delay: Ratio,
    /// The transition after that; empty if only time passed.
    pub edges: Vec<EdgeId>,
    /// The state after it.
    pub state: ConcreteState,
    /// The time since the start.
    pub time: Ratio,
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
    pub start: ConcreteState,
    /// The moves so far, and after `at` those that were undone or loaded.
    pub history: Vec<Made>,
    /// The number of moves up to the current state.
    pub at: usize,
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
        let start = Simulator::new(&model.system).start()?;
        Ok(Session {
            name,
            path,
            sources,
            system: model.system.clone(),
            model,
            start,
            history: Vec::new(),
            at: 0,
            breaks: Vec::new(),
            broken: 0,
            random: Random::new(seed),
            origin: "<expression>".to_owned(),
            time_limit: None,
        })
    }

    /// The state after `moves` moves.
    pub fn state_at(&self, moves: usize) -> &ConcreteState {
        moves.checked_sub(1).map_or(&self.start, |i| &self.history[i].state)
    }

    /// The current state.
    pub fn state(&self) -> &ConcreteState {
        self.state_at(self.at)
    }

    /// The time since the start.
    pub fn time(&self) -> Ratio {
        self.at.checked_sub(1).map_or(Ratio::ZERO, |i| self.history[i].time)
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
        let from = self.at;
        let here = Reply { now: true, ..Reply::default() };
        let message_reply = |message: String| Reply { message: Some(message), ..Reply::default() };
        match command {
            SimulatorCommand::Nothing => Ok(Reply::default()),
            SimulatorCommand::Quit => Ok(Reply { end: true, ..Reply::default() }),
            SimulatorCommand::Help => Ok(message_reply(HELP.to_owned())),
            SimulatorCommand::State => Ok(here),
            SimulatorCommand::Trace => Ok(Reply { moves: 0..self.at, ..Reply::default() }),
            SimulatorCommand::Take(number, delay) => {
                let ahead = self.take(number, delay)?;
                Ok(Reply { moves: from..self.at, message: dropped(ahead), ..here })
            }
            SimulatorCommand::Delay(delay) => {
                let ahead = self.delay(delay)?;
                Ok(Reply { moves: from..self.at, message: dropped(ahead), ..here })
            }
            SimulatorCommand::Undo(n) if n > self.at => Err(match self.at {
                0 => CommandError::new("there is nothing to undo"),
                moves => CommandError::new(format!("no more than {} can be undone", count(moves, "move"))),
            }),
            SimulatorCommand::Undo(n) => {
                self.at -= n;
                Ok(here)
            }
            SimulatorCommand::Redo(n) if n > self.history.len() - self.at => Err(match self.history.len() - self.at {
                0 => CommandError::new("there are no moves ahead").help("`undo` and `load` leave some"),
                moves => CommandError::new(format!("no more than {} can be made again", count(moves, "move"))),
            }),
            SimulatorCommand::Redo(n) => {
                self.at += n;
                Ok(Reply { moves: from..self.at, ..here })
            }
            SimulatorCommand::Goto(to) => {
                let to = to.unwrap_or(self.history.len());
                if to > self.history.len() {
                    let moves = count(self.history.len(), "move");
                    return Err(CommandError::new(format!("there is no move {to}; the run has {moves}")));
                }
                self.at = to;
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

    /// The possible transitions and delays.
    ///
    /// # Errors
    /// They can't be computed.
    pub fn situation(&self) -> Result<Situation, CommandError> {
        Simulator::new(&self.model.system).situation(self.state()).map_err(CommandError::from)
    }

    /// The number of moves that can still be kept: at least `wanted`.
    ///
    /// # Errors There is not enough room.
    pub fn room(&self, wanted: usize) -> Result<usize, CommandError> {
        let system = &self.model.system;
        let max = MAX_MOVES.min(MAX_NUMBERS / (system.initial.len() + 4 * system.clocks.len()).max(1));
        let room = max.saturating_sub(self.at);
        if wanted > room {
            let wrong =
                CommandError::new(format!("no more than {} are kept, and {} are made", count(max, "move"), self.at));
            return Err(wrong.help("`undo` and `goto` free some"));
        }
        Ok(room)
    }

    /// Takes a transition. Returns the number of moves ahead that are dropped.
    fn take(&mut self, number: usize, delay: Option<Ratio>) -> Result<usize, CommandError> {
        let situation = self.situation()?;
        let Some(choice) = number.checked_sub(1).and_then(|i| situation.choices.get(i)) else {
            let wrong = CommandError::new(format!("there is no transition {number} here"));
            return Err(wrong.help(match situation.choices.len() {
                0 => "none is possible; `undo` goes back".to_owned(),
                1 => "there is one, with the number 1; `state` shows it".to_owned(),
                n => format!("there are {n}; `state` lists them"),
            }));
        };
        let when = || describe::delays(&describe::intervals(&choice.delays));
        let delay = match delay {
            Some(delay) if choice.delays.contains(delay) => delay,
            Some(delay) => {
                let wrong = CommandError::new(format!("transition {number} can't be taken after a delay of {delay}"));
                return Err(wrong.help(format!("it is possible {}", when())));
            }
            None => random::earliest(&choice.delays, self.time()).ok_or(Trouble::Overflow)?,
        };
        let mut simulator = Simulator::new(&self.model.system);
        let before = simulator.wait(self.state(), delay)?;
        let state = simulator.take(&before, &choice.edges)?;
        let time = self.time().plus(delay).ok_or(Trouble::Overflow)?;
        self.make(Made { delay, edges: choice.edges.clone(), state, time })
    }

    /// Lets time pass. Returns the number of moves ahead that are dropped.
    fn delay(&mut self, delay: Ratio) -> Result<usize, CommandError> {
        let state = Simulator::new(&self.model.system).wait(self.state(), delay).map_err(|why| {
            let wrong = CommandError::from(why);
            match self.situation() {
                Ok(situation) => wrong.help(describe::wait(&describe::interval(&situation.wait))),
                Err(_) => wrong,
            }
        })?;
        let time = self.time().plus(delay).ok_or(Trouble::Overflow)?;
        self.make(Made { delay, edges: Vec::new(), state, time })
    }

    fn make(&mut self, made: Made) -> Result<usize, CommandError> {
        self.room(1)?;
        let ahead = self.history.len() - self.at;
        self.history.truncate(self.at);
        self.history.push(made);
        self.at += 1;
        Ok(ahead)
    }
}

impl From<Trouble> for CommandError {
    fn from(trouble: Trouble) -> CommandError {
        CommandError::new(match trouble {
            Trouble::Overflow => "times have too many digits",
            Trouble::TooMany => "there are too many transitions to list them",
        })
    }
}

fn dropped(ahead: usize) -> Option<String> {
    (ahead > 0).then(|| format!("{} ahead {} dropped", count(ahead, "move"), if ahead == 1 { "is" } else { "are" }))
}

/// An expression without a leading `E<>`.
pub fn plain(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix("E<>").unwrap_or(text).trim().to_owned()
}
