//! Simulators, and the traces that are played.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
    routing::{get, post},
};
use merkhet::Limits;
use serde::{Deserialize, Serialize};
use show::states::SymbolicState;

use super::{Answered, Body, Of, answer, work};
use crate::{
    Studio,
    error::Refused,
    session::{StudioSession, lock},
    simulator::{About, Action, Simulator, SimulatorView},
    space::{KeptSpace, SpaceView, WantedStates, explore},
    traces::{TimelineView, TraceView, of_answer, of_file, of_simulator, timeline},
};

/// The most simulators of a session; the oldest makes room.
const MAX_SIMULATORS: usize = 8;
/// The most state spaces of a session; the oldest makes room.
const MAX_SPACES: usize = 3;
/// The time of one request to a simulator, and of one for a state space.
const STEP_TIME: Duration = Duration::from_secs(10);
const STATES_TIME: Duration = Duration::from_secs(60);

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/sessions/{session}/simulators", post(start))
        .route("/api/sessions/{session}/simulators/{simulator}", post(act).delete(forget))
        .route("/api/sessions/{session}/simulators/{simulator}/trace", get(trace))
        .route("/api/sessions/{session}/simulators/{simulator}/timeline", get(draw_timeline))
        .route("/api/sessions/{session}/simulators/{simulator}/file", get(file))
        .route("/api/sessions/{session}/answers/{answer}/trace", get(answer_trace))
        .route("/api/sessions/{session}/traces", post(open))
        .route("/api/sessions/{session}/states", post(states))
        .route("/api/sessions/{session}/states/{space}/{state}", get(state))
}

/// The simulators and state spaces of a session.
#[derive(Default)]
pub struct Simulators {
    running: Mutex<BTreeMap<u32, Arc<Mutex<Simulator>>>>,
    spaces: Mutex<BTreeMap<u32, Arc<KeptSpace>>>,
    last: AtomicU32,
}

impl Simulators {
    fn next(&self) -> u32 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn get(&self, id: u32) -> Result<Arc<Mutex<Simulator>>, Refused> {
        lock(&self.running).get(&id).cloned().ok_or_else(|| Refused::missing("this simulation has ended; begin again"))
    }

    fn spaces(&self) -> HashMap<u32, Arc<KeptSpace>> {
        lock(&self.spaces).iter().map(|(id, space)| (*id, Arc::clone(space))).collect()
    }
}

/// Adds something to a list of limited length.
fn keep<T>(list: &Mutex<BTreeMap<u32, T>>, id: u32, added: T, most: usize) {
    let mut list = lock(list);
    list.insert(id, added);
    while list.len() > most {
        list.pop_first();
    }
}

/// Returns the model of a document that has no errors, and its revision.
fn checked(session: &StudioSession) -> Result<(Arc<merkhet::Model>, u64), Refused> {
    let document = session.document();
    let model = document.checked().ok_or_else(|| Refused::conflict("the model has errors; mend them first"))?;
    Ok((model, document.revision()))
}

fn within(studio: &Studio, most: Duration) -> Limits {
    let limits = studio.config.limits;
    Limits { time: Some(limits.time.map_or(most, |time| time.min(most))), ..limits }
}

/// A simulator that has begun.
#[derive(Serialize)]
struct Started {
    about: About,
    view: SimulatorView,
}

async fn start(State(studio): State<Arc<Studio>>, Of(session): Of, Body(()): Body<()>) -> Answered<Started> {
    answer(move || {
        let (model, revision) = checked(&session)?;
        let mut simulator = Simulator::new(model.fork(), revision)?;
        let id = session.simulators.next();
        let about = simulator.about(id);
        let view = simulator.view(None, false, &within(&studio, STEP_TIME))?;
        keep(&session.simulators.running, id, Arc::new(Mutex::new(simulator)), MAX_SIMULATORS);
        Ok(Started { about, view })
    })
    .await
}

/// What a simulator does, and what is to be shown afterwards.
#[derive(Deserialize)]
struct Wanted {
    #[serde(flatten)]
    action: Action,
    /// Whether the symbolic state is wanted.
    #[serde(default)]
    symbolic: bool,
}

async fn act(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
    Body(wanted): Body<Wanted>,
) -> Answered<SimulatorView> {
    answer(move || {
        let simulator = session.simulators.get(id)?;
        let (limits, spaces) = (within(&studio, STEP_TIME), session.simulators.spaces());
        let mut simulator = lock(&simulator);
        let message = simulator.act(wanted.action, &spaces, &limits)?;
        Ok(simulator.view(message, wanted.symbolic, &limits)?)
    })
    .await
}

async fn forget(Of(session): Of, Path((_, id)): Path<(String, u32)>) -> Answered<()> {
    lock(&session.simulators.running).remove(&id);
    Ok(Json(()))
}

async fn trace(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
) -> Answered<TraceView> {
    answer(move || {
        let simulator = session.simulators.get(id)?;
        of_simulator(&mut lock(&simulator), &within(&studio, STEP_TIME))
    })
    .await
}

async fn draw_timeline(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
) -> Answered<TimelineView> {
    answer(move || {
        let simulator = session.simulators.get(id)?;
        timeline(&mut lock(&simulator), &within(&studio, STEP_TIME))
    })
    .await
}

async fn file(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
) -> Result<impl IntoResponse, Refused> {
    let simulator = session.simulators.get(id)?;
    let limits = within(&studio, STEP_TIME);
    let file = work(move || Ok(lock(&simulator).file(&limits)?)).await?;
    let disposition = (header::CONTENT_DISPOSITION, "attachment; filename=\"run.json\"");
    Ok(([disposition], Json(file)))
}

async fn answer_trace(Of(session): Of, Path((_, id)): Path<(String, u32)>) -> Answered<TraceView> {
    let kept = session.searches.answer(id)?;
    answer(move || of_answer(&kept)).await
}

/// A file of traces.
#[derive(Deserialize)]
struct Opened {
    text: String,
}

async fn open(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Body(opened): Body<Opened>,
) -> Answered<Vec<TraceView>> {
    answer(move || {
        let (model, _) = checked(&session)?;
        let mut model = model.fork();
        let read = model.stopper().within(&within(&studio, STEP_TIME), || of_file(&opened.text, &mut model));
        read.map_err(|stop| Refused::wrong(format!("this takes too long: {stop}")))?
    })
    .await
}

async fn states(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Body(wanted): Body<WantedStates>,
) -> Answered<SpaceView> {
    // Exploring counts as a search.
    let permit = Arc::clone(&studio.searches).try_acquire_owned();
    let permit = permit.map_err(|_| Refused::busy("too many searches run already; stop one or wait"))?;
    answer(move || {
        let _permit = permit;
        let id = session.simulators.next();
        let (space, view) = explore(&wanted, checked(&session)?, &within(&studio, STATES_TIME), id)?;
        keep(&session.simulators.spaces, id, Arc::new(space), MAX_SPACES);
        Ok(view)
    })
    .await
}

async fn state(Of(session): Of, Path((_, space, state)): Path<(String, u32, usize)>) -> Answered<SymbolicState> {
    let spaces = session.simulators.spaces();
    let space = spaces.get(&space).cloned().ok_or_else(|| Refused::missing("these states are forgotten"))?;
    answer(move || space.state(state)).await
}
