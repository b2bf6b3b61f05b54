//! The options of `merkhet serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use thiserror::Error;

use super::LimitArgs;

const SERVE_HELP: &str = "The page can read and write models in the folder of MODEL, or in the current folder, and no \
    other files. Ctrl-C ends the server.";

/// What is given is no address with a port; the number is that of an example.
#[derive(Clone, Copy, Debug, Error)]
#[error("this is no address with a port; write for example `127.0.0.1:{0}`")]
struct NoAddress(u16);

/// Reads an address with a port. The name of this machine to itself may stand for its address.
fn address(text: &str) -> Result<SocketAddr, NoAddress> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let (host, port) =
        text.rsplit_once(':').unwrap_or(if text.parse::<u16>().is_ok() { ("", text) } else { (text, "") });
    let port = port.parse::<u16>().ok();
    match (host, port) {
        ("localhost", Some(port)) => Ok(SocketAddr::from(([127, 0, 0, 1], port))),
        (_, port) => {
            let example = port.unwrap_or(7355);
            Err(NoAddress(example))
        }
    }
}

/// `merkhet serve`
#[derive(Args, Debug)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArgs {
    /// The model or the folder that the page shows first
    #[arg(value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Where to listen: an address with a port; without it, a free port of this machine from 7355
    /// on
    ///
    /// An address that other machines can reach needs --token.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
    /// Accept only pages that were opened by the link that is printed, which has a random secret
    ///
    /// The connection is not encrypted: beyond a trusted network, use a tunnel.
    #[arg(long)]
    pub token: bool,
    /// The most searches that run at the same time, over all pages
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub max_searches: u16,
    /// The limits of each search: one hour and 4 GiB without these options.
    #[command(flatten)]
    pub limits: LimitArgs,
}
