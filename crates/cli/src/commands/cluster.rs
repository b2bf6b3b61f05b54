//! Several processes that answer queries together: who leads them, and who follows.
//!
//! Process 0 leads: it reads the model and the queries, and prints the answers. The others get the
//! texts and the command line from it, and run the same searches.

mod children;
mod follow;

use std::{
    cell::{Cell, RefCell},
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use ::cluster::{HostsError, Key, Listening, Mesh, Place, Task};
use merkhet::{Cluster, Query, check_cluster};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{fail, verify};
use crate::{
    args::{ClusterArgs, ClusterRunArgs, VerifyArgs},
    input, interrupt,
    output::Streams,
    render::one_line,
    status::Status,
    watch::WATCH,
};
use children::{Children, Seat};

pub use follow::{follow, join};

/// What process 0 tells the others.
#[derive(Debug, Serialize, Deserialize)]
struct Invitation {
    /// The command line.
    words: Vec<String>,
    /// The name and the text of the model.
    model: (String, String),
    /// The files of queries, by their paths.
    files: Vec<(PathBuf, String)>,
    /// The file of queries beside the model, if its queries are answered.
    beside: Option<PathBuf>,
}

/// The texts that process 0 has read.
pub struct Texts<'t> {
    /// The model.
    pub model: &'t merkhet::Model,
    /// The queries that can be answered.
    pub queries: &'t [&'t Query],
    /// The files of queries.
    pub files: Vec<(PathBuf, String)>,
    /// The one beside the model, if it was read.
    pub beside: Option<PathBuf>,
}

/// How the other processes come to be.
pub struct Launch<'l> {
    /// The command line.
    pub words: &'l [std::ffi::OsString],
    /// What starts processes on other machines: a program like ssh, and their command.
    pub remote: Option<(&'l str, &'l str)>,
}

