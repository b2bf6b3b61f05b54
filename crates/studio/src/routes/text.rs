//! Help with text: what completes a word, and where a name is declared.

use std::sync::Arc;

use axum::{Router, routing::post};
use serde::Deserialize;

use super::{Answered, Body, Of, answer};
use crate::{
    Studio,
    words::{self, FoundName, Offer},
};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/sessions/{session}/complete", post(complete))
        .route("/api/sessions/{session}/definition", post(definition))
}

/// A position in a fragment.
#[derive(Deserialize)]
struct Caret {
    path: String,
    /// The offset in UTF-16.
    at: usize,
    /// The text before it, at least from the beginning of the line.
    #[serde(default)]
    before: String,
}

async fn complete(Of(session): Of, Body(caret): Body<Caret>) -> Answered<Vec<Offer>> {
    answer(move || Ok(words::complete(&session.document(), &caret.path, caret.at, &caret.before))).await
}

async fn definition(Of(session): Of, Body(caret): Body<Caret>) -> Answered<Option<FoundName>> {
    answer(move || Ok(words::find(&session.document(), &caret.path, caret.at))).await
}
