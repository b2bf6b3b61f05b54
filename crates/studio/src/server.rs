//! The server: its address, its threads, its end.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use thiserror::Error;
use tokio::{net::TcpListener, runtime::Runtime};

use crate::{Config, Studio, app, connections, session::random_name};

/// The port without another one. It stays the same, since browsers keep unsaved text by address.
const PORT: u16 = 7355;
/// The number of ports that are tried after it.
const MORE_PORTS: u16 = 20;

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The folder can't be opened.
    #[error("can't open the folder `{0}`: {why}", why = merkhet::source::describe(.1))]
    Folder(String, io::Error),
    /// The address can't be used.
    #[error("can't listen on {0}: {why}", why = merkhet::source::describe(.1))]
    Listen(SocketAddr, io::Error),
    /// The address is not of this machine alone.
    #[error("other machines can reach {0}; add `--token`, so that only who has the link can use it")]
    Open(SocketAddr),
    /// The system refuses something else.
    #[error("the server does not start: {0}")]
    System(#[from] io::Error),
}

/// A server that is bound to its address.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    studio: Arc<Studio>,
}

impl Server {
    /// Binds a server for a folder to an address; without one to a port of this machine that is
    /// free. With `token`, a random one is made.
    ///
    /// # Errors
    /// The folder or the address can't be used.
    pub fn bind(folder: &Path, address: Option<SocketAddr>, token: bool, config: Config) -> Result<Server, ServeError> {
        if let Some(address) = address.filter(|address| !address.ip().is_loopback() && !token) {
            return Err(ServeError::Open(address));
        }
        let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(32)
            .enable_io()
            .enable_time()
            .build()?;
        let listener = runtime.block_on(listen(address))?;
        let address = listener.local_addr()?;
        let token =
            if token { Some(random_name().ok_or_else(|| io::Error::other("no random numbers"))?) } else { None };
        let studio = Studio::new(folder, address.port(), Config { token, ..config })
            .map_err(|e| ServeError::Folder(folder.display().to_string(), e))?;
        Ok(Server { runtime, listener, address, studio })
    }

    /// Returns the link to the page.
    #[must_use]
    pub fn link(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let token = self.studio.config.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        format!("http://{address}/{token}")
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stops` returns true.
    pub fn run(self, stops: impl Fn() -> bool) {
        let Server { runtime, listener, studio, .. } = self;
        let Config { max_connections, patience, .. } = studio.config;
        runtime.block_on(async {
            tokio::select! {
                () = connections::serve(listener, app(Arc::clone(&studio)), max_connections, patience) => {}
                () = wait(stops) => {}
            }
        });
        studio.sessions.end();
        // Pages are told, then their connections end.
        runtime.block_on(async { tokio::time::sleep(Duration::from_millis(50)).await });
        runtime.shutdown_timeout(Duration::from_secs(2));
    }
}

async fn wait(stops: impl Fn() -> bool) {
    while !stops() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn listen(address: Option<SocketAddr>) -> Result<TcpListener, ServeError> {
    if let Some(address) = address {
        return TcpListener::bind(address).await.map_err(|e| ServeError::Listen(address, e));
    }
    let mut port = PORT;
    loop {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(e) if e.kind() == io::ErrorKind::AddrInUse && port < PORT + MORE_PORTS => port += 1,
            Err(e) => return Err(ServeError::Listen(address, e)),
        }
    }
}
