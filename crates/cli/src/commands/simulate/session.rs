//! A run that grows and shrinks with every command.

use std::{path::PathBuf, time::Duration};

use model::{
    Formula, Model, Ratio, System,
    replay::{ConcreteState, Refusal},
    simulate::{Simulator, Situation, Trouble},
    system::EdgeId,
};
use syntax::{Diagnostic, Sources};

use super::{
    command::{Command, HELP},
    random::{self, Random},
    tell,
};
use crate::{commands::count, json::simulate as json};

/// More moves are not kept.
const MAX_MOVES: usize = 100_000;

/// States with more numbers than these, all together, are not kept.
const MAX_NUMBERS: usize = 1 << 27;

/// Why a command is not done.
#[derive(Debug, Default)]
pub struct Wrong {
    /// One sentence.
    pub message: String,
    /// What the user could do.
    pub help: Option<String>,
    /// What is wrong with an expression, which says more.
    pub diagnostics: Vec<Diagnostic>,
}

impl Wrong {
    /// For this reason.
    pub fn new(message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), ..Wrong::default() }
    }

    /// With something that the user could do.
    pub fn help(self, help: impl Into<String>) -> Wrong {
        Wrong { help: Some(help.into()), ..self }
    }
}

impl From<Refusal> for Wrong {
    fn from(why: Refusal) -> Wrong {
        Wrong::new(merkhet::Flaw::from(why).to_string())
    }
}

/// What a command has to say.
#[derive(Default)]
pub struct Reply {
    /// A sentence.
    pub message: Option<String>,
    /// The moves to tell of, by their places in the history.
    pub moves: std::ops::Range<usize>,
    /// Values that were asked for.
    pub values: Vec<json::Value>,
    /// Whether to list the breakpoints.
    pub breakpoints: bool,
    /// Whether to tell where the run is.
    pub now: bool,
    /// Whether nothing follows.
    pub end: bool,
}

/// A move that was made.
pub struct Made {
    /// How much time passed.
    pub delay: Ratio,
    /// The transition behind that; none: time passed and nothing else.
    pub edges: Vec<EdgeId>,
    /// The state behind it.
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
    /// What messages call the model.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    pub sources: Sources,
    pub model: Box<Model>,
    /// The model's system with the code of conditions to stop at.
    pub system: System,
    pub start: ConcreteState,
    /// The moves so far, and behind `at` those that were taken back.
    pub history: Vec<Made>,
    /// How many moves lead to where the run is.
    pub at: usize,
    pub breaks: Vec<Break>,
    /// How many breakpoints there ever were.
    pub broken: usize,
    pub random: Random,
    /// What messages call the text of expressions.
    pub origin: String,
    /// How long a command may take.
    pub time_limit: Option<Duration>,
}

