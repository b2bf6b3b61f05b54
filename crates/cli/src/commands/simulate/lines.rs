//! The lines of commands: from a file or pipe, or edited on a terminal.

use std::io::{self, BufRead, Read as _, Write};

use rustyline::{DefaultEditor, error::ReadlineError};

use super::CommandError;

/// Longer lines are refused.
const MAX_LINE_BYTES: u64 = 1 << 16;

const PROMPT: &str = "> ";

/// The lines of commands.
pub enum Lines<'a> {
    /// As they are read, with or without a prompt.
    Plain(&'a mut dyn BufRead, bool),
    /// With line editing, and a history of this session.
    Edited(Box<DefaultEditor>),
}

impl<'a> Lines<'a> {
    /// Lines from `input`. They can be edited if both streams are terminals.
    pub fn new(input: &'a mut dyn BufRead, edited: bool, prompt: bool) -> Lines<'a> {
        match DefaultEditor::new() {
            Ok(editor) if edited => Lines::Edited(Box::new(editor)),
            _ => Lines::Plain(input, prompt),
        }
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self, out: &mut dyn Write) -> io::Result<Option<Result<String, CommandError>>> {
        match self {
            Lines::Plain(input, prompt) => {
                if *prompt {
                    write!(out, "{PROMPT}")?;
                }
                out.flush()?;
                read_line(*input)
            }
            Lines::Edited(editor) => {
                out.flush()?;
                match editor.readline(PROMPT) {
                    Ok(line) => {
                        // A full history is not an error.
                        let _ = editor.add_history_entry(&line);
                        Ok(Some(Ok(line)))
                    }
                    Err(ReadlineError::Interrupted) => Ok(Some(Ok(String::new()))),
                    Err(ReadlineError::Eof) => Ok(None),
                    Err(ReadlineError::Io(e)) => Err(e),
                    Err(e) => Err(io::Error::other(e)),
                }
            }
        }
    }
}

fn read_line(lines: &mut dyn BufRead) -> io::Result<Option<Result<String, CommandError>>> {
    let mut bytes = Vec::new();
    if (&mut *lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') {
        lines.skip_until(b'\n')?;
        return Ok(Some(Err(CommandError::new("the line is too long"))));
    }
    Ok(Some(String::from_utf8(bytes).map_err(|_| CommandError::new("the line is not UTF-8 text"))))
}
