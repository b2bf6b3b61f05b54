//! The addresses of the processes of a cluster.

use std::net::IpAddr;

use thiserror::Error;

/// What is wrong with a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostsError {
    /// There are too few.
    #[error("there is only one process; a cluster has at least two")]
    TooFew,
    /// There are too many.
    #[error("there are more than {MAX_PROCESSES} processes")]
    TooMany,
    /// A line is not an address.
    #[error("line {line}: `{text}` is not an address; write `HOST:PORT`")]
    Address {
        /// The number of the line.
        line: usize,
        /// The line.
        text: String,
    },
    /// Two processes have the same address.
    #[error("line {line}: `{text}` is the address of another process")]
    Twice {
        /// The number of the line.
        line: usize,
        /// The line.
        text: String,
    },
}

/// The greatest number of processes.
pub const MAX_PROCESSES: usize = 64;

/// Reads the addresses of processes, one on a line, in the order of their numbers. Blank lines and
/// what follows `#` are ignored.
///
/// # Errors
/// Everything that is wrong.
pub fn read_hosts(text: &str) -> Result<Vec<String>, Vec<HostsError>> {
    let (mut hosts, mut errors) = (Vec::<String>::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let error = |kind: fn(usize, String) -> HostsError| kind(line, text.to_owned());
        if host(text).is_none() {
            errors.push(error(|line, text| HostsError::Address { line, text }));
        } else if hosts.iter().any(|host| host == text) {
            errors.push(error(|line, text| HostsError::Twice { line, text }));
        }
        hosts.push(text.to_owned());
    }
    if hosts.len() < 2 {
        errors.push(HostsError::TooFew);
    }
    if hosts.len() > MAX_PROCESSES {
        errors.push(HostsError::TooMany);
    }
    if errors.is_empty() { Ok(hosts) } else { Err(errors) }
}

/// Returns the host of an address.
#[must_use]
pub fn host(address: &str) -> Option<&str> {
    let (host, port) = address.rsplit_once(':')?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    // A name that begins with `-` would be an option of the program that starts the process.
    let is_host = bare.parse::<IpAddr>().is_ok() || !bare.is_empty() && bare.chars().all(is_name);
    (is_host && !bare.starts_with('-') && port.parse::<u16>().is_ok_and(|port| port > 0)).then_some(bare)
}

/// Returns whether an address is one of this machine that others can't reach.
#[must_use]
pub fn is_loopback(address: &str) -> bool {
    host(address).is_some_and(|host| host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_with_all_that_is_wrong() {
        let text = "# the cluster\nalpha:4100\n\n 10.0.0.7:4100 # second\n[::1]:4101\n";
        assert_eq!(read_hosts(text).unwrap(), ["alpha:4100", "10.0.0.7:4100", "[::1]:4101"]);
        assert_eq!(read_hosts("alpha:1"), Err(vec![HostsError::TooFew]));
        let wrong = "alpha\nbeta:0\nbeta:70000\n-oProxy:1\na b:1\ngamma:1\ngamma:1\n:3";
        let errors = read_hosts(wrong).unwrap_err();
        assert_eq!(errors.len(), 7);
        assert_eq!(errors[0].to_string(), "line 1: `alpha` is not an address; write `HOST:PORT`");
        assert_eq!(errors[5].to_string(), "line 7: `gamma:1` is the address of another process");
        let many: String = (1..=65).map(|port| format!("a:{port}\n")).collect();
        assert_eq!(read_hosts(&many), Err(vec![HostsError::TooMany]));
    }

    #[test]
    fn loopback_addresses_are_known() {
        for (address, is) in [("127.0.0.1:1", true), ("localhost:7", true), ("[::1]:7", true), ("10.0.0.1:7", false)] {
            assert_eq!(is_loopback(address), is, "{address}");
        }
    }
}
