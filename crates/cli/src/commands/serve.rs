//! `merkhet serve`

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::Ordering,
};

use merkhet::Limits;
use studio::{Config, Server};

use super::fail;
use crate::{args::ServeArgs, interrupt, output::Streams, status::Status};

/// Runs the command.
pub fn run(args: &ServeArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let path = args.model.as_deref().unwrap_or(Path::new("."));
    let (folder, model) = if path.is_dir() {
        (path, None)
    } else if path.is_file() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        (folder.unwrap_or(Path::new(".")), name)
    } else {
        return fail(format!("there is no file or folder `{}`", path.display()), streams);
    };
    let standard = Config::default();
    let limits = Limits {
        time: args.limits.time_limit.or(standard.limits.time),
        memory: args.limits.memory_limit.or(standard.limits.memory),
        states: None,
    };
    let config = Config { model, max_searches: args.max_searches.into(), limits, ..standard };
    let server = match Server::bind(folder, args.listen, args.token, config) {
        Ok(server) => server,
        Err(why) => return fail(why, streams),
    };
    let link = server.link();
    writeln!(streams.out, "Studio is at {link}")?;
    streams.out.flush()?;
    if args.open && !open(&link) {
        writeln!(streams.err, "note: no browser was found; open the link in one")?;
    }
    let stops = interrupt::flag();
    server.run(|| stops.load(Ordering::Relaxed));
    writeln!(streams.out, "Studio has ended.")?;
    Ok(Status::Fine)
}

/// Opens a link in the user's browser. Returns whether a program for that was found.
fn open(link: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut browser = Command::new(program);
    browser.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    browser.spawn().is_ok()
}
