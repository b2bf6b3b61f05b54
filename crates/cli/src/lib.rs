//! The command line, as a library: [`main`] is what the binary `merkhet` does.

mod args;
mod commands;
mod defect;
mod input;
mod interrupt;
mod junit;
mod output;
mod outputs;
mod progress;
mod queries;
mod sarif;
mod status;
mod verifyta;
mod watch;

use std::{
    ffi::OsString,
    io::{self, BufWriter, IsTerminal},
};

use anstream::{AutoStream, ColorChoice};
use merkhet::user::Resolver;
use show::{estimate, json, net_names, render, shown};

use output::{Pipe, Streams};
use status::Status;

/// Runs a command line, whose first word is the name of the program, with the streams of the
/// process. Returns the exit status.
///
/// A resolver finds classes of lattices that are neither built in nor defined by a model.
///
/// A command may set what panics and Ctrl-C do, and may end the process: it is meant for a process
/// that does nothing else.
pub fn main(words: impl IntoIterator<Item = OsString>, resolver: Option<Resolver>) -> u8 {
    input::resolve_by(resolver);
    defect::report_panics();
    defect::guard(|| {
        let out_color = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let err_color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let mut streams = Streams {
            stdin: &mut io::stdin().lock(),
            out: &mut Pipe::new(BufWriter::new(io::stdout().lock()), io::stdout().is_terminal()),
            err: &mut Pipe::new(io::stderr().lock(), io::stderr().is_terminal()),
            out_color,
            err_color,
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            in_is_terminal: io::stdin().is_terminal(),
        };
        let outcome = commands::run(words, &mut streams).and_then(|status| streams.out.flush().map(|()| status));
        outcome.unwrap_or_else(|e| {
            // Nothing can be done if this can't be written either.
            let _ = streams.fail(&format!("can't write the output: {}", output::reason(&e)));
            Status::Wrong
        })
    })
    .code()
}
