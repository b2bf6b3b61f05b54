//! The command line.

mod args;
mod commands;
mod defect;
mod excerpt;
mod hooks;
mod input;
mod interrupt;
mod json;
mod junit;
mod net_names;
mod output;
mod outputs;
mod progress;
mod queries;
mod render;
mod sarif;
mod shown;
mod status;
mod trace;
mod verifyta;
mod watch;

use std::{
    io::{self, BufWriter, IsTerminal},
    process::ExitCode,
};

use anstream::{AutoStream, ColorChoice};

use output::{Pipe, Streams};
use status::Status;

fn main() -> ExitCode {
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
        let outcome =
            commands::run(std::env::args_os(), &mut streams).and_then(|status| streams.out.flush().map(|()| status));
        outcome.unwrap_or_else(|e| {
            // Nothing can be done if this can't be written either.
            let _ = streams.fail(&format!("can't write the output: {}", output::reason(&e)));
            Status::Wrong
        })
    })
    .into()
}
