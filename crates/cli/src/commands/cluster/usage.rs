//! What the command line says about a cluster, with everything that is wrong with it.

use std::{fs, io, path::Path};

use ::cluster::{HostsError, HostsProblem, Key, Place};
use syntax::{Diagnostic, Sources, Span};

use super::{ClusterError, digest, version};
use crate::{args::ClusterArgs, input, render::Renderer};

/// The file of hosts, and the secret.
#[derive(Debug)]
pub struct Setting {
    pub hosts: Vec<String>,
    /// `None`: no process can be reached from other machines.
    key: Option<Key>,
}

/// Reads what the command line says about a cluster. `None`: it names no hosts. `launches`:
/// `merkhet cluster run` starts the processes. All that is wrong is added to `wrong` as text.
pub fn read(args: &ClusterArgs, launches: bool, renderer: &Renderer, wrong: &mut Vec<String>) -> Option<Setting> {
    let mut errors = Vec::new();
    let hosts = args.hosts.as_ref().and_then(|path| hosts(path, renderer, wrong, &mut errors));
    if let Some(hosts) = &hosts
        && let Some(number) = args.process.filter(|number| *number >= hosts.len())
    {
        errors.push(ClusterError::NoProcess(number, hosts.len()));
    }
    let mut key = None;
    if launches {
        errors.extend(args.hosts.is_none().then_some(ClusterError::NoHosts));
        errors.extend(args.process.is_some_and(|process| process > 0).then_some(ClusterError::OtherProcess));
        errors.extend(args.cluster_key.is_some().then_some(ClusterError::OwnKey));
    } else if args.hosts.is_some() {
        errors.extend(args.process.is_none().then_some(ClusterError::Process));
        match args.cluster_key.as_deref().map(read_key) {
            Some(Ok(found)) => key = Some(found),
            Some(Err(why)) => errors.push(why),
            None => {
                let are_local = |hosts: &Vec<String>| hosts.iter().all(|host| ::cluster::is_loopback(host));
                errors.extend(hosts.as_ref().is_some_and(|hosts| !are_local(hosts)).then_some(ClusterError::NoKey));
            }
        }
    }
    wrong.extend(errors.iter().map(|why| renderer.failure(&why.to_string())));
    Some(Setting { hosts: hosts?, key })
}

impl Setting {
    /// Returns the place of a process that the user has started.
    pub fn place(self, args: &ClusterArgs, number: usize) -> Place {
        let Setting { hosts, key } = self;
        Place {
            number,
            count: hosts.len(),
            listens: hosts[number].clone(),
            first: hosts[0].clone(),
            key: key.unwrap_or_else(|| Key::new(b"")),
            version: version(),
            hosts: digest(&hosts),
            patience: args.cluster_wait,
        }
    }
}

/// Reads a file of hosts.
fn hosts(
    path: &Path,
    renderer: &Renderer,
    wrong: &mut Vec<String>,
    errors: &mut Vec<ClusterError>,
) -> Option<Vec<String>> {
    let name = path.display().to_string();
    let text = match input::read_text(path, &mut io::empty()) {
        Ok(text) => text,
        Err(d) => {
            errors.push(ClusterError::Read(name, d.message));
            return None;
        }
    };
    match ::cluster::read_hosts(&text) {
        Ok(hosts) => Some(hosts),
        Err(found) => {
            let mut sources = Sources::new();
            let file = sources.add_file(&name, text);
            let start = sources.fragment(sources.whole(file)).span().start;
            wrong.extend(found.iter().map(|e| renderer.diagnostic(&sources, &name, &diagnostic(e, start))));
            None
        }
    }
}

/// What is wrong with a file of hosts that begins at this address.
fn diagnostic(HostsError { problem, at }: &HostsError, start: u32) -> Diagnostic {
    let span = |at: &std::ops::Range<usize>| Span { start: start + at.start as u32, end: start + at.end as u32 };
    let mut diagnostic = Diagnostic::error("wrong-hosts", span(at), problem.to_string());
    if let HostsProblem::Twice { process, first, .. } = problem {
        diagnostic = diagnostic.also(span(first), format!("process {process} has it"));
    }
    match problem.help() {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn read_key(path: &Path) -> Result<Key, ClusterError> {
    let name = path.display().to_string();
    let secret = fs::read(path).map_err(|e| ClusterError::Read(name.clone(), merkhet::source::describe(&e)))?;
    let secret = secret.trim_ascii();
    if secret.len() < 16 { Err(ClusterError::ShortKey(name)) } else { Ok(Key::new(secret)) }
}