impl Session {
    /// Starts.
    ///
    /// # Errors
    /// There is no initial state.
    pub fn new(name: String, path: PathBuf, sources: Sources, model: Box<Model>, seed: u64) -> Result<Session, Wrong> {
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

    /// The state behind so many moves.
    pub fn state_at(&self, moves: usize) -> &ConcreteState {
        moves.checked_sub(1).map_or(&self.start, |i| &self.history[i].state)
    }

    /// Where the run is.
    pub fn state(&self) -> &ConcreteState {
        self.state_at(self.at)
    }

    /// The time since the start.
    pub fn time(&self) -> Ratio {
        self.at.checked_sub(1).map_or(Ratio::ZERO, |i| self.history[i].time)
    }

    /// Does what a command says.
    ///
    /// # Errors
    /// Why it can't be done; nothing has changed then.
    pub fn execute(&mut self, command: Command) -> Result<Reply, Wrong> {
        let from = self.at;
        let here = Reply { now: true, ..Reply::default() };
        let says = |message: String| Reply { message: Some(message), ..Reply::default() };
        match command {
            Command::Nothing => Ok(Reply::default()),
            Command::Quit => Ok(Reply { end: true, ..Reply::default() }),
            Command::Help => Ok(says(HELP.to_owned())),
            Command::State => Ok(here),
            Command::Trace => Ok(Reply { moves: 0..self.at, ..Reply::default() }),
            Command::Take(number, delay) => {
                let ahead = self.take(number, delay)?;
                Ok(Reply { moves: from..self.at, message: dropped(ahead), ..here })
            }
            Command::Delay(delay) => {
                let ahead = self.delay(delay)?;
                Ok(Reply { moves: from..self.at, message: dropped(ahead), ..here })
            }
            Command::Undo(n) if n > self.at => Err(match self.at {
                0 => Wrong::new("there is nothing to take back"),
                moves => Wrong::new(format!("no more than {} can be taken back", count(moves, "move"))),
            }),
            Command::Undo(n) => {
                self.at -= n;
                Ok(here)
            }
            Command::Redo(n) if n > self.history.len() - self.at => Err(match self.history.len() - self.at {
                0 => Wrong::new("there are no moves ahead").help("`undo` and `load` leave some"),
                moves => Wrong::new(format!("no more than {} can be made again", count(moves, "move"))),
            }),
            Command::Redo(n) => {
                self.at += n;
                Ok(Reply { moves: from..self.at, ..here })
            }
            Command::Goto(to) => {
                let to = to.unwrap_or(self.history.len());
                if to > self.history.len() {
                    let moves = count(self.history.len(), "move");
                    return Err(Wrong::new(format!("there is no move {to}; the run has {moves}")));
                }
                self.at = to;
                Ok(here)
            }
            Command::Random(n) => self.random(n),
            Command::Run(until) => self.run(until.as_deref()),
            Command::Break(text) => {
                let (system, formula) = self.formula(&text)?;
                self.system = system;
                self.broken += 1;
                self.breaks.push(Break { number: self.broken, text: plain(&text), formula });
                Ok(Reply { breakpoints: true, ..Reply::default() })
            }
            Command::Breaks => Ok(Reply { breakpoints: true, ..Reply::default() }),
            Command::Delete(number) => {
                let Some(i) = self.breaks.iter().position(|b| b.number == number) else {
                    return Err(Wrong::new(format!("there is no breakpoint {number}")).help("`breaks` lists them"));
                };
                self.breaks.remove(i);
                Ok(Reply { breakpoints: true, ..Reply::default() })
            }
            Command::Show(text) => Ok(Reply { values: self.show(&text)?, ..Reply::default() }),
            Command::Save(path, force) => Ok(says(self.save(&path, force)?)),
            Command::Load(path, number) => Ok(Reply { message: Some(self.load(&path, number)?), ..here }),
        }
    }

    /// What is possible now.
    ///
    /// # Errors
    /// That can't be told.
    pub fn situation(&self) -> Result<Situation, Wrong> {
        Simulator::new(&self.model.system).situation(self.state()).map_err(Wrong::from)
    }

    /// How many more moves can be kept, which are at least `wanted`.
    ///
    /// # Errors
    /// There is no room for so many.
    pub fn room(&self, wanted: usize) -> Result<usize, Wrong> {
        let system = &self.model.system;
        let most = MAX_MOVES.min(MAX_NUMBERS / (system.initial.len() + 4 * system.clocks.len()).max(1));
        let room = most.saturating_sub(self.at);
        if wanted > room {
            let wrong = Wrong::new(format!("no more than {} are kept, and {} are made", count(most, "move"), self.at));
            return Err(wrong.help("`undo` and `goto` take moves back"));
        }
        Ok(room)
    }

    /// Takes a transition. Returns how many moves that were ahead are lost.
    fn take(&mut self, number: usize, delay: Option<Ratio>) -> Result<usize, Wrong> {
        let situation = self.situation()?;
        let Some(choice) = number.checked_sub(1).and_then(|i| situation.choices.get(i)) else {
            let wrong = Wrong::new(format!("there is no transition {number} here"));
            return Err(wrong.help(match situation.choices.len() {
                0 => "none is possible; `undo` takes moves back".to_owned(),
                1 => "there is one, with the number 1; `state` shows it".to_owned(),
                n => format!("there are {n}; `state` lists them"),
            }));
        };
        let when = || tell::delays(&tell::intervals(&choice.delays));
        let delay = match delay {
            Some(delay) if choice.delays.contains(delay) => delay,
            Some(delay) => {
                let wrong = Wrong::new(format!("transition {number} can't be taken after a delay of {delay}"));
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

    /// Lets time pass. Returns how many moves that were ahead are lost.
    fn delay(&mut self, delay: Ratio) -> Result<usize, Wrong> {
        let state = Simulator::new(&self.model.system).wait(self.state(), delay).map_err(|why| {
            let wrong = Wrong::from(why);
            match self.situation() {
                Ok(situation) => wrong.help(tell::wait(&tell::interval(&situation.wait))),
                Err(_) => wrong,
            }
        })?;
        let time = self.time().plus(delay).ok_or(Trouble::Overflow)?;
        self.make(Made { delay, edges: Vec::new(), state, time })
    }

    fn make(&mut self, made: Made) -> Result<usize, Wrong> {
        self.room(1)?;
        let ahead = self.history.len() - self.at;
        self.history.truncate(self.at);
        self.history.push(made);
        self.at += 1;
        Ok(ahead)
    }
}

impl From<Trouble> for Wrong {
    fn from(trouble: Trouble) -> Wrong {
        Wrong::new(match trouble {
            Trouble::Overflow => "times have too many digits",
            Trouble::TooMany => "there are too many transitions to list them",
        })
    }
}

fn dropped(ahead: usize) -> Option<String> {
    (ahead > 0)
        .then(|| format!("{} that lay ahead {} dropped", count(ahead, "move"), if ahead == 1 { "is" } else { "are" }))
}

/// An expression on one line, without the quantifier that people write from habit.
pub fn plain(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix("E<>").unwrap_or(text).trim().to_owned()
}
