//! What a session tells its page without being asked.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::response::sse::Event;
use futures_util::{Stream, stream::unfold};
use serde::Serialize;
use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};

use crate::session::StudioSession;

/// The number of events that a slow page may be behind.
const KEPT: usize = 256;

/// The events of a session.
pub struct Events {
    sender: Sender<(&'static str, Arc<str>)>,
    listeners: AtomicUsize,
    /// The number of streams that were opened so far.
    opened: AtomicUsize,
}

impl Default for Events {
    fn default() -> Events {
        Events { sender: channel(KEPT).0, listeners: AtomicUsize::new(0), opened: AtomicUsize::new(0) }
    }
}

impl Events {
    /// Sends an event to the page. Serialising plain data does not fail.
    pub fn send(&self, name: &'static str, value: &impl Serialize) {
        let text = serde_json::to_string(value).unwrap_or_default();
        // Nobody may listen.
        let _ = self.sender.send((name, text.into()));
    }

    /// Returns whether a page listens.
    pub fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::Relaxed) > 0
    }
}

/// A page that listens. When it is gone, its searches end after a grace period.
struct Listener {
    session: Arc<StudioSession>,
    receiver: Receiver<(&'static str, Arc<str>)>,
    grace: Duration,
    runtime: tokio::runtime::Handle,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let events = &self.session.events;
        if events.listeners.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        let (session, grace, opened) = (Arc::clone(&self.session), self.grace, events.opened.load(Ordering::Relaxed));
        self.runtime.spawn(async move {
            tokio::time::sleep(grace).await;
            // A page that was loaded again listens again.
            if session.events.opened.load(Ordering::Relaxed) == opened {
                session.searches.stop_all();
            }
        });
    }
}

/// Returns the stream of events for a page.
pub fn stream(session: Arc<StudioSession>, grace: Duration) -> impl Stream<Item = Result<Event, Infallible>> {
    session.events.listeners.fetch_add(1, Ordering::Relaxed);
    session.events.opened.fetch_add(1, Ordering::Relaxed);
    let receiver = session.events.sender.subscribe();
    let listener = Listener { session, receiver, grace, runtime: tokio::runtime::Handle::current() };
    unfold(listener, |mut listener| async {
        let event = match listener.receiver.recv().await {
            Ok((name, data)) => Event::default().event(name).data(&*data),
            // The page has to ask what it has missed.
            Err(RecvError::Lagged(_)) => Event::default().event("missed").data("{}"),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), listener))
    })
}
