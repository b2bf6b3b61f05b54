//! The commands of the simulator.

use std::path::PathBuf;

use model::Ratio;
use syntax::nearest;

use super::CommandError;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulatorCommand {
    /// Nothing: an empty line, or a comment.
    Nothing,
    /// Take a transition, after an exact delay or as early as possible.
    Take(usize, Option<Ratio>),
    /// Let time pass.
    Delay(Ratio),
    /// Undo moves.
    Undo(usize),
    /// Redo moves.
    Redo(usize),
    /// Go to the state after the move with this number; `None`: the last one.
    Goto(Option<usize>),
    /// Make random moves.
    Random(usize),
    /// Make random moves up to a breakpoint, or until an expression holds.
    Run(Option<String>),
    /// Add a breakpoint.
    Break(String),
    /// List the breakpoints.
    Breaks,
    /// Remove a breakpoint.
    Delete(usize),
    /// Show a value.
    Show(String),
    /// Show the state.
    State,
    /// Show the moves so far.
    Trace,
    /// Write the moves so far into a file; whether one that exists may be replaced.
    Save(PathBuf, bool),
    /// Read moves from a file.
    Load(PathBuf, Option<usize>),
    /// Show the commands.
    Help,
    /// End.
    Quit,
}

/// The names of the commands.
const WORDS: [&str; 18] = [
    "delay", "undo", "redo", "next", "goto", "random", "run", "break", "breaks", "delete", "show", "state", "trace",
    "save", "load", "help", "quit", "exit",
];

/// The output of `help`.
pub const HELP: &str = "\
N               take transition N at its earliest delay
N @ D           take it after exactly the delay D, such as 3, 7/2 or 3.5
delay D         let time pass
random [N]      take N random transitions (1)
run             take random transitions up to a breakpoint
run until EXPR  take random transitions until EXPR holds
undo [N]        undo N moves (1)
redo [N], next  make N moves (1) that were undone, or that a trace has loaded
goto N          go to the state after move N; 0 is the start, `end` the last move
state           show the state and what is possible
show EXPR       show the value of an expression, such as P.count + 1, x or P.a and x > 3
trace           show the moves so far
break EXPR      stop `random` and `run` where EXPR comes to hold
breaks          list the breakpoints
delete N        delete breakpoint N
save FILE       write the moves so far into FILE; `merkhet replay` reads it; `save --force` replaces a file
load FILE [N]   load trace N (1) of FILE, which `save` or `verify --trace-file` wrote; `next` plays it
help            show this
quit            end";

/// Reads a command.
///
/// # Errors
/// The command is wrong.
pub fn parse(line: &str) -> Result<SimulatorCommand, CommandError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(SimulatorCommand::Nothing);
    }
    if line.starts_with(|c: char| c.is_ascii_digit()) {
        return take(line);
    }
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let plain = |command: SimulatorCommand| match rest {
        "" => Ok(command),
        _ => Err(CommandError::new(format!("`{word}` takes no argument"))),
    };
    let expression = || match rest {
        "" => Err(CommandError::new(format!("`{word}` needs an expression"))
            .help(format!("for example `{word} P.a and x > 3`"))),
        _ => Ok(rest.to_owned()),
    };
    let file = |text: &str| match unquoted(text) {
        "" => Err(CommandError::new(format!("`{word}` needs the name of a file"))),
        name => Ok(PathBuf::from(name)),
    };
    match word {
        "delay" if rest.is_empty() => Err(CommandError::new("`delay` needs a time").help("for example `delay 7/2`")),
        "delay" => Ok(SimulatorCommand::Delay(time(rest)?)),
        "undo" => Ok(SimulatorCommand::Undo(number(rest, Some(1))?)),
        "redo" | "next" => Ok(SimulatorCommand::Redo(number(rest, Some(1))?)),
        "goto" if rest == "end" => Ok(SimulatorCommand::Goto(None)),
        "goto" if rest == "start" => Ok(SimulatorCommand::Goto(Some(0))),
        "goto" => Ok(SimulatorCommand::Goto(Some(number(rest, None)?))),
        "random" => Ok(SimulatorCommand::Random(number(rest, Some(1))?)),
        "run" if rest.is_empty() => Ok(SimulatorCommand::Run(None)),
        "run" => match rest.strip_prefix("until").filter(|e| e.starts_with([' ', '\t', '('])) {
            Some(expression) => Ok(SimulatorCommand::Run(Some(expression.trim().to_owned()))),
            None => {
                Err(CommandError::new(format!("`run` does not know `{rest}`")).help("write `run` or `run until EXPR`"))
            }
        },
        "break" => Ok(SimulatorCommand::Break(expression()?)),
        "breaks" => plain(SimulatorCommand::Breaks),
        "delete" => Ok(SimulatorCommand::Delete(number(rest, None)?)),
        "show" => Ok(SimulatorCommand::Show(expression()?)),
        "state" => plain(SimulatorCommand::State),
        "trace" => plain(SimulatorCommand::Trace),
        "save" => match rest.strip_prefix("--force ") {
            Some(name) => Ok(SimulatorCommand::Save(file(name.trim_start())?, true)),
            None => Ok(SimulatorCommand::Save(file(rest)?, false)),
        },
        "load" => match rest.rsplit_once(char::is_whitespace) {
            Some((name, last)) if last.bytes().all(|b| b.is_ascii_digit()) => {
                Ok(SimulatorCommand::Load(file(name)?, Some(number(last, None)?)))
            }
            _ => Ok(SimulatorCommand::Load(file(rest)?, None)),
        },
        "help" | "?" => plain(SimulatorCommand::Help),
        "quit" | "exit" | "q" => plain(SimulatorCommand::Quit),
        _ => {
            let near = nearest(word, WORDS).map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| "`help` lists the commands".to_owned());
            Err(CommandError::new(format!("unknown command `{word}`")).help(help))
        }
    }
}

