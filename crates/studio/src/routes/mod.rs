//! The routes below `/api`, one file for each part of the page.

mod documents;
mod edit;
mod files;
mod queries;
mod reports;
mod sessions;
mod simulators;
mod text;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request},
    http::{StatusCode, request::Parts},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Studio, error::Refused, session::StudioSession};

pub use simulators::Simulators;

/// The largest body of a request. Larger models are opened from files.
const MAX_BODY: usize = 16 << 20;

/// Returns all routes.
pub fn all() -> Router<Arc<Studio>> {
    Router::new()
        .merge(sessions::routes())
        .merge(files::routes())
        .merge(documents::routes())
        .merge(edit::routes())
        .merge(text::routes())
        .merge(queries::routes())
        .merge(reports::routes())
        .merge(simulators::routes())
        .layer(DefaultBodyLimit::max(MAX_BODY))
}

/// The answer to a request.
type Answered<T> = Result<Json<T>, Refused>;

/// Runs work that may take long, or that waits for a lock, outside of the threads that serve.
async fn work<T: Send + 'static>(run: impl FnOnce() -> Result<T, Refused> + Send + 'static) -> Result<T, Refused> {
    let ended = tokio::task::spawn_blocking(run).await;
    ended.unwrap_or_else(|_| {
        let message = "this is a defect of merkhet; the server goes on".to_owned();
        Err(Refused { status: StatusCode::INTERNAL_SERVER_ERROR, message })
    })
}

/// Like [`work`], for an answer in JSON.
async fn answer<T: Serialize + Send + 'static>(
    run: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Answered<T> {
    work(run).await.map(Json)
}

/// The session that the path of a request names.
struct Of(Arc<StudioSession>);

impl FromRequestParts<Arc<Studio>> for Of {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, studio: &Arc<Studio>) -> Result<Of, Refused> {
        let path = Path::<std::collections::HashMap<String, String>>::from_request_parts(parts, studio).await;
        let path = path.map_err(|_| Refused::missing("there is no such address"))?;
        studio.sessions.get(path.get("session").map_or("", String::as_str)).map(Of)
    }
}

/// The body of a request.
struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<Studio>> for Body<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &Arc<Studio>) -> Result<Body<T>, Refused> {
        let patience = state.config.patience;
        let read = tokio::time::timeout(patience, Json::<T>::from_request(request, state)).await;
        let read = read.map_err(|_| Refused {
            status: StatusCode::REQUEST_TIMEOUT,
            message: format!("the request did not arrive within {} seconds", patience.as_secs_f32()),
        })?;
        read.map(|Json(body)| Body(body)).map_err(|e| Refused { status: e.status(), message: e.body_text() })
    }
}
