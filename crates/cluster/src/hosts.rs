//! The addresses of the processes of a cluster.

use std::{net::IpAddr, ops::Range};

use thiserror::Error;

use crate::key::LENGTH;

/// Something that is wrong with a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostsError {
    /// What is wrong.
    pub problem: HostsProblem,
    /// Where: a range of bytes of the text.
    pub at: Range<usize>,
}

/// What is wrong with a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostsProblem {
    /// There are too few.
    #[error("{}; a cluster has at least two", if *.0 == 0 { "there is no process" } else { "there is only one process" })]
    TooFew(usize),
    /// There are too many.
    #[error("there are more than {MAX_PROCESSES} processes")]
    TooMany,
    /// An address has no port.
    #[error("`{0}` has no port")]
    NoPort(String),
    /// An address has no host.
    #[error("`{0}` has no host")]
    NoHost(String),
    /// Something is not a port.
    #[error("`{0}` is not a port")]
    Port(String),
    /// Something is not a host.
    #[error("`{0}` is not a host")]
    Host(String),
    /// Two processes have the same address.
    #[error("`{text}` is the address of another process")]
    Twice {
        /// The address.
        text: String,
        /// The number of that process.
        process: usize,
        /// Its address.
        first: Range<usize>,
    },
}

impl HostsProblem {
    /// Returns what can be done about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            HostsProblem::TooFew(_) => "write the address of each process on a line of its own".to_owned(),
            HostsProblem::NoPort(host) => format!("write `{host}:4100`, or another port at which nothing listens"),
            HostsProblem::NoHost(port) => format!("write `HOST{port}`"),
            HostsProblem::Port(_) => "a port is a number from 1 to 65535".to_owned(),
            HostsProblem::Host(_) => {
                "a host is a name or an IP address; one of version 6 is in brackets: `[::1]:4100`".to_owned()
            }
            HostsProblem::Twice { .. } => "take another port".to_owned(),
            HostsProblem::TooMany => return None,
        })
    }
}

/// The greatest number of processes.
pub const MAX_PROCESSES: usize = 64;

/// Reads the addresses of processes, one on a line, in the order of their numbers. Blank lines and
/// what follows `#` are ignored.
///
/// # Errors
/// Everything that is wrong.
pub fn read_hosts(text: &str) -> Result<Vec<String>, Vec<HostsError>> {
    let (mut hosts, mut errors) = (Vec::<(&str, Range<usize>)>::new(), Vec::new());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let before = start;
        start += line.len();
        let line = line.split('#').next().unwrap_or_default();
        let address = line.trim();
        if address.is_empty() {
            continue;
        }
        let from = before + line.len() - line.trim_start().len();
        let at = from..from + address.len();
        let known = hosts.iter().position(|(other, _)| *other == address);
        if let Err((problem, part)) = parts(address) {
            errors.push(HostsError { problem, at: from + part.start..from + part.end });
        } else if let Some(process) = known {
            let first = hosts[process].1.clone();
            let problem = HostsProblem::Twice { text: address.to_owned(), process, first };
            errors.push(HostsError { problem, at: at.clone() });
        }
        if hosts.len() == MAX_PROCESSES {
            errors.push(HostsError { problem: HostsProblem::TooMany, at: at.clone() });
        }
        hosts.push((address, at));
    }
    if hosts.len() < 2 {
        let at = hosts.last().map_or(0..0, |(_, at)| at.clone());
        errors.push(HostsError { problem: HostsProblem::TooFew(hosts.len()), at });
    }
    if errors.is_empty() { Ok(hosts.into_iter().map(|(host, _)| host.to_owned()).collect()) } else { Err(errors) }
}

/// Returns the host of an address, or what is wrong with which part of it.
fn parts(address: &str) -> Result<&str, (HostsProblem, Range<usize>)> {
    let all = 0..address.len();
    let Some((host, port)) = address.rsplit_once(':') else {
        return Err((HostsProblem::NoPort(address.to_owned()), all));
    };
    if host.is_empty() {
        return Err((HostsProblem::NoHost(address.to_owned()), all));
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_host = bare.parse::<IpAddr>().is_ok() || !bare.is_empty() && bare.chars().all(is_name);
    // A name that begins with `-` would be an option of the program that starts the process.
    if !is_host || bare.starts_with('-') {
        return Err((HostsProblem::Host(host.to_owned()), 0..host.len()));
    }
    match port.parse::<u16>() {
        Ok(number) if number > 0 => Ok(bare),
        _ => Err((HostsProblem::Port(port.to_owned()), host.len() + 1..address.len())),
    }
}

/// Returns a hash of a list of hosts, which other lists do not have.
#[must_use]
pub fn digest(hosts: &[String]) -> [u8; LENGTH] {
    let mut hasher = blake3::Hasher::new();
    hosts.iter().for_each(|host| _ = hasher.update(host.as_bytes()).update(b"\n"));
    *hasher.finalize().as_bytes()
}

/// Returns the host of an address.
#[must_use]
pub fn host(address: &str) -> Option<&str> {
    parts(address).ok()
}

/// Returns whether an address is one of this machine that others can't reach.
#[must_use]
pub fn is_loopback(address: &str) -> bool {
    host(address).is_some_and(|host| host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages about a text, with the parts of it that they are about.
    fn errors(text: &str) -> Vec<(String, &str)> {
        let errors = read_hosts(text).unwrap_err();
        errors.into_iter().map(|error| (error.problem.to_string(), &text[error.at])).collect()
    }

    #[test]
    fn hosts_are_read_with_all_that_is_wrong() {
        let text = "# the cluster\nalpha:4100\n\n 10.0.0.7:4100 # second\n[::1]:4101\n";
        assert_eq!(read_hosts(text).unwrap(), ["alpha:4100", "10.0.0.7:4100", "[::1]:4101"]);
        let one = ("there is only one process; a cluster has at least two".to_owned(), "alpha:1");
        assert_eq!(errors("\n alpha:1 #\n"), [one]);
        assert_eq!(errors("# none\n")[0].0, "there is no process; a cluster has at least two");
        let wrong = "alpha\nbeta:0\nbeta:70000\n-oProxy:1\r\na b:1\n\u{3b1}:1 # no\ngamma:1\n gamma:1\n:3";
        let found = errors(wrong);
        let expected = [
            ("`alpha` has no port", "alpha"),
            ("`0` is not a port", "0"),
            ("`70000` is not a port", "70000"),
            ("`-oProxy` is not a host", "-oProxy"),
            ("`a b` is not a host", "a b"),
            ("`\u{3b1}` is not a host", "\u{3b1}"),
            ("`gamma:1` is the address of another process", "gamma:1"),
            ("`:3` has no host", ":3"),
        ];
        assert_eq!(found, expected.map(|(text, at)| (text.to_owned(), at)));
        let many: String = (1..=66).map(|port| format!("a:{port}\n")).collect();
        assert_eq!(errors(&many), [("there are more than 64 processes".to_owned(), "a:65")]);
    }

    #[test]
    fn loopback_addresses_are_known() {
        for (address, is) in [("127.0.0.1:1", true), ("localhost:7", true), ("[::1]:7", true), ("10.0.0.1:7", false)] {
            assert_eq!(is_loopback(address), is, "{address}");
        }
    }
}
