//! `merkhet completions`

use std::io;

use clap::CommandFactory;

use crate::{
    args::{Cli, CompletionsArgs},
    output::Streams,
    status::Status,
};

/// Runs the command.
pub fn run(args: &CompletionsArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    // The generator panics where it can't write, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "merkhet", &mut script);
    streams.out.write_all(&script)?;
    Ok(Status::Fine)
}
