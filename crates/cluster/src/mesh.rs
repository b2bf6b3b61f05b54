//! How processes find each other: all connect to process 0, which tells them where the others
//! listen and what is to be done; then each connects to those before it.

use std::{
    io,
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use explore::cluster::{Cluster, FlatReader, FlatWriter, Malformed};
use thiserror::Error;

use crate::{
    handshake::{Identity, Peer, Refusal},
    key::{Key, LENGTH},
    link::{Link, Outbox, Outboxes},
};

/// The time between two looks at who has connected.
const INTERVAL: Duration = Duration::from_millis(10);
/// So many connections may be in the middle of a handshake.
const MAX_GREETED: usize = 64;

/// Why a process can't take part.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// An address can't be listened at.
    #[error("can't listen at {0}: {1}")]
    Listen(String, io::Error),
    /// Another process can't be reached.
    #[error("can't reach process {0} at {1}: {2}")]
    Reach(usize, String, Refusal),
    /// Processes have not come in time.
    #[error("process {} did not connect", numbers(.0))]
    Absent(Vec<usize>),
    /// Process 0 has sent something unintelligible.
    #[error("process 0 has sent something unintelligible")]
    Malformed,
    /// Another process was lost before all were connected.
    #[error("process {0} was lost")]
    Lost(usize),
    /// The user has interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The operating system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl ConnectError {
    /// Returns whether the processes were started in a wrong way. Otherwise one was not there, or
    /// was lost, and the next time all may go well.
    #[must_use]
    pub fn is_wrong_usage(&self) -> bool {
        match self {
            ConnectError::Listen(..) | ConnectError::Malformed => true,
            ConnectError::Reach(_, _, why) => why.is_wrong_usage(),
            ConnectError::Absent(_) | ConnectError::Lost(_) | ConnectError::Interrupted | ConnectError::Io(_) => false,
        }
    }
}

fn numbers(list: &[usize]) -> String {
    list.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

impl From<Malformed> for ConnectError {
    fn from(_: Malformed) -> ConnectError {
        ConnectError::Malformed
    }
}

/// Who a process is, and where the others are.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its number.
    pub number: usize,
    /// The number of processes.
    pub count: usize,
    /// Where it listens.
    pub listens: String,
    /// Where process 0 listens, for all others.
    pub first: String,
    /// The shared secret.
    pub key: Key,
    /// Only processes of the same version work together.
    pub version: String,
    /// Only processes that know the same hosts do: see [`crate::digest`].
    pub hosts: [u8; LENGTH],
    /// How long it waits for others.
    pub patience: Duration,
}

/// What process 0 tells the others.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// What is to be done.
    pub what: Vec<u8>,
    /// The number of workers of each process; `None`: as many as it can have.
    pub workers: Option<usize>,
}

/// A process that listens, and is not connected to others.
#[derive(Debug)]
pub struct Listening {
    place: Place,
    listener: TcpListener,
    address: String,
}

/// The connections of a process.
pub struct Mesh {
    /// The process.
    pub cluster: Cluster,
    /// What is to be done.
    pub what: Vec<u8>,
    links: Vec<Link>,
}

impl Drop for Mesh {
    fn drop(&mut self) {
        self.links.iter_mut().for_each(Link::close);
    }
}

/// What a process is told while it connects.
pub struct Hooks<'h> {
    /// Returns whether it has to stop.
    pub stops: &'h dyn Fn() -> bool,
    /// Takes notes on peers that were dropped.
    pub note: &'h dyn Fn(String),
}

impl Listening {
    /// Starts to listen.
    ///
    /// # Errors
    /// The address can't be listened at.
    pub fn new(place: Place) -> Result<Listening, ConnectError> {
        let fail = |error| ConnectError::Listen(place.listens.clone(), error);
        let listener = TcpListener::bind(&place.listens).map_err(fail)?;
        listener.set_nonblocking(true)?;
        // The operating system may have chosen the port.
        let port = listener.local_addr()?.port();
        let host = place.listens.rsplit_once(':').map_or("", |(host, _)| host);
        let address = format!("{host}:{port}");
        Ok(Listening { place, listener, address })
    }

    /// Returns where it listens.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Connects all processes. Process 0 has a task, which it passes on. A process can have at most
    /// `capacity` workers.
    ///
    /// # Errors
    /// A process does not come, or can't be reached.
    pub fn connect(self, task: Task, capacity: usize, hooks: &Hooks<'_>) -> Result<Mesh, ConnectError> {
        let end = Instant::now() + self.place.patience;
        let Place { number, count, .. } = self.place;
        let mut peers: Vec<Option<Peer>> = (0..count).map(|_| None).collect();
        let (workers, what) = if number == 0 {
            self.accept(&mut peers, end, hooks)?;
            let workers = self.tell(&mut peers, &task, capacity)?;
            (workers, task.what)
        } else {
            let mut first = self.join(0, &self.place.first, end, hooks)?;
            let mut said = FlatWriter::default();
            said.bytes(self.address.as_bytes()).number(capacity as u64);
            first.to.write(&mut &first.stream, &said.0)?;
            let told = wait_for(&mut first, hooks)?;
            // Process 0 has waited for all, so they are there, or come now.
            let end = Instant::now() + self.place.patience;
            peers[0] = Some(first);
            let mut read = FlatReader::new(&told);
            let mut workers = Vec::new();
            let mut addresses = Vec::new();
            for _ in 0..count {
                addresses.push(String::from_utf8(read.bytes()?.to_vec()).map_err(|_| Malformed)?);
                workers.push(Some(read.count()?).filter(|count| (1..=1 << 10).contains(count)).ok_or(Malformed)?);
            }
            let what = read.bytes()?.to_vec();
            read.end()?;
            for other in 1..number {
                peers[other] = Some(self.join(other, &addresses[other], end, hooks)?);
            }
            self.accept(&mut peers, end, hooks)?;
            (workers, what)
        };
        let outboxes: Vec<_> = peers.iter().map(|peer| peer.as_ref().map(|_| Arc::new(Outbox::default()))).collect();
        let cluster = Cluster::new(number, workers, Box::new(Outboxes(outboxes.clone())));
        let mut mesh = Mesh { cluster: cluster.clone(), what, links: Vec::new() };
        for (peer, outbox) in peers.into_iter().zip(outboxes) {
            if let (Some(peer), Some(outbox)) = (peer, outbox) {
                mesh.links.push(Link::start(peer, outbox, &cluster)?);
            }
        }
        Ok(mesh)
    }

