//! Failures of functions of the user.

use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// What a function of the user reports instead of a result.
#[derive(Clone)]
pub struct UserError {
    /// A description in one sentence or more.
    pub message: String,
    /// Anything that its author wants to find in the answer again, such as an exception.
    pub payload: Option<Arc<dyn Any + Send + Sync>>,
}

impl UserError {
    /// Creates an error.
    #[must_use]
    pub fn new(message: impl Into<String>) -> UserError {
        UserError { message: message.into(), payload: None }
    }

    /// Adds an object that comes back in the answer.
    #[must_use]
    pub fn with_payload(self, payload: Arc<dyn Any + Send + Sync>) -> UserError {
        UserError { payload: Some(payload), ..self }
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Objects that come back with errors are not compared.
impl PartialEq for UserError {
    fn eq(&self, other: &UserError) -> bool {
        self.message == other.message
    }
}

impl Eq for UserError {}

impl fmt::Debug for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UserError({:?})", self.message)
    }
}

impl std::error::Error for UserError {}

/// A failure of a function of the user, with its circumstances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFailure {
    /// The function: "`covers` of `Pool`".
    pub function: String,
    /// What it was called with, rendered.
    pub arguments: Vec<String>,
    /// What it reports, or what is wrong with its result.
    pub error: UserError,
}

impl fmt::Display for UserFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UserFailure { function, arguments, error } = self;
        match &arguments[..] {
            [] => write!(f, "{function} fails: {error}"),
            all => write!(f, "{function} fails for {}: {error}", all.join(" and ")),
        }
    }
}

/// The number of a failure in the [`Failures`] of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailureId(pub(super) u32);

impl fmt::Display for FailureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function of the user fails")
    }
}

#[derive(Default)]
struct State {
    /// The failures of the work in hand.
    list: Mutex<Vec<UserFailure>>,
    /// The number of failures of earlier work.
    before: AtomicU32,
    /// Whether the work has to stop.
    stops: AtomicBool,
    /// The failure for which it has to.
    why: Mutex<Option<FailureId>>,
}

/// The failures of functions of the user, shared by all that works on a model.
///
/// A method that fails in a guard or an update is a run-time error of the model. All other failures
/// stop the work, and no verdict is drawn from it.
#[derive(Clone, Default)]
pub struct Failures(Arc<State>);

impl Failures {
    fn list(&self) -> MutexGuard<'_, Vec<UserFailure>> {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn why(&self) -> MutexGuard<'_, Option<FailureId>> {
        self.0.why.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins new work: forgets earlier failures.
    pub fn begin(&self) {
        let mut list = self.list();
        self.0.before.fetch_add(list.len() as u32, Ordering::Relaxed);
        list.clear();
        *self.why() = None;
        self.0.stops.store(false, Ordering::Relaxed);
    }

    /// Ends work, which has stopped if it had to.
    pub fn end(&self) {
        self.0.stops.store(false, Ordering::Relaxed);
    }

    /// Records a failure.
    pub fn note(&self, failure: UserFailure) -> FailureId {
        let mut list = self.list();
        list.push(failure);
        FailureId(self.0.before.load(Ordering::Relaxed) + list.len() as u32 - 1)
    }

    /// Records a failure, and has the work stopped.
    pub fn stop(&self, failure: UserFailure) {
        let id = self.note(failure);
        self.stop_for(id);
    }

    /// Has the work stopped because of a failure that was recorded. The first one counts.
    pub(super) fn stop_for(&self, id: FailureId) {
        self.why().get_or_insert(id);
        self.0.stops.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work has to stop.
    #[inline]
    #[must_use]
    pub fn stops(&self) -> bool {
        self.0.stops.load(Ordering::Relaxed)
    }

    /// Does some of the work that was to be stopped: what shows why.
    pub fn while_stopped<R>(&self, work: impl FnOnce() -> R) -> R {
        let stops = self.0.stops.swap(false, Ordering::Relaxed);
        let result = work();
        self.0.stops.fetch_or(stops, Ordering::Relaxed);
        result
    }

    /// Returns the failure that has stopped the work.
    #[must_use]
    pub fn reason(&self) -> Option<UserFailure> {
        let id = (*self.why())?;
        self.get(id)
    }

    /// Returns a failure; `None`: it is one of earlier work.
    #[must_use]
    pub fn get(&self, id: FailureId) -> Option<UserFailure> {
        let list = self.list();
        let at = id.0.checked_sub(self.0.before.load(Ordering::Relaxed))?;
        list.get(at as usize).cloned()
    }

    /// Returns whether a failure is one of the work in hand.
    pub(super) fn is_of_now(&self, id: FailureId) -> bool {
        id.0 >= self.0.before.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list().iter()).finish()
    }
}

/// The meaning of a model does not depend on what has failed.
impl PartialEq for Failures {
    fn eq(&self, _: &Failures) -> bool {
        true
    }
}

impl Eq for Failures {}

/// Calls a function of the user. A panic is an error.
///
/// # Errors
/// Those of the function.
pub fn guarded<R>(function: impl FnOnce() -> Result<R, UserError>) -> Result<R, UserError> {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(UserError::new(format!("it panics: {}", text.as_deref().unwrap_or("no message"))))
    })
}
