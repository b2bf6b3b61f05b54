//! Edits of drawings.

use std::sync::Arc;

use axum::{
    Router,
    routing::{get, post},
};
use edit::{Drawing, Operation};
use serde::{Deserialize, Serialize};

use super::{Answered, Body, Of, answer};
use crate::{Studio, document::DocumentSummary, words};

/// Returns the routes.
pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/api/sessions/{session}/drawings", get(drawings))
        .route("/api/sessions/{session}/edit", post(make))
        .route("/api/sessions/{session}/preview", post(preview))
}

/// The templates as they are drawn.
#[derive(Serialize)]
struct Drawings {
    /// The revision of the document.
    revision: u64,
    drawings: Vec<Drawing>,
}

async fn drawings(Of(session): Of) -> Answered<Drawings> {
    answer(move || {
        let document = session.document();
        Ok(Drawings { revision: document.revision(), drawings: document.drawings() })
    })
    .await
}

/// An edit.
#[derive(Deserialize)]
struct Edit {
    /// The revision that is edited.
    revision: u64,
    operation: Operation,
    /// Edits of one group are undone together.
    group: Option<String>,
}

async fn make(Of(session): Of, Body(edit): Body<Edit>) -> Answered<DocumentSummary> {
    answer(move || {
        let mut document = session.document();
        document.edit(edit.revision, &edit.operation, edit.group)?;
        Ok(document.summary())
    })
    .await
}

/// An edit that is only looked at.
#[derive(Deserialize)]
struct Preview {
    operation: Operation,
}

/// What an edit would make.
#[derive(Serialize)]
struct Previewed {
    drawings: Vec<Drawing>,
    /// The tokens of a label with a colour: start, length and class of each.
    tokens: Vec<(usize, usize, &'static str)>,
}

async fn preview(Of(session): Of, Body(preview): Body<Preview>) -> Answered<Previewed> {
    answer(move || {
        let document = session.document();
        let tokens = match &preview.operation {
            Operation::Label { template, text, .. } => words::label_tokens(&document, *template, text),
            _ => Vec::new(),
        };
        Ok(Previewed { drawings: document.preview(&preview.operation)?, tokens })
    })
    .await
}
