//! A process after process 0: it does what process 0 says, and prints nothing but errors.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
    thread,
    time::Duration,
};

use ::cluster::{Key, Listening, Place, Task};
use clap::Parser;
use merkhet::{Document, Limits, Query, Session, Source};
use syntax::{Diagnostic, Span};

use super::{ClusterError, Invitation, children::Children, children::Seat, connect, hosts, place, version};
use crate::{
    args::{Cli, ClusterCommand, Command, LimitArgs, VerifyArgs},
    commands::{fail, verify::ask::select_queries},
    interrupt,
    output::Streams,
    status::Status,
    watch::{self, WATCH},
};

/// The longest line that says who a process is.
const MAX_SEAT: u64 = 1 << 16;

/// Takes part as the process that the user has started with this number.
pub fn follow(args: &VerifyArgs, number: usize, streams: &mut Streams<'_>) -> io::Result<Status> {
    let own = hosts(&args.cluster).and_then(|hosts| place(&args.cluster, number, hosts.unwrap_or_default()));
    match own {
        Ok(place) => take_part(place, streams),
        Err(why) => fail(why, streams),
    }
}

/// Takes part as the process that the standard input names.
pub fn join(streams: &mut Streams<'_>) -> io::Result<Status> {
    let mut line = String::new();
    BufReader::new((&mut *streams.stdin).take(MAX_SEAT)).read_line(&mut line)?;
    let Ok(seat) = serde_json::from_str::<Seat>(&line) else {
        return fail("this command is for `merkhet cluster run`, which tells it what to do", streams);
    };
    let Seat { number, count, first, listens, secret, seconds } = seat;
    let patience = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    end_with_parent();
    let key = Key::new(secret.as_bytes());
    take_part(Place { number, count, listens, first, key, version: version(), patience }, streams)
}

/// Ends the work of this process soon after the one that has started it. It may have ended without
/// a word, and this one may not be connected yet.
fn end_with_parent() {
    #[cfg(unix)]
    {
        use std::os::unix::process::parent_id;
        let parent = parent_id();
        let watch = move || {
            while parent_id() == parent {
                thread::sleep(Duration::from_millis(100));
            }
            WATCH.interrupt();
        };
        // Without it, the limits on silence still hold.
        let _ = thread::Builder::new().name("parent".to_owned()).spawn(watch);
    }
}

fn take_part(place: Place, streams: &mut Streams<'_>) -> io::Result<Status> {
    interrupt::flag();
    let mesh = Listening::new(place).map_err(ClusterError::from);
    let mesh = mesh.and_then(|listening| connect(listening, Task::default(), &mut Children::default(), streams));
    let mesh = match mesh {
        Ok(mesh) => mesh,
        Err(why) => return fail(why, streams),
    };
    if let Err(why) = work(&mesh) {
        return fail(why, streams);
    }
    if mesh.cluster.wait_for_end() {
        return Ok(Status::Fine);
    }
    if let Some((process, why)) = mesh.cluster.loss() {
        streams.fail(&format!("process {process} was lost: {why}"))?;
    }
    Ok(Status::Unknown)
}

/// Runs the searches of process 0.
fn work(mesh: &::cluster::Mesh) -> Result<(), ClusterError> {
    let invitation: Invitation = serde_json::from_slice(&mesh.what).map_err(|_| ClusterError::Malformed)?;
    let Invitation { words, model: (name, text), files, beside } = invitation;
    let mut args = match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Verify(args)) => *args,
        Ok(Command::Report(args)) => args.into_verify(),
        Ok(Command::Cluster(ClusterCommand::Run(args))) => args.verify,
        _ => return Err(ClusterError::Malformed),
    };
    args.queries.extend(beside);
    // Time is the business of process 0, and memory that of each.
    watch::start(&LimitArgs { time_limit: None, memory_limit: args.settings.limits.memory });
    let source = Source::text(&name, text);
    let define = args.constants.define.iter();
    let source = define.fold(source, |source, (name, value)| source.with_constant(name, value));
    let mut document = Document::read(source, &WATCH).check().deny_unsupported();
    let unread = || Box::new(Diagnostic::error("unreadable", Span::NONE, "process 0 has not sent this file"));
    let mut read = |path: &Path| {
        let file = files.iter().find(|(other, _)| other == path);
        file.map(|(_, text)| text.clone()).ok_or_else(unread)
    };
    let asked = select_queries(&args, &mut document, &mut read);
    let mut model = document.into_model().map_err(|_| ClusterError::Malformed)?;
    let checked: Vec<_> = asked.queries.iter().filter_map(|(_, query)| model.check(query.clone()).ok()).collect();
    let checked: Vec<&Query> = checked.iter().collect();
    let options = merkhet::Options { cluster: Some(mesh.cluster.clone()), ..args.options() };
    let limits = Limits { time: None, ..args.settings.limits };
    Ok(Session::new(&mut model).ask_all(&checked, &options, &limits, &mut ())?)
}
