//! Sessions: begin, end, and what happens in between.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    response::sse::{KeepAlive, Sse},
    routing::{delete, get, post},
};
use serde::{Deserialize, Serialize};
use syntax::Format;

use super::{Answered, Body, Of, answer};
use crate::{
    Studio,
    document::{DocumentSummary, EditedFile, OpenDocument, beside},
    error::Refused,
    events,
};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/start", get(start))
        .route("/api/sessions", post(open))
        .route("/api/sessions/{session}", delete(end))
        .route("/api/sessions/{session}/events", get(listen))
}

/// What a page opens.
#[derive(Deserialize)]
#[serde(untagged)]
enum OpenRequest {
    /// A file of the served folder.
    File { file: String },
    /// A text, with the name of the file that it came from or would be saved in.
    Text { name: String, text: String, queries: Option<String>, path: Option<String> },
}

/// A session that has begun.
#[derive(Serialize)]
struct Begun {
    session: String,
    document: DocumentSummary,
}

/// What a page has to know first.
#[derive(Serialize)]
struct Start {
    /// The version of merkhet.
    version: &'static str,
    /// The file that the command line names.
    model: Option<String>,
    /// The most searches at a time.
    max_searches: usize,
}

async fn start(State(studio): State<Arc<Studio>>) -> Json<Start> {
    let (model, max_searches) = (studio.config.model.clone(), studio.config.max_searches);
    Json(Start { version: env!("CARGO_PKG_VERSION"), model, max_searches })
}

async fn open(State(studio): State<Arc<Studio>>, Body(opened): Body<OpenRequest>) -> Answered<Begun> {
    answer(move || {
        let document = read(&studio, opened)?;
        let session = studio.sessions.add(document)?;
        let document = session.document().summary();
        Ok(Begun { session: session.id.clone(), document })
    })
    .await
}

fn read(studio: &Studio, opened: OpenRequest) -> Result<OpenDocument, Refused> {
    let limits = studio.check_limits();
    let load = |path: &str| -> Result<EditedFile, Refused> {
        EditedFile::read(path, &studio.folder.read(path)?)
            .map_err(|e| Refused::wrong(format!("can't open `{path}`: {e}")))
    };
    let load_beside =
        |path: &str| Some(beside(path)).filter(|path| studio.folder.has(path)).map(|path| load(&path)).transpose();
    match opened {
        OpenRequest::File { file } => {
            let model = load(&file)?;
            let name = file.rsplit('/').next().unwrap_or(&file);
            let format = Format::guess(name, model.text());
            // As for `verify`: queries inside a model come first.
            let has_own = format == Format::Xml && model.text().contains("<query>");
            let queries = if has_own { None } else { load_beside(&file)? };
            Ok(OpenDocument::open(name, format, model, queries, limits))
        }
        // Text that a page has kept. It begins from the file as it is now, so that saving it does
        // not replace what another program has written meanwhile.
        OpenRequest::Text { name, text, queries, path } => {
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            let format = Format::guess(&name, &text);
            let mut model = EditedFile::new(None, text);
            let mut queries = queries.map(|text| EditedFile::new(None, text));
            if let Some(path) = path
                && let Ok(stored) = load(&path)
            {
                (model.stored, model.encoding) = (stored.stored, stored.encoding);
                if let Some(queries) = &mut queries {
                    let stored = load_beside(&path).unwrap_or_default();
                    let stored = stored.unwrap_or_else(|| EditedFile::absent(Some(beside(&path))));
                    (queries.stored, queries.encoding, queries.path) = (stored.stored, stored.encoding, stored.path);
                }
                model.path = Some(path);
            }
            Ok(OpenDocument::open(&name, format, model, queries, limits))
        }
    }
}

async fn end(State(studio): State<Arc<Studio>>, Path(session): Path<String>) -> Answered<()> {
    studio.sessions.remove(&session).map(Json)
}

async fn listen(
    State(studio): State<Arc<Studio>>,
    Of(session): Of,
) -> Sse<impl futures_util::Stream<Item = Result<axum::response::sse::Event, std::convert::Infallible>>> {
    Sse::new(events::stream(session, studio.config.grace)).keep_alive(KeepAlive::default())
}
