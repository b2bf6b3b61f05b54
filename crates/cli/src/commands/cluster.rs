//! Several processes that answer queries together: who leads them, and who follows.
//!
//! Process 0 leads: it reads the model and the queries, and prints the answers. The others get the
//! texts and the command line from it, and run the same searches.

mod children;
mod follow;
mod usage;

use std::{
    cell::{Cell, RefCell},
    io,
    path::PathBuf,
    time::Duration,
};

use ::cluster::{Key, Listening, Mesh, Place, Task, digest};
use merkhet::{Cluster, Ending};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::verify;
use crate::{
    args::{ClusterRunArgs, VerifyArgs},
    interrupt,
    output::Streams,
    render::{Renderer, one_line},
    status::Status,
    watch::WATCH,
};
use children::{Children, Seat};

pub use follow::{follow, join};
pub use usage::Setting;

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
    format!("{} protocol 3", env!("CARGO_PKG_VERSION"))
}

/// The number of threads that this machine can run at once.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl ClusterError {
    /// Whether the processes were started in a wrong way. Otherwise one was not there, and nothing
    /// is known about the queries.
    pub fn is_wrong_usage(&self) -> bool {
        match self {
            ClusterError::Connect(why) => why.is_wrong_usage(),
            ClusterError::Ended(_) => false,
            _ => true,
        }
    }
}

/// Runs `merkhet cluster run`.
pub fn run(args: &ClusterRunArgs, words: &[std::ffi::OsString], streams: &mut Streams<'_>) -> io::Result<Status> {
    let launch = Launch { words, remote: Some((&args.ssh, &args.remote)) };
    verify::run_with(&args.verify, &launch, streams)
}

/// Reads what the command line says about a cluster. All that is wrong is added to `wrong` as text.
pub fn setting(
    args: &VerifyArgs,
    launch: &Launch<'_>,
    renderer: &Renderer,
    wrong: &mut Vec<String>,
) -> Option<Setting> {
    usage::read(&args.cluster, launch.remote.is_some(), renderer, wrong)
}

/// Connects all processes, if the command line asks for several.
pub fn lead(
    args: &VerifyArgs,
    launch: &Launch<'_>,
    setting: Option<Setting>,
    texts: Texts<'_>,
    streams: &mut Streams<'_>,
) -> Result<Leader, ClusterError> {
    let own = &args.cluster;
    let mut leader = Leader { mesh: None, children: Children::default() };
    if !own.is_wanted() {
        return Ok(leader);
    }
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
    let mut starting = |hosts: Vec<String>, listens: &str, first: &str| -> Result<Place, ClusterError> {
        let (key, text) = secret()?;
        let (count, patience) = (hosts.len(), own.cluster_wait);
        let (listens, first, hosts_digest) = (listens.to_owned(), first.to_owned(), digest(&hosts));
        started = Some((text, hosts));
        Ok(Place { number: 0, count, listens, first, key, version: version(), hosts: hosts_digest, patience })
    };
    let place = match (setting, launch.remote) {
        (Some(setting), None) => Ok(setting.place(own, 0)),
        (Some(Setting { hosts, .. }), Some(_)) => {
            let first = hosts[0].clone();
            starting(hosts, &first, &first)
        }
        (None, _) => {
            let listens = "127.0.0.1:0";
            let count = own.local_processes.map_or(2, usize::from);
            starting(vec![listens.to_owned(); count], listens, "")
        }
    }?;
    interrupt::flag();
    let (patience, hosts_digest) = (place.patience, place.hosts);
    let listening = Listening::new(place)?;
    if let Some((secret, hosts)) = started {
        for (number, listens) in hosts.iter().enumerate().skip(1) {
            let seat = Seat {
                number,
                count: hosts.len(),
                first: listening.address().to_owned(),
                listens: listens.clone(),
                secret: secret.clone(),
                hosts: hosts_digest,
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
    pub fn finish(mut self, how: Ending) -> Option<String> {
        let loss = self.mesh.as_ref().and_then(|mesh| mesh.cluster.loss());
        self.end(how);
        loss.map(|(process, why)| format!("process {process} was lost: {why}"))
    }

    fn end(&mut self, how: Ending) {
        if let Some(mesh) = self.mesh.take() {
            mesh.cluster.end(how);
        }
        self.children.end(Duration::from_secs(5));
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.end(Ending::Unfinished);
    }
}
