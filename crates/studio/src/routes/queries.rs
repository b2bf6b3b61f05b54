//! Queries: run, stop, and what shows the answers.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
    routing::{get, post},
};
use merkhet::QueryError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use show::{
    certificates::{Problem, judge},
    json::{certify::ClaimResult, replay::ReplayResult},
};

use super::{Answered, Body, Of, answer, work};
use crate::{
    Studio,
    document::{DocumentSummary, QueryEdit},
    error::Refused,
    options::{self, ChosenOption, FormGroup},
    searches::{self, AskedQuery, KeptAnswer},
    session::StudioSession,
};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/options", get(form))
        .route("/api/sessions/{session}/queries", post(run))
        .route("/api/sessions/{session}/queries/edit", post(edit))
        .route("/api/sessions/{session}/command", post(command))
        .route("/api/sessions/{session}/searches/{search}/stop", post(stop))
        .route("/api/sessions/{session}/answers", get(answers))
        .route("/api/sessions/{session}/answers/{answer}/replay", post(replay))
        .route("/api/sessions/{session}/answers/{answer}/certify", post(certify))
        .route("/api/sessions/{session}/answers/{answer}/traces", get(trace_file))
        .route("/api/sessions/{session}/answers/{answer}/certificate", get(certificate))
}

async fn form() -> Json<Vec<FormGroup>> {
    Json(options::form())
}

/// A change of the list of queries.
#[derive(Deserialize)]
struct ListEdit {
    /// The revision that is changed.
    revision: u64,
    edit: QueryEdit,
}

async fn edit(Of(session): Of, Body(ListEdit { revision, edit }): Body<ListEdit>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        document.edit_queries(revision, edit)?;
        Ok(document.summary())
    })
    .await
}

/// Queries to answer.
#[derive(Deserialize)]
struct Asked {
    /// The numbers of queries in the list of the document.
    #[serde(default)]
    numbers: Vec<usize>,
    /// A text that is not in the list.
    text: Option<String>,
    /// The options.
    #[serde(default)]
    options: Vec<ChosenOption>,
}

/// A search that has begun.
#[derive(Serialize)]
struct StartedSearch {
    search: u32,
}

/// Returns the texts of the queries that are asked.
fn select(session: &StudioSession, asked: &Asked) -> Result<Vec<AskedQuery>, Refused> {
    let document = session.document();
    let list = &document.loaded().queries;
    let mut queries = Vec::new();
    for &number in &asked.numbers {
        let query = list.get(number).ok_or_else(|| Refused::missing(format!("there is no query {}", number + 1)))?;
        queries.push(AskedQuery { number: Some(number), text: query.text.clone() });
    }
    queries.extend(asked.text.iter().map(|text| AskedQuery { number: None, text: text.clone() }));
    Ok(queries)
}

async fn run(State(studio): State<Arc<Studio>>, Of(session): Of, Body(asked): Body<Asked>) -> Answered<StartedSearch> {
    answer(move || {
        let settings = options::read(&asked.options, &studio.config.limits)?;
        let permit = Arc::clone(&studio.searches).try_acquire_owned();
        let permit = permit.map_err(|_| {
            let most = studio.config.max_searches;
            Refused::busy(format!("{most} searches run already, as many as `--max-searches` allows; stop one or wait"))
        })?;
        let queries = select(&session, &asked)?;
        let (model, revision) = {
            let document = session.document();
            (document.checked(), document.revision())
        };
        let model = model.ok_or_else(|| Refused::conflict("the model has errors; mend them first"))?;
        let search = searches::start(&session, (model, revision), queries, settings, permit)?;
        Ok(StartedSearch { search })
    })
    .await
}

async fn command(Of(session): Of, Body(asked): Body<Asked>) -> Answered<Value> {
    answer(move || {
        let queries: Vec<String> = select(&session, &asked)?.into_iter().map(|query| query.text).collect();
        let command = options::command(session.document().name(), &queries, &asked.options)?;
        Ok(json!({ "command": command }))
    })
    .await
}

async fn stop(Of(session): Of, Path((_, search)): Path<(String, u32)>, Body(()): Body<()>) -> Answered<()> {
    session.searches.stop(search).map(Json)
}

async fn answers(Of(session): Of) -> Answered<Value> {
    let answers = session.searches.answers();
    let news: Vec<_> = answers.iter().map(|kept| kept.news(0)).collect();
    Ok(Json(json!({ "running": session.searches.running(), "answers": news })))
}

/// Runs work on an answer with a copy of its model, and stops it at the limit on time.
async fn about<T: Send + 'static>(
    studio: &Studio,
    kept: Arc<KeptAnswer>,
    run: impl FnOnce(&KeptAnswer, &mut merkhet::Model) -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let limits = studio.check_limits();
    work(move || {
        let mut model = kept.model.fork();
        let done = model.stopper().within(&limits, || run(&kept, &mut model));
        done.map_err(|stop| Refused::wrong(format!("this takes too long: {stop}")))?
    })
    .await
}

async fn replay(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
    Body(()): Body<()>,
) -> Answered<ReplayResult> {
    let kept = session.searches.answer(id)?;
    let replay = |kept: &KeptAnswer, model: &mut merkhet::Model| {
        let traced = kept.traced.as_ref().ok_or_else(|| Refused::missing("this answer has no trace"))?;
        let query = model
            .state_query(&traced.query, "<query>")
            .map_err(|diagnostics| Refused::wrong(QueryError { diagnostics }.to_string()))?;
        let (system, property) = model.loaded.system.with(&query);
        Ok(show::replay::replayed(&system, traced, &property))
    };
    about(&studio, kept, replay).await.map(Json)
}

async fn certify(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
    Path((_, id)): Path<(String, u32)>,
    Body(()): Body<()>,
) -> Answered<ClaimResult> {
    let kept = session.searches.answer(id)?;
    let certify = |kept: &KeptAnswer, model: &mut merkhet::Model| {
        let text = kept.certificate()?;
        let mut found = None;
        let judged = judge(&text[..], "<certificate>", model, &mut |_, result, _| {
            found = Some(result);
            Ok(())
        });
        match judged {
            Ok(()) => found.ok_or_else(|| Refused::wrong("the certificate has no claim")),
            Err(Problem::Stopped(stop)) => Err(Refused::wrong(stop.to_string())),
            Err(Problem::Certificate(e)) => Err(Refused::wrong(e.to_string())),
            Err(Problem::Query(name, _)) => Err(Refused::wrong(format!("{name} does not fit the model"))),
            Err(Problem::Output(e)) => Err(Refused::wrong(e.to_string())),
        }
    };
    about(&studio, kept, certify).await.map(Json)
}

async fn trace_file(Of(session): Of, Path((_, id)): Path<(String, u32)>) -> Result<impl IntoResponse, Refused> {
    let kept = session.searches.answer(id)?;
    let traced = kept.traced.clone().ok_or_else(|| Refused::missing("this answer has no trace"))?;
    let file = show::json::replay::TraceFile {
        version: show::json::VERSION,
        model: kept.model.name.clone(),
        traces: vec![traced],
    };
    let disposition = (header::CONTENT_DISPOSITION, "attachment; filename=\"traces.json\"");
    Ok(([disposition], Json(file)))
}

async fn certificate(Of(session): Of, Path((_, id)): Path<(String, u32)>) -> Result<impl IntoResponse, Refused> {
    let kept = session.searches.answer(id)?;
    let text = work(move || kept.certificate()).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"certificate.txt\""),
    ];
    Ok((headers, text))
}
