//! Simulations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use merkhet::{
    Model, pictures,
    simulation::{MoveError, Random, Run, Walk, WalkEnd},
};
use model::{
    Ratio,
    replay::{self, Refusal},
};
use pyo3::{
    exceptions::{PyIndexError, PyValueError},
    prelude::*,
};
use show::{
    json::{replay::TracedQuery, verify::Verdict},
    simulation, trace,
};

use crate::{
    convert::{ratio, value},
    trace::NativeTrace,
    work,
};

/// A run that grows and shrinks.
#[pyclass(frozen, module = "merkhet._merkhet")]
pub struct NativeSimulation(Mutex<Simulated>);

struct Simulated {
    model: Model,
    run: Run,
    random: Random,
}

/// Returns the exception for a move that can't be made.
fn refused(model: &Model, why: &MoveError) -> PyErr {
    match why {
        MoveError::NoTransition { .. } => PyIndexError::new_err(why.to_string()),
        MoveError::NotThen { delays, .. } => {
            let when = simulation::delays(&simulation::intervals(delays));
            PyValueError::new_err(format!("{why}; it is possible {when}"))
        }
        _ => match why.fault() {
            Some(fault) => PyValueError::new_err(format!("run-time error: {}", model.loaded.system.explain(&fault))),
            None => PyValueError::new_err(why.to_string()),
        },
    }
}

impl NativeSimulation {
    /// Starts a simulation.
    pub fn new(model: Model, seed: u64) -> PyResult<NativeSimulation> {
        let run = Run::new(&model.loaded.system).map_err(|why| refused(&model, &why))?;
        Ok(NativeSimulation(Mutex::new(Simulated { model, run, random: Random::new(seed) })))
    }

    /// Waits for other threads without the interpreter's lock, which they may need.
    fn simulated(&self, py: Python<'_>) -> MutexGuard<'_, Simulated> {
        loop {
            if let Ok(guard) = self.0.try_lock() {
                return guard;
            }
            py.detach(|| drop(self.0.lock().unwrap_or_else(PoisonError::into_inner)));
            self.0.clear_poison();
        }
    }

    /// Makes moves, which Ctrl-C stops.
    fn make<T: Send>(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&Model, &mut Run, &mut Random) -> Result<T, MoveError> + Send,
    ) -> PyResult<T> {
        let mut simulated = self.simulated(py);
        let Simulated { model, run, random } = &mut *simulated;
        let before = run.at;
        let outcome = work::run(py, model.stopper(), None, |_| make(model, run, random))?;
        if outcome.exception.is_some() {
            // What was interrupted may be incomplete.
            model.stopper().reset();
            run.at = before.min(run.at);
        }
        outcome.whole()?.map_err(|why| refused(model, &why))
    }
}

#[pymethods]
impl NativeSimulation {
    /// Returns the state and the possible transitions.
    fn situation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let situation = {
            let mut simulated = self.simulated(py);
            let Simulated { model, run, .. } = &mut *simulated;
            let outcome = work::run(py, model.stopper(), None, |_| {
                simulation::situation(&model.loaded.system, &model.sources, run)
            })?;
            if outcome.exception.is_some() {
                model.stopper().reset();
            }
            outcome.whole()?
        };
        value(py, &situation)
    }

    /// Draws the automata with their active locations, or the net with its marking.
    fn picture(&self, py: Python<'_>) -> PyResult<String> {
        self.make(py, |model, run, _| Ok(pictures::state(&model.loaded, &model.sources, run.state())))
    }

    /// Returns the moves so far.
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let simulated = self.simulated(py);
        let Simulated { model, run, .. } = &*simulated;
        let step = |number: usize| simulation::step(&model.loaded.system, run.state_at(number), &run.history[number]);
        (0..run.at).map(|number| value(py, &step(number))).collect()
    }

    /// Takes a transition, counted from 0.
    #[pyo3(signature = (number, delay=None))]
    fn take(&self, py: Python<'_>, number: usize, delay: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let delay = delay.map(|delay| ratio(&delay)).transpose()?;
        self.make(py, move |model, run, _| run.take(&model.loaded.system, number + 1, delay).map(|_| ()))
    }

    /// Lets time pass.
    fn wait(&self, py: Python<'_>, delay: &Bound<'_, PyAny>) -> PyResult<()> {
        let delay: Ratio = ratio(delay)?;
        self.make(py, move |model, run, _| run.wait(&model.loaded.system, delay).map(|_| ()))
    }

    /// Takes random transitions. Returns how many.
    fn random(&self, py: Python<'_>, count: usize) -> PyResult<usize> {
        self.make(py, move |model, run, random| {
            let (system, signal) = (&model.loaded.system, model.loaded.tree.signal);
            let (from, steps) = (run.at, count.min(run.room(system, count.min(1))?));
            match run.walk(&Walk { system, conditions: &[], steps }, random, &|| signal.raised())? {
                WalkEnd::Error(fault) => Err(Refusal::Fault(0, fault).into()),
                WalkEnd::Failed(why) => Err(why),
                _ => Ok(run.at - from),
            }
        })
    }

    /// Goes to the state after some moves.
    fn go(&self, py: Python<'_>, moves: usize) -> PyResult<()> {
        let mut simulated = self.simulated(py);
        let known = simulated.run.history.len();
        if moves > known {
            return Err(PyIndexError::new_err(format!("there is no move {moves}; the run has {known}")));
        }
        simulated.run.at = moves;
        Ok(())
    }

    /// Returns the run so far as a trace, which was replayed.
    fn trace(&self, py: Python<'_>) -> PyResult<NativeTrace> {
        let simulated = self.simulated(py);
        let Simulated { model, run, .. } = &*simulated;
        let system = &model.loaded.system;
        let run = run.trace().map_err(|why| refused(model, &why))?;
        let visits = replay::replay(system, &run, None).map_err(|why| refused(model, &why.into()))?;
        let run = verify::Trace::of_run(visits, None);
        let (trace, drawn) = (trace::named_trace(system, &run), crate::trace::drawn(model, &run));
        let query = "E<> true".to_owned();
        Ok(NativeTrace { traced: TracedQuery { query, answer: Verdict::Satisfied, reason: None, trace }, drawn })
    }

    /// Replaces the moves by those of a trace, none of which is made.
    fn load(&self, py: Python<'_>, trace: &NativeTrace) -> PyResult<()> {
        let mut simulated = self.simulated(py);
        let Simulated { model, run, .. } = &mut *simulated;
        let checked = show::replay::checked(&model.loaded.system, &trace.traced.trace);
        let (visits, _) = checked.map_err(|why| PyValueError::new_err(format!("not a run: {}", why.problem)))?;
        run.load(&visits).map_err(|why| refused(model, &why))
    }
}
