//! The commands, one file for each.

mod bench;
mod certify;
mod check;
mod cluster;
mod completions;
mod convert;
mod graph;
mod list;
mod man;
pub mod replay;
mod serve;
mod simulate;
pub mod verify;

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, Write as _},
    path::Path,
};

use clap::Parser;
use merkhet::Document;
pub use show::render::count;
use show::written;

use crate::{
    args::{Cli, ClusterCommand, Command, When},
    input,
    output::Streams,
    outputs::{OutputError, Outputs, Target},
    render::{Renderer, one_line, unstyled, without_obeyed},
    shown::{self, Shown},
    status::Status,
    verifyta, watch,
};

/// Runs a command line.
///
/// # Errors
/// The output could not be written.
pub fn run(words: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> io::Result<Status> {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.first().is_some_and(verifyta::is_name) {
        return verifyta::run(words.into_iter().skip(1), streams);
    }
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(e) => {
            // clap quotes the arguments unchanged, and control characters in them can't be
            // distinguished from colours.
            let plain = words.iter().any(|word| word.to_string_lossy().contains(char::is_control));
            return explain(&e, plain, streams);
        }
    };
    if cli.color != When::Auto {
        streams.out_color = cli.color == When::Always;
        streams.err_color = streams.out_color;
    }
    if let Some(limits) = cli.command.limits() {
        watch::start(&limits);
    }
    match cli.command {
        Command::Verify(args) => verify::run(&args, &words, streams),
        Command::Report(args) => verify::run(&args.into_verify(), &words, streams),
        Command::Serve(args) => serve::run(&args, streams),
        Command::Cluster(ClusterCommand::Run(args)) => cluster::run(&args, &words, streams),
        Command::Cluster(ClusterCommand::Join) => cluster::join(streams),
        Command::Verifyta(args) => verifyta::run(args.words, streams),
        Command::Certify(args) => certify::run(&args, streams),
        Command::Replay(args) => replay::run(&args, streams),
        Command::Simulate(args) => simulate::run(&args, streams),
        Command::Check(args) => check::run(&args, streams),
        Command::Convert(args) => convert::run(&args, written::print, streams),
        Command::Graph(args) => graph::run(&args, written::draw, streams),
        Command::Bench(args) => bench::run(&args, streams),
        Command::List(args) => list::run(&args, streams),
        Command::Completions(args) => completions::run(&args, streams),
        Command::Man(args) => man::run(&args, streams),
    }
}

/// Prints help, the version, or what is wrong with the usage.
fn explain(e: &clap::Error, plain: bool, streams: &mut Streams<'_>) -> io::Result<Status> {
    let (out, color, status): (&mut dyn io::Write, _, _) = if e.use_stderr() {
        (streams.err, streams.err_color, Status::Wrong)
    } else {
        (streams.out, streams.out_color, Status::Fine)
    };
    let text = e.render();
    let text = if color && !plain { text.ansi().to_string() } else { text.to_string() };
    let text = if plain { unstyled(&text) } else { without_obeyed(&text) };
    out.write_all(text.as_bytes())?;
    Ok(status)
}

/// The destination of the output of a command.
enum Destination {
    Stdout,
    File(Target),
}

impl Destination {
    /// The standard output for `-`, else a file, of a command that reads some files.
    ///
    /// # Errors
    /// It can't or must not be written.
    fn start<'a>(output: &Path, reads: impl IntoIterator<Item = &'a Path>) -> Result<Destination, OutputError> {
        if input::is_dash(output) {
            return Ok(Destination::Stdout);
        }
        Outputs::new(reads).start(output).map(Destination::File)
    }

    /// Writes `text`, which is `what` in messages.
    fn deliver(self, text: &str, what: &str, streams: &mut Streams<'_>) -> io::Result<Status> {
        match self {
            Destination::Stdout if streams.out_is_terminal => {
                // A comment of the model may contain escapes, which a terminal would obey.
                let text = text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "\u{fffd}");
                streams.out.write_all(text.as_bytes())?;
            }
            Destination::Stdout => streams.out.write_all(text.as_bytes())?,
            Destination::File(mut target) => {
                let written = target.write_all(text.as_bytes()).map_err(|e| target.error(e));
                match written.and_then(|()| target.finish(what)) {
                    Ok(note) => writeln!(streams.err, "note: {}", one_line(&note))?,
                    Err(why) => return fail(why, streams),
                }
            }
        }
        Ok(Status::Fine)
    }
}

/// Prints an error, and returns the status of wrong usage.
fn fail(why: impl Display, streams: &mut Streams<'_>) -> io::Result<Status> {
    streams.fail(&why.to_string())?;
    Ok(Status::Wrong)
}

/// Prints the errors of a model.
fn refuse(opened: &mut Document, streams: &mut Streams<'_>) -> io::Result<Status> {
    // The limit does not apply to its own message.
    watch::end();
    opened.diagnostics.retain(syntax::Diagnostic::is_error);
    shown::sort(&mut opened.diagnostics, &opened.sources);
    let shown = Shown { sources: &opened.sources, file: &opened.name, diagnostics: &opened.diagnostics };
    shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
    Ok(input::refused(opened))
}

/// Prints which limit was reached, if one was.
///
/// # Errors
/// The output could not be written.
fn stopped(streams: &mut Streams<'_>) -> io::Result<Option<Status>> {
    let Some(stop) = watch::stopped() else { return Ok(None) };
    streams.out.flush()?;
    streams.fail(&stop.to_string())?;
    Ok(Some(Status::Unknown))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;

    /// An empty folder for one test, with a model in it.
    pub fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("merkhet-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let model = "process P() { state a; init a; } process Q() { state b; init b; } system P, Q;";
        fs::write(folder.join("m.xta"), model).unwrap();
        fs::write(folder.join("wrong.xta"), "process P() { state a; } system P;").unwrap();
        folder
    }

    /// The names of the files in a folder.
    pub fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs a command; `@` at the start of a word stands for the folder. Returns the status, and
    /// what was written to the standard output and to the standard error.
    pub fn run_words(
        folder: &Path,
        words: &str,
        command: impl Fn(Command, &mut Streams<'_>) -> io::Result<Status>,
    ) -> (Status, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let words = words.split_whitespace().map(|word| match word.strip_prefix('@') {
            Some(name) => folder.join(name).into_os_string(),
            None => word.into(),
        });
        let cli = Cli::try_parse_from(words).unwrap();
        let mut streams = Streams {
            stdin: &mut io::empty(),
            out: &mut out,
            err: &mut err,
            out_color: false,
            err_color: false,
            out_is_terminal: false,
            err_is_terminal: false,
            in_is_terminal: false,
        };
        let status = command(cli.command, &mut streams).unwrap();
        (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }
}
