//! How two processes make sure of each other before anything else.
//!
//! Each says its version, its number and a random number. Then each shows that it knows the key, by
//! a hash of the key and of what both have said, and says which hosts it knows, by a hash as well.
//! Frames in either direction have keys that follow from the same. The key itself is never sent,
//! and what was recorded once is of no use later.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use thiserror::Error;

use crate::{
    frame::Seal,
    key::{Key, LENGTH},
};

/// A process that says nothing for so long is dropped.
pub const PATIENCE: Duration = Duration::from_secs(5);

const MAGIC: &[u8; 16] = b"merkhet cluster\n";

/// Why a peer was dropped before it was accepted.
#[derive(Debug, Error)]
pub enum Refusal {
    /// The connection failed, or was silent.
    #[error("{}", describe(.0))]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is not a process of merkhet")]
    Stranger,
    /// Its version is different.
    #[error("it has version {theirs}, and this is version {own}")]
    Version {
        /// The version of this process.
        own: String,
        /// That of the other one.
        theirs: String,
    },
    /// It does not know the key.
    #[error("it does not have the same key")]
    Key,
    /// It has another list of hosts.
    #[error("its list of hosts is another one; all processes need the same")]
    Hosts,
    /// Its number is not expected.
    #[error("it says that it is process {0}, which is not expected")]
    Number(usize),
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it says nothing".to_owned(),
        io::ErrorKind::UnexpectedEof => "the connection was closed".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_owned()
        }
    }
}

/// A process that was accepted.
pub(crate) struct Peer {
    pub number: usize,
    pub stream: TcpStream,
    pub to: Seal,
    pub from: Seal,
}

/// A connection with a deadline for all that is read.
struct Timed<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        (&mut &*self.stream).read(buffer)
    }
}

/// Who this process is.
pub(crate) struct Identity<'i> {
    pub number: usize,
    pub version: &'i str,
    pub hosts: &'i [u8; LENGTH],
    pub key: &'i Key,
}

impl Refusal {
    /// Returns whether the processes were started in a wrong way. Otherwise one was not there.
    #[must_use]
    pub fn is_wrong_usage(&self) -> bool {
        !matches!(self, Refusal::Io(_))
    }
}

impl Identity<'_> {
    fn hello(&self) -> io::Result<Vec<u8>> {
        let mut nonce = [0; LENGTH];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let version = &self.version.as_bytes()[..self.version.len().min(255)];
        let mut hello = MAGIC.to_vec();
        hello.push(version.len() as u8);
        hello.extend_from_slice(version);
        hello.extend_from_slice(&(self.number as u16).to_le_bytes());
        hello.extend_from_slice(&nonce);
        Ok(hello)
    }

    /// Reads what the other says first. Returns its number as well.
    fn read_hello(&self, from: &mut Timed<'_>) -> Result<(Vec<u8>, usize), Refusal> {
        let mut hello = vec![0; MAGIC.len() + 1];
        from.read_exact(&mut hello)?;
        if !hello.starts_with(MAGIC) {
            return Err(Refusal::Stranger);
        }
        let length = hello[MAGIC.len()] as usize;
        let mut rest = vec![0; length + 2 + LENGTH];
        from.read_exact(&mut rest)?;
        let (version, number) = (&rest[..length], u16::from_le_bytes([rest[length], rest[length + 1]]));
        if version != self.version.as_bytes() {
            let shown: String = String::from_utf8_lossy(version).chars().filter(|c| !c.is_control()).collect();
            return Err(Refusal::Version { own: self.version.to_owned(), theirs: shown });
        }
        hello.extend_from_slice(&rest);
        Ok((hello, number.into()))
    }

    /// Accepts a process that has connected, if its number is expected.
    pub(crate) fn accept(&self, stream: TcpStream, expects: impl Fn(usize) -> bool) -> Result<Peer, Refusal> {
        let peer = self.greet(stream, false)?;
        if expects(peer.number) { Ok(peer) } else { Err(Refusal::Number(peer.number)) }
    }

    /// Greets the process with a number, to which this one has connected.
    pub(crate) fn join(&self, stream: TcpStream, number: usize) -> Result<Peer, Refusal> {
        let peer = self.greet(stream, true)?;
        if peer.number == number { Ok(peer) } else { Err(Refusal::Number(peer.number)) }
    }

    fn greet(&self, stream: TcpStream, connects: bool) -> Result<Peer, Refusal> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let own = self.hello()?;
        (&stream).write_all(&own)?;
        let mut from = Timed { stream: &stream, end: Instant::now() + PATIENCE };
        let (hello, number) = self.read_hello(&mut from)?;
        let both: [&[u8]; 2] = if connects { [&own, &hello] } else { [&hello, &own] };
        let purpose = ["the process that connects", "the process that accepts"];
        let [said, heard] = if connects { purpose } else { [purpose[1], purpose[0]] };
        let hosts = |who: &str| self.key.hash(&format!("hosts of {who}"), &[both[0], both[1], self.hosts]);
        (&stream).write_all(&[*self.key.hash(said, &both).as_bytes(), *hosts(said).as_bytes()].concat())?;
        let (mut proof, mut theirs) = ([0; LENGTH], [0; LENGTH]);
        from.read_exact(&mut proof)?;
        from.read_exact(&mut theirs)?;
        // Hashes are compared in constant time.
        if blake3::Hash::from(proof) != self.key.hash(heard, &both) {
            return Err(Refusal::Key);
        }
        if blake3::Hash::from(theirs) != hosts(heard) {
            return Err(Refusal::Hosts);
        }
        let seal = |purpose: &str| Seal::new(self.key.derived(&format!("frames of {purpose}"), &both));
        let (to, from) = (seal(said), seal(heard));
        stream.set_read_timeout(None)?;
        Ok(Peer { number, stream, to, from })
    }
}
