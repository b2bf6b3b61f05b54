//! The progress of a search, for an observer in Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use merkhet::Event;
use pyo3::{prelude::*, types::PyDict};
use serde::Serialize;
use show::json::progress::ProgressLine;

use crate::convert::value;

/// What happens in a search.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Note {
    /// It goes on.
    Progress(ProgressLine),
    /// A query is answered.
    Answer {
        /// The number of the query.
        number: usize,
    },
}

/// Where the work pins what happens. Of several reports of progress only the last is kept.
#[derive(Default)]
pub struct Board {
    notes: Mutex<Vec<Note>>,
}

impl Board {
    fn notes(&self) -> MutexGuard<'_, Vec<Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pins an event that an observer may want to know.
    pub fn pin(&self, event: &Event<'_>, numbers: &[usize]) {
        let note = match event {
            Event::Progress { phase, counts, waiting, workers, time } => {
                Note::Progress(ProgressLine::of_search(*phase, counts, *waiting, workers, *time))
            }
            Event::Formula { stats, time } => Note::Progress(ProgressLine::of_formula(stats, *time)),
            Event::Answer { number, .. } => Note::Answer { number: numbers[*number] },
            Event::Start { .. } | Event::Unsaved { .. } => return,
        };
        let mut notes = self.notes();
        notes.retain(|old| !matches!((old, &note), (Note::Progress(_), Note::Progress(_))));
        notes.push(note);
    }
}

/// Who looks at the board.
pub struct Watcher<'py>(pub Bound<'py, PyAny>);

/// The same without a lifetime.
pub struct Unbound(Py<PyAny>);

impl Watcher<'_> {
    /// Returns it without its lifetime.
    pub fn unbind(&self) -> Unbound {
        Unbound(self.0.clone().unbind())
    }
}

impl Unbound {
    /// Calls the observer with each note.
    pub fn look(&self, py: Python<'_>, board: &Board) -> PyResult<()> {
        let notes = std::mem::take(&mut *board.notes());
        for note in notes {
            let note = value(py, &note)?.cast_into::<PyDict>()?;
            self.0.call1(py, (note,))?;
        }
        Ok(())
    }
}