/// Why there is no cluster.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// A file can't be read.
    #[error("can't read `{0}`: {1}")]
    Read(String, String),
    /// The list of hosts is wrong.
    #[error("`{0}`: {list}", list = .1.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Hosts(String, Vec<HostsError>),
    /// The number of this process is missing.
    #[error("which process is this? add `--process N`, or start all with `merkhet cluster run`")]
    Process,
    /// There is no such process.
    #[error("there is no process {0}: `--hosts` has {1}, from 0 on")]
    NoProcess(usize, usize),
    /// Others could connect.
    #[error("hosts that others can reach need a shared secret: add `--cluster-key FILE`")]
    NoKey,
    /// The secret is too short.
    #[error("the secret in `{0}` has less than 16 bytes")]
    ShortKey(String),
    /// `cluster run` has no hosts.
    #[error("where? add `--hosts FILE`")]
    NoHosts,
    /// `cluster run` starts process 0.
    #[error("`cluster run` is process 0; `--process` is for `verify`")]
    OtherProcess,
    /// `cluster run` makes a secret.
    #[error("`cluster run` makes a secret itself; `--cluster-key` is for `verify`")]
    OwnKey,
    /// An argument is not text.
    #[error("an argument is not text, and can't be sent to other processes")]
    Words,
    /// A process can't be started.
    #[error("can't start process {0}: {1}")]
    Start(usize, String),
    /// A process has ended before it was connected.
    #[error("process {0} has ended before it was connected")]
    Ended(usize),
    /// The processes can't be connected.
    #[error("{0}")]
    Connect(#[from] ::cluster::ConnectError),
    /// A cluster can't do it.
    #[error("{0}")]
    Options(#[from] merkhet::OptionsError),
    /// What process 0 has sent makes no sense.
    #[error("process 0 has sent something unintelligible")]
    Malformed,
}

/// The processes that answer, if there are several.
pub struct Leader {
    mesh: Option<Mesh>,
    /// Dropped last, so that they know that the work has ended.
    children: Children,
}

/// Processes of different versions don't work together.
fn version() -> String {
    format!("{} protocol 1", env!("CARGO_PKG_VERSION"))
}

/// The number of threads that this machine can run at once.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads the hosts, and what shows that processes belong together. `None`: there is only this
/// process.
fn hosts(args: &ClusterArgs) -> Result<Option<Vec<String>>, ClusterError> {
    let Some(path) = &args.hosts else { return Ok(None) };
    let name = path.display().to_string();
    let text = input::read_text(path, &mut io::empty()).map_err(|d| ClusterError::Read(name.clone(), d.message))?;
    ::cluster::read_hosts(&text).map(Some).map_err(|errors| ClusterError::Hosts(name, errors))
}

fn read_key(path: &Path) -> Result<Key, ClusterError> {
    let name = path.display().to_string();
    let secret = fs::read(path).map_err(|e| ClusterError::Read(name.clone(), merkhet::source::describe(&e)))?;
    let secret = secret.trim_ascii();
    if secret.len() < 16 { Err(ClusterError::ShortKey(name)) } else { Ok(Key::new(secret)) }
}

/// Returns the place of a process that the user has started.
fn place(args: &ClusterArgs, number: usize, hosts: Vec<String>) -> Result<Place, ClusterError> {
    let Some(listens) = hosts.get(number).cloned() else { return Err(ClusterError::NoProcess(number, hosts.len())) };
    let key = match &args.cluster_key {
        Some(path) => read_key(path)?,
        None if hosts.iter().all(|host| ::cluster::is_loopback(host)) => Key::new(b""),
        None => return Err(ClusterError::NoKey),
    };
    let (count, first) = (hosts.len(), hosts[0].clone());
    Ok(Place { number, count, listens, first, key, version: version(), patience: args.cluster_wait })
}

/// Runs `merkhet cluster run`.
pub fn run(args: &ClusterRunArgs, words: &[std::ffi::OsString], streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.verify.cluster.hosts.is_none() {
        return fail(ClusterError::NoHosts, streams);
    }
    if args.verify.cluster.process.is_some_and(|process| process > 0) {
        return fail(ClusterError::OtherProcess, streams);
    }
    if args.verify.cluster.cluster_key.is_some() {
        return fail(ClusterError::OwnKey, streams);
    }
    let launch = Launch { words, remote: Some((&args.ssh, &args.remote)) };
    verify::run_with(&args.verify, &launch, streams)
}

/// Connects all processes, if the command line asks for several.
pub fn lead(
    args: &VerifyArgs,
    launch: &Launch<'_>,
    texts: Texts<'_>,
    streams: &mut Streams<'_>,
) -> Result<Leader, ClusterError> {
    let own = &args.cluster;
    let mut leader = Leader { mesh: None, children: Children::default() };
    let hosts = hosts(own)?;
    if hosts.is_none() && own.local_processes.is_none() {
        return Ok(leader);
    }
    check_cluster(&args.options(), texts.model, texts.queries)?;
    let words = launch.words.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    let invitation = Invitation {
        words: words.ok_or(ClusterError::Words)?,
        model: (texts.model.name.clone(), texts.model.sources.fragment(0).text().to_owned()),
        files: texts.files,
        beside: texts.beside,
    };
    // A secret that nobody knows but those who are started.
    let secret = || Key::random().map_err(|e| ClusterError::Read("random numbers".to_owned(), e.to_string()));
    let mut started = None;
    let place = match (hosts, launch.remote) {
        (Some(hosts), None) => {
            if own.process.is_none() {
                return Err(ClusterError::Process);
            }
            place(own, 0, hosts)?
        }
        (Some(hosts), Some(_)) => {
            let (key, text) = secret()?;
            let (count, first) = (hosts.len(), hosts[0].clone());
            started = Some((text, hosts));
            Place {
                number: 0,
                count,
                listens: first.clone(),
                first,
                key,
                version: version(),
                patience: own.cluster_wait,
            }
        }
        (None, _) => {
            let (key, text) = secret()?;
            let count = own.local_processes.map_or(2, usize::from);
            let listens = "127.0.0.1:0".to_owned();
            started = Some((text, vec![listens.clone(); count]));
            Place {
                number: 0,
                count,
                listens,
                first: String::new(),
                key,
                version: version(),
                patience: own.cluster_wait,
            }
        }
    };
    interrupt::flag();
    let patience = place.patience;
    let listening = Listening::new(place)?;
    if let Some((secret, hosts)) = started {
        for (number, listens) in hosts.iter().enumerate().skip(1) {
            let seat = Seat {
                number,
                count: hosts.len(),
                first: listening.address().to_owned(),
                listens: listens.clone(),
                secret: secret.clone(),
                seconds: patience.as_secs_f64(),
            };
            leader.children.start(&seat, launch.remote)?;
        }
    }
    let what = serde_json::to_vec(&invitation).map_err(|_| ClusterError::Words)?;
    let workers = args.settings.options.threads.or(own.local_processes.map(|_| 1));
    leader.mesh = Some(connect(listening, Task { what, workers }, &mut leader.children, streams)?);
    Ok(leader)
}

/// Connects all processes. A message says which peers were dropped.
fn connect(
    listening: Listening,
    task: Task,
    children: &mut Children,
    streams: &mut Streams<'_>,
) -> Result<Mesh, ClusterError> {
    let (ended, children) = (Cell::new(None), RefCell::new(children));
    let streams = RefCell::new(streams);
    let stops = || {
        ended.set(ended.get().or(children.borrow_mut().ended()));
        ended.get().is_some() || WATCH.stopped().is_some()
    };
    let note = |text: String| {
        // Nothing can be done if this can't be written.
        let _ = writeln!(streams.borrow_mut().err, "note: {}", one_line(&text));
    };
    let mesh = listening.connect(task, cores(), &::cluster::Hooks { stops: &stops, note: &note });
    if let (Err(::cluster::ConnectError::Interrupted), Some(stop)) = (&mesh, WATCH.stopped()) {
        return Err(merkhet::OptionsError::Stopped(stop).into());
    }
    match (mesh, ended.get()) {
        (Err(::cluster::ConnectError::Interrupted), Some(number)) => Err(ClusterError::Ended(number)),
        (mesh, _) => Ok(mesh?),
    }
}

impl Leader {
    /// This process as one of several.
    pub fn cluster(&self) -> Option<Cluster> {
        self.mesh.as_ref().map(|mesh| mesh.cluster.clone())
    }

    /// Ends the work of all processes. Returns a note if one was lost.
    pub fn finish(mut self) -> Option<String> {
        let loss = self.mesh.as_ref().and_then(|mesh| mesh.cluster.loss());
        self.end();
        loss.map(|(process, why)| format!("process {process} was lost: {why}"))
    }

    fn end(&mut self) {
        if let Some(mesh) = self.mesh.take() {
            mesh.cluster.end();
        }
        self.children.end(Duration::from_secs(5));
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.end();
    }
}
