//! Studio: the web page on which models are drawn, stepped through, checked and explained, and the
//! server that delivers it.
//!
//! A page opens a session, which has one document. The server reads and checks the text after every
//! change, runs searches and simulations, and makes the pictures; the page shows what it is told.

mod assets;
mod connections;
mod document;
mod encoding;
mod error;
mod events;
mod files;
mod guard;
mod options;
mod routes;
mod searches;
mod server;
mod session;
mod simulator;
mod space;
mod traces;
mod words;

use std::{path::Path, sync::Arc, time::Duration};

use axum::Router;
use merkhet::Limits;
use tokio::sync::Semaphore;

use files::Folder;
use session::Sessions;

pub use server::{ServeError, Server};

/// What a server is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The file that a page opens first, within the folder.
    pub model: Option<String>,
    /// The most searches that run at the same time.
    pub max_searches: usize,
    /// The limits of each search.
    pub limits: Limits,
    /// The time after which the searches of a closed page end.
    pub grace: Duration,
    /// The most connections at the same time.
    pub max_connections: usize,
    /// The time within which a request has to arrive.
    pub patience: Duration,
    /// The secret that a page has to know, if the server is not for this machine alone.
    pub token: Option<String>,
}

impl Default for Config {
    fn default() -> Config {
        let limits = Limits { time: Some(Duration::from_secs(3600)), memory: Some(4 << 30), states: None };
        Config {
            model: None,
            max_searches: 4,
            limits,
            grace: Duration::from_secs(10),
            max_connections: 512,
            patience: Duration::from_secs(30),
            token: None,
        }
    }
}

/// The limits of reading and checking a text, which happens after every change.
const CHECK_TIME: Duration = Duration::from_secs(20);

/// All that requests share.
pub struct Studio {
    folder: Folder,
    port: u16,
    config: Config,
    sessions: Sessions,
    /// One permit for each search that may run.
    searches: Arc<Semaphore>,
}

impl Studio {
    /// Creates the state of a server for a folder.
    ///
    /// # Errors
    /// The folder can't be opened.
    pub fn new(folder: &Path, port: u16, config: Config) -> std::io::Result<Arc<Studio>> {
        Ok(Arc::new(Studio {
            folder: Folder::open(folder)?,
            port,
            sessions: Sessions::default(),
            searches: Arc::new(Semaphore::new(config.max_searches)),
            config,
        }))
    }

    /// Returns the limits of reading and checking a text.
    fn check_limits(&self) -> Limits {
        let time = self.config.limits.time.map_or(CHECK_TIME, |time| time.min(CHECK_TIME));
        Limits { time: Some(time), ..self.config.limits }
    }
}

/// Returns all routes, with the guard in front of them.
pub fn app(studio: Arc<Studio>) -> Router {
    routes::all()
        .merge(assets::routes())
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&studio), guard::guard))
        .with_state(studio)
}