/// `3`, `3 @ 7/2`, `3 7/2`
fn take(line: &str) -> Result<SimulatorCommand, CommandError> {
    let (first, rest) = match line.find(|c: char| c == '@' || c.is_whitespace()) {
        Some(end) => line.split_at(end),
        None => (line, ""),
    };
    let rest = rest.trim_start();
    let delay = rest.strip_prefix('@').unwrap_or(rest).trim();
    if rest.starts_with('@') && delay.is_empty() {
        return Err(CommandError::new("there is no delay after `@`").help("for example `1 @ 7/2`"));
    }
    let Ok(number) = first.parse() else {
        return Err(CommandError::new(format!("`{first}` is not the number of a transition"))
            .help("to let time pass write `delay 7/2`, to take a transition `1` or `1 @ 7/2`"));
    };
    Ok(SimulatorCommand::Take(number, if delay.is_empty() { None } else { Some(time(delay)?) }))
}

fn number(text: &str, default: Option<usize>) -> Result<usize, CommandError> {
    match (text, default) {
        ("", Some(n)) => Ok(n),
        ("", None) => Err(CommandError::new("a number is missing here")),
        _ => text.parse().map_err(|_| CommandError::new(format!("`{text}` is not a number"))),
    }
}

/// `3`, `7/2`, `3.5`
fn time(text: &str) -> Result<Ratio, CommandError> {
    text.parse().map_err(|_| {
        CommandError::new(format!("`{text}` is not a time"))
            .help("write a whole number, a fraction such as `7/2`, or `3.5`")
    })
}

/// Names of files may be quoted.
fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let half = Ratio::new(7, 2);
        for (line, expected) in [
            ("  ", SimulatorCommand::Nothing),
            ("# 3", SimulatorCommand::Nothing),
            ("3", SimulatorCommand::Take(3, None)),
            ("3 7/2", SimulatorCommand::Take(3, half)),
            ("3@7/2", SimulatorCommand::Take(3, half)),
            (" 3 @ 3.5 ", SimulatorCommand::Take(3, half)),
            ("delay 14/4", SimulatorCommand::Delay(half.unwrap())),
            ("undo", SimulatorCommand::Undo(1)),
            ("next 4", SimulatorCommand::Redo(4)),
            ("goto end", SimulatorCommand::Goto(None)),
            ("goto 0", SimulatorCommand::Goto(Some(0))),
            ("run", SimulatorCommand::Run(None)),
            ("run until x > 3", SimulatorCommand::Run(Some("x > 3".to_owned()))),
            ("run until(x > 3)", SimulatorCommand::Run(Some("(x > 3)".to_owned()))),
            ("break P.a and x > 3", SimulatorCommand::Break("P.a and x > 3".to_owned())),
            ("load a file 2", SimulatorCommand::Load("a file".into(), Some(2))),
            ("load 2", SimulatorCommand::Load("2".into(), None)),
            ("save 'a 2'", SimulatorCommand::Save("a 2".into(), false)),
            ("save --force a", SimulatorCommand::Save("a".into(), true)),
            ("q", SimulatorCommand::Quit),
        ] {
            assert_eq!(parse(line).map_err(|wrong| wrong.message), Ok(expected), "{line}");
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (line, message, help) in [
            ("stat", "unknown command `stat`", "did you mean `state`?"),
            ("zzzzz", "unknown command `zzzzz`", "`help` lists the commands"),
            ("1 @", "there is no delay after `@`", "1 @ 7/2"),
            ("1 x", "`x` is not a time", "7/2"),
            ("1 -2", "`-2` is not a time", "7/2"),
            ("1 1/0", "`1/0` is not a time", "7/2"),
            ("1 3.", "`3.` is not a time", "7/2"),
            ("7/2", "`7/2` is not the number of a transition", "delay 7/2"),
            ("99999999999999999999", "`99999999999999999999` is not the number of a transition", "delay"),
            ("delay", "`delay` needs a time", "delay 7/2"),
            ("delay 99999999999999999999", "`99999999999999999999` is not a time", "7/2"),
            ("run untilx", "`run` does not know `untilx`", "run until EXPR"),
            ("break", "`break` needs an expression", "for example"),
            ("goto", "a number is missing here", ""),
            ("undo two", "`two` is not a number", ""),
            ("state now", "`state` takes no argument", ""),
            ("save", "`save` needs the name of a file", ""),
        ] {
            let wrong = parse(line).unwrap_err();
            assert_eq!(wrong.message, message);
            assert!(wrong.help.unwrap_or_default().contains(help), "{line}");
        }
    }
}
