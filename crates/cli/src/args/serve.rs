//! The options of `merkhet serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use super::LimitArgs;

const SERVE_HELP: &str = "The page can read and write models in the folder of MODEL, or in the current folder, and no \
    other files. Ctrl-C ends the server.";

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
    #[arg(long, value_name = "ADDR")]
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
