//! A process after process 0: it does what process 0 says, and prints nothing but errors.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
    thread,
    time::Duration,
};

use ::cluster::{Key, Listening, Place, Task};
use clap::Parser;
use merkhet::{Document, Limits, OptionsError, Query, Session, Source};
use syntax::{Diagnostic, Span};

use super::{ClusterError, Invitation, children::Children, children::Seat, connect, usage, version};
use crate::{
    args::{Cli, ClusterCommand, Command, LimitArgs, VerifyArgs},
    commands::{
        fail,
        verify::{ask::select_queries, checkpoints},
    },
    interrupt,
    output::Streams,
    render::Renderer,
    status::Status,
    watch::{self, WATCH},
};

/// The longest line that says who a process is.
const MAX_SEAT: u64 = 1 << 16;

/// Takes part as the process that the user has started with this number.
pub fn follow(args: &VerifyArgs, number: usize, streams: &mut Streams<'_>) -> io::Result<Status> {
    let mut wrong = Vec::new();
    let setting = usage::read(&args.cluster, false, &Renderer::new(streams.err_color), &mut wrong);
    match setting {
        Some(setting) if wrong.is_empty() => take_part(setting.place(&args.cluster, number), Some(args), streams),
        _ => {
            wrong.iter().try_for_each(|text| streams.err.write_all(text.as_bytes()))?;
            Ok(Status::Wrong)
        }
    }
}

/// Takes part as the process that the standard input names.
pub fn join(streams: &mut Streams<'_>) -> io::Result<Status> {
    let mut line = String::new();
    BufReader::new((&mut *streams.stdin).take(MAX_SEAT)).read_line(&mut line)?;
    let Ok(seat) = serde_json::from_str::<Seat>(&line) else {
        return fail("this command is for `merkhet cluster run`, which tells it what to do", streams);
    };
    let Seat { number, count, first, listens, secret, hosts, seconds } = seat;
    let patience = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    end_with_parent();
    let key = Key::new(secret.as_bytes());
    take_part(Place { number, count, listens, first, key, version: version(), hosts, patience }, None, streams)
}

/// Ends the work of this process when the one that has started it is gone, which holds the other
/// end of the standard input. It may have ended without a word before this one was connected.
fn end_with_parent() {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned() else { return };
        let watch = move || {
            // Nothing follows.
            let _ = io::copy(&mut std::fs::File::from(stdin), &mut io::sink());
            WATCH.interrupt();
        };
        // Without it, the limits on silence still hold.
        let _ = thread::Builder::new().name("parent".to_owned()).spawn(watch);
    }
}

/// Takes part. If the user has started this process, `own` is its command line.
fn take_part(place: Place, own: Option<&VerifyArgs>, streams: &mut Streams<'_>) -> io::Result<Status> {
    interrupt::flag();
    let mesh = Listening::new(place).map_err(ClusterError::from);
    let mesh = mesh.and_then(|listening| connect(listening, Task::default(), &mut Children::default(), streams));
    let mesh = match mesh {
        Ok(mesh) => mesh,
        Err(why) if why.is_wrong_usage() => return fail(why, streams),
        Err(why) => {
            streams.fail(&why.to_string())?;
            return Ok(Status::Unknown);
        }
    };
    let (args, worked) = match read(&mesh, own) {
        Ok((invitation, args)) => {
            let worked = work(&mesh, invitation, &args);
            (Some(args), worked)
        }
        Err(why) => (None, Err(why)),
    };
    // What is wrong with checkpoints is said by process 0.
    let is_said = matches!(worked, Err(ClusterError::Options(OptionsError::Checkpoint(_)))) && own.is_none();
    if let Err(why) = worked
        && !is_said
    {
        return fail(why, streams);
    }
    let ending = mesh.cluster.wait_for_end();
    args.iter().for_each(|args| checkpoints::leave(args, mesh.cluster.number(), ending));
    if ending.is_some() {
        return Ok(Status::Fine);
    }
    if let Some((process, why)) = mesh.cluster.loss() {
        streams.fail(&format!("process {process} was lost: {why}"))?;
    }
    Ok(Status::Unknown)
}

/// Reads what process 0 has sent. Checkpoints are where the command line of this process says, or
/// else where that of process 0 does.
fn read(mesh: &::cluster::Mesh, own: Option<&VerifyArgs>) -> Result<(Invitation, VerifyArgs), ClusterError> {
    let invitation: Invitation = serde_json::from_slice(&mesh.what).map_err(|_| ClusterError::Malformed)?;
    let mut args = match Cli::try_parse_from(&invitation.words).map(|cli| cli.command) {
        Ok(Command::Verify(args)) => *args,
        Ok(Command::Report(args)) => args.into_verify(),
        Ok(Command::Cluster(ClusterCommand::Run(args))) => args.verify,
        _ => return Err(ClusterError::Malformed),
    };
    if let Some(folder) = own.and_then(|own| own.checkpoint.as_ref().or(own.resume.as_ref())) {
        args.checkpoint = args.checkpoint.map(|_| folder.clone());
        args.resume = args.resume.map(|_| folder.clone());
    }
    args.queries.extend(invitation.beside.clone());
    Ok((invitation, args))
}

/// Runs the searches of process 0.
fn work(mesh: &::cluster::Mesh, invitation: Invitation, args: &VerifyArgs) -> Result<(), ClusterError> {
    let Invitation { model: (name, text), files, .. } = invitation;
    // Time is the business of process 0, and memory that of each.
    watch::start(&LimitArgs { time_limit: None, memory_limit: args.settings.limits.memory });
    let source = Source::text(&name, text);
    let define = args.constants.define.iter();
    let source = define.fold(source, |source, (name, value)| source.with_constant(name, value));
    let mut document = Document::read(source, &WATCH).check();
    let unread = || Box::new(Diagnostic::error("unreadable", Span::NONE, "process 0 has not sent this file"));
    let mut read = |path: &Path| {
        let file = files.iter().find(|(other, _)| other == path);
        file.map(|(_, text)| text.clone()).ok_or_else(unread)
    };
    let asked = select_queries(args, &mut document, &mut read);
    let mut model = document.into_model().map_err(|_| ClusterError::Malformed)?;
    let checked: Vec<_> = asked.queries.iter().filter_map(|(_, query)| model.check(query.clone()).ok()).collect();
    let checked: Vec<&Query> = checked.iter().collect();
    let options = merkhet::Options { cluster: Some(mesh.cluster.clone()), ..args.options() };
    let limits = Limits { time: None, ..args.settings.limits };
    let mut session = Session::new(&mut model);
    if let Some(kept) = checkpoints::join(args, mesh.cluster.number()) {
        session = session.with_checkpoints(kept);
    }
    Ok(session.ask_all(&checked, &options, &limits, &mut ())?)
}
