//! Work without the interpreter's lock, which Ctrl-C stops.

use std::{
    panic,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use merkhet::Stopper;
use pyo3::prelude::*;

use crate::progress::{Board, Watcher};

/// The time between two looks at signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Whether work has ended.
#[derive(Default)]
struct End {
    has_come: Mutex<bool>,
    changed: Condvar,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What work has returned, and the exception that has stopped it.
pub struct Outcome<T> {
    /// What it has returned; it may be incomplete if there is an exception.
    pub value: T,
    /// The exception of a signal handler, or of the observer of progress.
    pub exception: Option<PyErr>,
}

impl<T> Outcome<T> {
    /// Returns the value, or the exception without it.
    pub fn whole(self) -> PyResult<T> {
        self.exception.map_or(Ok(self.value), Err)
    }
}

/// Does work in a thread of its own, while this one waits for signals. An exception of a signal
/// handler stops the work, and so does one of the observer.
pub fn run<T: Send>(
    py: Python<'_>,
    stopper: Stopper,
    watcher: Option<&Watcher<'_>>,
    work: impl FnOnce(&Board) -> T + Send,
) -> PyResult<Outcome<T>> {
    let (end, board) = (End::default(), Board::default());
    let (watcher, mut exception) = (watcher.map(Watcher::unbind), None);
    let joined = py.detach(|| {
        thread::scope(|scope| {
            let handle = scope.spawn(|| {
                // The thread has a state of the interpreter for as long as it runs, so that calls
                // into Python need not make one each.
                let returned =
                    panic::catch_unwind(panic::AssertUnwindSafe(|| Python::attach(|py| py.detach(|| work(&board)))));
                *locked(&end.has_come) = true;
                end.changed.notify_all();
                returned
            });
            let mut has_come = locked(&end.has_come);
            while !*has_come {
                has_come = end.changed.wait_timeout(has_come, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
                if *has_come || exception.is_some() {
                    continue;
                }
                // The work needs this lock to end.
                drop(has_come);
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    watcher.as_ref().map_or(Ok(()), |watcher| watcher.look(py, &board))
                });
                if let Err(why) = looked {
                    exception = Some(why);
                    stopper.stop();
                }
                has_come = locked(&end.has_come);
            }
            drop(has_come);
            handle.join()
        })
    });
    // What has happened since the last look.
    if let (None, Some(watcher)) = (&exception, &watcher) {
        exception = watcher.look(py, &board).err();
    }
    match joined {
        Ok(Ok(value)) => Ok(Outcome { value, exception }),
        Ok(Err(panic)) | Err(panic) => Err(defect(&*panic)),
    }
}

/// The exception for a panic, which is never the user's fault.
fn defect(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    pyo3::exceptions::PyRuntimeError::new_err(format!("internal error, a defect in merkhet: {what}"))
}
