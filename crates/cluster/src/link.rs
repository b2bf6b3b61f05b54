//! The threads that read and write connections: two for each peer.

use std::{
    collections::VecDeque,
    io::{self, BufReader, BufWriter, Write},
    net::{Shutdown, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use explore::cluster::{Cluster, Delivery, Peers};

use crate::{frame::Seal, handshake::Peer};

/// A process that has nothing to say sends an empty frame now and then.
const PULSE: Duration = Duration::from_secs(1);
/// A process that is silent for so long is lost.
const SILENCE: Duration = Duration::from_secs(10);
/// Who sends states waits while so many bytes were not sent.
const MAX_QUEUE: usize = 16 << 20;

/// Frames that were not sent.
#[derive(Default)]
struct Queue {
    frames: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Whether nothing is sent any more, after what is here.
    is_closed: bool,
    /// Whether the connection does not work any more.
    is_broken: bool,
}

/// A peer, as far as frames can be sent to it.
#[derive(Default)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, frame: Vec<u8>, delivery: Delivery) {
        let mut queue = self.lock();
        while delivery == Delivery::Patient && queue.bytes > MAX_QUEUE && !queue.is_broken {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if !queue.is_broken && !queue.is_closed {
            queue.bytes += frame.len();
            queue.frames.push_back(frame);
            self.changed.notify_all();
        }
    }

    /// Lets the thread end that writes: after what is queued, or at once if the connection is
    /// broken.
    fn close(&self, is_broken: bool) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.is_broken |= is_broken;
        self.changed.notify_all();
    }

    /// Writes frames until the queue is closed.
    fn write(&self, stream: &TcpStream, mut seal: Seal) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, stream);
        loop {
            let mut queue = self.lock();
            if queue.frames.is_empty() && !queue.is_closed {
                let waited = self.changed.wait_timeout(queue, PULSE);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            if queue.is_broken || queue.is_closed && queue.frames.is_empty() {
                return out.flush();
            }
            let frames = std::mem::take(&mut queue.frames);
            queue.bytes = 0;
            self.changed.notify_all();
            drop(queue);
            if frames.is_empty() {
                seal.write(&mut out, &[])?;
            }
            for frame in frames {
                seal.write(&mut out, &frame)?;
            }
            out.flush()?;
        }
    }
}

/// The peers of a process by their numbers.
pub(crate) struct Outboxes(pub Vec<Option<Arc<Outbox>>>);

impl Peers for Outboxes {
    fn send(&self, to: usize, frame: Vec<u8>, delivery: Delivery) {
        if let Some(outbox) = self.0.get(to).and_then(Option::as_ref) {
            outbox.send(frame, delivery);
        }
    }
}

/// A connection with its threads.
pub(crate) struct Link {
    outbox: Arc<Outbox>,
    stream: TcpStream,
    writer: Option<JoinHandle<()>>,
}

impl Link {
    /// Starts the threads of a connection.
    ///
    /// # Errors
    /// The operating system has no more threads or connections.
    pub(crate) fn start(peer: Peer, outbox: Arc<Outbox>, cluster: &Cluster) -> io::Result<Link> {
        let Peer { number, stream, to, from } = peer;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let (read, write) = (stream.try_clone()?, stream.try_clone()?);
        let lose = {
            let (cluster, outbox) = (cluster.clone(), outbox.clone());
            move |error: &io::Error| {
                cluster.lose(number, &why(error));
                outbox.close(true);
            }
        };
        let (lose_too, sent) = (lose.clone(), outbox.clone());
        let thread = |name: &str| thread::Builder::new().name(format!("{name} process {number}"));
        let writer = thread("to").spawn(move || {
            if let Err(error) = sent.write(&write, to) {
                lose(&error);
            }
            // The other process reads what was written, and then the end.
            let _ = write.shutdown(Shutdown::Write);
        })?;
        let reading = cluster.clone();
        thread("from").spawn(move || {
            let error = receive(&reading, number, &read, from);
            lose_too(&error);
            let _ = read.shutdown(Shutdown::Read);
        })?;
        Ok(Link { outbox, stream, writer: Some(writer) })
    }

    /// Sends what is queued, and closes the connection.
    pub(crate) fn close(&mut self) {
        self.outbox.close(false);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Passes frames on until something is wrong.
fn receive(cluster: &Cluster, number: usize, stream: &TcpStream, mut seal: Seal) -> io::Error {
    let mut from = BufReader::with_capacity(1 << 16, stream);
    loop {
        match seal.read(&mut from) {
            Ok(frame) if frame.is_empty() => {}
            Ok(frame) => {
                if cluster.receive(number, &frame).is_err() {
                    return io::Error::other("it has sent something unintelligible");
                }
            }
            Err(error) => return error,
        }
    }
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => format!("it said nothing for {} s", SILENCE.as_secs()),
        io::ErrorKind::Other => error.to_string(),
        _ => "the connection was closed".to_owned(),
    }
}
