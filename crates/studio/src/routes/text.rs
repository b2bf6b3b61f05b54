//! Help with text: what completes a word, and where a name is declared.

use std::sync::Arc;

use axum::{Router, routing::post};
use serde::Deserialize;

use super::{Answered, Body, Of, answer};
use crate::{
    Studio,
    document::DocumentSummary,
    words::{self, FoundName, Offer},
};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/sessions/{session}/complete", post(complete))
        .route("/api/sessions/{session}/definition", post(definition))
        .route("/api/sessions/{session}/rename", post(rename))
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

/// A new name for what is at a position.
#[derive(Deserialize)]
struct Renaming {
    /// The revision that is changed.
    revision: u64,
    path: String,
    /// The offset in UTF-16.
    at: usize,
    name: String,
}

async fn rename(Of(session): Of, Body(wanted): Body<Renaming>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        document.rename_at(wanted.revision, &wanted.path, wanted.at, wanted.name.trim())?;
        Ok(document.summary())
    })
    .await
}

async fn definition(Of(session): Of, Body(caret): Body<Caret>) -> Answered<Option<FoundName>> {
    answer(move || Ok(words::find(&session.document(), &caret.path, caret.at))).await
}