    /// Accepts all processes after this one. What is not one of them is dropped.
    fn accept(&self, peers: &mut [Option<Peer>], end: Instant, hooks: &Hooks<'_>) -> Result<(), ConnectError> {
        let Place { number, key, version, hosts, .. } = &self.place;
        let absent = |peers: &[Option<Peer>]| -> Vec<usize> {
            (number + 1..peers.len()).filter(|other| peers[*other].is_none()).collect()
        };
        let (sender, greeted) = mpsc::channel();
        let mut open = 0;
        while !absent(peers).is_empty() {
            if (hooks.stops)() {
                return Err(ConnectError::Interrupted);
            }
            if Instant::now() >= end {
                return Err(ConnectError::Absent(absent(peers)));
            }
            // A peer that stalls must not keep others from being accepted.
            while open < MAX_GREETED
                && let Ok((stream, from)) = self.listener.accept()
            {
                let (sender, expected) = (sender.clone(), absent(peers));
                let (number, key, version, hosts) = (*number, key.clone(), version.clone(), *hosts);
                open += 1;
                thread::Builder::new().spawn(move || {
                    let own = Identity { number, version: &version, hosts: &hosts, key: &key };
                    let peer = own.accept(stream, |other| expected.contains(&other));
                    // If nobody listens, all have come.
                    let _ = sender.send((from, peer));
                })?;
            }
            match greeted.recv_timeout(INTERVAL) {
                Ok((_, Ok(peer))) if peers[peer.number].is_none() => {
                    open -= 1;
                    let other = peer.number;
                    peers[other] = Some(peer);
                }
                Ok((from, peer)) => {
                    open -= 1;
                    let why = peer.map_or_else(|why| why, |peer| Refusal::Number(peer.number));
                    (hooks.note)(format!("a peer at {from} was dropped: {why}"));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Connects to a process, which may not listen yet.
    fn join(&self, other: usize, address: &str, end: Instant, hooks: &Hooks<'_>) -> Result<Peer, ConnectError> {
        let Place { number, key, version, hosts, .. } = &self.place;
        let fail = |why: Refusal| ConnectError::Reach(other, address.to_owned(), why);
        let own = Identity { number: *number, version, hosts, key };
        loop {
            let why = match connect(address) {
                Ok(stream) => return own.join(stream, other).map_err(fail),
                Err(why) => why,
            };
            if (hooks.stops)() {
                return Err(ConnectError::Interrupted);
            }
            if Instant::now() >= end {
                return Err(fail(why.into()));
            }
            thread::sleep(INTERVAL * 5);
        }
    }

    /// Tells all processes where the others are, how many workers each has, and what is to be done.
    fn tell(&self, peers: &mut [Option<Peer>], task: &Task, capacity: usize) -> Result<Vec<usize>, ConnectError> {
        let mut all = vec![(self.address.clone().into_bytes(), capacity)];
        for peer in peers.iter_mut().flatten() {
            peer.stream.set_read_timeout(Some(crate::PATIENCE))?;
            let lost = |_| ConnectError::Lost(peer.number);
            let said = peer.from.read(&mut &peer.stream).map_err(lost)?;
            let mut read = FlatReader::new(&said);
            let said = read.bytes().and_then(|address| Ok((address.to_vec(), read.count()?)));
            all.push(said.map_err(|Malformed| ConnectError::Lost(peer.number))?);
        }
        let workers: Vec<usize> = all.iter().map(|(_, most)| task.workers.unwrap_or(*most).clamp(1, 256)).collect();
        let mut told = FlatWriter::default();
        for ((address, _), workers) in all.iter().zip(&workers) {
            told.bytes(address).number(*workers as u64);
        }
        told.bytes(&task.what);
        for peer in peers.iter_mut().flatten() {
            peer.to.write(&mut &peer.stream, &told.0).map_err(|_| ConnectError::Lost(peer.number))?;
        }
        Ok(workers)
    }
}

/// Waits until process 0 says something, which it does when all have come.
fn wait_for(first: &mut Peer, hooks: &Hooks<'_>) -> Result<Vec<u8>, ConnectError> {
    first.stream.set_read_timeout(Some(INTERVAL * 5))?;
    let mut byte = [0];
    loop {
        match first.stream.peek(&mut byte) {
            Ok(0) => return Err(ConnectError::Lost(0)),
            Ok(_) => break,
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(_) => return Err(ConnectError::Lost(0)),
        }
        if (hooks.stops)() {
            return Err(ConnectError::Interrupted);
        }
    }
    first.stream.set_read_timeout(Some(crate::PATIENCE))?;
    first.from.read(&mut &first.stream).map_err(|_| ConnectError::Lost(0))
}

/// Connects to an address.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::other("the name is unknown");
    for at in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&at, crate::PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
