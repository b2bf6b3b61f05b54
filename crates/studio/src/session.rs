//! What belongs to one page: a document, its searches and its events.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{document::OpenDocument, error::Refused, events::Events, routes::Simulators, searches::Searches};

/// The most sessions at a time.
const MAX_SESSIONS: usize = 256;
/// A session that no page uses is forgotten after this time, or sooner if room is needed.
const ABANDONED: Duration = Duration::from_secs(30 * 60);

/// Locks a mutex. A thread that panicked with it has left nothing half done that others rely on.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session.
pub struct StudioSession {
    /// Its name in addresses, which can't be guessed.
    pub id: String,
    /// Its document.
    pub document: Mutex<OpenDocument>,
    /// What it tells the page.
    pub events: Events,
    /// Its searches and answers.
    pub searches: Searches,
    /// Its simulators and state spaces.
    pub simulators: Simulators,
    touched: Mutex<Instant>,
}

impl StudioSession {
    /// Returns the document.
    pub fn document(&self) -> MutexGuard<'_, OpenDocument> {
        lock(&self.document)
    }

    fn idle(&self) -> Duration {
        if self.events.has_listeners() { Duration::ZERO } else { lock(&self.touched).elapsed() }
    }
}

/// All sessions.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<String, Arc<StudioSession>>>);

impl Sessions {
    /// Adds a session.
    ///
    /// # Errors
    /// There are too many.
    pub fn add(&self, document: OpenDocument) -> Result<Arc<StudioSession>, Refused> {
        let mut all = lock(&self.0);
        all.retain(|_, session| session.idle() < ABANDONED);
        if all.len() >= MAX_SESSIONS {
            // The one that was left first makes room.
            let oldest = all.values().filter(|session| !session.events.has_listeners()).max_by_key(|s| s.idle());
            let Some(id) = oldest.map(|session| session.id.clone()) else {
                return Err(Refused::busy(format!("{MAX_SESSIONS} pages are open already; close one")));
            };
            all.remove(&id).iter().for_each(|session| session.searches.stop_all());
        }
        let session = Arc::new(StudioSession {
            id: random_name().ok_or_else(|| Refused::busy("the system has no random numbers"))?,
            document: Mutex::new(document),
            events: Events::default(),
            searches: Searches::default(),
            simulators: Simulators::default(),
            touched: Mutex::new(Instant::now()),
        });
        all.insert(session.id.clone(), Arc::clone(&session));
        Ok(session)
    }

    /// Returns the session with a name.
    ///
    /// # Errors
    /// There is none.
    pub fn get(&self, id: &str) -> Result<Arc<StudioSession>, Refused> {
        let session = lock(&self.0).get(id).cloned();
        let session = session.ok_or_else(|| Refused::missing("this session has ended; open the model again"))?;
        *lock(&session.touched) = Instant::now();
        Ok(session)
    }

    /// Ends a session and its searches.
    ///
    /// # Errors
    /// There is none with this name.
    pub fn remove(&self, id: &str) -> Result<(), Refused> {
        let session = self.get(id)?;
        lock(&self.0).remove(id);
        session.searches.stop_all();
        Ok(())
    }

    /// Ends all searches, and tells all pages that the server ends.
    pub fn end(&self) {
        for session in lock(&self.0).drain().map(|(_, session)| session) {
            session.searches.stop_all();
            session.events.send("end", &());
        }
    }
}

/// Returns 128 random bits as a word.
pub fn random_name() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
